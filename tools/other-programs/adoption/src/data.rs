//! Writes the files that the programs read. They hold messages of people, with who sent them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use trust8_benches::random::Random;
use trust8_benches::texts;

/// The bytes of all messages of a language.
const BYTES: usize = 4 << 20;

/// What the messages are written in.
pub(crate) struct Language {
    /// The name in the table, and of the folder.
    pub(crate) name: &'static str,
    /// The benchmarks' texts, which take turns.
    texts: &'static [&'static str],
}

impl Language {
    /// All that is measured: ASCII, ASCII with a few other characters, and text that is hardly ASCII.
    pub(crate) const ALL: [Self; 3] = [
        Self { name: "English", texts: &["ASCII"] },
        Self { name: "German", texts: &["German"] },
        Self { name: "Russian and Chinese", texts: &["Russian", "Chinese"] },
    ];

    /// Writes the files of this language into a folder of its name.
    pub(crate) fn write(&self, folder: &Path) {
        let folder = folder.join(self.name);
        fs::create_dir_all(&folder).expect("the folder can be made");
        let save = |name, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("the file can be written");
        let messages = self.messages();
        let lines: Vec<_> = messages.iter().map(Message::json).collect();
        save("messages.jsonl", (lines.join("\n") + "\n").as_bytes());
        save("messages.json", format!("[{}]", lines.join(",\n")).as_bytes());
        save("messages.log", messages.iter().map(Message::log_line).collect::<String>().as_bytes());
        save(
            "messages.txt",
            messages.iter().map(|message| message.text.clone() + "\n").collect::<String>().as_bytes(),
        );
        save("messages.frames", &messages.iter().flat_map(Message::frame).collect::<Vec<_>>());
        write_parquet(&messages, &folder.join("messages.parquet"));
        save("places.mmdb", &places(&messages));
    }

    fn messages(&self) -> Vec<Message> {
        let mut random = Random::named(self.name);
        let texts = self.texts.iter().map(|name| texts::generated(name, BYTES / self.texts.len()).text);
        // JSON would escape these characters, and a line of a log has no others.
        let texts: Vec<_> = texts.map(|text| text.replace(['"', '\n'], " ")).collect();
        let mut rests: Vec<_> = texts.iter().map(String::as_str).collect();
        let mut messages = Vec::new();
        while rests.iter().all(|rest| !rest.is_empty()) {
            for rest in &mut rests {
                let (text, after) = rest.split_at(rest.floor_char_boundary(random.between(20, 300)));
                *rest = after;
                let sender = format!("user-{}", random.below(3000));
                messages.push(Message { sender, error: random.once_in(20), text: text.to_owned() });
            }
        }
        messages
    }
}

/// The bits of an address that choose a place.
pub(crate) const PLACE_BITS: u32 = 13;

/// Returns a database in the format of MaxMind with a place for each first bits of an address: names of a city, a country and a
/// continent of up to 12 characters, and two codes.
fn places(messages: &[Message]) -> Vec<u8> {
    let count = 1_u32 << PLACE_BITS;
    let nodes = count - 1;
    let text: Vec<char> = messages.iter().flat_map(|message| message.text.chars()).collect();
    let mut names = text.chunks_exact(12).zip([7, 12, 9, 5].into_iter().cycle());
    let mut name =
        || names.next().map(|(chars, len)| chars[..len].iter().collect::<String>()).expect("enough text");
    let (mut tree, mut data) = (Vec::new(), Vec::new());
    for node in 0..nodes {
        for side in 1..=2 {
            let child = 2 * node + side;
            let is_leaf = child >= nodes;
            let record = if is_leaf { nodes + 16 + data.len() as u32 } else { child };
            tree.extend(record.to_be_bytes());
            if is_leaf {
                let place = [
                    ("city", name()),
                    ("country", name()),
                    ("continent", name()),
                    ("code", "NZ".to_owned()),
                    ("zone", "Pacific/Auckland".to_owned()),
                ];
                map(&mut data, place.len());
                place.iter().for_each(|(key, value)| {
                    [*key, value].into_iter().for_each(|text| string(&mut data, text))
                });
            }
        }
    }
    let mut file = [tree, vec![0; 16], data, b"\xAB\xCD\xEFMaxMind.com".to_vec()].concat();
    map(&mut file, 9);
    for (key, kind, value) in [
        ("binary_format_major_version", 5, 2),
        ("binary_format_minor_version", 5, 0),
        ("ip_version", 5, 4),
        ("record_size", 5, 32),
        ("node_count", 6, nodes),
    ] {
        string(&mut file, key);
        let bytes = value.to_be_bytes();
        let bytes = if kind == 5 { &bytes[2..] } else { &bytes[..] };
        file.push(kind << 5 | bytes.len() as u8);
        file.extend(bytes);
    }
    string(&mut file, "database_type");
    string(&mut file, "places");
    // An empty list, the time 0 and an empty map.
    string(&mut file, "languages");
    file.extend([0, 4]);
    string(&mut file, "build_epoch");
    file.extend([0, 2]);
    string(&mut file, "description");
    map(&mut file, 0);
    file
}

fn map(to: &mut Vec<u8>, pairs: usize) {
    to.push(7 << 5 | pairs as u8);
}

fn string(to: &mut Vec<u8>, text: &str) {
    match text.len() {
        len @ 0..29 => to.push(2 << 5 | len as u8),
        len => to.extend([2 << 5 | 29, (len - 29) as u8]),
    }
    to.extend(text.as_bytes());
}

struct Message {
    sender: String,
    error: bool,
    text: String,
}

impl Message {
    fn json(&self) -> String {
        format!(r#"{{"sender":"{}","text":"{}"}}"#, self.sender, self.text)
    }

    fn log_line(&self) -> String {
        let level = if self.error { "ERROR" } else { "INFO" };
        format!("2026-01-31T12:00:00.000Z {level} chat::room: {}: {}\n", self.sender, self.text)
    }

    /// Returns the frame in which a WebSocket client sends the message.
    fn frame(&self) -> Vec<u8> {
        let mask = [0x37, 0xFA, 0x21, 0x3D];
        let mut frame = vec![0x81];
        match self.text.len() {
            len @ 0..126 => frame.push(0x80 | len as u8),
            len => {
                frame.push(0x80 | 126);
                frame.extend((len as u16).to_be_bytes());
            }
        }
        frame.extend(mask);
        frame.extend(self.text.bytes().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        frame
    }
}

/// Returns the columns of the messages.
pub(crate) fn schema() -> SchemaRef {
    let field = |name| Field::new(name, DataType::Utf8, false);
    Arc::new(Schema::new(vec![field("sender"), field("text")]))
}

fn write_parquet(messages: &[Message], path: &Path) {
    let column = |of: fn(&Message) -> &String| -> ArrayRef {
        Arc::new(messages.iter().map(|message| Some(of(message))).collect::<StringArray>())
    };
    let columns = vec![column(|message| &message.sender), column(|message| &message.text)];
    let batch = RecordBatch::try_new(schema(), columns).expect("the columns fit the schema");
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(path).expect("the file can be made");
    let mut writer = ArrowWriter::try_new(file, schema(), Some(properties)).expect("a schema of strings");
    writer.write(&batch).expect("the file can be written");
    writer.close().expect("the file can be written");
}

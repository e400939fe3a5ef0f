//! Writes the files that the programs read. They hold messages of people, with who sent them.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::random::Random;
use crate::texts;

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

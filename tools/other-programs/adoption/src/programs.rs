//! The programs. Each reads a file and returns a number that depends on all of its text.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use fastwebsockets::{Role, WebSocket, WebSocketError};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use trust8_benches::random::Random;

use crate::data;

/// A program that is measured.
pub(crate) struct Program {
    /// The name in the table.
    pub(crate) name: &'static str,
    /// The file that it reads.
    pub(crate) file: &'static str,
    /// Reads that file, and returns the answer.
    pub(crate) run: fn(&Path) -> usize,
}

/// All programs.
pub(crate) const PROGRAMS: &[Program] = &[
    Program { name: "parquet: a table into arrays", file: "messages.parquet", run: parquet },
    Program { name: "arrow-json: lines into arrays", file: "messages.jsonl", run: arrow_json },
    Program { name: "sonic-rs: a document", file: "messages.json", run: sonic },
    #[cfg(feature = "simd-json")]
    Program { name: "simd-json: a document", file: "messages.json", run: simd_json },
    Program { name: "fastwebsockets: messages", file: "messages.frames", run: web_socket },
    Program { name: "encoding_rs: pieces of 16 KiB", file: "messages.txt", run: encoding },
    Program { name: "maxminddb: lookups", file: "places.mmdb", run: lookups },
    Program { name: "turso: rows of short strings", file: "messages.txt", run: database },
    Program { name: "log: validated line by line", file: "messages.log", run: log_by_line },
    Program { name: "log: validated whole", file: "messages.log", run: log_whole },
];

/// The rows of a batch of Arrow.
const BATCH: usize = 8192;

fn open(path: &Path) -> File {
    File::open(path).expect("`adoption write` has written the file")
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).expect("`adoption write` has written the file")
}

/// Reads a table of two columns of strings, compressed with Snappy.
fn parquet(path: &Path) -> usize {
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)).expect("a Parquet file");
    let reader = builder.with_batch_size(BATCH).build().expect("a Parquet file");
    reader.map(|batch| text_of(&batch.expect("valid text"))).sum()
}

/// Reads JSON, an object a line, into the same columns.
fn arrow_json(path: &Path) -> usize {
    let builder = arrow_json::ReaderBuilder::new(data::schema()).with_batch_size(BATCH);
    let reader = builder.build(BufReader::new(open(path))).expect("a schema of strings");
    reader.map(|batch| text_of(&batch.expect("valid text"))).sum()
}

/// Adds up the lengths of a batch's strings.
fn text_of(batch: &RecordBatch) -> usize {
    batch.columns().iter().flat_map(|column| column.as_string::<i32>().iter()).flatten().map(str::len).sum()
}

/// Parses one array of many objects.
fn sonic(path: &Path) -> usize {
    use sonic_rs::{JsonContainerTrait, JsonValueTrait};
    let document: sonic_rs::Value = sonic_rs::from_slice(&read(path)).expect("valid JSON");
    let messages = document.as_array().expect("an array");
    messages.iter().filter_map(|message| message.get("text")?.as_str()).map(str::len).sum()
}

/// Parses the same array where it is in memory.
#[cfg(feature = "simd-json")]
fn simd_json(path: &Path) -> usize {
    use simd_json::prelude::*;
    let mut bytes = read(path);
    let document = simd_json::to_borrowed_value(&mut bytes).expect("valid JSON");
    let messages = document.as_array().expect("an array");
    messages.iter().filter_map(|message| message.get_str("text")).map(str::len).sum()
}

/// Receives the text messages of a client. The file stands in for the network.
fn web_socket(path: &Path) -> usize {
    let wire = read(path);
    let stream = tokio::io::join(&wire[..], tokio::io::sink());
    let mut socket = WebSocket::after_handshake(stream, Role::Server);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime of one thread");
    runtime.block_on(async {
        let mut sum = 0;
        loop {
            match socket.read_frame().await {
                Ok(frame) => sum += frame.payload.len(),
                Err(WebSocketError::UnexpectedEOF) => return sum,
                Err(error) => panic!("{error}"),
            }
        }
    })
}

/// Decodes a file to `String` in pieces, as a browser or an HTTP client does with what the network sends.
fn encoding(path: &Path) -> usize {
    let mut file = open(path);
    let mut decoder = encoding_rs::UTF_8.new_decoder();
    let mut piece = vec![0; 16 << 10];
    let mut text = String::new();
    let mut newlines = 0;
    loop {
        let read = file.read(&mut piece).expect("the file can be read");
        text.clear();
        text.reserve(decoder.max_utf8_buffer_length(read).expect("a small number"));
        let (_, _, replaced) = decoder.decode_to_string(&piece[..read], &mut text, read == 0);
        assert!(!replaced, "valid text");
        newlines += memchr::memchr_iter(b'\n', text.as_bytes()).count();
        if read == 0 {
            return newlines;
        }
    }
}

/// A record of the database of places.
#[derive(serde::Deserialize)]
struct Place<'a> {
    city: &'a str,
    country: &'a str,
    continent: &'a str,
    code: &'a str,
    zone: &'a str,
}

/// Looks up as many addresses as the database has places, each at random.
fn lookups(path: &Path) -> usize {
    let places = maxminddb::Reader::open_readfile(path).expect("a database");
    let mut random = Random::named("addresses");
    let lookup = |_| -> usize {
        let address = Ipv4Addr::from((random.below(1 << data::PLACE_BITS) << (32 - data::PLACE_BITS)) as u32);
        let place = places.lookup(address.into()).expect("a whole tree");
        let place: Place<'_> = place.decode().expect("valid text").expect("each address has a place");
        [place.city, place.country, place.continent, place.code, place.zone].map(str::len).iter().sum()
    };
    (0..1 << data::PLACE_BITS).map(lookup).sum()
}

/// The rows of the table in memory.
const ROWS: usize = 20_000;

thread_local! {
    /// The table that was filled from a file. Filling it is not measured, because it happens the first time only.
    static TABLE: RefCell<Option<(PathBuf, turso::Connection)>> = const { RefCell::new(None) };
}

/// Selects three columns of strings of 3 to 20 characters from a table in memory.
fn database(path: &Path) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime of one thread");
    TABLE.with_borrow_mut(|table| {
        runtime.block_on(async {
            if table.as_ref().is_none_or(|(of, _)| of != path) {
                *table = Some((path.to_owned(), fill(path).await.expect("a table in memory")));
            }
            let (_, connection) = table.as_ref().expect("it was filled");
            lengths(connection).await.expect("text")
        })
    })
}

async fn fill(path: &Path) -> turso::Result<turso::Connection> {
    let text = String::from_utf8(read(path)).expect("valid text");
    let mut chars = text.chars().filter(|&char| char != '\n');
    let mut strings = [3, 12, 7, 20, 5].into_iter().cycle().map(|chars_in| {
        let string: String = chars.by_ref().take(chars_in).collect();
        assert!(!string.is_empty(), "the file has text for all rows");
        string
    });
    let connection = turso::Builder::new_local(":memory:").build().await?.connect()?;
    connection.execute("CREATE TABLE strings (a TEXT, b TEXT, c TEXT)", ()).await?;
    connection.execute("BEGIN", ()).await?;
    let mut insert = connection.prepare("INSERT INTO strings VALUES (?, ?, ?)").await?;
    for _ in 0..ROWS {
        let row: Vec<turso::Value> = strings.by_ref().take(3).map(turso::Value::Text).collect();
        insert.execute(row).await?;
    }
    connection.execute("COMMIT", ()).await?;
    Ok(connection)
}

async fn lengths(connection: &turso::Connection) -> turso::Result<usize> {
    let mut rows = connection.query("SELECT a, b, c FROM strings", ()).await?;
    let mut sum = 0;
    while let Some(row) = rows.next().await? {
        for column in 0..3 {
            sum += row.get_value(column)?.as_text().map_or(0, |text| text.len());
        }
    }
    Ok(sum)
}

/// Adds up the lengths of the errors in a log, and validates each line by itself.
fn log_by_line(path: &Path) -> usize {
    let log = read(path);
    errors(&log, |start, end| simdutf8::basic::from_utf8(&log[start..end]).expect("valid text"))
}

/// Does the same, but validates the log at once.
fn log_whole(path: &Path) -> usize {
    let log = read(path);
    let text = simdutf8::basic::from_utf8(&log).expect("valid text");
    errors(&log, |start, end| &text[start..end])
}

/// Adds up the lengths of the lines that contain "ERROR". `line` returns the text between two places of the log.
fn errors<'a>(log: &[u8], line: impl Fn(usize, usize) -> &'a str) -> usize {
    let finder = memchr::memmem::Finder::new("ERROR");
    let mut start = 0;
    let mut sum = 0;
    for end in memchr::memchr_iter(b'\n', log) {
        let line = line(start, end);
        if finder.find(line.as_bytes()).is_some() {
            sum += line.len();
        }
        start = end + 1;
    }
    sum
}

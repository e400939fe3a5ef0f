//! Ships a log line by line while it grows. Bytes that are not UTF-8 are kept as escapes, and an end inside a character,
//! or inside a line, means that more is to come.
//!
//! ```sh
//! cargo run --release --example log_shipper -- /var/log/some.log
//! ```

#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::time::Duration;
use std::{env, thread};

use trust8::Policy;
use trust8::io::{LineError, OnBadLine, TextLines};

/// The longest line that is shipped. Longer ones are reported.
const MAX_LENGTH: usize = 64 << 10;

fn open<R: BufRead>(log: R) -> TextLines<R> {
    TextLines::new(log).on_bad_line(OnBadLine::Repair(Policy::Escape)).max_length(MAX_LENGTH).follow(true)
}

/// Ships the lines that are there by now.
fn ship(lines: &mut TextLines<impl BufRead>, mut to: impl Write) -> io::Result<()> {
    for line in lines {
        match line {
            Ok(line) => writeln!(to, "{line}")?,
            Err(error @ LineError::TooLong { .. }) => eprintln!("{error}"),
            Err(error) => return Err(error.into()),
        }
    }
    to.flush()
}

fn main() -> io::Result<()> {
    let path = env::args_os().nth(1).ok_or_else(|| io::Error::other("usage: log_shipper LOG"))?;
    let mut lines = open(BufReader::new(File::open(path)?));
    loop {
        ship(&mut lines, io::stdout().lock())?;
        thread::sleep(Duration::from_millis(200));
    }
}

/// A log that grows inside a character, inside a line, and after a line in ISO-8859-1.
#[test]
fn a_growing_log_arrives_as_a_whole() {
    let path = env::temp_dir().join(format!("trust8-log-shipper-{}", std::process::id()));
    let mut log = File::create(&path).unwrap();
    let (mut lines, mut shipped) = (open(BufReader::new(File::open(&path).unwrap())), Vec::new());
    let parts = [&b"one\ncaf\xC3"[..], b"\xA9 two\ncaf\xE9 th", b"ree\n\xE6\x97", b"\xA5\r\n"];
    let expected = [
        "one\n",
        "one\ncafé two\n",
        "one\ncafé two\ncaf\\xE9 three\n",
        "one\ncafé two\ncaf\\xE9 three\n日\n",
    ];
    for (part, expected) in parts.into_iter().zip(expected) {
        log.write_all(part).unwrap();
        ship(&mut lines, &mut shipped).unwrap();
        assert_eq!(String::from_utf8_lossy(&shipped), expected);
    }
    assert_eq!(lines.bad_lines(), 1);
    std::fs::remove_file(path).unwrap();
}

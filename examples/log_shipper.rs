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

/// Lines that are longer than 64 KiB are reported.
pub(crate) fn open<R: BufRead>(log: R) -> TextLines<R> {
    TextLines::new(log).on_bad_line(OnBadLine::Repair(Policy::Escape)).max_length(64 << 10).follow(true)
}

/// Ships the lines that are there by now.
pub(crate) fn ship(lines: &mut TextLines<impl BufRead>, mut to: impl Write) -> io::Result<()> {
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

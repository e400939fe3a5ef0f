//! Forwards a log as valid text: each invalid sequence becomes U+FFFD, and nothing else changes.
//!
//! For programs that collect logs. One line in a million is in another encoding or was cut off; neither the
//! line nor the program may be lost because of it.
//!
//! ```sh
//! some-program | cargo run --release --example lossy_log > clean.log
//! ```

#![forbid(unsafe_code)]

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use trust8::{errors, from_utf8, lossy_into};

/// The findings in a log.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    lines: u64,
    repaired_lines: u64,
    invalid_sequences: u64,
}

/// Copies lines from `log` to `out`, repaired where they are not UTF-8.
fn clean(mut log: impl BufRead, mut out: impl Write) -> io::Result<Found> {
    let mut found = Found { lines: 0, repaired_lines: 0, invalid_sequences: 0 };
    // Both are used for every line, so that the loop allocates nothing once they are long enough.
    let mut line = Vec::new();
    let mut repaired = String::new();
    loop {
        line.clear();
        if log.read_until(b'\n', &mut line)? == 0 {
            out.flush()?;
            return Ok(found);
        }
        found.lines += 1;
        if let Ok(text) = from_utf8(&line) {
            out.write_all(text.as_bytes())?;
            continue;
        }
        found.repaired_lines += 1;
        found.invalid_sequences += errors(&line).count() as u64;
        repaired.clear();
        lossy_into(&line, &mut repaired);
        out.write_all(repaired.as_bytes())?;
    }
}

fn main() -> io::Result<()> {
    let found = clean(BufReader::new(io::stdin()), BufWriter::new(io::stdout().lock()))?;
    eprintln!(
        "{} lines, {} of them repaired, {} invalid sequences",
        found.lines, found.repaired_lines, found.invalid_sequences
    );
    Ok(())
}

/// Cleans four lines; one is in ISO-8859-1, and one was cut off.
#[test]
fn only_what_is_invalid_changes() {
    let log = b"GET /caf\xC3\xA9 200\nGET /caf\xE9 404\n\nGET /\xE6\x97\xA5\xE6\x9C";
    let mut out = Vec::new();
    let found = clean(&log[..], &mut out).unwrap();
    assert_eq!(out, "GET /café 200\nGET /caf\u{FFFD} 404\n\nGET /日\u{FFFD}".as_bytes());
    assert_eq!(found, Found { lines: 4, repaired_lines: 2, invalid_sequences: 2 });
}

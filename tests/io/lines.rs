//! Lines that may not be UTF-8, against a loop over the whole.

use std::io::{BufReader, ErrorKind};

use super::lossy::Parts;
use super::policies::repaired;
use super::support::malformed::MALFORMED;
use super::support::random::{self, cases, mutation, passage};
use super::support::text::UNITS;
use proptest::prelude::*;
use trust8::Policy;
use trust8::io::{LineError, OnBadLine, TextLines};

/// A line as the tests compare it: the string, or the error's position and the bytes, or the position of a line that is too
/// long.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Line {
    Text(String),
    Bad(u64, Vec<u8>),
    TooLong(u64),
}

impl From<Result<String, LineError>> for Line {
    fn from(line: Result<String, LineError>) -> Self {
        match line {
            Ok(text) => Self::Text(text),
            Err(LineError::NotUtf8 { error, line }) => Self::Bad(error.valid_up_to(), line),
            Err(LineError::TooLong { offset, .. }) => Self::TooLong(offset),
            Err(other) => panic!("{other}"),
        }
    }
}

/// The lines of the whole, and how many of them are bad.
fn model(bytes: &[u8], on_bad_line: OnBadLine, max_length: usize) -> (Vec<Line>, u64) {
    let (mut lines, mut bad, mut offset) = (Vec::new(), 0, 0);
    for whole in bytes.split_inclusive(|&byte| byte == b'\n') {
        let line = whole.strip_suffix(b"\n").map_or(whole, |line| line.strip_suffix(b"\r").unwrap_or(line));
        match std::str::from_utf8(line) {
            _ if line.len() > max_length => {
                bad += 1;
                lines.push(Line::TooLong(offset));
            }
            Ok(text) => lines.push(Line::Text(text.to_owned())),
            Err(error) => {
                bad += 1;
                match on_bad_line {
                    OnBadLine::Refuse => {
                        lines.push(Line::Bad(offset + error.valid_up_to() as u64, line.to_vec()));
                    }
                    OnBadLine::Repair(Policy::Null) | OnBadLine::Skip => {}
                    OnBadLine::Repair(policy) => lines.push(Line::Text(repaired(policy, line))),
                    other => panic!("{other:?}"),
                }
            }
        }
        offset += whole.len() as u64;
    }
    (lines, bad)
}

fn ways() -> impl Iterator<Item = OnBadLine> {
    [OnBadLine::Refuse, OnBadLine::Skip]
        .into_iter()
        .chain(Policy::ALL.iter().map(|&policy| OnBadLine::Repair(policy)))
}

fn check(bytes: &[u8], part: usize, max_length: usize) {
    for on_bad_line in ways() {
        let (expected, bad) = model(bytes, on_bad_line, max_length);
        let parts = Parts::new(bytes.chunks(part), Some(ErrorKind::Interrupted));
        let mut lines = TextLines::new(BufReader::new(parts)).on_bad_line(on_bad_line).max_length(max_length);
        let found: Vec<Line> = lines.by_ref().map(Line::from).collect();
        assert_eq!(found, expected, "{on_bad_line:?} {part} {max_length}");
        assert_eq!((lines.bad_lines(), lines.offset()), (bad, bytes.len() as u64));

        // The input grows where a part ends. Its last line has no end, so it is no line yet.
        let parts = Parts::new(bytes.chunks(part), None);
        let mut lines = TextLines::new(BufReader::new(parts))
            .on_bad_line(on_bad_line)
            .max_length(max_length)
            .follow(true);
        let mut found = Vec::new();
        for _ in 0..2 * bytes.len() + 2 {
            found.extend(lines.next().map(Line::from));
        }
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut expected = model(&bytes[..end], on_bad_line, max_length).0;
        if bytes[end..].strip_suffix(b"\r").unwrap_or(&bytes[end..]).len() > max_length {
            expected.push(Line::TooLong(end as u64));
        }
        assert_eq!(found, expected, "{on_bad_line:?} {part} {max_length}");
    }
}

#[test]
fn every_malformed_sequence_in_lines() {
    for unit in UNITS {
        for malformed in &MALFORMED {
            for end in ["\n", "\r\n", "\r\r\n"] {
                let bytes =
                    [unit.as_bytes(), end.as_bytes(), malformed.bytes, end.as_bytes(), unit.as_bytes()]
                        .concat();
                check(&bytes, 1 + bytes.len() % 7, usize::MAX);
                check(&bytes, 1000, 2);
            }
        }
    }
    for text in ["", "\n", "\r\n", "\r", "a", "a\n", "\n\n", "a\r", "\r\na"] {
        for max_length in [0, 1, 2] {
            check(text.as_bytes(), 1, max_length);
        }
    }
}

proptest! {
    #![proptest_config(cases(200, 4))]

    #[test]
    fn any_lines(
        passages in prop::collection::vec(passage(0_usize..300), 1..3),
        mutations in prop::collection::vec(mutation(), 0..6),
        part in 1_usize..400,
        max_length in prop_oneof![Just(usize::MAX), 0_usize..60],
    ) {
        let mut bytes = random::lines(&passages);
        mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
        check(&bytes, part, max_length);
    }
}

#[test]
fn an_error_of_the_reader_changes_nothing() {
    let parts = Parts::new([&b"one\ntw"[..], b"o\n"], Some(ErrorKind::TimedOut));
    let lines: Vec<_> = TextLines::new(BufReader::new(parts)).take(3).collect();
    assert!(matches!(&lines[..], [Ok(one), Err(LineError::Io(error)), Ok(two)]
        if one == "one" && two == "two" && error.kind() == ErrorKind::TimedOut));
}

/// The first line of another input was skipped with a long line that ended the one before.
#[test]
fn a_line_that_is_skipped_ends_with_its_input() {
    for follows in [false, true] {
        let mut lines = TextLines::new(&b"longer"[..]).max_length(3).follow(follows);
        assert!(matches!(lines.next(), Some(Err(LineError::TooLong { .. }))));
        assert!(lines.next().is_none());
        *lines.get_mut() = b"one\ntwo\n";
        assert_eq!(lines.next().unwrap().unwrap(), if follows { "two" } else { "one" });
    }
}

#[cfg(feature = "serde")]
#[test]
fn errors_go_into_reports() {
    use serde_json::{json, to_value};

    let errors: Vec<_> =
        TextLines::new(&b"ab\xFF\nlonger\n"[..]).max_length(3).map(Result::unwrap_err).collect();
    for (error, at) in errors.iter().zip([Some(2), None]) {
        assert_eq!(to_value(error).unwrap(), json!({ "valid_up_to": at, "message": error.to_string() }));
    }
    assert_eq!(errors.len(), 2);
}

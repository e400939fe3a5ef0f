//! An error in a source: where it is, for people and for editors, and what it is.

use std::io::{self, Write};

use trust8::{ErrorKind, Utf8Error};

use crate::source::Source;

/// The first error of a source.
pub(crate) struct Finding<'a> {
    source: &'a Source<'a>,
    /// The ill-formed sequence.
    bytes: &'a [u8],
    place: Place,
    error: Utf8Error,
}

impl<'a> Finding<'a> {
    /// `error` is what `all`, the whole source, was refused with.
    pub(crate) fn new(source: &'a Source<'a>, all: &'a [u8], error: Utf8Error) -> Self {
        let (valid, rest) = all.split_at(error.valid_up_to());
        // Without a length, it is all that is left.
        let bytes = &rest[..error.error_len().unwrap_or(rest.len())];
        Self { source, bytes, place: Place::behind(valid), error }
    }

    /// One line: `path:line:column: kind [bytes]: message`, the message with the byte's offset.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.source.write_name(out)?;
        let Place { line, column } = self.place;
        write!(out, ":{line}:{column}: {} [", in_words(self.error.kind()))?;
        for (i, byte) in self.bytes.iter().enumerate() {
            write!(out, "{}{byte:02X}", if i == 0 { "" } else { " " })?;
        }
        writeln!(out, "]: {}", self.error)
    }
}

/// A place in a text, as editors count: from 1, in lines that end with a line feed, and in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    line: usize,
    column: usize,
}

impl Place {
    /// The place behind a text, which is valid UTF-8.
    fn behind(text: &[u8]) -> Self {
        let line_start = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (lines, line) = text.split_at(line_start);
        let is_character_start = |byte: &&u8| !matches!(byte, 0x80..=0xBF);
        Self {
            line: 1 + lines.iter().filter(|&&byte| byte == b'\n').count(),
            column: 1 + line.iter().filter(is_character_start).count(),
        }
    }
}

/// The kind, as it is printed.
fn in_words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::UnexpectedContinuation => "unexpected continuation",
        ErrorKind::InvalidByte => "invalid byte",
        ErrorKind::Overlong => "overlong",
        ErrorKind::Surrogate => "surrogate",
        ErrorKind::TooLarge => "too large",
        ErrorKind::Truncated => "truncated",
        ErrorKind::Incomplete => "incomplete",
        // A kind that a later library tells apart; the message explains it.
        _ => "ill-formed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_1() {
        let place = |text: &str| {
            let Place { line, column } = Place::behind(text.as_bytes());
            (line, column)
        };
        assert_eq!(place(""), (1, 1));
        assert_eq!(place("abc"), (1, 4));
        assert_eq!(place("\n"), (2, 1));
        assert_eq!(place("aé日😀"), (1, 5));
        assert_eq!(place("日本\r\n語\n\n😀😀"), (4, 3));
        // A carriage return alone ends no line, and neither do Unicode's other separators.
        assert_eq!(place("a\rb\u{2028}c\u{85}"), (1, 7));
    }
}

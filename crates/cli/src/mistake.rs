//! What is wrong with the bytes of an error, in words: what they were meant to be, how many they
//! are, and which section of RFC 3629 forbids them.
//!
//! The library's errors end where the standard library's do: before the first byte that can't
//! continue a character. That splits what people see as one mistake: `C0 AF` is one overlong slash
//! to them, but two errors to the library. So a mistake has all the bytes that its first byte
//! announces. It follows RFC 2279, which had sequences of up to six bytes and no rule on
//! surrogates.
//!
//! The Python package and the web page compile this file and `hex.rs` too.

use core::fmt;

use trust8::boundary::is_continuation;
use trust8::{ErrorKind, Utf8Error};

use crate::hex::Hex;

/// Bytes that are not UTF-8, and that make one mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mistake<'a> {
    pub(crate) kind: ErrorKind,
    meaning: Meaning,
    pub(crate) bytes: &'a [u8],
}

/// What the bytes would mean if no rule forbade them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// Nothing, or a sequence that is not complete.
    Nothing,
    CodePoint(u32),
    /// A supplementary character as CESU-8 encodes it: two surrogates of three bytes each.
    SurrogatePair(u16, u16),
}

impl<'a> Mistake<'a> {
    /// `error` is the library's error for `rest`, at its first byte.
    pub(crate) fn of(error: &Utf8Error, rest: &'a [u8]) -> Self {
        let kind = error.kind();
        let (len, meaning) = match kind {
            ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge | ErrorKind::InvalidByte => {
                by_rfc_2279(rest)
            }
            _ => (error.error_len().unwrap_or(rest.len()), Meaning::Nothing),
        };
        Self { kind, meaning, bytes: &rest[..len] }
    }

    /// Whether the bytes make a whole sequence. Then they are hardly text in another encoding.
    pub(crate) fn is_whole_sequence(&self) -> bool {
        self.meaning != Meaning::Nothing
    }

    /// Returns the section of RFC 3629 that forbids the bytes.
    pub(crate) fn section(&self) -> u8 {
        match self.kind {
            // 'The octet values C0, C1, F5 to FF never appear.'
            ErrorKind::InvalidByte if self.meaning == Meaning::Nothing => 1,
            ErrorKind::InvalidByte | ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge => 3,
            // The grammar.
            _ => 4,
        }
    }
}

/// Returns the length of the sequence that begins with `first`, by RFC 2279.
fn sequence_len(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        0xF8..=0xFB => 5,
        0xFC..=0xFD => 6,
        _ => 1,
    }
}

/// Returns how many bytes at the start of `rest` make one sequence by RFC 2279, complete or not,
/// and what they mean.
fn by_rfc_2279(rest: &[u8]) -> (usize, Meaning) {
    let wanted = sequence_len(rest[0]);
    let continuations = rest[1..].iter().take(wanted - 1).take_while(|&&byte| is_continuation(byte));
    let len = 1 + continuations.count();
    if wanted == 1 || len < wanted {
        return (len, Meaning::Nothing);
    }
    match surrogate_pair(rest) {
        Some((high, low)) => (6, Meaning::SurrogatePair(high, low)),
        None => (len, Meaning::CodePoint(code_point(&rest[..len]))),
    }
}

/// Returns the value of a complete sequence of two to six bytes.
fn code_point(bytes: &[u8]) -> u32 {
    let first = u32::from(bytes[0]) & (0x7F >> bytes.len());
    bytes[1..].iter().fold(first, |value, byte| value << 6 | u32::from(byte & 0x3F))
}

/// Returns the surrogates if `rest` begins with a high and a low one, of three bytes each.
fn surrogate_pair(rest: &[u8]) -> Option<(u16, u16)> {
    match *rest {
        [0xED, a @ 0xA0..=0xAF, b @ 0x80..=0xBF, 0xED, c @ 0xB0..=0xBF, d @ 0x80..=0xBF, ..] => {
            let surrogate = |second, third| 0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
            Some((surrogate(a, b), surrogate(c, d)))
        }
        _ => None,
    }
}

/// Displays a code point with its character, as in '/' (U+002F), or alone if the character is
/// invisible.
struct NamedCodePoint(u32);

impl fmt::Display for NamedCodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        match char::from_u32(value) {
            // `escape_debug` leaves visible characters alone, except for these three.
            Some(c) if c != ' ' && (c.escape_debug().len() == 1 || matches!(c, '\'' | '"' | '\\')) => {
                write!(f, "'{c}' (U+{value:04X})")
            }
            _ => write!(f, "U+{value:04X}"),
        }
    }
}

impl fmt::Display for Mistake<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, meaning, bytes: all } = *self;
        let len = all.len();
        let hex = Hex(all);
        let bytes = if len == 1 { "byte" } else { "bytes" };
        let section = self.section();
        match (kind, meaning) {
            (ErrorKind::Overlong, Meaning::CodePoint(value)) => {
                write!(f, "overlong encoding of {}, {len} {bytes}: {hex}", NamedCodePoint(value))?;
            }
            (ErrorKind::Overlong, _) => write!(f, "start of an overlong encoding, {len} {bytes}: {hex}")?,
            (ErrorKind::Surrogate, Meaning::SurrogatePair(high, low)) => {
                let value = 0x1_0000 + ((u32::from(high) & 0x3FF) << 10 | u32::from(low) & 0x3FF);
                let named = NamedCodePoint(value);
                write!(f, "surrogate pair {high:04X} {low:04X} for {named}, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::Surrogate, Meaning::CodePoint(value)) => {
                write!(f, "surrogate U+{value:04X}, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::Surrogate, _) => write!(f, "start of a surrogate, {len} {bytes}: {hex}")?,
            (ErrorKind::TooLarge, Meaning::CodePoint(value)) => {
                write!(f, "code point {value:X}, above U+10FFFF, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::TooLarge, _) => {
                write!(f, "start of a code point above U+10FFFF, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::InvalidByte, Meaning::CodePoint(value)) => {
                write!(f, "{len}-byte sequence of RFC 2279 for {value:X}: {hex}")?;
            }
            (ErrorKind::InvalidByte, _) if len == 1 => write!(f, "byte that never appears in UTF-8: {hex}")?,
            (ErrorKind::InvalidByte, _) => {
                write!(f, "byte that never appears in UTF-8, with its continuation bytes: {hex}")?;
            }
            (ErrorKind::UnexpectedContinuation, _) => {
                write!(f, "continuation byte without a first byte: {hex}")?;
            }
            (ErrorKind::Truncated, _) => {
                let wanted = sequence_len(all[0]);
                return write!(
                    f,
                    "{wanted}-byte character cut short after {len} {bytes}: {hex}; RFC 3629 section {section} requires a \
                     continuation byte next"
                );
            }
            (ErrorKind::Incomplete, _) => {
                let wanted = sequence_len(all[0]);
                return write!(
                    f,
                    "input ends after {len} {bytes} of a {wanted}-byte character: {hex}; RFC 3629 section {section} \
                     requires a continuation byte next"
                );
            }
            _ => write!(f, "ill-formed sequence, {len} {bytes}: {hex}")?,
        }
        write!(f, "; RFC 3629 section {section} forbids it")
    }
}

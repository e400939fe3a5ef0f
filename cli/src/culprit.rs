//! What is wrong with some bytes, in words: what was meant, how many bytes it takes, and which section of RFC
//! 3629 is against it.
//!
//! The library's errors end where the standard library's do: at the first byte that no character can have
//! there. For people that tears apart what belongs together; `C0 AF` is one overlong slash to them, not two
//! errors. So a culprit has all the bytes that its first one asks for, by the scheme of RFC 2279, which had
//! forms of up to six bytes and no rule on surrogates.

use std::fmt::{self, Write};

use trust8::{ErrorKind, Utf8Error};

/// Bytes that are not UTF-8, and belong together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Culprit<'a> {
    pub(crate) kind: ErrorKind,
    pub(crate) bytes: &'a [u8],
    meant: Meant,
}

/// What the bytes would stand for, were there no rule against it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meant {
    /// Nothing, or something that is cut short.
    Nothing,
    Number(u32),
    /// A supplementary character as CESU-8 writes it: the surrogates, three bytes each.
    Pair(u16, u16),
}

impl<'a> Culprit<'a> {
    /// `error` is what the library says of `rest`, at its first byte.
    pub(crate) fn new(error: &Utf8Error, rest: &'a [u8]) -> Self {
        let kind = error.kind();
        let (len, meant) = match kind {
            ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge | ErrorKind::InvalidByte => {
                whole(rest)
            }
            _ => (error.error_len().unwrap_or(rest.len()), Meant::Nothing),
        };
        Self { kind, bytes: &rest[..len], meant }
    }

    /// As how many U+FFFD the bytes are shown by a browser: one for each of the library's errors.
    pub(crate) fn replacements(&self) -> u64 {
        self.bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64
    }

    /// The kind, for programs.
    pub(crate) fn keyword(&self) -> &'static str {
        match self.kind {
            ErrorKind::UnexpectedContinuation => "unexpected-continuation",
            ErrorKind::InvalidByte => "invalid-byte",
            ErrorKind::Overlong => "overlong",
            ErrorKind::Surrogate => "surrogate",
            ErrorKind::TooLarge => "too-large",
            ErrorKind::Truncated => "truncated",
            ErrorKind::Incomplete => "incomplete",
            // A kind that a later library tells apart.
            _ => "ill-formed",
        }
    }

    /// The section of RFC 3629 that is against it.
    pub(crate) fn section(&self) -> u8 {
        match self.kind {
            // 'The octet values C0, C1, F5 to FF never appear.'
            ErrorKind::InvalidByte if self.meant == Meant::Nothing => 1,
            ErrorKind::InvalidByte | ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge => 3,
            // The grammar.
            _ => 4,
        }
    }
}

/// How many bytes the first one asks for.
fn wanted(first: u8) -> usize {
    match first {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        0xF8..=0xFB => 5,
        0xFC..=0xFD => 6,
        _ => 1,
    }
}

/// The bytes that the first one asks for, as far as they are there, and what they mean.
fn whole(rest: &[u8]) -> (usize, Meant) {
    let wanted = wanted(rest[0]);
    let continuations = rest[1..].iter().take(wanted - 1).take_while(|byte| matches!(byte, 0x80..=0xBF));
    let len = 1 + continuations.count();
    if wanted == 1 || len < wanted {
        return (len, Meant::Nothing);
    }
    match surrogates(rest) {
        Some((high, low)) => (6, Meant::Pair(high, low)),
        None => (len, Meant::Number(number(&rest[..len]))),
    }
}

/// The value of a whole sequence of two to six bytes.
fn number(bytes: &[u8]) -> u32 {
    let first = u32::from(bytes[0]) & (0x7F >> bytes.len());
    bytes[1..].iter().fold(first, |number, byte| number << 6 | u32::from(byte & 0x3F))
}

/// A high and a low surrogate, three bytes each.
fn surrogates(rest: &[u8]) -> Option<(u16, u16)> {
    match *rest {
        [0xED, a @ 0xA0..=0xAF, b @ 0x80..=0xBF, 0xED, c @ 0xB0..=0xBF, d @ 0x80..=0xBF, ..] => {
            let surrogate = |second, third| 0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F);
            Some((surrogate(a, b), surrogate(c, d)))
        }
        _ => None,
    }
}

/// A character as it is told of: '/' (U+002F), or U+0000 alone if it can't be seen.
struct Named(u32);

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(number) = *self;
        match char::from_u32(number) {
            // `escape_debug` leaves as they are the characters that can be seen, all but these three.
            Some(c) if c != ' ' && (c.escape_debug().len() == 1 || matches!(c, '\'' | '"' | '\\')) => {
                write!(f, "'{c}' (U+{number:04X})")
            }
            _ => write!(f, "U+{number:04X}"),
        }
    }
}

/// Bytes as the RFCs write them.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

/// The two digits of a byte. (Formatting goes the long way round, and files can have millions of errors.)
pub(crate) fn digits(byte: u8) -> [char; 2] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [byte >> 4, byte & 0xF].map(|digit| DIGITS[usize::from(digit)].into())
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &byte) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_char(' ')?;
            }
            let [high, low] = digits(byte);
            f.write_char(high)?;
            f.write_char(low)?;
        }
        Ok(())
    }
}

impl fmt::Display for Culprit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.bytes.len();
        let hex = Hex(self.bytes);
        let bytes = if len == 1 { "byte" } else { "bytes" };
        let section = self.section();
        match (self.kind, self.meant) {
            (ErrorKind::Overlong, Meant::Number(number)) => {
                write!(f, "overlong encoding of {}, {len} {bytes}: {hex}", Named(number))?;
            }
            (ErrorKind::Overlong, _) => write!(f, "begin of an overlong encoding, {len} {bytes}: {hex}")?,
            (ErrorKind::Surrogate, Meant::Pair(high, low)) => {
                let number = 0x1_0000 + ((u32::from(high) & 0x3FF) << 10 | u32::from(low) & 0x3FF);
                write!(f, "surrogate pair {high:04X} {low:04X} for {}, {len} {bytes}: {hex}", Named(number))?;
            }
            (ErrorKind::Surrogate, Meant::Number(number)) => {
                write!(f, "surrogate U+{number:04X}, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::Surrogate, _) => write!(f, "begin of a surrogate, {len} {bytes}: {hex}")?,
            (ErrorKind::TooLarge, Meant::Number(number)) => {
                write!(f, "character number {number:X}, above U+10FFFF, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::TooLarge, _) => {
                write!(f, "begin of a character above U+10FFFF, {len} {bytes}: {hex}")?;
            }
            (ErrorKind::InvalidByte, Meant::Number(number)) => {
                write!(f, "form of {len} bytes, as RFC 2279 had for {number:X}: {hex}")?;
            }
            (ErrorKind::InvalidByte, _) => write!(f, "byte that never appears in UTF-8: {hex}")?,
            (ErrorKind::UnexpectedContinuation, _) => {
                return write!(
                    f,
                    "continuation byte without a first byte: {hex}; RFC 3629 section {section} has none there"
                );
            }
            (ErrorKind::Truncated, _) => {
                let wanted = wanted(self.bytes[0]);
                return write!(
                    f,
                    "character of {wanted} bytes that ends after {len}: {hex}; RFC 3629 section {section} wants a \
                     continuation byte next"
                );
            }
            (ErrorKind::Incomplete, _) => {
                let wanted = wanted(self.bytes[0]);
                return write!(
                    f,
                    "character of {wanted} bytes that the input ends in after {len}: {hex}; RFC 3629 section {section} \
                     wants a continuation byte next"
                );
            }
            _ => write!(f, "ill-formed sequence, {len} {bytes}: {hex}")?,
        }
        write!(f, "; RFC 3629 section {section} forbids it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words for what the input begins with, and how many U+FFFD it takes.
    fn words(input: &[u8]) -> (String, u64) {
        let error = trust8::from_utf8(input).unwrap_err();
        assert_eq!(error.valid_up_to(), 0, "{input:X?}");
        let culprit = Culprit::new(&error, input);
        (culprit.to_string(), culprit.replacements())
    }

    #[test]
    fn every_kind_has_its_words() {
        for (input, replacements, expected) in [
            (
                &b"\xC0\xAF"[..],
                2,
                "overlong encoding of '/' (U+002F), 2 bytes: C0 AF; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xC0\x80\x80",
                2,
                "overlong encoding of U+0000, 2 bytes: C0 80; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xE0\x83\xA9!",
                3,
                "overlong encoding of 'é' (U+00E9), 3 bytes: E0 83 A9; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF0\x82\x82\xAC",
                4,
                "overlong encoding of '€' (U+20AC), 4 bytes: F0 82 82 AC; RFC 3629 section 3 forbids it",
            ),
            (b"\xC1!", 1, "begin of an overlong encoding, 1 byte: C1; RFC 3629 section 3 forbids it"),
            (b"\xED\xA0\x80\x80", 3, "surrogate U+D800, 3 bytes: ED A0 80; RFC 3629 section 3 forbids it"),
            (b"\xED\xBF\xBF", 3, "surrogate U+DFFF, 3 bytes: ED BF BF; RFC 3629 section 3 forbids it"),
            (
                b"\xED\xA1\x8C\xED\xBE\xB4",
                6,
                "surrogate pair D84C DFB4 for '𣎴' (U+233B4), 6 bytes: ED A1 8C ED BE B4; RFC 3629 section 3 \
                 forbids it",
            ),
            (b"\xED\xA0!", 2, "begin of a surrogate, 2 bytes: ED A0; RFC 3629 section 3 forbids it"),
            (
                b"\xF4\x90\x80\x80",
                4,
                "character number 110000, above U+10FFFF, 4 bytes: F4 90 80 80; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF7\xBF",
                2,
                "begin of a character above U+10FFFF, 2 bytes: F7 BF; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xFD\xBF\xBF\xBF\xBF\xBF",
                6,
                "form of 6 bytes, as RFC 2279 had for 7FFFFFFF: FD BF BF BF BF BF; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF8\x88\x80\x80\x80",
                5,
                "form of 5 bytes, as RFC 2279 had for 200000: F8 88 80 80 80; RFC 3629 section 3 forbids it",
            ),
            (b"\xF8\x88", 2, "byte that never appears in UTF-8: F8 88; RFC 3629 section 1 forbids it"),
            (b"\xFF\xBF", 1, "byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it"),
            (b"\xBF\xBF", 1, "continuation byte without a first byte: BF; RFC 3629 section 4 has none there"),
            (
                b"\xE2\x82!",
                1,
                "character of 3 bytes that ends after 2: E2 82; RFC 3629 section 4 wants a continuation byte next",
            ),
            (
                b"\xF0\x9F\x98",
                1,
                "character of 4 bytes that the input ends in after 3: F0 9F 98; RFC 3629 section 4 wants a \
                 continuation byte next",
            ),
        ] {
            assert_eq!(words(input), (expected.to_owned(), replacements), "{input:X?}");
        }
    }

    /// Whatever follows, a culprit is not empty, has no ASCII and no character in it, and its words come out.
    #[test]
    fn culprits_end_before_the_next_character() {
        let bytes =
            [0x00, 0x41, 0x80, 0x90, 0xA0, 0xBF, 0xC0, 0xC3, 0xE0, 0xED, 0xF0, 0xF4, 0xF5, 0xF8, 0xFC, 0xFF];
        for a in bytes {
            for b in bytes {
                for c in bytes {
                    for d in [0x41, 0x80, 0xAF, 0xED] {
                        let input = [a, b, c, d, 0xB0, 0x80, 0x80];
                        let Err(error) = trust8::from_utf8(&input) else { continue };
                        if error.valid_up_to() == 0 {
                            let culprit = Culprit::new(&error, &input);
                            let len = culprit.bytes.len();
                            assert!(len >= 1 && culprit.bytes.iter().all(|byte| *byte >= 0x80));
                            assert!(culprit.bytes.utf8_chunks().all(|chunk| chunk.valid().is_empty()));
                            assert!(culprit.replacements() >= 1 && culprit.replacements() <= len as u64);
                            assert!(!culprit.to_string().is_empty());
                        }
                    }
                }
            }
        }
    }
}

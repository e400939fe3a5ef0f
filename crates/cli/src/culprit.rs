//! What is wrong with the bytes of an error, in words: what they were meant to be, how many they
//! are, and which section of RFC 3629 forbids them.
//!
//! The library's errors end where the standard library's do: before the first byte that can't
//! continue a character. That splits what people see as one mistake: `C0 AF` is one overlong slash
//! to them, but two errors to the library. So a culprit has all the bytes that its first byte
//! announces. It follows RFC 2279, which had sequences of up to six bytes and no rule on
//! surrogates.

use core::fmt;

use trust8::boundary::is_continuation;
use trust8::{ErrorKind, Utf8Error};
use trust8_profile::{Class, Forbidden};

use crate::hex::Hex;
use crate::hidden::spelled;
use crate::visible::visible;

/// The keyword of mojibake.
pub(crate) const MOJIBAKE: &str = "mojibake";

/// Bytes that are not UTF-8, and that make one mistake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Culprit<'a> {
    why: Why<'a>,
    pub(crate) bytes: &'a [u8],
}

/// Which rule the bytes break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Why<'a> {
    NotUtf8(ErrorKind, Meaning),
    Forbidden(Run),
    /// What the text was before.
    Mojibake(&'a str),
}

/// Forbidden characters that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) first: Forbidden,
    /// How many characters there are.
    pub(crate) characters: u64,
    /// How many bytes they have.
    pub(crate) len: u64,
    /// The numbers of their classes.
    pub(crate) classes: u64,
}

impl Run {
    /// Returns the run that begins with a character, without any.
    pub(crate) fn new(first: Forbidden) -> Self {
        Self { first, characters: 0, len: 0, classes: 0 }
    }

    pub(crate) fn add(&mut self, found: &Forbidden) {
        self.characters += 1;
        self.len += found.character().len_utf8() as u64;
        self.classes |= 1 << found.class().code();
    }
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

impl<'a> Culprit<'a> {
    /// `bytes` are the characters of the run, or the first ones.
    pub(crate) fn forbidden_run(run: Run, bytes: &'a [u8]) -> Self {
        Self { why: Why::Forbidden(run), bytes }
    }

    /// `bytes` are text that was decoded as windows-1252 once too often.
    pub(crate) fn mojibake(bytes: &'a [u8], was: &'a str) -> Self {
        Self { why: Why::Mojibake(was), bytes }
    }

    /// `error` is the library's error for `rest`, at its first byte.
    pub(crate) fn not_utf8(error: &Utf8Error, rest: &'a [u8]) -> Self {
        let kind = error.kind();
        let (len, meaning) = match kind {
            ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge | ErrorKind::InvalidByte => {
                by_rfc_2279(rest)
            }
            _ => (error.error_len().unwrap_or(rest.len()), Meaning::Nothing),
        };
        Self { why: Why::NotUtf8(kind, meaning), bytes: &rest[..len] }
    }

    /// Returns the characters, if the bytes are UTF-8 and a profile forbids them.
    pub(crate) fn forbidden(&self) -> Option<&Run> {
        match &self.why {
            Why::NotUtf8(..) | Why::Mojibake(_) => None,
            Why::Forbidden(run) => Some(run),
        }
    }

    /// Returns how many bytes it has. `bytes` may be fewer.
    pub(crate) fn len(&self) -> u64 {
        self.forbidden().map_or(self.bytes.len() as u64, |run| run.len)
    }

    /// Returns the text that forbidden characters spell, if they do.
    pub(crate) fn spelled(&self) -> Option<String> {
        self.forbidden()?;
        spelled(std::str::from_utf8(self.bytes).ok()?)
    }

    /// Whether the bytes make a whole sequence. Then they are hardly text in another encoding.
    pub(crate) fn is_whole_sequence(&self) -> bool {
        matches!(self.why, Why::NotUtf8(_, Meaning::CodePoint(_) | Meaning::SurrogatePair(..)))
    }

    /// Returns how many errors this is for the library: each sequence that U+FFFD would replace is
    /// one.
    pub(crate) fn count(&self) -> u64 {
        if let Some(run) = self.forbidden() {
            return run.characters;
        }
        // Most culprits are one byte.
        if self.bytes.len() == 1 { 1 } else { self.replacements().max(1) }
    }

    /// Returns how many U+FFFD browsers show for the bytes: one for each of the library's errors.
    pub(crate) fn replacements(&self) -> u64 {
        self.bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64
    }

    /// Returns the kind of error as a word for programs.
    pub(crate) fn keyword(&self) -> &'static str {
        match self.why {
            Why::NotUtf8(kind, _) => kind.name(),
            Why::Forbidden(_) => "forbidden",
            Why::Mojibake(_) => MOJIBAKE,
        }
    }

    /// Returns the section of RFC 3629 that forbids the bytes, if one does.
    pub(crate) fn section(&self) -> Option<u8> {
        match self.why {
            Why::NotUtf8(kind, meaning) => Some(section(kind, meaning)),
            Why::Forbidden(_) | Why::Mojibake(_) => None,
        }
    }
}

fn section(kind: ErrorKind, meaning: Meaning) -> u8 {
    match kind {
        // 'The octet values C0, C1, F5 to FF never appear.'
        ErrorKind::InvalidByte if meaning == Meaning::Nothing => 1,
        ErrorKind::InvalidByte | ErrorKind::Overlong | ErrorKind::Surrogate | ErrorKind::TooLarge => 3,
        // The grammar.
        _ => 4,
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

impl Culprit<'_> {
    fn fmt_run(&self, f: &mut fmt::Formatter<'_>, run: &Run) -> fmt::Result {
        /// How many characters are shown of what they spell.
        const MOST_CHARS: usize = 40;
        let Run { first, characters, len, classes } = run;
        let is_one_class = classes.is_power_of_two();
        let noun = match first.class() {
            Class::VariationSelector | Class::EmojiSelector | Class::StraySelector if is_one_class => {
                "variation selectors"
            }
            Class::Tag | Class::StrayTag if is_one_class => "tags",
            _ => "forbidden characters",
        };
        write!(f, "{characters} {noun}")?;
        if let Some(text) = self.spelled() {
            let shown: String = text.chars().take(MOST_CHARS).collect();
            let dots = if shown.len() < text.len() || *len > self.bytes.len() as u64 { ".." } else { "" };
            write!(f, ", which spell `{}{dots}`", visible(shown.as_bytes()))?;
        }
        let (number, reason) = (u32::from(first.character()), first.class().reason());
        let each = if is_one_class { "each" } else { "the first" };
        write!(f, ", {len} bytes from U+{number:04X} on; {each} is {reason}")
    }
}

impl fmt::Display for Culprit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = self.bytes.len();
        let hex = Hex(self.bytes);
        let bytes = if len == 1 { "byte" } else { "bytes" };
        let (kind, meaning) = match self.why {
            Why::NotUtf8(kind, meaning) => (kind, meaning),
            Why::Mojibake(was) => {
                let now = core::str::from_utf8(self.bytes).unwrap_or_default();
                return write!(f, "mojibake: '{now}' was '{was}'; `trust8 fix --unmojibake` undoes it");
            }
            Why::Forbidden(Run { first, characters: 1, .. }) => {
                let (number, reason) = (u32::from(first.character()), first.class().reason());
                return write!(f, "forbidden character U+{number:04X}, {len} {bytes}: {hex}; it is {reason}");
            }
            Why::Forbidden(run) => return self.fmt_run(f, &run),
        };
        let section = section(kind, meaning);
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
                let wanted = sequence_len(self.bytes[0]);
                return write!(
                    f,
                    "{wanted}-byte character cut short after {len} {bytes}: {hex}; RFC 3629 section {section} requires a \
                     continuation byte next"
                );
            }
            (ErrorKind::Incomplete, _) => {
                let wanted = sequence_len(self.bytes[0]);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the message for the error that `input` begins with, and how many U+FFFD replace it.
    fn message(input: &[u8]) -> (String, u64) {
        let error = trust8::from_utf8(input).unwrap_err();
        assert_eq!(error.valid_up_to(), 0, "{input:X?}");
        let culprit = Culprit::not_utf8(&error, input);
        (culprit.to_string(), culprit.replacements())
    }

    #[test]
    fn every_kind_has_its_message() {
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
            (b"\xC1!", 1, "start of an overlong encoding, 1 byte: C1; RFC 3629 section 3 forbids it"),
            (b"\xED\xA0\x80\x80", 3, "surrogate U+D800, 3 bytes: ED A0 80; RFC 3629 section 3 forbids it"),
            (b"\xED\xBF\xBF", 3, "surrogate U+DFFF, 3 bytes: ED BF BF; RFC 3629 section 3 forbids it"),
            (
                b"\xED\xA1\x8C\xED\xBE\xB4",
                6,
                "surrogate pair D84C DFB4 for '𣎴' (U+233B4), 6 bytes: ED A1 8C ED BE B4; RFC 3629 section 3 \
                 forbids it",
            ),
            (b"\xED\xA0!", 2, "start of a surrogate, 2 bytes: ED A0; RFC 3629 section 3 forbids it"),
            (
                b"\xF4\x90\x80\x80",
                4,
                "code point 110000, above U+10FFFF, 4 bytes: F4 90 80 80; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF7\xBF",
                2,
                "start of a code point above U+10FFFF, 2 bytes: F7 BF; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xFD\xBF\xBF\xBF\xBF\xBF",
                6,
                "6-byte sequence of RFC 2279 for 7FFFFFFF: FD BF BF BF BF BF; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF8\x88\x80\x80\x80",
                5,
                "5-byte sequence of RFC 2279 for 200000: F8 88 80 80 80; RFC 3629 section 3 forbids it",
            ),
            (
                b"\xF8\x88",
                2,
                "byte that never appears in UTF-8, with its continuation bytes: F8 88; RFC 3629 section 1 forbids it",
            ),
            (b"\xFF\xBF", 1, "byte that never appears in UTF-8: FF; RFC 3629 section 1 forbids it"),
            (b"\xBF\xBF", 1, "continuation byte without a first byte: BF; RFC 3629 section 4 forbids it"),
            (
                b"\xE2\x82!",
                1,
                "3-byte character cut short after 2 bytes: E2 82; RFC 3629 section 4 requires a continuation byte next",
            ),
            (
                b"\xF0\x9F\x98",
                1,
                "input ends after 3 bytes of a 4-byte character: F0 9F 98; RFC 3629 section 4 requires a \
                 continuation byte next",
            ),
        ] {
            assert_eq!(message(input), (expected.to_owned(), replacements), "{input:X?}");
        }
    }

    /// Whatever follows it, a culprit has at least one byte, no ASCII and no valid character, and a
    /// message.
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
                            let culprit = Culprit::not_utf8(&error, &input);
                            let len = culprit.bytes.len();
                            assert!(len >= 1 && culprit.bytes.iter().all(|byte| *byte >= 0x80));
                            assert!(culprit.bytes.utf8_chunks().all(|chunk| chunk.valid().is_empty()));
                            assert!(culprit.replacements() >= 1 && culprit.replacements() <= len as u64);
                            assert!(!culprit.to_string().is_empty());
                            // What comes after six bytes does not matter.
                            assert_eq!(crate::mistake(&input[..6]), Some((len, culprit.to_string())));
                        }
                    }
                }
            }
        }
    }
}

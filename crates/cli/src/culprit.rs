//! What a finding is about: a mistake, forbidden characters or mojibake, in words.

use core::fmt;

use trust8::Utf8Error;
use trust8_profile::{Class, Forbidden};

use crate::hex::Hex;
use crate::hidden::spelled;
use crate::mistake::Mistake;
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
    NotUtf8(Mistake<'a>),
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
        let mistake = Mistake::of(error, rest);
        Self { why: Why::NotUtf8(mistake), bytes: mistake.bytes }
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
        matches!(self.why, Why::NotUtf8(mistake) if mistake.is_whole_sequence())
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
            Why::NotUtf8(mistake) => mistake.kind.name(),
            Why::Forbidden(_) => "forbidden",
            Why::Mojibake(_) => MOJIBAKE,
        }
    }

    /// Returns the section of RFC 3629 that forbids the bytes, if one does.
    pub(crate) fn section(&self) -> Option<u8> {
        match self.why {
            Why::NotUtf8(mistake) => Some(mistake.section()),
            Why::Forbidden(_) | Why::Mojibake(_) => None,
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
        match self.why {
            Why::NotUtf8(mistake) => mistake.fmt(f),
            Why::Mojibake(was) => {
                let (now, was) = (visible(self.bytes), visible(was.as_bytes()));
                write!(f, "mojibake: '{now}' was '{was}'; `trust8 fix --unmojibake` undoes it")
            }
            Why::Forbidden(Run { first, characters: 1, .. }) => {
                let (number, reason) = (u32::from(first.character()), first.class().reason());
                write!(f, "forbidden character U+{number:04X}, {len} {bytes}: {hex}; it is {reason}")
            }
            Why::Forbidden(run) => self.fmt_run(f, &run),
        }
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

    /// It began with U+009B, which terminals take for ESC and [.
    #[test]
    fn mojibake_does_nothing_to_a_terminal() {
        let message = Culprit::mojibake("Â›â€®".as_bytes(), "\u{9B}\u{202E}").to_string();
        assert!(message.starts_with(r"mojibake: 'Â›â€®' was '\u{9b}\u{202e}'"), "{message}");
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
                            let cut = &input[..6];
                            assert_eq!(Culprit::not_utf8(&trust8::from_utf8(cut).unwrap_err(), cut), culprit);
                        }
                    }
                }
            }
        }
    }
}

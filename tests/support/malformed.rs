//! Malformed sequences, and characters at the edges of UTF-8's ranges.

use trust8::ErrorKind;
use trust8::ErrorKind::{
    Incomplete, InvalidByte, Overlong, Surrogate, TooLarge, Truncated, UnexpectedContinuation,
};

use super::oracle::Fault;

/// The first and the last character of each length, and those next to the surrogates.
pub const BOUNDARY_CHARACTERS: [char; 10] = [
    '\u{0}',
    '\u{7F}',
    '\u{80}',
    '\u{7FF}',
    '\u{800}',
    '\u{D7FF}',
    '\u{E000}',
    '\u{FFFF}',
    '\u{10000}',
    '\u{10FFFF}',
];

/// A malformed sequence, and what is wrong with it if nothing follows.
pub struct Malformed {
    pub bytes: &'static [u8],
    /// Where the fault begins. A well-formed character may come before it.
    pub at: usize,
    pub error_len: Option<usize>,
    pub kind: ErrorKind,
}

impl Malformed {
    /// Returns the fault at the end of an input, after `before` bytes of valid text.
    pub fn fault_at_end(&self, before: usize) -> Fault {
        Fault { valid_up_to: before + self.at, error_len: self.error_len, kind: self.kind }
    }

    /// Returns the fault between `before` bytes of valid text and at least one more byte of it.
    pub fn fault_between(&self, before: usize) -> Fault {
        let fault = self.fault_at_end(before);
        match self.kind {
            Incomplete => Fault { error_len: Some(self.bytes.len() - self.at), kind: Truncated, ..fault },
            _ => fault,
        }
    }
}

/// Makes an entry of the list below.
const fn wrong(bytes: &'static [u8], at: usize, kind: ErrorKind, len: usize) -> Malformed {
    let error_len = if matches!(kind, Incomplete) { None } else { Some(len) };
    Malformed { bytes, at, error_len, kind }
}

/// For each kind of error: the sequences at its edges, and those that some decoder has accepted.
pub static MALFORMED: [Malformed; 48] = [
    // A continuation where a character must begin: alone, and after a character of each length.
    wrong(b"\x80", 0, UnexpectedContinuation, 1),
    wrong(b"\x90", 0, UnexpectedContinuation, 1),
    wrong(b"\xBF\xBF\xBF\xBF", 0, UnexpectedContinuation, 1),
    wrong(b"\xC2\x80\x80", 2, UnexpectedContinuation, 1),
    wrong(b"\xE1\x80\x80\xA0", 3, UnexpectedContinuation, 1),
    wrong(b"\xF4\x8F\xBF\xBF\xBF", 4, UnexpectedContinuation, 1),
    // The first and the last value in five and in six octets, which RFC 2279 had, and bytes that no RFC had.
    wrong(b"\xF8\x88\x80\x80\x80", 0, InvalidByte, 1),
    wrong(b"\xFB\xBF\xBF\xBF\xBF", 0, InvalidByte, 1),
    wrong(b"\xFC\x84\x80\x80\x80\x80", 0, InvalidByte, 1),
    wrong(b"\xFD\xBF\xBF\xBF\xBF\xBF", 0, InvalidByte, 1),
    wrong(b"\xFE", 0, InvalidByte, 1),
    wrong(b"\xFF", 0, InvalidByte, 1),
    // More bytes than needed: the smallest and the largest value of each form, and the slash of known attacks.
    wrong(b"\xC0", 0, Overlong, 1),
    wrong(b"\xC0\x80", 0, Overlong, 1),
    wrong(b"\xC0\xAF", 0, Overlong, 1),
    wrong(b"\xC1\xBF", 0, Overlong, 1),
    wrong(b"\xE0\x80", 0, Overlong, 1),
    wrong(b"\xE0\x80\xAF", 0, Overlong, 1),
    wrong(b"\xE0\x9F\xBF", 0, Overlong, 1),
    wrong(b"\xF0\x80\x80\xAF", 0, Overlong, 1),
    wrong(b"\xF0\x8F\xBF\xBF", 0, Overlong, 1),
    // Surrogates: the first and the last of both halves, and a pair as CESU-8 has it.
    wrong(b"\xED\xA0", 0, Surrogate, 1),
    wrong(b"\xED\xA0\x80", 0, Surrogate, 1),
    wrong(b"\xED\xAF\xBF", 0, Surrogate, 1),
    wrong(b"\xED\xBF\xBF", 0, Surrogate, 1),
    wrong(b"\xED\xA1\x8C\xED\xBE\xB4", 0, Surrogate, 1),
    // Above U+10FFFF: the first, and leads that can't be right.
    wrong(b"\xF4\x90\x80\x80", 0, TooLarge, 1),
    wrong(b"\xF4\xBF\xBF\xBF", 0, TooLarge, 1),
    wrong(b"\xF5\x80\x80\x80", 0, TooLarge, 1),
    wrong(b"\xF7\xBF\xBF\xBF", 0, TooLarge, 1),
    // Cut short by what follows: by ASCII, by another lead, after each number of continuations.
    wrong(b"\xC3\x28", 0, Truncated, 1),
    wrong(b"\xC3\xC3\xA9", 0, Truncated, 1),
    wrong(b"\xE0\x41", 0, Truncated, 1),
    wrong(b"\xE2\x82\xC3\xA9", 0, Truncated, 2),
    wrong(b"\xED\x9F\x7F", 0, Truncated, 2),
    wrong(b"\xF0\x41", 0, Truncated, 1),
    wrong(b"\xF1\x80\xE1\x80\x80", 0, Truncated, 2),
    wrong(b"\xF0\x90\x80\x00", 0, Truncated, 3),
    wrong(b"\xF4\x8F\xBF\xF4\x8F\xBF\xBF", 0, Truncated, 3),
    // Cut short by the end of the input, if nothing follows.
    wrong(b"\xDF", 0, Incomplete, 1),
    wrong(b"\xE0", 0, Incomplete, 1),
    wrong(b"\xE0\xA0", 0, Incomplete, 2),
    wrong(b"\xED\x9F", 0, Incomplete, 2),
    wrong(b"\xEF\xBF", 0, Incomplete, 2),
    wrong(b"\xF0", 0, Incomplete, 1),
    wrong(b"\xF0\x90", 0, Incomplete, 2),
    wrong(b"\xF3\x80\x80", 0, Incomplete, 3),
    wrong(b"\xF4\x8F\xBF", 0, Incomplete, 3),
];

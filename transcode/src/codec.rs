//! The codec of a family of encodings: how to read and write one character.

#![forbid(unsafe_code)]

use super::error::Fault;
use trust8::engine::Output;

/// A family of encodings that differ only in byte order. Works character by character.
pub(super) trait Codec {
    /// The number of bytes in a unit.
    const UNIT_BYTES: usize;

    /// Whether all bytes are well-formed text.
    const ALL_VALID: bool = false;

    /// The character that replaces what can't be converted: U+FFFD, or another one if the encoding
    /// lacks it.
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

    /// Decodes the start of `text`, which is not empty. `swapped` means that units are in the
    /// non-native byte order.
    fn next(text: &[u8], swapped: bool) -> Next;

    /// Returns the character at the start of `text`, if there is one.
    #[inline(always)]
    fn first(text: &[u8], swapped: bool) -> Option<char> {
        match Self::next(text, swapped) {
            Next::Char(char, _) => Some(char),
            _ => None,
        }
    }

    /// Returns the length of the whole characters at the start of a well-formed text that is cut off anywhere.
    fn whole_len(text: &[u8], _swapped: bool) -> usize {
        text.len() / Self::UNIT_BYTES * Self::UNIT_BYTES
    }

    /// Returns the length of a character in bytes, if the encoding has it.
    fn len(char: char) -> Option<usize>;

    /// Appends a character if the encoding has it and it fits.
    fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal>;
}

/// What comes first in a text.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// A character and its length in bytes.
    Char(char, usize),
    /// Bytes that begin no character, and the number of bytes that one replacement replaces.
    Malformed(Fault, usize),
    /// The text ends inside a character, after at most three bytes of it. The fault is the error if
    /// nothing follows.
    Cut(Fault),
}

/// Why a character could not be appended.
pub(super) enum Refusal {
    /// It does not fit.
    Full,
    /// The encoding lacks it.
    Unmappable,
}

impl Refusal {
    /// Turns the return value of [`Output::put`] into a result.
    #[inline(always)]
    pub(super) fn unless_put(put: bool) -> Result<(), Self> {
        if put { Ok(()) } else { Err(Self::Full) }
    }
}

//! What each encoding must have: how one character is read and written.

#![forbid(unsafe_code)]

use super::error::Fault;
use trust8::engine::Output;

/// A family of encodings that differ in byte order alone, character by character.
pub(super) trait Codec {
    /// The number of bytes in a unit.
    const UNIT_BYTES: usize;

    /// Whether all bytes are well-formed text.
    const ALL_VALID: bool = false;

    /// The character that replaces what can't be converted: U+FFFD, or another one if the encoding does not have that.
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

    /// Returns what `text` begins with, which is not empty. `swapped` says that the bytes of each unit are in the order that is
    /// not the machine's.
    fn next(text: &[u8], swapped: bool) -> Next;

    /// Returns the character that `text` begins with, if it begins with one.
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

    /// Returns the number of bytes that a character has, if the encoding has it.
    fn len(char: char) -> Option<usize>;

    /// Appends a character if the encoding has it and it fits.
    fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal>;
}

/// What a text begins with.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// A character, and how many bytes it has.
    Char(char, usize),
    /// Bytes that begin no character, and how many of them one replacement replaces.
    Malformed(Fault, usize),
    /// At most three bytes that begin a character, and then the end of the text. The fault is what is wrong if no more
    /// follows.
    Cut(Fault),
}

/// Why a character was not appended.
pub(super) enum Refusal {
    /// It does not fit.
    Full,
    /// The encoding does not have it.
    Unmappable,
}

impl Refusal {
    /// Turns what [`Output::put`] returns into a result.
    #[inline(always)]
    pub(super) fn unless_put(put: bool) -> Result<(), Self> {
        if put { Ok(()) } else { Err(Self::Full) }
    }
}

//! UTF-8, character by character.

#![forbid(unsafe_code)]

use super::codec::{Codec, Next, Refusal};
use super::error::Fault;
use crate::error::Sequence;
use crate::output::Output;

/// UTF-8.
pub(super) struct Utf8;

impl Codec for Utf8 {
    const UNIT: usize = 1;

    #[inline(always)]
    fn next(text: &[u8], _: bool) -> Next {
        let len = match text[0] {
            ascii @ 0x00..=0x7F => return Next::Char(char::from(ascii), 1),
            0x80..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
        };
        if let Some(bytes) = text.get(..len)
            && let Ok(character) = core::str::from_utf8(bytes)
            && let Some(char) = character.chars().next()
        {
            return Next::Char(char, len);
        }
        let sequence = Sequence::at_start_of(text);
        match sequence.error_len() {
            Some(len) => Next::Malformed(Fault::Utf8(sequence), len),
            None => Next::Cut(Fault::Utf8(sequence)),
        }
    }

    #[inline(always)]
    fn put(char: char, _: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
        Refusal::unless_put(out.put(char.encode_utf8(&mut [0; 4]).as_bytes()))
    }
}

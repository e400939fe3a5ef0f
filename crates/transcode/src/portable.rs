//! Conversions without vector operations, for any pair of families and byte orders. The scalar
//! kernel uses them, and so do the others where these are as fast.
//!
//! A block in which each unit becomes one unit with the same number is converted at once, in loops
//! of fixed length that don't branch on its units. The compiler vectorises these loops, with the
//! vectors of the instruction set for which it compiles. Other text is converted character by
//! character.

#![forbid(unsafe_code)]

use super::codec::{Codec, Next};
use super::encodings::{utf16, utf32};
use trust8::engine::Output;

/// The number of units in a block.
const BLOCK_UNITS: usize = 16;

/// After a unit that is not of the common kind, this many bytes are converted character by
/// character.
const OTHER_BYTES: usize = 64;

/// Converts a text. `FROM` and `TO` mean that the text and the result are in the non-native byte
/// order. Returns the number of bytes converted: it stops where the text is malformed, where the
/// target lacks a character, and when the output is full.
#[inline(always)]
pub(super) fn convert<F: Codec, T: Codec, const FROM: bool, const TO: bool>(
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut at = 0;
    while at < text.len() {
        while let Some(block) = text[at..].get(..BLOCK_UNITS * F::UNIT_BYTES)
            && put_block::<F, T, FROM, TO>(block, out)
        {
            at += BLOCK_UNITS * F::UNIT_BYTES;
        }
        let end = text.len().min(at + OTHER_BYTES);
        while at < end {
            let Next::Char(char, len) = F::next(&text[at..], FROM) else { return at };
            if T::put(char, TO, out).is_err() {
                return at;
            }
            at += len;
        }
    }
    at
}

/// Converts a block if each of its units becomes one unit with the same number, and if all fit.
#[inline(always)]
fn put_block<F: Codec, T: Codec, const FROM: bool, const TO: bool>(
    block: &[u8],
    out: &mut Output<'_>,
) -> bool {
    let last = const { if F::LAST_SINGLE < T::LAST_SINGLE { F::LAST_SINGLE } else { T::LAST_SINGLE } };
    let mut units = [0_u32; BLOCK_UNITS];
    let mut other = false;
    for (number, unit) in units.iter_mut().zip(block.chunks_exact(F::UNIT_BYTES)) {
        *number = match *unit {
            [byte] => byte.into(),
            [a, b] => utf16::unit_of([a, b], FROM).into(),
            [a, b, c, d] => utf32::order(u32::from_ne_bytes([a, b, c, d]), FROM),
            _ => u32::MAX,
        };
        other |= *number > last || last > 0xFF && *number & 0xFFFF_F800 == 0xD800;
    }
    if other {
        return false;
    }
    match T::UNIT_BYTES {
        1 => out.put(&units.map(|number| number as u8)),
        2 => out.put(units.map(|number| utf16::order(number as u16, TO).to_ne_bytes()).as_flattened()),
        _ => out.put(units.map(|number| utf32::order(number, TO).to_ne_bytes()).as_flattened()),
    }
}

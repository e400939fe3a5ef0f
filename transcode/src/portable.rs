//! Conversions without vector operations. The scalar kernel uses them, and so do the others where
//! these are as fast.
//!
//! They check a whole block at a time, in loops of fixed length that don't branch on its units. The
//! compiler vectorises these loops, with the vectors of the instruction set for which it compiles.
//! A block that is not of the common kind is converted character by character. A function returns
//! how many bytes of the text it has converted. It may stop a block before the text is malformed or
//! the output is full.

#![forbid(unsafe_code)]

use super::codec::{Codec, Next};
use super::latin1::Latin1;
use super::utf8::Utf8;
use super::utf16::Utf16;
use super::utf32::Utf32;
use trust8::engine::Output;

/// The number of bytes in a block, in the encoding with the longer units.
pub(super) const BLOCK: usize = 64;

/// Converts character by character up to `end`, or to the end of the character there. Returns
/// whether it reached that position.
#[inline(always)]
fn characters<F: Codec, T: Codec>(text: &[u8], at: &mut usize, end: usize, out: &mut Output<'_>) -> bool {
    while *at < end {
        let Next::Char(char, len) = F::next(&text[*at..], false) else { return false };
        if T::put(char, false, out).is_err() {
            return false;
        }
        *at += len;
    }
    true
}

/// Converts UTF-16 into UTF-32.
#[inline(always)]
pub(super) fn utf16_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<{ BLOCK / 2 }>() {
        let units: [u16; BLOCK / 4] = utf16_units(block);
        if has_surrogates(&units) {
            let end = at + BLOCK / 2;
            if characters::<Utf16, Utf32>(text, &mut at, end, out) {
                continue;
            }
            break;
        }
        let mut wide = [[0; 4]; BLOCK / 4];
        for (wide, unit) in wide.iter_mut().zip(units) {
            *wide = u32::from(unit).to_ne_bytes();
        }
        if !out.put(wide.as_flattened()) {
            break;
        }
        at += BLOCK / 2;
    }
    at
}

/// Converts UTF-32 into UTF-16.
#[inline(always)]
pub(super) fn utf32_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let units = utf32_units(block);
        // Whether a unit is above U+FFFF or a surrogate.
        let mut other = false;
        for unit in units {
            other |= unit > 0xFFFF || unit & 0xF800 == 0xD800;
        }
        if other {
            let end = at + BLOCK;
            if characters::<Utf32, Utf16>(text, &mut at, end, out) {
                continue;
            }
            break;
        }
        let mut narrow = [[0; 2]; BLOCK / 4];
        for (narrow, unit) in narrow.iter_mut().zip(units) {
            *narrow = (unit as u16).to_ne_bytes();
        }
        if !out.put(narrow.as_flattened()) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Converts Latin-1 into UTF-16.
#[inline(always)]
pub(super) fn latin1_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        if !out.put(widened(block).as_flattened()) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Converts Latin-1 into UTF-32.
#[inline(always)]
pub(super) fn latin1_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<{ BLOCK / 4 }>() {
        if !out.put(widened32(block).as_flattened()) {
            break;
        }
        at += BLOCK / 4;
    }
    at
}

/// Converts UTF-32 into Latin-1.
#[inline(always)]
pub(super) fn utf32_to_latin1(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let Some(bytes) = narrowed32(block, 0xFF) else { break };
        if !out.put(&bytes) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Converts UTF-16 into Latin-1.
#[inline(always)]
pub(super) fn utf16_to_latin1(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let units: [u16; BLOCK / 2] = utf16_units(block);
        let mut bytes = [0; BLOCK / 2];
        let mut all = 0;
        for (byte, unit) in bytes.iter_mut().zip(units) {
            all |= unit;
            *byte = unit as u8;
        }
        if all > 0xFF || !out.put(&bytes) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Returns the units of a block of UTF-16.
#[inline(always)]
pub(super) fn utf16_units<const BYTES: usize, const UNITS: usize>(block: &[u8; BYTES]) -> [u16; UNITS] {
    let mut units = [0; UNITS];
    for (unit, bytes) in units.iter_mut().zip(block.as_chunks::<2>().0) {
        *unit = u16::from_ne_bytes(*bytes);
    }
    units
}

/// Returns the units of a block of UTF-32.
#[inline(always)]
pub(super) fn utf32_units(block: &[u8; BLOCK]) -> [u32; BLOCK / 4] {
    let mut units = [0; BLOCK / 4];
    for (unit, bytes) in units.iter_mut().zip(block.as_chunks::<4>().0) {
        *unit = u32::from_ne_bytes(*bytes);
    }
    units
}

/// Returns whether any unit is a surrogate.
#[inline(always)]
fn has_surrogates<const UNITS: usize>(units: &[u16; UNITS]) -> bool {
    let mut any = false;
    for unit in units {
        any |= unit & 0xF800 == 0xD800;
    }
    any
}

/// Widens bytes to units of UTF-16.
#[inline(always)]
fn widened<const N: usize>(bytes: &[u8; N]) -> [[u8; 2]; N] {
    let mut wide = [[0; 2]; N];
    for (wide, byte) in wide.iter_mut().zip(bytes) {
        *wide = u16::from(*byte).to_ne_bytes();
    }
    wide
}

/// Widens bytes to units of UTF-32.
#[inline(always)]
fn widened32<const N: usize>(bytes: &[u8; N]) -> [[u8; 4]; N] {
    let mut wide = [[0; 4]; N];
    for (wide, byte) in wide.iter_mut().zip(bytes) {
        *wide = u32::from(*byte).to_ne_bytes();
    }
    wide
}

/// Narrows units of UTF-32 to bytes, if none is above `most`.
#[inline(always)]
fn narrowed32(block: &[u8; BLOCK], most: u32) -> Option<[u8; BLOCK / 4]> {
    let mut bytes = [0; BLOCK / 4];
    let mut all = 0;
    for (byte, unit) in bytes.iter_mut().zip(utf32_units(block)) {
        all |= unit;
        *byte = unit as u8;
    }
    (all <= most).then_some(bytes)
}

/// Converts whole blocks of ASCII at the start of a text into UTF-16.
#[inline(always)]
fn ascii_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<16>() {
        if !block.is_ascii() || !out.put(widened(block).as_flattened()) {
            break;
        }
        at += 16;
    }
    at
}

/// Converts whole blocks of ASCII at the start of a text into UTF-32.
#[inline(always)]
fn ascii_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<16>() {
        if !block.is_ascii() || !out.put(widened32(block).as_flattened()) {
            break;
        }
        at += 16;
    }
    at
}

/// Copies whole blocks of ASCII at the start of a text.
#[inline(always)]
fn copy_ascii(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<16>() {
        if !block.is_ascii() || !out.put(block) {
            break;
        }
        at += 16;
    }
    at
}

/// Converts UTF-8 into UTF-16.
pub(super) fn utf8_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    ascii_or_characters::<Utf8, Utf16>(ascii_to_utf16, text, out)
}

/// Converts UTF-8 into UTF-32.
pub(super) fn utf8_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    ascii_or_characters::<Utf8, Utf32>(ascii_to_utf32, text, out)
}

/// Converts UTF-8 into Latin-1.
pub(super) fn utf8_to_latin1(text: &[u8], out: &mut Output<'_>) -> usize {
    ascii_or_characters::<Utf8, Latin1>(copy_ascii, text, out)
}

/// Converts Latin-1 into UTF-8.
pub(super) fn latin1_to_utf8(text: &[u8], out: &mut Output<'_>) -> usize {
    ascii_or_characters::<Latin1, Utf8>(copy_ascii, text, out)
}

/// Converts runs of ASCII with `ascii`, and the text between them character by character.
#[inline(always)]
fn ascii_or_characters<F: Codec, T: Codec>(
    ascii: fn(&[u8], &mut Output<'_>) -> usize,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut at = 0;
    loop {
        at += ascii(&text[at..], out);
        let end = text.len().min(at + BLOCK);
        if !characters::<F, T>(text, &mut at, end, out) || at == text.len() {
            return at;
        }
    }
}

/// Copies text in an encoding in which every byte is a character.
#[inline(always)]
pub(super) fn copy(text: &[u8], out: &mut Output<'_>) -> usize {
    let fitting = text.len().min(out.left());
    if out.put(&text[..fitting]) { fitting } else { 0 }
}

/// Converts UTF-32 into UTF-8.
pub(super) fn utf32_to_utf8(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let Some(bytes) = narrowed32(block, 0x7F) else {
            let end = at + BLOCK;
            if characters::<Utf32, Utf8>(text, &mut at, end, out) {
                continue;
            }
            break;
        };
        if !out.put(&bytes) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Converts UTF-16 into UTF-8.
pub(super) fn utf16_to_utf8(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<{ BLOCK / 2 }>() {
        let units: [u16; BLOCK / 4] = utf16_units(block);
        let mut bytes = [0; BLOCK / 4];
        let mut all = 0;
        for (byte, unit) in bytes.iter_mut().zip(units) {
            all |= unit;
            *byte = unit as u8;
        }
        if all > 0x7F {
            let end = at + BLOCK / 2;
            if characters::<Utf16, Utf8>(text, &mut at, end, out) {
                continue;
            }
            break;
        }
        if !out.put(&bytes) {
            break;
        }
        at += BLOCK / 2;
    }
    at
}

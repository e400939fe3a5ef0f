//! Conversions and lengths that need no vector instruction by name.
//!
//! A block is looked at as a whole, without a branch on its units, in loops of fixed length: of these the
//! compiler makes vectors, of whichever size the instruction set has for which it compiles. A block that is
//! not of the common kind is converted character by character.

#![forbid(unsafe_code)]

use super::form::{Family, Layout};
use super::scalar::{self, Next};
use crate::output::Output;

/// Bytes in a block of the longer side.
pub(super) const BLOCK: usize = 64;

const UTF8: Layout = Layout { family: Family::Utf8, ..UTF16 };
const UTF16: Layout = Layout::UTF16;
const UTF32: Layout = Layout { family: Family::Utf32, ..UTF16 };
const LATIN1: Layout = Layout { family: Family::Latin1, ..UTF16 };

/// Converts character by character as far as `end`, or to the end of the character there. Whether it came so far.
#[inline(always)]
fn characters(
    from: Layout,
    to: Layout,
    text: &[u8],
    at: &mut usize,
    end: usize,
    out: &mut Output<'_>,
) -> bool {
    while *at < end {
        let Next::Char(char, len) = scalar::next(from, &text[*at..]) else { return false };
        if scalar::put(to, char, out).is_err() {
            return false;
        }
        *at += len;
    }
    true
}

/// UTF-16 into UTF-32, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<{ BLOCK / 2 }>() {
        let units: [u16; BLOCK / 4] = utf16_units(block);
        if has_surrogates(&units) {
            let end = at + BLOCK / 2;
            if characters(UTF16, UTF32, text, &mut at, end, out) {
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

/// UTF-32 into UTF-16, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf32_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let units = utf32_units(block);
        // Neither above U+FFFF nor a surrogate.
        let mut other = false;
        for unit in units {
            other |= unit > 0xFFFF || unit & 0xF800 == 0xD800;
        }
        if other {
            let end = at + BLOCK;
            if characters(UTF32, UTF16, text, &mut at, end, out) {
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

/// Latin-1 into UTF-16, as far as it fits, or nearly so.
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

/// Latin-1 into UTF-32, as far as it fits, or nearly so.
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

/// UTF-32 into Latin-1, as far as it fits and Latin-1 has the characters, or nearly so.
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

/// UTF-16 into Latin-1, as far as it fits and Latin-1 has the characters, or nearly so.
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

/// UTF-16 as it is, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let units: [u16; BLOCK / 2] = utf16_units(block);
        if has_surrogates(&units) {
            let end = at + BLOCK;
            if characters(UTF16, UTF16, text, &mut at, end, out) {
                continue;
            }
            break;
        }
        if !out.put(block) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// UTF-32 as it is, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf32_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let mut malformed = false;
        for unit in utf32_units(block) {
            malformed |= unit > 0x10_FFFF || unit & 0xFFFF_F800 == 0xD800;
        }
        if malformed || !out.put(block) {
            break;
        }
        at += BLOCK;
    }
    at
}

#[inline(always)]
pub(super) fn utf16_units<const BYTES: usize, const UNITS: usize>(block: &[u8; BYTES]) -> [u16; UNITS] {
    let mut units = [0; UNITS];
    for (unit, bytes) in units.iter_mut().zip(block.as_chunks::<2>().0) {
        *unit = u16::from_ne_bytes(*bytes);
    }
    units
}

#[inline(always)]
pub(super) fn utf32_units(block: &[u8; BLOCK]) -> [u32; BLOCK / 4] {
    let mut units = [0; BLOCK / 4];
    for (unit, bytes) in units.iter_mut().zip(block.as_chunks::<4>().0) {
        *unit = u32::from_ne_bytes(*bytes);
    }
    units
}

#[inline(always)]
fn has_surrogates<const UNITS: usize>(units: &[u16; UNITS]) -> bool {
    let mut any = false;
    for unit in units {
        any |= unit & 0xF800 == 0xD800;
    }
    any
}

/// Bytes as units of UTF-16.
#[inline(always)]
fn widened<const N: usize>(bytes: &[u8; N]) -> [[u8; 2]; N] {
    let mut wide = [[0; 2]; N];
    for (wide, byte) in wide.iter_mut().zip(bytes) {
        *wide = u16::from(*byte).to_ne_bytes();
    }
    wide
}

/// Bytes as units of UTF-32.
#[inline(always)]
fn widened32<const N: usize>(bytes: &[u8; N]) -> [[u8; 4]; N] {
    let mut wide = [[0; 4]; N];
    for (wide, byte) in wide.iter_mut().zip(bytes) {
        *wide = u32::from(*byte).to_ne_bytes();
    }
    wide
}

/// Units of UTF-32 as bytes, if none is above `most`.
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

/// ASCII into UTF-16, block by block, as far as it goes and fits.
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

/// ASCII into UTF-32, block by block, as far as it goes and fits.
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

/// ASCII as it is, block by block, as far as it goes and fits.
#[inline(always)]
fn ascii(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<16>() {
        if !block.is_ascii() || !out.put(block) {
            break;
        }
        at += 16;
    }
    at
}

/// UTF-8 into UTF-16, as far as it is well-formed and fits, or nearly so.
pub(super) fn utf8_to_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    between_ascii(UTF8, UTF16, ascii_to_utf16, text, out)
}

/// UTF-8 into UTF-32, as far as it is well-formed and fits, or nearly so.
pub(super) fn utf8_to_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    between_ascii(UTF8, UTF32, ascii_to_utf32, text, out)
}

/// UTF-8 into Latin-1, as far as it is well-formed and in Latin-1, and fits, or nearly so.
pub(super) fn utf8_to_latin1(text: &[u8], out: &mut Output<'_>) -> usize {
    between_ascii(UTF8, LATIN1, ascii, text, out)
}

/// Latin-1 into UTF-8, as far as it fits, or nearly so.
pub(super) fn latin1_to_utf8(text: &[u8], out: &mut Output<'_>) -> usize {
    between_ascii(LATIN1, UTF8, ascii, text, out)
}

/// Converts ASCII in one way and what is between in another, character by character.
#[inline(always)]
fn between_ascii(
    from: Layout,
    to: Layout,
    ascii: fn(&[u8], &mut Output<'_>) -> usize,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut at = 0;
    loop {
        at += ascii(&text[at..], out);
        let end = text.len().min(at + BLOCK);
        if !characters(from, to, text, &mut at, end, out) || at == text.len() {
            return at;
        }
    }
}

/// UTF-32 into UTF-8, as far as it is well-formed and fits, or nearly so.
pub(super) fn utf32_to_utf8(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let Some(bytes) = narrowed32(block, 0x7F) else {
            let end = at + BLOCK;
            if characters(UTF32, UTF8, text, &mut at, end, out) {
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

/// UTF-16 into UTF-8, as far as it is well-formed and fits, or nearly so.
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
            if characters(UTF16, UTF8, text, &mut at, end, out) {
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

//! Copies of UTF-16 and UTF-32 without vector operations. A checked copy works in either byte
//! order. A repairing copy replaces each fault. There are also lossy conversions into Latin-1,
//! which has no faults.
//!
//! As in `portable.rs`, the compiler vectorises these loops.

#![forbid(unsafe_code)]

use super::codec::{Codec, Next, Refusal};
use super::portable::{BLOCK, utf32_units};
use crate::search::{half, is_paired, mended_block, order, unless_unpaired};
use trust8::engine::Output;

/// Copies UTF-16 if it is well-formed. `FROM` and `TO` mean that the text and the copy are in the
/// non-native byte order.
///
/// A text is well-formed if every low surrogate follows a high one, and every high one precedes a
/// low one. So a unit must be a low surrogate exactly if the previous unit is a high one. That
/// takes one comparison for each unit, whatever the text.
#[inline(always)]
pub(super) fn utf16_to_utf16<const FROM: bool, const TO: bool>(text: &[u8], out: &mut Output<'_>) -> usize {
    // The first unit has no unit before it.
    let Some(unit) = text.first_chunk() else { return 0 };
    if half::<FROM>(*unit) == order::<FROM>(0xDC00) || !out.put(&reordered16::<FROM, TO, _>(unit)) {
        return 0;
    }
    let mut at = 2;
    // Shorter blocks handle the remainder at the end of the text or of the output.
    copy_paired::<FROM, TO, { 2 * BLOCK }, { 2 * BLOCK + 2 }>(text, &mut at, out);
    copy_paired::<FROM, TO, { BLOCK / 4 }, { BLOCK / 4 + 2 }>(text, &mut at, out);
    // A high surrogate at the end of a block belongs to the next block.
    match text[..at].last_chunk() {
        Some(unit) if half::<FROM>(*unit) == order::<FROM>(0xD800) => {
            out.retract(2);
            at - 2
        }
        _ => at,
    }
}

/// Copies well-formed blocks of UTF-16 from `at` on, while they fit. `WITH_BEFORE` is the length of
/// a block plus the unit before it.
#[inline(always)]
fn copy_paired<const FROM: bool, const TO: bool, const BYTES: usize, const WITH_BEFORE: usize>(
    text: &[u8],
    at: &mut usize,
    out: &mut Output<'_>,
) {
    const { assert!(WITH_BEFORE == BYTES + 2) };
    while let Some(with_before) = text[*at - 2..].first_chunk::<WITH_BEFORE>()
        && let Some(block) = with_before.last_chunk::<BYTES>()
    {
        if !is_paired::<FROM, WITH_BEFORE>(with_before) || !out.put(&reordered16::<FROM, TO, _>(block)) {
            return;
        }
        *at += BYTES;
    }
}

/// Returns a block of UTF-16 in the other byte order if `FROM` and `TO` differ.
#[inline(always)]
fn reordered16<const FROM: bool, const TO: bool, const BYTES: usize>(block: &[u8; BYTES]) -> [u8; BYTES] {
    let mut copy = *block;
    if FROM != TO {
        for unit in copy.as_chunks_mut::<2>().0 {
            unit.reverse();
        }
    }
    copy
}

/// Copies UTF-32 if it is well-formed. `FROM` and `TO` mean that the text and the copy are in the
/// non-native byte order.
#[inline(always)]
pub(super) fn utf32_to_utf32<const FROM: bool, const TO: bool>(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    // Shorter blocks handle the remainder at the end of the text or of the output.
    copy_characters::<FROM, TO, BLOCK>(text, &mut at, out);
    copy_characters::<FROM, TO, 16>(text, &mut at, out);
    copy_characters::<FROM, TO, 4>(text, &mut at, out);
    at
}

/// Copies well-formed blocks of UTF-32 from `at` on, while they fit.
#[inline(always)]
fn copy_characters<const FROM: bool, const TO: bool, const BYTES: usize>(
    text: &[u8],
    at: &mut usize,
    out: &mut Output<'_>,
) {
    while let Some(block) = text[*at..].first_chunk::<BYTES>() {
        let mut copy = *block;
        let mut malformed = false;
        for bytes in copy.as_chunks_mut::<4>().0 {
            let unit = u32::from_ne_bytes(*bytes);
            let unit = if FROM { unit.swap_bytes() } else { unit };
            malformed |= unit > 0x10_FFFF || unit & 0xFFFF_F800 == 0xD800;
            if FROM != TO {
                bytes.reverse();
            }
        }
        if malformed || !out.put(&copy) {
            return;
        }
        *at += BYTES;
    }
}

/// Copies UTF-16 and replaces each unpaired surrogate, except a high one at the end of the text.
#[inline(always)]
pub(super) fn repaired_utf16(text: &[u8], out: &mut Output<'_>) -> usize {
    // The first unit has no unit before it.
    let mut at = 0;
    if !put_repaired(text, &mut at, 0, out) {
        return at;
    }
    // A block with the unit before it and the unit after it.
    while let Some(with_context) = text[at - 2..].first_chunk() {
        if !out.put(mended_block::<{ REPAIRED + 4 }, { REPAIRED / 2 }>(with_context).as_flattened()) {
            return at;
        }
        at += REPAIRED;
    }
    while let Some(before) = text[..at].last_chunk() {
        if !put_repaired(text, &mut at, u16::from_ne_bytes(*before), out) {
            break;
        }
    }
    at
}

/// The number of bytes in a block of UTF-16 that is repaired at once.
const REPAIRED: usize = 2 * BLOCK;

/// Copies the unit at `at`, or its replacement if it is an unpaired surrogate. Returns false and
/// copies nothing at the end of the text, before a high surrogate at that end, or if the unit does
/// not fit.
#[inline(always)]
fn put_repaired(text: &[u8], at: &mut usize, before: u16, out: &mut Output<'_>) -> bool {
    let Some((unit, rest)) = text[*at..].split_first_chunk() else { return false };
    let unit = u16::from_ne_bytes(*unit);
    let after = match rest.first_chunk() {
        Some(after) => u16::from_ne_bytes(*after),
        None if unit & 0xFC00 == 0xD800 => return false,
        None => 0,
    };
    let put = out.put(&unless_unpaired(before, unit, after).to_ne_bytes());
    *at += if put { 2 } else { 0 };
    put
}

/// Copies UTF-32 and replaces each unit that is not a character.
#[inline(always)]
pub(super) fn repaired_utf32(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    let is_char = |unit: u32| (unit <= 0x10_FFFF) & (unit & 0xFFFF_F800 != 0xD800);
    let repaired = |unit: u32| if is_char(unit) { unit } else { 0xFFFD };
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let copy = utf32_units(block).map(|unit| repaired(unit).to_ne_bytes());
        if !out.put(copy.as_flattened()) {
            return at;
        }
        at += BLOCK;
    }
    while let Some(unit) = text[at..].first_chunk() {
        if !out.put(&repaired(u32::from_ne_bytes(*unit)).to_ne_bytes()) {
            break;
        }
        at += 4;
    }
    at
}

/// Converts UTF-32 into Latin-1, and replaces what Latin-1 lacks.
#[inline(always)]
pub(super) fn utf32_to_latin1_lossy(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk::<BLOCK>() {
        let mut bytes = [0; BLOCK / 4];
        for (byte, unit) in bytes.iter_mut().zip(utf32_units(block)) {
            *byte = if unit > 0xFF { b'?' } else { unit as u8 };
        }
        if !out.put(&bytes) {
            break;
        }
        at += BLOCK;
    }
    at
}

/// Converts character by character and replaces what can't be converted. Stops before a character
/// that the end of the text cuts off.
pub(super) fn characters_or_replacement<F: Codec, T: Codec>(text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while at < text.len() {
        let (char, len) = match F::next(&text[at..], false) {
            Next::Char(char, len) => (char, len),
            Next::Malformed(_, len) => (T::REPLACEMENT, len),
            Next::Cut(_) => break,
        };
        let put = match T::put(char, false, out) {
            Err(Refusal::Unmappable) => T::put(T::REPLACEMENT, false, out),
            put => put,
        };
        if put.is_err() {
            break;
        }
        at += len;
    }
    at
}

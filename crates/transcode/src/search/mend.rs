//! Replaces what is malformed in UTF-16 and UTF-32 in native order, in place.
//!
//! The compiler vectorises the loops over units.

#![forbid(unsafe_code)]

use trust8::engine::Job;

/// The number of bytes of UTF-16 that are mended at once.
const CHUNK_BYTES: usize = 128;

/// A block, and the units before and after it.
const WITH_NEIGHBOURS_BYTES: usize = CHUNK_BYTES + 4;

/// The job takes the size of a unit, 2 or 4, and the text separately, because it changes the text.
/// Returns whether it did.
pub(crate) struct Mend;

impl<E> Job<E, (usize, &mut [u8]), bool> for Mend {
    #[inline(always)]
    fn run(_: E, _: &[u8], (unit, text): (usize, &mut [u8])) -> bool {
        if unit == 2 { mend16(text) } else { mend32(text) }
    }
}

/// Replaces each unpaired surrogate by U+FFFD.
#[inline(always)]
fn mend16(text: &mut [u8]) -> bool {
    let (mut at, mut any) = (0, false);
    while at < text.len() {
        match text.get_mut(at.wrapping_sub(2)..).and_then(|rest| rest.first_chunk_mut()) {
            Some(block) => {
                let (mended, is_mended) = mended(block);
                any |= is_mended;
                block[2..CHUNK_BYTES + 2].copy_from_slice(mended.as_flattened());
            }
            // Zeros before and after the text are no surrogates.
            None => {
                let (before, end) = (at.min(2), text.len().min(at + CHUNK_BYTES));
                let part = &text[at - before..text.len().min(end + 2)];
                let mut block = [0; WITH_NEIGHBOURS_BYTES];
                block[2 - before..][..part.len()].copy_from_slice(part);
                let (mended, is_mended) = mended(&block);
                any |= is_mended;
                text[at..end].copy_from_slice(&mended.as_flattened()[..end - at]);
            }
        }
        at += CHUNK_BYTES;
    }
    any
}

/// Returns the block between two neighbouring units with each unpaired surrogate replaced, and
/// whether there is one.
#[inline(always)]
fn mended(with_neighbours: &[u8; WITH_NEIGHBOURS_BYTES]) -> ([[u8; 2]; CHUNK_BYTES / 2], bool) {
    let units = with_neighbours.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit));
    let (mut copy, mut any) = ([[0; 2]; CHUNK_BYTES / 2], false);
    let with_neighbours = units.clone().zip(units.clone().skip(1)).zip(units.skip(2));
    for (copy, ((before, unit), after)) in copy.iter_mut().zip(with_neighbours) {
        let wrong_high = (unit & 0xFC00 == 0xD800) & (after & 0xFC00 != 0xDC00);
        let wrong_low = (unit & 0xFC00 == 0xDC00) & (before & 0xFC00 != 0xD800);
        any |= wrong_high | wrong_low;
        *copy = if wrong_high | wrong_low { 0xFFFD } else { unit }.to_ne_bytes();
    }
    (copy, any)
}

/// Replaces each number that is not a character by U+FFFD.
#[inline(always)]
fn mend32(text: &mut [u8]) -> bool {
    let mut any = false;
    for bytes in text.as_chunks_mut::<4>().0 {
        let unit = u32::from_ne_bytes(*bytes);
        let is_char = (unit <= 0x10_FFFF) & (unit & 0xFFFF_F800 != 0xD800);
        any |= !is_char;
        *bytes = if is_char { unit } else { 0xFFFD }.to_ne_bytes();
    }
    any
}

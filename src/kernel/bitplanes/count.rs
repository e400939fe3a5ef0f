//! Counts of text that is valid already.
//!
//! ```text
//! for each chunk of eight vectors, from an aligned place on:
//!     count continuations in each byte, and at the end of the chunk in lanes of 64 bits
//!     count bytes from F0 on with a population count of a mask; those instructions run on other ports
//! count what is left, vector by vector, with population counts
//! ```

#![forbid(unsafe_code)]

use crate::simd::x86::avx512::{Avx512, Vector};

/// What is counted in bytes before the bytes are added up.
const CHUNK: usize = 512;

/// Returns the number of characters: the bytes that are no continuations.
#[inline(always)]
pub(super) fn count_chars(s: Avx512, bytes: &[u8]) -> usize {
    let (continuations, _) = continuations_and_from_f0::<false>(s, bytes);
    bytes.len() - continuations
}

/// Returns the number of UTF-16 units: one for each character, and one more for each of four bytes.
#[inline(always)]
pub(super) fn utf16_len(s: Avx512, bytes: &[u8]) -> usize {
    let (continuations, from_f0) = continuations_and_from_f0::<true>(s, bytes);
    bytes.len() - continuations + from_f0
}

/// Returns the number of continuations, and if `FROM_F0`, the number of bytes from F0 on.
#[inline(always)]
fn continuations_and_from_f0<const FROM_F0: bool>(s: Avx512, bytes: &[u8]) -> (usize, usize) {
    let (mut continuations, mut from_f0) = (0, 0);
    let mut left = bytes;
    if bytes.len() >= 2 * CHUNK {
        let (head, aligned) = bytes.split_at((64 - bytes.as_ptr().addr() % 64) % 64);
        let (chunks, tail) = aligned.as_chunks::<CHUNK>();
        let ones = s.opaque_ones();
        let mut sum = s.zero();
        for chunk in chunks {
            let mut in_bytes = s.zero();
            for k in 0..CHUNK / 64 {
                let now = s.load(chunk, 64 * k);
                in_bytes = s.count_where(in_bytes, is_continuation(s, now), ones);
                from_f0 += is_from_f0::<FROM_F0>(s, now).count_ones() as usize;
            }
            sum = s.plus64(sum, s.sums_of_bytes(in_bytes));
        }
        let head = s.load_short(head);
        continuations = s.sum_of_lanes(sum) as usize + is_continuation(s, head).count_ones() as usize;
        from_f0 += is_from_f0::<FROM_F0>(s, head).count_ones() as usize;
        left = tail;
    }
    while let Some((block, after)) = left.split_first_chunk::<64>() {
        let now = s.load(block, 0);
        continuations += is_continuation(s, now).count_ones() as usize;
        from_f0 += is_from_f0::<FROM_F0>(s, now).count_ones() as usize;
        left = after;
    }
    if !left.is_empty() {
        // The zeros after the text count as nothing.
        let now = s.load_short(left);
        continuations += is_continuation(s, now).count_ones() as usize;
        from_f0 += is_from_f0::<FROM_F0>(s, now).count_ones() as usize;
    }
    (continuations, from_f0)
}

/// Returns a one for each continuation. As signed numbers, these are the smallest bytes.
#[inline(always)]
fn is_continuation(s: Avx512, v: Vector) -> u64 {
    s.below_signed(v, s.splat(0xC0))
}

/// Returns a one for each byte from F0 on, or zero unless `FROM_F0`.
#[inline(always)]
fn is_from_f0<const FROM_F0: bool>(s: Avx512, v: Vector) -> u64 {
    if FROM_F0 { s.at_least(v, s.splat(0xF0)) } else { 0 }
}

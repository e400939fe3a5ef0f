//! Counts of text that is valid already.

#![forbid(unsafe_code)]

use crate::simd::x86::avx512::{Avx512, Vector};

/// Bytes that are counted in vectors of bytes before those are summed up.
const STEP: usize = 512;

/// How many characters: bytes that are no continuations.
#[inline(always)]
pub(super) fn count_chars(s: Avx512, bytes: &[u8]) -> usize {
    let (continuations, _) = sums::<false>(s, bytes);
    bytes.len() - continuations
}

/// How many UTF-16 units: one a character, and one more for those of four bytes.
#[inline(always)]
pub(super) fn utf16_len(s: Avx512, bytes: &[u8]) -> usize {
    let (continuations, from_f0) = sums::<true>(s, bytes);
    bytes.len() - continuations + from_f0
}

/// The number of continuations; and if `FOUR`, that of bytes from F0 on.
#[inline(always)]
fn sums<const FOUR: bool>(s: Avx512, bytes: &[u8]) -> (usize, usize) {
    let (mut continuations, mut from_f0) = (0, 0);
    let mut left = bytes;
    if bytes.len() >= 2 * STEP {
        // From an aligned place on.
        let (head, steps) = bytes.split_at((64 - bytes.as_ptr().addr() % 64) % 64);
        let (steps, tail) = steps.as_chunks::<STEP>();
        let ones = s.ones();
        let mut sum = s.zero();
        for step in steps {
            let mut in_bytes = s.zero();
            for k in 0..STEP / 64 {
                let now = s.load(step, 64 * k);
                in_bytes = s.count(in_bytes, is_continuation(s, now), ones);
                // In another way, whose instructions run elsewhere.
                from_f0 += is_from_f0::<FOUR>(s, now).count_ones() as usize;
            }
            sum = s.plus64(sum, s.sums(in_bytes));
        }
        let head = s.load_short(head);
        continuations = s.total(sum) as usize + is_continuation(s, head).count_ones() as usize;
        from_f0 += is_from_f0::<FOUR>(s, head).count_ones() as usize;
        left = tail;
    }
    while let Some((block, behind)) = left.split_first_chunk::<64>() {
        let now = s.load(block, 0);
        continuations += is_continuation(s, now).count_ones() as usize;
        from_f0 += is_from_f0::<FOUR>(s, now).count_ones() as usize;
        left = behind;
    }
    if !left.is_empty() {
        // Zeros are neither.
        let now = s.load_short(left);
        continuations += is_continuation(s, now).count_ones() as usize;
        from_f0 += is_from_f0::<FOUR>(s, now).count_ones() as usize;
    }
    (continuations, from_f0)
}

/// A one for each continuation.
#[inline(always)]
fn is_continuation(s: Avx512, v: Vector) -> u64 {
    s.below_signed(v, s.splat(0xC0))
}

/// A one for each byte from F0 on, if that is asked for.
#[inline(always)]
fn is_from_f0<const FOUR: bool>(s: Avx512, v: Vector) -> u64 {
    if FOUR { s.at_least(v, s.splat(0xF0)) } else { 0 }
}

//! Whether text is ASCII.

#![forbid(unsafe_code)]

use crate::boundary::array_at;
use crate::simd::Simd;

/// Returns whether all of `bytes` is ASCII. There are at least `LANES` bytes. The last loads overlap those before
/// them.
#[inline(always)]
pub(super) fn is_all_ascii<S: Simd>(s: S, bytes: &[u8]) -> bool {
    let n = bytes.len();
    if n <= 2 * S::LANES {
        return !s.any_high_bit(s.or(s.load(bytes, 0), s.load(bytes, n - S::LANES)));
    }
    let mut at = 0;
    while at + 4 * S::LANES < n {
        if s.any_high_bit(s.or(or_of_two(s, bytes, at), or_of_two(s, bytes, at + 2 * S::LANES))) {
            return false;
        }
        at += 4 * S::LANES;
    }
    // One to four vectors are left. If the whole text is fewer than four, the two loads of two vectors overlap.
    let last = n - 2 * S::LANES;
    !s.any_high_bit(s.or(or_of_two(s, bytes, at.min(last)), or_of_two(s, bytes, last)))
}

/// Returns the bits of any vector of `bytes`. There are at least `LANES` bytes. The last vector overlaps the one before it.
#[inline(always)]
pub(super) fn or_of_all<S: Simd>(s: S, bytes: &[u8]) -> S::Vector {
    let mut all = s.load(bytes, bytes.len() - S::LANES);
    let mut rest = bytes;
    while rest.len() > 2 * S::LANES {
        all = s.or(all, or_of_two(s, rest, 0));
        rest = &rest[2 * S::LANES..];
    }
    if rest.len() > S::LANES { s.or(all, s.load(rest, 0)) } else { all }
}

#[inline(always)]
fn or_of_two<S: Simd>(s: S, bytes: &[u8], at: usize) -> S::Vector {
    match bytes.get(at..at + 2 * S::LANES) {
        Some(two) => s.or(s.load(two, 0), s.load(two, S::LANES)),
        // No caller gets here. Returning bytes that are not ASCII costs less than a panic.
        None => s.splat(0xFF),
    }
}

/// Returns whether there are `N` bytes at `at`, and all of them are ASCII.
#[inline(always)]
pub(super) fn is_ascii_at<S: Simd, const N: usize>(s: S, bytes: &[u8], at: usize) -> bool {
    match array_at::<N>(bytes, at) {
        Some(bytes) => is_ascii(s, bytes),
        None => false,
    }
}

#[inline(always)]
pub(super) fn is_ascii<S: Simd, const N: usize>(s: S, bytes: &[u8; N]) -> bool {
    !s.any_high_bit(or_of(s, bytes))
}

/// Returns the bits of any vector of `bytes`.
#[inline(always)]
pub(super) fn or_of<S: Simd, const N: usize>(s: S, bytes: &[u8; N]) -> S::Vector {
    let mut all = s.load(bytes, 0);
    for k in 1..N / S::LANES {
        all = s.or(all, s.load(bytes, k * S::LANES));
    }
    all
}

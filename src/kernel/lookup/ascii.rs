//! Whether text is ASCII.

#![forbid(unsafe_code)]

use crate::boundary::array_at;
use crate::simd::Simd;

/// The bytes of sixteen units of 32.
pub(super) const GROUP: usize = 512;

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
        // No caller asks for this. To return bytes that are not ASCII costs less than to panic.
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

/// Returns a bit for each 32 bytes of a group: whether they are ASCII. The lowest bit stands for the first of them.
#[inline(always)]
pub(super) fn ascii_of_group<S: Simd>(s: S, group: &[u8; GROUP]) -> u64 {
    let ascii = s.high_bits(s.equal(squeezed(s, group), s.splat(0)));
    // In vectors of 32 bytes, the two halves of a unit are sixteen lanes from each other.
    if S::LANES == 32 { ascii & ascii >> 16 } else { ascii }
}

/// Returns a vector in which lane `i`, and lane `i + 16` if there is one, are zero where unit `i` of the group is ASCII.
///
/// Each step makes one vector of two. In the last, after four steps, there is a byte for each sixteen bytes or more.
#[inline(always)]
pub(super) fn squeezed<S: Simd>(s: S, group: &[u8; GROUP]) -> S::Vector {
    s.halve(half_group(s, group, 0), half_group(s, group, GROUP / 2))
}

#[inline(always)]
fn half_group<S: Simd>(s: S, group: &[u8; GROUP], at: usize) -> S::Vector {
    let (a, b) = (two_units(s, group, at), two_units(s, group, at + 64));
    let (c, d) = (two_units(s, group, at + 128), two_units(s, group, at + 192));
    s.halve(s.halve(a, b), s.halve(c, d))
}

#[inline(always)]
fn two_units<S: Simd>(s: S, group: &[u8; GROUP], at: usize) -> S::Vector {
    s.halve(high_bits_of_unit(s, group, at), high_bits_of_unit(s, group, at + 32))
}

/// Returns a vector in which something is set if any of 32 bytes is not ASCII.
#[inline(always)]
fn high_bits_of_unit<S: Simd>(s: S, group: &[u8; GROUP], at: usize) -> S::Vector {
    let mut all = s.load(group, at);
    if S::LANES == 16 {
        all = s.or(all, s.load(group, at + 16));
    }
    s.and(all, s.splat(0x80))
}

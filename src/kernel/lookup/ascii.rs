//! Whether text is ASCII.

#![forbid(unsafe_code)]

use crate::boundary::array_at;
use crate::simd::Simd;

/// The bytes of which one question asks whether they are ASCII: a vector, or two.
pub(super) const UNIT: usize = 32;
/// The bytes of sixteen units.
pub(super) const GROUP: usize = 2 * HALF;
/// The bytes of half a group.
pub(super) const HALF: usize = 8 * UNIT;

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

/// Returns a bit for each unit of a group: whether it is ASCII. The lowest bit stands for the first of them.
#[inline(always)]
pub(super) fn ascii_of_group<S: Simd>(s: S, group: &[u8; GROUP]) -> u64 {
    zero_units(s, squeezed(s, group))
}

/// Returns a bit for each unit of half a group: whether it is not ASCII. The lowest bit stands for the first of them.
#[inline(always)]
pub(super) fn others_of_half<S: Simd>(s: S, half: &[u8; HALF]) -> u64 {
    let squeezed = half_group(s, half);
    !zero_units(s, s.halve(squeezed, squeezed)) & 0xFF
}

#[inline(always)]
fn zero_units<S: Simd>(s: S, squeezed: S::Vector) -> u64 {
    let zero = s.high_bits(s.equal(squeezed, s.splat(0)));
    // In vectors of 32 bytes, the two halves of a unit are sixteen lanes from each other.
    if S::LANES == 32 { zero & zero >> 16 } else { zero }
}

/// Returns a vector in which lane `i`, and lane `i + 16` if there is one, are zero where unit `i` of the group is ASCII.
///
/// Each step makes one vector of two. In the last, after four steps, there is a byte for each sixteen bytes or more.
#[inline(always)]
pub(super) fn squeezed<S: Simd>(s: S, group: &[u8; GROUP]) -> S::Vector {
    match group.as_chunks() {
        ([first, second], _) => s.halve(half_group(s, first), half_group(s, second)),
        // A group has two halves.
        _ => s.splat(0xFF),
    }
}

#[inline(always)]
fn half_group<S: Simd>(s: S, half: &[u8; HALF]) -> S::Vector {
    let (a, b) = (two_units(s, half, 0), two_units(s, half, 2 * UNIT));
    let (c, d) = (two_units(s, half, 4 * UNIT), two_units(s, half, 6 * UNIT));
    s.halve(s.halve(a, b), s.halve(c, d))
}

#[inline(always)]
fn two_units<S: Simd>(s: S, half: &[u8; HALF], at: usize) -> S::Vector {
    s.halve(high_bits_of_unit(s, half, at), high_bits_of_unit(s, half, at + UNIT))
}

/// Returns a vector in which something is set if any byte of a unit is not ASCII.
#[inline(always)]
fn high_bits_of_unit<S: Simd>(s: S, half: &[u8; HALF], at: usize) -> S::Vector {
    let mut all = s.load(half, at);
    if S::LANES == 16 {
        all = s.or(all, s.load(half, at + 16));
    }
    s.and(all, s.splat(0x80))
}

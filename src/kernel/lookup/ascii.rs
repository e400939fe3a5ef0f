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

/// Returns a bit for each of the sixteen parts of a text: whether it is ASCII. The lowest bit stands for the first part.
#[inline(always)]
pub(super) fn ascii_of_sixteen<S: Simd, const PART: usize, const N: usize>(s: S, text: &[u8; N]) -> u64 {
    const { assert!(N == 16 * PART) };
    zero_parts(s, squeezed::<S, PART>(s, text))
}

/// Returns a vector in which lane `i`, and lane `i + 16` if there is one, are zero where part `i` of sixteen is ASCII.
#[inline(always)]
pub(super) fn squeezed<S: Simd, const PART: usize>(s: S, text: &[u8]) -> S::Vector {
    s.halve(eight_parts::<S, PART>(s, text, 0), eight_parts::<S, PART>(s, text, 8 * PART))
}

/// Returns a bit for each of the eight parts of a text: whether it is not ASCII. The lowest bit stands for the first part.
#[inline(always)]
pub(super) fn others_of_eight<S: Simd, const PART: usize, const N: usize>(s: S, text: &[u8; N]) -> u64 {
    const { assert!(N == 8 * PART) };
    let squeezed = eight_parts::<S, PART>(s, text, 0);
    !zero_parts(s, s.halve(squeezed, squeezed)) & 0xFF
}

/// Returns a bit for each of sixteen parts, whose bytes have been squeezed into one vector: whether all of it was zero.
#[inline(always)]
fn zero_parts<S: Simd>(s: S, squeezed: S::Vector) -> u64 {
    let zero = s.high_bits(s.equal(squeezed, s.splat(0)));
    // In vectors of 32 bytes, the two halves of a part are sixteen lanes from each other.
    if S::LANES == 32 { zero & zero >> 16 } else { zero }
}

/// Squeezes the high bits of eight parts into a vector.
///
/// Each step makes one vector of two. After one more step, which takes sixteen parts, a byte is left for each sixteen bytes or more.
#[inline(always)]
fn eight_parts<S: Simd, const PART: usize>(s: S, text: &[u8], at: usize) -> S::Vector {
    let (a, b) = (two_parts::<S, PART>(s, text, at), two_parts::<S, PART>(s, text, at + 2 * PART));
    let (c, d) = (two_parts::<S, PART>(s, text, at + 4 * PART), two_parts::<S, PART>(s, text, at + 6 * PART));
    s.halve(s.halve(a, b), s.halve(c, d))
}

#[inline(always)]
fn two_parts<S: Simd, const PART: usize>(s: S, text: &[u8], at: usize) -> S::Vector {
    s.halve(high_bits_of_part::<S, PART>(s, text, at), high_bits_of_part::<S, PART>(s, text, at + PART))
}

/// Returns a vector in which something is set if any byte of a part is not ASCII.
#[inline(always)]
fn high_bits_of_part<S: Simd, const PART: usize>(s: S, text: &[u8], at: usize) -> S::Vector {
    let mut all = s.load(text, at);
    for k in 1..PART / S::LANES {
        all = s.or(all, s.load(text, at + k * S::LANES));
    }
    s.and(all, s.splat(0x80))
}

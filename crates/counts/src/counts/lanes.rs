//! Counts of valid text, with the same operations for all instruction sets.
//!
//! ```text
//! for each chunk of 16 vectors:
//!     for each vector, and each kind of byte: sum -= FF where a byte is of the kind      (one byte a lane)
//!     add up the lanes of each sum
//! the same once more for the vectors that are left, with zeros after the last bytes
//! ```
//!
//! 1. **A comparison gives FF, which is -1.** So a count is one comparison and one subtraction.
//! 2. **Sums in bytes.** Adding up the lanes of a vector takes several instructions; once for 16
//!    vectors is enough.
//! 3. **A chunk is classified first.** ASCII needs only a count of newlines, and text below E0 no
//!    count of longer characters.

#![forbid(unsafe_code)]

use core::hint::black_box;

use trust8::engine::Simd;

use super::{Counting, Counts};
use crate::SimdSet;

impl<S: SimdSet> Counting for S {
    #[inline(always)]
    fn count(self, text: &[u8]) -> Counts {
        count(self, text)
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        text.len() - sum::<Self, false>(self, text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        sum::<Self, true>(self, text)
    }
}

/// Returns all counts of valid text.
#[inline(always)]
fn count<S: Simd>(s: S, text: &[u8]) -> Counts {
    const { assert!(S::LANES == 16 || S::LANES == 32) };
    let (mut counts, mut left) = if S::LANES == 16 {
        count_chunks::<S, { 16 * CHUNK_VECTORS }>(s, text)
    } else {
        count_chunks::<S, { 32 * CHUNK_VECTORS }>(s, text)
    };
    let mut in_bytes = CountsInBytes::none(s);
    let mut newlines = s.splat(0);
    while left.len() >= S::LANES {
        let now = s.load(left, 0);
        in_bytes.add(s, now);
        newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
        left = &left[S::LANES..];
    }
    // The zeros after the text are of no kind that is counted.
    let now = s.load_short(left);
    in_bytes.add(s, now);
    newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
    counts += in_bytes.counts(s);
    counts.newlines += s.sum(newlines);
    counts
}

/// The vectors of a chunk: at most 255, the largest count in a byte.
const CHUNK_VECTORS: usize = 16;

/// Returns the counts of all whole chunks, and the rest. `CHUNK` is the number of bytes of a chunk.
#[inline(always)]
fn count_chunks<S: Simd, const CHUNK: usize>(s: S, bytes: &[u8]) -> (Counts, &[u8]) {
    let mut counts = Counts::default();
    let (chunks, left) = bytes.as_chunks::<CHUNK>();
    for chunk in chunks {
        let (largest, newlines) = largest_and_newlines(s, chunk);
        // Without both `black_box`, the compiler counts the newlines later, and keeps all vectors
        // for this and for the second pass, on the stack.
        counts.newlines += black_box(s.sum(newlines));
        let chunk = black_box(chunk);
        if s.any_high_bit(s.minus_saturating(largest, s.splat(0xE0 - 0x80))) {
            let mut in_bytes = CountsInBytes::none(s);
            for k in 0..CHUNK_VECTORS {
                in_bytes.add(s, s.load(chunk, k * S::LANES));
            }
            counts += in_bytes.counts(s);
        } else if s.any_high_bit(largest) {
            counts.continuations += sum::<S, false>(s, chunk);
        }
    }
    (counts, left)
}

/// Returns the largest byte in each lane of a chunk's vectors, and the number of newlines in each
/// lane.
#[inline(always)]
fn largest_and_newlines<S: Simd>(s: S, chunk: &[u8]) -> (S::Vector, S::Vector) {
    let (mut largest, mut newlines) = (s.splat(0), s.splat(0));
    for k in 0..CHUNK_VECTORS {
        let now = s.load(chunk, k * S::LANES);
        largest = s.max(largest, now);
        newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
    }
    (largest, newlines)
}

/// Returns the number of UTF-16 units if `UTF16`, and otherwise the number of continuations.
#[inline(always)]
fn sum<S: Simd, const UTF16: bool>(s: S, bytes: &[u8]) -> usize {
    let mut sum = 0;
    let mut left = bytes;
    while left.len() >= CHUNK_VECTORS * S::LANES {
        let (chunk, after) = left.split_at(CHUNK_VECTORS * S::LANES);
        let mut counts = [s.splat(0); 2];
        for k in 0..CHUNK_VECTORS {
            counts = add::<S, UTF16>(s, counts, s.load(chunk, k * S::LANES));
        }
        sum += sum_of_two::<S, UTF16>(s, counts);
        left = after;
    }
    let mut counts = [s.splat(0); 2];
    while left.len() >= S::LANES {
        counts = add::<S, UTF16>(s, counts, s.load(left, 0));
        left = &left[S::LANES..];
    }
    // Each zero after the text is a unit, and no continuation.
    counts = add::<S, UTF16>(s, counts, s.load_short(left));
    let zeros = if UTF16 { S::LANES - left.len() } else { 0 };
    sum + sum_of_two::<S, UTF16>(s, counts) - zeros
}

/// Adds the weight of each byte. There are two sums, so that additions do not wait for each other.
#[inline(always)]
fn add<S: Simd, const UTF16: bool>(s: S, [counts, more]: [S::Vector; 2], now: S::Vector) -> [S::Vector; 2] {
    if !UTF16 {
        return [s.minus_wrapping(counts, is_continuation(s, now)), more];
    }
    // A character counts at its first byte, and once more if that is at least F0.
    let from_f0 = s.below_signed(s.minus_saturating(now, s.splat(0xF0 - 0x80)), s.splat(0));
    [s.minus_wrapping(counts, s.below_signed(s.splat(0xBF), now)), s.minus_wrapping(more, from_f0)]
}

#[inline(always)]
fn sum_of_two<S: Simd, const UTF16: bool>(s: S, [counts, more]: [S::Vector; 2]) -> usize {
    s.sum(counts) + if UTF16 { s.sum(more) } else { 0 }
}

/// Returns FF for each byte 80..BF. As signed numbers, these are the smallest.
#[inline(always)]
fn is_continuation<S: Simd>(s: S, v: S::Vector) -> S::Vector {
    s.below_signed(v, s.splat(0xC0))
}

/// Counts in a byte for each lane.
struct CountsInBytes<S: Simd> {
    continuations: S::Vector,
    from_e0: S::Vector,
    /// The bytes E0..EF.
    e0_to_ef: S::Vector,
}

impl<S: Simd> CountsInBytes<S> {
    #[inline(always)]
    fn none(s: S) -> Self {
        let none = s.splat(0);
        Self { continuations: none, from_e0: none, e0_to_ef: none }
    }

    #[inline(always)]
    fn add(&mut self, s: S, now: S::Vector) {
        // E0..EF become 80..8F, F0..FF become 90..9F, and all others stay below 80.
        let moved = s.minus_saturating(now, s.splat(0xE0 - 0x80));
        self.continuations = s.minus_wrapping(self.continuations, is_continuation(s, now));
        self.from_e0 = s.minus_wrapping(self.from_e0, s.below_signed(moved, s.splat(0)));
        self.e0_to_ef = s.minus_wrapping(self.e0_to_ef, s.below_signed(moved, s.splat(0x90)));
    }

    #[inline(always)]
    fn counts(&self, s: S) -> Counts {
        let from_e0 = s.sum(self.from_e0);
        Counts {
            continuations: s.sum(self.continuations),
            from_e0,
            from_f0: from_e0 - s.sum(self.e0_to_ef),
            ..Counts::default()
        }
    }
}

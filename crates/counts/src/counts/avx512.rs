//! Counts of valid text, with AVX-512.
//!
//! ```text
//! for each chunk of eight vectors, from an aligned place on:
//!     add up what each byte counts for, in bytes
//!     add these up in lanes of 64 bits
//! the same for the rest, vector by vector
//! ```
//!
//! A character counts at its first byte. If it counts as one, a comparison and a masked addition
//! are enough. If it may count as two, a table has the weight of each byte.

#![forbid(unsafe_code)]

use trust8::engine::avx512::Vector;
use trust8::engine::{Avx512, Vectors};

use super::{Counting, Counts};

/// The length of a chunk: eight vectors, whose counts are added up in bytes first.
const CHUNK_BYTES: usize = 512;

/// The number of UTF-16 units of a byte, by its upper four bits. There are four copies of the
/// entries: the index has two more bits, which the shift fills with bits of a neighbouring byte.
const UNITS: &[u8; 64] = &{
    let mut table = [1; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = match i & 15 {
            0x8..=0xB => 0,
            0xF => 2,
            _ => 1,
        };
        i += 1;
    }
    table
};

impl Counting for Avx512 {
    #[inline(always)]
    fn count(self, text: &[u8]) -> Counts {
        all(self, text)
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        count::<false>(self, text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        count::<true>(self, text)
    }
}

/// Returns all counts.
#[inline(always)]
fn all(s: Avx512, bytes: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let mut left = bytes;
    while let Some((four, after)) = left.split_first_chunk::<256>() {
        let [a, b, c, d] = [s.load(four, 0), s.load(four, 64), s.load(four, 128), s.load(four, 192)];
        if s.any_high_bit(s.or(s.or(a, b), s.or(c, d))) {
            for block in [a, b, c, d] {
                counts += in_block(s, block);
            }
        } else {
            for block in [a, b, c, d] {
                counts.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
            }
        }
        left = after;
    }
    while let Some((block, after)) = left.split_first_chunk::<64>() {
        counts += in_block(s, s.load(block, 0));
        left = after;
    }
    if !left.is_empty() {
        counts += in_block(s, s.load_short(left));
    }
    counts
}

/// Returns all counts of a block. Zeros are of no kind.
#[inline(always)]
fn in_block(s: Avx512, now: Vector) -> Counts {
    let count = |places: u64| places.count_ones() as usize;
    Counts {
        continuations: count(s.below_signed(now, s.splat(0xC0))),
        from_e0: count(s.at_least(now, s.splat(0xE0))),
        from_f0: count(s.at_least(now, s.splat(0xF0))),
        newlines: count(s.equal(now, s.splat(b'\n'))),
    }
}

/// Returns the number of characters, or of units of UTF-16 if `UTF16`.
#[inline(always)]
fn count<const UTF16: bool>(s: Avx512, bytes: &[u8]) -> usize {
    let counter = Counter::<UTF16> { s, table: s.load(UNITS, 0), ones: s.opaque_ones() };
    // The sum of the chunks, and the counts before and after them: at most seventeen vectors.
    let (mut sum, mut counts) = (s.zero(), s.zero());
    // The zeros after the head and at the end. Each counts as one.
    let mut zeros = 0;
    let mut left = bytes;
    if bytes.len() >= 2 * CHUNK_BYTES {
        let (head, aligned) = bytes.split_at((64 - bytes.as_ptr().addr() % 64) % 64);
        let (chunks, tail) = aligned.as_chunks::<CHUNK_BYTES>();
        for chunk in chunks {
            let mut in_chunk = s.zero();
            for k in 0..CHUNK_BYTES / 64 {
                in_chunk = counter.add(in_chunk, s.load(chunk, 64 * k));
            }
            sum = s.plus64(sum, s.sums_of_bytes(in_chunk));
        }
        counts = counter.add(counts, s.load_short(head));
        zeros += 64 - head.len();
        left = tail;
    }
    while let Some((block, after)) = left.split_first_chunk::<64>() {
        counts = counter.add(counts, s.load(block, 0));
        left = after;
    }
    if !left.is_empty() {
        counts = counter.add(counts, s.load_short(left));
        zeros += 64 - left.len();
    }
    s.sum_of_lanes(s.plus64(sum, s.sums_of_bytes(counts))) as usize - zeros
}

struct Counter<const UTF16: bool> {
    s: Avx512,
    table: Vector,
    ones: Vector,
}

impl<const UTF16: bool> Counter<UTF16> {
    /// Adds the weight of a byte to each count.
    #[inline(always)]
    fn add(&self, counts: Vector, now: Vector) -> Vector {
        let s = self.s;
        if UTF16 {
            return s.plus(counts, s.lookup(self.table, s.shift_right_4_in_16(now)));
        }
        // As signed numbers, continuations are the smallest bytes.
        s.count_where(counts, s.below_signed(s.splat(0xBF), now), self.ones)
    }
}

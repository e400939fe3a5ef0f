//! The instruction set operations that conversions need besides [`Simd`](trust8::engine::Simd).
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | [`ConvertOps`], the operations that the conversions use |
//! | `by_shuffle.rs` | these operations for vectors of 16 or 32 bytes, from a few lane operations and shuffles |
//! | `parts.rs` | stores of shuffled parts |
//! | `tables.rs` | the tables of shuffles |
//! | `model.rs` | tests of every operation against a model on arrays |
//! | `avx2.rs` and the like | the operations of one instruction set |
//!
//! AVX-512 implements [`ConvertOps`] itself.
//!
//! Conversions treat all positions of a block alike, and then drop the lanes that do not belong to
//! the result. So the important operations append a subset of a vector's bytes. AVX-512 has an
//! instruction that moves the kept bytes together. The other sets look up a shuffle by the mask of
//! kept bytes. The size of such a table depends on which masks can occur. This is why there are several
//! such operations, which differ only in what they may assume.

#[cfg(trust8_x86)]
mod avx2;
#[cfg(trust8_avx512)]
#[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
pub(crate) mod avx512;
mod by_shuffle;
#[cfg(test)]
mod model;
#[cfg(trust8_neon)]
mod neon;
mod parts;
#[cfg(trust8_wasm)]
mod simd128;
#[cfg(trust8_x86)]
mod sse42;
mod tables;

#[cfg(trust8_x86)]
use by_shuffle::Shuffle;
use by_shuffle::ShuffleOps;
#[cfg(trust8_x86)]
use parts::put_all;

use trust8::engine::survey::Surveys;
use trust8::engine::{Output, Vectors};

/// Sets the lowest `n` bits: a bit for each of the first `n` bytes of a vector.
#[inline(always)]
pub(crate) fn first_bits(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// Operations on lanes of 16 and 32 bits, which have the low byte first.
pub(crate) trait WideLaneOps: Vectors {
    /// Broadcasts the value to every lane.
    fn splat16(self, word: u16) -> Self::Vector;
    fn splat32(self, dword: u32) -> Self::Vector;

    /// Narrows the lanes of `a` and then `b` to half their width. Lanes of 16 bits are below 0x100,
    /// and lanes of 32 bits below 0x10000.
    fn narrowed16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in 32-bit lanes.
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts lanes and fills with zeros.
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// The lanes of 16 bits, and of 32 bits, for which a comparison holds.
    type Mask16: Copy;
    type Mask32: Copy;

    /// Returns the lanes in which `a` and `b` are equal.
    fn equal16(self, a: Self::Vector, b: Self::Vector) -> Self::Mask16;
    fn equal32(self, a: Self::Vector, b: Self::Vector) -> Self::Mask32;

    /// Returns the lanes in which `a` is above `b`. The highest bit of all lanes is clear.
    fn above16(self, a: Self::Vector, b: Self::Vector) -> Self::Mask16;
    fn above32(self, a: Self::Vector, b: Self::Vector) -> Self::Mask32;

    /// Returns the lanes of `yes` that are in the mask, and the other lanes of `no`.
    fn select16(self, mask: Self::Mask16, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
    fn select32(self, mask: Self::Mask32, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
}

/// The instruction set operations that conversions use. A vector has [`LANES`](Self::LANES) bytes.
///
/// As with [`Simd`](trust8::engine::Simd), a value is the proof that the CPU has the instructions,
/// and every method is `#[inline(always)]`.
///
/// Operations without a number in their names work on bytes. Lanes of 16 and 32 bits have the low
/// byte first. A `put` method appends everything and returns true. If that does not fit, it appends
/// nothing and returns false.
pub(crate) trait ConvertOps: WideLaneOps + Surveys {
    /// Returns the first two vectors of `bytes`, padded with zeros.
    #[inline(always)]
    fn load_two(self, bytes: &[u8]) -> [Self::Vector; 2] {
        if bytes.len() < Self::LANES {
            return [self.load_short(bytes), self.splat(0)];
        }
        let first = self.load(bytes, 0);
        let rest = &bytes[Self::LANES..];
        [first, if rest.len() < Self::LANES { self.load_short(rest) } else { self.load(rest, 0) }]
    }

    /// Widens bytes to lanes of 16 bits, or these to 32 bits: the first half of them, and the
    /// second half.
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2];
    fn widened16(self, v: Self::Vector) -> [Self::Vector; 2];

    /// Returns the bytes of `yes` where bit 7 of `flags` is set, and those of `no` elsewhere.
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Loads groups of three bytes, beginning with the group at `at`. Each 32-bit lane has one
    /// group, its last byte lowest, and a zero. Panics if there are fewer than `LANES` bytes from
    /// `at` on.
    fn load_threes(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns the text one, two and three bytes earlier: the last bytes of `before`, then the
    /// first bytes of `now`.
    fn earlier(self, now: Self::Vector, before: Self::Vector) -> [Self::Vector; 3];

    /// Reverses the two bytes of each 16-bit lane.
    fn reversed16(self, v: Self::Vector) -> Self::Vector;

    /// Spreads the number in each 32-bit lane, below 0x0010_0000, over three bytes, each six bits
    /// further down: bits 12 to 19 in the lowest byte, 6 to 13 in the second, 0 to 7 in the third.
    fn spread_sixes(self, v: Self::Vector) -> Self::Vector;

    /// Returns a vector with these bits as bit 7 of each byte: the inverse of
    /// [`high_bits`](Self::high_bits).
    fn with_high_bits(self, bits: u64) -> Self::Vector;

    /// Returns the bytes of `v` where bit 7 of `flags` is set, and 0 elsewhere.
    #[inline(always)]
    fn zero_unless_high(self, flags: Self::Vector, v: Self::Vector) -> Self::Vector {
        self.select_high(flags, v, self.splat(0))
    }

    /// Compares two sets of 16-bit lanes: those in which `x` is `a`, and those in which `y` is `b`.
    /// Returns whether they differ.
    fn matches_differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool;

    /// Returns whether a 16-bit lane of `a` or `b` is equal to the number.
    fn any_equal16_of_two(self, a: Self::Vector, b: Self::Vector, word: u16) -> bool;

    /// Returns whether a 32-bit lane is equal to the number.
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool;

    /// Appends the first `n` bytes of the vector.
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends the first `n` bytes of both vectors, one after the other.
    fn put_first_of_two(self, two: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool;

    /// Prefetches `bytes` bytes of the output, some distance ahead of `out`. The default does
    /// nothing.
    #[inline(always)]
    fn prefetch_output(self, _bytes: usize, _out: &Output<'_>) {}

    /// Appends each of the first `n` bytes as a unit of 16 bits.
    fn put_as_u16(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends each of the first `n` bytes as a unit of 32 bits.
    fn put_as_u32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends units of 16 bits, whose low and high bytes are in two vectors. A one in `keep`
    /// selects a unit.
    fn put_u16_of_bytes(self, low_high: [Self::Vector; 2], keep: u64, out: &mut Output<'_>) -> bool;

    /// Computes 0x40 times the byte of `high` plus the byte of `low`, and returns the low bytes and
    /// the high bytes. `high` is at most 0x1F. `low` is at most 0x7F, or 0x3F where `high` is not
    /// 0.
    #[inline(always)]
    fn of_sixes(self, [high, low]: [Self::Vector; 2]) -> [Self::Vector; 2] {
        let upper = self.and(self.left16::<6>(high), self.splat(0xC0));
        [self.or(upper, low), self.right16::<2>(self.and(high, self.splat(0xFC)))]
    }

    /// Appends units of 32 bits. Their first three bytes are in `low`, `middle` and `high` (zeros
    /// if there is none), and the fourth is zero. A one in `keep` selects a unit.
    fn put_u32_of_bytes(
        self,
        low: Self::Vector,
        middle: Self::Vector,
        high: Option<Self::Vector>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends the characters that end in the first `n` units of the second vector, which is
    /// UTF-16, as units of 32 bits. The first vector has the units one position earlier. The second
    /// has a low surrogate exactly where the first has a high one.
    fn put_utf16_as_u32(self, before_now: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool;

    /// Reorders the bytes for [`put_interleaved`](Self::put_interleaved).
    fn for_interleaving(self, v: Self::Vector) -> Self::Vector;

    /// Appends the first `n` bytes of the first vector. If `with_second` has a one for a byte, the
    /// byte of the second vector at the same position follows it. Both vectors come from
    /// [`for_interleaving`](Self::for_interleaving).
    fn put_interleaved(
        self,
        two: [Self::Vector; 2],
        with_second: u64,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends the bytes for which `keep` has a one.
    fn put_kept_bytes(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    // The following are `put_kept_bytes` for masks with only some patterns, which need smaller
    // tables.

    /// Appends the bytes for which `keep` has a one: both or none of each two bytes.
    #[inline(always)]
    fn put_kept_u16(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }

    /// Appends the first `n` of characters of one or two bytes, in a 16-bit lane each. The second
    /// byte is appended if its bit 7 is set.
    #[inline(always)]
    fn put_starts_of_two(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let keep = self.high_bits(self.or(v, self.splat16(0x0080)));
        self.put_kept_bytes(v, keep & first_bits(2 * n), out)
    }

    /// Appends the bytes for which `keep` has a one. Of each four bytes, these are the third, the
    /// second and third, or the first three. After some position, nothing more is kept.
    #[inline(always)]
    fn put_ends_of_three(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }

    /// Appends the bytes for which `keep` has a one: of each four bytes, the last one to four. After
    /// some position, nothing more is kept.
    #[inline(always)]
    fn put_ends_of_four(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }

    /// Appends the first `n` of characters of one to three bytes. A 16-bit lane of `firsts` has the
    /// first two bytes. A lane of `thirds` has the third, which is always appended. The others are
    /// appended if their bit 7 is set.
    #[inline(always)]
    fn put_ends_of_halves(self, [firsts, thirds]: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        let ([a, b], [c, d]) = (self.widened16(firsts), self.widened16(thirds));
        let [first, second] = [self.or(a, self.left32::<16>(c)), self.or(b, self.left32::<16>(d))];
        self.put_ends_of_threes([first, second], n, out)
    }

    /// Appends the first `n` of characters of one to three bytes, which are at the start of 32-bit lanes
    /// in two vectors: the third byte, and the others if their bit 7 is set.
    #[inline(always)]
    fn put_ends_of_threes(self, [a, b]: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        let third = self.splat32(0x0080_0000);
        let keep_a = self.high_bits(self.or(a, third)) & first_bits(4 * n);
        let keep_b = self.high_bits(self.or(b, third)) & first_bits((4 * n).saturating_sub(Self::LANES));
        if 4 * n <= Self::LANES {
            return self.put_ends_of_three(a, keep_a, out);
        }
        out.left() >= (keep_a.count_ones() + keep_b.count_ones()) as usize
            && self.put_ends_of_three(a, keep_a, out)
            && self.put_ends_of_three(b, keep_b, out)
    }
}

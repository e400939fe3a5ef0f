//! What conversions need of an instruction set besides [`Simd`](trust8::engine::Simd).
//!
//! | file | what it has |
//! |---|---|
//! | `mod.rs` | [`ConvertOps`], the operations over which the conversions are written |
//! | `by_shuffle.rs` | these operations for all sets with vectors of 16 or 32 bytes, made of a few lane operations and shuffles |
//! | `parts.rs` | the stores of what was shuffled |
//! | `tables.rs` | the tables of shuffles |
//! | `model.rs` | every operation against a model on arrays |
//! | `avx2.rs` and the like | the operations of one instruction set |
//!
//! AVX-512 implements [`ConvertOps`] itself.
//!
//! Conversions treat all places of a block alike, whatever the text is, and leave out what does not belong to the result. So
//! the operations that matter are those that append some of a vector's bytes. AVX-512 has an instruction that moves the kept
//! bytes together. The other sets shuffle, and look the shuffle up by the bits of what is kept. How large a table is depends
//! on which bits can occur: this is why there are six such operations, which differ only in what they may assume.

#[cfg(trust8_x86)]
mod avx2;
#[cfg(trust8_avx512)]
#[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
mod avx512;
#[cfg(trust8_avx512)]
#[expect(clippy::incompatible_msrv, reason = "build.rs asks the compiler for its version")]
pub(crate) mod avx512_lengths;
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
use by_shuffle::Part;
use by_shuffle::WideLaneOps;
#[cfg(trust8_x86)]
use parts::put_all;

use trust8::engine::Output;

/// Returns ones in the lowest `n` bits: a bit for each of the first `n` bytes of a vector.
#[inline(always)]
pub(crate) fn first_bits(n: usize) -> u64 {
    if n >= 64 { u64::MAX } else { (1 << n) - 1 }
}

/// The operations of an instruction set that the conversions use. A vector has [`LANES`](Self::LANES) bytes.
///
/// As with [`Simd`](trust8::engine::Simd), a value is the proof that the CPU has the instructions, and every method is
/// `#[inline(always)]`.
///
/// Operations without a number in their names work on bytes. Lanes of 16 and 32 bits have the low byte first. A `put` method
/// appends all that it is told to append and returns true; or, if that does not fit, it appends nothing and returns false.
pub(crate) trait ConvertOps: Copy {
    /// A vector register.
    type Vector: Copy;

    /// The number of bytes in a vector: 16, 32 or 64.
    const LANES: usize;

    /// Returns the value in every lane of 8, 16 or 32 bits.
    fn splat8(self, byte: u8) -> Self::Vector;
    fn splat16(self, word: u16) -> Self::Vector;
    fn splat32(self, dword: u32) -> Self::Vector;

    /// Returns `bytes[at..at + LANES]`. Panics where that is out of bounds.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns `bytes`, fewer than `LANES`, followed by zeros.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// Returns the first two vectors of `bytes`, with zeros for what there is not.
    #[inline(always)]
    fn load_two(self, bytes: &[u8]) -> [Self::Vector; 2] {
        if bytes.len() < Self::LANES {
            return [self.load_short(bytes), self.splat8(0)];
        }
        let first = self.load(bytes, 0);
        let rest = &bytes[Self::LANES..];
        [first, if rest.len() < Self::LANES { self.load_short(rest) } else { self.load(rest, 0) }]
    }

    /// Returns groups of three bytes, beginning with the group at `at`: in each lane of 32 bits one group, its last byte lowest,
    /// and a zero. Panics if there are not `LANES` bytes from `at` on.
    fn load_threes(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns the text one, two and three bytes earlier: the last bytes of `before`, then the first bytes of `now`.
    fn earlier(self, now: Self::Vector, before: Self::Vector) -> [Self::Vector; 3];

    /// Widens lanes of 16 bits to 32: the first half of them, and the second half.
    fn widened16(self, v: Self::Vector) -> [Self::Vector; 2];

    /// Widens bytes to lanes of 16 bits: the first half of them, and the second half.
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2];

    /// Narrows the lanes of 16 bits of `a` and then `b`, all below 0x100, to bytes.
    fn narrowed16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Narrows the lanes of 32 bits of `a` and then `b`, all below 0x10000, to 16.
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the larger bytes, as unsigned numbers.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b` as unsigned bytes, and 0 where that would be negative.
    fn minus_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` as signed bytes, and 127 where that would be more.
    fn plus_signed_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in lanes of 32 bits.
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts lanes of 16 or 32 bits. Zeros come in.
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Reverses the two bytes of each lane of 16 bits.
    fn reversed16(self, v: Self::Vector) -> Self::Vector;

    /// Spreads the number in each lane of 32 bits, below 0x0010_0000, over three bytes, each six bits further down: bits 12
    /// to 19 in the lowest byte, 6 to 13 in the second, 0 to 7 in the third.
    fn spread_sixes(self, v: Self::Vector) -> Self::Vector;

    /// Returns bit 7 of each byte, the first byte's as the lowest bit.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// Returns the place of the first one in `mask` that comes after `n` other ones; or 64 if there is none. The mask has a bit for each
    /// byte of a vector.
    #[inline(always)]
    fn place_after_ones(self, mask: u64, mut n: usize) -> usize {
        if mask.count_ones() as usize <= n {
            return 64;
        }
        let (mut place, mut half) = (0, Self::LANES / 2);
        while half > 0 {
            let ones = (mask >> place & first_bits(half)).count_ones() as usize;
            if ones <= n {
                n -= ones;
                place += half;
            }
            half /= 2;
        }
        place
    }

    /// Does the same for the masks of two vectors, one after the other. The result is at least the length of both if there is no such place.
    #[inline(always)]
    fn place_after_ones_of_two(self, [first, second]: [u64; 2], n: usize) -> usize {
        let in_first = first.count_ones() as usize;
        if n < in_first {
            self.place_after_ones(first, n)
        } else {
            Self::LANES + self.place_after_ones(second, n - in_first)
        }
    }

    /// Returns the place of the first byte that does not fit into `n` bytes, if each becomes one, or two where `two` has a one. It is at
    /// least the length of the vector if all fit.
    #[inline(always)]
    fn place_after_ones_and_twos(self, two: u64, n: usize) -> usize {
        let (mut fits, mut step) = (0, Self::LANES);
        while step > 0 {
            let more = fits + step;
            if more + (two & first_bits(more)).count_ones() as usize <= n {
                fits = more;
            }
            step /= 2;
        }
        fits
    }

    /// Returns a vector in which bit 7 of each byte is the bit for it: what [`high_bits`](Self::high_bits) returns the bits of.
    fn with_high_bits(self, bits: u64) -> Self::Vector;

    /// Returns whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Returns the bytes of `v` where bit 7 of `flags` is set, and 0 elsewhere.
    fn zero_unless_high(self, flags: Self::Vector, v: Self::Vector) -> Self::Vector;

    /// Returns the bytes of `yes` where bit 7 of `flags` is set, and those of `no` elsewhere.
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// In lanes of 16 bits: returns `yes` where `v` is at least `least`, and `no` elsewhere. All are below 0x8000, and `least`
    /// is not 0.
    fn select16_at_least(
        self,
        v: Self::Vector,
        least: u16,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector;

    /// In lanes of 32 bits: returns `yes` where `v` is at least `least`, and `no` elsewhere. All are below 0x8000_0000, and
    /// `least` is not 0.
    fn select32_at_least(
        self,
        v: Self::Vector,
        least: u32,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector;

    /// In lanes of 16 bits: returns `yes` where `v` is `word`, and `no` elsewhere.
    fn select16_equal(self, v: Self::Vector, word: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// In lanes of 32 bits: returns `yes` where `a` and `b` are equal, and `no` elsewhere.
    fn select32_equal(
        self,
        a: Self::Vector,
        b: Self::Vector,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector;

    /// Returns whether the lanes of 16 bits in which `x` is `a` are other lanes than those in which `y` is `b`.
    fn matches_differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool;

    /// Returns whether a lane of 16 bits of `a` or `b` is equal to the number.
    fn any_equal16_of_two(self, a: Self::Vector, b: Self::Vector, word: u16) -> bool;

    /// Returns whether a lane of 16 or 32 bits is equal to the number.
    fn any_equal16(self, v: Self::Vector, word: u16) -> bool;
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool;

    /// Appends the first `n` bytes of the vector.
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends the first `n` bytes of both vectors, one after the other.
    fn put_first_of_two(
        self,
        first: Self::Vector,
        second: Self::Vector,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool;

    /// Tells the cache that `bytes` bytes some way ahead of `out` will be written. The default does nothing.
    #[inline(always)]
    fn prefetch_output(self, _bytes: usize, _out: &Output<'_>) {}

    /// Appends each of the first `n` bytes as a unit of 16 bits.
    fn put_as_u16(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends each of the first `n` bytes as a unit of 32 bits.
    fn put_as_u32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool;

    /// Appends units of 16 bits, whose bytes are in `low` and `high`: the units for which `keep` has a one.
    fn put_u16_of_bytes(self, low: Self::Vector, high: Self::Vector, keep: u64, out: &mut Output<'_>)
    -> bool;

    /// Returns the low bytes and the high bytes of 0x40 times the byte of `high` plus the byte of `low`. `high` is at most 0x1F, and
    /// `low` at most 0x7F, or 0x3F where `high` is not 0.
    #[inline(always)]
    fn of_sixes(self, high: Self::Vector, low: Self::Vector) -> [Self::Vector; 2] {
        let upper = self.and(self.left16::<6>(high), self.splat8(0xC0));
        [self.or(upper, low), self.right16::<2>(self.and(high, self.splat8(0xFC)))]
    }

    /// Appends what [`of_sixes`](Self::of_sixes) returns, as units of 16 bits: the units for which `keep` has a one.
    #[inline(always)]
    fn put_u16_of_sixes(
        self,
        high: Self::Vector,
        low: Self::Vector,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let [low, high] = self.of_sixes(high, low);
        self.put_u16_of_bytes(low, high, keep, out)
    }

    /// Appends units of 32 bits, whose first three bytes are in `low`, `middle` and `high` (zeros if there is none) and whose
    /// fourth is zero: the units for which `keep` has a one.
    fn put_u32_of_bytes(
        self,
        low: Self::Vector,
        middle: Self::Vector,
        high: Option<Self::Vector>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends the characters that end in the first `n` units of `now`, which is UTF-16, as units of 32 bits. `before` has the units one
    /// place earlier. `now` has a low surrogate exactly where `before` has a high one.
    fn put_utf16_as_u32(
        self,
        before: Self::Vector,
        now: Self::Vector,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool;

    /// Returns the bytes in the order that [`put_interleaved`](Self::put_interleaved) wants.
    fn for_interleaving(self, v: Self::Vector) -> Self::Vector;

    /// Appends the first `n` bytes of `first`, and after each for which `with_second` has a one the byte of `second` at the
    /// same place. Both vectors come from [`for_interleaving`](Self::for_interleaving).
    fn put_interleaved(
        self,
        first: Self::Vector,
        second: Self::Vector,
        with_second: u64,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool;

    /// Appends the bytes for which `keep` has a one.
    fn put_kept_bytes(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool;

    // The following are `put_kept_bytes` for masks in which only some patterns occur, for which smaller tables do.

    /// Appends the bytes for which `keep` has a one. Of each two bytes these are both or none.
    #[inline(always)]
    fn put_kept_u16(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }

    /// Appends the first `n` of characters of one or two bytes, which have a lane of 16 bits each. The second byte is appended
    /// where bit 7 is set.
    #[inline(always)]
    fn put_starts_of_two(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let keep = self.high_bits(self.or(v, self.splat16(0x0080)));
        self.put_kept_bytes(v, keep & first_bits(2 * n), out)
    }

    /// Appends the bytes for which `keep` has a one. Of each four bytes these are the third, or the second and the third, or
    /// the first three. From some place on, nothing more is kept.
    #[inline(always)]
    fn put_ends_of_three(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }

    /// Appends the first `n` of characters of one to three bytes. A lane of 16 bits of `firsts` has the first two bytes, and a lane
    /// of `thirds` has the third, which is always appended. The others are appended where bit 7 is set.
    #[inline(always)]
    fn put_ends_of_halves(self, [firsts, thirds]: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        let ([a, b], [c, d]) = (self.widened16(firsts), self.widened16(thirds));
        let [first, second] = [self.or(a, self.left32::<16>(c)), self.or(b, self.left32::<16>(d))];
        let third = self.splat32(0x0080_0000);
        let keep_first = self.high_bits(self.or(first, third)) & first_bits(4 * n);
        let in_second = first_bits((4 * n).saturating_sub(Self::LANES));
        let keep_second = self.high_bits(self.or(second, third)) & in_second;
        out.left() >= (keep_first.count_ones() + keep_second.count_ones()) as usize
            && self.put_ends_of_three(first, keep_first, out)
            && self.put_ends_of_three(second, keep_second, out)
    }

    /// Appends the bytes for which `keep` has a one. Of each four bytes these are the last, the last two, the last three, or
    /// all. From some place on, nothing more is kept.
    #[inline(always)]
    fn put_ends_of_four(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_kept_bytes(v, keep, out)
    }
}

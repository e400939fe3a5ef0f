//! [`ConvertOps`] for instruction sets with vectors of 16 or 32 bytes. It consists of a few
//! operations on wider lanes, [`WideLaneOps`], and of shuffles that move the kept bytes to the
//! front. Such an instruction set implements only the lane operations.
//!
//! A shuffle works on *parts* of 16 bytes: a vector has one part or two. The bytes to append are
//! shuffled to the start of each part. The parts are stored one after the other, each over the
//! unused end of the previous one.

#![forbid(unsafe_code)]

use super::parts::put_all;
use super::tables::{ENDS_OF_FOUR, ENDS_OF_THREE, KEPT_BYTES, KEPT_U16, STARTS_OF_TWO, shuffle};
use super::{ConvertOps, WideLaneOps, first_bits, tables};
use crate::count::Counts;
use trust8::engine::{Output, Simd, Vectors};

/// The operations on 16-bit and 32-bit lanes that conversions need besides [`Simd`], for
/// instruction sets with vectors of 16 or 32 bytes. The defaults are for vectors of 16 bytes.
///
/// Lanes have the low byte first. A mask is a vector: each lane is all ones or all zeros.
pub(crate) trait ShuffleOps:
    Simd + WideLaneOps<Mask16 = <Self as Vectors>::Vector, Mask32 = <Self as Vectors>::Vector>
{
    /// Interleaves the bytes of `a` and `b`, or their 16-bit lanes: the first halves of both, and
    /// the second halves. A vector with two parts does so within each part.
    fn zip8(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    fn zip16(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Moves the 64-bit lanes to where [`zip8`](Self::zip8) and `zip16` with zeros widen them in order.
    #[inline(always)]
    fn for_zip(self, v: Self::Vector) -> Self::Vector {
        v
    }

    /// Widens bytes to 32-bit lanes: the four quarters of the vector.
    #[inline(always)]
    fn widened8_twice(self, v: Self::Vector) -> [[Self::Vector; 2]; 2] {
        let [first, second] = self.widened8(v);
        [self.widened16(first), self.widened16(second)]
    }

    /// Loads parts that begin 12 bytes apart: `bytes[at..at + 16]`, `bytes[at + 12..at + 28]`.
    #[inline(always)]
    fn load_every_twelve(self, bytes: &[u8], at: usize) -> Self::Vector {
        self.load(bytes, at)
    }

    /// Returns the highest bits of the 16-bit lanes. The eight bits of a part are the lowest of 16
    /// bits.
    #[inline(always)]
    fn highest16(self, v: Self::Vector) -> u64 {
        tables::first_of_each_two(self.high_bits(v) >> 1)
    }

    /// Shuffles vectors part by part and appends the results if all of them fit. The first parts of
    /// all vectors come first, and then their second parts. For the index of a part in this order,
    /// `part` returns its shuffle and the number of bytes to append.
    #[inline(always)]
    fn put_shuffled<const N: usize>(
        self,
        vectors: [Self::Vector; N],
        part: impl Fn(usize) -> Shuffle,
        out: &mut Output<'_>,
    ) -> bool {
        let (parts, lens) = shuffled(self, vectors, part);
        put_all([parts], [lens], out)
    }

    /// Like [`put_shuffled`](Self::put_shuffled), but widens the appended 16-bit lanes to 32 bits.
    /// A part has at most eight of them.
    #[inline(always)]
    fn put_shuffled_as_u32<const N: usize>(
        self,
        vectors: [Self::Vector; N],
        part: impl Fn(usize) -> Shuffle,
        out: &mut Output<'_>,
    ) -> bool {
        let (parts, mut lens) = shuffled(self, vectors, part);
        let (mut wide, mut i) = ([[self.splat(0); 2]; N], 0);
        while i < N {
            (wide[i], lens[i]) = (self.widened16(parts[i]), 2 * lens[i]);
            i += 1;
        }
        put_all([wide], [lens], out)
    }
}

/// A shuffle of 16 bytes, and the number of result bytes to append.
pub(crate) type Shuffle = (&'static [u8; 16], usize);

/// Shuffles vectors of one part each. Also returns how many bytes of each to append.
// When optimising for size, LLVM would not inline a loop over an iterator.
#[inline(always)]
fn shuffled<S: ShuffleOps, const N: usize>(
    s: S,
    mut vectors: [S::Vector; N],
    part: impl Fn(usize) -> Shuffle,
) -> ([S::Vector; N], [usize; N]) {
    const { assert!(size_of::<S::Vector>() == 16) };
    let (mut lens, mut i) = ([0; N], 0);
    while i < N {
        let (shuffle, len) = part(i);
        (vectors[i], lens[i]) = (s.lookup(vectors[i], s.table(shuffle)), len);
        i += 1;
    }
    (vectors, lens)
}

/// Returns the number of ones in the lowest `N` bits.
#[inline(always)]
fn ones<const N: u32>(keep: u64) -> usize {
    (keep & ((1 << N) - 1)).count_ones() as usize
}

impl<S: ShuffleOps> Counts for S {}

impl<S: ShuffleOps> ConvertOps for S {
    #[inline(always)]
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip8(self.for_zip(v), self.splat(0))
    }

    #[inline(always)]
    fn widened16(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip16(self.for_zip(v), self.splat(0))
    }

    #[inline(always)]
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        // The compiler sees that VPBLENDVB uses only bit 7 of each byte.
        self.select16(self.below_signed(flags, self.splat(0)), yes, no)
    }

    #[inline(always)]
    fn load_threes(self, bytes: &[u8], at: usize) -> Self::Vector {
        // An index with bit 7 set gives zero.
        let reversed = self.table(&[2, 1, 0, 0x80, 5, 4, 3, 0x80, 8, 7, 6, 0x80, 11, 10, 9, 0x80]);
        self.lookup(self.load_every_twelve(bytes, at), reversed)
    }

    #[inline(always)]
    fn earlier(self, now: Self::Vector, before: Self::Vector) -> [Self::Vector; 3] {
        [
            Simd::earlier::<1>(self, now, before),
            Simd::earlier::<2>(self, now, before),
            Simd::earlier::<3>(self, now, before),
        ]
    }

    #[inline(always)]
    fn reversed16(self, v: Self::Vector) -> Self::Vector {
        self.lookup(v, self.table(&[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14]))
    }

    #[inline(always)]
    fn spread_sixes(self, v: Self::Vector) -> Self::Vector {
        let second = self.and(self.left32::<2>(v), self.splat32(0x0000_FF00));
        let third = self.and(self.left32::<16>(v), self.splat32(0x00FF_0000));
        self.or(self.or(second, third), self.right32::<12>(v))
    }

    #[inline(always)]
    fn with_high_bits(self, bits: u64) -> Self::Vector {
        // The index of the byte that has the bit. A shuffle works on 16 bytes, and each 16 contain
        // all four bytes.
        const BYTE: &[u8] = [[0; 8], [1; 8], [2; 8], [3; 8]].as_flattened();
        const BIT: &[u8] = [[1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80]; 4].as_flattened();
        // Bit 7 remains set where nothing is subtracted from it.
        let zeros = self.lookup(self.splat32(!bits as u32), self.load(BYTE, 0));
        let zeros = self.and(zeros, self.load(BIT, 0));
        self.minus_saturating(self.splat(0x80), zeros)
    }

    #[inline(always)]
    fn matches_differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool {
        let (a, b) = (self.splat16(a), self.splat16(b));
        self.any(self.xor(self.equal16(x, a), self.equal16(y, b)))
    }

    #[inline(always)]
    fn any_equal16_of_two(self, a: Self::Vector, b: Self::Vector, word: u16) -> bool {
        let word = self.splat16(word);
        self.any(self.or(self.equal16(a, word), self.equal16(b, word)))
    }

    #[inline(always)]
    fn for_interleaving(self, v: Self::Vector) -> Self::Vector {
        v
    }

    #[inline(always)]
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool {
        self.any(self.equal32(v, self.splat32(dword)))
    }

    #[inline(always)]
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put_all([[v]], [[n]], out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_first_of_two(self, two: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        put_all([[two]], [[n]], out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_as_u16(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put_all([[self.widened8(v)]], [[2 * n]], out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_as_u32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put_all([[self.widened8_twice(v)]], [[4 * n]], out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_u16_of_bytes(self, [low, high]: [Self::Vector; 2], keep: u64, out: &mut Output<'_>) -> bool {
        let part = |i| (shuffle(&KEPT_U16, keep >> (8 * i)), 2 * ones::<8>(keep >> (8 * i)));
        self.put_shuffled(self.zip8(low, high), part, out)
    }

    #[inline(always)]
    fn put_starts_of_two(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let seconds = self.highest16(v);
        let part = |i| {
            let units = n.saturating_sub(8 * i).min(8);
            let seconds = seconds >> (16 * i) & first_bits(units);
            (shuffle(&STARTS_OF_TWO, seconds), units + ones::<8>(seconds))
        };
        self.put_shuffled([v], part, out)
    }

    #[inline(always)]
    fn put_ends_of_three(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let first_two = tables::first_two_of_each_four(keep);
        let part = |i| (shuffle(&ENDS_OF_THREE, first_two >> (16 * i)), ones::<16>(keep >> (16 * i)));
        self.put_shuffled([v], part, out)
    }

    #[inline(always)]
    fn put_ends_of_four(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        // 1000, 1100, 1110 and 1111, lowest bit last, become 10, 11, 01 and 00.
        let index = tables::first_two_of_each_four(keep ^ keep >> 2);
        let part = |i| (shuffle(&ENDS_OF_FOUR, index >> (16 * i)), ones::<16>(keep >> (16 * i)));
        self.put_shuffled([v], part, out)
    }

    #[inline(always)]
    fn put_ends_of_halves(self, [firsts, thirds]: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        let first_two = self.high_bits(firsts) & first_bits(2 * n);
        let part = |i| {
            let first_two = first_two >> (8 * i);
            (shuffle(&ENDS_OF_THREE, first_two), n.saturating_sub(4 * i).min(4) + ones::<8>(first_two))
        };
        self.put_shuffled(self.zip16(firsts, thirds), part, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_u32_of_bytes(
        self,
        low: Self::Vector,
        middle: Self::Vector,
        high: Option<Self::Vector>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let words = self.zip8(low, middle);
        let Some(high) = high else {
            let part = |i| (shuffle(&KEPT_U16, keep >> (8 * i)), 2 * ones::<8>(keep >> (8 * i)));
            return self.put_shuffled_as_u32(words, part, out);
        };
        let upper = self.zip8(high, self.splat(0));
        let ([a, b], [c, d]) = (self.zip16(words[0], upper[0]), self.zip16(words[1], upper[1]));
        let part = |i| (tables::kept_u32(keep >> (4 * i)), 4 * ones::<4>(keep >> (4 * i)));
        self.put_shuffled([a, b, c, d], part, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_utf16_as_u32(self, [before, now]: [Self::Vector; 2], n: usize, out: &mut Output<'_>) -> bool {
        let (zero, ten) = (self.splat(0), self.splat16(0x3FF));
        let half = self.and(now, self.splat16(0xFC00));
        let is_high = self.equal16(half, self.splat16(0xD800));
        let is_low = self.equal16(half, self.splat16(0xDC00));
        // Each half has ten bits of the number minus 0x10000. The lower half of the number is six
        // bits of the high surrogate and ten of the low one. The upper half is the other four bits
        // of the high one, plus one for the 0x10000.
        let low = self.or(self.left16::<10>(before), self.and(now, ten));
        let high = self.plus32(self.and(before, ten), self.splat16(0x40));
        let low = self.select16(is_low, low, now);
        let high = self.select16(is_low, self.right16::<6>(high), zero);
        let keep = !self.high_bits(is_high) & first_bits(2 * n);
        let part = |i| (tables::kept_u32_by_two_bits(keep >> (8 * i)), 2 * ones::<8>(keep >> (8 * i)));
        self.put_shuffled(self.zip16(low, high), part, out)
    }

    #[inline(always)]
    fn put_interleaved(
        self,
        two: [Self::Vector; 2],
        with_second: u64,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let with_second = with_second & first_bits(n);
        let part = |i| {
            let seconds = with_second >> (8 * i);
            (shuffle(&STARTS_OF_TWO, seconds), n.saturating_sub(8 * i).min(8) + ones::<8>(seconds))
        };
        self.put_shuffled(self.zip8(two[0], two[1]), part, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_kept_bytes(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let part = |i| (shuffle(&KEPT_BYTES[i % 2], keep >> (8 * i)), ones::<8>(keep >> (8 * i)));
        self.put_shuffled([v, v], part, out)
    }

    #[inline(always)]
    fn put_kept_u16(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let units = tables::first_of_each_two(keep);
        let part = |i| (shuffle(&KEPT_U16, units >> (16 * i)), ones::<16>(keep >> (16 * i)));
        self.put_shuffled([v], part, out)
    }
}

//! [`ConvertOps`] for instruction sets with vectors of 16 bytes: made of a few operations on wider lanes, [`WideLaneOps`], and
//! of shuffles that move the kept bytes to the front. So such an instruction set implements those few operations and no more.

use super::{ConvertOps, first_bits, tables};
use crate::output::Output;
use crate::simd::Simd;

/// The operations on lanes of 16 and 32 bits that an instruction set with vectors of 16 bytes adds to [`Simd`] for
/// conversions.
///
/// Lanes have the low byte first. A mask has all bits of a lane set, or none.
pub(crate) trait WideLaneOps: Simd {
    /// Returns the value in every lane of 16 or 32 bits.
    fn splat16(self, word: u16) -> Self::Vector;
    fn splat32(self, dword: u32) -> Self::Vector;

    /// Returns the bytes of `a` and `b` in turn, or their lanes of 16 bits: the first halves of both, and the second halves.
    fn zip8(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    fn zip16(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// Narrows the lanes of `a` and then `b` to half their width: lanes of 16 bits, all below 0x100, or of 32 bits, all below
    /// 0x10000.
    fn narrowed16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a + b` in lanes of 32 bits.
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts lanes of 16 or 32 bits. Zeros come in.
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// Returns a mask of the lanes of 16 or 32 bits that are equal.
    fn equal16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn equal32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns a mask of the lanes of 16 or 32 bits that are at least `least`, which is not 0. The highest bit of all lanes is
    /// clear.
    fn at_least16(self, v: Self::Vector, least: u16) -> Self::Vector;
    fn at_least32(self, v: Self::Vector, least: u32) -> Self::Vector;

    /// Returns `yes` where `mask` has ones, and `no` elsewhere.
    fn select(self, mask: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Returns the bytes of `yes` where bit 7 of `flags` is set, and those of `no` elsewhere.
    #[inline(always)]
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        self.select(self.below_signed(flags, self.splat(0)), yes, no)
    }
}

/// Returns the bytes of `v` in the order that `shuffle` says.
#[inline(always)]
fn shuffle<S: WideLaneOps>(s: S, v: S::Vector, shuffle: &[u8; 16]) -> S::Vector {
    s.lookup(v, s.table(shuffle))
}

/// Appends the first `n` bytes of the vector, if they fit.
#[inline(always)]
fn put<S: WideLaneOps>(_: S, v: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
    const { assert!(size_of::<S::Vector>() == 16 && <S as Simd>::LANES == 16) };
    let n = n.min(16);
    if let Some(next) = out.next_array::<16>() {
        // SAFETY: `next` has 16 bytes, and so has the vector. The store needs no alignment.
        unsafe { next.as_mut_ptr().cast::<S::Vector>().write_unaligned(v) };
        // SAFETY: the store has written 16 bytes, as a vector has no padding by the contract of `Simd`; `n` is at most 16.
        unsafe { out.advance(n) };
        return true;
    }
    let mut bytes = [0u8; 16];
    // SAFETY: the array has 16 bytes, and so has the vector, which has no padding by the contract of `Simd`. The store needs
    // no alignment.
    unsafe { bytes.as_mut_ptr().cast::<S::Vector>().write_unaligned(v) };
    out.put(&bytes[..n])
}

/// Appends the first `n` and `m` bytes of two vectors after they are shuffled, if all of them fit.
#[inline(always)]
fn put_two<S: WideLaneOps>(
    s: S,
    [first, second]: [S::Vector; 2],
    shuffles: [&[u8; 16]; 2],
    [n, m]: [usize; 2],
    out: &mut Output<'_>,
) -> bool {
    out.left() >= n + m
        && put(s, shuffle(s, first, shuffles[0]), n, out)
        && put(s, shuffle(s, second, shuffles[1]), m, out)
}

/// Returns the number of ones in the lowest eight bits, and in the next eight.
#[inline(always)]
fn ones_by_half(keep: u64) -> [usize; 2] {
    [(keep & 0xFF).count_ones() as usize, (keep >> 8 & 0xFF).count_ones() as usize]
}

/// Appends those of the four lanes of 32 bits for which the lowest four bits of `keep` have a one, if they fit.
#[inline(always)]
fn put_kept_u32<S: WideLaneOps>(s: S, v: S::Vector, keep: u64, out: &mut Output<'_>) -> bool {
    put(s, shuffle(s, v, tables::kept_u32(keep)), 4 * (keep & 0xF).count_ones() as usize, out)
}

impl<S: WideLaneOps> ConvertOps for S {
    type Vector = <S as Simd>::Vector;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat8(self, byte: u8) -> Self::Vector {
        self.splat(byte)
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> Self::Vector {
        WideLaneOps::splat16(self, word)
    }

    #[inline(always)]
    fn splat32(self, dword: u32) -> Self::Vector {
        WideLaneOps::splat32(self, dword)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector {
        Simd::load(self, bytes, at)
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> Self::Vector {
        Simd::load_short(self, bytes)
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
    fn widened16(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip16(v, self.splat(0))
    }

    #[inline(always)]
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip8(v, self.splat(0))
    }

    #[inline(always)]
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        WideLaneOps::narrowed32(self, a, b)
    }

    #[inline(always)]
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Simd::and(self, a, b)
    }

    #[inline(always)]
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Simd::or(self, a, b)
    }

    #[inline(always)]
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Simd::max(self, a, b)
    }

    #[inline(always)]
    fn minus(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Simd::minus(self, a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Simd::plus_signed(self, a, b)
    }

    #[inline(always)]
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        WideLaneOps::plus32(self, a, b)
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        WideLaneOps::left16::<N>(self, v)
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        WideLaneOps::right16::<N>(self, v)
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        WideLaneOps::left32::<N>(self, v)
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        WideLaneOps::right32::<N>(self, v)
    }

    #[inline(always)]
    fn reversed16(self, v: Self::Vector) -> Self::Vector {
        shuffle(self, v, &[1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14])
    }

    #[inline(always)]
    fn spread_sixes(self, v: Self::Vector) -> Self::Vector {
        let second =
            Simd::and(self, WideLaneOps::left32::<2>(self, v), WideLaneOps::splat32(self, 0x0000_FF00));
        let third =
            Simd::and(self, WideLaneOps::left32::<16>(self, v), WideLaneOps::splat32(self, 0x00FF_0000));
        Simd::or(self, Simd::or(self, second, third), WideLaneOps::right32::<12>(self, v))
    }

    #[inline(always)]
    fn high_bits(self, v: Self::Vector) -> u64 {
        Simd::high_bits(self, v)
    }

    #[inline(always)]
    fn any(self, v: Self::Vector) -> bool {
        Simd::any(self, v)
    }

    #[inline(always)]
    fn zero_unless_high(self, flags: Self::Vector, v: Self::Vector) -> Self::Vector {
        Simd::and(self, self.below_signed(flags, self.splat(0)), v)
    }

    #[inline(always)]
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        WideLaneOps::select_high(self, flags, yes, no)
    }

    #[inline(always)]
    fn select16_at_least(
        self,
        v: Self::Vector,
        least: u16,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector {
        self.select(self.at_least16(v, least), yes, no)
    }

    #[inline(always)]
    fn select32_at_least(
        self,
        v: Self::Vector,
        least: u32,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector {
        self.select(self.at_least32(v, least), yes, no)
    }

    #[inline(always)]
    fn select32_equal(
        self,
        a: Self::Vector,
        b: Self::Vector,
        yes: Self::Vector,
        no: Self::Vector,
    ) -> Self::Vector {
        self.select(self.equal32(a, b), yes, no)
    }

    #[inline(always)]
    fn matches_differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool {
        let (a, b) = (WideLaneOps::splat16(self, a), WideLaneOps::splat16(self, b));
        Simd::any(self, self.xor(self.equal16(x, a), self.equal16(y, b)))
    }

    #[inline(always)]
    fn any_equal16(self, v: Self::Vector, word: u16) -> bool {
        Simd::any(self, self.equal16(v, WideLaneOps::splat16(self, word)))
    }

    #[inline(always)]
    fn for_interleaving(self, v: Self::Vector) -> Self::Vector {
        v
    }

    #[inline(always)]
    fn select16_equal(self, v: Self::Vector, word: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        self.select(self.equal16(v, WideLaneOps::splat16(self, word)), yes, no)
    }

    #[inline(always)]
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool {
        Simd::any(self, self.equal32(v, WideLaneOps::splat32(self, dword)))
    }

    #[inline(always)]
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put(self, v, n, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_first_of_two(
        self,
        first: Self::Vector,
        second: Self::Vector,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool {
        out.left() >= n && put(self, first, n.min(16), out) && put(self, second, n.saturating_sub(16), out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_as_u16(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        self.put_first_of_two(first, second, 2 * n, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_as_u32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        let ([a, b], [c, d]) = (self.widened16(first), self.widened16(second));
        out.left() >= 4 * n
            && self.put_first_of_two(a, b, (4 * n).min(32), out)
            && (n <= 8 || self.put_first_of_two(c, d, 4 * n - 32, out))
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_low_bytes(self, a: Self::Vector, b: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put(self, self.narrowed16(a, b), n, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_u16_of_bytes(
        self,
        low: Self::Vector,
        high: Self::Vector,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let shuffles = [tables::kept_u16(keep), tables::kept_u16(keep >> 8)];
        let [n, m] = ones_by_half(keep);
        put_two(self, self.zip8(low, high), shuffles, [2 * n, 2 * m], out)
    }

    #[inline(always)]
    fn put_starts_of_two(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::starts_of_two(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_ends_of_three(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::ends_of_three(keep)), keep.count_ones() as usize, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_u32_of_bytes(
        self,
        low: Self::Vector,
        middle: Self::Vector,
        high: Option<Self::Vector>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let [first, second] = self.zip8(low, middle);
        let [upper_first, upper_second] = match high {
            Some(high) => self.widened8(high),
            None => [self.splat(0); 2],
        };
        let ([a, b], [c, d]) = (self.zip16(first, upper_first), self.zip16(second, upper_second));
        out.left() >= 4 * (keep & 0xFFFF).count_ones() as usize
            && put_kept_u32(self, a, keep, out)
            && put_kept_u32(self, b, keep >> 4, out)
            && put_kept_u32(self, c, keep >> 8, out)
            && put_kept_u32(self, d, keep >> 12, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_u32_of_halves(
        self,
        low: Self::Vector,
        high: Self::Vector,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let shuffles = [tables::kept_u32_by_two_bits(keep), tables::kept_u32_by_two_bits(keep >> 8)];
        let [n, m] = ones_by_half(keep);
        put_two(self, self.zip16(low, high), shuffles, [2 * n, 2 * m], out)
    }

    #[inline(always)]
    fn put_interleaved(
        self,
        first: Self::Vector,
        second: Self::Vector,
        with_second: u64,
        n: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let with_second = with_second & first_bits(n);
        let shuffles =
            [tables::firsts_and_some_seconds(with_second), tables::firsts_and_some_seconds(with_second >> 8)];
        let [more, more_of_second] = ones_by_half(with_second);
        let lens = [n.min(8) + more, n.saturating_sub(8) + more_of_second];
        put_two(self, self.zip8(first, second), shuffles, lens, out)
    }

    #[cfg_attr(optimised, inline(always))]
    fn put_kept_bytes(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let first = shuffle(self, v, tables::kept_bytes(keep));
        let of_second = self.table(tables::kept_bytes(keep >> 8));
        let second = self.lookup(v, Simd::or(self, of_second, self.splat(8)));
        let [n, m] = ones_by_half(keep);
        out.left() >= n + m && put(self, first, n, out) && put(self, second, m, out)
    }

    #[inline(always)]
    fn put_kept_u16(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::kept_u16_by_two_bits(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_ends_of_four(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::ends_of_four(keep)), keep.count_ones() as usize, out)
    }
}

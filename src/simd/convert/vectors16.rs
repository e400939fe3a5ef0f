//! Vectors of 16 bytes: what [`Units`] wants of them is made of a few operations here, and of tables of shuffles that
//! leave the gaps out. So an instruction set with such vectors says what those operations are, and no more.

use super::{Units, tables, within};
use crate::output::Output;
use crate::simd::Simd;

/// An instruction set with vectors of 16 bytes.
///
/// `LANES` is 16. Lanes of 16 and 32 bits have the low byte first. A mask has all bits of a lane set, or none.
pub(crate) trait Vectors16: Simd {
    /// The value in every lane of 16 or 32 bits.
    fn splat16(self, word: u16) -> Self::Vector;
    fn splat32(self, dword: u32) -> Self::Vector;

    /// The bytes of `a` and `b` in turn, or their lanes of 16 bits: the first half of them, and the second.
    fn zip8(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];
    fn zip16(self, a: Self::Vector, b: Self::Vector) -> [Self::Vector; 2];

    /// The lanes of two vectors in half the width, where they fit: those of 16 bits, all below 0x100, and those
    /// of 32, all below 0x10000.
    fn narrowed16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// `a + b` in lanes of 32 bits.
    fn plus32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Shifts in lanes of 16 and of 32 bits, zeros coming in.
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector;
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector;

    /// A mask of the lanes of 16 or 32 bits that are equal.
    fn equal16(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn equal32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// A mask of the lanes of 16 or 32 bits that are at least `least`; that is above 0, and all have the highest bit
    /// clear.
    fn at_least16(self, v: Self::Vector, least: u16) -> Self::Vector;
    fn at_least32(self, v: Self::Vector, least: u32) -> Self::Vector;

    /// `yes` where `mask` has a lane, else `no`.
    fn select(self, mask: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector;

    /// Byte by byte: `yes` where bit 7 of `flags` is set, else `no`.
    #[inline(always)]
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        self.select(self.below_signed(flags, self.splat(0)), yes, no)
    }
}

#[inline(always)]
fn shuffle<S: Vectors16>(s: S, v: S::Vector, shuffle: &[u8; 16]) -> S::Vector {
    s.lookup(v, s.table(shuffle))
}

/// Appends the first `n` bytes of the vector, if they fit.
#[inline(always)]
fn put<S: Vectors16>(_: S, v: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
    const { assert!(size_of::<S::Vector>() == 16 && <S as Simd>::LANES == 16) };
    let n = n.min(16);
    if let Some(window) = out.window::<16>() {
        // SAFETY: the window has 16 bytes, and so has the vector; the store needs no alignment.
        unsafe { window.as_mut_ptr().cast::<S::Vector>().write_unaligned(v) };
        // SAFETY: the store has written 16 bytes, as by the contract of `Simd` a vector has no padding; `n` is no more.
        unsafe { out.advance(n) };
        return true;
    }
    let mut bytes = [0u8; 16];
    // SAFETY: the array has 16 bytes, and so has the vector, all of them its value: by the contract of `Simd` it has no
    // padding. The store needs no alignment.
    unsafe { bytes.as_mut_ptr().cast::<S::Vector>().write_unaligned(v) };
    out.put(&bytes[..n])
}

/// Appends what the shuffles leave of two vectors, so many bytes of each, if it fits.
#[inline(always)]
fn put_two<S: Vectors16>(
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

/// How many of the first eight places have a one, and of the next eight.
#[inline(always)]
fn ones(keep: u64) -> [usize; 2] {
    [(keep & 0xFF).count_ones() as usize, (keep >> 8 & 0xFF).count_ones() as usize]
}

/// Appends those of the four lanes of 32 bits for which the lowest bits of `keep` have a one, if they fit.
#[inline(always)]
fn put_some_dwords<S: Vectors16>(s: S, v: S::Vector, keep: u64, out: &mut Output<'_>) -> bool {
    put(s, shuffle(s, v, tables::dwords(keep)), 4 * (keep & 0xF).count_ones() as usize, out)
}

impl<S: Vectors16> Units for S {
    type Vector = <S as Simd>::Vector;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat8(self, byte: u8) -> Self::Vector {
        self.splat(byte)
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> Self::Vector {
        Vectors16::splat16(self, word)
    }

    #[inline(always)]
    fn splat32(self, dword: u32) -> Self::Vector {
        Vectors16::splat32(self, dword)
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
    fn widened(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip16(v, self.splat(0))
    }

    #[inline(always)]
    fn widened8(self, v: Self::Vector) -> [Self::Vector; 2] {
        self.zip8(v, self.splat(0))
    }

    #[inline(always)]
    fn narrowed32(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        Vectors16::narrowed32(self, a, b)
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
        Vectors16::plus32(self, a, b)
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        Vectors16::left16::<N>(self, v)
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        Vectors16::right16::<N>(self, v)
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        Vectors16::left32::<N>(self, v)
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: Self::Vector) -> Self::Vector {
        Vectors16::right32::<N>(self, v)
    }

    #[inline(always)]
    fn sixes(self, v: Self::Vector) -> Self::Vector {
        let second = Simd::and(self, Vectors16::left32::<2>(self, v), Vectors16::splat32(self, 0x0000_FF00));
        let third = Simd::and(self, Vectors16::left32::<16>(self, v), Vectors16::splat32(self, 0x00FF_0000));
        Simd::or(self, Simd::or(self, second, third), Vectors16::right32::<12>(self, v))
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
    fn where_high(self, flags: Self::Vector, v: Self::Vector) -> Self::Vector {
        Simd::and(self, self.below_signed(flags, self.splat(0)), v)
    }

    #[inline(always)]
    fn select_high(self, flags: Self::Vector, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        Vectors16::select_high(self, flags, yes, no)
    }

    #[inline(always)]
    fn select16(self, v: Self::Vector, least: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        self.select(self.at_least16(v, least), yes, no)
    }

    #[inline(always)]
    fn select32(self, v: Self::Vector, least: u32, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
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
    fn differ16(self, x: Self::Vector, a: u16, y: Self::Vector, b: u16) -> bool {
        let (a, b) = (Vectors16::splat16(self, a), Vectors16::splat16(self, b));
        Simd::any(self, self.xor(self.equal16(x, a), self.equal16(y, b)))
    }

    #[inline(always)]
    fn any_equal16(self, v: Self::Vector, word: u16) -> bool {
        Simd::any(self, self.equal16(v, Vectors16::splat16(self, word)))
    }

    #[inline(always)]
    fn ordered(self, v: Self::Vector) -> Self::Vector {
        v
    }

    #[inline(always)]
    fn select16_equal(self, v: Self::Vector, word: u16, yes: Self::Vector, no: Self::Vector) -> Self::Vector {
        self.select(self.equal16(v, Vectors16::splat16(self, word)), yes, no)
    }

    #[inline(always)]
    fn any_equal32(self, v: Self::Vector, dword: u32) -> bool {
        Simd::any(self, self.equal32(v, Vectors16::splat32(self, dword)))
    }

    #[inline(always)]
    fn put_first(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put(self, v, n, out)
    }

    #[inline(always)]
    fn put_both(self, first: Self::Vector, second: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        out.left() >= n && put(self, first, n.min(16), out) && put(self, second, n.saturating_sub(16), out)
    }

    #[inline(always)]
    fn put_widened(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        self.put_both(first, second, 2 * n, out)
    }

    #[inline(always)]
    fn put_widened32(self, v: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        let ([a, b], [c, d]) = (self.widened(first), self.widened(second));
        out.left() >= 4 * n
            && self.put_both(a, b, (4 * n).min(32), out)
            && (n <= 8 || self.put_both(c, d, 4 * n - 32, out))
    }

    #[inline(always)]
    fn put_narrowed(self, a: Self::Vector, b: Self::Vector, n: usize, out: &mut Output<'_>) -> bool {
        put(self, self.narrowed16(a, b), n, out)
    }

    #[inline(always)]
    fn put_words(self, low: Self::Vector, high: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let shuffles = [tables::words(keep), tables::words(keep >> 8)];
        let [n, m] = ones(keep);
        put_two(self, self.zip8(low, high), shuffles, [2 * n, 2 * m], out)
    }

    #[inline(always)]
    fn put_pairs(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::pairs(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_quads(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::quads(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_dwords(
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
            && put_some_dwords(self, a, keep, out)
            && put_some_dwords(self, b, keep >> 4, out)
            && put_some_dwords(self, c, keep >> 8, out)
            && put_some_dwords(self, d, keep >> 12, out)
    }

    #[inline(always)]
    fn put_joined(self, low: Self::Vector, high: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let shuffles = [tables::joined(keep), tables::joined(keep >> 8)];
        let [n, m] = ones(keep);
        put_two(self, self.zip16(low, high), shuffles, [2 * n, 2 * m], out)
    }

    #[inline(always)]
    fn put_ones_or_twos(
        self,
        first: Self::Vector,
        second: Self::Vector,
        two: u64,
        len: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let two = two & within(len);
        let shuffles = [tables::ones_or_twos(two), tables::ones_or_twos(two >> 8)];
        let [n, m] = ones(two);
        let lens = [len.min(8) + n, len.saturating_sub(8) + m];
        put_two(self, self.zip8(first, second), shuffles, lens, out)
    }

    #[inline(always)]
    fn put_some(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        let first = shuffle(self, v, tables::bytes(keep));
        let of_second = self.table(tables::bytes(keep >> 8));
        let second = self.lookup(v, Simd::or(self, of_second, self.splat(8)));
        let [n, m] = ones(keep);
        out.left() >= n + m && put(self, first, n, out) && put(self, second, m, out)
    }

    #[inline(always)]
    fn put_twos(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::twos(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_ends(self, v: Self::Vector, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, shuffle(self, v, tables::ends(keep)), keep.count_ones() as usize, out)
    }
}

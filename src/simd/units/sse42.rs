//! SSE4.2: tables of shuffles leave the gaps out, 16 bytes at a time. AVX2 does the same, with the
//! instructions of its own that have three operands; its vectors of 32 bytes would be shuffled by halves.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::{Units, tables, within};
use crate::simd::sse42::Sse42;
use crate::simd::{Simd, avx2, sse42};
use crate::transcode::{Length, Output, Routine, Routines, plain, routines};

/// The SSE4.2 kernel's conversions.
pub(crate) static ROUTINES: Routines = routines!(convert, swap, length);

#[target_feature(enable = "sse4.2,popcnt")]
fn convert<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    let read = R::short(Sse42::new(), text, out, |piece| sse42::validate(piece));
    if read == text.len() { read } else { convert_long::<R>(text, out) }
}

#[inline(never)]
#[target_feature(enable = "sse4.2,popcnt")]
fn convert_long<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    R::run(Sse42::new(), text, out, |piece| sse42::validate(piece))
}

#[target_feature(enable = "sse4.2,popcnt")]
fn swap(unit: usize, bytes: &mut [u8]) {
    plain::swap(unit, bytes);
}

#[target_feature(enable = "sse4.2,popcnt")]
fn length(which: Length, text: &[u8]) -> usize {
    plain::length(which, text)
}

/// The AVX2 kernel's conversions.
pub(crate) static ROUTINES_AVX2: Routines = routines!(convert_avx2, swap_avx2, length_avx2);

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn convert_avx2<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    let read = R::short(Sse42::new(), text, out, |piece| avx2::validate(piece));
    if read == text.len() { read } else { convert_long_avx2::<R>(text, out) }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn convert_long_avx2<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    R::run(Sse42::new(), text, out, |piece| avx2::validate(piece))
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn swap_avx2(unit: usize, bytes: &mut [u8]) {
    plain::swap(unit, bytes);
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn length_avx2(which: Length, text: &[u8]) -> usize {
    plain::length(which, text)
}

impl Sse42 {
    /// The bytes of `a` and `b` in turn: the first half of them, and the second.
    #[inline(always)]
    fn pairs(self, a: __m128i, b: __m128i) -> [__m128i; 2] {
        // SAFETY: SSE2, by `self`.
        let first = unsafe { _mm_unpacklo_epi8(a, b) };
        // SAFETY: SSE2, by `self`.
        let second = unsafe { _mm_unpackhi_epi8(a, b) };
        [first, second]
    }

    /// Appends the first `n` bytes of the vector, if they fit.
    #[inline(always)]
    fn put(self, v: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        let n = n.min(16);
        if let Some(window) = out.window::<16>() {
            // SAFETY: SSE2, by `self`; the window has 16 bytes, and the store needs no alignment.
            unsafe { _mm_storeu_si128(window.as_mut_ptr().cast(), v) };
            // SAFETY: the store has written 16 bytes, and `n` is no more.
            unsafe { out.advance(n) };
            return true;
        }
        let mut bytes = [0u8; 16];
        // SAFETY: SSE2, by `self`; there are 16 bytes, and the store needs no alignment.
        unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), v) };
        out.put(&bytes[..n])
    }

    #[inline(always)]
    fn shuffle(self, v: __m128i, shuffle: &[u8; 16]) -> __m128i {
        self.lookup(v, self.table(shuffle))
    }

    /// Appends those of the four dwords for which the lowest bits of `keep` have a one, if they fit.
    #[inline(always)]
    fn put_some_dwords(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::dwords(keep)), 4 * (keep & 0xF).count_ones() as usize, out)
    }

    #[inline(always)]
    fn equal16(self, v: __m128i, word: u16) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_cmpeq_epi16(v, self.splat16(word)) }
    }

    #[inline(always)]
    fn select(self, mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE4.1, by `self`. PBLENDVB looks at bit 7 of each byte.
        unsafe { _mm_blendv_epi8(no, yes, mask) }
    }
}

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for SSE4.2 and was called on a CPU that has it.
impl Units for Sse42 {
    type Vector = __m128i;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat8(self, byte: u8) -> __m128i {
        self.splat(byte)
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set1_epi16(word.cast_signed()) }
    }

    #[inline(always)]
    fn splat32(self, word: u32) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set1_epi32(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> __m128i {
        Simd::load(self, bytes, at)
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> __m128i {
        Simd::load_short(self, bytes)
    }

    #[inline(always)]
    fn earlier(self, now: __m128i, before: __m128i) -> [__m128i; 3] {
        [
            Simd::earlier::<1>(self, now, before),
            Simd::earlier::<2>(self, now, before),
            Simd::earlier::<3>(self, now, before),
        ]
    }

    #[inline(always)]
    fn widened(self, v: __m128i) -> [__m128i; 2] {
        // SAFETY: SSE2, by `self`.
        let first = unsafe { _mm_unpacklo_epi16(v, self.splat8(0)) };
        // SAFETY: SSE2, by `self`.
        let second = unsafe { _mm_unpackhi_epi16(v, self.splat8(0)) };
        [first, second]
    }

    #[inline(always)]
    fn widened8(self, v: __m128i) -> [__m128i; 2] {
        self.pairs(v, self.splat8(0))
    }

    #[inline(always)]
    fn narrowed32(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE4.1, by `self`.
        unsafe { _mm_packus_epi32(a, b) }
    }

    #[inline(always)]
    fn and(self, a: __m128i, b: __m128i) -> __m128i {
        Simd::and(self, a, b)
    }

    #[inline(always)]
    fn or(self, a: __m128i, b: __m128i) -> __m128i {
        Simd::or(self, a, b)
    }

    #[inline(always)]
    fn max(self, a: __m128i, b: __m128i) -> __m128i {
        Simd::max(self, a, b)
    }

    #[inline(always)]
    fn minus(self, a: __m128i, b: __m128i) -> __m128i {
        Simd::minus(self, a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: __m128i, b: __m128i) -> __m128i {
        Simd::plus_signed(self, a, b)
    }

    #[inline(always)]
    fn plus32(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_add_epi32(a, b) }
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_slli_epi16::<N>(v) }
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_srli_epi16::<N>(v) }
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_slli_epi32::<N>(v) }
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_srli_epi32::<N>(v) }
    }

    #[inline(always)]
    fn sixes(self, v: __m128i) -> __m128i {
        let (second, third) = (self.left32::<2>(v), self.left32::<16>(v));
        let second = Simd::and(self, second, self.splat32(0x0000_FF00));
        let third = Simd::and(self, third, self.splat32(0x00FF_0000));
        Simd::or(self, Simd::or(self, second, third), self.right32::<12>(v))
    }

    #[inline(always)]
    fn high_bits(self, v: __m128i) -> u64 {
        Simd::high_bits(self, v)
    }

    #[inline(always)]
    fn any(self, v: __m128i) -> bool {
        Simd::any(self, v)
    }

    #[inline(always)]
    fn where_high(self, flags: __m128i, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        let mask = unsafe { _mm_cmplt_epi8(flags, self.splat8(0)) };
        Simd::and(self, mask, v)
    }

    #[inline(always)]
    fn select_high(self, flags: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        self.select(flags, yes, no)
    }

    #[inline(always)]
    fn select16(self, v: __m128i, least: u16, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        let mask = unsafe { _mm_cmpgt_epi16(v, self.splat16(least - 1)) };
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn select32(self, v: __m128i, least: u32, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        let mask = unsafe { _mm_cmpgt_epi32(v, self.splat32(least - 1)) };
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn select32_equal(self, a: __m128i, b: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        let mask = unsafe { _mm_cmpeq_epi32(a, b) };
        self.select(mask, yes, no)
    }

    #[inline(always)]
    fn differ16(self, x: __m128i, a: u16, y: __m128i, b: u16) -> bool {
        Simd::any(self, self.xor(self.equal16(x, a), self.equal16(y, b)))
    }

    #[inline(always)]
    fn any_equal16(self, v: __m128i, word: u16) -> bool {
        Simd::any(self, self.equal16(v, word))
    }

    #[inline(always)]
    fn ordered(self, v: __m128i) -> __m128i {
        v
    }

    #[inline(always)]
    fn select16_equal(self, v: __m128i, word: u16, yes: __m128i, no: __m128i) -> __m128i {
        self.select(self.equal16(v, word), yes, no)
    }

    #[inline(always)]
    fn any_equal32(self, v: __m128i, dword: u32) -> bool {
        // SAFETY: SSE2, by `self`.
        let equal = unsafe { _mm_cmpeq_epi32(v, self.splat32(dword)) };
        Simd::any(self, equal)
    }

    #[inline(always)]
    fn put_first(self, v: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        self.put(v, n, out)
    }

    #[inline(always)]
    fn put_both(self, first: __m128i, second: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        out.left() >= n && self.put(first, n.min(16), out) && self.put(second, n.saturating_sub(16), out)
    }

    #[inline(always)]
    fn put_widened(self, v: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        self.put_both(first, second, 2 * n, out)
    }

    #[inline(always)]
    fn put_widened32(self, v: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        let ([a, b], [c, d]) = (self.widened(first), self.widened(second));
        out.left() >= 4 * n
            && self.put_both(a, b, (4 * n).min(32), out)
            && (n <= 8 || self.put_both(c, d, 4 * n - 32, out))
    }

    #[inline(always)]
    fn put_narrowed(self, a: __m128i, b: __m128i, n: usize, out: &mut Output<'_>) -> bool {
        // SAFETY: SSE2, by `self`.
        let bytes = unsafe { _mm_packus_epi16(a, b) };
        self.put(bytes, n, out)
    }

    #[inline(always)]
    fn put_words(self, low: __m128i, high: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        let [first, second] = self.pairs(low, high);
        let (n, m) = (2 * (keep & 0xFF).count_ones() as usize, 2 * (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m
            && self.put(self.shuffle(first, tables::words(keep)), n, out)
            && self.put(self.shuffle(second, tables::words(keep >> 8)), m, out)
    }

    #[inline(always)]
    fn put_pairs(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::pairs(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_quads(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::quads(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_dwords(
        self,
        low: __m128i,
        middle: __m128i,
        high: Option<__m128i>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let [first, second] = self.pairs(low, middle);
        let [upper_first, upper_second] = match high {
            Some(high) => self.widened8(high),
            None => [self.splat8(0); 2],
        };
        if out.left() < 4 * (keep & 0xFFFF).count_ones() as usize {
            return false;
        }
        // SAFETY: SSE2, by `self`.
        let a = unsafe { _mm_unpacklo_epi16(first, upper_first) };
        // SAFETY: SSE2, by `self`.
        let b = unsafe { _mm_unpackhi_epi16(first, upper_first) };
        // SAFETY: SSE2, by `self`.
        let c = unsafe { _mm_unpacklo_epi16(second, upper_second) };
        // SAFETY: SSE2, by `self`.
        let d = unsafe { _mm_unpackhi_epi16(second, upper_second) };
        self.put_some_dwords(a, keep, out)
            && self.put_some_dwords(b, keep >> 4, out)
            && self.put_some_dwords(c, keep >> 8, out)
            && self.put_some_dwords(d, keep >> 12, out)
    }

    #[inline(always)]
    fn put_joined(self, low: __m128i, high: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        // SAFETY: SSE2, by `self`.
        let first = unsafe { _mm_unpacklo_epi16(low, high) };
        // SAFETY: SSE2, by `self`.
        let second = unsafe { _mm_unpackhi_epi16(low, high) };
        let (n, m) = (2 * (keep & 0xFF).count_ones() as usize, 2 * (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m
            && self.put(self.shuffle(first, tables::joined(keep)), n, out)
            && self.put(self.shuffle(second, tables::joined(keep >> 8)), m, out)
    }

    #[inline(always)]
    fn put_ones_or_twos(
        self,
        first: __m128i,
        second: __m128i,
        two: u64,
        len: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let [a, b] = self.pairs(first, second);
        let two = two & within(len);
        let n = len.min(8) + (two & 0xFF).count_ones() as usize;
        let m = len.saturating_sub(8) + (two >> 8).count_ones() as usize;
        out.left() >= n + m
            && self.put(self.shuffle(a, tables::ones_or_twos(two)), n, out)
            && self.put(self.shuffle(b, tables::ones_or_twos(two >> 8)), m, out)
    }

    #[inline(always)]
    fn put_some(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        let first = self.shuffle(v, tables::bytes(keep));
        let of_second = self.table(tables::bytes(keep >> 8));
        let second = self.lookup(v, Simd::or(self, of_second, self.splat8(8)));
        let (n, m) = ((keep & 0xFF).count_ones() as usize, (keep >> 8 & 0xFF).count_ones() as usize);
        out.left() >= n + m && self.put(first, n, out) && self.put(second, m, out)
    }

    #[inline(always)]
    fn put_twos(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::twos(keep)), keep.count_ones() as usize, out)
    }

    #[inline(always)]
    fn put_ends(self, v: __m128i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put(self.shuffle(v, tables::ends(keep)), keep.count_ones() as usize, out)
    }
}

//! AVX-512: a compression leaves the gaps out, 64 bytes at a time.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx512::Avx512;
use crate::output::Output;
use crate::simd::convert::{Units, within};

/// How far ahead of the stores a line is fetched that will be written.
const AHEAD: usize = 1024;

impl Avx512 {
    /// The bytes of `a` and `b` in turn, both of which are ordered: the first half of them, and the second.
    #[inline(always)]
    fn pairs(self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        // SAFETY: AVX512BW, by `self`.
        let first = unsafe { _mm512_unpacklo_epi8(a, b) };
        // SAFETY: AVX512BW, by `self`.
        let second = unsafe { _mm512_unpackhi_epi8(a, b) };
        [first, second]
    }

    #[inline(always)]
    fn halves(self, v: __m512i) -> [__m256i; 2] {
        // SAFETY: AVX512F, by `self`.
        let first = unsafe { _mm512_castsi512_si256(v) };
        // SAFETY: AVX512F, by `self`.
        let second = unsafe { _mm512_extracti64x4_epi64::<1>(v) };
        [first, second]
    }

    /// What was packed of two vectors, in their order. Packing works lane by lane of 128 bits, so that lanes of 64 bits
    /// are of the first one, of the second one, of the first one, ...
    #[inline(always)]
    fn unlaned(self, packed: __m512i) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        let order = unsafe { _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_permutexvar_epi64(order, packed) }
    }

    /// Appends the first `n` of 32 units of 32 bits, of which the arguments have the lower two bytes and the third one,
    /// if they fit.
    #[inline(always)]
    fn put_dwords_of(self, words: __m512i, high: Option<__m256i>, n: usize, out: &mut Output<'_>) -> bool {
        let [mut first, mut second] = self.widened(words);
        if let Some(high) = high {
            // SAFETY: AVX512BW, by `self`.
            let high = unsafe { _mm512_cvtepu8_epi16(high) };
            let [high_first, high_second] = self.widened(high);
            first = self.or(first, self.left32::<16>(high_first));
            second = self.or(second, self.left32::<16>(high_second));
        }
        self.put(first, 4 * n, out) && (n <= 16 || self.put(second, 4 * (n - 16), out))
    }

    /// Appends the first `n` bytes of the vector, if they fit.
    #[inline(always)]
    fn put(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        let n = n.min(64);
        if let Some(window) = out.window::<64>() {
            // SAFETY: AVX512F, by `self`; the window has 64 bytes, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(window.as_mut_ptr().cast(), v) };
            // SAFETY: the store has written 64 bytes, and `n` is no more.
            unsafe { out.advance(n) };
            return true;
        }
        let Some(rest) = out.rest(n) else { return false };
        let mask = u64::MAX.checked_shr(64 - n as u32).unwrap_or(0);
        // SAFETY: AVX512BW, by `self`; the mask has ones for `n` bytes, which are there, and no others are
        // accessed.
        unsafe { _mm512_mask_storeu_epi8(rest.as_mut_ptr().cast(), mask, v) };
        // SAFETY: the store has written `n` bytes.
        unsafe { out.advance(n) };
        true
    }

    /// For the lower 32 bits two each: a one, and the bit.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn spread(self, bits: u64) -> u64 {
        // SAFETY: BMI2, by `self`.
        let seconds = unsafe { _pdep_u64(bits, 0xAAAA_AAAA_AAAA_AAAA) };
        seconds | 0x5555_5555_5555_5555
    }

    /// The same where PDEP has 32 bits.
    #[cfg(target_arch = "x86")]
    #[inline(always)]
    fn spread(self, bits: u64) -> u64 {
        // SAFETY: BMI2, by `self`.
        let low = unsafe { _pdep_u32(bits as u32, 0xAAAA_AAAA) };
        // SAFETY: BMI2, by `self`.
        let high = unsafe { _pdep_u32((bits >> 16) as u32, 0xAAAA_AAAA) };
        u64::from(high) << 32 | u64::from(low) | 0x5555_5555_5555_5555
    }

    #[inline(always)]
    fn put_compressed(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        // SAFETY: AVX512VBMI2, by `self`.
        let bytes = unsafe { _mm512_maskz_compress_epi8(keep, v) };
        self.put(bytes, keep.count_ones() as usize, out)
    }
}

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for the features above and was called on a CPU that has them.
impl Units for Avx512 {
    type Vector = __m512i;
    const LANES: usize = 64;

    #[inline(always)]
    fn splat8(self, byte: u8) -> __m512i {
        self.splat(byte)
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi16(word.cast_signed()) }
    }

    #[inline(always)]
    fn splat32(self, word: u32) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi32(word.cast_signed()) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> __m512i {
        Self::load(self, bytes, at)
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> __m512i {
        Self::load_short(self, bytes)
    }

    #[inline(always)]
    fn earlier(self, now: __m512i, before: __m512i) -> [__m512i; 3] {
        // SAFETY: AVX512F, by `self`.
        let lanes = unsafe { _mm512_alignr_epi64::<7>(now, before) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by1 = unsafe { _mm512_shldi_epi64::<8>(now, lanes) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by2 = unsafe { _mm512_shldi_epi64::<16>(now, lanes) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by3 = unsafe { _mm512_shldi_epi64::<24>(now, lanes) };
        [by1, by2, by3]
    }

    // (Two loads of 32 bytes would do as well, and spare a shuffle; but the compiler, which sees that the bytes are
    // loaded already, makes of them what it has, two bytes at a time.)
    #[inline(always)]
    fn widened(self, v: __m512i) -> [__m512i; 2] {
        let [first, second] = self.halves(v);
        // SAFETY: AVX512F, by `self`.
        let first = unsafe { _mm512_cvtepu16_epi32(first) };
        // SAFETY: AVX512F, by `self`.
        let second = unsafe { _mm512_cvtepu16_epi32(second) };
        [first, second]
    }

    #[inline(always)]
    fn widened8(self, v: __m512i) -> [__m512i; 2] {
        let [first, second] = self.halves(v);
        // SAFETY: AVX512BW, by `self`.
        let first = unsafe { _mm512_cvtepu8_epi16(first) };
        // SAFETY: AVX512BW, by `self`.
        let second = unsafe { _mm512_cvtepu8_epi16(second) };
        [first, second]
    }

    #[inline(always)]
    fn narrowed32(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let packed = unsafe { _mm512_packus_epi32(a, b) };
        self.unlaned(packed)
    }

    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        Self::and(self, a, b)
    }

    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        Self::or(self, a, b)
    }

    #[inline(always)]
    fn max(self, a: __m512i, b: __m512i) -> __m512i {
        Self::max(self, a, b)
    }

    #[inline(always)]
    fn minus(self, a: __m512i, b: __m512i) -> __m512i {
        Self::minus(self, a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: __m512i, b: __m512i) -> __m512i {
        Self::plus_signed(self, a, b)
    }

    #[inline(always)]
    fn plus32(self, a: __m512i, b: __m512i) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: __m512i) -> __m512i {
        // SAFETY: SSE2, by `self`. A constant, of which the compiler makes an immediate.
        let n = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_sll_epi16(v, n) }
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: __m512i) -> __m512i {
        // SAFETY: SSE2, by `self`. A constant, of which the compiler makes an immediate.
        let n = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_srl_epi16(v, n) }
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: __m512i) -> __m512i {
        // SAFETY: SSE2, by `self`. A constant, of which the compiler makes an immediate.
        let n = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_sll_epi32(v, n) }
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: __m512i) -> __m512i {
        // SAFETY: SSE2, by `self`. A constant, of which the compiler makes an immediate.
        let n = unsafe { _mm_cvtsi32_si128(N) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_srl_epi32(v, n) }
    }

    #[inline(always)]
    fn sixes(self, v: __m512i) -> __m512i {
        // VPMULTISHIFTQB takes eight bits for each byte of a result, from whichever bit of 64 on.
        const FROM: u64 = u64::from_le_bytes([12, 6, 0, 24, 44, 38, 32, 56]);
        // SAFETY: AVX512VBMI, by `self`.
        unsafe { _mm512_multishift_epi64_epi8(self.splat64(FROM), v) }
    }

    #[inline(always)]
    fn high_bits(self, v: __m512i) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_movepi8_mask(v) }
    }

    #[inline(always)]
    fn any(self, v: __m512i) -> bool {
        Self::any(self, v)
    }

    #[inline(always)]
    fn where_high(self, flags: __m512i, v: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let mask = unsafe { _mm512_movepi8_mask(flags) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_maskz_mov_epi8(mask, v) }
    }

    #[inline(always)]
    fn select_high(self, flags: __m512i, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let mask = unsafe { _mm512_movepi8_mask(flags) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_mask_blend_epi8(mask, no, yes) }
    }

    #[inline(always)]
    fn select16(self, v: __m512i, least: u16, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let mask = unsafe { _mm512_cmpge_epu16_mask(v, self.splat16(least)) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_mask_blend_epi16(mask, no, yes) }
    }

    #[inline(always)]
    fn select32(self, v: __m512i, least: u32, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        let mask = unsafe { _mm512_cmpge_epu32_mask(v, self.splat32(least)) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_mask_blend_epi32(mask, no, yes) }
    }

    #[inline(always)]
    fn select32_equal(self, a: __m512i, b: __m512i, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        let mask = unsafe { _mm512_cmpeq_epi32_mask(a, b) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_mask_blend_epi32(mask, no, yes) }
    }

    #[inline(always)]
    fn differ16(self, x: __m512i, a: u16, y: __m512i, b: u16) -> bool {
        // SAFETY: AVX512BW, by `self`.
        let of_x = unsafe { _mm512_cmpeq_epi16_mask(x, self.splat16(a)) };
        // SAFETY: AVX512BW, by `self`.
        let of_y = unsafe { _mm512_cmpeq_epi16_mask(y, self.splat16(b)) };
        of_x != of_y
    }

    #[inline(always)]
    fn any_equal16(self, v: __m512i, word: u16) -> bool {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_cmpeq_epi16_mask(v, self.splat16(word)) != 0 }
    }

    // Interleaving works lane by lane of 128 bits, on the lower or the upper half of each: so what is wanted first is
    // brought to the lower halves.
    #[inline(always)]
    fn ordered(self, v: __m512i) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        let order = unsafe { _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7) };
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_permutexvar_epi64(order, v) }
    }

    #[inline(always)]
    fn select16_equal(self, v: __m512i, word: u16, yes: __m512i, no: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let mask = unsafe { _mm512_cmpeq_epi16_mask(v, self.splat16(word)) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_mask_blend_epi16(mask, no, yes) }
    }

    #[inline(always)]
    fn any_equal32(self, v: __m512i, dword: u32) -> bool {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_cmpeq_epi32_mask(v, self.splat32(dword)) != 0 }
    }

    #[inline(always)]
    fn put_first(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        self.put(v, n, out)
    }

    #[inline(always)]
    fn put_both(self, first: __m512i, second: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        let n = n.min(128);
        if let Some(window) = out.window::<128>() {
            // SAFETY: AVX512F, by `self`; the window has 128 bytes, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(window[..64].as_mut_ptr().cast(), first) };
            // SAFETY: AVX512F, by `self`; what is behind the first half has 64 bytes.
            unsafe { _mm512_storeu_si512(window[64..].as_mut_ptr().cast(), second) };
            // SAFETY: the stores have written 128 bytes, and `n` is no more.
            unsafe { out.advance(n) };
            return true;
        }
        out.left() >= n && self.put(first, n.min(64), out) && self.put(second, n.saturating_sub(64), out)
    }

    #[inline(always)]
    fn put_widened32(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        let ([a, b], [c, d]) = (self.widened(first), self.widened(second));
        out.left() >= 4 * n
            && self.put_both(a, b, (4 * n).min(2 * Self::LANES), out)
            && (n <= Self::LANES / 2 || self.put_both(c, d, 4 * n - 2 * Self::LANES, out))
    }

    #[inline(always)]
    fn will_write(self, bytes: usize, out: &Output<'_>) {
        for line in 0..bytes / 64 {
            let line = out.ahead(AHEAD + 64 * line).cast();
            // SAFETY: SSE, by `self`. A prefetch is a hint: it neither faults nor counts as an access.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
        }
    }

    #[inline(always)]
    fn put_widened(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = self.widened8(v);
        self.put_both(first, second, 2 * n, out)
    }

    #[inline(always)]
    fn put_narrowed(self, a: __m512i, b: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        // SAFETY: AVX512BW, by `self`.
        let packed = unsafe { _mm512_packus_epi16(a, b) };
        self.put(self.unlaned(packed), n, out)
    }

    #[inline(always)]
    fn put_words(self, low: __m512i, high: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        let n = 2 * keep.count_ones() as usize;
        // SAFETY: AVX512VBMI2, by `self`.
        let low = unsafe { _mm512_maskz_compress_epi8(keep, low) };
        // SAFETY: AVX512VBMI2, by `self`.
        let high = unsafe { _mm512_maskz_compress_epi8(keep, high) };
        if n <= 64 {
            // SAFETY: AVX512F, by `self`.
            let low = unsafe { _mm512_castsi512_si256(low) };
            // SAFETY: AVX512F, by `self`.
            let high = unsafe { _mm512_castsi512_si256(high) };
            // SAFETY: AVX512BW, by `self`.
            let low = unsafe { _mm512_cvtepu8_epi16(low) };
            // SAFETY: AVX512BW, by `self`.
            let high = unsafe { _mm512_cvtepu8_epi16(high) };
            return self.put(self.or(low, self.left16::<8>(high)), n, out);
        }
        let [first, second] = self.pairs(self.ordered(low), self.ordered(high));
        self.put_both(first, second, n, out)
    }

    #[inline(always)]
    fn put_pairs(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_compressed(v, keep, out)
    }

    #[inline(always)]
    fn put_quads(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_compressed(v, keep, out)
    }

    #[inline(always)]
    fn put_dwords(
        self,
        low: __m512i,
        middle: __m512i,
        high: Option<__m512i>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let n = keep.count_ones() as usize;
        if out.left() < 4 * n {
            return false;
        }
        // SAFETY: AVX512VBMI2, by `self`.
        let low = unsafe { _mm512_maskz_compress_epi8(keep, low) };
        // SAFETY: AVX512VBMI2, by `self`.
        let middle = unsafe { _mm512_maskz_compress_epi8(keep, middle) };
        let [low, low_second] = self.widened8(low);
        let [middle, middle_second] = self.widened8(middle);
        let words = self.or(low, self.left16::<8>(middle));
        let (mut high_first, mut high_second) = (None, None);
        if let Some(high) = high {
            // SAFETY: AVX512VBMI2, by `self`.
            let high = unsafe { _mm512_maskz_compress_epi8(keep, high) };
            let [first, second] = self.halves(high);
            (high_first, high_second) = (Some(first), Some(second));
        }
        if !self.put_dwords_of(words, high_first, n.min(32), out) {
            return false;
        }
        if n <= 32 {
            return true;
        }
        let words = self.or(low_second, self.left16::<8>(middle_second));
        self.put_dwords_of(words, high_second, n - 32, out)
    }

    #[inline(always)]
    fn put_joined(self, low: __m512i, high: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        let n = 2 * keep.count_ones() as usize;
        // SAFETY: AVX512VBMI2, by `self`.
        let low = unsafe { _mm512_maskz_compress_epi8(keep, low) };
        // SAFETY: AVX512VBMI2, by `self`.
        let high = unsafe { _mm512_maskz_compress_epi8(keep, high) };
        let ([low, low_second], [high, high_second]) = (self.widened(low), self.widened(high));
        let first = self.or(low, self.left32::<16>(high));
        if n <= 64 {
            return self.put(first, n, out);
        }
        self.put_both(first, self.or(low_second, self.left32::<16>(high_second)), n, out)
    }

    #[inline(always)]
    fn put_ones_or_twos(
        self,
        first: __m512i,
        second: __m512i,
        two: u64,
        len: usize,
        out: &mut Output<'_>,
    ) -> bool {
        let [a, b] = self.pairs(first, second);
        let keep_a = self.spread(two) & within(2 * len);
        let keep_b = self.spread(two >> 32) & within((2 * len).saturating_sub(64));
        let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
        out.left() >= n && self.put_compressed(a, keep_a, out) && self.put_compressed(b, keep_b, out)
    }

    #[inline(always)]
    fn put_some(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_compressed(v, keep, out)
    }

    #[inline(always)]
    fn put_twos(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_compressed(v, keep, out)
    }

    #[inline(always)]
    fn put_ends(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        self.put_compressed(v, keep, out)
    }
}

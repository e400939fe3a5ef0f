//! SSE4.2: vectors of 16 bytes, on every x86-64 CPU since 2008.
//!
//! The code uses SSSE3 and SSE4.1. It is named after the CPU generation, which users and compilers
//! know.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::prefetch::prefetch;
use crate::simd::{Aligned, Plain, Simd, Sse42, Vectors, short_words};

// SAFETY: it is integers side by side.
unsafe impl Plain for __m128i {}

/// The shuffles with which `load_short` puts four overlapping dwords together, by the number of
/// bytes, 4 to 15.
///
/// The dwords begin at byte 0, at byte 4 or four bytes before the end, eight bytes before the end,
/// and four bytes before the end. Each byte is taken from the first dword that has it. (An index
/// with bit 7 set gives zero.)
static DWORDS: Aligned<[[u8; 16]; 16]> = {
    let mut rows = [[0x80; 16]; 16];
    let mut n = 4_usize;
    while n < 16 {
        let mut i = 0;
        while i < n {
            let starts = [0, if n < 8 { n - 4 } else { 4 }, n.saturating_sub(8), n - 4];
            let mut dword = 0;
            while !(starts[dword] <= i && i < starts[dword] + 4) {
                dword += 1;
            }
            rows[n][i] = (4 * dword + i - starts[dword]) as u8;
            i += 1;
        }
        n += 1;
    }
    Aligned(rows)
};

// Each SAFETY comment below rests on this: `self` exists, so this code runs inside a function that
// is compiled for SSE4.2, and was called on a CPU that has it.
impl Vectors for Sse42 {
    type Vector = __m128i;
    const LANES: usize = 16;

    #[inline(always)]
    fn splat(self, byte: u8) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set1_epi8(byte as i8) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> __m128i {
        let from: &[u8] = &bytes[at..at + 16];
        // SAFETY: SSE2, by `self`; `from` has 16 bytes, and the load needs no alignment.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> __m128i {
        let n = bytes.len();
        let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
            let [low, _] = short_words(bytes);
            // SAFETY: SSE2, by `self`.
            return unsafe { _mm_set_epi64x(0, low as i64) };
        };
        // Four overlapping dwords for every length: a branch on the length would often be
        // mispredicted.
        let second = bytes[(n - 4).min(4)..].first_chunk().unwrap_or(last);
        let third = bytes[(n - 4).max(4) - 4..].first_chunk().unwrap_or(last);
        let (first, second) = (i32::from_le_bytes(*first), i32::from_le_bytes(*second));
        let (third, last) = (i32::from_le_bytes(*third), i32::from_le_bytes(*last));
        // SAFETY: SSE2, by `self`.
        let dwords = unsafe { _mm_set_epi32(last, third, second, first) };
        let place = self.load(&DWORDS.0[n & 15], 0);
        // SAFETY: SSSE3, by `self`.
        unsafe { _mm_shuffle_epi8(dwords, place) }
    }

    #[inline(always)]
    fn high_bits(self, v: __m128i) -> u64 {
        // SAFETY: SSE2, by `self`.
        let bits = unsafe { _mm_movemask_epi8(v) };
        u64::from(bits.cast_unsigned())
    }

    #[inline(always)]
    fn any(self, v: __m128i) -> bool {
        // SAFETY: SSE4.1, by `self`. PTEST sets ZF when `v & v` is zero.
        unsafe { _mm_testz_si128(v, v) == 0 }
    }

    intrinsics! {
        // SSE2.
        fn and(a: __m128i, b: __m128i) -> __m128i = _mm_and_si128(a, b);
        fn or(a: __m128i, b: __m128i) -> __m128i = _mm_or_si128(a, b);
        fn max(a: __m128i, b: __m128i) -> __m128i = _mm_max_epu8(a, b);
        fn min(a: __m128i, b: __m128i) -> __m128i = _mm_min_epu8(a, b);
        fn minus_saturating(a: __m128i, b: __m128i) -> __m128i = _mm_subs_epu8(a, b);
        fn plus_signed_saturating(a: __m128i, b: __m128i) -> __m128i = _mm_adds_epi8(a, b);
    }
}

impl Simd for Sse42 {
    const ASCII_TEST_FROM: usize = 16;

    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        prefetch(bytes, at);
    }

    #[inline(always)]
    fn ending_in(self, bytes: [u8; 4]) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set_epi32(i32::from_le_bytes(bytes), 0, 0, 0) }
    }

    #[inline(always)]
    fn earlier<const N: usize>(self, now: __m128i, before: __m128i) -> __m128i {
        const { assert!(1 <= N && N <= 3) };
        // PALIGNR takes 16 bytes out of the 32 of `before` and `now`, from the given place on.
        match N {
            // SAFETY: SSSE3, by `self`.
            1 => unsafe { _mm_alignr_epi8::<15>(now, before) },
            // SAFETY: SSSE3, by `self`.
            2 => unsafe { _mm_alignr_epi8::<14>(now, before) },
            // SAFETY: SSSE3, by `self`.
            _ => unsafe { _mm_alignr_epi8::<13>(now, before) },
        }
    }

    #[inline(always)]
    fn high_nibbles(self, v: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`. There is no shift of bytes. A shift of 16 bits moves in bits of
        // the neighbouring byte, and the mask removes them.
        let shifted = unsafe { _mm_srli_epi16::<4>(v) };
        self.low_nibbles(shifted)
    }

    #[inline(always)]
    fn sum(self, v: __m128i) -> usize {
        // SAFETY: SSE2, by `self`. PSADBW sums the differences of eight bytes each, here from zero.
        let sums = unsafe { _mm_sad_epu8(v, self.splat(0)) };
        // SAFETY: SSE2, by `self`.
        let swapped = unsafe { _mm_unpackhi_epi64(sums, sums) };
        // SAFETY: SSE2, by `self`.
        let all = unsafe { _mm_add_epi64(sums, swapped) };
        // SAFETY: SSE2, by `self`. The sum is at most 16 * 255.
        unsafe { _mm_cvtsi128_si32(all) as usize }
    }

    intrinsics! {
        // SSSE3.
        fn lookup(table: __m128i, indices: __m128i) -> __m128i = _mm_shuffle_epi8(table, indices);

        // SSE2.
        fn xor(a: __m128i, b: __m128i) -> __m128i = _mm_xor_si128(a, b);
        fn minus_wrapping(a: __m128i, b: __m128i) -> __m128i = _mm_sub_epi8(a, b);
        fn equal(a: __m128i, b: __m128i) -> __m128i = _mm_cmpeq_epi8(a, b);
        fn below_signed(a: __m128i, b: __m128i) -> __m128i = _mm_cmpgt_epi8(b, a);
        // PACKSSWB makes signed bytes of signed words. It saturates, so only zero becomes zero.
        fn halve(a: __m128i, b: __m128i) -> __m128i = _mm_packs_epi16(a, b);
    }
}

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

impl Sse42 {
    compiled! { Sse42
        fn first_eight(bytes: u64) -> __m128i { _mm_set_epi64x(0, bytes.cast_signed()) }

        fn of_dwords(a: i32, b: i32, c: i32, d: i32) -> __m128i { _mm_set_epi32(d, c, b, a) }
    }
}

impl Vectors for Sse42 {
    type Vector = __m128i;
    const LANES: usize = 16;

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> __m128i {
        let n = bytes.len();
        let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) else {
            return self.first_eight(short_words(bytes)[0]);
        };
        // Four overlapping dwords for every length: a branch on the length would often be
        // mispredicted.
        let second = bytes[(n - 4).min(4)..].first_chunk().unwrap_or(last);
        let third = bytes[(n - 4).max(4) - 4..].first_chunk().unwrap_or(last);
        let (first, second) = (i32::from_le_bytes(*first), i32::from_le_bytes(*second));
        let (third, last) = (i32::from_le_bytes(*third), i32::from_le_bytes(*last));
        self.lookup(self.of_dwords(first, second, third, last), self.load(&DWORDS.0[n], 0))
    }

    compiled! { Sse42
        fn splat(byte: u8) -> __m128i { _mm_set1_epi8(byte as i8) }

        fn high_bits(v: __m128i) -> u64 {
            let bits = _mm_movemask_epi8(v);
            u64::from(bits.cast_unsigned())
        }

        fn any(v: __m128i) -> bool {
            // PTEST sets ZF when `v & v` is zero.
            _mm_testz_si128(v, v) == 0
        }
        fn and(a: __m128i, b: __m128i) -> __m128i { _mm_and_si128(a, b) }
        fn or(a: __m128i, b: __m128i) -> __m128i { _mm_or_si128(a, b) }
        fn max(a: __m128i, b: __m128i) -> __m128i { _mm_max_epu8(a, b) }
        fn min(a: __m128i, b: __m128i) -> __m128i { _mm_min_epu8(a, b) }
        fn minus_saturating(a: __m128i, b: __m128i) -> __m128i { _mm_subs_epu8(a, b) }
        fn plus_signed_saturating(a: __m128i, b: __m128i) -> __m128i { _mm_adds_epi8(a, b) }
    }
}

impl Simd for Sse42 {
    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        prefetch(bytes, at);
    }

    compiled! { Sse42
        fn nibbles_at<const BIT: i32>(v: __m128i) -> __m128i {
            // There is no shift of bytes. A shift of 16 bits moves in bits of the neighbouring byte, and the mask removes them.
            _mm_and_si128(_mm_srli_epi16::<BIT>(v), _mm_set1_epi8(0x0F))
        }

        fn sum(v: __m128i) -> usize {
            // PSADBW sums the differences of eight bytes each, here from zero.
            let sums = _mm_sad_epu8(v, _mm_setzero_si128());
            let all = _mm_add_epi64(sums, _mm_unpackhi_epi64(sums, sums));
            // At most 16 * 255.
            _mm_cvtsi128_si32(all) as usize
        }

        fn ending_in(bytes: [u8; 4]) -> __m128i { _mm_set_epi32(i32::from_le_bytes(bytes), 0, 0, 0) }

        fn earlier<const N: usize>(now: __m128i, before: __m128i) -> __m128i {
            const { assert!(1 <= N && N <= 3) };
            // PALIGNR takes 16 bytes out of the 32 of `before` and `now`, from the given place on.
            match N {
                1 => _mm_alignr_epi8::<15>(now, before),
                2 => _mm_alignr_epi8::<14>(now, before),
                _ => _mm_alignr_epi8::<13>(now, before),
            }
        }
        fn lookup(table: __m128i, indices: __m128i) -> __m128i { _mm_shuffle_epi8(table, indices) }

        fn xor(a: __m128i, b: __m128i) -> __m128i { _mm_xor_si128(a, b) }
        fn minus_wrapping(a: __m128i, b: __m128i) -> __m128i { _mm_sub_epi8(a, b) }
        fn mean(a: __m128i, b: __m128i) -> __m128i { _mm_avg_epu8(a, b) }
        // PSIGNB negates.
        fn inverted(v: __m128i, signs: __m128i) -> __m128i { _mm_sign_epi8(v, signs) }
        fn equal(a: __m128i, b: __m128i) -> __m128i { _mm_cmpeq_epi8(a, b) }
        fn below_signed(a: __m128i, b: __m128i) -> __m128i { _mm_cmpgt_epi8(b, a) }
        // PACKSSWB makes signed bytes of signed words. It saturates, so only zero becomes zero.
        fn halve(a: __m128i, b: __m128i) -> __m128i { _mm_packs_epi16(a, b) }
    }
}

//! The operations of conversions with SSE4.2.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use trust8::compiled;
use trust8::engine::{Sse42, Vectors};

use super::{ShuffleOps, WideLaneOps};

compiled! { Sse42 as argument:
    /// Keeps the signs.
    fn packed_signed16(v: __m128i) -> __m128i { _mm_packs_epi16(v, v) }
}

impl WideLaneOps for Sse42 {
    type Mask16 = __m128i;
    type Mask32 = __m128i;

    compiled! { Sse42
        fn splat16(word: u16) -> __m128i { _mm_set1_epi16(word.cast_signed()) }

        fn splat32(dword: u32) -> __m128i { _mm_set1_epi32(dword.cast_signed()) }
        fn narrowed16(a: __m128i, b: __m128i) -> __m128i { _mm_packus_epi16(a, b) }
        fn plus32(a: __m128i, b: __m128i) -> __m128i { _mm_add_epi32(a, b) }
        fn left16<const N: i32>(v: __m128i) -> __m128i { _mm_slli_epi16::<N>(v) }
        fn right16<const N: i32>(v: __m128i) -> __m128i { _mm_srli_epi16::<N>(v) }
        fn left32<const N: i32>(v: __m128i) -> __m128i { _mm_slli_epi32::<N>(v) }
        fn right32<const N: i32>(v: __m128i) -> __m128i { _mm_srli_epi32::<N>(v) }

        fn equal16(a: __m128i, b: __m128i) -> __m128i { _mm_cmpeq_epi16(a, b) }
        fn equal32(a: __m128i, b: __m128i) -> __m128i { _mm_cmpeq_epi32(a, b) }
        fn above16(a: __m128i, b: __m128i) -> __m128i { _mm_cmpgt_epi16(a, b) }
        fn above32(a: __m128i, b: __m128i) -> __m128i { _mm_cmpgt_epi32(a, b) }

        fn select16(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i { _mm_blendv_epi8(no, yes, mask) }
        fn select32(mask: __m128i, yes: __m128i, no: __m128i) -> __m128i { _mm_blendv_epi8(no, yes, mask) }
        fn narrowed32(a: __m128i, b: __m128i) -> __m128i { _mm_packus_epi32(a, b) }
    }
}

impl ShuffleOps for Sse42 {
    #[inline(always)]
    fn highest16(self, v: __m128i) -> u64 {
        self.high_bits(packed_signed16(self, v))
    }

    compiled! { Sse42
        fn zip8(a: __m128i, b: __m128i) -> [__m128i; 2] { [_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)] }
        fn zip16(a: __m128i, b: __m128i) -> [__m128i; 2] {
            [_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)]
        }

    }
}

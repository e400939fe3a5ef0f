//! SSE4.2: tables of shuffles leave the gaps out, 16 bytes at a time. AVX2 does the same, with the
//! instructions of its own that have three operands; its vectors of 32 bytes would be shuffled by halves.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::sixteen::Sixteen;
use crate::simd::sse42::Sse42;
use crate::simd::{avx2, sse42};
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

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for SSE4.2 and was called on a CPU that has it.
impl Sixteen for Sse42 {
    #[inline(always)]
    fn splat16(self, word: u16) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set1_epi16(word.cast_signed()) }
    }

    #[inline(always)]
    fn splat32(self, dword: u32) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_set1_epi32(dword.cast_signed()) }
    }

    #[inline(always)]
    fn zip8(self, a: __m128i, b: __m128i) -> [__m128i; 2] {
        // SAFETY: SSE2, by `self`.
        let first = unsafe { _mm_unpacklo_epi8(a, b) };
        // SAFETY: SSE2, by `self`.
        let second = unsafe { _mm_unpackhi_epi8(a, b) };
        [first, second]
    }

    #[inline(always)]
    fn zip16(self, a: __m128i, b: __m128i) -> [__m128i; 2] {
        // SAFETY: SSE2, by `self`.
        let first = unsafe { _mm_unpacklo_epi16(a, b) };
        // SAFETY: SSE2, by `self`.
        let second = unsafe { _mm_unpackhi_epi16(a, b) };
        [first, second]
    }

    #[inline(always)]
    fn narrowed16(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_packus_epi16(a, b) }
    }

    #[inline(always)]
    fn narrowed32(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE4.1, by `self`.
        unsafe { _mm_packus_epi32(a, b) }
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
    fn equal16(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_cmpeq_epi16(a, b) }
    }

    #[inline(always)]
    fn equal32(self, a: __m128i, b: __m128i) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_cmpeq_epi32(a, b) }
    }

    #[inline(always)]
    fn at_least16(self, v: __m128i, least: u16) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_cmpgt_epi16(v, Sixteen::splat16(self, least - 1)) }
    }

    #[inline(always)]
    fn at_least32(self, v: __m128i, least: u32) -> __m128i {
        // SAFETY: SSE2, by `self`.
        unsafe { _mm_cmpgt_epi32(v, Sixteen::splat32(self, least - 1)) }
    }

    #[inline(always)]
    fn select(self, mask: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // SAFETY: SSE4.1, by `self`.
        unsafe { _mm_blendv_epi8(no, yes, mask) }
    }

    #[inline(always)]
    fn select_high(self, flags: __m128i, yes: __m128i, no: __m128i) -> __m128i {
        // PBLENDVB looks at bit 7 of each byte, and at nothing else.
        self.select(flags, yes, no)
    }
}

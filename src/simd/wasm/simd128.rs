//! WebAssembly's SIMD: vectors of 16 bytes, in every module that is compiled with the feature `simd128`.
//!
//! An engine checks a whole module before any of it runs, and refuses the module if the engine lacks the
//! instructions. So nothing is asked at run time. This file is compiled only if the feature is enabled for the whole
//! target, and then all intrinsics are safe functions, except for loads, which take a pointer.

use core::arch::wasm32::*;

#[cfg(feature = "transcode")]
use crate::simd::convert::WideLaneOps;
use crate::simd::{MOVE_DOWN, Routine, Simd, Token, short_words};

/// The token of WebAssembly's SIMD. It proves nothing, because nothing needs a proof; see above.
#[derive(Clone, Copy)]
pub(crate) struct Simd128;

// SAFETY: `v128` is integers side by side, without padding.
unsafe impl Simd for Simd128 {
    #[cfg(feature = "transcode")]
    type Converter = Self;
    type Vector = v128;
    const LANES: usize = 16;
    const ASCII_TEST_FROM: usize = 16;
    const RELOADS: bool = false;

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn converter(self) -> Self {
        self
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> v128 {
        u8x16_splat(byte)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> v128 {
        let from: &[u8] = &bytes[at..at + 16];
        // SAFETY: `from` has 16 bytes, and the load needs no alignment.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> v128 {
        let [low, high] = short_words(bytes);
        u64x2(low, high)
    }

    #[inline(always)]
    fn load_second(self, bytes: &[u8]) -> v128 {
        let end = self.load(bytes, bytes.len() - 16);
        u8x16_swizzle(end, self.load(&MOVE_DOWN.0, 32 - bytes.len()))
    }

    #[inline(always)]
    fn ending_in(self, bytes: [u8; 4]) -> v128 {
        u32x4(0, 0, 0, u32::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> v128 {
        self.load(entries, 0)
    }

    #[inline(always)]
    fn lookup(self, table: v128, indices: v128) -> v128 {
        u8x16_swizzle(table, indices)
    }

    #[inline(always)]
    fn earlier<const N: usize>(self, now: v128, before: v128) -> v128 {
        const { assert!(1 <= N && N <= 3) };
        // 16 bytes out of the 32 of `before` and `now`. Engines make one instruction of each of these patterns.
        match N {
            1 => u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before, now),
            2 => u8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before, now),
            _ => u8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before, now),
        }
    }

    #[inline(always)]
    fn high_nibbles(self, v: v128) -> v128 {
        u8x16_shr(v, 4)
    }

    #[inline(always)]
    fn low_nibbles(self, v: v128) -> v128 {
        self.and(v, self.splat(0x0F))
    }

    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn or(self, a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }

    #[inline(always)]
    fn max(self, a: v128, b: v128) -> v128 {
        u8x16_max(a, b)
    }

    #[inline(always)]
    fn min(self, a: v128, b: v128) -> v128 {
        u8x16_min(a, b)
    }

    #[inline(always)]
    fn minus(self, a: v128, b: v128) -> v128 {
        u8x16_sub_sat(a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: v128, b: v128) -> v128 {
        i8x16_add_sat(a, b)
    }

    #[inline(always)]
    fn minus_wrapping(self, a: v128, b: v128) -> v128 {
        u8x16_sub(a, b)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn minus32(self, a: v128, b: v128) -> v128 {
        u32x4_sub(a, b)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn max32(self, a: v128, b: v128) -> v128 {
        u32x4_max(a, b)
    }

    #[inline(always)]
    fn equal(self, a: v128, b: v128) -> v128 {
        u8x16_eq(a, b)
    }

    #[inline(always)]
    fn below_signed(self, a: v128, b: v128) -> v128 {
        i8x16_lt(a, b)
    }

    #[inline(always)]
    fn halve(self, a: v128, b: v128) -> v128 {
        // Signed words become signed bytes. That saturates, so only zero becomes zero.
        i8x16_narrow_i16x8(a, b)
    }

    #[inline(always)]
    fn sum(self, v: v128) -> usize {
        // Sums of two bytes, then of four, and then of all 16.
        let fours = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(v));
        let sum = u32x4_extract_lane::<0>(fours)
            + u32x4_extract_lane::<1>(fours)
            + u32x4_extract_lane::<2>(fours)
            + u32x4_extract_lane::<3>(fours);
        sum as usize
    }

    #[inline(always)]
    fn high_bits(self, v: v128) -> u64 {
        u64::from(u8x16_bitmask(v))
    }

    #[inline(always)]
    fn any_high_bit(self, v: v128) -> bool {
        // Not `u8x16_bitmask(v) != 0`, which is one instruction on x86 but half a dozen on Arm.
        v128_any_true(self.and(v, self.splat(0x80)))
    }

    #[inline(always)]
    fn any(self, v: v128) -> bool {
        v128_any_true(v)
    }
}

impl Token for Simd128 {
    #[inline(never)]
    fn apart<R: Routine<Self>>(self, bytes: &[u8], at: usize) -> R::Output {
        R::run(self, bytes, at)
    }
}

#[cfg(feature = "transcode")]
impl WideLaneOps for Simd128 {
    #[inline(always)]
    fn splat16(self, word: u16) -> v128 {
        u16x8_splat(word)
    }

    #[inline(always)]
    fn splat32(self, dword: u32) -> v128 {
        u32x4_splat(dword)
    }

    #[inline(always)]
    fn zip8(self, a: v128, b: v128) -> [v128; 2] {
        [
            u8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b),
            u8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b),
        ]
    }

    #[inline(always)]
    fn zip16(self, a: v128, b: v128) -> [v128; 2] {
        [u16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b), u16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b)]
    }

    #[inline(always)]
    fn narrowed16(self, a: v128, b: v128) -> v128 {
        u8x16_narrow_i16x8(a, b)
    }

    #[inline(always)]
    fn narrowed32(self, a: v128, b: v128) -> v128 {
        u16x8_narrow_i32x4(a, b)
    }

    #[inline(always)]
    fn plus32(self, a: v128, b: v128) -> v128 {
        u32x4_add(a, b)
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: v128) -> v128 {
        u16x8_shl(v, N.cast_unsigned())
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: v128) -> v128 {
        u16x8_shr(v, N.cast_unsigned())
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: v128) -> v128 {
        u32x4_shl(v, N.cast_unsigned())
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: v128) -> v128 {
        u32x4_shr(v, N.cast_unsigned())
    }

    #[inline(always)]
    fn equal16(self, a: v128, b: v128) -> v128 {
        u16x8_eq(a, b)
    }

    #[inline(always)]
    fn equal32(self, a: v128, b: v128) -> v128 {
        u32x4_eq(a, b)
    }

    #[inline(always)]
    fn at_least16(self, v: v128, least: u16) -> v128 {
        // A comparison of signed numbers is one instruction on x86, and one of unsigned numbers is several.
        i16x8_gt(v, u16x8_splat(least - 1))
    }

    #[inline(always)]
    fn at_least32(self, v: v128, least: u32) -> v128 {
        i32x4_gt(v, u32x4_splat(least - 1))
    }

    #[inline(always)]
    fn select(self, mask: v128, yes: v128, no: v128) -> v128 {
        v128_bitselect(yes, no, mask)
    }
}

//! WebAssembly's SIMD: vectors of 16 bytes, in every module that is compiled with the feature
//! `simd128`.
//!
//! An engine validates a whole module before it runs any of it, and refuses the module if it lacks
//! the instructions. So there is no run-time detection. This file is compiled only if the feature
//! is enabled for the whole target, and then all intrinsics are safe functions, except for loads,
//! which take a pointer.

use core::arch::wasm32::*;

use super::{Plain, Simd, Simd128, Vectors, short_words};

// SAFETY: it is integers side by side.
unsafe impl Plain for v128 {}

impl Vectors for Simd128 {
    type Vector = v128;
    const LANES: usize = 16;

    #[inline(always)]
    fn any_high_bit(self, v: v128) -> bool {
        // Not `u8x16_bitmask(v) != 0`, which is one instruction on x86 but half a dozen on Arm.
        v128_any_true(self.and(v, self.splat(0x80)))
    }

    compiled! { Simd128
        fn load_short(bytes: &[u8]) -> v128 {
            let [low, high] = short_words(bytes);
            u64x2(low, high)
        }
        fn high_bits(v: v128) -> u64 { u64::from(u8x16_bitmask(v)) }
        fn splat(byte: u8) -> v128 { u8x16_splat(byte) }
        fn and(a: v128, b: v128) -> v128 { v128_and(a, b) }
        fn or(a: v128, b: v128) -> v128 { v128_or(a, b) }
        fn max(a: v128, b: v128) -> v128 { u8x16_max(a, b) }
        fn min(a: v128, b: v128) -> v128 { u8x16_min(a, b) }
        fn minus_saturating(a: v128, b: v128) -> v128 { u8x16_sub_sat(a, b) }
        fn plus_signed_saturating(a: v128, b: v128) -> v128 { i8x16_add_sat(a, b) }
        fn any(v: v128) -> bool { v128_any_true(v) }
    }
}

impl Simd for Simd128 {
    const RELOADS: bool = false;

    #[inline(always)]
    fn earlier<const N: usize>(self, now: v128, before: v128) -> v128 {
        const { assert!(1 <= N && N <= 3) };
        // 16 bytes out of the 32 of `before` and `now`. Engines compile each of these patterns to
        // one instruction.
        match N {
            1 => u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before, now),
            2 => u8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before, now),
            _ => u8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before, now),
        }
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

    compiled! { Simd128
        fn ending_in(bytes: [u8; 4]) -> v128 { u32x4(0, 0, 0, u32::from_le_bytes(bytes)) }
        fn nibbles_at<const BIT: i32>(v: v128) -> v128 { v128_and(u8x16_shr(v, BIT as u32), u8x16_splat(0x0F)) }
        fn lookup(table: v128, indices: v128) -> v128 { u8x16_swizzle(table, indices) }
        fn xor(a: v128, b: v128) -> v128 { v128_xor(a, b) }
        fn minus_wrapping(a: v128, b: v128) -> v128 { u8x16_sub(a, b) }
        fn mean(a: v128, b: v128) -> v128 { u8x16_avgr(a, b) }
        fn equal(a: v128, b: v128) -> v128 { u8x16_eq(a, b) }
        fn below_signed(a: v128, b: v128) -> v128 { i8x16_lt(a, b) }
        // Signed words become signed bytes. That saturates, so only zero becomes zero.
        fn halve(a: v128, b: v128) -> v128 { i8x16_narrow_i16x8(a, b) }
    }
}

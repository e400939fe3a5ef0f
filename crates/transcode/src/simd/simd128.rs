//! The operations of conversions with WebAssembly's SIMD.

use core::arch::wasm32::*;

use trust8::compiled;
use trust8::engine::Simd128;

use super::{ShuffleOps, WideLaneOps};

impl WideLaneOps for Simd128 {
    type Mask16 = v128;
    type Mask32 = v128;

    compiled! { Simd128
        fn splat16(word: u16) -> v128 { u16x8_splat(word) }
        fn splat32(dword: u32) -> v128 { u32x4_splat(dword) }
        fn narrowed16(a: v128, b: v128) -> v128 { u8x16_narrow_i16x8(a, b) }
        fn narrowed32(a: v128, b: v128) -> v128 { u16x8_narrow_i32x4(a, b) }
        fn equal16(a: v128, b: v128) -> v128 { u16x8_eq(a, b) }
        fn equal32(a: v128, b: v128) -> v128 { u32x4_eq(a, b) }
        // On x86, a signed comparison is one instruction and an unsigned one is several.
        fn above16(a: v128, b: v128) -> v128 { i16x8_gt(a, b) }
        fn above32(a: v128, b: v128) -> v128 { i32x4_gt(a, b) }
        fn select16(mask: v128, yes: v128, no: v128) -> v128 { v128_bitselect(yes, no, mask) }
        fn select32(mask: v128, yes: v128, no: v128) -> v128 { v128_bitselect(yes, no, mask) }
        fn plus32(a: v128, b: v128) -> v128 { u32x4_add(a, b) }
        fn left16<const N: i32>(v: v128) -> v128 { u16x8_shl(v, N.cast_unsigned()) }
        fn right16<const N: i32>(v: v128) -> v128 { u16x8_shr(v, N.cast_unsigned()) }
        fn left32<const N: i32>(v: v128) -> v128 { u32x4_shl(v, N.cast_unsigned()) }
        fn right32<const N: i32>(v: v128) -> v128 { u32x4_shr(v, N.cast_unsigned()) }
    }
}

impl ShuffleOps for Simd128 {
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
}

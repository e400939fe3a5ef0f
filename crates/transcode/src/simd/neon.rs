//! The operations of conversions with NEON.

use core::arch::aarch64::*;

use trust8::compiled;
use trust8::engine::Neon;

use super::{ShuffleOps, WideLaneOps};

impl WideLaneOps for Neon {
    type Mask16 = uint8x16_t;
    type Mask32 = uint8x16_t;

    compiled! { Neon
        fn equal16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u16(vceqq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)))
        }
        fn equal32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u32(vceqq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)))
        }
        fn above16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u16(vcgtq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)))
        }
        fn above32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u32(vcgtq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)))
        }
        fn narrowed32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u16(vuzp1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)))
        }
        fn plus32(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u32(vaddq_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)))
        }
        fn left16<const N: i32>(v: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u16(vshlq_n_u16::<N>(vreinterpretq_u16_u8(v)))
        }
        fn right16<const N: i32>(v: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u16(vshrq_n_u16::<N>(vreinterpretq_u16_u8(v)))
        }
        fn left32<const N: i32>(v: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u32(vshlq_n_u32::<N>(vreinterpretq_u32_u8(v)))
        }
        fn right32<const N: i32>(v: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_u32(vshrq_n_u32::<N>(vreinterpretq_u32_u8(v)))
        }

        fn splat16(word: u16) -> uint8x16_t { vreinterpretq_u8_u16(vdupq_n_u16(word)) }

        fn splat32(dword: u32) -> uint8x16_t { vreinterpretq_u8_u32(vdupq_n_u32(dword)) }
        fn select16(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
            vbslq_u8(mask, yes, no)
        }
        fn select32(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
            vbslq_u8(mask, yes, no)
        }
        // Of two bytes, the low one is the first.
        fn narrowed16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vuzp1q_u8(a, b) }
    }
}

impl ShuffleOps for Neon {
    compiled! { Neon
        fn zip16(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
            let first = vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
            let second = vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b));
            [vreinterpretq_u8_u16(first), vreinterpretq_u8_u16(second)]
        }
        fn zip8(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] { [vzip1q_u8(a, b), vzip2q_u8(a, b)] }
    }
}

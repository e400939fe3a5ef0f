//! The operations of conversions with NEON.

use core::arch::aarch64::*;

use trust8::engine::Neon;

use super::{ShuffleOps, WideLaneOps};

// Each SAFETY comment below rests on this: `self` exists, so the code runs inside a function that
// is compiled for the instruction set, and that was called on a CPU that has it.

/// Reinterprets the bits as lanes of another width. These functions need no token: the file is
/// compiled only for targets that have NEON.
#[inline(always)]
fn words(v: uint8x16_t) -> uint16x8_t {
    // SAFETY: this file is compiled only if the target guarantees NEON; see build.rs.
    unsafe { vreinterpretq_u16_u8(v) }
}

#[inline(always)]
fn dwords(v: uint8x16_t) -> uint32x4_t {
    // SAFETY: the target guarantees NEON, as above.
    unsafe { vreinterpretq_u32_u8(v) }
}

#[inline(always)]
fn bytes16(v: uint16x8_t) -> uint8x16_t {
    // SAFETY: the target guarantees NEON, as above.
    unsafe { vreinterpretq_u8_u16(v) }
}

#[inline(always)]
fn bytes32(v: uint32x4_t) -> uint8x16_t {
    // SAFETY: the target guarantees NEON, as above.
    unsafe { vreinterpretq_u8_u32(v) }
}

impl WideLaneOps for Neon {
    type Mask16 = uint8x16_t;
    type Mask32 = uint8x16_t;

    #[inline(always)]
    fn equal16(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vceqq_u16(words(a), words(b)) })
    }

    #[inline(always)]
    fn equal32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vceqq_u32(dwords(a), dwords(b)) })
    }

    #[inline(always)]
    fn above16(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vcgtq_u16(words(a), words(b)) })
    }

    #[inline(always)]
    fn above32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vcgtq_u32(dwords(a), dwords(b)) })
    }

    intrinsics! {
        // NEON.
        fn select16(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t =
            vbslq_u8(mask, yes, no);
        fn select32(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t =
            vbslq_u8(mask, yes, no);
    }

    #[inline(always)]
    fn splat16(self, word: u16) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vdupq_n_u16(word) })
    }

    #[inline(always)]
    fn splat32(self, dword: u32) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vdupq_n_u32(dword) })
    }

    #[inline(always)]
    fn narrowed16(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`. Of two bytes, the low one is the first.
        unsafe { vuzp1q_u8(a, b) }
    }

    #[inline(always)]
    fn narrowed32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vuzp1q_u16(words(a), words(b)) })
    }

    #[inline(always)]
    fn plus32(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vaddq_u32(dwords(a), dwords(b)) })
    }

    #[inline(always)]
    fn left16<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vshlq_n_u16::<N>(words(v)) })
    }

    #[inline(always)]
    fn right16<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vshrq_n_u16::<N>(words(v)) })
    }

    #[inline(always)]
    fn left32<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vshlq_n_u32::<N>(dwords(v)) })
    }

    #[inline(always)]
    fn right32<const N: i32>(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vshrq_n_u32::<N>(dwords(v)) })
    }
}

impl ShuffleOps for Neon {
    intrinsics! {
        // NEON.
        fn zip8(a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] = [vzip1q_u8(a, b), vzip2q_u8(a, b)];
    }

    #[inline(always)]
    fn zip16(self, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
        // SAFETY: NEON, by `self`.
        let first = unsafe { vzip1q_u16(words(a), words(b)) };
        // SAFETY: NEON, by `self`.
        let second = unsafe { vzip2q_u16(words(a), words(b)) };
        [bytes16(first), bytes16(second)]
    }
}

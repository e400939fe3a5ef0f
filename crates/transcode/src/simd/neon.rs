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

/// Implements methods that are one intrinsic on wider lanes: `fn method(arguments) = from intrinsic to`
/// reinterprets the arguments by `from` and the result by `to`.
macro_rules! on_lanes {
    ($(fn $method:ident $(<const $n:ident>)? ($($v:ident),+) = $from:ident $intrinsic:ident $to:ident;)+) => {$(
        #[inline(always)]
        fn $method $(<const $n: i32>)? (self, $($v: uint8x16_t),+) -> uint8x16_t {
            // SAFETY: NEON, by `self`.
            $to(unsafe { $intrinsic $(::<$n>)? ($($from($v)),+) })
        }
    )+};
}

impl WideLaneOps for Neon {
    type Mask16 = uint8x16_t;
    type Mask32 = uint8x16_t;

    on_lanes! {
        fn equal16(a, b) = words vceqq_u16 bytes16;
        fn equal32(a, b) = dwords vceqq_u32 bytes32;
        fn above16(a, b) = words vcgtq_u16 bytes16;
        fn above32(a, b) = dwords vcgtq_u32 bytes32;
        fn narrowed32(a, b) = words vuzp1q_u16 bytes16;
        fn plus32(a, b) = dwords vaddq_u32 bytes32;
        fn left16<const N>(v) = words vshlq_n_u16 bytes16;
        fn right16<const N>(v) = words vshrq_n_u16 bytes16;
        fn left32<const N>(v) = dwords vshlq_n_u32 bytes32;
        fn right32<const N>(v) = dwords vshrq_n_u32 bytes32;
    }

    intrinsics! {
        // NEON.
        fn select16(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t =
            vbslq_u8(mask, yes, no);
        fn select32(mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t =
            vbslq_u8(mask, yes, no);
        // Of two bytes, the low one is the first.
        fn narrowed16(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vuzp1q_u8(a, b);
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

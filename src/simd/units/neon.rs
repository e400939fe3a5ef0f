//! NEON: tables of shuffles leave the gaps out, 16 bytes at a time.

use core::arch::aarch64::*;

use super::sixteen::Sixteen;
use crate::simd::neon;
use crate::simd::neon::Neon;
use crate::transcode::{Length, Output, Routine, Routines, plain, routines};

/// The NEON kernel's conversions.
pub(crate) static ROUTINES: Routines = routines!(convert, swap, length);

#[target_feature(enable = "neon")]
fn convert<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    let read = R::short(Neon::new(), text, out, |piece| neon::validate(piece));
    if read == text.len() { read } else { convert_long::<R>(text, out) }
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn convert_long<R: Routine>(text: &[u8], out: &mut Output<'_>) -> usize {
    R::run(Neon::new(), text, out, |piece| neon::validate(piece))
}

#[target_feature(enable = "neon")]
fn swap(unit: usize, bytes: &mut [u8]) {
    plain::swap(unit, bytes);
}

#[target_feature(enable = "neon")]
fn length(which: Length, text: &[u8]) -> usize {
    plain::length(which, text)
}

/// The same bits in lanes of another width. (These need no token: NEON is part of what this file is compiled for.)
#[inline(always)]
fn words(v: uint8x16_t) -> uint16x8_t {
    // SAFETY: build.rs has seen the target guarantee NEON, or this file would not be compiled.
    unsafe { vreinterpretq_u16_u8(v) }
}

#[inline(always)]
fn dwords(v: uint8x16_t) -> uint32x4_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u32_u8(v) }
}

#[inline(always)]
fn bytes16(v: uint16x8_t) -> uint8x16_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u8_u16(v) }
}

#[inline(always)]
fn bytes32(v: uint32x4_t) -> uint8x16_t {
    // SAFETY: build.rs has seen the target guarantee NEON.
    unsafe { vreinterpretq_u8_u32(v) }
}

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for NEON and was called on a CPU that has it.
impl Sixteen for Neon {
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
    fn zip8(self, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
        // SAFETY: NEON, by `self`.
        let first = unsafe { vzip1q_u8(a, b) };
        // SAFETY: NEON, by `self`.
        let second = unsafe { vzip2q_u8(a, b) };
        [first, second]
    }

    #[inline(always)]
    fn zip16(self, a: uint8x16_t, b: uint8x16_t) -> [uint8x16_t; 2] {
        // SAFETY: NEON, by `self`.
        let first = unsafe { vzip1q_u16(words(a), words(b)) };
        // SAFETY: NEON, by `self`.
        let second = unsafe { vzip2q_u16(words(a), words(b)) };
        [bytes16(first), bytes16(second)]
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
    fn at_least16(self, v: uint8x16_t, least: u16) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes16(unsafe { vcgeq_u16(words(v), words(Sixteen::splat16(self, least))) })
    }

    #[inline(always)]
    fn at_least32(self, v: uint8x16_t, least: u32) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        bytes32(unsafe { vcgeq_u32(dwords(v), dwords(Sixteen::splat32(self, least))) })
    }

    #[inline(always)]
    fn select(self, mask: uint8x16_t, yes: uint8x16_t, no: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vbslq_u8(mask, yes, no) }
    }
}

//! The vectors of the engine without vectors: arrays of sixteen bytes. Validation needs none; the
//! search of all faults and the packages do.

#![forbid(unsafe_code)]

use super::automaton::{Automaton, high_bits_of_8};
use crate::simd::Vectors;

/// Sixteen bytes, in loops that the compiler vectorises where the target has vectors.
impl Vectors for Automaton {
    type Vector = [u8; 16];
    const LANES: usize = 16;

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> [u8; 16] {
        let mut v = [0; 16];
        v.copy_from_slice(&bytes[at..at + 16]);
        v
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> [u8; 16] {
        let mut v = [0; 16];
        v[..bytes.len()].copy_from_slice(bytes);
        v
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> [u8; 16] {
        [byte; 16]
    }

    #[inline(always)]
    fn and(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(a) & u128::from_ne_bytes(b)).to_ne_bytes()
    }

    #[inline(always)]
    fn or(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(a) | u128::from_ne_bytes(b)).to_ne_bytes()
    }

    #[inline(always)]
    fn min(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        core::array::from_fn(|i| a[i].min(b[i]))
    }

    #[inline(always)]
    fn max(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        core::array::from_fn(|i| a[i].max(b[i]))
    }

    #[inline(always)]
    fn minus_saturating(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        core::array::from_fn(|i| a[i].saturating_sub(b[i]))
    }

    #[inline(always)]
    fn plus_signed_saturating(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        core::array::from_fn(|i| a[i].cast_signed().saturating_add(b[i].cast_signed()).cast_unsigned())
    }

    #[inline(always)]
    fn any(self, v: [u8; 16]) -> bool {
        u128::from_ne_bytes(v) != 0
    }

    #[inline(always)]
    fn any_high_bit(self, v: [u8; 16]) -> bool {
        self.any(self.and(v, [0x80; 16]))
    }

    #[inline(always)]
    fn high_bits(self, v: [u8; 16]) -> u64 {
        let v = u128::from_le_bytes(v);
        high_bits_of_8(v as u64) | high_bits_of_8((v >> 64) as u64) << 8
    }
}

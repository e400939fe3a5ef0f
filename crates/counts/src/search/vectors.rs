//! The operations on vectors that a search needs, of every engine: with the traits of `simd/`, with
//! AVX-512, and without vectors.

#![forbid(unsafe_code)]

use crate::kernel::Automaton;
use crate::kernel::automaton::high_bits;
#[cfg(trust8_simd)]
use crate::simd::Simd;
use crate::simd::Vectors;
#[cfg(trust8_avx512)]
use crate::simd::{Avx512, x86::avx512::Vector};

/// What a search needs besides [`Vectors`].
pub trait SearchOps: Vectors {
    /// For which bytes a comparison holds.
    type Found: Copy;

    /// Returns `(v & mask) ^ bits`.
    fn and_xor(self, v: Self::Vector, mask: Self::Vector, bits: Self::Vector) -> Self::Vector;

    /// Returns a one for each byte that is not zero, the first byte's as the lowest bit.
    #[inline(always)]
    fn not_zero(self, v: Self::Vector) -> u64 {
        !self.bits(self.equal(v, self.splat(0))) & (u64::MAX >> (64 - Self::LANES))
    }

    /// Compares the bytes of two vectors.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Found;

    /// Returns whether a comparison holds for any byte.
    fn is_any(self, found: Self::Found) -> bool;

    /// Returns a one for each byte for which a comparison holds, the first byte's as the lowest
    /// bit.
    fn bits(self, found: Self::Found) -> u64;
}

#[cfg(trust8_simd)]
impl<S: Simd> SearchOps for S {
    type Found = S::Vector;

    #[inline(always)]
    fn and_xor(self, v: S::Vector, mask: S::Vector, bits: S::Vector) -> S::Vector {
        self.xor(self.and(v, mask), bits)
    }

    #[inline(always)]
    fn equal(self, a: S::Vector, b: S::Vector) -> S::Vector {
        Simd::equal(self, a, b)
    }

    #[inline(always)]
    fn is_any(self, found: S::Vector) -> bool {
        self.any_high_bit(found)
    }

    #[inline(always)]
    fn bits(self, found: S::Vector) -> u64 {
        self.high_bits(found)
    }
}

#[cfg(trust8_avx512)]
impl SearchOps for Avx512 {
    type Found = u64;

    #[inline(always)]
    fn and_xor(self, v: Vector, mask: Vector, bits: Vector) -> Vector {
        // 6A is the truth table of the formula.
        self.ternary::<0x6A>(v, mask, bits)
    }

    #[inline(always)]
    fn not_zero(self, v: Vector) -> u64 {
        Avx512::not_zero(self, v)
    }

    #[inline(always)]
    fn equal(self, a: Vector, b: Vector) -> u64 {
        Avx512::equal(self, a, b)
    }

    #[inline(always)]
    fn is_any(self, found: u64) -> bool {
        found != 0
    }

    #[inline(always)]
    fn bits(self, found: u64) -> u64 {
        found
    }
}

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
        high_bits(v as u64) | high_bits((v >> 64) as u64) << 8
    }
}

impl SearchOps for Automaton {
    type Found = [u8; 16];

    #[inline(always)]
    fn and_xor(self, v: [u8; 16], mask: [u8; 16], bits: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(self.and(v, mask)) ^ u128::from_ne_bytes(bits)).to_ne_bytes()
    }

    /// Sets bit 7 of each byte that is equal, and nothing else. A loop with a comparison becomes 2
    /// KB of branches.
    #[inline(always)]
    fn equal(self, a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
        const LOW: u128 = u128::from_ne_bytes([0x7F; 16]);
        let differ = u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b);
        // The sum sets bit 7 of a byte if any lower bit is set, and never carries.
        (!(((differ & LOW) + LOW) | differ | LOW)).to_ne_bytes()
    }

    #[inline(always)]
    fn is_any(self, found: [u8; 16]) -> bool {
        self.any(found)
    }

    #[inline(always)]
    fn bits(self, found: [u8; 16]) -> u64 {
        self.high_bits(found)
    }
}

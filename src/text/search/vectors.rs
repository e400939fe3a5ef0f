//! The operations on vectors that a search needs, of every engine: with the traits of `simd/`, with AVX-512, and without vectors.

#![forbid(unsafe_code)]

use crate::kernel::Automaton;
use crate::kernel::automaton::high_bits;
#[cfg(trust8_simd)]
use crate::simd::Simd;
#[cfg(trust8_avx512)]
use crate::simd::{Avx512, x86::avx512};

/// Vectors that can be compared, byte by byte. All numbers are unsigned.
pub trait Vectors: Copy {
    /// A vector.
    type Vector: Copy;

    /// For which bytes a comparison holds.
    type Found: Copy;

    /// The number of bytes in a vector, at most 64.
    const LANES: usize;

    /// Returns `bytes[at..at + LANES]`. Panics if this is out of bounds.
    fn load(self, bytes: &[u8], at: usize) -> Self::Vector;

    /// Returns `bytes`, fewer than `LANES`, and zeros after them.
    fn load_short(self, bytes: &[u8]) -> Self::Vector;

    /// Returns `byte` in every lane.
    fn splat(self, byte: u8) -> Self::Vector;

    /// Bitwise.
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Bitwise.
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `(v & mask) ^ bits`.
    fn and_xor(self, v: Self::Vector, mask: Self::Vector, bits: Self::Vector) -> Self::Vector;

    /// Returns the larger bytes.
    fn max(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns the smaller bytes.
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns `a - b`, and 0 where that would be negative.
    fn minus_saturating(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Returns a one for each byte that is not zero, the first byte's as the lowest bit.
    fn not_zero(self, v: Self::Vector) -> u64;

    /// Returns whether any bit is set.
    fn any(self, v: Self::Vector) -> bool;

    /// Returns whether bit 7 of any byte is set.
    fn any_high_bit(self, v: Self::Vector) -> bool;

    /// Returns bit 7 of each byte, the first byte's as the lowest bit.
    fn high_bits(self, v: Self::Vector) -> u64;

    /// Compares the bytes of two vectors.
    fn equal(self, a: Self::Vector, b: Self::Vector) -> Self::Found;

    /// Returns whether a comparison holds for any byte.
    fn is_any(self, found: Self::Found) -> bool;

    /// Returns a one for each byte for which a comparison holds, the first byte's as the lowest bit.
    fn bits(self, found: Self::Found) -> u64;
}

/// Passes each method on to the method of the same name of another trait or type.
#[cfg(trust8_simd)]
macro_rules! pass_on {
    ($to:ident: $($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            $to::$name(self, $($argument),*)
        }
    )*};
}

#[cfg(trust8_simd)]
impl<S: Simd> Vectors for S {
    type Vector = S::Vector;
    type Found = S::Vector;
    const LANES: usize = S::LANES;

    pass_on! { Simd:
        load(bytes: &[u8], at: usize) -> S::Vector;
        load_short(bytes: &[u8]) -> S::Vector;
        splat(byte: u8) -> S::Vector;
        and(a: S::Vector, b: S::Vector) -> S::Vector;
        or(a: S::Vector, b: S::Vector) -> S::Vector;
        max(a: S::Vector, b: S::Vector) -> S::Vector;
        min(a: S::Vector, b: S::Vector) -> S::Vector;
        minus_saturating(a: S::Vector, b: S::Vector) -> S::Vector;
        any(v: S::Vector) -> bool;
        any_high_bit(v: S::Vector) -> bool;
        high_bits(v: S::Vector) -> u64;
        equal(a: S::Vector, b: S::Vector) -> S::Vector;
    }

    #[inline(always)]
    fn not_zero(self, v: S::Vector) -> u64 {
        let zero = Simd::high_bits(self, Simd::equal(self, v, Simd::splat(self, 0)));
        !zero & (u64::MAX >> (64 - <S as Simd>::LANES))
    }

    #[inline(always)]
    fn and_xor(self, v: S::Vector, mask: S::Vector, bits: S::Vector) -> S::Vector {
        Simd::xor(self, Simd::and(self, v, mask), bits)
    }

    #[inline(always)]
    fn is_any(self, found: S::Vector) -> bool {
        Simd::any_high_bit(self, found)
    }

    #[inline(always)]
    fn bits(self, found: S::Vector) -> u64 {
        Simd::high_bits(self, found)
    }
}

#[cfg(trust8_avx512)]
impl Vectors for Avx512 {
    type Vector = avx512::Vector;
    type Found = u64;
    const LANES: usize = 64;

    pass_on! { Avx512:
        load(bytes: &[u8], at: usize) -> avx512::Vector;
        load_short(bytes: &[u8]) -> avx512::Vector;
        splat(byte: u8) -> avx512::Vector;
        and(a: avx512::Vector, b: avx512::Vector) -> avx512::Vector;
        or(a: avx512::Vector, b: avx512::Vector) -> avx512::Vector;
        max(a: avx512::Vector, b: avx512::Vector) -> avx512::Vector;
        min(a: avx512::Vector, b: avx512::Vector) -> avx512::Vector;
        minus_saturating(a: avx512::Vector, b: avx512::Vector) -> avx512::Vector;
        not_zero(v: avx512::Vector) -> u64;
        any(v: avx512::Vector) -> bool;
        any_high_bit(v: avx512::Vector) -> bool;
        high_bits(v: avx512::Vector) -> u64;
        equal(a: avx512::Vector, b: avx512::Vector) -> u64;
    }

    #[inline(always)]
    fn and_xor(self, v: avx512::Vector, mask: avx512::Vector, bits: avx512::Vector) -> avx512::Vector {
        // 6A is the truth table of the formula.
        self.ternary::<0x6A>(v, mask, bits)
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
    type Found = [u8; 16];
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
    fn and_xor(self, v: [u8; 16], mask: [u8; 16], bits: [u8; 16]) -> [u8; 16] {
        (u128::from_ne_bytes(self.and(v, mask)) ^ u128::from_ne_bytes(bits)).to_ne_bytes()
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
    fn not_zero(self, v: [u8; 16]) -> u64 {
        !self.high_bits(self.equal(v, [0; 16])) & 0xFFFF
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

    /// Sets bit 7 of each byte that is equal, and nothing else. A loop with a comparison becomes 2 KB of branches.
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

//! An instruction set with vectors of `N` bytes that are numbers, for lists of blocks.

use crate::simd::{Job, Plain, Sealed, Simd, Token, Vectors};

#[derive(Clone, Copy)]
pub(crate) struct Traced<const N: usize>;

#[derive(Clone, Copy)]
pub(crate) struct Lanes<const N: usize>([u8; N]);

// SAFETY: an array of bytes has no padding, and its bytes may have any values.
unsafe impl<const N: usize> Plain for Lanes<N> {}

impl<const N: usize> Sealed for Traced<N> {}

impl<const N: usize> Token for Traced<N> {
    #[inline(never)]
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

impl<const N: usize> Lanes<N> {
    /// Returns `bytes`, and zeros after them.
    #[inline(never)]
    fn load(bytes: &[u8]) -> Self {
        Self(std::array::from_fn(|lane| bytes.get(lane).copied().unwrap_or(0)))
    }

    fn zip(self, other: Self, f: impl Fn(u8, u8) -> u8) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }
}

/// Only what the lists do is here. What checks do is proved with formulas.
impl<const N: usize> Vectors for Traced<N> {
    type Vector = Lanes<N>;

    const LANES: usize = N;

    fn splat(self, byte: u8) -> Lanes<N> {
        Lanes([byte; N])
    }

    fn load(self, bytes: &[u8], at: usize) -> Lanes<N> {
        Lanes::load(&bytes[at..at + N])
    }

    fn load_short(self, bytes: &[u8]) -> Lanes<N> {
        assert!(bytes.len() < N);
        Lanes::load(bytes)
    }

    #[inline(never)]
    fn and(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, |a, b| a & b)
    }

    #[inline(never)]
    fn or(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, |a, b| a | b)
    }

    #[inline(never)]
    fn max(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, u8::max)
    }

    #[inline(never)]
    fn min(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, u8::min)
    }

    #[inline(never)]
    fn minus_saturating(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, u8::saturating_sub)
    }

    #[inline(never)]
    fn plus_signed_saturating(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, |a, b| a.cast_signed().saturating_add(b.cast_signed()).cast_unsigned())
    }

    #[inline(never)]
    fn high_bits(self, v: Lanes<N>) -> u64 {
        v.0.iter().rev().fold(0, |mask, byte| mask << 1 | u64::from(byte >> 7))
    }

    #[inline(never)]
    fn any_high_bit(self, v: Lanes<N>) -> bool {
        !v.0.is_ascii()
    }

    #[inline(never)]
    fn any(self, v: Lanes<N>) -> bool {
        v.0 != [0; N]
    }
}

impl<const N: usize> Simd for Traced<N> {
    fn load_second(self, bytes: &[u8]) -> Lanes<N> {
        assert!((N..=2 * N).contains(&bytes.len()));
        Lanes::load(&bytes[N..])
    }

    fn ending_in(self, _: [u8; 4]) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    fn table(self, _: &[u8; 16]) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    fn lookup(self, _: Lanes<N>, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    fn earlier<const M: usize>(self, _: Lanes<N>, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    fn nibbles_at<const BIT: i32>(self, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    fn low_nibbles(self, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    #[inline(never)]
    fn xor(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, |a, b| a ^ b)
    }

    fn minus_wrapping(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, u8::wrapping_sub)
    }

    fn mean(self, _: Lanes<N>, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not check")
    }

    #[inline(never)]
    fn equal(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        a.zip(b, |a, b| if a == b { 0xFF } else { 0 })
    }

    fn below_signed(self, _: Lanes<N>, _: Lanes<N>) -> Lanes<N> {
        unreachable!("a list does not count")
    }

    #[inline(never)]
    fn halve(self, a: Lanes<N>, b: Lanes<N>) -> Lanes<N> {
        Lanes(std::array::from_fn(|lane| {
            let (sixteen, place) = (lane / 16 * 16, lane % 16);
            let source = if place < 8 { a } else { b };
            let first = sixteen + 2 * (place % 8);
            if source.0[first] | source.0[first + 1] == 0 { 0 } else { 0xFF }
        }))
    }

    fn sum(self, _: Lanes<N>) -> usize {
        unreachable!("a list does not count")
    }
}

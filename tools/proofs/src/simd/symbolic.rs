//! Instruction sets with vectors of `N` bytes that are formulas.

use crate::byte::Byte;
use crate::mutation;
use crate::path::decide;
use crate::simd::{Job, Plain, Sealed, Simd, Token, Vectors};
use crate::vector::Vector;

/// The sets, as far as they differ: Arm and WebAssembly invert bits by another operation than x86, and WebAssembly loads no vector again.
pub(crate) const X86: u8 = 0;
pub(crate) const NEON: u8 = 1;
pub(crate) const WEB: u8 = 2;

#[derive(Clone, Copy)]
pub(crate) struct Symbolic<const N: usize, const SET: u8>;

impl<const N: usize, const SET: u8> Sealed for Symbolic<N, SET> {}

impl<const N: usize, const SET: u8> Token for Symbolic<N, SET> {
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

// SAFETY: no proof stores a vector.
unsafe impl<const N: usize> Plain for Vector<N> {}

impl<const N: usize, const SET: u8> Vectors for Symbolic<N, SET> {
    type Vector = Vector<N>;

    const LANES: usize = N;

    #[track_caller]
    fn splat(self, byte: u8) -> Vector<N> {
        let [byte] = mutation::of_bytes([byte]);
        Vector::splat(byte)
    }

    fn load(self, bytes: &[u8], at: usize) -> Vector<N> {
        Vector::load(&bytes[at..at + N])
    }

    fn load_short(self, bytes: &[u8]) -> Vector<N> {
        assert!(bytes.len() < N);
        Vector::load(bytes)
    }

    fn and(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::and)
    }

    fn or(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::or)
    }

    fn max(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::max)
    }

    fn min(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::min)
    }

    fn minus_saturating(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::minus_saturating)
    }

    fn plus_signed_saturating(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::plus_signed_saturating)
    }

    /// The mask has ones up to the first lane whose bit 7 is clear, and no others. Callers need
    /// nothing else here.
    fn high_bits(self, v: Vector<N>) -> u64 {
        let first = v.0.iter().position(|byte| decide(byte.0[7].not())).unwrap_or(N);
        (1 << first) - 1
    }

    fn any_high_bit(self, v: Vector<N>) -> bool {
        decide(v.any_high_bit())
    }

    fn any(self, v: Vector<N>) -> bool {
        decide(v.any())
    }
}

impl<const N: usize, const SET: u8> Simd for Symbolic<N, SET> {
    const RELOADS: bool = SET != WEB;

    fn load_second(self, bytes: &[u8]) -> Vector<N> {
        assert!((N..=2 * N).contains(&bytes.len()));
        Vector::load(&bytes[N..])
    }

    fn ending_in(self, bytes: [u8; 4]) -> Vector<N> {
        let mut lanes = [Byte::ZERO; N];
        lanes[N - 4..].copy_from_slice(&bytes.map(Byte::constant));
        Vector(lanes)
    }

    #[track_caller]
    fn table(self, entries: &[u8; 16]) -> Vector<N> {
        let entries = mutation::of_bytes(*entries);
        Vector(std::array::from_fn(|lane| Byte::constant(entries[lane % 16])))
    }

    fn lookup(self, table: Vector<N>, indices: Vector<N>) -> Vector<N> {
        indices.map(|index| {
            assert!(index.0[4..].iter().all(|bit| bit.value() == Some(false)), "an index is 16 or above");
            index.looked_up_in(&table.0[..16])
        })
    }

    fn earlier<const M: usize>(self, now: Vector<N>, before: Vector<N>) -> Vector<N> {
        now.earlier(M, before)
    }

    fn nibbles_at<const BIT: i32>(self, v: Vector<N>) -> Vector<N> {
        let four = |byte: Byte, k| byte.0.get(k + BIT as usize).filter(|_| k < 4).copied();
        v.map(|byte| Byte(std::array::from_fn(|k| four(byte, k).unwrap_or(Byte::ZERO.0[0]))))
    }

    fn low_nibbles(self, v: Vector<N>) -> Vector<N> {
        v.map(|byte| byte.and(Byte::constant(0x0F)))
    }

    fn xor(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::xor)
    }

    fn minus_wrapping(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::minus_wrapping)
    }

    fn mean(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, Byte::mean)
    }

    fn inverted(self, v: Vector<N>, signs: Vector<N>) -> Vector<N> {
        v.zip(signs, |v, signs| if SET == X86 { v.negated(signs) } else { v.xor(Byte::splat(signs.0[7])) })
    }

    fn equal(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, |a, b| Byte::splat(a.equals(b)))
    }

    fn below_signed(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        a.zip(b, |a, b| Byte::splat(a.below_signed(b)))
    }

    fn halve(self, a: Vector<N>, b: Vector<N>) -> Vector<N> {
        // What the byte is if it is not zero, no code may rely on.
        Vector(std::array::from_fn(|lane| {
            let (sixteen, place) = (lane / 16 * 16, lane % 16);
            let source = if place < 8 { a } else { b };
            let first = sixteen + 2 * (place % 8);
            let either = source.0[first].or(source.0[first + 1]);
            Byte::splat(either.equals(Byte::ZERO).not())
        }))
    }

    fn sum(self, _: Vector<N>) -> usize {
        unreachable!("a sum of formulas is no number")
    }
}

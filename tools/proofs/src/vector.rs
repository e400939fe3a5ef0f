//! Vectors of bytes that are formulas, and the operations that all instruction sets have.

use crate::byte::{self, Byte};
use crate::formula::{FALSE, Formula};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Vector<const N: usize>(pub(crate) [Byte; N]);

impl<const N: usize> Vector<N> {
    pub(crate) fn splat(byte: u8) -> Self {
        Self([Byte::constant(byte); N])
    }

    /// Returns `bytes`, and zeros after them.
    pub(crate) fn load(bytes: &[u8]) -> Self {
        let loaded = byte::load(bytes);
        assert!(loaded.len() <= N);
        Self(std::array::from_fn(|lane| loaded.get(lane).copied().unwrap_or(Byte::ZERO)))
    }

    pub(crate) fn map(self, f: impl Fn(Byte) -> Byte) -> Self {
        Self(self.0.map(f))
    }

    pub(crate) fn zip(self, other: Self, f: impl Fn(Byte, Byte) -> Byte) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }

    /// Returns the text `n` bytes before `self`, where `before` is the vector before.
    pub(crate) fn earlier(self, n: usize, before: Self) -> Self {
        Self(std::array::from_fn(|lane| match lane.checked_sub(n) {
            Some(lane) => self.0[lane],
            None => before.0[N + lane - n],
        }))
    }

    pub(crate) fn any_high_bit(self) -> Formula {
        self.0.iter().fold(FALSE, |any, byte| any.or(byte.0[7]))
    }

    pub(crate) fn any(self) -> Formula {
        self.0.iter().fold(FALSE, |any, byte| any.or(byte.any_bit()))
    }

    /// Returns the bits of lane `lane` of `bytes` bytes, the lowest first.
    pub(crate) fn bits(self, bytes: usize, lane: usize) -> Vec<Formula> {
        self.0[lane * bytes..][..bytes].iter().flat_map(|byte| byte.0).collect()
    }

    /// Makes a vector of lanes of `bytes` bytes. `bit` returns a bit of a lane, given the lane and the bit's place.
    pub(crate) fn of_bits(bytes: usize, bit: impl Fn(usize, usize) -> Formula) -> Self {
        Self(std::array::from_fn(|at| Byte(std::array::from_fn(|k| bit(at / bytes, at % bytes * 8 + k)))))
    }

    /// Returns lanes of `bytes` bytes shifted to the left by `n` bits. The bits of `from` come in from the right, the top first.
    pub(crate) fn shift_left_from(self, bytes: usize, n: usize, from: Self) -> Self {
        let bits = |v: Self| (0..N / bytes).map(|lane| v.bits(bytes, lane)).collect::<Vec<_>>();
        let (own, from) = (bits(self), bits(from));
        Self::of_bits(bytes, |lane, k| match k.checked_sub(n) {
            Some(k) => own[lane][k],
            None => from[lane][8 * bytes + k - n],
        })
    }

    /// Returns lanes of `bytes` bytes shifted to the right by `n` bits, with zeros on the left.
    pub(crate) fn shift_right(self, bytes: usize, n: usize) -> Self {
        let own: Vec<_> = (0..N / bytes).map(|lane| self.bits(bytes, lane)).collect();
        Self::of_bits(bytes, |lane, k| own[lane].get(k + n).copied().unwrap_or(FALSE))
    }
}

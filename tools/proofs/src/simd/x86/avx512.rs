//! The operations of AVX-512 on formulas. Their comments are in the library's file of this name.

use crate::byte::{Byte, is_text};
use crate::formula::{FALSE, Formula};
use crate::mutation;
use crate::path::decide;
use crate::simd::{Job, Sealed, Token, Vectors};
use crate::vector;

pub(crate) type Vector = vector::Vector<64>;

#[derive(Clone, Copy)]
pub(crate) struct Avx512;

impl Sealed for Avx512 {}

impl Token for Avx512 {
    fn apart<J: Job<Self, M, O>, M, O>(self, _: J, bytes: &[u8], more: M) -> O {
        J::run(self, bytes, more)
    }
}

impl Vectors for Avx512 {
    type Vector = Vector;
    const LANES: usize = 64;

    #[track_caller]
    fn load(self, bytes: &[u8], at: usize) -> Vector {
        let from: &[u8] = &bytes[at..at + 64];
        if is_text(from) {
            return Vector::load(from);
        }
        let constant: [u8; 64] = mutation::of_bytes(from.try_into().expect("there are 64"));
        vector::Vector(constant.map(Byte::constant))
    }

    fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < 64);
        Vector::load(bytes)
    }

    #[track_caller]
    fn splat(self, byte: u8) -> Vector {
        let [byte] = mutation::of_bytes([byte]);
        Vector::splat(byte)
    }

    fn or(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::or)
    }

    fn and(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::and)
    }

    fn any_high_bit(self, v: Vector) -> bool {
        decide(v.any_high_bit())
    }

    fn any(self, v: Vector) -> bool {
        decide(v.any())
    }

    fn max(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::max)
    }

    fn min(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::min)
    }

    fn minus_saturating(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::minus_saturating)
    }

    fn plus_signed_saturating(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::plus_signed_saturating)
    }

    fn high_bits(self, _: Vector) -> u64 {
        unreachable!("no proof needs it")
    }
}

impl Avx512 {
    /// Bit 7 - i of byte j of a lane says whether byte i of the lane of `text` has an odd number of the bits that byte j of
    /// `planes` asks for.
    pub(crate) fn pick_planes(self, planes: Vector, text: Vector) -> Vector {
        vector::Vector(std::array::from_fn(|at| {
            let lane = at / 8 * 8;
            Byte(std::array::from_fn(|k| {
                let picked = text.0[lane + 7 - k].and(planes.0[at]);
                picked.0.into_iter().fold(FALSE, Formula::xor)
            }))
        }))
    }

    pub(crate) fn ending_in(self, bytes: [u8; 4]) -> Vector {
        vector::Vector(std::array::from_fn(|lane| Byte::constant(bytes[lane % 4])))
    }

    pub(crate) fn first_bytes(self, v: Vector, n: usize) -> Vector {
        assert!(n < 64);
        vector::Vector(std::array::from_fn(|lane| if lane < n { v.0[lane] } else { Byte::ZERO }))
    }

    pub(crate) fn zero(self) -> Vector {
        Vector::splat(0)
    }

    #[track_caller]
    pub(crate) fn splat64(self, lane: u64) -> Vector {
        let lane = mutation::of_bytes(lane.to_le_bytes());
        vector::Vector(std::array::from_fn(|at| Byte::constant(lane[at % 8])))
    }

    #[track_caller]
    pub(crate) fn splat128(self, lane: u128) -> Vector {
        let lane = mutation::of_bytes(lane.to_le_bytes());
        vector::Vector(std::array::from_fn(|at| Byte::constant(lane[at % 16])))
    }

    #[track_caller]
    pub(crate) fn ternary<const TABLE: i32>(self, a: Vector, b: Vector, c: Vector) -> Vector {
        let table = mutation::of_truth(TABLE);
        let formula = |a: Formula, b: Formula, c: Formula| {
            // The number of a row is `abc` in binary.
            let [r0, r1, r2, r3, r4, r5, r6, r7]: [Formula; 8] =
                std::array::from_fn(|row| Formula::constant(table >> row & 1 == 1));
            let if_a = b.choose(c.choose(r7, r6), c.choose(r5, r4));
            let if_not_a = b.choose(c.choose(r3, r2), c.choose(r1, r0));
            a.choose(if_a, if_not_a)
        };
        vector::Vector(std::array::from_fn(|at| {
            Byte(std::array::from_fn(|k| formula(a.0[at].0[k], b.0[at].0[k], c.0[at].0[k])))
        }))
    }

    /// The mask has only the lowest bit. Callers need no other.
    pub(crate) fn not_zero(self, v: Vector) -> u64 {
        if !self.any(v) {
            return 0;
        }
        let first = v.0.iter().position(|byte| decide(byte.equals(Byte::ZERO).not()));
        1 << first.expect("some byte is not zero")
    }

    /// Not a mask here, but FF in each lane that is equal.
    pub(crate) fn equal(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, |a, b| Byte::splat(a.equals(b)))
    }

    /// Subtracts -1.
    pub(crate) fn count_where(self, counts: Vector, mask: Vector, ones: Vector) -> Vector {
        assert_eq!(ones, Vector::splat(1));
        counts.zip(mask, Byte::minus_wrapping)
    }

    pub(crate) fn plus(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, Byte::plus_wrapping)
    }

    pub(crate) fn without(self, a: Vector, b: Vector) -> Vector {
        a.zip(b, |a, b| a.and(b.not()))
    }

    pub(crate) fn lookup(self, table: Vector, indices: Vector) -> Vector {
        indices.map(|index| index.looked_up_in(&table.0))
    }

    pub(crate) fn lookup_from(self, table: Vector, indices: Vector, least: Vector) -> Vector {
        let found = self.lookup(table, indices);
        let mask = indices.zip(least, |index, least| Byte::splat(index.at_least(least)));
        found.zip(mask, Byte::and)
    }

    pub(crate) fn shift_right_4_in_16(self, v: Vector) -> Vector {
        v.shift_right(2, 4)
    }

    #[track_caller]
    pub(crate) fn shift_right<const N: u32>(self, v: Vector) -> Vector {
        v.shift_right(8, mutation::of_shift(N) as usize)
    }

    #[track_caller]
    pub(crate) fn shift_left<const N: u32>(self, v: Vector) -> Vector {
        v.shift_left_from(8, mutation::of_shift(N) as usize, self.zero())
    }

    pub(crate) fn earlier_and_up(self, now: Vector, before: Vector) -> [Vector; 3] {
        let lanes = now.earlier(8, before);
        [8, 17, 26].map(|n| now.shift_left_from(8, n, lanes))
    }

    fn regroup(self, width: usize, a: Vector, b: Vector) -> (Vector, Vector) {
        let is_high = |at: usize| at / width % 2 == 1;
        let inner = |at: usize| if is_high(at) { a.0[at - width] } else { b.0[at + width] };
        let outer = |at: usize| if is_high(at) { a.0[at] } else { b.0[at] };
        (vector::Vector(std::array::from_fn(inner)), vector::Vector(std::array::from_fn(outer)))
    }

    pub(crate) fn regroup_8(self, a: Vector, b: Vector) -> (Vector, Vector) {
        self.regroup(1, a, b)
    }

    pub(crate) fn regroup_16(self, a: Vector, b: Vector) -> (Vector, Vector) {
        self.regroup(2, a, b)
    }

    pub(crate) fn regroup_32(self, a: Vector, b: Vector) -> (Vector, Vector) {
        self.regroup(4, a, b)
    }

    pub(crate) fn disjoint(self, _: Vector, _: Vector) -> u64 {
        unreachable!("a mask of formulas is no number")
    }

    pub(crate) fn prefetch(self, _: &[u8], _: usize) {}

    pub(crate) fn load_by_sixteen(self, _: &[u8], _: [usize; 4]) -> Vector {
        unreachable!("a list of formulas has no numbers")
    }

    pub(crate) fn compress(self, _: Vector, _: u64) -> Vector {
        unreachable!("a list of formulas has no numbers")
    }

    pub(crate) fn append(self, _: Vector, _: usize, _: Vector) -> Vector {
        unreachable!("a list of formulas has no numbers")
    }

    pub(crate) fn split_four(self, _: Vector) -> ([u8; 4], Vector) {
        unreachable!("a list of formulas has no numbers")
    }
}

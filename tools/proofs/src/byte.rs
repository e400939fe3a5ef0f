//! Bytes whose bits are formulas, the arithmetic of vectors on them, and the text that is read.

use std::cell::RefCell;
use std::ops::RangeInclusive;

use crate::formula::{FALSE, Formula, TRUE};

/// A byte, from bit 0 to bit 7.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Byte(pub(crate) [Formula; 8]);

impl Byte {
    pub(crate) const ZERO: Self = Self([FALSE; 8]);

    /// Returns a byte that may have any value: the byte with this number. Its bits are variables, the upper bits first.
    pub(crate) fn any(number: usize) -> Self {
        Self(std::array::from_fn(|k| Formula::variable((8 * number + 7 - k) as u32)))
    }

    pub(crate) fn constant(byte: u8) -> Self {
        Self(std::array::from_fn(|k| Formula::constant(byte >> k & 1 == 1)))
    }

    fn zip(self, other: Self, f: impl Fn(Formula, Formula) -> Formula) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], other.0[k])))
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.zip(other, Formula::and)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.zip(other, Formula::or)
    }

    pub(crate) fn xor(self, other: Self) -> Self {
        self.zip(other, Formula::xor)
    }

    pub(crate) fn not(self) -> Self {
        Self(self.0.map(Formula::not))
    }

    /// Returns `self` where `condition` is true, and zero elsewhere.
    fn only_if(self, condition: Formula) -> Self {
        Self(self.0.map(|bit| bit.and(condition)))
    }

    /// Returns `self` where `condition` is true, and `other` elsewhere.
    fn choose(self, condition: Formula, other: Self) -> Self {
        self.zip(other, |a, b| condition.choose(a, b))
    }

    /// Returns the sum with a carry in, and the carry out.
    fn plus(self, other: Self, carry: Formula) -> (Self, Formula) {
        let (mut sum, mut carry) = ([FALSE; 8], carry);
        for (k, bit) in sum.iter_mut().enumerate() {
            let (a, b) = (self.0[k], other.0[k]);
            *bit = a.xor(b).xor(carry);
            carry = carry.choose(a.or(b), a.and(b));
        }
        (Self(sum), carry)
    }

    /// Returns `self - other`, modulo 256, and whether `self` is at least `other`.
    fn difference(self, other: Self) -> (Self, Formula) {
        self.plus(other.not(), TRUE)
    }

    pub(crate) fn plus_wrapping(self, other: Self) -> Self {
        self.plus(other, FALSE).0
    }

    pub(crate) fn minus_wrapping(self, other: Self) -> Self {
        self.difference(other).0
    }

    pub(crate) fn minus_saturating(self, other: Self) -> Self {
        let (difference, is_at_least) = self.difference(other);
        difference.only_if(is_at_least)
    }

    pub(crate) fn plus_signed_saturating(self, other: Self) -> Self {
        let (sum, _) = self.plus(other, FALSE);
        let (a, b, s) = (self.0[7], other.0[7], sum.0[7]);
        let overflow = a.xor(b).not().and(a.xor(s));
        // 80 if both are negative, and 7F if neither is.
        let limit = Self(std::array::from_fn(|k| if k == 7 { a } else { a.not() }));
        limit.choose(overflow, sum)
    }

    /// Returns the mean, rounded up.
    pub(crate) fn mean(self, other: Self) -> Self {
        let (sum, carry) = self.plus(other, TRUE);
        Self(std::array::from_fn(|k| sum.0.get(k + 1).copied().unwrap_or(carry)))
    }

    /// Returns what PSIGNB does: `self`, `-self` where `signs` is negative, and 0 where it is 0.
    pub(crate) fn negated(self, signs: Self) -> Self {
        Self::ZERO.minus_wrapping(self).choose(signs.0[7], self.only_if(signs.any_bit()))
    }

    pub(crate) fn max(self, other: Self) -> Self {
        self.choose(self.at_least(other), other)
    }

    pub(crate) fn min(self, other: Self) -> Self {
        other.choose(self.at_least(other), self)
    }

    /// Returns whether `self` is at least `other`, as unsigned numbers: the highest bit that differs says so.
    pub(crate) fn at_least(self, other: Self) -> Formula {
        self.0.into_iter().zip(other.0).fold(TRUE, |lower, (a, b)| a.xor(b).choose(a, lower))
    }

    /// Returns whether `self` is below `other`, as signed numbers.
    pub(crate) fn below_signed(self, other: Self) -> Formula {
        // With the signs inverted, signed numbers have the order of unsigned numbers.
        let [a, b] = [self, other].map(|byte| byte.xor(Self::constant(0x80)));
        a.at_least(b).not()
    }

    pub(crate) fn equals(self, other: Self) -> Formula {
        self.xor(other).any_bit().not()
    }

    pub(crate) fn is_in(self, range: &RangeInclusive<u8>) -> Formula {
        self.at_least(Self::constant(*range.start())).and(Self::constant(*range.end()).at_least(self))
    }

    pub(crate) fn any_bit(self) -> Formula {
        self.0.into_iter().fold(FALSE, Formula::or)
    }

    /// Returns 1 in all bits where the formula is true, and 0 elsewhere.
    pub(crate) fn splat(condition: Formula) -> Self {
        Self([condition; 8])
    }

    /// Returns `table[index]`, where `index` are the bits of the number, the lowest first.
    pub(crate) fn lookup(table: &[Self], index: &[Formula]) -> Self {
        let Some((&top, lower)) = index.split_last() else { return table[0] };
        let (if_0, if_1) = table.split_at(table.len() / 2);
        match top.value() {
            Some(false) => Self::lookup(if_0, lower),
            Some(true) => Self::lookup(if_1, lower),
            None => Self::lookup(if_1, lower).choose(top, Self::lookup(if_0, lower)),
        }
    }

    /// Returns `table[self % 16]` or `table[self % 64]`, by the length of the table.
    pub(crate) fn looked_up_in(self, table: &[Self]) -> Self {
        Self::lookup(table, &self.0[..table.len().ilog2() as usize])
    }

    /// Returns the byte for these values of the variables.
    pub(crate) fn under(self, values: impl Fn(u32) -> bool) -> u8 {
        (0..8).fold(0, |byte, k| byte | u8::from(self.0[k].under(&values)) << k)
    }
}

/// Memory that represents the bytes of a text: its address, and the bytes.
struct Text {
    address: usize,
    bytes: Vec<Byte>,
}

thread_local! {
    static TEXT: RefCell<Option<Text>> = const { RefCell::new(None) };
}

/// Calls `work` with memory that represents `bytes`: an operation that loads from it returns these
/// bytes. The memory is aligned to 64 bytes.
///
/// A check that reads the memory itself, and not by an operation of the instruction set, sees `fill` in all bytes.
pub(crate) fn with_text<R>(bytes: &[Byte], fill: u8, work: impl FnOnce(&[u8]) -> R) -> R {
    let memory = vec![fill; bytes.len() + 64];
    let skip = memory.as_ptr().addr().wrapping_neg() % 64;
    let memory = &memory[skip..skip + bytes.len()];
    TEXT.set(Some(Text { address: memory.as_ptr().addr(), bytes: bytes.to_vec() }));
    let result = work(memory);
    TEXT.set(None);
    result
}

/// Returns whether `from` is a part of the memory that represents the text.
pub(crate) fn is_text(from: &[u8]) -> bool {
    TEXT.with_borrow(|text| {
        let place =
            text.as_ref().map(|text| (from.as_ptr().addr().wrapping_sub(text.address), text.bytes.len()));
        place.is_some_and(|(at, len)| at < len)
    })
}

/// Returns what a load of `from` returns: bytes of the text, or constants.
pub(crate) fn load(from: &[u8]) -> Vec<Byte> {
    TEXT.with_borrow(|text| {
        let part = text.as_ref().and_then(|text| {
            let at = from.as_ptr().addr().checked_sub(text.address)?;
            text.bytes.get(at..at + from.len())
        });
        match part {
            Some(bytes) => bytes.to_vec(),
            None => from.iter().map(|&byte| Byte::constant(byte)).collect(),
        }
    })
}

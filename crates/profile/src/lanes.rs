//! The suspects of a profile, and the tests for them in each lane of a vector.
//!
//! `tools/proofs/` proves that the tests miss no forbidden character.

#![forbid(unsafe_code)]

#[cfg(trust8_simd)]
use trust8::engine::Simd;
#[cfg(trust8_avx512)]
use trust8::engine::{Avx512, Vectors, avx512::Vector};

use super::plain::Plain;

/// The classes of a byte, by its upper and by its lower four bits.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    pub(super) high: [u8; 16],
    pub(super) low: [u8; 16],
}

impl Nibbles {
    /// No byte is in any class.
    pub(super) const NONE: Self = Self { high: [0; 16], low: [0; 16] };

    /// Adds `byte` to the classes of `classes`.
    pub(super) const fn add(&mut self, byte: u8, classes: u8) {
        self.high[(byte >> 4) as usize] |= classes;
        self.low[(byte & 15) as usize] |= classes;
    }

    /// Adds a byte that is looked up by [`inner`].
    pub(super) const fn add_inner(&mut self, byte: u8, classes: u8) {
        self.high[(byte >> 2 & 15) as usize] |= classes;
        self.low[(byte & 15) as usize] |= classes;
    }

    #[inline(always)]
    pub(super) fn of(&self, byte: u8) -> u8 {
        self.high[usize::from(byte >> 4)] & self.low[usize::from(byte & 15)]
    }
}

/// The classes of bytes, by their lower six bits.
#[cfg(trust8_avx512)]
#[derive(Clone, Copy)]
pub(super) struct Sixes {
    /// The addends that set bit 7 exactly in suspect ASCII bytes.
    pub(super) ascii: [u8; 64],
    /// A suspect byte has bit 0 if it is 00..3F, bit 1 if it is 40..7F, and others if it is C0..FF.
    pub(super) one: [u8; 64],
    /// Which of these a byte may come after.
    pub(super) after: [u8; 64],
    /// The classes of two consecutive bytes. The first begins a character.
    pub(super) two: [[u8; 64]; 2],
    /// The classes of three consecutive bytes. The first begins a character.
    pub(super) three: [[u8; 64]; 3],
}

/// The suspects.
#[derive(Clone, Copy)]
pub(super) struct Sieve {
    /// The classes of single bytes: ASCII, and first bytes.
    pub(super) one: Nibbles,
    /// Which of these a byte may come after, by its bits 2 to 5.
    pub(super) after: [u8; 16],
    /// The classes of characters by their first two bytes.
    pub(super) two: [Nibbles; 2],
    /// The classes of characters by their first three bytes.
    pub(super) three: [Nibbles; 3],
    pub(super) plain: Plain,
    /// CR LF if it is allowed, or else bytes that are in no text.
    pub(super) line_end: [u8; 2],
    /// Only the context can forbid U+200B to U+200D and U+FE0F, and the search sees all that counts for that.
    pub(super) knows_common: bool,
    #[cfg(trust8_avx512)]
    pub(super) sixes: Sixes,
}

/// The class of two marks, among those of three bytes.
pub(super) const TWO_MARKS: u8 = 0x80;

/// The classes of two bytes for which the second one does not matter.
pub(super) const ANY: u8 = 0x8D;

/// Returns nonzero lanes for suspect ASCII bytes and for the first byte of other suspects. `second` are the bytes
/// one position after `first`.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn first_test<S: Simd>(s: S, [first, second]: [S::Vector; 2], sieve: &Sieve) -> S::Vector {
    s.and(
        classes(s, &sieve.one, nibbles(s, first)),
        s.lookup(s.table(&sieve.after), s.nibbles_at::<2>(second)),
    )
}

/// Returns fewer of the lanes that the first test shows: a third byte, too, decides about characters that begin with E0 to ED or F0. `third` are
/// the bytes two positions after `first`.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn middle_test<S: Simd>(
    s: S,
    shown: S::Vector,
    [first, second, third]: [S::Vector; 3],
    sieve: &Sieve,
) -> S::Vector {
    let [_, by_second, by_third] = &sieve.three;
    let classes = s.and(
        s.lookup(s.table(&by_second.low), s.low_nibbles(second)),
        s.lookup(s.table(&by_third.high), s.nibbles_at::<2>(third)),
    );
    // Marks, and all others that begin below E0, have two bytes.
    let is_one = s.or(s.and(classes, s.splat(!TWO_MARKS)), s.below_signed(first, s.splat(0xE0)));
    // A minimum is zero if one of both is.
    s.or(s.and(shown, s.splat(ANY)), s.min(shown, is_one))
}

/// The same, and fewer others. `third` are the bytes two positions after `first`. Of two marks it shows the
/// first.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn second_test<S: Simd>(s: S, [first, second, third]: [S::Vector; 3], sieve: &Sieve) -> S::Vector {
    let (a, b, c) = (nibbles(s, first), inner(s, second), inner(s, third));
    // ASCII is above -1.
    let one = s.and(classes(s, &sieve.one, a), s.below_signed(s.splat(0xFF), first));
    let two = s.and(classes(s, &sieve.two[0], a), classes(s, &sieve.two[1], b));
    let three = s.and(classes(s, &sieve.three[0], a), classes(s, &sieve.three[1], b));
    s.or(one, s.or(two, s.and(three, classes(s, &sieve.three[2], c))))
}

#[cfg(trust8_simd)]
#[inline(always)]
fn classes<S: Simd>(s: S, nibbles: &Nibbles, [high, low]: [S::Vector; 2]) -> S::Vector {
    s.and(s.lookup(s.table(&nibbles.high), high), s.lookup(s.table(&nibbles.low), low))
}

#[cfg(trust8_simd)]
#[inline(always)]
fn nibbles<S: Simd>(s: S, bytes: S::Vector) -> [S::Vector; 2] {
    [s.nibbles_at::<4>(bytes), s.low_nibbles(bytes)]
}

/// Returns bits 2 to 5 of each byte, as a number below 16, and bits 0 to 3. They tell apart the bytes 80
/// to BF.
#[cfg(trust8_simd)]
#[inline(always)]
fn inner<S: Simd>(s: S, bytes: S::Vector) -> [S::Vector; 2] {
    [s.nibbles_at::<2>(bytes), s.low_nibbles(bytes)]
}

/// The tables of [`Sixes`] in registers. In memory, each lookup would read two lines of the cache.
#[cfg(trust8_avx512)]
#[derive(Clone, Copy)]
pub(super) struct Tables {
    ascii: Vector,
    one: Vector,
    after: Vector,
    two: [Vector; 2],
    three: [Vector; 3],
}

#[cfg(trust8_avx512)]
impl Tables {
    #[inline(always)]
    pub(super) fn new(s: Avx512, sixes: &Sixes) -> Self {
        let Sixes { ascii, one, after, two: [a, b], three: [c, d, e] } = sixes;
        Self {
            ascii: s.load(ascii, 0),
            one: s.load(one, 0),
            after: s.load(after, 0),
            two: [s.load(a, 0), s.load(b, 0)],
            three: [s.load(c, 0), s.load(d, 0), s.load(e, 0)],
        }
    }
}

/// Like [`first_test`], with AVX-512.
#[cfg(trust8_avx512)]
#[inline(always)]
pub(super) fn first_test_512(s: Avx512, [first, second]: [Vector; 2], tables: &Tables) -> Vector {
    /// The bits of [`Sixes::one`] for the upper two bits of a byte, indexed by its upper four bits.
    const UPPER: u128 = u128::from_le_bytes([1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0xFC, 0xFC, 0xFC, 0xFC]);
    // The lookup uses six bits of an index. The upper two belong to another byte, but the table
    // repeats.
    let upper = s.lookup(s.splat128(UPPER), s.shift_right_4_in_16(first));
    // 80 is the truth table of `and`.
    s.ternary::<0x80>(upper, s.lookup(tables.one, first), s.lookup(tables.after, second))
}

/// Like [`second_test`], with AVX-512: sets bit 7 of the first result for suspect ASCII bytes, and a bit of the
/// second for others.
#[cfg(trust8_avx512)]
#[inline(always)]
pub(super) fn second_test_512(
    s: Avx512,
    [first, second, third]: [Vector; 3],
    tables: &Tables,
) -> (Vector, Vector) {
    let of_first = |table| s.lookup_from(table, first, s.splat(0xC0));
    let two = s.and(of_first(tables.two[0]), s.lookup(tables.two[1], second));
    let three = s.and(of_first(tables.three[0]), s.lookup(tables.three[1], second));
    let sums = s.plus(first, s.lookup(tables.ascii, first));
    // F8 is the truth table of `a | b & c`.
    (s.without(sums, first), s.ternary::<0xF8>(two, three, s.lookup(tables.three[2], third)))
}

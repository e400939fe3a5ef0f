//! What is suspect, and the tests for it, in each lane of a vector.
//!
//! `proofs/` proves that they miss no forbidden character.

#![forbid(unsafe_code)]

#[cfg(trust8_simd)]
use crate::simd::Simd;

/// The vectors that are tested together.
pub(super) const GROUP: usize = 4;

/// The classes of a byte, by its upper and by its lower four bits.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    pub(super) high: [u8; 16],
    pub(super) low: [u8; 16],
}

impl Nibbles {
    /// No class has any byte.
    pub(super) const NONE: Self = Self { high: [0; 16], low: [0; 16] };

    /// Adds `byte` to the classes of `classes`.
    pub(super) const fn add(&mut self, byte: u8, classes: u8) {
        self.high[(byte >> 4) as usize] |= classes;
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
    /// What is added to a byte of ASCII to set bit 7 exactly in suspects.
    pub(super) ascii: [u8; 64],
    /// Bit 0: the byte is suspect if it is 00..3F. Bit 1: if it is 40..7F. Bit 2: if it is C0..FF.
    pub(super) one: [u8; 64],
    /// The classes of a first byte, and of the two after it. A shorter character has a class with any third byte.
    pub(super) three: [[u8; 64]; 3],
}

/// What is suspect.
#[derive(Clone, Copy)]
pub(super) struct Sieve {
    /// The classes of single bytes: of ASCII, and first bytes.
    pub(super) one: Nibbles,
    /// The classes of two bytes, one after the other: of characters of two bytes, and of ASCII after any byte.
    pub(super) two: [Nibbles; 2],
    /// The classes of the first three bytes of longer characters.
    pub(super) three: [Nibbles; 3],
    /// In text that is all ASCII, the number from which a byte with this lower nibble is subtracted, modulo 256. The difference is below
    /// [`WIDTH`](Self::WIDTH) exactly for suspects up to 1F.
    pub(super) ends: [u8; 16],
    /// Bytes above this one are not ASCII, or suspect. It is zero where that does not describe the suspects: then no text passes.
    pub(super) most: u8,
    #[cfg(trust8_avx512)]
    pub(super) sixes: Sixes,
}

impl Sieve {
    /// 00..0F and 10..1F.
    #[cfg_attr(not(trust8_simd), expect(dead_code, reason = "only vectors use it"))]
    const WIDTH: u8 = 0x11;
}

/// Returns something other than zero if a group is not ASCII, or has a suspect. It may do so for any other group.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn not_plain<S: Simd>(s: S, group: [S::Vector; GROUP], sieve: &Sieve) -> S::Vector {
    let ends = s.table(&sieve.ends);
    let (mut least, mut most, mut i) = (s.splat(0xFF), s.splat(0), 0);
    while i < GROUP {
        // On x86, a lookup takes the lower four bits of an index itself, and what is not ASCII is found in any case.
        let low = if cfg!(trust8_x86) { group[i] } else { s.low_nibbles(group[i]) };
        least = s.min(least, s.minus_wrapping(s.lookup(ends, low), group[i]));
        most = s.max(most, group[i]);
        i += 1;
    }
    let below = s.minus(s.splat(Sieve::WIDTH), least);
    s.or(below, s.minus(most, s.splat(sieve.most.min(0x7F))))
}

/// Returns something other than zero for each byte of ASCII that is suspect, and for each first byte of a suspect.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn first_test<S: Simd>(s: S, bytes: S::Vector, sieve: &Sieve) -> S::Vector {
    classes(s, &sieve.one, nibbles(s, bytes))
}

/// Returns something other than zero for each byte of ASCII that is suspect, and for the second or third byte of each other suspect, which may
/// begin in the vector before.
#[cfg(trust8_simd)]
#[inline(always)]
pub(super) fn second_test<S: Simd>(s: S, bytes: S::Vector, before: S::Vector, sieve: &Sieve) -> S::Vector {
    let (a, b) = (s.earlier::<2>(bytes, before), s.earlier::<1>(bytes, before));
    let (a, b, c) = (nibbles(s, a), nibbles(s, b), nibbles(s, bytes));
    let two = s.and(classes(s, &sieve.two[0], b), classes(s, &sieve.two[1], c));
    let three = s.and(classes(s, &sieve.three[0], a), classes(s, &sieve.three[1], b));
    s.or(two, s.and(three, classes(s, &sieve.three[2], c)))
}

#[cfg(trust8_simd)]
#[inline(always)]
fn classes<S: Simd>(s: S, nibbles: &Nibbles, [high, low]: [S::Vector; 2]) -> S::Vector {
    s.and(s.lookup(s.table(&nibbles.high), high), s.lookup(s.table(&nibbles.low), low))
}

#[cfg(trust8_simd)]
#[inline(always)]
fn nibbles<S: Simd>(s: S, bytes: S::Vector) -> [S::Vector; 2] {
    [s.high_nibbles(bytes), s.low_nibbles(bytes)]
}

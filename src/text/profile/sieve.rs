//! Finds characters that a profile may forbid, in valid text.
//!
//! ```text
//! 256 bytes at a time: classify each byte by its two nibbles. If none is of a suspect class, go on
//! otherwise, 64 bytes at a time: classify each byte with the two after it, by their six nibbles; return the suspects, if there are any
//! ```
//!
//! A class is a bit of a byte, and a table of 16 entries says which classes have a nibble. A byte has the classes that the entries of both of
//! its nibbles share; a sequence has those that its bytes share. So a class is a product of sets of nibbles, and may have more
//! sequences than the profile forbids, never fewer. The caller looks at each suspect.
//!
//! The first question rules out most text: it suspects ASCII that is forbidden, and first bytes with which a forbidden character begins. The
//! second one knows EF BC (punctuation in Chinese text) from EF BF, and E2 80 9C (a quotation mark) from E2 80 AE.

#![forbid(unsafe_code)]

use crate::boundary::array_at;
use crate::simd::Job;
use crate::text::search::{Searching, Vectors};

/// The classes of a byte, by its upper and by its lower four bits.
#[derive(Clone, Copy)]
pub(crate) struct Nibbles {
    pub(crate) high: [u8; 16],
    pub(crate) low: [u8; 16],
}

impl Nibbles {
    /// No class has any byte.
    pub(crate) const NONE: Self = Self { high: [0; 16], low: [0; 16] };

    /// Returns these tables with `byte` in the classes of `classes`.
    pub(crate) const fn with(mut self, byte: u8, classes: u8) -> Self {
        self.high[(byte >> 4) as usize] |= classes;
        self.low[(byte & 15) as usize] |= classes;
        self
    }

    /// Returns these tables with all bytes in the classes of `classes`.
    pub(crate) const fn with_all(mut self, classes: u8) -> Self {
        let mut nibble = 0;
        while nibble < 16 {
            self.high[nibble] |= classes;
            self.low[nibble] |= classes;
            nibble += 1;
        }
        self
    }
}

/// What is suspect.
#[derive(Clone, Copy)]
pub(crate) struct Sieve {
    /// The classes of single bytes. Those of [`ASCII`](Self::ASCII) are suspect; the others are first bytes.
    pub(crate) one: Nibbles,
    /// The classes of three bytes, one after the other. A shorter character has a class with any bytes after it.
    pub(crate) three: [[Nibbles; 3]; Self::SETS],
    /// How many of these sets have classes.
    pub(crate) sets: usize,
}

impl Sieve {
    /// The number of sets of eight classes.
    pub(crate) const SETS: usize = 2;

    /// The classes of bytes that are suspect whatever follows.
    pub(crate) const ASCII: u8 = 0x0F;
}

/// The suspects in 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Suspects {
    /// Where the 64 bytes begin, or the length of the text if there are no more suspects.
    pub(crate) at: usize,
    /// A one for each suspect, the first byte's as the lowest bit.
    pub(crate) bits: u64,
}

/// The bytes whose suspects one word has.
pub(crate) const BLOCK: usize = 64;

/// The bytes that the first test takes together.
const GROUP: usize = 4 * BLOCK;

/// The bytes after a byte that decide about it.
const AHEAD: usize = 2;

/// Returns the next suspects at `from` or after it.
#[inline(always)]
pub(crate) fn next<V: Vectors>(v: V, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
    let sieve = Tables::new(v, sieve);
    let mut at = from;
    while let Some(group) = array_at::<{ GROUP + AHEAD }>(text, at) {
        if sieve.may_have_suspects(group) {
            let mut within = 0;
            while let Some(block) = array_at(group, within) {
                let bits = sieve.suspects(block);
                if bits != 0 {
                    return Suspects { at: at + within, bits };
                }
                within += BLOCK;
            }
        }
        at += GROUP;
    }
    while at < text.len() {
        let bits = match array_at(text, at) {
            Some(block) => sieve.suspects(block),
            None => {
                let rest = &text[at..];
                let mut padded = [0; BLOCK + AHEAD];
                padded[..rest.len()].copy_from_slice(rest);
                let outside = (BLOCK as u32).saturating_sub(rest.len() as u32);
                sieve.suspects(&padded) & u64::MAX >> outside
            }
        };
        if bits != 0 {
            return Suspects { at, bits };
        }
        at += BLOCK;
    }
    Suspects { at: text.len(), bits: 0 }
}

/// A sieve in registers.
struct Tables<V: Vectors> {
    v: V,
    one: [V::Vector; 2],
    three: [[[V::Vector; 2]; 3]; Sieve::SETS],
    sets: usize,
}

impl<V: Vectors> Tables<V> {
    #[inline(always)]
    fn new(v: V, sieve: &Sieve) -> Self {
        let one = load(v, &sieve.one);
        let mut three = [[one; 3]; Sieve::SETS];
        for (to, from) in three.iter_mut().flatten().zip(sieve.three.iter().flatten()) {
            *to = load(v, from);
        }
        Self { v, one, three, sets: sieve.sets }
    }

    /// Returns the classes of each byte.
    #[inline(always)]
    fn classes(&self, [high, low]: [V::Vector; 2], bytes: V::Vector) -> V::Vector {
        let v = self.v;
        v.and(v.lookup16(high, v.high_nibbles(bytes)), v.lookup16(low, v.low_nibbles(bytes)))
    }

    #[inline(always)]
    fn may_have_suspects(&self, group: &[u8; GROUP + AHEAD]) -> bool {
        let v = self.v;
        let (mut all, mut at) = (v.splat(0), 0);
        while at < GROUP {
            all = v.or(all, self.classes(self.one, v.load(group, at)));
            at += V::LANES;
        }
        v.any(all)
    }

    #[inline(always)]
    fn suspects(&self, block: &[u8; BLOCK + AHEAD]) -> u64 {
        let v = self.v;
        let (mut bits, mut at) = (0, 0);
        while at < BLOCK {
            let bytes: [V::Vector; 3] = [v.load(block, at), v.load(block, at + 1), v.load(block, at + 2)];
            let mut found = v.and(self.classes(self.one, bytes[0]), v.splat(Sieve::ASCII));
            // Not a slice of the sets: in code that is optimised for size, that is a call.
            let mut i = 0;
            while i < Sieve::SETS {
                if i < self.sets {
                    let [first, second, third] = self.three[i];
                    let classes = v.and(self.classes(first, bytes[0]), self.classes(second, bytes[1]));
                    found = v.or(found, v.and(classes, self.classes(third, bytes[2])));
                }
                i += 1;
            }
            bits |= v.not_zero(found) << at;
            at += V::LANES;
        }
        bits
    }
}

#[inline(always)]
fn load<V: Vectors>(v: V, nibbles: &Nibbles) -> [V::Vector; 2] {
    [v.table16(&nibbles.high), v.table16(&nibbles.low)]
}

/// [`next`] as a job.
pub(super) struct Sift;

impl<E: Searching> Job<E, (usize, &Sieve), Suspects> for Sift {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Suspects {
        next(engine, text, from, sieve)
    }
}

//! What conversions, counts and repaired columns want to know of a block.

#![forbid(unsafe_code)]

use super::{BLOCK_BYTES, CONTEXT, Found, Map, OWN_BYTES, Surveyor};

/// The marks with which a conversion replaces the ill-formed sequences of a block while it converts
/// the others. Each byte is a bit, the first byte of the context the lowest.
///
/// They are also correct for the context before the block.
#[derive(Clone, Copy)]
pub struct Marks {
    /// The bytes of ill-formed sequences.
    pub ill_formed: u64,
    /// The bytes after which a sequence ends, well-formed or not.
    pub ends: u64,
}

impl Marks {
    /// The marks of ASCII.
    pub const ASCII: Self = Self { ill_formed: 0, ends: u64::MAX };

    /// Returns the marks of a block in its context. `before` are those of the block directly before
    /// it, or those of ASCII if the context before it is ASCII or zeros.
    #[inline(always)]
    pub fn of<S: Surveyor>(s: S, bytes: &[u8; BLOCK_BYTES], before: Self) -> Self {
        const BEFORE: u64 = (1 << CONTEXT) - 1;
        const WITHIN: u64 = ((1 << OWN_BYTES) - 1) << CONTEXT;
        let Map { faults, continued } = Map::at(s, bytes);
        // The map may be wrong for the context. The marks of the block before are right.
        let mut ill_formed = faults & WITHIN | before.ill_formed >> OWN_BYTES & BEFORE;
        let continued = continued & !BEFORE;
        // An ill-formed sequence has at most three bytes.
        ill_formed |= ill_formed << 1 & continued;
        ill_formed |= ill_formed << 1 & continued;
        Self { ill_formed, ends: !(continued >> 1) }
    }
}

impl Found {
    /// Returns the number of remaining ill-formed sequences, and of their bytes.
    #[inline(always)]
    pub const fn ill_formed(&self) -> (usize, usize) {
        let second = self.faults << 1 & self.continued;
        let third = second << 1 & self.continued;
        let count = self.faults.count_ones() as usize;
        (count, count + (second.count_ones() + third.count_ones()) as usize)
    }

    /// Returns how many sequences begin in the block, well-formed or not.
    #[inline(always)]
    pub const fn sequences(&self) -> usize {
        let len = self.end - self.start;
        len - (self.continued & ((1 << len) - 1)).count_ones() as usize
    }

    /// Returns how many UTF-16 units the block becomes: one for each sequence, and one more for
    /// each character of four bytes. No ill-formed sequence has three continuations.
    #[inline(always)]
    pub const fn utf16_len(&self) -> usize {
        let continued = self.continued;
        let fours = !continued & continued >> 1 & continued >> 2 & continued >> 3;
        self.sequences() + (fours & ((1 << (self.end - self.start)) - 1)).count_ones() as usize
    }

    /// Returns whether each byte of the block is ASCII or was ill-formed by itself.
    #[inline(always)]
    pub const fn is_lone(&self) -> bool {
        self.continued == 0
    }
}

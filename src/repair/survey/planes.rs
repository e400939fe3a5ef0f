//! Classifies bytes with the tables of `kernel/bitplanes/`.

#![forbid(unsafe_code)]

use super::{Classes, Surveyor, Surveys};
use crate::kernel::BlockChecker;
use crate::simd::{Avx512, Vectors};

impl Surveys for Avx512 {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        BlockChecker::new(self)
    }
}

/// The classes of bytes, for the search of all faults.
impl Surveyor for BlockChecker {
    type Set = Avx512;

    #[inline(always)]
    fn set(self) -> Avx512 {
        self.s
    }

    #[inline(always)]
    fn high(self, bytes: &[u8; 64]) -> u64 {
        self.s.high_bits(self.s.load(bytes, 0))
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn classes(self, bytes: &[u8; 64]) -> Classes {
        let s = self.s;
        let now = s.load(bytes, 0);
        Classes {
            high: s.high_bits(now),
            lead: s.at_least(now, s.splat(0xC0)),
            lead3: s.at_least(now, s.splat(0xE0)),
            lead4: s.at_least(now, s.splat(0xF0)),
            allowed: self.allowed(now),
        }
    }
}

//! Classifies bytes with the tables of `kernel/bitplanes/`.

use super::{Classes, Surveyor, Surveys};
use crate::kernel::BlockChecker;
use crate::output::Output;
use crate::simd::{Avx512, Vectors};

impl Surveys for Avx512 {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        BlockChecker::new(self)
    }
}

/// The classes of bytes, for the search of all faults.
impl Surveyor for BlockChecker {
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

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; 256]) -> bool {
        let s = self.s;
        let (a, b) = (s.load(bytes, 0), s.load(bytes, 64));
        let (c, d) = (s.load(bytes, 128), s.load(bytes, 192));
        !s.any_high_bit(s.or(s.or(a, b), s.or(c, d)))
    }

    #[inline(always)]
    fn put_and_test_ascii(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        let next = out.next_array::<256>()?;
        let mut all = self.s.zero();
        let mut at = 0;
        while at < 256 {
            let v = self.s.load(bytes, at);
            all = self.s.or(all, v);
            self.s.store(v, next, at);
            at += 64;
        }
        // SAFETY: the loop has written 256 bytes.
        unsafe { out.advance(256) };
        Some(!self.s.any_high_bit(all))
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; 256]) -> usize {
        let s = self.s;
        let mut others = 1 << 4;
        let mut block = 0;
        while block < 4 {
            others |= u32::from(s.any_high_bit(s.load(bytes, 64 * block))) << block;
            block += 1;
        }
        others.trailing_zeros() as usize
    }
}

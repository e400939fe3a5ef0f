//! Classifies bytes with the tables of `kernel/lookup/`.

#![forbid(unsafe_code)]

use super::{Classes, Surveyor, Surveys};
use crate::kernel::Checker;
use crate::simd::{Job, Simd};

impl<S: Simd> Surveys for S {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        self
    }
}

/// [`Surveyor::classes`] as a separate function: with vectors of 16 bytes, it is most of each loop
/// that calls it.
struct ClassesOf;

impl<S: Simd> Job<S, &[u8; 64], Classes> for ClassesOf {
    #[inline(always)]
    fn run(s: S, _: &[u8], bytes: &[u8; 64]) -> Classes {
        let checker = Checker::new(s);
        let mut classes = Classes { high: 0, lead: 0, lead3: 0, lead4: 0, allowed: 0 };
        let mut at = 0;
        while at < 64 {
            let now = s.load(bytes, at);
            let earlier1 = if at == 0 { s.earlier::<1>(now, s.splat(0)) } else { s.load(bytes, at - 1) };
            // Saturating subtraction leaves bit 7 set from C0, from E0, and from F0 on.
            classes.high |= s.high_bits(now) << at;
            classes.lead |= s.high_bits(s.minus_saturating(now, s.splat(0xC0 - 0x80))) << at;
            classes.lead3 |= s.high_bits(s.minus_saturating(now, s.splat(0xE0 - 0x80))) << at;
            classes.lead4 |= s.high_bits(s.minus_saturating(now, s.splat(0xF0 - 0x80))) << at;
            // Saturating subtraction leaves bit 7 set where the subtrahend is zero.
            let allowed = s.minus_saturating(s.splat(0x80), checker.disallowed(now, earlier1));
            classes.allowed |= s.high_bits(allowed) << at;
            at += S::LANES;
        }
        classes
    }
}

impl<S: Simd> Surveyor for S {
    type Set = S;

    #[inline(always)]
    fn set(self) -> S {
        self
    }

    #[inline(always)]
    fn high(self, bytes: &[u8; 64]) -> u64 {
        self.high_bits_of_64(bytes, 0)
    }

    #[inline(always)]
    fn classes(self, bytes: &[u8; 64]) -> Classes {
        self.apart(ClassesOf, &[], bytes)
    }
}

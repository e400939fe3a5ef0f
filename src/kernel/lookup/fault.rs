//! Finds the first fault.

#![forbid(unsafe_code)]

use super::check::Checker;
use crate::boundary::array_at;
use crate::kernel::verdict::Verdict;
use crate::simd::{Job, Simd};

/// The search for the first fault from `at` on, vector by vector.
///
/// The four bytes before `at` are well-formed, except for a character that `at` cuts off; or `at`
/// is 0. The job returns the suspect verdict for the first fault, or for the position where less
/// than a vector is left.
struct FirstFault;

impl<S: Simd> Job<S, usize, Verdict> for FirstFault {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Verdict {
        let checker = Checker::new(s);
        // Zeros come before the start of a text.
        let mut before = checker.ending_in(array_at(bytes, at.wrapping_sub(4)).copied().unwrap_or_default());
        while at + S::LANES <= bytes.len() {
            let mut faults = checker.no_faults();
            before = checker.check_after(&mut faults, s.load(bytes, at), before);
            if let Some(suspicion) = checker.suspicion(&faults, at) {
                return suspicion;
            }
            at += S::LANES;
        }
        Verdict::suspect(at)
    }
}

/// Returns the suspect verdict for the first fault from `at` on. There is one. For `at`, see
/// [`FirstFault`].
#[cold]
#[inline(always)]
pub(super) fn find_fault<S: Simd>(s: S, bytes: &[u8], at: usize) -> Verdict {
    s.apart(FirstFault, bytes, at)
}

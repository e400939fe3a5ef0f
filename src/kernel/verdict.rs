//! A kernel's answer.

#![forbid(unsafe_code)]

/// *Valid*, or the suspect position, from which the automaton must look for an error.
///
/// A verdict is one word: it comes back in a register, and a test of it is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict(usize);

impl Verdict {
    /// No slice is that long, so no suspicion has this value.
    pub(super) const VALID: Self = Self(usize::MAX);

    /// An ill-formed sequence ends at `at` or after it. Everything before that sequence is
    /// well-formed.
    #[inline(always)]
    pub(super) const fn suspect(at: usize) -> Self {
        Self(at)
    }

    /// Returns whether the verdict is `VALID`.
    #[inline(always)]
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.0 == Self::VALID.0
    }

    /// Returns where to look, if the verdict is not `VALID`.
    #[inline(always)]
    #[must_use]
    pub const fn suspicion(self) -> Option<usize> {
        if self.is_valid() { None } else { Some(self.0) }
    }
}

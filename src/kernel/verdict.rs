//! What a kernel answers.

#![forbid(unsafe_code)]

/// Valid, or a place from which on the automaton is to look.
///
/// One word, so that it comes back in a register and testing it is one comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Verdict(usize);

impl Verdict {
    /// No slice reaches so far, so no suspicion has this value.
    pub(crate) const VALID: Self = Self(usize::MAX);

    /// Some sequence is ill-formed that ends behind `at` or is cut off there; none before it is.
    #[inline(always)]
    pub(crate) const fn suspect(at: usize) -> Self {
        Self(at)
    }

    #[inline(always)]
    pub(crate) const fn is_valid(self) -> bool {
        self.0 == Self::VALID.0
    }

    /// Where to look, if not valid.
    #[inline(always)]
    pub(crate) const fn suspicion(self) -> Option<usize> {
        if self.is_valid() { None } else { Some(self.0) }
    }
}

//! Counts the forbidden characters of each class in a text.

#![forbid(unsafe_code)]

use super::class::Class;

/// The number of forbidden characters of each class. See
/// [`Profile::census`](super::Profile::census).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Census {
    counts: [u64; Class::ALL.len()],
}

impl Census {
    pub(super) const fn new() -> Self {
        Self { counts: [0; Class::ALL.len()] }
    }

    pub(super) const fn add(&mut self, class: Class) {
        self.counts[class as usize] += 1;
    }

    /// Returns the number of characters of a class. It is 0 for a class that the profile allows.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    /// assert_eq!(Profile::POSTGRES.census("\0\0\x01").count(Class::Nul), 2);
    /// ```
    #[must_use]
    pub const fn count(&self, class: Class) -> u64 {
        self.counts[class as usize]
    }

    /// Returns the number of forbidden characters.
    ///
    /// ```
    /// assert_eq!(trust8_profile::Profile::POSTGRES.census("none").total(), 0);
    /// ```
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

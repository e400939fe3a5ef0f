//! The ill-formed sequences of a text, block by block.

#![forbid(unsafe_code)]

use crate::boundary;
use crate::kernel::Kernel;
use crate::kernel::entries;
#[cfg(feature = "alloc")]
use crate::kernel::survey::Replaced;
use crate::kernel::survey::{FIRST_PIECE, Found, LAST_PIECE};
#[cfg(feature = "alloc")]
use crate::output::Output;

/// The ill-formed sequences of a text, block by block.
#[derive(Clone)]
pub(crate) struct Faults<'a> {
    kernel: &'static Kernel,
    bytes: &'a [u8],
    /// All before is done with, but for a sequence that may reach beyond.
    at: usize,
    /// How much the kernel is to validate next; 0 if faults are near.
    piece: usize,
}

impl<'a> Faults<'a> {
    pub(crate) fn new(kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        Self { kernel, bytes, at: 0, piece: 0 }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next block, which may be empty and without a fault, and begins at or behind the end of the one before.
    /// What is between them is well-formed. `None` if that end was the text's.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<Found> {
        if self.at == self.bytes.len() {
            return None;
        }
        if self.piece > 0
            && let Some(end) = self.leap()
        {
            self.at = end;
            return Some(Found::nothing(end));
        }
        let found = entries::seek(self.kernel, self.bytes, self.at);
        self.at = found.end;
        self.piece = if found.is_sound() { FIRST_PIECE } else { 0 };
        Some(found)
    }

    /// Writes the block that was found last, and what is behind it and near, with its faults replaced; see [`replace`].
    #[cfg(feature = "alloc")]
    pub(crate) fn replace(&mut self, block: Found, done: usize, out: &mut Output<'_>) -> Replaced {
        let replaced = entries::replace(self.kernel, self.bytes, block.start, done, out);
        // Nothing is written where the text ends soon.
        if replaced.at > block.start {
            (self.at, self.piece) = match replaced.far {
                true => (boundary::start_before(self.bytes, replaced.at), FIRST_PIECE),
                false => (replaced.at, 0),
            };
        }
        replaced
    }

    /// Validates a piece. Returns the end of what is valid, unless that is nothing.
    fn leap(&mut self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        if rest.len() < FIRST_PIECE {
            return None;
        }
        let piece = &rest[..boundary::floor(rest, self.piece)];
        let Some(suspect) = self.kernel.verdict(piece).suspicion() else {
            self.piece = (2 * self.piece).min(LAST_PIECE);
            return Some(self.at + piece.len());
        };
        self.piece = 0;
        let before = &piece[..boundary::start_before(piece, suspect)];
        (!before.is_empty() && self.kernel.verdict(before).is_valid()).then_some(self.at + before.len())
    }
}

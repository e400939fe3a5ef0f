//! The search for the ill-formed sequences of a text: near faults block by block, otherwise chunk by chunk.

#![forbid(unsafe_code)]

use crate::boundary;
use crate::kernel::Kernel;
use crate::kernel::entries;
#[cfg(feature = "alloc")]
use crate::kernel::survey::Replaced;
use crate::kernel::survey::{FIRST_CHUNK, Found, LONGEST_CHUNK};
#[cfg(feature = "alloc")]
use crate::output::Output;

/// A search for the ill-formed sequences of a text, in the two modes that `kernel/survey.rs` describes.
#[derive(Clone)]
pub(crate) struct Search<'a> {
    kernel: &'static Kernel,
    bytes: &'a [u8],
    /// The text before this has been searched. An ill-formed sequence in it may reach beyond.
    at: usize,
    /// How long a chunk the kernel validates next; 0 if faults are near.
    chunk: usize,
}

impl<'a> Search<'a> {
    pub(crate) fn new(kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        Self { kernel, bytes, at: 0, chunk: 0 }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the next block, or `None` at the end of the text. The text between two blocks is well-formed. A block may be
    /// empty, and need not have a fault.
    #[inline]
    pub(crate) fn advance(&mut self) -> Option<Found> {
        if self.at == self.bytes.len() {
            return None;
        }
        if self.chunk > 0
            && let Some(end) = self.validate_chunk()
        {
            self.at = end;
            return Some(Found::nothing(end));
        }
        let found = entries::seek(self.kernel, self.bytes, self.at);
        self.at = found.end;
        self.chunk = if found.is_sound() { FIRST_CHUNK } else { 0 };
        Some(found)
    }

    /// Writes the text from `block`, which was found last, up to where no fault is near, with its faults replaced. See
    /// [`Engine::replace`](crate::kernel::Engine::replace).
    #[cfg(feature = "alloc")]
    pub(crate) fn replace(&mut self, block: Found, done: usize, out: &mut Output<'_>) -> Replaced {
        let replaced = entries::replace(self.kernel, self.bytes, block.start, done, out);
        // Near the end of the text nothing is written.
        if replaced.at > block.start {
            (self.at, self.chunk) = match replaced.far {
                true => (boundary::start_before(self.bytes, replaced.at), FIRST_CHUNK),
                false => (replaced.at, 0),
            };
        }
        replaced
    }

    /// Validates the next chunk. Returns the end of its valid text, or `None` if there is none or the text ends soon.
    fn validate_chunk(&mut self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        if rest.len() < FIRST_CHUNK {
            return None;
        }
        let chunk = &rest[..boundary::floor(rest, self.chunk)];
        let Some(suspect) = self.kernel.verdict(chunk).suspicion() else {
            self.chunk = (2 * self.chunk).min(LONGEST_CHUNK);
            return Some(self.at + chunk.len());
        };
        self.chunk = 0;
        let before = &chunk[..boundary::start_before(chunk, suspect)];
        (!before.is_empty() && self.kernel.verdict(before).is_valid()).then_some(self.at + before.len())
    }
}

//! Finds and counts the ill-formed sequences of a text: block by block while faults are near,
//! otherwise chunk by chunk.

#![forbid(unsafe_code)]

use super::survey::{FIRST_CHUNK_BYTES, Found, LONGEST_CHUNK_BYTES, Replace, Seek};
use crate::boundary;
use crate::kernel::Kernel;
use crate::output::Output;

/// A search for the ill-formed sequences of a text, in the two modes that `repair/survey/`
/// describes.
#[derive(Clone, Debug)]
pub struct FaultSearch<'a> {
    kernel: &'a Kernel,
    bytes: &'a [u8],
    /// The text before this has been searched. An ill-formed sequence in it may reach beyond.
    at: usize,
    /// The length of the next chunk for the kernel; 0 if faults are near.
    chunk: usize,
}

impl<'a> FaultSearch<'a> {
    /// Begins at the start of the text, where it expects a fault soon.
    #[inline]
    pub fn new(kernel: &'a Kernel, bytes: &'a [u8]) -> Self {
        Self { kernel, bytes, at: 0, chunk: 0 }
    }

    /// Begins as if no fault were near, with a chunk.
    #[inline]
    pub(crate) fn expecting_far(kernel: &'a Kernel, bytes: &'a [u8]) -> Self {
        Self { chunk: FIRST_CHUNK_BYTES, ..Self::new(kernel, bytes) }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    /// Returns the next block, or `None` at the end of the text. The text between two blocks is
    /// well-formed. A block may be empty, and need not have a fault.
    #[inline]
    pub fn advance(&mut self) -> Option<Found> {
        if self.at == self.bytes.len() {
            return None;
        }
        if self.chunk > 0
            && let Some(end) = self.validate_chunk()
        {
            self.at = end;
            return Some(Found::nothing(end));
        }
        let found = self.kernel.run(Seek, self.bytes, self.at);
        self.at = found.end;
        self.chunk = if found.is_sound() { FIRST_CHUNK_BYTES } else { 0 };
        Some(found)
    }

    /// Writes the text from `block` on, with its faults replaced, until no fault is near.
    ///
    /// `block` was found last. The text before `done`, which lies in the block, has been written.
    /// Near the end of the text or the output, nothing is written.
    ///
    /// Returns the start of the text to write next, or `None` if nothing was written.
    pub(crate) fn replace(&mut self, block: Found, done: usize, out: &mut Output<'_>) -> Option<usize> {
        let replaced = self.kernel.run(Replace, self.bytes, (block.start, done, out));
        if replaced.at == block.start {
            return None;
        }
        self.at = replaced.at;
        self.chunk = if replaced.far { FIRST_CHUNK_BYTES } else { 0 };
        Some(replaced.done)
    }

    /// Validates the next chunk. Returns the end of its valid text, or `None` if there is none or
    /// not much text is left.
    fn validate_chunk(&mut self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        if rest.len() < FIRST_CHUNK_BYTES && self.at > 0 {
            return None;
        }
        let chunk = &rest[..boundary::floor(rest, self.chunk)];
        let Err(rejected) = self.kernel.check(chunk) else {
            self.chunk = (2 * self.chunk).min(LONGEST_CHUNK_BYTES);
            return Some(self.at + chunk.len());
        };
        self.chunk = 0;
        let before = &chunk[..boundary::start_before(chunk, rejected.suspect())];
        (!before.is_empty() && self.kernel.is_utf8(before)).then_some(self.at + before.len())
    }
}

/// Calls `use_fault` with the position and the length of each ill-formed sequence of `text`.
#[cfg(feature = "alloc")]
#[inline(always)]
pub fn each_fault(kernel: &Kernel, text: &[u8], mut use_fault: impl FnMut(usize, usize)) {
    let mut search = FaultSearch::new(kernel, text);
    while let Some(mut block) = search.advance() {
        while let Some((at, len)) = block.pop() {
            use_fault(block.start + at, len);
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use crate::kernel::counted::assert_linear;

    /// The time of a search that restarted a kernel after each ill-formed sequence would grow with
    /// their number.
    #[test]
    fn no_text_starts_kernels_again_and_again() {
        assert_linear("errors", |kernel, text| kernel.errors(text).for_each(|_| {}));
        assert_linear("errors, counted", |kernel, text| {
            let _ = kernel.errors(text).count();
        });
        assert_linear("decode", |kernel, text| kernel.decode(text).for_each(|_| {}));
        assert_linear("utf8_chunks", |kernel, text| kernel.utf8_chunks(text).for_each(|_| {}));
        assert_linear("from_utf8_lossy", |kernel, text| {
            let _ = kernel.from_utf8_lossy(text);
        });
        assert_linear("lossy_len", |kernel, text| {
            let _ = kernel.lossy_len(text);
        });
        assert_linear("locate", |kernel, text| {
            let _ = kernel.locate(text, text.len());
        });
        // Each position was once searched for from the start of the text.
        assert_linear("a place for each error", |kernel, text| {
            let mut locator = kernel.locator(text);
            kernel.errors(text).for_each(|error| {
                let _ = locator.locate(error.valid_up_to());
            });
        });
    }
}

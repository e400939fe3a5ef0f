//! Runs of UTF-8 in bytes of a dialect: from one exception to the next at the speed of the kernels.
//!
//! An exception is a sequence that the dialect writes differently, or a sequence of UTF-8 that it
//! lacks.
//!
//! ```text
//! far:   for each chunk:
//!            search for an exception; a kernel says whether the bytes before it are UTF-8
//!            if they are not, or there was no search:
//!                a kernel validates the chunk, and `core::str` says exactly where it stops being UTF-8
//!                search the valid part for sequences that the dialect lacks
//!        after an exception or an ill-formed sequence: continue with 'near'
//! near:  maps of ill-formed sequences, block by block, as `repair/survey/` makes them
//!        search the text before the next one for sequences that the dialect lacks
//!        after a few blocks without an ill-formed sequence, or a few exceptions that are not near: continue with 'far'
//! ```
//!
//! 1. **Exceptions are searched for** after another exception, and always if the dialect lacks
//!    sequences of UTF-8. A kernel would find them too, but it reads some hundred more bytes before
//!    it stops, and goes back to find the position. The search is one of those of `text/search/`.
//!    The next eight bytes are checked without it.
//! 2. **Dense exceptions cost no kernel call each.** For UTF-8, an exception is one or more
//!    ill-formed sequences. So a map has all exceptions and all errors of its block, and a lookup
//!    between two of them is one bit of a word.
//! 3. **A chunk is not much longer than the valid text of the last one.** So all chunks together
//!    take linear time, regardless of the number and positions of exceptions.
//! 4. **Chunks stay in the first-level cache** while they are searched and validated.

mod own_forms;

use trust8::engine::start_before;
use trust8::engine::survey::{Found, Seek};
use trust8::{Kernel, boundary};

use crate::Dialect;

/// The shortest chunk.
const SHORTEST_CHUNK_BYTES: usize = 256;
/// After a run of fewer bytes, the next exception is expected to be near.
const NEAR_BYTES: usize = 16;
/// After this many exceptions that were not near, the next exception or ill-formed sequence is not
/// expected to be near.
const CALM_EXCEPTIONS: u8 = 4;
/// The longest chunk, except the first one of a dialect that has all sequences of UTF-8.
const LONGEST_CHUNK_BYTES: usize = 16 << 10;

/// An iteration over the runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    /// Whether it is known that no run begins at `at`.
    stopped: bool,
    /// Whether an exception ends at `at`.
    after_exception: bool,
    /// Whether an exception or an ill-formed sequence is near.
    near: bool,
    /// The number of consecutive exceptions, each after a longer run and without an ill-formed
    /// sequence between them: at most [`CALM_EXCEPTIONS`].
    calm: u8,
    /// The last block found that has one near.
    block: Found,
    /// The maximum length of the next chunk.
    chunk: usize,
    /// A run of at least this length ends, even if the text continues.
    limit: usize,
    /// The kernel that the caller chose.
    pub(crate) kernel: &'static Kernel,
}

impl<'a> Runs<'a> {
    /// Returns the runs of `bytes`, each as long as possible.
    pub(crate) fn new(bytes: &'a [u8], dialect: Dialect, kernel: &'static Kernel) -> Self {
        let chunk = if dialect.writes_pairs() { LONGEST_CHUNK_BYTES } else { usize::MAX };
        Self {
            bytes,
            at: 0,
            dialect,
            stopped: false,
            after_exception: false,
            near: false,
            calm: 0,
            block: Found::NONE,
            chunk,
            limit: usize::MAX,
            kernel,
        }
    }

    /// Limits each run to not much more than `limit`, for a caller who does not need more, or may
    /// not need the next one.
    pub(crate) fn shorten(&mut self, limit: usize) {
        self.chunk = SHORTEST_CHUNK_BYTES.min(limit.max(NEAR_BYTES));
        self.limit = LONGEST_CHUNK_BYTES.min(limit);
    }

    /// Returns the end of the last run, or of the bytes skipped after it.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the remaining bytes.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Skips an exception or an ill-formed sequence. Another run may begin after it.
    #[inline]
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.stopped = false;
        self.after_exception = true;
    }

    /// Returns the next run: the text up to an exception, an ill-formed sequence, or the limit. It
    /// is empty at an exception, at an ill-formed sequence, and at the end of the bytes.
    #[inline]
    pub(crate) fn text(&mut self) -> &'a str {
        let start = self.at;
        if !self.stopped && !self.pass_block() && !self.pass_ascii() {
            self.advance();
        }
        // SAFETY: `start` is where a run ended or a sequence was skipped. `pass_ascii` passes only
        // ASCII. `pass_chunk` passes what a kernel found valid. `pass_block` and `pass_mapped` pass
        // whole characters: they begin at a byte that is no continuation, and `Seek` found no
        // ill-formed sequence up to where they end. All are cut short only before a byte that is
        // ASCII or a lead.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[start..self.at]) }
    }

    /// Advances to the next exception or ill-formed sequence if it is in the last block found.
    /// Returns whether it is.
    #[inline]
    fn pass_block(&mut self) -> bool {
        if self.at >= self.block.end || boundary::is_continuation(self.bytes[self.at]) {
            return false;
        }
        let Some(fault) = self.block.first_from(self.at) else { return false };
        let gained =
            self.dialect.find_excluded(self.kernel, &self.bytes[self.at..fault]).unwrap_or(fault - self.at);
        self.at += gained;
        self.stop(gained);
        true
    }

    /// Records that an exception or an ill-formed sequence follows a run of `gained` bytes.
    #[inline]
    fn stop(&mut self, gained: usize) {
        self.stopped = true;
        // A search finds an exception that is less near as fast as a map does. What it does not
        // find takes several calls of a kernel, so it pays only if exceptions follow exceptions.
        let is_calm = gained >= NEAR_BYTES && self.dialect.begins_exception(self.rest());
        self.calm = if is_calm { (self.calm + 1).min(CALM_EXCEPTIONS) } else { 0 };
        self.near = self.calm < CALM_EXCEPTIONS;
    }

    /// Advances to the next exception if it follows a few bytes of ASCII. Returns whether it does.
    #[inline]
    fn pass_ascii(&mut self) -> bool {
        if !self.after_exception || self.near {
            return false;
        }
        let Some(nine) = self.rest().first_chunk() else { return false };
        let Some(near) = self.dialect.find_near_exception(nine).filter(|&near| nine[..near].is_ascii())
        else {
            return false;
        };
        self.at += near;
        self.stopped = true;
        true
    }

    /// Advances to the end of the run.
    #[inline(never)]
    fn advance(&mut self) {
        let start = self.at;
        while self.at - start < self.limit && !self.stopped && self.at < self.bytes.len() {
            if self.near {
                self.pass_mapped();
            } else {
                self.pass_chunk();
            }
        }
    }

    /// Advances to the next exception or ill-formed sequence, or to a position where none is near
    /// any more.
    #[inline]
    fn pass_mapped(&mut self) {
        if boundary::is_continuation(self.bytes[self.at]) {
            // A run ends with a whole character. So an ill-formed sequence begins here, and not
            // text that a map finds valid.
            self.stopped = true;
            return;
        }
        if self.block.end <= self.at {
            self.block = self.kernel.run(Seek, self.bytes, self.at);
        }
        let mut stopped = false;
        let end = loop {
            if let Some(fault) = self.block.first_from(self.at) {
                stopped = true;
                break fault;
            }
            if self.block.start == self.block.end {
                // No block up to there has a fault.
                break self.block.end;
            }
            // The end of this block may cut off a character.
            self.block = self.kernel.run(Seek, self.bytes, self.block.end);
        };
        let text = &self.bytes[self.at..end];
        let excluded = self.dialect.find_excluded(self.kernel, text);
        let gained = excluded.unwrap_or(text.len());
        self.at += gained;
        self.chunk = SHORTEST_CHUNK_BYTES;
        if stopped || excluded.is_some() {
            self.stop(gained);
        } else {
            self.near = false;
        }
    }

    /// Advances to the end of the next chunk, or to an exception or an ill-formed sequence in it.
    fn pass_chunk(&mut self) {
        let rest = self.rest();
        let chunk = &rest[..boundary::floor(rest, self.chunk)];
        let searches = self.dialect.writes_pairs() || self.dialect != Dialect::Utf8 && self.after_exception;
        // What is before an exception is validated. The search is of no use if that is not UTF-8.
        let found = searches.then(|| self.dialect.find_exception(self.kernel, chunk).unwrap_or(chunk.len()));
        let gained = found.filter(|&found| self.is_text(&chunk[..found])).unwrap_or_else(|| {
            let text = &chunk[..self.valid_len(chunk)];
            self.dialect.find_excluded(self.kernel, text).unwrap_or(text.len())
        });
        self.at += gained;
        if gained < chunk.len() {
            self.stop(gained);
            self.chunk = (2 * gained).clamp(SHORTEST_CHUNK_BYTES, LONGEST_CHUNK_BYTES);
        } else {
            self.after_exception &= chunk.len() < LONGEST_CHUNK_BYTES / 2;
            self.chunk = self.chunk.saturating_mul(2).min(LONGEST_CHUNK_BYTES);
        }
    }

    /// Returns whether `bytes` is UTF-8. For a few bytes of ASCII, a loop is faster than a call of
    /// a kernel.
    fn is_text(&self, bytes: &[u8]) -> bool {
        bytes.len() <= 16 && bytes.is_ascii() || self.kernel.is_utf8(bytes)
    }

    /// Returns how many bytes at the start of `chunk` are UTF-8.
    ///
    /// The kernel's 'valid' is trusted. If it reports a position, the bytes before that are
    /// validated again. So a wrong position costs time, never soundness.
    fn valid_len(&self, chunk: &[u8]) -> usize {
        let Err(rejected) = self.kernel.check(chunk) else { return chunk.len() };
        let before = start_before(chunk, rejected.suspect());
        let from = if self.is_text(&chunk[..before]) { before } else { 0 };
        from + core::str::from_utf8(&chunk[from..]).map_or_else(|error| error.valid_up_to(), str::len)
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use trust8::engine::counted::assert_linear;

    use crate::{Dialect, KernelDialects};

    #[test]
    fn no_text_in_a_dialect_starts_kernels_again_and_again() {
        for &dialect in Dialect::ALL {
            assert_linear("decode", |kernel, text| {
                kernel.dialect(dialect).decode(text).for_each(|_| {});
            });
            assert_linear("validate", |kernel, text| {
                let _ = kernel.dialect(dialect).validate(text);
            });
            assert_linear("to_utf8", |kernel, text| {
                let _ = kernel.dialect(dialect).to_utf8(text);
            });
            assert_linear("to_utf8_lossy", |kernel, text| {
                let _ = kernel.dialect(dialect).to_utf8_lossy(text);
            });
        }
    }
}

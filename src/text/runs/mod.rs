//! Runs of UTF-8 in bytes of a dialect: from one exception to the next at the speed of the kernels.
//!
//! An exception is a sequence that the dialect writes in its own way, or one of UTF-8 that it lacks.
//!
//! ```text
//! for each chunk:
//!     search for an exception; a kernel says whether the bytes before it are UTF-8
//!     if they are not, or there was no search:
//!         a kernel validates the chunk, and `core::str` says exactly where it stops being UTF-8
//!         search the valid part for sequences that the dialect lacks
//! ```
//!
//! 1. **Exceptions are searched for** after another exception, and always if the dialect lacks sequences of UTF-8. A kernel
//!    would find them too, but it reads some hundred bytes more before it stops, and goes back to say where. Exceptions begin
//!    with bytes from `ED` on, which few texts have, so the largest byte of a block is enough to skip most blocks.
//! 2. **A chunk is not much longer than the valid text of the last one.** So all chunks together take linear time, however
//!    many exceptions there are and wherever they lie.
//! 3. **Chunks stay in the first-level cache** while they are searched and validated.

mod own_forms;

use crate::boundary;
use crate::kernel::verdict::Verdict;
use crate::kernel::{self, Kernel};

pub(crate) use own_forms::OwnForms;

use own_forms::{BLOCK, repeat, two_words};

/// The shortest chunk.
const SHORT: usize = 256;
/// The longest chunk, except for the first one of a dialect that has all sequences of UTF-8.
const LONG: usize = 16 << 10;

/// An iteration over the runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs<'a> {
    bytes: &'a [u8],
    at: usize,
    own: OwnForms,
    /// Whether it is known that no run begins at `at`.
    stopped: bool,
    /// Whether an exception ends at `at`.
    after_exception: bool,
    /// Whether the last run ended soon, although a search had not found its end.
    dense: bool,
    /// The longest that the next chunk may be.
    chunk: usize,
    /// A run of this length or more ends, even if the text goes on.
    limit: usize,
    /// The kernel that the caller chose; `None` for the best one.
    kernel: Option<&'static Kernel>,
}

impl<'a> Runs<'a> {
    /// Returns the runs of `bytes`, each as long as possible.
    pub(crate) fn new(bytes: &'a [u8], own: OwnForms, kernel: Option<&'static Kernel>) -> Self {
        let chunk = if own.excludes() { LONG } else { usize::MAX };
        Self {
            bytes,
            at: 0,
            own,
            stopped: false,
            after_exception: false,
            dense: false,
            chunk,
            limit: usize::MAX,
            kernel,
        }
    }

    /// Returns the runs of `bytes`, each of a limited length: for callers who may not want the next one.
    pub(crate) fn limited(bytes: &'a [u8], own: OwnForms, kernel: Option<&'static Kernel>) -> Self {
        Self { chunk: SHORT, limit: LONG, ..Self::new(bytes, own, kernel) }
    }

    /// Returns where the last run ended, or where the bytes that were skipped after it end.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the bytes from there on.
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

    /// Returns the next run: the text up to an exception, an ill-formed sequence, or the limit. It is empty if there is an
    /// exception or an ill-formed sequence here, or if the bytes end.
    #[inline]
    pub(crate) fn text(&mut self) -> &'a str {
        let start = self.at;
        if !self.stopped && !self.pass_ascii() {
            self.advance();
        }
        // SAFETY: `start` is where a run ended or a sequence was skipped. `pass_ascii` passes only ASCII. `advance` passes
        // chunks that were each found valid, cut short only before a byte that is ASCII or a lead.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[start..self.at]) }
    }

    /// Goes to the next exception, if only a few bytes of ASCII come before it. Returns whether it did.
    #[inline]
    fn pass_ascii(&mut self) -> bool {
        if !self.after_exception {
            return false;
        }
        let Some(nine) = self.rest().first_chunk() else { return false };
        let (word, next) = two_words(nine);
        let marks = self.own.mark(word, next);
        // The bits below the lowest mark.
        let before = !marks & marks.wrapping_sub(1);
        if marks == 0 || word & before & repeat(0x80) != 0 {
            return false;
        }
        self.at += before.count_ones() as usize / 8;
        self.stopped = true;
        true
    }

    /// Goes to the end of the run.
    #[inline(never)]
    fn advance(&mut self) {
        let start = self.at;
        while self.at - start < self.limit && !self.stopped {
            let rest = self.rest();
            if rest.is_empty() {
                break;
            }
            let chunk = &rest[..boundary::floor(rest, self.chunk)];
            let searches = self.own.excludes() || self.own != OwnForms::Nothing && self.after_exception;
            let searched = if searches && !self.dense { self.search(chunk) } else { None };
            let gained = searched.unwrap_or_else(|| {
                let text = &chunk[..self.valid_len(chunk)];
                self.own.find_excluded(text).unwrap_or(text.len())
            });
            self.dense = searched.is_none() && gained < BLOCK.min(chunk.len());
            self.at += gained;
            if gained < chunk.len() {
                self.stopped = true;
                self.chunk = (2 * gained).clamp(SHORT, LONG);
            } else {
                self.after_exception &= chunk.len() < LONG / 2;
                self.chunk = self.chunk.saturating_mul(2).min(LONG);
            }
        }
    }

    /// Searches `chunk` for an exception, and validates the bytes before it. Returns their length if they are UTF-8.
    fn search(&self, chunk: &[u8]) -> Option<usize> {
        let found = self.own.find(chunk).unwrap_or(chunk.len());
        self.is_text(&chunk[..found]).then_some(found)
    }

    /// Returns whether `bytes` is UTF-8. A few bytes of ASCII take less time than a call of a kernel.
    fn is_text(&self, bytes: &[u8]) -> bool {
        bytes.len() <= 16 && bytes.is_ascii() || self.verdict(bytes).is_valid()
    }

    fn verdict(&self, bytes: &[u8]) -> Verdict {
        match self.kernel {
            Some(kernel) => kernel.verdict(bytes),
            None => kernel::validate(bytes),
        }
    }

    /// Returns how many bytes at the start of `chunk` are UTF-8.
    ///
    /// The kernel is believed if it says 'valid'. If it names a place, the bytes before that are validated again: so a wrong
    /// place costs time, never soundness.
    fn valid_len(&self, chunk: &[u8]) -> usize {
        let from = if self.dense {
            // If exceptions are dense, `core::str` gets to the next one before a kernel has begun.
            0
        } else {
            let Some(suspect) = self.verdict(chunk).suspicion() else { return chunk.len() };
            let from = boundary::start_before(chunk, suspect);
            if self.is_text(&chunk[..from]) { from } else { 0 }
        };
        from + match core::str::from_utf8(&chunk[from..]) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        }
    }
}

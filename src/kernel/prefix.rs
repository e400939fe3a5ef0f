//! Text that is validated part by part, for callers that look at each part while it is in the first-level cache.

use super::{Kernel, Rejected};
use crate::boundary;
use crate::error::Utf8Error;

/// Bytes of which the beginning is known to be valid.
pub(crate) struct Prefix<'a> {
    bytes: &'a [u8],
    /// `bytes[..valid]` is UTF-8.
    valid: usize,
}

impl<'a> Prefix<'a> {
    /// Nothing is known yet.
    #[inline(always)]
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, valid: 0 }
    }

    /// Returns the length of what is known to be valid.
    #[inline(always)]
    pub(crate) const fn len(&self) -> usize {
        self.valid
    }

    /// Returns whether all is known to be valid.
    #[inline(always)]
    pub(crate) const fn is_whole(&self) -> bool {
        self.valid == self.bytes.len()
    }

    /// Validates up to `len` bytes more, and returns them as text. If they are not valid, the text is what is valid before the error.
    #[inline(always)]
    pub(crate) fn extend(&mut self, kernel: &Kernel, len: usize) -> (&'a str, Option<Utf8Error>) {
        let rest = &self.bytes[self.valid..];
        let part = if rest.len() <= len { rest } else { &rest[..boundary::floor(rest, len)] };
        match kernel.check(part) {
            Ok(text) => {
                self.valid += text.len();
                (text, None)
            }
            Err(rejected) => self.end(rejected.suspect()),
        }
    }

    /// Finds the error that a kernel suspects at `suspect` bytes after what is valid. What comes after the part may belong to it.
    #[cold]
    fn end(&mut self, suspect: usize) -> (&'a str, Option<Utf8Error>) {
        let rest = &self.bytes[self.valid..];
        match (Rejected { bytes: rest, suspect }).text() {
            Ok(text) => {
                self.valid += text.len();
                (text, None)
            }
            Err(error) => {
                let error_at = error.valid_up_to();
                self.valid += error_at;
                // SAFETY: the automaton has read these bytes up to the ill-formed sequence, and found them valid.
                (
                    unsafe { core::str::from_utf8_unchecked(&rest[..error_at]) },
                    Some(error.after(self.valid - error_at)),
                )
            }
        }
    }

    /// Returns what is valid as text.
    #[inline(always)]
    pub(crate) fn text(self) -> &'a str {
        // SAFETY: `valid` is the sum of the lengths of texts that follow one another from the start, each found valid.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[..self.valid]) }
    }
}

//! What is done when a kernel's answer is no.
//!
//! A function that calls a kernel and then looks at the answer has to save its arguments meanwhile, and the kernel comes back to
//! it. Here it hands the kernel a closure as well. So the call of the kernel is the last thing that the function does, and the
//! compiler makes it a jump. That is for functions that C calls.

#![forbid(unsafe_code)]

use super::verdict::Verdict;
use crate::error::Utf8Error;

/// Bytes that a kernel does not find valid.
#[derive(Clone, Copy, Debug)]
pub struct Rejected<'a> {
    bytes: &'a [u8],
    verdict: Verdict,
}

impl<'a> Rejected<'a> {
    pub(crate) const fn new(bytes: &'a [u8], verdict: Verdict) -> Self {
        Self { bytes, verdict }
    }

    /// Returns the bytes as text, which they are not.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the bytes are not UTF-8, and why.
    pub fn text(self) -> Result<&'a str, Utf8Error> {
        super::text(self.bytes, self.verdict)
    }
}

/// What is done with bytes that a kernel does not find valid.
pub trait OnRejected: FnOnce(Rejected<'_>) -> bool {}

impl<F: FnOnce(Rejected<'_>) -> bool> OnRejected for F {}

/// What is done with a piece of a stream if a kernel does not say at once that it continues the stream. It gets the last four
/// bytes before the piece, and the piece.
pub trait OnNotContinued: FnOnce([u8; 4], &[u8]) -> bool {}

impl<F: FnOnce([u8; 4], &[u8]) -> bool> OnNotContinued for F {}

//! The buffer of a reader: bytes go in, and text comes out. It does no I/O.

#![forbid(unsafe_code)]

use core::fmt;
use std::io;

use super::held::Held;
use crate::boundary::whole_len;
use crate::is_utf8;
use crate::stream::Validator;
use crate::text::bom::strip_bom;

/// The default capacity of a reader: small enough for the first-level cache, large enough for the
/// kernels to run at full speed.
pub(super) const CAPACITY_BYTES: usize = 16 << 10;

/// The bytes that a reader has received, and how much of them is text.
///
/// ```text
///    consumed        text       pending
/// |------------|------------|--------------|-------- ... --|
/// 0          start         end    (0 to 3)           bytes.len()
/// ```
pub(super) struct Intake {
    /// Empty until first used. After that, their number does not change.
    held: Held,
    pub(super) capacity: usize,
    start: usize,
    /// The position in the input, the bytes after `end`, and the error. It does not decide what is
    /// text.
    pub(super) validator: Validator,
    signature: Signature,
    stop: EndOfInput,
}

/// Whether the input has ended for a reason other than an error that the validator found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndOfInput {
    No,
    /// The input ended inside a character.
    Cut,
    /// The inner reader claimed to have read more bytes than the buffer has.
    FalseClaim,
}

/// How to handle a signature at the start of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signature {
    /// Keep it as text. This is also the state once the text has begun without one.
    Keep,
    /// No text has been received yet. If it begins with a signature, remove it.
    Strip,
    /// It has been removed.
    Stripped,
}

impl Signature {
    /// Returns the length of the signature to remove from the start of `text`, the next text. Text
    /// is whole characters, so a signature is never cut.
    fn take(&mut self, text: &[u8]) -> usize {
        if *self != Self::Strip || text.is_empty() {
            return 0;
        }
        let len = text.len() - strip_bom(text).len();
        *self = if len > 0 { Self::Stripped } else { Self::Keep };
        len
    }
}

impl Intake {
    /// Returns a buffer for `capacity` bytes, or for the four bytes of a character if `capacity` is
    /// less.
    pub(super) const fn new(capacity: usize) -> Self {
        let capacity = if capacity < 4 { 4 } else { capacity };
        Self {
            held: Held::NONE,
            capacity,
            start: 0,
            validator: Validator::new(),
            signature: Signature::Keep,
            stop: EndOfInput::No,
        }
    }

    /// Sets whether to remove a signature. Call this before anything is received.
    pub(super) const fn strip_bom(&mut self, strip: bool) {
        self.signature = if strip { Signature::Strip } else { Signature::Keep };
    }

    /// Returns whether a signature has been removed.
    pub(super) const fn stripped_bom(&self) -> bool {
        matches!(self.signature, Signature::Stripped)
    }

    /// Returns whether all text has been consumed.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// Returns the unconsumed text as bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.held.text().as_bytes()[self.start..]
    }

    /// Returns the unconsumed text, or an error if part of a character has been consumed.
    pub(super) fn text(&self) -> io::Result<&str> {
        self.held.text().get(self.start..).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the bytes consumed so far end inside a character")
        })
    }

    /// Consumes `n` bytes of the text, or all of it if there are fewer.
    pub(super) fn consume(&mut self, n: usize) {
        self.start = self.held.text().len().min(self.start.saturating_add(n));
    }

    /// Returns the space for the next bytes, at least one. After writing bytes there, call
    /// `received`.
    ///
    /// Call this when all text has been consumed and there has been no error.
    pub(super) fn space(&mut self) -> &mut [u8] {
        debug_assert!(self.is_empty());
        self.start = 0;
        let bytes = self.held.bytes_mut();
        bytes.resize(self.capacity, 0);
        let pending = hold(&self.validator, bytes);
        &mut bytes[pending..]
    }

    /// Takes the first `n` bytes of `space`. An error is kept until the text before it has been
    /// consumed.
    ///
    /// Returns an error, and takes nothing, if `space` had fewer than `n` bytes.
    pub(super) fn received(&mut self, n: usize) -> io::Result<()> {
        let len = self.validator.pending().len().checked_add(n);
        let Some(len) = len.filter(|&len| len <= self.held.bytes().len()) else {
            return self.stop(EndOfInput::FalseClaim);
        };
        let whole = whole_len(&self.held.bytes()[..len]);
        let is_text = self.held.check(whole);
        let text = advance(&mut self.validator, &self.held.bytes()[..len], whole, is_text);
        if text != whole {
            self.held.check(text);
        }
        self.start = self.signature.take(self.held.text().as_bytes());
        Ok(())
    }

    /// Returns the error if there has been one. After an error, nothing more may be received.
    pub(super) fn status(&self) -> io::Result<()> {
        match self.stop {
            EndOfInput::No => Ok(self.validator.status()?),
            EndOfInput::Cut => Ok(self.validator.finish()?),
            EndOfInput::FalseClaim => Err(read_too_much()),
        }
    }

    /// Ends the input. If it may not end here, returns an error, which then stays.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if self.validator.finish().is_ok() { Ok(()) } else { self.stop(EndOfInput::Cut) }
    }

    /// Stops receiving, and returns the error for this reason.
    fn stop(&mut self, why: EndOfInput) -> io::Result<()> {
        self.stop = why;
        self.status()
    }

    /// Combines `space` and `received`, with a buffer of the caller, which has at least four bytes.
    /// `read` puts bytes after the pending ones. Returns how many bytes at the start of the buffer
    /// are text, or `None` if `read` read nothing. If `read` returns more than the space that it
    /// had, the buffer has no text, and [`status`](Self::status) returns an error.
    pub(super) fn bypass(
        &mut self,
        buffer: &mut [u8],
        read: impl FnOnce(&mut [u8]) -> io::Result<usize>,
    ) -> io::Result<Option<usize>> {
        debug_assert!(self.is_empty());
        let held = hold(&self.validator, buffer);
        let n = read(&mut buffer[held..])?;
        if n == 0 {
            return Ok(None);
        }
        let Some(bytes) = held.checked_add(n).and_then(|len| buffer.get(..len)) else {
            self.stop = EndOfInput::FalseClaim;
            return Ok(Some(0));
        };
        let whole = whole_len(bytes);
        let text = advance(&mut self.validator, bytes, whole, is_utf8(&bytes[..whole]));
        let signature = self.signature.take(&buffer[..text]);
        buffer.copy_within(signature..text, 0);
        Ok(Some(text - signature))
    }

    /// Finishes a reader's `Debug`.
    pub(super) fn debug(&self, fields: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        fields.field("buffered", &self.bytes().len()).field("validator", &self.validator).finish()
    }
}

/// Returns the error of a reader that claims to have read more bytes than the buffer has.
#[cold]
pub(super) fn read_too_much() -> io::Error {
    io::Error::other("the inner reader claims to have read more bytes than it had room for")
}

/// Copies the pending bytes to the start of the buffer for the next bytes, and returns their
/// number.
fn hold(validator: &Validator, buffer: &mut [u8]) -> usize {
    let pending = validator.pending();
    buffer[..pending.len()].copy_from_slice(pending);
    pending.len()
}

/// Validates `bytes`, which begin with the pending ones. `is_text` says whether the first `whole` of
/// them are text. Returns how many bytes at the start are.
fn advance(validator: &mut Validator, bytes: &[u8], whole: usize, is_text: bool) -> usize {
    let (before, held) = (validator.valid_up_to(), validator.pending().len());
    if is_text && let Some(next) = Validator::resume(before + whole as u64, &bytes[whole..]) {
        *validator = next;
        return whole;
    }
    // The validator keeps the error.
    let _ = validator.push(&bytes[held..]);
    (validator.valid_up_to() - before) as usize
}

//! The buffer of a reader: bytes go in, and text comes out. It does no I/O.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use std::io;

use crate::boundary::whole_len;
use crate::error::Utf8Error;
use crate::stream::Validator;
use crate::text::bom::strip_bom;
use crate::{from_utf8, is_utf8};

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
    /// Empty until first used. After that, its length does not change.
    bytes: Vec<u8>,
    capacity: usize,
    start: usize,
    end: usize,
    /// The position in the input, the bytes after `end`, and the error. It does not decide what is
    /// text.
    validator: Validator,
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
            bytes: Vec::new(),
            capacity,
            start: 0,
            end: 0,
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

    pub(super) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) const fn validator(&self) -> &Validator {
        &self.validator
    }

    /// Returns whether all text has been consumed.
    pub(super) const fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Returns the unconsumed text as bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Returns the unconsumed text, or an error if part of a character has been consumed.
    pub(super) fn text(&self) -> io::Result<&str> {
        // SAFETY: only `received` sets `end` to a place other than 0, and a kernel found exactly
        // the bytes before that place valid. No byte before `end` is written to before `space` sets
        // `end` to 0.
        let text = unsafe { core::str::from_utf8_unchecked(&self.bytes[..self.end]) };
        text.get(self.start..).ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "the bytes consumed so far end inside a character")
        })
    }

    /// Consumes `n` bytes of the text, or all of it if there are fewer.
    pub(super) fn consume(&mut self, n: usize) {
        self.start = self.end.min(self.start.saturating_add(n));
    }

    /// Returns the space for the next bytes, at least one. After writing bytes there, call
    /// `received`.
    ///
    /// Call this when all text has been consumed and there has been no error.
    pub(super) fn space(&mut self) -> &mut [u8] {
        debug_assert!(self.is_empty());
        (self.start, self.end) = (0, 0);
        if self.bytes.is_empty() {
            self.bytes = vec![0; self.capacity];
        }
        let held = hold(&self.validator, &mut self.bytes);
        &mut self.bytes[held..]
    }

    /// Takes the first `n` bytes of `space`. An error is kept until the text before it has been
    /// consumed.
    ///
    /// Returns an error, and takes nothing, if `space` had fewer than `n` bytes.
    pub(super) fn received(&mut self, n: usize) -> io::Result<()> {
        let Some(text) = validate(&mut self.validator, &self.bytes, n) else {
            return self.stop(EndOfInput::FalseClaim);
        };
        self.end = text;
        self.start = self.signature.take(&self.bytes[..self.end]);
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
        let Some(text) = validate(&mut self.validator, buffer, n) else {
            self.stop = EndOfInput::FalseClaim;
            return Ok(Some(0));
        };
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

/// Validates the `n` bytes after the pending ones at the start of `buffer`. Returns how many bytes
/// at its start are text, a kernel having found exactly these valid, or `None` if it has fewer.
fn validate(validator: &mut Validator, buffer: &[u8], n: usize) -> Option<usize> {
    let (before, held) = (validator.valid_up_to(), validator.pending().len());
    let bytes = buffer.get(..held.checked_add(n)?)?;
    if let Ok(len) = text_len(bytes)
        && let Some(next) = Validator::resume(before + len as u64, &bytes[len..])
    {
        *validator = next;
        return Some(len);
    }
    // The validator keeps the error.
    let _ = validator.push(&bytes[held..]);
    let text = &bytes[..(validator.valid_up_to() - before) as usize];
    Some(if is_utf8(text) { text.len() } else { 0 })
}

/// Returns how many bytes at the start of `bytes` are text, if more bytes may follow. A kernel has
/// found exactly these valid, and the others begin a character.
///
/// # Errors
///
/// Returns the first place at which `bytes` are not UTF-8, whatever follows.
pub(super) fn text_len(bytes: &[u8]) -> Result<usize, Utf8Error> {
    let (text, cut) = bytes.split_at(whole_len(bytes));
    let may_follow = |cut| from_utf8(cut).is_err_and(|error| error.error_len().is_none());
    if is_utf8(text) && (cut.is_empty() || may_follow(cut)) {
        return Ok(text.len());
    }
    from_utf8(bytes).map(str::len)
}

//! The buffer of a reader that hands out text: bytes go in, `&str` comes out. It reads nothing
//! itself, so the blocking reader and the asynchronous one share it.

use alloc::vec;
use alloc::vec::Vec;

use crate::stream::{StreamError, Validator};
use crate::text::bom::strip_bom;

/// Bytes that were received, of which some are text.
///
/// ```text
///    consumed        text       pending
/// |------------|------------|--------------|-------- ... --|
/// 0          start         end    (0 to 3)           bytes.len()
/// ```
pub(crate) struct Intake {
    /// Empty until it is needed; then of a length that does not change.
    bytes: Vec<u8>,
    capacity: usize,
    start: usize,
    end: usize,
    /// It has seen all that was received: its pending bytes are those behind `end`.
    validator: Validator,
    signature: Signature,
}

/// What is to become of a signature at the start of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signature {
    /// It is text; or it can't come any more.
    Keep,
    /// No text has been received yet; if it begins with one, that goes.
    Strip,
    /// It is gone.
    Stripped,
}

impl Signature {
    /// How many bytes at the start of the next text are the signature and are to go. Text is whole
    /// characters, so a signature is never cut.
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
    /// For `capacity` bytes, or as many as one character may have.
    pub(crate) const fn new(capacity: usize) -> Self {
        let capacity = if capacity < 4 { 4 } else { capacity };
        Self {
            bytes: Vec::new(),
            capacity,
            start: 0,
            end: 0,
            validator: Validator::new(),
            signature: Signature::Keep,
        }
    }

    /// To be called before anything is received.
    pub(crate) const fn strip_bom(&mut self, strip: bool) {
        self.signature = if strip { Signature::Strip } else { Signature::Keep };
    }

    /// Whether there was a signature, which has been taken away.
    pub(crate) const fn stripped_bom(&self) -> bool {
        matches!(self.signature, Signature::Stripped)
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) const fn validator(&self) -> &Validator {
        &self.validator
    }

    /// Whether all text has been consumed.
    pub(crate) const fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// The text that has not been consumed, as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The text that has not been consumed. `None` if a character has been consumed in part.
    pub(crate) fn text(&self) -> Option<&str> {
        // SAFETY: `received` sets `end`, and only to where the validator found the bytes from the
        // first one on to be text; until `space` sets it to 0, nothing writes to these bytes.
        let text = unsafe { core::str::from_utf8_unchecked(&self.bytes[..self.end]) };
        text.get(self.start..)
    }

    pub(crate) fn consume(&mut self, n: usize) {
        self.start = self.end.min(self.start.saturating_add(n));
    }

    /// Where to put the next bytes; at least one fits. To be asked for when all text has been consumed
    /// and there has been no error, and to be followed by `received` if any bytes were put there.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        debug_assert!(self.is_empty());
        (self.start, self.end) = (0, 0);
        if self.bytes.is_empty() {
            self.bytes = vec![0; self.capacity];
        }
        let held = hold(&self.validator, &mut self.bytes);
        &mut self.bytes[held..]
    }

    /// Takes the first `n` bytes of `space`. An error is kept until the text before it is consumed.
    pub(crate) fn received(&mut self, n: usize) {
        let held = self.validator.pending().len();
        self.end = validate(&mut self.validator, &self.bytes[held..held + n]);
        self.start = self.signature.take(&self.bytes[..self.end]);
    }

    /// Whether more may be received.
    pub(crate) fn sound(&self) -> Result<(), StreamError> {
        self.validator.sound()
    }

    /// Whether the input may end here.
    pub(crate) fn finish(&self) -> Result<(), StreamError> {
        self.validator.finish()
    }

    /// As `space` and `received`, with a buffer of the caller's that has at least four bytes: `read`
    /// puts bytes into what is left of it. Returns `None` if it put none there, or how many bytes at
    /// the start of the buffer are text.
    pub(crate) fn bypass<E>(
        &mut self,
        buffer: &mut [u8],
        read: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<Option<usize>, E> {
        debug_assert!(self.is_empty());
        let held = hold(&self.validator, buffer);
        let n = read(&mut buffer[held..])?;
        if n == 0 {
            return Ok(None);
        }
        let text = validate(&mut self.validator, &buffer[held..held + n]);
        let signature = self.signature.take(&buffer[..text]);
        buffer.copy_within(signature..text, 0);
        Ok(Some(text - signature))
    }
}

/// Puts the pending bytes at the start of the buffer that the next bytes go to.
fn hold(validator: &Validator, buffer: &mut [u8]) -> usize {
    let pending = validator.pending();
    buffer[..pending.len()].copy_from_slice(pending);
    pending.len()
}

/// How many bytes are text, of the pending ones and these together.
fn validate(validator: &mut Validator, bytes: &[u8]) -> usize {
    let before = validator.valid_up_to();
    // The validator keeps the error.
    let _ = validator.push(bytes);
    // At most three more than `bytes` has.
    (validator.valid_up_to() - before) as usize
}

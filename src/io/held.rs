//! Bytes with text at their start.

use alloc::vec::Vec;

use crate::is_utf8;

/// The bytes that a reader has received, and how many of them are text.
pub(super) struct Held {
    bytes: Vec<u8>,
    text_len: usize,
}

impl Held {
    pub(super) const NONE: Self = Self { bytes: Vec::new(), text_len: 0 };

    /// Returns the text.
    #[inline]
    pub(super) fn text(&self) -> &str {
        // SAFETY: only `check` sets `text_len` to more than 0, and a kernel found exactly the bytes
        // before it valid. Nobody writes to a byte before `bytes_mut` sets `text_len` to 0.
        unsafe { core::str::from_utf8_unchecked(&self.bytes[..self.text_len]) }
    }

    /// Returns all bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns all bytes. None of them is text then.
    pub(super) fn bytes_mut(&mut self) -> &mut Vec<u8> {
        self.text_len = 0;
        &mut self.bytes
    }

    /// Makes the first `len` bytes the text, if a kernel finds them valid. Returns whether it does.
    pub(super) fn check(&mut self, len: usize) -> bool {
        let is_text = self.bytes.get(..len).is_some_and(is_utf8);
        self.text_len = if is_text { len } else { 0 };
        is_text
    }
}

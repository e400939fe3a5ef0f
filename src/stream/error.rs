//! The error of a stream.

#![forbid(unsafe_code)]

use crate::error::{Sequence, errors_at};

/// The first place at which a stream is not UTF-8.
///
/// The results are those of [`core::str::from_utf8`] for all bytes together, with the position
/// counted from the start of the stream. [`kind`](Self::kind) and the message say more.
///
/// ```
/// use trust8::{ErrorKind, Validator};
///
/// let mut validator = Validator::new();
/// validator.push(b"one, ").unwrap();
/// validator.push(b"two\xE2").unwrap();
/// let error = validator.push(b"\x82, three").unwrap_err();
/// assert_eq!(error.valid_up_to(), 8);
/// assert_eq!(error.error_len(), Some(2));
/// assert_eq!(error.kind(), ErrorKind::Truncated);
/// assert_eq!(error.bytes(), b"\xE2\x82,");
/// assert!(error.reason().to_string().starts_with("E2 82 begins a character of 3 bytes"));
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-8 at byte 8: E2 82 begins a character of 3 bytes, and 2C follows; \
///      expected a continuation byte (80 to BF)"
/// );
///
/// validator.reset();
/// validator.push(b"abc\xF0\x9F").unwrap();
/// assert_eq!(validator.finish().unwrap_err().error_len(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamError {
    valid_up_to: u64,
    sequence: Sequence,
}

impl StreamError {
    /// Returns the error for `sequence`, which comes after `valid_up_to` bytes of whole characters.
    pub(crate) const fn new(valid_up_to: u64, sequence: Sequence) -> Self {
        Self { valid_up_to, sequence }
    }

    /// Returns how many bytes, from the start of the stream, are valid UTF-8.
    ///
    /// The ill-formed sequence begins there, perhaps in an earlier piece than the one that returned
    /// the error.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"abc\xF0\x9F").unwrap();
    /// assert_eq!(validator.push(b"!").unwrap_err().valid_up_to(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }
}

errors_at!(StreamError);

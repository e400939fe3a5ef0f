//! The interface of simdutf8's module `compat`: the error has the standard library's position and
//! length.
//!
//! To use it, once trust8 is published, change one line of `Cargo.toml`. The program's source stays
//! the same:
//!
//! ```toml
//! simdutf8 = { package = "trust8", version = "0.1" }
//! ```
//!
//! In new code use [`crate::from_utf8`], whose error also says which rule is broken.

#![forbid(unsafe_code)]

use core::fmt;

/// The error of this module: where the input stops being UTF-8.
///
/// ```
/// use trust8::compat::from_utf8;
/// let error = from_utf8(b"ab\xFF").unwrap_err();
/// assert_eq!(error.to_string(), "invalid utf-8 sequence of 1 bytes from index 2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Utf8Error {
    valid_up_to: usize,
    error_len: Option<u8>,
}

impl Utf8Error {
    /// Returns how many bytes at the start of the input are valid UTF-8.
    ///
    /// ```
    /// assert_eq!(trust8::compat::from_utf8(b"ab\xFF").unwrap_err().valid_up_to(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn valid_up_to(&self) -> usize {
        self.valid_up_to
    }

    /// Returns the length of the ill-formed sequence, or `None` if the input ends too early.
    ///
    /// ```
    /// assert_eq!(trust8::compat::from_utf8(b"ab\xFF").unwrap_err().error_len(), Some(1));
    /// assert_eq!(trust8::compat::from_utf8(b"ab\xC3").unwrap_err().error_len(), None);
    /// ```
    #[inline]
    #[must_use]
    pub fn error_len(&self) -> Option<usize> {
        self.error_len.map(usize::from)
    }
}

impl From<crate::Utf8Error> for Utf8Error {
    fn from(error: crate::Utf8Error) -> Self {
        // The length is at most 3.
        Self { valid_up_to: error.valid_up_to(), error_len: error.error_len().map(|len| len as u8) }
    }
}

impl fmt::Display for Utf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = self.valid_up_to;
        match self.error_len {
            Some(len) => write!(f, "invalid utf-8 sequence of {len} bytes from index {from}"),
            None => write!(f, "incomplete utf-8 byte sequence from index {from}"),
        }
    }
}

impl core::error::Error for Utf8Error {}

/// Returns `input` as text, if it is UTF-8.
///
/// # Errors
///
/// Returns the first place at which `input` is not UTF-8.
///
/// ```
/// use trust8::compat::from_utf8;
/// assert_eq!(from_utf8(b"abc"), Ok("abc"));
/// assert_eq!(from_utf8(b"abc\x80").unwrap_err().valid_up_to(), 3);
/// ```
#[inline]
pub fn from_utf8(input: &[u8]) -> Result<&str, Utf8Error> {
    crate::from_utf8(input).map_err(Utf8Error::from)
}

/// Returns `input` as mutable text, if it is UTF-8.
///
/// # Errors
///
/// Returns the first place at which `input` is not UTF-8.
///
/// ```
/// use trust8::compat::from_utf8_mut;
/// assert_eq!(from_utf8_mut(&mut [b'a', 0xC3]).unwrap_err().valid_up_to(), 1);
/// ```
#[inline]
pub fn from_utf8_mut(input: &mut [u8]) -> Result<&mut str, Utf8Error> {
    crate::from_utf8_mut(input).map_err(Utf8Error::from)
}

//! simdutf8's `compat` module, name for name: the error says where, as the standard library's does.
//!
//! A program that uses `simdutf8::compat` keeps its source and changes one line of `Cargo.toml`:
//!
//! ```toml
//! simdutf8 = { package = "trust8", version = "0.1" }
//! ```
//!
//! New code is better off with [`crate::from_utf8`], whose error also says why.

#![forbid(unsafe_code)]

use core::fmt;

/// Where the bytes stop being UTF-8.
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
    /// How many bytes, from the start of the input, are valid UTF-8.
    ///
    /// ```
    /// assert_eq!(trust8::compat::from_utf8(b"ab\xFF").unwrap_err().valid_up_to(), 2);
    /// ```
    #[inline]
    #[must_use]
    pub fn valid_up_to(&self) -> usize {
        self.valid_up_to
    }

    /// How many bytes the ill-formed sequence has, or `None` where the input ends too early.
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
        // At most 3.
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

/// The bytes as text, if they are UTF-8.
///
/// # Errors
///
/// The first place at which they are not.
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

/// The bytes as mutable text, if they are UTF-8.
///
/// # Errors
///
/// The first place at which they are not.
///
/// ```
/// use trust8::compat::from_utf8_mut;
/// assert_eq!(from_utf8_mut(&mut [b'a', 0xC3]).unwrap_err().valid_up_to(), 1);
/// ```
#[inline]
pub fn from_utf8_mut(input: &mut [u8]) -> Result<&mut str, Utf8Error> {
    crate::from_utf8_mut(input).map_err(Utf8Error::from)
}

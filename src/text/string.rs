//! Converts a `Vec` of bytes to a `String`, or returns an error with the bytes.

#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Utf8Error;
use crate::kernel::{Kernel, judge};
use crate::repair::lossy;

/// Converts `bytes` to a `String`, if they are UTF-8, without copying them.
///
/// # Errors
///
/// The error says where `bytes` stop being UTF-8, and gives them back unchanged.
///
/// ```
/// assert_eq!(trust8::string_from_utf8(vec![0xC3, 0xA5]).unwrap(), "å");
///
/// let error = trust8::string_from_utf8(vec![b'a', 0xC3]).unwrap_err();
/// assert_eq!(error.utf8_error().valid_up_to(), 1);
/// assert_eq!(error.into_bytes(), [b'a', 0xC3]);
/// ```
#[inline]
pub fn string_from_utf8(bytes: Vec<u8>) -> Result<String, FromUtf8Error> {
    Kernel::best().string_from_utf8(bytes)
}

impl Kernel {
    /// Does the same as [`string_from_utf8`](crate::string_from_utf8), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    #[inline]
    pub fn string_from_utf8(&self, bytes: Vec<u8>) -> Result<String, FromUtf8Error> {
        self.check_owned(bytes).or_else(|(bytes, suspect)| match judge(&bytes, suspect) {
            Err(error) => Err(FromUtf8Error { bytes, error }),
            // The kernel was wrong, so `std` decides.
            Ok(()) => Ok(String::from_utf8(bytes).unwrap_or_default()),
        })
    }
}

/// The error of [`string_from_utf8`]: the bytes that are not UTF-8, and the first place at which
/// they are not.
///
/// ```
/// let error = trust8::string_from_utf8(b"ab\xF8".to_vec()).unwrap_err();
/// assert_eq!(error.to_string(), error.utf8_error().to_string());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FromUtf8Error {
    bytes: Vec<u8>,
    error: Utf8Error,
}

impl FromUtf8Error {
    /// Returns the first error of the bytes.
    ///
    /// ```
    /// let error = trust8::string_from_utf8(b"ab\xF8".to_vec()).unwrap_err();
    /// assert_eq!(error.utf8_error().kind(), trust8::ErrorKind::InvalidByte);
    /// ```
    #[must_use]
    pub fn utf8_error(&self) -> Utf8Error {
        self.error
    }

    /// Returns the bytes, unchanged.
    ///
    /// ```
    /// let error = trust8::string_from_utf8(b"ab\xF8".to_vec()).unwrap_err();
    /// assert_eq!(error.as_bytes(), b"ab\xF8");
    /// ```
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes, in their original allocation.
    ///
    /// ```
    /// let error = trust8::string_from_utf8(b"ab\xF8".to_vec()).unwrap_err();
    /// assert_eq!(error.into_bytes(), b"ab\xF8");
    /// ```
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Converts the bytes to a `String`, with each ill-formed sequence replaced by U+FFFD.
    ///
    /// The result is that of [`String::from_utf8_lossy`].
    ///
    /// ```
    /// let error = trust8::string_from_utf8(b"ab\xF8c".to_vec()).unwrap_err();
    /// assert_eq!(error.into_utf8_lossy(), "ab\u{FFFD}c");
    /// ```
    #[must_use]
    pub fn into_utf8_lossy(self) -> String {
        lossy::owned(Kernel::best(), &self.bytes)
    }
}

impl fmt::Display for FromUtf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl core::error::Error for FromUtf8Error {}

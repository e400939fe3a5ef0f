//! Converts a `Vec` of bytes to a `String`, or returns an error with the bytes.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::error::Utf8Error;
use crate::from_utf8;
use crate::kernel::Kernel;
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
        match self.from_utf8(&bytes) {
            // SAFETY: `from_utf8` has just found these bytes valid.
            Ok(_) => Ok(unsafe { String::from_utf8_unchecked(bytes) }),
            Err(error) => Err(FromUtf8Error { bytes, error }),
        }
    }
}

/// Converts `bytes` to a `Box<str>`, if they are UTF-8, without copying them.
///
/// # Errors
///
/// The error says where `bytes` stop being UTF-8, and gives them back unchanged.
///
/// ```
/// let bytes: Box<[u8]> = Box::new([0xC3, 0xA5]);
/// assert_eq!(&*trust8::boxed_str_from_utf8(bytes).unwrap(), "å");
/// assert!(trust8::boxed_str_from_utf8(Box::new([0xC3])).is_err());
/// ```
#[inline]
pub fn boxed_str_from_utf8(bytes: Box<[u8]>) -> Result<Box<str>, FromUtf8Error> {
    // The capacity is the length, so neither conversion moves anything.
    string_from_utf8(bytes.into_vec()).map(String::into_boxed_str)
}

/// Converts borrowed or owned bytes to borrowed or owned text, if they are UTF-8, without copying
/// them.
///
/// # Errors
///
/// Returns the first place at which `bytes` is not UTF-8. Owned bytes are dropped then.
///
/// ```
/// use std::borrow::Cow;
///
/// assert_eq!(trust8::cow_from_utf8(Cow::Borrowed(b"\xC3\xA5")), Ok(Cow::Borrowed("å")));
/// assert_eq!(trust8::cow_from_utf8(Cow::Owned(vec![0xC3])).unwrap_err().valid_up_to(), 0);
/// ```
#[inline]
pub fn cow_from_utf8(bytes: Cow<'_, [u8]>) -> Result<Cow<'_, str>, Utf8Error> {
    match bytes {
        Cow::Borrowed(bytes) => from_utf8(bytes).map(Cow::Borrowed),
        Cow::Owned(bytes) => string_from_utf8(bytes).map(Cow::Owned).map_err(|error| error.error),
    }
}

/// Converts borrowed or owned bytes to text, with each ill-formed sequence replaced by U+FFFD.
///
/// If the bytes are UTF-8, nothing is copied: borrowed bytes stay borrowed, and owned bytes keep
/// their allocation.
///
/// ```
/// use std::borrow::Cow;
///
/// assert!(matches!(trust8::cow_from_utf8_lossy(Cow::Borrowed(b"na\xC3\xAFve")), Cow::Borrowed("naïve")));
/// assert_eq!(trust8::cow_from_utf8_lossy(Cow::Owned(b"na\xEFve".to_vec())), "na\u{FFFD}ve");
/// ```
#[inline]
#[must_use]
pub fn cow_from_utf8_lossy(bytes: Cow<'_, [u8]>) -> Cow<'_, str> {
    match bytes {
        Cow::Borrowed(bytes) => lossy::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(lossy::from_utf8_lossy_owned(bytes)),
    }
}

/// The error of [`string_from_utf8`] and [`boxed_str_from_utf8`]: the bytes that are not UTF-8, and
/// the first place at which they are not.
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

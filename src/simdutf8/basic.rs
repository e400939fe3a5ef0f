//! The interface of simdutf8's module `basic`: the error has no position.
//!
//! To use it, once trust8 is published, change one line of `Cargo.toml`. The program's source stays
//! the same:
//!
//! ```toml
//! simdutf8 = { package = "trust8", version = "0.1" }
//! ```
//!
//! In new code use [`crate::from_utf8`], which is as fast and says what is wrong.

#![forbid(unsafe_code)]

use core::fmt;

/// The error of this module: the input is not UTF-8.
///
/// ```
/// use trust8::basic::{Utf8Error, from_utf8};
/// assert_eq!(from_utf8(b"\xFF"), Err(Utf8Error));
/// assert_eq!(Utf8Error.to_string(), "invalid utf-8 sequence");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Utf8Error;

impl fmt::Display for Utf8Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid utf-8 sequence")
    }
}

impl core::error::Error for Utf8Error {}

/// Returns `input` as text, if it is UTF-8.
///
/// # Errors
///
/// Returns [`Utf8Error`] if it is not.
///
/// ```
/// use trust8::basic::from_utf8;
/// assert_eq!(from_utf8(b"abc"), Ok("abc"));
/// assert!(from_utf8(b"\xED\xA0\x80").is_err());
/// ```
#[inline]
pub fn from_utf8(input: &[u8]) -> Result<&str, Utf8Error> {
    crate::from_utf8(input).map_err(|_| Utf8Error)
}

/// Returns `input` as mutable text, if it is UTF-8.
///
/// # Errors
///
/// Returns [`Utf8Error`] if it is not.
///
/// ```
/// use trust8::basic::from_utf8_mut;
/// let mut bytes = *b"abc";
/// from_utf8_mut(&mut bytes).unwrap().make_ascii_uppercase();
/// assert_eq!(&bytes, b"ABC");
/// ```
#[inline]
pub fn from_utf8_mut(input: &mut [u8]) -> Result<&mut str, Utf8Error> {
    crate::from_utf8_mut(input).map_err(|_| Utf8Error)
}

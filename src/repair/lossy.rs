//! Lossy text: bytes with each ill-formed sequence replaced by U+FFFD.
//!
//! One U+FFFD replaces a 'maximal subpart' (Unicode standard, section 3.9, table 3-8): the longest
//! beginning of a character, or else one byte. The WHATWG encoding standard and `std` do the same.

#![forbid(unsafe_code)]

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::replacer;
use crate::kernel::Kernel;

/// Converts `bytes` to text, with each ill-formed sequence replaced by U+FFFD.
///
/// The result is that of [`String::from_utf8_lossy`] for every input. If `bytes` are UTF-8, they
/// are borrowed and nothing is allocated.
///
/// ```
/// use std::borrow::Cow;
/// use trust8::from_utf8_lossy;
///
/// assert!(matches!(from_utf8_lossy("naïve".as_bytes()), Cow::Borrowed("naïve")));
/// assert_eq!(from_utf8_lossy(b"na\xEFve \xF0\x9F\x98!"), "na\u{FFFD}ve \u{FFFD}!");
/// ```
#[inline]
#[must_use]
pub fn from_utf8_lossy(bytes: &[u8]) -> Cow<'_, str> {
    Kernel::best().from_utf8_lossy(bytes)
}

/// Converts `bytes` to a `String`, with each ill-formed sequence replaced by U+FFFD.
///
/// If `bytes` are UTF-8, the `String` takes over their allocation, and nothing is copied.
///
/// ```
/// use trust8::from_utf8_lossy_owned;
///
/// let bytes = "naïve".as_bytes().to_vec();
/// let place = bytes.as_ptr();
/// let text = from_utf8_lossy_owned(bytes);
/// assert_eq!((text.as_str(), text.as_ptr()), ("naïve", place));
///
/// assert_eq!(from_utf8_lossy_owned(b"na\xEFve".to_vec()), "na\u{FFFD}ve");
/// ```
#[inline]
#[must_use]
pub fn from_utf8_lossy_owned(bytes: Vec<u8>) -> String {
    Kernel::best().from_utf8_lossy_owned(bytes)
}

/// Appends `bytes` to `text`, with each ill-formed sequence replaced by U+FFFD.
///
/// This allocates only if the capacity of `text` is too small, so one `String` can be used again
/// and again. If an allocation fails and unwinds, `text` is left empty. Something was replaced
/// exactly if what is appended differs from `bytes`.
///
/// ```
/// let mut text = String::from("> ");
/// trust8::lossy_into(b"na\xEFve", &mut text);
/// assert_eq!(text, "> na\u{FFFD}ve");
/// ```
#[inline]
pub fn lossy_into(bytes: &[u8], text: &mut String) {
    Kernel::best().lossy_into(bytes, text);
}

impl Kernel {
    /// Does the same as [`from_utf8_lossy`](crate::from_utf8_lossy), with this kernel.
    #[inline]
    #[must_use]
    pub fn from_utf8_lossy<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match self.check(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(owned(self, bytes)),
        }
    }

    /// Does the same as [`from_utf8_lossy_owned`](crate::from_utf8_lossy_owned), with this kernel.
    #[inline]
    #[must_use]
    pub fn from_utf8_lossy_owned(&self, bytes: Vec<u8>) -> String {
        self.check_owned(bytes).unwrap_or_else(|(bytes, _)| owned(self, &bytes))
    }

    /// Does the same as [`lossy_into`](crate::lossy_into), with this kernel.
    pub fn lossy_into(&self, bytes: &[u8], text: &mut String) {
        replacer::append(self, bytes, text);
    }
}

/// Returns `bytes` as a new `String`, with each ill-formed sequence replaced by U+FFFD.
#[cold]
pub(crate) fn owned(kernel: &Kernel, bytes: &[u8]) -> String {
    let mut text = String::new();
    kernel.lossy_into(bytes, &mut text);
    text
}

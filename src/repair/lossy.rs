//! Lossy text: bytes with each ill-formed sequence replaced by U+FFFD.
//!
//! One U+FFFD replaces a 'maximal subpart' (Unicode standard, section 3.9, table 3-8): the longest
//! beginning of a character, or else one byte. The WHATWG encoding standard and `std` do the same.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::replacer::Replacer;
use super::survey::{BLOCK_OUTPUT_BYTES, REPLACEMENT};
use crate::kernel::Kernel;
use crate::output;

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

impl Kernel {
    /// Does the same as [`from_utf8_lossy_owned`](crate::from_utf8_lossy_owned), with this kernel.
    #[inline]
    #[must_use]
    pub fn from_utf8_lossy_owned(&self, bytes: Vec<u8>) -> String {
        if self.is_utf8(&bytes) {
            // SAFETY: the kernel found the bytes valid.
            unsafe { String::from_utf8_unchecked(bytes) }
        } else {
            owned(self, &bytes)
        }
    }
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
    /// Does the same as [`lossy_into`](crate::lossy_into), with this kernel.
    pub fn lossy_into(&self, bytes: &[u8], text: &mut String) {
        let mut valid = mem::take(text).into_bytes();
        // A replacement is up to two bytes longer than the bytes it replaces. An eighth more is
        // enough for a text with a few faults, so that it need not be moved.
        let more = if bytes.len() < SHORT_BYTES { 2 } else { bytes.len() / 8 + BLOCK_OUTPUT_BYTES };
        valid.reserve(bytes.len() + more);
        append_in_place(self, bytes, &mut valid);
        // SAFETY: `valid` was a `String`, and `append_in_place` has appended valid text: U+FFFD,
        // and the bytes between one ill-formed sequence and the next. The kernel found each chunk
        // or group of these valid, or each byte is ASCII, or the map of its block has no
        // ill-formed sequence there. (After a panic `text` is empty.)
        *text = unsafe { String::from_utf8_unchecked(valid) };
    }
}

/// Returns `bytes` as a new `String`, with each ill-formed sequence replaced by U+FFFD.
#[cold]
pub fn owned(kernel: &Kernel, bytes: &[u8]) -> String {
    let mut text = String::new();
    kernel.lossy_into(bytes, &mut text);
    text
}

/// For shorter input, `core`'s loop over bytes takes less time than the first map.
const SHORT_BYTES: usize = 32;

/// Appends `bytes` to `text`, with each ill-formed sequence replaced by U+FFFD. The appended text
/// is valid. If the capacity of `text` has [`BLOCK_OUTPUT_BYTES`] more than the result, it does not
/// grow.
pub fn append_in_place(kernel: &Kernel, bytes: &[u8], text: &mut Vec<u8>) {
    if bytes.len() < SHORT_BYTES {
        for chunk in bytes.utf8_chunks() {
            text.extend_from_slice(chunk.valid().as_bytes());
            text.extend_from_slice(if chunk.invalid().is_empty() { &[] } else { &REPLACEMENT[..3] });
        }
        return;
    }
    let mut replacer = Replacer::new(kernel, bytes);
    loop {
        let done = output::append(text, |out| replacer.write(out));
        if done == bytes.len() {
            return;
        }
        text.reserve(bytes.len() - done + BLOCK_OUTPUT_BYTES);
    }
}

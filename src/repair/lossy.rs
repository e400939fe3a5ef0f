//! Text out of anything: U+FFFD for each ill-formed sequence.
//!
//! What one U+FFFD replaces is the 'maximal subpart' of the Unicode standard (section 3.9, table 3-8): as many bytes
//! as begin some character, or one. The W3C's encoding standard and `std` do the same.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use super::faults::Faults;
use crate::kernel::Kernel;
use crate::kernel::survey::{Found, MOST, REACH, REPLACEMENT};
use crate::output::Output;

/// The bytes as text, with U+FFFD for each ill-formed sequence.
///
/// What [`String::from_utf8_lossy`] does, with the same text for every input. Bytes that are UTF-8 are borrowed;
/// nothing is allocated for them.
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
    from_utf8_lossy_with(Kernel::best(), bytes)
}

/// [`from_utf8_lossy`] with this kernel: for tests and measurements.
#[inline]
pub(crate) fn from_utf8_lossy_with<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Cow<'a, str> {
    if kernel.verdict(bytes).is_valid() {
        // SAFETY: the kernel found the bytes valid.
        Cow::Borrowed(unsafe { core::str::from_utf8_unchecked(bytes) })
    } else {
        Cow::Owned(owned(kernel, bytes))
    }
}

/// The bytes as a `String`, with U+FFFD for each ill-formed sequence.
///
/// Bytes that are UTF-8 stay where they are: nothing is copied.
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
    let kernel = Kernel::best();
    if kernel.verdict(&bytes).is_valid() {
        // SAFETY: the kernel found the bytes valid.
        unsafe { String::from_utf8_unchecked(bytes) }
    } else {
        owned(kernel, &bytes)
    }
}

/// Appends the bytes to a text, with U+FFFD for each ill-formed sequence.
///
/// For a `String` that is used again and again: it allocates only if it is too small. Should an allocation fail and
/// unwind, `text` is left empty.
///
/// ```
/// let mut text = String::from("> ");
/// trust8::lossy_into(b"na\xEFve", &mut text);
/// assert_eq!(text, "> na\u{FFFD}ve");
/// ```
pub fn lossy_into(bytes: &[u8], text: &mut String) {
    lossy_into_with(Kernel::best(), bytes, text);
}

/// [`lossy_into`] with this kernel: for tests and measurements.
pub(crate) fn lossy_into_with(kernel: &'static Kernel, bytes: &[u8], text: &mut String) {
    let mut sound = mem::take(text).into_bytes();
    append(kernel, bytes, &mut sound);
    // SAFETY: it was a `String`, and `append` has appended text: U+FFFD, and what is between neighbouring ill-formed
    // sequences, which a kernel found valid, or is ASCII, or the maps show no fault in. (After a panic `text` is empty.)
    *text = unsafe { String::from_utf8_unchecked(sound) };
}

/// A text of its own.
#[cold]
pub(crate) fn owned(kernel: &'static Kernel, bytes: &[u8]) -> String {
    let mut text = String::new();
    lossy_into_with(kernel, bytes, &mut text);
    text
}

/// What is well-formed is copied when there is as much of it, so that it is still in the cache.
const LATEST: usize = 4096;

/// Below this length `core`'s loop, byte by byte, is done before a map of the text is.
const SHORT: usize = 32;

/// Appends the bytes, with U+FFFD for each ill-formed sequence. What is appended is text.
fn append(kernel: &'static Kernel, bytes: &[u8], text: &mut Vec<u8>) {
    if bytes.len() < SHORT {
        text.reserve(bytes.len() + 2);
        for chunk in bytes.utf8_chunks() {
            text.extend_from_slice(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                text.extend_from_slice(&REPLACEMENT[..3]);
            }
        }
        return;
    }
    // Each replacement takes up to two bytes more than what it replaces. Few are foreseen: so many that a spoiled text
    // need not move.
    text.reserve(bytes.len() + bytes.len() / 8 + MOST);
    // All before is written.
    let mut done = 0;
    let mut faults = Faults::new(kernel, bytes);
    let mut found = Some(Found::NONE);
    while let Some(mut block) = found {
        if (block.end == 0 || !block.is_sound()) && bytes.len() - block.start >= REACH {
            if done < block.start {
                text.extend_from_slice(&bytes[done..block.start]);
                done = block.start;
            }
            text.reserve(bytes.len() - done + MOST);
            let mut out = Output::new(text.spare_capacity_mut());
            let replaced = faults.replace(block, done, &mut out);
            let len = out.len();
            if len > 0 {
                done = replaced.done;
                // SAFETY: the room is that behind `text`, and the first `len` bytes of it have been written.
                unsafe { text.set_len(text.len() + len) };
                found = faults.advance();
                continue;
            }
        }
        // What is before a fault goes with what was before the block.
        while let Some((at, len)) = block.pop() {
            let at = block.start + at;
            text.extend_from_slice(&bytes[done..at]);
            text.extend_from_slice(&REPLACEMENT[..3]);
            done = at + len;
        }
        if block.end > done + LATEST {
            text.extend_from_slice(&bytes[done..block.end]);
            done = block.end;
        }
        found = faults.advance();
    }
    text.extend_from_slice(&bytes[done..]);
}

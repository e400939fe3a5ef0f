//! Text out of anything: U+FFFD for each ill-formed sequence.
//!
//! What one U+FFFD replaces is the 'maximal subpart' of the Unicode standard (section 3.9, table 3-8): as many bytes
//! as begin some character, or one. The W3C's encoding standard and `std` do the same.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use crate::faults::{BLOCK, Faults, Found, WINDOW};
use crate::{Kernel, dispatch};

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
    if dispatch::validate(bytes).is_valid() {
        // SAFETY: the kernel found the bytes valid.
        Cow::Borrowed(unsafe { core::str::from_utf8_unchecked(bytes) })
    } else {
        Cow::Owned(owned(Kernel::best(), bytes))
    }
}

/// [`from_utf8_lossy`] with this kernel: for tests and measurements.
#[doc(hidden)]
#[must_use]
pub fn from_utf8_lossy_with<'a>(kernel: &'static Kernel, bytes: &'a [u8]) -> Cow<'a, str> {
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
    if dispatch::validate(&bytes).is_valid() {
        // SAFETY: the kernel found the bytes valid.
        unsafe { String::from_utf8_unchecked(bytes) }
    } else {
        owned(Kernel::best(), &bytes)
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
#[doc(hidden)]
pub fn lossy_into_with(kernel: &'static Kernel, bytes: &[u8], text: &mut String) {
    let mut sound = mem::take(text).into_bytes();
    append(kernel, bytes, &mut sound);
    // SAFETY: it was a `String`, and `append` has appended text.
    *text = unsafe { String::from_utf8_unchecked(sound) };
}

#[cold]
fn owned(kernel: &'static Kernel, bytes: &[u8]) -> String {
    let mut text = String::new();
    lossy_into_with(kernel, bytes, &mut text);
    text
}

/// The UTF-8 of U+FFFD, and a zero, which the next byte overwrites: four bytes are one store.
const REPLACEMENT: [u8; 4] = *b"\xEF\xBF\xBD\0";

/// What is well-formed is copied when there is as much of it, so that it is still in the cache.
const LATEST: usize = 4096;

/// What of a block is copied at once, if less is wanted: without a branch on how much.
const AT_ONCE: usize = 32;

/// The most that a block becomes, U+FFFD three bytes for each of its own, and what is copied behind it in vain.
const ROOM: usize = 3 * BLOCK + WINDOW;

/// Appends the bytes, with U+FFFD for each ill-formed sequence. What is appended is text.
fn append(kernel: &'static Kernel, bytes: &[u8], text: &mut Vec<u8>) {
    // Each replacement takes up to two bytes more than what it replaces. Few are foreseen: so many that a spoiled text
    // need not move.
    text.reserve(bytes.len() + bytes.len() / 8 + 16);
    // All before is written.
    let mut done = 0;
    let mut faults = Faults::new(kernel, bytes);
    while let Some(mut block) = faults.advance() {
        if block.has_many() {
            if done < block.start {
                text.extend_from_slice(&bytes[done..block.start]);
                done = block.start;
            }
            done = append_replaced(block, bytes, done, text);
        } else {
            // What is before the fault goes with what was before the block.
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
        }
    }
    text.extend_from_slice(&bytes[done..]);
}

/// Appends a block from `done` on, which is inside, with its faults replaced. Returns where what is done ends then.
///
/// The runs between the faults are short, and copying more than a run costs less than a branch on its length. So
/// the block is put together where there is room for that.
#[inline(never)]
fn append_replaced(mut block: Found, bytes: &[u8], done: usize, text: &mut Vec<u8>) -> usize {
    let rest = &bytes[block.start..];
    let mut copy = [0; 2 * WINDOW];
    let source = match rest.first_chunk() {
        Some(source) => source,
        None => {
            copy[..rest.len()].copy_from_slice(rest);
            &copy
        }
    };
    let mut room = [0; ROOM];
    let mut from = done - block.start;
    let mut to = 0;
    while let Some((at, len)) = block.pop() {
        copy_run(source, from, at, &mut room, to);
        to += at - from;
        room[to..to + 4].copy_from_slice(&REPLACEMENT);
        to += 3;
        from = at + len;
    }
    // The last sequence may reach into the next block.
    let end = from.max(block.end - block.start);
    copy_run(source, from, end, &mut room, to);
    text.extend_from_slice(&room[..to + end - from]);
    block.start + end
}

/// Copies `text[from..end]`, at most a block, to `room[to..]`, and more than that.
#[inline(always)]
fn copy_run(text: &[u8; 2 * WINDOW], from: usize, end: usize, room: &mut [u8; ROOM], to: usize) {
    room[to..to + AT_ONCE].copy_from_slice(&text[from..from + AT_ONCE]);
    if end - from > AT_ONCE {
        room[to + AT_ONCE..to + WINDOW].copy_from_slice(&text[from + AT_ONCE..from + WINDOW]);
    }
}

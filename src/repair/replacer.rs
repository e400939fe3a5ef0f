//! Writes text with its ill-formed sequences replaced by U+FFFD to memory that may be too small for
//! all of it, and makes text of it.

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};
use core::mem::MaybeUninit;

use super::faults::FaultSearch;
use super::survey::{BLOCK_OUTPUT_BYTES, BLOCK_TEXT_BYTES, Found, REPLACEMENT};
use crate::kernel::Kernel;
use crate::output::Output;

/// Writes a text with each ill-formed sequence replaced by U+FFFD, and can continue in other memory
/// when it is full.
pub struct Replacer<'a> {
    search: FaultSearch<'a>,
    /// The block that was found last.
    block: Found,
    /// Whether ill-formed sequences have been removed from the block.
    started: bool,
    /// The text before this has been written.
    done: usize,
}

impl<'a> Replacer<'a> {
    /// Begins at the start of the text.
    pub fn new(kernel: &'a Kernel, bytes: &'a [u8]) -> Self {
        Self { search: FaultSearch::new(kernel, bytes), block: Found::NONE, started: false, done: 0 }
    }

    /// Writes as much of the text as fits, and returns how much of it has been written so far. All
    /// that is written is valid, except that the end of the memory may cut a character off.
    pub fn write(&mut self, out: &mut Output<'_>) -> usize {
        let bytes = self.search.bytes();
        loop {
            if !self.copy(self.block.start, out) {
                return self.done;
            }
            if !self.started
                && (self.block.end == 0 || !self.block.is_sound())
                && bytes.len() - self.block.start >= BLOCK_TEXT_BYTES
                && out.left() >= BLOCK_OUTPUT_BYTES
                && let Some(done) = self.search.replace(self.block, self.done, out)
            {
                self.done = done;
                if self.advance() {
                    continue;
                }
                break;
            }
            let mut rest = self.block;
            while let Some((at, len)) = rest.pop() {
                let at = self.block.start + at;
                if !self.copy(at, out) || !out.put(&REPLACEMENT[..3]) {
                    return self.done;
                }
                self.done = at + len;
                self.block = rest;
                self.started = true;
            }
            if !self.advance() {
                break;
            }
        }
        self.copy(bytes.len(), out);
        self.done
    }

    /// Searches for the next block. Returns whether there is one.
    fn advance(&mut self) -> bool {
        let Some(block) = self.search.advance() else {
            self.block = Found::nothing(self.search.bytes().len());
            return false;
        };
        (self.block, self.started) = (block, false);
        true
    }

    /// Copies the text up to `to`, or as much of it as fits. Returns whether all of it fits.
    #[inline(never)]
    fn copy(&mut self, to: usize, out: &mut Output<'_>) -> bool {
        let rest = &self.search.bytes()[self.done.min(to)..to];
        let fitting = rest.len().min(out.left());
        self.done += fitting;
        out.put(&rest[..fitting]) && fitting == rest.len()
    }
}

/// Writes `src` to the start of `dst`, with each ill-formed sequence replaced by U+FFFD, if all of it fits.
pub(super) fn copy<'d>(kernel: &Kernel, src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> Option<&'d mut str> {
    let mut out = Output::new(dst);
    if Replacer::new(kernel, src).write(&mut out) < src.len() {
        return None;
    }
    // SAFETY: `write` has written all of the text, and nothing else: U+FFFD, and the bytes
    // between one ill-formed sequence and the next. Of those a kernel found each chunk valid, or
    // skipped it as sound, or each byte is ASCII, or the map of its block has no ill-formed sequence there.
    Some(unsafe { core::str::from_utf8_unchecked_mut(out.finish()) })
}

/// Appends `bytes` to `text`, with each ill-formed sequence replaced by U+FFFD.
#[cfg(feature = "alloc")]
pub(super) fn append(kernel: &Kernel, bytes: &[u8], text: &mut String) {
    let mut valid = core::mem::take(text).into_bytes();
    // A replacement is up to two bytes longer than the bytes it replaces. An eighth more is
    // enough for a text with a few faults, so that it need not be moved.
    let more = if bytes.len() < SHORT_BYTES { 2 } else { bytes.len() / 8 + BLOCK_OUTPUT_BYTES };
    valid.reserve(bytes.len() + more);
    append_in_place(kernel, bytes, &mut valid);
    // SAFETY: `valid` was a `String`, and `append_in_place` has appended valid text: U+FFFD,
    // and the bytes between one ill-formed sequence and the next. The kernel found each chunk of
    // these valid, or skipped it as sound, or each byte is ASCII, or the map of its block has no
    // ill-formed sequence there. (After a panic `text` is empty.)
    *text = unsafe { String::from_utf8_unchecked(valid) };
}

/// For shorter input, `core`'s loop over bytes takes less time than the first map.
#[cfg(feature = "alloc")]
const SHORT_BYTES: usize = 32;

/// Appends `bytes` to `text`, with each ill-formed sequence replaced by U+FFFD. The appended text
/// is valid. If the capacity of `text` has [`BLOCK_OUTPUT_BYTES`] more than the result, it does not
/// grow.
#[cfg(feature = "alloc")]
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
        let done = crate::output::append(text, |out| replacer.write(out));
        if done == bytes.len() {
            return;
        }
        text.reserve(bytes.len() - done + BLOCK_OUTPUT_BYTES);
    }
}

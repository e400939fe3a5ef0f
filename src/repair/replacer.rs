//! Writes text with its ill-formed sequences replaced by U+FFFD to memory that may be too small for
//! all of it.

#![forbid(unsafe_code)]

use core::fmt;
use core::mem::MaybeUninit;

use super::faults::FaultSearch;
use super::survey::{BLOCK_OUTPUT_BYTES, BLOCK_TEXT_BYTES};
use super::survey::{Found, REPLACEMENT};
use crate::boundary::whole_len;
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
        self.write_to(out);
        self.done
    }

    /// Writes all of the text, by way of a buffer.
    pub(crate) fn write_all(mut self, kernel: &Kernel, to: &mut impl fmt::Write) -> fmt::Result {
        let mut memory = [MaybeUninit::uninit(); 4 * BLOCK_OUTPUT_BYTES];
        // The bytes at the end of the last buffer that begin a character.
        let (mut cut, mut cut_len) = ([0; 4], 0);
        loop {
            let mut out = Output::new(&mut memory);
            out.put(&cut[..cut_len]);
            let is_all = self.write(&mut out) == self.search.bytes().len();
            let written = out.finish();
            let (whole, rest) = written.split_at(whole_len(written));
            to.write_str(kernel.from_utf8(whole).map_err(|_| fmt::Error)?)?;
            if is_all {
                return Ok(());
            }
            cut_len = rest.len();
            cut[..cut_len].copy_from_slice(rest);
        }
    }

    #[inline(always)]
    fn write_to(&mut self, out: &mut Output<'_>) {
        let bytes = self.search.bytes();
        loop {
            if !self.copy(self.block.start, out) {
                return;
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
                    return;
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

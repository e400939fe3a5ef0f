//! The ill-formed sequences of a text, one by one, and the text between them.
//!
//! `faults.rs` finds the sequences. The bytes between two of them are valid.

use super::faults::FaultSearch;
use super::survey::Found;
use crate::kernel::Kernel;

/// The ill-formed sequences of a slice, one by one.
#[derive(Clone, Debug)]
pub(crate) struct Sequences<'a> {
    search: FaultSearch<'a>,
    /// The block that was found last, with its remaining sequences.
    block: Found,
    /// The end of the last sequence or text. Everything from here to the next sequence is
    /// well-formed.
    end: usize,
}

impl<'a> Sequences<'a> {
    #[inline]
    pub(super) fn new(kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        Self { search: FaultSearch::new(kernel, bytes), block: Found::NONE, end: 0 }
    }

    /// Begins with a short chunk, as if no sequence were near: for callers who may not need more.
    #[inline]
    pub(crate) fn expecting_far(kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        Self { search: FaultSearch::expecting_far(kernel, bytes), block: Found::NONE, end: 0 }
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.search.bytes()
    }

    pub(super) fn kernel(&self) -> &'a Kernel {
        self.search.kernel()
    }

    /// Returns the end of the last sequence or text.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns where the next sequence begins and ends.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, usize)> {
        loop {
            if let Some((at, len)) = self.block.pop() {
                let start = self.block.start + at;
                self.end = start + len;
                return Some((start, self.end));
            }
            // A copy, because an iterator whose address is never taken lives in registers.
            let mut search = self.search.clone();
            self.block = search.advance()?;
            self.search = search;
        }
    }

    /// Returns more text, up to the next sequence or the end of the searched part. It is empty only
    /// between two adjacent sequences. After all text it is `None`.
    ///
    /// If a sequence follows, [`end`](Self::end) is its end, and otherwise the end of the text.
    #[inline]
    pub(crate) fn next_text(&mut self) -> Option<&'a str> {
        let bytes = self.bytes();
        let start = self.end;
        if start == bytes.len() {
            return None;
        }
        let end = loop {
            if let Some((at, len)) = self.block.pop() {
                let end = self.block.start + at;
                self.end = end + len;
                break end;
            }
            let searched = match self.search.advance() {
                Some(block) => {
                    self.block = block;
                    if block.is_sound() { block.end } else { start }
                }
                None => bytes.len(),
            };
            if searched > start {
                self.end = searched;
                break searched;
            }
        };
        // SAFETY: there is no ill-formed sequence between the end of the last one and `end`, where
        // the next one begins or the search got without one. For each byte between them, a kernel
        // found its chunk valid, or skipped it as sound, or the map of its block has no ill-formed
        // sequence there. Where the search got without one, a character begins or the bytes end.
        Some(unsafe { core::str::from_utf8_unchecked(&bytes[start..end]) })
    }

    /// Returns the text up to the next sequence or the end: where it begins, the text, and the end of
    /// the sequence.
    #[inline]
    pub(super) fn next_chunk(&mut self) -> Option<(usize, &'a str, usize)> {
        let (bytes, offset) = (self.bytes(), self.end);
        let (start, end) = match self.next() {
            Some(sequence) => sequence,
            None if offset == bytes.len() => return None,
            None => {
                self.end = bytes.len();
                (bytes.len(), bytes.len())
            }
        };
        // SAFETY: there is no ill-formed sequence between the end of the last one and the start of
        // this one. For each byte between them, a kernel found its chunk valid, or skipped it as
        // sound, or the map of its block has no ill-formed sequence there.
        let valid = unsafe { core::str::from_utf8_unchecked(&bytes[offset..start]) };
        Some((offset, valid, end))
    }

    /// Returns the rest of the search, and the block that was found last, with its remaining sequences.
    pub(super) fn into_search(self) -> (FaultSearch<'a>, Found) {
        (self.search, self.block)
    }
}

//! All errors of a text, one after the other.

#![forbid(unsafe_code)]

use core::iter::FusedIterator;

use super::Profile;
use super::error::{Error, Forbidden};
use super::sieve::Sift;
use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::repair::Utf8Chunks;

/// Iterates over the ill-formed sequences and forbidden characters of a text. See [`Profile::errors`].
#[derive(Clone, Debug)]
pub struct Errors<'a> {
    profile: &'a Profile,
    kernel: &'static Kernel,
    chunks: Utf8Chunks<'a>,
    /// The valid part of a chunk, where it begins, and how much of it has been sifted.
    text: &'a [u8],
    offset: usize,
    sifted: usize,
    /// The block in which the suspects are that have not been looked at, and a bit for each.
    block: usize,
    bits: u64,
    /// The ill-formed sequence after the valid part.
    next: Option<Utf8Error>,
}

impl<'a> Errors<'a> {
    pub(super) fn new(profile: &'a Profile, kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        let chunks = kernel.utf8_chunks(bytes);
        Self { profile, kernel, chunks, text: &[], offset: 0, sifted: 0, block: 0, bits: 0, next: None }
    }

    /// Returns the next forbidden character of the valid part.
    fn forbidden(&mut self) -> Option<Forbidden> {
        loop {
            while self.bits != 0 {
                let place = self.block + self.bits.trailing_zeros() as usize;
                self.bits &= self.bits - 1;
                if let Some(found) = self.profile.look(self.text, place, self.offset == 0) {
                    return Some(found.after(self.offset as u64));
                }
            }
            if self.sifted >= self.text.len() || self.profile.bits == 0 {
                return None;
            }
            let suspects = self.kernel.run(Sift, self.text, (self.sifted, &self.profile.sieve));
            (self.block, self.bits, self.sifted) = (suspects.at, suspects.bits, suspects.next);
        }
    }
}

impl Iterator for Errors<'_> {
    type Item = Error;

    fn next(&mut self) -> Option<Error> {
        loop {
            if let Some(found) = self.forbidden() {
                return Some(found.into());
            }
            if let Some(error) = self.next.take() {
                return Some(error.into());
            }
            let chunk = self.chunks.next()?;
            (self.text, self.offset, self.sifted) = (chunk.valid().as_bytes(), chunk.offset(), 0);
            self.next = chunk.error();
        }
    }
}

impl FusedIterator for Errors<'_> {}

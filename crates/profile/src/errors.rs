//! All errors of a text, in order.

#![forbid(unsafe_code)]

use core::iter::FusedIterator;

use trust8::{Kernel, Utf8Chunks, Utf8Error};

use super::error::{Error, Forbidden};
use super::sieve::Suspects;
use super::{Edges, Profile};

/// Iterates over the ill-formed sequences and forbidden characters of a text. See
/// [`Profile::errors`].
#[derive(Clone, Debug)]
pub struct ProfileErrors<'a> {
    profile: &'a Profile,
    kernel: &'static Kernel,
    chunks: Utf8Chunks<'a>,
    /// The valid part of a chunk, its offset, and the search in it.
    text: &'a [u8],
    offset: usize,
    suspects: Suspects,
    /// The ill-formed sequence after the valid part.
    next: Option<Utf8Error>,
}

impl<'a> ProfileErrors<'a> {
    pub(super) fn new(profile: &'a Profile, kernel: &'static Kernel, bytes: &'a [u8]) -> Self {
        let chunks = kernel.utf8_chunks(bytes);
        Self { profile, kernel, chunks, text: &[], offset: 0, suspects: Suspects::new(), next: None }
    }

    /// Returns the next forbidden character of the valid part.
    fn forbidden(&mut self) -> Option<Forbidden> {
        // What is not UTF-8 ends the context.
        let edges = Edges { is_start: self.offset == 0, is_end: true };
        while let Some(place) = self.suspects.next(self.kernel, self.text, &self.profile.sieve) {
            if let Some(found) = self.profile.look(self.text, place, edges) {
                return Some(found.after(self.offset as u64));
            }
        }
        None
    }
}

impl Iterator for ProfileErrors<'_> {
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
            (self.text, self.offset, self.suspects) =
                (chunk.valid().as_bytes(), chunk.offset(), Suspects::new());
            self.next = chunk.error();
        }
    }
}

impl FusedIterator for ProfileErrors<'_> {}

//! The parts of a text in a dialect: runs of UTF-8, code points in the dialect's own way, and errors.

#![forbid(unsafe_code)]

use core::iter::FusedIterator;
use core::str::Chars;

use super::form::{self, Malformed};
use super::runs::Runs;
use super::{Dialect, DialectError};
use crate::kernel::Kernel;

/// A part of a text in a dialect.
pub(super) enum Part<'a> {
    /// Characters that the dialect writes as UTF-8 does. Never empty.
    Text(&'a str),
    /// A code point that the dialect writes in its own way.
    Own(u32),
    /// A sequence that is ill-formed in the dialect: see [`Parts::error`].
    Error(Malformed),
}

/// An iterator over the parts, each with its offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    runs: Runs<'a>,
}

impl<'a> Parts<'a> {
    /// Returns the parts of `bytes`, with runs as long as possible.
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { dialect, bytes, runs: Runs::new(bytes, dialect.own_forms(), kernel) }
    }

    /// Returns the parts of `bytes`, with runs of a limited length: for callers who may not want the next one.
    pub(super) fn limited(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { dialect, bytes, runs: Runs::limited(bytes, dialect.own_forms(), kernel) }
    }

    /// Returns the parts from `at` on, where a code point begins.
    pub(super) fn starting_at(mut self, at: usize) -> Self {
        self.runs.skip(at - self.runs.at());
        self
    }

    /// Returns where the last part ends and the next one begins.
    pub(super) fn at(&self) -> usize {
        self.runs.at()
    }

    /// Returns the error for a part that begins at `at`. (It is made where it goes, because a copy of it takes as long as the
    /// search for it.)
    #[inline(always)]
    pub(super) fn error(&self, at: usize, malformed: &Malformed) -> DialectError {
        DialectError::new(self.dialect, self.bytes, at, malformed)
    }

    /// Returns the error for the last part, which began at `at`, if UTF-8 has no form for it.
    pub(super) fn inexpressible(&self, at: usize) -> DialectError {
        DialectError::inexpressible(self.dialect, self.bytes, at, self.at() - at)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = (usize, Part<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.runs.at();
        // Two such sequences often follow each other directly. Then there is no run between them to search for.
        if let Some((value, len)) = form::read_own(self.dialect, self.runs.rest()) {
            self.runs.skip(len);
            return Some((at, Part::Own(value)));
        }
        if !self.runs.is_at_exception() {
            let text = self.runs.text();
            if !text.is_empty() {
                return Some((at, Part::Text(text)));
            }
        }
        let rest = self.runs.rest();
        if rest.is_empty() {
            return None;
        }
        Some(match form::read(self.dialect, rest) {
            Ok((value, len)) => {
                self.runs.skip(len);
                (at, Part::Own(value))
            }
            Err(malformed) => {
                self.runs.skip(malformed.len.into());
                (at, Part::Error(malformed))
            }
        })
    }
}

/// An iterator over the code points of a text, each with its offset: see [`Dialect::decode`].
///
/// ```
/// let mut code_points = trust8::dialect::Dialect::Wtf8.decode(b"a\xED\xA0\x80");
/// assert_eq!(code_points.next(), Some(Ok((0, 0x61))));
/// assert_eq!(code_points.next(), Some(Ok((1, 0xD800))));
/// assert_eq!(code_points.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct CodePoints<'a> {
    parts: Parts<'a>,
    /// What is left of the last run, which ends at `parts.at()`.
    text: Chars<'a>,
}

impl<'a> CodePoints<'a> {
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { parts: Parts::limited(dialect, bytes, kernel), text: "".chars() }
    }
}

impl Iterator for CodePoints<'_> {
    type Item = Result<(usize, u32), DialectError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let left = self.text.as_str().len();
            if let Some(character) = self.text.next() {
                return Some(Ok((self.parts.at() - left, character.into())));
            }
            match self.parts.next()? {
                (_, Part::Text(text)) => self.text = text.chars(),
                (at, Part::Own(value)) => return Some(Ok((at, value))),
                (at, Part::Error(malformed)) => return Some(Err(self.parts.error(at, &malformed))),
            }
        }
    }

    /// Goes run by run. `for_each`, `sum` and `extend` use this function.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let left = self.text.as_str();
        let first = (self.parts.at() - left.len(), Part::Text(left));
        let Parts { dialect, bytes, .. } = self.parts;
        core::iter::once(first).chain(self.parts).fold(init, |folded, (at, part)| match part {
            Part::Text(text) => text
                .char_indices()
                .fold(folded, |folded, (index, character)| f(folded, Ok((at + index, character.into())))),
            Part::Own(value) => f(folded, Ok((at, value))),
            Part::Error(malformed) => f(folded, Err(DialectError::new(dialect, bytes, at, &malformed))),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.parts.bytes.len() - self.parts.at();
        let (least, most) = self.text.size_hint();
        // A code point has one to six bytes.
        (least + left.div_ceil(6), most.map(|most| most + left))
    }
}

impl FusedIterator for CodePoints<'_> {}

//! The segments of a text in a dialect: runs of UTF-8, the dialect's own code points, and errors.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::str::Chars;

use super::form::{self, Malformed};
use super::rewriting::{Copied, CopyEnd, SPARE_BYTES, ToUtf8, copy_rewritten};
use super::runs::Runs;
use super::{Dialect, DialectError, DialectErrorKind, DialectWith};
use trust8::engine::Output;
use trust8::{Kernel, boundary};

/// A part of a text in a dialect.
pub(super) enum Segment<'a> {
    /// Characters that the dialect writes as UTF-8 does. Never empty.
    Text(&'a str),
    /// A code point in the dialect's own form.
    Own(u32),
    /// A sequence that is ill-formed in the dialect: see [`Segments::error`].
    Error(Malformed),
}

/// An iterator over the segments, each with its offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segments<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    runs: Runs<'a>,
    /// Whether [`skip_accepted`](Self::skip_accepted) has found an error.
    error_is_near: bool,
}

impl<'a> Segments<'a> {
    /// Returns the segments of `bytes`, with runs as long as possible.
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8], kernel: &'static Kernel) -> Self {
        Self { dialect, bytes, runs: Runs::new(bytes, dialect, kernel), error_is_near: false }
    }

    /// Returns the segments with runs of limited length, and not much longer than `limit`.
    pub(super) fn limited(mut self, limit: usize) -> Self {
        self.runs.shorten(limit);
        self
    }

    /// Returns the segments from `at` on, where a code point begins.
    pub(super) fn starting_at(mut self, at: usize) -> Self {
        self.runs.skip(at - self.runs.at());
        self
    }

    /// Skips segments that are certainly not errors, up to some segment before the first error.
    /// This is for callers that treat text and the dialect's own code points alike: all of them, or
    /// if `also_inexpressible` is false, those that UTF-8 can express.
    ///
    /// If the dialect's own code points are dense, rewriting them and validating the result takes
    /// less time than validating the runs between them.
    #[inline(never)]
    pub(super) fn skip_accepted(&mut self, also_inexpressible: bool) {
        const CHUNK_BYTES: usize = 2048;
        let mut memory = [MaybeUninit::uninit(); CHUNK_BYTES + SPARE_BYTES];
        let kernel = self.runs.kernel;
        let to_utf8 = ToUtf8 { dialect: self.dialect, inexpressible: also_inexpressible, malformed: false };
        while !self.error_is_near {
            let at = self.at();
            let chunk = at..boundary::floor(self.bytes, at + CHUNK_BYTES);
            let mut out = Output::new(&mut memory);
            let Copied { end, stop, any } =
                copy_rewritten(self.dialect, kernel, self.bytes, chunk, &mut out, &to_utf8);
            if !kernel.is_utf8(out.finish()) {
                // The few segments before the error are not worth a search for it.
                self.error_is_near = true;
                return;
            }
            self.runs.skip(end - at);
            if !any || stop == CopyEnd::Refused {
                return;
            }
        }
    }

    /// Returns the end of the last segment, where the next one begins.
    pub(super) fn at(&self) -> usize {
        self.runs.at()
    }

    /// Returns the error for a segment that begins at `at`. (It is built in place, because copying
    /// it takes as long as searching for it.)
    #[inline(always)]
    pub(super) fn error(&self, at: usize, malformed: &Malformed) -> DialectError {
        DialectError::new(self.dialect, self.bytes, at, malformed)
    }

    /// Returns the error for the last segment, which began at `at`, if UTF-8 can't express it.
    pub(super) fn inexpressible(&self, at: usize) -> DialectError {
        self.error(at, &Malformed::new(DialectErrorKind::Inexpressible, self.at() - at))
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = (usize, Segment<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.runs.at();
        // Such sequences and errors often follow each other directly, without a run between them.
        if let Some((value, len)) = form::read_own(self.dialect, self.runs.rest()) {
            self.runs.skip(len);
            return Some((at, Segment::Own(value)));
        }
        if let Some(malformed) = form::read_fault(self.dialect, self.runs.rest()) {
            self.runs.skip(malformed.len.into());
            return Some((at, Segment::Error(malformed)));
        }
        if !self.dialect.begins_exception(self.runs.rest()) {
            let text = self.runs.text();
            if !text.is_empty() {
                return Some((at, Segment::Text(text)));
            }
        }
        let rest = self.runs.rest();
        if rest.is_empty() {
            return None;
        }
        Some(match form::read(self.dialect, rest) {
            Ok((value, len)) => {
                self.runs.skip(len);
                (at, Segment::Own(value))
            }
            Err(malformed) => {
                self.runs.skip(malformed.len.into());
                (at, Segment::Error(malformed))
            }
        })
    }
}

/// An iterator over the code points of a text, each with its offset: see [`Dialect::decode`].
///
/// ```
/// let mut code_points = trust8_dialect::Dialect::Wtf8.decode(b"a\xED\xA0\x80");
/// assert_eq!(code_points.next(), Some(Ok((0, 0x61))));
/// assert_eq!(code_points.next(), Some(Ok((1, 0xD800))));
/// assert_eq!(code_points.next(), None);
/// ```
#[derive(Clone)]
pub struct CodePoints<'a> {
    segments: Segments<'a>,
    /// The remainder of the last run, which ends at `segments.at()`.
    text: Chars<'a>,
}

impl DialectWith {
    /// Like [`Dialect::decode`], with this kernel.
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> CodePoints<'_> {
        let Self(kernel, dialect) = self;
        CodePoints { segments: Segments::new(dialect, bytes, kernel).limited(usize::MAX), text: "".chars() }
    }
}

impl CodePoints<'_> {
    /// Like `next`, at the end of a segment.
    #[inline(never)]
    fn next_segment(&mut self) -> Option<<Self as Iterator>::Item> {
        let (at, segment) = self.segments.next()?;
        Some(match segment {
            Segment::Text(text) => {
                self.text = text.chars();
                Ok((at, self.text.next()?.into()))
            }
            Segment::Own(value) => Ok((at, value)),
            Segment::Error(malformed) => Err(self.segments.error(at, &malformed)),
        })
    }
}

impl Iterator for CodePoints<'_> {
    type Item = Result<(usize, u32), DialectError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let left = self.text.as_str().len();
        match self.text.next() {
            Some(character) => Some(Ok((self.segments.at() - left, character.into()))),
            None => self.next_segment(),
        }
    }

    /// Works run by run. `for_each`, `sum` and `extend` use this function.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let left = self.text.as_str();
        let first = (self.segments.at() - left.len(), Segment::Text(left));
        let Segments { dialect, bytes, .. } = self.segments;
        core::iter::once(first).chain(self.segments).fold(init, |folded, (at, segment)| match segment {
            Segment::Text(text) => text
                .char_indices()
                .fold(folded, |folded, (index, character)| f(folded, Ok((at + index, character.into())))),
            Segment::Own(value) => f(folded, Ok((at, value))),
            Segment::Error(malformed) => f(folded, Err(DialectError::new(dialect, bytes, at, &malformed))),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.segments.bytes.len() - self.segments.at();
        let (least, most) = self.text.size_hint();
        // A code point has one to six bytes.
        (least + left.div_ceil(6), most.map(|most| most + left))
    }
}

impl FusedIterator for CodePoints<'_> {}

/// Lists the code points and errors that the iterator has not returned yet.
impl fmt::Debug for CodePoints<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

//! Bytes of a dialect as runs of UTF-8 and what lies between them.

#![forbid(unsafe_code)]

use core::iter::FusedIterator;
use core::str::Chars;

use super::{Dialect, DialectError, form};
use crate::kernel::Kernel;
use crate::text::runs::Runs;

/// What comes next.
pub(super) enum Piece<'a> {
    /// What the dialect writes as UTF-8 does; not empty.
    Text(&'a str),
    /// A code point in the dialect's own way.
    Own(u32),
    /// Nothing that the dialect has.
    Fault(DialectError),
}

/// All bytes, piece by piece, each with its offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces<'a> {
    dialect: Dialect,
    bytes: &'a [u8],
    runs: Runs<'a>,
}

impl<'a> Pieces<'a> {
    /// Runs are as long as can be.
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { dialect, bytes, runs: Runs::new(bytes, dialect.own(), kernel) }
    }

    /// Runs end soon.
    pub(super) fn in_steps(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { dialect, bytes, runs: Runs::in_steps(bytes, dialect.own(), kernel) }
    }

    /// Beginning here, where a code point begins.
    pub(super) fn behind(mut self, at: usize) -> Self {
        self.runs.skip(at - self.runs.at());
        self
    }

    /// Where the next piece begins, and this one ends.
    pub(super) fn at(&self) -> usize {
        self.runs.at()
    }

    /// What is to be said of the last piece, which began here, if UTF-8 has no form for it.
    pub(super) fn inexpressible(&self, at: usize) -> DialectError {
        DialectError::inexpressible(self.dialect, self.bytes, at, self.at() - at)
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = (usize, Piece<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.runs.at();
        // One behind the other, they need no look at what is between them.
        if let Some((value, len)) = form::read_own(self.dialect, self.runs.rest()) {
            self.runs.skip(len);
            return Some((at, Piece::Own(value)));
        }
        let text = self.runs.text();
        if !text.is_empty() {
            return Some((at, Piece::Text(text)));
        }
        let rest = self.runs.rest();
        if rest.is_empty() {
            return None;
        }
        Some(match form::read(self.dialect, rest) {
            Ok((value, len)) => {
                self.runs.skip(len);
                (at, Piece::Own(value))
            }
            Err(fault) => {
                self.runs.skip(fault.len);
                (at, Piece::Fault(DialectError::new(self.dialect, self.bytes, at, &fault)))
            }
        })
    }
}

/// The code points of a dialect, each with its offset: see [`Dialect::decode`].
///
/// ```
/// let mut code_points = trust8::dialect::Dialect::Wtf8.decode(b"a\xED\xA0\x80");
/// assert_eq!(code_points.next(), Some(Ok((0, 0x61))));
/// assert_eq!(code_points.next(), Some(Ok((1, 0xD800))));
/// assert_eq!(code_points.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct CodePoints<'a> {
    pieces: Pieces<'a>,
    /// What is left of the last run, which ends where `pieces` stands.
    text: Chars<'a>,
}

impl<'a> CodePoints<'a> {
    pub(super) fn new(dialect: Dialect, bytes: &'a [u8], kernel: Option<&'static Kernel>) -> Self {
        Self { pieces: Pieces::in_steps(dialect, bytes, kernel), text: "".chars() }
    }
}

impl Iterator for CodePoints<'_> {
    type Item = Result<(usize, u32), DialectError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let left = self.text.as_str().len();
            if let Some(character) = self.text.next() {
                return Some(Ok((self.pieces.at() - left, character.into())));
            }
            match self.pieces.next()? {
                (_, Piece::Text(text)) => self.text = text.chars(),
                (at, Piece::Own(value)) => return Some(Ok((at, value))),
                (_, Piece::Fault(error)) => return Some(Err(error)),
            }
        }
    }

    /// Run by run, which `for_each`, `sum` and `extend` go by, too.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let left = self.text.as_str();
        let first = (self.pieces.at() - left.len(), Piece::Text(left));
        core::iter::once(first).chain(self.pieces).fold(init, |folded, (at, piece)| match piece {
            Piece::Text(text) => text
                .char_indices()
                .fold(folded, |folded, (index, character)| f(folded, Ok((at + index, character.into())))),
            Piece::Own(value) => f(folded, Ok((at, value))),
            Piece::Fault(error) => f(folded, Err(error)),
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.pieces.bytes.len() - self.pieces.at();
        let (least, most) = self.text.size_hint();
        // Six bytes at most a code point, and at least one.
        (least + left.div_ceil(6), most.map(|most| most + left))
    }
}

impl FusedIterator for CodePoints<'_> {}

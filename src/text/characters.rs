//! One character at a time.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::str::Chars;

use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::repair::sequences::Sequences;

/// Returns an iterator over the characters of `bytes`, each with its offset. For an ill-formed
/// sequence it yields an error, and continues after the sequence.
///
/// If each error is replaced by U+FFFD, the text is that of `String::from_utf8_lossy`.
///
/// ```
/// use trust8::{ErrorKind, decode};
///
/// let mut characters = decode(b"\xE6\x97\xA5\xFFa\xF0\x9F");
/// assert_eq!(characters.next(), Some(Ok((0, '日'))));
/// assert_eq!(characters.next().unwrap().unwrap_err().valid_up_to(), 3);
/// assert_eq!(characters.next(), Some(Ok((4, 'a'))));
/// assert_eq!(characters.next().unwrap().unwrap_err().kind(), ErrorKind::Incomplete);
/// assert_eq!(characters.next(), None);
///
/// let lossy: String = decode(b"1 \xE2\x82 = 1 \xC3?").map(|c| c.map_or('\u{FFFD}', |(_, c)| c)).collect();
/// assert_eq!(lossy, String::from_utf8_lossy(b"1 \xE2\x82 = 1 \xC3?"));
/// ```
#[inline]
#[must_use]
pub fn decode(bytes: &[u8]) -> Decode<'_> {
    Kernel::best().decode(bytes)
}

impl Kernel {
    /// Does the same as [`decode`](crate::decode), with this kernel.
    #[inline]
    #[must_use]
    pub fn decode<'a>(&'static self, bytes: &'a [u8]) -> Decode<'a> {
        Decode { sequences: Sequences::expecting_far(self, bytes), text: "".chars(), end: 0 }
    }
}

/// An iterator over characters and errors: see [`decode`].
///
/// ```
/// let decode = trust8::decode("añb".as_bytes());
/// let offsets: Vec<usize> = decode.map(|character| character.unwrap().0).collect();
/// assert_eq!(offsets, [0, 1, 3]);
/// ```
#[derive(Clone)]
pub struct Decode<'a> {
    /// The ill-formed sequences. The last one begins at `end`, unless its error has been returned.
    sequences: Sequences<'a>,
    /// The rest of the text that was found last.
    text: Chars<'a>,
    /// Where that text ends.
    end: usize,
}

impl<'a> Decode<'a> {
    /// Continues where the text ends. Returns the error of the ill-formed sequence there, or takes
    /// the next text if there is none. After the last text, it returns `None`.
    #[inline]
    fn advance(&mut self) -> Option<Result<(), Utf8Error>> {
        let start = self.end;
        self.end = self.sequences.end();
        if start < self.end {
            return Some(Err(Utf8Error::at(self.sequences.bytes(), start)));
        }
        let text = self.sequences.next_text()?;
        self.end += text.len();
        self.text = text.chars();
        Some(Ok(()))
    }
}

impl Iterator for Decode<'_> {
    type Item = Result<(usize, char), Utf8Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let left = self.text.as_str().len();
            if let Some(character) = self.text.next() {
                return Some(Ok((self.end - left, character)));
            }
            if let Err(error) = self.advance()? {
                return Some(Err(error));
            }
        }
    }

    /// Iterates text by text. `for_each`, `sum` and `extend` use this function.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            let text = core::mem::replace(&mut self.text, "".chars()).as_str();
            let at = self.end - text.len();
            for (index, character) in text.char_indices() {
                folded = f(folded, Ok((at + index, character)));
            }
            match self.advance() {
                Some(Ok(())) => {}
                Some(Err(error)) => folded = f(folded, Err(error)),
                None => return folded,
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.sequences.bytes().len() - self.end;
        let (least, most) = self.text.size_hint();
        (least + left.div_ceil(4), most.map(|most| most + left))
    }
}

impl FusedIterator for Decode<'_> {}

/// Lists the characters and errors that the iterator has not returned yet.
impl fmt::Debug for Decode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

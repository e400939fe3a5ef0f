//! Chunks of well-formed text, each with the malformed sequence after it.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;

use super::error::ConversionError;
use super::form::Form;
use super::validate::{ErrorsIn, errors_in};
use crate::Source;

/// Returns an iterator over chunks of well-formed text, each with the malformed sequence after it.
///
/// These are the chunks of [`trust8::utf8_chunks`], for every form. A malformed sequence is what a
/// lossy conversion replaces by one character.
///
/// ```
/// use trust8_transcode::{Utf16, chunks};
///
/// let text = [0x61, 0xD83D, 0xDE00, 0xDC00, 0x62, 0xD800];
/// let found: Vec<_> = chunks(Utf16, &text).map(|chunk| (chunk.valid(), chunk.malformed())).collect();
/// assert_eq!(found, [(&text[..3], &text[3..4]), (&text[4..5], &text[5..])]);
/// ```
#[inline]
pub fn chunks<F: Form>(form: impl Source<F>, text: &F::Text) -> Chunks<'_, F> {
    Chunks { text, errors: errors_in(form, text), at: 0 }
}

/// An iterator over chunks of well-formed text: see [`chunks`].
#[must_use = "iterators do nothing unless they are used"]
pub struct Chunks<'a, F: Form> {
    text: &'a F::Text,
    errors: ErrorsIn<'a>,
    /// Everything before this has been returned.
    at: usize,
}

impl<'a, F: Form> Iterator for Chunks<'a, F> {
    type Item = Chunk<'a, F>;

    fn next(&mut self) -> Option<Self::Item> {
        let len = F::form_bytes(self.text).len() / size_of::<F::Unit>();
        if self.at == len {
            return None;
        }
        let error = self.errors.next();
        let valid = error.map_or(len, |error| error.valid_up_to());
        let end = error.and_then(|error| error.error_len()).map_or(len, |error_len| valid + error_len);
        let chunk = Chunk { text: self.text, offset: self.at, valid, end, error };
        self.at = end;
        Some(chunk)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = F::form_bytes(self.text).len() / size_of::<F::Unit>() - self.at;
        (left.min(1), Some(left))
    }
}

impl<F: Form> FusedIterator for Chunks<'_, F> {}

impl<F: Form> Clone for Chunks<'_, F> {
    fn clone(&self) -> Self {
        Self { text: self.text, errors: self.errors.clone(), at: self.at }
    }
}

impl<F: Form> fmt::Debug for Chunks<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Well-formed text and the malformed sequence after it: see [`chunks`].
#[derive(Clone, Copy)]
pub struct Chunk<'a, F: Form> {
    text: &'a F::Text,
    offset: usize,
    /// Where the malformed sequence begins.
    valid: usize,
    /// Where it ends.
    end: usize,
    error: Option<ConversionError>,
}

impl<'a, F: Form> Chunk<'a, F> {
    /// Returns the well-formed text, which may be empty.
    ///
    /// ```
    /// use trust8_transcode::{Utf32, chunks};
    /// let chunk = chunks(Utf32, &[0x61, 0xD800]).next().unwrap();
    /// assert_eq!((chunk.valid(), chunk.malformed()), (&[0x61][..], &[0xD800][..]));
    /// ```
    #[must_use]
    pub fn valid(&self) -> &'a F::Text {
        F::form_part(self.text, self.offset..self.valid)
    }

    /// Returns the malformed sequence. It is empty at the end of the text.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::Utf16Be, chunks};
    /// assert_eq!(chunks(Utf16Be, b"\xDC\x00\0a").next().unwrap().malformed(), b"\xDC\x00");
    /// ```
    #[must_use]
    pub fn malformed(&self) -> &'a F::Text {
        F::form_part(self.text, self.valid..self.end)
    }

    /// Returns the position of the chunk in the text, in units.
    ///
    /// ```
    /// use trust8_transcode::{Utf16, chunks};
    /// assert!(chunks(Utf16, &[0xDC00, 0x61]).map(|chunk| chunk.offset()).eq([0, 1]));
    /// ```
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// Returns what is wrong with the malformed sequence, if there is one.
    ///
    /// ```
    /// use trust8_transcode::{ConversionErrorKind, Utf16, chunks};
    /// let error = chunks(Utf16, &[0x61, 0xDC00]).next().unwrap().error().unwrap();
    /// assert_eq!((error.valid_up_to(), error.kind()), (1, ConversionErrorKind::LoneLow(0xDC00)));
    /// ```
    #[must_use]
    pub const fn error(&self) -> Option<ConversionError> {
        self.error
    }
}

impl<F: Form> fmt::Debug for Chunk<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunk")
            .field("valid", &(self.offset..self.valid))
            .field("malformed", &(self.valid..self.end))
            .field("error", &self.error)
            .finish()
    }
}

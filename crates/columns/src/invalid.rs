//! The rows of a column that are not UTF-8.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;

use trust8::{Kernel, TooSmall, Utf8Error};

use super::layout::Column;
use super::marks::{BadRows, GROUP_ROWS, WORD_BITS, put_bits};

/// Returns an iterator over the rows that are not UTF-8, each with its error, in the order of the
/// rows.
///
/// The error is that of [`from_utf8`](trust8::from_utf8) for the row alone. Null rows are ignored. A
/// column without such rows is read as fast as one long text, and an invalid row costs no more than
/// a few rows around it.
///
/// Nothing is allocated, unless views overlap so much that they name more than four times the bytes
/// of all buffers: then the faults of the buffers are listed once, so that bytes are not validated
/// again for each view. The list takes at most half as many bytes as the buffers have, and up to
/// 100 for each buffer. If faults are rare, it is far shorter. (Without the feature `alloc`, there is
/// none.)
///
/// ```
/// use trust8_columns::{Offsets, invalid_rows};
///
/// let values = b"Ros\xE9Merlot\xFFPinot noir\xC3";
/// let column = Offsets::new(values, &[0, 4, 11, 22], None).unwrap();
/// let found: Vec<_> = invalid_rows(column).map(|(row, error)| (row, error.valid_up_to())).collect();
/// assert_eq!(found, [(0, 3), (1, 6), (2, 10)]);
/// ```
pub fn invalid_rows<C: Column>(column: C) -> InvalidRows<C> {
    InvalidRows::new(Kernel::best(), column)
}

/// An iterator over the rows that are not UTF-8: see [`invalid_rows`].
#[derive(Clone)]
#[must_use = "iterators do nothing unless they are used"]
pub struct InvalidRows<C> {
    pub(super) kernel: &'static Kernel,
    pub(super) column: C,
    /// The first row of the group that has `marks`.
    pub(super) group: usize,
    /// The first row after that group.
    next: usize,
    /// The remaining rows of the group.
    pub(super) marks: BadRows,
}

impl<C: Column> InvalidRows<C> {
    pub(super) fn new(kernel: &'static Kernel, column: C) -> Self {
        Self { kernel, column, group: 0, next: 0, marks: BadRows::NONE }
    }

    /// Writes a bitmap, in which the bit of each row that is not UTF-8 is 1. Returns how many there
    /// are.
    ///
    /// Row 0 has the lowest bit of the first byte. Only rows that the iterator has not returned yet
    /// count.
    ///
    /// # Errors
    ///
    /// Returns an error if `bitmap` has less than one bit for each row. Bits after the last row
    /// become 0, up to the end of a byte.
    ///
    /// ```
    /// use trust8_columns::{Offsets, invalid_rows};
    ///
    /// let column = Offsets::new(b"a\xFFc\xFE", &[0, 1, 2, 3, 4], None).unwrap();
    /// let mut bitmap = [0xFF; 1];
    /// assert_eq!(invalid_rows(column).bitmap(&mut bitmap), Ok(2));
    /// assert_eq!(bitmap, [0b1010]);
    /// ```
    pub fn bitmap(mut self, bitmap: &mut [u8]) -> Result<usize, TooSmall> {
        let needed = self.column.rows().div_ceil(8);
        let len = bitmap.len();
        let bitmap = bitmap.get_mut(..needed).ok_or(TooSmall { needed, len })?;
        bitmap.fill(0);
        let mut count = 0;
        loop {
            if !self.marks.is_empty() {
                for (bytes, word) in bitmap[self.group / 8..].chunks_mut(8).zip(self.marks.words) {
                    put_bits(bytes, word);
                    count += word.count_ones() as usize;
                }
            }
            if !self.advance() {
                return Ok(count);
            }
            self.ignore_nulls();
        }
    }

    /// Marks the next group, including null rows. Returns `false` after the last one.
    pub(super) fn advance(&mut self) -> bool {
        let rows = self.column.count_to_check();
        if self.next == rows {
            return false;
        }
        self.group = self.next;
        self.next = rows.min(self.group + GROUP_ROWS);
        self.marks.clear();
        self.column.mark_rows(self.kernel, self.group, self.next, &mut self.marks);
        true
    }

    /// Removes the marks of null rows.
    pub(super) fn ignore_nulls(&mut self) {
        if let Some(validity) = self.column.row_validity()
            && !self.marks.is_empty()
        {
            for (i, word) in self.marks.words.iter_mut().enumerate() {
                *word &= validity.word(self.group + WORD_BITS * i);
            }
        }
    }
}

impl<C: Column> Iterator for InvalidRows<C> {
    type Item = (usize, Utf8Error);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            for i in 0..self.marks.words.len() {
                while self.marks.words[i] != 0 {
                    let row = self.group + WORD_BITS * i + self.marks.words[i].trailing_zeros() as usize;
                    self.marks.words[i] &= self.marks.words[i] - 1;
                    let error = self.column.row_error(self.kernel, row, &self.marks);
                    // All marked rows have an error, unless an `AsRef` returns another buffer each
                    // time.
                    if let Some(error) = error {
                        return Some((row, error));
                    }
                }
            }
            if !self.advance() {
                return None;
            }
            self.ignore_nulls();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.column.count_to_check() - self.group))
    }
}

impl<C: Column> FusedIterator for InvalidRows<C> {}

impl<C: fmt::Debug> fmt::Debug for InvalidRows<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvalidRows").field("column", &self.column).field("next", &self.next).finish()
    }
}

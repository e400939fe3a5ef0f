//! The rows of a column that a profile refuses.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::iter::FusedIterator;

#[cfg(feature = "alloc")]
use trust8::Utf8Error;
#[cfg(feature = "alloc")]
use trust8::engine::Sequence;
use trust8::{Kernel, TooSmall};
use trust8_columns::Column;
#[cfg(feature = "alloc")]
use trust8_columns::Overlap;

#[cfg(feature = "alloc")]
use super::Forbidden;
use super::{Error, Profile, ProfileWith};

/// Returns an iterator over the rows that are not UTF-8 or have a character that the profile
/// forbids, each with its first error, in the order of the rows. Null rows are ignored.
///
/// Views that overlap are read, and take memory, as [`trust8_columns::invalid_rows`] says.
///
/// ```
/// use trust8_columns::Offsets;
/// use trust8_profile::{Profile, refused_rows};
///
/// let column = Offsets::new(b"Merlot\0Ros\xE9", &[0, 6, 7, 11], None).unwrap();
/// let refused = refused_rows(column, &Profile::POSTGRES);
/// assert!(refused.map(|(row, error)| (row, error.valid_up_to())).eq([(1, 0), (2, 3)]));
/// ```
pub fn refused_rows<C: Column>(column: C, profile: &Profile) -> RefusedRows<'_, C> {
    RefusedRows {
        kernel: Kernel::best(),
        column,
        profile,
        next: 0,
        #[cfg(feature = "alloc")]
        overlap: Overlap::NONE,
    }
}

/// An iterator over the rows that a profile refuses: see [`refused_rows`].
#[derive(Clone, Debug)]
#[must_use = "iterators do nothing unless they are used"]
pub struct RefusedRows<'a, C> {
    kernel: &'static Kernel,
    column: C,
    profile: &'a Profile,
    next: usize,
    /// The overlap of the rows so far.
    #[cfg(feature = "alloc")]
    overlap: Overlap,
}

impl<C: Column> RefusedRows<'_, C> {
    /// Writes a bitmap, in which the bit of each refused row is 1. Returns how many there are.
    ///
    /// Row 0 has the lowest bit of the first byte. Only rows that the iterator has not returned yet
    /// count.
    ///
    /// # Errors
    ///
    /// Returns an error if `bitmap` has less than one bit for each row.
    ///
    /// ```
    /// use trust8_columns::Offsets;
    /// use trust8_profile::{Profile, refused_rows};
    ///
    /// let column = Offsets::new(b"a\0c\xFE", &[0, 1, 2, 3, 4], None).unwrap();
    /// let mut bitmap = [0xFF; 1];
    /// assert_eq!(refused_rows(column, &Profile::XML_1_0).bitmap(&mut bitmap), Ok(2));
    /// assert_eq!(bitmap, [0b1010]);
    /// ```
    pub fn bitmap(self, bitmap: &mut [u8]) -> Result<usize, TooSmall> {
        let needed = self.column.rows().div_ceil(8);
        let len = bitmap.len();
        let bitmap = bitmap.get_mut(..needed).ok_or(TooSmall { needed, len })?;
        bitmap.fill(0);
        Ok(self.map(|(row, _)| bitmap[row / 8] |= 1 << (row % 8)).count())
    }

    /// Returns the bitmap of the rows that are neither null nor refused, or `None` if no row is
    /// refused. As the column's validity, it makes the refused rows null.
    ///
    /// ```
    /// use trust8_columns::{Offsets, Validity};
    /// use trust8_profile::{Profile, refused_rows};
    ///
    /// let validity = Validity::new(&[0b011], 0);
    /// let column = Offsets::new(b"a\0c", &[0, 1, 2, 3], Some(validity)).unwrap();
    /// assert_eq!(refused_rows(column, &Profile::XML_1_0).validity(), Some(vec![0b001]));
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn validity(mut self) -> Option<Vec<u8>> {
        // Without bytes, a column can claim any number of rows, but then none is refused.
        let (first, _) = self.next()?;
        let column = self.column;
        let mut bitmap = alloc::vec![0; column.rows().div_ceil(8)];
        for row in 0..column.rows() {
            let is_valid = column.row_validity().is_none_or(|validity| validity.is_valid(row));
            bitmap[row / 8] |= u8::from(is_valid) << (row % 8);
        }
        for row in core::iter::once(first).chain(self.map(|(row, _)| row)) {
            bitmap[row / 8] &= !(1 << (row % 8));
        }
        Some(bitmap)
    }
}

impl<C: Column> RefusedRows<'_, C> {
    /// Returns the error of a row. If rows overlap much, the errors of their buffers are listed
    /// once, as by [`trust8_columns::invalid_rows`].
    fn error_of(&mut self, row: usize) -> Option<Error> {
        let check = |bytes: &[u8]| ProfileWith(self.kernel, self.profile).from_utf8(bytes).err();
        #[cfg(feature = "alloc")]
        {
            let errors = |buffer: &[u8], each: &mut dyn FnMut(usize)| {
                let errors = ProfileWith(self.kernel, self.profile).errors(buffer);
                errors.for_each(|error| each(error.valid_up_to()));
            };
            for start in [0, BYTE_ORDER_MARK.len()] {
                let found = self.column.fault_in_overlap(row, start, &mut self.overlap, &errors);
                let Some(found) = found else { break };
                let (at, bytes) = found?;
                if at > 0 || !bytes.starts_with(BYTE_ORDER_MARK) {
                    return self.error_at(at, bytes);
                }
                // A byte order mark may begin a row, so the next fault is the first one.
            }
        }
        self.column.with_row(row, check)
    }

    /// Returns the error that begins with `bytes`, at byte `at` of a row.
    #[cfg(feature = "alloc")]
    fn error_at(&self, at: usize, bytes: &[u8]) -> Option<Error> {
        // A byte order mark is not the start of this text.
        let mut text = [b'.'; 5];
        text[1..=bytes.len()].copy_from_slice(bytes);
        let error = ProfileWith(self.kernel, self.profile).from_utf8(&text[..=bytes.len()]).err()?;
        Some(match error {
            Error::NotUtf8(_) => Utf8Error::new(at, Sequence::at_start_of(bytes)).into(),
            Error::Forbidden(found) => Forbidden::new(at as u64, found.character(), found.class()).into(),
        })
    }
}

#[cfg(feature = "alloc")]
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();

impl<C: Column> Iterator for RefusedRows<'_, C> {
    type Item = (usize, Error);

    fn next(&mut self) -> Option<Self::Item> {
        while self.next < self.column.count_to_check() {
            let row = self.next;
            self.next += 1;
            if self.column.row_validity().is_none_or(|validity| validity.is_valid(row))
                && let Some(error) = self.error_of(row)
            {
                return Some((row, error));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.column.count_to_check() - self.next))
    }
}

impl<C: Column> FusedIterator for RefusedRows<'_, C> {}

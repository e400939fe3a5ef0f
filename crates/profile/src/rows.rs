//! The rows of a column that a profile refuses.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::iter::FusedIterator;

#[cfg(feature = "alloc")]
use trust8::engine::{is_inside, start_before};
use trust8::{Kernel, TooSmall};
use trust8_columns::Column;
#[cfg(feature = "alloc")]
use trust8_columns::Overlap;

#[cfg(feature = "alloc")]
use super::context::WINDOW_BYTES;
use super::{Profile, ProfileError, ProfileWith};

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
    fn error_of(&mut self, row: usize) -> Option<ProfileError> {
        let (kernel, profile) = (self.kernel, self.profile);
        let check = |bytes: &[u8]| ProfileWith(kernel, profile).from_utf8(bytes).err();
        let bytes = self.column.bytes_of_row(row);
        #[cfg(feature = "alloc")]
        {
            let errors = |buffer: &[u8], each: &mut dyn FnMut(usize)| {
                let errors = ProfileWith(kernel, profile).errors(buffer);
                errors.for_each(|error| each(error.valid_up_to()));
            };
            let mut listed = |start| self.column.fault_in_overlap(row, start, &mut self.overlap, &errors);
            if listed(0).is_some() {
                // The list knows the buffer. The start and the end of the row are another context.
                let Some((start, last)) = inside(&bytes) else { return check(&bytes) };
                let is_early = |error: &ProfileError| error.valid_up_to() < start;
                let early = check(&bytes[..start + MARGIN_BYTES]).filter(is_early);
                return early.or_else(|| {
                    let inside = listed(start).flatten().filter(|&(at, _)| at < last);
                    let at = inside.map_or(last, |(at, _)| at);
                    profile.error_from(kernel, &bytes, at, [true; 2])
                });
            }
        }
        check(&bytes)
    }
}

/// How many bytes before and after a character decide about it, and some more.
#[cfg(feature = "alloc")]
const MARGIN_BYTES: usize = 2 * WINDOW_BYTES;

/// Returns where the part of a row begins that has the same errors as in its buffer, and where it ends: at the last character but one,
/// because the last one may be cut off. Returns `None` for short rows.
#[cfg(feature = "alloc")]
fn inside(row: &[u8]) -> Option<(usize, usize)> {
    if row.len() < 3 * MARGIN_BYTES {
        return None;
    }
    let start = MARGIN_BYTES + (0..3).take_while(|at| is_inside(row, MARGIN_BYTES + at)).count();
    Some((start, start_before(row, start_before(row, row.len() - 1) - 1)))
}

impl<C: Column> Iterator for RefusedRows<'_, C> {
    type Item = (usize, ProfileError);

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

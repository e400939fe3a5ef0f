//! The layouts of a column. These types prove that the offsets or views were checked.

#![forbid(unsafe_code)]

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use trust8::boundary::is_continuation;
use trust8::{Kernel, Utf8Error};

use super::error::{ColumnError, ColumnErrorKind};
use super::marks::BadRows;
use super::offset::Offset;
#[cfg(feature = "alloc")]
use super::overlap::{EachFault, Overlap, ill_formed};
use super::{offsets, views};

/// A column whose rows are bytes: [`Offsets`], [`Views`] or [`FixedSize`].
///
/// ```
/// use trust8_columns::{Column, FixedSize, Offsets};
///
/// fn bad_rows(column: impl Column) -> usize {
///     trust8_columns::invalid_rows(column).count()
/// }
/// assert_eq!(bad_rows(Offsets::new(b"ab\xFF", &[0, 2, 3], None).unwrap()), 1);
/// assert_eq!(bad_rows(FixedSize::<i32>::new(b"abc\xFF", 2, 2, None).unwrap()), 1);
/// ```
pub trait Column: sealed::Rows + Copy {
    /// Returns the number of rows.
    fn rows(&self) -> usize {
        self.row_count()
    }

    /// Returns the bytes of a row, or `None` if it is null or the column has no such row.
    ///
    /// ```
    /// use trust8_columns::{Column, Offsets, Validity};
    ///
    /// let column = Offsets::new(b"ab\xFFc", &[0, 2, 3, 4], Some(Validity::new(&[0b011], 0))).unwrap();
    /// assert_eq!(column.row(0).unwrap().text(), Ok("ab"));
    /// assert_eq!(*column.row(1).unwrap(), *b"\xFF");
    /// assert!(column.row(2).is_none() && column.row(3).is_none());
    /// ```
    fn row(&self, row: usize) -> Option<Row<'_>> {
        let is_null = self.row_validity().is_some_and(|validity| !validity.is_valid(row));
        (row < self.row_count() && !is_null).then(|| self.bytes_of_row(row))
    }
}

/// The bytes of a row of a [`Column`].
///
/// ```
/// use trust8_columns::{Column, Views};
///
/// let view = u128::from_le_bytes(*b"\x05\0\0\0na\xC3\xAFf\0\0\0\0\0\0\0");
/// let views = [view];
/// let column = Views::new(&views, &[b""], None).unwrap();
/// assert_eq!(column.row(0).unwrap().text(), Ok("naïf"));
/// ```
#[derive(Clone, Copy)]
pub struct Row<'a>(Bytes<'a>);

#[derive(Clone, Copy)]
enum Bytes<'a> {
    Borrowed(&'a [u8]),
    /// A view that holds its string itself.
    Inline([u8; 16]),
}

impl Row<'_> {
    /// Returns the row as text, if it is UTF-8.
    ///
    /// # Errors
    ///
    /// Returns the error of [`from_utf8`](trust8::from_utf8).
    ///
    /// ```
    /// use trust8_columns::{Column, Offsets};
    ///
    /// let column = Offsets::new(b"caf\xE9", &[0, 4], None).unwrap();
    /// assert_eq!(column.row(0).unwrap().text().unwrap_err().valid_up_to(), 3);
    /// ```
    pub fn text(&self) -> Result<&str, Utf8Error> {
        trust8::from_utf8(self)
    }
}

impl Deref for Row<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Inline(view) => &view[4..][..usize::from(view[0])],
        }
    }
}

impl fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.escape_ascii())
    }
}

impl<O: Offset> Column for Offsets<'_, O> {}
impl<B: AsRef<[u8]>> Column for Views<'_, B> {}
impl<O: Offset> Column for FixedSize<'_, O> {}

pub(super) mod sealed {
    use trust8::{Kernel, Utf8Error};

    use super::{Row, Validity};
    use crate::marks::BadRows;
    #[cfg(feature = "alloc")]
    use crate::overlap::{EachFault, Overlap};

    /// The operations of a layout. Long names do not clash with methods of a user's trait.
    pub trait Rows {
        /// Returns the number of rows.
        fn row_count(&self) -> usize;

        /// Returns the number of rows that can be ill-formed: none if all are empty.
        fn count_to_check(&self) -> usize {
            self.row_count()
        }

        /// Returns which rows are null, if any may be.
        fn row_validity(&self) -> Option<Validity<'_>>;

        /// Returns the bytes of a row, null or not.
        fn bytes_of_row(&self, row: usize) -> Row<'_>;

        /// Marks the rows from `first` to `last`, null or not, that are not UTF-8. They fit into
        /// `marks`, and none is marked yet.
        fn mark_rows(&self, kernel: &'static Kernel, first: usize, last: usize, marks: &mut BadRows);

        /// Returns the error of a marked row.
        fn row_error(&self, kernel: &'static Kernel, row: usize, _: &BadRows) -> Option<Utf8Error> {
            kernel.from_utf8(&self.bytes_of_row(row)).err()
        }

        /// Returns the place of a row's first fault, from byte `start` of the row on, and the bytes
        /// that show it, or `Some(None)` if there is none. `each` finds the faults of a buffer.
        /// Without much overlap of the rows so far, returns `None`: then the row must be read.
        #[cfg(feature = "alloc")]
        #[inline]
        fn fault_in_overlap(
            &self,
            _row: usize,
            _start: usize,
            _overlap: &mut Overlap,
            _each: &EachFault<'_>,
        ) -> Option<Option<(usize, &[u8])>> {
            None
        }
    }
}

/// A validity bitmap, as in Arrow: row n has bit n after the first one, counted from the lowest bit
/// of the first byte, and a row whose bit is 0 is null.
///
/// The bytes of a null row are ignored.
///
/// ```
/// use trust8_columns::{Offsets, Validity, invalid_rows};
///
/// let values = b"one\xFFtwo";
/// let column = Offsets::new(values, &[0, 3, 4, 7], Some(Validity::new(&[0b101], 0))).unwrap();
/// assert_eq!(invalid_rows(column).count(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Validity<'a> {
    bits: &'a [u8],
    offset: usize,
}

impl<'a> Validity<'a> {
    /// Returns the bitmap whose first bit is bit `offset` of `bits`.
    ///
    /// ```
    /// use trust8_columns::Validity;
    ///
    /// let validity = Validity::new(&[0b1010_0000], 5);
    /// assert_eq!([0, 1, 2].map(|row| validity.is_valid(row)), [true, false, true]);
    /// ```
    #[must_use]
    pub const fn new(bits: &'a [u8], offset: usize) -> Self {
        Self { bits, offset }
    }

    /// Returns whether a row is not null. Rows without a bit are null.
    ///
    /// ```
    /// assert!(!trust8_columns::Validity::new(&[], 0).is_valid(0));
    /// ```
    #[must_use]
    pub fn is_valid(&self, row: usize) -> bool {
        let Some(bit) = self.offset.checked_add(row) else { return false };
        self.bits.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
    }

    /// Returns the bits of 64 rows, with zeros for missing ones. A separate function: loops over a
    /// group would repeat it 16 times.
    #[inline(never)]
    pub(super) fn word(&self, row: usize) -> u64 {
        let Some(bit) = self.offset.checked_add(row) else { return 0 };
        let rest = self.bits.get(bit / 8..).unwrap_or_default();
        let mut bytes = [0; 16];
        let known = rest.len().min(9);
        bytes[..known].copy_from_slice(&rest[..known]);
        (u128::from_le_bytes(bytes) >> (bit % 8)) as u64
    }

    fn check(validity: Option<Self>, rows: usize) -> Result<(), ColumnError> {
        let Some(Self { bits, offset }) = validity else { return Ok(()) };
        let row = bits.len().saturating_mul(8).saturating_sub(offset);
        if row < rows {
            return Err(ColumnError { row, kind: ColumnErrorKind::ShortValidity { rows } });
        }
        Ok(())
    }
}

/// A column with offsets: row n is `values[offsets[n]..offsets[n + 1]]`.
///
/// ```
/// use trust8_columns::{Column, Offsets};
///
/// let column = Offsets::new("añob".as_bytes(), &[0, 4, 5], None).unwrap();
/// assert_eq!(column.rows(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Offsets<'a, O> {
    pub(super) values: &'a [u8],
    pub(super) offsets: &'a [O],
    validity: Option<Validity<'a>>,
}

impl<'a, O: Offset> Offsets<'a, O> {
    /// Validates the offsets and builds the column.
    ///
    /// Values before the first offset and after the last one are not part of it.
    ///
    /// # Errors
    ///
    /// Returns the first row with a wrong offset. Offsets must not be negative, decrease, or lie
    /// beyond the end of `values`, even for null rows. The validity must have a bit for each row.
    ///
    /// ```
    /// use trust8_columns::{ColumnErrorKind, Offsets};
    ///
    /// let error = Offsets::new(b"abc", &[0, 2, 9], None).unwrap_err();
    /// assert_eq!(error.row(), 1);
    /// assert_eq!(error.kind(), ColumnErrorKind::OffsetOutOfRange { offset: 9, values_len: 3 });
    /// ```
    pub fn new(
        values: &'a [u8],
        offsets: &'a [O],
        validity: Option<Validity<'a>>,
    ) -> Result<Self, ColumnError> {
        let ends = [offsets.first(), offsets.last()].map(|offset| offset.map_or(0, |&offset| offset.into()));
        if ends[0] < 0
            || O::decrease(offsets)
            || usize::try_from(ends[1]).map_or(true, |last| last > values.len())
        {
            offsets::each_row(values, offsets, 0, |_, _| Ok(()))?;
        }
        Validity::check(validity, offsets.len().saturating_sub(1))?;
        Ok(Self { values, offsets, validity })
    }
}

impl<O: Offset> sealed::Rows for Offsets<'_, O> {
    fn row_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn row_validity(&self) -> Option<Validity<'_>> {
        self.validity
    }

    #[inline]
    fn bytes_of_row(&self, row: usize) -> Row<'_> {
        Row(Bytes::Borrowed(&self.values[self.offsets[row].len()..self.offsets[row + 1].len()]))
    }

    fn mark_rows(&self, kernel: &'static Kernel, first: usize, last: usize, marks: &mut BadRows) {
        let offsets = &self.offsets[first..=last];
        if marks.expects_faults || !offsets::group_is_valid(kernel, self.values, offsets) {
            marks.contiguous(kernel, self.values, last - first, |row| offsets[row].len());
        }
    }
}

/// A column of views, as [`validate_views`](super::validate_views) describes them.
///
/// ```
/// use trust8_columns::{Column, Views};
///
/// let view = u128::from_le_bytes(*b"\x05\0\0\0na\xC3\xAFf\0\0\0\0\0\0\0");
/// assert_eq!(Views::new(&[view, 0], &[b""], None).unwrap().rows(), 2);
/// ```
#[derive(Debug)]
pub struct Views<'a, B> {
    pub(super) views: &'a [u128],
    pub(super) buffers: &'a [B],
    validity: Option<Validity<'a>>,
}

impl<B> Clone for Views<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Views<'_, B> {}

impl<'a, B: AsRef<[u8]>> Views<'a, B> {
    /// Validates the views and builds the column. The views of null rows are ignored.
    ///
    /// # Errors
    ///
    /// Returns the first row with a wrong view. The validity must have a bit for each row.
    ///
    /// ```
    /// use trust8_columns::{Validity, Views};
    ///
    /// let no_such_buffer = u128::from_le_bytes(*b"\x0D\0\0\0abcd\x07\0\0\0\0\0\0\0");
    /// assert_eq!(Views::new(&[0, no_such_buffer], &[b""], None).unwrap_err().row(), 1);
    /// assert!(Views::new(&[0, no_such_buffer], &[b""], Some(Validity::new(&[0b01], 0))).is_ok());
    /// ```
    pub fn new(
        views: &'a [u128],
        buffers: &'a [B],
        validity: Option<Validity<'a>>,
    ) -> Result<Self, ColumnError> {
        Validity::check(validity, views.len())?;
        let column = Self { views, buffers, validity };
        for first in (0..views.len()).step_by(views::GROUP_VIEWS) {
            let mut group = [0; views::GROUP_VIEWS];
            let group = column.group(first, views.len().min(first + views::GROUP_VIEWS), &mut group);
            let is_wrong = |&view: &u128| {
                let len = view as u32;
                match len <= views::INLINE_BYTES {
                    true => view >> 32 >> (8 * len) != 0,
                    false => views::long_view(view, buffers).is_none(),
                }
            };
            if group.iter().any(is_wrong) {
                views::each_view(group, buffers, first, |_, _| Ok(()))?;
            }
        }
        Ok(column)
    }

    /// Returns the views from `first` to `last`, at most a group, with 0 for each null row.
    fn group<'g>(&self, first: usize, last: usize, group: &'g mut [u128; views::GROUP_VIEWS]) -> &'g [u128] {
        let group = &mut group[..last - first];
        group.copy_from_slice(&self.views[first..last]);
        if let Some(validity) = self.validity {
            for (at, views) in group.chunks_mut(64).enumerate() {
                let bits = validity.word(first + 64 * at);
                for (i, view) in views.iter_mut().enumerate() {
                    *view &= (bits >> i & 1).wrapping_neg() as i64 as i128 as u128;
                }
            }
        }
        group
    }
}

impl<B: AsRef<[u8]>> sealed::Rows for Views<'_, B> {
    fn row_count(&self) -> usize {
        self.views.len()
    }

    fn row_validity(&self) -> Option<Validity<'_>> {
        self.validity
    }

    fn bytes_of_row(&self, row: usize) -> Row<'_> {
        let is_null = self.validity.is_some_and(|validity| !validity.is_valid(row));
        let view = if is_null { 0 } else { self.views[row] };
        if view as u32 <= views::INLINE_BYTES {
            return Row(Bytes::Inline(view.to_le_bytes()));
        }
        // An `AsRef` may return another buffer each time. Then there may be no such row.
        let bytes = views::long_view(view, self.buffers).map(|(_, buffer, from, to)| &buffer[from..to]);
        Row(Bytes::Borrowed(bytes.unwrap_or_default()))
    }

    fn mark_rows(&self, kernel: &'static Kernel, first: usize, last: usize, marks: &mut BadRows) {
        for start in (first..last).step_by(views::GROUP_VIEWS) {
            let end = last.min(start + views::GROUP_VIEWS);
            let mut group = [0; views::GROUP_VIEWS];
            let group = self.group(start, end, &mut group);
            #[cfg(feature = "alloc")]
            {
                marks.overlap.count(group, self.buffers, &ill_formed(kernel));
                if marks.overlap.is_great() {
                    for (row, &view) in (start..).zip(group) {
                        if marks.overlap.error(kernel, view, self.buffers).is_some() {
                            marks.set(row - first, view as u32 as usize);
                        }
                    }
                    continue;
                }
            }
            let mut joined = views::Joined::NONE;
            if views::group_is_valid(kernel, group, self.buffers, Some(&mut joined)) {
                continue;
            }
            for row in start..end {
                let bytes = self.bytes_of_row(row);
                if !kernel.is_utf8(&bytes) {
                    marks.set(row - first, bytes.len());
                }
            }
        }
    }

    #[cfg(feature = "alloc")]
    fn row_error(&self, kernel: &'static Kernel, row: usize, marks: &BadRows) -> Option<Utf8Error> {
        match marks.overlap.is_great() {
            true => marks.overlap.error(kernel, self.views[row], self.buffers),
            false => kernel.from_utf8(&self.bytes_of_row(row)).err(),
        }
    }

    #[cfg(feature = "alloc")]
    fn fault_in_overlap(
        &self,
        row: usize,
        start: usize,
        overlap: &mut Overlap,
        each: &EachFault<'_>,
    ) -> Option<Option<(usize, &[u8])>> {
        let view = self.views[row];
        overlap.count(&[view], self.buffers, each);
        let is_listed = view as u32 > views::INLINE_BYTES && overlap.is_great();
        is_listed.then(|| overlap.fault_of(view, start, self.buffers))
    }
}

/// A column whose rows all have `width` bytes. [`repair`](super::repair) gives it offsets of the
/// type `O`.
///
/// ```
/// use trust8_columns::{Column, FixedSize};
///
/// assert_eq!(FixedSize::<i32>::new(b"abcdef", 3, 2, None).unwrap().rows(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FixedSize<'a, O> {
    pub(super) values: &'a [u8],
    pub(super) width: usize,
    rows: usize,
    validity: Option<Validity<'a>>,
    offsets: PhantomData<O>,
}

impl<'a, O: Offset> FixedSize<'a, O> {
    /// Builds the column, if `values` has all rows. More values may follow them.
    ///
    /// # Errors
    ///
    /// Returns the first row that ends beyond the end of `values`. The validity must have a bit for
    /// each row.
    ///
    /// ```
    /// use trust8_columns::FixedSize;
    ///
    /// assert_eq!(FixedSize::<i32>::new(b"abcde", 3, 2, None).unwrap_err().row(), 1);
    /// ```
    pub fn new(
        values: &'a [u8],
        width: usize,
        rows: usize,
        validity: Option<Validity<'a>>,
    ) -> Result<Self, ColumnError> {
        if let Some(whole) = values.len().checked_div(width)
            && whole < rows
        {
            let kind = ColumnErrorKind::ShortValues { width, values_len: values.len() };
            return Err(ColumnError { row: whole, kind });
        }
        Validity::check(validity, rows)?;
        Ok(Self { values, width, rows, validity, offsets: PhantomData })
    }
}

impl<O: Offset> sealed::Rows for FixedSize<'_, O> {
    fn row_count(&self) -> usize {
        self.rows
    }

    fn count_to_check(&self) -> usize {
        if self.width == 0 { 0 } else { self.rows }
    }

    fn row_validity(&self) -> Option<Validity<'_>> {
        self.validity
    }

    #[inline]
    fn bytes_of_row(&self, row: usize) -> Row<'_> {
        Row(Bytes::Borrowed(&self.values[row * self.width..][..self.width]))
    }

    fn mark_rows(&self, kernel: &'static Kernel, first: usize, last: usize, marks: &mut BadRows) {
        let values = &self.values[first * self.width..last * self.width];
        let splits =
            || values.iter().step_by(self.width).fold(false, |any, &byte| any | is_continuation(byte));
        if marks.expects_faults || !kernel.is_utf8(values) || splits() {
            marks.contiguous(kernel, values, last - first, |row| row * self.width);
        }
    }
}

//! Columns of strings, as Arrow, Parquet and database engines have them: all rows in one pass.
//!
//! A column is one piece of memory that holds the strings of many rows, and numbers that say which part
//! belongs to which row. Text cut between characters is text, so a column's values can be checked as a
//! whole, at the speed of long input, if no row begins or ends inside a character.
//!
//! ```
//! use trust8::columns::validate_offsets;
//!
//! let values = "prêtà-porter".as_bytes();
//! assert!(validate_offsets(values, &[0, 5, 5, 13]).is_ok());
//!
//! // The third byte is the second one of 'ê', so neither row is text, and the first is reported.
//! let error = validate_offsets(values, &[0, 3, 13]).unwrap_err();
//! assert_eq!(error.row(), 0);
//! ```

#![forbid(unsafe_code)]

use core::fmt;

use crate::boundary::is_continuation;
use crate::error::Utf8Error;
use crate::kernel::Kernel;

/// Rows whose offsets are looked at together: few enough that what they point to, if they are short strings,
/// is still in the first-level cache when it is looked at again.
const ROWS: usize = 1024;
/// The same for views: what those hold themselves is gathered, 16 bytes each.
const VIEWS: usize = 128;
/// The first row of a column that is not as it must be, and why.
///
/// ```
/// use trust8::columns::{ColumnErrorKind, validate_slices};
///
/// let error = validate_slices([b"one", b"tw\xF6"]).unwrap_err();
/// assert_eq!(error.row(), 1);
/// let ColumnErrorKind::NotUtf8(in_row) = error.kind() else { panic!() };
/// assert_eq!(in_row.valid_up_to(), 2);
/// assert!(error.to_string().starts_with("row 1: invalid UTF-8 at byte 2: F6 "));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ColumnError {
    row: usize,
    kind: ColumnErrorKind,
}

impl ColumnError {
    /// The row, from 0.
    ///
    /// ```
    /// let error = trust8::columns::validate_slices(["ok".as_bytes(), b"\x80"]).unwrap_err();
    /// assert_eq!(error.row(), 1);
    /// ```
    #[inline]
    #[must_use]
    pub const fn row(&self) -> usize {
        self.row
    }

    /// What is wrong with it.
    ///
    /// ```
    /// use trust8::columns::{ColumnErrorKind, validate_offsets};
    /// let error = validate_offsets(b"abc", &[0, 2, 4]).unwrap_err();
    /// assert_eq!(error.kind(), ColumnErrorKind::OffsetOutOfRange { offset: 4, values_len: 3 });
    /// ```
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> ColumnErrorKind {
        self.kind
    }
}

/// What can be wrong with a row.
///
/// Offset number n ends row n - 1 and begins row n. What is wrong with an offset is reported for the row
/// that it ends, the first one's faults for row 0, even where there are no rows.
///
/// ```
/// use trust8::columns::{ColumnErrorKind, validate_offsets};
///
/// let kind = |offsets: &[i64]| validate_offsets(b"abcd", offsets).unwrap_err().kind();
/// assert_eq!(kind(&[-1, 2]), ColumnErrorKind::NegativeOffset { offset: -1 });
/// assert_eq!(kind(&[0, 3, 2]), ColumnErrorKind::DecreasingOffset { from: 3, to: 2 });
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ColumnErrorKind {
    /// The row's bytes are not UTF-8: the error that [`from_utf8`](crate::from_utf8) gives for them alone.
    NotUtf8(Utf8Error),
    /// An offset is below zero.
    NegativeOffset {
        /// The offset.
        offset: i64,
    },
    /// A row ends before it begins.
    DecreasingOffset {
        /// Where it begins.
        from: i64,
        /// Where it is said to end.
        to: i64,
    },
    /// An offset is beyond the end of the values.
    OffsetOutOfRange {
        /// The offset.
        offset: i64,
        /// The length of the values.
        values_len: usize,
    },
    /// A view of a string of up to 12 bytes, which holds it itself, has something other than zeros behind it.
    NonZeroPadding {
        /// The string's length.
        len: u32,
    },
    /// A view names a buffer that is not there.
    NoSuchBuffer {
        /// The buffer's number.
        buffer: u32,
        /// How many buffers there are.
        buffers: usize,
    },
    /// A view reaches beyond the end of its buffer.
    ViewOutOfRange {
        /// The buffer's number.
        buffer: u32,
        /// Where the string begins.
        offset: u32,
        /// The string's length.
        len: u32,
        /// The buffer's length.
        buffer_len: usize,
    },
    /// The first four bytes, which a view repeats, are not those of the string.
    WrongPrefix {
        /// What the view has.
        prefix: [u8; 4],
        /// What the string begins with.
        actual: [u8; 4],
    },
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}: {}", self.row, self.kind)
    }
}

impl fmt::Display for ColumnErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8(error) => error.fmt(f),
            Self::NegativeOffset { offset } => write!(f, "the offset {offset} is negative"),
            Self::DecreasingOffset { from, to } => write!(f, "the offset {from} is followed by {to}"),
            Self::OffsetOutOfRange { offset, values_len } => {
                write!(f, "the offset {offset} is beyond the end of {values_len} bytes of values")
            }
            Self::NonZeroPadding { len } => {
                write!(f, "the view of {len} bytes has others than zeros behind them")
            }
            Self::NoSuchBuffer { buffer, buffers } => {
                write!(f, "the view names buffer {buffer}, and there are {buffers}")
            }
            Self::ViewOutOfRange { buffer, offset, len, buffer_len } => {
                write!(f, "the view names {len} bytes from {offset} on, and buffer {buffer} has {buffer_len}")
            }
            Self::WrongPrefix { prefix, actual } => {
                write!(f, "the view has the prefix {prefix:02X?}, and its string begins with {actual:02X?}")
            }
        }
    }
}

impl core::error::Error for ColumnError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.kind {
            ColumnErrorKind::NotUtf8(error) => Some(error),
            _ => None,
        }
    }
}

/// An integer that offsets are made of: `i32` or `i64`, as in Arrow's `Utf8` and `LargeUtf8`.
pub trait Offset: sealed::Sealed + Copy + Ord + Into<i64> {}

impl Offset for i32 {}
impl Offset for i64 {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
}

/// Whether each row of a column is UTF-8: row n is `values[offsets[n]..offsets[n + 1]]`.
///
/// What is before the first offset and behind the last one does not count, as in a slice of an Arrow array. No
/// offsets at all, or one, is a column without rows.
///
/// # Errors
///
/// The first row that is not UTF-8 by itself, or whose offsets are not as they must be: not negative, not
/// decreasing, not beyond the end. Whatever the offsets are, this is no panic.
///
/// ```
/// use trust8::columns::{ColumnErrorKind, validate_offsets};
///
/// let values = "onezweitroisчетыре".as_bytes();
/// assert_eq!(validate_offsets(values, &[0, 3, 7, 12, 24]), Ok(()));
///
/// // One byte too early: a character is split across two rows.
/// let error = validate_offsets(values, &[0_i64, 3, 7, 13, 24]).unwrap_err();
/// assert_eq!(error.row(), 2);
/// assert!(matches!(error.kind(), ColumnErrorKind::NotUtf8(in_row) if in_row.valid_up_to() == 5));
/// ```
pub fn validate_offsets<O: Offset>(values: &[u8], offsets: &[O]) -> Result<(), ColumnError> {
    validate_offsets_with(Kernel::best(), values, offsets)
}

/// Whether each string of a column of views is UTF-8.
///
/// A view is 16 bytes, here as a little-endian number, as Arrow's `Utf8View` has it: the length in the lowest 32 bits; above
/// it a string of up to 12 bytes itself, then zeros; or of a longer one its first four bytes, the number of its
/// buffer, and where in it the string begins, 32 bits each.
///
/// Views of rows that are null count like others; zero is the empty string.
///
/// # Errors
///
/// The first row that is not UTF-8, or whose view is not as it must be. Whatever the views are, this is no
/// panic.
///
/// ```
/// use trust8::columns::validate_views;
///
/// let inline = u128::from_le_bytes(*b"\x05\0\0\0na\xC3\xAFf\0\0\0\0\0\0\0");
/// let long = u128::from_le_bytes(*b"\x0D\0\0\0a st\0\0\0\0\x02\0\0\0");
/// assert_eq!(validate_views(&[inline, long], &[b"..a string of 13"]), Ok(()));
/// assert_eq!(validate_views(&[inline, long], &[b"..a string of"]).unwrap_err().row(), 1);
/// ```
pub fn validate_views(views: &[u128], buffers: &[impl AsRef<[u8]>]) -> Result<(), ColumnError> {
    validate_views_with(Kernel::best(), views, buffers)
}

/// Whether each of the strings is UTF-8.
///
/// The kernel is looked up once, which is what this has over a loop; strings are usually short.
///
/// # Errors
///
/// The first one that is not.
///
/// ```
/// let cells: [&[u8]; 3] = [b"a", "β".as_bytes(), b"\xE7"];
/// assert_eq!(trust8::columns::validate_slices(&cells[..2]), Ok(()));
/// assert_eq!(trust8::columns::validate_slices(cells).unwrap_err().row(), 2);
/// ```
pub fn validate_slices<I>(slices: I) -> Result<(), ColumnError>
where
    I: IntoIterator<Item: AsRef<[u8]>>,
{
    validate_slices_with(Kernel::best(), slices)
}

/// [`validate_offsets`] with this kernel.
pub(crate) fn validate_offsets_with<O: Offset>(
    kernel: &Kernel,
    values: &[u8],
    offsets: &[O],
) -> Result<(), ColumnError> {
    let rows = offsets.len().saturating_sub(1);
    let mut row = 0;
    // At least once: a single offset, of no row, is looked at as well.
    while row == 0 || row < rows {
        let block = &offsets[row..offsets.len().min(row + ROWS + 1)];
        if !block_is_text(kernel, values, block) {
            rows_of_offsets(kernel, values, block, row)?;
        }
        row += ROWS;
    }
    Ok(())
}

/// Whether all rows of these offsets are text, by looking at them as a whole.
#[inline(always)]
fn block_is_text<O: Offset>(kernel: &Kernel, values: &[u8], offsets: &[O]) -> bool {
    let place = |offset: O| usize::try_from(offset.into()).ok();
    let [Some(first), Some(last)] = [offsets.first(), offsets.last()].map(|offset| place(*offset?)) else {
        return false;
    };
    let Some(text) = values.get(first..last) else { return false };
    // Without a branch, so that the compiler compares many at once.
    let decreases = offsets.iter().zip(&offsets[1..]).fold(false, |any, (from, to)| any | (from > to));
    // All offsets are in the text, or at its end, if none is smaller than the one before it.
    if decreases || !kernel.is_utf8(text) {
        return false;
    }
    // Those that are at the end are between characters; at the others a character must begin.
    let inside = offsets.partition_point(|&offset| place(offset) < Some(last));
    let splits = offsets[..inside].iter().fold(false, |any, &offset| {
        any | values.get(offset.into() as usize).is_none_or(|&byte| is_continuation(byte))
    });
    !splits
}

/// [`validate_views`] with this kernel.
pub(crate) fn validate_views_with(
    kernel: &Kernel,
    views: &[u128],
    buffers: &[impl AsRef<[u8]>],
) -> Result<(), ColumnError> {
    let mut span = Span::NONE;
    for (number, block) in views.chunks(VIEWS).enumerate() {
        if !block_of_views_is_text(kernel, block, buffers, &mut span) {
            rows_of_views(kernel, block, buffers, number * VIEWS)?;
            span = Span::NONE;
        }
    }
    Ok(())
}

/// Whether all views, at most `VIEWS`, are as they must be.
///
/// What views hold themselves is gathered, with zeros where the lengths were and where others are: text if
/// each is, because no character goes on behind a zero. What others point to is joined as long as each
/// begins where the one before it ends, or before that, and then checked as a whole, like rows with offsets.
#[inline(always)]
fn block_of_views_is_text<'a>(
    kernel: &Kernel,
    views: &[u128],
    buffers: &'a [impl AsRef<[u8]>],
    span: &mut Span<'a>,
) -> bool {
    let mut inline = [[0; 16]; VIEWS];
    let mut long = [0; VIEWS];
    let mut longs = 0;
    let mut wrong = false;
    // Without a branch: lengths change from row to row, and nobody predicts them.
    for ((&view, gathered), number) in views.iter().zip(&mut inline).zip(0..) {
        let len = view as u32;
        let is_inline = len <= INLINE;
        let text = if is_inline { view >> 32 } else { 0 };
        wrong |= text >> (8 * len.min(INLINE)) != 0;
        *gathered = (text << 32).to_le_bytes();
        long[longs] = number;
        longs += usize::from(!is_inline);
    }
    for &number in &long[..longs] {
        let Some((buffer, whole, from, to)) = long_view(views[number], buffers) else { return false };
        wrong |= !span.join(kernel, buffer, whole, from, to);
    }
    !wrong && span.finish(kernel) && kernel.is_utf8(inline[..views.len()].as_flattened())
}

/// The number of a long view's buffer, that buffer, and the part of it, if they are there and the prefix is right.
#[inline(always)]
fn long_view(view: u128, buffers: &[impl AsRef<[u8]>]) -> Option<(usize, &[u8], usize, usize)> {
    let [len, prefix, buffer, from] = [0, 32, 64, 96].map(|bit| (view >> bit) as u32);
    let (len, buffer, from) = (len as usize, buffer as usize, from as usize);
    let whole = buffers.get(buffer)?.as_ref();
    let text = whole.get(from..)?.get(..len)?;
    (*text.first_chunk()? == prefix.to_le_bytes()).then_some((buffer, whole, from, from + len))
}

/// Part of a buffer that strings cover without a gap.
struct Span<'a> {
    buffer: usize,
    whole: &'a [u8],
    start: usize,
    /// All before this is text.
    checked: usize,
    end: usize,
}

impl<'a> Span<'a> {
    /// None: no string begins inside or at the end of it.
    const NONE: Self = Self { buffer: 0, whole: &[], start: 1, checked: 0, end: 0 };

    /// Adds a string, or begins with it anew. Whether nothing was found to be wrong; only at `finish` that is all.
    #[inline(always)]
    fn join(&mut self, kernel: &Kernel, buffer: usize, whole: &'a [u8], from: usize, to: usize) -> bool {
        let is_inside_character = |at: usize| whole.get(at).is_some_and(|&byte| is_continuation(byte));
        if buffer == self.buffer && self.start <= from && from <= self.end {
            if to > self.end {
                let seam = self.end;
                self.end = to;
                !is_inside_character(from) && !is_inside_character(seam)
            } else {
                // At the end of the span there is nothing to ask: its text ends there.
                !is_inside_character(from) && (to == self.end || !is_inside_character(to))
            }
        } else {
            let is_text = self.finish(kernel);
            *self = Self { buffer, whole, start: from, checked: from, end: to };
            is_text
        }
    }

    /// Checks what has not been checked.
    #[inline(always)]
    fn finish(&mut self, kernel: &Kernel) -> bool {
        // A buffer that says something else each time it is asked is no column.
        let Some(rest) = self.whole.get(self.checked..self.end) else { return false };
        self.checked = self.end;
        kernel.is_utf8(rest)
    }
}

/// [`validate_slices`] with this kernel.
pub(crate) fn validate_slices_with<I>(kernel: &Kernel, slices: I) -> Result<(), ColumnError>
where
    I: IntoIterator<Item: AsRef<[u8]>>,
{
    for (row, slice) in slices.into_iter().enumerate() {
        check_row(kernel, row, slice.as_ref())?;
    }
    Ok(())
}

/// Whether one row is UTF-8.
#[inline(always)]
fn check_row(kernel: &Kernel, row: usize, bytes: &[u8]) -> Result<(), ColumnError> {
    match kernel.from_utf8(bytes) {
        Ok(_) => Ok(()),
        Err(error) => Err(ColumnError { row, kind: ColumnErrorKind::NotUtf8(error) }),
    }
}

/// Row by row: what the fast way finds at fault is gone through again like this, for the first faulty row.
///
/// `offsets` begin with that of row `first`; all rows before are right.
fn rows_of_offsets<O: Offset>(
    kernel: &Kernel,
    values: &[u8],
    offsets: &[O],
    first: usize,
) -> Result<(), ColumnError> {
    let place = |row, offset: O| {
        let offset: i64 = offset.into();
        let kind = match usize::try_from(offset) {
            Ok(place) if place <= values.len() => return Ok(place),
            Err(_) if offset < 0 => ColumnErrorKind::NegativeOffset { offset },
            _ => ColumnErrorKind::OffsetOutOfRange { offset, values_len: values.len() },
        };
        Err(ColumnError { row, kind })
    };
    let Some((&start, ends)) = offsets.split_first() else { return Ok(()) };
    let mut start = place(first, start)?;
    for (row, &end) in (first..).zip(ends) {
        let end = place(row, end)?;
        let Some(bytes) = values.get(start..end) else {
            // Both are at most the length of a slice.
            let kind = ColumnErrorKind::DecreasingOffset { from: start as i64, to: end as i64 };
            return Err(ColumnError { row, kind });
        };
        check_row(kernel, row, bytes)?;
        start = end;
    }
    Ok(())
}

/// Row by row, as above.
fn rows_of_views(
    kernel: &Kernel,
    views: &[u128],
    buffers: &[impl AsRef<[u8]>],
    first: usize,
) -> Result<(), ColumnError> {
    for (row, &view) in (first..).zip(views) {
        let bytes = view.to_le_bytes();
        let fail = |kind| Err(ColumnError { row, kind });
        let word = |lane: u32| (view >> (32 * lane)) as u32;
        let len = word(0);
        if len <= INLINE {
            let (text, padding) = bytes[4..].split_at(len as usize);
            if padding.iter().any(|&byte| byte != 0) {
                return fail(ColumnErrorKind::NonZeroPadding { len });
            }
            check_row(kernel, row, text)?;
            continue;
        }
        let (prefix, buffer, offset) = (word(1).to_le_bytes(), word(2), word(3));
        let Some(bytes) = buffers.get(buffer as usize) else {
            return fail(ColumnErrorKind::NoSuchBuffer { buffer, buffers: buffers.len() });
        };
        let bytes = bytes.as_ref();
        let text = bytes.get(offset as usize..).and_then(|rest| rest.get(..len as usize));
        let Some(text) = text else {
            return fail(ColumnErrorKind::ViewOutOfRange { buffer, offset, len, buffer_len: bytes.len() });
        };
        let actual = [text[0], text[1], text[2], text[3]];
        if actual != prefix {
            return fail(ColumnErrorKind::WrongPrefix { prefix, actual });
        }
        check_row(kernel, row, text)?;
    }
    Ok(())
}

/// The longest string that a view holds itself.
const INLINE: u32 = 12;

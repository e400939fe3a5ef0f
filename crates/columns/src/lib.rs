//! Columns of strings, as Arrow, Parquet and database engines store them: all rows in one pass.
//!
//! A column is one piece of memory with the strings of many rows, and numbers that say which part
//! belongs to which row. If no row begins or ends inside a character, all values together are UTF-8
//! if and only if each row is. So they can be checked as one long text.
//!
//! ```
//! use trust8_columns::validate_offsets;
//!
//! let values = "prêtà-porter".as_bytes();
//! assert!(validate_offsets(values, &[0, 5, 5, 13]).is_ok());
//!
//! // Byte 3 is the second byte of 'ê', so neither row is UTF-8. The error is that of the first one.
//! let error = validate_offsets(values, &[0, 3, 13]).unwrap_err();
//! assert_eq!(error.row(), 0);
//! ```

#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod error;
mod invalid;
mod kernel;
mod layout;
mod marks;
mod offset;
mod offsets;
#[cfg(feature = "alloc")]
mod overlap;
#[cfg(feature = "alloc")]
mod repair;
#[cfg(feature = "serde")]
mod serialize;
mod views;

use trust8::{Kernel, Utf8Error};

pub use error::{ColumnError, ColumnErrorKind};
pub use invalid::{InvalidRows, invalid_rows};
pub use kernel::KernelColumns;
pub use layout::{Column, FixedSize, Offsets, Row, Validity, Views};
pub use offset::Offset;
/// For trust8-profile.
#[cfg(feature = "alloc")]
#[doc(hidden)]
pub use overlap::Overlap;
#[cfg(feature = "alloc")]
pub use repair::{Repair, Repaired, RepairedRows, RepairedViews};
pub use trust8::Policy;

/// Checks that each row of a column is UTF-8, where row n is `values[offsets[n]..offsets[n + 1]]`.
///
/// The bytes before the first offset and after the last one are ignored, as in a slice of an Arrow
/// array. A column with one offset or none has no rows.
///
/// # Errors
///
/// Returns the first row that is not UTF-8 on its own, or that has a wrong offset: offsets must not
/// be negative, decrease, or lie beyond the end of `values`. This function does not panic for any
/// offsets.
///
/// ```
/// use trust8_columns::{ColumnErrorKind, validate_offsets};
///
/// let values = "onezweitroisчетыре".as_bytes();
/// assert_eq!(validate_offsets(values, &[0, 3, 7, 12, 24]), Ok(()));
///
/// // The third row is a byte too long, so it ends inside a character.
/// let error = validate_offsets(values, &[0_i64, 3, 7, 13, 24]).unwrap_err();
/// assert_eq!(error.row(), 2);
/// assert!(matches!(error.kind(), ColumnErrorKind::NotUtf8(in_row) if in_row.valid_up_to() == 5));
/// ```
///
/// Rows become text without a second validation: a `str` is the proof, and refuses ends inside characters.
///
/// ```
/// let (values, offsets) = ("onezweiтри".as_bytes(), [0, 3, 7, 13]);
/// let text = trust8::from_utf8(values).unwrap();
/// let rows: Option<Vec<&str>> = offsets.windows(2).map(|ends| text.get(ends[0]..ends[1])).collect();
/// assert_eq!(rows.unwrap(), ["one", "zwei", "три"]);
/// ```
pub fn validate_offsets<O: Offset>(values: &[u8], offsets: &[O]) -> Result<(), ColumnError> {
    Kernel::best().validate_offsets(values, offsets)
}

/// Checks that each string of a column of views is UTF-8.
///
/// A view is one of Arrow's `Utf8View`: 16 bytes, here as a little-endian number. Its lowest 32
/// bits are the length of the string. A string of up to 12 bytes follows in the view itself, with
/// zeros after it. For a longer string, its first four bytes, the number of its buffer, and its
/// offset in that buffer follow, 32 bits each.
///
/// The views of null rows are checked like all others. The view 0 is the empty string.
///
/// Views that overlap are read as [`invalid_rows`] reads them.
///
/// # Errors
///
/// Returns the first row that is not UTF-8, or that has a wrong view. This function does not panic
/// for any views.
///
/// ```
/// use trust8_columns::validate_views;
///
/// let inline = u128::from_le_bytes(*b"\x05\0\0\0na\xC3\xAFf\0\0\0\0\0\0\0");
/// let long = u128::from_le_bytes(*b"\x0D\0\0\0a st\0\0\0\0\x02\0\0\0");
/// assert_eq!(validate_views(&[inline, long], &[b"..a string of 13"]), Ok(()));
/// assert_eq!(validate_views(&[inline, long], &[b"..a string of"]).unwrap_err().row(), 1);
/// ```
pub fn validate_views(views: &[u128], buffers: &[impl AsRef<[u8]>]) -> Result<(), ColumnError> {
    Kernel::best().validate_views(views, buffers)
}

/// Checks that each of the strings is UTF-8.
///
/// It looks up the kernel once. In a loop of calls to [`is_utf8`](trust8::is_utf8), each call looks
/// it up, which takes much of the time for short strings.
///
/// # Errors
///
/// Returns the first string that is not UTF-8.
///
/// ```
/// let cells: [&[u8]; 3] = [b"a", "β".as_bytes(), b"\xE7"];
/// assert_eq!(trust8_columns::validate_slices(&cells[..2]), Ok(()));
/// assert_eq!(trust8_columns::validate_slices(cells).unwrap_err().row(), 2);
/// ```
///
/// A kernel returns the strings as text, so that they are validated once:
///
/// ```
/// let (kernel, cells) = (trust8::Kernel::best(), [&b"a"[..], "β".as_bytes()]);
/// let text: Result<Vec<&str>, _> = cells.iter().map(|cell| kernel.from_utf8(cell)).collect();
/// assert_eq!(text.unwrap(), ["a", "β"]);
/// ```
pub fn validate_slices(slices: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<(), ColumnError> {
    Kernel::best().validate_slices(slices)
}

/// Returns the values of a buffer in which each has its length before it, as text. The buffer is validated once, with the lengths.
///
/// `prefix` reads the length at the start of its argument. It returns how many bytes the length takes, at least one, and how many
/// bytes the value has: Parquet's plain encoding and Kafka have four bytes, protocol buffers a varint.
///
/// # Errors
///
/// A value that is not UTF-8 is an error, and the next value follows. Where `prefix` returns `None`, or a value ends beyond the
/// buffer, the error is the last item.
///
/// ```
/// use trust8_columns::length_prefixed;
///
/// let parquet = |bytes: &[u8]| Some((4, u32::from_le_bytes(*bytes.first_chunk()?) as usize));
/// let page = b"\x03\0\0\0Ana\x04\0\0\0Ren\xE9\x04\0\0\0Zo\xC3\xAB\xFF\0\0\0";
/// let mut values = length_prefixed(page, parquet);
/// assert_eq!(values.next(), Some(Ok("Ana")));
/// assert_eq!(values.next().unwrap().unwrap_err().row(), 1);
/// assert_eq!(values.next(), Some(Ok("Zoë")));
/// assert!(values.next().unwrap().unwrap_err().to_string().starts_with("row 3: "));
/// assert_eq!(values.next(), None);
/// ```
pub fn length_prefixed<'a>(
    buffer: &'a [u8],
    prefix: impl Fn(&'a [u8]) -> Option<(usize, usize)>,
) -> impl Iterator<Item = Result<&'a str, ColumnError>> {
    Kernel::best().length_prefixed(buffer, prefix)
}

/// Repairs the rows that are not UTF-8 with `policy`.
///
/// If all rows are UTF-8 or null, the column is returned unchanged, and nothing is allocated.
/// Otherwise new values and offsets are allocated once. All new values are UTF-8: the bytes of a
/// null row are left out if they are not UTF-8. Views that overlap share the new values. So these
/// are at most four times as long as the old ones, or 20 times if views begin or end inside
/// characters.
///
/// # Errors
///
/// Returns the first row at which the new values become too long for the offsets.
///
/// ```
/// use trust8_columns::{Offsets, Policy, Repaired, repair};
///
/// let column = Offsets::new(b"clean\xFFcaf\xE9", &[0, 5, 6, 10], None).unwrap();
/// let Ok(Repaired::Owned(repaired)) = repair(column, Policy::Windows1252) else { panic!() };
/// assert_eq!(repaired.values, "cleanÿcafé".as_bytes());
/// assert_eq!(repaired.offsets, [0, 5, 7, 12]);
///
/// let clean = Offsets::new(b"clean", &[0, 5], None).unwrap();
/// assert!(matches!(repair(clean, Policy::Null), Ok(Repaired::Borrowed(_))));
/// ```
#[cfg(feature = "alloc")]
pub fn repair<C: Column + Repair>(column: C, policy: Policy) -> Result<Repaired<C, C::Owned>, ColumnError> {
    Kernel::best().repair(column, policy, C::LIMIT_BYTES)
}

/// Checks that row `row`, which is `bytes`, is UTF-8.
#[inline(always)]
fn check_row(kernel: &Kernel, row: usize, bytes: &[u8]) -> Result<(), ColumnError> {
    kernel.from_utf8(bytes).map(|_| ()).map_err(|error| not_utf8(row, error))
}

/// Returns the error of a row with this error in its text.
fn not_utf8(row: usize, error: Utf8Error) -> ColumnError {
    ColumnError { row, kind: ColumnErrorKind::NotUtf8(error) }
}

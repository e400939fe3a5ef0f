//! # Columns
//!
//! A column is the memory of many strings, as laid out by Arrow: all values one after the other,
//! and offsets or views that assign parts to rows. All rows are checked in one pass. Offsets and
//! views may be hostile.

use core::ffi::c_void;

use trust8_columns::{
    Column, ColumnError, ColumnErrorKind, Offset, Offsets, Validity, Views, invalid_rows, validate_offsets,
    validate_views,
};

use crate::errors::{TRUST8_NO_ERROR, TRUST8_TOO_SMALL, trust8_error};
use crate::memory;

/// The first row with an error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_column_error {
    /// The index of the row, from 0. If there is no error, it is 0.
    pub row: u64,
    /// The error. An error of UTF-8 is that of the row itself: `valid_up_to` counts from the row's
    /// start.
    pub error: trust8_error,
}

/// Some bytes: a buffer for views.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_slice {
    /// The first byte.
    pub data: *const c_void,
    /// The number of bytes.
    pub len: usize,
}

impl trust8_column_error {
    const NONE: Self = Self { row: 0, error: trust8_error::at(0, TRUST8_NO_ERROR) };
    const MISUSE: Self = Self { row: 0, error: trust8_error::MISUSE };

    /// Returns the error of a part of a column that begins with row `first`.
    fn from_row(first: usize, error: &ColumnError) -> Self {
        let of_row = match error.kind() {
            ColumnErrorKind::NotUtf8(error) => error.into(),
            other => trust8_error::at(0, other.code()),
        };
        Self { row: (first + error.row()) as u64, error: of_row }
    }
}

/// Checks each row of a column with 32-bit offsets (Arrow's Utf8): row n is values[offsets[n]] up
/// to values[offsets[n + 1]]. `offsets_count` is the number of rows plus one; 0 and 1 mean no rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate_offsets32(
    values: *const c_void,
    values_len: usize,
    offsets: *const i32,
    offsets_count: usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for all of it.
    unsafe { by_offsets(values, values_len, offsets, offsets_count, error) }
}

/// Like trust8_validate_offsets32, for a column with 64-bit offsets (Arrow's LargeUtf8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate_offsets64(
    values: *const c_void,
    values_len: usize,
    offsets: *const i64,
    offsets_count: usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for all of it.
    unsafe { by_offsets(values, values_len, offsets, offsets_count, error) }
}

/// The common part of the two functions.
///
/// # Safety
///
/// - The same as for [`memory::values`] and [`memory::put`].
unsafe fn by_offsets<O: Offset>(
    values: *const c_void,
    values_len: usize,
    offsets: *const O,
    offsets_count: usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let values = unsafe { memory::bytes(values, values_len) };
    // SAFETY: the caller vouches for the memory.
    let offsets = unsafe { memory::values(offsets, offsets_count) };
    let found = match (values, offsets) {
        (Some(values), Some(offsets)) => match validate_offsets(values, offsets) {
            Ok(()) => trust8_column_error::NONE,
            Err(error) => trust8_column_error::from_row(0, &error),
        },
        _ => trust8_column_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.error.kind == TRUST8_NO_ERROR
}

/// Checks each string of a column of views (Arrow's Utf8View). `views` is `count` times 16 bytes,
/// with little-endian numbers, and need not be aligned. Views refer to the buffers by index. Bytes
/// that several views name are read again for each, because this library allocates nothing: limit
/// the sum of the lengths of views that you do not trust. The same applies to the function
/// `trust8_invalid_rows_views`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate_views(
    views: *const c_void,
    count: usize,
    buffers: *const trust8_slice,
    buffers_count: usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let views = unsafe { memory::values(views.cast::<[u8; 16]>(), count) };
    // SAFETY: the caller vouches for the memory, and for that of each buffer.
    let buffers = unsafe { Buffer::all(buffers, buffers_count) };
    let found = match (views, buffers) {
        (Some(views), Some(buffers)) => by_views(views, buffers),
        _ => trust8_column_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.error.kind == TRUST8_NO_ERROR
}

fn by_views(views: &[[u8; 16]], buffers: &[Buffer]) -> trust8_column_error {
    /// The number of views copied into aligned memory at a time: the library processes as many
    /// together.
    const GROUP_VIEWS: usize = 128;

    let mut first = 0;
    for group in views.chunks(GROUP_VIEWS) {
        let mut aligned = [0; GROUP_VIEWS];
        for (view, bytes) in aligned.iter_mut().zip(group) {
            *view = u128::from_le_bytes(*bytes);
        }
        let aligned = aligned.get(..group.len()).unwrap_or_default();
        if let Err(error) = validate_views(aligned, buffers) {
            return trust8_column_error::from_row(first, &error);
        }
        first += group.len();
    }
    trust8_column_error::NONE
}

/// Finds all rows of a column with 32-bit offsets that are not UTF-8, and writes a bitmap in which
/// their bits are 1. Row 0 has the lowest bit of the first byte; bits after the last row are 0.
/// `bitmap` has `bitmap_len` bytes, at least one bit for each row.
///
/// `validity` may be NULL. Otherwise, it is a bitmap in which `validity_offset` other bits (Arrow's
/// offset of an array) precede the bit of row 0. Rows whose bit is 0 are null, and their contents
/// are ignored. Returns false if offsets are wrong, with the first wrong one in `error`. `count`
/// gets the number of rows that are not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_invalid_rows32(
    values: *const c_void,
    values_len: usize,
    offsets: *const i32,
    offsets_count: usize,
    validity: *const u8,
    validity_offset: usize,
    bitmap: *mut u8,
    bitmap_len: usize,
    count: *mut usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for all of it.
    unsafe {
        rows_by_offsets(
            (values, values_len),
            (offsets, offsets_count),
            (validity, validity_offset),
            (bitmap, bitmap_len),
            count,
            error,
        )
    }
}

/// Like trust8_invalid_rows32, for a column with 64-bit offsets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_invalid_rows64(
    values: *const c_void,
    values_len: usize,
    offsets: *const i64,
    offsets_count: usize,
    validity: *const u8,
    validity_offset: usize,
    bitmap: *mut u8,
    bitmap_len: usize,
    count: *mut usize,
    error: *mut trust8_column_error,
) -> bool {
    // SAFETY: the caller vouches for all of it.
    unsafe {
        rows_by_offsets(
            (values, values_len),
            (offsets, offsets_count),
            (validity, validity_offset),
            (bitmap, bitmap_len),
            count,
            error,
        )
    }
}

/// Like trust8_invalid_rows32, for a column of views. The views must be aligned to 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_invalid_rows_views(
    views: *const c_void,
    views_count: usize,
    buffers: *const trust8_slice,
    buffers_count: usize,
    validity: *const u8,
    validity_offset: usize,
    bitmap: *mut u8,
    bitmap_len: usize,
    count: *mut usize,
    error: *mut trust8_column_error,
) -> bool {
    let views_place = views;
    // SAFETY: the caller vouches for the memory.
    let views = unsafe { memory::values(views.cast::<u128>(), views_count) };
    // SAFETY: the caller vouches for the memory, and for that of each buffer.
    let buffers = unsafe { Buffer::all(buffers, buffers_count) };
    let is_apart = buffers.is_some_and(|buffers| {
        let array = (buffers.as_ptr().cast(), size_of_val(buffers));
        let inputs = [
            array,
            (views_place, 16_usize.saturating_mul(views_count)),
            validity_place((validity, validity_offset), views_count),
        ];
        let texts = buffers.iter().map(|buffer| (buffer.0.data, buffer.0.len));
        inputs.into_iter().chain(texts).all(|input| memory::are_apart(input, (bitmap.cast(), bitmap_len)))
    });
    // SAFETY: the caller vouches for the memory.
    let validity = unsafe { validity_of((validity, validity_offset), views_count) };
    let column = match (views, buffers, validity) {
        (Some(views), Some(buffers), Some(validity)) if is_apart => {
            Views::new(views, buffers, validity).map_err(|error| trust8_column_error::from_row(0, &error))
        }
        _ => Err(trust8_column_error::MISUSE),
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { mark_rows(column, bitmap, bitmap_len, count, error) }
}

/// The common part of the two functions for offsets. Pairs are a pointer and a length, except that
/// the validity's number is its offset.
///
/// # Safety
///
/// - The same as for [`memory::values`], [`memory::room`] and [`memory::put`].
unsafe fn rows_by_offsets<O: Offset>(
    values: (*const c_void, usize),
    offsets: (*const O, usize),
    validity: (*const u8, usize),
    bitmap: (*mut u8, usize),
    count: *mut usize,
    error: *mut trust8_column_error,
) -> bool {
    let rows = offsets.1.saturating_sub(1);
    let inputs = [
        values,
        (offsets.0.cast(), size_of::<O>().saturating_mul(offsets.1)),
        validity_place(validity, rows),
    ];
    let is_apart = inputs.into_iter().all(|input| memory::are_apart(input, (bitmap.0.cast(), bitmap.1)));
    // SAFETY: the caller vouches for the memory.
    let values = unsafe { memory::bytes(values.0, values.1) };
    // SAFETY: the caller vouches for the memory.
    let validity = unsafe { validity_of(validity, rows) };
    // SAFETY: the caller vouches for the memory.
    let offsets = unsafe { memory::values(offsets.0, offsets.1) };
    let column = match (values, offsets, validity) {
        (Some(values), Some(offsets), Some(validity)) if is_apart => {
            Offsets::new(values, offsets, validity).map_err(|error| trust8_column_error::from_row(0, &error))
        }
        _ => Err(trust8_column_error::MISUSE),
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { mark_rows(column, bitmap.0, bitmap.1, count, error) }
}

/// Returns the validity of `rows` rows, or `Some(None)` if there is none.
///
/// # Safety
///
/// - The same as for [`memory::values`], for the offset's bits and one for each row.
unsafe fn validity_of<'a>((bits, offset): (*const u8, usize), rows: usize) -> Option<Option<Validity<'a>>> {
    if bits.is_null() {
        return Some(None);
    }
    let len = offset.checked_add(rows)?.div_ceil(8);
    // SAFETY: the caller vouches for the memory.
    let bits = unsafe { memory::values(bits, len) }?;
    Some(Some(Validity::new(bits, offset)))
}

/// Returns the address of the validity of `rows` rows, and its length in bytes.
fn validity_place((bits, offset): (*const u8, usize), rows: usize) -> (*const c_void, usize) {
    (bits.cast(), if bits.is_null() { 0 } else { offset.saturating_add(rows).div_ceil(8) })
}

/// Writes the bitmap, the count, and the error.
///
/// # Safety
///
/// - The same as for [`memory::room`] and [`memory::put`].
unsafe fn mark_rows<C: Column>(
    column: Result<C, trust8_column_error>,
    bitmap: *mut u8,
    bitmap_len: usize,
    count: *mut usize,
    error: *mut trust8_column_error,
) -> bool {
    let place = (bitmap.cast_const().cast(), bitmap_len);
    let is_apart = memory::is_apart(count, place) && memory::is_apart(error, place);
    // SAFETY: the caller vouches for the memory, and that no answer lies there, or this is seen.
    let room = if is_apart { unsafe { memory::room(bitmap.cast(), bitmap_len) } } else { None };
    let marked = match (column, room) {
        (Err(error), _) => Err(error),
        (_, None) => Err(trust8_column_error::MISUSE),
        (Ok(column), Some(room)) => match room.get_mut(..column.rows().div_ceil(8)) {
            Some(room) => Ok(invalid_rows(column).bitmap(memory::zeroed(room)).unwrap_or(0)),
            None => Err(trust8_column_error { row: 0, error: trust8_error::at(0, TRUST8_TOO_SMALL) }),
        },
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(count, marked.unwrap_or(0)) };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, marked.err().unwrap_or(trust8_column_error::NONE)) };
    marked.is_ok()
}

/// A [`trust8_slice`] whose pointer and length are not a misuse. The caller vouches for its memory.
#[repr(transparent)]
struct Buffer(trust8_slice);

impl Buffer {
    /// Returns the buffers, or `None` if one of them is a misuse.
    ///
    /// # Safety
    ///
    /// - The same as for [`memory::values`], for the array and for each slice in it, as long as the
    ///   result is in use.
    unsafe fn all<'a>(slices: *const trust8_slice, count: usize) -> Option<&'a [Self]> {
        // SAFETY: the caller vouches for the array. A `Buffer` has the layout of a slice.
        let buffers = unsafe { memory::values(slices.cast::<Self>(), count) }?;
        // SAFETY: the caller vouches for the bytes.
        let is_sound = |buffer: &Self| unsafe { memory::bytes(buffer.0.data, buffer.0.len) }.is_some();
        buffers.iter().all(is_sound).then_some(buffers)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: whoever called `all` vouches for the bytes.
        unsafe { memory::bytes(self.0.data, self.0.len) }.unwrap_or_default()
    }
}

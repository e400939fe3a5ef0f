//! # Counts and places

use core::ffi::c_void;

use trust8_counts::Summary;

use crate::errors::{TRUST8_NO_ERROR, TRUST8_NONE, trust8_error};
use crate::memory;

/// The counts of a text. If the bytes are not UTF-8, the counts are those of the valid text before
/// the error.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_summary {
    /// The number of bytes counted: all, or those before the error.
    pub bytes: u64,
    /// The number of characters (Unicode scalar values).
    pub chars: u64,
    /// The number of 16-bit units in UTF-16.
    pub utf16_len: u64,
    /// The number of line feeds.
    pub newlines: u64,
    /// The numbers of characters with one, two, three and four bytes.
    pub chars_by_len: [u64; 4],
    /// The first error. Its kind is 0 if there is none.
    pub error: trust8_error,
}

/// Validates the bytes and counts their contents in one pass. Returns whether they are UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_inspect(
    data: *const c_void,
    len: usize,
    summary: *mut trust8_summary,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let found = trust8_counts::inspect(bytes.unwrap_or_default());
    let error = match (bytes, found.error()) {
        (None, _) => trust8_error::MISUSE,
        (_, Some(error)) => error.into(),
        (_, None) => trust8_error::at(len as u64, TRUST8_NO_ERROR),
    };
    let counts = trust8_summary {
        bytes: found.bytes() as u64,
        chars: found.chars() as u64,
        utf16_len: found.utf16_len() as u64,
        newlines: found.newlines() as u64,
        chars_by_len: found.chars_by_len().map(|count| count as u64),
        error,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(summary, counts) };
    error.kind == TRUST8_NO_ERROR
}

/// Returns the number of characters, or TRUST8_NONE if the bytes are not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_count_chars(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    unsafe { count(data, len, Summary::chars) }
}

/// Returns the number of 16-bit units that the text has in UTF-16, or TRUST8_NONE if the bytes are
/// not UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_utf16_len(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    unsafe { count(data, len, Summary::utf16_len) }
}

/// Returns the number of bytes that are not continuations (80 to BF), or TRUST8_NONE for a misuse.
/// That is the number of characters of UTF-8, which is not validated: in other bytes, an ill-formed
/// sequence counts as one or as none.
///
/// trust8_convert_len does not validate either: from TRUST8_UTF8 to TRUST8_UTF16, half of its
/// result is the number of units.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_count_starts(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::bytes(data, len) }.map_or(TRUST8_NONE, trust8_counts::count_starts)
}

/// Returns one count of valid text.
///
/// # Safety
///
/// - The same as for [`memory::bytes`].
unsafe fn count(data: *const c_void, len: usize, of: impl Fn(&Summary) -> usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return TRUST8_NONE };
    let summary = trust8_counts::inspect(bytes);
    if summary.is_valid() { of(&summary) } else { TRUST8_NONE }
}

/// The line and the column of a byte. All numbers count from 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_location {
    /// The number of line feeds before the byte, plus one.
    pub line: u64,
    /// The number of characters before the byte in its line, plus one. An ill-formed sequence
    /// counts as one character.
    pub column: u64,
    /// The number of bytes before the byte in its line, plus one.
    pub byte_column: u64,
}

/// Finds the line and the column of the byte at `offset`. An offset of `len` or more is the end of
/// the text. Returns false for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_locate(
    data: *const c_void,
    len: usize,
    offset: u64,
    location: *mut trust8_location,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let found = match bytes {
        Some(bytes) => {
            let place = trust8::locate(bytes, usize::try_from(offset).unwrap_or(usize::MAX));
            trust8_location {
                line: place.line as u64,
                column: place.column as u64,
                byte_column: place.byte_column as u64,
            }
        }
        None => trust8_location { line: 0, column: 0, byte_column: 0 },
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(location, found) };
    bytes.is_some()
}

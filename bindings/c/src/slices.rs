//! # Text in memory

use core::ffi::c_void;
use core::hint::black_box;

use trust8::foreign::accepts;

use crate::errors::{TRUST8_NO_ERROR, misuse, trust8_error};
use crate::memory;

// In both functions, the kernel call comes last, so that it is a tail call. The result for valid
// text is stored before it.

/// Returns whether the bytes are UTF-8, as RFC 3629 defines it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_is_utf8(data: *const c_void, len: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return false };
    // The compiler can't see through this, so it keeps the code for invalid text separate.
    accepts(bytes, |_| black_box(false))
}

/// Returns whether the bytes are UTF-8. If they are not, `error` has the position of the first
/// ill-formed sequence and the broken rule. If they are, its kind is 0 and its `valid_up_to` is
/// `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate(data: *const c_void, len: usize, error: *mut trust8_error) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = bytes else { return unsafe { misuse(error) } };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, trust8_error::at(len as u64, TRUST8_NO_ERROR)) };
    accepts(bytes, move |rejected| match rejected.text() {
        Ok(_) => true,
        Err(found) => {
            // SAFETY: the caller vouches for the memory.
            unsafe { memory::put(error, found.into()) };
            false
        }
    })
}

/// Finds the next error of a text, from the byte at `*at` on, which is 0 at first. Returns false
/// if there is none. The error counts from the start of the text, and `*at` moves to the byte
/// after the ill-formed sequence, or to the end of the text:
///
///     size_t at = 0;
///     while (trust8_next_error(data, len, &at, &error)) printf("%s\n", trust8_kind_name(error.kind));
///
/// An `at` that is NULL, or an `*at` above `len`, is a misuse, for which the result is false.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_next_error(
    data: *const c_void,
    len: usize,
    at: *mut usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let from = unsafe { memory::take(at) };
    // SAFETY: the caller vouches for the memory.
    let rest = unsafe { memory::bytes(data, len) }.and_then(|bytes| bytes.get(from?..));
    // SAFETY: the caller vouches for the memory.
    let (Some(from), Some(rest)) = (from, rest) else { return unsafe { misuse(error) } };
    let mut found = match trust8::from_utf8(rest) {
        Ok(_) => trust8_error::at(rest.len() as u64, TRUST8_NO_ERROR),
        Err(found) => found.into(),
    };
    // The numbers are at most `len`.
    let next = match found.error_len {
        0 => len,
        error_len => from + found.valid_up_to as usize + usize::from(error_len),
    };
    found.valid_up_to += from as u64;
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(at, next) };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.kind != TRUST8_NO_ERROR
}

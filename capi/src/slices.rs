//! # Text in memory

use core::ffi::c_void;

use crate::errors::{TRUST8_NO_ERROR, trust8_error};
use crate::memory;

/// Returns whether the bytes are UTF-8, as RFC 3629 defines it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_is_utf8(data: *const c_void, len: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    match unsafe { memory::bytes(data, len) } {
        Some(bytes) => trust8::is_utf8(bytes),
        None => false,
    }
}

/// Returns whether the bytes are UTF-8. If they are not, `error` says where the first ill-formed sequence is and which rule it
/// breaks; if they are, its kind is 0 and its `valid_up_to` is `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate(data: *const c_void, len: usize, error: *mut trust8_error) -> bool {
    // SAFETY: the caller vouches for the memory.
    let found = match unsafe { memory::bytes(data, len) } {
        Some(bytes) => match trust8::from_utf8(bytes) {
            Ok(_) => trust8_error::at(len as u64, TRUST8_NO_ERROR),
            Err(error) => error.into(),
        },
        None => trust8_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.kind == TRUST8_NO_ERROR
}

//! # Text in memory

use core::ffi::c_void;

use crate::errors::{TRUST8_NO_ERROR, trust8_error};
use crate::memory;

/// Returns whether the bytes are UTF-8, as RFC 3629 defines it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_is_utf8(data: *const c_void, len: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    match unsafe { memory::bytes(data, len) } {
        // Without this line, an empty text would cost a call of the kernel.
        Some([]) => true,
        Some(bytes) => trust8::is_utf8(bytes),
        None => false,
    }
}

/// Returns whether the bytes are UTF-8. If they are not, `error` says where the first ill-formed sequence is and which rule it
/// breaks; if they are, its kind is 0 and its `valid_up_to` is `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate(data: *const c_void, len: usize, error: *mut trust8_error) -> bool {
    // SAFETY: the caller vouches for the memory.
    let result = match unsafe { memory::bytes(data, len) } {
        Some([]) => Ok(""),
        Some(bytes) => trust8::from_utf8(bytes),
        None => {
            // SAFETY: the caller vouches for the memory.
            unsafe { memory::put(error, trust8_error::MISUSE) };
            return false;
        }
    };
    match result {
        Ok(_) => {
            // SAFETY: the caller vouches for the memory.
            unsafe { memory::put(error, trust8_error::at(len as u64, TRUST8_NO_ERROR)) };
            true
        }
        Err(found) => {
            // SAFETY: the caller vouches for the memory.
            unsafe { fail(error, &found) };
            false
        }
    }
}

/// Writes an error. It is a function of its own so that the way of valid text is short.
///
/// # Safety
///
/// - The same as for [`memory::put`].
#[cold]
#[inline(never)]
unsafe fn fail(error: *mut trust8_error, found: &trust8::Utf8Error) {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, (*found).into()) }
}

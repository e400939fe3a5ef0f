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

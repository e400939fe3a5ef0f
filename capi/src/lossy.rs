//! # Lossy text
//!
//! Any bytes become text: one U+FFFD replaces each ill-formed sequence, as in web browsers.

use core::ffi::c_void;

use crate::errors::TRUST8_NONE;
use crate::memory;

/// Returns the length of the lossy text, in bytes: `len` if the bytes are UTF-8, and never more than three times as many.
/// Returns TRUST8_NONE for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy_len(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    match unsafe { memory::bytes(data, len) } {
        Some(bytes) => trust8::lossy_len(bytes),
        None => TRUST8_NONE,
    }
}

/// Writes the lossy text to `out`, without a terminator. Returns its length if it fits, and otherwise TRUST8_NONE: then `out`
/// has no meaning. trust8_lossy_len returns the capacity that is enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy(
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, room)) = (unsafe { memory::both(data, len, out, cap) }) else { return TRUST8_NONE };
    match trust8::copy_utf8_lossy(bytes, room) {
        Ok(text) => text.len(),
        Err(_) => TRUST8_NONE,
    }
}

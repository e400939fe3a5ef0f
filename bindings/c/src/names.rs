//! Names from the caller.

use core::ffi::{CStr, c_char};

/// Returns the name at `name`, or `None` if the pointer is null or the bytes are not UTF-8.
///
/// # Safety
///
/// - If the pointer is not null, it points to a string with a terminator, which nobody changes
///   while the result is in use.
pub(crate) unsafe fn given<'a>(name: *const c_char) -> Option<&'a str> {
    if name.is_null() {
        return None;
    }
    // SAFETY: the caller vouches for the string.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().ok()
}

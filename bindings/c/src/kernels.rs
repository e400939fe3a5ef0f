//! # Kernels
//!
//! A kernel is an implementation for one instruction set. All kernels return the same results.

use core::ffi::c_char;
use core::ptr;

use trust8::Kernel;
use trust8::foreign::c_name;

use crate::names;

/// Returns the number of kernels that this CPU can run.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_kernel_count() -> usize {
    Kernel::available().len()
}

/// Returns the name of the kernel with this index, from 0, best first, such as "avx2". The last one
/// is "scalar". Returns NULL if there is no such kernel.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_kernel_name(index: usize) -> *const c_char {
    match Kernel::available().get(index) {
        Some(kernel) => c_name(kernel).as_ptr(),
        None => ptr::null(),
    }
}

/// Returns the name of the kernel that all functions use.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_kernel_current() -> *const c_char {
    c_name(Kernel::best()).as_ptr()
}

/// Makes all functions use the kernel with this name, in all threads: for tests and measurements.
/// Returns false and changes nothing if this CPU can't run the kernel. The same applies if the
/// target of the library needs no choice, such as AArch64, and this is not the target's kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_kernel_use(name: *const c_char) -> bool {
    // SAFETY: the caller vouches for the string.
    unsafe { names::given(name) }.and_then(Kernel::by_name).is_some_and(Kernel::make_default)
}

#[cfg(test)]
mod tests {
    use trust8::Kernel;
    use trust8::foreign::c_name;

    #[test]
    fn kernels_have_the_names_of_the_library() {
        for kernel in Kernel::available() {
            assert_eq!(c_name(kernel).to_str(), Ok(kernel.name()));
        }
    }
}

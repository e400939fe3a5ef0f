//! trust8: is it UTF-8, and if not, where and why?
//!
//! The answers are exact, and the same on every CPU. The library selects AVX-512 (from Ice Lake and
//! Zen 4 on), AVX2, SSE4.2, NEON or scalar code at run time. It allocates nothing, has no state
//! except that choice, and needs no C++ runtime.
//!
//!     trust8_error error;
//!     if (!trust8_validate(data, len, &error)) {
//!         char message[256];
//!         trust8_explain(&error, data, len, message, sizeof message);
//!         fputs(message, stderr);
//!     }
//!
//! A caller must guarantee, for every function:
//!
//! - A pointer with a length points to that many bytes (or units, if the type says so) of readable
//!   memory. A pointer with a capacity points to that many bytes of writable memory, which need not
//!   be initialised. Nobody writes to the memory while the function runs.
//! - A pointer to a struct that the function fills may be NULL, if you don't need that answer.
//! - What the function writes has no byte in common with anything else that it is given. So the
//!   struct of an answer does not lie in the input, in the output, in another answer, or in the
//!   state of a stream or a conversion. Such a state lies neither in the input nor in the output.
//! - A string is terminated by a zero byte.
//! - With the flag TRUST8_VALID, text in UTF-8 is UTF-8.
//!
//! Beyond that, a caller need not guarantee anything:
//!
//! - NULL with the length 0 is the empty text.
//! - These are errors of the kind TRUST8_MISUSE, and nothing worse: NULL with another length; a
//!   length above PTRDIFF_MAX; a number that names no encoding; a flag that does not exist; an
//!   output buffer that overlaps the input; an answer that overlaps the output, the state, or the
//!   input of a conversion; an array of integers that is not aligned; and the state of a stream or
//!   a conversion whose contents show that no function of this library has written it.
//! - All functions may be called from any thread at any time. Two threads must not use one
//!   trust8_validator, trust8_decoder or trust8_converter at the same time.
//!
//! The header needs C99 or C++. Byte values in it are hexadecimal.

#![cfg_attr(not(test), no_std)]
#![expect(
    clippy::missing_safety_doc,
    reason = "the text above says what the callers of all functions promise"
)]

use core::ffi::{CStr, c_char};

pub mod columns;
pub mod conversions;
pub mod counts;
pub mod encodings;
pub mod errors;
pub mod kernels;
pub mod lossy;
mod memory;
mod names;
pub mod profiles;
pub mod slices;
pub mod streams;
#[cfg(test)]
mod tests;
pub mod validation;

// # Versions
//
// A program that was compiled with this header runs with every library of the same TRUST8_ABI and
// of the same or a later version. The number grows when a function is removed or changes its
// parameters or its meaning, or when a struct changes its size. It is part of the shared library's
// soname. A new function, a new kind of error or a new encoding does not change it.

/// The number of the binary interface in this header.
pub const TRUST8_ABI: u32 = 1;

/// Returns the TRUST8_ABI of the library. It differs from the header's number only if a program
/// bypassed the soname when it was linked.
#[unsafe(no_mangle)]
pub extern "C" fn trust8_abi() -> u32 {
    TRUST8_ABI
}

/// Returns the library's version, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn trust8_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// A panic would be a bug of the library. It ends the process instead of unwinding into C.
#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the function of the C library, as its header declares it.
    unsafe extern "C" {
        safe fn abort() -> !;
    }
    abort()
}

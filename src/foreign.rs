//! Support for interfaces to other languages, so that a call through them costs little more than a
//! call from Rust.
//!
//! This module is not part of the public interface.

#![forbid(unsafe_code)]

use core::ffi::CStr;

use crate::kernel::Kernel;
pub use crate::kernel::is_short_ascii;
use crate::kernel::on_reject::{Accepts, ContinuesOr};
pub use crate::kernel::{OnNotContinued, OnRejected, Rejected};

/// Returns `true` if `bytes` is UTF-8, or else the result of `otherwise`.
#[inline(always)]
pub fn accepts<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
    /// The first call takes this path. A call that is not a tail call would make the caller save
    /// its arguments.
    #[cold]
    #[inline(never)]
    fn first<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
        Kernel::best().run(Accepts, bytes, otherwise)
    }

    match Kernel::if_chosen() {
        Some(kernel) => kernel.run(Accepts, bytes, otherwise),
        None => first(bytes, otherwise),
    }
}

/// Returns `true` if the kernel finds at once that `piece` continues a stream that ends with
/// `before`, or else the result of `otherwise`: the piece may still be valid.
///
/// `piece` is not empty. If `before` can't be the end of a stream, the result is unspecified.
#[inline(always)]
pub fn continues_or<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
    match Kernel::if_chosen() {
        Some(kernel) => kernel.run(ContinuesOr, piece, (before, otherwise)),
        None => otherwise(before, piece),
    }
}

/// Makes the function for the names of all kernels.
macro_rules! c_names {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        /// Returns the kernel's name as a string of C.
        #[must_use]
        pub fn c_name(kernel: &Kernel) -> &'static CStr {
            let name = match kernel.name() {
                $($name => concat!($name, "\0"),)+
                _ => "scalar\0",
            };
            CStr::from_bytes_with_nul(name.as_bytes()).unwrap_or_default()
        }
    };
}
instruction_sets!(c_names);

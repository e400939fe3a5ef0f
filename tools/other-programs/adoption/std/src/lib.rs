//! The standard library's validation under the name of simdutf8.
//!
//! It has what the crates of the package `adoption` call, but no validators for streams.

#![no_std]

/// The module of simdutf8 with the faster functions. Here they are those of `compat`.
pub mod basic {
    pub use core::str::{Utf8Error, from_utf8};
}

/// The module of simdutf8 whose errors say where they are.
pub mod compat {
    pub use core::str::{Utf8Error, from_utf8};

    /// The functions that encoding_rs calls on each architecture.
    pub mod imp {
        /// The functions for x86 and x86-64.
        pub mod x86 {
            pub use super::{neon as avx2, neon as sse42};
        }

        /// The functions for AArch64.
        pub mod aarch64 {
            pub use super::neon;
        }

        /// The function that serves for all of them.
        pub mod neon {
            /// Validates as `core::str::from_utf8` does.
            ///
            /// # Safety
            ///
            /// There is no condition. The function of simdutf8 needs a CPU with its instructions.
            pub unsafe fn validate_utf8(bytes: &[u8]) -> Result<(), core::str::Utf8Error> {
                core::str::from_utf8(bytes).map(drop)
            }
        }
    }
}

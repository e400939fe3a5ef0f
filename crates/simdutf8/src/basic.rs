//! Functions whose error does not say where the input stops being UTF-8.

#![forbid(unsafe_code)]

pub use trust8::basic::{Utf8Error, from_utf8, from_utf8_mut};

/// The functions and validators that have the name of an instruction set.
#[cfg(feature = "public_imp")]
pub mod imp {
    pub use crate::stream::{ChunkedUtf8Validator, Utf8Validator};

    /// The functions and validators for x86 and x86-64.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    pub mod x86 {
        /// The functions and validators for CPUs with AVX2.
        pub mod avx2 {
            pub use crate::isa::avx2::{ChunkedUtf8ValidatorImp, Utf8ValidatorImp, basic as validate_utf8};
        }
        /// The functions and validators for CPUs with SSE4.2.
        pub mod sse42 {
            pub use crate::isa::sse42::{ChunkedUtf8ValidatorImp, Utf8ValidatorImp, basic as validate_utf8};
        }
    }

    /// The functions and validators for AArch64.
    #[cfg(all(feature = "aarch64_neon", target_arch = "aarch64"))]
    pub mod aarch64 {
        /// The functions and validators for CPUs with NEON.
        pub mod neon {
            pub use crate::isa::neon::{ChunkedUtf8ValidatorImp, Utf8ValidatorImp, basic as validate_utf8};
        }
    }

    /// The functions and validators for WebAssembly.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub mod wasm32 {
        /// The functions and validators for engines with SIMD.
        pub mod simd128 {
            pub use crate::isa::simd128::{
                ChunkedUtf8ValidatorImp, Utf8ValidatorImp, basic as validate_utf8,
            };
        }
    }
}

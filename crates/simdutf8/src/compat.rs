//! Functions whose error says what the standard library's says.

#![forbid(unsafe_code)]

pub use trust8::compat::{Utf8Error, from_utf8, from_utf8_mut};

/// The functions that have the name of an instruction set.
#[cfg(feature = "public_imp")]
pub mod imp {
    /// The functions for x86 and x86-64.
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    pub mod x86 {
        /// The function for CPUs with AVX2.
        pub mod avx2 {
            pub use crate::isa::avx2::compat as validate_utf8;
        }
        /// The function for CPUs with SSE4.2.
        pub mod sse42 {
            pub use crate::isa::sse42::compat as validate_utf8;
        }
    }

    /// The functions for AArch64.
    #[cfg(all(feature = "aarch64_neon", target_arch = "aarch64"))]
    pub mod aarch64 {
        /// The function for CPUs with NEON.
        pub mod neon {
            pub use crate::isa::neon::compat as validate_utf8;
        }
    }

    /// The functions for WebAssembly.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    pub mod wasm32 {
        /// The function for engines with SIMD.
        pub mod simd128 {
            pub use crate::isa::simd128::compat as validate_utf8;
        }
    }
}

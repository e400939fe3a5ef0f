//! The paths (ways) that a kernel chooses by length and content. Each is wrapped as a kernel that
//! takes it whenever it can. So tests reach every path with texts of any length, and each path can
//! be measured.
//!
//! Such a kernel differs from the real one only in the function for whole texts.

#![forbid(unsafe_code)]

use super::Kernel;
#[cfg(trust8_simd)]
use super::Verdict;
#[cfg(trust8_avx512)]
use super::bitplanes::{AnyLength, Blocks, Superblocks};
use super::job::{Isa, KERNELS};
#[cfg(trust8_simd)]
use super::lookup::{Long, Short};
#[cfg(trust8_simd)]
use crate::simd::Job;

/// Makes a function for each instruction set that runs a validating job.
macro_rules! functions {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:literal;)+) => {$(
        #[cfg($cfg)]
        #[target_feature(enable = $features)]
        fn $set<J: Job<crate::simd::$token, (), Verdict>>(bytes: &[u8]) -> Verdict {
            J::run(crate::simd::$token::new(), bytes, ())
        }
    )+};
}
instruction_sets!(functions);

/// The names and jobs of the ways of each instruction set.
macro_rules! ways {
    ($(#[$cfg:meta] $set:ident { $($name:literal: $job:ty;)+ })*) => {
        impl Kernel {
            /// Returns the ways of a kernel, for tests. A way itself has none.
            // Inlined, and the list is no `static`, so that the ways are compiled only where they are tested.
            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn ways(&self) -> &'static [Self] {
                if !KERNELS.iter().any(|kernel| core::ptr::eq(kernel, self)) {
                    return &[];
                }
                match self.isa {
                    $(#[$cfg] Isa::$set => {
                        const { &[$(Kernel { name: $name, isa: Isa::$set, validate: $set::<$job> }),+] }
                    })*
                    Isa::scalar => &[],
                }
            }
        }
    };
}

ways! {
    #[cfg(trust8_avx512)] avx512 { "blocks": Blocks; "superblocks": AnyLength<Superblocks, Blocks>; }
    #[cfg(trust8_x86)] avx2 { "short": Short; "long": Long; }
    #[cfg(trust8_x86)] sse42 { "short": Short; "long": Long; }
    #[cfg(trust8_neon)] neon { "short": Short; "long": Long; }
    #[cfg(trust8_wasm)] simd128 { "short": Short; "long": Long; }
}

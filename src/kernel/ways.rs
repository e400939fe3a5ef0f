//! The paths (ways) that a kernel chooses by length and content. Each is wrapped as a kernel that
//! takes it whenever it can. So tests reach every path with texts of any length, and each path can
//! be measured.
//!
//! Such a kernel differs from the real one only in the function for whole texts.

#![forbid(unsafe_code)]

use super::Kernel;
#[cfg(trust8_avx512)]
use super::bitplanes::{Blocks, long::Superblocks};
use super::job::{Isa, KERNELS};
#[cfg(trust8_simd)]
use super::lookup::Short;

/// The names and jobs of the ways of an instruction set.
#[cfg(trust8_simd)]
macro_rules! ways_of {
    (avx512, $token:ident) => {
        ways_of!(avx512, $token, "blocks": Blocks, "superblocks": Superblocks)
    };
    ($set:ident, $token:ident) => {
        ways_of!($set, $token, "short": Short)
    };
    ($set:ident, $token:ident, $($name:literal: $job:ty),+) => {
        const { &[$(Kernel { name: $name, isa: Isa::$set, validate: $token::enter::<$job, _, _> }),+] }
    };
}

macro_rules! ways {
    ($($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal;)+) => {
        $(
            #[cfg($cfg)]
            use crate::simd::$token;
        )+

        impl Kernel {
            /// Returns the ways of a kernel, for tests. A way itself has none.
            // Inlined, and the list is no `static`, so that the ways are compiled only where they
            // are tested.
            #[doc(hidden)]
            #[inline]
            #[must_use]
            pub fn ways(&self) -> &'static [Self] {
                if !KERNELS.iter().any(|kernel| core::ptr::eq(kernel, self)) {
                    return &[];
                }
                match self.isa {
                    $(#[cfg($cfg)] Isa::$set => ways_of!($set, $token),)+
                    Isa::scalar => &[],
                }
            }
        }
    };
}
instruction_sets!(ways);

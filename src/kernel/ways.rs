//! The ways among which a kernel chooses by length and content, each as a kernel that takes it wherever it can. They are for
//! `testing` alone: tests reach every way with texts of any length, and each can be measured.
//!
//! A way differs from its kernel only in the function for whole texts.

use super::Kernel;
use super::entries::{self, Isa};
use super::verdict::Verdict;
#[cfg(kernel_simd)]
use crate::simd::Token;

/// For each instruction set the doors of its ways: the way's name and the routine.
macro_rules! ways {
    ($($set:ident, $token:expr, $features:meta: {
        $($way:ident: $name:literal, $routine:ty;)+
    })*) => {
        $(mod $set {
            use super::*;

            $(
                #[$features]
                fn $way(bytes: &[u8]) -> Verdict {
                    $token.apart::<$routine>(bytes, 0)
                }
            )+

            pub(super) static WAYS: &[Kernel] =
                &[$(Kernel { name: $name, isa: Isa::$set, validate: $way }),+];
        })*

        /// Returns the ways of a kernel. A way itself has none.
        #[must_use]
        pub fn paths(kernel: &Kernel) -> &'static [Kernel] {
            if !entries::is_kernel(kernel) {
                return &[];
            }
            match kernel.isa {
                $(Isa::$set => $set::WAYS,)*
                Isa::scalar => &[],
            }
        }
    };
}

cfg_if::cfg_if! {
    if #[cfg(kernel_avx512)] {
        use super::bitplanes::{AnyLength, Blocks, Superblocks};
        use super::lookup::{Long, Short};
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::avx512::Avx512;
        use crate::simd::x86::sse42::Sse42;

        ways! {
            avx512, Avx512::new(), target_feature(
                enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
            ): {
                blocks: "blocks", Blocks;
                superblocks: "superblocks", AnyLength<Superblocks, Blocks>;
            }
            avx2, Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"): {
                short: "short", Short;
                long: "long", Long;
            }
            sse42, Sse42::new(), target_feature(enable = "sse4.2,popcnt"): {
                short: "short", Short;
                long: "long", Long;
            }
        }
    } else if #[cfg(kernel_x86)] {
        use super::lookup::{Long, Short};
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::sse42::Sse42;

        ways! {
            avx2, Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"): {
                short: "short", Short;
                long: "long", Long;
            }
            sse42, Sse42::new(), target_feature(enable = "sse4.2,popcnt"): {
                short: "short", Short;
                long: "long", Long;
            }
        }
    } else if #[cfg(kernel_neon)] {
        use super::lookup::{Long, Short};
        use crate::simd::arm::neon::Neon;

        ways! {
            neon, Neon::new(), target_feature(enable = "neon"): {
                short: "short", Short;
                long: "long", Long;
            }
        }
    } else if #[cfg(kernel_wasm)] {
        use super::lookup::{Long, Short};
        use crate::simd::wasm::simd128::Simd128;

        ways! {
            simd128, Simd128, inline(never): {
                short: "short", Short;
                long: "long", Long;
            }
        }
    } else {
        ways! {}
    }
}

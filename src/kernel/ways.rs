//! The ways among which a kernel chooses by length and content, each as a kernel that takes it wherever it can. They are for
//! `testing` alone: tests reach every way with texts of any length, and each can be measured.
//!
//! A way differs from its kernel in the function for whole texts and in what [`inspect`] does. All else is the kernel's.

use super::Kernel;
use super::counts::Counts;
use super::entries::{self, Isa};
use super::verdict::Verdict;
#[cfg(kernel_simd)]
use crate::simd::Token;

/// For each instruction set the doors of its ways: the way's name, the routine and its number, and, where it is not the
/// kernel's own, the routine that counts as well.
macro_rules! ways {
    ($($set:ident, $token:expr, $features:meta: {
        $($way:ident: $name:literal, $routine:ty, $number:expr $(, counting $counting:ty as $count:ident)?;)+
    })*) => {
        $(mod $set {
            use super::*;

            $(
                #[$features]
                fn $way(bytes: &[u8]) -> Verdict {
                    $token.apart::<$routine>(bytes, $number)
                }

                $(
                    #[$features]
                    pub(super) fn $count(bytes: &[u8]) -> (Verdict, Counts) {
                        $token.apart::<$counting>(bytes, $number)
                    }
                )?
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

        /// The function of a way that counts, where it is not the kernel's.
        fn counting(kernel: &Kernel) -> Option<unsafe fn(&[u8]) -> (Verdict, Counts)> {
            match (kernel.isa, kernel.name) {
                $($($((Isa::$set, $name) => Some($set::$count),)?)+)*
                _ => None,
            }
        }
    };
}

/// Does what [`entries::inspect`] does, with this kernel or way.
pub(crate) fn inspect(kernel: &Kernel, bytes: &[u8]) -> (Verdict, Counts) {
    match counting(kernel) {
        // SAFETY: the function is that of the kernel's instruction set, which the CPU has: a way is only reachable through
        // its kernel.
        Some(inspect) => unsafe { inspect(bytes) },
        None => entries::inspect(kernel, bytes),
    }
}

cfg_if::cfg_if! {
    if #[cfg(kernel_avx512)] {
        use super::bitplanes::{
            AnyLength, Blocks, CountedBlocks, CountedSuperblocks, PER_PLACE, Superblocks, SuperblocksAhead,
        };
        use super::lookup::{Long, Short};
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::avx512::Avx512;
        use crate::simd::x86::sse42::Sse42;

        ways! {
            avx512, Avx512::new(), target_feature(
                enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,lzcnt,popcnt"
            ): {
                blocks: "blocks", Blocks, 0, counting CountedBlocks as count_blocks;
                superblocks: "superblocks", AnyLength<Superblocks, Blocks>, PER_PLACE,
                    counting AnyLength<CountedSuperblocks, CountedBlocks> as count_superblocks;
                // So few at each place that tests need no megabytes.
                streams: "streams", AnyLength<Superblocks, Blocks>, 4,
                    counting AnyLength<CountedSuperblocks, CountedBlocks> as count_streams;
                ahead: "ahead", AnyLength<SuperblocksAhead, Blocks>, 4;
            }
            avx2, Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
            sse42, Sse42::new(), target_feature(enable = "sse4.2,popcnt"): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
        }
    } else if #[cfg(kernel_x86)] {
        use super::lookup::{Long, Short};
        use crate::simd::x86::avx2::Avx2;
        use crate::simd::x86::sse42::Sse42;

        ways! {
            avx2, Avx2::new(), target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt"): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
            sse42, Sse42::new(), target_feature(enable = "sse4.2,popcnt"): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
        }
    } else if #[cfg(kernel_neon)] {
        use super::lookup::{Long, Short};
        use crate::simd::arm::neon::Neon;

        ways! {
            neon, Neon::new(), target_feature(enable = "neon"): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
        }
    } else if #[cfg(kernel_wasm)] {
        use super::lookup::{Long, Short};
        use crate::simd::wasm::simd128::Simd128;

        ways! {
            simd128, Simd128, inline(never): {
                short: "short", Short, 0;
                long: "long", Long, 0;
            }
        }
    } else {
        ways! {}
    }
}

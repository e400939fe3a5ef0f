//! The AVX-512 kernel: three algorithms, chosen by length.
//!
//! - `blocks.rs`: 64 bytes at a time, two lookups. Below 64 bytes, one masked block without any
//!   branch on the content.
//! - `planes.rs`: 488 bytes at a time, as eight streams of bits on which the rules of UTF-8 are
//!   Boolean formulas. Every text costs the same.
//! - `long.rs`: long input, by kind of superblock: ASCII, two-byte characters, planes.
//!
//! Names as everywhere: a block has 64 bytes here, a superblock about 512.

#![forbid(unsafe_code)]

/// The immediate of `Avx512::ternary` for a formula of three bits.
macro_rules! truth {
    (|$a:ident, $b:ident, $c:ident| $formula:expr) => {{
        const TABLE: i32 = {
            let mut table = 0;
            let mut row = 0;
            while row < 8 {
                // Bit `a b c` of the immediate, as a binary number, is the result for these values.
                let ($a, $b, $c) = (row >> 2 & 1 == 1, row >> 1 & 1 == 1, row & 1 == 1);
                table |= (($formula) as i32) << row;
                row += 1;
            }
            table
        };
        TABLE
    }};
}

mod blocks;
mod long;
mod planes;

use crate::simd::avx512::{Avx512, Gfni};
use crate::verdict::Verdict;

/// From this length on, superblocks pay for their start and their end.
const LONG: usize = 1024;

/// The kernel: decides by length.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2")]
pub(crate) fn validate(bytes: &[u8]) -> Verdict {
    if bytes.len() < 64 {
        blocks::one(Avx512::new(), bytes)
    } else if bytes.len() < LONG {
        medium(bytes)
    } else {
        long(bytes)
    }
}

/// The kernel for a CPU without GFNI: blocks only.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2")]
pub(crate) fn validate_without_gfni(bytes: &[u8]) -> Verdict {
    if bytes.len() < 64 { blocks::one(Avx512::new(), bytes) } else { medium(bytes) }
}

/// A piece of a stream.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2")]
pub(crate) fn goes_on(before: [u8; 4], bytes: &[u8]) -> bool {
    blocks::goes_on(Avx512::new(), before, bytes)
}

/// Blocks, whatever the length.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2")]
pub(crate) fn medium(bytes: &[u8]) -> Verdict {
    blocks::many(Avx512::new(), bytes)
}

/// Superblocks, wherever one fits in.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2")]
pub(crate) fn long(bytes: &[u8]) -> Verdict {
    long::validate::<{ long::STEPS }>(Avx512::new(), Gfni::new(), bytes)
}

/// Superblocks, in streams wherever sixteen of them fit in, so that tests need no megabytes.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2")]
pub(crate) fn long_in_small_streams(bytes: &[u8]) -> Verdict {
    long::validate::<4>(Avx512::new(), Gfni::new(), bytes)
}

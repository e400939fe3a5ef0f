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
mod count;
mod long;
mod planes;
mod tally;

#[cfg(feature = "alloc")]
use crate::faults::Replaced;
use crate::faults::{self, Found};
use crate::inspect::Counts;
use crate::simd::avx512::{Avx512, Gfni};
use crate::stream;
#[cfg(feature = "alloc")]
use crate::transcode::Output;
use crate::verdict::Verdict;
use tally::{Counter, Nothing};

pub(crate) use count::{count_chars, utf16_len};

/// From this length on, superblocks pay for their start and their end.
const LONG: usize = 1024;

/// The kernel: decides by length.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn validate(bytes: &[u8]) -> Verdict {
    if bytes.len() < 64 {
        blocks::one(Avx512::new(), bytes, &mut Nothing)
    } else if bytes.len() < LONG {
        medium(bytes)
    } else {
        long(bytes)
    }
}

/// The kernel for a CPU without GFNI: blocks only.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn validate_without_gfni(bytes: &[u8]) -> Verdict {
    if bytes.len() < 64 { blocks::one(Avx512::new(), bytes, &mut Nothing) } else { medium(bytes) }
}

/// A piece of a stream.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn goes_on(before: [u8; 4], bytes: &[u8]) -> bool {
    if !stream::is_short(bytes) {
        return stream::is_between_ascii(before, bytes) && validate(bytes).is_valid();
    }
    blocks::goes_on(Avx512::new(), before, bytes)
}

/// The same for a CPU without GFNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn goes_on_without_gfni(before: [u8; 4], bytes: &[u8]) -> bool {
    if !stream::is_short(bytes) {
        return stream::is_between_ascii(before, bytes) && medium(bytes).is_valid();
    }
    blocks::goes_on(Avx512::new(), before, bytes)
}

/// The way from fault to fault.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn seek(bytes: &[u8], from: usize) -> Found {
    faults::seek(blocks::Checker::new(Avx512::new()), bytes, from)
}

/// The text behind a fault, with this and the next ones replaced.
#[cfg(feature = "alloc")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn replace(bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
    faults::replace(blocks::Checker::new(Avx512::new()), bytes, at, done, out)
}

/// Blocks, whatever the length.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn medium(bytes: &[u8]) -> Verdict {
    blocks::many(Avx512::new(), bytes, &mut Nothing)
}

/// Superblocks, wherever one fits in.
#[inline(never)]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn long(bytes: &[u8]) -> Verdict {
    long::validate::<{ long::STEPS }, _>(Avx512::new(), Gfni::new(), bytes, &mut Nothing)
}

/// Superblocks, in streams wherever sixteen of them fit in, so that tests need no megabytes.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn long_in_small_streams(bytes: &[u8]) -> Verdict {
    long::validate::<4, _>(Avx512::new(), Gfni::new(), bytes, &mut Nothing)
}

/// `validate`, and what the text is made of.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn inspect(bytes: &[u8]) -> (Verdict, Counts) {
    if bytes.len() < LONG { inspect_medium(bytes) } else { inspect_long(bytes) }
}

/// `medium`, counting.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(crate) fn inspect_medium(bytes: &[u8]) -> (Verdict, Counts) {
    let mut counter = Counter::new(Avx512::new());
    let verdict = blocks::many(Avx512::new(), bytes, &mut counter);
    (verdict, counter.counts(Avx512::new()))
}

/// `long`, counting.
#[inline(never)]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn inspect_long(bytes: &[u8]) -> (Verdict, Counts) {
    let mut counter = Counter::new(Avx512::new());
    let verdict = long::validate::<{ long::STEPS }, _>(Avx512::new(), Gfni::new(), bytes, &mut counter);
    (verdict, counter.counts(Avx512::new()))
}

/// `long_in_small_streams`, counting.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
pub(crate) fn inspect_long_in_small_streams(bytes: &[u8]) -> (Verdict, Counts) {
    let mut counter = Counter::new(Avx512::new());
    let verdict = long::validate::<4, _>(Avx512::new(), Gfni::new(), bytes, &mut counter);
    (verdict, counter.counts(Avx512::new()))
}

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

use super::counts::Counts;
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Found};
use super::verdict::Verdict;
#[cfg(feature = "transcode")]
use super::{Apart, Conversion, Measure};
use super::{Engine, Validates};
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;
use crate::simd::x86::avx512::Avx512;
use crate::simd::{Routine, Token};
pub(crate) use long::STEPS;
use tally::{Counter, Nothing};

/// From this length on, superblocks pay for their start and their end.
const LONG: usize = 1024;

impl Validates for Avx512 {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < 64 {
            blocks::one(self, bytes, &mut Nothing)
        } else if bytes.len() < LONG {
            self.apart::<Blocks>(bytes, 0)
        } else {
            self.apart::<Superblocks<{ long::STEPS }>>(bytes, 0)
        }
    }
}

impl Engine for Avx512 {
    #[inline(always)]
    fn continues_short(self, before: [u8; 4], piece: &[u8]) -> bool {
        blocks::continues(self, before, piece)
    }

    #[inline(always)]
    fn seek(self, bytes: &[u8], from: usize) -> Found {
        survey::seek(blocks::Checker::new(self), bytes, from)
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn replace(self, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
        survey::replace(blocks::Checker::new(self), bytes, at, done, out)
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        if bytes.len() < LONG {
            CountedBlocks::run(self, bytes, 0)
        } else {
            self.apart::<CountedSuperblocks<{ long::STEPS }>>(bytes, 0)
        }
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        count::count_chars(self, text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        count::utf16_len(self, text)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::short(self, text, out, self)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::long(self, text, out, Apart(self))
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn measure<M: Measure>(self, text: &[u8]) -> usize {
        M::avx512(self, text)
    }
}

/// Blocks, whatever the length.
pub(crate) struct Blocks;

impl Routine<Avx512> for Blocks {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> Verdict {
        blocks::many(s, bytes, &mut Nothing)
    }
}

/// Superblocks, wherever one fits in; where `STREAMS * STEPS` of them fit in, at several places at once.
pub(crate) struct Superblocks<const STEPS: usize>;

impl<const STEPS: usize> Routine<Avx512> for Superblocks<STEPS> {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> Verdict {
        long::validate::<STEPS, _>(s, bytes, &mut Nothing)
    }
}

/// [`Blocks`], counting.
pub(crate) struct CountedBlocks;

impl Routine<Avx512> for CountedBlocks {
    type Output = (Verdict, Counts);

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> (Verdict, Counts) {
        let mut counter = Counter::new(s);
        let verdict = blocks::many(s, bytes, &mut counter);
        (verdict, counter.counts(s))
    }
}

/// [`Superblocks`], counting.
pub(crate) struct CountedSuperblocks<const STEPS: usize>;

impl<const STEPS: usize> Routine<Avx512> for CountedSuperblocks<STEPS> {
    type Output = (Verdict, Counts);

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> (Verdict, Counts) {
        let mut counter = Counter::new(s);
        let verdict = long::validate::<STEPS, _>(s, bytes, &mut counter);
        (verdict, counter.counts(s))
    }
}

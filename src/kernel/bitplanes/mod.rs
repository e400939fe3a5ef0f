//! The algorithms for AVX-512.
//!
//! | file | what it has |
//! |---|---|
//! | `blocks.rs` | blocks of 64 bytes, with two lookups; fewer than 64 bytes are one masked block, without a branch on the content |
//! | `planes.rs` | superblocks of 488 bytes, in eight bit planes on which the rules of UTF-8 are Boolean formulas |
//! | `long.rs` | long input, by kind: ASCII with a few words, two-byte characters, superblocks |
//! | `inspect.rs` | validation and counts in one pass |
//! | `count.rs` | counts of text that is valid already |
//! | `truth.rs` | truth tables from formulas |
//!
//! A block is one vector here. Long input is classified eight blocks at a time, which is a little more than a
//! superblock.

#![forbid(unsafe_code)]

#[macro_use]
mod truth;

mod blocks;
mod count;
mod inspect;
mod long;
mod planes;

use super::counts::Counts;
use super::survey::Surveyor;
use super::verdict::Verdict;
use super::{Apart, Engine, Surveys, Validates};
#[cfg(feature = "transcode")]
use super::{Conversion, Measure};
#[cfg(feature = "transcode")]
use crate::output::Output;
use crate::simd::x86::avx512::Avx512;
use crate::simd::{Routine, Token};

/// The bytes of a block.
const BLOCK: usize = 64;
/// The bytes of eight blocks.
const EIGHT_BLOCKS: usize = 8 * BLOCK;
/// The least length at which superblocks pay for the work at the start and at the end.
const LONG: usize = 2048;

impl Validates for Avx512 {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < LONG { self.apart::<Blocks>(bytes, 0) } else { self.apart::<Superblocks>(bytes, 0) }
    }

    #[inline(always)]
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        blocks::continues(self, before, piece)
    }
}

impl Surveys for Avx512 {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        blocks::Checker::new(self)
    }
}

impl Engine for Avx512 {
    const LONG: usize = BLOCK;

    #[inline(always)]
    fn validate_short(self, bytes: &[u8]) -> Verdict {
        blocks::one_block(self, bytes)
    }

    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < LONG { blocks::validate(self, bytes) } else { self.apart::<Superblocks>(bytes, 0) }
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        if bytes.len() < inspect::LEAST_BYTES {
            return (Apart(self).validate(bytes), count::all(self, bytes));
        }
        self.apart::<inspect::Inspect>(bytes, 0)
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
    fn convert_part<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::part(self, text, out, Apart(self))
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn measure<M: Measure>(self, text: &[u8]) -> usize {
        M::avx512(self, text)
    }
}

/// Validation by blocks, for any length.
pub(crate) struct Blocks;

impl Routine<Avx512> for Blocks {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> Verdict {
        if bytes.len() < BLOCK { blocks::one_block(s, bytes) } else { blocks::validate(s, bytes) }
    }
}

/// Validation by kind of text, as of long input, for two blocks or more.
pub(crate) struct Superblocks;

impl Routine<Avx512> for Superblocks {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> Verdict {
        long::validate(s, bytes)
    }
}

/// A routine for two blocks or more, and another for less, so that tests reach the first with any length.
#[cfg(feature = "testing")]
pub(crate) struct AnyLength<R, Short>(core::marker::PhantomData<(R, Short)>);

#[cfg(feature = "testing")]
impl<R, Short> Routine<Avx512> for AnyLength<R, Short>
where
    R: Routine<Avx512>,
    Short: Routine<Avx512, Output = R::Output>,
{
    type Output = R::Output;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], number: usize) -> R::Output {
        if bytes.len() < 2 * BLOCK { Short::run(s, bytes, number) } else { R::run(s, bytes, number) }
    }
}

//! The algorithms for AVX-512.
//!
//! | file | what it has |
//! |---|---|
//! | `blocks.rs` | blocks of 64 bytes, with two lookups; fewer than 64 bytes are one masked block, without a branch on the content |
//! | `planes.rs` | superblocks of 488 bytes, in eight bit planes on which the rules of UTF-8 are Boolean formulas |
//! | `long.rs` | long input, by kind: ASCII, two-byte characters, superblocks |
//! | `tally.rs` | what is counted while text is checked |
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
mod long;
mod planes;
mod tally;

use super::counts::Counts;
use super::survey::Surveyor;
use super::verdict::Verdict;
#[cfg(feature = "transcode")]
use super::{Apart, Conversion, Measure};
use super::{Engine, Surveys, Validates};
#[cfg(feature = "transcode")]
use crate::output::Output;
use crate::simd::x86::avx512::Avx512;
use crate::simd::{Routine, Token};
pub(crate) use long::PER_PLACE;
use tally::{Counter, Nothing};

/// The bytes of a block.
const BLOCK: usize = 64;
/// The bytes of eight blocks.
const EIGHT_BLOCKS: usize = 8 * BLOCK;
/// The least length at which superblocks pay for the work at the start and at the end.
const LONG: usize = 2048;

impl Validates for Avx512 {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < BLOCK {
            blocks::one_block(self, bytes, &mut Nothing)
        } else if bytes.len() < LONG {
            self.apart::<Blocks>(bytes, 0)
        } else {
            self.apart::<Superblocks>(bytes, PER_PLACE)
        }
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
    const MEDIUM: usize = BLOCK;
    const LONG: usize = LONG;

    #[inline(always)]
    fn validate_short(self, bytes: &[u8]) -> Verdict {
        blocks::one_block(self, bytes, &mut Nothing)
    }

    #[inline(always)]
    fn validate_medium(self, bytes: &[u8]) -> Verdict {
        blocks::validate(self, bytes, &mut Nothing)
    }

    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        long::validate::<_, false>(self, bytes, PER_PLACE, &mut Nothing)
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        if bytes.len() < LONG {
            CountedBlocks::run(self, bytes, 0)
        } else {
            self.apart::<CountedSuperblocks>(bytes, PER_PLACE)
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
        blocks::validate(s, bytes, &mut Nothing)
    }
}

/// Validation by kind of text, as of long input, for two blocks or more. The routine's number is how many superblocks text that
/// is read at several places has at each.
pub(crate) struct Superblocks;

impl Routine<Avx512> for Superblocks {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], per_place: usize) -> Verdict {
        long::validate::<_, false>(s, bytes, per_place, &mut Nothing)
    }
}

/// The same, but text that is larger than the caches is read ahead at one place, as on some CPUs.
#[cfg(feature = "testing")]
pub(crate) struct SuperblocksAhead;

#[cfg(feature = "testing")]
impl Routine<Avx512> for SuperblocksAhead {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], per_place: usize) -> Verdict {
        long::validate::<_, true>(s, bytes, per_place, &mut Nothing)
    }
}

/// Validation by blocks, and counts.
pub(crate) struct CountedBlocks;

impl Routine<Avx512> for CountedBlocks {
    type Output = (Verdict, Counts);

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> (Verdict, Counts) {
        let mut counter = Counter::new(s);
        let verdict = blocks::validate(s, bytes, &mut counter);
        (verdict, counter.counts(s))
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

/// Validation by kind of text, and counts, for two blocks or more.
pub(crate) struct CountedSuperblocks;

impl Routine<Avx512> for CountedSuperblocks {
    type Output = (Verdict, Counts);

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], per_place: usize) -> (Verdict, Counts) {
        let mut counter = Counter::new(s);
        let verdict = long::validate::<_, false>(s, bytes, per_place, &mut counter);
        (verdict, counter.counts(s))
    }
}

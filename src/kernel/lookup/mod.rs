//! The block algorithm: find the blocks that are not ASCII, and check them with three lookups.
//!
//! ```text
//! fewer than four bytes: the automaton
//! up to two vectors: check them, unless all is ASCII
//! fewer than 256 bytes: check all vectors, unless all is ASCII
//! long input:
//!     skip ASCII, 256 bytes at a time; if there is none, check the first 128 bytes
//!     fewer than 1 KiB: a branch for each block of 64 bytes: is it ASCII?
//!     otherwise, for each chunk of 64 blocks, list the blocks to check, and check them:
//!         the blocks that are not ASCII
//!         or, where these are a quarter and begin with two-byte characters, the blocks that are not two-byte text
//!         or, where all blocks of the last chunk were listed, no list: a branch for each block
//!     check the last block, which overlaps the one before it
//! ```
//!
//! The algorithm is written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **A branch for each block, or none.** In text that a CPU has seen before, or of a few hundred bytes, branches are predicted, and
//!    cost nothing. In new text a wrong prediction costs as much as the check of a block or two. So longer text is listed
//!    without branches, and the only prediction is the length of the list.
//! 2. **A cheaper check for two-byte text.** Most text of Europe and the Middle East is ASCII and two-byte characters. Six
//!    operations a vector decide whether it is well-formed, and only blocks with longer characters get the lookups.
//! 3. **No state between blocks.** A block needs up to three bytes of the text before it. These are loaded again:
//!    three more loads of each vector begin one, two and three bytes earlier. Loads have ports to spare, while
//!    the shifts that they replace compete with the lookups. So blocks can be checked in any order.
//! 4. **Faults are gathered**, and tested after a block or a chunk. If there are any, a second pass searches for
//!    the first lane with a fault (`fault.rs`).
//! 5. **Short input** has at most one branch on its content (all ASCII or not), and few
//!    on its length. Both vary from call to call.
//! 6. **One rule for prefetching**: in text of 4 MiB and more, each loop prefetches 8 KiB ahead.
//!
//! The lookups are John Keiser's and Daniel Lemire's (arXiv 2010.03090, 2020; see `tables.rs`). What differs from
//! their algorithm:
//!
//! - It branches at each block. Here, longer text is listed (1).
//! - It checks all blocks that are not ASCII in one way. Here two-byte text has its own check (2).
//! - It shifts the bytes of the vector before into each vector. Here they are loaded again (3), except within a block in
//!   WebAssembly (`Simd::RELOADS`). In short input,
//!   what a byte forbids is looked up before the shift and not after it; see [`Checker::check_after`].
//! - It gathers faults up to the end of the text. Here they are tested earlier, because the exact error is wanted as
//!   well (4).
//! - It notes after each block whether its end cuts off a character. Here the end of a listed block is compared with the largest bytes that
//!   may stand there if the next block is not listed.

#![forbid(unsafe_code)]

mod ascii;
mod check;
mod count;
mod fault;
mod filter;
mod long;
mod short;
mod tables;

#[cfg(feature = "transcode")]
use super::Conversion;
use super::counts::{self, Counts};
use super::survey::Surveyor;
use super::verdict::Verdict;
use super::{Apart, Engine, Surveys, Validates};
#[cfg(feature = "transcode")]
use crate::output::Output;
use crate::simd::{Routine, Simd};
use check::Checker;

impl<S: Simd> Validates for S {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < long::LEAST_BYTES {
            short::validate(self, bytes)
        } else {
            self.apart::<Long>(bytes, 0)
        }
    }

    #[inline(always)]
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        short::continues(self, before, piece)
    }
}

impl<S: Simd> Surveys for S {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        Checker::new(self)
    }
}

impl<S: Simd> Engine for S {
    const LONG: usize = long::LEAST_BYTES;

    #[inline(always)]
    fn validate_short(self, bytes: &[u8]) -> Verdict {
        short::validate(self, bytes)
    }

    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        long::validate(self, bytes)
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        counts::in_chunks(
            bytes,
            |rest| self.apart::<Ascii>(rest, 0),
            |chunk| Apart(self).validate(chunk),
            |chunk| self.apart::<Count>(chunk, 0),
        )
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
        C::short(self.converter(), text, out, self)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::long(self.converter(), text, out, Apart(self))
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_part<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::part(self.converter(), text, out, Apart(self))
    }
}

/// The algorithm for short input, for any length.
#[cfg(feature = "testing")]
pub(crate) struct Short;

#[cfg(feature = "testing")]
impl<S: Simd> Routine<S> for Short {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        short::validate(s, bytes)
    }
}

/// The algorithm for long input, for any length. It is a function of its own, so that short input does not pay for its registers.
pub(crate) struct Long;

impl<S: Simd> Routine<S> for Long {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        if bytes.len() < long::LEAST_BYTES { short::validate(s, bytes) } else { long::validate(s, bytes) }
    }
}

/// The length of the ASCII at the start of a text, and the number of its newlines.
pub(super) struct Ascii;

impl<S: Simd> Routine<S> for Ascii {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> (usize, usize) {
        count::ascii(s, bytes)
    }
}

/// All counts of a valid text.
pub(super) struct Count;

impl<S: Simd> Routine<S> for Count {
    type Output = Counts;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Counts {
        count::count(s, bytes)
    }
}

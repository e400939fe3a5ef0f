//! The block algorithm: ASCII is found without branches, and what is left takes the least work that decides it.
//!
//! ```text
//! short input: is all of it ASCII? If not, check every vector, by any text's rules
//!
//! medium input (`Simd::HAS_ROOM`): ask each unit of 32 bytes whether it is ASCII; the answers are the bits of a word; check the others;
//!     but if most of the first units are not ASCII, check all of the text, as short input; or as two-byte text is checked, if there are
//!     few longer characters
//!
//! long input: check the first 128 bytes; if they are ASCII, skip ASCII, four blocks at a time;
//! then by turns, until less than a block is left:
//!     a run: repeat
//!         ask each unit of a chunk whether it is ASCII; the answers are the bits of a word
//!         when the same has been asked of the next chunk, check the other units: with five operations a vector
//!             if there are only two-byte characters, and with three lookups and thirteen operations otherwise
//!         if all of the chunk was ASCII: skip ASCII
//!     a rare run (`Simd::HAS_ROOM`), where few units of a chunk are not ASCII: the same with blocks of 64 bytes. Of the blocks that are
//!         not ASCII, check the vector that begins with the first byte that is not, and what it leaves
//!     a two-byte run, where a quarter of the units is not ASCII, and few characters have more than two bytes: check all blocks as if
//!         there were none; the answers are the bits of a word; check those again for which that was not enough
//!     dense text, where most units of a chunk are not ASCII: check all blocks, many at a time, up to ASCII or two-byte text
//! check the last block, which overlaps the one before it
//! ```
//!
//! The algorithm is written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **Within a chunk, no branch depends on where a character stands.** Most text in the world is ASCII with other characters
//!    here and there, and to check its ASCII would cost more than all else. But a CPU can't predict which units are ASCII, unless it
//!    has seen the text before. So 512 bytes become 16 bits, with instructions that squeeze two vectors into one. What is left to
//!    predict is how many bits of a chunk are set, and which kind of text comes next.
//! 2. **No state between blocks.** A block needs up to three bytes of the text before it. These are loaded again:
//!    three more loads of each vector begin one, two and three bytes earlier. Loads have ports of their own, while
//!    the shifts across registers that they replace compete with the lookups. So units can be checked in any order, too.
//! 3. **Faults are gathered**, and looked at after a chunk, or after a row of dense blocks. If there are any, a second pass looks for
//!    the first lane with a fault (`fault.rs`).
//! 4. **The next chunk's questions come before this chunk's checks.** A branch that is predicted wrongly throws away the work after
//!    it, but not the work before it. So when a chunk's checks end, the bits of the next one are there, and its text is on the way
//!    from the cache.
//! 5. **Short input** has at most one branch on its content (all ASCII or not, and only from a certain length on), and few
//!    on its length. Both vary from call to call, and a branch that is predicted wrongly costs more than the check of
//!    several vectors.
//!
//! The lookups are John Keiser's and Daniel Lemire's (arXiv 2010.03090, 2020; see `tables.rs`). What differs from
//! their algorithm:
//!
//! - It checks all blocks that are not ASCII in one way. Here text of ASCII and two-byte characters has a way of its own,
//!   without lookups, and a longer character in it costs the lookups of its block alone.
//! - It shifts the bytes of the vector before into each vector. Here long input is loaded again (2), but within a block in
//!   WebAssembly (`Simd::RELOADS`). In short input,
//!   what a byte forbids is looked up before the shift and not after it; see [`Checker::check_after`].
//! - It gathers faults up to the end of the text. Here they are looked at earlier, because the exact error is wanted as
//!   well (3).
//! - Their code branches at each block, if it is ASCII, and notes after each other block whether its end cuts off a character. Here the
//!   ASCII is found first. The end of a unit is looked at where the unit after it is ASCII, by a table of the largest bytes that may
//!   stand there. A rare run checks the byte after the last one that is not ASCII, so it has no ends to look at.

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

//! The block algorithm: three kinds of block, each with the least work that decides it.
//!
//! ```text
//! check the start, up to an aligned address
//! for each block of 128 bytes:
//!     m = the largest byte of the block
//!     m < 80: ASCII. The text before the block must not end inside a character.
//!     m < E0, and no longer character reaches in: two-byte characters, six operations a vector
//!     otherwise: any text, three lookups and sixteen operations a vector
//!     go on with blocks of the same kind, as long as they come
//! check the last, partial block, vector by vector; the last vector overlaps the one before it
//! ```
//!
//! The algorithm is written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **No state between blocks.** A block needs up to three bytes of the text before it. These are loaded again:
//!    three more loads of each vector begin one, two and three bytes earlier. Loads have ports of their own, while
//!    the shifts across registers that they replace compete with the lookups.
//! 2. **Faults are gathered**, and looked at when a run of blocks ends, at the latest after a [`CHUNK`]. If there are
//!    any, a second pass over the run looks for the half block with the first fault.
//! 3. **Alignment.** With it, most loads lie within a cache line.
//! 4. **Short input** (below [`LONG`] bytes) has at most one branch on its content (all ASCII or not, and only from a
//!    certain length on), and few on its length. Both vary from call to call, and a branch that is predicted wrongly
//!    costs more than the check.
//!
//! The lookups are John Keiser's and Daniel Lemire's (arXiv 2010.03090, 2020; see `tables.rs`). What differs from
//! their algorithm:
//!
//! - It has two kinds of block, ASCII and anything. Here text of ASCII and two-byte characters is a third kind,
//!   without lookups.
//! - It shifts the bytes of the vector before into each vector. Here long input is loaded again (1). In short input,
//!   what a byte forbids is looked up before the shift and not after it; see [`Checker::check_after`].
//! - It gathers faults up to the end of the text. Here they are looked at after each run, because the exact error is
//!   wanted as well (2).
//! - Their code notes after each block whether its end cuts off a character, in case ASCII follows. Here a block of
//!   ASCII looks at the three bytes before it.

#![forbid(unsafe_code)]

mod ascii;
mod check;
mod count;
mod long;
mod short;
mod tables;

#[cfg(feature = "transcode")]
use super::Conversion;
use super::counts::{self, Counts};
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Found};
use super::verdict::Verdict;
use super::{Apart, Engine, Validates};
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;
use crate::simd::{Routine, Simd};
use check::Checker;

/// The least length at which alignment and kinds of block pay.
const LONG: usize = 513;

impl<S: Simd> Validates for S {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < LONG { short::validate(self, bytes) } else { self.apart::<Long>(bytes, 0) }
    }
}

impl<S: Simd> Engine for S {
    // No length is medium.
    const MEDIUM: usize = LONG;
    const LONG: usize = LONG;

    #[inline(always)]
    fn validate_short(self, bytes: &[u8]) -> Verdict {
        short::validate(self, bytes)
    }

    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        long::validate(self, bytes)
    }

    #[inline(always)]
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        short::continues(self, before, piece)
    }

    #[inline(always)]
    fn seek(self, bytes: &[u8], from: usize) -> Found {
        survey::seek(Checker::new(self), bytes, from)
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn replace(self, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
        survey::replace(Checker::new(self), bytes, at, done, out)
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
}

/// The algorithm for short input, for any length.
pub(crate) struct Short;

impl<S: Simd> Routine<S> for Short {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        short::validate(s, bytes)
    }
}

/// The algorithm for long input. It is a function of its own, so that short input does not pay for its registers.
pub(crate) struct Long;

impl<S: Simd> Routine<S> for Long {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        long::validate(s, bytes)
    }
}

/// The length of the ASCII at the start of a text, and the number of its newlines.
struct Ascii;

impl<S: Simd> Routine<S> for Ascii {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> (usize, usize) {
        count::ascii(s, bytes)
    }
}

/// All counts of a valid text.
struct Count;

impl<S: Simd> Routine<S> for Count {
    type Output = Counts;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Counts {
        count::count(s, bytes)
    }
}

//! The block algorithm: finds the blocks that are not ASCII, and checks them with three lookups.
//!
//! ```text
//! fewer than four bytes: the automaton
//! up to two vectors: check them, unless all is ASCII
//! fewer than 256 bytes: check all vectors, unless all is ASCII
//! long input:
//!     skip ASCII, 256 bytes at a time; if there is none, check the first 128 bytes
//!     fewer than 1 KiB: a branch for each block of 64 bytes: is it ASCII?
//!     otherwise, for each chunk of 64 blocks, skip ASCII, list the blocks to check, and check them:
//!         the blocks that are not ASCII
//!         or, where these are half and begin with two-byte characters, the blocks that are not two-byte text
//!             if there are none, skip two-byte text, 512 bytes at a time, before the next chunk
//!         or, where more than seven eighths of the blocks are not ASCII, no list: all blocks, in rows of four (WebAssembly: each with a branch)
//!     check the last block, which overlaps the one before it
//! ```
//!
//! The algorithm is written once for all instruction sets; see `simd/`. It is fast for these
//! reasons:
//!
//! 1. **A branch for each block, or none.** In learned text, or text of a few hundred bytes,
//!    branches are predicted and cost nothing. In new text a misprediction costs as much as
//!    checking a block or two. So the blocks of longer text are listed without branches, and only
//!    the length of the list is predicted.
//! 2. **A cheaper check for two-byte text.** Most European and Middle Eastern text is ASCII and
//!    two-byte characters. Six operations a vector check it, and only blocks with longer characters
//!    need the lookups.
//! 3. **No state between blocks.** A block needs up to three bytes of the text before it. These are
//!    loaded again: three more loads of each vector begin one, two and three bytes earlier. There
//!    are load ports to spare, while shifts would compete with the lookups. And blocks can be
//!    checked in any order.
//! 4. **Faults are gathered**, and tested after a block or a chunk. If there are any, a second pass
//!    finds the first lane with a fault (`fault.rs`).
//! 5. **Short input** has at most one branch on its content (all ASCII or not), and few
//!    on its length. Both vary from call to call.
//! 6. **One rule for prefetching**: while at least 16 KiB are left, each loop of long text, except
//!    the one that skips ASCII, prefetches 8 KiB ahead.
//!
//! The lookups are John Keiser's and Daniel Lemire's (arXiv 2010.03090, 2020; see `tables.rs`).
//! Differences from their algorithm:
//!
//! - It branches at each block. Here, the blocks of longer text are listed (1).
//! - It has one check for all blocks that are not ASCII. Here two-byte text has its own check (2).
//! - It shifts the bytes of the previous vector into each vector. Here they are loaded again (3),
//!   except within a block in WebAssembly (`Simd::RELOADS`). In short input and vectors of 16 bytes, the
//!   lookup of what a byte forbids comes before the shift, not after it; see [`Checker::check_after`].
//! - It compares the continuations that are found with those that are due. Here, what is wrong with a second byte is inverted where
//!   one is due, which is one instruction on x86; see [`Checker::check`].
//! - It gathers faults up to the end of the text. Here they are tested earlier, because the exact
//!   error is needed too (4).
//! - It records after each block whether its end cuts off a character. Here the end of a listed
//!   block is compared with the largest allowed bytes if the next block is not listed.

#![forbid(unsafe_code)]

pub(crate) mod ascii;
pub(crate) mod check;
mod fault;
mod filter;
mod long;
mod short;
mod tables;

use super::{Engine, Verdict};
use crate::simd::{Job, Simd};

impl<S: Simd> Engine for S {
    const LONG_FROM_BYTES: usize = long::LEAST_BYTES;

    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < long::LEAST_BYTES {
            short::check_short(self, bytes)
        } else {
            self.apart(long::CheckLong, bytes, ())
        }
    }

    #[inline(always)]
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        short::short_piece_continues(self, before, piece)
    }

    #[inline(always)]
    fn sound_up_to(self, bytes: &[u8], at: usize) -> usize {
        fault::find_fault(self, bytes, at).suspicion().unwrap_or(at)
    }
}

/// The algorithm for short input, for any length, as a way.
pub(crate) struct Short;

impl<S: Simd> Job<S, (), Verdict> for Short {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], (): ()) -> Verdict {
        short::check_short(s, bytes)
    }
}

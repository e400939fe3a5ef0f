//! The algorithms for AVX-512.
//!
//! | file | contents |
//! |---|---|
//! | `blocks.rs` | blocks of 64 bytes, with two lookups; fewer than 64 bytes are one masked block, without a branch on the content |
//! | `planes.rs` | superblocks of 488 bytes, in eight bit planes on which the rules of UTF-8 are Boolean formulas |
//! | `long.rs` | long input, by kind: ASCII with a few words, two-byte characters, superblocks |
//! | `truth.rs` | truth tables from formulas |
//!
//! A block is one vector here. Long input is classified eight blocks at a time, which is a little more than a
//! superblock.

#![forbid(unsafe_code)]

#[macro_use]
mod truth;

pub(crate) mod blocks;
pub(crate) mod long;
pub(crate) mod planes;

use super::{Engine, Verdict};
use crate::simd::{Avx512, Job, Token};

/// The bytes of a block.
pub(crate) const BLOCK_BYTES: usize = 64;
/// The bytes of eight blocks.
pub(crate) const GROUP_BYTES: usize = 8 * BLOCK_BYTES;
/// The least length at which superblocks repay the work at the start and the end. 1,600 bytes of German or Russian, learned: 44 ns, as
/// blocks 55 and 53 (Zen 4). From 1,280 bytes on, new text of 1 KiB takes up to 12 % longer.
const SUPERBLOCKS_FROM_BYTES: usize = 1536;

impl Engine for Avx512 {
    const LONG_FROM_BYTES: usize = BLOCK_BYTES;

    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < BLOCK_BYTES {
            blocks::check_one_block(self, bytes)
        } else if bytes.len() < SUPERBLOCKS_FROM_BYTES {
            blocks::check_by_blocks(self, bytes)
        } else {
            self.apart(long::Superblocks, bytes, ())
        }
    }

    #[inline(always)]
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        blocks::piece_in_blocks_continues(self, before, piece)
    }

    #[inline(always)]
    fn sound_up_to(self, bytes: &[u8], at: usize) -> usize {
        blocks::first_faulty_block(self, bytes, at).suspicion().unwrap_or(at)
    }
}

/// Validation by blocks, for any length, as a way.
pub(crate) struct Blocks;

impl Job<Avx512, (), Verdict> for Blocks {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], (): ()) -> Verdict {
        if bytes.len() < BLOCK_BYTES {
            blocks::check_one_block(s, bytes)
        } else {
            blocks::check_by_blocks(s, bytes)
        }
    }
}

//! Lists the blocks of a chunk that must be checked, without a branch on the text.
//!
//! A list is a word with a bit for each block, the lowest for the first. In new text, a CPU can't
//! predict the positions of characters, and a misprediction costs as much as checking a block or
//! two. Only the length of the list is left to predict.

#![forbid(unsafe_code)]

use super::ascii::is_ascii;
use super::check::BLOCK_BYTES;
use crate::boundary::{CONTEXT, allows_two_byte, array_at};
use crate::simd::Simd;

/// The number of blocks in a group, which are tested together.
pub(super) const GROUP_BLOCKS: usize = 16;
/// The bytes of a group.
pub(super) const GROUP_BYTES: usize = GROUP_BLOCKS * BLOCK_BYTES;
/// The bytes of a row, which is tested for two-byte text as a whole.
pub(super) const ROW_BYTES: usize = 8 * BLOCK_BYTES;

/// Lists the blocks of `chunk` that are not ASCII, and the first one if the byte before it is not.
///
/// The chunk begins with context and has whole blocks. The function prefetches what comes `ahead`
/// bytes later.
#[inline(always)]
pub(super) fn not_ascii<S: Simd>(s: S, chunk: &[u8], ahead: usize) -> u64 {
    // A chunk without context is a mistake of the caller: all blocks are listed.
    let Some(([.., before], text)) = chunk.split_first_chunk::<CONTEXT>() else { return u64::MAX };
    let mut list = u64::from(before >> 7);
    let (groups, rest) = text.as_chunks::<GROUP_BYTES>();
    let mut listed = 0;
    for group in groups {
        if ahead > 0 {
            for k in 0..GROUP_BLOCKS {
                s.prefetch(group, k * BLOCK_BYTES + ahead);
            }
        }
        let ascii = s.high_bits(s.equal(squeezed(s, group), s.splat(0)));
        // In vectors of 32 bytes, the two halves of a block are sixteen lanes apart.
        let ascii = if S::LANES == 32 { ascii & ascii >> 16 } else { ascii };
        list |= (!ascii & 0xFFFF) << listed;
        listed += GROUP_BLOCKS;
    }
    for block in rest.as_chunks::<BLOCK_BYTES>().0 {
        list |= u64::from(!is_ascii::<S, BLOCK_BYTES>(s, block)) << listed;
        listed += 1;
    }
    list
}

/// Returns a vector in which lane `i`, and lane `i + 16` if there is one, are zero if block `i` of a group is ASCII.
///
/// Each step merges two vectors into one, until one byte is left for sixteen bytes or more.
#[inline(always)]
pub(super) fn squeezed<S: Simd>(s: S, group: &[u8; GROUP_BYTES]) -> S::Vector {
    s.halve(eight_blocks(s, group, 0), eight_blocks(s, group, 8 * BLOCK_BYTES))
}

#[inline(always)]
fn eight_blocks<S: Simd>(s: S, group: &[u8], at: usize) -> S::Vector {
    let (a, b) = (two_blocks(s, group, at), two_blocks(s, group, at + 2 * BLOCK_BYTES));
    let (c, d) = (two_blocks(s, group, at + 4 * BLOCK_BYTES), two_blocks(s, group, at + 6 * BLOCK_BYTES));
    s.halve(s.halve(a, b), s.halve(c, d))
}

#[inline(always)]
fn two_blocks<S: Simd>(s: S, group: &[u8], at: usize) -> S::Vector {
    s.halve(one_block(s, group, at), one_block(s, group, at + BLOCK_BYTES))
}

/// Returns a vector with a bit 7 set if any byte of the block at `at` is not ASCII.
#[inline(always)]
fn one_block<S: Simd>(s: S, group: &[u8], at: usize) -> S::Vector {
    let mut all = s.load(group, at);
    for k in 1..BLOCK_BYTES / S::LANES {
        all = s.or(all, s.load(group, at + k * S::LANES));
    }
    s.and(all, s.splat(0x80))
}

/// Lists the blocks of `chunk` that are not well-formed text of one- and two-byte characters, and
/// the first block if a longer character reaches into it. Also returns whether there is C0 or C1,
/// which never appear in UTF-8. The chunk is as for [`not_ascii`].
///
/// A longer character puts each block with its lead on the list, and each with its third or fourth
/// byte, which looks like a continuation without a lead. The second byte alone may be in a block
/// that is not listed.
/// So if a longer character begins at the end of a listed block, and the next block is not listed,
/// the character is cut off.
#[inline(always)]
pub(super) fn not_two_byte<S: Simd>(s: S, chunk: &[u8], ahead: usize) -> (u64, bool) {
    let is_reached = !chunk.first_chunk::<CONTEXT>().is_some_and(allows_two_byte);
    let (mut list, mut listed) = (u64::from(is_reached), 0);
    let mut smallest = s.splat(0xFF);
    let mut left = chunk;
    while let Some(one) = left.first_chunk::<{ CONTEXT + BLOCK_BYTES }>() {
        s.prefetch(one, CONTEXT + ahead);
        list |= u64::from(s.any_high_bit(others::<S, BLOCK_BYTES>(s, &mut smallest, one))) << listed;
        listed += 1;
        left = &left[BLOCK_BYTES..];
    }
    (list, s.any_high_bit(overlong(s, smallest)))
}

/// Returns whether a row is well-formed text of one- and two-byte characters, except for a character
/// that its end cuts off. It begins with a context that is such text. The function prefetches as
/// [`not_ascii`] does.
///
/// One test for a row takes three quarters of the time of [`not_two_byte`].
#[inline(always)]
pub(super) fn is_two_byte<S: Simd>(s: S, row: &[u8; CONTEXT + ROW_BYTES], ahead: usize) -> bool {
    for k in 0..ROW_BYTES / BLOCK_BYTES {
        s.prefetch(row, CONTEXT + k * BLOCK_BYTES + ahead);
    }
    let mut smallest = s.splat(0xFF);
    let others = others::<S, ROW_BYTES>(s, &mut smallest, row);
    // One test for both: LLVM would spill what it needs for a second one.
    !s.any_high_bit(s.or(others, overlong(s, smallest)))
}

/// Returns a vector with a bit 7 set if the `N` bytes after the context of `text` have anything except well-formed
/// one- and two-byte characters. C0 and C1 may look well-formed; see [`overlong`].
///
/// ```text
/// byte     now + 0x40, signed, at most 7F    earlier1 - 0x40, unsigned, at least 00
/// 00..7F   40..7F    0.......                00..3F    0.......
/// 80..BF   C0..FF    1....... found          40..7F    0.......
/// C0..DF   00..1F    0.......                80..9F    1....... due
/// E0..FF   20..3F    0.......                A0..BF    1....... due
/// ```
///
/// Continuations follow exactly the leads if bit 7 of both is the same. These are six operations a
/// vector, without a lookup.
#[inline(always)]
pub(super) fn others<S: Simd, const N: usize>(s: S, smallest: &mut S::Vector, text: &[u8]) -> S::Vector {
    let (mut lengths, mut largest) = (s.splat(0), s.splat(0));
    for k in 0..N / S::LANES {
        let now = s.load(text, CONTEXT + k * S::LANES);
        let moved = s.plus_signed_saturating(now, s.splat(0x40));
        let due = s.minus_saturating(s.load(text, CONTEXT + k * S::LANES - 1), s.splat(0x40));
        lengths = s.or(lengths, s.xor(due, moved));
        largest = s.max(largest, now);
        *smallest = s.min(*smallest, moved);
    }
    // Saturating subtraction leaves bit 7 set from E0 on.
    s.or(lengths, s.minus_saturating(largest, s.splat(0xE0 - 0x80)))
}

/// Returns a vector with a bit 7 set if there was C0 or C1, given the smallest `now + 0x40` of some blocks. C0 and C1 have become 0 and 1.
#[inline(always)]
pub(super) fn overlong<S: Simd>(s: S, smallest: S::Vector) -> S::Vector {
    // Saturating subtraction leaves bit 7 set up to 1.
    s.minus_saturating(s.splat(0x80 + 1), smallest)
}

/// Returns whether the block at `at` has no character of more than two bytes.
#[inline(always)]
pub(super) fn is_block_below_e0<S: Simd>(s: S, chunk: &[u8], at: usize) -> bool {
    let Some(block) = array_at::<BLOCK_BYTES>(chunk, at) else { return false };
    let mut largest = s.load(block, 0);
    for k in 1..BLOCK_BYTES / S::LANES {
        largest = s.max(largest, s.load(block, k * S::LANES));
    }
    // Saturating subtraction leaves bit 7 set from E0 on.
    !s.any_high_bit(s.minus_saturating(largest, s.splat(0xE0 - 0x80)))
}

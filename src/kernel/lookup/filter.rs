//! Which blocks of a chunk must be checked: one bit for each, without a branch on what the text is.

#![forbid(unsafe_code)]

use super::ascii::is_ascii;
use super::check::BLOCK;
use crate::boundary::{CONTEXT, allows_two_byte};
use crate::simd::Simd;

/// The blocks of a group, whose answers are found together.
const GROUP_BLOCKS: usize = 16;
/// The bytes of a group.
const GROUP: usize = GROUP_BLOCKS * BLOCK;

/// Returns a bit for each block of `chunk`, which begins with context: whether the block is not ASCII or, for the first one, comes after
/// a byte that is not. The lowest bit stands for the first block.
#[inline(always)]
pub(super) fn not_ascii<S: Simd>(s: S, chunk: &[u8], ahead: usize) -> u64 {
    let mut found = u64::from(chunk[CONTEXT - 1] >> 7);
    let (groups, rest) = chunk[CONTEXT..].as_chunks::<GROUP>();
    for (i, group) in groups.iter().enumerate() {
        if ahead > 0 {
            for k in 0..GROUP_BLOCKS {
                s.prefetch(group, k * BLOCK + ahead);
            }
        }
        found |= not_ascii_of_group(s, group) << (i * GROUP_BLOCKS);
    }
    let mut blocks = groups.len() * GROUP_BLOCKS;
    for block in rest.as_chunks::<BLOCK>().0 {
        found |= u64::from(!is_ascii::<S, BLOCK>(s, block)) << blocks;
        blocks += 1;
    }
    found
}

/// Each step makes one vector of two, until a byte is left for each sixteen bytes or more of them.
#[inline(always)]
fn not_ascii_of_group<S: Simd>(s: S, group: &[u8; GROUP]) -> u64 {
    let (low, high) = (eight_blocks(s, group, 0), eight_blocks(s, group, 8 * BLOCK));
    let ascii = s.high_bits(s.equal(s.halve(low, high), s.splat(0)));
    // In vectors of 32 bytes, the two halves of a block are sixteen lanes from each other.
    !(if S::LANES == 32 { ascii & ascii >> 16 } else { ascii }) & 0xFFFF
}

#[inline(always)]
fn eight_blocks<S: Simd>(s: S, text: &[u8], at: usize) -> S::Vector {
    let (a, b) = (two_blocks(s, text, at), two_blocks(s, text, at + 2 * BLOCK));
    let (c, d) = (two_blocks(s, text, at + 4 * BLOCK), two_blocks(s, text, at + 6 * BLOCK));
    s.halve(s.halve(a, b), s.halve(c, d))
}

#[inline(always)]
fn two_blocks<S: Simd>(s: S, text: &[u8], at: usize) -> S::Vector {
    s.halve(high_bits(s, text, at), high_bits(s, text, at + BLOCK))
}

/// Returns a vector in which something is set if any byte of the block at `at` is not ASCII.
#[inline(always)]
fn high_bits<S: Simd>(s: S, text: &[u8], at: usize) -> S::Vector {
    let mut all = s.load(text, at);
    for k in 1..BLOCK / S::LANES {
        all = s.or(all, s.load(text, at + k * S::LANES));
    }
    s.and(all, s.splat(0x80))
}

/// Returns a bit for each block of `chunk`, as [`not_ascii`] does: whether anything in it is not a well-formed character of one or two
/// bytes, or, for the first block, a longer character reaches in. Also returns whether there is C0 or C1, which is wrong anywhere.
///
/// ```text
/// byte     now + 0x40, signed, at most 7F    earlier1 - 0x40, unsigned, at least 00
/// 00..7F   40..7F    0.......                00..3F    0.......
/// 80..BF   C0..FF    1....... found          40..7F    0.......
/// C0..DF   00..1F    0.......                80..9F    1....... due
/// E0..FF   20..3F    0.......                A0..BF    1....... due
/// ```
///
/// A continuation stands after each lead and nowhere else if bit 7 of both is the same.
#[inline(always)]
pub(super) fn not_two_byte<S: Simd>(s: S, chunk: &[u8], ahead: usize) -> (u64, bool) {
    let reached = !chunk.first_chunk::<CONTEXT>().is_some_and(allows_two_byte);
    let (mut found, mut blocks) = (u64::from(reached), 0);
    let mut smallest = s.splat(0xFF);
    let mut left = chunk;
    while let Some(four) = left.first_chunk::<{ CONTEXT + 4 * BLOCK }>() {
        for k in 0..4 {
            s.prefetch(four, CONTEXT + k * BLOCK + ahead);
            found |= u64::from(is_not_two_byte(s, &mut smallest, four, CONTEXT + k * BLOCK)) << (blocks + k);
        }
        blocks += 4;
        left = &left[4 * BLOCK..];
    }
    while let Some(one) = left.first_chunk::<{ CONTEXT + BLOCK }>() {
        found |= u64::from(is_not_two_byte(s, &mut smallest, one, CONTEXT)) << blocks;
        blocks += 1;
        left = &left[BLOCK..];
    }
    // C0 and C1 have become 0 and 1, which become 2 and 1. All other bytes become 0.
    (found, s.any(s.minus(s.splat(2), smallest)))
}

#[inline(always)]
fn is_not_two_byte<S: Simd>(s: S, smallest: &mut S::Vector, text: &[u8], at: usize) -> bool {
    let (mut lengths, mut largest) = (s.splat(0), s.splat(0));
    for at in (at..).step_by(S::LANES).take(BLOCK / S::LANES) {
        let now = s.load(text, at);
        let moved = s.plus_signed(now, s.splat(0x40));
        let due = s.minus(s.load(text, at - 1), s.splat(0x40));
        lengths = s.or(lengths, s.xor(due, moved));
        largest = s.max(largest, now);
        *smallest = s.min(*smallest, moved);
    }
    // Saturating subtraction leaves bit 7 set from E0 on.
    s.any_high_bit(s.or(lengths, s.minus(largest, s.splat(0xE0 - 0x80))))
}

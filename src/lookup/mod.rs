//! The block algorithm: three kinds of block, each with the least work that decides it.
//!
//! ```text
//! check the start, up to an aligned address, with zeros before it
//! for each block of 128 bytes:
//!     m = the largest byte of the block
//!     m < 80: ASCII. The text before must not end inside a character.
//!     m < E0 and no longer character reaches in: two-byte characters, five operations a vector
//!     otherwise: three lookups, sixteen operations a vector
//! check the last, partial block, which may overlap the one before
//! ```
//!
//! Written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **No state between blocks.** The up to three bytes that a block needs to know of the one
//!    before it are loaded again, at one, two and three bytes' distance. Loads have ports of
//!    their own, while the shifts across registers that they replace compete with the lookups.
//! 2. **Faults are only gathered**, and looked at once in a [`CHUNK`]. When there are some, the chunk
//!    is gone through again block by block to say which block has the first.
//! 3. **Alignment.** Most loads then lie within a cache line.
//! 4. **Short input** (below [`LONG`] bytes) is checked without a branch on what the bytes are,
//!    and hardly any on how many there are: both vary from call to call, and a branch that is
//!    predicted wrongly costs more than the check.

#![forbid(unsafe_code)]

mod check;
mod tables;

use crate::simd::Simd;
use crate::verdict::Verdict;
use check::{Checker, Faults};

/// How far a block must see back: a character has at most four bytes.
const CONTEXT: usize = 3;
/// Bytes that are looked at together to see of which kind they are.
const BLOCK: usize = 128;
/// A block and its context.
type Window = [u8; CONTEXT + BLOCK];
/// ASCII is skipped in larger steps.
const ASCII_STEP: usize = 256;
/// Bytes between two looks at the faults: few enough that a fault near the start is reported without
/// reading on for long, many enough that looking costs nothing.
const CHUNK: usize = 8 * BLOCK;
/// From this length on, alignment and kinds of block pay.
pub(crate) const LONG: usize = 257;

/// The verdict on input of fewer than [`LONG`] bytes. (On longer input too; only slower.)
#[inline(always)]
pub(crate) fn short<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);
    let n = bytes.len();
    if n < S::LANES {
        // Zeros follow, so a character that the end cuts off shows itself.
        checker.check_after(&mut faults, s.load_short(bytes), s.splat(0));
    } else if n <= 2 * S::LANES {
        let first = s.load(bytes, 0);
        let rest = s.load_rest(bytes);
        checker.check_after(&mut faults, first, s.splat(0));
        checker.check_after(&mut faults, rest, first);
        checker.check_end(&mut faults, rest);
    } else {
        // Pairs of vectors; the last pair ends with the input and overlaps what is checked already.
        checker.check_after(&mut faults, s.load(bytes, 0), s.splat(0));
        checker.check_at(&mut faults, bytes, S::LANES);
        let mut at = 2 * S::LANES;
        while at + 2 * S::LANES < n {
            checker.check_at(&mut faults, bytes, at);
            checker.check_at(&mut faults, bytes, at + S::LANES);
            at += 2 * S::LANES;
        }
        checker.check_at(&mut faults, bytes, (n - 2 * S::LANES).max(CONTEXT));
        checker.check_at(&mut faults, bytes, n - S::LANES);
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
    }
    if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// The verdict on input of at least [`LONG`] bytes. (Shorter input is handed on.)
#[inline(always)]
pub(crate) fn long<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    if bytes.len() < LONG {
        return short(s, bytes);
    }
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);

    // The start: by vectors, up to the first aligned place behind the first vector.
    let mut at = S::LANES + bytes[S::LANES..].as_ptr().align_offset(64).min(63);
    if !is_ascii_start(s, bytes) {
        checker.check_after(&mut faults, s.load(bytes, 0), s.splat(0));
        let mut head = S::LANES;
        while head < at {
            checker.check_at(&mut faults, bytes, head);
            head += S::LANES;
        }
    }

    // All before `sound` is known to be well-formed.
    let mut sound = 0;
    'blocks: while let Some(block) = window(bytes, at) {
        let mut largest = largest(s, block);
        if !s.any_high(largest) {
            // An ASCII run may be long, and nothing behind it is read before the faults so far
            // are known.
            if checker.any(&faults) {
                break;
            }
            if ends_early(block) {
                return Verdict::suspect(at);
            }
            at += BLOCK;
            while let Some(step) = bytes[at..].first_chunk::<ASCII_STEP>() {
                if !is_ascii(s, step) {
                    break;
                }
                at += ASCII_STEP;
            }
            sound = at;
            continue;
        }
        if at - sound >= CHUNK {
            if checker.any(&faults) {
                break;
            }
            sound = at;
        }
        if is_below_e0(s, largest) && no_long_character_reaches_into(block) {
            let mut block = block;
            loop {
                for k in 0..BLOCK / S::LANES {
                    let place = CONTEXT + k * S::LANES;
                    checker.check_two_byte(&mut faults, s.load(block, place), s.load(block, place - 1));
                }
                at += BLOCK;
                if at - sound >= CHUNK {
                    if checker.any(&faults) {
                        break 'blocks;
                    }
                    sound = at;
                }
                match window(bytes, at) {
                    Some(next) => block = next,
                    None => break 'blocks,
                }
                largest = self::largest(s, block);
                if !s.any_high(largest) || !is_below_e0(s, largest) {
                    continue 'blocks;
                }
            }
        }
        for k in 0..BLOCK / S::LANES {
            checker.check_at(&mut faults, block, CONTEXT + k * S::LANES);
        }
        at += BLOCK;
    }

    // What is left, by vectors, the last of which ends with the input. Where a fault ended the
    // loop there may be more than a block left, which is not read for nothing.
    let n = bytes.len();
    if n - at < BLOCK {
        let end = window(bytes, n - BLOCK);
        if !end.is_some_and(|end| !s.any_high(largest(s, end)) && !ends_early(end)) {
            while at + S::LANES < n {
                checker.check_at(&mut faults, bytes, at);
                at += S::LANES;
            }
            checker.check_at(&mut faults, bytes, n - S::LANES);
            checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
        }
        if !checker.any(&faults) {
            return Verdict::VALID;
        }
    }
    first_faulty_block(checker, bytes, sound)
}

/// Goes again through the text from `sound` on, block by block.
#[cold]
#[inline(always)]
fn first_faulty_block<S: Simd>(checker: Checker<S>, bytes: &[u8], sound: usize) -> Verdict {
    let s = checker.s;
    let mut at = sound;
    if sound == 0 {
        // The start has no context to be loaded.
        let mut faults = Faults::none(s);
        checker.check_after(&mut faults, s.load(bytes, 0), s.splat(0));
        if checker.any(&faults) {
            return Verdict::suspect(0);
        }
        at = S::LANES;
    }
    while let Some(block) = window(bytes, at) {
        let mut faults = Faults::none(s);
        for k in 0..BLOCK / S::LANES {
            checker.check_at(&mut faults, block, CONTEXT + k * S::LANES);
        }
        if checker.any(&faults) {
            break;
        }
        at += BLOCK;
    }
    Verdict::suspect(at)
}

/// The block at `at`, if it lies wholly inside.
#[inline(always)]
fn window(bytes: &[u8], at: usize) -> Option<&Window> {
    bytes.get(at - CONTEXT..)?.first_chunk()
}

/// The largest bytes of a block, lane by lane.
#[inline(always)]
fn largest<S: Simd>(s: S, block: &Window) -> S::Vector {
    let mut largest = s.load(block, CONTEXT);
    for k in 1..BLOCK / S::LANES {
        largest = s.max(largest, s.load(block, CONTEXT + k * S::LANES));
    }
    largest
}

#[inline(always)]
fn is_ascii<S: Simd>(s: S, bytes: &[u8; ASCII_STEP]) -> bool {
    let mut all = s.load(bytes, 0);
    for k in 1..ASCII_STEP / S::LANES {
        all = s.or(all, s.load(bytes, k * S::LANES));
    }
    !s.any_high(all)
}

/// Whether the start, as far as `long` checks it by vectors, is ASCII.
#[inline(always)]
fn is_ascii_start<S: Simd>(s: S, bytes: &[u8]) -> bool {
    let Some(start) = bytes.first_chunk::<128>() else { return false };
    let mut all = s.load(start, 0);
    for k in 1..128 / S::LANES {
        all = s.or(all, s.load(start, k * S::LANES));
    }
    !s.any_high(all)
}

/// Whether no byte is E0 or above.
#[inline(always)]
fn is_below_e0<S: Simd>(s: S, largest: S::Vector) -> bool {
    !s.any_high(s.minus(largest, s.splat(0xE0 - 0x80)))
}

/// Whether the text before the block ends inside a character.
#[inline(always)]
fn ends_early(block: &Window) -> bool {
    block[2] >= 0xC0 || block[1] >= 0xE0 || block[0] >= 0xF0
}

/// Whether what stands before the block leaves all to the two-byte rules: no character of three or
/// four bytes reaches in, and no C0 or C1 waits at the border, where neither block would see it.
#[inline(always)]
fn no_long_character_reaches_into(block: &Window) -> bool {
    block[0] < 0xF0 && block[1] < 0xE0 && block[2] < 0xE0 && block[2] & 0xFE != 0xC0
}

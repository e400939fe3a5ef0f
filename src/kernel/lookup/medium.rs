//! Medium input: all blocks are asked whether they are ASCII, and then those that are not are checked.
//!
//! The answers become the bits of one word, without a branch, because a CPU can't predict where characters stand in a text that it
//! has not seen before. What is left to predict is how many blocks are checked. If most of the first blocks are not ASCII, all blocks are
//! checked: without lookups if no character of the text has more than two bytes, and otherwise as those of short input.

#![forbid(unsafe_code)]

use super::ascii::{is_ascii, or_of};
use super::check::{BLOCK, Check, Checker, TwoByteChecker};
use super::fault::suspicion;
use super::long::{is_two_byte, largest_of};
use super::long_from;
use super::short::{LOOK, validate_all};
use crate::boundary::{CONTEXT, allows_two_byte, with_context};
use crate::kernel::verdict::Verdict;
use crate::simd::{Routine, Simd};

/// The blocks at the start that say whether text is dense: if most of them are not ASCII.
const FIRST: usize = 4;
/// The least length of medium input.
pub(super) const LEAST: usize = FIRST * BLOCK;

/// Returns the verdict on input of at least [`LEAST`] bytes, and fewer than [`long_from`]. Other input is suspect, whatever it is.
#[inline(always)]
pub(super) fn validate<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    if bytes.len() >= long_from::<S>() {
        return Verdict::suspect(0);
    }
    let (blocks, _) = bytes.as_chunks::<BLOCK>();
    // The last block ends with the input, and overlaps the one before it.
    let (Some((first, more)), Some(last)) = (blocks.split_first_chunk::<FIRST>(), bytes.last_chunk()) else {
        return Verdict::suspect(0);
    };
    let not_ascii_first = not_ascii(s, first);
    if not_ascii_first == 0 && are_ascii(s, more, last) {
        return Verdict::VALID;
    }
    let is_dense = not_ascii_first.count_ones() as usize * 2 > FIRST;
    if is_dense && !is_two_byte(s, bytes, BLOCK) {
        return s.apart::<All>(bytes, 0);
    }

    // The first block has no context.
    let checker = Checker::new(s);
    let (mut faults, mut before) = (checker.no_faults(), checker.before_start());
    for k in 0..BLOCK / S::LANES {
        before = checker.check_after(&mut faults, s.load(bytes, k * S::LANES), before);
    }
    if is_dense {
        if checker.any(&faults) {
            return suspicion(s, bytes, 0);
        }
        return match s.apart::<AllTwoByte>(bytes, BLOCK) {
            Ok(true) => Verdict::VALID,
            Ok(false) => s.apart::<All>(bytes, 0),
            Err(sound) => suspicion(s, bytes, sound),
        };
    }
    // A bit for each block that must be checked. The lowest one stands for the first block.
    let mut others = not_ascii(s, blocks) | u64::from(!is_ascii(s, last)) << blocks.len();
    // If the block after one is not checked, it is ASCII, so no character may reach into it.
    checker.check_end(&mut faults, s.load(bytes, BLOCK - S::LANES), others & 2 != 0);
    others &= !1;
    let mut at = 0;
    loop {
        if checker.any(&faults) {
            return suspicion(s, bytes, at);
        }
        if others == 0 {
            return Verdict::VALID;
        }
        let k = others.trailing_zeros() as usize;
        at = (k * BLOCK).min(bytes.len() - BLOCK);
        let Some(block) = bytes.get(at - CONTEXT..at + BLOCK) else { return Verdict::suspect(0) };
        for k in 0..BLOCK / S::LANES {
            checker.check_at(&mut faults, block, CONTEXT + k * S::LANES);
        }
        checker.check_end(&mut faults, s.load(block, CONTEXT + BLOCK - S::LANES), others >> 1 >> k & 1 != 0);
        others &= others - 1;
    }
}

/// Returns a bit for each block: whether it is not ASCII. The lowest one stands for the first block.
#[inline(always)]
fn not_ascii<S: Simd>(s: S, blocks: &[[u8; BLOCK]]) -> u64 {
    let mut others = 0;
    for block in blocks.iter().rev() {
        others = others << 1 | u64::from(!is_ascii(s, block));
    }
    others
}

/// Returns whether all of these blocks are ASCII. An exit at the first one that is not would cost text of 300 bytes a quarter.
#[inline(always)]
fn are_ascii<S: Simd>(s: S, blocks: &[[u8; BLOCK]], last: &[u8; BLOCK]) -> bool {
    let mut all = or_of(s, last);
    for block in blocks {
        all = s.or(all, or_of(s, block));
    }
    !s.any_high_bit(all)
}

/// The check of all of a text.
struct All;

impl<S: Simd> Routine<S> for All {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        validate_all(s, bytes)
    }
}

/// The check of a text without longer characters than those of two bytes, from its second block on. The first one is well-formed, except
/// for a character that its end cuts off.
///
/// The routine returns whether the text is that, or, as an error, a place before a fault.
struct AllTwoByte;

impl<S: Simd> Routine<S> for AllTwoByte {
    type Output = Result<bool, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<bool, usize> {
        let check = TwoByteChecker::new(s);
        let (blocks, _) = bytes.as_chunks();
        let (Some(last), Some(context)) = (bytes.last_chunk(), with_context::<CONTEXT>(bytes, at)) else {
            return Ok(false);
        };
        // To look at all of the text first takes less time than to check some of it twice.
        let mut largest = largest_of::<S, BLOCK>(s, last);
        for block in blocks {
            largest = s.max(largest, largest_of::<S, BLOCK>(s, block));
        }
        if !check.applies(largest) || !allows_two_byte(context) {
            return Ok(false);
        }
        let (mut faults, mut sound) = (check.no_faults(), at);
        while let Some(block) = with_context(bytes, at) {
            check.check_all(&mut faults, block);
            at += BLOCK;
            if at - sound == LOOK {
                if check.any(&faults) {
                    return Err(sound);
                }
                sound = at;
            }
        }
        if let Some(block) = with_context(bytes, bytes.len() - BLOCK) {
            check.check_all(&mut faults, block);
        }
        check.check_end(&mut faults, s.load(bytes, bytes.len() - S::LANES), false);
        if check.any(&faults) { Err(sound) } else { Ok(true) }
    }
}

//! Long input in which characters that are not ASCII are rare: a vector is checked for each, and not the unit that it stands in.
//!
//! To ask whether 64 bytes are ASCII takes less than to ask it twice of 32: half as many vectors are squeezed into one. But to
//! check 64 bytes takes twice as long. So a rare run looks where in them the first byte stands that is not ASCII, and checks the vector
//! that begins there, at any address. That is enough if all such bytes are in that vector, as in a name or a pair of quotation marks.
//! Otherwise the next vector begins with the first byte that is left.
//!
//! To find the place takes two loads more, one after the other. So this pays only where few blocks are not ASCII.

#![forbid(unsafe_code)]

use core::hint::black_box;
use core::num::NonZeroU64;

use super::ascii::ascii_of_sixteen;
use super::check::{BLOCK, Check, Checker, FaultBits};
use super::prefetch::{self, FROM_THIRD_LEVEL};
use crate::boundary::{CONTEXT, with_context};
use crate::kernel::faulty;
use crate::simd::{Routine, Simd};

/// The bytes of a chunk: a block for each bit of a word.
const CHUNK: usize = 64 * BLOCK;
/// The least length of text that a rare run can read: a chunk, and a vector that begins with its last byte.
pub(super) const LEAST: usize = CHUNK + LONGEST_VECTOR;
/// A vector has at most so many bytes.
const LONGEST_VECTOR: usize = 32;
/// A chunk, the context before it, and what may be checked after it.
type ChunkInContext = [u8; CONTEXT + LEAST];
/// A rare run ends if more blocks of a chunk are not ASCII.
const MANY: u32 = 18;

/// A rare run: of each chunk, the vectors are checked that begin with a byte that is not ASCII.
///
/// The routine begins after a chunk of a run, and promises what a run does. It stops where characters are not rare, and where less than
/// [`LEAST`] is left.
pub(super) struct RareRun;

impl<S: Simd> Routine<S> for RareRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let checker = Checker::new(s);
        let prefetches = bytes.len() >= FROM_THIRD_LEVEL && prefetch::pays(s, bytes.len());
        // (If the compiler knew the number, it would write the loop over a chunk four times, and the one over its lines 32 times.)
        let len = black_box(CHUNK);
        // The chunk before `at`, which has been asked and not yet checked. There is none at first.
        let (mut chunk, mut others) = (None::<&ChunkInContext>, 0);
        loop {
            let next = with_context(bytes, at);
            let next_others = match next {
                Some(next) => others_of(s, next, len),
                None => u64::MAX,
            };
            if let Some(chunk) = chunk
                && others != 0
            {
                if prefetches {
                    prefetch::ask(s, bytes, at + CHUNK, len);
                }
                if checker.any(&check(s, checker, chunk, others)) {
                    return faulty(at - CHUNK);
                }
            }
            if next_others.count_ones() > MANY {
                return Ok(at);
            }
            (chunk, others) = (next, next_others);
            at += CHUNK;
        }
    }
}

/// Returns a bit for each block of a chunk: whether it is not ASCII, or, for the first block, the byte before it is not. The lowest bit
/// stands for the first block. `len` is the length of the chunk.
#[inline(always)]
fn others_of<S: Simd>(s: S, chunk: &ChunkInContext, len: usize) -> u64 {
    let mut ascii = 0;
    let mut text = chunk.get(CONTEXT..CONTEXT + len).unwrap_or_default();
    while let Some((sixteen, rest)) = text.split_first_chunk() {
        // In the end, the bits of the first sixteen blocks have moved down to the lowest places.
        ascii = ascii >> 16 | ascii_of_sixteen::<S, BLOCK, { 16 * BLOCK }>(s, sixteen) << 48;
        text = rest;
    }
    !ascii | u64::from(chunk[CONTEXT - 1] >> 7)
}

/// Checks a chunk, given which of its blocks are not ASCII.
///
/// Each byte that is not ASCII is in a vector that is checked, and so is the byte after it, which may have to continue a character. All
/// other bytes are ASCII after ASCII. The text before each vector is read again, so nothing passes from one to the next.
#[inline(always)]
fn check<S: Simd>(s: S, checker: Checker<S>, chunk: &ChunkInContext, mut others: u64) -> FaultBits<S> {
    let mut faults = checker.no_faults();
    // What came before the first chunk of this run may have ended in the middle of a character.
    if chunk[CONTEXT - 1] >= 0x80 {
        checker.check_at(&mut faults, chunk, CONTEXT);
    }
    while let Some(left) = NonZeroU64::new(others) {
        let block = CONTEXT + left.trailing_zeros() as usize * BLOCK;
        others &= others - 1;
        let mut bits = NonZeroU64::new(s.high_bits_of_64(chunk, block));
        while let Some(left) = bits {
            let first = left.trailing_zeros();
            checker.check_at(&mut faults, chunk, block + first as usize);
            // The last byte of the vector may need the byte after the vector. So if it is not ASCII, it begins the next one.
            let checked = (1 << (S::LANES - 1)) - 1;
            bits = NonZeroU64::new(left.get() & !(checked << first));
        }
    }
    faults
}

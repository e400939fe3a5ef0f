//! Text of characters of one and two bytes, with a longer one now and then: most languages of Europe, with their dashes and quotation marks.
//!
//! All of it gets the check of two-byte characters, which needs no lookups. The check answers for each block: well-formed, or suspect. The
//! answers become the bits of a word, without a branch, and then the suspect blocks get the full check. That takes less time than to
//! find the parts that are ASCII, if a quarter of the text is not.
//!
//! A longer character makes each block suspect that has its lead, which is E0 or above, or a byte after its second one: to the check, that is
//! a continuation without a lead. The second byte alone may stand at the start of a block that is not suspect. So if a longer character begins
//! at the end of a suspect block, and the next block is not suspect, the character is cut off.

#![forbid(unsafe_code)]

use super::ascii::is_ascii_at;
use super::check::{BLOCK, Check, Checker, FaultBits, TwoByteChecker, largest_of};
use super::fault::EARLY_PAYS;
use super::prefetch::{self, FROM_THIRD_LEVEL};
use crate::boundary::{CONTEXT, allows_two_byte, with_context};
use crate::kernel::faulty;
use crate::simd::{Routine, Simd};

/// The most blocks of a chunk.
const CHUNK: usize = 64;
/// The blocks of the first chunk, so that a fault there is reported early, and so that little other text gets two checks.
const FIRST: usize = 16;
/// If a run is no longer than this, the text is of another kind.
pub(super) const SHORTEST: usize = FIRST * BLOCK;
/// If more of five blocks are suspect, the text is of another kind. To check them all takes less time then.
const MANY: usize = 2;
/// How far ahead plain text is prefetched, on a CPU that must be asked. 1 KiB to 4 KiB are as good.
pub(super) const AHEAD: usize = 2 << 10;
/// A run ends before this much ASCII.
const ASCII: usize = 4 * BLOCK;

/// A run: all blocks get the check of two-byte characters, and the suspect ones the full check.
///
/// The routine begins after a chunk of a run of `long.rs`, where there is a block, and promises what that run does. It stops at ASCII, and where
/// many blocks are suspect.
pub(super) struct TwoByteRun;

impl<S: Simd> Routine<S> for TwoByteRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let checker = Checker::new(s);
        let must_be_asked = s.must_be_asked();
        // Elsewhere the line that is asked for is the one that is read next.
        let ahead = if must_be_asked { AHEAD } else { 0 };
        let prefetches = must_be_asked && bytes.len() >= FROM_THIRD_LEVEL;
        // The chunk at `at`, which has been found and not yet checked. There is none at first.
        let mut chunk = Chunk { blocks: 0, suspects: 0 };
        let (mut most, mut is_first, mut goes_on) = (FIRST, true, true);
        loop {
            let after = at + chunk.blocks * BLOCK;
            let mut next = Chunk { blocks: 0, suspects: 0 };
            if goes_on {
                next.blocks = most.min((bytes.len() - after) / BLOCK);
                let text = bytes.get(after - CONTEXT..after + next.blocks * BLOCK).unwrap_or_default();
                // If a chunk had no suspects, the next one probably has none.
                let may_be_plain = S::HAS_ROOM && chunk.blocks > 0 && chunk.suspects == 0;
                if next.blocks > 0 && !(may_be_plain && are_plain(s, text, ahead)) {
                    let are_faulty;
                    (next.suspects, are_faulty) = s.apart::<Suspects>(text, 0);
                    if are_faulty {
                        return faulty(at);
                    }
                }
                if prefetches {
                    prefetch::ask(s, bytes, after + next.blocks * BLOCK, CHUNK * BLOCK);
                }
            }
            if chunk.suspects != 0 && checker.any(&chunk.check(s, checker, bytes, at)) {
                return faulty(at);
            }
            if next.blocks == 0 {
                return Ok(after);
            }
            (at, chunk) = (after, next);
            most = if is_first && bytes.len() >= EARLY_PAYS { FIRST } else { CHUNK };
            is_first = false;
            goes_on =
                !chunk.is_of_another_kind() && !is_ascii_at::<S, ASCII>(s, bytes, at + chunk.blocks * BLOCK);
        }
    }
}

/// The check of a text from its second unit on, as medium input needs it. The first unit is well-formed, except for a character that its end
/// cuts off.
///
/// The routine returns whether the text is of this kind, or, as an error, a place before a fault.
pub(super) struct AllTwoByte;

impl<S: Simd> Routine<S> for AllTwoByte {
    type Output = Result<bool, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], at: usize) -> Result<bool, usize> {
        let blocks = (bytes.len() - at) / BLOCK;
        if blocks > CHUNK {
            return Ok(false);
        }
        let text = bytes.get(at - CONTEXT..at + blocks * BLOCK).unwrap_or_default();
        let Some(last) = with_context(bytes, bytes.len() - BLOCK) else { return Ok(false) };
        let (suspects, are_faulty) = s.apart::<Suspects>(text, 0);
        let chunk = Chunk { blocks, suspects };
        if chunk.is_of_another_kind() {
            return Ok(false);
        }
        let checker = Checker::new(s);
        let mut faults = chunk.check(s, checker, bytes, at);
        // The last block ends with the text, and overlaps the one before it.
        checker.check_all(&mut faults, last);
        checker.check_end(&mut faults, s.load(last, CONTEXT + BLOCK - S::LANES), false);
        if are_faulty || checker.any(&faults) { Err(at) } else { Ok(true) }
    }
}

/// The blocks of a chunk, and which of them must get the full check.
#[derive(Clone, Copy)]
struct Chunk {
    blocks: usize,
    /// The lowest bit stands for the first block.
    suspects: u64,
}

impl Chunk {
    #[inline(always)]
    fn is_of_another_kind(self) -> bool {
        self.suspects.count_ones() as usize * 5 > self.blocks * MANY
    }

    /// Gives the suspect blocks of the chunk at `at` the full check.
    #[inline(always)]
    fn check<S: Simd>(self, s: S, checker: Checker<S>, bytes: &[u8], at: usize) -> FaultBits<S> {
        let mut faults = checker.no_faults();
        // After the last block comes a suspect one, if the last character goes on in it.
        let next = self.suspects >> 1 | 1 << (self.blocks.max(1) - 1);
        let mut suspects = self.suspects;
        while suspects != 0 {
            let i = suspects.trailing_zeros() as usize;
            suspects &= suspects - 1;
            let Some(block) = with_context(bytes, at + i * BLOCK) else { break };
            checker.check_all(&mut faults, block);
            let last = s.load(block, CONTEXT + BLOCK - S::LANES);
            checker.check_end_before_two_byte(&mut faults, last, next >> i & 1 != 0);
        }
        faults
    }
}

/// The search for suspect blocks in text that begins with context: 64 at most.
///
/// The routine returns a bit for each block, the lowest for the first, and whether there is C0 or C1, which are faults in any kind of text.
struct Suspects;

impl<S: Simd> Routine<S> for Suspects {
    type Output = (u64, bool);

    #[inline(always)]
    fn run(s: S, mut text: &[u8], _: usize) -> (u64, bool) {
        let two_byte = TwoByteChecker::new(s);
        let mut faults = two_byte.no_faults();
        // The first block is suspect if a longer character goes on in it.
        let mut suspects = u64::from(!text.first_chunk::<CONTEXT>().is_some_and(allows_two_byte));
        let mut found = 0;
        while S::HAS_ROOM
            && let Some(four) = text.first_chunk::<{ CONTEXT + 4 * BLOCK }>()
        {
            for k in 0..4 {
                if let Some(block) = with_context(four, CONTEXT + k * BLOCK) {
                    suspects |= u64::from(two_byte.suspects(&mut faults, block)) << k << found;
                }
            }
            found += 4;
            text = &text[4 * BLOCK..];
        }
        while let Some(block) = text.first_chunk() {
            suspects |= u64::from(two_byte.suspects(&mut faults, block)) << found;
            found += 1;
            text = &text[BLOCK..];
        }
        (suspects, two_byte.any(&faults))
    }
}

/// Returns whether blocks of characters of one and two bytes are known to be well-formed. To ask it of many blocks at once takes less time than
/// an answer for each. `text` begins with context, which no longer character leaves unfinished.
#[inline(always)]
fn are_plain<S: Simd>(s: S, mut text: &[u8], ahead: usize) -> bool {
    let two_byte = TwoByteChecker::new(s);
    let (mut faults, mut largest) = (two_byte.no_faults(), s.splat(0));
    while let Some(block) = text.first_chunk::<{ CONTEXT + BLOCK }>() {
        s.prefetch(text, CONTEXT + ahead);
        two_byte.check_all(&mut faults, block);
        largest = s.max(largest, largest_of(s, block));
        text = &text[BLOCK..];
    }
    two_byte.applies(largest) && !two_byte.any(&faults)
}

//! Long input: runs, which check only what is not ASCII, and dense text, all of which is checked.
//!
//! A run takes a chunk of 2 KiB at a time. It first asks of each unit of 32 bytes whether it is ASCII. The answers become the bits of a
//! word, without a branch. Then it checks the units whose bits are set.
//!
//! A branch for each unit would take longer. Where characters stand that are not ASCII, a CPU can predict only if it has seen the same
//! text before, and one wrong prediction takes as long as 300 bytes of ASCII. A run makes one such branch for each chunk, where
//! the units to check end. Before it checks a chunk, it asks the questions about the next one. So loads are under way while the
//! CPU checks, and after a wrong prediction the next word is there. On x86 it also asks the first-level cache for the chunk after that one:
//! loads fill the CPU's list of instructions until the second-level cache answers, and prefetches don't.
//!
//! Where few units of a chunk are not ASCII, a rare run takes over (`rare.rs`), and where many are, and few characters are longer than two
//! bytes, a two-byte run (`two_byte.rs`).

#![forbid(unsafe_code)]

use super::ascii::{GROUP, UNIT, ascii_of_sixteen, is_ascii_at};
use super::check::{BLOCK, Check, Checker, FaultBits, TwoByteChecker, largest_of};
use super::fault::{EARLY_PAYS, FirstFault, suspicion};
use super::prefetch;
use super::rare::{self, RareRun};
use super::two_byte::{self, AHEAD, TwoByteRun};
use crate::boundary::{CONTEXT, allows_two_byte, array_at, with_context};
use crate::kernel::faulty;
use crate::kernel::verdict::Verdict;
use crate::simd::{Routine, Simd};

/// The bytes at the start that are checked by themselves, so that a fault in them, where most text in another encoding has one, is
/// reported early.
const FIRST: usize = 128;
/// The least length of long input. Where less than a group is left, the group begins in text that has been read. So before the last
/// unit, which may be cut off, there must be a group with a vector before it.
pub(super) const LEAST: usize = UNIT + GROUP + UNIT;
const _: () = assert!(FIRST <= LEAST);
/// The most units of a chunk: one for each bit of a word.
const CHUNK: usize = 64;
/// The units of a run's chunks up to the first that is not ASCII, so that dense text is noticed early.
const FIRST_CHUNK: usize = GROUP / UNIT;
/// How much ASCII is skipped at a time.
const SKIPPED: usize = 4 * BLOCK;
/// If more than one in so many units are not ASCII, they may get the check of two-byte characters. For fewer it does not pay to find
/// out whether there are longer ones.
const FEW: usize = 8;
/// A rare run begins if no more units of a chunk are not ASCII. Text that takes the check of two-byte characters stays with it.
const RARE: usize = 3;
/// The blocks of dense text that are checked before a look at the faults, and at the kind of text. For 16 of them the compiler writes the
/// check of two-byte characters 16 times.
const DENSE: usize = 20;
/// The same at the start of dense text, so that a fault there is reported early.
const FIRST_DENSE: usize = 4;
/// After so many rows that begin without a longer character, dense text ends.
const UNSUITED: usize = 4;
/// Text is dense if more than so many sixteenths of its units are not ASCII. To check all units is faster then.
const DENSE_OF_ANY: usize = 12;
/// The same if there are no characters of more than two bytes. To check all units for these takes less time.
const DENSE_OF_TWO: usize = 6;
/// The same if there may be few of them.
const DENSE_OF_MIXED: usize = 4;

/// Returns the verdict on input of at least [`LEAST`] bytes. Shorter input is suspect, whatever it is.
#[inline(always)]
pub(super) fn validate<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let n = bytes.len();
    if n < LEAST {
        return Verdict::suspect(0);
    }

    // All before `at` is well-formed, except for a character that `at` cuts off. From here on, vectors begin at aligned
    // addresses. So a load of a vector of ASCII lies within a cache line.
    let mut at = FIRST - bytes.as_ptr().addr() % S::LANES;
    if !is_ascii_at::<S, FIRST>(s, bytes, 0) {
        if let Err(suspicion) = s.apart::<FirstFault>(bytes.get(..FIRST).unwrap_or_default(), 0) {
            return suspicion;
        }
    } else {
        at = skip_ascii(s, bytes, at);
        if n - at < SKIPPED && is_ascii_at::<S, SKIPPED>(s, bytes, n - SKIPPED) {
            return Verdict::VALID;
        }
    }
    while at + BLOCK <= n {
        match s.apart::<Run>(bytes, at) {
            Ok(after) => at = after,
            Err(sound) => return suspicion(s, bytes, sound),
        }
    }

    // The last block ends with the input, and overlaps what is checked already. If it is ASCII, so is the byte before
    // `at`.
    if !is_ascii_at::<S, BLOCK>(s, bytes, n - BLOCK) {
        if let Err(suspicion) = s.apart::<FirstFault>(bytes, n - BLOCK) {
            return suspicion;
        }
        let checker = Checker::new(s);
        let mut faults = checker.no_faults();
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES), false);
        if checker.any(&faults) {
            return Verdict::suspect(n);
        }
    }
    Verdict::VALID
}

/// Returns whether the check of two-byte characters is right for the block at `at`, which has context.
#[inline(always)]
pub(super) fn is_two_byte<S: Simd>(s: S, bytes: &[u8], at: usize) -> bool {
    match with_context(bytes, at) {
        Some(block) => TwoByteChecker::new(s).applies(largest_of::<S, { CONTEXT + BLOCK }>(s, block)),
        None => false,
    }
}

/// A run: of each chunk, the units that are not ASCII are checked. Dense text ends it, and text with few of them.
///
/// The routine begins at `at`, which is more than `FIRST - LANES`. It returns where it stopped, or, as
/// an error, a place before a fault. All before both places is well-formed, except for a character that they cut off. If there is a
/// block at `at`, the routine gets on.
struct Run;

impl<S: Simd> Routine<S> for Run {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (checker, two_byte) = (Checker::new(s), TwoByteChecker::new(s));
        let prefetches = prefetch::pays(s, bytes.len());
        let (mut most, mut is_first, mut is_two_byte) = (FIRST_CHUNK, true, false);
        // Whether a two-byte run has not yet found that the text is of another kind.
        let mut may_be_mixed = true;
        // The chunk at `at`, which has been found and not yet checked. There is none at first.
        let mut chunk = Chunk { units: 0, others: 0 };
        loop {
            let mut after = at + chunk.units * UNIT;
            if chunk.others == 0 && chunk.units > 0 {
                after = skip_ascii(s, bytes, after);
            }
            let text = bytes.get(at - CONTEXT..).unwrap_or_default();
            let count = chunk.others.count_ones() as usize;
            let few = count * FEW <= chunk.units;
            if chunk.others != 0 {
                let are_rare = chunk.units == CHUNK && count <= RARE && !is_two_byte;
                if S::HAS_ROOM && are_rare && bytes.len() - at >= rare::LEAST {
                    return s.apart::<RareRun>(bytes, at);
                }
                if is_first {
                    is_two_byte = !few && two_byte.applies(chunk.first(s, text));
                }
                most = if is_first && bytes.len() >= EARLY_PAYS { FIRST_CHUNK } else { CHUNK };
                is_first = false;
                let dense_from = if is_two_byte { DENSE_OF_TWO } else { DENSE_OF_MIXED };
                if may_be_mixed
                    && count * 16 > chunk.units * dense_from
                    && two_byte.applies(chunk.first(s, text))
                {
                    let after = s.apart::<TwoByteRun>(bytes, at)?;
                    may_be_mixed = after - at > two_byte::SHORTEST;
                    (at, chunk) = (after, Chunk { units: 0, others: 0 });
                    continue;
                }
                if count * 16 > chunk.units * DENSE_OF_ANY {
                    return s.apart::<Dense>(bytes, at);
                }
            }

            let next = Chunk::find(s, bytes, after, most);
            if chunk.others != 0 {
                if prefetches {
                    prefetch::ask_unrolled::<S, { CHUNK * UNIT }>(s, bytes, after + next.units * UNIT);
                }
                let mut is_checked = false;
                if is_two_byte && text.first_chunk::<CONTEXT>().is_some_and(allows_two_byte) {
                    // The check also finds out whether there are longer characters. If so, the faults that it found mean nothing.
                    let (faults, largest) = chunk.check(s, two_byte, text);
                    is_checked = two_byte.applies(largest);
                    if is_checked && two_byte.any(&faults) {
                        return faulty(chunk.first_at(at));
                    }
                }
                if !is_checked {
                    let (faults, largest) = chunk.check(s, checker, text);
                    if checker.any(&faults) {
                        return faulty(chunk.first_at(at));
                    }
                    is_two_byte = !few && two_byte.applies(largest);
                }
            }
            if next.units == 0 {
                return Ok(after);
            }
            (at, chunk) = (after, next);
        }
    }
}

/// The units of a chunk, and which of them must be checked.
#[derive(Clone, Copy)]
struct Chunk {
    units: usize,
    /// The units that are not ASCII, and the first one if the byte before it is not. The lowest bit stands for the first unit.
    others: u64,
}

impl Chunk {
    /// Returns the chunk at `at`: at most `most` units, and none if there is less than a block.
    #[inline(always)]
    fn find<S: Simd>(s: S, bytes: &[u8], at: usize, most: usize) -> Self {
        // If fewer units are left than whole groups have, the first group begins in text that has been read. Its first units are dropped.
        let (mut len, mut read) = (most * UNIT, 0);
        let left = bytes.len() - at;
        if left < BLOCK {
            return Self { units: 0, others: 0 };
        }
        if left < len {
            len = (left / UNIT * UNIT).next_multiple_of(GROUP);
            read = len - left / UNIT * UNIT;
        }
        let (mut units, mut ascii) = (0, 0);
        let mut text = bytes.get(at - read..at - read + len).unwrap_or_default();
        while let Some((group, rest)) = text.split_first_chunk() {
            ascii |= ascii_of_sixteen::<S, UNIT, GROUP>(s, group) << units;
            units += GROUP / UNIT;
            text = rest;
        }
        let mut others = !ascii << (CHUNK - units) >> (CHUNK - units) >> (read / UNIT);
        others |= bytes.get(at - 1).map_or(1, |before| u64::from(before >> 7));
        Self { units: units - read / UNIT, others }
    }

    /// Returns where the first unit to check begins, if the chunk begins at `at`.
    #[inline(always)]
    fn first_at(self, at: usize) -> usize {
        at + self.others.trailing_zeros() as usize * UNIT
    }

    /// Returns the largest bytes of the first unit to check. `text` is the text of the chunk and the context before it.
    #[inline(always)]
    fn first<S: Simd>(self, s: S, text: &[u8]) -> S::Vector {
        // Not `map_or`: where code is optimised for size, that is a function of its own, without the instruction set.
        match array_at::<UNIT>(text, self.first_at(CONTEXT)) {
            Some(unit) => s.max(s.load(unit, 0), s.load(unit, UNIT - S::LANES)),
            None => s.splat(0xFF),
        }
    }

    /// Checks the units that must be checked in the way `check`. Returns the faults, and the largest byte in each lane. `text` is the text
    /// of the chunk and the context before it.
    ///
    /// If the unit after one is not checked, it is ASCII, so no character may reach into it.
    #[inline(always)]
    fn check<S: Simd, C: Check<S>>(self, s: S, check: C, text: &[u8]) -> (C::Faults, S::Vector) {
        let (mut faults, mut largest) = (check.no_faults(), s.splat(0));
        // The unit after each, where the next chunk's first unit counts as checked.
        let next = self.others >> 1 | 1 << (self.units - 1);
        let mut others = self.others;
        while others != 0 {
            let i = others.trailing_zeros() as usize;
            others &= others - 1;
            let Some(unit) = text.get(i * UNIT..i * UNIT + (CONTEXT + UNIT)) else { break };
            for k in 0..UNIT / S::LANES {
                check.check_at(&mut faults, unit, CONTEXT + k * S::LANES);
                largest = s.max(largest, s.load(unit, CONTEXT + k * S::LANES));
            }
            check.check_end(&mut faults, s.load(unit, CONTEXT + UNIT - S::LANES), next >> i & 1 != 0);
        }
        (faults, largest)
    }
}

/// Dense text: all blocks are checked, ASCII or not.
///
/// The routine begins after a run, and promises what a run does. It stops at ASCII, and where characters have two bytes.
struct Dense;

impl<S: Simd> Routine<S> for Dense {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (checker, two_byte) = (Checker::new(s), TwoByteChecker::new(s));
        // Elsewhere the line that is asked for is the one that is read next.
        let ahead = if s.must_be_asked() { AHEAD } else { 0 };
        // How many rows in a row began without a longer character, and the blocks of the next row.
        let (mut unsuited, mut blocks) = (0, FIRST_DENSE);
        loop {
            let rest = bytes.get(at - CONTEXT..).unwrap_or_default();
            let row = rest.get(..CONTEXT + blocks * BLOCK).unwrap_or(rest);
            let (len, faults, largest) = match row.first_chunk::<{ CONTEXT + DENSE * BLOCK }>() {
                Some(row) => check_row(s, checker, row, ahead),
                None => check_row(s, checker, row, ahead),
            };
            if checker.any(&faults) {
                return faulty(at);
            }
            at += len;
            unsuited = if two_byte.applies(largest) { unsuited + 1 } else { 0 };
            if len < blocks * BLOCK || unsuited == UNSUITED || is_ascii_at::<S, { 2 * BLOCK }>(s, bytes, at) {
                return Ok(at);
            }
            blocks = DENSE;
        }
    }
}

/// Checks all blocks of `row`, which begins with context, and asks for what comes `ahead` bytes after each. Returns their length, the
/// faults, and the largest byte in each lane of the first block.
#[inline(always)]
fn check_row<S: Simd>(
    s: S,
    checker: Checker<S>,
    row: &[u8],
    ahead: usize,
) -> (usize, FaultBits<S>, S::Vector) {
    let blocks = row.len().saturating_sub(CONTEXT) / BLOCK;
    let mut faults = checker.no_faults();
    let largest = match with_context(row, CONTEXT) {
        Some(first) => largest_of::<S, { CONTEXT + BLOCK }>(s, first),
        None => s.splat(0),
    };
    for k in 0..blocks {
        let Some(block) = with_context(row, CONTEXT + k * BLOCK) else { break };
        checker.check_all(&mut faults, block);
        s.prefetch(row, CONTEXT + k * BLOCK + ahead);
    }
    (blocks * BLOCK, faults, largest)
}

/// Returns where the ASCII at `at` ends, or a place shortly before.
#[inline(always)]
fn skip_ascii<S: Simd>(s: S, bytes: &[u8], mut at: usize) -> usize {
    while is_ascii_at::<S, SKIPPED>(s, bytes, at) {
        at += SKIPPED;
    }
    at
}

//! Validation and counts in one pass, for long input.
//!
//! ```text
//! check the first block, with nothing before it
//! repeat:
//!     where the text is ASCII: count newlines, four blocks at a time
//!     otherwise: check superblocks in bit planes, and count in the planes, until one is ASCII
//! check and count what is left by blocks
//! ```
//!
//! In planes, a count is a formula and a population count for 488 bytes. In blocks it is a comparison and an addition for 64, and takes as long as
//! the check itself.

#![forbid(unsafe_code)]

use super::BLOCK;
use super::blocks;
use super::count;
use super::planes::{self, SUPERBLOCK};
use crate::boundary::{CONTEXT, with_context};
use crate::kernel::counts::Counts;
use crate::kernel::faulty;
use crate::kernel::verdict::Verdict;
use crate::simd::Routine;
use crate::simd::x86::avx512::{Avx512, Vector};

/// The least length of long input.
pub(super) const LEAST_BYTES: usize = 8 * BLOCK;
/// The most superblocks between two looks at the faults.
const LONGEST_RUN: usize = 16;

/// The verdict on a text and its counts.
pub(super) struct Inspect;

impl Routine<Avx512> for Inspect {
    type Output = (Verdict, Counts);

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], _: usize) -> (Verdict, Counts) {
        let mut tally = Tally { s, kinds: [s.zero(); 4], ones: s.opaque_ones() };
        let (mut before, mut at) = (Counts::default(), 0);
        loop {
            if at == 0 || bytes[at - 1].is_ascii() {
                at = tally.skip_ascii(bytes, at);
            }
            if at == 0 {
                let Some(first) = bytes.first_chunk::<BLOCK>() else { return (Verdict::suspect(0), before) };
                if blocks::first_block(s, first) {
                    return (blocks::suspicion(s, bytes, 0), before);
                }
                before = count::all(s, first);
                at = BLOCK;
            }
            match tally.run(bytes, at) {
                Ok(after) if after == at => break,
                Ok(after) => at = after,
                Err(sound) => return (blocks::suspicion(s, bytes, sound), before),
            }
        }
        if at == bytes.len() && bytes[at - 1].is_ascii() {
            let mut counts = tally.counts();
            counts += before;
            return (Verdict::VALID, counts);
        }
        // Less than a superblock is left.
        let faults = tally.add(s.zero(), planes::last_planes(s, &bytes[at - CONTEXT..]));
        if s.any(faults) {
            return (blocks::suspicion(s, bytes, at), before);
        }
        let mut counts = tally.counts();
        counts += before;
        (Verdict::VALID, counts)
    }
}

struct Tally {
    s: Avx512,
    /// The continuations, bytes from E0 on, bytes from F0 on and newlines, in lanes of 64 bits.
    kinds: [Vector; 4],
    ones: Vector,
}

impl Tally {
    /// Skips ASCII from `at` on, and counts its newlines. Returns where it ends, or a place shortly before.
    #[inline(always)]
    fn skip_ascii(&mut self, bytes: &[u8], mut at: usize) -> usize {
        let s = self.s;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let [a, b, c, d] = match rest.first_chunk() {
                Some(four) => blocks::four_blocks(s, four),
                None => [0, 1, 2, 3].map(|k| s.load_up_to_64(rest.get(k * BLOCK..).unwrap_or_default())),
            };
            if s.any_high_bit(s.or(s.or(a, b), s.or(c, d))) {
                break;
            }
            let mut newlines = s.zero();
            for block in [a, b, c, d] {
                newlines = s.count_where(newlines, s.equal(block, s.splat(b'\n')), self.ones);
            }
            self.kinds[3] = s.plus64(self.kinds[3], s.sums_of_bytes(newlines));
            at = (at + 4 * BLOCK).min(bytes.len());
        }
        at
    }

    #[inline(always)]
    fn run(&mut self, bytes: &[u8], at: usize) -> Result<usize, usize> {
        let s = self.s;
        let (mut faults, mut after) = (s.zero(), at);
        for _ in 0..LONGEST_RUN {
            let Some(text) = with_context(bytes, after) else { break };
            let planes = planes::planes(s, text);
            faults = self.add(faults, planes);
            after += SUPERBLOCK;
            if !s.any(planes[7]) {
                break;
            }
        }
        if s.any(faults) { faulty(at) } else { Ok(after) }
    }

    /// Counts in a superblock, and checks it. Returns `faults` with the superblock's faults added.
    #[inline(always)]
    fn add(&mut self, faults: Vector, planes: [Vector; 8]) -> Vector {
        let s = self.s;
        for (sum, kind) in self.kinds.iter_mut().zip(planes::kinds(s, planes)) {
            *sum = s.plus64(*sum, s.ones_in_lanes(kind));
        }
        planes::check(s, faults, planes)
    }

    #[inline(always)]
    fn counts(&self) -> Counts {
        let sum = |kind: Vector| self.s.sum_of_lanes(kind) as usize;
        let [continuations, from_e0, from_f0, newlines] = self.kinds;
        Counts {
            continuations: sum(continuations),
            from_e0: sum(from_e0),
            from_f0: sum(from_f0),
            newlines: sum(newlines),
        }
    }
}

//! Validation and counts in one pass, for long input.
//!
//! ```text
//! repeat:
//!     where the text is ASCII, count newlines, eight blocks at a time
//!     otherwise: check superblocks in bit planes, and count in the planes: first one, and then twice as many each time
//! the last superblock is shorter, with zeros after the text
//! ```
//!
//! In planes, a count is a formula and a population count for 488 bytes. Without planes it is a
//! comparison and an addition for 64 bytes, and the four counts take longer than the check.

#![forbid(unsafe_code)]

use super::{Counting, Counts, avx512};
use crate::boundary::{CONTEXT, floor, with_context};
use crate::kernel::bitplanes::long::load_eight;
use crate::kernel::bitplanes::planes::{self, Masks, Picks, SUPERBLOCK_BYTES};
use crate::kernel::bitplanes::{BLOCK_BYTES, EIGHT_BLOCKS, blocks};
use crate::kernel::{Validate, faulty};
use crate::simd::x86::avx512::Vector;
use crate::simd::{Avx512, Job, Token, Vectors};

/// The least length of long input.
pub(super) const LEAST_BYTES: usize = EIGHT_BLOCKS;
/// The most superblocks between two tests of the faults.
const LONGEST_RUN_SUPERBLOCKS: usize = 16;

/// Returns the counts of long input, or the suspect position.
pub(super) struct Inspect;

impl Job<Avx512, (), (Option<usize>, Counts)> for Inspect {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], (): ()) -> (Option<usize>, Counts) {
        let mut tally =
            Tally { s, kinds: [s.zero(); 4], newlines: 0, ones: s.opaque_ones(), picks: Picks::new(s) };
        // Everything before `at` is well-formed, except for a character that `at` cuts off.
        let (mut at, mut run, mut at_start) = (0, 1, Counts::default());
        loop {
            if at == 0 || bytes[at - 1].is_ascii() {
                let ascii = tally.ascii(&bytes[at..]);
                at += ascii;
                if at == bytes.len() {
                    break;
                }
                run = if ascii > 0 { 1 } else { run };
            }
            if at == 0 {
                // A superblock needs context before it. No character is cut off, so none is counted
                // late.
                at = floor(bytes, BLOCK_BYTES - 1);
                if !blocks::check_one_block(s, &bytes[..at]).is_valid() {
                    return (blocks::first_faulty_block(s, bytes, 0).suspicion(), at_start);
                }
                at_start = avx512::all(s, &bytes[..at]);
            }
            match tally.run(bytes, at, run) {
                Ok(after) if after == at => {
                    let faults = tally
                        .superblock(s.zero(), planes::last_planes(s, tally.picks, &bytes[at - CONTEXT..]));
                    if s.any(faults) {
                        return (blocks::first_faulty_block(s, bytes, at).suspicion(), at_start);
                    }
                    break;
                }
                Ok(after) => (at, run) = (after, (2 * run).min(LONGEST_RUN_SUPERBLOCKS)),
                Err(sound) => return (blocks::first_faulty_block(s, bytes, sound).suspicion(), at_start),
            }
        }
        let mut counts = tally.counts();
        counts += at_start;
        (None, counts)
    }
}

impl Counting for Avx512 {
    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Option<usize>, Counts) {
        if bytes.len() < LEAST_BYTES {
            return (self.apart(Validate, bytes, ()).suspicion(), avx512::all(self, bytes));
        }
        self.apart(Inspect, bytes, ())
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        avx512::count::<false>(self, text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        avx512::count::<true>(self, text)
    }
}

/// The counts, in lanes of 64 bits.
struct Tally {
    s: Avx512,
    /// The continuations, all leads, the leads of four bytes, and the newlines.
    kinds: [Vector; 4],
    /// More newlines.
    newlines: usize,
    ones: Vector,
    picks: Picks,
}

impl Tally {
    /// Returns the length of the ASCII at the start of `bytes`, in blocks or up to the end, and
    /// counts its newlines.
    #[inline(always)]
    fn ascii(&mut self, bytes: &[u8]) -> usize {
        let s = self.s;
        let mut left = bytes;
        while let Some((eight, after)) = left.split_first_chunk::<EIGHT_BLOCKS>() {
            let eight = load_eight(s, eight);
            let [a, b, c, d, e, f, g, h] = eight;
            if s.any_high_bit(s.or(s.or(s.or(a, b), s.or(c, d)), s.or(s.or(e, f), s.or(g, h)))) {
                return bytes.len() - left.len();
            }
            let (mut newlines, mut k) = (s.zero(), 0);
            while k < 8 {
                newlines = s.count_where(newlines, s.equal(eight[k], s.splat(b'\n')), self.ones);
                k += 1;
            }
            self.kinds[3] = s.plus64(self.kinds[3], s.sums_of_bytes(newlines));
            left = after;
        }
        while !left.is_empty() {
            let (mut four, mut k) = ([s.zero(); 4], 0);
            while k < 4 {
                four[k] = s.load_up_to_64(&left[(k * BLOCK_BYTES).min(left.len())..]);
                k += 1;
            }
            let [a, b, c, d] = four;
            if s.any_high_bit(s.or(s.or(a, b), s.or(c, d))) {
                break;
            }
            for block in four {
                self.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
            }
            left = &left[(4 * BLOCK_BYTES).min(left.len())..];
        }
        bytes.len() - left.len()
    }

    /// Checks and counts at most `run` superblocks from `at` on. Returns where they end or, as an
    /// error, `at`.
    ///
    /// The planes of the next superblock are computed during the check of one, because both are
    /// long dependency chains: Hindi 41 GB/s instead of 36 (Zen 4).
    #[inline(always)]
    fn run(&mut self, bytes: &[u8], at: usize, run: usize) -> Result<usize, usize> {
        let s = self.s;
        let Some(first) = with_context(bytes, at) else { return Ok(at) };
        let mut planes = planes::planes(s, self.picks, first);
        let (mut faults, mut after) = (s.zero(), at + SUPERBLOCK_BYTES);
        for _ in 1..run {
            let Some(text) = with_context(bytes, after) else { break };
            let next = planes::planes(s, self.picks, text);
            faults = self.superblock(faults, planes);
            planes = next;
            after += SUPERBLOCK_BYTES;
        }
        if s.any(self.superblock(faults, planes)) { faulty(at) } else { Ok(after) }
    }

    /// Checks and counts a superblock. Returns `faults` with its faults added.
    #[inline(always)]
    fn superblock(&mut self, faults: Vector, planes: [Vector; 8]) -> Vector {
        let s = self.s;
        let (faults, Masks { continuations, leads, from_f0, newlines }) =
            planes::check_planes(s, faults, planes);
        let [all_continuations, all_leads, all_from_f0, all_newlines] = self.kinds;
        self.kinds = [
            s.plus64(all_continuations, s.ones_in_lanes(continuations)),
            s.plus64(all_leads, s.ones_in_lanes(leads)),
            s.plus64(all_from_f0, s.ones_in_lanes(from_f0)),
            s.plus64(all_newlines, s.ones_in_lanes(newlines)),
        ];
        faults
    }

    #[inline(always)]
    fn counts(&self) -> Counts {
        let s = self.s;
        let [continuations, leads, from_f0, newlines] = self.kinds;
        let (continuations, leads) = (s.sum_of_lanes(continuations) as usize, s.sum_of_lanes(leads) as usize);
        let (from_f0, newlines) = (s.sum_of_lanes(from_f0) as usize, s.sum_of_lanes(newlines) as usize);
        // Each lead has one continuation, each from E0 on a second one, and each from F0 on a third
        // one.
        let from_e0 = continuations.saturating_sub(leads).saturating_sub(from_f0);
        Counts { continuations, from_e0, from_f0, newlines: newlines + self.newlines }
    }
}

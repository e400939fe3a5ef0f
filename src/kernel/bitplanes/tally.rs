//! What is counted while text is checked.
//!
//! The algorithms hand the vectors that they check to a [`Tally`]. With [`Nothing`], a tally is no instruction at
//! all. So plain validation and `inspect` are the same code.
//!
//! The algorithms hand in each byte once, with two exceptions, for which the counts are corrected at the end:
//!
//! - A run goes back to an aligned place and hands in some bytes again; see [`Tally::take_back`].
//! - The bit planes count some places one or three bytes late; see [`PlaceCounts::add_late`].
//!
//! If the verdict is not 'valid', the counts mean nothing. The caller counts again what comes before the fault.

#![forbid(unsafe_code)]

use super::planes::{FROM_F0_LATE, LEADS_LATE, Masks};
use crate::kernel::counts::Counts;
use crate::simd::x86::avx512::{Avx512, Vector};

/// What is done with text while it is checked.
pub(super) trait Tally {
    /// Whether anything is counted, for code that runs for the counts alone.
    const COUNTS: bool;
    /// The longest run between two looks at the faults and the kind, in superblocks, or in groups of eight blocks of
    /// two-byte characters. A first run is one, so that an early fault is reported early, and each run of the same
    /// kind is twice as long as the one before.
    const LONGEST_RUN: usize;
    /// The most columns of a chunk with words that are not ASCII, where such words are rare. To count a column takes as long as to check it.
    const FEW_COLUMNS: u32;
    /// The counts of a run of superblocks, in registers.
    type PlaneCounts: Copy;
    /// The counts of a run of two-byte characters and ASCII, in registers.
    type TwoByteCounts: Copy;

    /// Counts a block of any text, or a shorter text with zeros after it.
    fn block(&mut self, s: Avx512, block: Vector);
    /// Takes the counts of `bytes` back. They were handed in before, and will be again. There are fewer than 64.
    fn take_back(&mut self, s: Avx512, bytes: &[u8]);
    /// Does what `take_back` does, for bytes that were handed to `two_byte_block`, and will be again.
    fn take_back_two_byte(&mut self, s: Avx512, bytes: &[u8]);
    /// Counts a block of ASCII outside of a run.
    fn ascii_block(&mut self, s: Avx512, block: Vector);
    /// Counts eight blocks of ASCII.
    fn ascii_blocks(&mut self, s: Avx512, blocks: [Vector; 8]);

    /// Returns the number of newlines in eight blocks of a sparse run.
    fn newlines(s: Avx512, blocks: [Vector; 8]) -> usize;
    /// Counts all but the newlines of `n` words of a sparse run, or of four if `n` is more. Each lane of 128 bits has a word after
    /// its context.
    fn words(&mut self, s: Avx512, four: Vector, n: usize);
    /// Adds the newlines of a sparse run.
    fn add_newlines(&mut self, newlines: usize);

    /// Begins a run of two-byte characters.
    fn start_two_byte(s: Avx512) -> Self::TwoByteCounts;
    /// Counts a block without a byte of E0 or above. A run has at most 255 of them.
    fn two_byte_block(&self, s: Avx512, counts: Self::TwoByteCounts, block: Vector) -> Self::TwoByteCounts;
    /// Ends a run of two-byte characters, which is `bytes[from..to]`.
    fn end_two_byte(&mut self, s: Avx512, counts: Self::TwoByteCounts, bytes: &[u8], from: usize, to: usize);

    /// Begins a run of superblocks.
    fn start_planes(s: Avx512) -> Self::PlaneCounts;
    /// Counts a superblock.
    fn superblock(s: Avx512, counts: Self::PlaneCounts, masks: Masks) -> Self::PlaneCounts;
    /// Ends a run of superblocks, which is `bytes[from..to]`.
    fn end_planes(&mut self, s: Avx512, counts: Self::PlaneCounts, bytes: &[u8], from: usize, to: usize);
}

/// Plain validation: nothing is counted.
pub(super) struct Nothing;

impl Tally for Nothing {
    const COUNTS: bool = false;
    const LONGEST_RUN: usize = 16;
    const FEW_COLUMNS: u32 = 12;
    type PlaneCounts = ();
    type TwoByteCounts = ();

    #[inline(always)]
    fn block(&mut self, _: Avx512, _: Vector) {}
    #[inline(always)]
    fn take_back(&mut self, _: Avx512, _: &[u8]) {}
    #[inline(always)]
    fn take_back_two_byte(&mut self, _: Avx512, _: &[u8]) {}
    #[inline(always)]
    fn ascii_block(&mut self, _: Avx512, _: Vector) {}
    #[inline(always)]
    fn ascii_blocks(&mut self, _: Avx512, _: [Vector; 8]) {}
    #[inline(always)]
    fn newlines(_: Avx512, _: [Vector; 8]) -> usize {
        0
    }
    #[inline(always)]
    fn words(&mut self, _: Avx512, _: Vector, _: usize) {}
    #[cfg_attr(optimised, inline(always))]
    fn add_newlines(&mut self, _: usize) {}
    #[inline(always)]
    fn start_two_byte(_: Avx512) {}
    #[inline(always)]
    fn two_byte_block(&self, _: Avx512, (): (), _: Vector) {}
    #[cfg_attr(optimised, inline(always))]
    fn end_two_byte(&mut self, _: Avx512, (): (), _: &[u8], _: usize, _: usize) {}
    #[inline(always)]
    fn start_planes(_: Avx512) {}
    #[cfg_attr(optimised, inline(always))]
    fn superblock(_: Avx512, (): (), _: Masks) {}
    #[cfg_attr(optimised, inline(always))]
    fn end_planes(&mut self, _: Avx512, (): (), _: &[u8], _: usize, _: usize) {}
}

/// Counts in each lane of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct CountsInLanes {
    continuations: Vector,
    leads: Vector,
    from_f0: Vector,
    newlines: Vector,
}

/// Counts in each byte.
#[derive(Clone, Copy)]
pub(super) struct CountsInBytes {
    continuations: Vector,
    newlines: Vector,
}

impl CountsInLanes {
    #[inline(always)]
    fn none(s: Avx512) -> Self {
        Self { continuations: s.zero(), leads: s.zero(), from_f0: s.zero(), newlines: s.zero() }
    }
}

/// Counts as numbers. They are counts of places, not of characters, so they add up wherever text is cut.
#[derive(Clone, Copy, Default)]
struct PlaceCounts {
    continuations: usize,
    leads: usize,
    from_f0: usize,
    newlines: usize,
}

impl PlaceCounts {
    #[inline(always)]
    fn add_block(&mut self, s: Avx512, block: Vector) {
        self.add_characters(s, block, u64::MAX);
        self.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
    }

    /// Adds what belongs to characters that are not ASCII, of the bytes for which `among` has a one.
    #[inline(always)]
    fn add_characters(&mut self, s: Avx512, block: Vector, among: u64) {
        // The checks look for leads and high bits too, so these cost nothing here.
        let leads = (s.at_least(block, s.splat(0xC0)) & among).count_ones() as usize;
        self.continuations += (s.high_bits(block) & among).count_ones() as usize - leads;
        self.leads += leads;
        self.from_f0 += (s.at_least(block, s.splat(0xF0)) & among).count_ones() as usize;
    }

    /// Adds what stands at the end of `text`, and what superblocks would count only after it.
    #[inline(always)]
    fn add_late(&mut self, text: &[u8]) {
        let Some(end) = text.last_chunk::<FROM_F0_LATE>() else { return };
        self.leads += end[FROM_F0_LATE - LEADS_LATE..].iter().filter(|&&byte| byte >= 0xC0).count();
        self.from_f0 += end.iter().filter(|&&byte| byte >= 0xF0).count();
    }
}

/// The tally of `inspect`.
pub(super) struct Counter {
    ones: Vector,
    lanes: CountsInLanes,
    /// What is counted outside of `lanes`.
    more: PlaceCounts,
    /// What is counted twice.
    twice: PlaceCounts,
}

impl Counter {
    #[inline(always)]
    pub(super) fn new(s: Avx512) -> Self {
        Self {
            ones: s.opaque_ones(),
            lanes: CountsInLanes::none(s),
            more: PlaceCounts::default(),
            twice: PlaceCounts::default(),
        }
    }

    /// Returns the counts of a well-formed text. For any other text, the numbers mean nothing.
    #[inline(always)]
    pub(super) fn counts(&self, s: Avx512) -> Counts {
        let CountsInLanes { continuations, leads, from_f0, newlines } = self.lanes;
        let (more, twice) = (self.more, self.twice);
        let continuations = s.sum_of_lanes(continuations) as usize + more.continuations - twice.continuations;
        let leads = s.sum_of_lanes(leads) as usize + more.leads - twice.leads;
        let from_f0 = s.sum_of_lanes(from_f0) as usize + more.from_f0 - twice.from_f0;
        let newlines = s.sum_of_lanes(newlines) as usize + more.newlines - twice.newlines;
        // Each lead has one continuation, each lead from E0 on a second one, and each from F0 on a third one.
        let from_e0 = continuations.saturating_sub(leads).saturating_sub(from_f0);
        Counts { continuations, from_e0, from_f0, newlines }
    }
}

impl Tally for Counter {
    const COUNTS: bool = true;
    /// The end of a run costs more with counts, so runs are longer. 31 groups of eight blocks, 248 in all, are also
    /// the most that a byte can count.
    const LONGEST_RUN: usize = 31;
    const FEW_COLUMNS: u32 = 6;
    type PlaneCounts = CountsInLanes;
    type TwoByteCounts = CountsInBytes;

    #[inline(always)]
    fn block(&mut self, s: Avx512, block: Vector) {
        self.more.add_block(s, block);
    }

    #[inline(always)]
    fn take_back(&mut self, s: Avx512, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.twice.add_block(s, s.load_short(bytes));
        }
    }

    #[inline(always)]
    fn take_back_two_byte(&mut self, s: Avx512, bytes: &[u8]) {
        if !bytes.is_empty() {
            let mut sums = PlaceCounts::default();
            sums.add_block(s, s.load_short(bytes));
            self.twice.continuations += sums.continuations;
            // `end_two_byte` counts as many leads as continuations.
            self.twice.leads += sums.continuations;
            self.twice.newlines += sums.newlines;
        }
    }

    #[inline(always)]
    fn ascii_block(&mut self, s: Avx512, block: Vector) {
        self.more.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
    }

    #[inline(always)]
    fn ascii_blocks(&mut self, s: Avx512, blocks: [Vector; 8]) {
        let newline = s.splat(b'\n');
        let (mut in_bytes, mut i) = (s.zero(), 0);
        while i < 8 {
            in_bytes = s.count_where(in_bytes, s.equal(blocks[i], newline), self.ones);
            i += 1;
        }
        self.lanes.newlines = s.plus64(self.lanes.newlines, s.sums_of_bytes(in_bytes));
    }

    #[inline(always)]
    fn newlines(s: Avx512, blocks: [Vector; 8]) -> usize {
        let newline = s.splat(b'\n');
        // Not `for block in blocks`: in code that is optimised for size, an array's iterator is a function of its
        // own.
        let (mut newlines, mut i) = (0, 0);
        while i < 8 {
            newlines += s.equal(blocks[i], newline).count_ones() as usize;
            i += 1;
        }
        newlines
    }

    #[inline(always)]
    fn words(&mut self, s: Avx512, four: Vector, n: usize) {
        // The eight places after the three of the context, in each lane.
        const OWN: u64 = 0x07F8_07F8_07F8_07F8;
        let among = if n < 4 { OWN & ((1 << (16 * n)) - 1) } else { OWN };
        self.more.add_characters(s, four, among);
    }

    #[inline(always)]
    fn add_newlines(&mut self, newlines: usize) {
        self.more.newlines += newlines;
    }

    #[inline(always)]
    fn start_two_byte(s: Avx512) -> CountsInBytes {
        CountsInBytes { continuations: s.zero(), newlines: s.zero() }
    }

    #[inline(always)]
    fn two_byte_block(&self, s: Avx512, counts: CountsInBytes, now: Vector) -> CountsInBytes {
        let (is_continuation, is_newline) =
            (s.below_signed(now, s.splat(0xC0)), s.equal(now, s.splat(b'\n')));
        CountsInBytes {
            continuations: s.count_where(counts.continuations, is_continuation, self.ones),
            newlines: s.count_where(counts.newlines, is_newline, self.ones),
        }
    }

    #[cfg_attr(optimised, inline(always))]
    fn end_two_byte(&mut self, s: Avx512, counts: CountsInBytes, bytes: &[u8], from: usize, to: usize) {
        // There are as many leads as continuations. Each stands one place before its continuation, so leads are
        // counted late.
        self.more.add_late(&bytes[..to]);
        self.twice.add_late(&bytes[..from]);
        let continuations = s.sums_of_bytes(counts.continuations);
        self.lanes.continuations = s.plus64(self.lanes.continuations, continuations);
        self.lanes.leads = s.plus64(self.lanes.leads, continuations);
        self.lanes.newlines = s.plus64(self.lanes.newlines, s.sums_of_bytes(counts.newlines));
    }

    #[inline(always)]
    fn start_planes(s: Avx512) -> CountsInLanes {
        CountsInLanes::none(s)
    }

    #[cfg_attr(optimised, inline(always))]
    fn superblock(s: Avx512, counts: CountsInLanes, masks: Masks) -> CountsInLanes {
        CountsInLanes {
            continuations: s.plus64(counts.continuations, s.count_ones(masks.continuations)),
            leads: s.plus64(counts.leads, s.count_ones(masks.leads)),
            from_f0: s.plus64(counts.from_f0, s.count_ones(masks.from_f0)),
            newlines: s.plus64(counts.newlines, s.count_ones(masks.newlines)),
        }
    }

    #[cfg_attr(optimised, inline(always))]
    fn end_planes(&mut self, s: Avx512, counts: CountsInLanes, bytes: &[u8], from: usize, to: usize) {
        self.more.add_late(&bytes[..to]);
        self.twice.add_late(&bytes[..from]);
        self.lanes = CountsInLanes {
            continuations: s.plus64(self.lanes.continuations, counts.continuations),
            leads: s.plus64(self.lanes.leads, counts.leads),
            from_f0: s.plus64(self.lanes.from_f0, counts.from_f0),
            newlines: s.plus64(self.lanes.newlines, counts.newlines),
        };
    }
}

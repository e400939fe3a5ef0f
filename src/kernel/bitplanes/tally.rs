//! What is counted while text is checked.
//!
//! The algorithms hand what they have in registers to a [`Tally`]. If that is [`Nothing`], all this is
//! no instruction at all, so plain validation and `inspect` are the same code.
//!
//! Text is handed in once, with two exceptions, which are put right at the end: where a run goes back to an
//! aligned place (`again`), and where registers count a place or three late (`Sums::add_late`). A verdict of
//! 'suspect' ends the count wherever it is; the caller counts anew what is before the fault.

#![forbid(unsafe_code)]

use super::planes::{FROM_F0_LATE, LEADS_LATE, Places};
use crate::kernel::counts::Counts;
use crate::simd::x86::avx512::{Avx512, Vector};

/// Vectors of a stretch.
const VECTORS: usize = 8;

/// What to do with text that is being checked.
pub(super) trait Tally {
    /// Whether anything is counted, for what must be gone through for the counts alone.
    const COUNTS: bool;
    /// Superblocks, or stretches of two-byte characters, that go without a look at faults and kind, at most.
    /// The first goes alone, so that an early fault is reported early; each run of the same kind
    /// doubles the next.
    const LONGEST_RUN: usize;
    /// What is counted of a run of ASCII, in registers.
    type OfAscii;
    /// What is counted of superblocks, in registers.
    type OfPlanes: Copy;
    /// What is counted of text of two-byte characters and ASCII, in registers.
    type OfTwoByte: Copy;

    /// 64 bytes of anything, or fewer with zeros behind them.
    fn block(&mut self, s: Avx512, block: Vector);
    /// Bytes, fewer than 64, that will be handed in again. Before that, they were handed in once.
    fn again(&mut self, s: Avx512, bytes: &[u8]);
    /// The same of bytes that were handed to `two_byte`, and will be again.
    fn again_two_byte(&mut self, s: Avx512, bytes: &[u8]);
    /// 64 bytes of ASCII.
    fn ascii_block(&mut self, s: Avx512, block: Vector);
    /// The beginning of a run of ASCII.
    fn no_ascii(s: Avx512) -> Self::OfAscii;
    /// A stretch of it.
    fn ascii(&mut self, s: Avx512, counts: &mut Self::OfAscii, stretch: [Vector; VECTORS]);
    /// 64 bytes of it.
    fn more_ascii(&mut self, s: Avx512, counts: &mut Self::OfAscii, block: Vector);
    /// The end of the run.
    fn add_ascii(&mut self, s: Avx512, counts: Self::OfAscii);
    /// The beginning of a run of two-byte characters.
    fn no_two_byte(s: Avx512) -> Self::OfTwoByte;
    /// 64 bytes below E0, no more than 255 times in a run.
    fn two_byte(&self, s: Avx512, counts: Self::OfTwoByte, now: Vector) -> Self::OfTwoByte;
    /// The end of the run, which is `bytes[from..to]`.
    fn add_two_byte(&mut self, s: Avx512, counts: Self::OfTwoByte, bytes: &[u8], from: usize, to: usize);
    /// The beginning of a run of superblocks.
    fn no_planes(s: Avx512) -> Self::OfPlanes;
    /// A superblock.
    fn superblock(s: Avx512, counts: Self::OfPlanes, places: Places) -> Self::OfPlanes;
    /// The end of the run, which is `bytes[from..to]`.
    fn add_planes(&mut self, s: Avx512, counts: Self::OfPlanes, bytes: &[u8], from: usize, to: usize);
}

/// Plain validation.
pub(super) struct Nothing;

impl Tally for Nothing {
    const COUNTS: bool = false;
    const LONGEST_RUN: usize = 8;
    type OfAscii = ();
    type OfPlanes = ();
    type OfTwoByte = ();

    #[inline(always)]
    fn block(&mut self, _: Avx512, _: Vector) {}
    #[inline(always)]
    fn again(&mut self, _: Avx512, _: &[u8]) {}
    #[inline(always)]
    fn again_two_byte(&mut self, _: Avx512, _: &[u8]) {}
    #[inline(always)]
    fn ascii_block(&mut self, _: Avx512, _: Vector) {}
    #[inline(always)]
    fn no_ascii(_: Avx512) {}
    #[inline(always)]
    fn ascii(&mut self, _: Avx512, (): &mut (), _: [Vector; VECTORS]) {}
    #[inline(always)]
    fn more_ascii(&mut self, _: Avx512, (): &mut (), _: Vector) {}
    #[inline(always)]
    fn add_ascii(&mut self, _: Avx512, (): ()) {}
    #[inline(always)]
    fn no_two_byte(_: Avx512) {}
    #[inline(always)]
    fn two_byte(&self, _: Avx512, (): (), _: Vector) {}
    #[inline(always)]
    fn add_two_byte(&mut self, _: Avx512, (): (), _: &[u8], _: usize, _: usize) {}
    #[inline(always)]
    fn no_planes(_: Avx512) {}
    #[inline(always)]
    fn superblock(_: Avx512, (): (), _: Places) {}
    #[inline(always)]
    fn add_planes(&mut self, _: Avx512, (): (), _: &[u8], _: usize, _: usize) {}
}

/// Counts in lanes of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    continuations: Vector,
    leads: Vector,
    from_f0: Vector,
    newlines: Vector,
}

/// Counts in bytes.
#[derive(Clone, Copy)]
pub(super) struct InBytes {
    continuations: Vector,
    newlines: Vector,
}

impl Lanes {
    #[inline(always)]
    fn none(s: Avx512) -> Self {
        Self { continuations: s.zero(), leads: s.zero(), from_f0: s.zero(), newlines: s.zero() }
    }
}

/// Sums that newlines of a run of ASCII are counted in, in turn: a masked addition takes three cycles, and with fewer
/// sums one would wait for another.
const SUMS: usize = 4;

/// Newlines of a run of ASCII, in bytes.
pub(super) struct Newlines {
    in_bytes: [Vector; SUMS],
    /// So many more can be counted in a byte of a sum.
    room: usize,
}

/// Counts as numbers, of places and not of characters: so they can be added up wherever text is cut.
#[derive(Clone, Copy, Default)]
struct Sums {
    continuations: usize,
    leads: usize,
    from_f0: usize,
    newlines: usize,
}

impl Sums {
    #[inline(always)]
    fn add_block(&mut self, s: Avx512, block: Vector) {
        // Leads are looked for, and high bits asked for, by those who check, too.
        let leads = s.at_least(block, s.splat(0xC0)).count_ones() as usize;
        self.continuations += s.high_bits(block).count_ones() as usize - leads;
        self.leads += leads;
        self.from_f0 += s.at_least(block, s.splat(0xF0)).count_ones() as usize;
        self.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
    }

    /// What is at the end of `text`, so that superblocks count it as if it were behind that.
    #[inline(always)]
    fn add_late(&mut self, text: &[u8]) {
        let Some(end) = text.last_chunk::<FROM_F0_LATE>() else { return };
        self.leads += end[FROM_F0_LATE - LEADS_LATE..].iter().filter(|&&byte| byte >= 0xC0).count();
        self.from_f0 += end.iter().filter(|&&byte| byte >= 0xF0).count();
    }
}

/// Counting.
pub(super) struct Counter {
    ones: Vector,
    lanes: Lanes,
    /// What is not in `lanes`.
    more: Sums,
    /// What is there twice.
    twice: Sums,
}

impl Counter {
    #[inline(always)]
    pub(super) fn new(s: Avx512) -> Self {
        Self { ones: s.ones(), lanes: Lanes::none(s), more: Sums::default(), twice: Sums::default() }
    }

    /// If the text is well-formed, what it has; else numbers that mean nothing.
    #[inline(always)]
    pub(super) fn counts(&self, s: Avx512) -> Counts {
        let Lanes { continuations, leads, from_f0, newlines } = self.lanes;
        let (more, twice) = (self.more, self.twice);
        let continuations = s.total(continuations) as usize + more.continuations - twice.continuations;
        let leads = s.total(leads) as usize + more.leads - twice.leads;
        let from_f0 = s.total(from_f0) as usize + more.from_f0 - twice.from_f0;
        let newlines = s.total(newlines) as usize + more.newlines - twice.newlines;
        // Each lead accounts for one continuation, from E0 on for another one, and from F0 on for yet
        // another one.
        let from_e0 = continuations.saturating_sub(leads).saturating_sub(from_f0);
        Counts { continuations, from_e0, from_f0, newlines }
    }
}

impl Counter {
    /// Takes room for `n` more in each byte.
    #[inline(always)]
    fn make_room(&mut self, s: Avx512, newlines: &mut Newlines, n: usize) {
        if newlines.room < n {
            self.add_ascii(s, core::mem::replace(newlines, Self::no_ascii(s)));
        }
        newlines.room -= n;
    }
}

impl Tally for Counter {
    const COUNTS: bool = true;
    /// What a run costs at its end is more where it counts. So many stretches, of eight vectors each, are also the
    /// most that can be counted in bytes.
    const LONGEST_RUN: usize = 31;
    type OfAscii = Newlines;
    type OfPlanes = Lanes;
    type OfTwoByte = InBytes;

    #[inline(always)]
    fn block(&mut self, s: Avx512, block: Vector) {
        self.more.add_block(s, block);
    }

    #[inline(always)]
    fn again(&mut self, s: Avx512, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.twice.add_block(s, s.load_short(bytes));
        }
    }

    #[inline(always)]
    fn again_two_byte(&mut self, s: Avx512, bytes: &[u8]) {
        if !bytes.is_empty() {
            let mut sums = Sums::default();
            sums.add_block(s, s.load_short(bytes));
            self.twice.continuations += sums.continuations;
            // As `add_two_byte` has it.
            self.twice.leads += sums.continuations;
            self.twice.newlines += sums.newlines;
        }
    }

    #[inline(always)]
    fn ascii_block(&mut self, s: Avx512, block: Vector) {
        self.more.newlines += s.equal(block, s.splat(b'\n')).count_ones() as usize;
    }

    #[inline(always)]
    fn no_ascii(s: Avx512) -> Newlines {
        Newlines { in_bytes: [s.zero(); SUMS], room: 255 }
    }

    #[inline(always)]
    fn ascii(&mut self, s: Avx512, newlines: &mut Newlines, stretch: [Vector; VECTORS]) {
        self.make_room(s, newlines, VECTORS / SUMS);
        let newline = s.splat(b'\n');
        // By number: an array's iterator is a function of its own in code that is optimised for size.
        let mut i = 0;
        while i < VECTORS {
            let sum = &mut newlines.in_bytes[i % SUMS];
            *sum = s.count(*sum, s.equal(stretch[i], newline), self.ones);
            i += 1;
        }
    }

    #[inline(always)]
    fn more_ascii(&mut self, s: Avx512, newlines: &mut Newlines, block: Vector) {
        self.make_room(s, newlines, 1);
        let sum = &mut newlines.in_bytes[0];
        *sum = s.count(*sum, s.equal(block, s.splat(b'\n')), self.ones);
    }

    #[inline(always)]
    fn add_ascii(&mut self, s: Avx512, newlines: Newlines) {
        let [a, b, c, d] = newlines.in_bytes;
        let (ab, cd) = (s.plus64(s.sums(a), s.sums(b)), s.plus64(s.sums(c), s.sums(d)));
        self.lanes.newlines = s.plus64(self.lanes.newlines, s.plus64(ab, cd));
    }

    #[inline(always)]
    fn no_two_byte(s: Avx512) -> InBytes {
        InBytes { continuations: s.zero(), newlines: s.zero() }
    }

    #[inline(always)]
    fn two_byte(&self, s: Avx512, counts: InBytes, now: Vector) -> InBytes {
        let (is_continuation, is_newline) =
            (s.below_signed(now, s.splat(0xC0)), s.equal(now, s.splat(b'\n')));
        InBytes {
            continuations: s.count(counts.continuations, is_continuation, self.ones),
            newlines: s.count(counts.newlines, is_newline, self.ones),
        }
    }

    #[inline(always)]
    fn add_two_byte(&mut self, s: Avx512, counts: InBytes, bytes: &[u8], from: usize, to: usize) {
        // As many leads as continuations, each a place before.
        self.more.add_late(&bytes[..to]);
        self.twice.add_late(&bytes[..from]);
        let continuations = s.sums(counts.continuations);
        self.lanes.continuations = s.plus64(self.lanes.continuations, continuations);
        self.lanes.leads = s.plus64(self.lanes.leads, continuations);
        self.lanes.newlines = s.plus64(self.lanes.newlines, s.sums(counts.newlines));
    }

    #[inline(always)]
    fn no_planes(s: Avx512) -> Lanes {
        Lanes::none(s)
    }

    #[inline(always)]
    fn superblock(s: Avx512, counts: Lanes, places: Places) -> Lanes {
        Lanes {
            continuations: s.plus64(counts.continuations, s.count_ones(places.continuations)),
            leads: s.plus64(counts.leads, s.count_ones(places.leads)),
            from_f0: s.plus64(counts.from_f0, s.count_ones(places.from_f0)),
            newlines: s.plus64(counts.newlines, s.count_ones(places.newlines)),
        }
    }

    #[inline(always)]
    fn add_planes(&mut self, s: Avx512, counts: Lanes, bytes: &[u8], from: usize, to: usize) {
        self.more.add_late(&bytes[..to]);
        self.twice.add_late(&bytes[..from]);
        self.lanes = Lanes {
            continuations: s.plus64(self.lanes.continuations, counts.continuations),
            leads: s.plus64(self.lanes.leads, counts.leads),
            from_f0: s.plus64(self.lanes.from_f0, counts.from_f0),
            newlines: s.plus64(self.lanes.newlines, counts.newlines),
        };
    }
}

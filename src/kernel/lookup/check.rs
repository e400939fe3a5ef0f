//! The checks of one vector of text.

#![forbid(unsafe_code)]

use super::tables::{FIRST_HIGH, FIRST_LOW, NO_CONTINUATION, SECOND_HIGH};
use crate::boundary::CONTEXT;
use crate::kernel::Verdict;
use crate::simd::Simd;

/// The check of any text. It keeps the tables in registers.
#[derive(Clone, Copy)]
pub(crate) struct Checker<S: Simd> {
    pub(crate) s: S,
    first_high: S::Vector,
    first_low: S::Vector,
    second_high: S::Vector,
}

/// The faults that a [`Checker`] has found: lanes with any bit set. Checks only set bits, so one test at the end is enough.
#[derive(Clone, Copy)]
pub(super) struct FaultBits<S: Simd>(S::Vector);

impl<S: Simd> FaultBits<S> {
    /// Returns only the faults in the first `n` lanes.
    #[inline(always)]
    pub(super) fn first_lanes(self, s: S, n: usize) -> Self {
        /// 64 bytes of ones, and then 64 zeros. A load at `64 - n` gives ones in the first `n` lanes.
        const FIRST: &[u8] = [[0xFF; 64], [0; 64]].as_flattened();
        Self(s.and(self.0, s.load(FIRST, 64 - n)))
    }
}

/// The vector of text before the current one.
#[derive(Clone, Copy)]
pub(super) struct Before<S: Simd> {
    text: S::Vector,
    /// What the byte after each byte of `text` must not be; see [`Checker::forbidden_after`].
    forbids: S::Vector,
}

/// The bytes of a block of long input.
pub(super) const BLOCK_BYTES: usize = 64;
/// A block, and the context before it.
pub(super) type BlockInContext = [u8; CONTEXT + BLOCK_BYTES];

impl<S: Simd> Checker<S> {
    /// Loads the tables.
    #[inline(always)]
    pub(crate) fn new(s: S) -> Self {
        Self {
            s,
            first_high: s.table(&FIRST_HIGH),
            first_low: s.table(&FIRST_LOW),
            second_high: s.table(&SECOND_HIGH),
        }
    }

    /// Returns an empty set of faults.
    #[inline(always)]
    pub(super) fn no_faults(&self) -> FaultBits<S> {
        FaultBits(self.s.splat(0))
    }

    /// Returns whether there are any faults.
    #[cfg_attr(trust8_optimised, inline(always))]
    pub(super) fn any(&self, faults: &FaultBits<S>) -> bool {
        self.s.any(faults.0)
    }

    /// Checks the vector at `at`. The text before it is loaded from `bytes` again.
    #[cfg_attr(trust8_optimised, inline(always))]
    pub(super) fn check_at(&self, faults: &mut FaultBits<S>, bytes: &[u8], at: usize) {
        let s = self.s;
        let earlier1 = s.load(bytes, at - 1);
        let forbidden = self.forbidden_after(earlier1, s.nibbles_at::<4>(earlier1));
        let now_high = s.nibbles_at::<4>(s.load(bytes, at));
        self.check(faults, now_high, forbidden, [s.load(bytes, at - 2), s.load(bytes, at - 3)]);
    }

    /// Checks all vectors of a block.
    #[inline(always)]
    pub(super) fn check_block(&self, faults: &mut FaultBits<S>, block: &BlockInContext) {
        let s = self.s;
        self.check_at(faults, block, CONTEXT);
        let text = s.load(block, CONTEXT);
        let mut before = Before { text, forbids: self.forbidden_after(text, s.nibbles_at::<4>(text)) };
        self.check_all_after(faults, &block[S::LANES..], &mut before);
    }

    /// Checks all vectors of `text`, whose context is the end of the vector `before`.
    ///
    /// Short vectors shift what `before` forbids, so the upper nibbles of each vector are computed once. Long vectors can't
    /// be shifted by one instruction.
    #[inline(always)]
    pub(super) fn check_all_after(&self, faults: &mut FaultBits<S>, text: &[u8], before: &mut Before<S>) {
        let s = self.s;
        for at in (CONTEXT..text.len()).step_by(S::LANES) {
            if S::LANES > 16 {
                self.check_at(faults, text, at);
            } else if !S::RELOADS {
                *before = self.check_after(faults, s.load(text, at), *before);
            } else {
                let now = s.load(text, at);
                let high = s.nibbles_at::<4>(now);
                let forbids = self.forbidden_after(now, high);
                let forbidden = s.earlier::<1>(forbids, before.forbids);
                self.check(faults, high, forbidden, [s.load(text, at - 2), s.load(text, at - 3)]);
                *before = Before { text: now, forbids };
            }
        }
    }

    /// Adds a fault if the end of `last` cuts off a character, unless the text continues after it.
    /// `ends` are the largest bytes that may end a text.
    #[inline(always)]
    pub(super) fn check_end(
        &self,
        faults: &mut FaultBits<S>,
        last: S::Vector,
        ends: &[u8; 64],
        more_follows: bool,
    ) {
        let s = self.s;
        // Loading FF from another address avoids a branch.
        let from = if more_follows { 32 } else { 32 - S::LANES };
        faults.0 = s.or(faults.0, s.minus_saturating(last, s.load(ends, from)));
    }

    /// Checks a vector of any text, with three lookups.
    ///
    /// `high` are the upper nibbles of the vector. `forbids` is what [`forbidden_after`](Self::forbidden_after) returns for the text one
    /// byte before the vector. `earlier` is the text two and three bytes before.
    ///
    /// ```text
    /// second = SECOND_HIGH[high], inverted if earlier[0] >= E0 or earlier[1] >= F0
    /// faults |= forbids & second
    /// ```
    ///
    /// 1. There, a third or fourth byte is due. After a continuation, only LATER_CONTINUATION is forbidden. Where one more is due, the
    ///    inverted bits forbid all except it. A lead before it is no case: its own fault comes first,
    ///    here or in what was checked before.
    /// 2. The comparisons leave bit 7 set from E0, and from F0, on: a saturating subtraction, and a mean, which is never 0.
    #[cfg_attr(trust8_optimised, inline(always))]
    fn check(&self, faults: &mut FaultBits<S>, high: S::Vector, forbids: S::Vector, earlier: [S::Vector; 2]) {
        let s = self.s;
        let third = s.minus_saturating(earlier[0], s.splat(0xE0 - 0x80));
        let fourth = s.mean(earlier[1], s.splat(0xFF - 0xF0));
        let second = s.inverted(s.lookup(self.second_high, high), s.or(third, fourth));
        faults.0 = s.or(faults.0, s.and(forbids, second));
    }

    /// Returns what the byte after each byte of `text` must not be, as bits of `tables.rs`. `high`
    /// are the upper nibbles of `text`.
    #[inline(always)]
    fn forbidden_after(&self, text: S::Vector, high: S::Vector) -> S::Vector {
        let s = self.s;
        s.and(s.lookup(self.first_high, high), s.lookup(self.first_low, s.low_nibbles(text)))
    }

    /// Returns zero where `now` is a continuation that may follow the lead before it. `earlier1` is
    /// the text one byte before.
    #[inline(always)]
    pub(crate) fn disallowed(&self, now: S::Vector, earlier1: S::Vector) -> S::Vector {
        let s = self.s;
        let forbidden = self.forbidden_after(earlier1, s.nibbles_at::<4>(earlier1));
        s.and(forbidden, s.lookup(self.second_high, s.nibbles_at::<4>(now)))
    }

    /// Returns the suspect verdict for the first fault of the vector at `at`, if there is one. The
    /// faults are those of this vector only.
    ///
    /// The first fault shows at an isolated continuation, or at the byte after an ill-formed
    /// sequence. Either way, the sequence ends after the byte before, and everything before the
    /// sequence is well-formed.
    #[inline(always)]
    pub(super) fn suspicion(&self, faults: &FaultBits<S>, at: usize) -> Option<Verdict> {
        let sound = self.s.high_bits(self.s.equal(faults.0, self.s.splat(0))).trailing_ones() as usize;
        (sound < S::LANES).then(|| Verdict::suspect((at + sound).saturating_sub(1)))
    }

    /// Does the same as `check_at`, without a panic: if the vector and its context are not inside `bytes`,
    /// this is a fault.
    ///
    /// No caller passes such a position. But the compiler does not see this, and would set up a
    /// stack frame for the panic, which short input would pay for.
    #[inline(always)]
    pub(super) fn check_at_without_panic(&self, faults: &mut FaultBits<S>, bytes: &[u8], at: usize) {
        match bytes.get(at - CONTEXT..at + S::LANES) {
            Some(in_context) => self.check_at(faults, in_context, CONTEXT),
            None => *faults = FaultBits(self.s.splat(NO_CONTINUATION)),
        }
    }

    /// Checks the vector `now` after the vector `before`. Both are in registers.
    ///
    /// The lookup of what a byte forbids comes before the shift by one byte, not after it. So the
    /// upper nibbles of each vector are computed only once.
    #[cfg_attr(trust8_optimised, inline(always))]
    pub(super) fn check_after(
        &self,
        faults: &mut FaultBits<S>,
        now: S::Vector,
        before: Before<S>,
    ) -> Before<S> {
        let s = self.s;
        let high = s.nibbles_at::<4>(now);
        let forbids = self.forbidden_after(now, high);
        let forbidden = s.earlier::<1>(forbids, before.forbids);
        let earlier = [s.earlier::<2>(now, before.text), s.earlier::<3>(now, before.text)];
        self.check(faults, high, forbidden, earlier);
        Before { text: now, forbids }
    }

    /// Returns the state before a text that continues another text, whose last four bytes are
    /// `bytes`.
    #[inline(always)]
    pub(super) fn ending_in(&self, bytes: [u8; 4]) -> Before<S> {
        let text = self.s.ending_in(bytes);
        Before { text, forbids: self.forbidden_after(text, self.s.nibbles_at::<4>(text)) }
    }
}

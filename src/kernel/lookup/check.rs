//! What is checked of a vector of text, in as few operations as I could find.

#![forbid(unsafe_code)]

use super::tables::{FIRST_HIGH, FIRST_LOW, LATER_CONTINUATION, NO_CONTINUATION, SECOND_HIGH};
use super::{is_ascii, is_ascii_at};
use crate::boundary::{CONTEXT, LARGEST_AT_END};
use crate::kernel::survey::{Classes, Surveyor};
#[cfg(feature = "alloc")]
use crate::output::Output;
use crate::simd::Simd;

/// The constants, in registers.
#[derive(Clone, Copy)]
pub(super) struct Checker<S: Simd> {
    pub(super) s: S,
    first_high: S::Vector,
    first_low: S::Vector,
    second_high: S::Vector,
}

/// What has been found so far. Vectors are only ever or-ed into this; it is looked at seldom.
///
/// Bit 7: a continuation is missing, or one is there that none asked for. Bits 0 to 6: a pair of bytes that
/// never stand side by side.
#[derive(Clone, Copy)]
pub(super) struct Faults<S: Simd>(S::Vector);

impl<S: Simd> Faults<S> {
    #[inline(always)]
    pub(super) fn none(s: S) -> Self {
        Self(s.splat(0))
    }

    /// Forgets what has been found in all but the first `n` lanes.
    #[inline(always)]
    pub(super) fn in_the_first(self, s: S, n: usize) -> Self {
        /// Ones for as many lanes as there can be, and as many zeros: loaded at the right place, `n` ones.
        static FIRST: [u8; 128] = {
            let mut lanes = [0; 128];
            let mut i = 0;
            while i < 64 {
                lanes[i] = 0xFF;
                i += 1;
            }
            lanes
        };
        Self(s.and(self.0, s.load(&FIRST, 64 - n)))
    }

    #[inline(always)]
    pub(super) fn and_those(self, s: S, others: Self) -> Self {
        Self(s.or(self.0, others.0))
    }
}

/// The vector of text before the one to be checked, and what each of its bytes forbids the next one to be.
#[derive(Clone, Copy)]
pub(super) struct Before<S: Simd> {
    text: S::Vector,
    first: S::Vector,
}

/// What has been found of text in which no byte is E0 or above; and whether it is such text.
#[derive(Clone, Copy)]
pub(super) struct TwoByte<S: Simd> {
    /// Bit 7: a continuation is missing, or one is there that none asked for. Other bits: nothing.
    lengths: S::Vector,
    /// The smallest of `byte + 0x40`: 0 or 1 stands for C0 or C1.
    smallest: S::Vector,
    /// The largest byte.
    largest: S::Vector,
}

impl<S: Simd> TwoByte<S> {
    #[inline(always)]
    pub(super) fn nothing(s: S) -> Self {
        Self { lengths: s.splat(0), smallest: s.splat(0x7F), largest: s.splat(0) }
    }

    /// Six operations, no lookup.
    ///
    /// Adding 0x40 as signed numbers turns continuations into C0..FF and C0..DF into 00..1F, and
    /// leaves ASCII below 0x80 because it saturates: bit 7 is set for continuations alone.
    /// Subtracting 0x40 as unsigned numbers leaves bit 7 set for leads alone. A continuation must
    /// stand behind each lead and nowhere else.
    #[inline(always)]
    pub(super) fn check(&mut self, s: S, now: S::Vector, earlier1: S::Vector) {
        let moved = s.plus_signed(now, s.splat(0x40));
        let due = s.minus(earlier1, s.splat(0x40));
        self.lengths = s.or(self.lengths, s.xor(due, moved));
        self.smallest = s.min(self.smallest, moved);
        self.largest = s.max(self.largest, now);
    }

    /// Whether the text is of this kind, so that what has been found means anything.
    #[inline(always)]
    pub(super) fn applies(&self, s: S) -> bool {
        !s.any_high(s.minus(self.largest, s.splat(0xE0 - 0x80)))
    }

    #[inline(always)]
    pub(super) fn any(&self, s: S) -> bool {
        // 0 and 1 become 2 and 1, everything else 0.
        let overlong = s.minus(s.splat(2), self.smallest);
        s.any(s.or(s.and(self.lengths, s.splat(0x80)), overlong))
    }
}

impl<S: Simd> Checker<S> {
    #[inline(always)]
    pub(super) fn new(s: S) -> Self {
        Self {
            s,
            first_high: s.table(&FIRST_HIGH),
            first_low: s.table(&FIRST_LOW),
            second_high: s.table(&SECOND_HIGH),
        }
    }

    /// Any text: three lookups.
    ///
    /// `first` is what [`first`](Self::first) says of the text one byte before `now`; `earlier2` and
    /// `earlier3` are the text two and three bytes before it.
    ///
    /// 1. `pairs` has bits 0 to 6 where a pair is wrong. Bit 7 says that `now` is a continuation and
    ///    the byte before it no lead.
    /// 2. That is right in a third or fourth byte, and due there: when the byte two before is at least
    ///    E0, or the one three before at least F0. Saturating subtraction leaves bit 7 set for these.
    /// 3. Due and found are compared by `xor`, which leaves the other bits of `pairs` alone.
    #[inline(always)]
    fn check(
        &self,
        faults: &mut Faults<S>,
        now_high: S::Vector,
        first: S::Vector,
        earlier2: S::Vector,
        earlier3: S::Vector,
    ) {
        let s = self.s;
        let pairs = s.and(first, s.lookup(self.second_high, now_high));
        let third = s.minus(earlier2, s.splat(0xE0 - LATER_CONTINUATION));
        let fourth = s.minus(earlier3, s.splat(0xF0 - LATER_CONTINUATION));
        let due = s.and(s.or(third, fourth), s.splat(LATER_CONTINUATION));
        faults.0 = s.or(faults.0, s.xor(pairs, due));
    }

    /// What each byte of `text`, whose upper nibbles are `high`, forbids the byte behind it to be.
    #[inline(always)]
    fn first(&self, text: S::Vector, high: S::Vector) -> S::Vector {
        let s = self.s;
        s.and(s.lookup(self.first_high, high), s.lookup(self.first_low, s.low_nibbles(text)))
    }

    /// Text at `at`, with what stands before it read from memory.
    #[inline(always)]
    pub(super) fn check_at(&self, faults: &mut Faults<S>, bytes: &[u8], at: usize) {
        let s = self.s;
        let earlier1 = s.load(bytes, at - 1);
        let first = self.first(earlier1, s.high_nibbles(earlier1));
        let now_high = s.high_nibbles(s.load(bytes, at));
        self.check(faults, now_high, first, s.load(bytes, at - 2), s.load(bytes, at - 3));
    }

    /// The same for any place that has context. A place that has not, or is not inside, is an alarm: there is
    /// none such, but a compiler that does not see this would keep the stack ready for a panic, which short
    /// input would pay for.
    #[inline(always)]
    pub(super) fn check_in(&self, faults: &mut Faults<S>, bytes: &[u8], at: usize) {
        match bytes.get(at - CONTEXT..at + S::LANES) {
            Some(window) => self.check_at(faults, window, CONTEXT),
            None => faults.0 = self.s.splat(NO_CONTINUATION),
        }
    }

    /// Text with what stands before it in registers.
    ///
    /// What a byte forbids is found first, and shifted by one then: so the upper nibbles of each vector
    /// are taken only once.
    #[inline(always)]
    pub(super) fn check_after(&self, faults: &mut Faults<S>, now: S::Vector, before: Before<S>) -> Before<S> {
        let s = self.s;
        let high = s.high_nibbles(now);
        let first = self.first(now, high);
        self.check(
            faults,
            high,
            s.earlier::<1>(first, before.first),
            s.earlier::<2>(now, before.text),
            s.earlier::<3>(now, before.text),
        );
        Before { text: now, first }
    }

    /// Before the start of a text.
    #[inline(always)]
    pub(super) fn start(&self) -> Before<S> {
        // As behind ASCII.
        Before { text: self.s.splat(0), first: self.s.splat(LATER_CONTINUATION) }
    }

    /// Behind these four bytes.
    #[inline(always)]
    pub(super) fn behind(&self, bytes: [u8; 4]) -> Before<S> {
        let text = self.s.ending_in(bytes);
        Before { text, first: self.first(text, self.s.high_nibbles(text)) }
    }

    /// Notes a character that the end of `last` cuts off.
    #[inline(always)]
    pub(super) fn check_end(&self, faults: &mut Faults<S>, last: S::Vector) {
        let s = self.s;
        let limits = s.load(&LARGEST_AT_END, LARGEST_AT_END.len() - S::LANES);
        faults.0 = s.or(faults.0, s.minus(last, limits));
    }

    #[inline(always)]
    pub(super) fn any(&self, faults: &Faults<S>) -> bool {
        self.s.any(faults.0)
    }
}

/// What the bytes are, for those who want every fault.
impl<S: Simd> Surveyor for Checker<S> {
    #[inline(always)]
    fn high(self, window: &[u8; 64]) -> u64 {
        let (mut high, mut at) = (0, 0);
        while at < 64 {
            high |= self.s.high_bits(self.s.load(window, at)) << at;
            at += S::LANES;
        }
        high
    }

    #[inline(always)]
    fn classes(self, window: &[u8; 64]) -> Classes {
        let s = self.s;
        let mut classes = Classes { high: 0, lead: 0, lead3: 0, lead4: 0, allowed: 0 };
        let mut at = 0;
        while at < 64 {
            let now = s.load(window, at);
            let earlier1 = if at == 0 { s.earlier::<1>(now, s.splat(0)) } else { s.load(window, at - 1) };
            // Saturating subtraction leaves bit 7 set from C0, from E0, and from F0 on.
            classes.high |= s.high_bits(now) << at;
            classes.lead |= s.high_bits(s.minus(now, s.splat(0xC0 - 0x80))) << at;
            classes.lead3 |= s.high_bits(s.minus(now, s.splat(0xE0 - 0x80))) << at;
            classes.lead4 |= s.high_bits(s.minus(now, s.splat(0xF0 - 0x80))) << at;
            let first = self.first(earlier1, s.high_nibbles(earlier1));
            let pairs = s.and(first, s.lookup(self.second_high, s.high_nibbles(now)));
            // Bit 7 is left where nothing is subtracted.
            classes.allowed |= s.high_bits(s.minus(s.splat(0x80), pairs)) << at;
            at += S::LANES;
        }
        classes
    }

    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; 256]) -> bool {
        is_ascii(self.s, bytes)
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn put_and_ask(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        self.s.put_and_ask(bytes, out)
    }

    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; 256]) -> usize {
        let mut others = 1 << 4;
        let mut block = 0;
        while block < 4 {
            others |= u32::from(!is_ascii_at::<S, 64>(self.s, bytes, 64 * block)) << block;
            block += 1;
        }
        others.trailing_zeros() as usize
    }
}

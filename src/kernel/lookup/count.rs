//! Counts of text that is valid already, by the same operations for all instruction sets.

#![forbid(unsafe_code)]

use crate::kernel::counts::Counts;
use crate::simd::Simd;

/// Vectors that are counted in bytes before the bytes are summed up; a byte could count to 255. Of so many
/// it is also asked what they need to be looked at for.
const VECTORS: usize = 16;

/// All that there is to count.
#[inline(always)]
pub(super) fn count<S: Simd>(s: S, bytes: &[u8]) -> Counts {
    let mut counts = Counts::default();
    let mut left = bytes;
    while left.len() >= VECTORS * S::LANES {
        let (step, behind) = left.split_at(VECTORS * S::LANES);
        let (largest, newlines) = largest_and_newlines(s, step);
        counts.newlines += s.sum(newlines);
        if s.any_high(s.minus(largest, s.splat(0xE0 - 0x80))) {
            let mut sums = Sums::none(s);
            for k in 0..VECTORS {
                sums.add(s, s.load(step, k * S::LANES));
            }
            counts += sums.counts(s);
        } else if s.any_high(largest) {
            counts.continuations += step_continuations(s, step);
        }
        left = behind;
    }
    let mut sums = Sums::none(s);
    let mut newlines = s.splat(0);
    while left.len() >= S::LANES {
        let now = s.load(left, 0);
        sums.add(s, now);
        newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
        left = &left[S::LANES..];
    }
    // Zeros count as nothing.
    let now = s.load_short(left);
    sums.add(s, now);
    newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
    counts += sums.counts(s);
    counts.newlines += s.sum(newlines);
    counts
}

/// How much ASCII there is, in steps, and how many newlines in that.
#[inline(always)]
pub(super) fn ascii<S: Simd>(s: S, bytes: &[u8]) -> (usize, usize) {
    let (mut at, mut newlines) = (0, 0);
    while let Some(step) = bytes[at..].get(..VECTORS * S::LANES) {
        let (largest, in_step) = largest_and_newlines(s, step);
        if s.any_high(largest) {
            break;
        }
        newlines += s.sum(in_step);
        at += VECTORS * S::LANES;
    }
    (at, newlines)
}

/// The largest bytes of a step, and its newlines, in bytes.
#[inline(always)]
fn largest_and_newlines<S: Simd>(s: S, step: &[u8]) -> (S::Vector, S::Vector) {
    let (mut largest, mut newlines) = (s.splat(0), s.splat(0));
    for k in 0..VECTORS {
        let now = s.load(step, k * S::LANES);
        largest = s.max(largest, now);
        newlines = s.minus_wrapping(newlines, s.equal(now, s.splat(b'\n')));
    }
    (largest, newlines)
}

/// How many characters.
#[inline(always)]
pub(super) fn count_chars<S: Simd>(s: S, bytes: &[u8]) -> usize {
    bytes.len() - continuations_and_from_f0::<S, false>(s, bytes).0
}

/// How many UTF-16 units: one a character, and one more for those of four bytes.
#[inline(always)]
pub(super) fn utf16_len<S: Simd>(s: S, bytes: &[u8]) -> usize {
    let (continuations, from_f0) = continuations_and_from_f0::<S, true>(s, bytes);
    bytes.len() - continuations + from_f0
}

/// The second number only if `FOUR`.
#[inline(always)]
fn continuations_and_from_f0<S: Simd, const FOUR: bool>(s: S, bytes: &[u8]) -> (usize, usize) {
    let (mut continuations, mut from_f0) = (0, 0);
    let mut left = bytes;
    while left.len() >= VECTORS * S::LANES {
        let (step, behind) = left.split_at(VECTORS * S::LANES);
        continuations += step_continuations(s, step);
        if FOUR {
            let mut sum = s.splat(0);
            for k in 0..VECTORS {
                sum = s.minus_wrapping(sum, is_from_f0(s, s.load(step, k * S::LANES)));
            }
            from_f0 += s.sum(sum);
        }
        left = behind;
    }
    let (mut sum, mut sum_f0) = (s.splat(0), s.splat(0));
    loop {
        let is_last = left.len() < S::LANES;
        let now = if is_last { s.load_short(left) } else { s.load(left, 0) };
        sum = s.minus_wrapping(sum, is_continuation(s, now));
        if FOUR {
            sum_f0 = s.minus_wrapping(sum_f0, is_from_f0(s, now));
        }
        if is_last {
            break;
        }
        left = &left[S::LANES..];
    }
    (continuations + s.sum(sum), from_f0 + s.sum(sum_f0))
}

#[inline(always)]
fn step_continuations<S: Simd>(s: S, step: &[u8]) -> usize {
    let mut sum = s.splat(0);
    for k in 0..VECTORS {
        sum = s.minus_wrapping(sum, is_continuation(s, s.load(step, k * S::LANES)));
    }
    s.sum(sum)
}

/// FF for each byte 80..BF: as signed numbers, the smallest.
#[inline(always)]
fn is_continuation<S: Simd>(s: S, v: S::Vector) -> S::Vector {
    s.below_signed(v, s.splat(0xC0))
}

/// FF for each byte from F0 on.
#[inline(always)]
fn is_from_f0<S: Simd>(s: S, v: S::Vector) -> S::Vector {
    s.below_signed(s.minus(v, s.splat(0xF0 - 0x80)), s.splat(0))
}

/// Counts in bytes.
struct Sums<S: Simd> {
    continuations: S::Vector,
    from_e0: S::Vector,
    /// Of bytes E0..EF.
    e0_to_ef: S::Vector,
}

impl<S: Simd> Sums<S> {
    #[inline(always)]
    fn none(s: S) -> Self {
        let none = s.splat(0);
        Self { continuations: none, from_e0: none, e0_to_ef: none }
    }

    #[inline(always)]
    fn add(&mut self, s: S, now: S::Vector) {
        // E0..EF become 80..8F, F0..FF 90..9F, and the others stay below 80.
        let moved = s.minus(now, s.splat(0xE0 - 0x80));
        self.continuations = s.minus_wrapping(self.continuations, is_continuation(s, now));
        self.from_e0 = s.minus_wrapping(self.from_e0, s.below_signed(moved, s.splat(0)));
        self.e0_to_ef = s.minus_wrapping(self.e0_to_ef, s.below_signed(moved, s.splat(0x90)));
    }

    #[inline(always)]
    fn counts(&self, s: S) -> Counts {
        let from_e0 = s.sum(self.from_e0);
        Counts {
            continuations: s.sum(self.continuations),
            from_e0,
            from_f0: from_e0 - s.sum(self.e0_to_ef),
            ..Counts::default()
        }
    }
}

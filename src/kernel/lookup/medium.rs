//! Medium input: all units are asked whether they are ASCII, and then the first one and those that are not are checked.
//!
//! The answers become the bits of one word, without a branch, because a CPU can't predict where characters stand in a text that it
//! has not seen before. What is left to predict is how many units are checked. If most of the first units are not ASCII, all of the text
//! is checked: as two-byte text if few of its characters are longer (`two_byte.rs`), and otherwise as short input is.

#![forbid(unsafe_code)]

use core::hint::black_box;

use super::ascii::{HALF, UNIT, is_ascii, or_of, others_of_eight};
use super::check::{BLOCK, Check, Checker};
use super::fault::suspicion;
use super::long::is_two_byte;
use super::long_from;
use super::short::All;
use super::two_byte::AllTwoByte;
use crate::boundary::{CONTEXT, array_at, with_context};
use crate::kernel::verdict::Verdict;
use crate::simd::Simd;

/// The units of half a group, which are asked together.
const UNITS: usize = HALF / UNIT;
/// The text is dense if more than so many of its first units are not ASCII.
const DENSE: u32 = UNITS as u32 / 2;
/// The same for text of two-byte characters. Their check takes less time.
const DENSE_OF_TWO: u32 = UNITS as u32 / 4;
/// The least length of medium input.
pub(super) const LEAST: usize = HALF;

/// Returns the verdict on input of at least [`LEAST`] bytes, and fewer than [`long_from`]. Other input is suspect, whatever it is.
#[inline(always)]
pub(super) fn validate<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let n = bytes.len();
    let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk::<UNIT>()) else {
        return Verdict::suspect(0);
    };
    if n >= long_from::<S>() {
        return Verdict::suspect(0);
    }
    // A bit for each unit that must be checked. The lowest one stands for the first unit.
    let mut others = others_of_eight::<S, UNIT, HALF>(s, first);
    if others == 0 && are_ascii(s, &bytes[HALF..], bytes) {
        return Verdict::VALID;
    }
    let count = others.count_ones();
    let is_dense = count > DENSE_OF_TWO && is_two_byte(s, bytes, BLOCK);
    if count > DENSE && !is_dense {
        return s.apart::<All>(bytes, 0);
    }

    // The first unit has no context.
    let checker = Checker::new(s);
    let (mut faults, mut before) = (checker.no_faults(), checker.before_start());
    for k in 0..UNIT / S::LANES {
        before = checker.check_after(&mut faults, s.load(first, k * S::LANES), before);
    }
    if is_dense {
        if checker.any(&faults) {
            return suspicion(s, bytes, 0);
        }
        return match s.apart::<AllTwoByte>(bytes, UNIT) {
            Ok(true) => Verdict::VALID,
            Ok(false) => s.apart::<All>(bytes, 0),
            Err(sound) => suspicion(s, bytes, sound),
        };
    }
    // From the end back to the first units, which have answered. Half a group may overlap the first one. (The compiler would write the
    // loop seven times if it knew the number.)
    let units = (n - 1) / UNIT;
    let mut left = black_box(units);
    while left > UNITS {
        left -= UNITS;
        let Some(half) = array_at(bytes, left * UNIT) else { return Verdict::suspect(0) };
        others |= others_of_eight::<S, UNIT, HALF>(s, half) << left;
    }
    // The last unit ends with the text. Unless all units are whole, it overlaps the one before it.
    others |= u64::from(!is_ascii(s, last)) << units;
    // If the unit after one is not checked, it is ASCII, so no character may reach into it.
    checker.check_end(&mut faults, s.load(first, UNIT - S::LANES), others & 2 != 0);
    let (mut left, mut at) = (others & !1, 0);
    loop {
        if checker.any(&faults) {
            return suspicion(s, bytes, at);
        }
        if left == 0 {
            return Verdict::VALID;
        }
        let i = left.trailing_zeros() as usize;
        at = (i * UNIT).min(n - UNIT);
        let Some(unit) = with_context::<{ CONTEXT + UNIT }>(bytes, at) else { return Verdict::suspect(0) };
        for k in 0..UNIT / S::LANES {
            checker.check_at(&mut faults, unit, CONTEXT + k * S::LANES);
        }
        checker.check_end(&mut faults, s.load(unit, CONTEXT + UNIT - S::LANES), others >> 1 >> i & 1 != 0);
        left &= left - 1;
    }
}

/// Returns whether all of `rest` is ASCII, with which `bytes` ends. An exit at the first block that is not would cost text of 300 bytes a
/// quarter.
#[inline(always)]
fn are_ascii<S: Simd>(s: S, rest: &[u8], bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<BLOCK>() else { return false };
    let mut all = or_of(s, last);
    let (blocks, _) = rest.as_chunks::<BLOCK>();
    for block in blocks {
        all = s.or(all, or_of(s, block));
    }
    !s.any_high_bit(all)
}

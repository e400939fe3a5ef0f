//! Short input: few vectors, and few branches.

#![forbid(unsafe_code)]

use super::ascii::{is_all_ascii, or_of_all};
use super::check::{Before, Checker, FaultBits};
use super::fault::find_fault;
use crate::boundary::{CONTEXT, LARGEST_AT_END};
use crate::kernel::automaton::is_tiny_text;
use crate::kernel::verdict::Verdict;
use crate::simd::{Job, Simd};

/// The bytes that are checked before the faults are tested.
pub(super) const TEST_VECTORS_EVERY_BYTES: usize = 256;

/// Returns the verdict on input of fewer than `LEAST_BYTES` bytes. (Longer input is also correct, but
/// slower.)
#[inline(always)]
pub(super) fn check_short<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    let mut faults = checker.no_faults();
    let n = bytes.len();
    if n < S::LANES {
        if n < 4 {
            return if is_tiny_text(bytes) { Verdict::VALID } else { Verdict::suspect(0) };
        }
        // Without a test for ASCII, because its mispredictions would cost more than the check. Zeros follow the
        // text, so a character that the end cuts off lacks a continuation.
        checker.check_after(&mut faults, s.load_short(bytes), checker.ending_in(START));
        // The search for a fault's place begins with a whole vector.
        return if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID };
    } else if is_all_ascii(s, bytes) {
        return Verdict::VALID;
    } else if n < S::LANES + CONTEXT {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), checker.ending_in(START));
        // Again, zeros follow the text.
        checker.check_after(&mut faults, s.load_second(bytes), before);
    } else if n <= 2 * S::LANES {
        checker.check_after(&mut faults, s.load(bytes, 0), checker.ending_in(START));
        checker.check_at_without_panic(&mut faults, bytes, n - S::LANES);
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES), LARGEST_AT_END, false);
    } else {
        return s.apart(CheckAll, bytes, (u32::from_ne_bytes(START), false));
    }
    if checker.any(&faults) { find_fault(s, bytes, 0) } else { Verdict::VALID }
}

/// Checks all of a text of more than two vectors, given the four bytes before it. `more_follows` means
/// that more follows: then a character that the end cuts off is no fault, and the position of a
/// fault is not needed. Shorter input is always suspect.
///
/// It is a separate function, so that shorter text does not save its registers.
pub(super) struct CheckAll;

/// The bytes before the start of a text: anything except the start of a character.
const START: [u8; 4] = [0; 4];

impl<S: Simd> Job<S, (u32, bool), Verdict> for CheckAll {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], (before, more_follows): (u32, bool)) -> Verdict {
        let n = bytes.len();
        if n <= 2 * S::LANES {
            return Verdict::suspect(0);
        }
        let checker = Checker::new(s);
        let mut faults = checker.no_faults();
        let sound = check_by_two(&checker, &mut faults, bytes, checker.ending_in(before.to_ne_bytes()));
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES), LARGEST_AT_END, more_follows);
        if !checker.any(&faults) {
            Verdict::VALID
        } else if more_follows {
            Verdict::suspect(0)
        } else {
            find_fault(s, bytes, sound)
        }
    }
}

/// Returns whether `bytes` continues a text whose last four bytes are `last_before`; see `Engine::piece_continues`.
#[inline(always)]
pub(super) fn short_piece_continues<S: Simd>(s: S, last_before: [u8; 4], bytes: &[u8]) -> bool {
    let n = bytes.len();
    if n >= S::LANES && last_before[3].is_ascii() && !s.any_high_bit(or_of_all(s, bytes)) {
        return true;
    }
    // A byte that never appears in UTF-8 is a fault of the byte after it. The last byte has none after it.
    if matches!(bytes.last(), Some(0xC0 | 0xC1 | 0xF5..)) {
        return false;
    }
    if n > 2 * S::LANES {
        return s.apart(CheckAll, bytes, (u32::from_ne_bytes(last_before), true)).is_valid();
    }
    let checker = Checker::new(s);
    let mut faults = checker.no_faults();
    let before = checker.ending_in(last_before);
    if n < S::LANES {
        checker.check_after(&mut faults, s.load_short(bytes), before);
        // The zeros after the text show faults of a cut-off character. These do not count.
        faults = faults.first_lanes(s, n);
    } else {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), before);
        if checker.any(&faults) {
            return false;
        }
        checker.check_after(&mut faults, s.load_second(bytes), before);
        faults = faults.first_lanes(s, n - S::LANES);
    }
    !checker.any(&faults)
}

/// Checks more than two vectors of text, two at a time. The last two end with the text, and overlap
/// vectors that were already checked. A character that the end of the text cuts off is no fault.
///
/// Returns a position shortly before the first fault: everything before it is well-formed, except
/// for a character that it cuts off. Text after the first fault may be unchecked.
#[inline(always)]
fn check_by_two<S: Simd>(
    checker: &Checker<S>,
    faults: &mut FaultBits<S>,
    bytes: &[u8],
    before: Before<S>,
) -> usize {
    let (s, n) = (checker.s, bytes.len());
    let before = checker.check_after(faults, s.load(bytes, 0), before);
    checker.check_after(faults, s.load(bytes, S::LANES), before);
    let (mut at, mut sound) = (2 * S::LANES, 0);
    while at + 2 * S::LANES < n {
        checker.check_at_without_panic(faults, bytes, at);
        checker.check_at_without_panic(faults, bytes, at + S::LANES);
        at += 2 * S::LANES;
        if at - sound >= TEST_VECTORS_EVERY_BYTES {
            if checker.any(faults) {
                return sound;
            }
            sound = at;
        }
    }
    checker.check_at_without_panic(faults, bytes, (n - 2 * S::LANES).max(CONTEXT));
    checker.check_at_without_panic(faults, bytes, n - S::LANES);
    sound
}

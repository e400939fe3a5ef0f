//! The files of the library whose formulas are proved, with what little they use of its other files.

use crate::byte::Byte;
use crate::formula::{FALSE, Formula};
use crate::rfc::{End, Start, is_text};
use crate::simd::Token;
pub(crate) use verdict::Verdict;

pub(crate) mod automaton;
pub(crate) mod bitplanes;
pub(crate) mod known;
pub(crate) mod lookup;

#[path = "../../../../src/kernel/verdict.rs"]
pub(crate) mod verdict;

/// How far the loops prefetch, which changes no verdict.
pub(crate) const AHEAD_BYTES: usize = 8 << 10;
pub(crate) const PREFETCH_FROM_BYTES: usize = 4 << 20;

/// Returns a place before a fault.
fn faulty<T>(sound: usize) -> Result<T, usize> {
    Err(sound)
}

/// The library's trait of this name.
pub(crate) trait Engine: Token {
    #[expect(dead_code, reason = "the automaton has it")]
    const LONG_FROM_BYTES: usize;
    fn validate(self, bytes: &[u8]) -> Verdict;
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool;
}

/// Returns whether verdicts on `text`, each with its condition, say that it is valid if and only if it is UTF-8, and whether all before
/// each suspicion is UTF-8, except for a character that the suspicion cuts off, or a byte directly before it that never appears.
fn are_right(verdicts: &[(Formula, Verdict)], text: &[Byte]) -> bool {
    let mut valid = FALSE;
    let mut suspicions_are_right = true;
    for &(condition, verdict) in verdicts {
        match verdict.suspicion() {
            None => valid = valid.or(condition),
            Some(at) => {
                let before = is_text(Start::Character, &text[..at], End::AnywhereOrNever);
                suspicions_are_right &= condition.and(before.not()).is(FALSE);
            }
        }
    }
    suspicions_are_right && valid.is(is_text(Start::Character, text, End::Character))
}

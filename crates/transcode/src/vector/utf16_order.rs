//! UTF-16 into UTF-16 with vectors, in the same byte order or the other one.
//!
//! A text is well-formed if every low surrogate follows a high one, and every high one precedes a
//! low one. So a unit must be a low surrogate exactly if the previous unit is a high one. That
//! takes one comparison for each unit, regardless of the number of surrogates, and works in either
//! byte order.

#![forbid(unsafe_code)]

use super::{ends_in_high, load_block, order};
use crate::simd::ConvertOps;
use trust8::engine::Output;

/// Copies UTF-16 if it is well-formed. `FROM` and `TO` mean that the text and the copy are in the
/// non-native byte order.
#[inline(always)]
pub(crate) fn copy<S: ConvertOps, const FROM: bool, const TO: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut text = &text[..text.len() & !1];
    if ends_in_high::<FROM>(text) {
        // A high surrogate at the end belongs to the following text. In the last block it would
        // look like a fault.
        text = &text[..text.len() - 2];
    }
    let mut at = 0;
    let mut before = s.splat(0);
    for two in text.chunks_exact(2 * S::LANES) {
        let (a, b) = (s.load(two, 0), s.load(two, S::LANES));
        let paired =
            follows::<S, FROM>(s, s.earlier(a, before)[1], a) & follows::<S, FROM>(s, s.earlier(b, a)[1], b);
        let two = if FROM == TO { [a, b] } else { [s.reversed16(a), s.reversed16(b)] };
        if !paired || !s.put_first_of_two(two, 2 * S::LANES, out) {
            break;
        }
        before = b;
        at += 2 * S::LANES;
    }
    // The remainder at the end, and the text before a fault.
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let copy = if FROM == TO { now } else { s.reversed16(now) };
        if !follows::<S, FROM>(s, s.earlier(now, before)[1], now) || !s.put_first(copy, len, out) {
            break;
        }
        before = now;
        at += len;
    }
    if ends_in_high::<FROM>(&text[..at]) {
        // A high surrogate at the end belongs to the following text.
        out.retract(2);
        at -= 2;
    }
    at
}

/// Returns whether `units` has low surrogates exactly where `before`, the units one position
/// earlier, has high ones.
#[inline(always)]
fn follows<S: ConvertOps, const SWAPPED: bool>(s: S, before: S::Vector, units: S::Vector) -> bool {
    let half = s.splat16(order(0xFC00, SWAPPED));
    let (low, high) = (order(0xDC00, SWAPPED), order(0xD800, SWAPPED));
    !s.matches_differ16(s.and(units, half), low, s.and(before, half), high)
}

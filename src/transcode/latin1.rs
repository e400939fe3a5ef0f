//! UTF-8 and Latin-1 into each other with vectors, written once for every instruction set.
//!
//! Latin-1 is ASCII and U+0080 to U+00FF, which in UTF-8 begin with C2 or C3. What follows these is the
//! byte of Latin-1 itself, or 0x40 less. So a place needs to know the byte before it and nothing more, text is validated
//! on the way, and where a block is not all well-formed and in Latin-1, it is left to who can say why.

#![forbid(unsafe_code)]

use super::plain;
use super::vector::{Ascii, IntoUtf16, LINES_PAY, load_block, masked, put_in_lines};
use super::vector32::IntoUtf32;
use crate::output::Output;
use crate::simd::convert::{Units, within};

/// ASCII as it is.
struct AsItIs;

impl Ascii for AsItIs {
    const UNIT: usize = 1;

    #[inline(always)]
    fn put_ascii<S: Units>(s: S, ascii: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        s.put_first(ascii, n, out)
    }
}

/// Appends ASCII, of which `text` begins with two vectors, `a` and `b`: those, or all that there is, if this is `long`
/// enough already to pay for whole cache lines. (Shorter vectors do not cross their ends as often.)
#[inline(always)]
fn put_ascii<S: Units>(s: S, text: &[u8], [a, b]: [S::Vector; 2], long: bool, out: &mut Output<'_>) -> usize {
    if long && S::LANES == 64 && text.len() >= LINES_PAY {
        put_in_lines::<S, AsItIs, true>(s, text, out)
    } else if s.put_both(a, b, 2 * S::LANES, out) {
        2 * S::LANES
    } else {
        0
    }
}

/// UTF-8 of less than a vector into Latin-1: all of it, or nothing.
#[inline(always)]
pub(super) fn short_utf8_to_latin1<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    if text.is_empty() || text.len() >= S::LANES || ends_in_lead(text, text.len()) {
        return 0;
    }
    let now = s.load_short(text);
    let before = s.earlier(now, s.splat8(0))[0];
    if put_as_latin1(s, before, now, text.len(), out) { text.len() } else { 0 }
}

/// UTF-8 into Latin-1, as far as it is well-formed and in Latin-1, and fits, or nearly so.
#[inline(always)]
pub(super) fn utf8_to_latin1<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let (mut at, mut ascii) = (0, false);
    // By twos, so that a branch on whether they are ASCII goes the same way in most texts.
    while text.len() - at >= 2 * S::LANES {
        let (a, b) = (s.load(text, at), s.load(text, at + S::LANES));
        if s.high_bits(s.or(a, b)) == 0 {
            let read = if ends_in_lead(text, at) { 0 } else { put_ascii(s, &text[at..], [a, b], ascii, out) };
            if read == 0 {
                return at - usize::from(ends_in_lead(text, at));
            }
            ascii = true;
            at += read;
            continue;
        }
        ascii = false;
        let before = if at == 0 { s.earlier(a, s.splat8(0))[0] } else { s.load(text, at - 1) };
        if !put_as_latin1(s, before, a, S::LANES, out) {
            return at - usize::from(ends_in_lead(text, at));
        }
        at += S::LANES;
        if !put_as_latin1(s, s.load(text, at - 1), b, S::LANES, out) {
            return at - usize::from(ends_in_lead(text, at));
        }
        at += S::LANES;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let before = if at < S::LANES { s.splat8(0) } else { s.load(text, at - S::LANES) };
        if !put_as_latin1(s, s.earlier(now, before)[0], now, len, out) {
            return at - usize::from(ends_in_lead(text, at));
        }
        at += len;
    }
    text.len() - usize::from(ends_in_lead(text, text.len()))
}

/// Whether a character of two bytes or more begins just before `at`.
#[inline(always)]
fn ends_in_lead(text: &[u8], at: usize) -> bool {
    matches!(text[..at].last(), Some(0xC0..))
}

/// Appends the first `len` bytes of `now`, with the bytes before them; or nothing, if not all of that is well-formed and
/// in Latin-1. A character belongs to the block in which it ends.
#[inline(always)]
fn put_as_latin1<S: Units>(
    s: S,
    before: S::Vector,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let within = within(len);
    // Continuations, from -80 to -41.
    let continuations = s.high_bits(s.plus_signed(now, s.splat8(0x40))) & within;
    let leads = at_least::<S, 0xC0>(s, now) & within;
    if at_least::<S, 0xC0>(s, before) & within != continuations
        || at_least::<S, 0xC2>(s, now) & within != leads
        || at_least::<S, 0xC4>(s, now) != 0
    {
        return false;
    }
    // 0x40 behind C3, and 0 behind all else.
    let more = s.left16::<6>(s.minus(before, s.splat8(0xC2)));
    s.put_some(s.or(now, more), !leads & within, out)
}

/// Bits for the bytes that are so much or more.
#[inline(always)]
fn at_least<S: Units, const LEAST: u8>(s: S, v: S::Vector) -> u64 {
    // Of the difference to 0x80 less than that, bit 7 says so.
    s.high_bits(s.minus(v, s.splat8(LEAST - 0x80)))
}

/// Latin-1 of less than a vector into UTF-8: all of it, or nothing.
#[inline(always)]
pub(super) fn short_latin1_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let short = !text.is_empty() && text.len() < S::LANES;
    if short && put_as_utf8(s, s.load_short(text), text.len(), out) { text.len() } else { 0 }
}

/// Latin-1 into UTF-8, as far as it fits, or nearly so.
#[inline(always)]
pub(super) fn latin1_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let (mut at, mut ascii) = (0, false);
    while text.len() - at >= 2 * S::LANES {
        let (a, b) = (s.load(text, at), s.load(text, at + S::LANES));
        if s.high_bits(s.or(a, b)) == 0 {
            let read = put_ascii(s, &text[at..], [a, b], ascii, out);
            if read == 0 {
                return at;
            }
            ascii = true;
            at += read;
            continue;
        }
        ascii = false;
        if !put_as_utf8(s, a, S::LANES, out) {
            return at;
        }
        if !put_as_utf8(s, b, S::LANES, out) {
            return at + S::LANES;
        }
        at += 2 * S::LANES;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if !put_as_utf8(s, now, len, out) {
            return at;
        }
        at += len;
    }
    at
}

/// Appends the first `len` bytes as UTF-8, or nothing if they do not fit.
#[inline(always)]
fn put_as_utf8<S: Units>(s: S, bytes: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    let two = s.high_bits(bytes);
    let bytes = s.ordered(bytes);
    // C2 or C3 and a continuation, or the byte itself.
    let lead = s.or(masked(s, s.right16::<6>(bytes), 0x03), s.splat8(0xC0));
    s.put_ones_or_twos(s.select_high(bytes, lead, bytes), masked(s, bytes, 0xBF), two, len, out)
}

/// Latin-1 into UTF-16, as far as it fits, or nearly so.
#[inline(always)]
pub(super) fn latin1_to_utf16<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    // What the compiler makes of plain code writes more at a time than the shorter vectors here.
    if S::LANES < 64 { plain::latin1_to_utf16(text, out) } else { widened::<S, IntoUtf16>(s, text, out) }
}

/// Latin-1 into UTF-32, as far as it fits, or nearly so.
#[inline(always)]
pub(super) fn latin1_to_utf32<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    if S::LANES < 64 { plain::latin1_to_utf32(text, out) } else { widened::<S, IntoUtf32>(s, text, out) }
}

/// Latin-1 into longer units, as far as it fits, or nearly so.
#[inline(always)]
fn widened<S: Units, T: Ascii>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = if text.len() >= LINES_PAY { put_in_lines::<S, T, false>(s, text, out) } else { 0 };
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if !T::put_ascii(s, now, len, out) {
            break;
        }
        at += len;
    }
    at
}

/// UTF-16 into Latin-1, as far as it fits and Latin-1 has the characters, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_latin1<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let mut at = 0;
    while let Some(block) = text.get(at..at + 4 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        let (c, d) = (s.load(block, 2 * S::LANES), s.load(block, 3 * S::LANES));
        if s.any(s.and(s.or(s.or(a, b), s.or(c, d)), s.splat16(0xFF00))) || out.left() < 2 * S::LANES {
            break;
        }
        s.put_narrowed(a, b, S::LANES, out);
        s.put_narrowed(c, d, S::LANES, out);
        at += 4 * S::LANES;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if s.any(s.and(now, s.splat16(0xFF00))) || !s.put_narrowed(now, now, len / 2, out) {
            break;
        }
        at += len;
    }
    at
}

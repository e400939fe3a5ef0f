//! Latin-1 from and into the other encodings with vectors.
//!
//! Latin-1 is ASCII and U+0080 to U+00FF. In UTF-8 the latter begin with C2 or C3. After C2, the
//! continuation byte is the byte of Latin-1 itself. After C3, it is 0x40 less. So from UTF-8, a
//! position depends only on its byte and the byte before. The text is validated on the way.
//! `scalar.rs` handles a block that is malformed or not all in Latin-1, and finds out why.

#![forbid(unsafe_code)]

use super::{
    CACHED_BYTES, IntoBytes, IntoUtf16, IntoUtf32, Narrow, at_least, leading_ascii, load_block, masked,
    order, put_by_two, put_in_lines,
};
use crate::portable;
use crate::simd::{ConvertOps, first_bits};
use trust8::boundary::floor;
use trust8::engine::Output;
use trust8::engine::ends_in_lead;

/// Converts UTF-8 of at most two vectors into Latin-1, or of less than one with short vectors.
#[inline(always)]
pub(crate) fn short_from_utf8<S: ConvertOps, const VALID: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    if S::LANES == 64 && text.len() >= S::LANES {
        return two_from_utf8::<S, VALID>(s, text, out);
    }
    if text.is_empty() || text.len() >= S::LANES {
        return 0;
    }
    let put =
        !ends_in_lead(text) && put_end_as_latin1::<S, VALID>(s, None, s.load_short(text), text.len(), out);
    if put { text.len() } else { 0 }
}

/// Converts UTF-8 of one or two vectors into Latin-1.
#[cfg_attr(trust8_optimised, inline(always))]
fn two_from_utf8<S: ConvertOps, const VALID: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    if ends_in_lead(text) {
        return 0;
    }
    let [a, b] = s.load_two(text);
    let put = if s.high_bits(s.or(a, b)) == 0 {
        s.put_first_of_two(a, b, text.len(), out)
    } else {
        let begins = ends_in_lead(&text[..S::LANES]);
        put_as_latin1::<S, VALID>(s, false, s.earlier(a, s.splat(0))[0], a, S::LANES, out)
            && put_as_latin1::<S, VALID>(s, begins, s.earlier(b, a)[0], b, text.len() - S::LANES, out)
    };
    if put { text.len() } else { 0 }
}

/// Converts UTF-8 into Latin-1. `VALID` says that it is well-formed.
#[inline(always)]
pub(crate) fn from_utf8<S: ConvertOps, const VALID: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = leading_ascii::<S, IntoBytes>(s, text, out);
    if out.left() == 0 {
        return at;
    }
    // The output of a block certainly fits, even though stores write more than they count.
    while out.left() >= 2 * S::LANES
        && let Some(block) = text.get(at..at + S::LANES)
    {
        let (now, begins) = (s.load(block, 0), ends_in_lead(&text[..at]));
        if s.high_bits(now) == 0 {
            if begins {
                break;
            }
            let read =
                if S::LANES < 64 { put_by_two::<S, IntoBytes, true, false>(s, &text[at..], out) } else { 0 };
            if read > 0 {
                at += read;
            } else {
                s.put_first(now, S::LANES, out);
                at += S::LANES;
            }
            continue;
        }
        let before = if at == 0 { s.earlier(now, s.splat(0))[0] } else { s.load(text, at - 1) };
        if !put_as_latin1::<S, VALID>(s, begins, before, now, S::LANES, out) {
            break;
        }
        at += S::LANES;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if !put_end_as_latin1::<S, VALID>(s, text[..at].last(), now, len, out) {
            break;
        }
        at += len;
    }
    at - usize::from(ends_in_lead(&text[..at]))
}

/// Converts the part of the first vector of UTF-8 that fits into Latin-1, or nothing if it is
/// malformed or not all in Latin-1.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn fill_from_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let (now, len) = load_block(s, text);
    let leads = at_least::<S, 0xC0>(s, now);
    let fits = s.place_after_ones(!leads & first_bits(len), out.left()).min(len);
    if !put_end_as_latin1::<S, false>(s, None, now, fits, out) {
        return 0;
    }
    fits - usize::from(ends_in_lead(&text[..fits]))
}

/// Like [`put_as_latin1`], for the end of a text, which may be ASCII. `last` is the byte before it,
/// if there is one.
#[inline(always)]
fn put_end_as_latin1<S: ConvertOps, const VALID: bool>(
    s: S,
    last: Option<&u8>,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let last = last.map_or(0, |last| *last);
    let begins = last >= 0xC0;
    if !begins && s.high_bits(now) == 0 {
        return s.put_first(now, len, out);
    }
    put_as_latin1::<S, VALID>(s, begins, s.earlier(now, s.splat(last))[0], now, len, out)
}

/// Appends the first `len` bytes of `now` as Latin-1, or nothing unless all of them are well-formed
/// and in Latin-1. `before` has the bytes before them, and `begins` says whether the last of these
/// begins a character. `VALID` says that the text is well-formed. A character belongs to the block
/// in which it ends.
#[inline(always)]
fn put_as_latin1<S: ConvertOps, const VALID: bool>(
    s: S,
    begins: bool,
    before: S::Vector,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let within = first_bits(len);
    let leads = at_least::<S, 0xC0>(s, now) & within;
    let after_leads = leads << 1 | u64::from(begins);
    if at_least::<S, 0xC4>(s, now) & within != 0
        || !VALID
            && (at_least::<S, 0xC2>(s, now) & within != leads
                || s.high_bits(now) & within & !leads != after_leads & within)
    {
        return false;
    }
    // 0x40 after C3, and 0 after everything else.
    let more = s.left16::<6>(s.minus_saturating(before, s.splat(0xC2)));
    s.put_kept_bytes(s.or(now, more), !leads & within, out)
}

/// Converts valid UTF-8 into Latin-1 and replaces what Latin-1 lacks.
///
/// A Latin-1 character is output where it ends, and any other where it begins.
#[inline(always)]
pub(crate) fn from_valid_utf8_lossy<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let (mut at, mut before) = (0, s.splat(0));
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let put = if s.high_bits(now) == 0 {
            s.put_first(now, len, out)
        } else {
            put_as_latin1_lossy(s, s.earlier(now, before)[0], now, len, out)
        };
        if !put {
            let start = floor(text, at);
            // The output has a replacement for a character that continues after the block.
            out.retract(usize::from(start < at && text[start] >= 0xC4));
            return start;
        }
        before = now;
        at += len;
    }
    at
}

/// Appends the first `len` bytes of `now`, valid UTF-8, as Latin-1. `before` has the bytes before
/// them.
#[inline(always)]
fn put_as_latin1_lossy<S: ConvertOps>(
    s: S,
    before: S::Vector,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let continuations = s.high_bits(s.plus_signed_saturating(now, s.splat(0x40)));
    let leads = at_least::<S, 0xC0>(s, now) & !at_least::<S, 0xC4>(s, now);
    let after_leads = at_least::<S, 0xC0>(s, before) & !at_least::<S, 0xC4>(s, before);
    // 0x40 after C3. The mask removes what the shift moved in from the byte below.
    let more = masked(s, s.left16::<6>(s.minus_saturating(before, s.splat(0xC2))), 0x40);
    let bytes = s.select_high(s.minus_saturating(now, s.splat(0xC4 - 0x80)), s.splat(b'?'), s.or(now, more));
    s.put_kept_bytes(bytes, !leads & !(continuations & !after_leads) & first_bits(len), out)
}

/// Converts Latin-1 of at most two vectors into UTF-8, or of less than one with short vectors.
#[inline(always)]
pub(crate) fn short_to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    if S::LANES == 64 && text.len() >= S::LANES {
        return two_to_utf8(s, text, out);
    }
    if text.is_empty() || text.len() >= S::LANES {
        return 0;
    }
    if put_as_utf8(s, s.load_short(text), text.len(), out) { text.len() } else { 0 }
}

/// Converts Latin-1 of one or two vectors into UTF-8.
#[cfg_attr(trust8_optimised, inline(always))]
fn two_to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let [a, b] = s.load_two(text);
    let put = if s.high_bits(s.or(a, b)) == 0 {
        s.put_first_of_two(a, b, text.len(), out)
    } else {
        put_mixed_as_utf8(s, a, S::LANES, out) && put_mixed_as_utf8(s, b, text.len() - S::LANES, out)
    };
    if put { text.len() } else { 0 }
}

/// Converts Latin-1 into UTF-8.
#[inline(always)]
pub(crate) fn to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = leading_ascii::<S, IntoBytes>(s, text, out);
    if out.left() == 0 {
        return at;
    }
    // Two long vectors are hardly ever both ASCII in text that is not all ASCII.
    let len = if S::LANES == 64 { S::LANES } else { 2 * S::LANES };
    for block in text[at..].chunks_exact(len) {
        // No byte becomes more than two, so all of it fits.
        let Some(mut next) = out.fork_next(2 * len) else { break };
        let a = s.load(block, 0);
        if S::LANES == 64 {
            put_as_utf8(s, a, S::LANES, next.output());
        } else {
            let b = s.load(block, S::LANES);
            if s.high_bits(s.or(a, b)) == 0 {
                s.put_first_of_two(a, b, 2 * S::LANES, next.output());
            } else {
                put_as_utf8(s, a, S::LANES, next.output());
                put_as_utf8(s, b, S::LANES, next.output());
            }
        }
        next.join();
        at += len;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if !put_as_utf8(s, now, len, out) {
            break;
        }
        at += len;
    }
    at
}

/// Converts the part of the first vector of Latin-1 that fits into UTF-8.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn fill_with_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let (now, len) = load_block(s, text);
    let fits = s.place_after_ones_and_twos(s.high_bits(now), out.left()).min(len);
    if put_as_utf8(s, now, fits, out) { fits } else { 0 }
}

/// Appends the first `len` bytes of Latin-1 as UTF-8, or nothing if they do not fit.
#[inline(always)]
fn put_as_utf8<S: ConvertOps>(s: S, bytes: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    if s.high_bits(bytes) == 0 { s.put_first(bytes, len, out) } else { put_mixed_as_utf8(s, bytes, len, out) }
}

/// Like [`put_as_utf8`], for bytes that are not all ASCII.
#[inline(always)]
fn put_mixed_as_utf8<S: ConvertOps>(s: S, bytes: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    let two = s.high_bits(bytes);
    let bytes = s.for_interleaving(bytes);
    // C2 or C3 and a continuation byte, or the byte itself.
    let lead = s.or(masked(s, s.right16::<6>(bytes), 0x03), s.splat(0xC0));
    s.put_interleaved(s.select_high(bytes, lead, bytes), masked(s, bytes, 0xBF), two, len, out)
}

/// Converts Latin-1 that is shorter than a vector into wider units, or at most two vectors of it if
/// they have 32 or 64 bytes.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn short_widened<S: ConvertOps, T: Narrow>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let n = text.len();
    let put = if n == 0 {
        false
    } else if n < S::LANES {
        T::put_narrow(s, s.load_short(text), n, out)
    } else if S::LANES > 16 && n <= 2 * S::LANES {
        let [a, b] = s.load_two(text);
        T::put_narrow(s, a, S::LANES, out) && (n == S::LANES || T::put_narrow(s, b, n - S::LANES, out))
    } else {
        false
    };
    if put { n } else { 0 }
}

/// Converts Latin-1 into UTF-16. Throughout this file, `SWAPPED` means that units of UTF-16 are in
/// the non-native byte order.
#[inline(always)]
pub(crate) fn to_utf16<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    // The vectorised portable loop writes more at a time than 16-byte vectors do here.
    let portable = S::LANES == 16 && !SWAPPED;
    let at = if portable { portable::latin1_to_utf16(text, out) } else { 0 };
    at + widened::<S, IntoUtf16<SWAPPED>>(s, &text[at..], out)
}

/// Converts Latin-1 into UTF-32.
#[inline(always)]
pub(crate) fn to_utf32<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let at = if S::LANES == 16 { portable::latin1_to_utf32(text, out) } else { 0 };
    at + widened::<S, IntoUtf32>(s, &text[at..], out)
}

/// Converts Latin-1 into wider units.
#[inline(always)]
fn widened<S: ConvertOps, T: Narrow>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = if text.len() >= CACHED_BYTES {
        put_in_lines::<S, T, false>(s, text, out)
    } else {
        put_by_two::<S, T, false, false>(s, text, out)
    };
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        if !T::put_narrow(s, now, len, out) {
            break;
        }
        at += len;
    }
    at
}

/// Converts UTF-16 into Latin-1.
#[inline(always)]
pub(crate) fn from_utf16<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let text = &text[..text.len() & !1];
    let high_byte = s.splat16(order::<SWAPPED>(0xFF00));
    let mut at = 0;
    for block in text.chunks_exact(4 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        let (c, d) = (s.load(block, 2 * S::LANES), s.load(block, 3 * S::LANES));
        if s.any(s.and(s.or(s.or(a, b), s.or(c, d)), high_byte))
            || !s.put_first_of_two(
                narrowed::<S, SWAPPED>(s, a, b),
                narrowed::<S, SWAPPED>(s, c, d),
                2 * S::LANES,
                out,
            )
        {
            break;
        }
        at += 4 * S::LANES;
    }
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let narrow = narrowed::<S, SWAPPED>(s, now, now);
        if s.any(s.and(now, high_byte)) || !s.put_first(narrow, len / 2, out) {
            break;
        }
        at += len;
    }
    at
}

/// Narrows units of two vectors to bytes. All of them are in Latin-1.
#[inline(always)]
fn narrowed<S: ConvertOps, const SWAPPED: bool>(s: S, a: S::Vector, b: S::Vector) -> S::Vector {
    if SWAPPED { s.narrowed16(s.right16::<8>(a), s.right16::<8>(b)) } else { s.narrowed16(a, b) }
}

/// Converts UTF-16 into Latin-1, and replaces what Latin-1 lacks and what is malformed. Stops
/// before a high surrogate at the end of the text.
#[inline(always)]
pub(crate) fn from_utf16_lossy<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let text = match text.split_last_chunk() {
        Some((rest, unit)) if u16::from_ne_bytes(*unit) & 0xFC00 == 0xD800 => rest,
        _ => text,
    };
    let (mut at, mut before) = (0, s.splat(0));
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let put = if s.any(s.and(now, s.splat16(0xFF00))) {
            let [_, before, _] = s.earlier(now, before);
            put_units_as_latin1(s, before, now, len, out)
        } else {
            s.put_first(s.narrowed16(now, now), len / 2, out)
        };
        if !put {
            // The output has a replacement for the first half of a pair.
            let cut = text[at..]
                .first_chunk()
                .is_some_and(|unit| u16::from_ne_bytes(*unit) & 0xFC00 == 0xDC00)
                && text[..at].last_chunk().is_some_and(|unit| u16::from_ne_bytes(*unit) & 0xFC00 == 0xD800);
            out.retract(usize::from(cut));
            return at - 2 * usize::from(cut);
        }
        before = now;
        at += len;
    }
    at
}

/// Appends the first `len` bytes of units as Latin-1. `before` has the units before them.
#[inline(always)]
fn put_units_as_latin1<S: ConvertOps>(
    s: S,
    before: S::Vector,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let upper = s.and(now, s.splat16(0xFF00));
    let bytes = s.select16_equal(upper, 0, now, s.splat16(u16::from(b'?')));
    // A pair is one character, replaced at its first half.
    let half = s.splat16(0xFC00);
    let unless_high = s.select16_equal(s.and(before, half), 0xD800, s.splat(0), s.splat(0xFF));
    let kept = s.select16_equal(s.and(now, half), 0xDC00, unless_high, s.splat(0xFF));
    s.put_kept_bytes(bytes, s.high_bits(s.and(kept, s.splat16(0x0080))) & first_bits(len), out)
}

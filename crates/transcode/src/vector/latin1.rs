//! Latin-1 from and into the other encodings with vectors.
//!
//! Latin-1 is ASCII and U+0080 to U+00FF. In UTF-8 the latter begin with C2 or C3. After C2, the
//! continuation byte is the byte of Latin-1 itself. After C3, it is 0x40 less. So from UTF-8, a
//! position depends only on its byte and the byte before. The text is validated on the way.
//! `scalar.rs` handles a block that is malformed or not all in Latin-1, and finds out why.

#![forbid(unsafe_code)]

use super::{
    CACHED_BYTES, IntoBytes, Narrow, at_least, leading_ascii, load_block, masked, order, put_by_two,
    put_in_lines,
};
use crate::simd::{ConvertOps, first_bits};
use trust8::engine::{Output, ends_in_lead};

/// Converts UTF-8 of at most two vectors into Latin-1, or of less than one with short vectors.
#[inline(always)]
pub(crate) fn short_from_utf8<S: ConvertOps, const VALID: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> bool {
    if ends_in_lead(text) {
        return false;
    }
    if S::LANES == 64 && text.len() >= S::LANES {
        return two_from_utf8::<S, VALID>(s, text, out);
    }
    !text.is_empty()
        && text.len() < S::LANES
        && put_end_as_latin1::<S, VALID>(s, None, s.load_short(text), text.len(), out)
}

/// Converts UTF-8 of one or two vectors into Latin-1. It does not end inside a character.
#[cfg_attr(trust8_optimised, inline(always))]
fn two_from_utf8<S: ConvertOps, const VALID: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    let [a, b] = s.load_two(text);
    if s.high_bits(s.or(a, b)) == 0 {
        return s.put_first_of_two([a, b], text.len(), out);
    }
    let begins = ends_in_lead(&text[..S::LANES]);
    put_as_latin1::<S, VALID>(s, false, s.earlier(a, s.splat(0))[0], a, S::LANES, out)
        && put_as_latin1::<S, VALID>(s, begins, s.earlier(b, a)[0], b, text.len() - S::LANES, out)
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

/// Converts Latin-1 of at most two vectors into UTF-8, or of less than one with short vectors.
#[inline(always)]
pub(crate) fn short_to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    if S::LANES == 64 && text.len() >= S::LANES {
        return two_to_utf8(s, text, out);
    }
    !text.is_empty() && text.len() < S::LANES && put_as_utf8(s, s.load_short(text), text.len(), out)
}

/// Converts Latin-1 of one or two vectors into UTF-8.
#[cfg_attr(trust8_optimised, inline(always))]
fn two_to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    let [a, b] = s.load_two(text);
    if s.high_bits(s.or(a, b)) == 0 {
        return s.put_first_of_two([a, b], text.len(), out);
    }
    put_mixed_as_utf8(s, a, S::LANES, out) && put_mixed_as_utf8(s, b, text.len() - S::LANES, out)
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
                s.put_first_of_two([a, b], 2 * S::LANES, next.output());
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
    s.put_interleaved([s.select_high(bytes, lead, bytes), masked(s, bytes, 0xBF)], two, len, out)
}

/// Converts Latin-1 that is shorter than a vector into wider units, or at most two vectors of it if
/// they have 32 or 64 bytes.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn short_widened<S: ConvertOps, T: Narrow>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    let n = text.len();
    if n < S::LANES {
        return n > 0 && T::put_narrow(s, s.load_short(text), n, out);
    }
    if S::LANES == 16 || n > 2 * S::LANES {
        return false;
    }
    let [a, b] = s.load_two(text);
    T::put_narrow(s, a, S::LANES, out) && (n == S::LANES || T::put_narrow(s, b, n - S::LANES, out))
}

/// Converts Latin-1 into wider units.
#[inline(always)]
pub(crate) fn widened<S: ConvertOps, T: Narrow>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
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

/// Converts UTF-16 or UTF-32 into Latin-1. Units have `UNIT_BYTES` bytes, and `SWAPPED` means that
/// those of UTF-16 are in the non-native byte order.
#[inline(always)]
pub(crate) fn narrowed<S: ConvertOps, const UNIT_BYTES: usize, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let text = &text[..text.len() / UNIT_BYTES * UNIT_BYTES];
    let others = if UNIT_BYTES == 2 { s.splat16(order(0xFF00, SWAPPED)) } else { s.splat32(!0xFF) };
    let mut at = 0;
    for block in text.chunks_exact(4 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        let (c, d) = (s.load(block, 2 * S::LANES), s.load(block, 3 * S::LANES));
        if s.any(s.and(s.or(s.or(a, b), s.or(c, d)), others)) {
            break;
        }
        let two = [
            half_as_wide::<S, UNIT_BYTES, SWAPPED>(s, a, b),
            half_as_wide::<S, UNIT_BYTES, SWAPPED>(s, c, d),
        ];
        let put = match UNIT_BYTES {
            2 => s.put_first_of_two(two, 2 * S::LANES, out),
            _ => s.put_first(s.narrowed16(two[0], two[1]), S::LANES, out),
        };
        if !put {
            break;
        }
        at += 4 * S::LANES;
    }
    while at < text.len() {
        let rest = &text[at..];
        let ([a, b], len) = match (UNIT_BYTES, load_block(s, rest)) {
            (2, (now, len)) => ([now, now], len),
            _ => (s.load_two(rest), rest.len().min(2 * S::LANES)),
        };
        let half = half_as_wide::<S, UNIT_BYTES, SWAPPED>(s, a, b);
        let narrow = if UNIT_BYTES == 2 { half } else { s.narrowed16(half, half) };
        if s.any(s.and(s.or(a, b), others)) || !s.put_first(narrow, len / UNIT_BYTES, out) {
            break;
        }
        at += len;
    }
    at
}

/// Narrows the units of two vectors to half their width. All of them are in Latin-1.
#[inline(always)]
fn half_as_wide<S: ConvertOps, const UNIT_BYTES: usize, const SWAPPED: bool>(
    s: S,
    a: S::Vector,
    b: S::Vector,
) -> S::Vector {
    match (UNIT_BYTES, SWAPPED) {
        (2, false) => s.narrowed16(a, b),
        (2, true) => s.narrowed16(s.right16::<8>(a), s.right16::<8>(b)),
        _ => s.narrowed32(a, b),
    }
}

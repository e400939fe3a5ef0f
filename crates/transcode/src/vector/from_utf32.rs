//! UTF-32 into UTF-8 and UTF-16 with vectors.
//!
//! Into UTF-8, units up to U+FFFF are narrowed to 16 bits and then encoded like units of UTF-16.
//! Larger numbers become four bytes. Comparisons find units that are not characters.

#![forbid(unsafe_code)]

use super::from_utf16::{has_surrogates, put_below_800, put_below_10000};
use super::in_order;
use crate::simd::{ConvertOps, first_bits};
use trust8::engine::Output;

/// Converts UTF-32 of at most two long vectors into UTF-8. With shorter vectors, this would cost
/// other text more than it gains.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn short_to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    if S::LANES < 64 || text.is_empty() || !text.len().is_multiple_of(4) {
        return false;
    }
    let [a, b] = s.load_two(text);
    put_as_utf8(s, a, b, text.len(), out)
}

/// Converts UTF-32 into UTF-8.
#[inline(always)]
pub(crate) fn to_utf8<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !3];
    let mut at = 0;
    while let Some(block) = text.get(at..at + 2 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        if are_within(s, s.or(a, b), 0x7F)
            && let Some(block) = text.get(at + 2 * S::LANES..at + 4 * S::LANES)
        {
            let (c, d) = (s.load(block, 0), s.load(block, S::LANES));
            if are_within(s, s.or(c, d), 0x7F) {
                let narrow = s.narrowed16(s.narrowed32(a, b), s.narrowed32(c, d));
                if !s.put_first(narrow, S::LANES, out) {
                    break;
                }
                at += 4 * S::LANES;
                continue;
            }
            if S::LANES < 64 {
                let units = s.narrowed32(a, b);
                if !s.put_first(s.narrowed16(units, units), S::LANES / 2, out) {
                    break;
                }
                at += 2 * S::LANES;
                continue;
            }
        }
        // Then the output of two vectors fits, even though stores write more than they count.
        if out.left() < 4 * S::LANES || !put_as_utf8(s, a, b, 2 * S::LANES, out) {
            break;
        }
        at += 2 * S::LANES;
    }
    while at < text.len() {
        let rest = &text[at..];
        let ([a, b], len) = (s.load_two(rest), rest.len().min(2 * S::LANES));
        if !put_as_utf8(s, a, b, len, out) {
            break;
        }
        at += len;
    }
    at
}

/// Returns whether no unit has a bit outside `bits`.
#[inline(always)]
fn are_within<S: ConvertOps>(s: S, units: S::Vector, bits: u32) -> bool {
    !s.any(s.and(units, s.splat32(!bits)))
}

/// Returns whether all units are characters.
#[inline(always)]
fn are_characters<S: ConvertOps>(s: S, a: S::Vector, b: S::Vector) -> bool {
    // A number is above 10FFFF if its third byte is above 10 or its fourth above 0.
    let above = s.minus_saturating(s.max(a, b), s.splat32(0x0010_FFFF));
    !s.any(above) && !any_surrogate(s, a) && !any_surrogate(s, b)
}

/// Returns whether any unit is a surrogate.
#[inline(always)]
fn any_surrogate<S: ConvertOps>(s: S, units: S::Vector) -> bool {
    s.any_equal32(s.and(units, s.splat32(0xFFFF_F800)), 0xD800)
}

/// Appends the first `len` bytes of two vectors of units as UTF-8, or nothing if a unit is not a
/// character.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_as_utf8<S: ConvertOps>(s: S, a: S::Vector, b: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    let all = s.or(a, b);
    if are_within(s, all, 0x7FF) {
        return put_below_800(s, s.narrowed32(a, b), len / 2, out);
    }
    if !are_characters(s, a, b) {
        return false;
    }
    if are_within(s, all, 0xFFFF) {
        return put_below_10000(s, s.narrowed32(a, b), len / 2, out);
    }
    put_ends_of_four(s, [up_to_four(s, a), up_to_four(s, b)], len, out)
}

/// Appends the UTF-8 of the first `len` bytes of two vectors, as returned by [`up_to_four`].
#[cfg_attr(trust8_optimised, inline(always))]
fn put_ends_of_four<S: ConvertOps>(s: S, [a, b]: [S::Vector; 2], len: usize, out: &mut Output<'_>) -> bool {
    let fourth = s.splat32(0x8000_0000);
    let keep_a = s.high_bits(s.or(a, fourth)) & first_bits(len);
    let keep_b = s.high_bits(s.or(b, fourth)) & first_bits(len.saturating_sub(S::LANES));
    let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
    // All characters are above U+FFFF.
    if n == 2 * S::LANES {
        return s.put_first_of_two([a, b], n, out);
    }
    out.left() >= n && s.put_ends_of_four(a, keep_a, out) && s.put_ends_of_four(b, keep_b, out)
}

/// Returns the UTF-8 of characters in 32-bit lanes. The fourth byte is the last one of the
/// character. The others have bit 7 set if they belong to the character, and clear otherwise.
#[inline(always)]
fn up_to_four<S: ConvertOps>(s: S, unit: S::Vector) -> S::Vector {
    let above = |most| s.above32(unit, s.splat32(most));
    let (two, three, four) = (above(0x7F), above(0x7FF), above(0xFFFF));
    // The upper bits of each byte, and what is to be added to those of a shorter character.
    let more = |longer, marks: u32, of_shorter| {
        s.select32(longer, s.splat32(marks.wrapping_sub(of_shorter)), s.splat(0))
    };
    let marks = s.plus32(more(three, 0x8080_E000, 0x80C0_0000), more(four, 0x8080_80F0, 0x8080_E000));
    let marks = s.plus32(more(two, 0x80C0_0000, 0), marks);
    // The last three bytes have six bits each, a single byte has seven, and the first of four has three.
    let last = s.and(s.left32::<24>(unit), s.select32(two, s.splat32(0x3F00_0000), s.splat32(0x7F00_0000)));
    let last_two = s.or(last, s.and(s.left32::<10>(unit), s.splat32(0x003F_0000)));
    let first_two = s.or(s.and(s.right32::<4>(unit), s.splat32(0x0000_3F00)), s.right32::<18>(unit));
    s.or(s.or(last_two, first_two), marks)
}

/// Converts UTF-32 into UTF-16. Throughout this file, `SWAPPED` means that units of UTF-16 are in
/// the non-native byte order.
#[inline(always)]
pub(crate) fn to_utf16<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !3];
    let mut at = 0;
    for block in text.chunks_exact(4 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        let (c, d) = (s.load(block, 2 * S::LANES), s.load(block, 3 * S::LANES));
        let (first, second) = (s.narrowed32(a, b), s.narrowed32(c, d));
        if are_within(s, s.or(s.or(a, b), s.or(c, d)), 0xFFFF)
            && !has_surrogates(s, first)
            && !has_surrogates(s, second)
            && s.put_first_of_two(
                [in_order::<S, SWAPPED>(s, first), in_order::<S, SWAPPED>(s, second)],
                2 * S::LANES,
                out,
            )
        {
            at += 4 * S::LANES;
            continue;
        }
        if !put_two_as_utf16::<S, SWAPPED>(s, a, b, out) {
            return at;
        }
        at += 2 * S::LANES;
        if !put_two_as_utf16::<S, SWAPPED>(s, c, d, out) {
            return at;
        }
        at += 2 * S::LANES;
    }
    while at < text.len() {
        let rest = &text[at..];
        let ([a, b], len) = (s.load_two(rest), rest.len().min(2 * S::LANES));
        if !put_as_utf16::<S, SWAPPED>(s, a, b, len, out) {
            break;
        }
        at += len;
    }
    at
}

/// Appends the first `len` bytes of two vectors of units as UTF-16, or nothing if a unit is not a
/// character.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_as_utf16<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    a: S::Vector,
    b: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if are_within(s, s.or(a, b), 0xFFFF) {
        let units = s.narrowed32(a, b);
        return !has_surrogates(s, units) && s.put_first(in_order::<S, SWAPPED>(s, units), len / 2, out);
    }
    put_any_as_utf16::<S, SWAPPED>(s, a, b, len, out)
}

/// Like [`put_as_utf16`], for two whole vectors near others that have characters above U+FFFF or
/// are malformed.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_two_as_utf16<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    a: S::Vector,
    b: S::Vector,
    out: &mut Output<'_>,
) -> bool {
    // Any long vector may have such characters. A branch would often be mispredicted.
    if S::LANES == 64 {
        put_any_as_utf16::<S, SWAPPED>(s, a, b, 2 * S::LANES, out)
    } else {
        put_as_utf16::<S, SWAPPED>(s, a, b, 2 * S::LANES, out)
    }
}

/// Like [`put_as_utf16`], without checking whether all characters are below U+10000.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_any_as_utf16<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    a: S::Vector,
    b: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if !are_characters(s, a, b) {
        return false;
    }
    let (a, b) = (as_utf16(s, a), as_utf16(s, b));
    let keep_a = kept_of_utf16(s, a) & first_bits(len);
    let keep_b = kept_of_utf16(s, b) & first_bits(len.saturating_sub(S::LANES));
    let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
    let (a, b) = (in_order::<S, SWAPPED>(s, a), in_order::<S, SWAPPED>(s, b));
    out.left() >= n && s.put_kept_u16(a, keep_a, out) && s.put_kept_u16(b, keep_b, out)
}

/// Returns the UTF-16 of characters in 32-bit lanes. The upper half is 0 if a character has only
/// one unit.
#[inline(always)]
fn as_utf16<S: ConvertOps>(s: S, unit: S::Vector) -> S::Vector {
    // Each half has ten bits of the number minus 0x10000. For the upper ten bits, this subtraction
    // and the addition of D800 are a single addition of D7C0.
    let first = s.plus32(s.right32::<10>(unit), s.splat32(0xD800 - (0x1_0000 >> 10)));
    let second = s.or(s.left32::<16>(s.and(unit, s.splat32(0x3FF))), s.splat32(0xDC00_0000));
    s.select32(s.above32(unit, s.splat32(0xFFFF)), s.or(first, second), unit)
}

/// Returns a one for each byte to keep of what [`as_utf16`] returns. The lower two of each four are
/// kept. The upper two are kept if they are the second half of a pair, whose highest bit is set.
#[inline(always)]
fn kept_of_utf16<S: ConvertOps>(s: S, units: S::Vector) -> u64 {
    let highest = s.high_bits(units) & 0x8888_8888_8888_8888;
    let lanes = u64::MAX >> (64 - S::LANES);
    (highest | highest >> 1 | 0x3333_3333_3333_3333) & lanes
}

//! UTF-32 from UTF-8 and UTF-16 and into them with vectors, written once for every instruction set.
//!
//! The steps are those of `vector.rs`: all places of a block alike, whatever they belong to, and then the gaps left
//! out. UTF-32 is simpler in that a character is one unit.
//!
//! # From UTF-8
//!
//! The text is known to be valid. There is a unit where a character ends, and its three bytes are computed in a vector
//! each. `L` is the byte at this place, `P`, `Q` and `R` are those one, two and three places before it:
//!
//! ```text
//! low    =  L, without bit 7    |  P << 6                 nothing of P if L is ASCII
//! middle =  P >> 2, four bits   |  (Q - E0) << 4          nothing of Q if that is negative
//!                               or  Q << 4                where R begins a character of four bytes
//! high   =  Q >> 4, two bits    |  R << 2, three bits     there, else nothing
//! ```
//!
//! # Into UTF-8
//!
//! Units below U+0800 are narrowed to 16 bits, and then are those of UTF-16. Up to U+FFFF a unit becomes bytes as one of
//! UTF-16 that is no surrogate does; above, there are four. What is no character is refused by comparison.

#![forbid(unsafe_code)]

use super::vector::{
    Ascii, Target, begins_four, encoded, has_surrogates, in_pairs, load_block, marks, masked, pair_start,
    put_below_800,
};
use crate::output::Output;
use crate::simd::convert::{Units, within};

pub(super) struct IntoUtf32;

impl Ascii for IntoUtf32 {
    const UNIT: usize = 4;

    #[inline(always)]
    fn put_ascii<S: Units>(s: S, ascii: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        s.put_widened32(ascii, n, out)
    }
}

impl Target for IntoUtf32 {
    const AT_THIRD_OF_FOUR: usize = 0;

    #[inline(always)]
    fn put_block<S: Units>(
        s: S,
        now: S::Vector,
        [before1, before2, before3]: [S::Vector; 3],
        ends: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let before1 = s.where_high(now, before1);
        let low = s.or(masked(s, s.left16::<6>(before1), 0xC0), masked(s, now, 0x7F));
        let of_before1 = masked(s, s.right16::<2>(before1), 0x0F);
        let middle = s.or(of_before1, s.left16::<4>(s.minus(before2, s.splat8(0xE0))));

        let four = begins_four(s, before3);
        if s.high_bits(four) == 0 {
            return s.put_dwords(low, middle, None, ends, out);
        }
        let middle_of_four = s.or(of_before1, masked(s, s.left16::<4>(before2), 0xF0));
        let middle = s.select_high(four, middle_of_four, middle);
        let high = s.or(masked(s, s.right16::<4>(before2), 0x03), masked(s, s.left16::<2>(before3), 0x1C));
        s.put_dwords(low, middle, Some(s.where_high(four, high)), ends, out)
    }
}

/// UTF-32 into UTF-8, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf32_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !3];
    let mut at = 0;
    while let Some(block) = text.get(at..at + 2 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        if is_ascii(s, a, b)
            && let Some(block) = text.get(at + 2 * S::LANES..at + 4 * S::LANES)
        {
            let (c, d) = (s.load(block, 0), s.load(block, S::LANES));
            if is_ascii(s, c, d) {
                if !s.put_narrowed(s.narrowed32(a, b), s.narrowed32(c, d), S::LANES, out) {
                    return at;
                }
                at += 4 * S::LANES;
                continue;
            }
        }
        if !put_as_utf8(s, a, b, 2 * S::LANES, out) {
            return at;
        }
        at += 2 * S::LANES;
    }
    let rest = &text[at..];
    let [a, b] = load_pair(s, rest);
    if !rest.is_empty() && !put_as_utf8(s, a, b, rest.len(), out) {
        return at;
    }
    text.len()
}

/// The rest of a text, less than two vectors, and zeros.
#[inline(always)]
fn load_pair<S: Units>(s: S, rest: &[u8]) -> [S::Vector; 2] {
    let (first, len) = load_block(s, rest);
    [first, load_block(s, &rest[len..]).0]
}

#[inline(always)]
fn is_ascii<S: Units>(s: S, a: S::Vector, b: S::Vector) -> bool {
    !s.any(s.and(s.or(a, b), s.splat32(!0x7F)))
}

/// Whether all lanes of 32 bits are characters.
#[inline(always)]
fn are_characters<S: Units>(s: S, a: S::Vector, b: S::Vector) -> bool {
    // Byte by byte: above 10FFFF is what has more than 10 in the third byte, or more than 0 in the fourth.
    let above = s.minus(s.max(a, b), s.splat32(0x0010_FFFF));
    !s.any(above) && !any_surrogate(s, a) && !any_surrogate(s, b)
}

#[inline(always)]
fn any_surrogate<S: Units>(s: S, units: S::Vector) -> bool {
    s.any_equal32(s.and(units, s.splat32(0xFFFF_F800)), 0xD800)
}

/// Appends two vectors of units as UTF-8, of which the first `len` bytes are text; or nothing, if one is no character.
#[inline(always)]
fn put_as_utf8<S: Units>(s: S, a: S::Vector, b: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    let all = s.or(a, b);
    if !s.any(s.and(all, s.splat32(!0x7FF))) {
        return put_below_800(s, s.narrowed32(a, b), len / 2, out);
    }
    if !are_characters(s, a, b) {
        return false;
    }
    let (in_a, in_b) = (within(len), within(len.saturating_sub(S::LANES)));
    if !s.any(s.and(all, s.splat32(!0xFFFF))) {
        let (a, b) = (up_to_three(s, a), up_to_three(s, b));
        // The third byte is always there, and the others are where they have a value, which has bit 7.
        let third = s.splat32(0x0080_0000);
        let keep_a = s.high_bits(s.or(a, third)) & in_a;
        let keep_b = s.high_bits(s.or(b, third)) & in_b;
        let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
        return out.left() >= n && s.put_quads(a, keep_a, out) && s.put_quads(b, keep_b, out);
    }
    let (a, b) = (up_to_four(s, a), up_to_four(s, b));
    let fourth = s.splat32(0x8000_0000);
    let keep_a = s.high_bits(s.or(a, fourth)) & in_a;
    let keep_b = s.high_bits(s.or(b, fourth)) & in_b;
    let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
    out.left() >= n && s.put_ends(a, keep_a, out) && s.put_ends(b, keep_b, out)
}

/// The bytes of characters below U+10000 in lanes of 32 bits: the last byte is the third. Those that are there have bit
/// 7 set, or are ASCII and the third.
#[inline(always)]
fn up_to_three<S: Units>(s: S, unit: S::Vector) -> S::Vector {
    encoded(s, unit, unit, marks(s, unit))
}

/// The bytes of characters in lanes of 32 bits: the last byte is the fourth. Those that are there have bit 7 set,
/// or are ASCII and the fourth.
#[inline(always)]
fn up_to_four<S: Units>(s: S, unit: S::Vector) -> S::Vector {
    // Six bits each of the last three bytes; of the first, three are what is left.
    let last_two = s.or(
        s.and(s.left32::<24>(unit), s.splat32(0x3F00_0000)),
        s.and(s.left32::<10>(unit), s.splat32(0x003F_0000)),
    );
    let first_two = s.or(s.and(s.right32::<4>(unit), s.splat32(0x0000_3F00)), s.right32::<18>(unit));
    let four = s.or(s.or(last_two, first_two), s.splat32(0x8080_80F0));
    // What the three bytes of larger ones are means nothing, and stays in their lanes.
    s.select32(unit, 0x1_0000, four, s.left32::<8>(up_to_three(s, unit)))
}

/// UTF-32 into UTF-16, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf32_to_utf16<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !3];
    let mut at = 0;
    while let Some(block) = text.get(at..at + 2 * S::LANES) {
        let (a, b) = (s.load(block, 0), s.load(block, S::LANES));
        if !put_as_utf16(s, a, b, 2 * S::LANES, out) {
            return at;
        }
        at += 2 * S::LANES;
    }
    let rest = &text[at..];
    let [a, b] = load_pair(s, rest);
    if !rest.is_empty() && !put_as_utf16(s, a, b, rest.len(), out) {
        return at;
    }
    text.len()
}

/// As [`put_as_utf8`], in UTF-16.
#[inline(always)]
fn put_as_utf16<S: Units>(s: S, a: S::Vector, b: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    if !s.any(s.and(s.or(a, b), s.splat32(!0xFFFF))) {
        let units = s.narrowed32(a, b);
        return !has_surrogates(s, units) && s.put_first(units, len / 2, out);
    }
    if !are_characters(s, a, b) {
        return false;
    }
    let (a, b) = (up_to_two(s, a), up_to_two(s, b));
    let keep_a = keep_of_two(s, a) & within(len);
    let keep_b = keep_of_two(s, b) & within(len.saturating_sub(S::LANES));
    let n = (keep_a.count_ones() + keep_b.count_ones()) as usize;
    out.left() >= n && s.put_twos(a, keep_a, out) && s.put_twos(b, keep_b, out)
}

/// The units of UTF-16 of characters in lanes of 32 bits; the upper half is 0 where there is only one.
#[inline(always)]
fn up_to_two<S: Units>(s: S, unit: S::Vector) -> S::Vector {
    // Ten bits of the number less 10000 each. To subtract that is to add its negative, and the ten bits that
    // come first leave no more than D7C0 to add to what is above the last ten.
    let first = s.plus32(s.right32::<10>(unit), s.splat32(0xD800 - (0x1_0000 >> 10)));
    let second = s.or(s.left32::<16>(s.and(unit, s.splat32(0x3FF))), s.splat32(0xDC00_0000));
    s.select32(unit, 0x1_0000, s.or(first, second), unit)
}

/// The bytes to keep of what [`up_to_two`] has made: the lower two of each four, and the upper two if they are the
/// second half of a pair, of whose bits the highest is set.
#[inline(always)]
fn keep_of_two<S: Units>(s: S, units: S::Vector) -> u64 {
    let highest = s.high_bits(units) & 0x8888_8888_8888_8888;
    let lanes = u64::MAX >> (64 - S::LANES);
    (highest | highest >> 1 | 0x3333_3333_3333_3333) & lanes
}

/// UTF-16 into UTF-32, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_utf32<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let mut at = 0;
    let mut before = s.splat8(0);
    while at < text.len() {
        let rest = &text[at..];
        let (now, len) = load_block(s, rest);
        let put = if has_surrogates(s, now) {
            let (behind, _) = load_block(s, &rest[2..]);
            put_pairs_joined(s, s.earlier(now, before)[1], now, behind, len, out)
        } else {
            let [first, second] = s.widened(now);
            if let Some(next) = rest.get(S::LANES..2 * S::LANES)
                && out.left() >= 4 * S::LANES
            {
                let next = s.load(next, 0);
                if !has_surrogates(s, next) {
                    let [third, fourth] = s.widened(next);
                    s.put_both(first, second, 2 * S::LANES, out);
                    s.put_both(third, fourth, 2 * S::LANES, out);
                    before = next;
                    at += 2 * S::LANES;
                    continue;
                }
            }
            s.put_both(first, second, 2 * len, out)
        };
        if !put {
            // The first half of a pair has put nothing.
            return pair_start(text, at).0;
        }
        before = now;
        at += len;
    }
    at
}

/// Appends the characters of the first `len` bytes of units, with those one unit earlier and later; or nothing, if
/// there is a lone surrogate among them. A pair belongs to the block in which it ends.
#[inline(always)]
fn put_pairs_joined<S: Units>(
    s: S,
    before: S::Vector,
    now: S::Vector,
    behind: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if !in_pairs(s, before, now, behind) {
        return false;
    }
    // Of the number less 10000 each half has ten bits. So six bits of the first one come before ten of the second one in
    // the lower half of the unit, and the other four, and one for the 10000, in the upper half.
    let ten = s.splat16(0x3FF);
    let low = s.or(s.left16::<10>(before), s.and(now, ten));
    let high = s.right16::<6>(s.plus32(s.and(before, ten), s.splat16(0x40)));
    let half = s.and(now, s.splat16(0xFC00));
    let low = s.select16_equal(half, 0xDC00, low, now);
    let high = s.select16_equal(half, 0xDC00, high, s.splat8(0));
    let keep = s.high_bits(s.select16_equal(half, 0xD800, s.splat8(0), s.splat8(0xFF)));
    s.put_joined(low, high, keep & within(len), out)
}

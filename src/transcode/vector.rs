//! UTF-8 and UTF-16 into each other with vectors, written once for every instruction set.
//!
//! # From UTF-8
//!
//! The text is known to be valid. In UTF-16 there is a unit for the last byte of each character, and one more for
//! the third of four bytes; and what it is depends on this byte and the three before it. So all
//! places of a block are treated alike, whatever they belong to, the units at other places are left out,
//! and the next block begins behind this one, wherever that is:
//!
//! ```text
//! text       a    C3   A9   E2   82   AC   F0   9F   98   80
//! unit       0061 .    00E9 .    .    20AC .    .    D83D DE00
//! ```
//!
//! The low and the high byte of a unit are computed in a vector each, so that there is a lane for every byte
//! of text. `L` is the byte at this place, `P` the one before it, `Q` the one before that:
//!
//! ```text
//! low  =  L, without bit 7   |  P << 6                nothing of P if L is ASCII
//! high =  P >> 2, four bits  |  (Q - E0) << 4         nothing of Q if that is negative
//! ```
//!
//! # From UTF-16
//!
//! The other way round, each unit becomes one to three bytes, which are computed in lanes of 32 bits, or, where all
//! units of a vector are below U+0800, of 16. Half of a surrogate pair becomes two bytes: the high one
//! the first and the second, the low one the third (with two bits of its neighbour) and the fourth. That every
//! high one is followed by a low one and every low one preceded by a high one is checked on the way.
//!
//! The ideas are those of Clausecker and Lemire ('Transcoding Unicode Characters with AVX-512 Instructions',
//! arXiv 2212.05098): a compression for the gaps, surrogates in place. The differences: validity is not
//! part of it but decided before, by the validator; steps have a fixed length, since a block sees
//! the bytes before it; and bytes, not units, are compressed.

#![forbid(unsafe_code)]

use super::output::Output;
use crate::simd::units::Units;

/// The longest vector.
const LONGEST: usize = 64;

/// From this length on it pays to write whole cache lines.
const LINES_PAY: usize = 512;

/// ASCII into UTF-16, vector by vector, as far as it goes and fits.
#[inline(always)]
pub(super) fn ascii_to_utf16<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    if text.len() >= LINES_PAY {
        let before_line = out.before_line();
        let first = s.load(text, 0);
        if s.high_bits(first) != 0 || !s.put_widened(first, out) {
            return 0;
        }
        // As many units of these as leave the next one at the start of a line; the others are written again.
        at = before_line / 2 % S::LANES;
        out.retract(2 * (S::LANES - at));
    }
    while text.len() - at >= 2 * S::LANES {
        let (a, b) = (s.load(text, at), s.load(text, at + S::LANES));
        if s.high_bits(s.or(a, b)) != 0 || out.left() < 4 * S::LANES {
            break;
        }
        s.put_widened(a, out);
        s.put_widened(b, out);
        at += 2 * S::LANES;
    }
    at
}

/// Valid UTF-8 into UTF-16, as far as it fits, or nearly so.
#[inline(always)]
pub(super) fn utf8_to_utf16<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    // A block wants the three bytes before it and one behind it.
    while let Some(block) = text.get(at..at + S::LANES + 1) {
        let put = if s.high_bits(s.load(block, 0)) == 0 {
            s.put_widened(s.load(block, 0), out)
        } else if at == 0 {
            utf8_block(s, &padded::<3>(text, 0, S::LANES + 1), u64::MAX, out)
        } else {
            utf8_block(s, &text[at - 3..at + S::LANES + 1], u64::MAX, out)
        };
        if !put {
            let (start, put) = character_start(text, at);
            out.retract(put);
            return start;
        }
        at += S::LANES;
    }
    let rest = text.len() - at;
    if rest > 0 {
        let keep = u64::MAX >> (64 - rest);
        if !utf8_block(s, &padded::<3>(text, at, rest), keep, out) {
            let (start, put) = character_start(text, at);
            out.retract(put);
            return start;
        }
    }
    text.len()
}

/// `text[at..at + len]` with what is before it, as many bytes as `BEFORE`, and zeros all around.
#[inline(always)]
fn padded<const BEFORE: usize>(text: &[u8], at: usize, len: usize) -> [u8; LONGEST + 8] {
    let mut block = [0; LONGEST + 8];
    let before = at.min(BEFORE);
    block[BEFORE - before..BEFORE + len].copy_from_slice(&text[at - before..at + len]);
    block
}

/// The place where the character begins to which byte `at` belongs, and how many bytes have been put for what of
/// it comes before.
#[cold]
fn character_start(text: &[u8], at: usize) -> (usize, usize) {
    let mut start = at;
    while start > 0 && at - start < 3 && matches!(text.get(start), Some(0x80..=0xBF)) {
        start -= 1;
    }
    // At the third of four bytes a high surrogate has been put.
    (start, if at - start == 3 { 2 } else { 0 })
}

/// Appends the units of a block: those of its places for which `within` has a one. The block begins at the fourth
/// byte of `text` and ends before the last one.
#[inline(always)]
fn utf8_block<S: Units>(s: S, text: &[u8], within: u64, out: &mut Output<'_>) -> bool {
    let text = &text[..S::LANES + 4];
    let [before3, before2, before1] = [s.load(text, 0), s.load(text, 1), s.load(text, 2)];
    let (now, next) = (s.load(text, 3), s.load(text, 4));

    let before1 = s.where_high(now, before1);
    let mut low = s.or(masked(s, s.left16::<6>(before1), 0xC0), masked(s, now, 0x7F));
    let third_of_three = s.left16::<4>(s.minus(before2, s.splat8(0xE0)));
    let mut high = s.or(masked(s, s.right16::<2>(before1), 0x0F), third_of_three);
    // A character ends where no continuation follows: that is, no byte from -80 to -41.
    let mut keep = !s.high_bits(s.plus_signed(next, s.splat8(0x40)));

    if s.high_bits(begins_four(s, s.max(now, before3))) != 0 {
        let (third, fourth) = (begins_four(s, before2), begins_four(s, before3));
        // The number of the plane less one: 0 to 15, four bits; then six bits of the second byte, from
        // which the plane has taken two; and two of the third.
        let plane = s.or(masked(s, s.left16::<2>(before2), 0x1C), masked(s, s.right16::<4>(before1), 0x03));
        let plane = s.minus(plane, s.splat8(1));
        let first_low = s.or(
            s.or(masked(s, s.left16::<6>(plane), 0xC0), masked(s, s.left16::<2>(before1), 0x3C)),
            masked(s, s.right16::<4>(now), 0x03),
        );
        let first_high = s.or(masked(s, s.right16::<2>(plane), 0x03), s.splat8(0xD8));
        let second_high = s.or(masked(s, s.right16::<2>(before1), 0x03), s.splat8(0xDC));
        low = s.select_high(third, first_low, low);
        high = s.select_high(third, first_high, s.select_high(fourth, second_high, high));
        keep |= s.high_bits(third);
    }
    let lanes = u64::MAX >> (64 - S::LANES);
    s.put_words(low, high, keep & within & lanes, out)
}

#[inline(always)]
fn masked<S: Units>(s: S, v: S::Vector, mask: u8) -> S::Vector {
    s.and(v, s.splat8(mask))
}

/// Bit 7 of each byte that begins a character of four: of a difference to 70 it is set from F0 on.
#[inline(always)]
fn begins_four<S: Units>(s: S, v: S::Vector) -> S::Vector {
    s.minus(v, s.splat8(0xF0 - 0x80))
}

/// UTF-16 into UTF-8, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let mut at = 0;
    loop {
        let rest = text.len() - at;
        if rest == 0 {
            return at;
        }
        let (put, len) = if at > 0 && rest >= 2 * S::LANES + 2 {
            let (a, b) = (s.load(text, at), s.load(text, at + S::LANES));
            if s.any(s.and(s.or(a, b), s.splat16(0xFF80))) {
                // A block wants a unit before it and one behind it.
                (utf16_block(s, &text[at - 2..at + S::LANES + 2], S::LANES, out), S::LANES)
            } else {
                (s.put_narrowed(a, b, out), 2 * S::LANES)
            }
        } else {
            // At the start, and near the end.
            let len = rest.min(S::LANES);
            (utf16_block(s, &padded::<2>(text, at, rest.min(S::LANES + 2)), len, out), len)
        };
        if !put {
            let (start, put) = pair_start(text, at);
            out.retract(put);
            return start;
        }
        at += len;
    }
}

/// The place before unit `at`, if that is the second half of a pair, and how many bytes have been put for the first.
#[cold]
fn pair_start(text: &[u8], at: usize) -> (usize, usize) {
    match text[..at].last_chunk() {
        Some(unit) if u16::from_ne_bytes(*unit) & 0xFC00 == 0xD800 => (at - 2, 2),
        _ => (at, 0),
    }
}

/// Appends the bytes of a block, the first `len` bytes of it; or nothing, if there is a lone surrogate in it. The
/// block begins at the second unit of `text`.
#[inline(always)]
fn utf16_block<S: Units>(s: S, text: &[u8], len: usize, out: &mut Output<'_>) -> bool {
    let text = &text[..S::LANES + 4];
    let now = s.load(text, 2);
    if !s.any(s.and(now, s.splat16(0xF800))) {
        // Below U+0800: first byte in the lower half of a lane, second in the upper one.
        let two = s.or(s.right16::<6>(now), s.and(s.left16::<8>(now), s.splat16(0x3F00)));
        let bytes = s.select16(now, 0x80, s.or(two, s.splat16(0x80C0)), now);
        let keep = s.high_bits(s.or(bytes, s.splat16(0x0080)));
        return s.put_pairs(bytes, keep & within(len), out);
    }

    let [mut first, mut second] = s.widened(now);
    if s.any_equal16(s.and(now, s.splat16(0xF800)), 0xD800) {
        let (before, behind) = (s.load(text, 0), s.load(text, 4));
        let (half, before_half, behind_half) =
            (which_half(s, now), which_half(s, before), which_half(s, behind));
        if s.differ16(half, 0xD800, behind_half, 0xDC00) | s.differ16(half, 0xDC00, before_half, 0xD800) {
            return false;
        }
        let [before_first, before_second] = s.widened(before);
        first = with_pairs(s, first, before_first);
        second = with_pairs(s, second, before_second);
    } else {
        first = without_pairs(s, first);
        second = without_pairs(s, second);
    }
    // The third byte is always there, and the others are where they have a value, which has bit 7.
    let third = s.splat32(0x0080_0000);
    let keep_first = s.high_bits(s.or(first, third)) & within(2 * len);
    let keep_second = s.high_bits(s.or(second, third)) & within((2 * len).saturating_sub(S::LANES));
    let n = keep_first.count_ones() + keep_second.count_ones();
    out.left() >= n as usize && s.put_quads(first, keep_first, out) && s.put_quads(second, keep_second, out)
}

/// The bytes of units in lanes of 32 bits, which are no surrogates: three in a lane, and a zero. Those that are there
/// have bit 7 set, or are ASCII and the third.
#[inline(always)]
fn without_pairs<S: Units>(s: S, unit: S::Vector) -> S::Vector {
    let last = s.left32::<16>(unit);
    // Six bits each of the third and the second byte; four or five of the first are what is left.
    let two = s.or(s.and(last, s.splat32(0x003F_0000)), s.and(s.left32::<2>(unit), s.splat32(0x0000_3F00)));
    let three = s.or(s.or(two, s.right32::<12>(unit)), s.splat32(0x0080_80E0));
    let two = s.or(two, s.splat32(0x0080_C000));
    s.select32(unit, 0x800, three, s.select32(unit, 0x80, two, last))
}

/// The same of any units, with those before them.
#[inline(always)]
fn with_pairs<S: Units>(s: S, unit: S::Vector, before: S::Vector) -> S::Vector {
    // Ten bits, of which 0x40 more make the upper ones of a number from 10000 on.
    let high = s.plus32(s.and(unit, s.splat32(0x3FF)), s.splat32(0x40));
    let high = s.or(s.and(high, s.splat32(0x0000_0700)), s.and(s.left32::<14>(high), s.splat32(0x003F_0000)));
    let high = s.or(high, s.splat32(0x0080_F000));
    // Of the low half ten bits, four and six, and above them the lowest two of the high half.
    let low = s.or(
        s.and(s.left32::<12>(before), s.splat32(0x0000_3000)),
        s.and(s.left32::<2>(unit), s.splat32(0x0000_0F00)),
    );
    let low = s.or(low, s.or(s.and(s.left32::<16>(unit), s.splat32(0x003F_0000)), s.splat32(0x0080_8000)));
    let which = s.and(unit, s.splat32(0xFC00));
    let lanes = s.select32_equal(which, s.splat32(0xDC00), low, without_pairs(s, unit));
    s.select32_equal(which, s.splat32(0xD800), high, lanes)
}

/// Ones for the first so many places.
#[inline(always)]
fn within(places: usize) -> u64 {
    if places >= 64 { u64::MAX } else { (1 << places) - 1 }
}

/// The bits by which a unit is half a surrogate pair, and which half.
#[inline(always)]
fn which_half<S: Units>(s: S, units: S::Vector) -> S::Vector {
    s.and(units, s.splat16(0xFC00))
}

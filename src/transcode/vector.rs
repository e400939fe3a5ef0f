//! UTF-8 and UTF-16 into each other with vectors, written once for every instruction set. UTF-8 goes into UTF-32 by the
//! same steps.
//!
//! # From UTF-8
//!
//! The text is validated first, piece by piece. In UTF-16 there is a unit for the last byte of each character, and
//! one more for the third of four bytes; and what it is depends on this byte and the three before it. So all
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
//! ASCII is found block by block, and costs a widening; being valid, it is not validated first.
//!
//! # From UTF-16
//!
//! The other way round, each unit becomes one to three bytes, which are computed in lanes of 32 bits, or, where all
//! units of a vector are below U+0800, of 16. Half of a surrogate pair becomes two bytes: the high one
//! the first and the second, the low one the third (with two bits of its neighbour) and the fourth. That every
//! high one is followed by a low one and every low one preceded by a high one is checked on the way.
//!
//! # Short texts
//!
//! A text of less than a vector is one block, loaded with zeros behind it: looked at for ASCII, validated, converted
//! and stored in straight code, for which no constant is made ready and no register saved. That would be most of
//! what a call costs.
//!
//! The ideas are those of Clausecker and Lemire ('Transcoding Unicode Characters with AVX-512 Instructions',
//! arXiv 2212.05098): a compression for the gaps, surrogates in place. The differences: validity is not
//! part of it but decided before, by the validator; steps have a fixed length, since a block sees
//! the bytes before it; and bytes, not units, are compressed.

#![forbid(unsafe_code)]

use crate::boundary::floor;
use crate::kernel::Validates;
use crate::kernel::automaton::judge;
use crate::kernel::verdict::Verdict;
use crate::output::Output;
use crate::simd::convert::{Units, within};

/// UTF-8 is validated in pieces, each before it is converted: of so many bytes at most, or at the end of a text twice as
/// many, which stay in the L1 cache together with what comes out.
const LONGEST_PIECE: usize = 4096;

/// The first piece, and the first one behind ASCII, which may go on soon: few bytes, but more than a vector and a
/// character, so that the block for which it is validated lies in it.
const FIRST_PIECE: usize = 127;

/// From this length on it pays to write ASCII in whole cache lines, and to read UTF-16 in such.
pub(super) const LINES_PAY: usize = 512;

/// Behind so many vectors of ASCII more is expected, and taken in whole cache lines. Between other characters as many, or
/// fewer, are common, and the start of a line is not worth what is written twice for it.
const STRAY: usize = 3;

/// What ASCII is converted into.
pub(super) trait Ascii {
    /// Bytes in a unit.
    const UNIT: usize;

    /// Appends the first `n` bytes, which are ASCII, or Latin-1 if that is converted into units of more than a byte.
    fn put_ascii<S: Units>(s: S, ascii: S::Vector, n: usize, out: &mut Output<'_>) -> bool;
}

/// What UTF-8 is converted into: UTF-16 or UTF-32.
pub(super) trait Target: Ascii {
    /// Bytes that are put for the third of a character's four, where its fourth puts the rest.
    const AT_THIRD_OF_FOUR: usize;

    /// Appends the units of a block. `context` is the text one, two and three bytes before it; in `ends` there is a
    /// one where a character ends.
    fn put_block<S: Units>(
        s: S,
        now: S::Vector,
        context: [S::Vector; 3],
        ends: u64,
        out: &mut Output<'_>,
    ) -> bool;
}

pub(super) struct IntoUtf16;

impl Ascii for IntoUtf16 {
    const UNIT: usize = 2;

    #[inline(always)]
    fn put_ascii<S: Units>(s: S, ascii: S::Vector, n: usize, out: &mut Output<'_>) -> bool {
        s.put_widened(ascii, n, out)
    }
}

impl Target for IntoUtf16 {
    const AT_THIRD_OF_FOUR: usize = 2;

    #[inline(always)]
    fn put_block<S: Units>(
        s: S,
        now: S::Vector,
        [before1, before2, before3]: [S::Vector; 3],
        ends: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let mut keep = ends;

        let before1 = s.where_high(now, before1);
        let mut low = s.or(masked(s, s.left16::<6>(before1), 0xC0), masked(s, now, 0x7F));
        let third_of_three = s.left16::<4>(s.minus(before2, s.splat8(0xE0)));
        let mut high = s.or(masked(s, s.right16::<2>(before1), 0x0F), third_of_three);

        if s.high_bits(begins_four(s, s.max(now, before3))) != 0 {
            let (third, fourth) = (begins_four(s, before2), begins_four(s, before3));
            // The number of the plane less one: 0 to 15, four bits; then six bits of the second byte, from
            // which the plane has taken two; and two of the third.
            let plane =
                s.or(masked(s, s.left16::<2>(before2), 0x1C), masked(s, s.right16::<4>(before1), 0x03));
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
        s.put_words(low, high, keep, out)
    }
}

/// UTF-8 into UTF-16 or UTF-32, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf8<S: Units, T: Target>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
    validator: impl Validates,
) -> usize {
    convert_utf8::<S, T>(s, text, 0, out, validator)
}

/// What is known to be valid needs no check.
#[derive(Clone, Copy)]
pub(super) struct Known;

impl Validates for Known {
    #[inline(always)]
    fn validate(self, _: &[u8]) -> Verdict {
        Verdict::VALID
    }
}

/// Valid UTF-8 into UTF-16 or UTF-32, as far as it fits, or nearly so.
#[inline(always)]
pub(super) fn valid_utf8<S: Units, T: Target>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    convert_utf8::<S, T>(s, text, text.len(), out, Known)
}

/// UTF-8 of less than a vector into UTF-16 or UTF-32: all of it, or nothing.
#[inline(always)]
pub(super) fn short_utf8<S: Units, T: Target>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
    validator: impl Validates,
) -> usize {
    if text.is_empty() || text.len() >= S::LANES {
        return 0;
    }
    let now = s.load_short(text);
    let put = if s.high_bits(now) == 0 {
        T::put_ascii(s, now, text.len(), out)
    } else if validator.validate(text).is_valid() {
        T::put_block(s, now, s.earlier(now, s.splat8(0)), ends(s, now, text.len(), false), out)
    } else {
        false
    };
    if put { text.len() } else { 0 }
}

/// ASCII at the start of a text that is not long, as far as it goes and fits. If that is all of it, nothing has to be
/// made ready for the loop over blocks.
#[inline(always)]
fn leading_ascii<S: Units, T: Ascii>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    if text.len() >= LINES_PAY {
        return at;
    }
    while let Some(block) = text.get(at..at + S::LANES) {
        let now = s.load(block, 0);
        if s.high_bits(now) != 0 || !T::put_ascii(s, now, S::LANES, out) {
            return at;
        }
        at += S::LANES;
    }
    let rest = &text[at..];
    if rest.is_empty() {
        return at;
    }
    let now = s.load_short(rest);
    if s.high_bits(now) == 0 && T::put_ascii(s, now, rest.len(), out) { text.len() } else { at }
}

/// UTF-8 into UTF-16 or UTF-32. The first `valid` bytes are valid, and no character is cut off there.
#[inline(always)]
fn convert_utf8<S: Units, T: Target>(
    s: S,
    mut text: &[u8],
    mut valid: usize,
    out: &mut Output<'_>,
    validator: impl Validates,
) -> usize {
    // All before `at` is converted, which is never behind `valid`.
    let mut at = leading_ascii::<S, T>(s, text, out);
    valid = valid.max(at);
    let mut longest = FIRST_PIECE;
    let mut ascii = 0;
    'blocks: while at < text.len() {
        // Valid, with the three bytes before it and one behind it.
        while let Some(window) = text[..valid].get(at.wrapping_sub(3)..at + S::LANES + 1) {
            let now = s.load(window, 3);
            let put = if s.high_bits(now) == 0 {
                ascii += 1;
                if ascii > STRAY {
                    break;
                }
                T::put_ascii(s, now, S::LANES, out)
            } else {
                ascii = 0;
                let context = [s.load(window, 2), s.load(window, 1), s.load(window, 0)];
                let ends = !continuations(s, s.load(window, 4)) & within(S::LANES);
                T::put_block(s, now, context, ends, out)
            };
            if !put {
                break 'blocks;
            }
            at += S::LANES;
        }
        if at == text.len() {
            break;
        }

        let (now, len) = load_block(s, &text[at..]);
        if s.high_bits(now) == 0 {
            ascii += 1;
            let read = if ascii > STRAY && text.len() - at >= LINES_PAY {
                put_in_lines::<S, T, true>(s, &text[at..], out)
            } else if T::put_ascii(s, now, len, out) {
                len
            } else {
                0
            };
            if read == 0 {
                break;
            }
            at += read;
            valid = valid.max(at);
            if read > LINES_PAY {
                longest = FIRST_PIECE;
            }
        } else if valid < text.len() && valid <= at + len {
            // What comes behind the block says whether a character ends with it, so that has to be valid, too. And no
            // little piece is left over.
            let all = text.len() - valid <= 2 * longest;
            let end = if all { text.len() } else { floor(text, valid + longest) };
            let piece = &text[valid..end];
            match validator.validate(piece).suspicion().map(|suspect| judge(piece, suspect)) {
                Some(Err(error)) => {
                    // What is valid is converted as a text of its own.
                    valid += error.valid_up_to();
                    text = &text[..valid];
                }
                None | Some(Ok(())) => {
                    valid = end;
                    longest = (2 * longest).min(LONGEST_PIECE);
                }
            }
        } else {
            // At the start or near the end. If there is less than a vector before this block, it is ASCII.
            let before = if at >= S::LANES { s.load(text, at - S::LANES) } else { s.splat8(0) };
            let ends = ends(s, now, len, matches!(text.get(at + len), Some(0x80..=0xBF)));
            if !T::put_block(s, now, s.earlier(now, before), ends, out) {
                break;
            }
            at += len;
        }
    }
    if at == text.len() {
        return at;
    }
    let (start, put) = character_start::<T>(text, at);
    out.retract(put);
    start
}

/// A vector of text, and how many bytes of it there are: as many as it takes, or all there are and then zeros.
#[inline(always)]
pub(super) fn load_block<S: Units>(s: S, text: &[u8]) -> (S::Vector, usize) {
    match text.len() {
        // What an empty slice points to may be no memory at all. Nothing would be loaded from there, but it
        // takes the CPU over 20 ns to find that out.
        0 => (s.splat8(0), 0),
        len if len < S::LANES => (s.load_short(text), len),
        _ => (s.load(text, 0), S::LANES),
    }
}

/// Appends bytes, only ASCII or any, as they are or widened, two vectors at a time in whole cache lines: as many as there
/// are and fit. There is a vector of them at least, or nothing is read if it does not fit.
#[inline(always)]
pub(super) fn put_in_lines<S: Units, T: Ascii, const ONLY_ASCII: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let before_line = out.before_line();
    if !T::put_ascii(s, s.load(text, 0), S::LANES, out) {
        return 0;
    }
    // As many units of these as leave the next one at the start of a line; the others are written again.
    let mut at = match before_line / T::UNIT % S::LANES {
        0 => S::LANES,
        units => units,
    };
    out.retract(T::UNIT * (S::LANES - at));
    while text.len() - at >= 2 * S::LANES {
        let (a, b) = (s.load(text, at), s.load(text, at + S::LANES));
        if ONLY_ASCII && s.high_bits(s.or(a, b)) != 0 || out.left() < 2 * T::UNIT * S::LANES {
            break;
        }
        s.will_write(T::UNIT * S::LANES, out);
        T::put_ascii(s, a, S::LANES, out);
        s.will_write(T::UNIT * S::LANES, out);
        T::put_ascii(s, b, S::LANES, out);
        at += 2 * S::LANES;
    }
    at
}

/// The place where the character begins to which byte `at` belongs, and how many bytes have been put for what of
/// it comes before.
#[cold]
fn character_start<T: Target>(text: &[u8], at: usize) -> (usize, usize) {
    let mut start = at;
    while start > 0 && at - start < 3 && matches!(text.get(start), Some(0x80..=0xBF)) {
        start -= 1;
    }
    // What has been put at the third of four bytes is a high surrogate.
    (start, if at - start == 3 { T::AT_THIRD_OF_FOUR } else { 0 })
}

/// A one for each continuation: for bytes from -80 to -41.
#[inline(always)]
fn continuations<S: Units>(s: S, v: S::Vector) -> u64 {
    s.high_bits(s.plus_signed(v, s.splat8(0x40)))
}

/// A one for each of the first `len` places of a block at which a character ends: no continuation follows there.
/// `goes_on` says whether one follows the block.
#[inline(always)]
fn ends<S: Units>(s: S, now: S::Vector, len: usize, goes_on: bool) -> u64 {
    !(continuations(s, now) >> 1 | u64::from(goes_on) << (S::LANES - 1)) & within(len)
}

#[inline(always)]
pub(super) fn masked<S: Units>(s: S, v: S::Vector, mask: u8) -> S::Vector {
    s.and(v, s.splat8(mask))
}

/// Bit 7 of each byte that begins a character of four: of a difference to 70 it is set from F0 on.
#[inline(always)]
pub(super) fn begins_four<S: Units>(s: S, v: S::Vector) -> S::Vector {
    s.minus(v, s.splat8(0xF0 - 0x80))
}

/// UTF-16 of less than a vector into UTF-8: all of it, or nothing.
#[inline(always)]
pub(super) fn short_utf16_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    if text.is_empty() || text.len() >= S::LANES || text.len() % 2 == 1 {
        return 0;
    }
    let now = s.load_short(text);
    let put = if all_ascii16(s, now) {
        s.put_narrowed(now, s.splat8(0), text.len() / 2, out)
    } else {
        utf16_block(s, now, s.splat8(0), text, text.len(), out)
    };
    if put { text.len() } else { 0 }
}

/// ASCII at the start of a text that is not long, as for UTF-8.
#[inline(always)]
fn leading_ascii_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    if text.len() >= LINES_PAY {
        return at;
    }
    while let Some(two) = text.get(at..at + 2 * S::LANES) {
        let (a, b) = (s.load(two, 0), s.load(two, S::LANES));
        if !all_ascii16(s, s.or(a, b)) || !s.put_narrowed(a, b, S::LANES, out) {
            return at;
        }
        at += 2 * S::LANES;
    }
    let rest = &text[at..];
    let (a, len) = load_block(s, rest);
    let (b, _) = load_block(s, &rest[len..]);
    if all_ascii16(s, s.or(a, b)) && s.put_narrowed(a, b, rest.len() / 2, out) { text.len() } else { at }
}

/// UTF-16 into UTF-8, as far as it is well-formed and fits, or nearly so.
#[inline(always)]
pub(super) fn utf16_to_utf8<S: Units>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let (mut at, mut before) = (leading_ascii_to_utf8(s, text, out), s.splat8(0));
    if at == text.len() {
        return at;
    }
    // Steps have the same length whatever the text is, so where the first one begins at a multiple of it, all do, and
    // no load crosses cache lines.
    let head = text.as_ptr().align_offset(S::LANES) & !1;
    if let Some(unit) = text[..head.min(text.len())].last_chunk()
        && text.len() >= LINES_PAY
    {
        if !utf16_block(s, s.load(text, 0), before, text, head, out) {
            return 0;
        }
        (at, before) = (head, s.splat16(u16::from_ne_bytes(*unit)));
    }
    loop {
        let rest = &text[at..];
        let (put, len) = if let Some(two) = rest.get(..2 * S::LANES) {
            let (a, b) = (s.load(two, 0), s.load(two, S::LANES));
            if all_ascii16(s, s.or(a, b)) {
                before = b;
                (s.put_narrowed(a, b, S::LANES, out), 2 * S::LANES)
            } else {
                let put = utf16_block(s, a, before, two, S::LANES, out);
                before = a;
                (put, S::LANES)
            }
        } else if !rest.is_empty() {
            let (now, len) = load_block(s, rest);
            let put = utf16_block(s, now, before, rest, len, out);
            before = now;
            (put, len)
        } else {
            return at;
        };
        if !put {
            let (start, put) = pair_start(text, at);
            out.retract(put);
            return start;
        }
        at += len;
    }
}

/// Whether all units are ASCII.
#[inline(always)]
fn all_ascii16<S: Units>(s: S, units: S::Vector) -> bool {
    !s.any(s.and(units, s.splat16(0xFF80)))
}

/// The place before unit `at`, if that is the second half of a pair, and how many bytes have been put for the first.
#[cold]
pub(super) fn pair_start(text: &[u8], at: usize) -> (usize, usize) {
    match text[..at].last_chunk() {
        Some(unit) if u16::from_ne_bytes(*unit) & 0xFC00 == 0xD800 => (at - 2, 2),
        _ => (at, 0),
    }
}

/// Appends the bytes of a block, which `text` begins with; or nothing, if there is a lone surrogate in it. `before` are
/// the units before it.
#[inline(always)]
fn utf16_block<S: Units>(
    s: S,
    now: S::Vector,
    before: S::Vector,
    text: &[u8],
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if !s.any(s.and(now, s.splat16(0xF800))) {
        return put_below_800(s, now, len, out);
    }

    let [mut first, mut second] = s.widened(now);
    if has_surrogates(s, now) {
        let [_, before, _] = s.earlier(now, before);
        let (behind, _) = load_block(s, &text[2..]);
        if !in_pairs(s, before, now, behind) {
            return false;
        }
        let [before_first, before_second] = s.widened(before);
        first = with_pairs(s, first, before_first);
        second = with_pairs(s, second, before_second);
    } else {
        first = encoded(s, first, first, marks(s, first));
        second = encoded(s, second, second, marks(s, second));
    }
    // The third byte is always there, and the others are where they have a value, which has bit 7.
    let third = s.splat32(0x0080_0000);
    let keep_first = s.high_bits(s.or(first, third)) & within(2 * len);
    if len <= S::LANES / 2 {
        return s.put_quads(first, keep_first, out);
    }
    let keep_second = s.high_bits(s.or(second, third)) & within((2 * len).saturating_sub(S::LANES));
    let n = keep_first.count_ones() + keep_second.count_ones();
    out.left() >= n as usize && s.put_quads(first, keep_first, out) && s.put_quads(second, keep_second, out)
}

/// Appends the bytes of units below U+0800, in lanes of 16 bits: of the first `len` bytes.
#[inline(always)]
pub(super) fn put_below_800<S: Units>(s: S, units: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    // First byte in the lower half of a lane, second in the upper one.
    let two = s.or(s.right16::<6>(units), s.and(s.left16::<8>(units), s.splat16(0x3F00)));
    let bytes = s.select16(units, 0x80, s.or(two, s.splat16(0x80C0)), units);
    let keep = s.high_bits(s.or(bytes, s.splat16(0x0080)));
    s.put_pairs(bytes, keep & within(len), out)
}

/// Whether there are halves of surrogate pairs.
#[inline(always)]
pub(super) fn has_surrogates<S: Units>(s: S, units: S::Vector) -> bool {
    s.any_equal16(s.and(units, s.splat16(0xF800)), 0xD800)
}

/// Whether every high half has a low one behind it, and every low one a high one before it: of `units`, with the
/// units one place earlier and later.
#[inline(always)]
pub(super) fn in_pairs<S: Units>(s: S, before: S::Vector, units: S::Vector, behind: S::Vector) -> bool {
    let (half, before, behind) = (which_half(s, units), which_half(s, before), which_half(s, behind));
    !(s.differ16(half, 0xD800, behind, 0xDC00) | s.differ16(half, 0xDC00, before, 0xD800))
}

/// The bytes of units in lanes of 32 bits, up to three in a lane, and a zero. Those that are there have bit 7 set, or
/// are ASCII and the third. The number is that of the unit, if it is no half of a pair.
#[inline(always)]
pub(super) fn encoded<S: Units>(s: S, unit: S::Vector, number: S::Vector, marks: S::Vector) -> S::Vector {
    // Six bits each of the third and the second byte; of the first what is left, four bits.
    let sixes = s.sixes(number);
    s.select32(unit, 0x80, s.or(s.and(sixes, s.splat32(0x003F_3F0F)), marks), sixes)
}

/// What marks the bytes of characters of two and three bytes.
#[inline(always)]
pub(super) fn marks<S: Units>(s: S, unit: S::Vector) -> S::Vector {
    s.select32(unit, 0x800, s.splat32(0x0080_80E0), s.splat32(0x0080_C000))
}

/// The bytes of any units, with those before them.
///
/// Half a pair becomes a number that is encoded as one of two bytes would be, with other marks:
///
/// ```text
/// the number       u....uvvvvvvwwwwwwxxxxxx, 21 bits          11110uuu 10vvvvvv 10wwwwww 10xxxxxx
/// high             110110 and ten bits, of which 0x40 more are uuuvvvvvvww
/// low              110111 and wwwwxxxxxx
/// ```
#[inline(always)]
fn with_pairs<S: Units>(s: S, unit: S::Vector, before: S::Vector) -> S::Vector {
    let ten = s.and(unit, s.splat32(0x3FF));
    let high = s.right32::<2>(s.plus32(ten, s.splat32(0x40)));
    let low = s.or(ten, s.and(s.left32::<10>(before), s.splat32(0xC00)));
    let which = s.and(unit, s.splat32(0xFC00));
    let number = s.select32_equal(which, s.splat32(0xDC00), low, unit);
    let number = s.select32_equal(which, s.splat32(0xD800), high, number);
    let marks = s.select32_equal(which, s.splat32(0xDC00), s.splat32(0x0080_8000), marks(s, unit));
    let marks = s.select32_equal(which, s.splat32(0xD800), s.splat32(0x0080_F000), marks);
    encoded(s, unit, number, marks)
}

/// The bits by which a unit is half a surrogate pair, and which half.
#[inline(always)]
fn which_half<S: Units>(s: S, units: S::Vector) -> S::Vector {
    s.and(units, s.splat16(0xFC00))
}

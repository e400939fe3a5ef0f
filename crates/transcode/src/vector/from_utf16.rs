//! UTF-16 into UTF-8 and UTF-32 with vectors.
//!
//! # Into UTF-8
//!
//! A unit becomes one to three bytes. They are computed in a 32-bit lane, or in a 16-bit lane if
//! all units of a vector are below U+0800. Half a surrogate pair becomes two bytes. The high
//! surrogate becomes the first and the second byte. The low surrogate becomes the third (with two
//! bits of the high one) and the fourth. A comparison with the neighbours checks that every high
//! surrogate is followed by a low one, and every low one preceded by a high one.
//!
//! # Into UTF-32
//!
//! A unit is widened. A surrogate pair is joined at its low surrogate, and the high one is dropped.

#![forbid(unsafe_code)]

use super::{ends_in_high, in_order, load_block, unit_of};
use crate::simd::ConvertOps;
use trust8::engine::Output;

/// From this text length on, an initial partial vector pays, so that no load crosses a cache line.
const ALIGNED_FROM_BYTES: usize = 8192;

/// Like [`load_block`], but returns the units in the machine's byte order.
#[inline(always)]
fn load_units<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8]) -> (S::Vector, usize) {
    let (units, len) = load_block(s, text);
    (in_order::<S, SWAPPED>(s, units), len)
}

/// Returns the units of the first two vectors of a text in the machine's byte order.
#[inline(always)]
fn load_whole_two<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8]) -> [S::Vector; 2] {
    [in_order::<S, SWAPPED>(s, s.load(text, 0)), in_order::<S, SWAPPED>(s, s.load(text, S::LANES))]
}

/// Like `load_whole_two`, padded with zeros.
#[inline(always)]
fn load_up_to_two<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8]) -> [S::Vector; 2] {
    let [first, second] = s.load_two(text);
    [in_order::<S, SWAPPED>(s, first), in_order::<S, SWAPPED>(s, second)]
}

/// Converts UTF-16 of at most four vectors into UTF-8. With short vectors, the limit is one, or two
/// of ASCII. Throughout this file, `SWAPPED` means that units are in the non-native byte order.
#[inline(always)]
pub(crate) fn short_to_utf8<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> bool {
    if text.is_empty() || text.len() % 2 == 1 {
        return false;
    }
    // Masks avoid a branch on whether there is a second vector. Lengths vary from call to call, so
    // the branch would be mispredicted. For the same reason, both vectors are treated alike.
    let mut two = load_up_to_two::<S, SWAPPED>(s, text);
    let [a, b] = two;
    let is_ascii = are_ascii(s, s.or(a, b));
    if text.len() <= 2 * S::LANES {
        if is_ascii {
            return s.put_first(s.narrowed16(a, b), text.len() / 2, out);
        }
        if text.len() <= S::LANES {
            return put_as_utf8::<S, SWAPPED>(s, a, text, 0, text.len(), out);
        }
    } else if S::LANES == 64 && is_ascii {
        let [c, d] = load_up_to_two::<S, SWAPPED>(s, &text[2 * S::LANES..]);
        if are_ascii(s, s.or(c, d)) {
            return s.put_first_of_two([s.narrowed16(a, b), s.narrowed16(c, d)], text.len() / 2, out);
        }
    }
    let mut at = 0;
    while S::LANES == 64 && put_two_as_utf8::<S, SWAPPED>(s, two, text, at, out) {
        at += 2 * S::LANES;
        if at >= text.len() {
            return true;
        }
        two = load_up_to_two::<S, SWAPPED>(s, &text[at..]);
    }
    false
}

/// Appends the two blocks at `at` as UTF-8, or at most the first if they are malformed or do not
/// fit. The text may end in either.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_two_as_utf8<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    [a, b]: [S::Vector; 2],
    text: &[u8],
    at: usize,
    out: &mut Output<'_>,
) -> bool {
    let len = text.len() - at;
    let (first, second) = (len.min(S::LANES), len.saturating_sub(S::LANES).min(S::LANES));
    put_as_utf8::<S, SWAPPED>(s, a, text, at, first, out)
        && (second == 0 || put_as_utf8::<S, SWAPPED>(s, b, text, at + S::LANES, second, out))
}

/// Converts the ASCII block at the start of a text, and the next one if that is ASCII too and fits.
/// Returns the number of bytes converted, or 0 if the first block does not fit. `now` is the block
/// in the machine's byte order.
#[inline(always)]
fn put_ascii<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    now: S::Vector,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    if let Some(block) = text.get(S::LANES..2 * S::LANES) {
        let next = in_order::<S, SWAPPED>(s, s.load(block, 0));
        if are_ascii(s, next) && s.put_first(s.narrowed16(now, next), S::LANES, out) {
            return 2 * S::LANES;
        }
    }
    let len = text.len().min(S::LANES);
    if s.put_first(s.narrowed16(now, now), len / 2, out) { len } else { 0 }
}

/// Converts the ASCII at the start of a text. If there is nothing else, the loop needs no
/// preparation.
#[inline(always)]
fn leading_ascii_to_utf8<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    let mut at = 0;
    for two in text.chunks_exact(2 * S::LANES) {
        let [a, b] = load_whole_two::<S, SWAPPED>(s, two);
        if !are_ascii(s, s.or(a, b)) || !s.put_first(s.narrowed16(a, b), S::LANES, out) {
            return at;
        }
        at += 2 * S::LANES;
    }
    let rest = &text[at..];
    let [a, b] = load_up_to_two::<S, SWAPPED>(s, rest);
    if are_ascii(s, s.or(a, b)) && s.put_first(s.narrowed16(a, b), rest.len() / 2, out) {
        text.len()
    } else {
        at
    }
}

/// Converts UTF-16 into UTF-8.
#[inline(always)]
pub(crate) fn to_utf8<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let mut at = if S::LANES < 64 { leading_ascii_to_utf8::<S, SWAPPED>(s, text, out) } else { 0 };
    if at == text.len() {
        return at;
    }
    // All blocks have the same length. So if the first one is aligned to a vector, all are, and no
    // load crosses a cache line.
    let rest = &text[at..];
    let head = rest.as_ptr().align_offset(S::LANES) & !1;
    if rest.len() >= ALIGNED_FROM_BYTES && 0 < head && head < S::LANES {
        let (first, _) = load_units::<S, SWAPPED>(s, rest);
        at += if put_as_utf8::<S, SWAPPED>(s, first, text, at, head, out) { head } else { 0 };
    }
    loop {
        at = put_blocks::<S, SWAPPED>(s, text, at, out);
        if at == text.len() {
            return at;
        }
        let (now, len) = load_units::<S, SWAPPED>(s, &text[at..]);
        // Near the end of the output, `put_blocks` stops before ASCII.
        if S::LANES == 64 && are_ascii(s, now) {
            match put_ascii::<S, SWAPPED>(s, now, &text[at..], out) {
                0 => break,
                read => at += read,
            }
            continue;
        }
        if put_as_utf8::<S, SWAPPED>(s, now, text, at, len, out) {
            at += len;
        } else {
            break;
        }
    }
    let (start, put) = pair_start::<SWAPPED>(text, at);
    out.retract(put);
    start
}

/// Converts blocks from `at` on while two are left and they fit, whatever they become. Returns the
/// position after them.
///
/// Two blocks share a check where one check is enough, because a mispredicted branch costs as much
/// as two blocks. Short vectors stop before surrogates, so that the loop for everything else does
/// not run out of registers.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_blocks<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    mut at: usize,
    out: &mut Output<'_>,
) -> usize {
    for two in text[at..].chunks_exact(2 * S::LANES) {
        let Some(mut block) = out.fork_next(4 * S::LANES) else { break };
        let next = block.output();
        let [a, b] = load_whole_two::<S, SWAPPED>(s, two);
        let blocks = if are_ascii(s, s.or(a, b)) {
            s.put_first(s.narrowed16(a, b), S::LANES, next);
            2
        } else if !s.any(s.and(s.or(a, b), s.splat16(0xF800))) {
            put_below_800(s, a, S::LANES, next);
            put_below_800(s, b, S::LANES, next);
            2
        } else if !put_whole_block::<S, SWAPPED>(s, a, text, at, next) {
            0
        } else if !put_whole_block::<S, SWAPPED>(s, b, text, at + S::LANES, next) {
            1
        } else {
            2
        };
        block.join();
        at += blocks * S::LANES;
        if blocks < 2 {
            break;
        }
    }
    at
}

/// Appends the block at `at` as UTF-8, or nothing if it is malformed, or if it is a short vector
/// with surrogates.
#[inline(always)]
fn put_whole_block<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    now: S::Vector,
    text: &[u8],
    at: usize,
    out: &mut Output<'_>,
) -> bool {
    if S::LANES == 64 {
        return put_as_utf8::<S, SWAPPED>(s, now, text, at, S::LANES, out);
    }
    if are_ascii(s, now) {
        return s.put_first(s.narrowed16(now, now), S::LANES / 2, out);
    }
    !has_surrogates(s, now) && put_below_10000(s, now, S::LANES, out)
}

/// Returns whether all units are ASCII.
#[inline(always)]
fn are_ascii<S: ConvertOps>(s: S, units: S::Vector) -> bool {
    !s.any(s.and(units, s.splat16(0xFF80)))
}

/// Returns the start of the surrogate pair whose second half begins at `at`, and the number of
/// UTF-8 bytes for its first half. Returns `at` and 0 if there is no such pair.
#[cold]
fn pair_start<const SWAPPED: bool>(text: &[u8], at: usize) -> (usize, usize) {
    if ends_in_high::<SWAPPED>(&text[..at]) { (at - 2, 2) } else { (at, 0) }
}

/// Appends the first `len` bytes of the block at `at` as UTF-8, or nothing if there is a lone
/// surrogate. `now` is the block in the machine's byte order.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_as_utf8<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    now: S::Vector,
    text: &[u8],
    at: usize,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if !s.any(s.and(now, s.splat16(0xF800))) {
        return put_below_800(s, now, len, out);
    }
    if !has_surrogates(s, now) {
        return put_below_10000(s, now, len, out);
    }
    let Some(encoded) = encoded_pairs::<S, SWAPPED>(s, now, text, at) else { return false };
    s.put_ends_of_threes(encoded, len / 2, out)
}

/// Returns the UTF-8 of the halves of the block at `at`, like [`encoded`], unless there is a lone
/// surrogate. `now` is the block in the machine's byte order.
#[cfg_attr(trust8_optimised, inline(always))]
fn encoded_pairs<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    now: S::Vector,
    text: &[u8],
    at: usize,
) -> Option<[S::Vector; 2]> {
    let before1 = before1::<S, SWAPPED>(s, now, text, at);
    let (after, _) = load_units::<S, SWAPPED>(s, &text[at + 2..]);
    if !are_paired(s, before1, now, after) {
        return None;
    }
    let ([first, second], [before_first, before_second]) = (s.widened16(now), s.widened16(before1));
    Some([encoded_with_pairs(s, first, before_first), encoded_with_pairs(s, second, before_second)])
}

/// Appends the first `len` bytes of units that are not surrogates as UTF-8.
#[cfg_attr(trust8_optimised, inline(always))]
pub(super) fn put_below_10000<S: ConvertOps>(
    s: S,
    units: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    if S::LANES == 64 {
        // AVX-512 computes what `encoded` needs for a 32-bit lane in one instruction.
        let [first, second] = s.widened16(units);
        let first = encoded(s, first, first, marks(s, first));
        let second = encoded(s, second, second, marks(s, second));
        return s.put_ends_of_threes([first, second], len / 2, out);
    }
    // The third and the second byte have six bits each, and the first has the other four. Unused
    // bytes are zero.
    let (is_ascii, below_800) = (s.and(units, s.splat16(0xFF80)), s.and(units, s.splat16(0xF800)));
    let third = s.or(s.and(units, s.splat16(0x3F)), s.splat16(0x80));
    let two = s.or(s.right16::<12>(units), s.and(s.left16::<2>(units), s.splat16(0x3F00)));
    let two = s.or(two, s.select16(s.equal16(below_800, s.splat(0)), s.splat16(0xC000), s.splat16(0x80E0)));
    let is_ascii = s.equal16(is_ascii, s.splat(0));
    let two = s.select16(is_ascii, s.splat(0), two);
    let third = s.select16(is_ascii, units, third);
    s.put_ends_of_halves([two, third], len / 2, out)
}

/// Appends the first `len` bytes of units below U+0800, in 16-bit lanes, as UTF-8.
#[inline(always)]
pub(super) fn put_below_800<S: ConvertOps>(s: S, units: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    // The first byte is in the lower half. The second has bit 7 set, or is zero.
    let two = s.or(s.right16::<6>(units), s.and(s.left16::<8>(units), s.splat16(0x3F00)));
    let two = s.select16(s.above16(units, s.splat16(0x7F)), s.or(two, s.splat16(0x80C0)), units);
    s.put_starts_of_two(two, len / 2, out)
}

/// Returns whether any unit is a surrogate.
#[inline(always)]
pub(super) fn has_surrogates<S: ConvertOps>(s: S, units: S::Vector) -> bool {
    let bits = s.and(units, s.splat16(0xF800));
    s.any_equal16_of_two(bits, bits, 0xD800)
}

/// Returns whether every high surrogate of `units` is followed by a low one, and every low one
/// preceded by a high one. `before` and `after` are the units one position earlier and later.
#[inline(always)]
fn are_paired<S: ConvertOps>(s: S, before: S::Vector, units: S::Vector, after: S::Vector) -> bool {
    let (half, before, after) = (which_half(s, units), which_half(s, before), which_half(s, after));
    !(s.matches_differ16(half, 0xD800, after, 0xDC00) | s.matches_differ16(half, 0xDC00, before, 0xD800))
}

/// Returns the bits of a unit that say whether it is a surrogate, and which half.
#[inline(always)]
fn which_half<S: ConvertOps>(s: S, units: S::Vector) -> S::Vector {
    s.and(units, s.splat16(0xFC00))
}

/// Returns the UTF-8 of units in 32-bit lanes: three bytes and a zero. The third byte is the last
/// one of the character. The others have bit 7 set if they belong to the character, and clear
/// otherwise.
///
/// `number` is the unit, unless that is half a pair; `marks` has the upper bits of each byte for
/// two and three bytes.
#[cfg_attr(trust8_optimised, inline(always))]
fn encoded<S: ConvertOps>(s: S, unit: S::Vector, number: S::Vector, marks: S::Vector) -> S::Vector {
    // The third and the second byte have six bits each, and the first has the other four.
    let sixes = s.spread_sixes(number);
    s.select32(s.above32(unit, s.splat32(0x7F)), s.or(s.and(sixes, s.splat32(0x003F_3F0F)), marks), sixes)
}

/// Returns the upper bits of the bytes of characters of two and three bytes.
#[inline(always)]
fn marks<S: ConvertOps>(s: S, unit: S::Vector) -> S::Vector {
    s.select32(s.above32(unit, s.splat32(0x7FF)), s.splat32(0x0080_80E0), s.splat32(0x0080_C000))
}

/// Returns the UTF-8 of any units, like [`encoded`]. `before` has the units before them.
///
/// Half a pair becomes a number that is encoded like a character of two bytes, but with other upper
/// bits:
///
/// ```text
/// the number       u....uvvvvvvwwwwwwxxxxxx, 21 bits          11110uuu 10vvvvvv 10wwwwww 10xxxxxx
/// high surrogate   110110 and ten bits, of which 0x40 more are uuuvvvvvvww
/// low surrogate    110111 and wwwwxxxxxx
/// ```
#[cfg_attr(trust8_optimised, inline(always))]
fn encoded_with_pairs<S: ConvertOps>(s: S, unit: S::Vector, before: S::Vector) -> S::Vector {
    let ten = s.and(unit, s.splat32(0x3FF));
    let high = s.right32::<2>(s.plus32(ten, s.splat32(0x40)));
    let low = s.or(ten, s.and(s.left32::<10>(before), s.splat32(0xC00)));
    let which = s.and(unit, s.splat32(0xFC00));
    let (is_high, is_low) = (s.equal32(which, s.splat32(0xD800)), s.equal32(which, s.splat32(0xDC00)));
    let number = s.select32(is_high, high, s.select32(is_low, low, unit));
    let marks = s.select32(is_low, s.splat32(0x0080_8000), marks(s, unit));
    let marks = s.select32(is_high, s.splat32(0x0080_F000), marks);
    encoded(s, unit, number, marks)
}

/// Converts UTF-16 into UTF-32.
#[inline(always)]
pub(crate) fn to_utf32<S: ConvertOps, const SWAPPED: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let text = &text[..text.len() & !1];
    let mut at = 0;
    // Whether the last unit before `at` is the first half of a pair, for which there is no output
    // yet.
    let mut cut = false;
    while at < text.len() {
        if !cut {
            at = put_widened::<S, SWAPPED>(s, text, at, out);
        }
        if at == text.len() || out.left() < 4 {
            break;
        }
        let rest = &text[at..];
        if let Some(two) = rest.get(..2 * S::LANES)
            && out.left() >= 4 * S::LANES
        {
            let [a, b] = load_whole_two::<S, SWAPPED>(s, two);
            // If one of two vectors has several surrogates, the other one is likely to have some
            // too. A branch on that would often be mispredicted.
            if put_joined(s, before1::<S, SWAPPED>(s, a, text, at), a, S::LANES, out) {
                at += S::LANES;
                at += if put_joined(s, s.earlier(b, a)[1], b, S::LANES, out) { S::LANES } else { 0 };
                cut = ends_in_high::<SWAPPED>(&text[..at]);
                continue;
            }
        }
        let (now, len) = load_units::<S, SWAPPED>(s, rest);
        let put = if !cut && !has_surrogates(s, now) {
            put_as_utf32(s, now, len, out)
        } else {
            put_joined(s, before1::<S, SWAPPED>(s, now, text, at), now, len, out)
        };
        if !put {
            break;
        }
        cut = ends_in_high::<SWAPPED>(&rest[..len]);
        at += len;
    }
    // The first half of a pair has no output yet.
    if cut { at - 2 } else { at }
}

/// Appends the first `len` bytes of units that are not surrogates as UTF-32, if they fit.
#[inline(always)]
fn put_as_utf32<S: ConvertOps>(s: S, units: S::Vector, len: usize, out: &mut Output<'_>) -> bool {
    s.put_first_of_two(s.widened16(units), 2 * len, out)
}

/// Converts units from `at` on into UTF-32, two blocks at a time, while they fit and have no
/// surrogates. Returns the position after them.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_widened<S: ConvertOps, const SWAPPED: bool>(
    s: S,
    text: &[u8],
    mut at: usize,
    out: &mut Output<'_>,
) -> usize {
    let bits = s.splat16(0xF800);
    for two in text[at..].chunks_exact(2 * S::LANES) {
        let Some(mut block) = out.fork_next(4 * S::LANES) else { break };
        let [a, b] = load_whole_two::<S, SWAPPED>(s, two);
        if s.any_equal16_of_two(s.and(a, bits), s.and(b, bits), 0xD800) {
            break;
        }
        let next = block.output();
        s.prefetch_output(4 * S::LANES, next);
        put_as_utf32(s, a, S::LANES, next);
        put_as_utf32(s, b, S::LANES, next);
        block.join();
        at += 2 * S::LANES;
    }
    at
}

/// Returns the units one position before those of the block at `at`, which is `now`, all in the
/// machine's byte order.
#[inline(always)]
fn before1<S: ConvertOps, const SWAPPED: bool>(s: S, now: S::Vector, text: &[u8], at: usize) -> S::Vector {
    if let Some(block) = text.get(at.wrapping_sub(2)..(at + S::LANES).wrapping_sub(2)) {
        return in_order::<S, SWAPPED>(s, s.load(block, 0));
    }
    // At the start of the text, or at its end.
    let unit = text[..at].last_chunk().map_or(0, |bytes| unit_of(*bytes, SWAPPED));
    s.earlier(now, s.splat16(unit))[1]
}

/// Appends the first `len` bytes of units as UTF-32. Appends nothing unless low surrogates are
/// exactly where `before`, the units one position earlier, has high ones. A pair belongs to the
/// block in which it ends.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_joined<S: ConvertOps>(
    s: S,
    before: S::Vector,
    now: S::Vector,
    len: usize,
    out: &mut Output<'_>,
) -> bool {
    let half = which_half(s, now);
    if s.matches_differ16(half, 0xDC00, which_half(s, before), 0xD800) {
        return false;
    }
    s.put_utf16_as_u32([before, now], len / 2, out)
}

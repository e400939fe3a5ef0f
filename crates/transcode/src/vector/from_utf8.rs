//! UTF-8 into UTF-16 and UTF-32 with vectors.
//!
//! Most text is validated first, chunk by chunk. The last byte of each character has a unit, which
//! depends on this byte and the three before it. In UTF-16, the third byte of a four-byte character
//! has a unit too. So all positions of a block are treated alike, and the units at other positions
//! are dropped. The next block begins right after this one, even inside a character:
//!
//! ```text
//! text       a    C3   A9   E2   82   AC   F0   9F   98   80
//! UTF-16     0061 .    00E9 .    .    20AC .    .    D83D DE00
//! UTF-32     0061 .    00E9 .    .    20AC .    .    .    1F600
//! ```
//!
//! Each byte of a unit, lowest first, is computed in its own vector, so that there is a lane for
//! every byte of text. `L` is the byte at this position; `P`, `Q` and `R` are the bytes one, two
//! and three positions before it. For characters of at most three bytes:
//!
//! ```text
//! first  =  L, without bit 7   |  P << 6                nothing of P if L is ASCII
//! second =  P >> 2, four bits  |  (Q - E0) << 4         nothing of Q if that is negative
//! ```
//!
//! For four-byte characters, UTF-16 has surrogates, which `put_block` explains. UTF-32 has these
//! bytes:
//!
//! ```text
//! second =  P >> 2, four bits  |  Q << 4
//! third  =  Q >> 4, two bits   |  R << 2, three bits
//! ```
//!
//! If all characters have one or two bytes, as in most languages of Europe, a block needs no
//! validator: the positions of leads and continuation bytes decide. A character may continue in the
//! next block, which checks that it does. At the first longer character, the validator checks a
//! chunk.
//!
//! A run of three-byte characters, as in Chinese and Japanese, takes a shorter route: each three
//! bytes are moved to one lane.
//!
//! The ideas are those of Clausecker and Lemire ('Transcoding Unicode Characters with AVX-512
//! Instructions', arXiv 2212.05098): compression removes the gaps, and surrogates are computed in
//! place. There are three differences. The validator runs first. Blocks have a fixed length, since
//! a block sees the bytes before it. Bytes are compressed, not units.

#![forbid(unsafe_code)]

use super::{
    IntoUtf16, IntoUtf32, LINES_PAY_FROM_BYTES, Narrow, PLAIN_BYTES, at_least, in_order, leading_ascii,
    load_block, masked, put_fitting, put_in_lines,
};
use crate::simd::{ConvertOps, first_bits};
use trust8::boundary::{floor, is_continuation};
use trust8::engine::{Output, Validate, ends_in_lead, judge};

/// The length of the chunks in which text is validated before its conversion. A chunk and its
/// output stay in the L1 cache. The last chunk has up to twice the length.
const LONGEST_CHUNK_BYTES: usize = 4096;

/// The length of the first chunk, and of the first one after ASCII, since more ASCII may soon
/// follow. It is short, but longer than a vector and a character, so that it contains the block for
/// which it is validated.
const FIRST_CHUNK_BYTES: usize = 127;

/// After this many vectors of ASCII, more is expected and written in whole cache lines. Shorter
/// runs are common between other characters. For them, writing up to the start of a line twice does
/// not pay.
const STRAY_VECTORS: usize = 10;

/// A text shorter than this is converted block by block, without checking what the blocks have in
/// common.
const MEDIUM_BYTES: usize = 512;

/// The target of a conversion from UTF-8: UTF-16 or UTF-32.
pub(crate) trait Wide: Narrow {
    /// The number of output bytes for the third byte of a four-byte character. The fourth outputs
    /// the rest.
    const AT_THIRD_OF_FOUR: usize;

    /// Appends the units of a block.
    fn put_block<S: ConvertOps>(s: S, block: Block<S>, out: &mut Output<'_>) -> bool;

    /// Appends units whose low and high bytes are in two vectors. A one in `keep` selects a unit.
    fn put_of_bytes<S: ConvertOps>(s: S, low_high: [S::Vector; 2], keep: u64, out: &mut Output<'_>) -> bool;

    /// Appends characters of three bytes. Their numbers are in the 32-bit lanes of two vectors.
    fn put_threes<S: ConvertOps>(s: S, two: [S::Vector; 2], out: &mut Output<'_>) -> bool;
}

/// A block of text.
pub(crate) struct Block<S: ConvertOps> {
    pub(super) now: S::Vector,
    /// The text one, two and three bytes before.
    pub(super) context: [S::Vector; 3],
    /// A one where a character ends.
    pub(super) ends: u64,
    /// A one at each position whose units are appended.
    pub(super) within: u64,
}

impl<S: ConvertOps> Block<S> {
    /// Returns a block whose units are all appended.
    #[inline(always)]
    fn whole(now: S::Vector, context: [S::Vector; 3], ends: u64) -> Self {
        Self { now, context, ends, within: u64::MAX }
    }
}

impl<const SWAPPED: bool> Wide for IntoUtf16<SWAPPED> {
    const AT_THIRD_OF_FOUR: usize = 2;

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_block<S: ConvertOps>(s: S, block: Block<S>, out: &mut Output<'_>) -> bool {
        let Block { now, context: [before1, before2, before3], ends, within } = block;
        let mut keep = ends;
        let before1 = s.zero_unless_high(now, before1);
        let mut low = s.or(masked(s, s.left16::<6>(before1), 0xC0), masked(s, now, 0x7F));
        let third_of_three = s.left16::<4>(s.minus_saturating(before2, s.splat(0xE0)));
        let mut high = s.or(masked(s, s.right16::<2>(before1), 0x0F), third_of_three);

        if s.high_bits(begins_four(s, s.max(now, before3))) != 0 {
            let (third, fourth) = (begins_four(s, before2), begins_four(s, before3));
            // The high surrogate, at the third byte. It has four bits for the plane number less
            // one, the six bits of the second byte (two belong to the plane), and two bits of the
            // third.
            let plane =
                s.or(masked(s, s.left16::<2>(before2), 0x1C), masked(s, s.right16::<4>(before1), 0x03));
            let plane = s.minus_saturating(plane, s.splat(1));
            let first_low = s.or(
                s.or(masked(s, s.left16::<6>(plane), 0xC0), masked(s, s.left16::<2>(before1), 0x3C)),
                masked(s, s.right16::<4>(now), 0x03),
            );
            let first_high = s.or(masked(s, s.right16::<2>(plane), 0x03), s.splat(0xD8));
            let second_high = s.or(masked(s, s.right16::<2>(before1), 0x03), s.splat(0xDC));
            low = s.select_high(third, first_low, low);
            high = s.select_high(third, first_high, s.select_high(fourth, second_high, high));
            keep |= s.high_bits(third);
        }
        Self::put_of_bytes(s, [low, high], keep & within, out)
    }

    #[inline(always)]
    fn put_of_bytes<S: ConvertOps>(
        s: S,
        [low, high]: [S::Vector; 2],
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        s.put_u16_of_bytes(if SWAPPED { [high, low] } else { [low, high] }, keep, out)
    }

    #[inline(always)]
    fn put_threes<S: ConvertOps>(s: S, [first, second]: [S::Vector; 2], out: &mut Output<'_>) -> bool {
        s.put_first(in_order::<S, SWAPPED>(s, s.narrowed32(first, second)), S::LANES, out)
    }
}

impl Wide for IntoUtf32 {
    const AT_THIRD_OF_FOUR: usize = 0;

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_block<S: ConvertOps>(s: S, block: Block<S>, out: &mut Output<'_>) -> bool {
        let Block { now, context: [before1, before2, before3], ends, within } = block;
        let before1 = s.zero_unless_high(now, before1);
        let low = s.or(masked(s, s.left16::<6>(before1), 0xC0), masked(s, now, 0x7F));
        let of_before1 = masked(s, s.right16::<2>(before1), 0x0F);
        let middle = s.or(of_before1, s.left16::<4>(s.minus_saturating(before2, s.splat(0xE0))));

        let four = begins_four(s, before3);
        if s.high_bits(four) == 0 {
            return Self::put_of_bytes(s, [low, middle], ends & within, out);
        }
        let middle_of_four = s.or(of_before1, masked(s, s.left16::<4>(before2), 0xF0));
        let middle = s.select_high(four, middle_of_four, middle);
        let high = s.or(masked(s, s.right16::<4>(before2), 0x03), masked(s, s.left16::<2>(before3), 0x1C));
        s.put_u32_of_bytes(low, middle, Some(s.zero_unless_high(four, high)), ends & within, out)
    }

    #[inline(always)]
    fn put_of_bytes<S: ConvertOps>(
        s: S,
        [low, high]: [S::Vector; 2],
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        s.put_u32_of_bytes(low, high, None, keep, out)
    }

    #[inline(always)]
    fn put_threes<S: ConvertOps>(s: S, two: [S::Vector; 2], out: &mut Output<'_>) -> bool {
        s.put_first_of_two(two, 2 * S::LANES, out)
    }
}

/// Converts UTF-8 that is shorter than a vector, or of at most two with long vectors. `VALID` is as
/// for [`long`].
#[inline(always)]
pub(crate) fn short<S: ConvertOps, T: Wide, const VALID: bool>(
    s: S,
    text: &[u8],
    out: &mut Output<'_>,
) -> bool {
    if text.is_empty() || S::LANES < 64 && text.len() >= S::LANES {
        return false;
    }
    if text.len() > S::LANES {
        return short_of_two::<S, T, VALID>(s, text, out);
    }
    // The mask of a short load has one bit less than a vector has bytes.
    let now = if S::LANES == 64 { s.load_two(text)[0] } else { s.load_short(text) };
    match put_all_up_to_two::<S, T, VALID>(s, now, text, out) {
        Some(put) => put,
        None if VALID || s.validate(text).is_valid() => {
            let ends = ends(s, now, text.len(), false);
            T::put_block(s, Block::whole(now, s.earlier(now, s.splat(0)), ends), out)
        }
        None => false,
    }
}

/// Returns whether validation is skipped for short text of characters of one and two bytes, and
/// at the end of a text or of the output. For UTF-32, which is rarer, that would be too much code.
const fn takes_twos<T: Wide, const VALID: bool>() -> bool {
    T::UNIT_BYTES == 2 && !VALID
}

/// Converts UTF-8 of more than one vector, and at most two.
#[cfg_attr(trust8_optimised, inline(always))]
fn short_of_two<S: ConvertOps, T: Wide, const VALID: bool>(s: S, text: &[u8], out: &mut Output<'_>) -> bool {
    let [a, b] = s.load_two(text);
    if s.high_bits(s.or(a, b)) == 0 {
        T::put_narrow(s, a, S::LANES, out) && T::put_narrow(s, b, text.len() - S::LANES, out)
    } else if takes_twos::<T, VALID>()
        && let Some(ends_a) = ends_up_to_two(s, a, false)
        && let Some(ends_b) = ends_up_to_two(s, b, ends_in_lead(&text[..S::LANES]))
        && !ends_in_lead(text)
    {
        let ends_b = ends_b & first_bits(text.len() - S::LANES);
        put_up_to_two::<S, T>(s, a, s.earlier(a, s.splat(0))[0], ends_a, out)
            && put_up_to_two::<S, T>(s, b, s.earlier(b, a)[0], ends_b, out)
    } else {
        (VALID || s.validate(text).is_valid()) && blocks::<S, T>(s, text, out) == text.len()
    }
}

/// Converts valid text block by block while the blocks fit. Returns the number of bytes converted,
/// which may end inside a character. The remainder does not fit.
#[cfg_attr(trust8_optimised, inline(always))]
fn blocks<S: ConvertOps, T: Wide>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    let mut before = s.splat(0);
    while at < text.len() {
        let (now, len) = load_block(s, &text[at..]);
        let put = if s.high_bits(now) == 0 {
            T::put_narrow(s, now, len, out)
        } else {
            let continued = text.get(at + len).is_some_and(|&byte| is_continuation(byte));
            let ends = ends(s, now, len, continued);
            T::put_block(s, Block::whole(now, s.earlier(now, before), ends), out)
        };
        if !put {
            break;
        }
        before = now;
        at += len;
    }
    at
}

/// Converts UTF-8. `VALID` says that it is valid and ends with a whole character.
#[cfg_attr(trust8_optimised, inline(always))]
pub(crate) fn long<S: ConvertOps, T: Wide, const VALID: bool>(
    s: S,
    mut text: &[u8],
    out: &mut Output<'_>,
) -> usize {
    // The text up to `valid` is valid and ends with a whole character. Everything before `at` is
    // converted, and `at` is at most `valid`.
    let mut valid = if VALID { text.len() } else { 0 };
    let mut at = leading_ascii::<S, T>(s, text, out);
    // The ASCII may be everything, or everything that fits.
    if at > 0 {
        if at == text.len() || out.left() < T::UNIT_BYTES {
            return at;
        }
        valid = valid.max(at);
    }
    // The number of consecutive vectors of ASCII so far, or the number from which on more is
    // expected.
    let mut ascii = if at < PLAIN_BYTES { 0 } else { STRAY_VECTORS };
    // With 16-byte vectors, the main loop on x86 would lose more by this than short texts gain: it
    // has too few registers.
    let twos_first = S::LANES > 16 && !VALID;
    if twos_first && valid < text.len() && text[at] < 0xE0 {
        let (read, full) = put_up_to_two_bytes::<S, T>(s, text, at, &mut ascii, out);
        at += read;
        valid = valid.max(at);
        if at == text.len() || full {
            return at;
        }
        let rest = &text[at..];
        if takes_twos::<T, VALID>()
            && rest.len() < S::LANES
            && put_all_up_to_two::<S, T, VALID>(s, s.load_short(rest), rest, out) == Some(true)
        {
            return text.len();
        }
    }
    // If the rest is one chunk, it is validated here. The call comes before the loop is prepared,
    // since it would clobber its registers. After a run of ASCII there may be more such blocks,
    // which need no validation.
    let rest = &text[at..];
    if valid < text.len()
        && rest.len() <= LONGEST_CHUNK_BYTES
        && !((twos_first || ascii > 0) && rest.len() >= S::LANES && s.high_bits(s.load(rest, 0)) == 0)
        && s.apart(Validate, rest, ()).is_valid()
    {
        valid = text.len();
    }
    if valid == text.len() && rest.len() < MEDIUM_BYTES {
        at += blocks::<S, T>(s, rest, out);
        return if at == text.len() { at } else { whole_characters::<T>(text, at, out) };
    }
    let mut longest = FIRST_CHUNK_BYTES;
    while at < text.len() {
        if !VALID && valid < text.len() && at + S::LANES >= valid {
            let (read, full) = put_up_to_two_bytes::<S, T>(s, text, at, &mut ascii, out);
            at += read;
            valid = valid.max(at);
            if full {
                break;
            }
        }
        // A valid block, with the three bytes before it and the byte after it.
        while let Some(block) = text[..valid].get(at.wrapping_sub(3)..at + S::LANES + 1) {
            let now = s.load(block, 3);
            let put = if s.high_bits(now) == 0 {
                ascii += 1;
                if ascii > STRAY_VECTORS {
                    break;
                }
                T::put_narrow(s, now, S::LANES, out)
            } else {
                ascii = 0;
                let ends = !continuations(s, s.load(block, 4)) & first_bits(S::LANES);
                // Perhaps all of its characters have three bytes.
                if (ends ^ ends >> 3) & first_bits(S::LANES - 3) == 0 {
                    let start = floor(text, at);
                    let read = put_threes::<S, T>(s, &text[start..valid], out);
                    if read > 0 {
                        at = start + read;
                        continue;
                    }
                }
                T::put_block(s, Block::whole(now, context_in(s, block), ends), out)
            };
            if !put {
                return whole_characters::<T>(text, at, out);
            }
            at += S::LANES;
        }
        if at == text.len() {
            break;
        }

        let (now, len) = load_block(s, &text[at..]);
        if s.high_bits(now) == 0 {
            ascii += 1;
            let mut read = 0;
            if ascii > STRAY_VECTORS && text.len() - at >= LINES_PAY_FROM_BYTES {
                read = put_in_lines::<S, T, true>(s, &text[at..], out);
            }
            if read == 0 {
                read = put_fitting::<S, T>(s, now, len, out);
            }
            if read == 0 {
                break;
            }
            at += read;
            valid = valid.max(at);
            if read > LINES_PAY_FROM_BYTES {
                longest = FIRST_CHUNK_BYTES;
            }
        } else if valid < text.len() && valid <= at + len {
            // The byte after the block tells whether a character ends with the block, so it has to
            // be valid too. The last chunk takes the whole remainder, so that it is not short.
            let all = text.len() - valid <= 2 * longest;
            let end = if all { text.len() } else { floor(text, valid + longest) };
            let chunk = &text[valid..end];
            match s.apart(Validate, chunk, ()).suspicion().map(|suspect| judge(chunk, suspect)) {
                Some(Err(error)) => {
                    // Convert the valid part as if the text ended there.
                    valid += error.valid_up_to();
                    text = &text[..valid];
                }
                None | Some(Ok(())) => {
                    valid = end;
                    longest = (2 * longest).min(LONGEST_CHUNK_BYTES);
                }
            }
        } else {
            // At the start of the text or near its end. If less than a vector precedes this block,
            // a character begins with the block.
            let before = if at >= S::LANES { s.load(text, at - S::LANES) } else { s.splat(0) };
            let continued = text.get(at + len).is_some_and(|&byte| is_continuation(byte));
            let (context, ends) = (s.earlier(now, before), ends(s, now, len, continued));
            if !T::put_block(s, Block::whole(now, context, ends), out) {
                break;
            }
            at += len;
        }
    }
    if at == text.len() { at } else { whole_characters::<T>(text, at, out) }
}

/// Removes the output for the part before `at` of the character that contains byte `at`. Returns
/// where that character begins.
#[cfg_attr(trust8_optimised, inline(always))]
pub(super) fn whole_characters<T: Wide>(text: &[u8], at: usize, out: &mut Output<'_>) -> usize {
    let (start, put) = character_start::<T>(text, at);
    out.retract(put);
    start
}

/// Returns where the character that contains byte `at` begins, and the number of output bytes for
/// its part before `at`.
#[cold]
fn character_start<T: Wide>(text: &[u8], at: usize) -> (usize, usize) {
    let start = floor(text, at);
    (start, if at - start == 3 { T::AT_THIRD_OF_FOUR } else { 0 })
}

/// Converts blocks from `from` on in which all characters have one or two bytes, while they are
/// well-formed. Stops at a run of ASCII that is worth
/// writing in whole cache lines. Returns the number of bytes, in whole characters, and whether the
/// output is full. `ascii` counts the consecutive vectors of ASCII.
///
/// The text before `from` is well-formed. If its last character is cut off there, the rest of that
/// character follows.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_up_to_two_bytes<S: ConvertOps, T: Wide>(
    s: S,
    text: &[u8],
    from: usize,
    ascii: &mut usize,
    out: &mut Output<'_>,
) -> (usize, bool) {
    let (mut at, mut full) = (from, false);
    while let Some(block) = text.get(at..at + S::LANES) {
        let (now, begins) = (s.load(block, 0), ends_in_lead(&text[..at]));
        let put = if s.high_bits(now) == 0 {
            *ascii += 1;
            if *ascii > STRAY_VECTORS && text.len() - at >= LINES_PAY_FROM_BYTES || begins {
                break;
            }
            T::put_narrow(s, now, S::LANES, out)
        } else {
            *ascii = 0;
            let before1 = if at == 0 { s.earlier(now, s.splat(0))[0] } else { s.load(text, at - 1) };
            let Some(ends) = ends_up_to_two(s, now, begins) else { break };
            put_up_to_two::<S, T>(s, now, before1, ends, out)
        };
        if !put {
            full = true;
            break;
        }
        at += S::LANES;
    }
    // A lead has no output.
    (at - from - usize::from(ends_in_lead(&text[from..at])), full)
}

/// Appends a text of at most a vector, which `now` begins with, if it is ASCII, or if all its
/// characters are well-formed and have one or two bytes. Returns whether it fits, or `None` for
/// other text.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_all_up_to_two<S: ConvertOps, T: Wide, const VALID: bool>(
    s: S,
    now: S::Vector,
    text: &[u8],
    out: &mut Output<'_>,
) -> Option<bool> {
    if s.high_bits(now) == 0 {
        return Some(T::put_narrow(s, now, text.len(), out));
    }
    if S::LANES == 16 || !takes_twos::<T, VALID>() {
        return None;
    }
    let ends = ends_up_to_two(s, now, false)?;
    if ends_in_lead(text) {
        return None;
    }
    let [before1, ..] = s.earlier(now, s.splat(0));
    Some(put_up_to_two::<S, T>(s, now, before1, ends & first_bits(text.len()), out))
}

/// Appends characters of one and two bytes. A one in `keep` selects a unit. `before1` is the text
/// one byte before `now`.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_up_to_two<S: ConvertOps, T: Wide>(
    s: S,
    now: S::Vector,
    before1: S::Vector,
    keep: u64,
    out: &mut Output<'_>,
) -> bool {
    // Only a continuation byte follows a byte that is at least C0.
    let sixes = [s.minus_saturating(before1, s.splat(0xC0)), masked(s, now, 0x7F)];
    T::put_of_bytes(s, s.of_sixes(sixes), keep, out)
}

/// Converts characters from the start of valid text while they have three bytes each, two vectors
/// of them at a time. Returns the number of bytes converted.
#[cfg_attr(trust8_optimised, inline(always))]
fn put_threes<S: ConvertOps, T: Wide>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    // The bytes of a vector of characters, in a lane of four bytes each.
    let bytes = S::LANES / 4 * 3;
    let mut at = 0;
    while let Some(block) = text.get(at..at + bytes + S::LANES)
        && are_threes(s, s.load(block, 0))
        && are_threes(s, s.load(block, bytes))
        && T::put_threes(s, [joined(s, s.load_threes(block, 0)), joined(s, s.load_threes(block, bytes))], out)
    {
        at += 2 * bytes;
    }
    at
}

/// Returns whether the first three quarters of a vector are characters of three bytes.
#[inline(always)]
fn are_threes<S: ConvertOps>(s: S, v: S::Vector) -> bool {
    let bytes = S::LANES / 4 * 3;
    // The second and third byte of each character are continuation bytes, and the byte after the
    // last character is not.
    let places = 0x6DB6_DB6D_B6DB_6DB6 & first_bits(bytes);
    continuations(s, v) & first_bits(bytes + 1) == places
}

/// Returns the numbers of three-byte characters, whose last byte is the lowest byte of a 32-bit
/// lane.
#[inline(always)]
fn joined<S: ConvertOps>(s: S, threes: S::Vector) -> S::Vector {
    let third = s.and(threes, s.splat32(0x3F));
    let second = s.and(s.right32::<2>(threes), s.splat32(0x0FC0));
    let first = s.and(s.right32::<4>(threes), s.splat32(0xF000));
    s.or(s.or(third, second), first)
}

/// Appends the characters of valid text that end in the vector `now`. `block` is the three bytes
/// before it, the vector, and the byte after it.
#[inline(always)]
pub(super) fn put_valid_block<S: ConvertOps, T: Wide>(
    s: S,
    now: S::Vector,
    block: &[u8],
    out: &mut Output<'_>,
) -> bool {
    let ends = !continuations(s, s.load(block, 4)) & first_bits(S::LANES);
    T::put_block(s, Block::whole(now, context_in(s, block), ends), out)
}

/// Returns the text one, two and three bytes before the vector that begins at byte 3 of `block`.
#[inline(always)]
fn context_in<S: ConvertOps>(s: S, block: &[u8]) -> [S::Vector; 3] {
    [s.load(block, 2), s.load(block, 1), s.load(block, 0)]
}

/// Returns a one for each continuation byte: as signed numbers, these are the bytes from -80 to
/// -41.
#[inline(always)]
fn continuations<S: ConvertOps>(s: S, v: S::Vector) -> u64 {
    s.high_bits(s.plus_signed_saturating(v, s.splat(0x40)))
}

/// Returns a one for each of the first `len` positions of a block at which a character ends: where
/// no continuation byte follows. `continued` says whether one follows the block.
#[inline(always)]
fn ends<S: ConvertOps>(s: S, now: S::Vector, len: usize, continued: bool) -> u64 {
    !(continuations(s, now) >> 1 | u64::from(continued) << (S::LANES - 1)) & first_bits(len)
}

/// Returns a one for each position of a block at which a character ends. Returns `None` unless the
/// whole block belongs to well-formed characters of one and two bytes. The last one may continue
/// after the block. `begins` says whether the last byte before the block begins a character; its
/// part before the block is then well-formed.
#[inline(always)]
fn ends_up_to_two<S: ConvertOps>(s: S, now: S::Vector, begins: bool) -> Option<u64> {
    let leads = at_least::<S, 0xC0>(s, now);
    let after_leads = (leads << 1 | u64::from(begins)) & first_bits(S::LANES);
    // Continuation bytes are exactly where they must be, and no lead is C0, C1, or that of a longer
    // character.
    let continuations = s.high_bits(now) & !leads;
    let all = continuations == after_leads
        && at_least::<S, 0xC2>(s, now) == leads
        && at_least::<S, 0xE0>(s, now) == 0;
    all.then_some(!leads & first_bits(S::LANES))
}

/// Sets bit 7 of each byte that begins a four-byte character. From F0 on, the difference to 70 has
/// that bit.
#[inline(always)]
fn begins_four<S: ConvertOps>(s: S, v: S::Vector) -> S::Vector {
    s.minus_saturating(v, s.splat(0xF0 - 0x80))
}

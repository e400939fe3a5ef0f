//! Faulty UTF-8 into UTF-16 and UTF-32 with vectors: each ill-formed sequence becomes U+FFFD, or
//! what another [`Instead`] says.
//!
//! A block is converted as in `from_utf8.rs`: there is a unit for the last byte of each sequence.
//! In addition, `repair/survey/` makes a map of the block's ill-formed sequences. Their bytes
//! become zeros. Then the last byte of such a sequence and the two before it become those of
//! U+FFFD, only for this position:
//!
//! ```text
//! text                    E2   82   AC   E2   82   41
//! without faults          E2   82   AC   00   00   41
//! at the last bytes                 AC        BD   41
//! one byte before                   82        BF   00
//! two bytes before                  E2        EF   00
//! UTF-16                            20AC      FFFD 0041
//! ```
//!
//! So the time does not depend on the number of ill-formed sequences, and there are no branches on
//! them.
//!
//! After some blocks without a fault, text is checked in groups and converted as in `from_utf8.rs`,
//! which takes half the time.

#![forbid(unsafe_code)]

use super::from_utf8::{Block, Wide, put_valid_block, whole_characters};
use super::{IntoBytes, at_least, leading_ascii, load_block, masked};
use crate::simd::{ConvertOps, first_bits};
use trust8::boundary::is_continuation;
use trust8::engine::Output;
use trust8::engine::survey::{BLOCK_BYTES, CONTEXT, Marks, OWN_BYTES, Surveyor, padded};

/// The length of a group.
const GROUP_BYTES: usize = 128;

/// After this many blocks without a fault, text is processed in groups.
const SOUND_BLOCKS_TO_TAKE_GROUPS: usize = 4;

/// After this much text in groups, faults are no longer near. Restarting at the next fault costs as
/// much as a few hundred bytes.
const FAR_BYTES: usize = 64 << 10;

/// What ill-formed sequences become.
pub(crate) trait Instead {
    /// Returns the bytes at which a unit ends.
    fn ends(marks: Marks) -> u64;

    /// Returns the three bytes of the character for each byte of `now`, the last one first: of U+FFFD.
    #[inline(always)]
    fn character<S: ConvertOps>(s: S, _now: S::Vector) -> [S::Vector; 3] {
        [s.splat(0xBD), s.splat(0xBF), s.splat(0xEF)]
    }
}

/// U+FFFD for each ill-formed sequence.
pub(crate) struct Replaced;

impl Instead for Replaced {
    #[inline(always)]
    fn ends(marks: Marks) -> u64 {
        marks.ends
    }
}

/// Nothing.
pub(crate) struct Ignored;

impl Instead for Ignored {
    #[inline(always)]
    fn ends(marks: Marks) -> u64 {
        marks.ends & !marks.ill_formed
    }
}

/// A surrogate for each byte, DC80 to DCFF: as UTF-8 would have it, ED B2 80 to ED B3 BF.
pub(crate) struct Escaped;

impl Instead for Escaped {
    #[inline(always)]
    fn ends(marks: Marks) -> u64 {
        marks.ends | marks.ill_formed
    }

    #[inline(always)]
    fn character<S: ConvertOps>(s: S, now: S::Vector) -> [S::Vector; 3] {
        let second = s.or(s.splat(0xB2), masked(s, s.right16::<6>(now), 1));
        [masked(s, now, 0xBF), second, s.splat(0xED)]
    }
}

/// Converts text that begins at the start of a sequence and does not end inside a character. Stops
/// when faults are no longer near and when the output is full. Returns the number of bytes
/// converted; a sequence begins after them.
#[inline(always)]
pub(crate) fn long<S: ConvertOps, T: Wide, I: Instead>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let surveyor = s.surveyor();
    let mut at = 0;
    let mut marks = Marks::ASCII;
    let mut sound = 0;
    loop {
        // A stray continuation byte here is a fault that the first group would not see.
        let is_continued = marks.ends >> (CONTEXT + OWN_BYTES - 1) & 1 == 0;
        let is_stray = !is_continued && text.get(at).is_some_and(|&byte| is_continuation(byte));
        if sound >= SOUND_BLOCKS_TO_TAKE_GROUPS && !is_stray {
            let after;
            (at, after) = groups::<S, T>(s, text, at, out);
            marks = Marks::ASCII;
            match after {
                AfterGroups::Ascii => {}
                AfterGroups::Far => return at,
                AfterGroups::Fault => sound = 0,
            }
        }
        let len = (text.len() - at).min(OWN_BYTES);
        if len == 0 {
            return at;
        }
        let padded_block;
        let block = match at.checked_sub(CONTEXT).and_then(|begin| text[begin..].first_chunk()) {
            Some(block) => block,
            None => {
                padded_block = padded(text, at);
                &padded_block
            }
        };
        if surveyor.high(block) == 0 {
            let ascii = leading_ascii::<S, T>(s, &text[at..], out);
            if ascii > 0 {
                (at, marks) = (at + ascii, Marks::ASCII);
                continue;
            }
        }
        marks = Marks::of(surveyor, block, marks);
        sound = if marks.ill_formed == 0 { sound + 1 } else { 0 };
        let within = first_bits(len) << CONTEXT;
        let mut before = s.splat(0);
        let mut place = 0;
        while place < BLOCK_BYTES {
            let (ill_formed, ends, within) =
                (marks.ill_formed >> place, I::ends(marks) >> place, within >> place);
            let now = s.load(block, place);
            let [third, second, first] = I::character(s, now);
            let well_formed = s.zero_unless_high(s.with_high_bits(!ill_formed), now);
            let [before1, before2, before3] = s.earlier(well_formed, before);
            before = well_formed;
            let replaced = s.with_high_bits(ill_formed & ends);
            let now = s.select_high(replaced, third, well_formed);
            let before1 = s.select_high(replaced, second, before1);
            let before2 = s.select_high(replaced, first, before2);
            // `before3` needs no replacement: a four-byte character that began there would end
            // here.
            let context = [before1, before2, before3];
            let ends = ends & first_bits(S::LANES);
            if !T::put_block(s, Block { now, context, ends, within }, out) {
                let end = (at + place).saturating_sub(CONTEXT).clamp(at, at + len);
                let ends = marks.ends | I::ends(marks);
                let is_whole = ends >> (CONTEXT + end - at - 1) & 1 == 1;
                return if is_whole { end } else { whole_characters::<T>(text, end, out) };
            }
            place += S::LANES;
        }
        at += len;
    }
}

/// Copies ASCII without the ill-formed sequences in it. Stops at the latest before a character that is
/// not ASCII, and when the output is full. Returns the number of bytes read; a sequence begins after
/// them.
#[inline(always)]
pub(crate) fn ascii_without_faults<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
    let surveyor = s.surveyor();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let (now, mut len) = load_block(s, rest);
        let high = s.high_bits(now);
        let put = if high == 0 {
            len = leading_ascii::<S, IntoBytes>(s, rest, out);
            len > 0
        } else {
            // Unless a continuation follows a lead, each byte is a fault by itself.
            let leads = at_least::<S, 0xC0>(s, now);
            let continued = rest.get(len).is_some_and(|&byte| is_continuation(byte));
            if leads & ((high & !leads) >> 1 | u64::from(continued) << (S::LANES - 1)) != 0 {
                let marks = Marks::of(surveyor, &padded(rest, 0), Marks::ASCII);
                let ends = marks.ends >> CONTEXT & first_bits(len.min(OWN_BYTES));
                len = 64 - ends.leading_zeros() as usize;
                if len == 0 || high & !(marks.ill_formed >> CONTEXT) & first_bits(len) != 0 {
                    break;
                }
            }
            s.put_kept_bytes(now, !high & first_bits(len), out)
        };
        if !put {
            break;
        }
        at += len;
    }
    at
}

/// Why the conversion in groups has ended.
enum AfterGroups {
    /// A group of ASCII.
    Ascii,
    /// Many groups.
    Far,
    /// A fault, or the end of the output or the text.
    Fault,
}

/// Converts groups from `at` on. The text before `at` is well-formed and converted, except a
/// character that `at` cuts off. The byte at `at` continues such a character, or is not a
/// continuation byte. Returns the end of the converted text, where a sequence begins.
#[cfg_attr(trust8_optimised, inline(always))]
fn groups<S: ConvertOps, T: Wide>(
    s: S,
    text: &[u8],
    mut at: usize,
    out: &mut Output<'_>,
) -> (usize, AfterGroups) {
    let far = at + FAR_BYTES;
    let mut after = AfterGroups::Fault;
    // A group, the context before it, and the byte after it. That byte is checked with the group,
    // because it may continue the group's last character. The group's first byte is already
    // checked.
    'groups: while let Some(group) = text.get(at - CONTEXT..at + GROUP_BYTES + 1)
        && let Some((before, checked)) = group.split_first_chunk()
        && s.piece_continues(*before, checked)
    {
        let (mut high, mut place) = (0, 0);
        while place < GROUP_BYTES {
            let now = s.load(group, place + CONTEXT);
            let high_of_now = s.high_bits(now);
            let put = match high_of_now {
                0 => T::put_narrow(s, now, S::LANES, out),
                _ => put_valid_block::<S, T>(s, now, &group[place..], out),
            };
            if !put {
                break 'groups;
            }
            high |= high_of_now;
            at += S::LANES;
            place += S::LANES;
        }
        if high == 0 {
            after = AfterGroups::Ascii;
            break;
        }
        if at >= far {
            after = AfterGroups::Far;
            break;
        }
    }
    // A character that is cut off is converted again, with the rest of it or as a fault.
    (whole_characters::<T>(text, at, out), after)
}

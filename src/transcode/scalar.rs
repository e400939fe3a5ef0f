//! One character at a time: what decides, where the fast ways have stopped, why they did; and, over and over,
//! the way of a machine without vectors.

#![forbid(unsafe_code)]

use super::error::{Fault, Kind};
use super::form::{Family, Layout};
use crate::error::Sequence;
use crate::output::Output;

/// What a text begins with.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// A character, and how many bytes it has.
    Char(char, usize),
    /// Bytes that begin none, and how many of them one U+FFFD replaces.
    Malformed(Fault, usize),
    /// The beginning of a character, and then the end of the text. What is wrong if no more follows.
    Cut(Fault),
}

/// What the text begins with. It is not empty.
#[inline(always)]
pub(super) fn next(from: Layout, text: &[u8]) -> Next {
    match from.family {
        Family::Utf8 => utf8(text),
        Family::Utf16 => utf16(from, text),
        Family::Utf32 => utf32(from, text),
        Family::Latin1 => Next::Char(char::from(text[0]), 1),
    }
}

#[inline(always)]
fn utf8(text: &[u8]) -> Next {
    let len = match text[0] {
        ascii @ 0x00..=0x7F => return Next::Char(char::from(ascii), 1),
        0x80..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
    };
    if let Some(bytes) = text.get(..len)
        && let Ok(character) = core::str::from_utf8(bytes)
        && let Some(char) = character.chars().next()
    {
        return Next::Char(char, len);
    }
    let sequence = Sequence::at_start_of(text);
    match sequence.error_len() {
        Some(len) => Next::Malformed(Fault::Utf8(sequence), len),
        None => Next::Cut(Fault::Utf8(sequence)),
    }
}

#[inline(always)]
fn utf16(from: Layout, text: &[u8]) -> Next {
    let unit = |bytes: [u8; 2]| {
        let unit = u16::from_ne_bytes(bytes);
        if from.swapped { unit.swap_bytes() } else { unit }
    };
    let Some((first, rest)) = text.split_first_chunk() else {
        return Next::Cut(Fault::Other(Kind::Incomplete));
    };
    let first = unit(*first);
    if let Some(char) = char::from_u32(first.into()) {
        return Next::Char(char, 2);
    }
    if first >= 0xDC00 {
        return Next::Malformed(Fault::Other(Kind::LoneLow(first)), 2);
    }
    let lone = Fault::Other(Kind::LoneHigh(first));
    let Some(second) = rest.first_chunk() else { return Next::Cut(lone) };
    match char::decode_utf16([first, unit(*second)]).next() {
        Some(Ok(char)) => Next::Char(char, 4),
        _ => Next::Malformed(lone, 2),
    }
}

#[inline(always)]
fn utf32(from: Layout, text: &[u8]) -> Next {
    let Some(unit) = text.first_chunk() else { return Next::Cut(Fault::Other(Kind::Incomplete)) };
    let unit = u32::from_ne_bytes(*unit);
    let unit = if from.swapped { unit.swap_bytes() } else { unit };
    match char::from_u32(unit) {
        Some(char) => Next::Char(char, 4),
        None if unit > 0x10_FFFF => Next::Malformed(Fault::Other(Kind::TooLarge(unit)), 4),
        None => Next::Malformed(Fault::Other(Kind::Surrogate(unit)), 4),
    }
}

/// Why a character was not appended.
pub(super) enum Refusal {
    /// It does not fit.
    Full,
    /// Latin-1 has not got it.
    NotLatin1,
}

/// Appends a character, if it fits.
#[inline(always)]
pub(super) fn put(to: Layout, char: char, out: &mut Output<'_>) -> Result<(), Refusal> {
    let fits = match to.family {
        Family::Utf8 => out.put(char.encode_utf8(&mut [0; 4]).as_bytes()),
        Family::Utf16 => {
            let mut units = [0; 2];
            let len = char.encode_utf16(&mut units).len();
            let bytes = units.map(|unit| if to.swapped { unit.swap_bytes() } else { unit }.to_ne_bytes());
            out.put(&bytes.as_flattened()[..2 * len])
        }
        Family::Utf32 => {
            let unit = u32::from(char);
            out.put(&if to.swapped { unit.swap_bytes() } else { unit }.to_ne_bytes())
        }
        Family::Latin1 => match u8::try_from(u32::from(char)) {
            Ok(byte) => out.put(&[byte]),
            Err(_) => return Err(Refusal::NotLatin1),
        },
    };
    if fits { Ok(()) } else { Err(Refusal::Full) }
}

/// Appends what stands for something that can't be converted: U+FFFD, or in Latin-1, which has not got it, `?`.
pub(super) fn put_replacement(to: Layout, out: &mut Output<'_>) -> bool {
    let replacement = if to.family == Family::Latin1 { '?' } else { char::REPLACEMENT_CHARACTER };
    put(to, replacement, out).is_ok()
}

/// Why a conversion has not gone on.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// The text is at its end.
    End,
    /// The next character does not fit.
    Full,
    /// The next so many bytes can't be converted.
    Malformed(Fault, usize),
    /// The rest, three bytes at most, is the beginning of a character.
    Cut(Fault),
}

/// Converts so many bytes that whichever vectors have not liked is among them, and no more.
const STRETCH: usize = 256;

/// Converts a stretch of `text`: how many bytes, and what stopped it, if something did.
pub(super) fn stretch(from: Layout, to: Layout, text: &[u8], out: &mut Output<'_>) -> (usize, Option<Stop>) {
    let mut at = 0;
    while at < STRETCH {
        let rest = &text[at..];
        if rest.is_empty() {
            return (at, Some(Stop::End));
        }
        let stop = match next(from, rest) {
            Next::Char(char, len) => match put(to, char, out) {
                Ok(()) => {
                    at += len;
                    continue;
                }
                Err(Refusal::Full) => Stop::Full,
                Err(Refusal::NotLatin1) => Stop::Malformed(Fault::Other(Kind::NotLatin1(char)), len),
            },
            Next::Malformed(fault, len) => Stop::Malformed(fault, len),
            Next::Cut(fault) => Stop::Cut(fault),
        };
        return (at, Some(stop));
    }
    (at, None)
}

//! The grammars of the dialects, read literally, for the crate to be compared with.
//!
//! Nothing here is taken from the crate. A sequence is matched octet by octet with the alternatives
//! of its dialect, which are kept as data. The bits of its octets, without their marks, are its
//! value.

use std::ops::RangeInclusive;

use trust8_dialect::Dialect;

type Octets = RangeInclusive<u8>;
type Alternative = &'static [Octets];

const TAIL: Octets = 0x80..=0xBF;

/// What all dialects have: up to three octets, without surrogates and zero.
const COMMON: [Alternative; 6] = [
    &[0x01..=0x7F],
    &[0xC2..=0xDF, TAIL],
    &[0xE0..=0xE0, 0xA0..=0xBF, TAIL],
    &[0xE1..=0xEC, TAIL, TAIL],
    &[0xED..=0xED, 0x80..=0x9F, TAIL],
    &[0xEE..=0xEF, TAIL, TAIL],
];
const ZERO: Alternative = &[0x00..=0x00];
const ZERO_IN_TWO: Alternative = &[0xC0..=0xC0, 0x80..=0x80];
const SURROGATE: Alternative = &[0xED..=0xED, 0xA0..=0xBF, TAIL];
const SECOND_HALF: Alternative = &[0xED..=0xED, 0xB0..=0xBF, TAIL];
const PAIR: Alternative = &[0xED..=0xED, 0xA0..=0xAF, TAIL, 0xED..=0xED, 0xB0..=0xBF, TAIL];
const FOUR: [Alternative; 3] = [
    &[0xF0..=0xF0, 0x90..=0xBF, TAIL, TAIL],
    &[0xF1..=0xF3, TAIL, TAIL, TAIL],
    &[0xF4..=0xF4, 0x80..=0x8F, TAIL, TAIL],
];
/// What RFC 2279 has besides UTF-8 and surrogates.
const LONG: [Alternative; 6] = [
    &[0xF4..=0xF4, 0x90..=0xBF, TAIL, TAIL],
    &[0xF5..=0xF7, TAIL, TAIL, TAIL],
    &[0xF8..=0xF8, 0x88..=0xBF, TAIL, TAIL, TAIL],
    &[0xF9..=0xFB, TAIL, TAIL, TAIL, TAIL],
    &[0xFC..=0xFC, 0x84..=0xBF, TAIL, TAIL, TAIL, TAIL],
    &[0xFD..=0xFD, TAIL, TAIL, TAIL, TAIL, TAIL],
];

fn alternatives(dialect: Dialect) -> Vec<Alternative> {
    let mut all = COMMON.to_vec();
    match dialect {
        Dialect::Utf8 => all.extend([ZERO].into_iter().chain(FOUR)),
        Dialect::Wtf8 => all.extend([ZERO, SURROGATE].into_iter().chain(FOUR)),
        Dialect::Rfc2279 => all.extend([ZERO, SURROGATE].into_iter().chain(FOUR).chain(LONG)),
        Dialect::Cesu8 => all.extend([ZERO, PAIR]),
        Dialect::ModifiedUtf8 => all.extend([ZERO_IN_TWO, PAIR]),
        _ => panic!("no table for {dialect}"),
    }
    all
}

/// A code point with its offset, or a fault with its offset and the length of the error.
pub type Item = Result<(usize, u32), (usize, Option<usize>)>;

/// Decodes all of the bytes.
pub fn decode(dialect: Dialect, bytes: &[u8]) -> Vec<Item> {
    let grammar = alternatives(dialect);
    let mut items = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (item, len) = match first(dialect, &grammar, rest) {
            Ok((value, len)) => (Ok((at, value)), len),
            Err(len) => (Err((at, len)), len.unwrap_or(rest.len())),
        };
        items.push(item);
        at += len;
    }
    items
}

/// Returns how many octets match.
fn matching(alternative: Alternative, rest: &[u8]) -> usize {
    alternative.iter().zip(rest).take_while(|(octets, octet)| octets.contains(octet)).count()
}

fn matches(alternative: Alternative, rest: &[u8]) -> bool {
    matching(alternative, rest) == alternative.len()
}

/// Returns the length of the longest match.
fn longest(alternatives: &[Alternative], rest: &[u8]) -> usize {
    alternatives.iter().map(|alternative| matching(alternative, rest)).max().unwrap_or(0)
}

fn first(dialect: Dialect, grammar: &[Alternative], rest: &[u8]) -> Result<(u32, usize), Option<usize>> {
    let pairs = matches!(dialect, Dialect::Cesu8 | Dialect::ModifiedUtf8);
    if dialect == Dialect::Wtf8 && matches(PAIR, rest) {
        return Err(Some(6));
    }
    if let Some(alternative) = grammar.iter().find(|alternative| matches(alternative, rest)) {
        return Ok((value(&rest[..alternative.len()]), alternative.len()));
    }
    // A sequence that another dialect has is one fault, as far as it is there.
    let half = matching(SECOND_HALF, rest);
    if pairs && half >= 2 {
        return Err(Some(half));
    }
    if pairs && longest(&FOUR, rest) > 0 {
        return Err(Some(longest(&FOUR, rest)));
    }
    if pairs && matches(SURROGATE, rest) {
        let there = matching(SECOND_HALF, &rest[3..]);
        return Err(if 3 + there == rest.len() { None } else { Some(3) });
    }
    let longest = longest(grammar, rest);
    Err(if longest == rest.len() { None } else { Some(longest.max(1)) })
}

/// Returns the bits of the octets without their marks.
fn value(octets: &[u8]) -> u32 {
    if octets.len() == 6 && octets[0] == 0xED {
        let [high, low] = [value(&octets[..3]), value(&octets[3..])];
        return 0x1_0000 + (high - 0xD800) * 0x400 + (low - 0xDC00);
    }
    let mark = if octets.len() == 1 { 1 } else { octets.len() + 1 };
    let first = u32::from(octets[0]) & (0xFF >> mark);
    octets[1..].iter().fold(first, |value, octet| value * 64 + u32::from(octet & 0x3F))
}

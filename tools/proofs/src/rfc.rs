//! The grammar of RFC 3629, section 4, and what it says of a text.
//!
//! Everything is derived from the table that the tests use too, which is the RFC's ABNF.

use std::collections::{BTreeSet, HashSet};

use crate::byte::Byte;
use crate::formula::{FALSE, Formula, TRUE};
use grammar::{Octets, UTF8_CHAR};

#[path = "../../../tests/support/grammar.rs"]
mod grammar;

/// Where a text begins: with a character, or anywhere in a longer text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Character,
    Anywhere,
}

/// Where a text ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With a character.
    Character,
    /// Anywhere in a longer text.
    Anywhere,
    /// Anywhere in a longer text, or with a byte that never appears, `C0`, `C1` or `F5` to `FF`, where a character begins. Some
    /// checks show such a byte as a fault of the byte after it.
    AnywhereOrNever,
}

/// Returns the formula of the bytes that are UTF-8 text, or a part of one.
pub(crate) fn is_text(start: Start, bytes: &[Byte], end: End) -> Formula {
    let n = bytes.len();
    let never = |byte: Byte| {
        let appears = UTF8_CHAR.iter().flat_map(|ranges| ranges.iter());
        appears.fold(FALSE, |any, range| any.or(byte.is_in(range))).not()
    };
    // The bytes from `at` on match the ranges, as far as there are bytes. What follows after the last range is a whole number of
    // characters.
    let matches = |ranges: &[Octets], at: usize, after: &[Formula]| {
        if end == End::Character && n - at < ranges.len() {
            return FALSE;
        }
        let ranges_match =
            ranges.iter().zip(&bytes[at..]).fold(TRUE, |all, (range, byte)| all.and(byte.is_in(range)));
        ranges_match.and(after.get(at + ranges.len()).copied().unwrap_or(TRUE))
    };
    // `from[at]`: the bytes from `at` on begin with a character.
    let mut from = vec![TRUE; n + 1];
    for at in (0..n).rev() {
        from[at] = UTF8_CHAR.iter().fold(FALSE, |any, ranges| any.or(matches(ranges, at, &from)));
        if end == End::AnywhereOrNever && at + 1 == n {
            from[at] = from[at].or(never(bytes[at]));
        }
    }
    if start == Start::Character {
        return from[0];
    }
    // The first bytes may be the end of a character that begins before them.
    let rests = UTF8_CHAR.iter().flat_map(|ranges| (1..ranges.len()).map(|skip| &ranges[skip..]));
    rests.fold(from[0], |any, rest| any.or(matches(rest, 0, &from)))
}

/// What the next byte may be: places in the table, each the number of a row and of a range in it.
pub(crate) type States = Vec<(usize, usize)>;

/// Returns where a character may begin.
pub(crate) fn start() -> States {
    (0..UTF8_CHAR.len()).map(|row| (row, 0)).collect()
}

/// Returns what may come after `byte`. It is empty if no text continues with it.
pub(crate) fn next(state: &States, byte: u8) -> States {
    let matching = state.iter().filter(|&&(row, at)| UTF8_CHAR[row][at].contains(&byte));
    let after: Vec<_> = matching.map(|&(row, at)| (row, at + 1)).collect();
    match after.iter().all(|&(row, at)| at < UTF8_CHAR[row].len()) {
        true => after,
        // The character is complete, so it is the only one that matches.
        false => {
            assert_eq!(after.len(), 1);
            start()
        }
    }
}

/// Returns the ranges that may follow. States with the same ranges are one state.
pub(crate) fn rests(state: &States) -> BTreeSet<Vec<(u8, u8)>> {
    let rest = |&(row, at): &(usize, usize)| -> Vec<(u8, u8)> {
        UTF8_CHAR[row][at..].iter().map(|range| (*range.start(), *range.end())).collect()
    };
    state.iter().map(rest).collect()
}

/// Returns the state after each byte in each state, as numbers. State 0 is where a character begins.
pub(crate) fn table() -> Vec<[usize; 256]> {
    let (mut states, mut rows) = (vec![start()], Vec::new());
    while let Some(state) = states.get(rows.len()).cloned() {
        let row = std::array::from_fn(|byte| {
            let after = next(&state, byte as u8);
            states.iter().position(|other| *other == after).unwrap_or_else(|| {
                states.push(after);
                states.len() - 1
            })
        });
        rows.push(row);
    }
    rows
}

/// Returns the first byte of each class of bytes that no range of the table tells apart.
pub(crate) fn edges() -> Vec<u8> {
    let ranges = UTF8_CHAR.iter().flat_map(|ranges| ranges.iter());
    let mut edges: Vec<u8> = ranges.flat_map(|range| [*range.start(), range.end().wrapping_add(1)]).collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Proves for texts of any length: with three zeros before it and three after it, a text is UTF-8 if and only if each four
/// neighbouring bytes are part of some UTF-8 text. Returns the number of cases.
///
/// The proof is by induction. Let some bytes be the beginning of a UTF-8 text, and take one byte more. For each state of the
/// grammar and each three last bytes that a text can lead to, it is the beginning of a UTF-8 text if and only if the last four
/// bytes are part of some text. Bytes that no range of the table tells apart are one case.
pub(crate) fn a_text_is_its_windows() -> usize {
    let edges = edges();
    let mut seen = HashSet::new();
    let mut open = vec![(start(), [0; 3])];
    while let Some((state, last)) = open.pop() {
        if !seen.insert((state.clone(), last)) {
            continue;
        }
        for &byte in &edges {
            let window = [last[0], last[1], last[2], byte];
            let is_part = is_text(Start::Anywhere, &window.map(Byte::constant), End::Anywhere) == TRUE;
            let after = next(&state, byte);
            assert_eq!(is_part, !after.is_empty(), "{window:02X?}");
            if is_part {
                open.push((after, [last[1], last[2], byte]));
            }
        }
    }
    // The three zeros at the end are characters, so what comes before them is whole characters.
    seen.len() * edges.len()
}

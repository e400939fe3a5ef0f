//! Short strings whose lengths and contents vary, like keys, fields and cells.
//!
//! In a loop over one string, the branch predictor learns the string, and a validator looks several times
//! faster than it is in a program. So thousands of different strings are packed one after the other, as in a
//! column of text, and visited in random order.

use crate::measure::Packed;
use crate::random::Random;
use crate::texts::{fill, random_char};

/// The contents of strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contents {
    /// Only ASCII.
    Ascii,
    /// Characters of one to four bytes with equal chance.
    Mixed,
    /// ASCII, except that one character in 32 has two to four bytes.
    Rare,
}

impl Contents {
    /// All contents.
    pub const ALL: [Self; 3] = [Self::Ascii, Self::Mixed, Self::Rare];

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "all ASCII",
            Self::Mixed => "mixed, 1 to 4 bytes",
            Self::Rare => "ASCII with rare others",
        }
    }

    /// Appends a string of exactly `len` bytes. Where a character no longer fits, a shorter one is taken.
    fn append(self, random: &mut Random, text: &mut String, len: usize) {
        let end = text.len() + len;
        while text.len() < end {
            let width = match self {
                Self::Ascii => 1,
                Self::Mixed => random.between(1, 4),
                Self::Rare if random.once_in(32) => random.between(2, 4),
                Self::Rare => 1,
            };
            text.push(random_char(random, width.min(end - text.len())));
        }
    }
}

/// The lengths of strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lengths {
    /// This length.
    Fixed(usize),
    /// Every length from 0 to below this one, with equal chance.
    Below(usize),
    /// Lengths like those of the keys of JSON objects: 2 to 24 bytes, most of them 4 to 12.
    JsonKeys,
    /// Lengths like those of the cells of a text column in a database: empty strings and codes, numbers and dates,
    /// names and addresses, and a few paragraphs.
    Cells,
}

impl Lengths {
    /// The lengths that vary.
    pub const RANDOM: [Self; 8] = [
        Self::Below(8),
        Self::Below(16),
        Self::Below(32),
        Self::Below(64),
        Self::Below(128),
        Self::Below(256),
        Self::JsonKeys,
        Self::Cells,
    ];

    /// Returns the name in tables.
    pub fn name(self) -> String {
        match self {
            Self::Fixed(len) => format!("{len}"),
            Self::Below(end) => format!("below {end}"),
            Self::JsonKeys => "JSON keys".to_owned(),
            Self::Cells => "cells".to_owned(),
        }
    }

    /// Draws a length.
    pub fn draw(self, random: &mut Random) -> usize {
        // Each range has its weight in percent, its lowest and its highest length.
        const KEYS: [(usize, usize, usize); 4] = [(15, 2, 3), (45, 4, 7), (30, 8, 12), (10, 13, 24)];
        const CELLS: [(usize, usize, usize); 6] =
            [(8, 0, 0), (17, 1, 3), (30, 4, 12), (25, 13, 30), (15, 31, 80), (5, 81, 250)];
        let weighted = |random: &mut Random, ranges: &[(usize, usize, usize)]| {
            let mut rest = random.below(100);
            for &(weight, low, high) in ranges {
                if rest < weight {
                    return random.between(low, high);
                }
                rest -= weight;
            }
            unreachable!("the weights add up to 100")
        };
        match self {
            Self::Fixed(len) => len,
            Self::Below(end) => random.below(end),
            Self::JsonKeys => weighted(random, &KEYS),
            Self::Cells => weighted(random, &CELLS),
        }
    }
}

/// Returns `count` different strings in random order.
pub fn random_strings(lengths: Lengths, contents: Contents, count: usize) -> Packed {
    let mut random = Random::named(&format!("{lengths:?} {contents:?}"));
    let mut text = String::new();
    let mut ranges = Vec::with_capacity(count);
    for _ in 0..count {
        let start = text.len();
        let len = lengths.draw(&mut random);
        contents.append(&mut random, &mut text, len);
        ranges.push(start..text.len());
    }
    random.shuffle(&mut ranges);
    Packed::new(text.as_bytes(), ranges)
}

/// Cuts a text into consecutive strings, each of exactly `len` bytes. They are as many as the text holds, but at
/// least one and at most `most`.
pub fn consecutive_strings(text: &str, len: usize, most: usize) -> Packed {
    let count = (text.len() / len.max(1)).clamp(1, most);
    let mut bytes = vec![0; count * len];
    let mut rest = text;
    for string in bytes.chunks_exact_mut(len.max(1)) {
        // A string has whole characters, and dots at its end. A text shorter than a string is repeated.
        let end = (0..=len.min(rest.len())).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(0);
        match rest.len() < len {
            true => fill(string, text),
            false => {
                string.fill(b'.');
                string[..end].copy_from_slice(&rest.as_bytes()[..end]);
                rest = &rest[end..];
            }
        }
    }
    Packed::new(&bytes, (0..count).map(|i| i * len..(i + 1) * len).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_the_lengths_that_were_asked_for() {
        for contents in Contents::ALL {
            for len in 0..70 {
                let set = random_strings(Lengths::Fixed(len), contents, 50);
                let strings = set.strings();
                assert!(strings.iter().all(|string| string.len() == len));
                assert!(strings.iter().all(|string| std::str::from_utf8(string).is_ok()));
            }
        }
    }

    #[test]
    fn random_lengths_cover_their_range() {
        for lengths in Lengths::RANDOM {
            let set = random_strings(lengths, Contents::Mixed, 4000);
            let (min, max) = match lengths {
                Lengths::Below(end) => (0, end - 1),
                Lengths::JsonKeys => (2, 24),
                _ => (0, 250),
            };
            let strings = set.strings();
            let lens = strings.iter().map(|string| string.len());
            assert_eq!((lens.clone().min(), lens.max()), (Some(min), Some(max)), "{lengths:?}");
        }
    }

    #[test]
    fn contents_are_what_they_are_called() {
        let share = |contents| {
            let set = random_strings(Lengths::Below(64), contents, 4000);
            let (mut others, mut all) = (0, 0);
            for string in set.strings() {
                let text = std::str::from_utf8(string).unwrap();
                others += text.chars().filter(|char| !char.is_ascii()).count();
                all += text.chars().count();
            }
            others as f64 / all as f64
        };
        assert_eq!(share(Contents::Ascii), 0.0);
        assert!((0.65..0.76).contains(&share(Contents::Mixed)));
        assert!((0.025..0.04).contains(&share(Contents::Rare)));
    }

    #[test]
    fn consecutive_strings_have_whole_characters() {
        let of = |len, most| {
            let packed = consecutive_strings("aéb日c", len, most);
            packed
                .strings()
                .iter()
                .map(|string| std::str::from_utf8(string).unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(0, 5), [""; 5]);
        assert_eq!(of(2, 9), ["a.", "é", "b.", ".."]);
        assert_eq!(of(4, 9), ["aéb", "日c"]);
        assert_eq!(of(4, 1), ["aéb"]);
        assert_eq!(of(10, 9), ["aéb日ca."]);
    }

    #[test]
    fn hardly_any_two_strings_are_equal() {
        for contents in Contents::ALL {
            let set = random_strings(Lengths::Fixed(16), contents, 4000);
            let mut strings = set.strings();
            strings.sort_unstable();
            strings.dedup();
            assert_eq!(strings.len(), 4000);
        }
    }
}

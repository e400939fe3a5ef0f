//! What letters and pairs of letters cost in each language, in bits: how surprising they are.

use std::sync::LazyLock;

/// tools/train-guesses.py writes this file, and describes it.
static DATA: &[u8] = include_bytes!("languages.bin");

/// The class of everything but letters.
pub(super) const NO_LETTER: u8 = 0;
/// The class of the letters that a language lacks.
pub(super) const FOREIGN: u8 = 1;

pub(super) struct Language {
    /// The languages that have encodings in common with this one.
    pub(super) group: &'static [u8],
    /// The letters in lower case, sorted, as UTF-16 in little-endian order.
    letters: &'static [u8],
    costs: &'static [u8],
    /// Whether it is written in Latin letters.
    pub(super) is_latin: bool,
}

/// A language of East Asia.
pub(super) struct Script {
    pub(super) name: &'static [u8],
    /// The most frequent characters outside ASCII, each with its cost in eighths of a bit, sorted.
    characters: Vec<(u16, u8)>,
}

pub(super) static ALL: LazyLock<(Vec<Language>, Vec<Script>)> = LazyLock::new(|| {
    let mut rest = DATA;
    let mut take = |n: usize| {
        let (first, after) = rest.split_at(n);
        rest = after;
        first
    };
    let languages = take(1)[0];
    let languages = (0..languages)
        .map(|_| {
            let header = take(6);
            let n = usize::from(header[4]);
            Language {
                group: &header[..4],
                letters: take(2 * n),
                costs: take((n + 2) * (n + 2)),
                is_latin: header[5] != 0,
            }
        })
        .collect();
    let scripts = take(1)[0];
    let scripts = (0..scripts)
        .map(|_| {
            let name = take(4);
            let mut characters = Vec::new();
            for _ in 0..5 {
                let header = take(3);
                let n = usize::from(u16::from_le_bytes([header[1], header[2]]));
                characters.extend(units(take(2 * n)).map(|unit| (unit, header[0])));
            }
            characters.sort_unstable();
            Script { name, characters }
        })
        .collect();
    (languages, scripts)
});

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit))
}

impl Language {
    /// Returns the class of a letter in lower case.
    pub(super) fn class(&self, letter: char) -> u8 {
        let at = self
            .letters
            .as_chunks()
            .0
            .binary_search_by_key(&u32::from(letter), |unit| u16::from_le_bytes(*unit).into());
        at.map_or(FOREIGN, |at| at as u8 + 2)
    }

    /// Returns what a character of the class `now` costs after one of the class `before`, in eighths of a bit.
    pub(super) fn cost(&self, before: u8, now: u8) -> u8 {
        self.costs[usize::from(before) * (self.letters.len() / 2 + 2) + usize::from(now)]
    }
}

impl Script {
    /// Returns what a character costs, in eighths of a bit, if it is one of the most frequent.
    pub(super) fn cost(&self, c: char) -> Option<u8> {
        let unit = u16::try_from(u32::from(c)).ok()?;
        let at = self.characters.binary_search_by_key(&unit, |(unit, _)| *unit).ok()?;
        Some(self.characters[at].1)
    }
}

//! The rules a second time, as plain code over a list of characters: slow, and not shared with the
//! crate.

use std::ops::RangeInclusive;

type Set = &'static [RangeInclusive<u32>];

fn any_of(sets: &[Set], n: u32) -> bool {
    sets.iter().any(|set| set.iter().any(|range| range.contains(&n)))
}

/// `xml-character` of RFC 9839.
fn is_xml_character(n: u32) -> bool {
    matches!(n, 0x9 | 0xA | 0xD | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..=0x10_FFFF)
}

/// `unicode-assignable` of RFC 9839.
fn is_assignable(n: u32) -> bool {
    matches!(n, 0x9 | 0xA | 0xD | 0x20..=0x7E | 0xA0..=0xD7FF | 0xE000..=0xFDCF | 0xFDF0..=0xFFFD)
        || (1..=0x10).any(|plane| (plane << 16..=plane << 16 | 0xFFFD).contains(&n))
}

/// Section 2.1 of RFC 7493: no noncharacters, which are the 66 code points of the Unicode standard.
fn is_i_json(n: u32) -> bool {
    !(0xFDD0..=0xFDEF).contains(&n) && n % 0x1_0000 < 0xFFFE
}

/// The presets that judge invisible characters by their context.
pub(super) const BY_CONTEXT: [&str; 4] = ["terminal", "source", "prompt", "file-name"];

/// Returns whether a preset forbids a character wherever it is, except at the start of the text.
fn is_forbidden(preset: &str, n: u32) -> bool {
    let reorders = matches!(n, 0x2028..=0x202E | 0x2066..=0x2069);
    match preset {
        "scalars" => false,
        "xml" => !is_xml_character(n),
        "assignables" => !is_assignable(n),
        "i-json" => !is_i_json(n),
        "postgres" => n == 0,
        "terminal" => !matches!(n, 0x9 | 0xA | 0xD | 0x20..=0x7E | 0xA0..) || reorders || n == 0xFEFF,
        "source" => !(n == 0xC || is_assignable(n)) || reorders || n == 0xFEFF,
        "prompt" => !is_assignable(n) || reorders || n == 0xFEFF,
        "file-name" => {
            !is_assignable(n)
                || reorders
                || matches!(n, 0x9 | 0xA | 0xD | 0xFEFF)
                || n == u32::from('/')
                || n == u32::from('\\')
        }
        _ => panic!("there is no oracle for {preset}"),
    }
}

const JOINERS: Set = &[0x200C..=0x200D];
const STYLES: Set = &[0xFE0E..=0xFE0F];
const SELECTORS: Set = &[0xFE00..=0xFE0F, 0x180B..=0x180D, 0x180F..=0x180F, 0xE_0100..=0xE_01EF];
const TAGS: Set = &[0xE_0000..=0xE_007F];
const MARKS: Set = &[0x061C..=0x061C, 0x200E..=0x200F];
const WIDTHS: Set = &[0x2000..=0x200A, 0x205F..=0x205F];
const UNSEEN_SPACES: Set = &[0x00AD..=0x00AD, 0x180E..=0x180E, 0x200B..=0x200B, 0x2060..=0x2060];
const FILLERS: Set = &[
    0x034F..=0x034F,
    0x0600..=0x0605,
    0x070F..=0x070F,
    0x115F..=0x1160,
    0x17B4..=0x17B5,
    0x2061..=0x2065,
    0x206A..=0x206F,
    0x20D2..=0x20D3,
    0x2800..=0x2800,
    0x3164..=0x3164,
    0xFFA0..=0xFFA0,
    0xFFF0..=0xFFFC,
    0x1_6FE4..=0x1_6FE4,
    0x1_BCA0..=0x1_BCA3,
    0x1_D159..=0x1_D159,
    0x1_D173..=0x1_D17A,
    0xE_0080..=0xE_00FF,
    0xE_01F0..=0xE_0FFF,
];
const STACKABLE: Set = &[0x0300..=0x034E, 0x0350..=0x036F, 0x0483..=0x0489, 0xFE20..=0xFE2F];
const PRIVATE: Set = &[0xE000..=0xF8FF, 0xF_0000..=0xF_FFFD, 0x10_0000..=0x10_FFFD];
const REORDERING: Set = &[0x2028..=0x202E, 0x2066..=0x2069, 0xFEFF..=0xFEFF];

/// Returns whether a preset forbids a character in some contexts, or always.
fn may_be_forbidden(preset: &str, n: u32) -> bool {
    let strays = [JOINERS, SELECTORS, TAGS, MARKS, WIDTHS, UNSEEN_SPACES, FILLERS];
    is_forbidden(preset, n)
        || BY_CONTEXT.contains(&preset) && (any_of(&strays, n) || any_of(&[STACKABLE], n))
        || matches!(preset, "source" | "prompt" | "file-name") && any_of(&[PRIVATE], n)
        || BY_CONTEXT.contains(&preset) && matches!(n, 0xC | 0xD)
        || preset == "file-name" && n == 0xFEFF
}

/// Returns whether nobody sees the character.
fn is_unseen(n: u32) -> bool {
    n != 0x2800 && any_of(&[JOINERS, SELECTORS, TAGS, MARKS, UNSEEN_SPACES, FILLERS, REORDERING], n)
}

/// Returns whether the number of such characters is limited.
fn is_limited(n: u32) -> bool {
    is_unseen(n) && n != 0xAD && !any_of(&[STYLES, &[0xE_0000..=0xE_00FF]], n)
}

const HAN: Set = &[
    0x2E80..=0x2FDF,
    0x3005..=0x3007,
    0x3021..=0x3029,
    0x3400..=0x4DBF,
    0x4E00..=0x9FFF,
    0xF900..=0xFAFF,
    0x2_0000..=0x3_FFFD,
];
const VARIED: Set = &[
    0x30..=0x30,
    0x1000..=0x109F,
    0x2010..=0x2027,
    0x2100..=0x214F,
    0x2190..=0x22FF,
    0x2A00..=0x2AFF,
    0x3000..=0x303F,
    0xA840..=0xA87F,
    0xAA60..=0xAA7F,
    0xFF00..=0xFF5F,
    0x1_0AC0..=0x1_0AFF,
    0x1_3000..=0x1_345F,
    0x1_D400..=0x1_D7FF,
];
const EMOJI: Set = &[
    0xA9..=0xA9,
    0xAE..=0xAE,
    0x203C..=0x203C,
    0x2049..=0x2049,
    0x2100..=0x214F,
    0x2190..=0x23FF,
    0x2460..=0x24FF,
    0x25A0..=0x27BF,
    0x2900..=0x297F,
    0x2B00..=0x2BFF,
    0x3030..=0x3030,
    0x303D..=0x303D,
    0x3297..=0x3299,
    0x1_F000..=0x1_FAFF,
];
/// What no sequence joins to another emoji: flags, colours of skin, faces, and animals except the rabbit
/// (people with bunny ears, Emoji 17).
const NEVER_JOINED: Set = &[
    0x1_F000..=0x1_F2FF,
    0x1_F3FB..=0x1_F42F,
    0x1_F431..=0x1_F43F,
    0x1_F600..=0x1_F64F,
    0x1_F910..=0x1_F917,
    0x1_F920..=0x1_F92F,
    0x1_F970..=0x1_F97A,
];
/// What takes no style: blocks of animals, food, people and faces that `emoji-variation-sequences.txt` does
/// not have.
const NEVER_STYLED: Set = &[
    0x1_F337..=0x1_F377,
    0x1_F37E..=0x1_F392,
    0x1_F400..=0x1_F407,
    0x1_F427..=0x1_F43E,
    0x1_F454..=0x1_F469,
    0x1_F47E..=0x1_F4A2,
    0x1_F600..=0x1_F60F,
    0x1_F611..=0x1_F686,
    0x1_F699..=0x1_F6AC,
    0x1_F900..=0x1_FAFF,
];
const JOINING: Set = &[
    0x0590..=0x0DFF,
    0x0F00..=0x109F,
    0x1700..=0x18AF,
    0x1900..=0x1CFF,
    0xA800..=0xABFF,
    0xFB1D..=0xFDCF,
    0xFDF0..=0xFDFF,
    0xFE70..=0xFEFC,
    0x1_0A00..=0x1_0FFF,
    0x1_1000..=0x1_1FFF,
    0x1_6100..=0x1_613F,
    0x1_E900..=0x1_E95F,
];
const CURSIVE: Set =
    &[0x0590..=0x08FF, 0x1800..=0x18AF, 0xFB1D..=0xFEFC, 0x1_0A00..=0x1_0FFF, 0x1_E900..=0x1_E95F];
const INDIC: Set = &[0x0900..=0x0DFF];
const RIGHT_TO_LEFT: Set = &[
    0x0590..=0x061B,
    0x061D..=0x08FF,
    0xFB1D..=0xFDCF,
    0xFDF0..=0xFDFF,
    0xFE70..=0xFEFC,
    0x1_0800..=0x1_0FFF,
    0x1_E800..=0x1_EFFF,
];
const MONGOLIAN: Set = &[0x1800..=0x180A, 0x1810..=0x18AF, 0x1_1660..=0x1_167F];
const UNSPACED: Set = &[
    0x0E00..=0x109F,
    0x1700..=0x17B3,
    0x17B6..=0x17FF,
    0x1950..=0x19FF,
    0x1A20..=0x1AAF,
    0x1B00..=0x1B7F,
    0x3001..=0x312F,
    0x31F0..=0x31FF,
    0x3400..=0x9FFF,
    0xA980..=0xA9FF,
    0xAA00..=0xAADF,
    0xF900..=0xFAFF,
    0xFF01..=0xFF9F,
    0x2_0000..=0x3_FFFD,
];
const COMBINING: Set = &[
    0x0300..=0x034E,
    0x0350..=0x036F,
    0x0483..=0x0489,
    0x0591..=0x05C7,
    0x0610..=0x061A,
    0x064B..=0x065F,
    0x0670..=0x0670,
    0x06D6..=0x06ED,
    0x08D3..=0x08FF,
    0x0900..=0x0903,
    0x093A..=0x094F,
    0x0F71..=0x0FBC,
    0x1AB0..=0x1AFF,
    0x1DC0..=0x1DFF,
    0x20D0..=0x20D1,
    0x20D4..=0x20FF,
    0xFE20..=0xFE2F,
];
const HYPHENATED: Set = &[
    0x41..=0x5A,
    0x61..=0x7A,
    0xC0..=0x1FFF,
    0x2C00..=0x2DFF,
    0xA640..=0xD7FF,
    0xFB00..=0xFDCF,
    0xFE70..=0xFEFC,
];
const CR: Set = &[0xD..=0xD];
const WORDS: Set = &[0x30..=0x39, 0x41..=0x5A, 0x61..=0x7A];

/// A text, and one of its characters.
struct At<'a> {
    preset: &'a str,
    text: &'a [(usize, u32)],
    i: usize,
}

impl At<'_> {
    /// The characters that begin in the last `bytes` bytes before this one, in their order.
    fn behind(&self, bytes: usize) -> Vec<u32> {
        let here = self.text[self.i].0;
        self.text[..self.i].iter().filter(|(at, _)| at + bytes >= here).map(|&(_, n)| n).collect()
    }

    fn last_is(&self, sets: &[Set]) -> bool {
        self.i > 0 && any_of(sets, self.text[self.i - 1].1)
    }

    /// The next character, or 0 at the end.
    fn next(&self) -> u32 {
        self.text.get(self.i + 1).map_or(0, |&(_, n)| n)
    }

    fn next_is(&self, sets: &[Set]) -> bool {
        let is_certain = |n| any_of(&[COMBINING, CR], n) || !may_be_forbidden(self.preset, n);
        self.i + 1 < self.text.len() && is_certain(self.next()) && any_of(sets, self.next())
    }

    /// Whether the next character is one that a repair may remove.
    fn next_is_uncertain(&self) -> bool {
        let n = self.next();
        self.i + 1 < self.text.len()
            && !any_of(&[COMBINING, CR], n)
            && (may_be_forbidden(self.preset, n) || is_unseen(n))
    }

    fn is_after_unseen(&self) -> bool {
        self.i > 0 && is_unseen(self.text[self.i - 1].1)
    }

    fn is_among_seen(&self) -> bool {
        !self.is_after_unseen() && !self.next_is_uncertain()
    }

    fn is_between_letters(&self) -> bool {
        self.last_is(&[HYPHENATED]) && self.next_is(&[HYPHENATED]) && self.is_among_seen()
    }

    fn limit(&self, near: usize, far: usize) -> bool {
        let count = |bytes| {
            let behind = self.behind(bytes);
            let start = self.i - behind.len();
            (start..self.i)
                .filter(|&i| {
                    let n = self.text[i].1;
                    // What is before the window is not known.
                    let after_emoji = i == 0
                        || self.text[i - 1].0 + 64 < self.text[self.i].0
                        || any_of(&[EMOJI, STYLES], self.text[i - 1].1);
                    is_limited(n) && !(n == 0x200D && after_emoji)
                })
                .count()
        };
        count(32) < near && count(64) < far
    }

    /// Returns the characters of a set up to this one.
    fn series(&self, set: Set) -> Vec<u32> {
        let mut series: Vec<u32> = self.behind(64).into_iter().filter(|&n| any_of(&[set], n)).collect();
        series.push(self.text[self.i].1);
        series
    }

    fn rarely_alternates(&self, set: Set) -> bool {
        self.series(set).windows(2).filter(|pair| pair[0] != pair[1]).count() <= 2
    }

    fn has_few_values(&self, set: Set) -> bool {
        let mut series = self.series(set);
        series.sort_unstable();
        series.dedup();
        series.len() <= 3
    }

    fn is_at_home(&self) -> bool {
        let n = self.text[self.i].1;
        match n {
            0x200C | 0x200D => {
                if n == 0x200D && self.last_is(&[EMOJI, STYLES]) {
                    return self.next_is(&[EMOJI])
                        && !self.next_is(&[NEVER_JOINED])
                        && self.changes_of_base() <= if self.last_is(&[STYLES]) { 7 } else { 4 };
                }
                let last = if self.i > 0 { self.text[self.i - 1].1 } else { 0 };
                let next = self.next();
                let virama =
                    any_of(&[INDIC], last) && last % 0x80 == 0x4D || matches!(last, 0x0DCA | 0x0D3B | 0x0D3C);
                let sign = self.next_is(&[INDIC]) && matches!(next % 0x80, 0x3C..=0x4D | 0x55..=0x57);
                let kurdish = n == 0x200C && last == 0x0647;
                let often = self.last_is(&[CURSIVE]) || virama || sign;
                let limits = if kurdish {
                    (6, 9)
                } else if often {
                    (3, 6)
                } else {
                    (2, 3)
                };
                let after_ascii = self.last_is(&[&[0x21..=0x7E]]) && self.next_is(&[JOINING]);
                (self.last_is(&[JOINING]) || after_ascii)
                    && self.is_among_seen()
                    && !self.next_is(&[WORDS])
                    && (!after_ascii || self.limit(2, 3))
                    && self.limit(limits.0, limits.1)
                    && self.rarely_alternates(JOINERS)
            }
            0xFE0E | 0xFE0F => {
                let key = self.last_is(&[&[0x23..=0x23, 0x2A..=0x2A, 0x30..=0x39]])
                    && self.next_is(&[&[0x20E3..=0x20E3]]);
                let base = self.last_is(&[EMOJI]) && !self.last_is(&[NEVER_STYLED]);
                (base || key) && self.rarely_alternates(STYLES) && self.changes_of_base() <= 2
            }
            0xFE00..=0xFE06 => {
                let changes = if self.last_is(&[&[0x30..=0x30]]) { 0 } else { 2 };
                let quotes: Set = &[0x2018..=0x201D];
                let among_han = self.next_is(&[HAN]) || self.behind(64).iter().any(|&n| any_of(&[HAN], n));
                self.last_is(&[HAN, VARIED])
                    && (changes == 2 || n == 0xFE00)
                    && (!self.last_is(&[quotes]) || among_han)
                    && self.limit(3, 5)
                    && self.has_few_values(&[0xFE00..=0xFE0D])
                    && self.changes_of_base() <= changes
            }
            0xE_0100..=0xE_012F => {
                self.last_is(&[HAN]) && self.limit(2, 4) && self.has_few_values(&[0xE_0100..=0xE_01EF])
            }
            0x180B..=0x180D | 0x180F => {
                self.last_is(&[MONGOLIAN])
                    && self.limit(4, 7)
                    && self.rarely_alternates(&[0x180B..=0x180D, 0x180F..=0x180F])
            }
            0x180E => {
                self.last_is(&[MONGOLIAN, &[0x180B..=0x180D, 0x180F..=0x180F]])
                    && self.next_is(&[MONGOLIAN])
                    && self.limit(4, 7)
            }
            0xE_0000..=0xE_007F => self.is_in_flag(),
            0x061C | 0x200E | 0x200F => {
                let near = self.next_is(&[RIGHT_TO_LEFT])
                    || self.behind(64).iter().any(|&n| any_of(&[RIGHT_TO_LEFT], n));
                let after_seen = self.i == 0 || !is_unseen(self.text[self.i - 1].1);
                near && after_seen && self.limit(3, 4) && self.rarely_alternates(MARKS)
            }
            0x200B => {
                // Of these scripts, only those of China, Japan and Korea are in these ranges.
                let east: Set = &[0x3000..=0xA97F, 0xF900..=0x3_FFFF];
                let southern = |n: &u32| any_of(&[UNSPACED], *n) && !any_of(&[east], *n);
                let is_typed_often = self.behind(9).iter().any(southern)
                    || self.next_is(&[UNSPACED]) && southern(&self.next());
                let after_word = self.last_is(&[WORDS]);
                let free = is_typed_often && !after_word;
                if free && (self.last_is(&[&[0x200B..=0x200B]]) || !self.is_after_unseen()) {
                    return self.limit(5, 8);
                }
                let begins_pair = !self.is_after_unseen() && !after_word && self.next() == 0x200B;
                let at_border =
                    self.last_is(&[UNSPACED]) || self.next_is(&[UNSPACED]) && self.is_among_seen();
                (at_border || begins_pair) && self.limit(4, 7)
            }
            0x2060 => {
                let foreign: Set = &[0x80..=0x10_FFFF];
                let inside = self.i > 0 && self.i + 1 < self.text.len();
                inside
                    && self.is_among_seen()
                    && (self.last_is(&[foreign]) || self.next_is(&[foreign]))
                    && self.limit(1, 1)
            }
            0xAD => {
                let hyphens = |bytes| self.behind(bytes).iter().filter(|&&n| n == 0xAD).count();
                let unhyphenated = &[RIGHT_TO_LEFT, UNSPACED];
                let hyphenates = !self.last_is(unhyphenated) && !self.next_is(unhyphenated);
                self.is_between_letters() && hyphenates && hyphens(24) < 5 && hyphens(64) < 11
            }
            0x2000..=0x200A | 0x205F => {
                let spaces: [Set; 2] =
                    [WIDTHS, &[0x20..=0x20, 0xA0..=0xA0, 0x202F..=0x202F, 0x3000..=0x3000]];
                let mixed = self.last_is(&spaces) && self.text[self.i - 1].1 != n;
                let signs: Set = &[0x00..=0x09, 0x0B..=0x2F, 0x3A..=0x40, 0x5B..=0x60, 0x7B..=0x7F];
                let close = [HYPHENATED, RIGHT_TO_LEFT, HAN, UNSPACED, EMOJI, signs];
                let before_colon = matches!(self.next(), 0x21 | 0x3A..=0x3F);
                let before_close =
                    !before_colon && self.next_is(&close) || self.next_is(&[WORDS, spaces[1], &[0xA..=0xA]]);
                let among = self.last_is(&close) && (before_close || self.next_is_uncertain());
                let crowded = among && self.series(WIDTHS).len() > 3;
                !mixed && !self.is_after_unseen() && !crowded && self.rarely_alternates(WIDTHS)
            }
            0x034F => {
                self.last_is(&[COMBINING])
                    && (self.next_is(&[COMBINING]) || self.next_is(&[JOINING]) && !self.next_is_uncertain())
                    && self.limit(2, 3)
            }
            _ if any_of(&[STACKABLE], n) => {
                let common: Set = &[0x0300..=0x036F];
                let run = self.behind(64).iter().rev().take_while(|&&n| any_of(&[COMBINING], n)).count();
                run < 8 || any_of(&[common], n) && !self.last_is(&[common])
            }
            0x115F if self.next() == 0x1160 => self.limit(7, 13),
            0x1160 if self.last_is(&[&[0x115F..=0x115F]]) => {
                self.next_is(&[&[0x11A8..=0x11FF, 0xD7CB..=0xD7FB]]) && self.limit(7, 13)
            }
            0x115F => self.next_is(&[&[0x1161..=0x11A7, 0xD7B0..=0xD7C6]]) && self.limit(3, 5),
            0x1160 => self.last_is(&[&[0x1100..=0x115E, 0xA960..=0xA97C]]) && self.limit(3, 5),
            0x0600..=0x0605 => self.next_is(&[&[0x0660..=0x0669, 0x06F0..=0x06F9]]) && self.limit(3, 5),
            0x070F => self.next_is(&[&[0x0710..=0x072F]]) && self.limit(3, 5),
            0x3164 => {
                let letters: Set = &[0x3131..=0x3163, 0x3165..=0x318E];
                (self.last_is(&[letters]) || self.next_is(&[letters])) && self.limit(1, 2)
            }
            0xFFA0 => {
                let letters: Set = &[0xFFA1..=0xFFDC];
                (self.last_is(&[letters]) || self.next_is(&[letters])) && self.limit(1, 2)
            }
            0x17B4 | 0x17B5 => self.last_is(&[&[0x1780..=0x17A2]]) && self.limit(1, 1),
            0x2061..=0x2064 => {
                self.last_is(&[&[0x3E..=0x3E]]) && self.next_is(&[&[0x3C..=0x3C]]) && self.limit(2, 3)
            }
            0x20D2..=0x20D3 => self.last_is(&[&[0x223C..=0x22FF]]) && self.limit(3, 5),
            0xFFFC => self.is_among_seen() && self.limit(1, 1),
            0x1_6FE4 => self.last_is(&[&[0x1_8B00..=0x1_8CFF]]) && self.limit(4, 7),
            0x1_BCA0..=0x1_BCA3 => self.last_is(&[&[0x1_BC00..=0x1_BC9F]]) && self.limit(3, 5),
            0x1_D159 | 0x1_D173..=0x1_D17A => {
                let notes: Set = &[0x1_D100..=0x1_D1FF];
                (self.last_is(&[notes]) || self.next_is(&[notes])) && self.limit(3, 5)
            }
            0x2800 => {
                let dots: Set = &[0x2801..=0x28FF];
                let behind = self.behind(64);
                let beside_word = self.last_is(&[WORDS]) || self.next_is(&[WORDS]);
                let other = behind.iter().rev().find(|&&n| n != 0x2800);
                let in_row = self.next() == 0x2800;
                let before_seen = !self.next_is_uncertain();
                self.next_is(&[dots])
                    || !beside_word && before_seen && behind.iter().any(|&n| any_of(&[dots], n))
                    || other.is_some_and(|&n| any_of(&[dots], n))
                    || (in_row || before_seen && !self.next_is(&[WORDS]))
                        && other.is_none_or(|&n| matches!(n, 0xA | 0xD))
            }
            0xC => self.i == 0 || self.last_is(&[&[0xA..=0xA]]),
            0xD => self.next_is(&[&[0xA..=0xA]]),
            _ if any_of(&[PRIVATE], n) => {
                self.behind(64).iter().filter(|&&n| any_of(&[PRIVATE], n)).count() < 4
            }
            _ => false,
        }
    }

    /// How often the selector after the character before changes.
    fn changes_of_base(&self) -> usize {
        let behind = self.behind(64);
        let Some((&base, _)) = behind.split_last() else { return 0 };
        let mut styles: Vec<u32> = behind[..behind.len() - 1]
            .iter()
            .zip(&behind[1..])
            .filter(|&(&n, _)| n == base)
            .map(|(_, &after)| if any_of(&[&[0xFE00..=0xFE0F, 0x200D..=0x200D]], after) { after } else { 0 })
            .collect();
        styles.push(self.text[self.i].1);
        styles.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    fn is_in_flag(&self) -> bool {
        let Some(flag) = self.text[..self.i].iter().rposition(|&(_, n)| n == 0x1_F3F4) else { return false };
        let tags = self.text[flag + 1..=self.i].iter().map(|&(_, n)| n);
        if tags.clone().any(|n| !any_of(&[&[0xE_0020..=0xE_007F]], n)) {
            return false;
        }
        let spelled: String = tags.map(|n| char::from((n - 0xE_0000) as u8)).collect();
        ["gbeng\x7F", "gbsct\x7F", "gbwls\x7F", "ustx\x7F"].iter().any(|flag| flag.starts_with(&spelled))
    }
}

/// Returns for each character whether the preset allows it there. `is_start` says that the text begins
/// with the first one.
pub(super) fn allowed(preset: &str, text: &str, is_start: bool) -> Vec<bool> {
    let text: Vec<(usize, u32)> = text.char_indices().map(|(at, c)| (at, c.into())).collect();
    // The last character that is allowed anywhere. Long texts repeat it.
    let mut allowed_anywhere = None;
    (0..text.len())
        .map(|i| {
            let n = text[i].1;
            if i == 0 && is_start && n == 0xFEFF {
                return preset != "file-name";
            }
            if allowed_anywhere == Some(n) {
                return true;
            }
            if is_forbidden(preset, n) {
                return false;
            }
            if !may_be_forbidden(preset, n) {
                allowed_anywhere = Some(n);
                return true;
            }
            At { preset, text: &text, i }.is_at_home()
        })
        .collect()
}

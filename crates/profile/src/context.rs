//! Invisible characters, judged by the text around them.
//!
//! The same character is at home in one place and a stray in another: a joiner between letters of
//! Persian, and between letters of ASCII. Each rule looks at the character before, at the one after,
//! and at the 64 bytes before. So a verdict has bounded context: streams keep these bytes, and parts
//! that were judged on several machines are joined with them.
//!
//! A character that is at home can still carry data, by being there or not. So it must also be as
//! rare as in text: at most a few in 32 and in 64 bytes, and they rarely alternate with one another.
//!
//! All ranges are blocks of Unicode, or properties that cannot change. What follows a character
//! counts only if it is visible: a later repair may remove what is not.

#![forbid(unsafe_code)]

use trust8::engine::is_inside;

use super::class::Class;
use super::first_character;

/// How many bytes before a character may decide about it.
pub(super) const WINDOW_BYTES: usize = 64;

/// The start or the end of the text, in place of a character.
const NONE: u32 = u32::MAX;

const ZWNJ: u32 = 0x200C;
const ZWJ: u32 = 0x200D;
/// Text style and emoji style.
const STYLES: Ranges<'static> = const { &ranges([(0xFE0E, 0xFE0F)]) };

fn is_style(number: u32) -> bool {
    number & !1 == 0xFE0E
}

/// The first number of each range in the upper 21 bits; below, how many follow, or with [`LONG`] how many times 256.
type Ranges<'a> = &'a [u32];

/// The number of bits for how many characters a range has.
const BITS: u32 = 11;
/// Marks a long range.
const LONG: u32 = 1 << (BITS - 1);

/// Returns ranges with their first and last numbers, in half the memory.
const fn ranges<const N: usize>(pairs: [(u32, u32); N]) -> [u32; N] {
    let (mut packed, mut i) = ([0; N], 0);
    while i < N {
        let (first, last) = pairs[i];
        let more = last - first;
        assert!(more < LONG || more % 256 == 255 && more / 256 < LONG);
        let is_same = i > 0 && first == pairs[i - 1].0 && last == pairs[i - 1].1;
        assert!(
            i == 0 || is_same || first > pairs[i - 1].1,
            "the ranges are in order, and none has a part of another"
        );
        packed[i] = (first << BITS) | if more < LONG { more } else { LONG | (more / 256) };
        i += 1;
    }
    packed
}

/// Bisects the ranges. It is not inlined: unrolled, they would take many times their memory.
#[inline(never)]
fn within(number: u32, ranges: Ranges) -> bool {
    let after = ranges.partition_point(|&range| range >> BITS <= number);
    ranges.get(after.wrapping_sub(1)).is_some_and(|&range| {
        let more = range & (LONG - 1);
        let more = if range & LONG == 0 { more } else { 256 * more + 255 };
        number - (range >> BITS) <= more
    })
}

/// Scripts whose letters change their form beside U+200C and U+200D: cursive ones and those of
/// India and its neighbours (UAX #31, 2.3; the Unicode standard, 23.2).
#[inline(never)]
fn joins(number: u32) -> bool {
    const SCRIPTS: Ranges<'static> = const {
        &ranges([
            (0x0590, 0x0D8F),
            (0x0D90, 0x0DFF),
            (0x0F00, 0x109F),
            (0x1700, 0x18AF),
            (0x1900, 0x1CFF),
            (0xA800, 0xABFF),
            (0xFB1D, 0xFDCF),
            (0xFDF0, 0xFDFF),
            (0xFE70, 0xFEFC),
            (0x1_0A00, 0x1_0FFF),
            (0x1_1000, 0x1_1FFF),
            (0x1_6100, 0x1_613F),
            (0x1_E900, 0x1_E95F),
        ])
    };
    within(number, SCRIPTS)
}

/// Letters and digits that are written from right to left (UAX #9), by blocks.
fn is_right_to_left(number: u32) -> bool {
    const BLOCKS: Ranges<'static> = const {
        &ranges([
            (0x0590, 0x061B),
            (0x061D, 0x08FF),
            (0xFB1D, 0xFDCF),
            (0xFDF0, 0xFDFF),
            (0xFE70, 0xFEFC),
            (0x1_0800, 0x1_0FFF),
            (0x1_E800, 0x1_EFFF),
        ])
    };
    within(number, BLOCKS)
}

/// The blocks that have emoji (UTS #51).
#[inline(never)]
fn is_pictograph(number: u32) -> bool {
    const BLOCKS: Ranges<'static> = const {
        &ranges([
            (0xA9, 0xA9),
            (0xAE, 0xAE),
            (0x203C, 0x203C),
            (0x2049, 0x2049),
            (0x2100, 0x214F),
            (0x2190, 0x23FF),
            (0x2460, 0x24FF),
            (0x25A0, 0x27BF),
            (0x2900, 0x297F),
            (0x2B00, 0x2BFF),
            (0x3030, 0x3030),
            (0x303D, 0x303D),
            (0x3297, 0x3299),
            (0x1_F000, 0x1_FAFF),
        ])
    };
    within(number, BLOCKS)
}

/// Pictographs that may take a style: not animals, food, people and faces, which are emoji without.
fn has_styles(number: u32) -> bool {
    const OTHERS: Ranges<'static> = const {
        &ranges([
            (0x1_F337, 0x1_F377),
            (0x1_F37E, 0x1_F392),
            (0x1_F400, 0x1_F407),
            (0x1_F427, 0x1_F43E),
            (0x1_F454, 0x1_F469),
            (0x1_F47E, 0x1_F4A2),
            (0x1_F600, 0x1_F60F),
            (0x1_F611, 0x1_F686),
            (0x1_F699, 0x1_F6AC),
            (0x1_F900, 0x1_FAFF),
        ])
    };
    is_pictograph(number) && !within(number, OTHERS)
}

/// Pictographs that are joined to another one before: no flag's letter, face, animal or colour of skin.
fn is_joined_pictograph(number: u32) -> bool {
    const OTHERS: Ranges<'static> = const {
        &ranges([
            (0x1_F000, 0x1_F2FF),
            (0x1_F3FB, 0x1_F43F),
            (0x1_F600, 0x1_F64F),
            (0x1_F910, 0x1_F917),
            (0x1_F920, 0x1_F92F),
            (0x1_F970, 0x1_F97A),
        ])
    };
    is_pictograph(number) && !within(number, OTHERS)
}

/// Han, kana and the other characters of these blocks.
#[inline(never)]
fn is_ideograph(number: u32) -> bool {
    const BLOCKS: Ranges<'static> = const {
        &ranges([
            (0x2E80, 0x2FDF),
            (0x3005, 0x3007),
            (0x3021, 0x3029),
            (0x3400, 0x4CFF),
            (0x4D00, 0x4DBF),
            (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF),
            (0x2_0000, 0x3_FEFF),
            (0x3_FF00, 0x3_FFFD),
        ])
    };
    within(number, BLOCKS)
}

/// Characters with standardised variants, beside ideographs: of mathematics, of East Asian
/// punctuation, and of scripts. The blocks are those of `StandardizedVariants.txt`.
const WITH_VARIANTS: Ranges<'static> = const {
    &ranges([
        (0x30, 0x30),
        (0x1000, 0x109F),
        (0x2010, 0x2027),
        (0x2100, 0x214F),
        (0x2190, 0x22FF),
        (0x2A00, 0x2AFF),
        (0x3000, 0x303F),
        (0xA840, 0xA87F),
        (0xAA60, 0xAA7F),
        (0xFF00, 0xFF5F),
        (0x1_0AC0, 0x1_0AFF),
        (0x1_3000, 0x1_33FF),
        (0x1_3400, 0x1_345F),
        (0x1_D400, 0x1_D7FF),
    ])
};

fn is_mongolian(number: u32) -> bool {
    within(number, const { &ranges([(0x1800, 0x180A), (0x1810, 0x18AF), (0x1_1660, 0x1_167F)]) })
}

/// Scripts that are written without spaces.
fn is_unspaced(number: u32) -> bool {
    const SCRIPTS: Ranges<'static> = const {
        &ranges([
            (0x0E00, 0x109F),
            (0x1700, 0x17B3),
            (0x17B6, 0x17FF),
            (0x1950, 0x19FF),
            (0x1A20, 0x1AAF),
            (0x1B00, 0x1B7F),
            (0x3001, 0x312F),
            (0x31F0, 0x31FF),
            (0x3400, 0x9FFF),
            (0xA980, 0xA9FF),
            (0xAA00, 0xAADF),
            (0xF900, 0xFAFF),
            (0xFF01, 0xFF9F),
            (0x2_0000, 0x3_FEFF),
            (0x3_FF00, 0x3_FFFD),
        ])
    };
    within(number, SCRIPTS)
}

/// Vowels, tones and other marks of these scripts: no word begins with one.
fn is_dependent(number: u32) -> bool {
    const MARKS: Ranges<'static> = const {
        &ranges([
            (0x0E30, 0x0E3A),
            (0x0E45, 0x0E4E),
            (0x0EB0, 0x0EBC),
            (0x0EC8, 0x0ECE),
            (0x0F71, 0x0FBC),
            (0x102B, 0x103E),
            (0x17B6, 0x17D3),
            (0x1A55, 0x1A7F),
        ])
    };
    within(number, MARKS)
}

/// Combining marks: those after which, and before which, U+034F is at home.
#[inline(never)]
pub(super) fn is_mark(number: u32) -> bool {
    const MARKS: Ranges<'static> = const {
        &ranges([
            (0x0300, 0x034E),
            (0x0350, 0x036F),
            (0x0483, 0x0489),
            (0x0591, 0x05C7),
            (0x0610, 0x061A),
            (0x064B, 0x065F),
            (0x0670, 0x0670),
            (0x06D6, 0x06ED),
            (0x08D3, 0x08FF),
            (0x0900, 0x0903),
            (0x093A, 0x094F),
            (0x0F71, 0x0FBC),
            (0x1AB0, 0x1AFF),
            (0x1DC0, 0x1DFF),
            (0x20D0, 0x20FF),
            (0xFE20, 0xFE2F),
        ])
    };
    within(number, MARKS)
}

/// Everything that a rule judges and that nobody sees.
#[inline(never)]
fn is_invisible(number: u32) -> bool {
    const RANGES: Ranges<'static> = const {
        &ranges([
            (0xAD, 0xAD),
            (0x034F, 0x034F),
            (0x061C, 0x061C),
            (0x115F, 0x1160),
            (0x17B4, 0x17B5),
            (0x180B, 0x180F),
            (0x200B, 0x200F),
            (0x2028, 0x202E),
            (0x2060, 0x206F),
            (0x3164, 0x3164),
            (0xFE00, 0xFE0F),
            (0xFEFF, 0xFEFF),
            (0xFFA0, 0xFFA0),
            (0xFFF0, 0xFFFC),
            (0x1_6FE4, 0x1_6FE4),
            (0x1_BCA0, 0x1_BCA3),
            (0x1_D159, 0x1_D159),
            (0x1_D173, 0x1_D17A),
            (0xE_0000, 0xE_0FFF),
        ])
    };
    within(number, RANGES)
}

/// An invisible character whose number is limited. Styles of emoji are not.
#[inline(never)]
fn is_counted(number: u32) -> bool {
    number != 0xAD && !is_style(number) && !(0xE_0000..=0xE_00FF).contains(&number) && is_invisible(number)
}

fn is_word_letter(number: u32) -> bool {
    u8::try_from(number).is_ok_and(|byte| byte.is_ascii_alphabetic())
}

#[inline(never)]
fn is_word(number: u32) -> bool {
    u8::try_from(number).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A letter. A word may be hyphenated between two of them.
#[inline(never)]
fn is_letter(number: u32) -> bool {
    let is_other = matches!(number, 0xC0..=0x1FFF | 0x2C00..=0x2DFF | 0xA640..=0xD7FF | 0xFB00..=0xFDCF | 0xFE70..=0xFEFC);
    is_word_letter(number) || is_other && !is_invisible(number)
}

#[inline(never)]
fn is_private(number: u32) -> bool {
    (0xE000..=0xF8FF).contains(&number) || number >= 0xF_0000 && number & 0xFFFE != 0xFFFE
}

/// Spaces of special widths.
const SPACES: Ranges<'static> = const { &ranges([(0x2000, 0x200A), (0x205F, 0x205F)]) };
fn is_space(number: u32) -> bool {
    within(number, SPACES)
}

/// All other spaces.
const COMMON_SPACES: Ranges =
    const { &ranges([(0x20, 0x20), (0xA0, 0xA0), (0x202F, 0x202F), (0x3000, 0x3000)]) };

/// The characters before a position, from the last one on, that begin in some of the last bytes.
#[derive(Clone, Copy)]
struct Back<'a> {
    text: &'a [u8],
    from: usize,
}

impl<'a> Back<'a> {
    fn new(text: &'a [u8], span: usize) -> Self {
        Self { text, from: text.len().saturating_sub(span) }
    }
}

/// Those characters that begin like an invisible one or a space of special width, without what is before `at`.
/// Only they are decoded, because most text has few.
struct Rare<'a> {
    back: Back<'a>,
    at: usize,
}

impl Iterator for Rare<'_> {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        while self.at > self.back.from {
            self.at -= 1;
            let rest = self.back.text.get(self.at..)?;
            let first = *rest.first()?;
            if !matches!(first, 0xCD | 0xD8 | 0xE1..=0xE3 | 0xEF | 0xF0 | 0xF3) {
                continue;
            }
            if first >= 0xE1 || matches!(*rest, [0xCD, 0x8F, ..] | [0xD8, 0x9C, ..]) {
                return Some(first_character(rest)? as u32);
            }
        }
        None
    }
}

impl Iterator for Back<'_> {
    type Item = u32;

    #[inline(never)]
    fn next(&mut self) -> Option<u32> {
        let mut at = self.text.len().checked_sub(1)?;
        while at > 0 && is_inside(self.text, at) {
            at -= 1;
        }
        let (rest, last) = self.text.split_at_checked(at).filter(|_| at >= self.from)?;
        self.text = rest;
        Some(first_character(last)? as u32)
    }
}

/// Characters without a shape of their script, beside its letters.
struct Filler {
    kind: [u32; 2],
    letters: [u32; 3],
    /// Whether they come after a letter, and before one.
    after: bool,
    before: bool,
    /// How many are too many in 32 bytes, and how many more in the whole window.
    near: u8,
    more: u8,
}

const fn filler(
    kind: [(u32, u32); 2],
    letters: [(u32, u32); 3],
    (after, before): (bool, bool),
    (near, more): (u8, u8),
) -> Filler {
    Filler { kind: ranges(kind), letters: ranges(letters), after, before, near, more }
}

static FILLERS: [Filler; 8] = [
    // Old Hangul: a syllable without its first consonant, or without its vowel.
    filler(
        [(0x115F, 0x115F); 2],
        [(0x1161, 0x11A7), (0xD7B0, 0xD7C6), (0xD7B0, 0xD7C6)],
        (false, true),
        (3, 2),
    ),
    filler(
        [(0x1160, 0x1160); 2],
        [(0x1100, 0x115E), (0xA960, 0xA97C), (0xA960, 0xA97C)],
        (true, false),
        (3, 2),
    ),
    filler(
        [(0x3164, 0x3164); 2],
        [(0x3131, 0x3163), (0x3165, 0x318E), (0x3165, 0x318E)],
        (true, true),
        (1, 1),
    ),
    filler([(0xFFA0, 0xFFA0); 2], [(0xFFA1, 0xFFDC); 3], (true, true), (1, 1)),
    filler([(0x17B4, 0x17B5); 2], [(0x1780, 0x17A2); 3], (true, false), (1, 0)),
    // Khitan, shorthand, and music.
    filler([(0x1_6FE4, 0x1_6FE4); 2], [(0x1_8B00, 0x1_8CFF); 3], (true, false), (4, 3)),
    filler([(0x1_BCA0, 0x1_BCA3); 2], [(0x1_BC00, 0x1_BC9F); 3], (true, false), (3, 2)),
    filler(
        [(0x1_D159, 0x1_D159), (0x1_D173, 0x1_D17A)],
        [(0x1_D100, 0x1_D158), (0x1_D15A, 0x1_D172), (0x1_D17B, 0x1_D1FF)],
        (true, true),
        (3, 2),
    ),
];

/// What is around a character.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// What begins in the last [`WINDOW_BYTES`] bytes before it.
    back: Back<'a>,
    /// The character before and the one after.
    last: u32,
    next: u32,
}

/// What comes after a character.
#[derive(Clone, Copy)]
pub(super) enum Next {
    /// Nothing, or what is not UTF-8.
    End,
    /// A character that is not suspect.
    Sound(char),
    /// A character that may be forbidden. Counts as invisible.
    Suspect,
}

impl<'a> Around<'a> {
    pub(super) fn new(before: &'a [u8], next: Next) -> Self {
        let back = Back::new(before, WINDOW_BYTES);
        let last = { back }.next().unwrap_or(NONE);
        let next = match next {
            Next::End => NONE,
            Next::Sound(next) => next.into(),
            Next::Suspect => 0xFFF0,
        };
        Self { back, last, next }
    }

    /// Returns whether a character has no business here. Its class is one of those that depend on
    /// the context, and not [`Class::LeadingMark`].
    pub(super) fn is_stray(&self, character: char, class: Class) -> bool {
        let number = u32::from(character);
        !match class {
            Class::StrayJoiner => self.takes_joiner(number),
            Class::StraySelector => self.takes_selector(number),
            Class::StrayTag => self.takes_tag(number),
            Class::StrayMark => self.takes_mark(number),
            Class::StraySpace => self.takes_space(number),
            Class::StrayFiller => self.takes_filler(number),
            Class::PrivateUseRun => self.takes_private(),
            Class::StackedMarks => self.takes_mark_of_letter(number),
            _ => self.next == u32::from('\n'),
        }
    }

    /// U+200C after letters of scripts that use it, and U+200D there and between emoji.
    fn takes_joiner(&self, number: u32) -> bool {
        if number == ZWJ && is_emoji_end(self.last) {
            // The same style is after other emoji, too.
            let most = if is_style(self.last) { 7 } else { 4 };
            return is_joined_pictograph(self.next) && self.changes(ZWJ) <= most;
        }
        if !joins(self.last) || is_invisible(self.last) || is_invisible(self.next) || is_word(self.next) {
            return false;
        }
        // In scripts of India, the joiners are beside a virama, or a vowel sign after them. Elsewhere
        // they are rarer.
        let is_indic = |number| (0x0900..=0x0DFF).contains(&number);
        let is_virama = |number| {
            is_indic(number) && number & 0x7F == 0x4D
                || number == 0x0DCA
                || (0x0D3B..=0x0D3C).contains(&number)
        };
        let is_sign = |number| {
            is_indic(number) && within(number & 0x7F, const { &ranges([(0x3C, 0x4D), (0x55, 0x57)]) })
        };
        let is_cursive = within(
            self.last,
            const {
                &ranges([
                    (0x0590, 0x08FF),
                    (0x1800, 0x18AF),
                    (0xFB1D, 0xFEFC),
                    (0x1_0A00, 0x1_0FFF),
                    (0x1_E900, 0x1_E95F),
                ])
            },
        );
        let is_usual = is_cursive || is_virama(self.last) || is_sign(self.next);
        let few = if is_usual { self.are_few(3, 6) } else { self.are_few(2, 3) };
        few && self.switches(number, const { &ranges([(ZWNJ, ZWJ)]) }) <= 2
    }

    /// A selector after a character that has variants, once.
    fn takes_selector(&self, number: u32) -> bool {
        match number {
            0xFE0E..=0xFE0F => {
                let is_key = within(self.last, const { &ranges([(0x23, 0x23), (0x2A, 0x2A), (0x30, 0x39)]) });
                let takes = has_styles(self.last) || is_key && self.next == 0x20E3;
                takes && self.switches(number, STYLES) <= 2 && self.changes(number) <= 2
            }
            // No character has more than seven variants of this kind.
            0xFE00..=0xFE06 => {
                // Quotation marks have them between ideographs.
                let takes = match self.last {
                    0x2018..=0x201D => self.count(WINDOW_BYTES, is_ideograph) > 0 || is_ideograph(self.next),
                    last => is_ideograph(last) || within(last, WITH_VARIANTS),
                };
                takes
                    && self.are_few(3, 5)
                    && self.distinct(const { &ranges([(0xFE00, 0xFE0D)]) }, number) <= 3
                    // A zero with a stroke is as all others near.
                    && self.changes(number) <= if self.last == 0x30 { 0 } else { 2 }
            }
            // UTS #37 registers few variants of a character, and numbers them from U+E0100 on.
            0xE_0100..=0xE_012F => {
                is_ideograph(self.last)
                    && self.are_few(3, 6)
                    && self.distinct(const { &ranges([(0xE_0100, 0xE_01EF)]) }, number) <= 3
            }
            0x180B..=0x180D | 0x180F => {
                is_mongolian(self.last)
                    && self.are_few(4, 7)
                    && self.switches(number, const { &ranges([(0x180B, 0x180D), (0x180F, 0x180F)]) }) <= 2
            }
            _ => false,
        }
    }

    /// A tag in the flags of England, Scotland and Wales, which UTS #51 recommends, and of a state
    /// of the USA.
    fn takes_tag(&self, number: u32) -> bool {
        /// The letters of six tags, the first in the highest byte, and which bits count.
        const FLAGS: [(u64, u64); 4] = [
            (u64::from_be_bytes(*b"\0\0gbeng\x7F"), u64::MAX),
            (u64::from_be_bytes(*b"\0\0gbsct\x7F"), u64::MAX),
            (u64::from_be_bytes(*b"\0\0gbwls\x7F"), u64::MAX),
            // A state of the USA.
            (u64::from_be_bytes(*b"\0\0us\0\0\x7F\xFF"), !0xFFFF_0000),
        ];
        let is_letter = |number| (0xE_0061..=0xE_007A).contains(&number);
        // The letters so far, the last in the lowest byte.
        let (mut spelled, mut count) = (u64::from(number & 0x7F), 1);
        let is_end = number == 0xE_007F;
        if !is_end && !is_letter(number) {
            return false;
        }
        for earlier in self.back {
            if is_letter(earlier) && count < 6 {
                spelled |= u64::from(earlier & 0x7F) << (8 * count);
                count += 1;
                continue;
            }
            let rest = 48 - 8 * count;
            return earlier == 0x1_F3F4
                && (!is_end || count > 4)
                && FLAGS.iter().any(|&(flag, mask)| (spelled << rest ^ flag) & mask >> rest << rest == 0);
        }
        false
    }

    /// A mark near letters that are written from right to left: before it, or the next character.
    fn takes_mark(&self, number: u32) -> bool {
        let is_near = || is_right_to_left(self.next) || self.count(WINDOW_BYTES, is_right_to_left) > 0;
        let marks: Ranges<'static> = const { &ranges([(0x061C, 0x061C), (0x200E, 0x200F)]) };
        !is_invisible(self.last) && is_near() && self.are_few(3, 4) && self.switches(number, marks) <= 2
    }

    fn takes_space(&self, number: u32) -> bool {
        let alone = !is_invisible(self.last) && !is_invisible(self.next);
        match number {
            // Between words of scripts without spaces.
            0x200B => {
                let takes = is_unspaced(self.last) || is_unspaced(self.next);
                alone && takes && !is_dependent(self.next) && self.are_few(4, 6)
            }
            0x2060 => {
                let is_other = |number| number != NONE && number >= 0x80;
                let inside = self.last != NONE && self.next != NONE;
                alone && inside && (is_other(self.last) || is_other(self.next)) && self.are_few(1, 1)
            }
            0xAD => {
                let hyphens = |span| self.count(span, |number| number == 0xAD);
                self.is_between_letters() && hyphens(24) < 5 && hyphens(WINDOW_BYTES) < 11
            }
            0x180E => {
                let is_letter = is_mongolian(self.last)
                    || within(self.last, const { &ranges([(0x180B, 0x180D), (0x180F, 0x180F)]) });
                is_letter && is_mongolian(self.next) && self.are_few(4, 7)
            }
            _ => {
                let is_other =
                    self.last != number && (is_space(self.last) || within(self.last, COMMON_SPACES));
                // Between words, unlike numbers and signs, they are rare.
                !is_other
                    && !is_invisible(self.last)
                    && (!self.may_be_between_letters() || self.count(WINDOW_BYTES, is_space) < 3)
                    && self.switches(number, SPACES) <= 2
            }
        }
    }

    fn takes_filler(&self, number: u32) -> bool {
        match number {
            // Between the marks of one letter.
            0x034F => {
                let continues = is_mark(self.next) || joins(self.next) && !is_invisible(self.next);
                is_mark(self.last) && continues && self.are_few(2, 3)
            }
            // As MathML has them.
            0x2061..=0x2064 => {
                self.last == u32::from('>') && self.next == u32::from('<') && self.are_few(2, 3)
            }
            // A final consonant by itself.
            0x115F if self.next == 0x1160 => self.are_few(7, 13),
            0x1160 if self.last == 0x115F => {
                within(self.next, const { &ranges([(0x11A8, 0x11FF), (0xD7CB, 0xD7FB)]) })
                    && self.are_few(7, 13)
            }
            0x2800 => self.takes_blank(),
            0xFFFC => !is_invisible(self.last) && !is_invisible(self.next) && self.are_few(1, 1),
            _ => FILLERS.iter().any(|filler| {
                let beside = filler.after && within(self.last, &filler.letters)
                    || filler.before && within(self.next, &filler.letters);
                within(number, &filler.kind)
                    && beside
                    && self.are_few(filler.near.into(), usize::from(filler.near + filler.more))
            }),
        }
    }

    /// A blank of Braille near its letters, or at the start of a line of a picture.
    fn takes_blank(&self) -> bool {
        let is_dotted = |number| (0x2801..=0x28FF).contains(&number);
        let is_hidden = is_word(self.last) || is_word(self.next) || is_invisible(self.next);
        let is_near = !is_hidden && self.count(WINDOW_BYTES, is_dotted) > 0;
        let other = { self.back }.find(|&number| number != 0x2800).unwrap_or(NONE);
        let starts = || !is_word(self.next) && matches!(other, 0x0A | 0x0D | NONE);
        is_dotted(self.next) || is_dotted(other) || is_near || starts()
    }

    /// At most four in a row, and at most five in the window and with it.
    fn takes_private(&self) -> bool {
        self.run(is_private) < 4 && self.count(WINDOW_BYTES, is_private) < 5
    }

    /// At most eight in a row. Those of scripts rarely alternate with U+0300 to U+036F, so the search
    /// looks at these only after one another.
    fn takes_mark_of_letter(&self, number: u32) -> bool {
        let is_common = |number| (0x300..=0x36F).contains(&number);
        is_common(number) && !is_common(self.last) || self.run(is_mark) < 8
    }

    fn rare(&self) -> Rare<'a> {
        Rare { back: self.back, at: self.back.text.len() }
    }

    /// A repair may remove an invisible character, and then a letter is next.
    fn may_be_between_letters(&self) -> bool {
        is_letter(self.last) && (is_letter(self.next) || is_invisible(self.next))
    }

    fn is_between_letters(&self) -> bool {
        is_letter(self.last) && is_letter(self.next)
    }

    /// Returns how many characters of a kind begin in the last bytes.
    #[inline(never)]
    fn count(&self, span: usize, is_of_kind: fn(u32) -> bool) -> usize {
        Back::new(self.back.text, span).filter(|&number| is_of_kind(number)).count()
    }

    /// Returns how many characters of a kind are directly before this one.
    #[inline(never)]
    fn run(&self, is_of_kind: fn(u32) -> bool) -> usize {
        { self.back }.take_while(|&number| is_of_kind(number)).count()
    }

    /// Returns whether fewer than `near` characters whose number is limited are in the last 32
    /// bytes, and fewer than `far` in the whole window.
    #[inline(never)]
    fn are_few(&self, near: usize, far: usize) -> bool {
        let half = self.back.text.len().saturating_sub(WINDOW_BYTES / 2);
        let (mut rare, mut counts) = (self.rare(), (0, 0));
        while let Some(number) = rare.next() {
            let mut before = Back { text: self.back.text.get(..rare.at).unwrap_or_default(), ..self.back };
            let joins_emoji = number == ZWJ && before.next().is_none_or(is_emoji_end);
            if is_counted(number) && !joins_emoji {
                counts = (counts.0 + usize::from(rare.at >= half), counts.1 + 1);
            }
        }
        counts.0 < near && counts.1 < far
    }

    /// Returns how often characters of some kind differ from the one of the kind before, in the
    /// window and with this one at its end.
    #[inline(never)]
    fn switches(&self, number: u32, kind: Ranges) -> usize {
        let of_kind = self.rare().filter(|&earlier| within(earlier, kind));
        let mut last = number;
        of_kind.filter(|&earlier| core::mem::replace(&mut last, earlier) != earlier).count()
    }

    /// Returns how many different characters of some kind are in the window, with this one.
    #[inline(never)]
    fn distinct(&self, kind: Ranges, number: u32) -> usize {
        let back = self.back;
        let of_kind = |&earlier: &u32| within(earlier, kind) && earlier != number;
        let mut rest = back;
        let mut count = 1;
        while let Some(earlier) = rest.find(of_kind) {
            count += usize::from(!rest.any_is(earlier));
        }
        count
    }

    /// Returns how often the character before this selector or joiner is followed by another one, or by
    /// none, than the time before, in the window.
    #[inline(never)]
    fn changes(&self, selector: u32) -> usize {
        let (mut after, mut last, mut count) = (selector, selector, 0);
        for earlier in self.back {
            if earlier == self.last {
                let own = if after & !0xF == 0xFE00 || after == ZWJ { after } else { NONE };
                count += usize::from(core::mem::replace(&mut last, own) != own);
            }
            after = earlier;
        }
        count
    }
}

impl Back<'_> {
    /// Returns whether a character is among the rest.
    fn any_is(self, number: u32) -> bool {
        { self }.any(|earlier| earlier == number)
    }
}

/// Returns whether an emoji may end with this character.
#[inline(never)]
fn is_emoji_end(number: u32) -> bool {
    is_pictograph(number) || is_style(number)
}

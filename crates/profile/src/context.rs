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

use trust8::engine::{array_at, is_inside};

use super::class::Class;
use super::table::{self, Table};
use super::{first_character, last_number};

/// How many bytes before a character may decide about it.
pub(super) const WINDOW_BYTES: usize = 64;

/// The start or the end of the text, in place of a character.
const NONE: u32 = u32::MAX;

const ZWJ: u32 = 0x200D;

/// The properties of a character that rules ask for, a bit for each.
type Set = u32;

/// Scripts whose letters change their form beside U+200C and U+200D: cursive ones and those of
/// India and its neighbours (UAX #31, 2.3; the Unicode standard, 23.2).
const JOINS: Set = 1;
/// Invisible characters whose number is limited: not soft hyphens, styles of emoji and tags.
const COUNTED: Set = 1 << 1;
/// Letters and digits that are written from right to left (UAX #9), by blocks.
const RIGHT_TO_LEFT: Set = 1 << 2;
/// The blocks that have emoji (UTS #51).
const PICTOGRAPH: Set = 1 << 3;
/// Animals, food, people and faces, which are emoji without a style.
const NO_STYLE: Set = 1 << 4;
/// Flags' letters, faces, colours of skin and animals except rabbits, which are not joined to another emoji before.
const NOT_JOINED: Set = 1 << 5;
/// Han, kana and the other characters of these blocks.
const IDEOGRAPH: Set = 1 << 6;
/// Characters with standardised variants, beside ideographs: of mathematics, of East Asian
/// punctuation, and of scripts. The blocks are those of `StandardizedVariants.txt`.
const VARIANTS: Set = 1 << 7;
const MONGOLIAN: Set = 1 << 8;
/// Scripts that are written without spaces.
const UNSPACED: Set = 1 << 9;
const HYPHEN: Set = 1 << 10;
/// Combining marks: those after which, and before which, U+034F is at home.
const MARK: Set = 1 << 11;
/// Everything that a rule judges and that nobody sees.
const INVISIBLE: Set = 1 << 12;
/// Spaces of special widths.
const SPACE: Set = 1 << 13;
/// All other spaces.
const COMMON_SPACE: Set = 1 << 14;
/// A letter of ASCII, a digit or `_`.
const WORD: Set = 1 << 15;
/// Where letters are. A word may be hyphenated between two of them.
const LETTERS: Set = 1 << 16;
const KEY: Set = 1 << 17;
const PRIVATE: Set = 1 << 18;
const DOTTED: Set = 1 << 19;
const JOINER: Set = 1 << 20;
const STYLE: Set = 1 << 21;
const DIRECTION: Set = 1 << 22;
const MONGOLIAN_SELECTOR: Set = 1 << 23;
/// U+FE00 to U+FE0D.
const SELECTOR: Set = 1 << 24;
/// U+E0100 to U+E01EF.
const IDEOGRAPHIC_SELECTOR: Set = 1 << 25;
/// [`UNSPACED`], in Southeast Asia and Tibet.
const SOUTHEAST: Set = 1 << 26;
/// Not a property of a character: it is the one that is judged, once more.
const REPEATED: Set = 1 << 27;

/// Not a property. In the bits from this one on: how many are too many.
const FEWER: u32 = 28;

const fn fewer_than(most: u32) -> Set {
    assert!(most < 16);
    most << FEWER
}

/// The first and the last number of a range.
type Pair = (u32, u32);

const PROPERTIES: &[(Set, &[Pair])] = &[
    (
        JOINS,
        &[
            (0x0590, 0x0DFF),
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
        ],
    ),
    (
        RIGHT_TO_LEFT,
        &[
            (0x0590, 0x061B),
            (0x061D, 0x08FF),
            (0xFB1D, 0xFDCF),
            (0xFDF0, 0xFDFF),
            (0xFE70, 0xFEFC),
            (0x1_0800, 0x1_0FFF),
            (0x1_E800, 0x1_EFFF),
        ],
    ),
    (
        PICTOGRAPH,
        &[
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
        ],
    ),
    (
        NO_STYLE,
        &[
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
        ],
    ),
    (
        NOT_JOINED,
        &[
            (0x1_F000, 0x1_F2FF),
            (0x1_F3FB, 0x1_F42F),
            (0x1_F431, 0x1_F43F),
            (0x1_F600, 0x1_F64F),
            (0x1_F910, 0x1_F917),
            (0x1_F920, 0x1_F92F),
            (0x1_F970, 0x1_F97A),
        ],
    ),
    (
        IDEOGRAPH,
        &[
            (0x2E80, 0x2FDF),
            (0x3005, 0x3007),
            (0x3021, 0x3029),
            (0x3400, 0x4CFF),
            (0x4D00, 0x4DBF),
            (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF),
            (0x2_0000, 0x3_FEFF),
            (0x3_FF00, 0x3_FFFD),
        ],
    ),
    (
        VARIANTS,
        &[
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
        ],
    ),
    (MONGOLIAN, &[(0x1800, 0x180A), (0x1810, 0x18AF), (0x1_1660, 0x1_167F)]),
    (
        UNSPACED | SOUTHEAST,
        &[
            (0x0E00, 0x109F),
            (0x1700, 0x17B3),
            (0x17B6, 0x17FF),
            (0x1950, 0x19FF),
            (0x1A20, 0x1AAF),
            (0x1B00, 0x1B7F),
            (0xA980, 0xA9FF),
            (0xAA00, 0xAADF),
        ],
    ),
    (
        UNSPACED,
        &[
            (0x3001, 0x312F),
            (0x31F0, 0x31FF),
            (0x3400, 0x9FFF),
            (0xF900, 0xFAFF),
            (0xFF01, 0xFF9F),
            (0x2_0000, 0x3_FEFF),
            (0x3_FF00, 0x3_FFFD),
        ],
    ),
    (
        MARK,
        &[
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
        ],
    ),
    (INVISIBLE, &[(0xAD, 0xAD), (0xFE0E, 0xFE0F), (0xE_0000, 0xE_00FF)]),
    (
        INVISIBLE | COUNTED,
        &[
            (0x034F, 0x034F),
            (0x0600, 0x0605),
            (0x061C, 0x061C),
            (0x070F, 0x070F),
            (0x115F, 0x1160),
            (0x17B4, 0x17B5),
            (0x180B, 0x180F),
            (0x200B, 0x200F),
            (0x2028, 0x202E),
            (0x2060, 0x206F),
            (0x3164, 0x3164),
            (0xFE00, 0xFE0D),
            (0xFEFF, 0xFEFF),
            (0xFFA0, 0xFFA0),
            (0xFFF0, 0xFFFC),
            (0x1_6FE4, 0x1_6FE4),
            (0x1_BCA0, 0x1_BCA3),
            (0x1_D159, 0x1_D159),
            (0x1_D173, 0x1_D17A),
            (0xE_0100, 0xE_0FFF),
        ],
    ),
    (SPACE, &[(0x2000, 0x200A), (0x205F, 0x205F)]),
    (COMMON_SPACE, &[(0x20, 0x20), (0xA0, 0xA0), (0x202F, 0x202F), (0x3000, 0x3000)]),
    (WORD, &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)]),
    (
        LETTERS,
        &[
            (0x41, 0x5A),
            (0x61, 0x7A),
            (0xC0, 0x1FFF),
            (0x2C00, 0x2DFF),
            (0xA640, 0xD7FF),
            (0xFB00, 0xFDCF),
            (0xFE70, 0xFEFC),
        ],
    ),
    (KEY, &[(0x23, 0x23), (0x2A, 0x2A), (0x30, 0x39)]),
    (PRIVATE, &[(0xE000, 0xF8FF), (0xF_0000, 0xF_FFFD), (0x10_0000, 0x10_FFFD)]),
    (DOTTED, &[(0x2801, 0x28FF)]),
    (JOINER, &[(0x200C, 0x200D)]),
    (STYLE, &[(0xFE0E, 0xFE0F)]),
    (DIRECTION, &[(0x061C, 0x061C), (0x200E, 0x200F)]),
    (MONGOLIAN_SELECTOR, &[(0x180B, 0x180D), (0x180F, 0x180F)]),
    (SELECTOR, &[(0xFE00, 0xFE0D)]),
    (IDEOGRAPHIC_SELECTOR, &[(0xE_0100, 0xE_01EF)]),
    (HYPHEN, &[(0xAD, 0xAD)]),
];

/// The most borders of ranges.
const BORDERS: usize = {
    let (mut count, mut i) = (0, 0);
    while i < PROPERTIES.len() {
        count += 2 * PROPERTIES[i].1.len();
        i += 1;
    }
    count
};

/// Borders in ascending order, and how many there are.
type Borders = ([u32; BORDERS], usize);

const fn insert((mut borders, len): Borders, border: u32) -> Borders {
    let mut at = len;
    while at > 0 && borders[at - 1] >= border {
        if borders[at - 1] == border {
            return (borders, len);
        }
        at -= 1;
    }
    let mut i = len;
    while i > at {
        borders[i] = borders[i - 1];
        i -= 1;
    }
    borders[at] = border;
    (borders, len + 1)
}

/// Where the properties change.
const CHANGES: Borders = {
    // The first border is zero.
    let (mut borders, mut i) = (([0; BORDERS], 1), 0);
    while i < PROPERTIES.len() {
        let mut pairs = PROPERTIES[i].1;
        while let [(first, last), rest @ ..] = pairs {
            borders = insert(insert(borders, *first), *last + 1);
            pairs = rest;
        }
        i += 1;
    }
    borders
};

/// The properties from a border on. What is invisible is no letter.
const fn set_from(border: u32) -> Set {
    let (mut set, mut i) = (0, 0);
    while i < PROPERTIES.len() {
        let (bit, mut pairs) = PROPERTIES[i];
        while let [(first, last), rest @ ..] = pairs {
            if *first <= border && border <= *last {
                set |= bit;
            }
            pairs = rest;
        }
        i += 1;
    }
    if set & INVISIBLE != 0 { set & !(JOINS | LETTERS) } else { set }
}

/// All different sets, how many there are, and each border with the place of its set.
const SETS: ([Set; CHANGES.1], usize, [(u32, u8); CHANGES.1]) = {
    let (mut sets, mut len, mut starts, mut i) = ([0; CHANGES.1], 0, [(0, 0); CHANGES.1], 0);
    while i < CHANGES.1 {
        let (border, mut at) = (CHANGES.0[i], 0);
        let set = set_from(border);
        while at < len && sets[at] != set {
            at += 1;
        }
        sets[at] = set;
        len = if at == len { len + 1 } else { len };
        starts[i] = (border, at as u8);
        i += 1;
    }
    (sets, len, starts)
};

static SET: [Set; SETS.1] = {
    let (mut sets, mut i) = ([0; SETS.1], 0);
    while i < sets.len() {
        sets[i] = SETS.0[i];
        i += 1;
    }
    sets
};

const LOW: usize = table::count_low(&SETS.2);

/// The place of each character's set.
static PLACES: Table<{ LOW + 1 }, { CHANGES.1 - LOW }> = Table::new(&SETS.2);

/// Returns the properties of a character.
#[inline(never)]
fn set(number: u32) -> Set {
    SET.get(PLACES.number(number)).copied().unwrap_or(0)
}

fn has(number: u32, properties: Set) -> bool {
    set(number) & properties != 0
}

#[cfg(feature = "alloc")]
pub(super) fn is_mark(number: u32) -> bool {
    has(number, MARK)
}

/// Where suspects begin in the window before a character: bit 63 is for a byte before, bit 0 for 64 bytes before. A bit
/// that is set may also be for another character, or for a byte inside one.
pub(super) type Near = u64;

/// Removes one bit, if there is any.
pub(super) const fn without_one(bits: Near) -> Near {
    bits & bits.wrapping_sub(1)
}

/// No suspects are known: each byte may begin one.
pub(super) const UNKNOWN: Near = u64::MAX;

/// Those characters, from the last one on. With [`UNKNOWN`], all characters in the window.
#[derive(Clone, Copy)]
struct Back<'a> {
    text: &'a [u8],
    near: Near,
}

impl Back<'_> {
    /// Returns the next one, or [`NONE`].
    #[inline(never)]
    fn next(&mut self) -> u32 {
        while self.near != 0 {
            let distance = self.near.leading_zeros();
            self.near ^= 1 << 63 >> distance;
            match self.text.get(self.text.len().wrapping_sub(distance as usize + 1)..) {
                Some(rest) if is_inside(rest, 0) => {}
                rest => return rest.and_then(first_character).map_or(NONE, u32::from),
            }
        }
        NONE
    }
}

/// Returns whether `most` characters with a property, or more, are directly before the end of a text.
#[inline(never)]
fn is_row(mut text: &[u8], most: u32, property: Set) -> bool {
    // The character after. No text has the first value.
    let mut after = NONE - 1;
    for _ in 0..most {
        let (number, len) = last_number(text);
        let Some(before) = text.get(..text.len().wrapping_sub(len)) else { return false };
        if number != after && !has(number, property) {
            return false;
        }
        (text, after) = (before, number);
    }
    true
}

/// A character without a shape of its script, beside a letter of it.
struct Filler {
    /// The first number, and how many follow, in the lowest eleven bits.
    kind: u32,
    letters: u32,
    /// Whether it comes after a letter, and before one.
    after: bool,
    before: bool,
    /// How many are too many in 32 bytes, and in the whole window.
    few: u16,
}

const fn filler(kind: Pair, letters: Pair, (after, before): (bool, bool), (near, far): (u8, u8)) -> Filler {
    Filler { kind: packed(kind), letters: packed(letters), after, before, few: few(near, far) as u16 }
}

/// How rare a character must be. Its lowest byte is how many limited characters are too many in the 32 bytes before, the next one how
/// many in the whole window. The rest is the number of a property's bit: characters with this property alternate at most twice.
type Limits = u32;

/// It is a stray.
const STRAY: Limits = 0;
/// It is no stray, however many there are.
const ANY: Limits = 0xFFFF;

const fn few(near: u8, far: u8) -> Limits {
    near as Limits | (far as Limits) << 8
}

const fn rarely_switches(kind: Set) -> Limits {
    kind.trailing_zeros() << 16
}

/// Returns `limits` if a condition holds, or else [`STRAY`].
#[inline(always)]
const fn when(condition: bool, limits: Limits) -> Limits {
    if condition { limits } else { STRAY }
}

const fn packed((first, last): Pair) -> u32 {
    assert!(last - first < 1 << 11);
    first << 11 | (last - first)
}

const fn is_in(number: u32, packed: u32) -> bool {
    number.wrapping_sub(packed >> 11) <= packed & ((1 << 11) - 1)
}

static FILLERS: [Filler; 13] = [
    // Signs over the digits of Arabic after them, and over the letters of Syriac.
    filler((0x0600, 0x0605), (0x0660, 0x0669), (false, true), (3, 5)),
    filler((0x0600, 0x0605), (0x06F0, 0x06F9), (false, true), (3, 5)),
    filler((0x070F, 0x070F), (0x0710, 0x072F), (false, true), (3, 5)),
    // Old Hangul: a syllable without its first consonant, or without its vowel.
    filler((0x115F, 0x115F), (0x1161, 0x11A7), (false, true), (3, 5)),
    filler((0x115F, 0x115F), (0xD7B0, 0xD7C6), (false, true), (3, 5)),
    filler((0x1160, 0x1160), (0x1100, 0x115E), (true, false), (3, 5)),
    filler((0x1160, 0x1160), (0xA960, 0xA97C), (true, false), (3, 5)),
    filler((0x3164, 0x3164), (0x3131, 0x318E), (true, true), (1, 2)),
    filler((0xFFA0, 0xFFA0), (0xFFA1, 0xFFDC), (true, true), (1, 2)),
    filler((0x17B4, 0x17B5), (0x1780, 0x17A2), (true, false), (1, 1)),
    // Khitan, shorthand, and music, whose controls follow one another. Its other signs are never judged.
    filler((0x1_6FE4, 0x1_6FE4), (0x1_8B00, 0x1_8CFF), (true, false), (4, 7)),
    filler((0x1_BCA0, 0x1_BCA3), (0x1_BC00, 0x1_BC9F), (true, false), (3, 5)),
    filler((0x1_D159, 0x1_D17A), (0x1_D100, 0x1_D1FF), (true, true), (3, 5)),
];

/// A character beside the one that is judged, or none.
#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    number: u32,
    set: Set,
}

impl Neighbour {
    /// The start or the end of the text, or what is not UTF-8.
    pub(super) const EDGE: Self = Self { number: NONE, set: 0 };
    /// A character that may be forbidden.
    pub(super) const SUSPECT: Self = Self { number: 0xFFF0, set: INVISIBLE };
    /// The character that is judged, once more.
    pub(super) const REPEATED: Self = Self { set: INVISIBLE | REPEATED, ..Self::SUSPECT };

    pub(super) fn new(number: u32) -> Self {
        Self { number, set: set(number) }
    }

    /// Returns whether this is a mark, or a letter. No letter is suspect.
    pub(super) const fn is_mark_or_letter(self) -> bool {
        self.is(MARK | LETTERS)
    }

    pub(super) const fn is_invisible(self) -> bool {
        self.is(INVISIBLE)
    }

    const fn is(self, properties: Set) -> bool {
        self.set & properties != 0
    }

    /// Returns whether an emoji may end with this character.
    const fn ends_emoji(self) -> bool {
        self.is(PICTOGRAPH | STYLE)
    }
}

/// Returns whether fewer than `far` bits are set, and fewer than `near` of the higher half.
const fn are_rare(mut bits: Near, mut near: u8, mut far: u8) -> bool {
    while bits != 0 && near > 0 && far > 0 {
        near -= (bits as u32 == 0) as u8;
        far -= 1;
        bits &= bits - 1;
    }
    near > 0 && far > 0
}

/// What is around a character.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// The text before it.
    text: &'a [u8],
    near: Near,
    /// The character before and the one after.
    last: Neighbour,
    next: Neighbour,
}

impl<'a> Around<'a> {
    pub(super) fn new(text: &'a [u8], next: Neighbour, near: Near, class: Class) -> Self {
        let last = match class {
            // They look at more than one.
            Class::PrivateUseRun | Class::StackedMarks => Neighbour::EDGE,
            _ => Neighbour::new(last_number(text).0),
        };
        Self { text, near, last, next }
    }

    /// Returns whether a character has no business here. Its class is one of those that depend on
    /// the context, and not [`Class::LeadingMark`].
    pub(super) fn is_stray(&self, character: char, class: Class) -> bool {
        let number = u32::from(character);
        let limits = match class {
            Class::StrayJoiner => self.takes_joiner(number),
            Class::StraySelector => self.takes_selector(number),
            Class::StrayTag => self.takes_tag(number),
            Class::StrayMark => self.takes_mark(),
            Class::StraySpace => self.takes_space(number),
            Class::StrayFiller => self.takes_filler(number),
            Class::PrivateUseRun => self.takes_private(),
            Class::StackedMarks => self.takes_mark_of_letter(number),
            _ => when(self.next.number == u32::from('\n'), ANY),
        };
        let kind = limits >> 16;
        // Each of those before is at most one alternation.
        let may_alternate = kind != 0 && without_one(without_one(self.near)) != 0;
        !self.are_few(limits) || may_alternate && self.variety(number, 1 << kind)[1] > 2
    }

    /// U+200C after letters of scripts that use it, and U+200D there and between emoji.
    fn takes_joiner(&self, number: u32) -> Limits {
        let (last, next) = (self.last, self.next);
        if number == ZWJ && last.ends_emoji() {
            // The same style is after other emoji, too.
            let most = if last.is(STYLE) { 7 } else { 4 };
            return when(next.is(PICTOGRAPH) && !next.is(NOT_JOINED) && self.changes_rarely(ZWJ, most), ANY);
        }
        if !last.is(JOINS) || next.is(INVISIBLE | WORD) {
            return STRAY;
        }
        // In scripts of India, the joiners are beside a virama, or a vowel sign after them. Elsewhere
        // they are rarer.
        let is_indic = |number| (0x0900..=0x0DFF).contains(&number);
        let is_virama = is_indic(last.number) && last.number & 0x7F == 0x4D
            || matches!(last.number, 0x0DCA | 0x0D3B..=0x0D3C);
        let is_sign = is_indic(next.number) && matches!(next.number & 0x7F, 0x3C..=0x4D | 0x55..=0x57);
        let is_cursive = last.is(RIGHT_TO_LEFT | MONGOLIAN) && !(0x1_1660..=0x1_167F).contains(&last.number);
        let few = if is_cursive || is_virama || is_sign { few(3, 6) } else { few(2, 3) };
        few | rarely_switches(JOINER)
    }

    /// A selector after a character that has variants, once.
    fn takes_selector(&self, number: u32) -> Limits {
        let last = self.last;
        match number {
            0xFE0E..=0xFE0F => {
                let takes =
                    last.is(PICTOGRAPH) && !last.is(NO_STYLE) || last.is(KEY) && self.next.number == 0x20E3;
                when(takes && self.changes_rarely(number, 2), ANY | rarely_switches(STYLE))
            }
            // No character has more than seven variants of this kind.
            0xFE00..=0xFE06 => {
                // Quotation marks have them between ideographs.
                let takes = match last.number {
                    0x2018..=0x201D => self.next.is(IDEOGRAPH) || self.is_near(IDEOGRAPH),
                    _ => last.is(IDEOGRAPH | VARIANTS),
                };
                // A zero with a stroke is as all others near.
                let most = if last.number == 0x30 { 0 } else { 2 };
                when(
                    takes && self.variety(number, SELECTOR)[0] <= 3 && self.changes_rarely(number, most),
                    few(3, 5),
                )
            }
            // UTS #37 registers few variants of a character, and numbers them from U+E0100 on.
            0xE_0100..=0xE_012F => {
                when(last.is(IDEOGRAPH) && self.variety(number, IDEOGRAPHIC_SELECTOR)[0] <= 3, few(3, 6))
            }
            0x180B..=0x180D | 0x180F => {
                when(last.is(MONGOLIAN), few(4, 7) | rarely_switches(MONGOLIAN_SELECTOR))
            }
            _ => STRAY,
        }
    }

    /// A tag in the flags of England, Scotland and Wales, which UTS #51 recommends, and of a state
    /// of the USA.
    fn takes_tag(&self, number: u32) -> Limits {
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
            return STRAY;
        }
        let mut back = self.back(UNKNOWN);
        let mut earlier = back.next();
        while is_letter(earlier) && count < 6 {
            spelled |= u64::from(earlier & 0x7F) << (8 * count);
            count += 1;
            earlier = back.next();
        }
        let rest = 48 - 8 * count;
        let is_flag = |&(flag, mask): &(u64, u64)| (spelled << rest ^ flag) & mask >> rest << rest == 0;
        when(earlier == 0x1_F3F4 && (!is_end || count > 4) && FLAGS.iter().any(is_flag), ANY)
    }

    /// A mark near letters that are written from right to left: before it, or the next character.
    fn takes_mark(&self) -> Limits {
        let few = few(3, 4);
        let is_beside = || self.next.is(RIGHT_TO_LEFT) || self.is_near(RIGHT_TO_LEFT);
        // Whether they are few is the quicker question.
        when(!self.last.is(INVISIBLE) && self.are_few(few) && is_beside(), few | rarely_switches(DIRECTION))
    }

    fn takes_space(&self, number: u32) -> Limits {
        let (last, next) = (self.last, self.next);
        let alone = !last.is(INVISIBLE) && !next.is(INVISIBLE);
        match number {
            // Between words of scripts without spaces. In those of Southeast Asia it is typed several times, also after a space or sign.
            0x200B => {
                let is_row = last.number == number;
                let is_open = is_row || !last.is(INVISIBLE | WORD);
                let is_near = || !self.has_few(UNKNOWN << (WINDOW_BYTES - 9), SOUTHEAST | fewer_than(1));
                if is_open && (next.is(SOUTHEAST) || is_near()) {
                    return few(5, 8);
                }
                // The first of two is at home if the second one is.
                let is_first = is_open && !is_row && next.is(REPEATED);
                when(is_first || last.is(UNSPACED) || alone && next.is(UNSPACED), few(4, 7))
            }
            0x2060 => {
                let most = last.number.max(next.number);
                when(alone && (0x80..NONE).contains(&most), few(1, 1))
            }
            0xAD => {
                let are_few = |near, most| self.has_few(near, HYPHEN | fewer_than(most));
                let are_few =
                    || are_few(self.near & UNKNOWN << (WINDOW_BYTES - 24), 5) && are_few(self.near, 11);
                when(last.is(LETTERS) && next.is(LETTERS) && are_few(), ANY)
            }
            0x180E => when(last.is(MONGOLIAN | MONGOLIAN_SELECTOR) && next.is(MONGOLIAN), few(4, 7)),
            _ => {
                let is_other = last.number != number && last.is(SPACE | COMMON_SPACE);
                // Between words, unlike numbers and signs, they are rare. A repair may remove an invisible
                // character, and then a letter is next.
                let is_between = last.is(LETTERS) && next.is(LETTERS | INVISIBLE);
                let is_rare = !is_between || self.has_few(self.near, SPACE | fewer_than(3));
                when(!is_other && !last.is(INVISIBLE) && is_rare, ANY | rarely_switches(SPACE))
            }
        }
    }

    fn takes_filler(&self, number: u32) -> Limits {
        let (last, next) = (self.last, self.next);
        match number {
            // Between the marks of one letter.
            0x034F => when(last.is(MARK) && next.is(MARK | JOINS), few(2, 3)),
            // As MathML has them.
            0x2061..=0x2064 => {
                when(last.number == u32::from('>') && next.number == u32::from('<'), few(2, 3))
            }
            // A final consonant by itself.
            0x115F if next.number == 0x1160 => few(7, 13),
            0x1160 if last.number == 0x115F => {
                when(matches!(next.number, 0x11A8..=0x11FF | 0xD7CB..=0xD7FB), few(7, 13))
            }
            0x2800 => self.takes_blank(),
            0xFFFC => when(!last.is(INVISIBLE) && !next.is(INVISIBLE), few(1, 1)),
            _ => {
                let takes = |filler: &&Filler| {
                    is_in(number, filler.kind)
                        && (filler.after && is_in(last.number, filler.letters)
                            || filler.before && is_in(next.number, filler.letters))
                };
                FILLERS.iter().find(takes).map_or(STRAY, |filler| filler.few.into())
            }
        }
    }

    /// A blank of Braille near its letters, or at the start of a line of a picture.
    fn takes_blank(&self) -> Limits {
        let next = self.next;
        let is_hidden = self.last.is(WORD) || next.is(WORD | INVISIBLE);
        let (mut back, mut other) = (self.back(UNKNOWN), 0x2800);
        while other == 0x2800 {
            other = back.next();
        }
        when(
            next.is(DOTTED)
                || has(other, DOTTED)
                || !is_hidden && self.is_near(DOTTED)
                || !next.is(WORD) && matches!(other, 0x0A | 0x0D | NONE),
            ANY,
        )
    }

    /// At most four in a row, and at most five in the window and with it.
    fn takes_private(&self) -> Limits {
        when(!is_row(self.text, 4, PRIVATE) && self.has_few(self.near, PRIVATE | fewer_than(5)), ANY)
    }

    /// At most eight in a row. Those of scripts rarely alternate with U+0300 to U+036F, so the search
    /// looks at these only after one another.
    fn takes_mark_of_letter(&self, number: u32) -> Limits {
        let is_common = |number| (0x300..=0x36F).contains(&number);
        let is_first = is_common(number) && !is_common(last_number(self.text).0);
        when(is_first || !is_row(self.text, 8, MARK), ANY)
    }

    fn back(&self, near: Near) -> Back<'a> {
        Back { text: self.text, near }
    }

    /// Returns whether a character with a property begins in the window.
    fn is_near(&self, properties: Set) -> bool {
        !self.has_few(UNKNOWN, properties | fewer_than(1))
    }

    /// Returns whether fewer characters in `near` have a property than [`fewer_than`] says.
    #[inline(never)]
    fn has_few(&self, near: Near, wanted: Set) -> bool {
        let (mut back, mut left) = (self.back(near), wanted >> FEWER);
        while left > 0 {
            left -= match back.next() {
                NONE => return true,
                number => u32::from(has(number, wanted)),
            };
        }
        false
    }

    /// Returns whether fewer than `near` characters whose number is limited are in the last 32
    /// bytes, and fewer than `far` in the whole window.
    #[inline(never)]
    fn are_few(&self, limits: Limits) -> bool {
        let [mut near, mut far, ..] = limits.to_le_bytes();
        if limits as u16 == ANY as u16 {
            return true;
        }
        let mut back = self.back(self.near);
        // Those that are not looked at yet may count.
        while near > 0 && far > 0 && !are_rare(back.near, near, far) {
            let rest = back.near;
            let number = back.next();
            if number == NONE {
                break;
            }
            // The bit of the character is the last one that is gone.
            let bit = 1 << (rest ^ back.near).trailing_zeros();
            let joins_emoji = || match self.back(bit - 1).next() {
                NONE => true,
                last => Neighbour::new(last).ends_emoji(),
            };
            if has(number, COUNTED) && !(number == ZWJ && joins_emoji()) {
                near -= u8::from(bit >> 32 != 0);
                far -= 1;
            }
        }
        near > 0 && far > 0
    }

    /// Returns how many different characters of some kind, which differ in their last eight bits, are in the window, with this one; and
    /// how often they differ from the one of the kind before.
    #[inline(never)]
    fn variety(&self, number: u32, kind: Set) -> [u32; 2] {
        let (mut seen, mut count, mut last, mut switches) = ([0_u64; 4], 0, number, 0);
        let (mut back, mut earlier) = (self.back(self.near), number);
        while earlier != NONE {
            if earlier == last || has(earlier, kind) {
                switches += u32::from(earlier != last);
                last = earlier;
                let seen = &mut seen[(earlier >> 6 & 3) as usize];
                count += u32::from(*seen >> (earlier & 63) & 1 == 0);
                *seen |= 1 << (earlier & 63);
            }
            earlier = back.next();
        }
        [count, switches]
    }

    /// Returns whether the character before this selector or joiner is at most `most` times followed by another one.
    fn changes_rarely(&self, selector: u32, most: u8) -> bool {
        // E2 80 8D, or EF B8 80 to 8F.
        let bytes = if selector == ZWJ { 0x8D_80E2 } else { 0x80_B8EF | (selector & 0xF) << 16 };
        changes_rarely(self.text, bytes, most)
    }
}

/// Returns whether the last character of a text is followed by another selector or joiner, or by none, than the time before, at most
/// `most` times in the window. `selector` are the bytes of the one after it, the first one in the lowest bits.
#[inline(never)]
pub(super) fn changes_rarely(text: &[u8], selector: u32, most: u8) -> bool {
    /// Four bytes end with each of the window, and with the one before.
    const LEN: usize = WINDOW_BYTES + 4;
    let mut padded = [0; LEN];
    let window = text.last_chunk().unwrap_or_else(|| {
        if let Some(end) = padded.get_mut(LEN - text.len()..) {
            end.copy_from_slice(text);
        }
        &padded
    });
    let last = window[LEN - 1];
    // Where the byte before the last one is, or that one itself if it is ASCII.
    let to = usize::from(last < 0x80);
    let inner = window[LEN - 2 + to];
    let [a, b, c, _] = selector.to_le_bytes();
    // How many characters end like the last one, and are not before this selector: each is at most two changes, and so are those that
    // are directly before the last one, which are not counted. The compiler makes vectors of these 16 counts.
    let (mut counts, mut at) = ([0; 16], 0);
    while let Some(bytes) = array_at::<20>(window, at)
        && let Some(inners) = array_at::<16>(window, at + to)
    {
        for (i, count) in counts.iter_mut().enumerate() {
            let other = (inners[i] ^ inner) | (bytes[i + 1] ^ last);
            let after = (bytes[i + 2] ^ a) | (bytes[i + 3] ^ b) | (bytes[i + 4] ^ c);
            *count += u8::from(other == 0) & u8::from(after != 0);
        }
        // Unrolled, the loop would take 100 bytes more.
        at += core::hint::black_box(16);
    }
    if counts.iter().sum::<u8>() < most / 2 {
        return true;
    }
    let ends_at = |end: usize| array_at(window, end - 3).map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let character = ends_at(LEN - 1);
    // The bits before those of its first byte are of continuations.
    let rest = ((character & 0xC0C0_C0C0) ^ 0x8080_8080).leading_zeros() & 24;
    let (mut before, mut count) = (selector, 0);
    // Without the last one, and those that begin before the window.
    for end in (4 + rest as usize / 8..LEN - 1).rev() {
        if (ends_at(end) ^ character) >> (24 - rest) == 0 {
            // A selector that is nearer would be in the last character.
            let after = array_at(window, end + 1).map_or(0, |bytes| u32::from_le_bytes(*bytes) & 0xFF_FFFF);
            let own = if after & !0x0F_0000 == 0x80_B8EF || after == 0x8D_80E2 { after } else { 0 };
            count += u8::from(core::mem::replace(&mut before, own) != own);
        }
    }
    count <= most
}

#[cfg(test)]
mod tests {
    use super::{set, set_from};

    #[test]
    fn the_table_has_the_properties_of_each_character() {
        for number in (0..=0x10_FFFF).chain([0xFF_FFFF, u32::MAX]) {
            assert_eq!(set(number), set_from(number), "U+{number:04X}");
        }
    }
}

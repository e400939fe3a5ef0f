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
use super::first_number;
use super::table::{self, Table};

/// How many bytes before a character may decide about it.
pub(super) const WINDOW_BYTES: usize = 64;

/// The start or the end of the text, in place of a character.
pub(super) const NONE: u32 = u32::MAX;

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
/// Those that may be emoji because of a style: not animals, food, people and faces, which are emoji without one.
const STYLED: Set = 1 << 4;
/// Those that may be joined to another emoji before: not flags' letters, faces, colours of skin, and animals except rabbits.
const JOINED: Set = 1 << 5;
/// Han, kana and the other characters of these blocks.
const IDEOGRAPH: Set = 1 << 6;
/// Characters with standardised variants, beside ideographs, zero and quotation marks: of mathematics, of East Asian
/// punctuation, and of scripts. The blocks are those of `StandardizedVariants.txt`.
const VARIANTS: Set = 1 << 7;
const MONGOLIAN: Set = 1 << 8;
/// Scripts that are written without spaces.
const UNSPACED: Set = 1 << 9;
const HYPHEN: Set = 1 << 10;
/// Combining marks: those after which, and before which, U+034F is at home.
const MARK: Set = 1 << 11;
/// Everything that a rule judges and that nobody sees. What is visible is a `WORD`, a `SIGN` or `BEYOND`.
const INVISIBLE: Set = 1 << 12;
/// Spaces of special widths.
const SPACE: Set = 1 << 13;
/// All other spaces.
const COMMON_SPACE: Set = 1 << 14;
/// A letter of ASCII or a digit.
const WORD: Set = 1 << 15;
/// Where letters are, except in Arabic, Hebrew, Thai, Khmer and the like. A word may be hyphenated between two of them.
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
/// The other characters of ASCII.
const SIGN: Set = 1 << 28;
/// What is visible after ASCII.
const BEYOND: Set = 1 << 29;
/// [`NONE`].
const EDGE: Set = 1 << 30;

/// The first and the last number of a range.
type Pair = (u32, u32);

/// A range inside another one of a property is an exception: its characters do not have it.
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
        PICTOGRAPH | STYLED | JOINED,
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
        STYLED,
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
        JOINED,
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
            (0x3400, 0x4DBF),
            (0x4E00, 0x9FFF),
            (0xF900, 0xFAFF),
            (0x2_0000, 0x3_FFFD),
        ],
    ),
    (
        VARIANTS,
        &[
            (0x1000, 0x109F),
            (0x2010, 0x2017),
            (0x201E, 0x2027),
            (0x2100, 0x214F),
            (0x2190, 0x22FF),
            (0x2A00, 0x2AFF),
            (0x3000, 0x303F),
            (0xA840, 0xA87F),
            (0xAA60, 0xAA7F),
            (0xFF00, 0xFF5F),
            (0x1_0AC0, 0x1_0AFF),
            (0x1_3000, 0x1_345F),
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
            (0xA980, 0xAADF),
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
            (0x2_0000, 0x3_FFFD),
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
            (0x20D0, 0x20D1),
            (0x20D4, 0x20FF),
            (0xFE20, 0xFE2F),
        ],
    ),
    (INVISIBLE | BEYOND, &[(0xAD, 0xAD), (0xFE0E, 0xFE0F), (0xE_0000, 0xE_00FF)]),
    (
        INVISIBLE | BEYOND | COUNTED,
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
            (0x20D2, 0x20D3),
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
    (WORD, &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)]),
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
    (SIGN, &[(0x00, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7F)]),
    (BEYOND, &[(0x80, 0x10_FFFF)]),
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

/// The properties from a border on. What is invisible is no letter, and a word of some scripts is never hyphenated.
const fn set_from(border: u32) -> Set {
    let (mut set, mut i) = (0, 0);
    while i < PROPERTIES.len() {
        let (bit, mut pairs) = PROPERTIES[i];
        while let [(first, last), rest @ ..] = pairs {
            if *first <= border && border <= *last {
                set ^= bit;
            }
            pairs = rest;
        }
        i += 1;
    }
    match set {
        0 => EDGE,
        _ if set & INVISIBLE != 0 => set & !(JOINS | LETTERS),
        _ if set & (RIGHT_TO_LEFT | UNSPACED) != 0 => set & !LETTERS,
        _ => set,
    }
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

/// The place of each character's set.
static PLACES: &Table = &Table::<[u16; table::count(&SETS.2)]>::new(&SETS.2);

/// Returns the properties of a character, or of [`NONE`].
#[inline(never)]
fn set(number: u32) -> Set {
    SET.get(PLACES.looked_up(number)).copied().unwrap_or(EDGE)
}

fn has(number: u32, properties: Set) -> bool {
    set(number) & properties != 0
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

/// Returns the number of the last character of valid text, or [`NONE`], and its length.
#[inline(never)]
fn last_number(text: &[u8]) -> (u32, usize) {
    let mut at = text.len();
    while let Some(before) = at.checked_sub(1) {
        at = before;
        if !is_inside(text, at) {
            break;
        }
    }
    text.get(at..).map_or((NONE, 0), first_number)
}

/// How rare a character must be, by fields of bits from the lowest on. [`ANY`] and [`STRAY`] are for the first two:
///
/// | bits | |
/// |---:|---|
/// | 8 | how many limited characters are too many in the 32 bytes before |
/// | 8 | how many of them are too many in the whole window |
/// | 5 | the number of a property's bit: characters with this property alternate at most twice |
/// | 1 | if set, there are at most three different ones of them instead |
/// | 4 | if not zero, one more than how often the character before may be followed by something else |
/// | 5 | if not zero, the number of a property's bit: the next character has this property, or one in the window |
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

const fn of_few_kinds(kind: Set) -> Limits {
    rarely_switches(kind) | 1 << 21
}

const fn few_changes(most: u32) -> Limits {
    (most + 1) << 22
}

const fn beside(property: Set) -> Limits {
    property.trailing_zeros() << 26
}

/// Returns `limits` if a condition holds, or else [`STRAY`].
#[inline(always)]
const fn when(condition: bool, limits: Limits) -> Limits {
    if condition { limits } else { STRAY }
}

/// Characters: those with one of some properties, or with the highest bit set, a range. Then the first number is in the next 21 bits,
/// and how many follow in the lowest ten.
type Which = u32;

const RANGE: Which = 1 << 31;

const fn range(first: u32, last: u32) -> Which {
    assert!(last - first < 1 << 10);
    RANGE | first << 10 | (last - first)
}

const fn one(character: char) -> Which {
    range(character as u32, character as u32)
}

const fn is_in(number: u32, range: Which) -> bool {
    (RANGE >> 10 | number).wrapping_sub(range >> 10) <= range & ((1 << 10) - 1)
}

/// All characters, and [`NONE`].
const WHATEVER: Which = !RANGE;
const VISIBLE: Which = WORD | SIGN | BEYOND;
const NOT_INVISIBLE: Which = VISIBLE | EDGE;
const NOT_WORD: Which = SIGN | BEYOND | EDGE;

/// What six tags spell, five bits each, the first one in the highest bits.
const fn spelled(letters: [u8; 6]) -> u32 {
    let (mut spelled, mut i) = (0, 0);
    while i < 6 {
        spelled = spelled << 5 | (letters[i] & 0x1F) as u32;
        i += 1;
    }
    spelled << 2
}

/// Where a character is at home: after some characters, and before some.
struct Rule {
    characters: Which,
    last: Which,
    next: Which,
    limits: Limits,
}

const fn rule(characters: Which, last: Which, next: Which, limits: Limits) -> Rule {
    Rule { characters, last, next, limits }
}

/// The limits of styles, standardised variants, and what else has more than one rule.
const OF_STYLE: Limits = ANY | rarely_switches(STYLE) | few_changes(2);
const OF_VARIANT: Limits = few(3, 5) | of_few_kinds(SELECTOR);
const OF_DIRECTION: Limits = few(3, 4) | rarely_switches(DIRECTION) | beside(RIGHT_TO_LEFT);

/// The first rule of a character that fits its neighbours decides.
static RULES: [Rule; 44] = [
    // Between emoji. The same style is after other ones, too.
    rule(one('\u{200D}'), PICTOGRAPH, JOINED, ANY | few_changes(4)),
    rule(one('\u{200D}'), STYLE, JOINED, ANY | few_changes(7)),
    // After a name in ASCII, before its ending in a script with joiners.
    rule(range(0x200C, 0x200D), range(0x21, 0x7E), JOINS, few(2, 3) | rarely_switches(JOINER)),
    // Not U+180E, which is no selector.
    rule(range(0x180B, 0x180F), MONGOLIAN, WHATEVER, few(4, 7) | rarely_switches(MONGOLIAN_SELECTOR)),
    rule(range(0xFE0E, 0xFE0F), KEY, one('\u{20E3}'), OF_STYLE),
    // No character has more than seven variants of this kind, and zero has one: with a stroke, as all others near. Quotation marks have
    // variants between ideographs.
    rule(range(0xFE00, 0xFE06), IDEOGRAPH | VARIANTS, WHATEVER, OF_VARIANT | few_changes(2)),
    rule(one('\u{FE00}'), one('0'), WHATEVER, OF_VARIANT | few_changes(0)),
    rule(
        range(0xFE00, 0xFE06),
        range(0x2018, 0x201D),
        WHATEVER,
        OF_VARIANT | few_changes(2) | beside(IDEOGRAPH),
    ),
    // UTS #37 registers few variants of a character, and numbers them from U+E0100 on.
    rule(range(0xE_0100, 0xE_012F), IDEOGRAPH, WHATEVER, few(2, 4) | of_few_kinds(IDEOGRAPHIC_SELECTOR)),
    // Near letters that are written from right to left: before it, or the next character.
    rule(range(0x200E, 0x200F), NOT_INVISIBLE, WHATEVER, OF_DIRECTION),
    rule(one('\u{61C}'), NOT_INVISIBLE, WHATEVER, OF_DIRECTION),
    // Between words of scripts without spaces. The second of two decides, and is reported.
    rule(one('\u{200B}'), NOT_WORD, REPEATED, few(4, 7)),
    rule(one('\u{200B}'), UNSPACED, WHATEVER, few(4, 7)),
    rule(one('\u{200B}'), NOT_INVISIBLE, UNSPACED, few(4, 7)),
    // Alone, beside a character that is not ASCII.
    rule(one('\u{2060}'), BEYOND, VISIBLE, few(1, 1)),
    rule(one('\u{2060}'), VISIBLE, BEYOND, few(1, 1)),
    rule(one('\u{180E}'), MONGOLIAN | MONGOLIAN_SELECTOR, MONGOLIAN, few(4, 7)),
    rule(one('\r'), WHATEVER, one('\n'), ANY),
    rule(one('\x0C'), one('\n'), WHATEVER, ANY),
    // Old Hangul: a syllable without its first consonant, or without its vowel, or a final consonant by itself.
    rule(one('\u{115F}'), WHATEVER, range(0x1161, 0x11A7), few(3, 5)),
    rule(one('\u{115F}'), WHATEVER, range(0xD7B0, 0xD7C6), few(3, 5)),
    rule(one('\u{115F}'), WHATEVER, one('\u{1160}'), few(7, 13)),
    rule(one('\u{1160}'), one('\u{115F}'), range(0x11A8, 0x11FF), few(7, 13)),
    rule(one('\u{1160}'), one('\u{115F}'), range(0xD7CB, 0xD7FB), few(7, 13)),
    rule(one('\u{1160}'), range(0x1100, 0x115E), WHATEVER, few(3, 5)),
    rule(one('\u{1160}'), range(0xA960, 0xA97C), WHATEVER, few(3, 5)),
    // Today's.
    rule(one('\u{3164}'), range(0x3131, 0x318E), WHATEVER, few(1, 2)),
    rule(one('\u{3164}'), WHATEVER, range(0x3131, 0x318E), few(1, 2)),
    rule(one('\u{FFA0}'), range(0xFFA1, 0xFFDC), WHATEVER, few(1, 2)),
    rule(one('\u{FFA0}'), WHATEVER, range(0xFFA1, 0xFFDC), few(1, 2)),
    // Signs over the digits of Arabic after them, and over the letters of Syriac.
    rule(range(0x0600, 0x0605), WHATEVER, range(0x0660, 0x0669), few(3, 5)),
    rule(range(0x0600, 0x0605), WHATEVER, range(0x06F0, 0x06F9), few(3, 5)),
    rule(one('\u{70F}'), WHATEVER, range(0x0710, 0x072F), few(3, 5)),
    rule(range(0x17B4, 0x17B5), range(0x1780, 0x17A2), WHATEVER, few(1, 1)),
    // Between the marks of one letter.
    rule(one('\u{34F}'), MARK, MARK | JOINS, few(2, 3)),
    // As MathML has them.
    rule(range(0x2061, 0x2064), one('>'), one('<'), few(2, 3)),
    rule(one('\u{FFFC}'), NOT_INVISIBLE, NOT_INVISIBLE, few(1, 1)),
    // Lines over relations. Over other lines, such as U+2016, 2223, 2225 and FF5C, nobody sees them.
    rule(range(0x20D2, 0x20D3), range(0x223C, 0x22FF), WHATEVER, few(3, 5)),
    // Near letters of Braille.
    rule(one('\u{2800}'), WHATEVER, DOTTED, ANY),
    rule(one('\u{2800}'), NOT_WORD | INVISIBLE, NOT_WORD, ANY | beside(DOTTED)),
    // Music, whose controls follow one another, shorthand, and Khitan. The other signs of music are never judged.
    rule(range(0x1_D159, 0x1_D17A), range(0x1_D100, 0x1_D1FF), WHATEVER, few(3, 5)),
    rule(range(0x1_D159, 0x1_D17A), WHATEVER, range(0x1_D100, 0x1_D1FF), few(3, 5)),
    rule(range(0x1_BCA0, 0x1_BCA3), range(0x1_BC00, 0x1_BC9F), WHATEVER, few(3, 5)),
    rule(one('\u{16FE4}'), range(0x1_8B00, 0x1_8CFF), WHATEVER, few(4, 7)),
];

/// Where the rules for the characters of each class begin and end, by the lowest three bits of its number.
static BOUNDS: [[u8; 2]; 8] = {
    let (mut bounds, mut i) = ([[0; 2]; 8], 0);
    while i < RULES.len() {
        if let Some([_, class]) = Class::listed((RULES[i].characters ^ RANGE) >> 10) {
            let [first, end] = &mut bounds[class as usize % 8];
            if *end == 0 {
                *first = i as u8;
            }
            *end = i as u8 + 1;
        }
        i += 1;
    }
    bounds
};

/// A character beside the one that is judged, or none.
#[derive(Clone, Copy)]
pub(super) struct Neighbour {
    number: u32,
    set: Set,
}

impl Neighbour {
    /// The start or the end of the text, or what is not UTF-8.
    pub(super) const EDGE: Self = Self { number: NONE, set: EDGE };
    /// A character that may be forbidden.
    pub(super) const SUSPECT: Self = Self { number: NONE, set: INVISIBLE };
    /// The character that is judged, once more.
    pub(super) const REPEATED: Self = Self { set: INVISIBLE | REPEATED, ..Self::SUSPECT };

    pub(super) fn new(number: u32) -> Self {
        Self { number, set: set(number) }
    }

    /// Returns whether this is a mark, or a letter of most scripts. No letter is suspect.
    pub(super) const fn is_mark_or_letter(self) -> bool {
        self.is(MARK | LETTERS | JOINS)
    }

    const fn is(self, which: Which) -> bool {
        match which & RANGE {
            0 => self.set & which != 0,
            _ => is_in(self.number, which),
        }
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
    pub(super) text: &'a [u8],
    pub(super) near: Near,
    /// The character after it.
    pub(super) next: Neighbour,
}

impl Around<'_> {
    /// Returns whether a character has no business here. Its class is one of those that depend on
    /// the context, and not [`Class::LeadingMark`].
    ///
    /// It contains all rules: in functions of their own, they take more bytes.
    #[inline(never)]
    pub(super) fn is_stray(&self, number: u32, class: Class) -> bool {
        let limits = match class {
            Class::StrayTag => self.takes_tag(number),
            Class::PrivateUseRun => self.takes_private(),
            Class::StackedMarks => self.takes_mark_of_letter(number),
            _ => self.takes(number, class),
        };
        let (kind, changes, property) = (limits >> 16 & 31, limits >> 22 & 15, limits >> 26);
        // Whether they are few is the quickest question.
        if limits as u16 != ANY as u16 && !self.are_few(limits)
            || property != 0 && self.next.set >> property & 1 == 0 && !self.is_near(1 << property)
            || changes != 0 && !self.changes_rarely(number, changes as u8 - 1)
        {
            return true;
        }
        // With two of those before, there are at most two alternations and three kinds.
        let may_vary = kind != 0 && without_one(without_one(self.near)) != 0;
        may_vary && self.varies(number, 1 << kind, limits >> 21 & 1 == 1)
    }

    /// Returns the limits of a character after and before those that are here.
    #[inline(always)]
    fn takes(&self, number: u32, class: Class) -> Limits {
        let before = last_number(self.text).0;
        // The first line begins as after a line feed.
        let last = Neighbour { number: if before == NONE { 0x0A } else { before }, set: set(before) };
        let next = self.next;
        // In scripts of Southeast Asia, U+200B is typed several times, also after a space or sign.
        let is_southeast =
            || next.is(SOUTHEAST) || !self.has_few(UNKNOWN << (WINDOW_BYTES - 9), 1, SOUTHEAST);
        match number {
            // Before the search in the rules, because it is the most frequent one.
            0xFE0E..=0xFE0F if last.is(STYLED) => OF_STYLE,
            // Kurdish that is typed with U+0647 may have one after each.
            0x200C if last.number == 0x0647 && next.is(NOT_WORD) => few(6, 9) | rarely_switches(JOINER),
            0x200C..=0x200D if last.is(JOINS) && next.is(NOT_WORD) => self.takes_joiner(last),
            0x200B if (last.number == number || last.is(NOT_WORD)) && is_southeast() => few(5, 8),
            0xAD => {
                let are_few = |near, most| self.has_few(near, most, HYPHEN);
                let are_few =
                    || are_few(self.near & UNKNOWN << (WINDOW_BYTES - 24), 5) && are_few(self.near, 11);
                when(last.is(LETTERS) && next.is(LETTERS) && are_few(), ANY)
            }
            0x2000..=0x200A | 0x205F => self.takes_space(number, last),
            0x2800 if self.takes_blank() => ANY,
            _ => {
                let [first, end] = BOUNDS[class as usize % BOUNDS.len()].map(usize::from);
                let Some(rules) = RULES.get(first..end) else { return STRAY };
                for rule in rules {
                    if is_in(number, rule.characters) && last.is(rule.last) && next.is(rule.next) {
                        return rule.limits;
                    }
                }
                STRAY
            }
        }
    }

    /// U+200C and U+200D after letters of scripts that use them.
    #[inline(always)]
    fn takes_joiner(&self, last: Neighbour) -> Limits {
        let next = self.next;
        // In scripts of India, the joiners are beside a virama, or a vowel sign after them. Elsewhere
        // they are rarer.
        let is_indic = |number| (0x0900..=0x0DFF).contains(&number);
        let is_virama = is_indic(last.number) && last.number & 0x7F == 0x4D
            || matches!(last.number, 0x0DCA | 0x0D3B..=0x0D3C);
        let is_sign = is_indic(next.number) && matches!(next.number & 0x7F, 0x3C..=0x4D | 0x55..=0x57);
        let is_cursive = last.is(RIGHT_TO_LEFT | MONGOLIAN) && !(0x1_1660..=0x1_167F).contains(&last.number);
        // Branches would take 40 bytes more.
        let few = if is_cursive | is_virama | is_sign { few(3, 6) } else { few(2, 3) };
        few | rarely_switches(JOINER)
    }

    /// A space of a special width: not after one of another kind, not mixed, and few of them between letters and signs.
    #[inline(always)]
    fn takes_space(&self, number: u32, last: Neighbour) -> Limits {
        const CLOSE: Set = LETTERS | RIGHT_TO_LEFT | SIGN | IDEOGRAPH | UNSPACED | PICTOGRAPH;
        const OTHER: Set = SPACE | COMMON_SPACE | INVISIBLE;
        let next = self.next;
        // After letters and signs, they are rare. After numbers, beside dashes and quotation marks, where a line is indented, and in
        // French before `!`, `:`, `;` and `?`, they are not. A repair may remove an invisible character, and then a letter is next.
        let is_free = !last.is(CLOSE | OTHER) || last.number == number || last.number == 0x0A;
        let is_home = is_free
            || !last.is(OTHER)
                && (!next.is(CLOSE | WORD | OTHER)
                    || matches!(next.number, 0x21 | 0x3A..=0x3F)
                    || self.has_few(self.near, 3, SPACE));
        when(is_home, ANY | rarely_switches(SPACE))
    }

    /// A tag in the flags of England, Scotland and Wales, which UTS #51 recommends, and of Texas, which some programs show. Most show
    /// any other region as a black flag.
    #[inline(always)]
    fn takes_tag(&self, number: u32) -> Limits {
        const FLAGS: [u32; 4] =
            [spelled(*b"gbeng\x7F"), spelled(*b"gbsct\x7F"), spelled(*b"gbwls\x7F"), spelled(*b"ustx\x7F\0")];
        let is_letter = |number| (0xE_0061..=0xE_007A).contains(&number);
        let is_end = number == 0xE_007F;
        if !is_end && !is_letter(number) {
            return STRAY;
        }
        // What is spelled so far, and the bits of later letters.
        let (mut so_far, mut later, mut earlier) = (0, u32::MAX, number);
        let mut near = UNKNOWN;
        loop {
            so_far = so_far >> 5 | earlier << 27;
            later >>= 5;
            (earlier, near) = self.before(near);
            if !is_letter(earlier) || later < 1 << 2 {
                break;
            }
        }
        let is_flag = FLAGS.iter().any(|flag| so_far == flag & !later);
        when(earlier == 0x1_F3F4 && is_flag, ANY)
    }

    /// Returns whether a blank of Braille is after one of its letters, or at the start of a line of a picture.
    #[inline(always)]
    fn takes_blank(&self) -> bool {
        let (mut other, mut near) = (0x2800, UNKNOWN);
        while other == 0x2800 {
            (other, near) = self.before(near);
        }
        has(other, DOTTED) || self.next.is(NOT_WORD | REPEATED) && matches!(other, 0x0A | 0x0D | NONE)
    }

    /// At most four in the window and with it. A row of them is found in less time.
    #[inline(always)]
    fn takes_private(&self) -> Limits {
        when(!self.are_row(4, PRIVATE) && self.has_few(self.near, 4, PRIVATE), ANY)
    }

    /// At most eight in a row. Those of scripts rarely alternate with U+0300 to U+036F, so the search
    /// looks at these only after one another.
    #[inline(always)]
    fn takes_mark_of_letter(&self, number: u32) -> Limits {
        let is_common = |number| (0x300..=0x36F).contains(&number);
        let is_first = is_common(number) && !is_common(last_number(self.text).0);
        when(is_first || !self.are_row(8, MARK), ANY)
    }

    /// Returns the last of some characters, or [`NONE`], and the others. With [`UNKNOWN`], they are all characters in the window.
    #[inline(never)]
    fn before(&self, mut near: Near) -> (u32, Near) {
        while let Some(bit) = near.checked_ilog2() {
            near ^= 1 << bit;
            let at = (self.text.len() + bit as usize).wrapping_sub(WINDOW_BYTES);
            if !is_inside(self.text, at) {
                return (self.text.get(at..).map_or(NONE, |rest| first_number(rest).0), near);
            }
        }
        (NONE, 0)
    }

    /// Returns whether a character with a property begins in the window.
    fn is_near(&self, properties: Set) -> bool {
        !self.has_few(UNKNOWN, 1, properties)
    }

    /// Returns whether `most` characters with a property, or more, are directly before.
    #[inline(never)]
    fn are_row(&self, most: u32, property: Set) -> bool {
        // The character after. No text has the first value.
        let (mut text, mut after) = (self.text, NONE - 1);
        (0..most).all(|_| {
            let (number, len) = last_number(text);
            // Most marks need no search.
            let set = || if matches!(number, 0x300..0x34F | 0xFE20..0xFE30) { MARK } else { set(number) };
            let Some(before) = text.get(..text.len().wrapping_sub(len)) else { return false };
            text = before;
            core::mem::replace(&mut after, number) == number || set() & property != 0
        })
    }

    /// Returns whether fewer than `most` characters in `near` have a property.
    #[inline(never)]
    fn has_few(&self, mut near: Near, mut most: u32, properties: Set) -> bool {
        while most > 0 {
            let (number, rest) = self.before(near);
            if number == NONE {
                return true;
            }
            most -= u32::from(has(number, properties));
            near = rest;
        }
        false
    }

    /// Returns whether fewer than `near` characters whose number is limited are in the last 32
    /// bytes, and fewer than `far` in the whole window.
    #[inline(always)]
    fn are_few(&self, limits: Limits) -> bool {
        let [mut near, mut far, ..] = limits.to_le_bytes();
        let mut rest = self.near;
        // Those that are not looked at yet may count.
        while near > 0 && far > 0 && !are_rare(rest, near, far) {
            let (number, others) = self.before(rest);
            if number == NONE {
                break;
            }
            // The bit of the character is the last one that is gone.
            let bit = 1 << (rest ^ others).trailing_zeros();
            rest = others;
            let joins_emoji = || has(self.before(bit - 1).0, PICTOGRAPH | STYLE | EDGE);
            if has(number, COUNTED) && !(number == ZWJ && joins_emoji()) {
                near -= u8::from(bit >> 32 != 0);
                far -= 1;
            }
        }
        near > 0 && far > 0
    }

    /// Returns whether a character and those of its kind in the window alternate more than twice, or if they should be of few kinds,
    /// whether more than three of them are different. They differ in their last eight bits.
    #[inline(always)]
    fn varies(&self, number: u32, kind: Set, of_few_kinds: bool) -> bool {
        let (mut seen, mut last) = ([0_u64; 4], number);
        let mut count = u32::from(!of_few_kinds);
        let (mut earlier, mut near) = (number, self.near);
        while earlier != NONE {
            if earlier == last || has(earlier, kind) {
                let seen = &mut seen[(earlier >> 6 & 3) as usize];
                let is_new = *seen >> (earlier & 63) & 1 == 0;
                count += u32::from(if of_few_kinds { is_new } else { earlier != last });
                *seen |= 1 << (earlier & 63);
                last = earlier;
            }
            (earlier, near) = self.before(near);
        }
        count > 3
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
    use super::{EDGE, NONE, set, set_from};

    #[test]
    fn the_table_has_the_properties_of_each_character() {
        for number in (0..=0x10_FFFF).chain([0xFF_FFFF]) {
            assert_eq!(set(number), set_from(number), "U+{number:04X}");
        }
        assert_eq!(set(NONE), EDGE);
    }
}

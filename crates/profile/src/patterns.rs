//! The code points of the classes, and the byte patterns for a profile's kernel tables.
//!
//! A product of sets of nibbles also accepts sequences for which it was not made, if ranges of
//! different characters share it. So ranges share a product only if the extra sequences are rare in
//! text. Products of sets of bytes accept fewer, so some of them are merged there.

#![forbid(unsafe_code)]

use super::class::Class;
#[cfg(trust8_avx512)]
use super::lanes::Sixes;
use super::lanes::{ANY, Nibbles, Sieve, TWO_MARKS};
use super::plain::{Count, Plain};
use super::table::{self, Table};

/// The first and last code point of a range of a class, and the product of its bytes. ASCII has
/// none. Characters that are forbidden only by their context have that class.
type Range = (Class, u32, u32, usize);

/// The products of the first two bytes of a character have the numbers 0 to 7, and those of the first
/// three have this number and the seven after it. The number is the bit in the tables.
const FIRST_OF_THREE: usize = 8;

/// Which sequences share a product, with what else that accepts as products of sets of four bits:
///
/// | product | sequences | and |
/// |---:|---|---|
/// | 0 | C2 80..9F, CD 8F | other CD 80..9F |
/// | 1, 2 | C2 AD; D8 80..85, D8 9C | |
/// | 3, 5 | EE and EF 80..A3; EE A4..BF | |
/// | 4 | EF B8, EF BF | |
/// | 6 | F3 A0, F3 B0..BF, F4 | |
/// | 7 | D2 83..89, DC 8F | D2 8F, DC 83..89 |
/// | 8 | E2 81 9F, E2 81 Ax, E2 83 92..93, EF B7 90..AF | E2 81 90..9E, other E2 83 90..AF, E2 B7 90..AF |
/// | 9 | E1 9E B4..B5, E3 85 A4 | E1 9E A4..A5, E3 85 A5 and B4..B5, E1 85 and E3 9E A4..A5 and B4..B5 |
/// | 10 | E1 A0 8B..8F, E2 A0 80 | E1 A0 80, E2 A0 8B..8F |
/// | 11 | E2 80 8x, E2 80 A8..AE | E2 80 AF |
/// | 12 | E1 85 9F..A0, EF BE A0 | EF BE 9F, E1 BE 9F..A0 |
/// | 13 | F0 96 BF, F0 9B B2, ends of planes | F0 96 B2, F0 9B BF, F. .F B2 |
/// | 14 | F0 9D 85, EF BB BF | F0 9D BF, EF BB 85, E0 BB 85, E0 BB BF |
/// | 15 | two marks, CC and CD: the last byte of the first one is between their first bytes | |
///
/// Products of sets of bytes accept less.
const PLANE_ENDS: usize = FIRST_OF_THREE + 5;

/// The product of a mark after a mark.
const MARKS: usize = FIRST_OF_THREE + TWO_MARKS.trailing_zeros() as usize;

/// All ranges except the noncharacters at the ends of planes 1 to 16, in ascending order.
const RANGES: &[Range] = &[
    (Class::Nul, 0x00, 0x00, 0),
    (Class::C0Control, 0x01, 0x08, 0),
    (Class::Tab, 0x09, 0x09, 0),
    (Class::LineFeed, 0x0A, 0x0A, 0),
    (Class::C0Control, 0x0B, 0x0B, 0),
    (Class::FormFeed, 0x0C, 0x0C, 0),
    (Class::CarriageReturn, 0x0D, 0x0D, 0),
    (Class::C0Control, 0x0E, 0x1F, 0),
    (Class::WindowsReserved, 0x22, 0x22, 0),
    (Class::WindowsReserved, 0x2A, 0x2A, 0),
    (Class::Slash, 0x2F, 0x2F, 0),
    (Class::WindowsReserved, 0x3A, 0x3A, 0),
    (Class::WindowsReserved, 0x3C, 0x3C, 0),
    (Class::WindowsReserved, 0x3E, 0x3F, 0),
    (Class::Slash, 0x5C, 0x5C, 0),
    (Class::WindowsReserved, 0x7C, 0x7C, 0),
    (Class::Delete, 0x7F, 0x7F, 0),
    (Class::C1Control, 0x80, 0x84, 0),
    (Class::NextLine, 0x85, 0x85, 0),
    (Class::C1Control, 0x86, 0x9F, 0),
    (Class::SoftHyphen, 0xAD, 0xAD, 1),
    (Class::StackedMarks, 0x300, 0x34E, MARKS),
    (Class::Invisible, 0x34F, 0x34F, 0),
    (Class::StackedMarks, 0x350, 0x36F, MARKS),
    (Class::StackedMarks, 0x483, 0x489, 7),
    (Class::StrayFiller, 0x600, 0x605, 2),
    (Class::BidiMark, 0x61C, 0x61C, 2),
    (Class::StrayFiller, 0x70F, 0x70F, 7),
    (Class::Invisible, 0x115F, 0x1160, 12),
    (Class::Invisible, 0x17B4, 0x17B5, 9),
    (Class::VariationSelector, 0x180B, 0x180D, 10),
    (Class::Invisible, 0x180E, 0x180E, 10),
    (Class::VariationSelector, 0x180F, 0x180F, 10),
    (Class::StraySpace, 0x2000, 0x200A, 11),
    (Class::ZeroWidth, 0x200B, 0x200B, 11),
    (Class::Joiner, 0x200C, 0x200D, 11),
    (Class::BidiMark, 0x200E, 0x200F, 11),
    (Class::Separator, 0x2028, 0x2029, 11),
    (Class::BidiControl, 0x202A, 0x202E, 11),
    (Class::StraySpace, 0x205F, 0x205F, 8),
    (Class::ZeroWidth, 0x2060, 0x2060, 8),
    (Class::Invisible, 0x2061, 0x2065, 8),
    (Class::BidiControl, 0x2066, 0x2069, 8),
    (Class::Invisible, 0x206A, 0x206F, 8),
    (Class::StrayFiller, 0x20D2, 0x20D3, 8),
    (Class::StrayFiller, 0x2800, 0x2800, 10),
    (Class::Invisible, 0x3164, 0x3164, 9),
    (Class::PrivateUse, 0xE000, 0xE8FF, 3),
    (Class::PrivateUse, 0xE900, 0xEFFF, 5),
    (Class::PrivateUse, 0xF000, 0xF8FF, 3),
    (Class::Noncharacter, 0xFDD0, 0xFDEF, 8),
    (Class::VariationSelector, 0xFE00, 0xFE0D, 4),
    (Class::EmojiSelector, 0xFE0E, 0xFE0F, 4),
    (Class::StackedMarks, 0xFE20, 0xFE2F, 4),
    (Class::ByteOrderMark, 0xFEFF, 0xFEFF, 14),
    (Class::Invisible, 0xFFA0, 0xFFA0, 12),
    (Class::Invisible, 0xFFF0, 0xFFFB, 4),
    (Class::StrayFiller, 0xFFFC, 0xFFFC, 4),
    (Class::FffeFfff, 0xFFFE, 0xFFFF, 4),
    (Class::StrayFiller, 0x1_6FE4, 0x1_6FE4, PLANE_ENDS),
    (Class::Invisible, 0x1_BCA0, 0x1_BCA3, PLANE_ENDS),
    (Class::StrayFiller, 0x1_D159, 0x1_D159, 14),
    (Class::Invisible, 0x1_D173, 0x1_D17A, 14),
    (Class::Tag, 0xE_0000, 0xE_007F, 6),
    (Class::Invisible, 0xE_0080, 0xE_00FF, 6),
    (Class::VariationSelector, 0xE_0100, 0xE_01EF, 6),
    (Class::Invisible, 0xE_01F0, 0xE_0FFF, 6),
    (Class::PrivateUse, 0xF_0000, 0xF_FFFD, 6),
    (Class::PrivateUse, 0x10_0000, 0x10_FFFD, 6),
];

/// The start of each range with its number; and after ranges before a gap, the start of the gap.
const STARTS: [(u32, u8); 2 * RANGES.len() - ADJACENT] = {
    let (mut starts, mut i, mut at) = ([(0, 0); 2 * RANGES.len() - ADJACENT], 0, 0);
    while i < RANGES.len() {
        let (class, first, last, _) = RANGES[i];
        assert!(i == 0 || first > RANGES[i - 1].2, "the ranges are in order");
        starts[at] = (first, number(class, first) as u8);
        at += 1;
        if !is_followed(i) {
            starts[at] = (last + 1, table::MOST as u8);
            at += 1;
        }
        i += 1;
    }
    starts
};

/// The number of the classes of each character.
const CLASSES: &Table = &Table::<[u16; table::count(&STARTS)]>::new(&STARTS);

/// The number of ranges that another one follows without a gap.
const ADJACENT: usize = {
    let (mut count, mut i) = (0, 0);
    while i < RANGES.len() {
        count += is_followed(i) as usize;
        i += 1;
    }
    count
};

const fn is_followed(i: usize) -> bool {
    i + 1 < RANGES.len() && RANGES[i].2 + 1 == RANGES[i + 1].1
}

/// The number of U+180E, which is invisible and a space.
const INVISIBLE_SPACE: usize = Class::ALL.len();

/// Returns the number of the classes of the characters from `first` on, of a range of a class.
const fn number(class: Class, first: u32) -> usize {
    if first == 0x180E { INVISIBLE_SPACE } else { class as usize }
}

/// The class of each number, and the one that decides by the context: it may be the same.
const BOTH: [[Class; 2]; INVISIBLE_SPACE + 1] = {
    let (mut both, mut i) = ([[Class::Invisible, Class::StraySpace]; INVISIBLE_SPACE + 1], 0);
    while i < INVISIBLE_SPACE {
        both[i] = [Class::ALL[i], Class::ALL[i].in_context()];
        i += 1;
    }
    both
};

impl Class {
    /// Returns the class of a character, if it has one that does not depend on the context.
    ///
    /// ```
    /// use trust8_profile::Class;
    /// assert_eq!(Class::of('\u{1FFFF}'), Some(Class::Noncharacter));
    /// assert_eq!(Class::of('\u{2800}'), None);
    /// ```
    #[must_use]
    pub const fn of(character: char) -> Option<Self> {
        match Self::listed(character as u32) {
            Some([class, _]) if !class.is_contextual() => Some(class),
            _ => None,
        }
    }

    /// Returns the class of a character with this number by [`RANGES`], and the one that decides by the context: it may be the same.
    #[inline(always)]
    pub(super) const fn listed(number: u32) -> Option<[Self; 2]> {
        Self::both(CLASSES.number(number), number)
    }

    /// The same.
    #[inline(never)]
    pub(super) fn looked_up(number: u32) -> Option<[Self; 2]> {
        Self::both(CLASSES.looked_up(number), number)
    }

    #[inline(always)]
    const fn both(classes: usize, number: u32) -> Option<[Self; 2]> {
        if classes < BOTH.len() {
            Some(BOTH[classes])
        } else if number & 0xFFFE == 0xFFFE {
            // The end of a plane.
            Some([Self::Noncharacter; 2])
        } else {
            None
        }
    }
}

/// Returns the tables for a profile that forbids the classes whose bits are set.
pub(super) const fn sieve(bits: u64) -> Sieve {
    let mut sieve = Sieve {
        one: Nibbles::NONE,
        after: [ANY; 16],
        two: [Nibbles::NONE; 2],
        three: [Nibbles::NONE; 3],
        plain: Plain::new([0; 16], 0, Count::More),
        line_end: match bits & (1 << Class::LineFeed as u32 | 1 << Class::CarriageReturn as u32) {
            0 => *b"\r\n",
            _ => [0xFF; 2],
        },
        knows_common: false,
        #[cfg(trust8_avx512)]
        sixes: Sixes {
            ascii: [0; 64],
            one: [0; 64],
            after: [ANY_512; 64],
            two: [[0; 64]; 2],
            three: [[0; 64]; 3],
        },
    };
    let (mut ascii, mut i) = (0, 0);
    while i < RANGES.len() + 16 {
        let (class, first, last, product) = if i < RANGES.len() {
            RANGES[i]
        } else {
            let plane = (i - RANGES.len() + 1) as u32;
            (Class::Noncharacter, plane << 16 | 0xFFFE, plane << 16 | 0xFFFF, PLANE_ENDS)
        };
        if !is_suspect(bits, class, first) {
        } else if last < 0x80 {
            // Bits `first` to `last`.
            ascii |= u128::MAX << first & u128::MAX >> (0x7F - last);
        } else {
            add_range(&mut sieve, first, last, product);
        }
        i += 1;
    }
    add_ascii(&mut sieve, ascii);
    sieve
}

/// Returns whether the characters from `first` on, of a range of a class, may be forbidden.
const fn is_suspect(bits: u64, class: Class, first: u32) -> bool {
    let [class, by_context] = BOTH[number(class, first)];
    // Byte order marks count among invisible characters.
    let is_mark = matches!(class, Class::ByteOrderMark) && bits >> Class::StrayJoiner as u32 & 1 == 1;
    bits >> class as u32 & 1 == 1 || bits >> by_context as u32 & 1 == 1 || is_mark
}

/// Adds the suspects among ASCII, with a bit for each.
const fn add_ascii(sieve: &mut Sieve, suspects: u128) {
    let mut byte: u8 = 0;
    while byte < 0x80 {
        if suspects >> byte & 1 == 1 {
            sieve.one.add(byte, ascii_class(byte));
        }
        byte += 1;
    }
    let (mut ends, mut low) = ([0; 16], 0_u8);
    while low < 16 {
        // The differences are below 11, or 11 for CR, or from 1E to FE.
        ends[low as usize] = match (suspects >> low & 1, suspects >> (low + 0x10) & 1) {
            (1, _) if low == b'\r' && sieve.line_end[0] == b'\r' => low + 0x11,
            (0, 0) => low.wrapping_sub(2),
            (1, 0) => low,
            (0, _) => low + 0x1E,
            _ => low + 0x10,
        };
        low += 1;
    }
    let most = match suspects >> 0x20 {
        0 => 0x7F,
        // DEL.
        rest if rest == 1 << (0x7F - 0x20) => 0x7E,
        _ => 0,
    };
    let count = match suspects {
        0 => Count::None,
        1 => Count::One,
        _ => Count::More,
    };
    sieve.plain = Plain::new(ends, most, count);
    #[cfg(trust8_avx512)]
    {
        let mut low = 0;
        while low < 64 {
            let pair = (suspects >> low & 1) as u8 | ((suspects >> (low + 64) & 1) as u8) << 1;
            sieve.sixes.one[low] |= pair;
            // The sums for the byte and the byte plus 40. One more is from 80 to FF, too, except for CR before LF.
            sieve.sixes.ascii[low] = match pair {
                0 => 0,
                1 if low == b'\r' as usize && sieve.line_end[0] == b'\r' => 0xFF - low as u8,
                1 => 0xFE - low as u8,
                2 => 0x60 - low as u8,
                _ => 0x90 - low as u8,
            };
            low += 1;
        }
    }
}

/// Adds the characters from `first` to `last` to a product. All have the same number of bytes,
/// which is more than one.
const fn add_range(sieve: &mut Sieve, first: u32, last: u32, product: usize) {
    // The last of four bytes does not matter, nor that of three to a product of the first two.
    let step = if last < 0x800 || last < 0x1_0000 && product >= FIRST_OF_THREE { 1 } else { 0x40 };
    let mut number = first;
    while number <= last {
        let bytes = match number {
            0..0x800 => [0xC0 | (number >> 6) as u8, continuation(number), 0],
            0x800..0x1_0000 => [0xE0 | (number >> 12) as u8, continuation(number >> 6), continuation(number)],
            _ => [0xF0 | (number >> 18) as u8, continuation(number >> 12), continuation(number >> 6)],
        };
        let class = lead_class([bytes[0], bytes[1]]);
        sieve.one.add(bytes[0], class);
        sieve.after[(bytes[1] >> 2 & 0xF) as usize] |= class;
        #[cfg(trust8_avx512)]
        {
            let class = lead_class_512([bytes[0], bytes[1]]);
            sieve.sixes.one[(bytes[0] & 0x3F) as usize] |= class;
            sieve.sixes.after[(bytes[1] & 0x3F) as usize] |= class;
        }
        if product == MARKS {
            // A byte of another mark is before these.
            let mut before = 0xCC;
            while before <= 0xCD {
                add_three(sieve, [before, bytes[1], bytes[0]], TWO_MARKS);
                before += 1;
            }
        } else if product < FIRST_OF_THREE {
            add_two(sieve, bytes, 1 << product);
        } else {
            add_three(sieve, bytes, 1 << (product - FIRST_OF_THREE));
        }
        number = (number | (step - 1)) + 1;
    }
}

const fn add_two(sieve: &mut Sieve, [first, second, _]: [u8; 3], product: u8) {
    sieve.two[0].add(first, product);
    sieve.two[1].add_inner(second, product);
    #[cfg(trust8_avx512)]
    {
        sieve.sixes.two[0][(first & 0x3F) as usize] |= product;
        sieve.sixes.two[1][(second & 0x3F) as usize] |= product;
    }
}

const fn add_three(sieve: &mut Sieve, bytes: [u8; 3], product: u8) {
    sieve.three[0].add(bytes[0], product);
    sieve.three[1].add_inner(bytes[1], product);
    sieve.three[2].add_inner(bytes[2], product);
    #[cfg(trust8_avx512)]
    {
        let mut i = 0;
        while i < 3 {
            sieve.sixes.three[i][(bytes[i] & 0x3F) as usize] |= product;
            i += 1;
        }
    }
}

const fn continuation(bits: u32) -> u8 {
    0x80 | (bits & 0x3F) as u8
}

/// Returns the class for a single ASCII byte. 11 to 1F share one with F1 to FF, and the bytes that few profiles forbid one with EE and EF.
const fn ascii_class(byte: u8) -> u8 {
    match byte {
        0..=0x10 => 1,
        0x11..=0x1F => 0x80,
        _ => 4,
    }
}

/// Returns the class for the first two bytes of a character.
const fn lead_class(bytes: [u8; 2]) -> u8 {
    match bytes {
        [0xEE..0xF0, _] => 4,
        [0xCC..0xD0, _] => 8,
        [0xC2, 0x80..0xA0] | [0xD0..0xE0, _] => 0x10,
        [0xE2, _] => 0x20,
        [0xE0..0xEE, _] => 2,
        [0xC2, _] | [0xF0, _] => 0x40,
        _ => 0x80,
    }
}

/// The bits for ASCII and the class of [`lead_class_512`] for which the second byte does not matter.
#[cfg(trust8_avx512)]
const ANY_512: u8 = 7;

/// Returns the class for the first two bytes of a character, with AVX-512.
#[cfg(trust8_avx512)]
const fn lead_class_512(bytes: [u8; 2]) -> u8 {
    match bytes {
        [0xC2, 0x80..0xA0] | [0xD2 | 0xD8 | 0xDC, _] => 8,
        [0xE1 | 0xE3, _] => 0x10,
        [0xE2, _] => 0x20,
        [0xEF, _] => 0x40,
        [0xC2 | 0xF0, _] => 0x80,
        _ => 4,
    }
}

//! The byte patterns of the classes, from which the kernel's tables for a profile are made.
//!
//! A product of sets of nibbles has more sequences than those it was made for if ranges of different characters share it. So
//! ranges share one only if what it has besides is rare in text. Products of sets of bytes have fewer, so some of them are merged there.

#![forbid(unsafe_code)]

use super::class::Class;
#[cfg(trust8_avx512)]
use super::sieve::Sixes;
use super::sieve::{Ascii, Nibbles, Sieve};

/// The code points of a class from the first number to the second one, and the product of their bytes. ASCII has none.
type Range = (Class, u32, u32, usize);

/// How many products there are.
const PRODUCTS: usize = 13;

const _: () = assert!(PRODUCTS <= 8 * Sieve::SETS);

/// The product of bytes for each product of nibbles.
#[cfg(trust8_avx512)]
const OF_BYTES: [u8; PRODUCTS] = [0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 7, 7, 4];

/// All ranges except for the noncharacters at the ends of planes 1 to 16.
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
    // C2 80 to C2 9F, CD 8F.
    (Class::C1Control, 0x80, 0x84, 0),
    (Class::NextLine, 0x85, 0x85, 0),
    (Class::C1Control, 0x86, 0x9F, 0),
    (Class::Invisible, 0x34F, 0x34F, 0),
    // C2 AD. No-break spaces and guillemets are next to these.
    (Class::SoftHyphen, 0xAD, 0xAD, 1),
    // E2 80 8x. Spaces of other widths are next to these.
    (Class::ZeroWidth, 0x200B, 0x200B, 2),
    (Class::Joiner, 0x200C, 0x200D, 2),
    (Class::BidiMark, 0x200E, 0x200F, 2),
    // E2 80 Ax. Bullets and ellipses are next to these.
    (Class::Separator, 0x2028, 0x2029, 3),
    (Class::BidiControl, 0x202A, 0x202E, 3),
    // E2 81 Ax.
    (Class::ZeroWidth, 0x2060, 0x2060, 4),
    (Class::Invisible, 0x2061, 0x2065, 4),
    (Class::BidiControl, 0x2066, 0x2069, 4),
    (Class::Invisible, 0x206A, 0x206F, 4),
    // EF B7, EF BB, EF BE, EF BF, E3 85 A4. The punctuation of Chinese, EF BC, is next to these.
    (Class::Invisible, 0x3164, 0x3164, 5),
    (Class::Noncharacter, 0xFDD0, 0xFDEF, 5),
    (Class::ByteOrderMark, 0xFEFF, 0xFEFF, 5),
    (Class::Invisible, 0xFFA0, 0xFFA0, 5),
    (Class::Invisible, 0xFFF0, 0xFFFB, 5),
    (Class::FffeFfff, 0xFFFE, 0xFFFF, 5),
    // EF B8 8x.
    (Class::VariationSelector, 0xFE00, 0xFE0D, 6),
    (Class::EmojiSelector, 0xFE0E, 0xFE0F, 6),
    // F3 A0, F0 9B B2, F0 9D 85. Emoji, F0 9F, are next to these.
    (Class::Invisible, 0x1_BCA0, 0x1_BCA3, 8),
    (Class::Invisible, 0x1_D173, 0x1_D17A, 8),
    (Class::Tag, 0xE_0000, 0xE_007F, 8),
    (Class::Invisible, 0xE_0080, 0xE_00FF, 8),
    (Class::VariationSelector, 0xE_0100, 0xE_01EF, 8),
    (Class::Invisible, 0xE_01F0, 0xE_0FFF, 8),
    // E1 85, E1 9E, E1 A0.
    (Class::Invisible, 0x115F, 0x1160, 9),
    (Class::Invisible, 0x17B4, 0x17B5, 9),
    (Class::VariationSelector, 0x180B, 0x180D, 9),
    (Class::Invisible, 0x180E, 0x180E, 9),
    (Class::VariationSelector, 0x180F, 0x180F, 9),
    // D8 9C. Letters of Arabic are next to it.
    (Class::BidiMark, 0x61C, 0x61C, 10),
    // EE, EF 80 to EF A3.
    (Class::PrivateUse, 0xE000, 0xF8FF, 11),
    // F3 B0 to F4 8F.
    (Class::PrivateUse, 0xF_0000, 0xF_FFFF, 12),
    (Class::PrivateUse, 0x10_0000, 0x10_FFFF, 12),
];

/// The product of the noncharacters at the ends of planes: F0 9F BF BE to F4 8F BF BF.
const PLANE_ENDS: usize = 7;

/// Returns the tables for a profile that forbids the classes whose bits are set.
pub(super) const fn sieve(bits: u32) -> Sieve {
    let mut building = Building {
        sieve: Sieve {
            one: Nibbles::NONE,
            three: [[Nibbles::NONE; 3]; Sieve::SETS],
            sets: 0,
            ascii: Ascii { ends: [0; 16], most: 0 },
            #[cfg(trust8_avx512)]
            sixes: Sixes { ascii: [0; 64], one: [0; 64], three: [[0; 64]; 3] },
        },
        ascii: 0,
        slots: [None; PRODUCTS],
        used: 0,
    };
    let mut i = 0;
    while i < RANGES.len() {
        let (class, first, last, product) = RANGES[i];
        if bits >> class as u32 & 1 == 1 {
            building = building.with_range(first, last, product);
        }
        i += 1;
    }
    if bits >> Class::Noncharacter as u32 & 1 == 1 {
        let mut plane = 1;
        while plane <= 16 {
            building = building.with_range(plane << 16 | 0xFFFE, plane << 16 | 0xFFFF, PLANE_ENDS);
            plane += 1;
        }
    }
    building.sieve.sets = building.used.div_ceil(8);
    building.sieve.ascii = ascii(building.ascii);
    #[cfg(trust8_avx512)]
    {
        building.sieve.sixes = building.sieve.sixes.with_ascii(building.ascii);
    }
    building.sieve
}

/// Returns the table for the suspects among ASCII, a bit for each.
const fn ascii(suspects: u128) -> Ascii {
    let mut ends = [0; 16];
    let mut low: u8 = 0;
    while low < 16 {
        // The differences are 00 and 10, or 10 and 20, or beyond all others.
        ends[low as usize] = match (suspects >> low & 1, suspects >> (low + 0x10) & 1) {
            (0, 0) => low.wrapping_sub(1),
            (1, 0) => low,
            (0, _) => low + 0x11,
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
    Ascii { ends, most }
}

#[cfg(trust8_avx512)]
impl Sixes {
    /// Returns these tables with the suspects among ASCII, a bit for each.
    const fn with_ascii(mut self, suspects: u128) -> Self {
        let mut low = 0;
        while low < 64 {
            let pair = (suspects >> low & 1) as u8 | ((suspects >> (low + 64) & 1) as u8) << 1;
            self.one[low] |= pair;
            // The byte or the byte plus 40 is at least 80, and not more than FF.
            self.ascii[low] = match pair {
                0 => 0,
                1 => 0xFF - low as u8,
                2 => 0x40,
                _ => 0x80,
            };
            low += 1;
        }
        self
    }

    /// Returns these tables with a character that begins with these bytes in the classes of `class`.
    const fn with(mut self, (first, second, third): (u8, u8, Option<u8>), class: u8) -> Self {
        self.one[(first & 0x3F) as usize] |= 4;
        self.three[0][(first & 0x3F) as usize] |= class;
        self.three[1][(second & 0x3F) as usize] |= class;
        if let Some(third) = third {
            self.three[2][(third & 0x3F) as usize] |= class;
        } else {
            let mut third = 0;
            while third < 64 {
                self.three[2][third] |= class;
                third += 1;
            }
        }
        self
    }
}

/// A sieve that is being made.
struct Building {
    sieve: Sieve,
    /// The bytes of ASCII, a bit for each.
    ascii: u128,
    /// Which class of the sieve a product has. Only products that are needed get one, so that most profiles have one set.
    slots: [Option<usize>; PRODUCTS],
    used: usize,
}

impl Building {
    /// Adds the characters from `first` to `last`. All have the same number of bytes.
    const fn with_range(mut self, first: u32, last: u32, product: usize) -> Self {
        if last < 0x80 {
            let mut byte = first;
            while byte <= last {
                self.sieve.one = self.sieve.one.with(byte as u8, ascii_class(byte as u8));
                self.ascii |= 1 << byte;
                byte += 1;
            }
            return self;
        }
        let slot = match self.slots[product] {
            Some(slot) => slot,
            None => {
                self.slots[product] = Some(self.used);
                self.used += 1;
                self.used - 1
            }
        };
        let (mut set, class) = (self.sieve.three[slot / 8], 1 << (slot % 8));
        let [mut first_byte, mut second_byte, mut third_byte] = set;
        // The last byte of four does not decide.
        let step = if last < 0x1_0000 { 1 } else { 0x40 };
        let mut number = first;
        while number <= last {
            let (first, second, third) = first_three(number);
            first_byte = first_byte.with(first, class);
            second_byte = second_byte.with(second, class);
            third_byte = match third {
                Some(third) => third_byte.with(third, class),
                None => third_byte.with_all(class),
            };
            self.sieve.one = self.sieve.one.with(first, lead_class(first));
            #[cfg(trust8_avx512)]
            {
                self.sieve.sixes = self.sieve.sixes.with((first, second, third), 1 << OF_BYTES[product]);
            }
            number += step;
        }
        set = [first_byte, second_byte, third_byte];
        self.sieve.three[slot / 8] = set;
        self
    }
}

/// Returns the first two bytes of a character that is not ASCII, and the third one if it has one.
const fn first_three(number: u32) -> (u8, u8, Option<u8>) {
    if number < 0x800 {
        (0xC0 | (number >> 6) as u8, continuation(number), None)
    } else if number < 0x1_0000 {
        (0xE0 | (number >> 12) as u8, continuation(number >> 6), Some(continuation(number)))
    } else {
        (0xF0 | (number >> 18) as u8, continuation(number >> 12), Some(continuation(number >> 6)))
    }
}

const fn continuation(bits: u32) -> u8 {
    0x80 | (bits & 0x3F) as u8
}

/// Returns the class of single bytes in which a byte of ASCII is. The controls of 0x and of 1x have one each; what else a profile may
/// forbid shares one.
const fn ascii_class(byte: u8) -> u8 {
    match byte >> 4 {
        0 => 1,
        1 => 2,
        _ => 4,
    }
}

/// Returns the class of single bytes in which a first byte is: one for each upper half, so that they are exact.
const fn lead_class(byte: u8) -> u8 {
    1 << (byte >> 4 & 3) << 4
}

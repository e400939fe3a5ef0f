//! Encodings that the WHATWG standard lacks: code pages of DOS and of Apple, and others, in which each
//! byte is a character, and Johab. In all of them, the bytes below 80 are ASCII.

use encoding_rs::EUC_KR;

/// The characters of the bytes from 80 on, as UTF-16 in little-endian order, for each of `NAMES`. U+FFFD is none.
/// tools/train-guesses.py writes them.
static CHARACTERS: &[u8; NAMES.len() * 256] = include_bytes!("pages.bin");

/// The names, in the order of the tables.
#[rustfmt::skip]
const NAMES: [&str; 27] = [
    "ibm437", "ibm720", "ibm737", "ibm775", "ibm850", "ibm852", "ibm855", "ibm857", "ibm858", "ibm860", "ibm861", "ibm862",
    "ibm863", "ibm865", "ibm869", "ibm1125", "x-mac-greek", "x-mac-turkish", "x-mac-ce", "x-mac-croatian", "x-mac-romanian",
    "x-mac-icelandic", "koi8-t", "kz-1048", "pt154", "viscii", "tcvn",
];

/// A code page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page(u8);

impl Page {
    /// Returns all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NAMES.len() as u8).map(Self)
    }

    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }

    /// Returns the character of a byte, if it is one.
    pub fn character(self, byte: u8) -> Option<char> {
        if byte < 0x80 {
            return Some(char::from(byte));
        }
        let at = usize::from(self.0) * 256 + usize::from(byte - 0x80) * 2;
        let unit = u16::from_le_bytes([CHARACTERS[at], CHARACTERS[at + 1]]);
        char::from_u32(unit.into()).filter(|c| *c != char::REPLACEMENT_CHARACTER)
    }

    /// Returns the byte of a character, if the page has it.
    pub fn byte(self, c: char) -> Option<u8> {
        if c.is_ascii() { Some(c as u8) } else { (0x80..=0xFF).find(|byte| self.character(*byte) == Some(c)) }
    }
}

/// Returns the character of Johab that `bytes` begins with, and its length. Returns `None` if there is none.
///
/// A syllable is three numbers of five bits. The other characters are those of KS X 1001, which EUC-KR has too.
pub fn johab(bytes: &[u8]) -> Option<(char, usize)> {
    let (first, second) = match *bytes {
        [first @ 0..=0x7F, ..] => return Some((char::from(first), 1)),
        [first, second, ..] => (u32::from(first), u32::from(second)),
        _ => return None,
    };
    match first {
        0x84..=0xD3 => {
            let number = first << 8 | second;
            let initial = (number >> 10 & 31).checked_sub(2).filter(|it| *it < 19)?;
            let vowel = match number >> 5 & 31 {
                it @ 3..=7 => it - 3,
                it @ 10..=15 => it - 5,
                it @ 18..=23 => it - 7,
                it @ 26..=29 => it - 9,
                _ => return None,
            };
            let end = match number & 31 {
                it @ 1..=17 => it - 1,
                it @ 19..=29 => it - 2,
                _ => return None,
            };
            Some((char::from_u32(0xAC00 + (initial * 21 + vowel) * 28 + end)?, 2))
        }
        0xD9..=0xDE | 0xE0..=0xF9 => {
            let row = if first < 0xE0 { 2 * (first - 0xD9) } else { 2 * (first - 0xE0) + 41 };
            let cell = match second {
                0x31..=0x7E => second - 0x31,
                0x91..=0xFE => second - 0x43,
                _ => return None,
            };
            let euc = [0xA1 + row + cell / 94, 0xA1 + cell % 94].map(|byte| byte as u8);
            let text = EUC_KR.decode_without_bom_handling_and_without_replacement(&euc)?;
            Some((text.chars().next()?, 2))
        }
        _ => None,
    }
}

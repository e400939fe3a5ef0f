//! Whether decoded text looks like text. A guess whose text does not is refused, because the result
//! would be mojibake.
//!
//! These are all the rules. A character outside ASCII is odd if it
//!
//! 1. is a control character, for private use, or the replacement for what could not be decoded;
//! 2. is a letter of another alphabet than the letter before it;
//! 3. is an upper-case letter after a lower-case one, or the other way round after two upper-case
//!    letters, as in `cafŽ`;
//! 4. is a symbol inside a word, as in `h”ren`, one that no word begins or ends with, as in `caf‚`
//!    and `Ã©`, or an accent without a letter, or `Ç` alone;
//! 5. is a character of East Asia outside the common rows of the encoding's table, or beside a
//!    lower-case letter of ASCII.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8};

/// How many characters outside ASCII are looked at.
const ENOUGH: u64 = 10_000;

/// What is odd in a text.
#[derive(Default)]
pub(super) struct Plausibility {
    odd: u64,
    all: u64,
    before: [Option<char>; 2],
}

impl Plausibility {
    /// Adds `text`, which was decoded from `encoding`.
    pub(super) fn add(&mut self, text: &str, encoding: &'static Encoding) {
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if self.all == ENOUGH {
                return;
            }
            let [second, first] = self.before;
            let next = chars.peek().copied();
            // Where two letters do not fit, one of them may be ASCII.
            let is_odd = if is_east_asian(c) {
                let is_lower = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase());
                is_lower(first) || is_lower(next) || !is_common(c, encoding)
            } else {
                is_odd(second, first, c, next)
            };
            self.odd += u64::from(is_odd);
            self.all += u64::from(!c.is_ascii());
            self.before = [first, Some(c)];
        }
    }

    /// Whether nothing is odd.
    pub(super) fn is_perfect(&self) -> bool {
        self.odd == 0
    }

    /// Returns how many characters are odd.
    pub(super) fn odd(&self) -> u64 {
        self.odd
    }

    /// Whether at most one character in eight is odd.
    pub(super) fn is_text(&self) -> bool {
        self.odd * 8 <= self.all
    }

    /// Whether this is text in the encoding. In a few characters, one that is odd says that it is
    /// not.
    pub(super) fn fits(&self) -> bool {
        const FEW: u64 = 32;
        self.odd == 0 || self.all >= FEW && self.is_text()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
}

/// Returns the script of a letter or of a mark on one.
fn script(c: char) -> Option<Script> {
    Some(match c {
        'a'..='z'
        | 'A'..='Z'
        | 'µ'
        | 'À'..='Ö'
        | 'Ø'..='ö'
        | 'ø'..='ɏ'
        | '\u{300}'..='\u{36F}'
        | 'Ḁ'..='ỿ' => Script::Latin,
        '\u{370}'..='\u{3FF}' => Script::Greek,
        '\u{400}'..='\u{52F}' => Script::Cyrillic,
        '\u{591}'..='\u{5F4}' => Script::Hebrew,
        '\u{600}'..='\u{6FF}' => Script::Arabic,
        '\u{E01}'..='\u{E5B}' => Script::Thai,
        _ => return None,
    })
}

/// Whether `c` belongs to an East Asian script or its punctuation.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF00}'..='\u{FFEF}')
}

/// Whether `c` is odd after `second` and `first`, and before `next`.
fn is_odd(second: Option<char>, first: Option<char>, c: char, next: Option<char>) -> bool {
    if matches!(c, '\u{80}'..='\u{9F}' | '\u{E000}'..='\u{F8FF}' | '\u{FFFD}') {
        return true;
    }
    let is_letter = |c: Option<char>| c.and_then(script).is_some();
    let Some(own) = script(c) else {
        return !c.is_ascii()
            && match c {
                '’' | '–' | '—' | '…' | '·' | '\u{AD}' => false,
                '“'
                | '”'
                | '‘'
                | '«'
                | '»'
                | '›'
                | '‹'
                | '™'
                | '®'
                | '²'
                | '³'
                | '°'
                | 'ª'
                | 'º'
                | '\u{200C}'..='\u{200F}' => is_letter(first) && is_letter(next),
                // The accents without a letter are letters in MacRoman.
                'ˆ' | '˜' | '¨' | '´' | '¸' | '¯' => true,
                '\u{A0}' => is_letter(first) && (is_letter(next) || next == Some(' ')),
                '¡' | '¿' | '„' | '‚' | '§' | '©' | '€' | '£' | '•' => is_letter(first),
                _ => is_letter(first) || is_letter(next) || first.is_some_and(|first| !first.is_ascii()),
            };
    };
    if c == 'Ç' && !is_letter(first) && !is_letter(next) {
        return true;
    }
    let Some(first) = first.filter(|first| !(c.is_ascii() && first.is_ascii())) else { return false };
    let Some(other) = script(first) else { return false };
    other != own
        || first.is_lowercase() && c.is_uppercase()
        || c.is_lowercase() && first.is_uppercase() && second.is_some_and(char::is_uppercase)
}

/// Whether the common rows of the table of `encoding` have `c`.
fn is_common(c: char, encoding: &'static Encoding) -> bool {
    let mut text = [0; 4];
    let (bytes, ..) = encoding.encode(c.encode_utf8(&mut text));
    let (first, second) = match *bytes {
        [first, second] => (first, second),
        // Four bytes of GB18030, or three of EUC-JP. In UTF-8 all characters are alike, and one
        // byte is half-width katakana.
        _ => return encoding == UTF_8 || bytes.len() == 1,
    };
    match encoding {
        it if it == GBK || it == GB18030 => second >= 0xA1 && matches!(first, 0xA1..=0xA3 | 0xB0..=0xD7),
        it if it == BIG5 => matches!(first, 0xA1..=0xC6),
        it if it == EUC_KR => second >= 0xA1 && matches!(first, 0xA1..=0xA3 | 0xB0..=0xC8),
        it if it == SHIFT_JIS => matches!(first, 0x81..=0x83 | 0x88..=0x98),
        it if it == EUC_JP => matches!(first, 0xA1..=0xA5 | 0xB0..=0xCF),
        _ => true,
    }
}

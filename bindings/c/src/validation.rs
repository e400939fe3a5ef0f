//! # Validation in other encodings

use core::ffi::c_void;

use trust8::Bom;
use trust8_transcode::Encoding;

use crate::encodings::{
    Number, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_RFC2279, TRUST8_UTF8, TRUST8_UTF16BE, TRUST8_UTF16LE,
    TRUST8_UTF32BE, TRUST8_UTF32LE, TRUST8_WTF8,
};
use crate::errors::{TRUST8_INCOMPLETE, TRUST8_NO_ERROR, TRUST8_NONE, trust8_error};
use crate::{conversions, memory};

/// Returns whether the bytes are well-formed in this encoding. If they are not, `error` is the
/// first error. In UTF-16 and UTF-32 its length is that of the wrong unit, and trust8_explain finds
/// no lines: give it NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate_as(
    encoding: u32,
    data: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let answer = match (Number::new(encoding), bytes) {
        (Some(number), Some(bytes)) => found(number, bytes),
        _ => trust8_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, answer) };
    answer.kind == TRUST8_NO_ERROR
}

/// Returns the set of UTF-8 and its relatives in which the bytes are well-formed: bit n is set for
/// the encoding n. A misuse has no bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_diagnose(data: *const c_void, len: usize) -> u32 {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return 0 };
    let relatives = [TRUST8_UTF8, TRUST8_RFC2279, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_WTF8];
    let accepts = |number: &u32| {
        Number::new(*number).is_some_and(|number| found(number, bytes).kind == TRUST8_NO_ERROR)
    };
    relatives.into_iter().filter(accepts).fold(0, |set, number| set | 1 << number)
}

/// Returns whether all bytes are ASCII.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_is_ascii(data: *const c_void, len: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    bytes.is_some_and(<[u8]>::is_ascii)
}

/// Returns the number of ASCII bytes before the first other byte, or TRUST8_NONE for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_ascii_up_to(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::bytes(data, len) }.map_or(TRUST8_NONE, trust8_counts::ascii_up_to)
}

/// Returns the encoding of a text that does not name it: TRUST8_UTF8, TRUST8_UTF16LE,
/// TRUST8_UTF16BE, TRUST8_UTF32LE, TRUST8_UTF32BE, or 0 if it seems to be another one, or binary.
///
/// A byte order mark decides. Without one, the bytes are well-formed in the encoding. It is UTF-8 if
/// fewer than a quarter of them are control characters that are rare in text, and none is NUL.
/// Otherwise UTF-32 must be free of these, and at least 97 of 100 characters of UTF-16 must be common
/// ones, in one byte order more than in the other. UTF-8 with a NUL is not recognised. A text of a
/// few characters can be taken for another one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_detect(data: *const c_void, len: usize) -> u32 {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::bytes(data, len) }.and_then(detect).unwrap_or(0)
}

fn detect(bytes: &[u8]) -> Option<u32> {
    if let Some((mark, _)) = Bom::detect(bytes) {
        return Some(match mark {
            Bom::Utf16Le => TRUST8_UTF16LE,
            Bom::Utf16Be => TRUST8_UTF16BE,
            Bom::Utf32Le => TRUST8_UTF32LE,
            Bom::Utf32Be => TRUST8_UTF32BE,
            _ => TRUST8_UTF8,
        });
    }
    let is_utf8 = !bytes.contains(&0) && trust8::is_utf8(bytes);
    let controls = bytes.iter().filter(|byte| is_control(u32::from(**byte))).count();
    // Half of the bytes of UTF-16 in Greek, Cyrillic, Hebrew or Arabic letters.
    let may_be_wide = if is_utf8 { 4 * controls >= bytes.len() } else { controls > 0 };
    let wide = if may_be_wide { utf32(bytes).or_else(|| utf16(bytes)) } else { None };
    wide.or_else(|| is_utf8.then_some(TRUST8_UTF8))
}

/// Returns whether a character is a control character that is rare in text: any but a bell, a
/// backspace, white space, the end of a file of DOS, and ESC.
fn is_control(number: u32) -> bool {
    matches!(number, 0x00..=0x06 | 0x0E..=0x19 | 0x1C..=0x1F)
}

/// Returns the byte order of UTF-32 in which the bytes are text. Most characters are in the first
/// two planes: pairs of small numbers would be characters of the others.
fn utf32(bytes: &[u8]) -> Option<u32> {
    let (units, []) = bytes.as_chunks() else { return None };
    let is_text = |unit: fn([u8; 4]) -> u32| {
        let characters = units.iter().map(|bytes| unit(*bytes));
        let frequent = characters.clone().filter(|number| *number < 0x2_0000).count();
        2 * frequent >= units.len()
            && characters.clone().all(|number| char::from_u32(number).is_some() && !is_control(number))
    };
    match (is_text(u32::from_le_bytes), is_text(u32::from_be_bytes)) {
        (true, false) => Some(TRUST8_UTF32LE),
        (false, true) => Some(TRUST8_UTF32BE),
        _ => None,
    }
}

/// Returns the byte order of UTF-16 in which the bytes seem to be text.
fn utf16(bytes: &[u8]) -> Option<u32> {
    let (units, []) = bytes.as_chunks() else { return None };
    // How many in a thousand characters are common, and the same with those of Latin-1 twice: in
    // the other byte order, these may all be common Chinese characters. A lone surrogate ends it.
    let score = |unit: fn([u8; 2]) -> u16| {
        let (mut all, mut common, mut narrow) = (0_u64, 0_u64, 0_u64);
        for c in char::decode_utf16(units.iter().map(|bytes| unit(*bytes))) {
            let Ok(c) = c else { return (0, 0) };
            all += 1;
            common += u64::from(is_common(c));
            narrow += u64::from(c < '\u{100}');
        }
        let permille = |count: u64| 1000 * count / all.max(1);
        (permille(common), permille(common + narrow))
    };
    let (little, big) = (score(u16::from_le_bytes), score(u16::from_be_bytes));
    if little.0 >= 970 && little.1 > big.1 + 30 {
        Some(TRUST8_UTF16LE)
    } else if big.0 >= 970 && big.1 > little.1 + 30 {
        Some(TRUST8_UTF16BE)
    } else {
        None
    }
}

/// Returns whether a character is common in text in UTF-16. The command, another package, has the same table.
pub(crate) fn is_common(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | ' '..='~'
        | '\u{A0}'..='\u{17F}' | '\u{370}'..='\u{4FF}' | '\u{5D0}'..='\u{5EA}' | '\u{600}'..='\u{6FF}'
        | '\u{900}'..='\u{97F}' | '\u{E00}'..='\u{E7F}' | '\u{2010}'..='\u{203A}' | '€' | '™'
        | '\u{3000}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF00}'..='\u{FFEF}'
        | '\u{1_0000}'..)
}

/// Returns the first error of text in an encoding, or its end.
fn found(number: Number, bytes: &[u8]) -> trust8_error {
    let found = match number {
        Number::Encoding(Encoding::Utf8) => trust8::from_utf8(bytes).err().map(trust8_error::from),
        Number::Encoding(encoding) => {
            let (valid_up_to, kind) = conversions::validate(encoding, bytes);
            let unit = match encoding {
                _ if matches!(kind, TRUST8_NO_ERROR | TRUST8_INCOMPLETE) => None,
                Encoding::Utf16Le | Encoding::Utf16Be => Some(2),
                _ => Some(4),
            };
            return trust8_error::new(valid_up_to as u64, kind, unit, &[]);
        }
        Number::Dialect(dialect) => dialect.validate(bytes).err().map(|error| {
            trust8_error::new(error.valid_up_to() as u64, error.kind().code(), error.error_len(), &[])
        }),
    };
    found.unwrap_or(trust8_error::at(bytes.len() as u64, TRUST8_NO_ERROR))
}

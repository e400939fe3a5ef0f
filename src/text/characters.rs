//! One character at a time: numbers to bytes, and bytes to characters.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;
use core::str::Chars;

use crate::error::Utf8Error;
use crate::kernel::Kernel;
use crate::repair::sequences::Sequences;

/// Writes the character with number `value` to the start of `buffer`, and returns it as text.
///
/// The table of RFC 3629, section 3, with the first and the last number of each row:
///
/// ```
/// use trust8::encode_scalar;
///
/// // Char. number range  |        UTF-8 octet sequence
/// //    (hexadecimal)    |              (binary)
/// // --------------------+---------------------------------------------
/// // 0000 0000-0000 007F | 0xxxxxxx
/// // 0000 0080-0000 07FF | 110xxxxx 10xxxxxx
/// // 0000 0800-0000 FFFF | 1110xxxx 10xxxxxx 10xxxxxx
/// // 0001 0000-0010 FFFF | 11110xxx 10xxxxxx 10xxxxxx 10xxxxxx
/// let rows: [(u32, &[u8], u32, &[u8]); 4] = [
///     (0x00_0000, b"\x00", 0x00_007F, b"\x7F"),
///     (0x00_0080, b"\xC2\x80", 0x00_07FF, b"\xDF\xBF"),
///     (0x00_0800, b"\xE0\xA0\x80", 0x00_FFFF, b"\xEF\xBF\xBF"),
///     (0x01_0000, b"\xF0\x90\x80\x80", 0x10_FFFF, b"\xF4\x8F\xBF\xBF"),
/// ];
/// for (first, octets_of_first, last, octets_of_last) in rows {
///     assert_eq!(encode_scalar(first, &mut [0; 4]).unwrap().as_bytes(), octets_of_first);
///     assert_eq!(encode_scalar(last, &mut [0; 4]).unwrap().as_bytes(), octets_of_last);
/// }
/// // "The definition of UTF-8 prohibits encoding character numbers between U+D800 and U+DFFF."
/// assert!(encode_scalar(0xD800, &mut [0; 4]).is_err());
/// assert!(encode_scalar(0xDFFF, &mut [0; 4]).is_err());
/// assert!(encode_scalar(0x11_0000, &mut [0; 4]).is_err());
/// ```
///
/// # Errors
///
/// Returns an error if UTF-8 has no bytes for the number: a surrogate, D800 to DFFF, or a number
/// above 10FFFF.
#[inline]
pub fn encode_scalar(value: u32, buffer: &mut [u8; 4]) -> Result<&str, EncodeError> {
    match char::from_u32(value) {
        Some(character) => Ok(character.encode_utf8(buffer)),
        None => Err(EncodeError { value }),
    }
}

/// A number for which UTF-8 has no bytes: a surrogate, D800 to DFFF, or a number above 10FFFF.
///
/// ```
/// let error = trust8::encode_scalar(0xDC00, &mut [0; 4]).unwrap_err();
/// assert_eq!(error.value(), 0xDC00);
/// assert_eq!(error.to_string(), "UTF-8 can't express U+DC00, a surrogate");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EncodeError {
    value: u32,
}

impl EncodeError {
    /// Returns the number.
    ///
    /// ```
    /// assert_eq!(trust8::encode_scalar(0x11_0000, &mut [0; 4]).unwrap_err().value(), 0x11_0000);
    /// ```
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.value
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UTF-8 can't express U+{:04X}, {}", self.value, why_inexpressible(self.value))
    }
}

impl core::error::Error for EncodeError {}

/// Returns why UTF-8 and its dialects have no bytes for a number.
pub const fn why_inexpressible(value: u32) -> &'static str {
    match value {
        0xD800..=0xDFFF => "a surrogate",
        0..=0x7FFF_FFFF => "which is above U+10FFFF",
        _ => "which has more than 31 bits",
    }
}

/// Returns an iterator over the characters of `bytes`, each with its offset. For an ill-formed
/// sequence it yields an error, and continues after the sequence.
///
/// If each error is replaced by U+FFFD, the text is that of `String::from_utf8_lossy`.
///
/// ```
/// use trust8::{ErrorKind, decode};
///
/// let mut characters = decode(b"\xE6\x97\xA5\xFFa\xF0\x9F");
/// assert_eq!(characters.next(), Some(Ok((0, '日'))));
/// assert_eq!(characters.next().unwrap().unwrap_err().valid_up_to(), 3);
/// assert_eq!(characters.next(), Some(Ok((4, 'a'))));
/// assert_eq!(characters.next().unwrap().unwrap_err().kind(), ErrorKind::Incomplete);
/// assert_eq!(characters.next(), None);
///
/// let lossy: String = decode(b"1 \xE2\x82 = 1 \xC3?").map(|c| c.map_or('\u{FFFD}', |(_, c)| c)).collect();
/// assert_eq!(lossy, String::from_utf8_lossy(b"1 \xE2\x82 = 1 \xC3?"));
/// ```
#[inline]
#[must_use]
pub fn decode(bytes: &[u8]) -> Decode<'_> {
    Kernel::best().decode(bytes)
}

impl Kernel {
    /// Does the same as [`decode`](crate::decode), with this kernel.
    #[inline]
    #[must_use]
    pub fn decode<'a>(&'static self, bytes: &'a [u8]) -> Decode<'a> {
        Decode { sequences: Sequences::expecting_far(self, bytes), text: "".chars(), end: 0 }
    }
}

/// An iterator over characters and errors: see [`decode`].
///
/// ```
/// let decode = trust8::decode("añb".as_bytes());
/// let offsets: Vec<usize> = decode.map(|character| character.unwrap().0).collect();
/// assert_eq!(offsets, [0, 1, 3]);
/// ```
#[derive(Clone)]
pub struct Decode<'a> {
    /// The ill-formed sequences. The last one begins at `end`, unless its error has been returned.
    sequences: Sequences<'a>,
    /// The rest of the text that was found last.
    text: Chars<'a>,
    /// Where that text ends.
    end: usize,
}

impl<'a> Decode<'a> {
    /// Continues where the text ends. Returns the error of the ill-formed sequence there, or takes
    /// the next text if there is none. After the last text, it returns `None`.
    #[inline]
    fn advance(&mut self) -> Option<Result<(), Utf8Error>> {
        let start = self.end;
        self.end = self.sequences.end();
        if start < self.end {
            return Some(Err(Utf8Error::at(self.sequences.bytes(), start)));
        }
        let text = self.sequences.next_text()?;
        self.end += text.len();
        self.text = text.chars();
        Some(Ok(()))
    }
}

impl Iterator for Decode<'_> {
    type Item = Result<(usize, char), Utf8Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let left = self.text.as_str().len();
            if let Some(character) = self.text.next() {
                return Some(Ok((self.end - left, character)));
            }
            if let Err(error) = self.advance()? {
                return Some(Err(error));
            }
        }
    }

    /// Iterates text by text. `for_each`, `sum` and `extend` use this function.
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut folded = init;
        loop {
            let text = core::mem::replace(&mut self.text, "".chars()).as_str();
            let at = self.end - text.len();
            for (index, character) in text.char_indices() {
                folded = f(folded, Ok((at + index, character)));
            }
            match self.advance() {
                Some(Ok(())) => {}
                Some(Err(error)) => folded = f(folded, Err(error)),
                None => return folded,
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.sequences.bytes().len() - self.end;
        let (least, most) = self.text.size_hint();
        (least + left.div_ceil(4), most.map(|most| most + left))
    }
}

impl FusedIterator for Decode<'_> {}

/// Lists the characters and errors that the iterator has not returned yet.
impl fmt::Debug for Decode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

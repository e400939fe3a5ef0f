//! From a byte offset to a line and a column, for messages that people read.

#![forbid(unsafe_code)]

use super::inspect::count_chars;
use crate::repair::utf8_chunks;

/// Where a byte stands, as [`locate`] tells. All numbers begin with 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Location {
    /// The line: one more than there are newlines before the byte.
    pub line: usize,
    /// The column in characters: the how-manieth of its line the byte's character is.
    pub column: usize,
    /// The column in bytes.
    pub byte_column: usize,
}

/// The line and column of `bytes[offset]`.
///
/// - Lines end with 0A, which is the last character of its line. (0D is a character like others.)
/// - An offset inside a character has the column of that character.
/// - What is not UTF-8 counts as lossy decoding shows it: an ill-formed maximal subpart, as
///   [`Utf8Error::error_len`](crate::Utf8Error::error_len) has it, is one character. So the numbers are
///   those that an editor shows.
/// - An offset of `bytes.len()` or more is the place behind the last byte.
///
/// ```
/// let text = "naïve\ncafé, thé\n".as_bytes();
/// let at = text.iter().position(|&byte| byte == b't').unwrap();
/// let location = trust8::locate(text, at);
/// assert_eq!((location.line, location.column, location.byte_column), (2, 7, 8));
///
/// let error = trust8::from_utf8(b"one\ntw\xC3\xB6 \xFF").unwrap_err();
/// let location = trust8::locate(b"one\ntw\xC3\xB6 \xFF", error.valid_up_to());
/// assert_eq!((location.line, location.column), (2, 5));
/// ```
#[must_use]
pub fn locate(bytes: &[u8], offset: usize) -> Location {
    let offset = offset.min(bytes.len());
    let (newlines, start) = newlines_and_line_start(&bytes[..offset]);
    let line = &bytes[start..];
    let byte_column = offset - start;
    Location {
        line: newlines + 1,
        column: characters_before(line, byte_column) + 1,
        byte_column: byte_column + 1,
    }
}

#[cfg(feature = "memchr")]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    let last = memchr::memrchr(b'\n', before);
    (memchr::memchr_iter(b'\n', before).count(), last.map_or(0, |at| at + 1))
}

#[cfg(not(feature = "memchr"))]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    let last = before.iter().rposition(|&byte| byte == b'\n');
    (crate::kernel::counts::newlines(before), last.map_or(0, |at| at + 1))
}

/// How many characters and ill-formed sequences end at or before `offset`.
fn characters_before(line: &[u8], offset: usize) -> usize {
    // What begins before `offset` ends at most three bytes behind it. No byte of that is a newline.
    let text = &line[..line.len().min(offset + 3)];
    let mut count = 0;
    for chunk in utf8_chunks(text).take_while(|chunk| chunk.offset() < offset) {
        let valid = chunk.valid();
        let mut len = valid.len().min(offset - chunk.offset());
        while !valid.is_char_boundary(len) {
            len -= 1;
        }
        let ends_before = chunk.invalid_offset() + chunk.invalid().len() <= offset;
        count += count_chars(&valid[..len]) + usize::from(ends_before && !chunk.invalid().is_empty());
    }
    count
}

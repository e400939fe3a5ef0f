//! From a byte offset to a line and a column, for messages that people read.

#![forbid(unsafe_code)]

use super::inspect::count_chars;
use crate::boundary;
use crate::repair::utf8_chunks;

/// The line and the column of a byte, as [`locate`] returns them. All numbers begin with 1.
///
/// ```
/// let location = trust8::locate("née\n".as_bytes(), 3);
/// assert_eq!((location.line, location.column, location.byte_column), (1, 3, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Location {
    /// The line: how many newlines come before the byte, plus one.
    pub line: usize,
    /// The column: how many characters of the line come before it, plus one.
    pub column: usize,
    /// The column in bytes: how many bytes of the line come before it, plus one.
    pub byte_column: usize,
}

/// Returns the line and the column of `bytes[offset]`.
///
/// - A line ends with `0A`, which is its last character. (`0D` is a character like any other.)
/// - An offset inside a character has the column of that character.
/// - An ill-formed sequence, as long as [`Utf8Error::error_len`](crate::Utf8Error::error_len) says, counts as one
///   character. So the column is the one that an editor shows.
/// - An offset of `bytes.len()` or more stands for the end of `bytes`.
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

/// Returns how many characters and ill-formed sequences of `line` end at or before `offset`.
fn characters_before(line: &[u8], offset: usize) -> usize {
    // What begins before `offset` ends at most three bytes after it.
    let text = &line[..line.len().min(offset + 3)];
    let mut count = 0;
    for chunk in utf8_chunks(text).take_while(|chunk| chunk.offset() < offset) {
        let valid = chunk.valid();
        let len = boundary::floor(valid.as_bytes(), offset - chunk.offset());
        let ends_before = chunk.invalid_offset() + chunk.invalid().len() <= offset;
        count += count_chars(&valid[..len]) + usize::from(ends_before && !chunk.invalid().is_empty());
    }
    count
}

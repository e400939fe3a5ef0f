//! From a byte offset to a line and a column, for messages that people read.

#![forbid(unsafe_code)]

use crate::from_utf8;

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
    (super::counts::newlines(before), last.map_or(0, |at| at + 1))
}

/// How many characters and ill-formed sequences end at or before `offset`.
fn characters_before(line: &[u8], offset: usize) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < offset {
        let (text, ill_formed) = match from_utf8(&line[at..offset]) {
            Ok(text) => (text.len(), 0),
            Err(error) => {
                let fault = at + error.valid_up_to();
                // Where `offset` cuts, the sequence may go on behind it: that takes a look at no more than a
                // character, and no byte of it is a newline.
                (error.valid_up_to(), error.error_len().unwrap_or_else(|| sequence_len(&line[fault..])))
            }
        };
        count += super::counts::count_chars(&line[at..at + text]);
        at += text + ill_formed;
        // Else `offset` is inside this sequence.
        count += usize::from(ill_formed > 0 && at <= offset);
    }
    count
}

/// The length of the character or the ill-formed sequence at the start of `rest`, which is not ASCII.
fn sequence_len(rest: &[u8]) -> usize {
    let start = &rest[..rest.len().min(4)];
    match from_utf8(start) {
        Err(error) if error.valid_up_to() == 0 => error.error_len().unwrap_or(start.len()),
        // A character, and perhaps some of what follows it.
        _ => (1..=start.len()).find(|&len| from_utf8(&start[..len]).is_ok()).unwrap_or(start.len()),
    }
}

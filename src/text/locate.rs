//! From a byte offset to a line and a column, for messages that people read.

#![forbid(unsafe_code)]

#[cfg(not(feature = "memchr"))]
use super::counts;
use crate::boundary::is_continuation;
use crate::kernel::Kernel;
use crate::repair::faults::count_sequences;

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
/// - An offset of `bytes.len()` or more means the end of `bytes`.
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
    Kernel::best().locate(bytes, offset)
}

impl Kernel {
    /// Does what [`locate`](crate::locate) does, with this kernel.
    #[must_use]
    pub fn locate(&'static self, bytes: &[u8], offset: usize) -> Location {
        let offset = offset.min(bytes.len());
        let (newlines, start) = newlines_and_line_start(&bytes[..offset]);
        let line = &bytes[start..];
        let byte_column = offset - start;
        Location {
            line: newlines + 1,
            column: characters_before(self, line, byte_column) + 1,
            byte_column: byte_column + 1,
        }
    }
}

#[cfg(feature = "memchr")]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    let last = memchr::memrchr(b'\n', before);
    (memchr::memchr_iter(b'\n', before).count(), last.map_or(0, |at| at + 1))
}

#[cfg(not(feature = "memchr"))]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    (counts::newlines(before), before.len() - counts::last_line(before).len())
}

/// Returns how many characters and ill-formed sequences of `line` end at or before `offset`.
fn characters_before(kernel: &'static Kernel, line: &[u8], offset: usize) -> usize {
    count_sequences(kernel, &line[..offset]) - usize::from(is_inside_sequence(line, offset))
}

/// Returns whether a character or an ill-formed sequence of `line` begins before `offset` and ends after it.
fn is_inside_sequence(line: &[u8], offset: usize) -> bool {
    // No sequence has more than four bytes. The last one before `offset` that can have two begins with the last byte there
    // that is no continuation.
    let begin = offset.saturating_sub(3);
    let Some(last) = line[begin..offset].iter().rposition(|&byte| !is_continuation(byte)) else {
        return false;
    };
    let rest = &line[begin + last..];
    let sequence = rest[..rest.len().min(4)].utf8_chunks().next();
    let len = sequence.map_or(0, |chunk| match chunk.valid().chars().next() {
        Some(character) => character.len_utf8(),
        None => chunk.invalid().len(),
    });
    begin + last + len > offset
}

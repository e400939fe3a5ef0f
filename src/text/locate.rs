//! Converts a byte offset to a line and a column, for messages.

#![forbid(unsafe_code)]

use core::fmt;

use crate::boundary::is_continuation;
use crate::kernel::Kernel;
use crate::repair::chunks::count_lossy;
use crate::repair::survey::Found;

/// The line and the column of a byte, as [`locate`] returns them. All numbers begin with 1.
///
/// ```
/// let location = trust8::locate("née\n".as_bytes(), 3);
/// assert_eq!((location.line, location.column, location.byte_column), (1, 3, 4));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
/// - An ill-formed sequence, as long as [`Utf8Error::error_len`](crate::Utf8Error::error_len) says,
///   counts as one character. So the column is the one that an editor shows.
/// - An offset of `bytes.len()` or more means the end of `bytes`.
///
/// Each call reads `bytes` from the start. For many places of one text, use a [`Locator`].
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
#[inline]
#[must_use]
pub fn locate(bytes: &[u8], offset: usize) -> Location {
    Kernel::best().locate(bytes, offset)
}

impl Kernel {
    /// Does the same as [`locate`](crate::locate), with this kernel.
    #[must_use]
    pub fn locate(&'static self, bytes: &[u8], offset: usize) -> Location {
        self.locator(bytes).locate(offset)
    }

    /// Does the same as [`Locator::new`], with this kernel.
    #[must_use]
    pub fn locator<'a>(&'static self, bytes: &'a [u8]) -> Locator<'a> {
        Locator { kernel: self, bytes, line: 1, line_start: 0, at: 0, column: 1 }
    }
}

/// Finds the lines and columns of many bytes of one text, such as those of all
/// [`errors`](crate::errors).
///
/// Each result is that of [`locate`]. But a search begins where the last one ended, so increasing
/// offsets together take the time of one pass over the text. A smaller offset than the last one
/// restarts at the beginning.
///
/// ```
/// use trust8::{Locator, errors};
///
/// let text = b"caf\xE9\nth\xE9\n";
/// let mut locator = Locator::new(text);
/// let places = errors(text).map(|error| locator.locate(error.valid_up_to()));
/// assert!(places.map(|place| (place.line, place.column)).eq([(1, 4), (2, 3)]));
/// ```
#[derive(Clone)]
pub struct Locator<'a> {
    kernel: &'static Kernel,
    bytes: &'a [u8],
    /// The line of `at`.
    line: usize,
    /// Where that line begins.
    line_start: usize,
    /// Where the last search ended. A character, an ill-formed sequence or a line begins here.
    at: usize,
    /// The column of `at`.
    column: usize,
}

impl<'a> Locator<'a> {
    /// Begins at the start of `bytes`.
    ///
    /// ```
    /// let mut locator = trust8::Locator::new(b"a\nb");
    /// assert_eq!((locator.locate(2).line, locator.locate(0).line), (2, 1));
    /// ```
    #[inline]
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Kernel::best().locator(bytes)
    }

    /// Returns the line and the column of `bytes[offset]`, as [`locate`] does.
    ///
    /// ```
    /// use trust8::{Locator, locate};
    ///
    /// let text = "naïve\ncafé".as_bytes();
    /// let mut locator = Locator::new(text);
    /// assert!((0..=text.len()).all(|offset| locator.locate(offset) == locate(text, offset)));
    /// ```
    pub fn locate(&mut self, offset: usize) -> Location {
        let offset = offset.min(self.bytes.len());
        if offset < self.at {
            *self = self.kernel.locator(self.bytes);
        }
        let (newlines, start) = newlines_and_line_start(&self.bytes[self.at..offset]);
        if newlines > 0 {
            let start = self.at + start;
            (self.line, self.line_start, self.at, self.column) = (self.line + newlines, start, start, 1);
        }
        let rest = &self.bytes[self.at..];
        let before = sequence_start(rest, offset - self.at);
        self.column += match before {
            ..FEW_BYTES => rest[..before]
                .utf8_chunks()
                .map(|chunk| count_chars(chunk.valid().as_bytes()) + usize::from(!chunk.invalid().is_empty()))
                .sum(),
            _ => count_lossy(self.kernel, &rest[..before], count_chars, Found::sequences),
        };
        self.at += before;
        Location { line: self.line, column: self.column, byte_column: offset - self.line_start + 1 }
    }
}

/// Writes where the last search ended.
impl fmt::Debug for Locator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, at, .. } = self;
        f.debug_struct("Locator").field("at", at).field("line", line).field("column", column).finish()
    }
}

/// Fewer bytes than this are counted without a kernel. Between two faults there may be none.
const FEW_BYTES: usize = 16;

#[cfg(feature = "memchr")]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    let Some(last) = memchr::memrchr(b'\n', before) else { return (0, 0) };
    (memchr::memchr_iter(b'\n', before).count(), last + 1)
}

#[cfg(not(feature = "memchr"))]
fn newlines_and_line_start(before: &[u8]) -> (usize, usize) {
    match count_equal(before, 0xFF, b'\n') {
        0 => (0, 0),
        newlines => (newlines, before.len() - last_line(before).len()),
    }
}

/// The length of a group whose count fits into a byte, so that the compiler counts in vectors of
/// bytes.
const COUNTED_BYTES: usize = 192;

/// Returns the number of bytes that have `value` in the bits of `mask`, which are not all 0.
///
/// One function serves all counts, to keep programs small.
#[inline(never)]
#[must_use]
pub fn count_equal(bytes: &[u8], mask: u8, value: u8) -> usize {
    let is = |byte: u8| byte & mask == value;
    let (groups, rest) = bytes.as_chunks::<COUNTED_BYTES>();
    let mut count = 0;
    for group in groups {
        count += usize::from(group.iter().fold(0_u8, |sum, &byte| sum + u8::from(is(byte))));
    }
    count + rest.iter().filter(|&&byte| is(byte)).count()
}

/// Returns the text after the last line feed, or all of it.
#[must_use]
pub fn last_line(text: &[u8]) -> &[u8] {
    let mut end = text.len();
    // A search byte by byte would be slow for text of one line.
    while let Some(group) = text[..end].last_chunk::<COUNTED_BYTES>()
        && count_equal(group, 0xFF, b'\n') == 0
    {
        end -= COUNTED_BYTES;
    }
    let newline = text[..end].iter().rposition(|&byte| byte == b'\n');
    &text[newline.map_or(0, |at| at + 1)..]
}

/// Returns how many characters a valid text has: the bytes that are no continuations (`10......`).
fn count_chars(text: &[u8]) -> usize {
    text.len() - count_equal(text, 0xC0, 0x80)
}

/// Returns the start of the character or ill-formed sequence that contains the byte at `offset`.
fn sequence_start(text: &[u8], offset: usize) -> usize {
    // A byte that continues nothing begins a sequence.
    if text.get(offset).is_none_or(|&byte| !is_continuation(byte)) {
        return offset;
    }
    // No sequence has more than four bytes. The last one before `offset` that can have two or more
    // begins with the last byte before it that is no continuation.
    let begin = offset.saturating_sub(3);
    let Some(last) = text[begin..offset].iter().rposition(|&byte| !is_continuation(byte)) else {
        return offset;
    };
    let start = begin + last;
    let rest = &text[start..];
    let sequence = rest[..rest.len().min(4)].utf8_chunks().next();
    let len = sequence.map_or(0, |chunk| match chunk.valid().chars().next() {
        Some(character) => character.len_utf8(),
        None => chunk.invalid().len(),
    });
    if start + len > offset { start } else { offset }
}

//! Lines. A bad line does not end the iteration.

#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::{fmt, mem};
use std::io::{self, BufRead, ErrorKind, Read};

use crate::error::Bytes;
use crate::policy::Policy;
use crate::stream::StreamError;
use crate::text::string::{FromUtf8Error, string_from_utf8};

/// How a line that is not UTF-8 is treated.
///
/// ```
/// use trust8::Policy;
/// use trust8::io::OnBadLine;
///
/// let line = |on_bad_line: OnBadLine| on_bad_line.line(0, b"caf\xE9".to_vec());
/// assert!(line(OnBadLine::Refuse).unwrap().is_err());
/// assert!(line(OnBadLine::Skip).is_none());
/// assert_eq!(line(OnBadLine::Repair(Policy::Escape)).unwrap().unwrap(), r"caf\xE9");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub enum OnBadLine {
    /// It is an error, which has the bytes of the line.
    #[default]
    Refuse,
    /// It is left out.
    Skip,
    /// It is repaired. [`Policy::Null`] leaves it out.
    Repair(Policy),
}

impl OnBadLine {
    /// Returns the line with these bytes, which begins at `offset` in its stream, or `None` if it
    /// is left out.
    ///
    /// # Errors
    ///
    /// Returns [`LineError::NotUtf8`] for [`Refuse`](Self::Refuse). The result is one, so that it
    /// can be passed on.
    ///
    /// ```
    /// use trust8::io::{LineError, OnBadLine};
    ///
    /// let line = OnBadLine::Refuse.line(100, b"ab\xFF".to_vec());
    /// assert!(matches!(line, Some(Err(LineError::NotUtf8 { error, .. })) if error.valid_up_to() == 102));
    /// ```
    pub fn line(self, offset: u64, bytes: Vec<u8>) -> Option<Result<String, LineError>> {
        string_from_utf8(bytes).map_or_else(|error| self.bad_line(offset, error), |line| Some(Ok(line)))
    }

    fn bad_line(self, offset: u64, error: FromUtf8Error) -> Option<Result<String, LineError>> {
        match self {
            Self::Refuse => {
                let found = error.utf8_error();
                let at = offset.saturating_add(found.valid_up_to() as u64);
                let found = StreamError::new(at, found.sequence);
                Some(Err(LineError::NotUtf8 { error: found, line: error.into_bytes() }))
            }
            Self::Skip => None,
            Self::Repair(policy) => policy.repair(error.as_bytes()).map(|text| Ok(text.into_owned())),
        }
    }
}

/// The lines of a reader. Some of them may not be UTF-8.
///
/// Lines end with `\n` or `\r\n`, which are not part of the strings. A bad line never ends the
/// iteration: [`on_bad_line`](Self::on_bad_line) sets how it is treated. Neither does a line that
/// is longer than [`max_length`](Self::max_length). It is an error in any case, and its bytes are
/// skipped.
///
/// An error of the inner reader is passed on, and the next call continues at the same position.
///
/// ```
/// use trust8::Policy;
/// use trust8::io::{OnBadLine, TextLines};
///
/// let log = &b"one\r\ntw\xF6\nthree"[..];
/// let lines: Vec<_> = TextLines::new(log).map(Result::ok).collect();
/// assert_eq!(lines, [Some("one".to_owned()), None, Some("three".to_owned())]);
///
/// let mut lines = TextLines::new(log).on_bad_line(OnBadLine::Repair(Policy::Windows1252));
/// let texts = lines.by_ref().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((texts.join("|"), lines.bad_lines()), ("one|twö|three".to_owned(), 1));
/// # Ok::<(), trust8::io::LineError>(())
/// ```
#[derive(Debug)]
pub struct TextLines<R> {
    inner: R,
    on_bad_line: OnBadLine,
    max_length: usize,
    follows: bool,
    /// The beginning of the next line, or the part of it that has not been skipped yet.
    line: Vec<u8>,
    /// Where those bytes begin.
    offset: u64,
    /// Whether that line is too long. The error has been returned.
    skipping: bool,
    bad_lines: u64,
}

impl<R> TextLines<R> {
    /// Returns the lines of `inner`, of any length. A bad line is an error.
    ///
    /// ```
    /// assert_eq!(trust8::io::TextLines::new(&b"a\nb\n"[..]).count(), 2);
    /// ```
    pub const fn new(inner: R) -> Self {
        Self {
            inner,
            on_bad_line: OnBadLine::Refuse,
            max_length: usize::MAX,
            follows: false,
            line: Vec::new(),
            offset: 0,
            skipping: false,
            bad_lines: 0,
        }
    }

    /// Sets how a bad line is treated.
    ///
    /// ```
    /// use trust8::io::{OnBadLine, TextLines};
    /// assert_eq!(TextLines::new(&b"a\n\xFF\nb\n"[..]).on_bad_line(OnBadLine::Skip).count(), 2);
    /// ```
    #[must_use]
    pub const fn on_bad_line(mut self, on_bad_line: OnBadLine) -> Self {
        self.on_bad_line = on_bad_line;
        self
    }

    /// Sets the maximum length of a line in bytes, without its end. A longer one is an error as
    /// soon as its length is known to be too large. Its other bytes are skipped, so the memory is
    /// bounded.
    ///
    /// ```
    /// use trust8::io::{LineError, TextLines};
    ///
    /// let mut lines = TextLines::new(&b"abc\nabcd\nef\n"[..]).max_length(3);
    /// assert_eq!(lines.next().unwrap()?, "abc");
    /// assert!(matches!(lines.next(), Some(Err(LineError::TooLong { offset: 4, .. }))));
    /// assert_eq!(lines.next().unwrap()?, "ef");
    /// # Ok::<(), LineError>(())
    /// ```
    #[must_use]
    pub const fn max_length(mut self, max_length: usize) -> Self {
        self.max_length = max_length;
        self
    }

    /// Sets whether the input may grow after its end, as a log does. The default is `false`.
    ///
    /// If it may, bytes without a line end at the end of the input are not a line yet, and `None`
    /// means that there is no further line so far.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use trust8::io::TextLines;
    ///
    /// let mut lines = TextLines::new(Cursor::new(b"one\ncaf\xC3".to_vec())).follow(true);
    /// assert_eq!(lines.next().unwrap()?, "one");
    /// assert!(lines.next().is_none());
    /// lines.get_mut().get_mut().extend(b"\xA9\n");
    /// assert_eq!(lines.next().unwrap()?, "café");
    /// # Ok::<(), trust8::io::LineError>(())
    /// ```
    #[must_use]
    pub const fn follow(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Returns how many lines so far were not UTF-8 or too long.
    ///
    /// ```
    /// use trust8::io::{OnBadLine, TextLines};
    ///
    /// let mut lines = TextLines::new(&b"\xFF\nb\n"[..]).on_bad_line(OnBadLine::Skip);
    /// assert_eq!(lines.next().unwrap()?, "b");
    /// assert_eq!(lines.bad_lines(), 1);
    /// # Ok::<(), trust8::io::LineError>(())
    /// ```
    pub const fn bad_lines(&self) -> u64 {
        self.bad_lines
    }

    /// Returns where in the input the next line begins.
    ///
    /// ```
    /// let mut lines = trust8::io::TextLines::new(&b"one\ntwo\n"[..]);
    /// lines.next();
    /// assert_eq!(lines.offset(), 4);
    /// ```
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are
    /// not part of the lines.
    ///
    /// ```
    /// let mut lines = trust8::io::TextLines::new(&b"one"[..]);
    /// *lines.get_mut() = b"two";
    /// assert_eq!(lines.next().unwrap()?, "two");
    /// # Ok::<(), trust8::io::LineError>(())
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns the inner reader. The beginning of a line that was read is lost.
    ///
    /// ```
    /// assert_eq!(trust8::io::TextLines::new(&b"one"[..]).into_inner(), b"one");
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }
}

impl<R: BufRead> Iterator for TextLines<R> {
    type Item = Result<String, LineError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // No more bytes than those of the longest line and its end.
            let limit = self.max_length.saturating_add(2).saturating_sub(self.line.len()) as u64;
            if let Err(error) = self.inner.by_ref().take(limit).read_until(b'\n', &mut self.line) {
                return Some(Err(LineError::Io(error)));
            }
            let (text, is_whole) = match &self.line[..] {
                [text @ .., b'\r', b'\n'] | [text @ .., b'\n'] => (text, true),
                [text @ .., b'\r'] | text => (text, false),
            };
            // The limit is more than that of a line without an end.
            let is_end = !is_whole && text.len() <= self.max_length;
            if is_end && (self.follows || self.line.is_empty()) {
                self.skipping &= self.follows;
                return None;
            }
            let len = if is_end { self.line.len() } else { text.len() };
            let is_too_long = len > self.max_length;
            let offset = self.offset;
            self.offset += self.line.len() as u64;
            let mut line = mem::take(&mut self.line);
            if mem::replace(&mut self.skipping, !is_whole && is_too_long) {
                continue;
            }
            if is_too_long {
                self.bad_lines += 1;
                return Some(Err(LineError::TooLong { offset, max_length: self.max_length }));
            }
            line.truncate(len);
            let line = string_from_utf8(line).map(Ok).or_else(|error| {
                self.bad_lines += 1;
                self.on_bad_line.bad_line(offset, error).ok_or(())
            });
            if let Ok(line) = line {
                return Some(line);
            }
        }
    }
}

/// Why there is no string for a line, or an error of the inner reader.
///
/// ```
/// use trust8::io::{LineError, TextLines};
///
/// match TextLines::new(&b"caf\xE9 au lait\n"[..]).next() {
///     Some(Err(LineError::NotUtf8 { error, line })) => {
///         assert_eq!((error.valid_up_to(), &line[..]), (3, &b"caf\xE9 au lait"[..]));
///     }
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum LineError {
    /// The error of the inner reader.
    Io(io::Error),
    /// The line is not UTF-8.
    NotUtf8 {
        /// The first place at which it is not. The position counts from the start of the stream.
        error: StreamError,
        /// The bytes of the line, without its end.
        line: Vec<u8>,
    },
    /// The line has more than `max_length` bytes.
    TooLong {
        /// Where in the stream the line begins.
        offset: u64,
        /// The maximum length of a line in bytes.
        max_length: usize,
    },
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::NotUtf8 { error, .. } => error.fmt(f),
            Self::TooLong { offset, max_length } => {
                write!(f, "the line at byte {offset} has more than {}", Bytes(*max_length))
            }
        }
    }
}

impl core::error::Error for LineError {
    /// Returns the source of the error of the inner reader, whose message is this error's.
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        let Self::Io(error) = self else { return None };
        error.source()
    }
}

/// Returns the error of the inner reader, or an [`InvalidData`](ErrorKind::InvalidData) error that
/// carries this one.
impl From<LineError> for io::Error {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Io(error) => error,
            other => Self::new(ErrorKind::InvalidData, other),
        }
    }
}

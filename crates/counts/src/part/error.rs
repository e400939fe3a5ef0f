//! The first error of a text that was judged in parts.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::ErrorKind;
use trust8::engine::Sequence;

use super::tally::Tally;

/// The first place at which a text that was judged in parts is not UTF-8, with its line and its
/// column.
///
/// ```
/// let error = trust8_counts::Part::of("vrai,\nno\u{EB}l".as_bytes()).then(&trust8_counts::Part::of(b"\xFF")).finish().unwrap_err();
/// assert_eq!((error.valid_up_to(), error.error_len()), (11, Some(1)));
/// assert_eq!((error.line(), error.column()), (2, 5));
/// assert!(error.to_string().starts_with("invalid UTF-8 at byte 11: FF never appears in UTF-8"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PartError {
    pub(super) before: Tally,
    pub(super) sequence: Sequence,
}

impl PartError {
    /// Returns how many bytes at the start of the text are valid UTF-8: the offset of the
    /// ill-formed sequence.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"abc\xFF").finish().unwrap_err().valid_up_to(), 3);
    /// ```
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.before.bytes
    }

    /// Returns the length of the ill-formed sequence, 1 to 3 bytes, or `None` if the text ends
    /// inside a character.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"\xE2\x82?").finish().unwrap_err().error_len(), Some(2));
    /// ```
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        self.sequence.error_len()
    }

    /// Returns which rule of RFC 3629 is broken.
    ///
    /// ```
    /// let error = trust8_counts::Part::of(b"\xC0\xAF").finish().unwrap_err();
    /// assert_eq!(error.kind(), trust8::ErrorKind::Overlong);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.sequence.kind()
    }

    /// Returns the line of the ill-formed sequence: how many newlines come before it, plus one.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"\n\n\xFF").finish().unwrap_err().line(), 3);
    /// ```
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.before.newlines.saturating_add(1)
    }

    /// Returns the column of the ill-formed sequence: how many characters of the line come before
    /// it, plus one.
    ///
    /// ```
    /// assert_eq!(trust8_counts::Part::of(b"\n\xC3\xA9\xFF").finish().unwrap_err().column(), 2);
    /// ```
    #[must_use]
    pub const fn column(&self) -> u64 {
        self.before.line_chars.saturating_add(1)
    }

    /// Returns the counts of the text before the error.
    ///
    /// ```
    /// let error = trust8_counts::Part::of(b"n\xC3\xA9e\x80").finish().unwrap_err();
    /// assert_eq!(error.before().chars(), 3);
    /// ```
    #[must_use]
    pub const fn before(&self) -> Tally {
        self.before
    }
}

impl fmt::Debug for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("PartError");
        fields
            .field("valid_up_to", &self.valid_up_to())
            .field("line", &self.line())
            .field("column", &self.column());
        self.sequence.debug(&mut fields)
    }
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid UTF-8 at byte {}: {}", self.valid_up_to(), self.sequence)
    }
}

impl core::error::Error for PartError {}

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: PartError;);

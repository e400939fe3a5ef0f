//! The rules of a dialect that a sequence can break.

#![forbid(unsafe_code)]

use trust8::ErrorKind;

/// Why a [`Dialect`](super::Dialect) does not accept a sequence of bytes, or why it can't be
/// converted to UTF-8.
///
/// ```
/// use trust8_dialect::Dialect::{Cesu8, ModifiedUtf8, Rfc2279, Wtf8};
/// use trust8_dialect::DialectErrorKind;
///
/// let kind = |dialect: trust8_dialect::Dialect, bytes| dialect.validate(bytes).unwrap_err().kind();
/// assert_eq!(kind(Cesu8, b"\xF0\x9F\x98\x80"), DialectErrorKind::FourBytes);
/// assert_eq!(kind(Cesu8, b"\xED\xA0\xBD!"), DialectErrorKind::Surrogate);
/// assert_eq!(kind(ModifiedUtf8, b"\x00"), DialectErrorKind::Nul);
/// assert_eq!(kind(Wtf8, b"\xED\xA0\xBD\xED\xB8\x80"), DialectErrorKind::SurrogatePair);
/// assert_eq!(kind(Rfc2279, b"\xFE"), DialectErrorKind::InvalidByte);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DialectErrorKind {
    /// A continuation byte, `80..BF`, where a code point must begin.
    UnexpectedContinuation,
    /// A byte that begins no form of the dialect: `FE`, `FF`, and in all dialects except RFC 2279
    /// also `F8..FD`.
    InvalidByte,
    /// A code point in more bytes than it needs. No dialect allows that, except `C0 80` in Modified
    /// UTF-8.
    Overlong,
    /// A surrogate without its other half; in UTF-8, any surrogate.
    Surrogate,
    /// A surrogate pair in WTF-8, which writes the pair as one character of four bytes.
    SurrogatePair,
    /// A character above U+10FFFF, in a dialect that ends there.
    TooLarge,
    /// A form of four bytes, in CESU-8 and Modified UTF-8, which write a pair of surrogates
    /// instead.
    FourBytes,
    /// A byte `00`, in Modified UTF-8, which writes `C0 80` instead.
    Nul,
    /// A lead byte with too few continuation bytes after it, although the input continues.
    Truncated,
    /// The input ends inside a sequence; more input might complete it.
    ///
    /// Only for this kind, [`DialectError::error_len`](super::DialectError::error_len) is `None`.
    Incomplete,
    /// A lone surrogate or a character above U+10FFFF, which the dialect has and UTF-8 does not.
    /// Only conversions to UTF-8 return this kind.
    Inexpressible,
}

impl DialectErrorKind {
    /// Returns the kind's name, which is stable across versions of this crate.
    ///
    /// ```
    /// use trust8_dialect::DialectErrorKind;
    /// assert_eq!(DialectErrorKind::FourBytes.name(), "four-bytes");
    /// assert_eq!(DialectErrorKind::Overlong.name(), trust8::ErrorKind::Overlong.name());
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name_and_code().0
    }

    /// Returns the kind's number, which is stable across versions of this crate. For a rule that
    /// UTF-8 shares, it is the number of [`trust8::ErrorKind`](trust8::ErrorKind::code).
    ///
    /// ```
    /// use trust8_dialect::DialectErrorKind;
    /// assert_eq!(DialectErrorKind::FourBytes.code(), 12);
    /// assert_eq!(DialectErrorKind::Overlong.code(), trust8::ErrorKind::Overlong.code());
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        self.name_and_code().1
    }

    /// For a rule that UTF-8 shares, they are those of UTF-8's kind.
    const fn name_and_code(self) -> (&'static str, u8) {
        let kind = match self {
            Self::UnexpectedContinuation => ErrorKind::UnexpectedContinuation,
            Self::InvalidByte => ErrorKind::InvalidByte,
            Self::Overlong => ErrorKind::Overlong,
            Self::Surrogate => ErrorKind::Surrogate,
            Self::TooLarge => ErrorKind::TooLarge,
            Self::Truncated => ErrorKind::Truncated,
            Self::Incomplete => ErrorKind::Incomplete,
            Self::SurrogatePair => return ("surrogate-pair", 11),
            Self::FourBytes => return ("four-bytes", 12),
            Self::Nul => return ("nul", 13),
            Self::Inexpressible => return ("inexpressible", 14),
        };
        (kind.name(), kind.code())
    }
}

trust8::engine::displayed_by_name!(DialectErrorKind);

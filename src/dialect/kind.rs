//! Which rule of a dialect a sequence breaks.

#![forbid(unsafe_code)]

/// Why a [`Dialect`](super::Dialect) does not accept a sequence of bytes, or why it can't be converted to UTF-8.
///
/// ```
/// use trust8::dialect::Dialect::{Cesu8, ModifiedUtf8, Rfc2279, Wtf8};
/// use trust8::dialect::DialectErrorKind;
///
/// let kind = |dialect: trust8::dialect::Dialect, bytes| dialect.validate(bytes).unwrap_err().kind();
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
    /// A byte that begins no form of the dialect: `FE`, `FF`, and in all dialects but RFC 2279 also `F8..FD`.
    InvalidByte,
    /// A code point in more bytes than it needs. No dialect allows that, except for `C0 80` in Modified UTF-8.
    Overlong,
    /// A surrogate without its other half; in UTF-8, any surrogate.
    Surrogate,
    /// Two surrogates that make a pair, in WTF-8, which writes the pair as one character of four bytes.
    SurrogatePair,
    /// A character above U+10FFFF, in a dialect that ends there.
    TooLarge,
    /// A form of four bytes, in CESU-8 and Modified UTF-8, which write a pair of surrogates instead.
    FourBytes,
    /// A byte `00`, in Modified UTF-8, which writes `C0 80` instead.
    Nul,
    /// A lead byte that too few continuation bytes follow, although the input goes on.
    Truncated,
    /// The input ends inside a sequence; more input might complete it.
    ///
    /// This is the one kind whose [`DialectError::error_len`](super::DialectError::error_len) is `None`.
    Incomplete,
    /// A lone surrogate or a character above U+10FFFF, which the dialect has and UTF-8 does not. Only conversions to UTF-8
    /// return this kind.
    Inexpressible,
}

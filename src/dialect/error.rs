//! Why bytes are not of a dialect, or not of UTF-8, or why a code point can't be written.

#![forbid(unsafe_code)]

use core::fmt;

use super::Dialect;
use super::form::{self, Fault};
use crate::error::{Hex, Sequence};
use crate::text::characters::why_inexpressible;

/// Why a sequence of bytes is not of a [`Dialect`], or has no place in UTF-8.
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
    /// A byte that begins no form that the dialect has: `FE` and `FF`, and but for RFC 2279 `F8..FD`.
    InvalidByte,
    /// A code point in more bytes than it needs, which no dialect allows, but for `C0 80` in Modified UTF-8.
    Overlong,
    /// Half a surrogate pair alone; in UTF-8, any surrogate.
    Surrogate,
    /// In WTF-8, two surrogates that make a pair: there it is one character of four bytes.
    SurrogatePair,
    /// A character above U+10FFFF, where there is a form for it at all.
    TooLarge,
    /// In CESU-8 and Modified UTF-8, a form of four bytes: there it is a pair of surrogates.
    FourBytes,
    /// In Modified UTF-8, a byte `00`: there it is `C0 80`.
    Nul,
    /// A lead byte that too few continuation bytes follow, with more input behind them.
    Truncated,
    /// The input ends inside a sequence; more input might complete it.
    ///
    /// This is the one kind whose [`DialectError::error_len`] is `None`.
    Incomplete,
    /// The dialect has it, and UTF-8 does not: a lone surrogate, or a character above U+10FFFF. Only
    /// conversions say so.
    Inexpressible,
}

/// The first place at which bytes are not of a dialect, or can't be converted to UTF-8.
///
/// ```
/// use trust8::dialect::{Dialect, DialectErrorKind};
///
/// let error = Dialect::Cesu8.validate(b"ab\xF0\x9F\x98\x80").unwrap_err();
/// assert_eq!((error.offset(), error.error_len()), (2, Some(4)));
/// assert_eq!((error.kind(), error.code_point()), (DialectErrorKind::FourBytes, Some(0x1F600)));
/// assert_eq!(
///     error.to_string(),
///     "invalid CESU-8 at byte 2: F0 9F 98 80 is U+1F600 in four bytes; \
///      expected two surrogates, ED A0 BD ED B8 80"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DialectError {
    dialect: Dialect,
    kind: DialectErrorKind,
    offset: usize,
    len: u8,
    /// The sequence, and perhaps the byte behind it: what makes the error certain. Zeros fill the rest.
    seen: [u8; 6],
    seen_len: u8,
}

impl DialectError {
    pub(super) fn new(dialect: Dialect, bytes: &[u8], offset: usize, fault: &Fault) -> Self {
        let mut seen = [0; 6];
        seen[..fault.seen].copy_from_slice(&bytes[offset..offset + fault.seen]);
        // Both are at most 6.
        let (len, seen_len) = (fault.len as u8, fault.seen as u8);
        Self { dialect, kind: fault.kind, offset, len, seen, seen_len }
    }

    /// `bytes[offset..][..len]` is a code point of the dialect that UTF-8 has no form for.
    pub(super) fn inexpressible(dialect: Dialect, bytes: &[u8], offset: usize, len: usize) -> Self {
        Self::new(dialect, bytes, offset, &Fault { kind: DialectErrorKind::Inexpressible, len, seen: len })
    }

    /// The dialect that the bytes were to be of.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert_eq!(Dialect::Wtf8.validate(b"\xFF").unwrap_err().dialect(), Dialect::Wtf8);
    /// ```
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Where the sequence begins. All before it is sound.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert_eq!(Dialect::Cesu8.validate(b"abc\xED\xA0\x80").unwrap_err().offset(), 3);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// How many bytes it has, 1 to 6, or `None` where the input ends too early.
    ///
    /// The next code point may begin behind them: this is what one U+FFFD replaces.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert_eq!(Dialect::Cesu8.validate(b"\xED\xA0\x80?").unwrap_err().error_len(), Some(3));
    /// assert_eq!(Dialect::Cesu8.validate(b"\xED\xA0\x80").unwrap_err().error_len(), None);
    /// ```
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        match self.kind {
            DialectErrorKind::Incomplete => None,
            _ => Some(self.len as usize),
        }
    }

    /// Which rule is broken.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, DialectErrorKind};
    /// assert_eq!(Dialect::Rfc2279.validate(b"\xC1\x81").unwrap_err().kind(), DialectErrorKind::Overlong);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> DialectErrorKind {
        self.kind
    }

    /// The code point that the sequence stands for, where it has a meaning in another dialect, or
    /// in this one but not in UTF-8.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// let code_point = |dialect: Dialect, bytes| dialect.to_utf8(bytes).unwrap_err().code_point();
    /// assert_eq!(code_point(Dialect::Rfc2279, b"\xFD\xBF\xBF\xBF\xBF\xBF"), Some(0x7FFF_FFFF));
    /// assert_eq!(code_point(Dialect::Wtf8, b"\xED\xA0\x80"), Some(0xD800));
    /// assert_eq!(code_point(Dialect::Wtf8, b"\xED\xA0\x81\xED\xB0\x80"), Some(0x10400));
    /// assert_eq!(code_point(Dialect::Wtf8, b"\xED\xA0"), None);
    /// ```
    #[must_use]
    pub fn code_point(&self) -> Option<u32> {
        use DialectErrorKind::*;
        match self.kind {
            Surrogate | SurrogatePair | FourBytes | Nul | Inexpressible => form::value(self.sequence()),
            _ => None,
        }
    }

    fn sequence(&self) -> &[u8] {
        &self.seen[..self.len as usize]
    }

    fn seen(&self) -> &[u8] {
        &self.seen[..self.seen_len as usize]
    }
}

impl fmt::Debug for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialectError")
            .field("dialect", &self.dialect)
            .field("offset", &self.offset)
            .field("error_len", &self.error_len())
            .field("kind", &self.kind)
            .field("bytes", &format_args!("{}", Hex(self.seen())))
            .finish()
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DialectErrorKind::*;
        let Self { dialect, offset, .. } = self;
        if *dialect == Dialect::Utf8 {
            return write!(f, "invalid UTF-8 at byte {offset}: {}", Sequence::at_start_of(self.seen()));
        }
        match self.kind {
            Inexpressible => write!(f, "{dialect} at byte {offset} that UTF-8 can't express: ")?,
            _ => write!(f, "invalid {dialect} at byte {offset}: ")?,
        }
        let (lead, sequence, seen) = (self.seen[0], Hex(self.sequence()), Hex(self.seen()));
        match self.kind {
            UnexpectedContinuation => {
                write!(f, "{sequence} is a continuation byte where a code point must begin")
            }
            InvalidByte => write!(f, "{sequence} never appears there"),
            Overlong => write!(f, "{seen} begins an overlong form"),
            TooLarge => write!(f, "{seen} begins a character above U+10FFFF"),
            Nul => write!(f, "00 is U+0000 in one byte; expected C0 80"),
            SurrogatePair => {
                self.meaning(f)?;
                write!(f, " as a pair of surrogates; expected ")?;
                self.expected(f, Dialect::Utf8)
            }
            FourBytes => match self.code_point() {
                Some(_) => {
                    self.meaning(f)?;
                    write!(f, " in four bytes; expected two surrogates, ")?;
                    self.expected(f, Dialect::Cesu8)
                }
                None => write!(f, "{sequence} begins a form of four bytes; expected two surrogates"),
            },
            Surrogate => match self.code_point() {
                Some(_) => {
                    self.meaning(f)?;
                    write!(f, ", half a surrogate pair without the other half")
                }
                None => write!(f, "{sequence} begins the second half of a surrogate pair; there is no first"),
            },
            Inexpressible => {
                self.meaning(f)?;
                match self.code_point() {
                    Some(0xD800..=0xDFFF) => write!(f, ", a lone surrogate"),
                    _ => write!(f, ", above U+10FFFF"),
                }
            }
            Truncated | Incomplete => {
                let whole = match lead {
                    0xED if self.len >= 3 => 6,
                    lead => lead.leading_ones(),
                };
                write!(f, "{sequence} begins a sequence of {whole} bytes, and ")?;
                match self.seen().get(self.len as usize) {
                    Some(next) => write!(f, "{next:02X} follows"),
                    None => write!(f, "the input ends"),
                }
            }
        }
    }
}

impl DialectError {
    /// What the sequence is.
    fn meaning(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code_point = self.code_point().unwrap_or_default();
        write!(f, "{} is U+{code_point:04X}", Hex(self.sequence()))
    }

    /// How the dialect writes it.
    fn expected(&self, f: &mut fmt::Formatter<'_>, dialect: Dialect) -> fmt::Result {
        let code_point = self.code_point().unwrap_or_default();
        let mut buffer = [0; 6];
        let bytes = form::write(dialect, code_point, &mut buffer).unwrap_or_default();
        write!(f, "{}", Hex(bytes))
    }
}

impl core::error::Error for DialectError {}

/// A number that a dialect has no bytes for.
///
/// ```
/// use trust8::dialect::Dialect;
///
/// let error = Dialect::Cesu8.encode(0xDC00, &mut [0; 6]).unwrap_err();
/// assert_eq!((error.dialect(), error.value()), (Dialect::Cesu8, 0xDC00));
/// assert_eq!(error.to_string(), "CESU-8 can't express U+DC00, a surrogate");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EncodeError {
    dialect: Dialect,
    value: u32,
}

impl EncodeError {
    pub(crate) const fn new(dialect: Dialect, value: u32) -> Self {
        Self { dialect, value }
    }

    /// The dialect that has none.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// let error = Dialect::Wtf8.encode(0x11_0000, &mut [0; 6]).unwrap_err();
    /// assert_eq!(error.dialect(), Dialect::Wtf8);
    /// ```
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// The number.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert_eq!(Dialect::Wtf8.encode(0x11_0000, &mut [0; 6]).unwrap_err().value(), 0x11_0000);
    /// ```
    #[must_use]
    pub const fn value(&self) -> u32 {
        self.value
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dialect, value } = self;
        let reason = why_inexpressible(*value);
        write!(f, "{dialect} can't express U+{value:04X}, {reason}")
    }
}

impl core::error::Error for EncodeError {}

//! Errors: bytes that a dialect does not accept or that UTF-8 can't express.

#![forbid(unsafe_code)]

use core::fmt;

use super::Dialect;
use super::form::{self, Malformed};
use super::kind::DialectErrorKind;
use trust8::engine::{Hex, Sequence};

/// The first place at which a dialect does not accept some bytes, or at which they can't be
/// converted to UTF-8.
///
/// ```
/// use trust8_dialect::{Dialect, DialectErrorKind};
///
/// let error = Dialect::Cesu8.validate(b"ab\xF0\x9F\x98\x80").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.error_len()), (2, Some(4)));
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
    valid_up_to: usize,
    len: u8,
    /// The bytes that prove the error: the sequence, and the next byte if it decides. Zeros fill
    /// the rest.
    seen: [u8; 8],
    seen_len: u8,
}

impl DialectError {
    #[inline]
    pub(super) fn new(dialect: Dialect, bytes: &[u8], valid_up_to: usize, malformed: &Malformed) -> Self {
        let rest = &bytes[valid_up_to..];
        // A fixed-size copy is faster. The first byte is the lowest.
        let eight = match rest.first_chunk() {
            Some(eight) => *eight,
            None => padded(rest),
        };
        let Malformed { kind, len, seen: seen_len } = *malformed;
        let seen = (u64::from_le_bytes(eight) & u64::MAX >> (64 - 8 * seen_len)).to_le_bytes();
        Self { dialect, kind, valid_up_to, len, seen, seen_len }
    }

    /// Returns the expected dialect of the bytes.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert_eq!(Dialect::Wtf8.validate(b"\xFF").unwrap_err().dialect(), Dialect::Wtf8);
    /// ```
    #[must_use]
    pub const fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Returns the offset of the sequence. Everything before it is accepted by the dialect, or can
    /// be converted if the error is that of a conversion.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert_eq!(Dialect::Cesu8.validate(b"abc\xED\xA0\x80").unwrap_err().valid_up_to(), 3);
    /// ```
    #[must_use]
    pub const fn valid_up_to(&self) -> usize {
        self.valid_up_to
    }

    /// Returns the length of the sequence, 1 to 6 bytes, or `None` if the input ends too early.
    ///
    /// The next code point may begin directly after it. One U+FFFD replaces the sequence.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
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

    /// Returns the rule that the sequence breaks.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, DialectErrorKind};
    /// assert_eq!(Dialect::Rfc2279.validate(b"\xC1\x81").unwrap_err().kind(), DialectErrorKind::Overlong);
    /// ```
    #[must_use]
    pub const fn kind(&self) -> DialectErrorKind {
        self.kind
    }

    /// Returns the code point of the sequence, if it has a meaning in another dialect, or a meaning
    /// in this one that UTF-8 can't express.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
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

/// Pads fewer than eight bytes with zeros.
#[cold]
fn padded(rest: &[u8]) -> [u8; 8] {
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    eight
}

impl fmt::Debug for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialectError")
            .field("dialect", &self.dialect)
            .field("valid_up_to", &self.valid_up_to)
            .field("error_len", &self.error_len())
            .field("kind", &self.kind)
            .field("bytes", &format_args!("{}", Hex(self.seen())))
            .finish()
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use DialectErrorKind::*;
        let Self { dialect, valid_up_to, .. } = self;
        if *dialect == Dialect::Utf8 {
            return write!(f, "invalid UTF-8 at byte {valid_up_to}: {}", Sequence::at_start_of(self.seen()));
        }
        match self.kind {
            Inexpressible => write!(f, "{dialect} at byte {valid_up_to} that UTF-8 can't express: ")?,
            _ => write!(f, "invalid {dialect} at byte {valid_up_to}: ")?,
        }
        let (sequence, seen) = (Hex(self.sequence()), Hex(self.seen()));
        let (code_point, mut buffer) = (self.code_point(), [0; 6]);
        let value = code_point.unwrap_or_default();
        let expects = if self.kind == FourBytes { Dialect::Cesu8 } else { Dialect::Utf8 };
        let expected = Hex(form::write(expects, value, &mut buffer).unwrap_or_default());
        match (self.kind, code_point) {
            (UnexpectedContinuation, _) => {
                write!(f, "{sequence} is a continuation byte where a code point must begin")
            }
            (InvalidByte, _) => write!(f, "{sequence} never appears there"),
            (Overlong, _) => write!(f, "{seen} begins an overlong form"),
            (TooLarge, _) => write!(f, "{seen} begins a character above U+10FFFF"),
            (Nul, _) => write!(f, "00 is U+0000 in one byte; expected C0 80"),
            (SurrogatePair, _) => {
                write!(f, "{sequence} is U+{value:04X} as a pair of surrogates; expected {expected}")
            }
            (FourBytes, Some(_)) => {
                write!(f, "{sequence} is U+{value:04X} in four bytes; expected two surrogates, {expected}")
            }
            (FourBytes, None) => write!(f, "{sequence} begins a form of four bytes; expected two surrogates"),
            (Surrogate, Some(_)) => {
                write!(f, "{sequence} is U+{value:04X}, half a surrogate pair without the other half")
            }
            (Surrogate, None) => {
                write!(f, "{sequence} begins the second half of a surrogate pair; there is no first")
            }
            (Inexpressible, Some(0xD800..=0xDFFF)) => {
                write!(f, "{sequence} is U+{value:04X}, a lone surrogate")
            }
            (Inexpressible, _) => write!(f, "{sequence} is U+{value:04X}, above U+10FFFF"),
            (Truncated | Incomplete, _) => {
                let whole =
                    if self.len < 3 || self.seen[0] != 0xED { self.seen[0].leading_ones() } else { 6 };
                write!(f, "{sequence} begins a sequence of {whole} bytes, and ")?;
                match self.seen().get(self.len as usize) {
                    Some(next) => write!(f, "{next:02X} follows"),
                    None => write!(f, "the input ends"),
                }
            }
        }
    }
}

impl core::error::Error for DialectError {}

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: DialectError;);

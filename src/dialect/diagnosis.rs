//! Which dialects fit.

#![forbid(unsafe_code)]

use core::fmt;

use super::pieces::{Piece, Pieces};
use super::{Dialect, DialectError};
use crate::error::Hex;
use crate::kernel::Kernel;

/// Says which dialects accept the bytes, all of them, and what decides it.
///
/// ```
/// use trust8::dialect::{Dialect, diagnose};
///
/// let diagnosis = diagnose(b"Smile: \xED\xA0\xBD\xED\xB8\x80");
/// assert_eq!(diagnosis.best(), Some(Dialect::Cesu8));
/// assert_eq!(diagnosis.decided_at(), Some(7));
/// assert_eq!(
///     diagnosis.to_string(),
///     "CESU-8: at byte 7, ED A0 BD ED B8 80 is U+1F600 and not UTF-8 \
///      (Modified UTF-8, RFC 2279 accept all of it, too)"
/// );
/// assert_eq!(Dialect::Cesu8.to_utf8(b"Smile: \xED\xA0\xBD\xED\xB8\x80").unwrap(), "Smile: 😀");
/// ```
#[must_use]
pub fn diagnose(bytes: &[u8]) -> Diagnosis {
    Diagnosis::of(bytes, None)
}

/// [`diagnose`] with this kernel: for tests and measurements.
pub(crate) fn diagnose_with(kernel: &'static Kernel, bytes: &[u8]) -> Diagnosis {
    Diagnosis::of(bytes, Some(kernel))
}

/// What dialects say of some bytes: see [`diagnose`].
///
/// ```
/// use trust8::dialect::{Dialect, diagnose};
///
/// // A file name of Windows, with half a surrogate pair in it.
/// let diagnosis = diagnose(b"file\xED\xA0\x80.txt");
/// assert!(diagnosis.check(Dialect::Wtf8).is_ok());
/// assert_eq!(diagnosis.check(Dialect::Cesu8).unwrap_err().offset(), 4);
/// assert_eq!(diagnosis.conversion(Dialect::Wtf8).unwrap_err().code_point(), Some(0xD800));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    findings: [Finding; Dialect::ALL.len()],
    own: Option<Own>,
}

/// Who accepts little and means much by it comes before who accepts more.
const BEST_FIRST: [Dialect; Dialect::ALL.len()] =
    [Dialect::Utf8, Dialect::Cesu8, Dialect::ModifiedUtf8, Dialect::Wtf8, Dialect::Rfc2279];

/// What one dialect says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Finding {
    refused: Option<DialectError>,
    inexpressible: Option<DialectError>,
}

impl Finding {
    fn of(mut pieces: Pieces<'_>) -> Self {
        let mut finding = Self { refused: None, inexpressible: None };
        while let Some((at, piece)) = pieces.next() {
            match piece {
                Piece::Fault(error) => {
                    finding.refused = Some(error);
                    break;
                }
                Piece::Own(value) if char::from_u32(value).is_none() && finding.inexpressible.is_none() => {
                    finding.inexpressible = Some(pieces.inexpressible(at));
                }
                Piece::Own(_) | Piece::Text(_) => {}
            }
        }
        finding
    }
}

/// The first sequence that is not UTF-8, as the dialect that fits best reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Own {
    at: usize,
    sequence: [u8; 6],
    len: usize,
    value: u32,
}

impl Diagnosis {
    fn of(bytes: &[u8], kernel: Option<&'static Kernel>) -> Self {
        let utf8 = Finding::of(Pieces::new(Dialect::Utf8, bytes, kernel));
        let findings = Dialect::ALL.map(|dialect| match dialect {
            Dialect::Utf8 => utf8,
            // As far as it is UTF-8, it is this, too.
            Dialect::Rfc2279 | Dialect::Wtf8 => match utf8.refused {
                Some(error) => Finding::of(Pieces::new(dialect, bytes, kernel).behind(error.offset())),
                None => utf8,
            },
            Dialect::Cesu8 | Dialect::ModifiedUtf8 => Finding::of(Pieces::new(dialect, bytes, kernel)),
        });
        let mut diagnosis = Self { findings, own: None };
        if let (Some(best), Some(at)) = (diagnosis.best(), diagnosis.decided_at()) {
            let mut pieces = Pieces::new(best, bytes, kernel).behind(at);
            if let Some((_, Piece::Own(value))) = pieces.next() {
                let len = pieces.at() - at;
                let mut sequence = [0; 6];
                sequence[..len].copy_from_slice(&bytes[at..pieces.at()]);
                diagnosis.own = Some(Own { at, sequence, len, value });
            }
        }
        diagnosis
    }

    /// The dialect to take the bytes for, if one accepts them all: UTF-8 where it does, and else the
    /// first of CESU-8, Modified UTF-8, WTF-8 and RFC 2279.
    ///
    /// Where CESU-8 and Modified UTF-8 both accept them, they mean the same by them. RFC 2279, which
    /// accepts most, comes last; it may be the only one for a mixture of UTF-8 and CESU-8, which
    /// [`conversion`](Self::conversion) then refuses for its surrogates.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, diagnose};
    ///
    /// assert_eq!(diagnose("naïve".as_bytes()).best(), Some(Dialect::Utf8));
    /// assert_eq!(diagnose(b"a\xC0\x80b").best(), Some(Dialect::ModifiedUtf8));
    /// assert_eq!(diagnose(b"\xF8\x88\x80\x80\x80").best(), Some(Dialect::Rfc2279));
    /// assert_eq!(diagnose(b"na\xEFve").best(), None);
    /// ```
    #[must_use]
    pub fn best(&self) -> Option<Dialect> {
        self.accepted().next()
    }

    /// Where the bytes are not UTF-8 for the first time; `None` if they are.
    ///
    /// Every dialect that accepts them has a sequence of its own there.
    ///
    /// ```
    /// use trust8::dialect::diagnose;
    /// assert_eq!(diagnose(b"ab\xC0\x80").decided_at(), Some(2));
    /// assert_eq!(diagnose(b"ab").decided_at(), None);
    /// ```
    #[must_use]
    pub fn decided_at(&self) -> Option<usize> {
        self.findings[Dialect::Utf8 as usize].refused.map(|error| error.offset())
    }

    /// What [`Dialect::validate`] says of them.
    ///
    /// # Errors
    ///
    /// The first place at which the dialect does not accept them.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, diagnose};
    ///
    /// // The byte 00 tells Modified UTF-8 and CESU-8 apart.
    /// let diagnosis = diagnose(b"\xED\xA0\xBD\xED\xB8\x80\x00");
    /// assert!(diagnosis.check(Dialect::Cesu8).is_ok());
    /// assert_eq!(diagnosis.check(Dialect::ModifiedUtf8).unwrap_err().offset(), 6);
    /// assert_eq!(diagnosis.check(Dialect::Wtf8).unwrap_err().offset(), 0);
    /// ```
    pub fn check(&self, dialect: Dialect) -> Result<(), DialectError> {
        self.findings[dialect as usize].refused.map_or(Ok(()), Err)
    }

    /// What [`Dialect::to_utf8`] says of them, without converting anything.
    ///
    /// # Errors
    ///
    /// The first place at which the dialect does not accept them, or says what UTF-8 can't express.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, diagnose};
    ///
    /// let diagnosis = diagnose(b"\xF5\x80\x80\x80");
    /// assert!(diagnosis.check(Dialect::Rfc2279).is_ok());
    /// assert_eq!(diagnosis.conversion(Dialect::Rfc2279).unwrap_err().code_point(), Some(0x14_0000));
    /// ```
    pub fn conversion(&self, dialect: Dialect) -> Result<(), DialectError> {
        let Finding { refused, inexpressible } = self.findings[dialect as usize];
        inexpressible.or(refused).map_or(Ok(()), Err)
    }

    /// The dialects that accept them all, the [best](Self::best) first.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, diagnose};
    /// assert!(diagnose(b"\xC0\x80").accepted().eq([Dialect::ModifiedUtf8]));
    /// assert_eq!(diagnose(b"plain").accepted().count(), 5);
    /// ```
    pub fn accepted(&self) -> impl Iterator<Item = Dialect> {
        BEST_FIRST.into_iter().filter(|&dialect| self.check(dialect).is_ok())
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, dialects: &mut dyn Iterator<Item = Dialect>| {
            for (i, dialect) in dialects.enumerate() {
                write!(f, "{}{dialect}", if i == 0 { "" } else { ", " })?;
            }
            Ok(())
        };
        let Some(best) = self.best() else {
            write!(f, "none of ")?;
            return list(f, &mut Dialect::ALL.into_iter());
        };
        write!(f, "{best}")?;
        let Some(Own { at, sequence, len, value }) = self.own else { return Ok(()) };
        write!(f, ": at byte {at}, {} is U+{value:04X} and not UTF-8", Hex(&sequence[..len]))?;
        let others = || self.accepted().skip(1);
        if others().next().is_some() {
            write!(f, " (")?;
            list(f, &mut others())?;
            let verb = if others().count() == 1 { "accepts" } else { "accept" };
            write!(f, " {verb} all of it, too)")?;
        }
        Ok(())
    }
}

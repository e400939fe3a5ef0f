//! Finds the dialects that accept some bytes.

#![forbid(unsafe_code)]

use core::fmt;

use super::segments::{Segment, Segments};
use super::{ALL, Dialect, DialectError};
use trust8::Kernel;
use trust8::engine::Hex;

/// Finds out which dialects accept all of `bytes`, and which sequence decides that.
///
/// ```
/// use trust8_dialect::{Dialect, diagnose};
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
    by(Kernel::best(), bytes)
}

/// Which dialects accept some bytes: see [`diagnose`].
///
/// ```
/// use trust8_dialect::{Dialect, diagnose};
///
/// // A file name of Windows, with half a surrogate pair in it.
/// let diagnosis = diagnose(b"file\xED\xA0\x80.txt");
/// assert!(diagnosis.check(Dialect::Wtf8).is_ok());
/// assert_eq!(diagnosis.check(Dialect::Cesu8).unwrap_err().valid_up_to(), 4);
/// assert_eq!(diagnosis.conversion(Dialect::Wtf8).unwrap_err().code_point(), Some(0xD800));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnosis {
    findings: [Finding; ALL.len()],
    evidence: Option<Evidence>,
}

/// Bytes that a strict dialect accepts are more likely to be in it, so strict dialects come first.
const BEST_FIRST: [Dialect; ALL.len()] =
    [Dialect::Utf8, Dialect::Cesu8, Dialect::ModifiedUtf8, Dialect::Wtf8, Dialect::Rfc2279];

/// The result for one dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Finding {
    /// The first error, if the dialect does not accept them.
    pub(super) refused: Option<DialectError>,
    /// The first code point that it accepts but that UTF-8 can't express.
    pub(super) inexpressible: Option<DialectError>,
}

impl Finding {
    pub(super) fn of(mut segments: Segments<'_>) -> Self {
        let mut finding = Self { refused: None, inexpressible: None };
        while let Some((at, segment)) = segments.next() {
            match segment {
                Segment::Error(malformed) => {
                    finding.refused = Some(segments.error(at, &malformed));
                    break;
                }
                Segment::Own(value) => {
                    if char::from_u32(value).is_none() && finding.inexpressible.is_none() {
                        finding.inexpressible = Some(segments.inexpressible(at));
                    }
                    segments.skip_accepted(finding.inexpressible.is_some());
                }
                Segment::Text(_) => {}
            }
        }
        finding
    }
}

/// The first sequence that is not UTF-8, as read by the best dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Evidence {
    at: usize,
    sequence: [u8; 6],
    len: usize,
    value: u32,
}

/// Does the same as [`diagnose`], with a kernel.
pub(crate) fn by(kernel: &'static Kernel, bytes: &[u8]) -> Diagnosis {
    let utf8 = Finding::of(Segments::new(Dialect::Utf8, bytes, kernel));
    let findings = ALL.map(|dialect| match dialect {
        Dialect::Utf8 => utf8,
        // These dialects accept all of UTF-8.
        Dialect::Rfc2279 | Dialect::Wtf8 => match utf8.refused {
            Some(error) => {
                Finding::of(Segments::new(dialect, bytes, kernel).starting_at(error.valid_up_to()))
            }
            None => utf8,
        },
        Dialect::Cesu8 | Dialect::ModifiedUtf8 => Finding::of(Segments::new(dialect, bytes, kernel)),
    });
    let mut diagnosis = Diagnosis { findings, evidence: None };
    if let (Some(best), Some(at)) = (diagnosis.best(), diagnosis.decided_at()) {
        let mut segments = Segments::new(best, bytes, kernel).starting_at(at);
        if let Some((_, Segment::Own(value))) = segments.next() {
            let len = segments.at() - at;
            let mut sequence = [0; 6];
            sequence[..len].copy_from_slice(&bytes[at..segments.at()]);
            diagnosis.evidence = Some(Evidence { at, sequence, len, value });
        }
    }
    diagnosis
}

impl Diagnosis {
    /// Returns the most likely dialect of the bytes: the first of UTF-8, CESU-8, Modified UTF-8,
    /// WTF-8 and RFC 2279 that accepts them all.
    ///
    /// If CESU-8 and Modified UTF-8 both accept them, the text is the same in both. RFC 2279
    /// accepts more than the others, so it comes last. It may be the only one that accepts a
    /// mixture of UTF-8 and CESU-8, but [`conversion`](Self::conversion) then returns an error for
    /// the surrogates.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, diagnose};
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

    /// Returns the first place at which the bytes are not UTF-8, or `None` if they are UTF-8.
    ///
    /// In each dialect that accepts the bytes, a sequence that UTF-8 lacks begins there.
    ///
    /// ```
    /// use trust8_dialect::diagnose;
    /// assert_eq!(diagnose(b"ab\xC0\x80").decided_at(), Some(2));
    /// assert_eq!(diagnose(b"ab").decided_at(), None);
    /// ```
    #[must_use]
    pub fn decided_at(&self) -> Option<usize> {
        self.findings[Dialect::Utf8 as usize].refused.map(|error| error.valid_up_to())
    }

    /// Returns what [`Dialect::validate`] returns for the bytes, without validating them again.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the dialect does not accept the bytes.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, diagnose};
    ///
    /// // The byte 00 tells Modified UTF-8 and CESU-8 apart.
    /// let diagnosis = diagnose(b"\xED\xA0\xBD\xED\xB8\x80\x00");
    /// assert!(diagnosis.check(Dialect::Cesu8).is_ok());
    /// assert_eq!(diagnosis.check(Dialect::ModifiedUtf8).unwrap_err().valid_up_to(), 6);
    /// assert_eq!(diagnosis.check(Dialect::Wtf8).unwrap_err().valid_up_to(), 0);
    /// ```
    pub fn check(&self, dialect: Dialect) -> Result<(), DialectError> {
        self.findings[dialect as usize].refused.map_or(Ok(()), Err)
    }

    /// Returns whether [`Dialect::to_utf8`] can convert the bytes, without converting them.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the dialect does not accept the bytes, or has a code point
    /// that UTF-8 can't express.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, diagnose};
    ///
    /// let diagnosis = diagnose(b"\xF5\x80\x80\x80");
    /// assert!(diagnosis.check(Dialect::Rfc2279).is_ok());
    /// assert_eq!(diagnosis.conversion(Dialect::Rfc2279).unwrap_err().code_point(), Some(0x14_0000));
    /// ```
    pub fn conversion(&self, dialect: Dialect) -> Result<(), DialectError> {
        let Finding { refused, inexpressible } = self.findings[dialect as usize];
        inexpressible.or(refused).map_or(Ok(()), Err)
    }

    /// Returns the dialects that accept all of the bytes, the [best](Self::best) first.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, diagnose};
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
            return list(f, &mut ALL.into_iter());
        };
        write!(f, "{best}")?;
        let Some(Evidence { at, sequence, len, value }) = self.evidence else { return Ok(()) };
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

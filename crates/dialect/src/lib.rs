//! The relatives of UTF-8: detection, validation, and conversion to UTF-8 and back.
//!
//! Many old files hold bytes that are almost UTF-8. The programs that wrote them called them UTF-8,
//! but they are in one of these dialects:
//!
//! | dialect | found in | what it adds to UTF-8 | what it lacks |
//! |---|---|---|---|
//! | [`Rfc2279`](Dialect::Rfc2279) | programs written for RFC 2279, before 2003 | sequences of 4 to 6 bytes up to 7FFFFFFF; surrogates | |
//! | [`Cesu8`](Dialect::Cesu8) | Oracle's `UTF8`, old dumps of MySQL | pairs of surrogates, three bytes each | sequences of 4 bytes |
//! | [`ModifiedUtf8`](Dialect::ModifiedUtf8) | Java: class files, JNI, `DataOutput` | pairs of surrogates, and `C0 80` | sequences of 4 bytes, `00` |
//! | [`Wtf8`](Dialect::Wtf8) | file names of Windows | lone surrogates | |
//!
//! ```
//! use trust8_dialect::{Dialect, diagnose};
//!
//! let bytes = b"Smile: \xED\xA0\xBD\xED\xB8\x80";
//! let dialect = diagnose(bytes).best().unwrap();
//! assert_eq!(dialect, Dialect::Cesu8);
//! # #[cfg(feature = "alloc")]
//! assert_eq!(dialect.to_utf8(bytes).unwrap(), "Smile: 😀");
//! ```
//!
//! Use a dialect to read old data, and to write data for a program that demands it. Store and send
//! everything else as UTF-8: the specifications of CESU-8 (Unicode Technical Report 26) and of
//! WTF-8 say so too.
//!
//! # What is refused
//!
//! **Overlong forms** are refused in every dialect: `C0 AF` is not a slash, as RFC 2279 (section 6)
//! and RFC 3629 (section 10) warn. The one exception is `C0 80` in Modified UTF-8.
//!
//! **Forms that the dialect writes differently** are refused, so that each code point has one form:
//!
//! - CESU-8 and Modified UTF-8 write characters above U+FFFF as surrogate pairs, so they have no
//!   sequences of four bytes. A lone surrogate is refused. (Java itself writes such strings into
//!   class files, and reads them again. [`Dialect::to_utf8_lossy`] converts them.)
//! - Modified UTF-8 has no byte `00`, because that byte ends a string in C.
//! - WTF-8 writes a surrogate pair as one character of four bytes. So two strings of WTF-8 can't be
//!   joined byte by byte if one ends with a first half and the other begins with a second half.
//!
//! **RFC 2279** has no rule about surrogates. It tells converters from UCS-2 and UTF-16 to join
//! pairs, but its table has forms for D800 to DFFF as for all other numbers. So this crate accepts
//! them, each as one number, even two that make a pair. None of them can be converted to UTF-8.
//!
//! # Position and length of errors
//!
//! An error is as long as it would be in UTF-8 (the 'maximal subpart'), with one difference. A
//! surrogate, a surrogate pair and, in CESU-8 and Modified UTF-8, a character of four bytes are one
//! error each. One U+FFFD replaces it, and [`DialectError::code_point`] returns its meaning.
//! Overlong and longer forms are errors byte by byte: `C0 80` in CESU-8 is two. The errors of
//! [`Dialect::Utf8`] are those of [`from_utf8`](trust8::from_utf8).
//!
//! # Speed
//!
//! The text between a dialect's own sequences is UTF-8, and the kernels validate it.

#![cfg_attr(not(test), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod diagnosis;
mod error;
mod form;
mod into;
mod kind;
mod rewriting;
#[cfg(feature = "alloc")]
mod rewritten;
mod runs;
mod segments;
#[cfg(feature = "serde")]
mod serialize;

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;
use core::fmt;
use core::mem::MaybeUninit;
use core::str::FromStr;

use diagnosis::Finding;
#[cfg(feature = "alloc")]
use rewriting::FromUtf8;
use segments::Segments;
use trust8::engine::{AsKernel, is_same_name, names_of};
use trust8::{Kernel, UnknownName};

pub use diagnosis::{Diagnosis, diagnose};
pub use error::DialectError;
pub use kind::DialectErrorKind;
pub use segments::CodePoints;
pub use trust8::engine::Progress;

/// The functions of this crate with an explicit kernel: for tests, measurements, and programs that
/// let their user choose.
///
/// ```
/// use trust8_dialect::{Dialect, KernelDialects};
///
/// for kernel in trust8::Kernel::available() {
///     assert!(kernel.dialect(Dialect::Wtf8).validate(b"\xED\xA0\x80").is_ok());
/// }
/// ```
pub trait KernelDialects: AsKernel {
    /// Returns a dialect whose functions use this kernel.
    #[inline]
    #[must_use]
    fn dialect(&'static self, dialect: Dialect) -> DialectWith {
        DialectWith(self.kernel(), dialect)
    }

    /// Does the same as [`diagnose`], with this kernel.
    #[must_use]
    fn diagnose(&'static self, bytes: &[u8]) -> Diagnosis {
        diagnosis::by(self.kernel(), bytes)
    }
}

impl KernelDialects for Kernel {}

/// A dialect whose functions use a kernel: see [`KernelDialects::dialect`].
#[derive(Clone, Copy, Debug)]
pub struct DialectWith(&'static Kernel, Dialect);

impl DialectWith {
    /// Like [`Dialect::validate`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn validate(self, bytes: &[u8]) -> Result<(), DialectError> {
        Finding::of(Segments::new(self.1, bytes, self.0)).refused.map_or(Ok(()), Err)
    }

    /// Like [`Dialect::to_utf8_lossy_into`], with this kernel.
    pub fn to_utf8_lossy_into(self, bytes: &[u8], buffer: &mut [MaybeUninit<u8>]) -> Progress {
        let Self(kernel, dialect) = self;
        dialect.fill(kernel, bytes, buffer, true).0
    }
}

/// UTF-8 or one of its relatives. [The crate](self) documents the differences.
///
/// ```
/// use trust8_dialect::Dialect;
///
/// let len = |dialect: Dialect| dialect.encode(0x1F600, &mut [0; 6]).unwrap().len();
/// assert_eq!((len(Dialect::Utf8), len(Dialect::Cesu8)), (4, 6));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Dialect {
    /// UTF-8 as RFC 3629 defines it.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert!(Dialect::Utf8.validate("€".as_bytes()).is_ok());
    /// ```
    Utf8,
    /// UTF-8 as RFC 2279 and its predecessors defined it: one to six bytes for numbers of up to 31
    /// bits.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert!(Dialect::Rfc2279.decode(b"\xFD\xBF\xBF\xBF\xBF\xBF").eq([Ok((0, 0x7FFF_FFFF))]));
    /// ```
    Rfc2279,
    /// CESU-8, Unicode Technical Report 26: UTF-16 with three bytes for each surrogate.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert!(Dialect::Cesu8.decode(b"\xED\xA0\x81\xED\xB0\x80").eq([Ok((0, 0x10400))]));
    /// ```
    Cesu8,
    /// Java's Modified UTF-8: CESU-8 with `C0 80` in place of `00`.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert!(Dialect::ModifiedUtf8.decode(b"a\xC0\x80").eq([Ok((0, 0x61)), Ok((1, 0))]));
    /// ```
    ModifiedUtf8,
    /// WTF-8: UTF-8 plus lone surrogates, for UTF-16 that may be ill-formed.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert!(Dialect::Wtf8.decode(b"\xED\xB0\x80\xED\xA0\x81").eq([Ok((0, 0xDC00)), Ok((3, 0xD801))]));
    /// ```
    Wtf8,
}

/// All dialects, in the order of the enum.
const ALL: [Dialect; 5] =
    [Dialect::Utf8, Dialect::Rfc2279, Dialect::Cesu8, Dialect::ModifiedUtf8, Dialect::Wtf8];

impl Dialect {
    /// All dialects.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// // ASCII without U+0000 is the same in all.
    /// assert!(Dialect::ALL.iter().all(|dialect| dialect.validate(b"ASCII").is_ok()));
    /// ```
    pub const ALL: &'static [Self] = &ALL;

    /// Returns the dialect's name, in lower case.
    ///
    /// [`Display`](fmt::Display) writes the title of the dialect: `CESU-8`, `Modified UTF-8`.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// let names: Vec<_> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    /// assert_eq!(names, ["utf-8", "utf-8-rfc2279", "cesu-8", "mutf-8", "wtf-8"]);
    /// assert_eq!(Dialect::ModifiedUtf8.to_string(), "Modified UTF-8");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Rfc2279 => "utf-8-rfc2279",
            Self::Cesu8 => "cesu-8",
            Self::ModifiedUtf8 => "mutf-8",
            Self::Wtf8 => "wtf-8",
        }
    }

    /// Returns the dialect's title, for use in sentences.
    const fn title(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Rfc2279 => "RFC 2279",
            Self::Cesu8 => "CESU-8",
            Self::ModifiedUtf8 => "Modified UTF-8",
            Self::Wtf8 => "WTF-8",
        }
    }

    /// Returns the dialect with this name: what [`name`](Self::name) returns, or what `Display`
    /// writes. Case, hyphens, underscores and spaces make no difference.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    /// assert_eq!(Dialect::by_name("mutf-8"), Some(Dialect::ModifiedUtf8));
    /// assert_eq!(Dialect::by_name("Modified UTF-8"), Some(Dialect::ModifiedUtf8));
    /// assert_eq!(Dialect::by_name("utf-16"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        ALL.into_iter()
            .find(|dialect| is_same_name(dialect.name(), name) || is_same_name(dialect.title(), name))
    }

    /// Returns whether the dialect writes characters above U+FFFF as two surrogates.
    const fn writes_pairs(self) -> bool {
        matches!(self, Self::Cesu8 | Self::ModifiedUtf8)
    }

    /// Returns the largest number that the dialect can write.
    const fn largest(self) -> u32 {
        if matches!(self, Self::Rfc2279) { 0x7FFF_FFFF } else { 0x10_FFFF }
    }

    /// Checks that `bytes` are in this dialect.
    ///
    /// # Errors
    ///
    /// Returns the first place at which they are not.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, DialectErrorKind};
    ///
    /// assert!(Dialect::ModifiedUtf8.validate(b"nothing: \xC0\x80").is_ok());
    /// let error = Dialect::Cesu8.validate(b"nothing: \xC0\x80").unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.error_len()), (9, Some(1)));
    /// assert_eq!(error.kind(), DialectErrorKind::Overlong);
    /// ```
    pub fn validate(self, bytes: &[u8]) -> Result<(), DialectError> {
        DialectWith(Kernel::best(), self).validate(bytes)
    }

    /// Returns an iterator over the code points of `bytes`, each with its offset. For a sequence
    /// that the dialect does not accept, it returns an error and continues after the sequence.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    ///
    /// let mut code_points = Dialect::Cesu8.decode(b"\xED\xA0\xBD\xED\xB8\x80?\xED\xA0\xBD!");
    /// assert_eq!(code_points.next(), Some(Ok((0, 0x1F600))));
    /// assert_eq!(code_points.next(), Some(Ok((6, 0x3F))));
    /// let error = code_points.next().unwrap().unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.error_len()), (7, Some(3)));
    /// assert_eq!(code_points.next(), Some(Ok((10, 0x21))));
    /// assert_eq!(code_points.next(), None);
    /// ```
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> CodePoints<'_> {
        DialectWith(Kernel::best(), self).decode(bytes)
    }

    /// Writes `value` in this dialect to the start of `buffer`, and returns the bytes written.
    ///
    /// In WTF-8, the second half of a surrogate pair must not follow the first half. The caller
    /// must check that, since this function does not know the text before.
    ///
    /// Returns `None` if the dialect can't express the number:
    ///
    /// - surrogates, D800 to DFFF, in UTF-8, CESU-8 and Modified UTF-8;
    /// - numbers above 7FFFFFFF in RFC 2279, and above 10FFFF in all other dialects.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    ///
    /// let mut buffer = [0; 6];
    /// assert_eq!(Dialect::Rfc2279.encode(0x7FFF_FFFF, &mut buffer).unwrap(), b"\xFD\xBF\xBF\xBF\xBF\xBF");
    /// assert_eq!(Dialect::ModifiedUtf8.encode(0, &mut buffer).unwrap(), b"\xC0\x80");
    /// assert_eq!(Dialect::Wtf8.encode(0xD800, &mut buffer).unwrap(), b"\xED\xA0\x80");
    /// assert!(Dialect::Cesu8.encode(0xD800, &mut buffer).is_none());
    /// ```
    pub fn encode(self, value: u32, buffer: &mut [u8; 6]) -> Option<&[u8]> {
        form::write(self, value, buffer)
    }

    /// Converts `bytes` from this dialect to UTF-8. If they are UTF-8 already, they are borrowed.
    ///
    /// # Errors
    ///
    /// Returns the first place at which `bytes` are not in this dialect, or at which UTF-8 can't
    /// express them: a lone surrogate or a character above U+10FFFF.
    ///
    /// ```
    /// use trust8_dialect::{Dialect, DialectErrorKind};
    ///
    /// assert_eq!(Dialect::Cesu8.to_utf8(b"\xED\xA0\xBD\xED\xB8\x80!").unwrap(), "😀!");
    /// assert_eq!(Dialect::ModifiedUtf8.to_utf8(b"\xC0\x80").unwrap(), "\0");
    ///
    /// let error = Dialect::Wtf8.to_utf8(b"file\xED\xA0\x80.txt").unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.error_len()), (4, Some(3)));
    /// assert_eq!((error.kind(), error.code_point()), (DialectErrorKind::Inexpressible, Some(0xD800)));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "WTF-8 at byte 4 that UTF-8 can't express: ED A0 80 is U+D800, a lone surrogate"
    /// );
    /// ```
    #[cfg(feature = "alloc")]
    pub fn to_utf8(self, bytes: &[u8]) -> Result<Cow<'_, str>, DialectError> {
        DialectWith(Kernel::best(), self).to_utf8(bytes)
    }

    /// Converts `bytes` from this dialect to UTF-8. U+FFFD replaces each sequence that is not in
    /// this dialect or that UTF-8 can't express.
    ///
    /// ```
    /// use trust8_dialect::Dialect;
    ///
    /// assert_eq!(Dialect::Wtf8.to_utf8_lossy(b"file\xED\xA0\x80.txt"), "file\u{FFFD}.txt");
    /// assert_eq!(Dialect::Cesu8.to_utf8_lossy(b"\xED\xA0\xBD\xED\xB8\x80 \xFF"), "😀 \u{FFFD}");
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_utf8_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        DialectWith(Kernel::best(), self).to_utf8_lossy(bytes)
    }

    /// Converts `text` to this dialect. If the bytes are the same as in UTF-8, they are borrowed.
    ///
    /// Every dialect can express every text.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use trust8_dialect::Dialect;
    ///
    /// assert_eq!(*Dialect::Cesu8.from_utf8("😀"), *b"\xED\xA0\xBD\xED\xB8\x80");
    /// assert_eq!(*Dialect::ModifiedUtf8.from_utf8("a\0b"), *b"a\xC0\x80b");
    /// assert!(matches!(Dialect::Wtf8.from_utf8("😀"), Cow::Borrowed(_)));
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn from_utf8(self, text: &str) -> Cow<'_, [u8]> {
        let (kernel, bytes) = (Kernel::best(), text.as_bytes());
        if self.find_excluded(kernel, bytes).is_none() {
            return Cow::Borrowed(bytes);
        }
        // Four bytes become six, and a zero becomes two. An extra eighth is enough unless the text
        // is full of these.
        let converted = rewritten::collect(self, kernel, bytes, bytes.len() / 8, &FromUtf8(self));
        Cow::Owned(converted.unwrap_or_default())
    }
}

/// Like [`by_name`](Dialect::by_name).
///
/// ```
/// use trust8_dialect::Dialect;
///
/// assert_eq!("CESU8".parse(), Ok(Dialect::Cesu8));
/// assert!("cesu-9".parse::<Dialect>().unwrap_err().to_string().ends_with("utf-8, utf-8-rfc2279, cesu-8, mutf-8, wtf-8"));
/// ```
impl FromStr for Dialect {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::by_name(name).ok_or(UnknownName::of("dialect", names_of!(ALL, |dialect| dialect.name())))
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.title())
    }
}

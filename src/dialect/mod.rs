//! The relatives of UTF-8: to be told apart, checked and converted.
//!
//! Large heaps of old files hold bytes that are almost UTF-8. They are called UTF-8 by what wrote them, and
//! are not:
//!
//! | dialect | where it is found | what it has that UTF-8 has not | what of UTF-8 it has not |
//! |---|---|---|---|
//! | [`Rfc2279`](Dialect::Rfc2279) | what was written for RFC 2279, before 2003 | sequences of 4 to 6 bytes up to 7FFFFFFF; surrogates | |
//! | [`Cesu8`](Dialect::Cesu8) | Oracle's `UTF8`, old dumps of MySQL | pairs of surrogates, three bytes each | sequences of 4 bytes |
//! | [`ModifiedUtf8`](Dialect::ModifiedUtf8) | Java: class files, JNI, `DataOutput` | the same, and `C0 80` | sequences of 4 bytes, `00` |
//! | [`Wtf8`](Dialect::Wtf8) | file names of Windows | lone surrogates | |
//!
//! ```
//! use trust8::dialect::{Dialect, diagnose};
//!
//! let bytes = b"Smile: \xED\xA0\xBD\xED\xB8\x80";
//! let dialect = diagnose(bytes).best().unwrap();
//! assert_eq!(dialect, Dialect::Cesu8);
//! # #[cfg(feature = "alloc")]
//! assert_eq!(dialect.to_utf8(bytes).unwrap(), "Smile: 😀");
//! ```
//!
//! A dialect is for reading what is there and for feeding what demands it. What is sent or stored anew is to
//! be UTF-8: CESU-8's own specification (Unicode Technical Report 26) and WTF-8's say so, too.
//!
//! # What is refused
//!
//! **Overlong forms**, in every dialect: `C0 AF` is no slash, as RFC 2279 (section 6) and RFC 3629 (section
//! 10) warn. The one exception is the one that a dialect consists of: `C0 80` in Modified UTF-8.
//!
//! **What the dialect writes in another way.** So each has one form for each code point:
//!
//! - CESU-8 and Modified UTF-8 write characters above U+FFFF as pairs of surrogates, and have no sequences
//!   of four bytes. A surrogate that has no other half is refused. (Java itself writes such strings
//!   into class files, and reads them again; [`Dialect::to_utf8_lossy`] gets through.)
//! - Modified UTF-8 has no byte `00`: it stands for the end of a string in C.
//! - WTF-8 writes a pair of surrogates as the character that it is. So two strings of WTF-8, one
//!   of which ends with the first half, and the other begins with the second, can't be put together byte by
//!   byte.
//!
//! **RFC 2279** itself has no rule about surrogates: it asks converters from UCS-2 and UTF-16 to undo pairs, and
//! its table has forms for D800 to DFFF as for all else. They are accepted here, even two that make a pair,
//! as the two numbers that they are; none of them can be converted.
//!
//! # Where an error is
//!
//! The sequence of an error is what UTF-8 would take for it (the 'maximal subpart'), with one difference:
//! what has a meaning in another dialect, a surrogate, a pair, four bytes in CESU-8, is taken as
//! a whole. So one U+FFFD replaces it, and [`DialectError::code_point`] says what it would be.
//! For [`Dialect::Utf8`] errors are exactly those of [`from_utf8`](crate::from_utf8).
//!
//! # How fast
//!
//! All between a dialect's own sequences is UTF-8, and goes through the kernels as such.

#![forbid(unsafe_code)]

mod diagnosis;
mod error;
mod form;
mod pieces;

#[cfg(feature = "alloc")]
use alloc::{borrow::Cow, string::String, vec::Vec};
#[cfg(feature = "alloc")]
use core::convert::Infallible;
use core::fmt;

use crate::kernel::Kernel;
use crate::text::runs::Own;
use pieces::{Piece, Pieces};

pub(crate) use diagnosis::diagnose_with;
pub use diagnosis::{Diagnosis, diagnose};
pub use error::{DialectError, DialectErrorKind, EncodeError};
pub use pieces::CodePoints;

/// UTF-8 or one of its relatives. [The module](self) says what each has and has not.
///
/// ```
/// use trust8::dialect::Dialect;
///
/// let sizes = Dialect::ALL.map(|dialect| dialect.encode(0x1F600, &mut [0; 6]).unwrap().len());
/// assert_eq!(sizes, [4, 4, 6, 6, 4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    /// RFC 3629, and the answers of the rest of this crate.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert!(Dialect::Utf8.validate("€".as_bytes()).is_ok());
    /// ```
    Utf8,
    /// UTF-8 as it was before: RFC 2279 and its forerunners, one to six bytes for 31 bits.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert!(Dialect::Rfc2279.decode(b"\xFD\xBF\xBF\xBF\xBF\xBF").eq([Ok((0, 0x7FFF_FFFF))]));
    /// ```
    Rfc2279,
    /// CESU-8, Unicode Technical Report 26: UTF-16 in three bytes a surrogate.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert!(Dialect::Cesu8.decode(b"\xED\xA0\x81\xED\xB0\x80").eq([Ok((0, 0x10400))]));
    /// ```
    Cesu8,
    /// Java's: CESU-8 with `C0 80` in place of `00`.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert!(Dialect::ModifiedUtf8.decode(b"a\xC0\x80").eq([Ok((0, 0x61)), Ok((1, 0))]));
    /// ```
    ModifiedUtf8,
    /// UTF-8 and lone surrogates: what UTF-16 that was never checked becomes.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert!(Dialect::Wtf8.decode(b"\xED\xB0\x80\xED\xA0\x81").eq([Ok((0, 0xDC00)), Ok((3, 0xD801))]));
    /// ```
    Wtf8,
}

impl Dialect {
    /// All of them.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// // ASCII without U+0000 is the same in all.
    /// assert!(Dialect::ALL.iter().all(|dialect| dialect.validate(b"ASCII").is_ok()));
    /// ```
    pub const ALL: [Self; 5] = [Self::Utf8, Self::Rfc2279, Self::Cesu8, Self::ModifiedUtf8, Self::Wtf8];

    /// What it is called, which is also what [`Display`](fmt::Display) writes.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// let names = Dialect::ALL.map(Dialect::name);
    /// assert_eq!(names, ["UTF-8", "RFC 2279", "CESU-8", "Modified UTF-8", "WTF-8"]);
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Rfc2279 => "RFC 2279",
            Self::Cesu8 => "CESU-8",
            Self::ModifiedUtf8 => "Modified UTF-8",
            Self::Wtf8 => "WTF-8",
        }
    }

    /// The dialect of this name, or of its short name: `utf-8`, `rfc2279`, `cesu-8`, `mutf-8`, `wtf-8`.
    /// Whether letters are large or small does not matter, nor do hyphens and spaces.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    /// assert_eq!(Dialect::by_name("mutf-8"), Some(Dialect::ModifiedUtf8));
    /// assert_eq!(Dialect::by_name("CESU-8"), Some(Dialect::Cesu8));
    /// assert_eq!(Dialect::by_name("utf-16"), None);
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let bare = |name: &'static str| name.bytes().filter(|byte| !b"- ".contains(byte));
        let wanted = name.bytes().filter(|byte| !b"- ".contains(byte)).map(|byte| byte.to_ascii_lowercase());
        let is = |name: &'static str| wanted.clone().eq(bare(name).map(|byte| byte.to_ascii_lowercase()));
        Self::ALL
            .into_iter()
            .find(|&dialect| is(dialect.name()) || dialect == Self::ModifiedUtf8 && is("mutf-8"))
    }

    /// Whether it writes characters above U+FFFF as two surrogates.
    const fn writes_pairs(self) -> bool {
        matches!(self, Self::Cesu8 | Self::ModifiedUtf8)
    }

    /// The bytes of its longest form.
    const fn longest_form(self) -> usize {
        if matches!(self, Self::Rfc2279) { 6 } else { 4 }
    }

    const fn largest(self) -> u32 {
        if matches!(self, Self::Rfc2279) { 0x7FFF_FFFF } else { 0x10_FFFF }
    }

    /// What it writes in its own way.
    const fn own(self) -> Own {
        match self {
            Self::Utf8 => Own::Nothing,
            Self::Rfc2279 => Own::SurrogatesAndLong,
            Self::Cesu8 => Own::Pairs,
            Self::ModifiedUtf8 => Own::PairsAndNul,
            Self::Wtf8 => Own::Surrogates,
        }
    }

    /// Whether the bytes are of this dialect.
    ///
    /// # Errors
    ///
    /// The first place at which they are not.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, DialectErrorKind};
    ///
    /// assert!(Dialect::ModifiedUtf8.validate(b"nothing: \xC0\x80").is_ok());
    /// let error = Dialect::Cesu8.validate(b"nothing: \xC0\x80").unwrap_err();
    /// assert_eq!((error.offset(), error.error_len()), (9, Some(1)));
    /// assert_eq!(error.kind(), DialectErrorKind::Overlong);
    /// ```
    pub fn validate(self, bytes: &[u8]) -> Result<(), DialectError> {
        self.check(None, bytes)
    }

    /// [`validate`](Self::validate) with this kernel: for tests and measurements.
    pub(crate) fn validate_with(self, kernel: &'static Kernel, bytes: &[u8]) -> Result<(), DialectError> {
        self.check(Some(kernel), bytes)
    }

    fn check(self, kernel: Option<&'static Kernel>, bytes: &[u8]) -> Result<(), DialectError> {
        for (_, piece) in Pieces::new(self, bytes, kernel) {
            if let Piece::Fault(error) = piece {
                return Err(error);
            }
        }
        Ok(())
    }

    /// The code points that the bytes stand for, each with its offset; or, in place of a sequence that the
    /// dialect has not, the error, behind which it goes on.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    ///
    /// let mut code_points = Dialect::Cesu8.decode(b"\xED\xA0\xBD\xED\xB8\x80?\xED\xA0\xBD!");
    /// assert_eq!(code_points.next(), Some(Ok((0, 0x1F600))));
    /// assert_eq!(code_points.next(), Some(Ok((6, 0x3F))));
    /// let error = code_points.next().unwrap().unwrap_err();
    /// assert_eq!((error.offset(), error.error_len()), (7, Some(3)));
    /// assert_eq!(code_points.next(), Some(Ok((10, 0x21))));
    /// assert_eq!(code_points.next(), None);
    /// ```
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> CodePoints<'_> {
        CodePoints::new(self, bytes, None)
    }

    /// [`decode`](Self::decode) with this kernel: for tests and measurements.
    pub(crate) fn decode_with<'a>(self, kernel: &'static Kernel, bytes: &'a [u8]) -> CodePoints<'a> {
        CodePoints::new(self, bytes, Some(kernel))
    }

    /// How the dialect writes a number: into `buffer`, of which it returns the beginning.
    ///
    /// In WTF-8, two halves of a surrogate pair must not follow each other. This function does not know what
    /// stands before.
    ///
    /// # Errors
    ///
    /// If it has no bytes for the number:
    ///
    /// - UTF-8, CESU-8 and Modified UTF-8 for surrogates, D800 to DFFF;
    /// - all but RFC 2279 above 10FFFF, and RFC 2279 above 7FFFFFFF.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    ///
    /// let mut buffer = [0; 6];
    /// assert_eq!(Dialect::Rfc2279.encode(0x7FFF_FFFF, &mut buffer).unwrap(), b"\xFD\xBF\xBF\xBF\xBF\xBF");
    /// assert_eq!(Dialect::ModifiedUtf8.encode(0, &mut buffer).unwrap(), b"\xC0\x80");
    /// assert_eq!(Dialect::Wtf8.encode(0xD800, &mut buffer).unwrap(), b"\xED\xA0\x80");
    /// assert!(Dialect::Cesu8.encode(0xD800, &mut buffer).is_err());
    /// ```
    pub fn encode(self, value: u32, buffer: &mut [u8; 6]) -> Result<&[u8], EncodeError> {
        form::write(self, value, buffer).ok_or(EncodeError::new(self, value))
    }

    /// The bytes as UTF-8: the same text, or an error. Bytes that are UTF-8 already are not copied.
    ///
    /// # Errors
    ///
    /// The first place at which the bytes are not of this dialect, or at which they say what UTF-8 can't
    /// express, a lone surrogate or a character above U+10FFFF.
    ///
    /// ```
    /// use trust8::dialect::{Dialect, DialectErrorKind};
    ///
    /// assert_eq!(Dialect::Cesu8.to_utf8(b"\xED\xA0\xBD\xED\xB8\x80!").unwrap(), "😀!");
    /// assert_eq!(Dialect::ModifiedUtf8.to_utf8(b"\xC0\x80").unwrap(), "\0");
    ///
    /// let error = Dialect::Wtf8.to_utf8(b"file\xED\xA0\x80.txt").unwrap_err();
    /// assert_eq!((error.offset(), error.error_len()), (4, Some(3)));
    /// assert_eq!((error.kind(), error.code_point()), (DialectErrorKind::Inexpressible, Some(0xD800)));
    /// assert_eq!(
    ///     error.to_string(),
    ///     "WTF-8 at byte 4 that UTF-8 can't express: ED A0 80 is U+D800, a lone surrogate"
    /// );
    /// ```
    #[cfg(feature = "alloc")]
    pub fn to_utf8(self, bytes: &[u8]) -> Result<Cow<'_, str>, DialectError> {
        self.convert(None, bytes, None, Err)
    }

    /// [`to_utf8`](Self::to_utf8) with this kernel: for tests and measurements.
    #[cfg(feature = "alloc")]
    pub(crate) fn to_utf8_with<'a>(
        self,
        kernel: &'static Kernel,
        bytes: &'a [u8],
    ) -> Result<Cow<'a, str>, DialectError> {
        self.convert(Some(kernel), bytes, None, Err)
    }

    /// The bytes as UTF-8, with U+FFFD for each sequence that is not of this dialect, or that UTF-8 can't
    /// express.
    ///
    /// ```
    /// use trust8::dialect::Dialect;
    ///
    /// assert_eq!(Dialect::Wtf8.to_utf8_lossy(b"file\xED\xA0\x80.txt"), "file\u{FFFD}.txt");
    /// assert_eq!(Dialect::Cesu8.to_utf8_lossy(b"\xED\xA0\xBD\xED\xB8\x80 \xFF"), "😀 \u{FFFD}");
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_utf8_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        self.lossy(None, bytes)
    }

    /// [`to_utf8_lossy`](Self::to_utf8_lossy) with this kernel: for tests and measurements.
    #[cfg(feature = "alloc")]
    pub(crate) fn to_utf8_lossy_with<'a>(self, kernel: &'static Kernel, bytes: &'a [u8]) -> Cow<'a, str> {
        self.lossy(Some(kernel), bytes)
    }

    #[cfg(feature = "alloc")]
    fn lossy<'a>(self, kernel: Option<&'static Kernel>, bytes: &'a [u8]) -> Cow<'a, str> {
        const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
        let Ok(text) = self.convert(kernel, bytes, Some(REPLACEMENT), |_| Ok::<_, Infallible>(REPLACEMENT));
        text
    }

    /// All of it, with what `instead` says in place of what can't be converted; of surrogates and the like that
    /// is `surrogate`, if there is to be no error.
    #[cfg(feature = "alloc")]
    fn convert<'a, E>(
        self,
        kernel: Option<&'static Kernel>,
        bytes: &'a [u8],
        surrogate: Option<char>,
        instead: impl Fn(DialectError) -> Result<char, E>,
    ) -> Result<Cow<'a, str>, E> {
        if bytes.is_empty() {
            return Ok(Cow::Borrowed(""));
        }
        let mut pieces = Pieces::new(self, bytes, kernel);
        let mut converted = String::new();
        while let Some((at, piece)) = pieces.next() {
            if at == 0 {
                if let Piece::Text(text) = piece
                    && text.len() == bytes.len()
                {
                    return Ok(Cow::Borrowed(text));
                }
                if let Some(text) = self.rewrite(kernel, bytes, surrogate) {
                    return Ok(Cow::Owned(text));
                }
                converted.reserve(bytes.len());
            }
            let character = match piece {
                Piece::Text(text) => {
                    converted.push_str(text);
                    continue;
                }
                Piece::Own(value) => match char::from_u32(value) {
                    Some(character) => character,
                    None => instead(pieces.inexpressible(at))?,
                },
                Piece::Fault(error) => instead(error)?,
            };
            converted.push(character);
        }
        Ok(Cow::Owned(converted))
    }

    /// All of it, if there is nothing in it that can't be converted.
    ///
    /// What is the dialect's own is rewritten, and what lies between is copied as it is. What is rewritten is whole
    /// characters. So the result is text if all that lies between is, and one call of a kernel says so:
    /// many short ones would cost more in branches on how long they are than in looking at them.
    #[cfg(feature = "alloc")]
    fn rewrite(
        self,
        kernel: Option<&'static Kernel>,
        bytes: &[u8],
        surrogate: Option<char>,
    ) -> Option<String> {
        let own = self.own();
        if own == Own::Nothing {
            return None;
        }
        let mut rewritten = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(found) = own.find_far(rest) {
            rewritten.extend_from_slice(&rest[..found]);
            rest = &rest[found..];
            let mut next = form::read_own(self, rest);
            // There is one at least; what it is followed by needs no search.
            loop {
                let (value, len) = next?;
                let character = char::from_u32(value).or(surrogate)?;
                rewritten.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[len..];
                next = form::read_own(self, rest);
                if next.is_none() {
                    break;
                }
            }
        }
        rewritten.extend_from_slice(rest);
        match kernel {
            None => crate::string_from_utf8(rewritten).ok(),
            Some(kernel) => kernel.from_utf8(&rewritten).ok().map(String::from),
        }
    }

    /// Text in this dialect. What it writes as UTF-8 does is not copied.
    ///
    /// Every dialect can express all text.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use trust8::dialect::Dialect;
    ///
    /// assert_eq!(*Dialect::Cesu8.from_utf8("😀"), *b"\xED\xA0\xBD\xED\xB8\x80");
    /// assert_eq!(*Dialect::ModifiedUtf8.from_utf8("a\0b"), *b"a\xC0\x80b");
    /// assert!(matches!(Dialect::Wtf8.from_utf8("😀"), Cow::Borrowed(_)));
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn from_utf8(self, text: &str) -> Cow<'_, [u8]> {
        let own = self.own();
        let bytes = text.as_bytes();
        let Some(mut next) = own.find_excluded(bytes) else { return Cow::Borrowed(bytes) };
        // Four bytes become six, and zeros two; text that is full of them makes it grow.
        let mut converted = Vec::with_capacity(bytes.len() + bytes.len() / 8);
        let mut rest = text;
        loop {
            let (plain, other) = rest.split_at(next);
            converted.extend_from_slice(plain.as_bytes());
            let mut characters = other.chars();
            let Some(character) = characters.next() else { return Cow::Owned(converted) };
            // Every character has a form.
            converted.extend_from_slice(form::write(self, character.into(), &mut [0; 6]).unwrap_or_default());
            rest = characters.as_str();
            next = own.find_excluded(rest.as_bytes()).unwrap_or(rest.len());
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

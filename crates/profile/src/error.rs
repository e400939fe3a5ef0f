//! Why a profile refuses a text.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::{Utf8Error, stream};

use super::class::Class;

/// A character that a profile forbids.
///
/// ```
/// use trust8_profile::{Class, Profile};
///
/// let found = Profile::SOURCE_CODE.check("if admin\u{2066} {").unwrap_err();
/// assert_eq!((found.offset(), found.class()), (8, Class::BidiControl));
/// let message = "forbidden character at byte 8: U+2066 is a bidirectional control, ";
/// assert!(found.to_string().starts_with(message));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Forbidden {
    offset: u64,
    character: char,
    class: Class,
}

impl Forbidden {
    pub(super) const fn new(offset: u64, character: char, class: Class) -> Self {
        Self { offset, character, class }
    }

    /// Returns the same error for a text with `before` more bytes at its start.
    pub(super) const fn after(mut self, before: u64) -> Self {
        self.offset += before;
        self
    }

    /// Returns the error for a piece at `offset`. This one is for the piece with the last `before`
    /// bytes of the text before it.
    pub(super) const fn at_border(mut self, offset: u64, before: usize) -> Self {
        self.offset = self.offset + offset - before as u64;
        self
    }

    /// Returns where the character ends.
    pub(super) const fn end(&self) -> u64 {
        self.offset + self.character.len_utf8() as u64
    }

    /// Returns where the character begins, in bytes from the start of the text or the stream.
    ///
    /// ```
    /// let found = trust8_profile::Profile::POSTGRES.check("a\0").unwrap_err();
    /// assert_eq!(found.offset(), 1);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the character. Its length in bytes is [`char::len_utf8`].
    ///
    /// ```
    /// let found = trust8_profile::Profile::POSTGRES.check("a\0").unwrap_err();
    /// assert_eq!(found.character(), '\0');
    /// ```
    #[must_use]
    pub const fn character(&self) -> char {
        self.character
    }

    /// Returns the class that the profile forbids.
    ///
    /// ```
    /// use trust8_profile::{Class, Profile};
    /// assert_eq!(Profile::POSTGRES.check("a\0").unwrap_err().class(), Class::Nul);
    /// ```
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, reason) = (self.character as u32, self.class.reason());
        write!(f, "forbidden character at byte {}: U+{number:04X} is {reason}", self.offset)
    }
}

impl core::error::Error for Forbidden {}

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: Forbidden;);

/// The first place at which bytes are not UTF-8 or have a forbidden character. A profile refuses bytes
/// for no other reason, so there will be no other variant.
///
/// ```
/// use trust8_profile::{ProfileError, Profile};
///
/// let error = |bytes| Profile::XML_1_0.from_utf8(bytes).unwrap_err();
/// assert!(matches!(error(b"a\x01\xFF"), ProfileError::Forbidden(found) if found.offset() == 1));
/// assert!(matches!(error(b"a\xFF\x01"), ProfileError::NotUtf8(error) if error.valid_up_to() == 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProfileError {
    /// The bytes are not UTF-8.
    NotUtf8(Utf8Error),
    /// The profile forbids a character.
    Forbidden(Forbidden),
}

impl ProfileError {
    /// Returns how many bytes before the error are text that the profile allows.
    ///
    /// ```
    /// let error = trust8_profile::Profile::POSTGRES.from_utf8(b"ab\0").unwrap_err();
    /// assert_eq!(error.valid_up_to(), 2);
    /// ```
    #[must_use]
    pub const fn valid_up_to(&self) -> usize {
        match self {
            Self::NotUtf8(error) => error.valid_up_to(),
            // It is an offset in a slice.
            Self::Forbidden(found) => found.offset as usize,
        }
    }

    /// Returns the length of the ill-formed sequence or of the character, or `None` if the input
    /// ends inside a character.
    ///
    /// ```
    /// let error = trust8_profile::Profile::TERMINAL.from_utf8(b"\xC2\x9B").unwrap_err();
    /// assert_eq!(error.error_len(), Some(2));
    /// ```
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        match self {
            Self::NotUtf8(error) => error.error_len(),
            Self::Forbidden(found) => Some(found.character.len_utf8()),
        }
    }
}

/// Like [`ProfileError`], for a stream. It has the same two variants.
///
/// ```
/// use trust8_profile::{Profile, ProfileStreamError, ProfileValidator};
///
/// let mut validator = ProfileValidator::new(Profile::TERMINAL);
/// assert!(validator.push(b"ok\xC2").is_ok());
/// let error = validator.push(b"\x9B1m").unwrap_err();
/// assert!(matches!(error, ProfileStreamError::Forbidden(found) if found.offset() == 2));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProfileStreamError {
    /// The stream is not UTF-8.
    NotUtf8(stream::StreamError),
    /// The profile forbids a character.
    Forbidden(Forbidden),
}

/// Messages, sources and conversions of both kinds of error.
macro_rules! errors {
    ($($error:ident: $not_utf8:ty;)+) => {$(
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    Self::NotUtf8(error) => error.fmt(f),
                    Self::Forbidden(found) => found.fmt(f),
                }
            }
        }

        impl core::error::Error for $error {}

        /// Converts the error into an [`InvalidData`](std::io::ErrorKind::InvalidData) error that
        /// carries it.
        ///
        /// ```
        /// use std::io;
        /// use trust8_profile::{ProfileError, Profile};
        ///
        /// fn field(bytes: &[u8]) -> io::Result<&str> {
        ///     Ok(Profile::POSTGRES.from_utf8(bytes)?)
        /// }
        /// let error = field(b"ab\0").unwrap_err();
        /// assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        /// assert_eq!(error.downcast::<ProfileError>().unwrap().valid_up_to(), 2);
        /// ```
        #[cfg(feature = "std")]
        impl From<$error> for std::io::Error {
            fn from(error: $error) -> Self {
                Self::new(std::io::ErrorKind::InvalidData, error)
            }
        }

        impl From<$not_utf8> for $error {
            fn from(error: $not_utf8) -> Self {
                Self::NotUtf8(error)
            }
        }

        impl From<Forbidden> for $error {
            fn from(found: Forbidden) -> Self {
                Self::Forbidden(found)
            }
        }
    )+};
}

errors! {
    ProfileError: Utf8Error;
    ProfileStreamError: stream::StreamError;
}

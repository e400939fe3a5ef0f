//! What is wrong with a text that is to be converted: where, and why.

#![forbid(unsafe_code)]

use core::fmt;

use crate::error::Sequence;
use crate::error::{TooSmall, Utf8Error};

/// Why a text can't be converted.
///
/// ```
/// use trust8::transcode::{Encoding::*, Kind, Str, Utf16, Utf32, convert};
///
/// assert_eq!(convert(Utf16, Str, &[0xD83D, 0x41]).unwrap_err().kind(), Kind::LoneHigh(0xD83D));
/// assert_eq!(convert(Utf16, Str, &[0xDE00]).unwrap_err().kind(), Kind::LoneLow(0xDE00));
/// assert_eq!(convert(Utf32, Str, &[0xD800]).unwrap_err().kind(), Kind::Surrogate(0xD800));
/// assert_eq!(convert(Utf32, Str, &[0x110000]).unwrap_err().kind(), Kind::TooLarge(0x110000));
/// assert_eq!(convert(Str, Latin1, "1 €").unwrap_err().kind(), Kind::NotLatin1('€'));
/// assert_eq!(convert(Utf16Le, Str, b"a\0b").unwrap_err().kind(), Kind::Incomplete);
///
/// let kind = convert(Utf8, Utf16, b"\xFF").unwrap_err().kind();
/// assert_eq!(kind, Kind::Utf8(trust8::ErrorKind::InvalidByte));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// Not UTF-8; for the reason that it says.
    Utf8(crate::ErrorKind),
    /// UTF-16: the first half of a surrogate pair, D800 to DBFF, and no second half behind it.
    LoneHigh(u16),
    /// UTF-16: the second half of a surrogate pair, DC00 to DFFF, and no first half before it.
    LoneLow(u16),
    /// UTF-32: half a surrogate pair, which is no character.
    Surrogate(u32),
    /// UTF-32: above U+10FFFF.
    TooLarge(u32),
    /// A character that Latin-1 does not have: above U+00FF.
    NotLatin1(char),
    /// The bytes of UTF-16 or UTF-32 end inside a code unit.
    Incomplete,
}

/// What an error holds of what is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    Utf8(Sequence),
    Other(Kind),
}

impl Fault {
    fn kind(&self) -> Kind {
        match self {
            Self::Utf8(sequence) => Kind::Utf8(sequence.kind()),
            Self::Other(kind) => *kind,
        }
    }

    fn describe(&self, position: &dyn fmt::Display, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Utf8(sequence) => {
                write!(f, "invalid UTF-8 at byte {position}: ")?;
                return fmt::Display::fmt(sequence, f);
            }
            Self::Other(kind) => kind,
        };
        match kind {
            Kind::Utf8(_) => unreachable!("such faults hold a sequence"),
            Kind::LoneHigh(unit) => write!(
                f,
                "invalid UTF-16 at {position}: {unit:04X} is the first half of a surrogate pair; \
                 expected the second (DC00 to DFFF) behind it"
            ),
            Kind::LoneLow(unit) => write!(
                f,
                "invalid UTF-16 at {position}: {unit:04X} is the second half of a surrogate pair; \
                 expected the first (D800 to DBFF) before it"
            ),
            Kind::Surrogate(unit) => {
                write!(
                    f,
                    "invalid UTF-32 at {position}: {unit:04X} is half a surrogate pair and no character"
                )
            }
            Kind::TooLarge(unit) => {
                write!(f, "invalid UTF-32 at {position}: {unit:X} is above 10FFFF")
            }
            Kind::NotLatin1(char) => {
                write!(f, "U+{:04X} at {position} is not in Latin-1", u32::from(*char))
            }
            Kind::Incomplete => write!(f, "the input ends inside the code unit at byte {position}"),
        }
    }
}

/// The first place at which a text can't be converted.
///
/// ```
/// use trust8::transcode::{Kind, Str, Utf16, convert};
///
/// let error = convert(Utf16, Str, &[0x61, 0xDC00, 0x62]).unwrap_err();
/// assert_eq!((error.position(), error.kind()), (1, Kind::LoneLow(0xDC00)));
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-16 at 1: DC00 is the second half of a surrogate pair; \
///      expected the first (D800 to DBFF) before it"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Error {
    pub(super) position: usize,
    pub(super) fault: Fault,
}

impl Error {
    /// Where: the index, in the input, of the first byte or unit that is wrong. All before it is well-formed.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, convert};
    /// // In bytes, as bytes were given.
    /// assert_eq!(convert(Utf16Be, Str, b"\0a\0b\xD8\0\0c").unwrap_err().position(), 4);
    /// ```
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// Why.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Kind, Str, convert};
    /// assert_eq!(convert(Str, Latin1, "Ω").unwrap_err().kind(), Kind::NotLatin1('Ω'));
    /// ```
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.fault.kind()
    }

    /// The error of [`from_utf8`](crate::from_utf8), if the input was to be UTF-8 and is not.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Utf16, convert};
    ///
    /// let bytes = b"caf\xC3";
    /// let error = convert(Utf8, Utf16, bytes).unwrap_err();
    /// assert_eq!(error.utf8_error(), trust8::from_utf8(bytes).err());
    /// ```
    #[must_use]
    pub fn utf8_error(&self) -> Option<Utf8Error> {
        match self.fault {
            Fault::Utf8(sequence) => Some(Utf8Error::new(self.position, sequence)),
            Fault::Other(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.describe(&self.position, f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error").field("position", &self.position).field("kind", &self.kind()).finish()
    }
}

impl core::error::Error for Error {}

/// The first place at which a stream can't be converted: as [`Error`], counted from the stream's start.
///
/// ```
/// use trust8::transcode::{Encoding::*, Kind, Str, Transcoder};
///
/// let mut transcoder = Transcoder::new(Utf16Le, Str);
/// let mut text = String::new();
/// transcoder.push(b"a\0\0\xD8", &mut text).unwrap();
/// let error = transcoder.push(b"b\0", &mut text).unwrap_err();
/// assert_eq!((error.position(), error.kind()), (2, Kind::LoneHigh(0xD800)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamError {
    pub(super) position: u64,
    pub(super) fault: Fault,
}

impl StreamError {
    /// Where: how many bytes or units of the stream come before the first one that is wrong.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, Transcoder};
    /// let mut transcoder = Transcoder::new(Str, Latin1);
    /// transcoder.push("one, ", &mut Vec::new()).unwrap();
    /// let error = transcoder.push("two €", &mut Vec::new()).unwrap_err();
    /// assert_eq!(error.position(), 9);
    /// ```
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Why.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Kind, Str, Transcoder};
    /// let error = Transcoder::new(Str, Latin1).push("€", &mut Vec::new()).unwrap_err();
    /// assert_eq!(error.kind(), Kind::NotLatin1('€'));
    /// ```
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.fault.kind()
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.describe(&self.position, f)
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamError").field("position", &self.position).field("kind", &self.kind()).finish()
    }
}

impl core::error::Error for StreamError {}

/// Why a conversion into a buffer did not convert all.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::transcode::{BufferError, Encoding::*, Str, convert_into};
///
/// let mut buffer = [MaybeUninit::uninit(); 4];
/// let error = convert_into(Latin1, Str, b"caf\xE9", &mut buffer).unwrap_err();
/// assert_eq!(error, BufferError::TooSmall(trust8::TooSmall { needed: 5, len: 4 }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferError {
    /// The buffer is too short, and nothing is wrong with the input. What is in the buffer now has no meaning.
    TooSmall(TooSmall),
    /// The input can't be converted. A buffer that is too short as well does not change this error.
    Invalid {
        /// Where and why.
        error: Error,
        /// How many units have been written to the start of the buffer: all that comes before the
        /// error, or as many whole characters of it as fit.
        written: usize,
    },
}

impl fmt::Display for BufferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall(error) => error.fmt(f),
            Self::Invalid { error, .. } => error.fmt(f),
        }
    }
}

impl core::error::Error for BufferError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::TooSmall(error) => Some(error),
            Self::Invalid { error, .. } => Some(error),
        }
    }
}

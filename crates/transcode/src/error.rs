//! Errors of conversions: where a text can't be converted, and why.

#![forbid(unsafe_code)]

use core::fmt;

use trust8::engine::Sequence;
use trust8::{TooSmall, Utf8Error};

/// Why a text can't be converted.
///
/// ```
/// use trust8_transcode::{Encoding::*, ConversionErrorKind, Str, Utf16, Utf32, convert};
///
/// assert_eq!(convert(Utf16, Str, &[0xD83D, 0x41]).unwrap_err().kind(), ConversionErrorKind::LoneHigh(0xD83D));
/// assert_eq!(convert(Utf16, Str, &[0xDE00]).unwrap_err().kind(), ConversionErrorKind::LoneLow(0xDE00));
/// assert_eq!(convert(Utf32, Str, &[0xD800]).unwrap_err().kind(), ConversionErrorKind::Surrogate(0xD800));
/// assert_eq!(convert(Utf32, Str, &[0x110000]).unwrap_err().kind(), ConversionErrorKind::TooLarge(0x110000));
/// assert_eq!(convert(Str, Latin1, "1 €").unwrap_err().kind(), ConversionErrorKind::Unmappable('€'));
/// assert_eq!(convert(Utf16Le, Str, b"a\0b").unwrap_err().kind(), ConversionErrorKind::Incomplete);
///
/// let kind = convert(Utf8, Utf16, b"\xFF").unwrap_err().kind();
/// assert_eq!(kind, ConversionErrorKind::Utf8(trust8::ErrorKind::InvalidByte));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ConversionErrorKind {
    /// The input is not UTF-8, for this reason.
    Utf8(trust8::ErrorKind),
    /// UTF-16: a high surrogate, the first half of a pair, D800 to DBFF, is not followed by a low
    /// one.
    LoneHigh(u16),
    /// UTF-16: a low surrogate, the second half of a pair, DC00 to DFFF, does not follow a high
    /// one.
    LoneLow(u16),
    /// UTF-32: a surrogate, which is not a character.
    Surrogate(u32),
    /// UTF-32: a number above U+10FFFF.
    TooLarge(u32),
    /// A character that the target encoding lacks: for Latin-1, any above U+00FF.
    Unmappable(char),
    /// The bytes of UTF-16 or UTF-32 end inside a unit.
    Incomplete,
}

impl ConversionErrorKind {
    /// Returns the kind's name, which is stable across versions of this crate.
    ///
    /// ```
    /// use trust8_transcode::ConversionErrorKind;
    /// assert_eq!(ConversionErrorKind::LoneHigh(0xD83D).name(), "lone-high-surrogate");
    /// assert_eq!(ConversionErrorKind::Utf8(trust8::ErrorKind::Overlong).name(), "overlong");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name_and_code().0
    }

    /// Returns the kind's number, which is stable across versions of this crate. For a rule that
    /// UTF-8 shares, it is the number of [`trust8::ErrorKind`](trust8::ErrorKind::code).
    ///
    /// ```
    /// use trust8_transcode::ConversionErrorKind;
    /// assert_eq!(ConversionErrorKind::LoneHigh(0xD83D).code(), 8);
    /// assert_eq!(ConversionErrorKind::TooLarge(0x110000).code(), trust8::ErrorKind::TooLarge.code());
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        self.name_and_code().1
    }

    /// For a rule that UTF-8 shares, they are those of UTF-8's kind.
    const fn name_and_code(self) -> (&'static str, u8) {
        let kind = match self {
            Self::Utf8(kind) => kind,
            Self::Surrogate(_) => trust8::ErrorKind::Surrogate,
            Self::TooLarge(_) => trust8::ErrorKind::TooLarge,
            Self::Incomplete => trust8::ErrorKind::Incomplete,
            Self::LoneHigh(_) => return ("lone-high-surrogate", 8),
            Self::LoneLow(_) => return ("lone-low-surrogate", 9),
            Self::Unmappable(_) => return ("unmappable", 10),
        };
        (kind.name(), kind.code())
    }
}

trust8::engine::displayed_by_name!(ConversionErrorKind);

/// What is wrong, with everything that the message needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    Utf8(Sequence),
    /// The target encoding lacks the character. The other fields are the encoding's name and the
    /// character's length in the input.
    Unmappable(char, &'static str, u8),
    /// The input ends after this high surrogate, or inside the unit after it.
    CutHigh(u16),
    /// Any other kind.
    Other(ConversionErrorKind),
}

impl Fault {
    fn kind(&self) -> ConversionErrorKind {
        match self {
            Self::Utf8(sequence) => ConversionErrorKind::Utf8(sequence.kind()),
            Self::Unmappable(char, ..) => ConversionErrorKind::Unmappable(*char),
            Self::CutHigh(unit) => ConversionErrorKind::LoneHigh(*unit),
            Self::Other(kind) => *kind,
        }
    }

    /// Returns how many bytes of the input are wrong, or `None` if the input ends inside a
    /// character.
    pub(super) fn bytes(&self) -> Option<usize> {
        match *self {
            Self::Utf8(sequence) => sequence.error_len(),
            Self::Unmappable(_, _, len) => Some(len.into()),
            Self::Other(ConversionErrorKind::LoneHigh(_) | ConversionErrorKind::LoneLow(_)) => Some(2),
            Self::Other(ConversionErrorKind::Surrogate(_) | ConversionErrorKind::TooLarge(_)) => Some(4),
            Self::CutHigh(_) | Self::Other(_) => None,
        }
    }

    /// Writes the message. `at` counts units of `bytes` bytes.
    fn describe(&self, at: &dyn fmt::Display, bytes: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ConversionErrorKind::*;
        let unit = if bytes == 1 { "byte" } else { "unit" };
        match self {
            Self::Utf8(sequence) => write!(f, "invalid UTF-8 at byte {at}: {sequence}"),
            Self::Unmappable(char, target, _) => {
                write!(f, "U+{:04X} at {unit} {at} is not in {target}", u32::from(*char))
            }
            Self::CutHigh(half) => write!(
                f,
                "invalid UTF-16 at {unit} {at}: the input ends after {half:04X}, the first half of a surrogate pair"
            ),
            Self::Other(LoneHigh(half)) => write!(
                f,
                "invalid UTF-16 at {unit} {at}: {half:04X} is the first half of a surrogate pair; \
                 expected the second (DC00 to DFFF) after it"
            ),
            Self::Other(LoneLow(half)) => write!(
                f,
                "invalid UTF-16 at {unit} {at}: {half:04X} is the second half of a surrogate pair; \
                 expected the first (D800 to DBFF) before it"
            ),
            Self::Other(Surrogate(number)) => write!(
                f,
                "invalid UTF-32 at {unit} {at}: {number:04X} is half a surrogate pair and not a character"
            ),
            Self::Other(TooLarge(number)) => {
                write!(f, "invalid UTF-32 at {unit} {at}: {number:X} is above 10FFFF")
            }
            Self::Other(Incomplete) => write!(f, "the input ends inside the unit at byte {at}"),
            Self::Other(Utf8(_) | Unmappable(_)) => unreachable!("these have faults of their own"),
        }
    }
}

/// The first place at which a text can't be converted.
///
/// ```
/// use trust8_transcode::{ConversionErrorKind, Str, Utf16, convert};
///
/// let error = convert(Utf16, Str, &[0x61, 0xDC00, 0x62]).unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (1, ConversionErrorKind::LoneLow(0xDC00)));
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-16 at unit 1: DC00 is the second half of a surrogate pair; \
///      expected the first (D800 to DBFF) before it"
/// );
/// let error = convert(Str, trust8_transcode::Encoding::Latin1, "5 €").unwrap_err();
/// assert_eq!(error.to_string(), "U+20AC at byte 2 is not in iso-8859-1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConversionError {
    pub(super) valid_up_to: usize,
    pub(super) fault: Fault,
    /// The number of bytes of a unit of the input.
    pub(super) unit: u8,
}

impl ConversionError {
    /// Returns the error of [`from_utf8`](trust8::from_utf8) if the input should be UTF-8 and is
    /// not.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Utf16, convert};
    ///
    /// let bytes = b"caf\xC3";
    /// let error = convert(Utf8, Utf16, bytes).unwrap_err();
    /// assert_eq!(error.utf8_error(), trust8::from_utf8(bytes).err());
    /// ```
    #[must_use]
    pub fn utf8_error(&self) -> Option<Utf8Error> {
        match self.fault {
            Fault::Utf8(sequence) => Some(Utf8Error::new(self.valid_up_to, sequence)),
            _ => None,
        }
    }
}

/// The first place at which a text in pieces can't be converted. It is like [`ConversionError`], counted from
/// the start of the whole text.
///
/// ```
/// use trust8_transcode::{Encoding::*, ConversionErrorKind, Str, Transcoder};
///
/// let mut transcoder = Transcoder::new(Utf16Le, Str);
/// let mut text = String::new();
/// transcoder.push(b"a\0\0\xD8", &mut text).unwrap();
/// let error = transcoder.push(b"b\0", &mut text).unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (2, ConversionErrorKind::LoneHigh(0xD800)));
///
/// let mut transcoder = Transcoder::new(Utf16Le, Str);
/// transcoder.push(b"a\0\0\xD8", &mut text).unwrap();
/// assert_eq!(transcoder.finish(&mut text).unwrap_err().error_len(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct TranscoderError {
    pub(super) valid_up_to: u64,
    pub(super) fault: Fault,
    /// The number of bytes of a unit of the input.
    pub(super) unit: u8,
}

/// Implements what both errors have.
macro_rules! errors {
    ($($error:ident: $place:ty),+) => {$(
        impl $error {
            /// Returns how many bytes or units of the input, or of a text in pieces from its start, can be converted. This is the position
            /// of the first one that can't.
            ///
            /// ```
            /// use trust8_transcode::{Encoding::*, Str, Transcoder, convert};
            ///
            /// // In bytes, as the input is bytes.
            /// assert_eq!(convert(Utf16Be, Str, b"\0a\0b\xD8\0\0c").unwrap_err().valid_up_to(), 4);
            ///
            /// let mut transcoder = Transcoder::new(Str, Latin1);
            /// transcoder.push("one, ", &mut Vec::new()).unwrap();
            /// let error = transcoder.push("two €", &mut Vec::new()).unwrap_err();
            /// assert_eq!(error.valid_up_to(), 9);
            /// ```
            #[must_use]
            pub const fn valid_up_to(&self) -> $place {
                self.valid_up_to
            }

            /// Returns how many bytes or units of the input are wrong. `None` means that the input ends
            /// inside a character. For UTF-8, these are the numbers of [`Utf8Error::error_len`]; other
            /// encodings follow the same rule.
            ///
            /// ```
            /// use trust8_transcode::{Encoding::*, Str, Utf16, convert};
            ///
            /// assert_eq!(convert(Utf16, Str, &[0xD800, 0x41]).unwrap_err().error_len(), Some(1));
            /// assert_eq!(convert(Utf16, Str, &[0xD800]).unwrap_err().error_len(), None);
            /// assert_eq!(convert(Utf16Be, Str, b"\xD8\0\0A").unwrap_err().error_len(), Some(2));
            /// assert_eq!(convert(Str, Latin1, "€").unwrap_err().error_len(), Some(3));
            /// ```
            #[must_use]
            pub fn error_len(&self) -> Option<usize> {
                self.fault.bytes().map(|bytes| bytes / usize::from(self.unit))
            }

            /// Returns why the text can't be converted.
            ///
            /// ```
            /// use trust8_transcode::{Encoding::*, ConversionErrorKind, Str, convert};
            /// assert_eq!(convert(Str, Latin1, "Ω").unwrap_err().kind(), ConversionErrorKind::Unmappable('Ω'));
            /// ```
            #[must_use]
            pub fn kind(&self) -> ConversionErrorKind {
                self.fault.kind()
            }
        }

        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.fault.describe(&self.valid_up_to, self.unit, f)
            }
        }

        impl fmt::Debug for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($error))
                    .field("valid_up_to", &self.valid_up_to)
                    .field("error_len", &self.error_len())
                    .field("kind", &self.kind())
                    .finish()
            }
        }

        impl core::error::Error for $error {}
    )+};
}
errors!(ConversionError: usize, TranscoderError: u64);

/// Why a text was not converted into a buffer.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8_transcode::{BufferError, Encoding::*, Str, convert_into};
///
/// let mut buffer = [MaybeUninit::uninit(); 4];
/// let error = convert_into(Latin1, Str, b"caf\xE9", &mut buffer).unwrap_err();
/// assert_eq!(error, BufferError::TooSmall(trust8::TooSmall { needed: 5, len: 4 }));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum BufferError {
    /// The input is valid, but the buffer is too small. Its contents are unspecified.
    TooSmall(TooSmall),
    /// The input can't be converted into a buffer of any size.
    Invalid {
        /// The position and the reason.
        error: ConversionError,
        /// The number of units written to the start of the buffer: everything before the error, or
        /// as many whole characters of it as fit.
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

impl core::error::Error for BufferError {}

#[cfg(feature = "std")]
trust8::engine::into_io_errors!(InvalidData: ConversionError, TranscoderError;);

/// Converts the error as [`TooSmall`] and [`ConversionError`] are converted.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, convert};
///
/// fn text(bytes: &[u8]) -> std::io::Result<String> {
///     Ok(convert(Utf16Le, Str, bytes)?)
/// }
/// assert_eq!(text(b"a").unwrap_err().kind(), std::io::ErrorKind::InvalidData);
/// ```
#[cfg(feature = "std")]
impl From<BufferError> for std::io::Error {
    fn from(error: BufferError) -> Self {
        match error {
            BufferError::TooSmall(error) => error.into(),
            BufferError::Invalid { error, .. } => error.into(),
        }
    }
}

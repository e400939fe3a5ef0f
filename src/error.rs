//! Errors: where bytes are not UTF-8, how long the ill-formed sequence is, and why.
//!
//! A kernel only reports that there is an error, and roughly where. The automaton in
//! `kernel/automaton.rs` then finds the first byte of the ill-formed sequence, and this file
//! derives the rest of the error from the bytes.

#![forbid(unsafe_code)]

use core::fmt;
use core::str::FromStr;

use crate::names::{UnknownName, displayed_by_name, is_same_name, names_of};

/// Why a sequence of bytes is not UTF-8, in the terms of RFC 3629.
///
/// Sections 3 and 4 of the RFC leave seven ways to be wrong. Byte values below are hexadecimal.
///
/// Each kind has a [name](Self::name) and a [number](Self::code) that stay the same in all
/// versions: for reports that programs read, and for bindings to other languages.
///
/// ```
/// use trust8::{ErrorKind, from_utf8};
///
/// let kind = |bytes| from_utf8(bytes).unwrap_err().kind();
/// assert_eq!(kind(b"\x80"), ErrorKind::UnexpectedContinuation);
/// assert_eq!(kind(b"\xFF"), ErrorKind::InvalidByte);
/// assert_eq!(kind(b"\xC0\x80"), ErrorKind::Overlong);
/// assert_eq!(kind(b"\xED\xA1\x8C\xED\xBE\xB4"), ErrorKind::Surrogate);
/// assert_eq!(kind(b"\xF4\x90\x80\x80"), ErrorKind::TooLarge);
/// assert_eq!(kind(b"\xE2\x82!"), ErrorKind::Truncated);
/// assert_eq!(kind(b"\xE2\x82"), ErrorKind::Incomplete);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum ErrorKind {
    /// A continuation byte, `80..BF`, where a character must begin.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"ab\xBFc").unwrap_err();
    /// assert_eq!((error.kind(), error.valid_up_to()), (ErrorKind::UnexpectedContinuation, 2));
    /// ```
    UnexpectedContinuation = 1,
    /// A byte that begins no sequence of up to four bytes, not even an ill-formed one: `F8..FF`.
    ///
    /// In RFC 2279, `F8..FD` began sequences of five and six bytes, which RFC 3629 abolished.
    /// (`C0`, `C1` and `F5..F7` never appear in UTF-8 either, but their sequences have other kinds:
    /// see `Overlong` and `TooLarge`.)
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"\xF8\x88\x80\x80\x80").unwrap_err();
    /// assert_eq!((error.kind(), error.error_len()), (ErrorKind::InvalidByte, Some(1)));
    /// ```
    InvalidByte = 2,
    /// A character in more bytes than it needs: `C0`, `C1`, `E0` before `80..9F`, `F0` before
    /// `80..8F`.
    ///
    /// The classic attack: `2F C0 AE 2E 2F` slips past a filter that looks for `/../`.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"/\xC0\xAE./").unwrap_err();
    /// assert_eq!((error.kind(), error.valid_up_to()), (ErrorKind::Overlong, 1));
    /// ```
    Overlong = 3,
    /// Half a UTF-16 surrogate pair, U+D800 to U+DFFF: `ED` before `A0..BF`.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"\xED\xA0\x80").unwrap_err();
    /// assert_eq!((error.kind(), error.error_len()), (ErrorKind::Surrogate, Some(1)));
    /// ```
    Surrogate = 4,
    /// A character above U+10FFFF: `F4` before `90..BF`, and `F5`, `F6`, `F7`.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"\xF5\x80\x80\x80").unwrap_err();
    /// assert_eq!((error.kind(), error.error_len()), (ErrorKind::TooLarge, Some(1)));
    /// ```
    TooLarge = 5,
    /// A lead byte with too few continuation bytes after it, although the input continues.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"\xF0\x9F\x98 ").unwrap_err();
    /// assert_eq!((error.kind(), error.error_len()), (ErrorKind::Truncated, Some(3)));
    /// ```
    Truncated = 6,
    /// The input ends inside a character; more input might complete it.
    ///
    /// Only this kind has an [`Utf8Error::error_len`] of `None`.
    ///
    /// ```
    /// use trust8::{ErrorKind, from_utf8};
    /// let error = from_utf8(b"\xF0\x9F\x98").unwrap_err();
    /// assert_eq!((error.kind(), error.error_len()), (ErrorKind::Incomplete, None));
    /// ```
    Incomplete = 7,
}

impl ErrorKind {
    /// All kinds, in the order of their [numbers](Self::code).
    ///
    /// ```
    /// use trust8::ErrorKind;
    ///
    /// assert!(ErrorKind::ALL.iter().map(|kind| kind.code()).eq(1..=7));
    /// ```
    pub const ALL: &'static [Self] = &[
        Self::UnexpectedContinuation,
        Self::InvalidByte,
        Self::Overlong,
        Self::Surrogate,
        Self::TooLarge,
        Self::Truncated,
        Self::Incomplete,
    ];

    /// Returns the kind's name, which no version of this crate changes.
    ///
    /// ```
    /// use trust8::ErrorKind;
    ///
    /// let names: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.name()).collect();
    /// assert_eq!(
    ///     names,
    ///     [
    ///         "unexpected-continuation",
    ///         "invalid-byte",
    ///         "overlong",
    ///         "surrogate",
    ///         "too-large",
    ///         "truncated",
    ///         "incomplete"
    ///     ]
    /// );
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnexpectedContinuation => "unexpected-continuation",
            Self::InvalidByte => "invalid-byte",
            Self::Overlong => "overlong",
            Self::Surrogate => "surrogate",
            Self::TooLarge => "too-large",
            Self::Truncated => "truncated",
            Self::Incomplete => "incomplete",
        }
    }

    /// Returns the kind's number, which no version of this crate changes: 1 or more, so that 0 can
    /// mean 'no error'.
    ///
    /// ```
    /// use trust8::ErrorKind;
    ///
    /// assert_eq!(ErrorKind::UnexpectedContinuation.code(), 1);
    /// assert_eq!(ErrorKind::Incomplete.code(), 7);
    /// ```
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }
}

displayed_by_name!(ErrorKind);

/// Finds a kind by its [name](ErrorKind::name). Upper and lower case, hyphens, underscores and
/// spaces make no difference.
///
/// ```
/// use trust8::ErrorKind;
///
/// assert_eq!("Too large".parse(), Ok(ErrorKind::TooLarge));
/// assert!("huge".parse::<ErrorKind>().is_err());
/// ```
impl FromStr for ErrorKind {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let kind = Self::ALL.iter().copied().find(|kind| is_same_name(kind.name(), name));
        kind.ok_or(UnknownName::of("kind of error", names_of!(ErrorKind::ALL, |kind| kind.name())))
    }
}

/// The first place at which the input is not UTF-8.
///
/// [`valid_up_to`](Self::valid_up_to) and [`error_len`](Self::error_len) equal those of
/// [`core::str::Utf8Error`] for every input. [`kind`](Self::kind) and the message say more.
///
/// ```
/// use trust8::{ErrorKind, from_utf8};
///
/// let error = from_utf8(b"caf\xC3 au lait").unwrap_err();
/// assert_eq!(error.valid_up_to(), 3);
/// assert_eq!(error.error_len(), Some(1));
/// assert_eq!(error.kind(), ErrorKind::Truncated);
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-8 at byte 3: C3 begins a character of 2 bytes, and 20 follows; \
///      expected a continuation byte (80 to BF)"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Utf8Error {
    valid_up_to: usize,
    pub(crate) sequence: Sequence,
}

impl Utf8Error {
    /// Returns how many bytes at the start of the input are valid UTF-8: the offset of the
    /// ill-formed sequence.
    ///
    /// ```
    /// let bytes = b"fine up to here\xFF";
    /// let error = trust8::from_utf8(bytes).unwrap_err();
    /// let (good, bad) = bytes.split_at(error.valid_up_to());
    /// assert_eq!((trust8::from_utf8(good), bad), (Ok("fine up to here"), &b"\xFF"[..]));
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> usize {
        self.valid_up_to
    }

    /// Converts the error to the standard library's type, for functions that must return it.
    ///
    /// `bytes` is the input that caused this error. `core` has no public constructor for its error,
    /// so its validator reads `bytes` again up to the error, at its own speed.
    ///
    /// If `bytes` is a different, valid input, the result is an error at byte 0. This function does
    /// not panic.
    ///
    /// ```
    /// fn parse(bytes: &[u8]) -> Result<&str, core::str::Utf8Error> {
    ///     trust8::from_utf8(bytes).map_err(|error| error.to_std(bytes))
    /// }
    /// assert_eq!(parse(b"ab\xFF"), std::str::from_utf8(b"ab\xFF"));
    /// ```
    #[must_use]
    pub fn to_std(&self, bytes: &[u8]) -> core::str::Utf8Error {
        core::str::from_utf8(bytes)
            .and_then(|_| core::str::from_utf8(self.sequence.seen()))
            .expect_err("an ill-formed sequence is not UTF-8")
    }

    /// Returns the same error for an input that has `before` more bytes of text at its start.
    #[doc(hidden)]
    #[must_use]
    pub const fn after(mut self, before: usize) -> Self {
        self.valid_up_to += before;
        self
    }

    /// Returns the error for the ill-formed sequence that begins at `start`.
    ///
    /// No well-formed character begins at `start`.
    #[inline(always)]
    pub(crate) fn at(bytes: &[u8], start: usize) -> Self {
        Self::new(start, Sequence::at_start_of(&bytes[start..]))
    }

    /// Returns the error for `sequence`, which `valid_up_to` bytes of text precede.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(valid_up_to: usize, sequence: Sequence) -> Self {
        Self { valid_up_to, sequence }
    }
}

/// An ill-formed sequence: an error without its position.
///
/// It is one word, so that a list of errors is made in registers: the kind's number, the length,
/// how many bytes are known, a zero, and the four bytes that prove the error.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sequence([u8; 8]);

impl Sequence {
    /// Returns the ill-formed sequence at the start of `rest`, where no well-formed character
    /// begins.
    ///
    /// A text may have an ill-formed sequence at every byte, so this must take only a few
    /// nanoseconds: the bytes are one word, and no loop or copy depends on them.
    #[inline]
    pub fn at_start_of(rest: &[u8]) -> Self {
        // A zero for a missing byte is no continuation, so it ends the sequence just as the end of
        // the input does.
        let four = match rest.first_chunk() {
            Some(four) => *four,
            None => padded(rest),
        };
        let (kind, len, seen_len) = diagnose(four, rest.len());
        // Unread bytes are zeros, so that two errors are equal whatever follows in their inputs.
        // (The first byte is the lowest.)
        let seen = u32::from_le_bytes(four) & u32::MAX >> (32 - 8 * seen_len);
        let word =
            u64::from(kind.code()) | u64::from(len) << 8 | u64::from(seen_len) << 16 | u64::from(seen) << 32;
        Self(word.to_le_bytes())
    }

    /// Returns why the sequence is ill-formed.
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        // The numbers begin with 1.
        ErrorKind::ALL[self.0[0] as usize - 1]
    }

    /// Returns the length of the sequence, 1 to 3 bytes. If the kind is `Incomplete`, the sequence
    /// is the rest of the input.
    #[inline]
    const fn len(&self) -> usize {
        self.0[1] as usize
    }

    /// Returns the length of the sequence, or `None` if the input ends inside of it.
    #[inline]
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        match self.kind() {
            ErrorKind::Incomplete => None,
            _ => Some(self.len()),
        }
    }

    /// Returns the bytes that prove the error: the sequence, and the byte after it where that byte
    /// decides.
    pub fn seen(&self) -> &[u8] {
        &self.0[4..][..self.0[2] as usize]
    }

    /// Writes the rest of an error's `Debug` output, after its position.
    ///
    /// # Errors
    ///
    /// Returns the errors of `fields`.
    pub fn debug(&self, fields: &mut fmt::DebugStruct<'_, '_>) -> fmt::Result {
        fields
            .field("error_len", &self.error_len())
            .field("kind", &self.kind())
            .field("bytes", &format_args!("{}", Hex(self.seen())))
            .finish()
    }
}

/// Returns one to three bytes with zeros after them. Few sequences are this close to the end of the
/// input.
#[cold]
fn padded(rest: &[u8]) -> [u8; 4] {
    match *rest {
        [first] => [first, 0, 0, 0],
        [first, second] => [first, second, 0, 0],
        [first, second, third] => [first, second, third, 0],
        _ => [0; 4],
    }
}

/// Returns why no well-formed character begins with `four`, the length of the ill-formed sequence,
/// and how many bytes prove the error. `left` is the length of the input from here on, and zeros
/// replace the bytes that it does not have.
///
/// This is the grammar of RFC 3629, section 4, read backwards.
#[inline]
fn diagnose(four: [u8; 4], left: usize) -> (ErrorKind, u8, u8) {
    use ErrorKind::*;
    let [lead, second, third, fourth] = four;
    let expected = match lead {
        0x80..=0xBF => return (UnexpectedContinuation, 1, 1),
        0xC0 | 0xC1 => return (Overlong, 1, 1),
        0xF5..=0xF7 => return (TooLarge, 1, 1),
        0xF8..=0xFF => return (InvalidByte, 1, 1),
        0x00..=0xDF => 1,
        0xE0..=0xEF => 2,
        0xF0..=0xF4 => 3,
    };
    match (lead, second) {
        (0xE0, 0x80..=0x9F) | (0xF0, 0x80..=0x8F) => return (Overlong, 1, 2),
        (0xED, 0xA0..=0xBF) => return (Surrogate, 1, 2),
        (0xF4, 0x90..=0xBF) => return (TooLarge, 1, 2),
        _ => {}
    }
    // Each of these continues the sequence if all bytes before it do. (The sum has no branch.)
    let is_continuation = |byte: u8| byte & 0xC0 == 0x80;
    let second = is_continuation(second);
    let third = second & (expected > 1) & is_continuation(third);
    let fourth = third & (expected > 2) & is_continuation(fourth);
    let len = 1 + u8::from(second) + u8::from(third) + u8::from(fourth);
    if usize::from(len) == left { (Incomplete, len, len) } else { (Truncated, len, len + 1) }
}

/// Displays a number of bytes: `1 byte`, `2 bytes`.
pub struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// Displays bytes as the RFCs write them: upper-case pairs with spaces between them.
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, byte) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { " " })?;
            write!(f, "{byte:02X}")?;
        }
        Ok(())
    }
}

/// Implements what errors with a position and a sequence have in common.
macro_rules! errors_at {
    ($($error:ident),+) => {$(
        impl $error {
            /// Returns the length of the ill-formed sequence, 1 to 3 bytes, or `None` if the input ends too
            /// early.
            ///
            /// The next character may begin directly after it. The sequence is the 'maximal subpart' of the
            /// Unicode standard, which one U+FFFD replaces.
            ///
            /// ```
            /// assert_eq!(trust8::from_utf8(b"\xE2\x82?").unwrap_err().error_len(), Some(2));
            /// assert_eq!(trust8::from_utf8(b"\xE2\x82").unwrap_err().error_len(), None);
            /// ```
            #[inline]
            #[must_use]
            pub const fn error_len(&self) -> Option<usize> {
                self.sequence.error_len()
            }

            /// Returns which rule of RFC 3629 is broken.
            ///
            /// ```
            /// use trust8::ErrorKind;
            /// assert_eq!(trust8::from_utf8(b"\xC1\x81").unwrap_err().kind(), ErrorKind::Overlong);
            /// ```
            #[inline]
            #[must_use]
            pub const fn kind(&self) -> $crate::ErrorKind {
                self.sequence.kind()
            }

            /// Returns the bytes that prove the error: the ill-formed sequence, and the next byte if it is
            /// part of the proof.
            ///
            /// These are one to four bytes of the input. The error of these bytes alone has the same kind
            /// and the same [`reason`](Self::reason), so a report needs to keep only these bytes.
            ///
            /// ```
            /// let error = trust8::from_utf8(b"ab\xE2\x82!").unwrap_err();
            /// assert_eq!(error.bytes(), b"\xE2\x82!");
            /// assert_eq!(trust8::from_utf8(error.bytes()).unwrap_err().kind(), error.kind());
            /// ```
            #[inline]
            #[must_use]
            pub fn bytes(&self) -> &[u8] {
                self.sequence.seen()
            }

            /// Returns the message without the position, for messages that report the position in their own
            /// way.
            ///
            /// ```
            /// let error = trust8::from_utf8(b"ab\xFF").unwrap_err();
            /// assert_eq!(error.reason().to_string(), "FF never appears in UTF-8; expected a first byte (00 to 7F, C2 to F4)");
            /// ```
            #[must_use]
            pub fn reason(&self) -> impl core::fmt::Display + Copy + use<> {
                self.sequence
            }
        }

        impl core::fmt::Debug for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let mut fields = f.debug_struct(stringify!($error));
                self.sequence.debug(fields.field("valid_up_to", &self.valid_up_to))
            }
        }

        impl core::fmt::Display for $error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "invalid UTF-8 at byte {}: {}", self.valid_up_to, self.sequence)
            }
        }

        impl core::error::Error for $error {}
    )+};
}
pub(crate) use errors_at;
errors_at!(Utf8Error);

/// Writes what is wrong, and what was expected instead.
impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (four, kind) = (&self.0[4..], self.kind());
        let lead = four[0];
        // What may follow the first bytes of the character.
        let (first, last): (u8, u8) = match (lead, self.len()) {
            (0xE0, 1) => (0xA0, 0xBF),
            (0xED, 1) => (0x80, 0x9F),
            (0xF0, 1) => (0x90, 0xBF),
            (0xF4, 1) => (0x80, 0x8F),
            _ => (0x80, 0xBF),
        };
        let what = match kind {
            ErrorKind::UnexpectedContinuation => "is a continuation byte where a character must begin",
            ErrorKind::InvalidByte => "never appears in UTF-8",
            ErrorKind::Overlong if lead < 0xC2 => "begins an overlong form of an ASCII character",
            ErrorKind::Overlong => "begins an overlong form",
            ErrorKind::Surrogate => "begins a surrogate (U+D800 to U+DFFF)",
            ErrorKind::TooLarge => "begins a character above U+10FFFF",
            ErrorKind::Truncated | ErrorKind::Incomplete => {
                let begun = Hex(&four[..self.len()]);
                write!(f, "{begun} begins a character of {} bytes, and ", lead.leading_ones())?;
                match kind {
                    ErrorKind::Incomplete => f.write_str("the input ends")?,
                    _ => write!(f, "{:02X} follows", four[self.len()])?,
                }
                return write!(f, "; expected a continuation byte ({first:02X} to {last:02X})");
            }
        };
        // `{}` for a `str` would put the code for widths and precisions into small programs.
        write!(f, "{} ", Hex(self.seen()))?;
        f.write_str(what)?;
        match self.seen() {
            [_] => f.write_str("; expected a first byte (00 to 7F, C2 to F4)"),
            _ => write!(f, "; expected {first:02X} to {last:02X} after {lead:02X}"),
        }
    }
}

/// A buffer that is too small for the output. It will get no other fields.
///
/// ```
/// use trust8::{CopyError, copy_utf8};
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 3];
/// match copy_utf8(b"four", &mut buffer) {
///     Err(CopyError::TooSmall(error)) => assert_eq!((error.needed, error.len), (4, 3)),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TooSmall {
    /// The length that the buffer must have.
    pub needed: usize,
    /// The length that the buffer has.
    pub len: usize,
}

impl fmt::Display for TooSmall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the buffer has a length of {}, and must have {}", self.len, self.needed)
    }
}

impl core::error::Error for TooSmall {}

/// The error of [`copy_utf8`](crate::copy_utf8).
///
/// ```
/// use trust8::{CopyError, ErrorKind, copy_utf8};
///
/// match copy_utf8(b"ab\xC0\x80", &mut [core::mem::MaybeUninit::uninit(); 4]) {
///     Err(CopyError::Invalid(error)) => assert_eq!(error.kind(), ErrorKind::Overlong),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CopyError {
    /// The destination is shorter than the source. Nothing has been written.
    TooSmall(TooSmall),
    /// The source is not UTF-8. The text before the error has been written.
    Invalid(Utf8Error),
}

impl CopyError {
    /// Returns how many bytes of text have been written to the start of the destination.
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 8];
    /// assert_eq!(trust8::copy_utf8(b"abc\xFF", &mut buffer).unwrap_err().written(), 3);
    /// assert_eq!(trust8::copy_utf8(b"abc", &mut buffer[..2]).unwrap_err().written(), 0);
    /// ```
    #[must_use]
    pub const fn written(&self) -> usize {
        match self {
            Self::TooSmall(_) => 0,
            Self::Invalid(error) => error.valid_up_to(),
        }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall(error) => error.fmt(f),
            Self::Invalid(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CopyError {}

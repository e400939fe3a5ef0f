//! Text that arrives in pieces: validated as it comes, at full speed, refused at the first bad byte.
//!
//! A chunk may end inside a character. What is left of it then is at most three bytes, and only
//! these are kept; everything else is validated where it lies, in one call of the best kernel.
//!
//! ```text
//! push(chunk):
//!     if a character is pending: its missing bytes, the first 1 to 3 of the chunk, complete it
//!     if the chunk's last 1 to 3 bytes begin a character and do not complete it: keep them
//!     the kernel validates what lies between
//! ```
//!
//! Both ends are decided by arithmetic on four bytes, without a branch on what they are: in text
//! with characters of several bytes, where a chunk ends is chance, and a branch on it would be
//! predicted wrongly as often as not. Looking at the end *before* the kernel runs is what makes a
//! chunk that ends inside a character cost no more than another one: the kernel never sees the
//! unfinished character, so it need not say where the text stops.
//!
//! An error comes in the very push that brings the byte that makes it certain. `E0 80` is one at the
//! second byte, not at the third that never comes: what is kept between pushes is always the
//! beginning of some character.

#![forbid(unsafe_code)]

use core::fmt;
use core::hint::select_unpredictable;

use crate::error::{Hex, Sequence};
use crate::verdict::Verdict;
use crate::{ErrorKind, Kernel, dispatch};

/// Validates UTF-8 that arrives in pieces, cut anywhere, even inside a character.
///
/// The pieces need not be kept: the state is 16 bytes, which can be copied to try something and
/// be put back. No allocation, no `std`, no reference to the input.
///
/// ```
/// use trust8::{ErrorKind, Validator};
///
/// let mut validator = Validator::new();
/// validator.push(b"na\xC3")?;
/// assert_eq!((validator.valid_up_to(), validator.pending()), (2, &b"\xC3"[..]));
/// validator.push(b"\xAFve")?;
/// validator.finish()?;
///
/// // A surrogate is one as soon as its second byte is there.
/// validator.push(b"\xED")?;
/// let error = validator.push(b"\xA0").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (6, ErrorKind::Surrogate));
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, only as much of the buffer as was read is pushed:
///
/// ```
/// use std::io::Read;
/// use trust8::Validator;
///
/// fn is_text(mut reader: impl Read) -> std::io::Result<bool> {
///     let mut validator = Validator::new();
///     let mut buf = [0; 4096];
///     loop {
///         let n = reader.read(&mut buf)?;
///         if n == 0 {
///             return Ok(validator.finish().is_ok());
///         }
///         if validator.push(&buf[..n]).is_err() {
///             return Ok(false);
///         }
///     }
/// }
/// assert!(is_text(&b"Stra\xC3\x9Fe"[..])?);
/// assert!(!is_text(&b"Stra\xDFe"[..])?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Validator {
    /// Bytes of whole characters so far.
    valid_up_to: u64,
    state: State,
}

const _: () = assert!(size_of::<Validator>() <= 16);

#[derive(Clone, Copy)]
enum State {
    Sound(Pending),
    Failed(Sequence),
}

/// The beginning of a character, valid as far as it goes: up to three bytes, zeros behind them, and
/// as the fourth byte how many they are. In this form it is one word.
#[derive(Clone, Copy)]
pub(crate) struct Pending([u8; 4]);

impl Pending {
    const NONE: Self = Self([0; 4]);

    fn new(bytes: &[u8]) -> Self {
        let mut pending = [0; 4];
        pending[..bytes.len()].copy_from_slice(bytes);
        pending[3] = bytes.len() as u8;
        Self(pending)
    }

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.0[3].into()
    }

    fn as_slice(&self) -> &[u8] {
        &self.0[..self.len()]
    }
}

/// What may follow the first byte of a character, for each byte C0 to FF, by its low six bits.
///
/// - Bits 8 to B: the second byte may be 80 to 8F, 90 to 9F, A0 to AF, B0 to BF. So the bit's number
///   is the second byte's upper half.
/// - From bit `LENGTH` on: how many bytes the character has.
///
/// A byte that begins no character lets nothing follow. The place of C0 is taken by the entry for
/// no character at all, which has no bytes, and which anything may follow.
static AFTER: [u32; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = match 0xC0 + i as u8 {
            0xC0 => 0xFFFF,
            0xC2..=0xDF => 2 << LENGTH | 0b1111 << 8,
            0xE0 => 3 << LENGTH | 0b1100 << 8,
            0xED => 3 << LENGTH | 0b0011 << 8,
            0xE1..=0xEF => 3 << LENGTH | 0b1111 << 8,
            0xF0 => 4 << LENGTH | 0b1110 << 8,
            0xF1..=0xF3 => 4 << LENGTH | 0b1111 << 8,
            0xF4 => 4 << LENGTH | 0b0001 << 8,
            _ => 0,
        };
        i += 1;
    }
    table
};
const LENGTH: u32 = 16;

// Up to four bytes of a character are a `u32` below, the first byte lowest.

/// The entry of [`AFTER`] for the first byte of `character`, which is none or C1 to FF.
#[inline(always)]
fn after(character: u32) -> u32 {
    AFTER[(character & 0x3F) as usize]
}

/// Whether `entry` lets the second byte of `character` follow.
#[inline(always)]
fn allows(entry: u32, character: u32) -> bool {
    entry >> (character >> 12 & 0xF) & 1 == 1
}

/// A character whose first bytes came with an earlier chunk.
#[derive(Clone, Copy)]
struct Completed {
    bytes: [u8; 4],
    /// 2 to 4, or 0 if no character was pending.
    len: u8,
}

impl Completed {
    const NONE: Self = Self { bytes: [0; 4], len: 0 };
}

/// How a chunk is cut: what completes the pending character, the inside, what begins the next one.
#[derive(Clone, Copy)]
struct Cut {
    pending: Pending,
    completed: Completed,
    next: Pending,
}

impl Cut {
    /// What is left for the kernel.
    ///
    /// Both ends are in bounds and in order. A completed character took its bytes from the chunk: for
    /// where there are none zeros stand, and those complete nothing. All that it took are
    /// continuations, so a character that begins in the chunk begins behind them.
    #[inline(always)]
    fn inside(self, chunk: &[u8]) -> &[u8] {
        &chunk[usize::from(self.completed.len) - self.pending.len()..chunk.len() - self.next.len()]
    }
}

/// The chunk's first four bytes and its last four, with zeros for those that are not there.
#[inline(always)]
fn ends(chunk: &[u8]) -> (u32, u32) {
    if let (Some(first), Some(last)) = (chunk.first_chunk(), chunk.last_chunk()) {
        (u32::from_le_bytes(*first), u32::from_le_bytes(*last))
    } else {
        let all = match *chunk {
            [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
            [a, b] => u32::from_le_bytes([a, b, 0, 0]),
            [a] => a.into(),
            _ => 0,
        };
        (all, (u64::from(all) << (32 - 8 * (chunk.len() & 3))) as u32)
    }
}

/// The pending character with what the chunk begins with, if that completes it.
#[inline(always)]
fn complete(pending: Pending, first: u32) -> Option<Completed> {
    let begun = u32::from_le_bytes(pending.0) & 0xFF_FFFF;
    let character = begun | first << (8 * (pending.len() & 3));
    let entry = after(begun);
    let len = entry >> LENGTH;
    // The third and the fourth byte, as far as the character has them, must be 10......
    let within = ((1u64 << (8 * len)) - 1) as u32;
    let tail = 0xC0C0_0000 & within;
    let whole = allows(entry, character) & ((character ^ 0x8080_0000) & tail == 0);
    whole.then_some(Completed { bytes: (character & within).to_le_bytes(), len: len as u8 })
}

/// The last bytes of a chunk, if they begin a character that does not end there.
///
/// Only a *valid* beginning is one: any other end is for the kernel to object to.
#[inline(always)]
fn beginning(last: u32) -> Pending {
    let one = last.wrapping_sub(0xC200_0000) < 0x3300_0000; // .. .. .. C2-F4
    let two = last & 0xC0E0_0000 == 0x80E0_0000; //            .. .. E0-FF 80-BF
    let three = last & 0xC0C0_F000 == 0x8080_F000; //          .. F0-FF 80-BF 80-BF
    let len = u32::from(one) + 2 * u32::from(two) + 3 * u32::from(three);
    let begun = (u64::from(last) >> (32 - 8 * len)) as u32;
    let valid = one | allows(after(begun), begun);
    Pending(select_unpredictable(valid, begun | len << 24, 0).to_le_bytes())
}

/// How many bytes at the end of `chunk` begin a character and do not complete it.
pub(crate) fn unfinished(chunk: &[u8]) -> usize {
    beginning(ends(chunk).1).len()
}

impl Validator {
    /// At the start of the input.
    ///
    /// ```
    /// let validator = trust8::Validator::new();
    /// assert_eq!((validator.valid_up_to(), validator.pending()), (0, &[][..]));
    /// assert!(validator.finish().is_ok());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { valid_up_to: 0, state: State::Sound(Pending::NONE) }
    }

    /// Takes the next bytes of the input, any number of them, none included.
    ///
    /// # Errors
    ///
    /// If with these bytes it has become certain that the input is not UTF-8. The error stays: from
    /// then on every push returns it, until [`reset`](Self::reset).
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    ///
    /// let mut validator = Validator::new();
    /// assert!(validator.push(b"up to here\xF4").is_ok());
    /// let error = validator.push(b"\x90").unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.kind()), (10, ErrorKind::TooLarge));
    /// assert_eq!(validator.push(b"more"), Err(error));
    /// ```
    #[inline]
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), StreamError> {
        self.advance(chunk, dispatch::validate).map(|_| ())
    }

    /// [`push`](Self::push) with this kernel: for tests and measurements.
    ///
    /// # Errors
    ///
    /// Those of [`push`](Self::push).
    ///
    /// ```
    /// use trust8::{Kernel, Validator};
    ///
    /// for kernel in Kernel::available() {
    ///     let mut validator = Validator::new();
    ///     assert!(validator.push_with(kernel, b"\xF0\x9F").is_ok());
    ///     assert!(validator.push_with(kernel, b"\x98\x80\x80").is_err());
    /// }
    /// ```
    #[inline]
    pub fn push_with(&mut self, kernel: &Kernel, chunk: &[u8]) -> Result<(), StreamError> {
        self.advance(chunk, |bytes| kernel.verdict(bytes)).map(|_| ())
    }

    /// Says that the input ends here.
    ///
    /// # Errors
    ///
    /// If it ends inside a character, with [`ErrorKind::Incomplete`]; or the error that a push
    /// returned.
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    ///
    /// let mut validator = Validator::new();
    /// validator.push(b"caf\xC3").unwrap();
    /// let error = validator.finish().unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.kind()), (3, ErrorKind::Incomplete));
    ///
    /// validator.push(b"\xA9").unwrap();
    /// assert_eq!(validator.finish(), Ok(()));
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        match self.state {
            State::Sound(pending) if pending.len() == 0 => Ok(()),
            State::Sound(pending) => Err(self.error(Sequence::at_start_of(pending.as_slice()))),
            State::Failed(sequence) => Err(self.error(sequence)),
        }
    }

    /// How many bytes so far, from the start of the input, are known to be whole characters.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"a\xE2\x82").unwrap();
    /// assert_eq!(validator.valid_up_to(), 1);
    /// validator.push(b"\xAC").unwrap();
    /// assert_eq!(validator.valid_up_to(), 4);
    /// assert!(validator.push(b"b\xFF").is_err());
    /// assert_eq!(validator.valid_up_to(), 5);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }

    /// The last 0 to 3 bytes so far, if they begin a character that is not complete yet.
    ///
    /// Empty after an error.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"a\xE2\x82").unwrap();
    /// assert_eq!(validator.pending(), b"\xE2\x82");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        match &self.state {
            State::Sound(pending) => pending.as_slice(),
            State::Failed(_) => &[],
        }
    }

    /// Forgets everything: as [`new`](Self::new).
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// assert!(validator.push(b"\xFF").is_err());
    /// validator.reset();
    /// assert!(validator.push(b"text").is_ok());
    /// assert_eq!(validator.valid_up_to(), 4);
    /// ```
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    fn error(&self, sequence: Sequence) -> StreamError {
        StreamError { valid_up_to: self.valid_up_to, sequence }
    }

    /// The one step that everything here is made of.
    #[inline(always)]
    fn advance<'a>(
        &mut self,
        chunk: &'a [u8],
        validate: impl FnOnce(&'a [u8]) -> Verdict,
    ) -> Result<Piece<'a>, StreamError> {
        let State::Sound(pending) = self.state else { return self.stopped(chunk) };
        let (first, last) = ends(chunk);
        let Some(completed) = complete(pending, first) else { return self.stopped(chunk) };
        let cut = Cut { pending, completed, next: beginning(last) };
        let inside = cut.inside(chunk);
        let verdict = validate(inside);
        if verdict.is_valid()
            && let Ok(rest) = crate::text(inside, verdict)
        {
            Ok(self.accept(cut, rest))
        } else {
            self.judge(chunk, cut, verdict)
        }
    }

    #[inline(always)]
    fn accept<'a>(&mut self, cut: Cut, rest: &'a str) -> Piece<'a> {
        self.valid_up_to += u64::from(cut.completed.len) + rest.len() as u64;
        self.state = State::Sound(cut.next);
        Piece { completed: cut.completed, rest }
    }

    /// The kernel objects to what is inside the chunk.
    #[cold]
    #[inline(never)]
    fn judge<'a>(&mut self, chunk: &'a [u8], cut: Cut, verdict: Verdict) -> Result<Piece<'a>, StreamError> {
        let inside = cut.inside(chunk);
        match crate::text(inside, verdict) {
            Ok(rest) => Ok(self.accept(cut, rest)),
            Err(error) => {
                // The kernel has not seen the end of the chunk, which may belong to the sequence.
                let (valid, behind) = inside.split_at(error.valid_up_to());
                let seen = behind.len() + cut.next.len();
                self.valid_up_to += u64::from(cut.completed.len) + valid.len() as u64;
                Err(self.fail(Sequence::at_start_of(&chunk[chunk.len() - seen..])))
            }
        }
    }

    /// The pending character is not completed by `chunk`: it may still be, or never; or an error
    /// stands already.
    #[cold]
    #[inline(never)]
    fn stopped<'a>(&mut self, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        let pending = match self.state {
            State::Sound(pending) => pending,
            State::Failed(sequence) => return Err(self.error(sequence)),
        };
        // The longest ill-formed sequence and the byte behind it are four bytes.
        let mut bytes = [0; 4];
        let held = pending.len();
        let taken = chunk.len().min(4 - held);
        bytes[..held].copy_from_slice(pending.as_slice());
        bytes[held..held + taken].copy_from_slice(&chunk[..taken]);
        let sequence = Sequence::at_start_of(&bytes[..held + taken]);
        if sequence.kind() == ErrorKind::Incomplete {
            // So there are at most three bytes of it, and all of the chunk is among them.
            self.state = State::Sound(Pending::new(&bytes[..held + taken]));
            Ok(Piece { completed: Completed::NONE, rest: "" })
        } else {
            Err(self.fail(sequence))
        }
    }

    fn fail(&mut self, sequence: Sequence) -> StreamError {
        self.state = State::Failed(sequence);
        self.error(sequence)
    }
}

impl Default for Validator {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Validator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Validator");
        fields.field("valid_up_to", &self.valid_up_to);
        match self.state {
            State::Sound(pending) => fields.field("pending", &format_args!("{}", Hex(pending.as_slice()))),
            State::Failed(sequence) => fields.field("error", &self.error(sequence)),
        };
        fields.finish()
    }
}

/// The first place at which a stream is not UTF-8.
///
/// What [`core::str::from_utf8`] says about all the bytes together, with an offset from the start of
/// the stream, and with the reason.
///
/// ```
/// use trust8::{ErrorKind, Validator};
///
/// let mut validator = Validator::new();
/// validator.push(b"one, ").unwrap();
/// validator.push(b"two\xE2").unwrap();
/// let error = validator.push(b"\x82, three").unwrap_err();
/// assert_eq!(error.valid_up_to(), 8);
/// assert_eq!(error.error_len(), Some(2));
/// assert_eq!(error.kind(), ErrorKind::Truncated);
/// assert_eq!(
///     error.to_string(),
///     "invalid UTF-8 at byte 8: E2 82 begins a character of 3 bytes, and 2C follows; \
///      expected a continuation byte (80 to BF)"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamError {
    valid_up_to: u64,
    sequence: Sequence,
}

impl StreamError {
    /// How many bytes, from the start of the stream, are valid UTF-8. There the ill-formed sequence
    /// begins, be it in an earlier chunk than the one that gave the error.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"abc\xF0\x9F").unwrap();
    /// assert_eq!(validator.push(b"!").unwrap_err().valid_up_to(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.valid_up_to
    }

    /// How many bytes the ill-formed sequence has, 1 to 3, or `None` where the stream ends too early.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"abc\xF0\x9F").unwrap();
    /// assert_eq!(validator.finish().unwrap_err().error_len(), None);
    /// assert_eq!(validator.push(b"!").unwrap_err().error_len(), Some(2));
    /// ```
    #[inline]
    #[must_use]
    pub const fn error_len(&self) -> Option<usize> {
        self.sequence.error_len()
    }

    /// Which rule of RFC 3629 is broken.
    ///
    /// ```
    /// use trust8::{ErrorKind, Validator};
    /// assert_eq!(Validator::new().push(b"\xC0\xAF").unwrap_err().kind(), ErrorKind::Overlong);
    /// ```
    #[inline]
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.sequence.kind()
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sequence.debug(f.debug_struct("StreamError").field("valid_up_to", &self.valid_up_to))
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid UTF-8 at byte {}: {}", self.valid_up_to, self.sequence)
    }
}

impl core::error::Error for StreamError {}

/// A [`Validator`] that hands out the text: each chunk as `&str`, with nothing copied but the
/// character that a border cuts.
///
/// What the pieces hold, one after the other, is the input, without the [`pending`](Self::pending)
/// bytes at its end. So a parser can run on them.
///
/// ```
/// use trust8::stream::Decoder;
///
/// let mut decoder = Decoder::new();
/// let mut text = String::new();
/// for chunk in "Grüße aus Köln".as_bytes().chunks(3) {
///     text.extend(&decoder.decode(chunk)?);
/// }
/// decoder.finish()?;
/// assert_eq!(text, "Grüße aus Köln");
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, only as much of the buffer as was read is decoded:
///
/// ```
/// use std::io::Read;
/// use trust8::stream::Decoder;
///
/// let mut reader = "日本語".as_bytes();
/// let mut decoder = Decoder::new();
/// let mut buf = [0; 4];
/// let mut characters = 0;
/// loop {
///     let n = reader.read(&mut buf)?;
///     if n == 0 {
///         break;
///     }
///     let piece = decoder.decode(&buf[..n])?;
///     characters += piece.completed().chars().count() + piece.rest().chars().count();
/// }
/// decoder.finish()?;
/// assert_eq!(characters, 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, Debug)]
pub struct Decoder {
    validator: Validator,
}

impl Decoder {
    /// At the start of the input.
    ///
    /// ```
    /// assert!(trust8::stream::Decoder::new().decode(b"").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { validator: Validator::new() }
    }

    /// Takes the next bytes of the input and returns the text that they complete.
    ///
    /// # Errors
    ///
    /// If with these bytes it has become certain that the input is not UTF-8. The error stays: from
    /// then on every call returns it, until [`reset`](Self::reset). It says how far the text goes:
    ///
    /// ```
    /// use trust8::stream::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// let piece = decoder.decode(b"abc\xC3").unwrap();
    /// assert_eq!((piece.completed(), piece.rest()), ("", "abc"));
    /// let piece = decoder.decode(b"\xA9def").unwrap();
    /// assert_eq!((piece.completed(), piece.rest()), ("é", "def"));
    ///
    /// let begin = decoder.valid_up_to();
    /// let chunk = b"gh\xFF";
    /// let error = decoder.decode(chunk).unwrap_err();
    /// assert_eq!(&chunk[..(error.valid_up_to() - begin) as usize], b"gh");
    /// ```
    #[inline]
    pub fn decode<'a>(&mut self, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        self.validator.advance(chunk, dispatch::validate)
    }

    /// [`decode`](Self::decode) with this kernel: for tests and measurements.
    ///
    /// # Errors
    ///
    /// Those of [`decode`](Self::decode).
    ///
    /// ```
    /// use trust8::{Kernel, stream::Decoder};
    ///
    /// for kernel in Kernel::available() {
    ///     assert_eq!(Decoder::new().decode_with(kernel, b"abc").unwrap().rest(), "abc");
    /// }
    /// ```
    #[inline]
    pub fn decode_with<'a>(&mut self, kernel: &Kernel, chunk: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        self.validator.advance(chunk, |bytes| kernel.verdict(bytes))
    }

    /// Says that the input ends here.
    ///
    /// # Errors
    ///
    /// If it ends inside a character, or there has been an error.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"\xE2\x82").unwrap();
    /// assert_eq!(decoder.finish().unwrap_err().error_len(), None);
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        self.validator.finish()
    }

    /// How many bytes the pieces so far have together.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"abc\xE2\x82").unwrap();
    /// assert_eq!(decoder.valid_up_to(), 3);
    /// ```
    #[inline]
    #[must_use]
    pub const fn valid_up_to(&self) -> u64 {
        self.validator.valid_up_to()
    }

    /// The last 0 to 3 bytes so far, if they begin a character that is not complete yet.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"abc\xE2\x82").unwrap();
    /// assert_eq!(decoder.pending(), b"\xE2\x82");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.validator.pending()
    }

    /// Forgets everything: as [`new`](Self::new).
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert!(decoder.decode(b"\x80").is_err());
    /// decoder.reset();
    /// assert_eq!(decoder.decode(b"text").unwrap().rest(), "text");
    /// ```
    pub fn reset(&mut self) {
        self.validator.reset();
    }
}

/// A decoder that goes on where the validator stands.
///
/// ```
/// use trust8::{Validator, stream::Decoder};
/// let mut validator = Validator::new();
/// validator.push(b"abc\xC3").unwrap();
/// assert_eq!(Decoder::from(validator).decode(b"\xA9").unwrap().completed(), "é");
/// ```
impl From<Validator> for Decoder {
    fn from(validator: Validator) -> Self {
        Self { validator }
    }
}

/// A validator that goes on where the decoder stands.
///
/// ```
/// use trust8::{Validator, stream::Decoder};
/// let mut decoder = Decoder::new();
/// decoder.decode(b"abc\xC3").unwrap();
/// assert_eq!(Validator::from(decoder).pending(), b"\xC3");
/// ```
impl From<Decoder> for Validator {
    fn from(decoder: Decoder) -> Self {
        decoder.validator
    }
}

/// The text that one chunk brings: a character that it completes, then the rest.
///
/// ```
/// let mut decoder = trust8::stream::Decoder::new();
/// decoder.decode(b"\xF0\x9F").unwrap();
/// let piece = decoder.decode(b"\x98\x80, hello \xC3").unwrap();
/// assert_eq!(piece.completed(), "😀");
/// assert_eq!(piece.rest(), ", hello ");
/// assert_eq!(piece.into_iter().collect::<String>(), "😀, hello ");
/// assert_eq!(piece.to_string(), "😀, hello ");
/// ```
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    completed: Completed,
    rest: &'a str,
}

impl<'a> Piece<'a> {
    /// The character that began in an earlier chunk and ends in this one; empty if there is none.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert_eq!(decoder.decode(b"a\xC2").unwrap().completed(), "");
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().completed(), "µ");
    /// ```
    #[must_use]
    pub fn completed(&self) -> &str {
        // At most four bytes: looking at them once more is cheaper than to be trusted about them.
        core::str::from_utf8(&self.completed.bytes[..self.completed.len as usize])
            .expect("`complete` has found them to be a character")
    }

    /// The chunk itself, without what completes an earlier character and without what begins one
    /// at its end.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// assert_eq!(decoder.decode(b"a\xC2").unwrap().rest(), "a");
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().rest(), "b");
    /// ```
    #[inline]
    #[must_use]
    pub const fn rest(&self) -> &'a str {
        self.rest
    }

    /// How many bytes both have together.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"\xC2").unwrap();
    /// assert_eq!(decoder.decode(b"\xB5b").unwrap().len(), 3);
    /// ```
    #[must_use]
    pub const fn len(&self) -> usize {
        self.completed.len as usize + self.rest.len()
    }

    /// Whether the chunk brought no text: it had no bytes, or only some of a character.
    ///
    /// ```
    /// assert!(trust8::stream::Decoder::new().decode(b"\xE2\x82").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The one or two strings that are not empty.
impl<'p> IntoIterator for &'p Piece<'_> {
    type Item = &'p str;
    type IntoIter = core::iter::Filter<core::array::IntoIter<&'p str, 2>, fn(&&'p str) -> bool>;

    fn into_iter(self) -> Self::IntoIter {
        [self.completed(), self.rest].into_iter().filter(|text| !text.is_empty())
    }
}

impl fmt::Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.completed())?;
        f.write_str(self.rest)
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Piece").field("completed", &self.completed()).field("rest", &self.rest).finish()
    }
}

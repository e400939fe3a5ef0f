//! The validator for text in pieces.
//!
//! ```text
//! push(piece):
//!     if it has 8 to 32 bytes, all ASCII, and comes after ASCII: accept it
//!     if it has 4 to 512 bytes: the kernel validates it as it is, after the last four bytes of the input so far
//!     if it is longer, comes after ASCII, and ends with ASCII: the kernel validates it as it is
//!     if it is shorter: a table says of each byte whether it may follow
//!     otherwise, or if the kernel did not say yes:
//!         if a character is pending, the first 1 to 3 bytes of the piece must complete it
//!         if the last 1 to 3 bytes of the piece begin a character and do not complete it, they are pending from now on
//!         the kernel validates what lies between
//! ```
//!
//! Only the bytes of a cut character are copied. `cut.rs` has the second half of this algorithm,
//! and `state.rs` the state between two calls.
//!
//! The push with the byte that makes an error certain reports it. `E0 80` is an error at the second
//! byte, before a third one arrives. So the state between pushes is always the well-formed
//! beginning of a character.

#![forbid(unsafe_code)]

use core::fmt;

use super::cut::{Cut, LastFour};
use super::error::StreamError;
use super::piece::Piece;
use super::state::{Packed, State};
use crate::error::{ErrorKind, Hex, Sequence};
use crate::kernel::{Continues, EntryPoints, Kernel, Rejected, is_short_ascii};

/// A static, because `push` is inlined into other crates.
static CONTINUES: EntryPoints<[u8; 4], bool> = EntryPoints::of::<Continues>();

/// Validates UTF-8 in pieces, which may be cut anywhere, even inside a character.
///
/// The pieces need not be kept. The state is 16 bytes, which can be copied: keep a copy to go back
/// to this point later. A validator allocates nothing, works without `std`, and holds no reference
/// to the input.
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
/// // A surrogate is reported as soon as its second byte is there.
/// validator.push(b"\xED")?;
/// let error = validator.push(b"\xA0").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (6, ErrorKind::Surrogate));
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, push only as much of the buffer as was read:
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
    state: Packed,
}

const _: () = assert!(size_of::<Validator>() <= 16);

impl Validator {
    /// Returns a validator at the start of the input.
    ///
    /// ```
    /// let validator = trust8::Validator::new();
    /// assert_eq!((validator.valid_up_to(), validator.pending()), (0, &[][..]));
    /// assert!(validator.finish().is_ok());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { state: Packed::sound(0, LastFour([0; 4])) }
    }

    /// Returns a validator that continues after `valid_up_to` bytes of whole characters and then
    /// `pending`.
    ///
    /// [`valid_up_to`](Self::valid_up_to) and [`pending`](Self::pending) are the whole state of a
    /// validator without an error. So they can be stored anywhere, such as in a file or in another
    /// language's memory, to continue later.
    ///
    /// Returns `None` if `pending` is not the well-formed beginning of a character, or if
    /// `valid_up_to` is greater than [`i64::MAX`].
    ///
    /// ```
    /// use trust8::Validator;
    ///
    /// let mut validator = Validator::new();
    /// validator.push(b"ab\xE2\x82")?;
    /// let mut later = Validator::resume(validator.valid_up_to(), validator.pending()).unwrap();
    /// later.push(b"\xAC")?;
    /// assert_eq!(later.valid_up_to(), 5);
    ///
    /// assert!(Validator::resume(2, b"\xE0\x80").is_none());
    /// # Ok::<(), trust8::stream::StreamError>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn resume(valid_up_to: u64, pending: &[u8]) -> Option<Self> {
        if valid_up_to > i64::MAX as u64 {
            return None;
        }
        let tail = LastFour::of_pending(pending)?;
        Some(Self { state: Packed::sound(valid_up_to + pending.len() as u64, tail) })
    }

    /// Returns a validator after `pushed` bytes that end with `last`, or `None` if no well-formed
    /// beginning of a text ends with these bytes, or if `pushed` is greater than [`i64::MAX`]. Pad
    /// a text of fewer than four bytes with ASCII on the left.
    ///
    /// Unlike [`resume`](Self::resume), it does not branch on the number of pending bytes.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn from_parts(pushed: u64, last: [u8; 4]) -> Option<Self> {
        let tail = LastFour::of_last(last)?;
        if pushed > i64::MAX as u64 || pushed < tail.pending_len() as u64 {
            return None;
        }
        Some(Self { state: Packed::sound(pushed, tail) })
    }

    /// Returns how many bytes were pushed, and the last four of them, or equivalent bytes. Returns
    /// `None` after an error.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn parts(&self) -> Option<(u64, [u8; 4])> {
        self.state.tail().map(|tail| (self.state.accepted, tail.0))
    }

    /// Validates `piece`, the next bytes of the input. It may have any length, even 0.
    /// [`decode`](Self::decode) also returns its text, which need not be validated again.
    ///
    /// # Errors
    ///
    /// Returns an error if `piece` makes it certain that the input is not UTF-8. The error stays:
    /// every later call returns it, until [`reset`](Self::reset).
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
    #[inline(always)]
    pub fn push(&mut self, piece: &[u8]) -> Result<(), StreamError> {
        if is_short_ascii(piece) && self.state.is_sound_and_ends_in_ascii() {
            self.state.accept_ascii(piece.len());
            return Ok(());
        }
        if self.accept_as_is(piece, Kernel::best()) {
            return Ok(());
        }
        let (next, result) = self.pushed(Kernel::best(), piece);
        *self = next;
        result
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error of the kind [`ErrorKind::Incomplete`] if the input ends inside a character,
    /// or the error that was returned.
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
        match self.state.unpack() {
            State::Sound(tail) if tail.pending_len() == 0 => Ok(()),
            State::Sound(_) => Err(self.error(Sequence::at_start_of(self.pending()))),
            State::Failed(sequence) => Err(self.error(sequence)),
        }
    }

    /// Returns how many bytes, from the start of the input, are known to be whole characters.
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
        self.state.valid_up_to()
    }

    /// Returns the last bytes of the input so far, if they begin a character that is not complete
    /// yet: 0 to 3 bytes.
    ///
    /// After an error there are none.
    ///
    /// ```
    /// let mut validator = trust8::Validator::new();
    /// validator.push(b"a\xE2\x82").unwrap();
    /// assert_eq!(validator.pending(), b"\xE2\x82");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        self.state.pending()
    }

    /// Forgets everything, as if the validator were [new](Self::new).
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

    /// Returns the error that a push returned, if any.
    pub(crate) fn status(&self) -> Result<(), StreamError> {
        match self.state.unpack() {
            State::Sound(_) => Ok(()),
            State::Failed(sequence) => Err(self.error(sequence)),
        }
    }

    fn error(&self, sequence: Sequence) -> StreamError {
        StreamError::new(self.valid_up_to(), sequence)
    }

    /// Accepts `piece` and returns `true` if there was no error and the kernel finds at once that
    /// `piece` continues the input. Otherwise nothing changes.
    ///
    /// Checking the uncut piece is less work than cutting whole characters out of it first, as
    /// [`decode`](Self::decode) does.
    #[inline(always)]
    fn accept_as_is(&mut self, piece: &[u8], kernel: &Kernel) -> bool {
        let Some(last) = piece.last_chunk() else { return false };
        let Some(tail) = self.state.tail() else { return false };
        let continues = CONTINUES.run(kernel, piece, tail.0);
        if continues {
            self.state.accept(piece.len(), LastFour(*last));
        }
        continues
    }

    /// Handles all other pieces for [`push`](Self::push). It is a separate function, to keep the
    /// code around the call of the kernel small.
    ///
    /// It takes the validator by value: a validator whose address is never taken can live in
    /// registers while its owner loops.
    #[inline(never)]
    fn pushed(mut self, kernel: &Kernel, piece: &[u8]) -> (Self, Result<(), StreamError>) {
        if piece.len() < 4
            && let Some(tail) = self.state.tail()
            && let Some(next) = piece.iter().try_fold(tail, |tail, &byte| tail.followed_by(byte))
        {
            self.state.accept(piece.len(), next);
            return (self, Ok(()));
        }
        let result = self.decode_by(kernel, piece).map(|_| ());
        (self, result)
    }

    /// Validates `piece` and returns the text that it completes.
    ///
    /// After a failure, [`stopped`](Self::stopped) starts over with the piece. So the compiler must
    /// keep little in registers here.
    #[inline(always)]
    pub(super) fn decode_by<'a>(
        &mut self,
        kernel: &Kernel,
        piece: &'a [u8],
    ) -> Result<Piece<'a>, StreamError> {
        let stop = 'stop: {
            let Some(tail) = self.state.tail() else { break 'stop Refused::Failed };
            let Some(cut) = Cut::of(tail.pending(), piece) else { break 'stop Refused::NotCompleted };
            match kernel.check(cut.inside) {
                Ok(rest) => {
                    self.state.accept(piece.len(), cut.next.as_tail());
                    return Ok(Piece { completed: cut.completed, rest });
                }
                Err(rejected) => Refused::Rejected(cut, rejected),
            }
        };
        let (next, result) = self.stopped(piece, stop);
        *self = next;
        result
    }

    /// Finishes the work of [`decode`](Self::decode).
    ///
    /// It takes the validator by value: a validator whose address is never taken can live in
    /// registers while its owner loops.
    #[cold]
    #[inline(never)]
    fn stopped<'a>(mut self, piece: &'a [u8], stop: Refused<'a>) -> (Self, Result<Piece<'a>, StreamError>) {
        let result = match stop {
            Refused::Failed => self.status().map(|()| Piece::EMPTY),
            Refused::NotCompleted => self.wait(piece),
            Refused::Rejected(cut, rejected) => self.judge(piece, &cut, rejected),
        };
        (self, result)
    }

    /// Finds the error that the kernel suspects inside `piece`.
    fn judge<'a>(
        &mut self,
        piece: &'a [u8],
        cut: &Cut<'a>,
        rejected: Rejected<'a>,
    ) -> Result<Piece<'a>, StreamError> {
        match rejected.text() {
            Ok(rest) => {
                self.state.accept(piece.len(), cut.next.as_tail());
                Ok(Piece { completed: cut.completed, rest })
            }
            Err(error) => {
                // The kernel has not read the end of the piece, which may belong to the sequence.
                let (valid, after) = cut.inside.split_at(error.valid_up_to());
                let seen = after.len() + cut.next.len();
                let valid = cut.completed.len() + valid.len();
                Err(self.fail(valid, Sequence::at_start_of(&piece[piece.len() - seen..])))
            }
        }
    }

    /// Keeps the pending bytes and those of `piece`, which does not complete the pending character.
    /// The character may still be completed, or `piece` may have a byte that cannot follow.
    fn wait<'a>(&mut self, piece: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        // The longest ill-formed sequence and the byte after it are four bytes.
        let mut bytes = [0; 4];
        let pending = self.pending();
        let held = pending.len();
        let taken = piece.len().min(4 - held);
        bytes[..held].copy_from_slice(pending);
        bytes[held..held + taken].copy_from_slice(&piece[..taken]);
        let sequence = Sequence::at_start_of(&bytes[..held + taken]);
        if sequence.kind() == ErrorKind::Incomplete {
            // It has at most three bytes, and all of `piece` is among them.
            let tail = u32::from_be_bytes(bytes).unbounded_shr(8 * (4 - held - taken) as u32);
            self.state.accept(piece.len(), LastFour(tail.to_be_bytes()));
            Ok(Piece::EMPTY)
        } else {
            Err(self.fail(0, sequence))
        }
    }

    /// Fails: after the whole characters so far come `valid` more bytes of them, and then
    /// `sequence`.
    fn fail(&mut self, valid: usize, sequence: Sequence) -> StreamError {
        self.state.fail(valid, sequence);
        self.error(sequence)
    }
}

/// Why [`Validator::decode_by`] has stopped before it accepted a piece.
#[derive(Clone, Copy)]
enum Refused<'a> {
    /// There was an error in an earlier piece.
    Failed,
    /// The piece does not complete the pending character: it is too short, or has a wrong byte.
    NotCompleted,
    /// The kernel rejects the inside of the piece.
    Rejected(Cut<'a>, Rejected<'a>),
}

impl Kernel {
    /// Does the same as [`Validator::push`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    #[inline(always)]
    pub fn push(&self, validator: &mut Validator, piece: &[u8]) -> Result<(), StreamError> {
        if validator.accept_as_is(piece, self) {
            return Ok(());
        }
        let (next, result) = validator.pushed(self, piece);
        *validator = next;
        result
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
        fields.field("valid_up_to", &self.valid_up_to());
        match self.status() {
            Ok(()) => fields.field("pending", &format_args!("{}", Hex(self.pending()))),
            Err(error) => fields.field("error", &error),
        };
        fields.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "ab\u{E9}\u{65E5}\u{1F600}\u{7FF}c\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}\u{80}de";

    /// Every kernel continues from the parts just as from the validator itself.
    #[test]
    fn a_validator_continues_from_its_parts() {
        for kernel in Kernel::available() {
            for at in 0..=TEXT.len() {
                let (before, after) = TEXT.as_bytes().split_at(at);
                let mut validator = Validator::new();
                kernel.push(&mut validator, before).expect("it is the start of UTF-8");
                let (pushed, last) = validator.parts().expect("there is no error");
                assert_eq!(pushed, at as u64);
                let mut later = Validator::from_parts(pushed, last).expect("a validator has these parts");
                assert_eq!(
                    (later.valid_up_to(), later.pending()),
                    (validator.valid_up_to(), validator.pending())
                );
                assert_eq!(kernel.push(&mut later, after), Ok(()), "{kernel:?}, {at}");
                assert_eq!(
                    (later.valid_up_to(), later.finish()),
                    (TEXT.len() as u64, Ok(())),
                    "{kernel:?}, {at}"
                );
                assert_eq!(kernel.push(&mut validator, b"\xFF").map_err(|_| validator.parts()), Err(None));
            }
        }
    }

    /// The oracle tries the four bytes after every text that may come before them.
    #[test]
    fn parts_that_no_validator_has_are_refused() {
        const BYTES: [u8; 19] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF,
            0xF0, 0xF4, 0xF5,
        ];
        // Under an emulator or Valgrind: a part, which has every pair of bytes at every two places.
        let slow = std::env::var("TRUST8_TEST_SCALE").is_ok_and(|scale| scale.len() > 2);
        for number in (0..BYTES.len().pow(4)).step_by(if slow { 13 } else { 1 }) {
            let last: [u8; 4] =
                core::array::from_fn(|i| BYTES[number / BYTES.len().pow(i as u32) % BYTES.len()]);
            let before: [&[u8]; 6] = [b"", b"\xC2", b"\xE1", b"\xE1\x80", b"\xF1\x80\x80", b"\xF1"];
            let may_be_an_end = before.iter().any(|before| {
                let text = [before, &last[..]].concat();
                Kernel::available()[0].push(&mut Validator::new(), &text).is_ok()
            });
            match Validator::from_parts(1000, last) {
                Some(validator) => {
                    let pending = validator.pending();
                    assert!(pending.is_empty() || Validator::resume(0, pending).is_some(), "{last:02X?}");
                    assert_eq!(validator.valid_up_to() + pending.len() as u64, 1000, "{last:02X?}");
                }
                None => assert!(!may_be_an_end, "{last:02X?}"),
            }
        }
        assert!(Validator::from_parts(1, *b"ab\xE6\x97").is_none());
        assert!(Validator::from_parts(1 << 63, *b"abcd").is_none());
    }
}

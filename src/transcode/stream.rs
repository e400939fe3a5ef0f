//! Text that arrives in pieces, cut anywhere: inside a character, a surrogate pair, a unit.
//!
//! What a piece cuts off is three bytes at most, in every form. They are kept, and become a character
//! together with the first bytes of the next piece; everything else is converted where it lies.

#![forbid(unsafe_code)]

use core::fmt;
use core::mem::MaybeUninit;

use super::error::{Fault, StreamError};
use super::form::Form;
use super::route::{End, Route};
use super::scalar::{self, Next, Refusal};
use crate::kernel::Kernel;
use crate::output::Output;

/// Converts text that arrives in pieces.
///
/// ```
/// use trust8::transcode::{Encoding::*, Str, Transcoder};
///
/// let mut transcoder = Transcoder::new(Utf16Le, Str);
/// let mut text = String::new();
/// // Cut inside a unit, and inside a surrogate pair.
/// for piece in [&b"\x68"[..], b"\0\x3D", b"\xD8", b"\x00\xDE!\0"] {
///     transcoder.push(piece, &mut text)?;
/// }
/// transcoder.finish(&mut text)?;
/// assert_eq!(text, "h😀!");
/// # Ok::<(), trust8::transcode::StreamError>(())
/// ```
#[derive(Clone)]
pub struct Transcoder<F: Form, T: Form> {
    route: Route,
    forms: (F, T),
    /// Bytes so far that have been converted.
    converted: u64,
    /// The first bytes of a character, whose others are still to come.
    held: [u8; 4],
    held_len: usize,
    failed: Option<Fault>,
}

/// What [`Transcoder::push_into`] has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// How many units of the piece have been taken.
    pub read: usize,
    /// How many units have been written to the start of the buffer.
    pub written: usize,
}

impl<F: Form, T: Form> Transcoder<F, T> {
    /// For text that must be well-formed.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::new(Utf8, Utf16);
    /// let mut units = Vec::new();
    /// transcoder.push(b"caf\xC3", &mut units)?;
    /// transcoder.push(b"\xA9", &mut units)?;
    /// assert_eq!(String::from_utf16_lossy(&units), "café");
    /// # Ok::<(), trust8::transcode::StreamError>(())
    /// ```
    #[must_use]
    pub fn new(from: F, to: T) -> Self {
        Self::with_kernel(Kernel::best(), from, to, false)
    }

    /// For text in which replacements stand in for what can't be converted. It never fails.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::lossy(Utf8, Str);
    /// let mut text = String::new();
    /// transcoder.push(b"\xF0\x9F", &mut text)?;
    /// transcoder.push(b"!\xFF", &mut text)?;
    /// transcoder.finish(&mut text)?;
    /// assert_eq!(text, "\u{FFFD}!\u{FFFD}");
    /// # Ok::<(), trust8::transcode::StreamError>(())
    /// ```
    #[must_use]
    pub fn lossy(from: F, to: T) -> Self {
        Self::with_kernel(Kernel::best(), from, to, true)
    }

    /// Either of them with this kernel: for tests and measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn with_kernel(kernel: &'static Kernel, from: F, to: T, lossy: bool) -> Self {
        let route = Route { kernel, from: from.layout(), to: to.layout(), lossy };
        Self { route, forms: (from, to), converted: 0, held: [0; 4], held_len: 0, failed: None }
    }

    /// Converts the next piece of the text and appends the result.
    ///
    /// # Errors
    ///
    /// If with this piece it has become certain that the text can't be converted. What comes before the
    /// error has been appended. The error stays: every further push returns it.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut bytes = Vec::new();
    /// let mut transcoder = Transcoder::new(Str, Latin1);
    /// let error = transcoder.push("für 5 €", &mut bytes).unwrap_err();
    /// assert_eq!((error.position(), &bytes[..]), (7, &b"f\xFCr 5 "[..]));
    /// ```
    #[cfg(feature = "alloc")]
    pub fn push(&mut self, piece: &F::Text, text: &mut T::Owned) -> Result<(), StreamError> {
        self.sound()?;
        let piece = F::bytes(piece);
        let mut at = 0;
        let mut ended = End::All;
        let route = self.route;
        // What is kept may become a character.
        let wanted = route.length_in::<T>(piece).saturating_add(super::CHARACTER);
        super::append::<T>(text, wanted, |out| {
            let (read, end) = self.advance(&piece[at..], out);
            at += read;
            ended = end;
            matches!(end, End::Full).then(|| route.length_in::<T>(&piece[at..]))
        });
        match ended {
            End::Malformed(fault) => Err(self.fail(fault)),
            _ => Ok(()),
        }
    }

    /// Converts the next piece of the text into a buffer, as far as it fits.
    ///
    /// Whole characters are written, and as many as fit: the rest of the piece is to be pushed next. In a buffer
    /// of four units there is always some progress.
    ///
    /// # Errors
    ///
    /// If the piece begins with what can't be converted. Where something comes before it, that is converted
    /// first, and the error comes when the rest is pushed. The error stays: every further push returns it.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8::transcode::{Encoding::*, Progress, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Latin1, Utf8);
    /// let mut buffer = [MaybeUninit::uninit(); 6];
    /// let progress = transcoder.push_into(b"d\xE9j\xE0 vu", &mut buffer)?;
    /// assert_eq!(progress, Progress { read: 4, written: 6 });
    /// let progress = transcoder.push_into(b" vu", &mut buffer)?;
    /// assert_eq!(progress, Progress { read: 3, written: 3 });
    /// # Ok::<(), trust8::transcode::StreamError>(())
    /// ```
    pub fn push_into(
        &mut self,
        piece: &F::Text,
        buffer: &mut [MaybeUninit<T::Unit>],
    ) -> Result<Progress, StreamError> {
        self.sound()?;
        let mut out = Output::new(T::room(buffer));
        let (read, end) = self.advance(F::bytes(piece), &mut out);
        match end {
            End::Malformed(fault) if read == 0 && out.len() == 0 => Err(self.fail(fault)),
            _ => {
                Ok(Progress { read: read / size_of::<F::Unit>(), written: out.len() / size_of::<T::Unit>() })
            }
        }
    }

    /// Says that the text ends here, and appends the replacement for a character that is cut off.
    ///
    /// # Errors
    ///
    /// If the text ends inside a character and replacements are not wanted; or the error that a push returned.
    ///
    /// ```
    /// use trust8::transcode::{Kind, Str, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::new(Utf16, Str);
    /// let mut text = String::new();
    /// transcoder.push(&[0x61, 0xD83D], &mut text).unwrap();
    /// let error = transcoder.finish(&mut text).unwrap_err();
    /// assert_eq!((error.position(), error.kind()), (1, Kind::LoneHigh(0xD83D)));
    /// ```
    #[cfg(feature = "alloc")]
    pub fn finish(&mut self, text: &mut T::Owned) -> Result<(), StreamError> {
        let mut result = Ok(());
        super::append::<T>(text, super::CHARACTER, |out| {
            result = self.end(out);
            None
        });
        result
    }

    /// Says that the text ends here, and writes the replacement for a character that is cut off, if it fits: four
    /// units are enough. Returns how many units have been written.
    ///
    /// # Errors
    ///
    /// If the text ends inside a character and replacements are not wanted; or the error that a push returned.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8::transcode::{Encoding::*, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::lossy(Utf8, Utf16);
    /// let mut buffer = [MaybeUninit::uninit(); 4];
    /// transcoder.push_into(b"\xE2\x82", &mut buffer)?;
    /// assert_eq!(transcoder.finish_into(&mut buffer)?, 1);
    /// # Ok::<(), trust8::transcode::StreamError>(())
    /// ```
    pub fn finish_into(&mut self, buffer: &mut [MaybeUninit<T::Unit>]) -> Result<usize, StreamError> {
        let mut out = Output::new(T::room(buffer));
        self.end(&mut out)?;
        Ok(out.len() / size_of::<T::Unit>())
    }

    /// How many units so far, from the start of the text, have been converted.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Utf8, Str);
    /// transcoder.push(b"a\xE2\x82", &mut String::new()).unwrap();
    /// assert_eq!((transcoder.position(), transcoder.pending()), (1, &b"\xE2\x82"[..]));
    /// ```
    #[must_use]
    pub fn position(&self) -> u64 {
        self.converted / size_of::<F::Unit>() as u64
    }

    /// The last bytes so far, three at most, if they begin a character that is not complete yet.
    ///
    /// ```
    /// use trust8::transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Utf16Be, Str);
    /// transcoder.push(b"\0a\xD8\0\xDC", &mut String::new()).unwrap();
    /// assert_eq!(transcoder.pending(), b"\xD8\0\xDC");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.held[..self.held_len]
    }

    fn sound(&self) -> Result<(), StreamError> {
        match self.failed {
            None => Ok(()),
            Some(fault) => Err(StreamError { position: self.position(), fault }),
        }
    }

    fn fail(&mut self, fault: Fault) -> StreamError {
        self.failed = Some(fault);
        StreamError { position: self.position(), fault }
    }

    /// Converts as much of the piece as fits: how much, and what comes then, which is never a cut.
    fn advance(&mut self, piece: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let mut at = 0;
        while self.held_len > 0 {
            match self.complete(&piece[at..], out) {
                Ok(0) if at == piece.len() => return (at, End::All),
                Ok(read) => at += read,
                Err(end) => return (at, end),
            }
        }
        let (read, end) = self.route.run(&piece[at..], out);
        at += read;
        self.converted += read as u64;
        if let End::Cut(_) = end {
            self.hold(&piece[at..]);
            return (piece.len(), End::All);
        }
        (at, end)
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held[..bytes.len()].copy_from_slice(bytes);
        self.held_len = bytes.len();
    }

    /// Converts what is held, with as many bytes of the piece as belong to it: how many. Or holds those as well.
    fn complete(&mut self, piece: &[u8], out: &mut Output<'_>) -> Result<usize, End> {
        let held = self.held_len;
        // No character has more than four bytes, nor does a malformed sequence with the byte behind it.
        let mut bytes = [0; 8];
        let added = piece.len().min(4);
        bytes[..held].copy_from_slice(self.pending());
        bytes[held..held + added].copy_from_slice(&piece[..added]);
        let bytes = &bytes[..held + added];

        let Route { from, to, lossy, .. } = self.route;
        let (fault, len) = match scalar::next(from, bytes) {
            Next::Char(char, len) => match scalar::put(to, char, out) {
                Ok(()) => return Ok(self.take(bytes, len)),
                Err(Refusal::Full) => return Err(End::Full),
                Err(Refusal::NotLatin1) => (Fault::Other(super::Kind::NotLatin1(char)), len),
            },
            Next::Malformed(fault, len) => (fault, len),
            Next::Cut(_) => {
                // So there are three of them at most.
                self.hold(bytes);
                return Ok(added);
            }
        };
        if !lossy {
            return Err(End::Malformed(fault));
        }
        if !scalar::put_replacement(to, out) {
            return Err(End::Full);
        }
        Ok(self.take(bytes, len))
    }

    /// Counts the first `len` of the bytes as converted; returns how many of them were not held.
    fn take(&mut self, bytes: &[u8], len: usize) -> usize {
        self.converted += len as u64;
        let held = self.held_len;
        if len < held {
            // A high surrogate that is alone, and half of the unit behind it.
            self.hold(&bytes[len..held]);
            return 0;
        }
        self.held_len = 0;
        len - held
    }

    fn end(&mut self, out: &mut Output<'_>) -> Result<(), StreamError> {
        self.sound()?;
        if self.held_len == 0 {
            return Ok(());
        }
        if !self.route.lossy {
            return match scalar::next(self.route.from, self.pending()) {
                Next::Cut(fault) | Next::Malformed(fault, _) => Err(self.fail(fault)),
                Next::Char(..) => Ok(()),
            };
        }
        if scalar::put_replacement(self.route.to, out) {
            self.converted += self.held_len as u64;
            self.held_len = 0;
        }
        Ok(())
    }
}

impl<F: Form + fmt::Debug, T: Form + fmt::Debug> fmt::Debug for Transcoder<F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transcoder")
            .field("from", &self.forms.0)
            .field("to", &self.forms.1)
            .field("position", &self.position())
            .field("pending", &self.pending())
            .finish_non_exhaustive()
    }
}

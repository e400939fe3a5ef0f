//! Conversion of text that arrives in pieces. A piece may end anywhere: inside a character, a
//! surrogate pair, or a unit.
//!
//! In every encoding, a piece cuts off at most three bytes. They are kept and become a character
//! together with the first bytes of the next piece. Everything else is converted in place.

#![forbid(unsafe_code)]

use core::fmt;
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use super::append::{CHARACTER_UNITS, append_written};
use super::codec::Next;
use super::error::{Fault, TranscoderError};
use super::form::Form;
use super::route::{End, Route};
use super::{Source, scalar};
use trust8::engine::{Output, Progress};

/// Converts text that arrives in pieces.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Transcoder};
///
/// let mut transcoder = Transcoder::new(Utf16Le, Str);
/// let mut text = String::new();
/// // Cut inside a unit, and inside a surrogate pair.
/// for piece in [&b"\x68"[..], b"\0\x3D", b"\xD8", b"\x00\xDE!\0"] {
///     transcoder.push(piece, &mut text)?;
/// }
/// transcoder.finish(&mut text)?;
/// assert_eq!(text, "h😀!");
/// # Ok::<(), trust8_transcode::TranscoderError>(())
/// ```
#[derive(Clone)]
pub struct Transcoder<F: Form, T: Form> {
    /// Lossy only after the first replacement: before that, the route stops at the first fault.
    route: Route,
    lossy: bool,
    /// The first place at which something was replaced.
    replaced: Option<TranscoderError>,
    forms: (F, T),
    /// The number of bytes converted so far.
    converted: u64,
    /// The first bytes of a character whose other bytes have not arrived yet.
    held: [u8; 4],
    held_len: usize,
    failed: Option<Fault>,
}

impl<F: Form, T: Form> Transcoder<F, T> {
    /// Returns a transcoder for text that must be well-formed.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::new(Utf8, Utf16);
    /// let mut units = Vec::new();
    /// transcoder.push(b"caf\xC3", &mut units)?;
    /// transcoder.push(b"\xA9", &mut units)?;
    /// assert_eq!(String::from_utf16_lossy(&units), "café");
    /// # Ok::<(), trust8_transcode::TranscoderError>(())
    /// ```
    #[must_use]
    pub fn new(from: impl Source<F>, to: T) -> Self {
        Self::of(from, to, false)
    }

    /// Returns a transcoder that replaces what can't be converted, and so never fails.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::lossy(Utf8, Str);
    /// let mut text = String::new();
    /// transcoder.push(b"\xF0\x9F", &mut text)?;
    /// transcoder.push(b"!\xFF", &mut text)?;
    /// transcoder.finish(&mut text)?;
    /// assert_eq!(text, "\u{FFFD}!\u{FFFD}");
    /// # Ok::<(), trust8_transcode::TranscoderError>(())
    /// ```
    #[must_use]
    pub fn lossy(from: impl Source<F>, to: T) -> Self {
        Self::of(from, to, true)
    }

    fn of(from: impl Source<F>, to: T, lossy: bool) -> Self {
        let (kernel, from) = from.kernel_and_form();
        let route = Route { kernel, from: from.form_layout(), to: to.form_layout(), lossy: false };
        let forms = (from, to);
        Self { route, lossy, replaced: None, forms, converted: 0, held: [0; 4], held_len: 0, failed: None }
    }

    /// Returns a transcoder that continues after `position` units of text and then `pending`, the
    /// start of a character.
    ///
    /// A transcoder without an error remembers only what [`position`](Self::position) and
    /// [`pending`](Self::pending) return. So these can be stored anywhere, such as in memory that
    /// another language owns, and the conversion can resume from them.
    ///
    /// Returns `None` if `pending` is not the start of a character, in whole units. (A form that is
    /// known to be well-formed has none.) It also returns `None` if `position` is greater than
    /// [`i64::MAX`] bytes.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut text = String::new();
    /// let mut transcoder = Transcoder::new(Utf16Le, Str);
    /// transcoder.push(b"a\0\x3D", &mut text)?;
    /// let (position, pending) = (transcoder.position(), transcoder.pending());
    /// let mut later = Transcoder::new(Utf16Le, Str).resume(position, pending).unwrap();
    /// later.push(b"\xD8\x00\xDE", &mut text)?;
    /// assert_eq!((text.as_str(), later.position()), ("a😀", 6));
    /// # Ok::<(), trust8_transcode::TranscoderError>(())
    /// ```
    #[must_use]
    pub fn resume(mut self, position: u64, pending: &[u8]) -> Option<Self> {
        let converted = position.checked_mul(size_of::<F::Unit>() as u64)?;
        let is_beginning = || {
            let from = self.route.from;
            let in_units = pending.len().is_multiple_of(size_of::<F::Unit>());
            in_units && !from.known_valid && matches!(from.next(pending), Next::Cut(_))
        };
        if converted > i64::MAX as u64
            || pending.len() >= self.held.len()
            || !(pending.is_empty() || is_beginning())
        {
            return None;
        }
        self.converted = converted;
        self.failed = None;
        self.hold(pending);
        Some(self)
    }

    /// Converts the next piece of the text and appends the result.
    ///
    /// # Errors
    ///
    /// The first place at which the text can't be converted, as soon as a piece makes that certain.
    /// Everything before the error has been appended. Every further push returns the same error.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut bytes = Vec::new();
    /// let mut transcoder = Transcoder::new(Str, Latin1);
    /// let error = transcoder.push("für 5 €", &mut bytes).unwrap_err();
    /// assert_eq!((error.valid_up_to(), &bytes[..]), (7, &b"f\xFCr 5 "[..]));
    /// ```
    #[cfg(feature = "alloc")]
    pub fn push(&mut self, piece: &F::Text, text: &mut T::Owned) -> Result<(), TranscoderError> {
        self.check()?;
        let piece = F::form_bytes(piece);
        let mut at = 0;
        let mut ended = End::All;
        let route = self.route;
        // The held bytes may become a character.
        let wanted = route.length_in::<T>(piece).saturating_add(CHARACTER_UNITS);
        append_written::<T>(text, wanted, |out| {
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

    /// Converts as much of the next piece as fits into a buffer.
    ///
    /// It writes only whole characters. Push the rest of the piece next. A buffer of four units
    /// guarantees progress.
    ///
    /// # Errors
    ///
    /// The piece begins with something that can't be converted. A push first converts what comes
    /// before such a place, and the push of the rest returns the error. Every further push returns
    /// the same error.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8_transcode::{Encoding::*, Progress, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Latin1, Utf8);
    /// let mut buffer = [MaybeUninit::uninit(); 6];
    /// let progress = transcoder.push_into(b"d\xE9j\xE0 vu", &mut buffer)?;
    /// assert_eq!(progress, Progress { read: 4, written: 6 });
    /// let progress = transcoder.push_into(b" vu", &mut buffer)?;
    /// assert_eq!(progress, Progress { read: 3, written: 3 });
    /// # Ok::<(), trust8_transcode::TranscoderError>(())
    /// ```
    pub fn push_into(
        &mut self,
        piece: &F::Text,
        buffer: &mut [MaybeUninit<T::Unit>],
    ) -> Result<Progress, TranscoderError> {
        self.check()?;
        let mut out = Output::new(T::form_room(buffer));
        let (read, end) = self.advance(F::form_bytes(piece), &mut out);
        if let End::Malformed(fault) = end
            && read == 0
            && out.is_empty()
        {
            return Err(self.fail(fault));
        }
        Ok(Progress { read: read / size_of::<F::Unit>(), written: out.len() / size_of::<T::Unit>() })
    }

    /// Ends the text. A lossy transcoder appends the replacement for a character that is cut off.
    ///
    /// # Errors
    ///
    /// The text ends inside a character and the transcoder is not lossy, or a push has returned
    /// this error before.
    ///
    /// ```
    /// use trust8_transcode::{ConversionErrorKind, Str, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::new(Utf16, Str);
    /// let mut text = String::new();
    /// transcoder.push(&[0x61, 0xD83D], &mut text).unwrap();
    /// let error = transcoder.finish(&mut text).unwrap_err();
    /// assert_eq!((error.valid_up_to(), error.kind()), (1, ConversionErrorKind::LoneHigh(0xD83D)));
    /// ```
    #[cfg(feature = "alloc")]
    pub fn finish(&mut self, text: &mut T::Owned) -> Result<(), TranscoderError> {
        let mut result = Ok(());
        append_written::<T>(text, CHARACTER_UNITS, |out| {
            result = self.end(out).map(drop);
            None
        });
        result
    }

    /// Ends the text. A lossy transcoder writes the replacement for a character that is cut off.
    ///
    /// Returns the number of units written, or `None` if the buffer is too small for the
    /// replacement: then nothing has changed. Four units are always enough.
    ///
    /// # Errors
    ///
    /// The text ends inside a character and the transcoder is not lossy, or a push has returned
    /// this error before.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use trust8_transcode::{Encoding::*, Transcoder, Utf16};
    ///
    /// let mut transcoder = Transcoder::lossy(Utf8, Utf16);
    /// let mut buffer = [MaybeUninit::uninit(); 4];
    /// transcoder.push_into(b"\xE2\x82", &mut buffer)?;
    /// assert_eq!(transcoder.finish_into(&mut buffer[..0])?, None);
    /// assert_eq!(transcoder.finish_into(&mut buffer)?, Some(1));
    /// # Ok::<(), trust8_transcode::TranscoderError>(())
    /// ```
    pub fn finish_into(
        &mut self,
        buffer: &mut [MaybeUninit<T::Unit>],
    ) -> Result<Option<usize>, TranscoderError> {
        let mut out = Output::new(T::form_room(buffer));
        Ok(self.end(&mut out)?.then(|| out.len() / size_of::<T::Unit>()))
    }

    /// Returns the number of units of the text, from its start, that have been converted so far.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Utf8, Str);
    /// transcoder.push(b"a\xE2\x82", &mut String::new()).unwrap();
    /// assert_eq!((transcoder.position(), transcoder.pending()), (1, &b"\xE2\x82"[..]));
    /// ```
    #[must_use]
    pub fn position(&self) -> u64 {
        self.converted / size_of::<F::Unit>() as u64
    }

    /// Returns the last bytes so far, at most three, if they begin an incomplete character.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::new(Utf16Be, Str);
    /// transcoder.push(b"\0a\xD8\0\xDC", &mut String::new()).unwrap();
    /// assert_eq!(transcoder.pending(), b"\xD8\0\xDC");
    /// ```
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        &self.held[..self.held_len]
    }

    /// Returns the first place at which a lossy transcoder replaced something, or `None` if it
    /// replaced nothing.
    ///
    /// ```
    /// use trust8_transcode::{Encoding::*, Str, Transcoder};
    ///
    /// let mut transcoder = Transcoder::lossy(Utf8, Str);
    /// let mut text = String::new();
    /// transcoder.push(b"na\xC3", &mut text).unwrap();
    /// assert_eq!(transcoder.replaced(), None);
    /// transcoder.push(b"ve", &mut text).unwrap();
    /// assert_eq!(transcoder.replaced().unwrap().valid_up_to(), 2);
    /// ```
    #[must_use]
    pub const fn replaced(&self) -> Option<TranscoderError> {
        self.replaced
    }

    /// Returns whether to replace a fault at this place, and remembers the first one.
    fn replaces(&mut self, fault: Fault) -> bool {
        if self.lossy && self.replaced.is_none() {
            self.replaced = Some(self.error(fault));
            self.route.lossy = true;
        }
        self.lossy
    }

    /// Returns the error of an earlier push, if there was one.
    fn check(&self) -> Result<(), TranscoderError> {
        self.failed.map_or(Ok(()), |fault| Err(self.error(fault)))
    }

    fn fail(&mut self, fault: Fault) -> TranscoderError {
        self.failed = Some(fault);
        self.error(fault)
    }

    fn error(&self, fault: Fault) -> TranscoderError {
        TranscoderError { valid_up_to: self.position(), fault, unit: size_of::<F::Unit>() as u8 }
    }

    /// Converts as much of the piece as fits. Returns the number of bytes converted, and what
    /// follows, which is never a cut.
    fn advance(&mut self, piece: &[u8], out: &mut Output<'_>) -> (usize, End) {
        let mut at = 0;
        while self.held_len > 0 {
            match self.complete(&piece[at..], out) {
                Ok(0) if at == piece.len() => return (at, End::All),
                Ok(read) => at += read,
                Err(end) => return (at, end),
            }
        }
        loop {
            let (read, end) = self.route.run(&piece[at..], out);
            at += read;
            self.converted += read as u64;
            match end {
                End::Cut(_) => {
                    self.hold(&piece[at..]);
                    return (piece.len(), End::All);
                }
                End::Malformed(fault) if self.replaces(fault) => {}
                _ => return (at, end),
            }
        }
    }

    /// Keeps bytes until the next piece.
    fn hold(&mut self, bytes: &[u8]) {
        self.held[..bytes.len()].copy_from_slice(bytes);
        self.held_len = bytes.len();
    }

    /// Converts the held bytes together with the bytes of the piece that belong to them, or holds
    /// these as well. Returns the number of bytes taken from the piece.
    fn complete(&mut self, piece: &[u8], out: &mut Output<'_>) -> Result<usize, End> {
        let held = self.held_len;
        // A character has at most four bytes, and so has a malformed sequence with the byte after
        // it.
        let mut bytes = [0; 8];
        let added = piece.len().min(4);
        bytes[..held].copy_from_slice(self.pending());
        bytes[held..held + added].copy_from_slice(&piece[..added]);
        let bytes = &bytes[..held + added];

        let Route { from, to, .. } = self.route;
        match scalar::convert_few(from, to, bytes, out) {
            (0, Some(End::Cut(_))) => {
                // A cut has at most three bytes.
                self.hold(bytes);
                Ok(added)
            }
            (0, Some(End::Malformed(fault))) if self.lossy => {
                if !scalar::put_replacement(to, out) {
                    return Err(End::Full);
                }
                self.replaces(fault);
                Ok(self.take(bytes, fault.bytes().unwrap_or(bytes.len())))
            }
            (0, Some(end)) => Err(end),
            (read, _) => Ok(self.take(bytes, read)),
        }
    }

    /// Counts the first `len` of `bytes` as converted. Returns how many of them were not held.
    fn take(&mut self, bytes: &[u8], len: usize) -> usize {
        self.converted += len as u64;
        let held = self.held_len;
        if len < held {
            // After an unpaired high surrogate, half of the next unit is still held.
            self.hold(&bytes[len..held]);
            return 0;
        }
        self.held_len = 0;
        len - held
    }

    /// The common part of `finish` and `finish_into`. Returns whether the replacement fits.
    fn end(&mut self, out: &mut Output<'_>) -> Result<bool, TranscoderError> {
        self.check()?;
        if self.held_len == 0 {
            return Ok(true);
        }
        let (Next::Cut(fault) | Next::Malformed(fault, _)) = self.route.from.next(self.pending()) else {
            return Ok(true);
        };
        if !self.lossy {
            return Err(self.fail(fault));
        }
        let fits = scalar::put_replacement(self.route.to, out);
        if fits {
            self.replaces(fault);
            self.converted += self.held_len as u64;
            self.held_len = 0;
        }
        Ok(fits)
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

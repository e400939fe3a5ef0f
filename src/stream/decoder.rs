//! The decoder: a validator that returns the text.

#![forbid(unsafe_code)]

use super::error::StreamError;
use super::piece::Piece;
use super::validator::Validator;
use crate::kernel::Kernel;

/// A [`Validator`] that returns the text of each piece. Only a character that is split between
/// pieces is copied.
///
/// The texts, concatenated, are the input without the [`pending`](Self::pending) bytes at its end.
/// So a parser can run on them.
///
/// ```
/// use trust8::stream::Decoder;
///
/// let mut decoder = Decoder::new();
/// let mut text = String::new();
/// for piece in "Grüße aus Köln".as_bytes().chunks(3) {
///     text.extend(&decoder.decode(piece)?);
/// }
/// decoder.finish()?;
/// assert_eq!(text, "Grüße aus Köln");
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
///
/// With a reader, decode only as much of the buffer as was read:
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
    /// Returns a decoder at the start of the input.
    ///
    /// ```
    /// assert!(trust8::stream::Decoder::new().decode(b"").unwrap().is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { validator: Validator::new() }
    }

    /// Validates `piece`, the next bytes of the input, and returns the text that they complete.
    ///
    /// # Errors
    ///
    /// Returns an error if `piece` makes it certain that the input is not UTF-8. The error stays:
    /// every later call returns it, until [`reset`](Self::reset).
    /// [`decode_up_to_error`](Self::decode_up_to_error) also returns the text before it.
    ///
    /// ```
    /// use trust8::stream::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// let text = decoder.decode(b"abc\xC3").unwrap();
    /// assert_eq!((text.completed(), text.rest()), ("", "abc"));
    /// let text = decoder.decode(b"\xA9def").unwrap();
    /// assert_eq!((text.completed(), text.rest()), ("é", "def"));
    /// ```
    #[inline]
    pub fn decode<'a>(&mut self, piece: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        Kernel::best().decode_piece(self, piece)
    }

    /// Does the same as [`decode`](Self::decode), but also returns the valid text of `piece` before
    /// an error.
    ///
    /// The texts, concatenated, are all of the input up to the error.
    ///
    /// # Errors
    ///
    /// The error, if any, is part of the result, next to the text.
    ///
    /// ```
    /// use trust8::stream::Decoder;
    ///
    /// let mut decoder = Decoder::new();
    /// decoder.decode(b"abc\xF0\x9F\x98")?;
    /// let (text, result) = decoder.decode_up_to_error(b"\x80def\xFF");
    /// assert_eq!((text.completed(), text.rest()), ("😀", "def"));
    /// assert_eq!(result.unwrap_err().valid_up_to(), 10);
    /// # Ok::<(), trust8::stream::StreamError>(())
    /// ```
    pub fn decode_up_to_error<'a>(&mut self, piece: &'a [u8]) -> (Piece<'a>, Result<(), StreamError>) {
        let mut before = *self;
        match self.decode(piece) {
            Ok(text) => (text, Ok(())),
            Err(error) => {
                // If the error begins in the pending bytes, nothing of `piece` comes before it.
                let piece_begin = before.valid_up_to() + before.pending().len() as u64;
                let valid_len = error.valid_up_to().saturating_sub(piece_begin) as usize;
                (before.decode(&piece[..valid_len]).unwrap_or(Piece::EMPTY), Err(error))
            }
        }
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input ends inside a character, or if there has been an error.
    ///
    /// ```
    /// let mut decoder = trust8::stream::Decoder::new();
    /// decoder.decode(b"\xE2\x82").unwrap();
    /// assert_eq!(decoder.finish().unwrap_err().error_len(), None);
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        self.validator.finish()
    }

    /// Returns how many bytes, from the start of the input, are known to be whole characters. As
    /// long as there is no error, this is the length of all texts so far.
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

    /// Returns the last bytes of the input so far, if they begin a character that is not complete
    /// yet: 0 to 3 bytes.
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

    /// Forgets everything, as if the decoder were [new](Self::new).
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

/// Returns a decoder that continues where the validator is.
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

/// Returns a validator that continues where the decoder is.
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

impl Kernel {
    /// Does the same as [`Decoder::decode`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn decode_piece<'a>(&self, decoder: &mut Decoder, piece: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        decoder.validator.decode(piece, self)
    }
}

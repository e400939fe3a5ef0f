//! The text of each piece, which a validator returns.

#![forbid(unsafe_code)]

use super::error::StreamError;
use super::piece::Piece;
use super::validator::Validator;
use crate::kernel::Kernel;

impl Validator {
    /// Does the same as [`push`](Self::push), and returns the text that `piece` completes. Only a
    /// character that is split between pieces is copied.
    ///
    /// If each piece goes through this function, the texts, concatenated, are the input without the
    /// [`pending`](Self::pending) bytes at its end. So a parser can run on them.
    ///
    /// # Errors
    ///
    /// Returns an error if `piece` makes it certain that the input is not UTF-8. The error stays:
    /// every later call returns it, until [`reset`](Self::reset).
    /// [`decode_up_to_error`](Self::decode_up_to_error) also returns the text before it.
    ///
    /// ```
    /// use trust8::Validator;
    ///
    /// let mut validator = Validator::new();
    /// let text = validator.decode(b"abc\xC3").unwrap();
    /// assert_eq!((text.completed(), text.rest()), ("", "abc"));
    /// let text = validator.decode(b"\xA9def").unwrap();
    /// assert_eq!((text.completed(), text.rest()), ("é", "def"));
    /// ```
    ///
    /// With a reader, decode only as much of the buffer as was read:
    ///
    /// ```
    /// use std::io::Read;
    /// use trust8::Validator;
    ///
    /// let mut reader = "日本語".as_bytes();
    /// let mut validator = Validator::new();
    /// let mut buf = [0; 4];
    /// let mut characters = 0;
    /// loop {
    ///     let n = reader.read(&mut buf)?;
    ///     if n == 0 {
    ///         break;
    ///     }
    ///     let piece = validator.decode(&buf[..n])?;
    ///     characters += piece.completed().chars().count() + piece.rest().chars().count();
    /// }
    /// validator.finish()?;
    /// assert_eq!(characters, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn decode<'a>(&mut self, piece: &'a [u8]) -> Result<Piece<'a>, StreamError> {
        Kernel::best().decode_piece(self, piece)
    }

    /// Does the same as [`decode`](Self::decode), but also returns the valid text of `piece` before
    /// an error.
    ///
    /// If each piece goes through these functions, the texts, concatenated, are all of the input up
    /// to the error.
    ///
    /// # Errors
    ///
    /// The error, if any, is part of the result, next to the text.
    ///
    /// ```
    /// use trust8::Validator;
    ///
    /// let mut validator = Validator::new();
    /// validator.decode(b"abc\xF0\x9F\x98")?;
    /// let (text, result) = validator.decode_up_to_error(b"\x80def\xFF");
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
}

impl Kernel {
    /// Does the same as [`Validator::decode`], with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn decode_piece<'a>(
        &self,
        validator: &mut Validator,
        piece: &'a [u8],
    ) -> Result<Piece<'a>, StreamError> {
        validator.decode_by(self, piece)
    }
}

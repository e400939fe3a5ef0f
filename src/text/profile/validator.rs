//! The validator of a stream, with a profile.

#![forbid(unsafe_code)]

use super::Profile;
use super::error::{Forbidden, StreamError};
use crate::kernel::Kernel;
use crate::stream::{Decoder, Piece};

/// Validates UTF-8 without forbidden characters that arrives in pieces, which may be cut anywhere.
///
/// ```
/// use trust8::profile::{Profile, Validator};
///
/// let mut validator = Validator::new(Profile::SOURCE_CODE);
/// validator.push(b"let caf\xC3")?;
/// validator.push(b"\xA9 = 1; // \xE2\x80")?;
/// let error = validator.push(b"\xAE").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "forbidden character at byte 18: U+202E is a bidirectional control, which reorders the text that one sees"
/// );
/// # Ok::<(), trust8::profile::StreamError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Validator {
    profile: Profile,
    decoder: Decoder,
    found: Option<Forbidden>,
}

impl Validator {
    /// Returns a validator at the start of the input.
    ///
    /// ```
    /// use trust8::profile::{Profile, Validator};
    /// assert!(Validator::new(Profile::XML_1_0).finish().is_ok());
    /// ```
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        Self { profile, decoder: Decoder::new(), found: None }
    }

    /// Validates `piece`, the next bytes of the input.
    ///
    /// # Errors
    ///
    /// Returns the first error, in this call and in all later ones.
    ///
    /// ```
    /// use trust8::profile::{Profile, Validator};
    ///
    /// let mut validator = Validator::new(Profile::POSTGRES);
    /// assert!(validator.push(b"a").is_ok());
    /// let error = validator.push(b"\0").unwrap_err();
    /// assert_eq!(validator.push(b"b"), Err(error));
    /// ```
    pub fn push(&mut self, piece: &[u8]) -> Result<(), StreamError> {
        Kernel::best().push_in(self, piece)
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input ends inside a character, or the error that a push has returned.
    ///
    /// ```
    /// use trust8::profile::{Profile, Validator};
    ///
    /// let mut validator = Validator::new(Profile::XML_1_0);
    /// validator.push(b"caf\xC3").unwrap();
    /// assert!(validator.finish().is_err());
    /// ```
    pub fn finish(self) -> Result<(), StreamError> {
        match self.found {
            Some(found) => Err(found.into()),
            None => Ok(self.decoder.finish()?),
        }
    }

    /// Looks for forbidden characters in the text that a piece brings, which begins at `offset`.
    fn sift(&mut self, kernel: &Kernel, offset: u64, text: Piece<'_>) -> Result<(), StreamError> {
        self.found = self.profile.first_in(kernel, text, offset);
        self.found.map_or(Ok(()), |found| Err(found.into()))
    }
}

impl Kernel {
    /// Does what [`Validator::push`] does, with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn push_in(&self, validator: &mut Validator, piece: &[u8]) -> Result<(), StreamError> {
        if let Some(found) = validator.found {
            return Err(found.into());
        }
        let before = validator.decoder;
        match self.decode_piece(&mut validator.decoder, piece) {
            Ok(text) => validator.sift(self, before.valid_up_to(), text),
            Err(error) => {
                // What the piece has before the error may have a forbidden character.
                let held = before.valid_up_to() + before.pending().len() as u64;
                let sound = error.valid_up_to().saturating_sub(held) as usize;
                let mut again = before;
                if let Some(piece) = piece.get(..sound)
                    && let Ok(text) = self.decode_piece(&mut again, piece)
                {
                    validator.sift(self, before.valid_up_to(), text)?;
                }
                Err(error.into())
            }
        }
    }
}

//! A stream validator with a profile.

#![forbid(unsafe_code)]

use trust8::stream::Piece;
use trust8::{Kernel, Validator};

use super::Profile;
use super::error::{Forbidden, ProfileStreamError};
use super::tail::Tail;

/// Validates UTF-8 without forbidden characters that arrives in pieces, which may end anywhere, and
/// returns their text.
///
/// ```
/// use trust8_profile::{Profile, ProfileValidator};
///
/// let mut validator = ProfileValidator::new(Profile::SOURCE_CODE);
/// validator.push(b"let caf\xC3")?;
/// validator.push(b"\xA9 = 1; // \xE2\x80")?;
/// let error = validator.push(b"\xAE").unwrap_err();
/// let message = "forbidden character at byte 18: U+202E is a bidirectional control, ";
/// assert!(error.to_string().starts_with(message));
/// # Ok::<(), trust8_profile::ProfileStreamError>(())
/// ```
///
/// If the last character of a piece depends on the next one, the next piece or
/// [`finish`](Self::finish) reports it, with its own offset.
#[derive(Clone, Copy, Debug)]
pub struct ProfileValidator {
    profile: Profile,
    validator: Validator,
    tail: Tail,
    found: Option<Forbidden>,
}

impl ProfileValidator {
    /// Returns a validator at the start of the input.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    /// assert!(ProfileValidator::new(Profile::XML_1_0).finish().is_ok());
    /// ```
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        Self { profile, validator: Validator::new(), tail: Tail::EMPTY, found: None }
    }

    /// Validates `piece`, the next bytes of the input.
    ///
    /// # Errors
    ///
    /// Returns the first error, in this call and in all later ones.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    ///
    /// let mut validator = ProfileValidator::new(Profile::POSTGRES);
    /// assert!(validator.push(b"a").is_ok());
    /// let error = validator.push(b"\0").unwrap_err();
    /// assert_eq!(validator.push(b"b"), Err(error));
    /// ```
    pub fn push(&mut self, piece: &[u8]) -> Result<(), ProfileStreamError> {
        self.decode_with(Kernel::best(), piece).1
    }

    /// Validates `piece`, the next bytes of the input, and returns the text that they complete.
    ///
    /// # Errors
    ///
    /// Returns the first error, in this call and in all later ones.
    /// [`decode_up_to_error`](Self::decode_up_to_error) also returns the text before it.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    ///
    /// let mut validator = ProfileValidator::new(Profile::TERMINAL);
    /// let mut text = String::new();
    /// for piece in "Grüße aus Köln".as_bytes().chunks(3) {
    ///     text.extend(&validator.decode(piece)?);
    /// }
    /// validator.finish()?;
    /// assert_eq!(text, "Grüße aus Köln");
    /// # Ok::<(), trust8_profile::ProfileStreamError>(())
    /// ```
    pub fn decode<'a>(&mut self, piece: &'a [u8]) -> Result<Piece<'a>, ProfileStreamError> {
        let (text, result) = self.decode_up_to_error(piece);
        result.map(|()| text)
    }

    /// Like [`decode`](Self::decode), but also returns the text of `piece` before an error.
    ///
    /// # Errors
    ///
    /// The error, if any, is in the result together with the text.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    ///
    /// let mut validator = ProfileValidator::new(Profile::TERMINAL);
    /// validator.decode(b"user=\xC3")?;
    /// let (text, result) = validator.decode_up_to_error(b"\xA9\x1B[2J");
    /// assert_eq!(text.to_string(), "é");
    /// assert!(result.is_err());
    /// # Ok::<(), trust8_profile::ProfileStreamError>(())
    /// ```
    pub fn decode_up_to_error<'a>(&mut self, piece: &'a [u8]) -> (Piece<'a>, Result<(), ProfileStreamError>) {
        self.decode_with(Kernel::best(), piece)
    }

    /// Returns the number of bytes of the whole characters so far, up to the first error.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    ///
    /// let mut validator = ProfileValidator::new(Profile::TERMINAL);
    /// validator.push(b"caf\xC3")?;
    /// assert_eq!((validator.valid_up_to(), validator.pending()), (3, &b"\xC3"[..]));
    /// assert!(validator.push(b"\xA9\x1B[2J").is_err());
    /// assert_eq!((validator.valid_up_to(), validator.pending()), (5, &b""[..]));
    /// # Ok::<(), trust8_profile::ProfileStreamError>(())
    /// ```
    #[must_use]
    pub fn valid_up_to(&self) -> u64 {
        self.found.map_or_else(|| self.validator.valid_up_to(), |found| found.offset())
    }

    /// Returns the last bytes so far, if they begin an incomplete character.
    #[must_use]
    pub fn pending(&self) -> &[u8] {
        if self.found.is_some() { &[] } else { self.validator.pending() }
    }

    /// Ends the input.
    ///
    /// # Errors
    ///
    /// Returns an error if the input ends inside a character or with one that needs another one after
    /// it, or the error of an earlier push.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileValidator};
    ///
    /// let mut validator = ProfileValidator::new(Profile::XML_1_0);
    /// validator.push(b"caf\xC3").unwrap();
    /// assert!(validator.finish().is_err());
    /// ```
    pub fn finish(self) -> Result<(), ProfileStreamError> {
        match self.found.or_else(|| self.tail.end(&self.profile, self.validator.valid_up_to())) {
            Some(found) => Err(found.into()),
            None => Ok(self.validator.finish()?),
        }
    }

    /// Like [`decode_up_to_error`](Self::decode_up_to_error), with a kernel.
    pub(super) fn decode_with<'a>(
        &mut self,
        kernel: &Kernel,
        piece: &'a [u8],
    ) -> (Piece<'a>, Result<(), ProfileStreamError>) {
        if let Some(found) = self.found {
            return (Piece::EMPTY, Err(found.into()));
        }
        let (mut before, offset) = (self.validator, self.validator.valid_up_to());
        let (text, result) = match kernel.decode_piece(&mut self.validator, piece) {
            Ok(text) => (text, Ok(())),
            Err(error) => {
                // The piece may have a forbidden character before the error.
                let held = offset + before.pending().len() as u64;
                let sound = piece.get(..error.valid_up_to().saturating_sub(held) as usize);
                let text = sound.and_then(|sound| kernel.decode_piece(&mut before, sound).ok());
                (text.unwrap_or(Piece::EMPTY), Err(error.into()))
            }
        };
        self.found = self.profile.first_in(kernel, &mut self.tail, text, offset);
        if result.is_err() && self.found.is_none() {
            self.found = self.tail.end(&self.profile, offset + text.len() as u64);
        }
        match self.found {
            Some(found) => (text.up_to(found.offset().saturating_sub(offset) as usize), Err(found.into())),
            None => (text, result),
        }
    }
}

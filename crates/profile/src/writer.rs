//! The blocking writer, with a profile.

#![forbid(unsafe_code)]

use std::io::{self, Write};

use trust8::io::Utf8Writer;
use trust8::{Kernel, stream};

use super::tail::Tail;
use super::{Forbidden, Profile, ProfileStreamError};

/// A [`Utf8Writer`] that also refuses the characters that a profile forbids, so that no text can
/// poison a log.
///
/// The text before a forbidden character is written first. If a character depends on the next one, it
/// is written, too, if that comes with the next call. From then on, `write` and `finish` return the
/// error, an [`io::ErrorKind::InvalidData`] that carries a [`ProfileStreamError`].
///
/// ```
/// use std::io::Write;
/// use trust8_profile::{Profile, ProfileWriter, ProfileStreamError};
///
/// let mut writer = ProfileWriter::new(Vec::new(), Profile::TERMINAL);
/// let error = writer.write_all(b"user=\x1B[2J").unwrap_err();
/// let error = error.downcast::<ProfileStreamError>().unwrap();
/// assert!(matches!(error, ProfileStreamError::Forbidden(found) if found.offset() == 5));
/// assert_eq!(writer.into_inner(), b"user=");
/// ```
#[derive(Debug)]
pub struct ProfileWriter<W> {
    inner: Utf8Writer<W>,
    profile: Profile,
    tail: Tail,
    found: Option<Forbidden>,
}

impl<W> ProfileWriter<W> {
    /// Returns a writer to `inner`.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileWriter};
    /// assert!(ProfileWriter::new(Vec::new(), Profile::XML_1_0).finish().is_ok());
    /// ```
    pub const fn new(inner: W, profile: Profile) -> Self {
        Self { inner: Utf8Writer::new(inner), profile, tail: Tail::EMPTY, found: None }
    }

    /// Returns a reference to the inner writer.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileWriter};
    /// assert_eq!(ProfileWriter::new("inside", Profile::XML_1_0).get_ref(), &"inside");
    /// ```
    pub const fn get_ref(&self) -> &W {
        self.inner.get_ref()
    }

    /// Returns a mutable reference to the inner writer. Bytes that are written to it directly are
    /// neither checked nor counted.
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileWriter};
    ///
    /// let mut writer = ProfileWriter::new(Vec::new(), Profile::XML_1_0);
    /// writer.get_mut().push(1);
    /// assert_eq!(writer.into_inner(), [1]);
    /// ```
    pub const fn get_mut(&mut self) -> &mut W {
        self.inner.get_mut()
    }

    /// Returns the inner writer. Bytes that are held back are lost; see [`finish`](Self::finish).
    ///
    /// ```
    /// use trust8_profile::{Profile, ProfileWriter};
    /// assert_eq!(ProfileWriter::new("inside", Profile::XML_1_0).into_inner(), "inside");
    /// ```
    pub fn into_inner(self) -> W {
        self.inner.into_inner()
    }

    /// Returns the error, if there has been a forbidden character.
    fn check(&self) -> io::Result<()> {
        match self.found {
            Some(found) => Err(ProfileStreamError::from(found).into()),
            None => Ok(()),
        }
    }
}

/// Returns an error with the type that this writer promises to carry.
fn with_profile(error: io::Error) -> io::Error {
    match error.downcast::<stream::StreamError>() {
        Ok(error) => ProfileStreamError::from(error).into(),
        Err(error) => error,
    }
}

impl<W: Write> ProfileWriter<W> {
    /// Like [`Utf8Writer::finish`].
    ///
    /// # Errors
    ///
    /// Those of [`Utf8Writer::finish`], and an [`io::ErrorKind::InvalidData`] if there has been a
    /// forbidden character.
    ///
    /// ```
    /// use std::io::Write;
    /// use trust8_profile::{Profile, ProfileWriter};
    ///
    /// let mut writer = ProfileWriter::new(Vec::new(), Profile::TERMINAL);
    /// writer.write_all(b"\xC2")?;
    /// assert!(writer.finish().is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(&mut self) -> io::Result<()> {
        self.found = self.found.or_else(|| self.tail.end(&self.profile, self.inner.valid_up_to()));
        if self.found.is_some() {
            self.inner.flush()?;
        }
        self.check()?;
        self.inner.finish().map_err(with_profile)
    }

    /// Writes bytes of a piece without forbidden characters.
    fn pass(&mut self, piece: &[u8]) -> io::Result<usize> {
        let (_, mut decoder) = self.inner.next_piece(piece);
        let n = self.inner.write(piece).map_err(with_profile)?;
        let (text, _) = decoder.decode_up_to_error(&piece[..n]);
        for part in [text.completed(), text.rest()] {
            self.tail.push(&self.profile, part.as_bytes());
        }
        Ok(n)
    }
}

impl<W: Write> Write for ProfileWriter<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.check()?;
        let (offset, pending) = (self.inner.valid_up_to(), self.inner.pending().len());
        let (piece, mut decoder) = self.inner.next_piece(buf);
        let (text, result) = decoder.decode_up_to_error(piece);
        let mut tail = self.tail;
        let mut found = self.profile.first_in(Kernel::best(), &mut tail, text, offset);
        if result.is_err() && found.is_none() {
            found = tail.end(&self.profile, offset + text.len() as u64);
        }
        let Some(found) = found else { return self.pass(piece) };
        let before = found.offset().saturating_sub(offset) as usize;
        if before <= pending {
            // The previous character may not be completely written yet.
            let _ = self.inner.write(b"")?;
            self.found = Some(found);
            self.check()?;
        }
        self.pass(&buf[..before - pending])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

//! The blocking writer.

#![forbid(unsafe_code)]

use std::io::{self, ErrorKind, Write};

use crate::stream::Validator;

/// A writer that passes on UTF-8 and refuses everything else.
///
/// Only whole, valid characters reach the inner writer: the beginning of a character is held back
/// until its last byte has arrived. The valid text before an error is written first. From then on,
/// `write` and `finish` return the error, an [`ErrorKind::InvalidData`] that carries a
/// [`StreamError`](crate::stream::StreamError). `flush` still flushes that text.
///
/// An error of the inner writer is passed on and changes nothing: accepted bytes are written later,
/// and others can be written again. If the inner writer claims to have taken more bytes than it was
/// given, this call and every later one return an [`ErrorKind::Other`]. At the end,
/// [`finish`](Self::finish) returns an error if a character is incomplete. Dropping the writer
/// reports nothing and writes nothing.
///
/// ```
/// use std::io::Write;
/// use trust8::io::Utf8Writer;
/// use trust8::stream::StreamError;
///
/// let mut writer = Utf8Writer::new(Vec::new());
/// writer.write_all(b"caf\xC3")?;
/// assert_eq!((writer.get_ref().as_slice(), writer.pending()), (&b"caf"[..], &b"\xC3"[..]));
/// writer.write_all(b"\xA9")?;
/// writer.finish()?;
///
/// let error = writer.write_all(b"!\xC3!").unwrap_err();
/// assert_eq!(error.downcast::<StreamError>().unwrap().valid_up_to(), 6);
/// assert_eq!(writer.into_inner(), "café!".as_bytes());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Utf8Writer<W> {
    inner: W,
    /// The validator of all accepted bytes.
    validator: Validator,
    /// The last `owed` of these bytes are part of an accepted character that `inner` has not taken
    /// yet.
    last: [u8; 4],
    owed: usize,
    /// Whether `inner` claimed to have taken more bytes than it was given. Its output is unknown
    /// then, so it gets no more.
    claimed_too_much: bool,
    /// The maximum length of the next piece. If `inner` does not take a whole piece, the next call
    /// validates the rest again. So after a piece that it took in part, the next one is not much
    /// longer than that part.
    piece_len: usize,
}

/// The longest piece to validate for one call of the inner writer.
const LONGEST_PIECE_BYTES: usize = 16 << 10;

/// The longest piece to offer after the inner writer has taken next to nothing.
const SHORTEST_PIECE_BYTES: usize = 16;

impl<W> Utf8Writer<W> {
    /// Returns a writer to `inner`.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// assert!(write!(writer, "{}", 12).is_ok());
    /// ```
    pub const fn new(inner: W) -> Self {
        Self {
            inner,
            validator: Validator::new(),
            last: [0; 4],
            owed: 0,
            claimed_too_much: false,
            piece_len: LONGEST_PIECE_BYTES,
        }
    }

    /// Returns a reference to the inner writer.
    ///
    /// ```
    /// let writer = trust8::io::Utf8Writer::new(vec![1]);
    /// assert_eq!(writer.get_ref(), &[1]);
    /// ```
    pub const fn get_ref(&self) -> &W {
        &self.inner
    }

    /// Returns a mutable reference to the inner writer. Bytes that are written to it directly are
    /// neither validated nor counted.
    ///
    /// ```
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// writer.get_mut().push(1);
    /// assert_eq!(writer.into_inner(), [1]);
    /// ```
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// Returns the inner writer. Bytes that are held back are lost; see [`finish`](Self::finish).
    ///
    /// ```
    /// assert_eq!(trust8::io::Utf8Writer::new("inside").into_inner(), "inside");
    /// ```
    pub fn into_inner(self) -> W {
        self.inner
    }

    /// Returns how many of the accepted bytes are known to be whole characters.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// assert!(writer.write_all(b"abc\xFF").is_err());
    /// assert_eq!(writer.valid_up_to(), 3);
    /// ```
    pub const fn valid_up_to(&self) -> u64 {
        self.validator.valid_up_to()
    }

    /// Returns the last accepted bytes, if they begin an incomplete character: 0 to 3 bytes, which
    /// are held back.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// writer.write_all(b"\xF0\x9F\x98")?;
    /// assert_eq!(writer.pending(), b"\xF0\x9F\x98");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn pending(&self) -> &[u8] {
        self.validator.pending()
    }

    /// Returns the prefix of `buf` that one call of `write` handles, and the validator for it.
    #[doc(hidden)]
    pub fn next_piece<'a>(&self, buf: &'a [u8]) -> (&'a [u8], Validator) {
        (&buf[..buf.len().min(self.piece_len)], self.validator)
    }
}

impl<W: Write> Utf8Writer<W> {
    /// Ends the text, and [flushes](Write::flush) the inner writer.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`] if the text ends inside a character, or if there has been an
    ///   error.
    /// - The errors of the inner writer.
    ///
    /// ```
    /// use std::io::{ErrorKind, Write};
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// writer.write_all(b"caf\xC3")?;
    /// assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::InvalidData);
    /// writer.write_all(b"\xA9")?;
    /// writer.finish()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(&mut self) -> io::Result<()> {
        self.flush()?;
        Ok(self.validator.finish()?)
    }

    /// Writes the owed bytes.
    fn settle(&mut self) -> io::Result<()> {
        self.check_claims()?;
        while self.owed > 0 {
            match self.inner.write(&self.last[4 - self.owed..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => match self.owed.checked_sub(n) {
                    Some(owed) => self.owed = owed,
                    None => {
                        self.claimed_too_much = true;
                        self.check_claims()?;
                    }
                },
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns an error if the inner writer has claimed to have taken more bytes than it was given.
    fn check_claims(&self) -> io::Result<()> {
        if self.claimed_too_much {
            return Err(io::Error::other(
                "the inner writer claims to have taken more bytes than it was given",
            ));
        }
        Ok(())
    }

    /// Owes `bytes`, at most four. Nothing else is owed yet.
    fn owe(&mut self, bytes: &[u8]) {
        self.last[4 - bytes.len()..].copy_from_slice(bytes);
        self.owed = bytes.len();
    }
}

impl<W: Write> Write for Utf8Writer<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.settle()?;
        let (mut piece, mut next) = self.next_piece(buf);
        let (text, result) = next.decode_up_to_error(piece);
        if let Err(error) = result {
            if text.is_empty() {
                // The validator keeps the error for every later call.
                self.validator = next;
                return Err(error.into());
            }
            // The text before the error is written first.
            piece = &piece[..text.len() - self.validator.pending().len()];
            next = self.validator;
            next.decode(piece)?;
        }

        let completed = text.completed();
        if !completed.is_empty() {
            // From here on, the character is accepted, whether or not the inner writer takes it
            // now.
            let n = completed.len() - self.validator.pending().len();
            self.owe(completed.as_bytes());
            self.validator.push(&piece[..n])?;
            let _ = self.settle();
            return Ok(n);
        }

        // Nothing was pending, or the whole piece still is.
        let text = text.rest();
        let n = if text.is_empty() { 0 } else { self.inner.write(text.as_bytes())? };
        if n > text.len() {
            self.claimed_too_much = true;
            self.check_claims()?;
        }
        let taken = if n < text.len() { n } else { self.piece_len };
        self.piece_len = (2 * taken).clamp(SHORTEST_PIECE_BYTES, LONGEST_PIECE_BYTES);
        if n == text.len() {
            self.validator = next;
            return Ok(piece.len());
        }
        // The inner writer has taken part of the text. It may have split a character, and then the
        // rest of that character is owed.
        let end = (n..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        self.owe(&text.as_bytes()[n..end]);
        self.validator.push(&piece[..end])?;
        Ok(end)
    }

    /// [`pending`](Utf8Writer::pending) bytes stay pending.
    fn flush(&mut self) -> io::Result<()> {
        self.settle()?;
        self.inner.flush()
    }
}

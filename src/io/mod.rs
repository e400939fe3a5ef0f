//! Readers and writers that let only UTF-8 through.
//!
//! A reader or a writer inside is never trusted: what has been validated is kept in memory that it
//! cannot reach, or is validated again.

pub mod fs;
mod intake;
mod read_to_string;
#[cfg(feature = "tokio")]
pub mod tokio;

use alloc::string::String;
use std::io::{self, BufRead, ErrorKind, Read, Write};

use crate::stream::{Decoder, StreamError, Validator};
use intake::Intake;

pub use read_to_string::read_to_string;

/// An [`ErrorKind::InvalidData`] that carries the error.
///
/// ```
/// use std::io;
/// use trust8::stream::{StreamError, Validator};
///
/// let error = io::Error::from(Validator::new().push(b"ab\xFF").unwrap_err());
/// assert_eq!(error.kind(), io::ErrorKind::InvalidData);
/// assert_eq!(error.downcast::<StreamError>().unwrap().valid_up_to(), 2);
/// ```
impl From<StreamError> for io::Error {
    fn from(error: StreamError) -> Self {
        Self::new(ErrorKind::InvalidData, error)
    }
}

/// What a reader buffers unless it is told: small enough for the first-level cache, large enough
/// for the kernels to run at full speed.
pub(crate) const CAPACITY: usize = 16 << 10;

/// A reader that passes on UTF-8 and refuses the rest.
///
/// - As a [`Read`], it passes bytes through; as a [`BufRead`], it buffers them. Every byte that comes
///   out belongs to a whole, valid character: the beginning of a character is held back until its
///   last byte has arrived.
/// - [`fill_str`](Self::fill_str) and [`consume`](BufRead::consume) hand out the buffer as `&str`.
/// - [`read_line`](BufRead::read_line) and [`lines`](BufRead::lines), which are [`BufRead`]'s, do not
///   validate a second time.
///
/// What is valid before an error comes out first; then every call returns the error, an
/// [`ErrorKind::InvalidData`] that carries a [`StreamError`]. An error of the reader inside is passed
/// on and changes nothing: a later call goes on where that one stood, which
/// [`valid_up_to`](Self::valid_up_to) and [`pending`](Self::pending) tell.
///
/// ```
/// use std::io::{BufRead, Read};
/// use trust8::io::Utf8Reader;
/// use trust8::stream::StreamError;
///
/// let lines = Utf8Reader::new(&b"first\nsecond\n"[..]).lines().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, ["first", "second"]);
///
/// let mut reader = Utf8Reader::new(&b"up to here\xFF"[..]);
/// let mut buf = [0; 32];
/// let n = reader.read(&mut buf)?;
/// assert_eq!(&buf[..n], b"up to here");
/// let error = reader.read(&mut buf).unwrap_err();
/// assert_eq!(error.downcast::<StreamError>().unwrap().valid_up_to(), 10);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Utf8Reader<R> {
    inner: R,
    intake: Intake,
}

impl<R> Utf8Reader<R> {
    /// Reads from `inner`.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut text = String::new();
    /// trust8::io::Utf8Reader::new("søster".as_bytes()).read_to_string(&mut text)?;
    /// assert_eq!(text, "søster");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn new(inner: R) -> Self {
        Self::with_capacity(CAPACITY, inner)
    }

    /// Reads from `inner`, with a buffer of this many bytes (at least four: a character).
    ///
    /// The buffer is allocated when it is first needed. Reading into a larger one goes past it.
    ///
    /// ```
    /// use trust8::io::Utf8Reader;
    ///
    /// let mut reader = Utf8Reader::with_capacity(8, "0123456789".as_bytes());
    /// assert_eq!(reader.fill_str()?, "01234567");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn with_capacity(capacity: usize, inner: R) -> Self {
        Self { inner, intake: Intake::new(capacity) }
    }

    /// Takes away a signature, `EF BB BF`, if the text begins with one. To be said before the first read; the
    /// default is not to.
    ///
    /// [`Bom`](crate::Bom) says when that is right, and when U+FEFF is text and must stay. Offsets still
    /// count from the first byte of the reader inside.
    ///
    /// ```
    /// use std::io::Read;
    /// use trust8::io::Utf8Reader;
    ///
    /// let mut text = String::new();
    /// let mut reader = Utf8Reader::new(&b"\xEF\xBB\xBFname;size"[..]).strip_bom(true);
    /// reader.read_to_string(&mut text)?;
    /// assert_eq!((text.as_str(), reader.stripped_bom()), ("name;size", true));
    ///
    /// // Unless asked to, a reader leaves it in the text.
    /// text.clear();
    /// Utf8Reader::new(&b"\xEF\xBB\xBFname;size"[..]).read_to_string(&mut text)?;
    /// assert_eq!(text, "\u{FEFF}name;size");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn strip_bom(mut self, strip: bool) -> Self {
        self.intake.strip_bom(strip);
        self
    }

    /// Whether a signature has been taken away.
    ///
    /// ```
    /// let mut reader = trust8::io::Utf8Reader::new(&b"no signature"[..]).strip_bom(true);
    /// reader.fill_str()?;
    /// assert!(!reader.stripped_bom());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn stripped_bom(&self) -> bool {
        self.intake.stripped_bom()
    }

    /// The reader inside.
    ///
    /// ```
    /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &R {
        &self.inner
    }

    /// The reader inside. What is read from it directly is not seen, and not counted, here.
    ///
    /// ```
    /// let mut reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
    /// *reader.get_mut() = b"xyz";
    /// assert_eq!(reader.fill_str()?, "xyz");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// The reader inside. What is in the buffer, and what is [`pending`](Self::pending), is lost.
    ///
    /// ```
    /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.into_inner(), b"abc");
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// How many bytes, of those read from the reader inside, are known to be whole characters.
    /// Those still in the buffer are among them.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xE2\x82"[..]);
    /// assert!(reader.read_to_string(&mut String::new()).is_err());
    /// assert_eq!((reader.valid_up_to(), reader.pending()), (3, &b"\xE2\x82"[..]));
    /// ```
    pub const fn valid_up_to(&self) -> u64 {
        self.intake.validator().valid_up_to()
    }

    /// The last bytes read, if they begin a character that is not complete yet. They have been held
    /// back.
    ///
    /// ```
    /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xC3"[..]);
    /// assert_eq!(reader.fill_str()?, "abc");
    /// assert_eq!(reader.pending(), b"\xC3");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn pending(&self) -> &[u8] {
        self.intake.validator().pending()
    }
}

/// What [`Intake::text`] lacks when it has none.
pub(crate) fn inside_a_character() -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, "the bytes consumed so far end inside a character")
}

impl<R: Read> Utf8Reader<R> {
    /// The text in the buffer, which is filled if it is empty. No text: the input has ended.
    ///
    /// What has been dealt with is to be [`consume`](BufRead::consume)d.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`] with a [`StreamError`] if the input is not UTF-8 from here on.
    /// - [`ErrorKind::InvalidInput`] if `consume` was called for a part of a character.
    /// - The errors of the reader inside; [`ErrorKind::Interrupted`] as well.
    ///
    /// ```
    /// use std::io::BufRead;
    ///
    /// let mut reader = trust8::io::Utf8Reader::new(&b"key=value\xFF"[..]);
    /// let text = reader.fill_str()?;
    /// let key = text.find('=').unwrap();
    /// assert_eq!(&text[..key], "key");
    /// reader.consume(key + 1);
    /// assert_eq!(reader.fill_str()?, "value");
    /// reader.consume(5);
    /// assert!(reader.fill_str().is_err());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fill_str(&mut self) -> io::Result<&str> {
        self.fill()?;
        self.intake.text().ok_or_else(inside_a_character)
    }

    fn fill(&mut self) -> io::Result<()> {
        while self.intake.is_empty() {
            self.intake.sound()?;
            let n = self.inner.read(self.intake.space())?;
            if n == 0 {
                self.intake.finish()?;
                break;
            }
            self.intake.received(n);
        }
        Ok(())
    }

    /// `fill`, as often as it is interrupted.
    fn fill_patiently(&mut self) -> io::Result<&str> {
        while let Err(error) = self.fill() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.intake.text().ok_or_else(inside_a_character)
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if !self.intake.is_empty() || buf.len() < self.intake.capacity() {
            self.fill()?;
            let bytes = self.intake.bytes();
            let n = bytes.len().min(buf.len());
            buf[..n].copy_from_slice(&bytes[..n]);
            self.intake.consume(n);
            return Ok(n);
        }
        loop {
            self.intake.sound()?;
            match self.intake.bypass(buf, |space| self.inner.read(space))? {
                // Part of a character only, or an error: once more, to read on or to return it.
                Some(0) => {}
                Some(n) => return Ok(n),
                None => {
                    self.intake.finish()?;
                    return Ok(0);
                }
            }
        }
    }

    /// `buf` is unchanged if there is an error, whatever the error.
    fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        let begin = buf.len();
        loop {
            match self.fill_patiently() {
                Ok("") => return Ok(buf.len() - begin),
                Ok(text) => {
                    buf.push_str(text);
                    let n = text.len();
                    self.intake.consume(n);
                }
                Err(error) => {
                    buf.truncate(begin);
                    return Err(error);
                }
            }
        }
    }
}

impl<R: Read> BufRead for Utf8Reader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.intake.bytes())
    }

    fn consume(&mut self, amount: usize) {
        self.intake.consume(amount);
    }

    /// What comes before an error is appended to `line` first.
    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        let begin = line.len();
        loop {
            let text = self.fill_patiently()?;
            let newline = text.find('\n');
            let n = newline.map_or(text.len(), |at| at + 1);
            line.push_str(&text[..n]);
            self.intake.consume(n);
            if newline.is_some() || n == 0 {
                return Ok(line.len() - begin);
            }
        }
    }
}

impl<R: core::fmt::Debug> core::fmt::Debug for Utf8Reader<R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Utf8Reader")
            .field("inner", &self.inner)
            .field("buffered", &self.intake.bytes().len())
            .field("validator", self.intake.validator())
            .finish()
    }
}

/// A writer that passes on UTF-8 and refuses the rest.
///
/// What reaches the writer inside is whole, valid characters: the beginning of a character is held
/// back until its last byte has come. What is valid before an error is written; then every call
/// returns the error, an [`ErrorKind::InvalidData`] that carries a [`StreamError`].
///
/// An error of the writer inside is passed on and changes nothing: what has been accepted is
/// written later, what has not can be written again. At the end, [`finish`](Self::finish) says
/// whether there is an unfinished character; dropping the writer says nothing and writes nothing.
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
    /// It has seen all that was accepted.
    validator: Validator,
    /// Bytes of one character that were accepted and found valid, but that `inner` has not taken yet:
    /// the last `owed` of these four.
    last: [u8; 4],
    owed: usize,
}

/// Bytes that are validated for one call of the writer inside. If it takes only some of them, the
/// others are validated again when they come again; so this bounds what is done in vain.
const STEP: usize = 16 << 10;

impl<W> Utf8Writer<W> {
    /// Writes to `inner`.
    ///
    /// ```
    /// use std::io::Write;
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// assert!(write!(writer, "{}", 12).is_ok());
    /// ```
    pub const fn new(inner: W) -> Self {
        Self { inner, validator: Validator::new(), last: [0; 4], owed: 0 }
    }

    /// The writer inside.
    ///
    /// ```
    /// let writer = trust8::io::Utf8Writer::new(vec![1]);
    /// assert_eq!(writer.get_ref(), &[1]);
    /// ```
    pub const fn get_ref(&self) -> &W {
        &self.inner
    }

    /// The writer inside. What is written to it directly is not seen, and not counted, here.
    ///
    /// ```
    /// let mut writer = trust8::io::Utf8Writer::new(Vec::new());
    /// writer.get_mut().push(1);
    /// assert_eq!(writer.into_inner(), [1]);
    /// ```
    pub const fn get_mut(&mut self) -> &mut W {
        &mut self.inner
    }

    /// The writer inside. What has been held back is lost; see [`finish`](Self::finish).
    ///
    /// ```
    /// assert_eq!(trust8::io::Utf8Writer::new("inside").into_inner(), "inside");
    /// ```
    pub fn into_inner(self) -> W {
        self.inner
    }

    /// How many bytes, of those accepted, are known to be whole characters.
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

    /// The last bytes accepted, if they begin a character that is not complete yet. They have been held
    /// back.
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
}

impl<W: Write> Utf8Writer<W> {
    /// Says that the text ends here, and [flushes](Write::flush).
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`] if the text ends inside a character, or there has been an error.
    /// - The errors of the writer inside.
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

    /// Writes what is owed.
    fn settle(&mut self) -> io::Result<()> {
        while self.owed > 0 {
            match self.inner.write(&self.last[4 - self.owed..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(n) => self.owed -= n,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Owes the bytes, of which there are at most four; none are owed yet.
    fn owe(&mut self, bytes: &[u8]) {
        self.last[4 - bytes.len()..].copy_from_slice(bytes);
        self.owed = bytes.len();
    }
}

impl<W: Write> Write for Utf8Writer<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.settle()?;
        let mut chunk = &buf[..buf.len().min(STEP)];

        let mut next = Decoder::from(self.validator);
        let piece = match next.decode(chunk) {
            Ok(piece) => piece,
            Err(error) => {
                // All up to the error, if that is in the chunk and not before it, is to be written.
                let held = self.validator.pending().len() as u64;
                let sound = error.valid_up_to().saturating_sub(self.validator.valid_up_to() + held);
                if sound == 0 {
                    // Kept, so that it is the error of every later call.
                    let _ = self.validator.push(chunk);
                    return Err(error.into());
                }
                chunk = &chunk[..sound as usize];
                next = Decoder::from(self.validator);
                next.decode(chunk)?
            }
        };

        if !piece.completed().is_empty() {
            // Accepted from here on, whether or not the writer inside takes it now.
            let n = piece.completed().len() - self.validator.pending().len();
            self.owe(piece.completed().as_bytes());
            self.validator.push(&chunk[..n])?;
            let _ = self.settle();
            return Ok(n);
        }

        // Nothing was pending, or all of the chunk still is.
        let text = piece.rest();
        let n = if text.is_empty() { 0 } else { self.inner.write(text.as_bytes())? };
        if n >= text.len() {
            self.validator = next.into();
            return Ok(chunk.len());
        }
        // Some was taken, perhaps half a character: then the other half is owed.
        let end = (n..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        self.owe(&text.as_bytes()[n..end]);
        self.validator.push(&chunk[..end])?;
        Ok(end)
    }

    /// What is [`pending`](Utf8Writer::pending) stays so.
    fn flush(&mut self) -> io::Result<()> {
        self.settle()?;
        self.inner.flush()
    }
}

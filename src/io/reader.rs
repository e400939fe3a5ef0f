//! The reader. Its buffer is in `intake.rs`.

#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use std::io::{self, BufRead, ErrorKind, Read};

use super::intake::{CAPACITY_BYTES, Intake};

/// A reader that passes on UTF-8 and refuses everything else.
///
/// - As a [`Read`], it passes bytes through; as a [`BufRead`], it buffers them. Every byte that
///   comes out belongs to a whole, valid character: the beginning of a character is held back until
///   its last byte has arrived.
/// - [`fill_str`](Self::fill_str) and [`consume`](BufRead::consume) give access to the buffer as
///   `&str`.
/// - [`read_line`](BufRead::read_line) and [`lines`](BufRead::lines) of [`BufRead`] do not validate
///   a second time.
///
/// The valid text before an error comes out first. From then on, every call returns the error, an
/// [`ErrorKind::InvalidData`] that carries a [`StreamError`](crate::stream::StreamError). This
/// includes the error for an input that ends inside a character, even if the inner reader could
/// read more later, unless the reader is told to [`follow`](Self::follow) a growing input.
///
/// An error of the inner reader is passed on and changes nothing. The next call continues at the
/// same position, which [`valid_up_to`](Self::valid_up_to) and [`pending`](Self::pending) return.
/// If the inner reader claims to have read more bytes than it was asked for, this call and every
/// later one return an [`ErrorKind::Other`].
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
    follows: bool,
}

impl<R> Utf8Reader<R> {
    /// Returns a reader of what `inner` reads.
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
        Self::with_capacity(CAPACITY_BYTES, inner)
    }

    /// Returns a reader with a buffer of `capacity` bytes, or of four if `capacity` is less, so
    /// that every character fits.
    ///
    /// The buffer is allocated when it is first needed. A [`read`](Read::read) into at least
    /// `capacity` bytes bypasses it.
    ///
    /// ```
    /// use trust8::io::Utf8Reader;
    ///
    /// let mut reader = Utf8Reader::with_capacity(8, "0123456789".as_bytes());
    /// assert_eq!(reader.fill_str()?, "01234567");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn with_capacity(capacity: usize, inner: R) -> Self {
        Self { inner, intake: Intake::new(capacity), follows: false }
    }

    /// Sets whether to remove the signature `EF BB BF` if the text begins with it. The default is
    /// `false`. Call this before the first read.
    ///
    /// [`Bom`](crate::Bom) explains when to remove it, and when U+FEFF is text and must stay.
    /// Positions still count from the first byte of the inner reader.
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
    /// // By default, a reader leaves it in the text.
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

    /// Sets whether the input may grow after its end, as a log does. The default is `false`. Call
    /// this before the first read.
    ///
    /// If it may, an end inside a character is not an error: the character may be completed later,
    /// and until then it is [`pending`](Self::pending). Each read asks the inner reader again.
    ///
    /// ```
    /// use std::io::{BufRead, Cursor};
    /// use trust8::io::Utf8Reader;
    ///
    /// let mut log = Utf8Reader::new(Cursor::new(b"one\ncaf\xC3".to_vec())).follow(true);
    /// let mut line = String::new();
    /// assert_eq!(log.read_line(&mut line)?, 4);
    /// // What has no line end yet is appended too.
    /// line.clear();
    /// assert_eq!((log.read_line(&mut line)?, log.read_line(&mut line)?), (3, 0));
    /// log.get_mut().get_mut().extend(b"\xA9\n");
    /// log.read_line(&mut line)?;
    /// assert_eq!(line, "café\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn follow(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Returns whether a signature has been removed.
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

    /// Returns the length of the buffer, at least four.
    ///
    /// ```
    /// # use trust8::io::Utf8Reader;
    /// assert_eq!(Utf8Reader::with_capacity(1, &b""[..]).capacity(), 4);
    /// ```
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.intake.capacity
    }

    /// Returns a reference to the inner reader.
    ///
    /// ```
    /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are
    /// neither validated nor counted.
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

    /// Returns the inner reader. The bytes in the [`buffer`](Self::buffer) and the
    /// [`pending`](Self::pending) ones are lost; see [`into_parts`](Self::into_parts).
    ///
    /// ```
    /// let reader = trust8::io::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.into_inner(), b"abc");
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the inner reader, and the bytes that were read from it but not consumed:
    /// those in the [`buffer`](Self::buffer), and the [`pending`](Self::pending) ones.
    /// After an error, the bytes from the error on are lost.
    ///
    /// ```
    /// use std::io::BufRead;
    /// use trust8::io::Utf8Reader;
    ///
    /// let mut reader = Utf8Reader::with_capacity(8, &b"head:\xE2\x82\xACbody"[..]);
    /// assert_eq!(reader.fill_str()?, "head:€");
    /// reader.consume("head:".len());
    /// assert_eq!(reader.into_parts(), (&b"body"[..], "€".as_bytes().to_vec()));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn into_parts(self) -> (R, Vec<u8>) {
        let rest = [self.buffer(), self.pending()].concat();
        (self.inner, rest)
    }

    /// Returns the unconsumed text in the buffer as bytes, without reading.
    ///
    /// ```
    /// use std::io::BufRead;
    ///
    /// let mut reader = trust8::io::Utf8Reader::new("größer".as_bytes());
    /// assert_eq!(reader.buffer(), b"");
    /// reader.fill_str()?;
    /// reader.consume("grö".len());
    /// assert_eq!(reader.buffer(), "ßer".as_bytes());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn buffer(&self) -> &[u8] {
        self.intake.bytes()
    }

    /// Returns how many of the bytes that were read from the inner reader are known to be
    /// whole characters. This includes the bytes in the buffer.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xE2\x82"[..]);
    /// assert!(reader.read_to_string(&mut String::new()).is_err());
    /// assert_eq!((reader.valid_up_to(), reader.pending()), (3, &b"\xE2\x82"[..]));
    /// ```
    pub const fn valid_up_to(&self) -> u64 {
        self.intake.validator.valid_up_to()
    }

    /// Returns the last bytes that were read, if they begin an incomplete character: 0 to 3
    /// bytes, which are held back.
    ///
    /// ```
    /// let mut reader = trust8::io::Utf8Reader::new(&b"abc\xC3"[..]);
    /// assert_eq!(reader.fill_str()?, "abc");
    /// assert_eq!(reader.pending(), b"\xC3");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn pending(&self) -> &[u8] {
        self.intake.validator.pending()
    }
}

impl<R: fmt::Debug> fmt::Debug for Utf8Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.intake.debug(f.debug_struct("Utf8Reader").field("inner", &self.inner))
    }
}

impl<R: Read> Utf8Reader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](BufRead::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the input
    ///   is not UTF-8 from here on.
    /// - [`ErrorKind::InvalidInput`] if part of a character was consumed.
    /// - The errors of the inner reader, including [`ErrorKind::Interrupted`].
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
        self.intake.text()
    }

    /// Reads until there is text in the buffer, or the input ends.
    fn fill(&mut self) -> io::Result<()> {
        while self.intake.is_empty() {
            self.intake.status()?;
            let n = self.inner.read(self.intake.space())?;
            if n == 0 {
                return self.end();
            }
            self.intake.received(n)?;
        }
        Ok(())
    }

    /// Handles the end of the input.
    fn end(&mut self) -> io::Result<()> {
        if self.follows { Ok(()) } else { self.intake.finish() }
    }
}

/// Appends the text that `fill` finds in the buffer of `reader` to `to`, up to and with the first
/// byte `end` or to the end of the input. Retries an interrupted read.
pub(super) fn append_until<R: BufRead>(
    reader: &mut R,
    fill: impl Fn(&mut R) -> io::Result<&str>,
    end: Option<char>,
    to: &mut String,
) -> io::Result<usize> {
    let begin = to.len();
    loop {
        let text = match fill(reader) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            text => text?,
        };
        let found = end.and_then(|end| text.find(end));
        let n = found.map_or(text.len(), |at| at + 1);
        to.push_str(&text[..n]);
        reader.consume(n);
        // Without text, the input has ended.
        if found.is_some() || n == 0 {
            return Ok(to.len() - begin);
        }
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            if self.intake.is_empty() {
                self.intake.status()?;
            }
            return Ok(0);
        }
        if !self.intake.is_empty() || buf.len() < self.intake.capacity {
            let n = self.fill_buf()?.read(buf)?;
            self.consume(n);
            return Ok(n);
        }
        loop {
            self.intake.status()?;
            match self.intake.bypass(buf, |space| self.inner.read(space))? {
                // Only part of a character, or an error. The next iteration reads more or returns
                // the error.
                Some(0) => {}
                Some(n) => return Ok(n),
                None => return self.end().map(|()| 0),
            }
        }
    }

    /// After any error, `buf` is unchanged.
    fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        let begin = buf.len();
        append_until(self, Self::fill_str, None, buf).inspect_err(|_| buf.truncate(begin))
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

    /// The text before an error is appended to `line` first.
    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        append_until(self, Self::fill_str, Some('\n'), line)
    }
}

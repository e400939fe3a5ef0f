//! The blocking reader. `tokio/reader.rs` is its asynchronous twin; both use the buffer of
//! `intake.rs`.

#![forbid(unsafe_code)]

use alloc::string::String;
use std::io::{self, BufRead, ErrorKind, Read};

use super::intake::{CAPACITY, Intake};

/// A reader that passes on UTF-8 and refuses everything else.
///
/// - As a [`Read`], it passes bytes through; as a [`BufRead`], it buffers them. Every byte that comes out belongs to a whole,
///   valid character: the beginning of a character is held back until its last byte has arrived.
/// - [`fill_str`](Self::fill_str) and [`consume`](BufRead::consume) give access to the buffer as `&str`.
/// - [`read_line`](BufRead::read_line) and [`lines`](BufRead::lines) of [`BufRead`] do not validate a second time.
///
/// The valid text before an error comes out first. From then on, every call returns the error, an
/// [`ErrorKind::InvalidData`] that carries a [`StreamError`](crate::stream::StreamError). This
/// includes the error for an input that ends inside a character, even if the inner reader could
/// read more later.
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
        Self::with_capacity(CAPACITY, inner)
    }

    /// Returns a reader with a buffer of `capacity` bytes, or of four if `capacity` is less, so that every character fits.
    ///
    /// The buffer is allocated when it is first needed. A [`read`](Read::read) into at least `capacity` bytes bypasses it.
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
}

reader_methods!();

impl<R: Read> Utf8Reader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](BufRead::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the input is not UTF-8 from here on.
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

    fn fill(&mut self) -> io::Result<()> {
        self.intake.fill(|space| self.inner.read(space))
    }

    /// Fills the buffer, and retries an interrupted read.
    fn fill_patiently(&mut self) -> io::Result<()> {
        while let Err(error) = self.fill() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Appends all text up to the end of the input to `string`.
    fn append_all(&mut self, string: &mut String) -> io::Result<()> {
        loop {
            self.fill_patiently()?;
            if self.intake.is_empty() {
                return Ok(());
            }
            let text = self.intake.text()?;
            string.push_str(text);
            let n = text.len();
            self.intake.consume(n);
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
        if !self.intake.is_empty() || buf.len() < self.intake.capacity() {
            self.fill()?;
            let bytes = self.intake.take(buf.len());
            buf[..bytes.len()].copy_from_slice(bytes);
            return Ok(bytes.len());
        }
        self.intake.fill_other(buf, |space| self.inner.read(space))
    }

    /// After any error, `buf` is unchanged.
    fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        let begin = buf.len();
        match self.append_all(buf) {
            Ok(()) => Ok(buf.len() - begin),
            Err(error) => {
                buf.truncate(begin);
                Err(error)
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

    /// The text before an error is appended to `line` first.
    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        let begin = line.len();
        loop {
            self.fill_patiently()?;
            if self.intake.take_line(line)? {
                return Ok(line.len() - begin);
            }
        }
    }
}

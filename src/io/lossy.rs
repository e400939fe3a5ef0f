//! The lossy reader.

#![forbid(unsafe_code)]

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use std::io::{self, BufRead, ErrorKind, Read};

use super::intake::{CAPACITY_BYTES, read_too_much};
use super::reader::append_until;
use crate::stream::Decoder;

/// A reader of text that replaces what is not UTF-8, and so never fails because of the bytes.
///
/// - As a [`Read`] and as a [`BufRead`], it passes on the bytes of the text, which are UTF-8. They
///   are whole characters as long as the caller consumes whole characters.
/// - [`fill_str`](Self::fill_str) and [`consume`](BufRead::consume) give access to the buffer as
///   `&str`.
/// - [`read_line`](BufRead::read_line) and [`lines`](BufRead::lines) of [`BufRead`] do not validate
///   a second time.
///
/// The [`Decoder`] decides what replaces an ill-formed sequence, and whether a signature is
/// removed; [`decoder`](Self::decoder) tells how many sequences there were.
///
/// An error of the inner reader is passed on and changes nothing.
///
/// ```
/// use std::io::BufRead;
/// use trust8::Policy;
/// use trust8::io::LossyReader;
/// use trust8::stream::Decoder;
///
/// let log = &b"user=J\xF6rg\nok\n"[..];
/// let lines = LossyReader::new(log).lines().collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(lines, ["user=J\u{FFFD}rg", "ok"]);
///
/// let escapes = Decoder::with_policy(Policy::Escape).unwrap();
/// let mut reader = LossyReader::with_decoder(escapes, log);
/// let mut line = String::new();
/// reader.read_line(&mut line)?;
/// assert_eq!((line.as_str(), reader.decoder().replaced()), ("user=J\\xF6rg\n", 1));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct LossyReader<R> {
    inner: R,
    decoder: Decoder,
    /// The memory that the inner reader writes to. Empty until first used.
    bytes: Vec<u8>,
    text: String,
    /// The text before this has been consumed.
    start: usize,
    follows: bool,
}

impl<R> LossyReader<R> {
    /// Returns a reader that replaces each ill-formed sequence with U+FFFD.
    ///
    /// ```
    /// use std::io::Read;
    ///
    /// let mut text = String::new();
    /// trust8::io::LossyReader::new(&b"s\xF8ster"[..]).read_to_string(&mut text)?;
    /// assert_eq!(text, "s\u{FFFD}ster");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn new(inner: R) -> Self {
        Self::with_decoder(Decoder::new(), inner)
    }

    /// Returns a reader with this decoder.
    ///
    /// ```
    /// use std::io::Read;
    /// use trust8::{Policy, stream::Decoder};
    ///
    /// let decoder = Decoder::with_policy(Policy::Windows1252).unwrap();
    /// let mut text = String::new();
    /// trust8::io::LossyReader::with_decoder(decoder, &b"s\xF8ster"[..]).read_to_string(&mut text)?;
    /// assert_eq!(text, "søster");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn with_decoder(decoder: Decoder, inner: R) -> Self {
        Self { inner, decoder, bytes: Vec::new(), text: String::new(), start: 0, follows: false }
    }

    /// Sets whether the input may grow after its end, as a log does. The default is `false`.
    ///
    /// If it may, an unfinished character at the end is not replaced: it may be completed later.
    /// Each read asks the inner reader again.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use trust8::io::LossyReader;
    ///
    /// let mut log = LossyReader::new(Cursor::new(b"caf\xC3".to_vec())).follow(true);
    /// assert_eq!(log.fill_str()?, "caf");
    /// std::io::BufRead::consume(&mut log, 3);
    /// assert_eq!(log.fill_str()?, "");
    /// log.get_mut().get_mut().extend(b"\xA9!");
    /// assert_eq!(log.fill_str()?, "é!");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub const fn follow(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Returns the decoder of everything that was read.
    ///
    /// ```
    /// let mut reader = trust8::io::LossyReader::new(&b"abc\xFF\xC3"[..]).follow(true);
    /// assert_eq!(reader.fill_str()?, "abc\u{FFFD}");
    /// assert_eq!((reader.decoder().replaced(), reader.decoder().pending()), (1, &b"\xC3"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Returns a reference to the inner reader.
    ///
    /// ```
    /// assert_eq!(trust8::io::LossyReader::new(&b"abc"[..]).get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &R {
        &self.inner
    }

    /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are
    /// not decoded.
    ///
    /// ```
    /// let mut reader = trust8::io::LossyReader::new(&b"abc"[..]);
    /// *reader.get_mut() = b"xyz";
    /// assert_eq!(reader.fill_str()?, "xyz");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// Returns the inner reader. The text in the buffer is lost, and so are bytes that begin a
    /// character.
    ///
    /// ```
    /// assert_eq!(trust8::io::LossyReader::new(&b"abc"[..]).into_inner(), b"abc");
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }

    /// Returns the unconsumed text in the buffer as bytes, without reading.
    ///
    /// ```
    /// let mut reader = trust8::io::LossyReader::new("größer".as_bytes());
    /// reader.fill_str()?;
    /// std::io::BufRead::consume(&mut reader, "grö".len());
    /// assert_eq!(reader.buffer(), "ßer".as_bytes());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn buffer(&self) -> &[u8] {
        &self.text.as_bytes()[self.start..]
    }
}

impl<R: fmt::Debug> fmt::Debug for LossyReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LossyReader")
            .field("inner", &self.inner)
            .field("buffered", &self.buffer().len())
            .field("decoder", &self.decoder)
            .finish()
    }
}

impl<R: Read> LossyReader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](BufRead::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::InvalidInput`] if part of a character was consumed.
    /// - The errors of the inner reader, including [`ErrorKind::Interrupted`].
    /// - [`ErrorKind::Other`] if the inner reader claims to have read more bytes than it was asked
    ///   for.
    ///
    /// ```
    /// use std::io::BufRead;
    ///
    /// let mut reader = trust8::io::LossyReader::new(&b"key=v\xE4lue"[..]);
    /// let text = reader.fill_str()?;
    /// let key = text.find('=').unwrap();
    /// assert_eq!(&text[..key], "key");
    /// reader.consume(key + 1);
    /// assert_eq!(reader.fill_str()?, "v\u{FFFD}lue");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn fill_str(&mut self) -> io::Result<&str> {
        self.fill()?;
        self.text.get(self.start..).ok_or_else(|| {
            io::Error::new(ErrorKind::InvalidInput, "the bytes consumed so far end inside a character")
        })
    }

    /// Reads until there is text in the buffer, or the input ends.
    fn fill(&mut self) -> io::Result<()> {
        while self.start == self.text.len() {
            if self.bytes.is_empty() {
                self.bytes = vec![0; CAPACITY_BYTES];
            }
            let n = self.inner.read(&mut self.bytes)?;
            let bytes = self.bytes.get(..n).ok_or_else(read_too_much)?;
            self.text.clear();
            self.start = 0;
            if n > 0 {
                self.text.extend(self.decoder.push(bytes));
            } else {
                if !self.follows {
                    self.text.extend(self.decoder.finish());
                }
                break;
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for LossyReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }

    /// After any error, `buf` is unchanged.
    fn read_to_string(&mut self, buf: &mut String) -> io::Result<usize> {
        let begin = buf.len();
        append_until(self, Self::fill_str, None, buf).inspect_err(|_| buf.truncate(begin))
    }
}

impl<R: Read> BufRead for LossyReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        Ok(self.buffer())
    }

    fn consume(&mut self, amount: usize) {
        self.start = self.text.len().min(self.start.saturating_add(amount));
    }

    /// The text before an error is appended to `line` first.
    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        append_until(self, Self::fill_str, Some('\n'), line)
    }
}

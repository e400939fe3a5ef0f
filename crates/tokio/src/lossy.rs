//! The asynchronous lossy reader. It is the blocking one, around a reader that polls.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, BufRead};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};
use trust8::stream::Decoder;

use super::polled::Polled;

/// A reader of text that replaces what is not UTF-8, and so never fails because of the bytes.
///
/// It is [`trust8::io::LossyReader`] for [`AsyncRead`]. The text passes through as bytes, by
/// [`AsyncRead`] and [`AsyncBufRead`], or as `&str`, by [`fill_str`](Self::fill_str) and
/// [`read_line`](Self::read_line). An error of the inner reader is passed on and changes nothing.
/// Nothing is lost when a future is dropped.
///
/// ```
/// use trust8::{Policy, stream::Decoder};
/// use trust8_tokio::LossyReader;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let escapes = Decoder::with_policy(Policy::Escape).unwrap();
/// let mut reader = LossyReader::with_decoder(escapes, &b"user=J\xF6rg\nok"[..]);
/// let mut line = String::new();
/// reader.read_line(&mut line).await?;
/// assert_eq!((line.as_str(), reader.decoder().replaced()), ("user=J\\xF6rg\n", 1));
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub struct LossyReader<R> {
    reader: trust8::io::LossyReader<Polled<R>>,
}

impl<R> LossyReader<R> {
    /// Returns a reader that replaces each ill-formed sequence with U+FFFD.
    ///
    /// ```
    /// use tokio::io::AsyncReadExt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut text = String::new();
    /// trust8_tokio::LossyReader::new(&b"s\xF8ster"[..]).read_to_string(&mut text).await?;
    /// assert_eq!(text, "s\u{FFFD}ster");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn new(inner: R) -> Self {
        Self::with_decoder(Decoder::new(), inner)
    }

    /// Returns a reader with this decoder.
    ///
    /// ```
    /// use trust8::{Policy, stream::Decoder};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let decoder = Decoder::with_policy(Policy::Windows1252).unwrap();
    /// let mut reader = trust8_tokio::LossyReader::with_decoder(decoder, &b"s\xF8ster"[..]);
    /// assert_eq!(reader.fill_str().await?, "søster");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn with_decoder(decoder: Decoder, inner: R) -> Self {
        Self { reader: trust8::io::LossyReader::with_decoder(decoder, Polled::new(inner)) }
    }

    /// Sets whether the input may grow after its end, as a log does. The default is `false`. If it
    /// may, an unfinished character at the end is not replaced: it may be completed later.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut log = trust8_tokio::LossyReader::new(&b"\xC3"[..]).follow(true);
    /// assert_eq!(log.fill_str().await?, "");
    /// *log.get_mut() = b"\xA9";
    /// assert_eq!(log.fill_str().await?, "é");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn follow(mut self, follows: bool) -> Self {
        self.reader = self.reader.follow(follows);
        self
    }

    /// Returns the decoder of everything that was read.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::LossyReader::new(&b"abc\xFF"[..]);
    /// reader.fill_str().await?;
    /// assert_eq!(reader.decoder().replaced(), 1);
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn decoder(&self) -> &Decoder {
        self.reader.decoder()
    }

    /// Returns a reference to the inner reader.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::LossyReader::new(&b"abc"[..]).get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &R {
        &self.reader.get_ref().inner
    }

    /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are
    /// not decoded.
    ///
    /// ```
    /// let mut reader = trust8_tokio::LossyReader::new(&b"abc"[..]);
    /// *reader.get_mut() = b"xyz";
    /// assert_eq!(reader.into_inner(), b"xyz");
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader.get_mut().inner
    }

    /// Returns the inner reader. The text in the buffer is lost, and so are bytes that begin a
    /// character.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::LossyReader::new(&b"abc"[..]).into_inner(), b"abc");
    /// ```
    pub fn into_inner(self) -> R {
        self.reader.into_inner().inner
    }

    /// Returns the unconsumed text in the buffer as bytes, without reading.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::LossyReader::new(&b"abc"[..]).buffer(), b"");
    /// ```
    pub fn buffer(&self) -> &[u8] {
        self.reader.buffer()
    }
}

impl<R: fmt::Debug> fmt::Debug for LossyReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}

impl<R: AsyncRead + Unpin> LossyReader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](Self::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`io::ErrorKind::InvalidInput`] if part of a character was consumed.
    /// - The errors of the inner reader.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::LossyReader::new(&b"v\xE4lue"[..]);
    /// assert_eq!(reader.fill_str().await?, "v\u{FFFD}lue");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub async fn fill_str(&mut self) -> io::Result<&str> {
        poll_fn(|cx| self.poll_fill(cx)).await?;
        if self.buffer().is_empty() {
            return Ok("");
        }
        // With text in the buffer, this does not read.
        self.reader.fill_str()
    }

    /// Marks `bytes` bytes of the text that [`fill_str`](Self::fill_str) has returned as handled.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::LossyReader::new("größer".as_bytes());
    /// reader.fill_str().await?;
    /// reader.consume("grö".len());
    /// assert_eq!(reader.fill_str().await?, "ßer");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn consume(&mut self, bytes: usize) {
        self.reader.consume(bytes);
    }

    /// Appends the next line, with its end, to `line`, and returns its length in bytes: 0 at the
    /// end of the input.
    ///
    /// If this future is dropped, the part of the line that it has appended stays in `line`.
    ///
    /// # Errors
    ///
    /// The errors of [`fill_str`](Self::fill_str). The text before an error is appended to `line`
    /// first.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::LossyReader::new(&b"eins\nz\xFCei"[..]);
    /// let mut line = String::new();
    /// assert_eq!(reader.read_line(&mut line).await?, 5);
    /// assert_eq!(reader.read_line(&mut line).await?, 6);
    /// assert_eq!(reader.read_line(&mut line).await?, 0);
    /// assert_eq!(line, "eins\nz\u{FFFD}ei");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub async fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        let begin = line.len();
        loop {
            let text = self.fill_str().await?;
            let newline = text.find('\n');
            let n = newline.map_or(text.len(), |at| at + 1);
            line.push_str(&text[..n]);
            self.consume(n);
            if newline.is_some() || n == 0 {
                return Ok(line.len() - begin);
            }
        }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.buffer().is_empty() {
            return Poll::Ready(Ok(()));
        }
        self.reader.get_mut().begin(cx);
        let result = self.reader.fill_buf().map(drop);
        self.reader.get_mut().end(result)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LossyReader<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if buf.remaining() > 0 {
            ready!(this.poll_fill(cx))?;
            let n = buf.remaining().min(this.buffer().len());
            buf.put_slice(&this.buffer()[..n]);
            this.consume(n);
        }
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for LossyReader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        ready!(this.poll_fill(cx))?;
        Poll::Ready(Ok(this.buffer()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().consume(amount);
    }
}

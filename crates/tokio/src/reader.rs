//! The asynchronous reader. It is the blocking one, around a reader that polls.

use std::fmt;
use std::future::poll_fn;
use std::io::{self, BufRead, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::polled::Polled;

/// A reader that passes on UTF-8 and refuses everything else.
///
/// - As an [`AsyncRead`], it passes bytes through; as an [`AsyncBufRead`], it buffers them. Every
///   byte that comes out belongs to a whole, valid character: the beginning of a character is held
///   back until its last byte has arrived.
/// - [`fill_str`](Self::fill_str) returns the buffer as `&str`, and [`read_line`](Self::read_line)
///   reads a line. Neither validates a second time.
///
/// The valid text before an error comes out first. From then on, every call returns the error, an
/// [`io::ErrorKind::InvalidData`] that carries a [`StreamError`](trust8::stream::StreamError). This
/// includes the error for an input that ends inside a character, even if the inner reader could
/// read more later, unless the reader is told to [`follow`](Self::follow) a growing input. An error of the inner reader is passed on and changes nothing. Nothing is lost
/// when a future is dropped: the bytes that it has read are in the buffer.
///
/// ```
/// use tokio::io::AsyncReadExt;
/// use trust8::stream::StreamError;
/// use trust8_tokio::Utf8Reader;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut reader = Utf8Reader::new(&b"up to here\xFF"[..]);
/// let mut buf = [0; 32];
/// let n = reader.read(&mut buf).await?;
/// assert_eq!(&buf[..n], b"up to here");
/// let error = reader.read(&mut buf).await.unwrap_err();
/// assert_eq!(error.downcast::<StreamError>().unwrap().valid_up_to(), 10);
/// # std::io::Result::Ok(()) }).unwrap();
/// ```
pub struct Utf8Reader<R> {
    reader: trust8::io::Utf8Reader<Polled<R>>,
}

impl<R> Utf8Reader<R> {
    /// Returns a reader of what `inner` reads.
    ///
    /// ```
    /// use tokio::io::AsyncReadExt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut text = String::new();
    /// trust8_tokio::Utf8Reader::new("søster".as_bytes()).read_to_string(&mut text).await?;
    /// assert_eq!(text, "søster");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn new(inner: R) -> Self {
        Self::with_capacity(16 << 10, inner)
    }

    /// Returns a reader with a buffer of `capacity` bytes, or of four if `capacity` is less, so
    /// that every character fits.
    ///
    /// The buffer is allocated when it is first needed. A read into at least `capacity` bytes
    /// bypasses it if they are initialised.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::with_capacity(8, "0123456789".as_bytes());
    /// assert_eq!(reader.fill_str().await?, "01234567");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn with_capacity(capacity: usize, inner: R) -> Self {
        Self { reader: trust8::io::Utf8Reader::with_capacity(capacity, Polled::new(inner)) }
    }

    /// Sets whether to remove the signature `EF BB BF` if the text begins with it. The default is
    /// `false`. Call this before the first read.
    ///
    /// [`Bom`](trust8::Bom) explains when to remove it, and when U+FEFF is text and must stay.
    /// Positions still count from the first byte of the inner reader.
    ///
    /// ```
    /// use tokio::io::AsyncReadExt;
    /// use trust8_tokio::Utf8Reader;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut text = String::new();
    /// let mut reader = Utf8Reader::new(&b"\xEF\xBB\xBFname;size"[..]).strip_bom(true);
    /// reader.read_to_string(&mut text).await?;
    /// assert_eq!((text.as_str(), reader.stripped_bom()), ("name;size", true));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn strip_bom(mut self, strip: bool) -> Self {
        self.reader = self.reader.strip_bom(strip);
        self
    }

    /// Sets whether the input may grow after its end, as a log does. The default is `false`. If it
    /// may, an end inside a character is not an error: the character may be completed later.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut log = trust8_tokio::Utf8Reader::new(&b"\xC3"[..]).follow(true);
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

    /// Returns whether a signature has been removed.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new(&b"no signature"[..]).strip_bom(true);
    /// reader.fill_str().await?;
    /// assert!(!reader.stripped_bom());
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn stripped_bom(&self) -> bool {
        self.reader.stripped_bom()
    }

    /// Returns a reference to the inner reader.
    ///
    /// ```
    /// let reader = trust8_tokio::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.get_ref().len(), 3);
    /// ```
    pub const fn get_ref(&self) -> &R {
        &self.reader.get_ref().inner
    }

    /// Returns a mutable reference to the inner reader. Bytes that are read from it directly are
    /// neither validated nor counted.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new(&b"abc"[..]);
    /// *reader.get_mut() = b"xyz";
    /// assert_eq!(reader.fill_str().await?, "xyz");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn get_mut(&mut self) -> &mut R {
        &mut self.reader.get_mut().inner
    }

    /// Returns the inner reader. The bytes in the [`buffer`](Self::buffer) and the
    /// [`pending`](Self::pending) ones are lost; see [`into_parts`](Self::into_parts).
    ///
    /// ```
    /// let reader = trust8_tokio::Utf8Reader::new(&b"abc"[..]);
    /// assert_eq!(reader.into_inner(), b"abc");
    /// ```
    pub fn into_inner(self) -> R {
        self.reader.into_inner().inner
    }

    /// Returns the inner reader, and the bytes that were read from it but not consumed: those in
    /// the [`buffer`](Self::buffer), and the [`pending`](Self::pending) ones. After an error, the
    /// bytes from the error on are lost.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::with_capacity(8, &b"head:\xE2\x82\xACbody"[..]);
    /// assert_eq!(reader.fill_str().await?, "head:€");
    /// reader.consume("head:".len());
    /// assert_eq!(reader.into_parts(), (&b"body"[..], "€".as_bytes().to_vec()));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn into_parts(self) -> (R, Vec<u8>) {
        let (polled, rest) = self.reader.into_parts();
        (polled.inner, rest)
    }

    /// Returns the unconsumed text in the buffer as bytes, without reading.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new("größer".as_bytes());
    /// assert_eq!(reader.buffer(), b"");
    /// reader.fill_str().await?;
    /// reader.consume("grö".len());
    /// assert_eq!(reader.buffer(), "ßer".as_bytes());
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn buffer(&self) -> &[u8] {
        self.reader.buffer()
    }

    /// Returns how many of the bytes that were read from the inner reader are known to be whole
    /// characters. This includes the bytes in the buffer.
    ///
    /// ```
    /// use tokio::io::AsyncReadExt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new(&b"abc\xE2\x82"[..]);
    /// assert!(reader.read_to_string(&mut String::new()).await.is_err());
    /// assert_eq!((reader.valid_up_to(), reader.pending()), (3, &b"\xE2\x82"[..]));
    /// # });
    /// ```
    pub const fn valid_up_to(&self) -> u64 {
        self.reader.valid_up_to()
    }

    /// Returns the last bytes that were read, if they begin an incomplete character: 0 to 3 bytes,
    /// which are held back.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new(&b"abc\xC3"[..]);
    /// assert_eq!(reader.fill_str().await?, "abc");
    /// assert_eq!(reader.pending(), b"\xC3");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn pending(&self) -> &[u8] {
        self.reader.pending()
    }
}

impl<R: fmt::Debug> fmt::Debug for Utf8Reader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}

impl<R: AsyncRead + Unpin> Utf8Reader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](Self::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`io::ErrorKind::InvalidData`] with a [`StreamError`](trust8::stream::StreamError) if the
    ///   input is not UTF-8 from here on.
    /// - [`io::ErrorKind::InvalidInput`] if part of a character was consumed.
    /// - The errors of the inner reader.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new(&b"key=value\xFF"[..]);
    /// assert_eq!(reader.fill_str().await?, "key=value");
    /// reader.consume(9);
    /// assert!(reader.fill_str().await.is_err());
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub async fn fill_str(&mut self) -> io::Result<&str> {
        if self.buffer().is_empty() {
            poll_fn(|cx| self.poll_fill(cx)).await?;
            if self.buffer().is_empty() {
                return Ok("");
            }
        }
        // With text in the buffer, this does not read.
        self.reader.fill_str()
    }

    /// Marks `bytes` bytes of the text that [`fill_str`](Self::fill_str) has returned as handled.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8_tokio::Utf8Reader::new("größer".as_bytes());
    /// assert_eq!(reader.fill_str().await?, "größer");
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
    /// let mut reader = trust8_tokio::Utf8Reader::new("eins\nzwei".as_bytes());
    /// let mut line = String::new();
    /// assert_eq!(reader.read_line(&mut line).await?, 5);
    /// assert_eq!(reader.read_line(&mut line).await?, 4);
    /// assert_eq!(reader.read_line(&mut line).await?, 0);
    /// assert_eq!(line, "eins\nzwei");
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
        if self.buffer().is_empty() {
            ready!(self.poll(cx, |reader| reader.fill_buf().map(drop)))?;
        }
        Poll::Ready(Ok(()))
    }

    /// Calls `read`, and returns its result unless the inner reader is not ready.
    fn poll<T>(
        &mut self,
        cx: &mut Context<'_>,
        read: impl FnOnce(&mut trust8::io::Utf8Reader<Polled<R>>) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        self.reader.get_mut().begin(cx);
        let result = read(&mut self.reader);
        self.reader.get_mut().end(result)
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Utf8Reader<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // Uninitialised memory would have to be cleared for the inner reader. A reader that returns
        // little at a time would cause this repeatedly.
        let initialized = buf.initialized().len() - buf.filled().len();
        if buf.remaining() > 0 && (!this.buffer().is_empty() || initialized < this.reader.capacity()) {
            ready!(this.poll_fill(cx))?;
            let n = buf.remaining().min(this.buffer().len());
            buf.put_slice(&this.buffer()[..n]);
            this.consume(n);
            return Poll::Ready(Ok(()));
        }
        let space = buf.initialize_unfilled_to(initialized);
        let n = ready!(this.poll(cx, |reader| reader.read(space)))?;
        buf.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for Utf8Reader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        ready!(this.poll_fill(cx))?;
        Poll::Ready(Ok(this.buffer()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().consume(amount);
    }
}

//! The asynchronous twin of `io/reader.rs`.

#![forbid(unsafe_code)]

use alloc::string::String;
use core::future::poll_fn;
use core::pin::Pin;
use core::task::{Context, Poll, ready};
use std::io;

use ::tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use crate::io::intake::{CAPACITY, Intake};

/// A reader that passes on UTF-8 and refuses everything else.
///
/// - As an [`AsyncRead`], it passes bytes through; as an [`AsyncBufRead`], it buffers them. Every byte that comes out belongs
///   to a whole, valid character: the beginning of a character is held back until its last byte has arrived.
/// - [`fill_str`](Self::fill_str) returns the buffer as `&str`, and [`read_line`](Self::read_line) reads a line. Neither
///   validates a second time.
///
/// The valid text before an error comes out first. From then on, every call returns the error, an
/// [`io::ErrorKind::InvalidData`] that carries a [`StreamError`](crate::stream::StreamError). This
/// includes the error for an input that ends inside a character, even if the inner reader could
/// read more later. An error of the inner reader is passed on and changes nothing. Nothing is lost
/// when a future is dropped: the bytes that it has read are in the buffer.
///
/// ```
/// use tokio::io::AsyncReadExt;
/// use trust8::stream::StreamError;
/// use trust8::tokio::Utf8Reader;
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
    inner: R,
    intake: Intake,
}

impl<R> Utf8Reader<R> {
    /// Returns a reader of what `inner` reads.
    ///
    /// ```
    /// use tokio::io::AsyncReadExt;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut text = String::new();
    /// trust8::tokio::Utf8Reader::new("søster".as_bytes()).read_to_string(&mut text).await?;
    /// assert_eq!(text, "søster");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn new(inner: R) -> Self {
        Self::with_capacity(CAPACITY, inner)
    }

    /// Returns a reader with a buffer of `capacity` bytes, or of four if `capacity` is less, so that every character fits.
    ///
    /// The buffer is allocated when it is first needed. A read into at least `capacity` bytes bypasses it if they are initialised.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8::tokio::Utf8Reader::with_capacity(8, "0123456789".as_bytes());
    /// assert_eq!(reader.fill_str().await?, "01234567");
    /// # std::io::Result::Ok(()) }).unwrap();
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
    /// use tokio::io::AsyncReadExt;
    /// use trust8::tokio::Utf8Reader;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut text = String::new();
    /// let mut reader = Utf8Reader::new(&b"\xEF\xBB\xBFname;size"[..]).strip_bom(true);
    /// reader.read_to_string(&mut text).await?;
    /// assert_eq!((text.as_str(), reader.stripped_bom()), ("name;size", true));
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn strip_bom(mut self, strip: bool) -> Self {
        self.intake.strip_bom(strip);
        self
    }

    /// Marks `bytes` bytes of the text that [`fill_str`](Self::fill_str) has returned as handled.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8::tokio::Utf8Reader::new("größer".as_bytes());
    /// assert_eq!(reader.fill_str().await?, "größer");
    /// reader.consume("grö".len());
    /// assert_eq!(reader.fill_str().await?, "ßer");
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub fn consume(&mut self, bytes: usize) {
        self.intake.consume(bytes);
    }
}

reader_methods!();

impl<R: AsyncRead + Unpin> Utf8Reader<R> {
    /// Returns the text in the buffer, and fills the buffer first if it is empty. The text is empty
    /// at the end of the input.
    ///
    /// [`consume`](Self::consume) the text that you have handled.
    ///
    /// # Errors
    ///
    /// - [`io::ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the input is not UTF-8 from here
    ///   on.
    /// - [`io::ErrorKind::InvalidInput`] if part of a character was consumed.
    /// - The errors of the inner reader.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8::tokio::Utf8Reader::new(&b"key=value\xFF"[..]);
    /// assert_eq!(reader.fill_str().await?, "key=value");
    /// reader.consume(9);
    /// assert!(reader.fill_str().await.is_err());
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub async fn fill_str(&mut self) -> io::Result<&str> {
        poll_fn(|cx| self.poll_fill(cx)).await?;
        self.intake.text()
    }

    /// Appends the next line, with its end, to `line`, and returns its length in bytes: 0 at the end of the input.
    ///
    /// If this future is dropped, the part of the line that it has appended stays in `line`.
    ///
    /// # Errors
    ///
    /// The errors of [`fill_str`](Self::fill_str). The text before an error is appended to `line` first.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut reader = trust8::tokio::Utf8Reader::new("eins\nzwei".as_bytes());
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
            poll_fn(|cx| self.poll_fill(cx)).await?;
            if self.intake.take_line(line)? {
                return Ok(line.len() - begin);
            }
        }
    }

    fn poll_fill(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { inner, intake } = self;
        polled(intake.fill(|space| read(inner, cx, space)))
    }
}

/// Polls `reader` for bytes into `space`, and returns their number. The error explains why there
/// are none.
fn read<R: AsyncRead + Unpin>(
    reader: &mut R,
    cx: &mut Context<'_>,
    space: &mut [u8],
) -> Result<usize, Poll<io::Error>> {
    let mut space = ReadBuf::new(space);
    match Pin::new(reader).poll_read(cx, &mut space) {
        Poll::Ready(result) => result.map(|()| space.filled().len()).map_err(Poll::Ready),
        Poll::Pending => Err(Poll::Pending),
    }
}

fn polled<T>(result: Result<T, Poll<io::Error>>) -> Poll<io::Result<T>> {
    match result {
        Ok(value) => Poll::Ready(Ok(value)),
        Err(stopped) => stopped.map(Err),
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Utf8Reader<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if buf.remaining() == 0 {
            return Poll::Ready(if this.intake.is_empty() { this.intake.status() } else { Ok(()) });
        }
        // Uninitialised memory would have to be cleared for the inner reader. A reader that returns
        // little at a time would cause this repeatedly.
        let initialized = buf.initialized().len() - buf.filled().len();
        if !this.intake.is_empty() || initialized < this.intake.capacity() {
            ready!(this.poll_fill(cx))?;
            buf.put_slice(this.intake.take(buf.remaining()));
            return Poll::Ready(Ok(()));
        }
        let Self { inner, intake } = this;
        let space = buf.initialize_unfilled_to(initialized);
        let n = ready!(polled(intake.fill_other(space, |space| read(inner, cx, space))))?;
        buf.advance(n);
        Poll::Ready(Ok(()))
    }
}

impl<R: AsyncRead + Unpin> AsyncBufRead for Utf8Reader<R> {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        ready!(this.poll_fill(cx))?;
        Poll::Ready(Ok(this.intake.bytes()))
    }

    fn consume(self: Pin<&mut Self>, amount: usize) {
        self.get_mut().intake.consume(amount);
    }
}

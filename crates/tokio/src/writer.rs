//! The asynchronous writer. It is the blocking one, around a writer that polls.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::AsyncWrite;
use trust8_profile::Profile;

use super::polled::Polled;

/// A writer that passes on UTF-8 without the characters that a profile forbids, so that no text can
/// poison a log. [`Profile::SCALARS`] forbids nothing but what is not UTF-8.
///
/// Only whole characters reach the inner writer. The text before an error is written first. From
/// then on, every write returns the error, an [`io::ErrorKind::InvalidData`] that carries a
/// [`ProfileStreamError`](trust8_profile::ProfileStreamError). An error of the inner writer is passed on and
/// changes nothing.
///
/// A future may be dropped: bytes that a write has not accepted are not written. Up to four
/// accepted bytes are held back until the next call, so [flush](AsyncWrite::poll_flush) at the end.
/// A [shutdown](AsyncWrite::poll_shutdown) returns an error if the text ends inside a character or
/// there has been an error, and then leaves the inner writer open.
///
/// ```
/// use tokio::io::AsyncWriteExt;
/// use trust8_profile::{Profile, ProfileStreamError};
/// use trust8_tokio::ProfileWriter;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut log = ProfileWriter::new(Vec::new(), Profile::TERMINAL);
/// let error = log.write_all(b"user=\x1B[2J").await.unwrap_err();
/// let error = error.downcast::<ProfileStreamError>().unwrap();
/// assert!(matches!(error, ProfileStreamError::Forbidden(found) if found.offset() == 5));
/// assert_eq!(log.into_inner(), b"user=");
/// # });
/// ```
#[derive(Debug)]
pub struct ProfileWriter<W> {
    writer: trust8_profile::ProfileWriter<Polled<W>>,
    /// Whether the text has ended. While the inner writer shuts down, it must not be flushed again.
    is_finished: bool,
}

impl<W> ProfileWriter<W> {
    /// Returns a writer to `inner`.
    ///
    /// ```
    /// use tokio::io::AsyncWriteExt;
    /// use trust8_profile::Profile;
    /// use trust8_tokio::ProfileWriter;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut writer = ProfileWriter::new(Vec::new(), Profile::XML_1_0);
    /// writer.write_all("søster".as_bytes()).await?;
    /// writer.shutdown().await?;
    /// assert_eq!(writer.into_inner(), "søster".as_bytes());
    /// # std::io::Result::Ok(()) }).unwrap();
    /// ```
    pub const fn new(inner: W, profile: Profile) -> Self {
        Self { writer: trust8_profile::ProfileWriter::new(Polled::new(inner), profile), is_finished: false }
    }

    /// Returns a reference to the inner writer.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// let writer = trust8_tokio::ProfileWriter::new("inside", Profile::XML_1_0);
    /// assert_eq!(writer.get_ref(), &"inside");
    /// ```
    pub const fn get_ref(&self) -> &W {
        &self.writer.get_ref().inner
    }

    /// Returns the inner writer. Bytes that are held back are lost.
    ///
    /// ```
    /// use trust8_profile::Profile;
    /// let writer = trust8_tokio::ProfileWriter::new("inside", Profile::XML_1_0);
    /// assert_eq!(writer.into_inner(), "inside");
    /// ```
    pub fn into_inner(self) -> W {
        self.writer.into_inner().inner
    }
}

impl<W: AsyncWrite + Unpin> ProfileWriter<W> {
    /// Calls `write`, and returns its result unless the inner writer is not ready.
    fn poll<T>(
        &mut self,
        cx: &Context<'_>,
        write: impl FnOnce(&mut trust8_profile::ProfileWriter<Polled<W>>) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        self.writer.get_mut().begin(cx);
        let result = write(&mut self.writer);
        self.writer.get_mut().end(result)
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for ProfileWriter<W> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // The text continues if a shutdown was given up.
        this.is_finished = false;
        this.poll(cx, |writer| writer.write(buf))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().poll(cx, Write::flush)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.is_finished {
            ready!(this.poll(cx, trust8_profile::ProfileWriter::finish))?;
            this.is_finished = true;
        }
        Pin::new(&mut this.writer.get_mut().inner).poll_shutdown(cx)
    }
}

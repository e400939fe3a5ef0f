//! A blocking reader or writer around an asynchronous one.

use std::fmt;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncRead, ReadBuf};

/// A blocking reader or writer that polls `inner`. If that is not ready, a call fails, which
/// changes nothing in the reader or writer around it.
pub(super) struct Polled<T> {
    pub(super) inner: T,
    /// Set while the reader or writer around it is being polled.
    waker: Option<Waker>,
    /// Whether `inner` was not ready.
    is_pending: bool,
}

impl<T> Polled<T> {
    pub(super) const fn new(inner: T) -> Self {
        Self { inner, waker: None, is_pending: false }
    }

    /// Begins a call of the reader or writer around it.
    pub(super) fn begin(&mut self, cx: &Context<'_>) {
        self.waker = Some(cx.waker().clone());
    }

    /// Ends the call, and returns its result unless it failed because `inner` was not ready.
    pub(super) fn end<O>(&mut self, result: io::Result<O>) -> Poll<io::Result<O>> {
        self.waker = None;
        // A writer that holds bytes back takes more even if `inner` is not ready.
        if mem::take(&mut self.is_pending) && result.is_err() { Poll::Pending } else { Poll::Ready(result) }
    }

    fn poll<O>(
        &mut self,
        poll: impl FnOnce(Pin<&mut T>, &mut Context<'_>) -> Poll<io::Result<O>>,
    ) -> io::Result<O>
    where
        T: Unpin,
    {
        let mut cx = Context::from_waker(self.waker.as_ref().unwrap_or(Waker::noop()));
        match poll(Pin::new(&mut self.inner), &mut cx) {
            Poll::Ready(result) => result,
            Poll::Pending => {
                self.is_pending = true;
                Err(io::ErrorKind::WouldBlock.into())
            }
        }
    }
}

impl<R: AsyncRead + Unpin> io::Read for Polled<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut buf = ReadBuf::new(buf);
        self.poll(|inner, cx| inner.poll_read(cx, &mut buf))?;
        Ok(buf.filled().len())
    }
}

#[cfg(feature = "profile")]
impl<W: tokio::io::AsyncWrite + Unpin> io::Write for Polled<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.poll(|inner, cx| inner.poll_write(cx, buf))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.poll(|inner, cx| inner.poll_flush(cx))
    }
}

impl<T: fmt::Debug> fmt::Debug for Polled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

//! The codec for lines that continues after a bad one.

use std::io;
use std::mem;

use tokio_util::bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder};
use trust8::io::{LineError, OnBadLine};

use super::codec::{LinesCodec, first_line_len};

/// A codec for lines that may not be UTF-8. It never ends because of a bad line.
///
/// A frame is a string without its line end, `\n` or `\r\n`, or the error of a bad line, which has
/// the bytes. [`on_bad_line`](Self::on_bad_line) sets whether bad lines are left out or repaired
/// instead. A line that is too long is an error in any case, and nothing of it is kept.
///
/// An error of a line is part of the frame, because [`FramedRead`](tokio_util::codec::FramedRead)
/// ends after an error of its codec.
///
/// ```
/// use futures_util::StreamExt;
/// use tokio_util::codec::FramedRead;
/// use trust8::Policy;
/// use trust8_tokio::{EveryLine, LineError, OnBadLine};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let log = &b"one\r\ntw\xF6\nthree"[..];
/// let mut lines = FramedRead::new(log, EveryLine::new());
/// assert_eq!(lines.next().await.unwrap()??, "one");
/// match lines.next().await.unwrap()? {
///     Err(LineError::NotUtf8 { error, line }) => assert_eq!((error.valid_up_to(), &line[..]), (7, &b"tw\xF6"[..])),
///     other => panic!("{other:?}"),
/// }
/// assert_eq!(lines.next().await.unwrap()??, "three");
///
/// let repair = EveryLine::new().on_bad_line(OnBadLine::Repair(Policy::Windows1252));
/// let lines: Vec<_> = FramedRead::new(log, repair).map(|line| line.unwrap().unwrap()).collect().await;
/// assert_eq!(lines, ["one", "twö", "three"]);
/// # Result::<(), Box<dyn std::error::Error>>::Ok(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct EveryLine {
    on_bad_line: OnBadLine,
    max_length: usize,
    follows: bool,
    /// There is no line end in the first `searched` bytes of the buffer.
    searched: usize,
    /// The position of the first byte of the buffer in the stream.
    offset: u64,
    /// Whether the buffer begins with the rest of a line that is too long.
    skipping: bool,
}

impl EveryLine {
    /// Returns a codec for lines of any length. A bad line is an error.
    ///
    /// ```
    /// use tokio_util::{bytes::BytesMut, codec::Decoder};
    /// use trust8_tokio::EveryLine;
    ///
    /// let mut buffer = BytesMut::from("one\ntwo");
    /// assert_eq!(EveryLine::new().decode(&mut buffer)?.unwrap().unwrap(), "one");
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            on_bad_line: OnBadLine::Refuse,
            max_length: usize::MAX,
            follows: false,
            searched: 0,
            offset: 0,
            skipping: false,
        }
    }

    /// Sets how a bad line is treated.
    ///
    /// ```
    /// use tokio_util::{bytes::BytesMut, codec::Decoder};
    /// use trust8_tokio::{EveryLine, OnBadLine};
    ///
    /// let mut buffer = BytesMut::from(&b"\xFF\ntwo\n"[..]);
    /// let mut codec = EveryLine::new().on_bad_line(OnBadLine::Skip);
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap().unwrap(), "two");
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub const fn on_bad_line(mut self, on_bad_line: OnBadLine) -> Self {
        self.on_bad_line = on_bad_line;
        self
    }

    /// Sets the maximum length of a line in bytes, without its end.
    ///
    /// ```
    /// use tokio_util::{bytes::BytesMut, codec::Decoder};
    /// use trust8_tokio::{EveryLine, LineError};
    ///
    /// let mut buffer = BytesMut::from("four\ntwo\n");
    /// let mut codec = EveryLine::new().max_length(3);
    /// assert!(matches!(codec.decode(&mut buffer)?, Some(Err(LineError::TooLong { offset: 0, .. }))));
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap().unwrap(), "two");
    /// # std::io::Result::Ok(())
    /// ```
    #[must_use]
    pub const fn max_length(mut self, max_length: usize) -> Self {
        self.max_length = max_length;
        self
    }

    /// Sets whether the input may grow after its end, as a log does. The default is `false`.
    ///
    /// If it may, bytes without a line end at the end of the input are not a line yet.
    /// [`FramedRead`](tokio_util::codec::FramedRead) returns `None` there, and reads again when it is polled again.
    ///
    /// ```
    /// use futures_util::StreamExt;
    /// use tokio_util::codec::FramedRead;
    /// use trust8_tokio::EveryLine;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut lines = FramedRead::new(&b"one\ncaf\xC3"[..], EveryLine::new().follow(true));
    /// assert_eq!(lines.next().await.unwrap()??, "one");
    /// assert!(lines.next().await.is_none());
    /// *lines.get_mut() = b"\xA9\n";
    /// assert_eq!(lines.next().await.unwrap()??, "café");
    /// # Result::<(), Box<dyn std::error::Error>>::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn follow(mut self, follows: bool) -> Self {
        self.follows = follows;
        self
    }

    /// Returns the next line of the buffer, or all of it if the input ends there.
    fn next(&mut self, src: &mut BytesMut, is_end: bool) -> Option<Result<String, LineError>> {
        loop {
            let searched = self.searched.min(src.len());
            let found = first_line_len(&src[searched..]).map(|len| searched + len);
            let Some(len) = found.or((is_end && !src.is_empty()).then_some(src.len())) else {
                self.searched = src.len();
                if self.skipping {
                    self.take(src, src.len());
                } else if src.strip_suffix(b"\r").unwrap_or(src).len() > self.max_length {
                    self.skipping = true;
                    return Some(Err(self.too_long(self.offset)));
                }
                if is_end {
                    self.skipping = false;
                }
                return None;
            };
            let offset = self.offset;
            let line = self.take(src, len);
            if mem::take(&mut self.skipping) {
                continue;
            }
            let line = match &line[..] {
                [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line => line,
            };
            if line.len() > self.max_length {
                return Some(Err(self.too_long(offset)));
            }
            if let Some(line) = self.on_bad_line.line(offset, line.to_vec()) {
                return Some(line);
            }
        }
    }

    /// Removes the first `n` bytes from the buffer.
    fn take(&mut self, src: &mut BytesMut, n: usize) -> BytesMut {
        self.searched = 0;
        self.offset += n as u64;
        src.split_to(n)
    }

    fn too_long(&self, offset: u64) -> LineError {
        LineError::TooLong { offset, max_length: self.max_length }
    }
}

impl Default for EveryLine {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder for EveryLine {
    type Item = Result<String, LineError>;
    type Error = io::Error;

    fn decode(&mut self, src: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        Ok(self.next(src, false))
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> io::Result<Option<Self::Item>> {
        Ok(self.next(src, !self.follows))
    }
}

impl<T: AsRef<str>> Encoder<T> for EveryLine {
    type Error = io::Error;

    fn encode(&mut self, line: T, dst: &mut BytesMut) -> io::Result<()> {
        Ok(LinesCodec::new().encode(line, dst)?)
    }
}

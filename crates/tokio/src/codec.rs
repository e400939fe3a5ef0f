//! Codecs, whose frames are strings.
//!
//! The bytes of a frame are in a buffer that the caller owns and can write to between calls. So no
//! call relies on the findings of an earlier one. A line is therefore validated twice: when its
//! bytes arrive, to refuse it early, and when it becomes a string.

use std::error::Error;
use std::fmt;
use std::io::{self, BufRead};
use std::mem;

use tokio_util::bytes::{Buf, BytesMut};
use tokio_util::codec::{Decoder, Encoder};
use trust8::stream::{StreamError, Validator};

/// A codec for text as it arrives: each frame is a string of the new bytes, up to the last whole
/// character.
///
/// The valid text before an error comes out first. [`FramedRead`](tokio_util::codec::FramedRead)
/// ends after an error.
///
/// ```
/// use futures_util::StreamExt;
/// use tokio_util::codec::FramedRead;
/// use trust8_tokio::{CodecError, TextCodec};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut frames = FramedRead::new(&b"na\xC3\xAFve\xFF"[..], TextCodec::with_max_length(4));
/// assert_eq!(frames.next().await.unwrap()?, "naï");
/// assert_eq!(frames.next().await.unwrap()?, "ve");
/// let error = frames.next().await.unwrap().unwrap_err();
/// assert_eq!(error.valid_up_to(), Some(6));
/// # Result::<(), CodecError>::Ok(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct TextCodec {
    /// The validator before the first byte of the buffer, or with the error that is there.
    validator: Validator,
    max_length: usize,
}

impl TextCodec {
    /// Returns a codec for strings of any length.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::TextCodec::new().max_length(), usize::MAX);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_max_length(usize::MAX)
    }

    /// Returns a codec for strings of at most `max_length` bytes, or of four if `max_length` is
    /// less, so that every character fits. Longer text is split into several strings.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::TextCodec::with_max_length(80).max_length(), 80);
    /// ```
    #[must_use]
    pub const fn with_max_length(max_length: usize) -> Self {
        let max_length = if max_length < 4 { 4 } else { max_length };
        Self { validator: Validator::new(), max_length }
    }

    /// Returns the maximum length of a string in bytes.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::TextCodec::with_max_length(1).max_length(), 4);
    /// ```
    #[must_use]
    pub const fn max_length(&self) -> usize {
        self.max_length
    }
}

impl Default for TextCodec {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder for TextCodec {
    type Item = String;
    type Error = CodecError;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<String>, CodecError> {
        let mut decoder = self.validator;
        let (piece, result) = decoder.decode_up_to_error(&src[..src.len().min(self.max_length)]);
        // The validator is between two characters.
        let text = piece.rest();
        if text.is_empty() {
            if result.is_err() {
                self.validator = decoder;
            }
            return Ok(result.map(|()| None)?);
        }
        let text = String::from(text);
        src.advance(text.len());
        self.validator = after(self.validator.valid_up_to() + text.len() as u64);
        Ok(Some(text))
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<String>, CodecError> {
        let text = self.decode(src)?;
        if text.is_none() {
            let mut end = self.validator;
            end.push(src)?;
            end.finish()?;
        }
        Ok(text)
    }
}

impl<T: AsRef<str>> Encoder<T> for TextCodec {
    type Error = CodecError;

    fn encode(&mut self, text: T, dst: &mut BytesMut) -> Result<(), CodecError> {
        dst.extend_from_slice(text.as_ref().as_bytes());
        Ok(())
    }
}

/// A codec for lines. The strings do not contain the line ends, which are `\n` or `\r\n`.
///
/// A line that is not UTF-8 is refused at the byte that makes the error certain, without waiting
/// for its end. The whole lines before it come out first.
///
/// After a line that is too long, the codec continues with the next line.
/// [`FramedRead`](tokio_util::codec::FramedRead) ends after every error. Polled again, it reads
/// more before it decodes its buffer. If a second such line comes after the end of the input, it
/// ends for good. To get every line in any case, call [`decode_eof`](Decoder::decode_eof), or use
/// [`EveryLine`](super::EveryLine), which also continues after a line that is not UTF-8.
///
/// ```
/// use futures_util::StreamExt;
/// use tokio_util::codec::FramedRead;
/// use trust8_tokio::{CodecError, LinesCodec};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut lines = FramedRead::new(&b"one\r\ntwo\nthr\xC3e"[..], LinesCodec::new());
/// assert_eq!(lines.next().await.unwrap()?, "one");
/// assert_eq!(lines.next().await.unwrap()?, "two");
/// let error = lines.next().await.unwrap().unwrap_err();
/// assert_eq!(error.valid_up_to(), Some(12));
/// # Result::<(), CodecError>::Ok(()) }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct LinesCodec {
    /// The validator of the first `seen` bytes of the buffer.
    validator: Validator,
    seen: usize,
    /// There is no line end in the first `searched` bytes of the buffer.
    searched: usize,
    /// The position of the first byte of the buffer in the stream.
    offset: u64,
    /// Whether the buffer begins with the rest of a line that is too long.
    skipping: bool,
    max_length: usize,
}

impl LinesCodec {
    /// Returns a codec for lines of any length.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::LinesCodec::new().max_length(), usize::MAX);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_max_length(usize::MAX)
    }

    /// Returns a codec for lines of at most `max_length` bytes, without their ends. A longer line
    /// is an error, [`CodecError::TooLong`], as soon as its length is known to be too large. The
    /// rest of it is skipped.
    ///
    /// ```
    /// use tokio_util::{bytes::BytesMut, codec::Decoder};
    /// use trust8_tokio::{CodecError, LinesCodec};
    ///
    /// let mut codec = LinesCodec::with_max_length(3);
    /// let mut buffer = BytesMut::from("abc\nabcdefg");
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap(), "abc");
    /// assert_eq!(codec.decode(&mut buffer).unwrap_err().valid_up_to(), Some(4));
    /// buffer.extend_from_slice(b"hij\nok\n");
    /// assert_eq!(codec.decode(&mut buffer)?.unwrap(), "ok");
    /// # Ok::<(), CodecError>(())
    /// ```
    #[must_use]
    pub const fn with_max_length(max_length: usize) -> Self {
        Self { validator: Validator::new(), seen: 0, searched: 0, offset: 0, skipping: false, max_length }
    }

    /// Returns the maximum length of a line in bytes.
    ///
    /// ```
    /// assert_eq!(trust8_tokio::LinesCodec::with_max_length(80).max_length(), 80);
    /// ```
    #[must_use]
    pub const fn max_length(&self) -> usize {
        self.max_length
    }

    /// Removes the first `n` bytes from the buffer.
    fn take(&mut self, src: &mut BytesMut, n: usize) -> BytesMut {
        self.seen = self.seen.saturating_sub(n);
        self.searched = 0;
        self.offset += n as u64;
        src.split_to(n)
    }

    /// Returns the string of `line`, which has just been removed from the buffer.
    fn line(&self, line: &[u8]) -> Result<String, CodecError> {
        let offset = self.offset - line.len() as u64;
        let line = match line {
            [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] | line => line,
        };
        if line.len() > self.max_length {
            return Err(CodecError::TooLong { valid_up_to: offset, max_length: self.max_length });
        }
        // This fails only if the caller has written to the buffer between calls.
        let mut decoder = after(offset);
        let text = decoder.decode(line)?.rest();
        decoder.finish()?;
        Ok(text.into())
    }
}

/// Returns a validator after `valid_up_to` bytes of whole characters.
fn after(valid_up_to: u64) -> Validator {
    Validator::resume(valid_up_to, &[]).expect("no stream has more than `i64::MAX` bytes")
}

/// Returns the length of the first line of `bytes` with its end, or `None` if no line ends there.
pub(super) fn first_line_len(bytes: &[u8]) -> Option<usize> {
    // This is `memchr`.
    let len = (&mut &*bytes).skip_until(b'\n').ok()?;
    bytes[..len].ends_with(b"\n").then_some(len)
}

impl Default for LinesCodec {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder for LinesCodec {
    type Item = String;
    type Error = CodecError;

    fn decode(&mut self, src: &mut BytesMut) -> Result<Option<String>, CodecError> {
        // The lines before an error come first.
        let pushed = self.validator.push(&src[self.seen.min(src.len())..]);
        self.seen = src.len();
        loop {
            let valid = (self.validator.valid_up_to().saturating_sub(self.offset) as usize).min(src.len());
            let searched = self.searched.min(valid);
            if let Some(len) = first_line_len(&src[searched..valid]) {
                let line = self.take(src, searched + len);
                if !mem::take(&mut self.skipping) {
                    return self.line(&line).map(Some);
                }
                continue;
            }
            self.searched = valid;
            pushed?;
            if self.skipping {
                self.take(src, valid);
            } else if src[..valid].strip_suffix(b"\r").unwrap_or(&src[..valid]).len() > self.max_length {
                self.skipping = true;
                return Err(CodecError::TooLong { valid_up_to: self.offset, max_length: self.max_length });
            }
            return Ok(None);
        }
    }

    fn decode_eof(&mut self, src: &mut BytesMut) -> Result<Option<String>, CodecError> {
        let line = self.decode(src)?;
        if line.is_some() {
            return Ok(line);
        }
        self.validator.finish()?;
        let n = src.len();
        let last = self.take(src, n);
        let skipped = mem::take(&mut self.skipping);
        if skipped || last.is_empty() { Ok(None) } else { self.line(&last).map(Some) }
    }
}

impl<T: AsRef<str>> Encoder<T> for LinesCodec {
    type Error = CodecError;

    fn encode(&mut self, line: T, dst: &mut BytesMut) -> Result<(), CodecError> {
        let line = line.as_ref().as_bytes();
        dst.reserve(line.len() + 1);
        dst.extend_from_slice(line);
        dst.extend_from_slice(b"\n");
        Ok(())
    }
}

/// Why a [`TextCodec`] or a [`LinesCodec`] yields no further string.
///
/// ```
/// use tokio_util::{bytes::BytesMut, codec::Decoder};
/// use trust8_tokio::{CodecError, LinesCodec};
///
/// match LinesCodec::new().decode(&mut BytesMut::from(&b"caf\xE9 au lait\n"[..])) {
///     Err(CodecError::Utf8(error)) => assert_eq!(error.valid_up_to(), 3),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum CodecError {
    /// The error of the inner reader or writer.
    Io(io::Error),
    /// The stream is not UTF-8.
    Utf8(StreamError),
    /// A line has more than `max_length` bytes.
    TooLong {
        /// The number of valid bytes before the line, from the start of the stream.
        valid_up_to: u64,
        /// The maximum length of a line in bytes.
        max_length: usize,
    },
}

impl CodecError {
    /// Returns the number of valid bytes, from the start of the stream, before the ill-formed
    /// sequence or the line that is too long. An error of the inner reader or writer has no such
    /// position.
    ///
    /// ```
    /// let error = trust8_tokio::CodecError::TooLong { valid_up_to: 12, max_length: 80 };
    /// assert_eq!(error.valid_up_to(), Some(12));
    /// assert_eq!(error.to_string(), "the line at byte 12 has more than 80 bytes");
    /// let error = trust8_tokio::CodecError::TooLong { valid_up_to: 0, max_length: 1 };
    /// assert_eq!(error.to_string(), "the line at byte 0 has more than 1 byte");
    /// ```
    #[must_use]
    pub const fn valid_up_to(&self) -> Option<u64> {
        match self {
            Self::Io(_) => None,
            Self::Utf8(error) => Some(error.valid_up_to()),
            Self::TooLong { valid_up_to, .. } => Some(*valid_up_to),
        }
    }
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Utf8(error) => error.fmt(f),
            Self::TooLong { valid_up_to, max_length } => {
                let s = if *max_length == 1 { "" } else { "s" };
                write!(f, "the line at byte {valid_up_to} has more than {max_length} byte{s}")
            }
        }
    }
}

impl Error for CodecError {
    /// Returns the source of the error of the inner reader or writer, whose message is this
    /// error's.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Utf8(_) | Self::TooLong { .. } => None,
        }
    }
}

#[cfg(feature = "serde")]
trust8::engine::serialized_fields! {
    CodecError, |error| { valid_up_to: error.valid_up_to(), message: trust8::engine::Message(error) };
}

/// Returns the error of the inner reader or writer, or an
/// [`InvalidData`](io::ErrorKind::InvalidData) error that carries the error of the text.
///
/// ```
/// use std::io;
/// use trust8_tokio::CodecError;
///
/// let error = io::Error::from(CodecError::TooLong { valid_up_to: 0, max_length: 1 });
/// assert_eq!(error.kind(), io::ErrorKind::InvalidData);
/// ```
impl From<CodecError> for io::Error {
    fn from(error: CodecError) -> Self {
        match error {
            CodecError::Io(error) => error,
            CodecError::Utf8(error) => error.into(),
            error @ CodecError::TooLong { .. } => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

impl From<io::Error> for CodecError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<StreamError> for CodecError {
    fn from(error: StreamError) -> Self {
        Self::Utf8(error)
    }
}

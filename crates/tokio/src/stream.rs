//! Text from a stream of bytes, such as the body of a response.

use std::error::Error;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio_util::bytes::Bytes;
use trust8::stream::{Decoder, StreamError, Validator};

/// The text of a stream of pieces of bytes, which may be cut inside a character.
///
/// Each item is the text that a piece completes; none is empty. The stream works on any [`Stream`]
/// of `Result`s of bytes, such as a body of hyper, reqwest or axum.
///
/// [`new`](Self::new) is strict: the text before an error comes first, then the error, and then the
/// stream ends. [`lossy`](Self::lossy) replaces what is not UTF-8. An error of the inner stream is
/// passed on, and the next item comes after it.
///
/// ```
/// use futures_util::{StreamExt, stream};
/// use trust8_tokio::TextStream;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let pieces = || stream::iter([&b"na\xC3"[..], b"\xAFve\xFF", b"!"].map(Ok::<_, std::io::Error>));
///
/// let mut strict = TextStream::new(pieces());
/// assert_eq!(strict.next().await.unwrap()?, "na");
/// assert_eq!(strict.next().await.unwrap()?, "ïve");
/// assert!(strict.next().await.unwrap().is_err());
/// assert!(strict.next().await.is_none());
///
/// let texts: Vec<_> = TextStream::lossy(pieces()).map(Result::unwrap).collect().await;
/// assert_eq!(texts, ["na", "ïve\u{FFFD}", "!"]);
/// # Result::<(), Box<dyn std::error::Error>>::Ok(()) }).unwrap();
/// ```
#[derive(Debug)]
pub struct TextStream<S> {
    inner: S,
    decoding: Decoding,
    /// The error to return next.
    failed: Option<StreamError>,
    is_done: bool,
}

#[derive(Debug)]
enum Decoding {
    Strict(Validator),
    Lossy(Decoder),
}

impl Decoding {
    /// Passes on the parts of the text that a piece, or the end, completes.
    fn take(&mut self, piece: Option<&[u8]>, mut part: impl FnMut(&str)) -> Result<(), StreamError> {
        match (self, piece) {
            (Self::Strict(validator), Some(piece)) => {
                let (text, result) = validator.decode_up_to_error(piece);
                text.into_iter().for_each(part);
                result
            }
            (Self::Strict(validator), None) => validator.finish(),
            (Self::Lossy(decoder), Some(piece)) => {
                decoder.push(piece).for_each(part);
                Ok(())
            }
            (Self::Lossy(decoder), None) => {
                decoder.finish().for_each(&mut part);
                Ok(())
            }
        }
    }
}

impl<S> TextStream<S> {
    /// Returns the text of a stream that must be UTF-8.
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use trust8_tokio::{TextStream, TextStreamError};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut texts = TextStream::new(stream::iter([std::io::Result::Ok("ab\u{E9}")]));
    /// assert_eq!(texts.next().await.unwrap()?, "abé");
    /// # Result::<(), TextStreamError<std::io::Error>>::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn new(inner: S) -> Self {
        Self { inner, decoding: Decoding::Strict(Validator::new()), failed: None, is_done: false }
    }

    /// Returns the text of a stream, with each ill-formed sequence replaced by U+FFFD.
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use trust8_tokio::{TextStream, TextStreamError};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut texts = TextStream::lossy(stream::iter([std::io::Result::Ok(b"ab\xE9")]));
    /// assert_eq!(texts.next().await.unwrap()?, "ab");
    /// assert_eq!(texts.next().await.unwrap()?, "\u{FFFD}");
    /// # Result::<(), TextStreamError<std::io::Error>>::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn lossy(inner: S) -> Self {
        Self::with_decoder(Decoder::new(), inner)
    }

    /// Returns the text of a stream that this decoder makes.
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use trust8::{Policy, stream::Decoder};
    /// use trust8_tokio::{TextStream, TextStreamError};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let decoder = Decoder::with_policy(Policy::Windows1252).unwrap();
    /// let mut texts = TextStream::with_decoder(decoder, stream::iter([std::io::Result::Ok(b"\xE9!")]));
    /// assert_eq!(texts.next().await.unwrap()?, "é!");
    /// # Result::<(), TextStreamError<std::io::Error>>::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn with_decoder(decoder: Decoder, inner: S) -> Self {
        Self { inner, decoding: Decoding::Lossy(decoder), failed: None, is_done: false }
    }

    /// Returns how many ill-formed sequences were replaced so far.
    ///
    /// ```
    /// let stream = futures_util::stream::empty::<std::io::Result<&str>>();
    /// assert_eq!(trust8_tokio::TextStream::lossy(stream).replaced(), 0);
    /// ```
    #[must_use]
    pub const fn replaced(&self) -> u64 {
        match &self.decoding {
            Decoding::Strict(_) => 0,
            Decoding::Lossy(decoder) => decoder.replaced(),
        }
    }

    /// Returns the same text as [`Bytes`], for code that passes it on. A clean piece whose
    /// characters are whole is not copied.
    ///
    /// ```
    /// use futures_util::{StreamExt, stream};
    /// use tokio_util::bytes::Bytes;
    /// use trust8_tokio::{TextStream, TextStreamError};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let piece = Bytes::from("größer");
    /// let mut texts = TextStream::new(stream::iter([std::io::Result::Ok(piece.clone())])).into_bytes();
    /// let text = texts.next().await.unwrap()?;
    /// assert_eq!((&text, text.as_ptr()), (&piece, piece.as_ptr()));
    /// # Result::<(), TextStreamError<std::io::Error>>::Ok(()) }).unwrap();
    /// ```
    #[must_use]
    pub const fn into_bytes(self) -> TextBytes<S> {
        TextBytes { texts: self }
    }

    /// Polls until `make` returns `Some` for a piece, or for the end.
    fn poll<B, E, T>(
        &mut self,
        cx: &mut Context<'_>,
        make: impl Fn(&mut Decoding, Option<B>) -> (Option<T>, Result<(), StreamError>),
    ) -> Poll<Option<Result<T, TextStreamError<E>>>>
    where
        S: Stream<Item = Result<B, E>> + Unpin,
    {
        loop {
            if let Some(error) = self.failed.take() {
                self.is_done = true;
                return Poll::Ready(Some(Err(TextStreamError::Utf8(error))));
            }
            if self.is_done {
                return Poll::Ready(None);
            }
            let piece = match ready!(Pin::new(&mut self.inner).poll_next(cx)) {
                Some(Ok(piece)) => Some(piece),
                Some(Err(error)) => return Poll::Ready(Some(Err(TextStreamError::Inner(error)))),
                None => None,
            };
            self.is_done = piece.is_none();
            let (text, result) = make(&mut self.decoding, piece);
            self.failed = result.err();
            if let Some(text) = text {
                return Poll::Ready(Some(Ok(text)));
            }
        }
    }
}

impl<B: AsRef<[u8]>, E, S: Stream<Item = Result<B, E>> + Unpin> Stream for TextStream<S> {
    type Item = Result<String, TextStreamError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(cx, |decoding, piece: Option<B>| {
            let mut text = String::new();
            let result = decoding.take(piece.as_ref().map(B::as_ref), |part| text.push_str(part));
            ((!text.is_empty()).then_some(text), result)
        })
    }
}

/// The text of a stream of pieces of bytes, as bytes that are UTF-8 and whole characters: see
/// [`TextStream::into_bytes`].
#[derive(Debug)]
pub struct TextBytes<S> {
    texts: TextStream<S>,
}

impl<B: Into<Bytes>, E, S: Stream<Item = Result<B, E>> + Unpin> Stream for TextBytes<S> {
    type Item = Result<Bytes, TextStreamError<E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().texts.poll(cx, |decoding, piece: Option<B>| {
            let piece = piece.map(B::into);
            let bytes = piece.as_deref().unwrap_or_default();
            // If there is a single part, and it lies in the piece, it shares the piece's memory.
            let (mut first, mut more) = (0..0, String::new());
            let result = decoding.take(piece.as_deref(), |part| {
                if first.is_empty() && more.is_empty() && bytes.as_ptr_range().contains(&part.as_ptr()) {
                    let start = part.as_ptr().addr() - bytes.as_ptr().addr();
                    first = start..start + part.len();
                } else {
                    more.push_str(part);
                }
            });
            let text = match piece {
                Some(piece) if more.is_empty() => piece.slice(first),
                _ => [&bytes[first], more.as_bytes()].concat().into(),
            };
            ((!text.is_empty()).then_some(text), result)
        })
    }
}

/// The error of a [`TextStream`].
///
/// ```
/// let error = trust8_tokio::TextStreamError::Inner(std::io::Error::other("closed"));
/// assert_eq!(error.to_string(), "closed");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum TextStreamError<E> {
    /// The error of the inner stream.
    Inner(E),
    /// The stream is not UTF-8.
    Utf8(StreamError),
}

impl<E: fmt::Display> fmt::Display for TextStreamError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inner(error) => error.fmt(f),
            Self::Utf8(error) => error.fmt(f),
        }
    }
}

impl<E: Error> Error for TextStreamError<E> {
    /// Returns the source of the error of the inner stream, whose message is this error's.
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Inner(error) => error.source(),
            Self::Utf8(_) => None,
        }
    }
}

/// Writes the position, or null, and the message.
#[cfg(feature = "serde")]
impl<E: fmt::Display> serde_core::Serialize for TextStreamError<E> {
    fn serialize<S: serde_core::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde_core::ser::SerializeStruct as _;

        let valid_up_to = match self {
            Self::Inner(_) => None,
            Self::Utf8(error) => Some(error.valid_up_to()),
        };
        let mut fields = to.serialize_struct("TextStreamError", 2)?;
        fields.serialize_field("valid_up_to", &valid_up_to)?;
        fields.serialize_field("message", &trust8::engine::Message(self))?;
        fields.end()
    }
}

/// Returns an [`Other`](io::ErrorKind::Other) error that carries the error of the inner stream, or
/// an [`InvalidData`](io::ErrorKind::InvalidData) error that carries the other.
impl<E: Into<Box<dyn Error + Send + Sync>>> From<TextStreamError<E>> for io::Error {
    fn from(error: TextStreamError<E>) -> Self {
        match error {
            TextStreamError::Inner(error) => Self::other(error),
            TextStreamError::Utf8(error) => error.into(),
        }
    }
}

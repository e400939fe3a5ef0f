//! UTF-8 in tokio's streams: readers, codecs that yield strings, text of any stream of bytes, and a
//! writer that also refuses harmful characters.
//!
//! What is strict refuses a stream at the first byte that makes the error certain. It does not wait
//! for the end of the line, or until the buffer is full. The error has its position in the stream.
//!
//! - [`Utf8Reader`] is [`trust8::io::Utf8Reader`] for [`AsyncRead`](tokio::io::AsyncRead).
//! - [`TextCodec`] yields the text as it arrives, and [`LinesCodec`] yields lines. They are for
//!   [`FramedRead`](tokio_util::codec::FramedRead) and [`Framed`](tokio_util::codec::Framed).
//! - [`LossyReader`] replaces what is not UTF-8. [`EveryLine`] is a codec that continues after a bad
//!   line: it is an error, left out, or repaired.
//! - [`TextStream`] yields the text of any stream of bytes, strict or lossy.
//! - `ProfileWriter`, with the feature `profile`, is the one of trust8-profile for
//!   [`AsyncWrite`](tokio::io::AsyncWrite).

#![forbid(unsafe_code)]

mod codec;
mod every_line;
mod lossy;
mod polled;
mod reader;
mod stream;
#[cfg(feature = "profile")]
mod writer;

pub use codec::{CodecError, LinesCodec, TextCodec};
pub use every_line::EveryLine;
pub use lossy::LossyReader;
pub use reader::Utf8Reader;
pub use stream::{TextBytes, TextStream, TextStreamError};
pub use trust8::io::{LineError, OnBadLine};
#[cfg(feature = "profile")]
pub use writer::ProfileWriter;

//! UTF-8 in tokio's streams: a reader that passes only UTF-8, codecs that yield strings, and a
//! writer that also refuses harmful characters.
//!
//! All of them refuse a stream at the first byte that makes the error certain. They do not wait for
//! the end of the line, or until the buffer is full. The error has its position in the stream.
//!
//! - [`Utf8Reader`] is [`trust8::io::Utf8Reader`] for [`AsyncRead`](tokio::io::AsyncRead).
//! - [`TextCodec`] yields the text as it arrives, and [`LinesCodec`] yields lines. They are for
//!   [`FramedRead`](tokio_util::codec::FramedRead) and [`Framed`](tokio_util::codec::Framed).
//! - `ProfileWriter`, with the feature `profile`, is the one of trust8-profile for
//!   [`AsyncWrite`](tokio::io::AsyncWrite).

#![forbid(unsafe_code)]

mod codec;
mod polled;
mod reader;
#[cfg(feature = "profile")]
mod writer;

pub use codec::{CodecError, LinesCodec, TextCodec};
pub use reader::Utf8Reader;
#[cfg(feature = "profile")]
pub use writer::ProfileWriter;

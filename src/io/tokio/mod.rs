//! UTF-8 from what tokio reads: an adapter that lets only UTF-8 through, and codecs that yield strings.
//!
//! All of it refuses a stream at the first byte that makes it certain, without waiting for the line
//! or the buffer to be full, and says where that was in the stream.
//!
//! - [`Utf8Reader`] is [`crate::io::Utf8Reader`] for [`AsyncRead`](::tokio::io::AsyncRead).
//! - [`TextCodec`] yields the text as it comes, [`LinesCodec`] line by line; for
//!   [`FramedRead`](::tokio_util::codec::FramedRead) and [`Framed`](::tokio_util::codec::Framed).

#![forbid(unsafe_code)]

mod codec;
mod reader;

pub use codec::{CodecError, LinesCodec, TextCodec};
pub use reader::Utf8Reader;

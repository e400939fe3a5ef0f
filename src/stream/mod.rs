//! Validation of text in pieces.
//!
//! - [`Validator`] takes one piece after the other. The call with the byte that makes an error
//!   certain reports it. The state is 16 bytes.
//! - [`Validator::decode`] does the same, and returns the text of each piece as a [`Piece`].
//! - [`StreamError`] says where the stream is not UTF-8, and why.
//!
//! A piece may end anywhere, even inside a character. Nothing is allocated, and only the last four
//! bytes of a piece are kept.
//!
//! ```
//! use trust8::stream::{StreamError, Validator};
//!
//! let mut validator = Validator::new();
//! validator.push(b"gr\xC3")?;
//! validator.push(b"\xBCn")?;
//! validator.finish()?;
//!
//! let mut validator = Validator::new();
//! assert_eq!(validator.decode(b"gr\xC3")?.to_string(), "gr");
//! assert_eq!(validator.decode(b"\xBCn")?.to_string(), "ün");
//! validator.finish()?;
//! # Ok::<(), StreamError>(())
//! ```

#![forbid(unsafe_code)]

mod cut;
mod decoder;
mod error;
mod piece;
mod state;
mod validator;

pub use error::StreamError;
pub use piece::Piece;
pub use validator::Validator;
#[doc(hidden)]
pub use validator::is_short_ascii;

//! Validation and decoding of text in pieces.
//!
//! - [`Validator`] takes one piece after the other. The call with the byte that makes an error
//!   certain reports it. The state is 16 bytes.
//! - [`Validator::decode`] does the same, and returns the text of each piece as a [`Piece`].
//! - [`Decoder`] never fails: it replaces what is not UTF-8, as a [`Policy`](crate::Policy) says.
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
mod lossy;
mod piece;
mod state;
mod validator;

pub use error::StreamError;
pub use lossy::{Decoded, Decoder};
pub use piece::Piece;
pub use validator::Validator;

use core::hash::{Hash, Hasher};

/// Validators are equal if all further pieces have the same results.
///
/// ```
/// use trust8::Validator;
///
/// let (mut one, mut other) = (Validator::new(), Validator::new());
/// one.push(b"ab\xC3")?;
/// other.push(b"cd")?;
/// assert_ne!(one, other);
/// other.push(b"\xC3")?;
/// assert_eq!(one, other);
/// # Ok::<(), trust8::stream::StreamError>(())
/// ```
impl PartialEq for Validator {
    fn eq(&self, other: &Self) -> bool {
        let state = |validator: &Self| (validator.valid_up_to(), validator.status());
        state(self) == state(other) && self.pending() == other.pending()
    }
}

impl Eq for Validator {}

impl Hash for Validator {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.valid_up_to(), self.status(), self.pending()).hash(state);
    }
}

//! Text that arrives in pieces.

#![forbid(unsafe_code)]

mod validator;

pub use validator::{Decoder, Piece, StreamError, Validator};

//! Text that arrives in pieces.

mod validator;

pub use validator::{Decoder, Piece, StreamError, Validator};

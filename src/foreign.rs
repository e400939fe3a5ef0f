//! What an interface to another language needs, so that a call through it costs little more than a call from Rust.
//!
//! This module is not part of the public interface.

#![forbid(unsafe_code)]

use crate::kernel::Kernel;
use crate::kernel::on_reject::{Accepts, ContinuesOr};
pub use crate::kernel::{OnNotContinued, OnRejected, Rejected};
use crate::stream::Validator;
pub use crate::stream::is_short_ascii;

/// Returns `true` if `bytes` is UTF-8, and otherwise what `otherwise` returns.
#[inline(always)]
pub fn accepts<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
    /// Does it as the first call. A call in another place than the last would make the caller save its arguments.
    #[cold]
    #[inline(never)]
    fn first<F: OnRejected>(bytes: &[u8], otherwise: F) -> bool {
        Kernel::best().run(Accepts, bytes, otherwise)
    }

    match Kernel::if_chosen() {
        Some(kernel) => kernel.run(Accepts, bytes, otherwise),
        None => first(bytes, otherwise),
    }
}

/// Returns `true` if the kernel says at once that `piece` continues a stream that ends with `before`. Otherwise returns what
/// `otherwise` returns: the piece may be valid nevertheless.
///
/// `piece` is not empty. If `before` can't be the end of a stream, the answer has no meaning.
#[inline(always)]
pub fn continues_or<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
    match Kernel::if_chosen() {
        Some(kernel) => kernel.run(ContinuesOr, piece, (before, otherwise)),
        None => otherwise(before, piece),
    }
}

/// Returns what a validator without an error remembers: how many bytes were pushed, and the last four of them, or other bytes
/// that mean the same to what follows.
#[inline(always)]
#[must_use]
pub fn parts(validator: &Validator) -> Option<(u64, [u8; 4])> {
    validator.parts()
}

/// Returns a validator that remembers this, or `None` if no validator does.
#[inline(always)]
#[must_use]
pub fn from_parts(pushed: u64, last: [u8; 4]) -> Option<Validator> {
    Validator::from_parts(pushed, last)
}

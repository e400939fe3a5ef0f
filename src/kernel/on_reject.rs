//! Rejection callbacks.
//!
//! A function that tests the kernel's answer must save its arguments across the call. Here it
//! passes a closure for the rejected case instead, so the call of the kernel is a tail call. The C
//! interface uses this, through `foreign.rs`.

#![forbid(unsafe_code)]

use super::{Engine, Rejected, bind, long_piece_continues};
use crate::simd::Job;

/// Called with bytes that a kernel rejects.
pub trait OnRejected: FnOnce(Rejected<'_>) -> bool {}

impl<F: FnOnce(Rejected<'_>) -> bool> OnRejected for F {}

/// Called with the last four bytes before a piece of a stream, and the piece, if a kernel does not
/// find at once that the piece continues the stream.
pub trait OnNotContinued: FnOnce([u8; 4], &[u8]) -> bool {}

impl<F: FnOnce([u8; 4], &[u8]) -> bool> OnNotContinued for F {}

/// Returns whether bytes are valid; the closure decides if the kernel rejects them.
pub(crate) struct Accepts;

impl<E: Engine, F: OnRejected> Job<E, F, bool> for Accepts {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], otherwise: F) -> bool {
        if bytes.len() >= E::LONG_FROM_BYTES {
            return engine.apart(AcceptsLong, bytes, otherwise);
        }
        AcceptsLong::run(engine, bytes, otherwise)
    }
}

/// [`Accepts`] for any input: for long input a separate function, so that short input need not save
/// registers for it.
struct AcceptsLong;

impl<E: Engine, F: OnRejected> Job<E, F, bool> for AcceptsLong {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], otherwise: F) -> bool {
        match bind(bytes, engine.validate(bytes)) {
            Ok(_) => true,
            Err(rejected) => reject(rejected, otherwise),
        }
    }
}

/// Returns whether [`Continues`](super::Continues) accepts; the closure decides if it does not.
pub(crate) struct ContinuesOr;

impl<E: Engine, F: OnNotContinued> Job<E, ([u8; 4], F), bool> for ContinuesOr {
    #[inline(always)]
    fn run(engine: E, piece: &[u8], (before, otherwise): ([u8; 4], F)) -> bool {
        if piece.len() > super::SHORT_PIECE_BYTES {
            return engine.apart(ContinuesLongOr, piece, (before, otherwise));
        }
        engine.piece_continues(before, piece) || not_continued(before, piece, otherwise)
    }
}

/// [`ContinuesOr`] for long pieces.
struct ContinuesLongOr;

impl<E: Engine, F: OnNotContinued> Job<E, ([u8; 4], F), bool> for ContinuesLongOr {
    #[inline(always)]
    fn run(engine: E, piece: &[u8], (before, otherwise): ([u8; 4], F)) -> bool {
        long_piece_continues(engine, before, piece) || not_continued(before, piece, otherwise)
    }
}

#[cold]
#[inline(never)]
fn reject<F: OnRejected>(rejected: Rejected<'_>, otherwise: F) -> bool {
    otherwise(rejected)
}

#[cold]
#[inline(never)]
fn not_continued<F: OnNotContinued>(before: [u8; 4], piece: &[u8], otherwise: F) -> bool {
    otherwise(before, piece)
}

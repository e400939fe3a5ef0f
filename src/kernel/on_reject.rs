//! What is called with what a kernel finds invalid.
//!
//! A function that calls a kernel and then looks at the answer has to save its arguments meanwhile. Here it passes the kernel a closure
//! as well. So the call of the kernel is a tail call. That is for functions that C calls.

#![forbid(unsafe_code)]

use super::{Engine, Rejected, ValidatedLong, bind, continues_long};
use crate::simd::Job;

/// Called with bytes that a kernel does not find valid.
pub trait OnRejected: FnOnce(Rejected<'_>) -> bool {}

impl<F: FnOnce(Rejected<'_>) -> bool> OnRejected for F {}

/// Called with a piece of a stream if a kernel does not find at once that it continues the stream: with the last four bytes before the
/// piece, and the piece.
pub trait OnNotContinued: FnOnce([u8; 4], &[u8]) -> bool {}

impl<F: FnOnce([u8; 4], &[u8]) -> bool> OnNotContinued for F {}

/// Returns whether bytes are valid, or else what the closure says.
pub(crate) struct Accepts;

impl<E: Engine, F: OnRejected> Job<E, F, bool> for Accepts {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], otherwise: F) -> bool {
        if bytes.len() >= E::LONG {
            return engine.apart(AcceptsLong, bytes, otherwise);
        }
        match bind(bytes, engine.validate_short(bytes)) {
            Ok(_) => true,
            Err(rejected) => reject(rejected, otherwise),
        }
    }
}

/// [`Accepts`] for long input: a function of its own, so that short input need not save registers for it.
struct AcceptsLong;

impl<E: Engine, F: OnRejected> Job<E, F, bool> for AcceptsLong {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], otherwise: F) -> bool {
        match bind(bytes, engine.apart(ValidatedLong, bytes, ())) {
            Ok(_) => true,
            Err(rejected) => reject(rejected, otherwise),
        }
    }
}

/// Returns whether [`Continues`](super::Continues) says yes, or else what the closure says.
pub(crate) struct ContinuesOr;

impl<E: Engine, F: OnNotContinued> Job<E, ([u8; 4], F), bool> for ContinuesOr {
    #[inline(always)]
    fn run(engine: E, piece: &[u8], (before, otherwise): ([u8; 4], F)) -> bool {
        if piece.len() > super::SHORT_PIECE {
            return engine.apart(ContinuesLongOr, piece, (before, otherwise));
        }
        engine.continues(before, piece) || not_continued(before, piece, otherwise)
    }
}

/// [`ContinuesOr`] for long pieces.
struct ContinuesLongOr;

impl<E: Engine, F: OnNotContinued> Job<E, ([u8; 4], F), bool> for ContinuesLongOr {
    #[inline(always)]
    fn run(engine: E, piece: &[u8], (before, otherwise): ([u8; 4], F)) -> bool {
        continues_long(engine, before, piece) || not_continued(before, piece, otherwise)
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

//! # Streams
//!
//! A stream is text that arrives in pieces, which may end anywhere, even inside a character. The state is a plain struct: it
//! lives where the caller puts it, can be copied with `=`, and needs no clean-up.

use core::ffi::c_void;

use trust8::Validator;
use trust8::stream::StreamError;

use crate::errors::{TRUST8_NO_ERROR, trust8_error};
use crate::memory;

/// The state of a stream.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_validator {
    /// While the kind is 0: how many bytes are whole characters, and in `bytes` the beginning of the next character, if it has
    /// come already. Otherwise the error that a push has returned.
    pub state: trust8_error,
}

/// Begins a stream, or begins anew.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_init(validator: *mut trust8_validator) {
    let state = trust8_error::at(0, TRUST8_NO_ERROR);
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(validator, trust8_validator { state }) }
}

/// Takes the next piece of the stream. Returns false as soon as it is certain that the stream is not UTF-8: with the very piece
/// that has the byte that proves it. From then on, every push returns the same error.
///
/// The error counts from the start of the stream, so it may be in an earlier piece. If the result is true, the kind of `error`
/// is 0, and its `valid_up_to` is the number of bytes that are whole characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_push(
    validator: *mut trust8_validator,
    piece: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let piece = unsafe { memory::bytes(piece, len) };
    // SAFETY: the caller vouches for the struct, which has the size of two words.
    let state = unsafe { memory::take(validator.cast::<[u64; 2]>()) };
    let (Some(piece), Some(state)) = (piece, state) else {
        // SAFETY: the caller vouches for the memory.
        unsafe { memory::put(error, trust8_error::MISUSE) };
        return false;
    };
    let state = pushed(state, piece);
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(validator.cast(), state) };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error.cast(), state) };
    trust8_error::from_words(state).kind == TRUST8_NO_ERROR
}

/// Ends the stream. Returns false if it ends inside a character, or if a push has returned false. The state stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_finish(
    validator: *const trust8_validator,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the struct.
    let found = match unsafe { memory::take(validator) } {
        Some(trust8_validator { state }) if state.kind == TRUST8_NO_ERROR => match resume(&state) {
            Some(validator) => match validator.finish() {
                Ok(()) => state,
                Err(error) => stream_error(&error),
            },
            None => trust8_error::MISUSE,
        },
        Some(trust8_validator { state }) => state,
        None => trust8_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.kind == TRUST8_NO_ERROR
}

#[inline(always)]
fn resume(state: &trust8_error) -> Option<Validator> {
    Validator::resume(state.valid_up_to, state.seen())
}

#[cold]
#[inline(never)]
fn stream_error(error: &StreamError) -> trust8_error {
    trust8_error::new(error.valid_up_to(), error.kind().code(), error.error_len(), error.bytes())
}

/// Returns the state after `piece`.
#[inline(always)]
fn pushed(words: [u64; 2], piece: &[u8]) -> [u64; 2] {
    let state = trust8_error::from_words(words);
    if state.kind != TRUST8_NO_ERROR {
        return words;
    }
    let Some(mut validator) = resume(&state) else { return trust8_error::MISUSE.words() };
    match validator.push(piece) {
        Ok(()) => match validator.pending() {
            [] => [validator.valid_up_to(), 0],
            pending => trust8_error::new(validator.valid_up_to(), TRUST8_NO_ERROR, None, pending).words(),
        },
        Err(error) => stream_error(&error).words(),
    }
}

const _: () = assert!(size_of::<trust8_validator>() == size_of::<[u64; 2]>());

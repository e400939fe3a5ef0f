//! # Streams
//!
//! A stream is text that arrives in pieces, which may end anywhere, even inside a character. The
//! state is a plain struct. It lives in the caller's memory, can be copied with `=`, and needs no
//! clean-up.

use core::ffi::c_void;
use core::mem::offset_of;
use core::slice;

use trust8::foreign::{continues_or, is_short_ascii};
use trust8::stream::StreamError;
use trust8::{Validator, boundary};

use crate::errors::{TRUST8_NO_ERROR, misuse, trust8_error};
use crate::memory;

/// The state of a stream. The meaning of the numbers is not part of the interface, and may differ
/// in another version. They contain a checksum. A struct that trust8_validator_init has not
/// written, or that was changed since, is rejected.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_validator {
    /// The state.
    pub state: [u64; 2],
}

/// The state of a stream without an error. After an error, the struct holds a [`trust8_error`].
///
/// A push reads and writes each field separately. A load that spans several recent stores stalls
/// until all of them have reached the cache, and a push reads what the previous push has written.
#[repr(C)]
#[derive(Clone, Copy)]
struct Sound {
    /// The number of bytes pushed.
    pushed: u64,
    /// The [checksum](Sound::mark) of the other two.
    mark: u32,
    /// The last four bytes, or others with the same meaning.
    last: [u8; 4],
}

impl Sound {
    const fn new(pushed: u64, last: [u8; 4]) -> Self {
        Self { pushed, mark: Self::mark(pushed, last), last }
    }

    /// Returns a checksum of 31 bits and one bit that is set. In an error, the byte with that bit
    /// is zero.
    #[inline(always)]
    const fn mark(pushed: u64, last: [u8; 4]) -> u32 {
        const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
        const NOT_AN_ERROR: u32 = u32::from_ne_bytes([0, 0, 0, 0x80]);
        let mixed = (pushed ^ (u32::from_ne_bytes(last) as u64) << 32).wrapping_mul(ODD);
        (mixed >> 33) as u32 ^ u32::from_ne_bytes(*b"utf8") | NOT_AN_ERROR
    }

    /// Returns the answer of a push that leaves the stream in this state.
    #[inline(always)]
    fn report(self) -> trust8_error {
        let pending = self.last.len() - boundary::whole_len(&self.last);
        trust8_error::at(self.pushed.wrapping_sub(pending as u64), TRUST8_NO_ERROR)
    }

    fn validator(self) -> Option<Validator> {
        if self.is_intact() { Validator::from_parts(self.pushed, self.last) } else { None }
    }

    /// Returns whether the checksum is right. If not, no function of this library has written the
    /// struct.
    #[inline(always)]
    const fn is_intact(self) -> bool {
        self.mark == Self::mark(self.pushed, self.last)
    }
}

const _: () = assert!(size_of::<Sound>() == size_of::<trust8_validator>());
const _: () = assert!(size_of::<trust8_error>() == size_of::<trust8_validator>());

/// Returns the error in a struct that is not [`Sound`]. If no push can have written the struct,
/// that is a misuse.
fn failure(error: trust8_error) -> trust8_error {
    let written = match trust8::from_utf8(error.seen()) {
        Err(found) => {
            trust8_error::new(error.valid_up_to, found.kind().code(), found.error_len(), found.bytes())
        }
        Ok(_) => trust8_error::MISUSE,
    };
    if written.words() == error.words() { error } else { trust8_error::MISUSE }
}

/// Begins a stream, or resets it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_init(validator: *mut trust8_validator) {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(validator.cast(), Sound::new(0, [0; 4])) }
}

/// Takes the next piece of the stream. Returns false as soon as the stream is certainly not UTF-8:
/// for the very piece with the byte that proves it. From then on, every push returns the same
/// error.
///
/// The error counts from the start of the stream, so it may be in an earlier piece. If the result
/// is true, the kind of `error` is 0, and its `valid_up_to` is the number of bytes that are whole
/// characters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_push(
    validator: *mut trust8_validator,
    piece: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // A piece of at least four bytes. One comparison checks both ends of the range.
    let is_usual = len.wrapping_sub(4) <= isize::MAX as usize - 4
        && !piece.is_null()
        && !validator.is_null()
        && are_apart(validator, error);
    if !is_usual {
        // SAFETY: the caller vouches for all of it.
        return unsafe { push_unusual(validator, piece, len, error) };
    }
    let pushed_at: *mut u64 = validator.wrapping_byte_add(offset_of!(Sound, pushed)).cast();
    let mark_at: *mut u32 = validator.wrapping_byte_add(offset_of!(Sound, mark)).cast();
    let last_at: *mut [u8; 4] = validator.wrapping_byte_add(offset_of!(Sound, last)).cast();
    // SAFETY: the caller vouches for the struct.
    let mark = unsafe { mark_at.read_unaligned() };
    // SAFETY: the caller vouches for the struct.
    let last = unsafe { last_at.read_unaligned() };
    // SAFETY: the caller vouches for the struct.
    let pushed = unsafe { pushed_at.read_unaligned() };
    if !(Sound { pushed, mark, last }).is_intact() {
        // An error, or a misuse.
        // SAFETY: the caller vouches for all of it.
        return unsafe { push_unusual(validator, piece, len, error) };
    }
    // SAFETY: the pointer is not null, the length is no more than what fits into memory, and the
    // caller vouches for the bytes.
    let bytes: &[u8] = unsafe { slice::from_raw_parts(piece.cast(), len) };
    // SAFETY: there are four bytes or more.
    let end = unsafe { bytes.last_chunk().unwrap_unchecked() };
    let after = Sound::new(pushed.wrapping_add(len as u64), *end);
    // SAFETY: the caller vouches for the struct.
    unsafe { pushed_at.write_unaligned(after.pushed) };
    // SAFETY: the caller vouches for the struct.
    unsafe { mark_at.write_unaligned(after.mark) };
    // SAFETY: the caller vouches for the struct.
    unsafe { last_at.write_unaligned(after.last) };
    if last[3].is_ascii() && is_short_ascii(bytes) {
        // SAFETY: the caller vouches for the memory.
        unsafe { memory::put(error, trust8_error::at(after.pushed, TRUST8_NO_ERROR)) };
        return true;
    }
    // The kernel call comes last, so that it is a tail call. The result for a yes is written before
    // it.
    if !error.is_null() {
        // SAFETY: the caller vouches for the memory.
        unsafe { memory::put(error, after.report()) };
    }
    continues_or(last, bytes, move |last, bytes| {
        // SAFETY: the caller vouches for the memory.
        unsafe { take_back(validator, last, bytes, error) }
    })
}

/// Like `trust8_validator_push`, with any arguments. It has the same parameters, so that calling it
/// is a tail call.
///
/// # Safety
///
/// - The same as for `trust8_validator_push`.
#[inline(never)]
unsafe extern "C" fn push_unusual(
    validator: *mut trust8_validator,
    piece: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(piece, len) };
    match bytes {
        // SAFETY: the caller vouches for the memory.
        Some(bytes) if !validator.is_null() && are_apart(validator, error) => unsafe {
            push(validator, bytes, error)
        },
        // SAFETY: the caller vouches for the memory.
        _ => unsafe { misuse(error) },
    }
}

/// Returns whether the state and the answer are two structs without a common byte.
#[inline(always)]
fn are_apart(validator: *const trust8_validator, error: *const trust8_error) -> bool {
    // Both have the same size.
    validator.addr().abs_diff(error.addr()) >= size_of::<trust8_error>()
}

/// Undoes the acceptance of `piece` after `last`, and then pushes it as `push` does.
///
/// # Safety
///
/// - The same as for [`push`].
#[cold]
#[inline(never)]
unsafe fn take_back(
    validator: *mut trust8_validator,
    last: [u8; 4],
    piece: &[u8],
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the struct.
    let after: Option<Sound> = unsafe { memory::take(validator.cast()) };
    let pushed = after.map_or(0, |after| after.pushed.wrapping_sub(piece.len() as u64));
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(validator.cast(), Sound::new(pushed, last)) };
    // SAFETY: the caller vouches for the memory.
    unsafe { push(validator, piece, error) }
}

/// Like `trust8_validator_push`, for any piece and any contents of the struct.
///
/// # Safety
///
/// - The same as for [`memory::take`] and [`memory::put`].
unsafe fn push(validator: *mut trust8_validator, piece: &[u8], error: *mut trust8_error) -> bool {
    // SAFETY: the caller vouches for the struct.
    let sound: Option<Sound> = unsafe { memory::take(validator.cast()) };
    let failed = match sound.and_then(Sound::validator) {
        Some(mut state) => {
            let result = state.push(piece);
            match (result, state.parts()) {
                (Ok(()), Some((pushed, last))) => {
                    let after = Sound::new(pushed, last);
                    // SAFETY: the caller vouches for the memory.
                    unsafe { memory::put(validator.cast(), after) };
                    // SAFETY: the caller vouches for the memory.
                    unsafe { memory::put(error, after.report()) };
                    return true;
                }
                (Err(error), _) => stream_error(&error),
                (Ok(()), None) => trust8_error::MISUSE,
            }
        }
        // SAFETY: the caller vouches for the struct.
        None => unsafe { memory::take(validator.cast()) }.map_or(trust8_error::MISUSE, failure),
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(validator.cast(), failed) };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, failed) };
    false
}

/// Ends the stream. Returns false if it ends inside a character, or if a push has returned false.
/// The state does not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validator_finish(
    validator: *const trust8_validator,
    error: *mut trust8_error,
) -> bool {
    if !are_apart(validator, error) {
        // SAFETY: the caller vouches for the memory.
        return unsafe { misuse(error) };
    }
    // SAFETY: the caller vouches for the struct.
    let sound: Option<Sound> = unsafe { memory::take(validator.cast()) };
    let found = match sound.and_then(Sound::validator) {
        Some(state) => match state.finish() {
            Ok(()) => trust8_error::at(state.valid_up_to(), TRUST8_NO_ERROR),
            Err(error) => stream_error(&error),
        },
        // SAFETY: the caller vouches for the struct.
        None => unsafe { memory::take(validator.cast()) }.map_or(trust8_error::MISUSE, failure),
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, found) };
    found.kind == TRUST8_NO_ERROR
}

#[cold]
#[inline(never)]
fn stream_error(error: &StreamError) -> trust8_error {
    trust8_error::new(error.valid_up_to(), error.kind().code(), error.error_len(), error.bytes())
}

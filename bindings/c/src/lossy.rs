//! # Lossy text and repairs
//!
//! Any bytes become text: one U+FFFD replaces each ill-formed sequence, as in web browsers, or a
//! policy selects the replacement.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use trust8::boundary::is_continuation;
use trust8::engine::windows_1252;

use crate::errors::TRUST8_NONE;
use crate::memory;

/// Returns the length of the lossy text, in bytes: `len` if the bytes are UTF-8, and never more
/// than three times as many. Returns TRUST8_NONE for a misuse.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy_len(data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    match unsafe { memory::bytes(data, len) } {
        Some(bytes) => trust8::lossy_len(bytes),
        None => TRUST8_NONE,
    }
}

/// Writes the lossy text to `out`, without a terminator. Returns its length, or TRUST8_NONE if it
/// does not fit: then the contents of `out` are unspecified. trust8_lossy_len returns a sufficient
/// capacity.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_lossy(
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, room)) = (unsafe { memory::both(data, len, out, cap) }) else { return TRUST8_NONE };
    match trust8::copy_utf8_lossy(bytes, room) {
        Ok(text) => text.len(),
        Err(_) => TRUST8_NONE,
    }
}

/// A policy: each ill-formed sequence becomes U+FFFD, as in trust8_lossy.
pub const TRUST8_REPLACE: u32 = 1;
/// A policy: each ill-formed sequence becomes U+FFFD, as in Java, where a surrogate becomes one and
/// not three.
pub const TRUST8_JAVA: u32 = 2;
/// A policy: ill-formed sequences are dropped.
pub const TRUST8_DROP: u32 = 3;
/// A policy: each byte of an ill-formed sequence becomes \xNN, with two upper-case digits.
pub const TRUST8_ESCAPE: u32 = 4;
/// A policy: each byte of an ill-formed sequence becomes its character in windows-1252.
pub const TRUST8_WINDOWS_1252: u32 = 5;

/// Returns the output length of trust8_repair: at most four times `len`. Returns TRUST8_NONE for a
/// misuse, such as a number that names no policy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_repair_len(policy: u32, data: *const c_void, len: usize) -> usize {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return TRUST8_NONE };
    let mut len = 0_usize;
    let repaired = repair(policy, bytes, &mut |part| {
        len = len.saturating_add(part.len());
        Some(())
    });
    if repaired.is_some() { len } else { TRUST8_NONE }
}

/// Writes the text repaired by a policy to `out`, without a terminator. Returns its length, or
/// TRUST8_NONE if it does not fit: then the contents of `out` are unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_repair(
    policy: u32,
    data: *const c_void,
    len: usize,
    out: *mut c_void,
    cap: usize,
) -> usize {
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((bytes, mut room)) = (unsafe { memory::both(data, len, out, cap) }) else { return TRUST8_NONE };
    let repaired = repair(policy, bytes, &mut |part| {
        let to = room.split_off_mut(..part.len())?;
        to.iter_mut().zip(part).for_each(|(to, byte)| *to = MaybeUninit::new(*byte));
        Some(())
    });
    if repaired.is_some() { cap - room.len() } else { TRUST8_NONE }
}

/// Calls `put` with the parts of the repaired text. Returns `None` if there is no such policy, or
/// as soon as `put` does.
fn repair(policy: u32, bytes: &[u8], put: &mut dyn FnMut(&[u8]) -> Option<()>) -> Option<()> {
    if !(TRUST8_REPLACE..=TRUST8_WINDOWS_1252).contains(&policy) {
        return None;
    }
    // `done` is the end of the repaired part, which may be later than the end of the ill-formed
    // sequence.
    let (mut at, mut done) = (0, 0);
    for chunk in trust8::utf8_chunks(bytes) {
        put(chunk.valid().as_bytes())?;
        at += chunk.valid().len();
        let (start, invalid) = (at, chunk.invalid());
        at += invalid.len();
        if invalid.is_empty() || start < done {
            continue;
        }
        match policy {
            TRUST8_DROP => {}
            TRUST8_ESCAPE => {
                let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
                invalid
                    .iter()
                    .try_for_each(|&byte| put(&[b'\\', b'x', digit(byte >> 4), digit(byte & 0xF)]))?;
            }
            TRUST8_WINDOWS_1252 => invalid
                .iter()
                .try_for_each(|&byte| put(windows_1252(byte).encode_utf8(&mut [0; 4]).as_bytes()))?,
            _ => {
                put("\u{FFFD}".as_bytes())?;
                if policy == TRUST8_JAVA
                    && let Some([0xED, 0xA0..=0xBF, after @ ..]) = bytes.get(start..)
                {
                    done = start + 2 + usize::from(after.first().is_some_and(|byte| is_continuation(*byte)));
                }
            }
        }
    }
    Some(())
}

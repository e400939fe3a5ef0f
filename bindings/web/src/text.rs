//! Characters one by one, and sentences about errors.

use core::fmt::{self, Display, Write};

use crate::memory::both;
use crate::mistake::Mistake;

/// A buffer to format into. Text that does not fit is cut off.
struct Buffer<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl Write for Buffer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = &mut self.out[self.len..];
        let n = trust8::boundary::floor(text.as_bytes(), free.len());
        free[..n].copy_from_slice(&text.as_bytes()[..n]);
        self.len += n;
        if n < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Formats `what` into `out` and returns how many bytes were written.
pub(crate) fn write(out: &mut [u8], what: &dyn Display) -> usize {
    let mut buffer = Buffer { out, len: 0 };
    // The only error is that the buffer is full.
    let _ = write!(buffer, "{what}");
    buffer.len
}

/// Writes to `out` why `len` bytes at `at` are not UTF-8, and returns the length of that text: 0 if they are UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reason(at: *const u8, len: usize, out: *mut u8, capacity: usize) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { both(at, len, out, capacity) };
    trust8::from_utf8(bytes).map_or_else(|error| write(out, &error.reason()), |_| 0)
}

/// Writes to `out` what is wrong at the start of `len` bytes at `at`, in the words of the command, and returns the length of that
/// text: 0 if they do not begin with an error. Six bytes are enough.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn culprit(at: *const u8, len: usize, out: *mut u8, capacity: usize) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { both(at, len, out, capacity) };
    match trust8::from_utf8(bytes) {
        Err(error) if error.valid_up_to() == 0 => write(out, &Mistake::of(&error, bytes)),
        _ => 0,
    }
}

/// Writes the first characters and ill-formed sequences of `len` bytes at `at` to `out`, and returns how many they are: their
/// offset, and in one number the code point (bits 0 to 20), the length in bytes (bits 21 to 23), and the kind of the error (bits
/// 24 to 26, 0 if there is none).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decode(at: *const u8, len: usize, out: *mut [u32; 2], capacity: usize) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { both(at, len, out, capacity) };
    let mut written = 0;
    for (next, slot) in trust8::decode(bytes).zip(out) {
        *slot = match next {
            Ok((offset, c)) => [offset as u32, u32::from(c) | (c.len_utf8() as u32) << 21],
            Err(error) => {
                let len = error.error_len().unwrap_or(len - error.valid_up_to());
                [error.valid_up_to() as u32, (len as u32) << 21 | u32::from(error.kind().code()) << 24]
            }
        };
        written += 1;
    }
    written
}

//! trust8 for JavaScript: a module of thin exports over the public interface of the library.
//!
//! The module allocates nothing. JavaScript places its buffers after `__heap_base` and passes their addresses. Offsets in a
//! file are `f64`, JavaScript's own number type, which is exact up to 2^53. `npm/core.js` is the only caller.

#![cfg_attr(target_family = "wasm", no_std)]
#![expect(clippy::missing_safety_doc, reason = "`memory` says what the caller of every function promises")]

#[path = "../../../crates/cli/src/hex.rs"]
mod hex;
#[path = "../../../crates/cli/src/guess/magic.rs"]
mod magic;
mod memory;
#[path = "../../../crates/cli/src/mistake.rs"]
#[expect(dead_code, reason = "the command also wants to know other things")]
mod mistake;
pub mod profile;
pub mod repairs;
pub mod survey;
pub mod text;

use core::mem::MaybeUninit;

use memory::{input, output, place};
use trust8::stream::StreamError;
use trust8::{ErrorKind, Kernel, Validator};
use trust8_dialect::{Dialect, diagnose};

/// Returns whether the module has SIMD kernels.
#[unsafe(no_mangle)]
pub extern "C" fn has_simd() -> bool {
    Kernel::best().name() != "scalar"
}

/// Returns whether `len` bytes at `at` are UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn is_utf8(at: *const u8, len: usize) -> bool {
    // SAFETY: the caller keeps the promises of `memory`.
    trust8::is_utf8(unsafe { input(at, len) })
}

/// An error, as JavaScript reads it: offset, [packed error](pack), and the bytes that prove it in little-endian order.
type Report = [f64; 3];

/// Packs an error without its position: bits 0 to 3 have its kind, bits 4 to 7 the length of the sequence, and bits 8 to 11
/// how many bytes prove it.
fn pack(kind: ErrorKind, error_len: Option<usize>, seen: &[u8]) -> [f64; 2] {
    let mut bytes = [0; 4];
    bytes[..seen.len()].copy_from_slice(seen);
    let len = error_len.unwrap_or(seen.len());
    [
        f64::from(u32::from(kind.code()) | (len as u32) << 4 | (seen.len() as u32) << 8),
        u32::from_le_bytes(bytes).into(),
    ]
}

fn report(result: Result<(), StreamError>, report: &mut Report) -> bool {
    if let Err(error) = result {
        let [packed, bytes] = pack(error.kind(), error.error_len(), error.bytes());
        *report = [error.valid_up_to() as f64, packed, bytes];
    }
    result.is_ok()
}

/// Writes a new validator to `state`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn validator_new(state: *mut MaybeUninit<Validator>) {
    // SAFETY: the caller keeps the promises of `memory`.
    unsafe { place(state) }.write(Validator::new());
}

/// Pushes `len` bytes. Returns whether there is no error; if there is one, writes it to `error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn validator_push(
    state: *mut Validator,
    at: *const u8,
    len: usize,
    error: *mut Report,
) -> bool {
    // SAFETY: the caller keeps the promises of `memory`.
    let (state, piece, error) = unsafe { memory::of_push(state, at, len, error) };
    report(state.push(piece), error)
}

/// Ends the input. Returns whether there is no error; if there is one, writes it to `error`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn validator_finish(state: *mut Validator, error: *mut Report) -> bool {
    // SAFETY: the caller keeps the promises of `memory`.
    let (state, _, error) = unsafe { memory::of_push(state, error.cast(), 0, error) };
    report(state.finish(), error)
}

/// Writes to `out` which dialects accept `len` bytes at `at`, as text. Returns the length of the text in bits 0 to 15, the best
/// dialect's place in `Dialect::ALL` in bits 16 to 23 (255 if there is none), and in bit 24 whether UTF-8 can express the text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn diagnosis(at: *const u8, len: usize, out: *mut u8, capacity: usize) -> u32 {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { memory::both(at, len, out, capacity.min(0xFFFF)) };
    let diagnosis = diagnose(bytes);
    let written = text::write(out, &diagnosis) as u32;
    let Some(best) = diagnosis.best() else { return written | 0xFF << 16 };
    written | (best as u32) << 16 | u32::from(diagnosis.conversion(best).is_ok()) << 24
}

/// Writes to `out` what kind of binary file begins with `len` bytes at `at`. Returns the length of that text: 0 for no known kind.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn binary(at: *const u8, len: usize, out: *mut u8, capacity: usize) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let (bytes, out) = unsafe { memory::both(at, len, out, capacity) };
    magic::binary(bytes).map_or(0, |name| text::write(out, &name))
}

/// Converts text from a dialect to UTF-8, with U+FFFD for what cannot be converted, as far as it fits. Writes to `progress` how
/// many bytes were read and written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn dialect_to_utf8(
    dialect: usize,
    at: *const u8,
    len: usize,
    out: *mut MaybeUninit<u8>,
    capacity: usize,
    progress: *mut [u32; 2],
) {
    // SAFETY: the caller keeps the promises of `memory`.
    let bytes = unsafe { input(at, len) };
    // SAFETY: as above.
    let out = unsafe { output(out, capacity) };
    let made = Dialect::ALL[dialect].to_utf8_lossy_into(bytes, out);
    // SAFETY: as above.
    *unsafe { place(progress) } = [made.read as u32, made.written as u32];
}

#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

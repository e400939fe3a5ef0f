//! A WebAssembly module that validates: its memory is the caller's, and its one function takes a place and a length.

#![no_std]

/// Returns the length of the longest valid prefix of the `len` bytes at `at`.
///
/// # Safety
///
/// - There must be `len` bytes of memory at `at`, which nobody writes to meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn valid_up_to(at: *const u8, len: usize) -> usize {
    // SAFETY: the caller vouches for it.
    let bytes = unsafe { core::slice::from_raw_parts(at, len) };
    trust8::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
}

#[cfg(target_family = "wasm")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

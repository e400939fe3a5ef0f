//! Addresses from JavaScript become references here.
//!
//! The caller of every export promises: each address is that of a buffer after `__heap_base` which lies in the module's memory,
//! is aligned for its type, is as long as the parameters say, and overlaps no other buffer of the call. Buffers that are read
//! were written before. JavaScript and the module share one thread, so nothing changes during a call.

use core::slice;

use trust8::Validator;

pub(crate) unsafe fn input<'a, T>(at: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller keeps the promises above.
    unsafe { slice::from_raw_parts(at, len) }
}

pub(crate) unsafe fn output<'a, T>(at: *mut T, len: usize) -> &'a mut [T] {
    // SAFETY: the caller keeps the promises above.
    unsafe { slice::from_raw_parts_mut(at, len) }
}

pub(crate) unsafe fn place<'a, T>(at: *mut T) -> &'a mut T {
    // SAFETY: the caller keeps the promises above.
    unsafe { &mut *at }
}

pub(crate) unsafe fn both<'a, T>(
    at: *const u8,
    len: usize,
    out: *mut T,
    capacity: usize,
) -> (&'a [u8], &'a mut [T]) {
    // SAFETY: the caller keeps the promises above.
    let bytes = unsafe { input(at, len) };
    // SAFETY: as above.
    (bytes, unsafe { output(out, capacity) })
}

pub(crate) unsafe fn of_push<'a, E>(
    state: *mut Validator,
    at: *const u8,
    len: usize,
    error: *mut E,
) -> (&'a mut Validator, &'a [u8], &'a mut E) {
    // SAFETY: the caller keeps the promises above.
    let state = unsafe { place(state) };
    // SAFETY: as above.
    let piece = unsafe { input(at, len) };
    // SAFETY: as above.
    (state, piece, unsafe { place(error) })
}

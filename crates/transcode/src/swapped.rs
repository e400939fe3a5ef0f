//! Conversions from or into units in the non-native byte order, in two steps. They work chunk by
//! chunk, with a buffer between the steps that stays in the L1 cache.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::Layout;
use trust8::Kernel;

use crate::conversion::Swap;
use trust8::engine::Output;

/// The number of bytes that go through both steps at a time.
pub(super) const CHUNK_BYTES: usize = 2048;

/// Converts a text chunk by chunk while that makes progress.
#[inline(always)]
pub(super) fn in_chunks(text: &[u8], mut convert: impl FnMut(&[u8]) -> usize) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let read = convert(&rest[..rest.len().min(CHUNK_BYTES)]);
        at += read;
        // If a chunk ends inside a character, the next chunk begins with that character.
        if read == 0 || rest.len() <= CHUNK_BYTES {
            return at;
        }
    }
}

/// Copies the whole units of `text`, which is at most as long as the buffer, into the machine's byte
/// order.
#[inline(always)]
pub(super) fn native_copy<'a>(
    kernel: &Kernel,
    from: Layout,
    text: &[u8],
    buffer: &'a mut [MaybeUninit<u8>; CHUNK_BYTES],
) -> &'a mut [u8] {
    let unit = from.family.unit();
    let mut out = Output::new(buffer);
    let _ = out.put(&text[..text.len() / unit * unit]);
    let copy = out.finish();
    if from.swapped {
        kernel.run(Swap, &[], (unit, &mut *copy));
    }
    copy
}

//! Conversions from or into units in the non-native byte order, in two steps. They work chunk by
//! chunk, with a buffer between the steps that stays in the L1 cache.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::encodings::Layout;
use trust8::Kernel;

use crate::conversion::{Swap, swap_units};
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

/// Returns the whole units of `text` in the machine's byte order.
#[inline(always)]
pub(super) fn swapped<'a>(
    kernel: &Kernel,
    from: Layout,
    text: &[u8],
    buffer: &'a mut [MaybeUninit<u8>; CHUNK_BYTES],
) -> &'a [u8] {
    let unit = from.family.unit();
    swapped_copy(|bytes| kernel.run(Swap, &[], (unit, bytes)), &text[..text.len() / unit * unit], buffer)
}

/// Returns a copy of a chunk, with the bytes of its units swapped by `swap`.
#[inline(always)]
fn swapped_copy<'a>(
    swap: impl FnOnce(&mut [u8]),
    chunk: &[u8],
    buffer: &'a mut [MaybeUninit<u8>; CHUNK_BYTES],
) -> &'a [u8] {
    let mut out = Output::new(buffer);
    // It fits: callers pass chunks of at most that length.
    let _ = out.put(chunk);
    let copy = out.finish();
    swap(copy);
    copy
}

/// Converts UTF-16 in the foreign byte order, through a conversion of native UTF-16.
#[inline(always)]
fn from_swapped16(
    text: &[u8],
    out: &mut Output<'_>,
    convert: impl Fn(&[u8], &mut Output<'_>) -> usize,
) -> usize {
    // The output has no space for more units than it has bytes left.
    let text = &text[..text.len().min(out.left().saturating_mul(2)) & !1];
    in_chunks(text, |chunk| {
        let mut buffer = [MaybeUninit::uninit(); CHUNK_BYTES];
        convert(swapped_copy(|units| swap_units(2, units), chunk, &mut buffer), out)
    })
}

/// Converts into UTF-16 in the foreign byte order, through a conversion into native UTF-16.
#[inline(always)]
fn to_swapped16(
    text: &[u8],
    out: &mut Output<'_>,
    convert: impl Fn(&[u8], &mut Output<'_>) -> usize,
) -> usize {
    in_chunks(text, |chunk| {
        let before = out.len();
        let read = convert(chunk, out);
        swap_units(2, out.written_mut(before));
        read
    })
}

/// Converts through a conversion of native text. `FROM` and `TO` mean that the text or the result
/// is UTF-16 in the foreign byte order.
#[inline(always)]
pub(super) fn in_order16<const FROM: bool, const TO: bool>(
    text: &[u8],
    out: &mut Output<'_>,
    convert: impl Fn(&[u8], &mut Output<'_>) -> usize,
) -> usize {
    match (FROM, TO) {
        (false, false) => convert(text, out),
        (true, false) => from_swapped16(text, out, convert),
        (false, true) => to_swapped16(text, out, convert),
        (true, true) => from_swapped16(text, out, |text, out| to_swapped16(text, out, &convert)),
    }
}

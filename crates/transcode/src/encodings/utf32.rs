//! UTF-32, character by character.

#![forbid(unsafe_code)]

use crate::codec::{Codec, Next, Refusal, Set};
use crate::error::{ConversionErrorKind, Fault};
use crate::search::{NotUtf32, Outside, search};
use trust8::Kernel;
use trust8::engine::Output;

/// Converts a unit between its representation in memory and the machine's byte order, in either
/// direction.
#[inline(always)]
pub(crate) const fn order(unit: u32, swapped: bool) -> u32 {
    if swapped { unit.swap_bytes() } else { unit }
}

/// UTF-32.
pub(crate) struct Utf32Codec;

impl Codec for Utf32Codec {
    const UNIT_BYTES: usize = 4;
    const LAST_SINGLE: u32 = 0x10_FFFF;

    #[inline(always)]
    fn next(text: &[u8], swapped: bool) -> Next {
        let Some(unit) = text.first_chunk() else {
            return Next::Cut(Fault::Other(ConversionErrorKind::Incomplete));
        };
        let unit = order(u32::from_ne_bytes(*unit), swapped);
        match char::from_u32(unit) {
            Some(char) => Next::Char(char, 4),
            None if unit > 0x10_FFFF => Next::Malformed(Fault::Other(ConversionErrorKind::TooLarge(unit)), 4),
            None => Next::Malformed(Fault::Other(ConversionErrorKind::Surrogate(unit)), 4),
        }
    }

    #[inline(always)]
    fn up_to(kernel: &'static Kernel, text: &[u8], swapped: bool, set: Set) -> usize {
        match set {
            Set::Ascii => search!(kernel, text, swapped, Outside<4, 0x7F>),
            Set::Latin1 => search!(kernel, text, swapped, Outside<4, 0xFF>),
            Set::Unicode => search!(kernel, text, swapped, NotUtf32),
        }
    }

    #[inline(always)]
    fn len(_: char) -> Option<usize> {
        Some(4)
    }

    #[inline(always)]
    fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
        Refusal::unless_put(out.put(&order(char.into(), swapped).to_ne_bytes()))
    }
}

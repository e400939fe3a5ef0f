//! UTF-16, character by character.

#![forbid(unsafe_code)]

use crate::codec::{Codec, Next, Refusal, Set};
use crate::error::{ConversionErrorKind, Fault};
use crate::search::{NotUtf16, Outside, search};
use trust8::Kernel;
use trust8::engine::Output;

/// Converts a unit between its representation in memory and the machine's byte order, in either
/// direction: reverses its bytes or returns it unchanged.
#[inline(always)]
pub(crate) const fn order(unit: u16, swapped: bool) -> u16 {
    if swapped { unit.swap_bytes() } else { unit }
}

/// Reads the unit in these bytes.
#[inline(always)]
pub(crate) const fn unit_of(bytes: [u8; 2], swapped: bool) -> u16 {
    order(u16::from_ne_bytes(bytes), swapped)
}

/// UTF-16.
pub(crate) struct Utf16Codec;

impl Codec for Utf16Codec {
    const UNIT_BYTES: usize = 2;
    const LAST_SINGLE: u32 = 0xFFFF;

    #[inline(always)]
    fn next(text: &[u8], swapped: bool) -> Next {
        let Some((first, rest)) = text.split_first_chunk() else {
            return Next::Cut(Fault::Other(ConversionErrorKind::Incomplete));
        };
        let first = unit_of(*first, swapped);
        if let Some(char) = char::from_u32(first.into()) {
            return Next::Char(char, 2);
        }
        if first >= 0xDC00 {
            return Next::Malformed(Fault::Other(ConversionErrorKind::LoneLow(first)), 2);
        }
        let Some(second) = rest.first_chunk() else { return Next::Cut(Fault::CutHigh(first)) };
        match char::decode_utf16([first, unit_of(*second, swapped)]).next() {
            Some(Ok(char)) => Next::Char(char, 4),
            _ => Next::Malformed(Fault::Other(ConversionErrorKind::LoneHigh(first)), 2),
        }
    }

    fn whole_len(text: &[u8], swapped: bool) -> usize {
        let (units, _) = text.as_chunks();
        let cut = units.last().is_some_and(|last| unit_of(*last, swapped) & 0xFC00 == 0xD800);
        2 * (units.len() - usize::from(cut))
    }

    #[inline(always)]
    fn up_to(kernel: &'static Kernel, text: &[u8], swapped: bool, set: Set) -> usize {
        match set {
            Set::Ascii => search!(kernel, text, swapped, Outside<2, 0x7F>),
            Set::Latin1 => search!(kernel, text, swapped, Outside<2, 0xFF>),
            Set::Unicode => search!(kernel, text, swapped, NotUtf16),
        }
    }

    #[inline(always)]
    fn len(char: char) -> Option<usize> {
        Some(2 * char.len_utf16())
    }

    #[inline(always)]
    fn put(char: char, swapped: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
        let mut units = [0; 2];
        let len = char.encode_utf16(&mut units).len();
        let bytes = units.map(|unit| order(unit, swapped).to_ne_bytes());
        Refusal::unless_put(out.put(&bytes.as_flattened()[..2 * len]))
    }
}

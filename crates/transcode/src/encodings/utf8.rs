//! UTF-8, character by character.

#![forbid(unsafe_code)]

use crate::codec::{Codec, Next, Refusal, Set};
use crate::error::Fault;
use crate::search::{AboveLatin1, search};
use trust8::Kernel;
use trust8::boundary::whole_len;
use trust8::engine::{Output, Sequence};
use trust8_counts::KernelCounts;

/// UTF-8.
pub(crate) struct Utf8Codec;

impl Codec for Utf8Codec {
    const UNIT_BYTES: usize = 1;
    const LAST_SINGLE: u32 = 0x7F;

    #[inline(always)]
    fn next(text: &[u8], _: bool) -> Next {
        if let Some((char, len)) = first(text) {
            return Next::Char(char, len);
        }
        let sequence = Sequence::at_start_of(text);
        match sequence.error_len() {
            Some(len) => Next::Malformed(Fault::Utf8(sequence), len),
            None => Next::Cut(Fault::Utf8(sequence)),
        }
    }

    fn whole_len(text: &[u8], _: bool) -> usize {
        whole_len(text)
    }

    #[inline(always)]
    fn up_to(kernel: &'static Kernel, text: &[u8], _: bool, set: Set) -> usize {
        match set {
            Set::Ascii => kernel.ascii_up_to(text),
            Set::Latin1 => search!(kernel, text, AboveLatin1),
            Set::Unicode => kernel.from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len),
        }
    }

    #[inline(always)]
    fn len(char: char) -> Option<usize> {
        Some(char.len_utf8())
    }

    #[inline(always)]
    fn put(char: char, _: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
        Refusal::unless_put(out.put(char.encode_utf8(&mut [0; 4]).as_bytes()))
    }
}

/// Decodes the first character of the text, and returns it with its length in bytes. Each
/// continuation byte adds six bits.
#[inline(always)]
fn first(text: &[u8]) -> Option<(char, usize)> {
    let six = |byte: u8| u32::from(byte & 0x3F);
    let (least, number, len) = match *text {
        [ascii @ ..0x80, ..] => return Some((char::from(ascii), 1)),
        [a @ 0xC0..0xE0, b @ 0x80..0xC0, ..] => (0x80, u32::from(a & 0x1F) << 6 | six(b), 2),
        [a @ 0xE0..0xF0, b @ 0x80..0xC0, c @ 0x80..0xC0, ..] => {
            (0x800, u32::from(a & 0x0F) << 12 | six(b) << 6 | six(c), 3)
        }
        [a @ 0xF0..0xF8, b @ 0x80..0xC0, c @ 0x80..0xC0, d @ 0x80..0xC0, ..] => {
            (0x1_0000, u32::from(a & 0x07) << 18 | six(b) << 12 | six(c) << 6 | six(d), 4)
        }
        _ => return None,
    };
    if number < least { None } else { Some((char::from_u32(number)?, len)) }
}

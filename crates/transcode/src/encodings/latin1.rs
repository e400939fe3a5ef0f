//! Latin-1 (ISO-8859-1), character by character: each byte is the character with its number.

#![forbid(unsafe_code)]

use crate::codec::{Codec, Next, Refusal, Set};
use trust8::Kernel;
use trust8::engine::Output;
use trust8_counts::KernelCounts;

/// Latin-1.
pub(crate) struct Latin1Codec;

impl Codec for Latin1Codec {
    const UNIT_BYTES: usize = 1;
    const LAST_SINGLE: u32 = 0xFF;
    const ALL_VALID: bool = true;
    const REPLACEMENT: char = '?';

    #[inline(always)]
    fn next(text: &[u8], _: bool) -> Next {
        Next::Char(char::from(text[0]), 1)
    }

    #[inline(always)]
    fn up_to(kernel: &'static Kernel, text: &[u8], _: bool, set: Set) -> usize {
        if set == Set::Ascii { kernel.ascii_up_to(text) } else { text.len() }
    }

    #[inline(always)]
    fn len(char: char) -> Option<usize> {
        u8::try_from(u32::from(char)).ok().map(|_| 1)
    }

    #[inline(always)]
    fn put(char: char, _: bool, out: &mut Output<'_>) -> Result<(), Refusal> {
        let byte = u8::try_from(u32::from(char)).map_err(|_| Refusal::Unmappable)?;
        Refusal::unless_put(out.put(&[byte]))
    }
}

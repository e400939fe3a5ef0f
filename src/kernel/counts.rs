//! What is counted in a text, and plain loops that count it.

#![forbid(unsafe_code)]

use core::ops::{AddAssign, SubAssign};

use super::verdict::Verdict;
use crate::boundary::{floor, is_continuation};

/// Counts of four kinds of bytes. All other counts of valid text follow from them.
///
/// Each character has one byte that is not a continuation, so the bytes without the continuations are the number of
/// characters. The continuations that longer characters do not account for are the number of two-byte characters.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    /// Bytes 80..BF.
    pub(crate) continuations: usize,
    /// Bytes E0..FF: in valid text, leads of three and four bytes.
    pub(crate) from_e0: usize,
    /// Bytes F0..FF: in valid text, leads of four bytes.
    pub(crate) from_f0: usize,
    /// Bytes 0A.
    pub(crate) newlines: usize,
}

impl AddAssign for Counts {
    #[inline(always)]
    fn add_assign(&mut self, more: Self) {
        self.continuations += more.continuations;
        self.from_e0 += more.from_e0;
        self.from_f0 += more.from_f0;
        self.newlines += more.newlines;
    }
}

impl SubAssign for Counts {
    #[inline(always)]
    fn sub_assign(&mut self, less: Self) {
        self.continuations -= less.continuations;
        self.from_e0 -= less.from_e0;
        self.from_f0 -= less.from_f0;
        self.newlines -= less.newlines;
    }
}

/// Blocks so short that each of their counts fits into a byte: so the compiler counts in vectors of bytes.
const BLOCK: usize = 192;

/// Returns the number of bytes for which `is` returns true.
#[inline(always)]
fn count_if(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut count = 0;
    for block in blocks {
        count += usize::from(block.iter().fold(0u8, |sum, &byte| sum + u8::from(is(byte))));
    }
    count + rest.iter().filter(|&&byte| is(byte)).count()
}

/// Returns the sum of what the bytes count for, at most two each.
#[inline(always)]
pub(crate) fn sum(bytes: &[u8], count: impl Fn(u8) -> u8) -> usize {
    let mut sum = 0;
    let (blocks, rest) = bytes.as_chunks::<64>();
    // With so few blocks no byte overflows.
    for blocks in blocks.chunks(127) {
        let mut sums = [0u8; 64];
        for block in blocks {
            for (sum, &byte) in sums.iter_mut().zip(block) {
                *sum = sum.wrapping_add(count(byte));
            }
        }
        sum += sums.iter().map(|&sum| usize::from(sum)).sum::<usize>();
    }
    sum + rest.iter().map(|&byte| usize::from(count(byte))).sum::<usize>()
}

/// Returns all four counts.
pub(crate) fn count(bytes: &[u8]) -> Counts {
    Counts {
        continuations: count_if(bytes, is_continuation),
        from_e0: count_if(bytes, |byte| byte >= 0xE0),
        from_f0: count_if(bytes, |byte| byte >= 0xF0),
        newlines: newlines(bytes),
    }
}

/// Returns the number of bytes that are not continuations.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| !is_continuation(byte))
}

/// Returns the number of bytes that are not continuations, and counts those from F0 on twice.
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    sum(bytes, |byte| u8::from(!is_continuation(byte)) + u8::from(byte >= 0xF0))
}

/// Returns the number of line feeds.
pub(crate) fn newlines(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| byte == b'\n')
}

/// Returns the text after the last line feed, or all of it.
pub(crate) fn last_line(text: &[u8]) -> &[u8] {
    let mut end = text.len();
    // A search byte by byte would be slow for text of one line. The compiler makes vectors of this one.
    while let Some(block) = text[..end].last_chunk::<BLOCK>()
        && !block.iter().fold(false, |any, &byte| any | (byte == b'\n'))
    {
        end -= BLOCK;
    }
    let newline = text[..end].iter().rposition(|&byte| byte == b'\n');
    &text[newline.map_or(0, |at| at + 1)..]
}

/// The longest chunk: it stays in the first-level cache between being validated and being counted.
const CHUNK: usize = 8 << 10;

/// The first chunk, also after ASCII: more ASCII is likely to follow soon.
const FIRST_CHUNK: usize = 1 << 10;

/// Returns the verdict on `bytes`, and their counts if they are valid. Each chunk is validated by `validate` and then counted by
/// `count`.
///
/// `ascii` returns the length of ASCII at the start of what it gets, and the number of newlines in it. It need not find all
/// ASCII. ASCII needs neither validation nor other counts.
#[inline(always)]
pub(crate) fn in_chunks(
    bytes: &[u8],
    ascii: impl Fn(&[u8]) -> (usize, usize),
    validate: impl Fn(&[u8]) -> Verdict,
    count: impl Fn(&[u8]) -> Counts,
) -> (Verdict, Counts) {
    let mut counts = Counts::default();
    let (mut at, mut len) = (0, FIRST_CHUNK);
    while at < bytes.len() {
        let (n, newlines) = ascii(&bytes[at..]);
        if n > 0 {
            counts.newlines += newlines;
            at += n;
            len = FIRST_CHUNK;
            continue;
        }
        let end = floor(bytes, at + len);
        let chunk = &bytes[at..end];
        if let Some(suspect) = validate(chunk).suspicion() {
            return (Verdict::suspect(at + suspect), counts);
        }
        counts += count(chunk);
        at = end;
        len = (2 * len).min(CHUNK);
    }
    (Verdict::VALID, counts)
}

/// Returns the length of ASCII at the start of `bytes`, in blocks up to a chunk, and the number of newlines in it.
pub(crate) fn ascii(bytes: &[u8]) -> (usize, usize) {
    let (blocks, _) = bytes[..bytes.len().min(CHUNK)].as_chunks::<BLOCK>();
    let len = BLOCK * blocks.iter().take_while(|block| block.is_ascii()).count();
    (len, newlines(&bytes[..len]))
}

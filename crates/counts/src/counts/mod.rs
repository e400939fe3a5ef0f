//! Counts of a text, and scalar loops for them.

#![forbid(unsafe_code)]

#[cfg(trust8_avx512)]
mod avx512;
#[cfg(trust8_simd)]
mod lanes;
#[cfg(trust8_avx512)]
mod planes;

use core::ops::AddAssign;

use crate::boundary::{floor, is_continuation};
use crate::kernel::{Automaton, Engine, Validate};
use crate::simd::Job;

/// An engine that counts.
pub trait Counting: Engine {
    /// Validates and counts. Returns the counts, or the suspect position if the text is not valid.
    fn inspect(self, bytes: &[u8]) -> (Option<usize>, Counts);

    /// Returns the number of characters of valid text, the bytes that are no continuations: 1 for
    /// `"é"`.
    fn count_chars(self, text: &[u8]) -> usize;

    /// Returns the number of UTF-16 units of valid text: 2 for `"😀"`.
    fn utf16_len(self, text: &[u8]) -> usize;
}

/// An engine that validates chunk by chunk and counts each while it is in the first-level cache.
trait Chunked: Engine {
    /// Returns the length of the ASCII at the start of a text, or less, and the number of newlines
    /// in it.
    fn ascii(self, bytes: &[u8]) -> (usize, usize);

    /// Returns all counts of valid text.
    fn count(self, text: &[u8]) -> Counts;
}

impl Chunked for Automaton {
    #[inline(always)]
    fn ascii(self, bytes: &[u8]) -> (usize, usize) {
        let (blocks, _) = bytes[..bytes.len().min(CHUNK_BYTES)].as_chunks::<BLOCK_BYTES>();
        let len = BLOCK_BYTES * blocks.iter().take_while(|block| block.is_ascii()).count();
        (len, newlines(&bytes[..len]))
    }

    #[inline(always)]
    fn count(self, text: &[u8]) -> Counts {
        count(text)
    }
}

impl Counting for Automaton {
    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Option<usize>, Counts) {
        in_chunks(self, bytes)
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        count_if(text, |byte| !is_continuation(byte))
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        sum(text, |byte| u8::from(!is_continuation(byte)) + u8::from(byte >= 0xF0))
    }
}

/// Declares jobs that call a method of the engine.
macro_rules! jobs {
    ($($(#[$doc:meta])* $visibility:vis struct $job:ident: $engine:ident::$method:ident -> $result:ty;)+) => {$(
        $(#[$doc])*
        $visibility struct $job;

        impl<E: $engine> Job<E, (), $result> for $job {
            #[inline(always)]
            fn run(engine: E, bytes: &[u8], (): ()) -> $result {
                engine.$method(bytes)
            }
        }
    )+};
}

jobs! {
    /// [`Counting::count_chars`] as a job.
    pub struct CountChars: Counting::count_chars -> usize;
    /// [`Counting::utf16_len`] as a job.
    pub struct Utf16Len: Counting::utf16_len -> usize;
    /// [`Counting::inspect`] as a job.
    pub(crate) struct Inspect: Counting::inspect -> (Option<usize>, Counts);
    /// [`Chunked::ascii`] as a separate function.
    struct Ascii: Chunked::ascii -> (usize, usize);
    /// [`Chunked::count`] as a separate function.
    struct Count: Chunked::count -> Counts;
}

/// Counts of four kinds of bytes. All other counts of valid text follow from them.
///
/// Each character has one byte that is not a continuation, so the number of characters is that of
/// bytes minus continuations. The number of two-byte characters is that of the continuations that
/// longer characters do not account for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Counts {
    /// Bytes 80..BF.
    pub continuations: usize,
    /// Bytes E0..FF: in valid text, leads of three and four bytes.
    pub from_e0: usize,
    /// Bytes F0..FF: in valid text, leads of four bytes.
    pub from_f0: usize,
    /// Bytes 0A.
    pub newlines: usize,
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

/// Blocks short enough for counts in bytes, so that the compiler counts in vectors of bytes.
const BLOCK_BYTES: usize = 192;

/// Returns the number of bytes for which `is` returns true.
#[inline(always)]
fn count_if(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let (blocks, rest) = bytes.as_chunks::<BLOCK_BYTES>();
    let mut count = 0;
    for block in blocks {
        count += usize::from(block.iter().fold(0u8, |sum, &byte| sum + u8::from(is(byte))));
    }
    count + rest.iter().filter(|&&byte| is(byte)).count()
}

/// Returns the sum of the bytes' weights, at most two each.
#[inline(always)]
pub fn sum(bytes: &[u8], count: impl Fn(u8) -> u8) -> usize {
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

/// Returns the number of line feeds.
pub(crate) fn newlines(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| byte == b'\n')
}

/// Returns the text after the last line feed, or all of it.
pub(crate) fn last_line(text: &[u8]) -> &[u8] {
    let mut end = text.len();
    // A search byte by byte would be slow for text of one line. The compiler vectorises this one.
    while let Some(block) = text[..end].last_chunk::<BLOCK_BYTES>()
        && !block.iter().fold(false, |any, &byte| any | (byte == b'\n'))
    {
        end -= BLOCK_BYTES;
    }
    let newline = text[..end].iter().rposition(|&byte| byte == b'\n');
    &text[newline.map_or(0, |at| at + 1)..]
}

/// The longest chunk: it stays in the first-level cache between being validated and being counted.
const CHUNK_BYTES: usize = 8 << 10;

/// The first chunk, also after ASCII: more ASCII is likely to follow soon.
const FIRST_CHUNK_BYTES: usize = 1 << 10;

/// Validates each chunk and then counts it. ASCII needs no validation, and only a count of
/// newlines.
#[inline(always)]
fn in_chunks<E: Chunked>(engine: E, bytes: &[u8]) -> (Option<usize>, Counts) {
    let mut counts = Counts::default();
    let (mut at, mut len) = (0, FIRST_CHUNK_BYTES);
    while at < bytes.len() {
        let (n, newlines) = engine.apart(Ascii, &bytes[at..], ());
        if n > 0 {
            counts.newlines += newlines;
            at += n;
            len = FIRST_CHUNK_BYTES;
            continue;
        }
        let end = floor(bytes, at + len);
        let chunk = &bytes[at..end];
        if let Some(suspect) = engine.apart(Validate, chunk, ()).suspicion() {
            return (Some(at + suspect), counts);
        }
        counts += engine.apart(Count, chunk, ());
        at = end;
        len = (2 * len).min(CHUNK_BYTES);
    }
    (None, counts)
}

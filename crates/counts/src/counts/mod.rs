//! Counts of a text, and scalar loops for them.

#![forbid(unsafe_code)]

#[cfg(trust8_avx512)]
mod avx512;
#[cfg(trust8_simd)]
mod lanes;

use core::ops::AddAssign;

use trust8::boundary::is_continuation;
use trust8::engine::{Automaton, Engine, Job, count_equal};

/// An engine that counts.
pub trait Counting: Engine {
    /// Returns all counts of valid text.
    fn count(self, text: &[u8]) -> Counts;

    /// Returns the number of characters of valid text, the bytes that are no continuations: 1 for
    /// `"é"`.
    fn count_chars(self, text: &[u8]) -> usize;

    /// Returns the number of UTF-16 units of valid text: 2 for `"😀"`.
    fn utf16_len(self, text: &[u8]) -> usize;
}

impl Counting for Automaton {
    #[inline(always)]
    fn count(self, text: &[u8]) -> Counts {
        Counts {
            continuations: count_equal(text, 0xC0, 0x80),
            from_e0: count_equal(text, 0xE0, 0xE0),
            from_f0: count_equal(text, 0xF0, 0xF0),
            newlines: count_equal(text, 0xFF, b'\n'),
        }
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        text.len() - count_equal(text, 0xC0, 0x80)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        sum(text, |byte| u8::from(!is_continuation(byte)) + u8::from(byte >= 0xF0))
    }
}

/// Declares jobs that call a method of the engine.
macro_rules! jobs {
    ($($(#[$doc:meta])* $visibility:vis $job:ident: $method:ident -> $result:ty;)+) => {$(
        $(#[$doc])*
        $visibility struct $job;

        impl<E: Counting> Job<E, (), $result> for $job {
            #[inline(always)]
            fn run(engine: E, text: &[u8], (): ()) -> $result {
                engine.$method(text)
            }
        }
    )+};
}

jobs! {
    /// Counts the four kinds of bytes.
    pub(crate) Count: count -> Counts;
    /// Counts the characters.
    pub CountChars: count_chars -> usize;
    /// Counts the units that the text has in UTF-16.
    pub Utf16Len: utf16_len -> usize;
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

//! What is counted, and the plain loops that count it.

#![forbid(unsafe_code)]

use core::ops::{AddAssign, SubAssign};

/// Counts of four kinds of bytes, from which all else about valid text follows.
///
/// A character is as many bytes as it has continuations, and one more; so the characters are the bytes
/// without the continuations, and the leads of two bytes are the continuations that longer characters do
/// not account for.
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

/// Whether a byte is one of 80..BF.
#[inline(always)]
pub(crate) const fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Bytes whose counts fit into a byte each, so that the compiler can count in vectors of bytes.
const STEP: usize = 192;

/// How many bytes are as `is` says.
#[inline(always)]
fn count_if(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let (steps, rest) = bytes.as_chunks::<STEP>();
    let mut count = 0;
    for step in steps {
        // At most 192.
        count += usize::from(step.iter().fold(0u8, |sum, &byte| sum + u8::from(is(byte))));
    }
    count + rest.iter().filter(|&&byte| is(byte)).count()
}

/// All four counts.
pub(crate) fn count(bytes: &[u8]) -> Counts {
    Counts {
        continuations: count_if(bytes, is_continuation),
        from_e0: count_if(bytes, |byte| byte >= 0xE0),
        from_f0: count_if(bytes, |byte| byte >= 0xF0),
        newlines: newlines(bytes),
    }
}

/// The bytes that are no continuations.
pub(crate) fn chars(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| !is_continuation(byte))
}

/// The bytes that are no continuations, those from F0 on counted twice.
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    chars(bytes) + count_if(bytes, |byte| byte >= 0xF0)
}

pub(crate) fn newlines(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| byte == b'\n')
}

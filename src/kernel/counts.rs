//! What is counted, and the plain loops that count it.

#![forbid(unsafe_code)]

use core::ops::{AddAssign, SubAssign};

use super::verdict::Verdict;
use crate::boundary::{floor, is_continuation};

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
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| !is_continuation(byte))
}

/// The bytes that are no continuations, those from F0 on counted twice.
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    count_chars(bytes) + count_if(bytes, |byte| byte >= 0xF0)
}

pub(crate) fn newlines(bytes: &[u8]) -> usize {
    count_if(bytes, |byte| byte == b'\n')
}

/// Bytes that stay in the first-level cache between being checked and being counted.
const CHUNK: usize = 8 << 10;

/// The chunk behind ASCII, where more of that is expected soon.
const FIRST_CHUNK: usize = 1 << 10;

/// The verdict on any number of bytes, and if it is 'valid' the counts: chunk by chunk, by the functions.
///
/// `ascii` says how much ASCII there is at the start of what it gets, or some of it, and how many newlines are in that. There
/// is nothing else to check or to count in it.
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

/// How much ASCII there is, in steps up to a chunk, and how many newlines in that.
pub(crate) fn ascii(bytes: &[u8]) -> (usize, usize) {
    let (steps, _) = bytes[..bytes.len().min(CHUNK)].as_chunks::<STEP>();
    let len = STEP * steps.iter().take_while(|step| step.is_ascii()).count();
    (len, newlines(&bytes[..len]))
}

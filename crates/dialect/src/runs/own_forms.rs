//! The sequences that a dialect writes differently, and those of UTF-8 that it lacks: tests of a
//! byte and the next one, and a search.

#![forbid(unsafe_code)]

use crate::Dialect;
use trust8::Kernel;
use trust8_counts::search::{BLOCK_BYTES, Places, Search, SearchOps, Sought};

/// Returns a word with `byte` in each of its bytes.
const fn repeat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Sets bit 7 of each byte that is zero, and no other bit.
const fn zeros(word: u64) -> u64 {
    // Each sum stays within its byte, and has bit 7 if any of the lower bits was set.
    let low = (word & repeat(0x7F)) + repeat(0x7F);
    !(low | word) & repeat(0x80)
}

/// Sets bit 7 of each byte that is at least F0. The other bits of the result are unspecified.
const fn from_f0(word: u64) -> u64 {
    word & word << 1 & word << 2 & word << 3
}

/// The exceptions of each dialect:
///
/// - UTF-8: none.
/// - WTF-8: surrogates, which begin with `ED` before `A0` and above.
/// - RFC 2279: surrogates, and sequences that begin with `F4` and above.
/// - CESU-8: surrogates. It excludes the sequences of four bytes, which begin with `F0` and above.
/// - Modified UTF-8: surrogates, and `C0` in place of `00`. It excludes `00` and the sequences of
///   four bytes.
impl Dialect {
    /// Sets bit 7 of each byte that begins an exception: one of the dialect's own sequences, or one
    /// that it excludes.
    #[inline(always)]
    const fn mark(self, word: u64, next: u64) -> u64 {
        // After ED, bits 7 and 5 without bit 6: A0 to BF.
        let surrogates = zeros(word ^ repeat(0xED)) & next & !(next << 1) & next << 2;
        let own = match self {
            Self::Utf8 => 0,
            Self::Wtf8 => surrogates,
            Self::Rfc2279 => surrogates | from_f0(word) & (word << 4 | word << 5),
            Self::Cesu8 => surrogates | from_f0(word),
            Self::ModifiedUtf8 => surrogates | from_f0(word) | zeros(word) | zeros(word ^ repeat(0xC0)),
        };
        own & repeat(0x80)
    }

    /// Returns whether an exception begins at the start of `bytes`. UTF-8 has no such sequence,
    /// except those that the dialect excludes.
    #[inline]
    pub(crate) fn begins_exception(self, bytes: &[u8]) -> bool {
        let Some(&first) = bytes.first() else { return false };
        let next = bytes.get(1).copied().unwrap_or(0);
        let may_begin = match self {
            Self::Utf8 => false,
            Self::Wtf8 | Self::Cesu8 => first >= 0xED,
            // F4 begins characters up to U+10FFFF as well.
            Self::Rfc2279 => first >= 0xED && (first != 0xF4 || next >= 0x90),
            Self::ModifiedUtf8 => first >= 0xED || first == 0 || first == 0xC0,
        };
        may_begin && self.mark(first.into(), next.into()) & 0x80 != 0
    }

    /// Returns the position of the first exception, if it is among the first eight bytes. This is
    /// faster than any kernel call.
    #[inline]
    pub(crate) fn find_near_exception(self, nine: &[u8; 9]) -> Option<usize> {
        let word = |from: usize| u64::from_le_bytes(*nine[from..].first_chunk().unwrap_or(&[0; 8]));
        let marks = self.mark(word(0), word(1));
        (marks != 0).then_some(marks.trailing_zeros() as usize / 8)
    }

    /// Returns the position of the first exception, or `None` if there is none.
    ///
    /// UTF-8 has none of a dialect's own sequences. So in valid UTF-8, this is the first sequence
    /// that the dialect lacks.
    #[inline(never)]
    pub(crate) fn find_exception(self, kernel: &Kernel, bytes: &[u8]) -> Option<usize> {
        let found = match self {
            Self::Utf8 => return None,
            Self::Wtf8 => kernel.run(Search::<Surrogates>::JOB, bytes, ()),
            Self::Rfc2279 => kernel.run(Search::<SurrogatesAndLong>::JOB, bytes, ()),
            Self::Cesu8 => kernel.run(Search::<Pairs>::JOB, bytes, ()),
            Self::ModifiedUtf8 => kernel.run(Search::<PairsAndNul>::JOB, bytes, ()),
        };
        (found < bytes.len()).then_some(found)
    }

    /// Returns the exceptions of the first [`BLOCK_BYTES`] bytes.
    #[inline(never)]
    pub(crate) fn exceptions(self, kernel: &Kernel, bytes: &[u8]) -> ExceptionBits {
        ExceptionBits(match self {
            Self::Utf8 => 0,
            Self::Wtf8 => kernel.run(Places::<Surrogates>::JOB, bytes, ()),
            Self::Rfc2279 => kernel.run(Places::<SurrogatesAndLong>::JOB, bytes, ()),
            Self::Cesu8 => kernel.run(Places::<Pairs>::JOB, bytes, ()),
            Self::ModifiedUtf8 => kernel.run(Places::<PairsAndNul>::JOB, bytes, ()),
        })
    }

    /// Returns the position of the first sequence that the dialect lacks. `text` is UTF-8.
    #[inline]
    pub(crate) fn find_excluded(self, kernel: &Kernel, text: &[u8]) -> Option<usize> {
        if self.writes_pairs() && !text.is_empty() { self.find_exception(kernel, text) } else { None }
    }
}

type Surrogates = Exceptions<0xFF, false>;
type SurrogatesAndLong = Exceptions<0xF4, false>;
type Pairs = Exceptions<0xF0, false>;
type PairsAndNul = Exceptions<0xF0, true>;

/// The exceptions of a block.
#[derive(Clone, Copy)]
pub(crate) struct ExceptionBits(u64);

impl ExceptionBits {
    /// Returns the number of exceptions. A surrogate pair counts as two.
    #[inline(always)]
    pub(crate) fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Drops the exceptions before `at`. Returns the start of the next one. `block` begins with the
    /// block.
    ///
    /// If a sequence ends inside a surrogate, the result may be `at` itself, without an exception
    /// there.
    #[inline(always)]
    pub(crate) fn next_from(&mut self, block: &[u8], at: usize) -> Option<usize> {
        self.0 = if at < BLOCK_BYTES { self.0 & u64::MAX << at } else { 0 };
        (self.0 != 0).then(|| place(block, self.0.trailing_zeros() as usize).max(at))
    }
}

/// Returns the start of the exception that [`Exceptions`] marks at `at`.
#[inline(always)]
fn place(text: &[u8], at: usize) -> usize {
    let is_second = match text.get(at.wrapping_sub(1)..=at) {
        Some(&[first, second]) => (first == 0xED) & (second & 0xE0 == 0xA0),
        _ => false,
    };
    at - usize::from(is_second)
}

/// The search of [`Dialect::begins_exception`]. It finds surrogates and bytes of `LONG` or more; with `NUL`,
/// also `00` and `C0`. `FF` is in no dialect, so as `LONG` it means that all longer forms are
/// those of UTF-8.
struct Exceptions<const LONG: u8, const NUL: bool>;

impl<V: SearchOps, const LONG: u8, const NUL: bool> Sought<V> for Exceptions<LONG, NUL> {
    const UNIT_BYTES: usize = 1;

    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        let (all, surrogate, nul) = (v.splat(0xFF), v.splat(0xED), v.splat(0xC0));
        // A match becomes zero in one of the vectors whose minimum is taken.
        let (mut largest, mut least, mut i) = (v.splat(0), all, 0);
        while i < N {
            largest = v.max(largest, vectors[i]);
            least = v.min(least, v.and_xor(vectors[i], all, surrogate));
            if NUL {
                least = v.min(v.min(least, vectors[i]), v.and_xor(vectors[i], all, nul));
            }
            i += 1;
        }
        LONG < 0xFF && v.any_high_bit(v.minus_saturating(largest, v.splat(LONG - 0x80)))
            || v.is_any(v.equal(least, v.splat(0)))
    }

    /// A surrogate is recognised by its second byte, A0 to BF. (A lead after ED is no surrogate,
    /// and to read each such ED by itself took five times as long as to leave it to a kernel.)
    #[inline(always)]
    fn places(v: V, now: V::Vector, pending: &mut u64) -> u64 {
        let (top_three, second) = (v.splat(0xE0), v.splat(0xA0));
        let leads = v.bits(v.equal(now, v.splat(0xED)));
        let seconds = v.bits(v.equal(v.and_xor(now, top_three, second), v.splat(0)));
        let mut found = (leads << 1 | *pending) & seconds;
        if LONG < 0xFF {
            found |= v.high_bits(v.minus_saturating(now, v.splat(LONG - 0x80)));
        }
        if NUL {
            found |= v.bits(v.equal(now, v.splat(0))) | v.bits(v.equal(now, v.splat(0xC0)));
        }
        *pending = leads >> (V::LANES - 1);
        found
    }

    #[inline(always)]
    fn place(text: &[u8], at: usize) -> usize {
        place(text, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether the dialect excludes the byte, and whether one of the dialect's sequences
    /// begins with it.
    fn is_own(dialect: Dialect, byte: u8, next: Option<u8>) -> (bool, bool) {
        let surrogate = byte == 0xED && matches!(next, Some(0xA0..=0xBF));
        match dialect {
            Dialect::Utf8 => (false, false),
            Dialect::Wtf8 => (false, surrogate),
            Dialect::Rfc2279 => (false, surrogate || byte >= 0xF4),
            Dialect::Cesu8 => (byte >= 0xF0, surrogate),
            Dialect::ModifiedUtf8 => (byte >= 0xF0 || byte == 0, surrogate || byte == 0xC0),
        }
    }

    #[test]
    fn every_pair_of_bytes_at_every_place_of_a_block() {
        const FIRST: [u8; 15] =
            [0x00, 0x01, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF3, 0xF4, 0xFF];
        const SECOND: [u8; 11] = [0x00, 0x41, 0x80, 0x9F, 0xA0, 0xBF, 0xC0, 0xDF, 0xED, 0xF0, 0xFF];
        // Emulators are slow, so a scale of at least 100 tests fewer positions of long texts.
        let slow = std::env::var("TRUST8_TEST_SCALE").is_ok_and(|scale| scale.len() > 2);
        for &dialect in Dialect::ALL {
            for len in [2, 3, 8, 9, 10, 17, 64, 65, 66, 130, 330] {
                for (at, first, second) in (0..len - 1)
                    .step_by(if slow && len > 100 { 13 } else { 1 })
                    .flat_map(|at| FIRST.map(|first| (at, first)))
                    .flat_map(|(at, first)| SECOND.map(|second| (at, first, second)))
                {
                    let mut bytes = vec![b'a'; len];
                    (bytes[at], bytes[at + 1]) = (first, second);
                    let is = |i| is_own(dialect, bytes[i], bytes.get(i + 1).copied());
                    let excluded = (0..len).find(|&i| is(i).0);
                    let any = (0..len).find(|&i| is(i).0 || is(i).1);
                    for kernel in Kernel::available() {
                        let place = || format!("{kernel:?} {dialect:?} {len} {at} {first:02X} {second:02X}");
                        assert_eq!(dialect.find_exception(kernel, &bytes), any, "{}", place());
                        if core::str::from_utf8(&bytes).is_ok() {
                            assert_eq!(dialect.find_excluded(kernel, &bytes), excluded, "{}", place());
                        }
                    }
                    // F4 before 80 to 8F begins a character that UTF-8 has too.
                    let is_utf8 = dialect == Dialect::Rfc2279 && first == 0xF4 && second < 0x90;
                    assert_eq!(
                        dialect.begins_exception(&bytes[at..]),
                        (is(at).0 || is(at).1) && !is_utf8,
                        "{dialect:?} {first:02X} {second:02X}"
                    );
                }
            }
        }
    }
}

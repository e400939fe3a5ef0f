//! Tests for ASCII, and the position of the first other byte.

#![forbid(unsafe_code)]

use trust8::Kernel;

use super::search::{Search, SearchOps, Sought, all_bits};

/// Returns whether all of `bytes` are ASCII, as `bytes.is_ascii()` does.
///
/// ```
/// assert!(trust8_counts::is_ascii(b"plain text"));
/// assert!(!trust8_counts::is_ascii("naïve".as_bytes()));
/// assert!(trust8_counts::is_ascii(b""));
/// ```
#[inline]
#[must_use]
pub fn is_ascii(bytes: &[u8]) -> bool {
    ascii_up_to(bytes) == bytes.len()
}

/// Returns the position of the first byte that is not ASCII, or the length of `bytes` if all are.
///
/// Everything before this position is text. The result is that of
/// `encoding_rs::Encoding::ascii_valid_up_to`.
///
/// ```
/// assert_eq!(trust8_counts::ascii_up_to("naïve".as_bytes()), 2);
/// assert_eq!(trust8_counts::ascii_up_to(b"plain text"), 10);
/// assert_eq!(trust8_counts::ascii_up_to(b"\xFF"), 0);
/// ```
#[inline]
#[must_use]
pub fn ascii_up_to(bytes: &[u8]) -> usize {
    by(Kernel::best(), bytes)
}

/// Does the same as [`ascii_up_to`], with a kernel.
#[inline]
pub(crate) fn by(kernel: &Kernel, bytes: &[u8]) -> usize {
    kernel.run(Search::<NotAscii>::JOB, bytes, ())
}

/// A byte that is not ASCII.
struct NotAscii;

impl<V: SearchOps> Sought<V> for NotAscii {
    const UNIT_BYTES: usize = 1;

    #[inline(always)]
    fn is_suspected<const N: usize>(v: V, vectors: [V::Vector; N]) -> bool {
        v.any_high_bit(all_bits(v, vectors))
    }

    #[inline(always)]
    fn places(v: V, now: V::Vector, _: &mut u64) -> u64 {
        v.high_bits(now)
    }
}

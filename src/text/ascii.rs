//! Whether bytes are ASCII, and where they stop being ASCII.

#![forbid(unsafe_code)]

use crate::kernel::Kernel;
use crate::kernel::entries::Searches;
use crate::kernel::search::Outside;

/// Returns whether all of `bytes` are ASCII: what `bytes.is_ascii()` returns.
///
/// ```
/// assert!(trust8::is_ascii(b"plain text"));
/// assert!(!trust8::is_ascii("naïve".as_bytes()));
/// assert!(trust8::is_ascii(b""));
/// ```
#[inline]
#[must_use]
pub fn is_ascii(bytes: &[u8]) -> bool {
    ascii_up_to(bytes) == bytes.len()
}

/// Returns the place of the first byte that is not ASCII, or the length of `bytes` if all are.
///
/// So what is before that place is text. It is what `encoding_rs::Encoding::ascii_valid_up_to` returns.
///
/// ```
/// assert_eq!(trust8::ascii_up_to("naïve".as_bytes()), 2);
/// assert_eq!(trust8::ascii_up_to(b"plain text"), 10);
/// assert_eq!(trust8::ascii_up_to(b"\xFF"), 0);
/// ```
#[inline]
#[must_use]
pub fn ascii_up_to(bytes: &[u8]) -> usize {
    ascii_up_to_with(Kernel::best(), bytes)
}

/// Does what [`ascii_up_to`] does, with this kernel.
#[inline]
pub(crate) fn ascii_up_to_with(kernel: &Kernel, bytes: &[u8]) -> usize {
    static DOORS: Searches = Searches::of::<Outside<1, 0x7F, false>>();
    DOORS.run(kernel, bytes)
}

//! Lossy text in the caller's buffer, without an allocation.

#![forbid(unsafe_code)]

use core::mem::MaybeUninit;

use super::chunks::count_ill_formed;
use super::faults::FaultSearch;
use super::replacer;
use crate::error::TooSmall;
use crate::kernel::Kernel;

/// U+FFFD.
const REPLACEMENT: &str = "\u{FFFD}";

/// Returns the length in bytes of the text that [`copy_utf8_lossy`] writes for `bytes`.
///
/// A length that does not fit into a `usize` is `usize::MAX`.
///
/// ```
/// assert_eq!(trust8::lossy_len("naïve".as_bytes()), 6);
/// assert_eq!(trust8::lossy_len(b"na\xEFve"), 7);
/// ```
#[inline]
#[must_use]
pub fn lossy_len(bytes: &[u8]) -> usize {
    Kernel::best().lossy_len(bytes)
}

/// Copies `src` to the start of `dst`, with each ill-formed sequence replaced by U+FFFD.
///
/// The text is that of `from_utf8_lossy` for every input. Three bytes for each byte of `src` are
/// always enough; [`lossy_len`] returns the exact length. Nothing is allocated.
///
/// # Errors
///
/// Returns an error if `dst` is too small. The contents of `dst` are then unspecified.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::{TooSmall, copy_utf8_lossy};
///
/// let mut buffer = [MaybeUninit::uninit(); 7];
/// assert_eq!(copy_utf8_lossy(b"na\xEFve", &mut buffer).unwrap(), "na\u{FFFD}ve");
/// assert_eq!(copy_utf8_lossy(b"na\xEFve\xFF", &mut buffer), Err(TooSmall { needed: 10, len: 7 }));
/// ```
#[inline]
pub fn copy_utf8_lossy<'d>(src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> Result<&'d mut str, TooSmall> {
    Kernel::best().copy_utf8_lossy(src, dst)
}

impl Kernel {
    /// Does the same as [`lossy_len`](crate::lossy_len), with this kernel.
    #[must_use]
    pub fn lossy_len(&self, bytes: &[u8]) -> usize {
        let (count, their_len) = count_ill_formed(FaultSearch::new(self, bytes));
        (bytes.len() - their_len).saturating_add(count.saturating_mul(REPLACEMENT.len()))
    }

    /// Does the same as [`copy_utf8_lossy`](crate::copy_utf8_lossy), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn copy_utf8_lossy<'d>(
        &self,
        src: &[u8],
        dst: &'d mut [MaybeUninit<u8>],
    ) -> Result<&'d mut str, TooSmall> {
        let len = dst.len();
        replacer::copy(self, src, dst).ok_or_else(|| TooSmall { needed: self.lossy_len(src), len })
    }
}

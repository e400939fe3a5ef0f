//! UTF-16 with its unpaired surrogates replaced.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

#[cfg(feature = "alloc")]
use super::form::Utf16;
use super::form::bytes_of_utf16_mut;
#[cfg(feature = "alloc")]
use super::validate::validate_with;
use crate::kernel::{Kernel, entries};

/// Replaces each unpaired surrogate by U+FFFD, where it stands.
///
/// The number of units stays the same. JavaScript's `toWellFormed` and simdutf's `to_well_formed_utf16` do the same.
///
/// ```
/// use trust8::transcode::make_well_formed;
///
/// let mut units = [0x41, 0xD83D, 0xDE00, 0xDC00, 0x42, 0xD800];
/// make_well_formed(&mut units);
/// assert_eq!(units, [0x41, 0xD83D, 0xDE00, 0xFFFD, 0x42, 0xFFFD]);
/// ```
pub fn make_well_formed(text: &mut [u16]) {
    make_well_formed_with(Kernel::best(), text);
}

/// Returns the text with each unpaired surrogate replaced by U+FFFD.
///
/// If the text is well-formed, it is borrowed and nothing is allocated. [`convert_into_lossy`](super::convert_into_lossy) from
/// [`Utf16`](super::Utf16) into itself copies the same text into a buffer.
///
/// ```
/// use std::borrow::Cow;
/// use trust8::transcode::to_well_formed;
///
/// assert!(matches!(to_well_formed(&[0xD83D, 0xDE00]), Cow::Borrowed(&[0xD83D, 0xDE00])));
/// assert_eq!(to_well_formed(&[0xDE00, 0xD83D]), [0xFFFD, 0xFFFD].as_slice());
/// ```
#[cfg(feature = "alloc")]
#[must_use]
pub fn to_well_formed(text: &[u16]) -> Cow<'_, [u16]> {
    to_well_formed_with(Kernel::best(), text)
}

// The same functions with a kernel, for tests and measurements.

pub(crate) fn make_well_formed_with(kernel: &Kernel, text: &mut [u16]) {
    entries::mend(kernel, bytes_of_utf16_mut(text));
}

#[cfg(feature = "alloc")]
pub(crate) fn to_well_formed_with<'a>(kernel: &'static Kernel, text: &'a [u16]) -> Cow<'a, [u16]> {
    let Err(error) = validate_with(kernel, Utf16, text) else { return Cow::Borrowed(text) };
    let mut copy = text.to_vec();
    make_well_formed_with(kernel, &mut copy[error.valid_up_to()..]);
    Cow::Owned(copy)
}

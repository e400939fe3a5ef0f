//! Replaces unpaired surrogates in UTF-16.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

use super::form::{Utf16, bytes_of_utf16_mut};
use crate::search::Mend;
use crate::{KernelForms, Source, validate};

/// From a fault on, this many units are mended without a search for the next fault.
const MENDED_UNITS: usize = 1024;

/// Replaces each unpaired surrogate by U+FFFD, in place.
///
/// The number of units stays the same. JavaScript's `toWellFormed` and simdutf's
/// `to_well_formed_utf16` do the same.
///
/// ```
/// use trust8_transcode::{Utf16, make_well_formed};
///
/// let mut units = [0x41, 0xD83D, 0xDE00, 0xDC00, 0x42, 0xD800];
/// make_well_formed(Utf16, &mut units);
/// assert_eq!(units, [0x41, 0xD83D, 0xDE00, 0xFFFD, 0x42, 0xFFFD]);
/// ```
#[inline]
pub fn make_well_formed(form: impl Source<Utf16>, text: &mut [u16]) {
    let (kernel, form) = form.kernel_and_form();
    let mut rest = text;
    while let Err(error) = validate(kernel.form(form), rest) {
        // More faults may be near.
        let mut end = rest.len().min(error.valid_up_to() + MENDED_UNITS);
        // A high surrogate may be half of a pair that the end would cut.
        if end < rest.len() && rest[end - 1] & 0xFC00 == 0xD800 {
            end -= 1;
        }
        let (part, after) = rest.split_at_mut(end);
        kernel.run(Mend, &[], (2, bytes_of_utf16_mut(&mut part[error.valid_up_to()..])));
        rest = after;
    }
}

/// Returns the text with each unpaired surrogate replaced by U+FFFD.
///
/// Well-formed text is borrowed and nothing is allocated. To write the same text into a buffer, use
/// [`convert_into_lossy`](super::convert_into_lossy) from [`Utf16`] into itself.
///
/// ```
/// use std::borrow::Cow;
/// use trust8_transcode::{Utf16, to_well_formed};
///
/// assert!(matches!(to_well_formed(Utf16, &[0xD83D, 0xDE00]), Cow::Borrowed(&[0xD83D, 0xDE00])));
/// assert_eq!(to_well_formed(Utf16, &[0xDE00, 0xD83D]), [0xFFFD, 0xFFFD].as_slice());
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_well_formed(form: impl Source<Utf16>, text: &[u16]) -> Cow<'_, [u16]> {
    let (kernel, form) = form.kernel_and_form();
    let Err(error) = validate(kernel.form(form), text) else { return Cow::Borrowed(text) };
    let mut copy = text.to_vec();
    make_well_formed(kernel.form(form), &mut copy[error.valid_up_to()..]);
    Cow::Owned(copy)
}

//! Replaces unpaired surrogates in UTF-16.

#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
use alloc::borrow::Cow;

use super::form::{Utf16, bytes_of_utf16_mut};
use trust8::Kernel;

use crate::search::Mend;
use crate::{KernelForms, With, validate};

/// From a fault on, this many units are mended without a search for the next fault.
const MENDED_UNITS: usize = 1024;

/// Replaces each unpaired surrogate by U+FFFD, in place.
///
/// The number of units stays the same. JavaScript's `toWellFormed` and simdutf's
/// `to_well_formed_utf16` do the same.
///
/// ```
/// use trust8_transcode::make_well_formed;
///
/// let mut units = [0x41, 0xD83D, 0xDE00, 0xDC00, 0x42, 0xD800];
/// make_well_formed(&mut units);
/// assert_eq!(units, [0x41, 0xD83D, 0xDE00, 0xFFFD, 0x42, 0xFFFD]);
/// ```
#[inline]
pub fn make_well_formed(text: &mut [u16]) {
    Kernel::best().form(Utf16).make_well_formed(text);
}

/// Returns the text with each unpaired surrogate replaced by U+FFFD.
///
/// Well-formed text is borrowed and nothing is allocated. To write the same text into a buffer, use
/// [`convert_into_lossy`](super::convert_into_lossy) from [`Utf16`](super::Utf16) into itself.
///
/// ```
/// use std::borrow::Cow;
/// use trust8_transcode::to_well_formed;
///
/// assert!(matches!(to_well_formed(&[0xD83D, 0xDE00]), Cow::Borrowed(&[0xD83D, 0xDE00])));
/// assert_eq!(to_well_formed(&[0xDE00, 0xD83D]), [0xFFFD, 0xFFFD].as_slice());
/// ```
#[cfg(feature = "alloc")]
#[must_use]
#[inline]
pub fn to_well_formed(text: &[u16]) -> Cow<'_, [u16]> {
    Kernel::best().form(Utf16).to_well_formed(text)
}

// The same functions with an explicit kernel, for tests and measurements.

impl With<Utf16> {
    /// Like [`make_well_formed`], with this kernel.
    #[inline]
    pub fn make_well_formed(self, text: &mut [u16]) {
        let mut rest = text;
        while let Err(error) = validate(self, rest) {
            // More faults may be near.
            let mut end = rest.len().min(error.valid_up_to() + MENDED_UNITS);
            // A high surrogate may be half of a pair that the end would cut.
            if end < rest.len() && rest[end - 1] & 0xFC00 == 0xD800 {
                end -= 1;
            }
            let (part, after) = rest.split_at_mut(end);
            self.0.run(Mend, &[], (2, bytes_of_utf16_mut(&mut part[error.valid_up_to()..])));
            rest = after;
        }
    }

    /// Like [`to_well_formed`], with this kernel.
    #[cfg(feature = "alloc")]
    #[must_use]
    #[inline]
    pub fn to_well_formed<'a>(self, text: &'a [u16]) -> Cow<'a, [u16]> {
        let Err(error) = validate(self, text) else { return Cow::Borrowed(text) };
        let mut copy = text.to_vec();
        self.make_well_formed(&mut copy[error.valid_up_to()..]);
        Cow::Owned(copy)
    }
}

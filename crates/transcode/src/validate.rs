//! Searches in text of one form: whether it is well-formed, ASCII or Latin-1, and where it stops
//! being so.

#![forbid(unsafe_code)]

use core::fmt;
use core::iter::FusedIterator;

use super::codec::{Next, Set};
use super::encodings::{Family, Layout};
use super::error::ConversionError;
use super::form::Form;
use crate::Source;
use trust8::Kernel;

/// Returns an error if the text is malformed.
///
/// The error is that of [`convert`](super::convert) into any encoding of Unicode.
///
/// # Errors
///
/// The first place at which the text is malformed, in units of the form.
///
/// ```
/// use trust8_transcode::{Encoding::*, ConversionErrorKind, Utf16, Utf32, validate};
///
/// assert_eq!(validate(Utf16, &[0x41, 0xD83D, 0xDE00]), Ok(()));
///
/// let error = validate(Utf16, &[0x41, 0xD83D, 0x42]).unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (1, ConversionErrorKind::LoneHigh(0xD83D)));
///
/// assert_eq!(validate(Utf16Be, b"\0a\xDC\0").unwrap_err().valid_up_to(), 2);
/// assert_eq!(validate(Utf32, &[0x10FFFF, 0x110000]).unwrap_err().valid_up_to(), 1);
/// ```
#[inline]
pub fn validate<F: Form>(form: impl Source<F>, text: &F::Text) -> Result<(), ConversionError> {
    let (kernel, layout, bytes) = parts(form, text);
    let at = well_formed_up_to(kernel, layout, bytes);
    if at == bytes.len() { Ok(()) } else { Err(error_at(layout, bytes, at, size_of::<F::Unit>())) }
}

/// Returns all malformed sequences of the text, in order.
///
/// In a lossy conversion into an encoding of Unicode, one character replaces each of them.
///
/// ```
/// use trust8_transcode::{Encoding::*, Utf16, errors_in};
///
/// let text = [0xDC00, 0x61, 0xD800, 0xD83D, 0xDE00, 0xD800];
/// let places: Vec<_> = errors_in(Utf16, &text).map(|error| (error.valid_up_to(), error.error_len())).collect();
/// assert_eq!(places, [(0, Some(1)), (2, Some(1)), (5, None)]);
/// assert_eq!(errors_in(Utf8, b"caf\xE9 \xFF").count(), 2);
/// ```
#[inline]
pub fn errors_in<F: Form>(form: impl Source<F>, text: &F::Text) -> ErrorsIn<'_> {
    let (kernel, layout, bytes) = parts(form, text);
    let utf8 = kernel.errors(if layout.family == Family::Utf8 { bytes } else { b"" });
    ErrorsIn { kernel, layout, unit: size_of::<F::Unit>(), bytes, at: 0, utf8 }
}

/// The malformed sequences of a text; see [`errors_in`].
#[derive(Clone)]
#[must_use = "iterators do nothing unless they are used"]
pub struct ErrorsIn<'a> {
    kernel: &'static Kernel,
    layout: Layout,
    unit: usize,
    bytes: &'a [u8],
    /// Everything before this has been searched.
    at: usize,
    /// The errors of UTF-8, whose search finds many at once. For other text, it has none.
    utf8: trust8::Errors<'a>,
}

impl Iterator for ErrorsIn<'_> {
    type Item = ConversionError;

    #[inline]
    fn next(&mut self) -> Option<ConversionError> {
        if self.layout.known_valid {
            return None;
        }
        let at = match self.layout.family {
            Family::Utf8 => self.utf8.next()?.valid_up_to(),
            _ => self.at + well_formed_up_to(self.kernel, self.layout, &self.bytes[self.at..]),
        };
        if at == self.bytes.len() {
            self.at = at;
            return None;
        }
        let error = error_at(self.layout, self.bytes, at, self.unit);
        self.at = error.error_len().map_or(self.bytes.len(), |len| at + len * self.unit);
        Some(error)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(if self.layout.known_valid { 0 } else { self.bytes.len() - self.at }))
    }
}

impl FusedIterator for ErrorsIn<'_> {}

/// Lists the errors that the iterator has not returned yet.
impl fmt::Debug for ErrorsIn<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Returns whether all characters of the text are ASCII.
///
/// ```
/// use trust8_transcode::{Encoding::*, Utf16, is_ascii_in};
///
/// assert!(is_ascii_in(Utf16, &[0x41, 0x7F]));
/// assert!(!is_ascii_in(Utf16, &[0x41, 0x80]));
/// assert!(is_ascii_in(Utf16Be, b"\0A"));
/// ```
#[inline]
#[must_use]
pub fn is_ascii_in<F: Form>(form: impl Source<F>, text: &F::Text) -> bool {
    ascii_up_to_in(form, text) == F::form_bytes(text).len() / size_of::<F::Unit>()
}

/// Returns the position of the first unit that is not ASCII, or the length of the text if all are.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, ascii_up_to_in};
///
/// assert_eq!(ascii_up_to_in(Utf16, &[0x6E, 0x61, 0xEF]), 2);
/// assert_eq!(ascii_up_to_in(Str, "naïve"), 2);
/// // For an encoding, the units are bytes.
/// assert_eq!(ascii_up_to_in(Utf16Le, b"n\0a\0\xEF\0"), 4);
/// ```
#[inline]
#[must_use]
pub fn ascii_up_to_in<F: Form>(form: impl Source<F>, text: &F::Text) -> usize {
    let (kernel, layout, bytes) = parts(form, text);
    layout.up_to(kernel, bytes, Set::Ascii) / size_of::<F::Unit>()
}

/// Returns the position of the first character that is malformed or outside ISO-8859-1 (U+0000 to
/// U+00FF), or the length of the text if there is none.
///
/// Everything before that position converts into [`Latin1`](super::Encoding::Latin1) without an
/// error.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, latin1_up_to};
///
/// assert_eq!(latin1_up_to(Str, "é 5 €"), 5);
/// assert_eq!(latin1_up_to(Utf16, &[0xE9, 0x100]), 1);
/// assert_eq!(latin1_up_to(Utf8, b"\xC3\xA9\xFF"), 2);
/// ```
#[inline]
#[must_use]
pub fn latin1_up_to<F: Form>(form: impl Source<F>, text: &F::Text) -> usize {
    let (kernel, layout, bytes) = parts(form, text);
    let at = match (layout.family, layout.up_to(kernel, bytes, Set::Latin1)) {
        (Family::Utf8, at) if !layout.known_valid => well_formed_up_to(kernel, layout, &bytes[..at]),
        (_, at) => at,
    };
    at / size_of::<F::Unit>()
}

/// Returns the kernel, and the layout and the bytes of the text.
#[inline(always)]
fn parts<F: Form>(form: impl Source<F>, text: &F::Text) -> (&'static Kernel, Layout, &[u8]) {
    let (kernel, form) = form.kernel_and_form();
    (kernel, form.form_layout(), F::form_bytes(text))
}

/// Returns the position of the first malformed sequence in bytes, or the length of the text.
#[inline(always)]
fn well_formed_up_to(kernel: &'static Kernel, layout: Layout, bytes: &[u8]) -> usize {
    if layout.known_valid { bytes.len() } else { layout.up_to(kernel, bytes, Set::Unicode) }
}

/// Returns the error of the malformed sequence at this position. `unit` is the number of bytes in a
/// unit of the form.
#[cold]
fn error_at(layout: Layout, bytes: &[u8], at: usize, unit: usize) -> ConversionError {
    match layout.next(&bytes[at..]) {
        Next::Malformed(fault, _) | Next::Cut(fault) => {
            ConversionError { valid_up_to: at / unit, fault, unit: unit as u8 }
        }
        Next::Char(..) => unreachable!("a kernel found this character malformed"),
    }
}

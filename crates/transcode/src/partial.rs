//! Conversions of as much of a text as fits into a buffer.

#![forbid(unsafe_code)]

use crate::Source;
use core::mem::MaybeUninit;

use super::error::{BufferError, ConversionError};
use super::form::Form;
use super::route::{End, Route};
use trust8::engine::{Output, Progress};

/// Converts as much of the text as fits into a buffer, and returns how much it has read and
/// written.
///
/// If the buffer is too small for the text, the output ends with a whole character, and the next
/// call continues with `&text[progress.read..]`. A [`Transcoder`](super::Transcoder) also accepts
/// text that arrives in pieces.
///
/// # Errors
///
/// [`BufferError::Invalid`] if the text is malformed and everything before that fits.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8_transcode::{Encoding::*, Progress, Utf16, convert_as_fits};
///
/// let text = "né 𝄞".as_bytes();
/// let mut buffer = [MaybeUninit::uninit(); 4];
/// // The last character has two units, and one is left.
/// let progress = convert_as_fits(Utf8, Utf16, text, &mut buffer).unwrap();
/// assert_eq!(progress, Progress { read: 4, written: 3 });
/// let progress = convert_as_fits(Utf8, Utf16, &text[progress.read..], &mut buffer).unwrap();
/// assert_eq!(progress, Progress { read: 4, written: 2 });
/// ```
#[inline]
pub fn convert_as_fits<F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
    buffer: &mut [MaybeUninit<T::Unit>],
) -> Result<Progress, BufferError> {
    let (progress, end) = run::<F, T>(Route::of(from, to, false), text, buffer);
    match end {
        End::All | End::Full => Ok(progress),
        End::Malformed(fault) | End::Cut(fault) => {
            let error =
                ConversionError { valid_up_to: progress.read, fault, unit: size_of::<F::Unit>() as u8 };
            Err(BufferError::Invalid { error, written: progress.written })
        }
    }
}

/// Like [`convert_as_fits`], but replaces what can't be converted.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8_transcode::{Encoding::*, Progress, Str, convert_as_fits_lossy};
///
/// let mut buffer = [MaybeUninit::uninit(); 6];
/// let progress = convert_as_fits_lossy(Utf8, Str, b"caf\xE9s", &mut buffer);
/// assert_eq!(progress, Progress { read: 4, written: 6 });
/// ```
#[inline]
pub fn convert_as_fits_lossy<F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
    buffer: &mut [MaybeUninit<T::Unit>],
) -> Progress {
    run::<F, T>(Route::of(from, to, true), text, buffer).0
}

#[inline(always)]
fn run<F: Form, T: Form>(
    route: Route,
    text: &F::Text,
    buffer: &mut [MaybeUninit<T::Unit>],
) -> (Progress, End) {
    let mut out = Output::new(T::form_room(buffer));
    let (read, end) = route.run_as_fits(F::form_bytes(text), &mut out);
    let written = out.len() / size_of::<T::Unit>();
    (Progress { read: read / size_of::<F::Unit>(), written }, end)
}

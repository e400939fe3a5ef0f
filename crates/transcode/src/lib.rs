//! Conversions between UTF-8, UTF-16, UTF-32 and Latin-1, with exact errors, or with U+FFFD in
//! place of malformed text.
//!
//! A function takes two forms and a text. [`convert`] makes a new `Vec` or `String`.
//! [`convert_into`] fills a buffer, which need not be initialised. With the form [`Str`], the input
//! is a `&str`, which is known to be valid and therefore faster to convert, and the output is a
//! `String`.
//!
//! ```
//! use trust8_transcode::{Encoding::*, ConversionErrorKind, Str, Utf16, convert, convert_lossy, len};
//!
//! assert_eq!(convert(Utf8, Utf16, b"\xE2\x82\xAC 5"), Ok(vec![0x20AC, 0x20, 0x35]));
//! assert_eq!(convert(Utf16, Str, &[0x20AC, 0x20, 0x35]), Ok("€ 5".to_owned()));
//! assert_eq!(convert(Str, Utf16Le, "€ 5"), Ok(b"\xAC\x20 \x005\x00".to_vec()));
//!
//! let error = convert(Utf16, Str, &[0x41, 0xD83D, 0x42]).unwrap_err();
//! assert_eq!((error.valid_up_to(), error.kind()), (1, ConversionErrorKind::LoneHigh(0xD83D)));
//! assert_eq!(convert_lossy(Utf16, Str, &[0x41, 0xD83D, 0x42]), "A\u{FFFD}B");
//!
//! assert_eq!(len(Str, Utf16, "𝄞"), 2);
//! ```
//!
//! | form | text | known to be well-formed |
//! |---|---|---|
//! | [`Str`] | `&str`, `String` | yes |
//! | [`Utf16`] | `&[u16]`, `Vec<u16>` | |
//! | [`Utf32`] | `&[u32]`, `Vec<u32>` | |
//! | [`Chars`] | `&[char]`, `Vec<char>` | yes |
//! | [`Encoding::Utf8`] | `&[u8]`, `Vec<u8>` | |
//! | [`Encoding::Utf16Le`], [`Encoding::Utf16Be`] | the same | |
//! | [`Encoding::Utf32Le`], [`Encoding::Utf32Be`] | the same | |
//! | [`Encoding::Latin1`] | the same | all bytes are characters |
//!
//! A [`Transcoder`] converts text that arrives in pieces, which may end anywhere. [`validate`]
//! checks text in one form, and [`errors_in`] lists all its errors. [`ascii_up_to_in`] and
//! [`latin1_up_to`] find the first character outside ASCII or Latin-1. [`append`] converts to the end
//! of a `Vec` or `String`.
//!
//! # What is replaced
//!
//! The lossy functions put U+FFFD in place of malformed sequences, like
//! [`String::from_utf8_lossy`], [`String::from_utf16_lossy`] and the decoders of the WHATWG's
//! Encoding Standard. One U+FFFD replaces each of these:
//!
//! - a maximal subpart of UTF-8
//! - half of a surrogate pair without the other half
//! - a number in UTF-32 that is not a character
//! - a character that the end of the text cuts off
//!
//! Latin-1 lacks U+FFFD. Into Latin-1, `?` replaces malformed sequences and each character above
//! U+00FF.
//!
//! [`String::from_utf8_lossy`]: https://doc.rust-lang.org/std/string/struct.String.html#method.from_utf8_lossy
//! [`String::from_utf16_lossy`]: https://doc.rust-lang.org/std/string/struct.String.html#method.from_utf16_lossy
//!
//! # From `encoding_rs::mem`
//!
//! The buffer may be uninitialised, and needs only the length that [`len`] returns. The functions
//! return what they wrote as a slice.
//!
//! ```
//! # #[cfg(feature = "alloc")] {
//! use std::mem::MaybeUninit;
//! use trust8_transcode::{Encoding, Str, Utf16, convert, convert_into_lossy, convert_lossy};
//!
//! let bytes = b"na\xEFve";
//! // Before.
//! let mut buffer = [0; 6];
//! let len = encoding_rs::mem::convert_utf8_to_utf16(bytes, &mut buffer);
//! let units = &buffer[..len];
//! let valid_up_to = encoding_rs::Encoding::utf8_valid_up_to(bytes);
//! let text = encoding_rs::mem::decode_latin1(bytes);
//! # let before = (units, valid_up_to, text.into_owned());
//!
//! // After.
//! let mut buffer = [MaybeUninit::uninit(); 5];
//! let units: &[u16] = convert_into_lossy(Encoding::Utf8, Utf16, bytes, &mut buffer).unwrap();
//! let valid_up_to = trust8::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
//! let text = convert_lossy(Encoding::Latin1, Str, bytes);
//! # assert_eq!((units, valid_up_to, text), before);
//! # }
//! ```
//!
//! | `encoding_rs` | here |
//! |---|---|
//! | `Encoding::ascii_valid_up_to`, `mem::is_ascii` | [`trust8_counts::ascii_up_to`], [`trust8_counts::is_ascii`] |
//! | `mem::is_basic_latin` | `is_ascii_in(Utf16, units)` |
//! | `mem::utf16_valid_up_to` | [`validate`], and [`valid_up_to`](ConversionError::valid_up_to) of its error |
//! | `mem::ensure_utf16_validity` | [`make_well_formed`] |
//! | `mem::str_latin1_up_to`, `mem::utf8_latin1_up_to` | [`latin1_up_to`] |
//!
//! This crate has no equivalent for that crate's other encodings or for right-to-left text.

#![cfg_attr(not(test), no_std)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(feature = "alloc")]
mod append;
mod codec;
mod conversion;
mod count;
mod encodings;
mod error;
mod form;
#[doc(hidden)]
pub mod handlers;
mod len_lossy;
mod lengths;
mod pairs;
mod partial;
mod portable;
mod repaired;
mod route;
mod scalar;
mod search;
#[cfg(feature = "serde")]
mod serialize;
#[cfg(trust8_simd)]
mod simd;
mod swapped;
mod transcoder;
mod validate;
#[cfg(trust8_simd)]
mod vector;
mod well_formed;

use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
pub use append::append;
pub use encodings::Encoding;
pub use error::{BufferError, ConversionError, ConversionErrorKind, TranscoderError};
pub use form::{Chars, Form, Str, Utf16, Utf32};
pub use len_lossy::len_lossy;
pub use partial::{convert_as_fits, convert_as_fits_lossy};
pub use transcoder::Transcoder;
pub use trust8::engine::Progress;
pub use validate::{ErrorsIn, ascii_up_to_in, errors_in, is_ascii_in, latin1_up_to, validate};
pub use well_formed::make_well_formed;
#[cfg(feature = "alloc")]
pub use well_formed::to_well_formed;

use route::{End, Route};
use trust8::engine::{AsKernel, Output};
use trust8::{Kernel, TooSmall};

/// Forms with a kernel: for tests, measurements, and programs that let their user choose.
///
/// Every function with a form of the input takes a [`form`](Self::form) of a kernel, and so does a
/// [`Transcoder`].
///
/// ```
/// use trust8_transcode::{KernelForms, Str, Utf16, len};
///
/// for kernel in trust8::Kernel::available() {
///     assert_eq!(len(kernel.form(Str), Utf16, "naïve"), 5);
/// }
/// ```
pub trait KernelForms: AsKernel {
    /// Returns a form of the input with which a function uses this kernel.
    #[inline(always)]
    #[must_use]
    fn form<F: Form>(&'static self, form: F) -> FormWith<F> {
        FormWith(self.kernel(), form)
    }
}

impl KernelForms for Kernel {}

/// A form of the input, and a kernel: see [`KernelForms::form`].
#[derive(Clone, Copy, Debug)]
pub struct FormWith<F>(&'static Kernel, F);

/// The form of the input: a [`Form`], or one [of a kernel](KernelForms::form).
pub trait Source<F> {
    /// Returns the kernel and the form.
    #[doc(hidden)]
    fn kernel_and_form(self) -> (&'static Kernel, F);
}

impl<F: Form> Source<F> for F {
    #[inline(always)]
    fn kernel_and_form(self) -> (&'static Kernel, F) {
        (Kernel::best(), self)
    }
}

impl<F: Form> Source<F> for FormWith<F> {
    #[inline(always)]
    fn kernel_and_form(self) -> (&'static Kernel, F) {
        (self.0, self.1)
    }
}

/// Converts text into a new `Vec` or `String`.
///
/// # Errors
///
/// The first place at which the text is malformed or has a character that the target encoding
/// lacks.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, convert};
///
/// assert_eq!(convert(Latin1, Str, b"na\xEFve"), Ok("naïve".to_owned()));
/// assert_eq!(convert(Utf8, Utf16, b"na\xEFve").unwrap_err().valid_up_to(), 2);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn convert<F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
) -> Result<T::Owned, ConversionError> {
    let mut owned = T::Owned::default();
    append(from, to, text, &mut owned)?;
    Ok(owned)
}

/// Converts text into a new `Vec` or `String`, and replaces what can't be converted.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, convert_lossy};
///
/// assert_eq!(convert_lossy(Utf8, Str, b"na\xEFve"), "na\u{FFFD}ve");
/// assert_eq!(convert_lossy(Utf16, Str, &[0xDC00, 0x41]), "\u{FFFD}A");
/// assert_eq!(convert_lossy(Str, Latin1, "5 €"), b"5 ?");
/// ```
#[cfg(feature = "alloc")]
#[inline]
#[must_use]
pub fn convert_lossy<F: Form, T: Form>(from: impl Source<F>, to: T, text: &F::Text) -> T::Owned {
    let mut owned = T::Owned::default();
    append::append_converted::<T>(Route::of(from, to, true), F::form_bytes(text), &mut owned);
    owned
}

/// Converts text into a buffer and returns the part that it wrote.
///
/// The text is written to the start of the buffer. The rest of the buffer is unspecified. [`len`]
/// returns the length that the buffer needs. An upper bound is cheaper. UTF-8 needs at most three
/// bytes for each unit of UTF-16. UTF-16 and UTF-32 need at most one unit for each byte of UTF-8.
///
/// # Errors
///
/// - [`BufferError::Invalid`] if the text is malformed or has a character that the target encoding
///   lacks.
/// - [`BufferError::TooSmall`] if only the buffer is too small. It contains the length needed.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::TooSmall;
/// use trust8_transcode::{BufferError, Encoding::*, Str, Utf16, convert_into};
///
/// let mut buffer = [MaybeUninit::uninit(); 8];
/// assert_eq!(convert_into(Utf8, Utf16, b"\xC3\xA9t\xC3\xA9", &mut buffer).unwrap(), &[0xE9, 0x74, 0xE9]);
/// assert_eq!(
///     convert_into(Utf8, Utf16, b"too long for it", &mut buffer),
///     Err(BufferError::TooSmall(TooSmall { needed: 15, len: 8 }))
/// );
/// ```
///
/// Into the spare capacity of a `Vec`, or any other memory:
///
/// ```
/// use trust8_transcode::{Str, Utf16, convert_into, len};
///
/// let mut units: Vec<u16> = Vec::with_capacity(100);
/// let written = convert_into(Str, Utf16, "κόσμε", units.spare_capacity_mut()).unwrap().len();
/// // SAFETY: `convert_into` has written `written` units.
/// unsafe { units.set_len(written) };
/// assert_eq!(written, len(Str, Utf16, "κόσμε"));
/// ```
#[inline(always)]
pub fn convert_into<'b, F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    into::<F, T>(Route::of(from, to, false), F::form_bytes(text), buffer)
}

/// Converts text into a buffer, replaces what can't be converted, and returns the part that it
/// wrote.
///
/// # Errors
///
/// [`BufferError::TooSmall`] if the buffer is too small. It contains the length needed.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::TooSmall;
/// use trust8_transcode::{BufferError, Encoding::*, Str, convert_into_lossy};
///
/// let mut buffer = [MaybeUninit::uninit(); 4];
/// assert_eq!(convert_into_lossy(Utf8, Str, b"a\xFF", &mut buffer).unwrap(), "a\u{FFFD}");
/// assert_eq!(
///     convert_into_lossy(Utf8, Str, b"a\xFF\xFE", &mut buffer),
///     Err(BufferError::TooSmall(TooSmall { needed: 7, len: 4 }))
/// );
/// ```
#[inline(always)]
pub fn convert_into_lossy<'b, F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    into::<F, T>(Route::of(from, to, true), F::form_bytes(text), buffer)
}

/// Returns the number of units that the text has in another form.
///
/// The number is exact for every text that [`convert`] converts. For other text it is at least the
/// length of what comes before the error, and otherwise unspecified. [`len_lossy`] returns the
/// output length of [`convert_lossy`].
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, Utf32, len};
///
/// assert_eq!(len(Utf8, Utf16, "aé€𝄞".as_bytes()), 5);
/// assert_eq!(len(Str, Utf32, "aé€𝄞"), 4);
/// assert_eq!(len(Utf16, Utf8, &[0x61, 0xE9, 0x20AC, 0xD834, 0xDD1E]), 10);
/// assert_eq!(len(Str, Latin1, "é"), 1);
/// // For an encoding, the units are bytes.
/// assert_eq!(len(Str, Utf16Le, "é"), 2);
/// ```
#[inline]
#[must_use]
pub fn len<F: Form, T: Form>(from: impl Source<F>, to: T, text: &F::Text) -> usize {
    Route::of(from, to, false).length_in::<T>(F::form_bytes(text))
}

/// Returns whether all characters of `text` are in ISO-8859-1: U+0000 to U+00FF.
///
/// If so, `convert(Str, Latin1, text)` succeeds.
///
/// ```
/// use trust8_transcode::is_latin1;
///
/// assert!(is_latin1("naïve ÿ"));
/// assert!(!is_latin1("5 €"));
/// ```
#[must_use]
pub fn is_latin1(text: &str) -> bool {
    search::search!(Kernel::best(), text.as_bytes(), search::AboveLatin1) == text.len()
}

impl Route {
    #[inline(always)]
    fn of<F: Form>(from: impl Source<F>, to: impl Form, lossy: bool) -> Self {
        let (kernel, from) = from.kernel_and_form();
        Self { kernel, from: from.form_layout(), to: to.form_layout(), lossy }
    }

    /// Returns the number of `T`'s units in the output, if the text is well-formed.
    fn length_in<T: Form>(&self, text: &[u8]) -> usize {
        // A length that does not fit into a `usize` does not fit into memory either.
        self.length(text).saturating_mul(self.to.family.unit() / size_of::<T::Unit>())
    }

    /// Returns why a text does not go into a buffer of `len` units. The route stopped at byte `at`,
    /// after writing `written` bytes. `units` are the unit sizes in bytes.
    #[inline(never)]
    fn refused(
        self,
        (from, to): (usize, usize),
        (text, at, end): (&[u8], usize, End),
        (written, len): (usize, usize),
    ) -> BufferError {
        let needed = match end {
            End::All => Ok(0),
            End::Malformed(fault) | End::Cut(fault) => Err((0, fault)),
            End::Full => self.needed(&text[at..]),
        };
        match needed {
            Ok(more) => BufferError::TooSmall(TooSmall { needed: written.saturating_add(more) / to, len }),
            Err((more, fault)) => {
                let error = ConversionError { valid_up_to: (at + more) / from, fault, unit: from as u8 };
                BufferError::Invalid { error, written: written / to }
            }
        }
    }

    /// Returns how many more units to reserve for replacements, which lengths do not count. An
    /// extra eighth is enough for a text with a few faults.
    #[cfg(feature = "alloc")]
    fn slack(&self, text: &[u8]) -> usize {
        if self.lossy && self.to.family == encodings::Family::Utf8 { text.len() / 8 + 256 } else { 0 }
    }
}

/// Converts a text into a buffer.
///
/// This is compiled where the caller's forms are known, so it contains only the common case.
#[inline(always)]
fn into<'b, F: Form, T: Form>(
    route: Route,
    text: &[u8],
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    let len = buffer.len();
    let mut out = Output::new(T::form_room(buffer));
    let (at, end) = route.run_to_end(text, &mut out);
    let written = out.len();
    if !matches!(end, End::All) {
        let units = (size_of::<F::Unit>(), size_of::<T::Unit>());
        return Err(route.refused(units, (text, at, end), (written, len)));
    }
    let bytes = out.finish();
    // SAFETY: the bytes are the start of the buffer, and the route appends nothing but text in this
    // form.
    Ok(unsafe { T::form_text(bytes) })
}

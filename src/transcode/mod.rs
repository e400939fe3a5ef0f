//! Text from one form into another: UTF-8, UTF-16, UTF-32, Latin-1; exact errors, or U+FFFD in their place.
//!
//! Two forms and a text: [`convert`] makes a new `Vec` or `String`, [`convert_into`] fills a buffer, which need
//! not be initialised. With [`Str`] for a form, the text is a `&str`, known to be valid and therefore faster
//! to convert, or becomes a `String`.
//!
//! ```
//! use trust8::transcode::{Chars, Encoding::*, Kind, Str, Utf16, Utf32, convert, convert_lossy, len};
//!
//! assert_eq!(convert(Utf8, Utf16, b"\xE2\x82\xAC 5"), Ok(vec![0x20AC, 0x20, 0x35]));
//! assert_eq!(convert(Utf16, Str, &[0x20AC, 0x20, 0x35]), Ok("€ 5".to_owned()));
//! assert_eq!(convert(Str, Utf16Le, "€ 5"), Ok(b"\xAC\x20 \x005\x00".to_vec()));
//!
//! let error = convert(Utf16, Str, &[0x41, 0xD83D, 0x42]).unwrap_err();
//! assert_eq!((error.position(), error.kind()), (1, Kind::LoneHigh(0xD83D)));
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
//! | [`Encoding::Latin1`] | the same | every byte is a character |
//!
//! Text that arrives in pieces goes through a [`Transcoder`], which keeps what a piece cuts off.
//!
//! # What is replaced
//!
//! The lossy functions put U+FFFD in place of what is malformed, as [`String::from_utf8_lossy`],
//! [`String::from_utf16_lossy`] and the decoders of the WHATWG's Encoding Standard do: one for each maximal
//! subpart of UTF-8, for each half of a surrogate pair without the other, for each unit of UTF-32 that is no
//! character, and for whatever the end of the text cuts off. Latin-1 has no U+FFFD; into Latin-1, `?`
//! stands for that and for each character above U+00FF.
//!
//! [`String::from_utf8_lossy`]: https://doc.rust-lang.org/std/string/struct.String.html#method.from_utf8_lossy
//! [`String::from_utf16_lossy`]: https://doc.rust-lang.org/std/string/struct.String.html#method.from_utf16_lossy

mod error;
mod form;
#[cfg(kernel_simd)]
mod latin1;
mod length;
mod plain;
mod route;
mod routines;
mod scalar;
mod stream;
#[cfg(kernel_simd)]
mod vector;
#[cfg(kernel_simd)]
mod vector32;

use core::mem::MaybeUninit;

pub use error::{BufferError, Error, Kind, StreamError};
pub use form::{Chars, Encoding, Form, Str, Utf16, Utf32};
pub use stream::{Progress, Transcoder};

use crate::error::TooSmall;
use crate::kernel::Kernel;
use crate::output::Output;
use route::{End, Route};

/// Converts text into a new `Vec`, or into a `String`.
///
/// # Errors
///
/// The first place at which it is malformed, or has a character that Latin-1 has not got.
///
/// ```
/// use trust8::transcode::{Encoding::*, Str, Utf16, convert};
///
/// assert_eq!(convert(Latin1, Str, b"na\xEFve"), Ok("naïve".to_owned()));
/// assert_eq!(convert(Utf8, Utf16, b"na\xEFve").unwrap_err().position(), 2);
/// ```
#[cfg(feature = "alloc")]
#[inline]
pub fn convert<F: Form, T: Form>(from: F, to: T, text: &F::Text) -> Result<T::Owned, Error> {
    convert_with(Kernel::best(), from, to, text)
}

/// Converts text into a new `Vec`, or into a `String`, with replacements for what can't be converted.
///
/// ```
/// use trust8::transcode::{Encoding::*, Str, Utf16, convert_lossy};
///
/// assert_eq!(convert_lossy(Utf8, Str, b"na\xEFve"), "na\u{FFFD}ve");
/// assert_eq!(convert_lossy(Utf16, Str, &[0xDC00, 0x41]), "\u{FFFD}A");
/// assert_eq!(convert_lossy(Str, Latin1, "5 €"), b"5 ?");
/// ```
#[cfg(feature = "alloc")]
#[inline]
#[must_use]
pub fn convert_lossy<F: Form, T: Form>(from: F, to: T, text: &F::Text) -> T::Owned {
    convert_lossy_with(Kernel::best(), from, to, text)
}

/// Converts text into a buffer, and returns what it has written.
///
/// The text is written to the start of the buffer; what lies behind it in the buffer has no meaning then. [`len`]
/// says how long a buffer must be. Long enough in any case: as many units as the text has, three
/// for each unit of UTF-16 that becomes UTF-8, and so on.
///
/// # Errors
///
/// - [`BufferError::Invalid`] where the text is malformed, or has a character that Latin-1 has not got.
/// - [`BufferError::TooSmall`], if there is no such place, and the buffer is too short; it says which length
///   is needed.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::TooSmall;
/// use trust8::transcode::{BufferError, Encoding::*, Str, Utf16, convert_into};
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
/// use trust8::transcode::{Str, Utf16, convert_into, len};
///
/// let mut units: Vec<u16> = Vec::with_capacity(100);
/// let written = convert_into(Str, Utf16, "κόσμε", units.spare_capacity_mut()).unwrap().len();
/// // SAFETY: `convert_into` has written as many units.
/// unsafe { units.set_len(written) };
/// assert_eq!(written, len(Str, Utf16, "κόσμε"));
/// ```
#[inline]
pub fn convert_into<'b, F: Form, T: Form>(
    from: F,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    convert_into_with(Kernel::best(), from, to, text, buffer)
}

/// Converts text into a buffer, with replacements for what can't be converted, and returns what it has written.
///
/// # Errors
///
/// [`BufferError::TooSmall`] if the buffer is too short; it says which length is needed.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::TooSmall;
/// use trust8::transcode::{BufferError, Encoding::*, Str, convert_into_lossy};
///
/// let mut buffer = [MaybeUninit::uninit(); 4];
/// assert_eq!(convert_into_lossy(Utf8, Str, b"a\xFF", &mut buffer).unwrap(), "a\u{FFFD}");
/// assert_eq!(
///     convert_into_lossy(Utf8, Str, b"a\xFF\xFE", &mut buffer),
///     Err(BufferError::TooSmall(TooSmall { needed: 7, len: 4 }))
/// );
/// ```
#[inline]
pub fn convert_into_lossy<'b, F: Form, T: Form>(
    from: F,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    convert_into_lossy_with(Kernel::best(), from, to, text, buffer)
}

/// How many units the text has in another form.
///
/// Exact for every text that [`convert`] converts. For any other it is what its units would take if they were part
/// of one that is: a number without much meaning, but at least what the text before the error takes.
///
/// ```
/// use trust8::transcode::{Encoding::*, Str, Utf16, Utf32, len};
///
/// assert_eq!(len(Utf8, Utf16, "aé€𝄞".as_bytes()), 5);
/// assert_eq!(len(Str, Utf32, "aé€𝄞"), 4);
/// assert_eq!(len(Utf16, Utf8, &[0x61, 0xE9, 0x20AC, 0xD834, 0xDD1E]), 10);
/// assert_eq!(len(Str, Latin1, "é"), 1);
/// // Of bytes, for an encoding.
/// assert_eq!(len(Str, Utf16Le, "é"), 2);
/// ```
#[inline]
#[must_use]
pub fn len<F: Form, T: Form>(from: F, to: T, text: &F::Text) -> usize {
    len_with(Kernel::best(), from, to, text)
}

// The same with a kernel, for tests and measurements.

#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn convert_with<F: Form, T: Form>(
    kernel: &'static Kernel,
    from: F,
    to: T,
    text: &F::Text,
) -> Result<T::Owned, Error> {
    let route = Route { kernel, from: from.layout(), to: to.layout(), lossy: false };
    let (owned, (at, end)) = owned::<T>(route, F::bytes(text));
    match end {
        End::All | End::Full => Ok(owned),
        End::Malformed(fault) | End::Cut(fault) => Err(Error { position: at / size_of::<F::Unit>(), fault }),
    }
}

#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn convert_lossy_with<F: Form, T: Form>(
    kernel: &'static Kernel,
    from: F,
    to: T,
    text: &F::Text,
) -> T::Owned {
    let route = Route { kernel, from: from.layout(), to: to.layout(), lossy: true };
    owned::<T>(route, F::bytes(text)).0
}

#[inline]
pub(crate) fn convert_into_with<'b, F: Form, T: Form>(
    kernel: &'static Kernel,
    from: F,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    let route = Route { kernel, from: from.layout(), to: to.layout(), lossy: false };
    into::<F, T>(route, F::bytes(text), buffer)
}

#[inline]
pub(crate) fn convert_into_lossy_with<'b, F: Form, T: Form>(
    kernel: &'static Kernel,
    from: F,
    to: T,
    text: &F::Text,
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    let route = Route { kernel, from: from.layout(), to: to.layout(), lossy: true };
    into::<F, T>(route, F::bytes(text), buffer)
}

#[inline]
pub(crate) fn len_with<F: Form, T: Form>(kernel: &'static Kernel, from: F, to: T, text: &F::Text) -> usize {
    let route = Route { kernel, from: from.layout(), to: to.layout(), lossy: false };
    route.length_in::<T>(F::bytes(text))
}

impl Route {
    /// How many of the target's units in the interface the text will be, if it is well-formed.
    fn length_in<T: Form>(&self, text: &[u8]) -> usize {
        // Memory for more than this there is none.
        self.length(text).saturating_mul(self.to.family.unit() / size_of::<T::Unit>())
    }
}

fn into<'b, F: Form, T: Form>(
    route: Route,
    text: &[u8],
    buffer: &'b mut [MaybeUninit<T::Unit>],
) -> Result<&'b mut T::Text, BufferError> {
    let len = buffer.len();
    let mut out = Output::new(T::room(buffer));
    let (at, end) = route.run_to_end(text, &mut out);
    let written = out.len();
    let fault = match end {
        End::All => {
            let bytes = out.finish();
            // SAFETY: they are the start of the buffer, and the route appends nothing but text in this form.
            return Ok(unsafe { T::text(bytes) });
        }
        End::Malformed(fault) | End::Cut(fault) => Err((0, fault)),
        End::Full => route.needed(&text[at..]),
    };
    let unit = size_of::<T::Unit>();
    Err(match fault {
        Ok(more) => BufferError::TooSmall(TooSmall { needed: written.saturating_add(more) / unit, len }),
        Err((behind, fault)) => {
            let error = Error { position: (at + behind) / size_of::<F::Unit>(), fault };
            BufferError::Invalid { error, written: written / unit }
        }
    })
}

/// Converts a text into an allocation of its own, and says where and how that ended.
#[cfg(feature = "alloc")]
fn owned<T: Form>(route: Route, text: &[u8]) -> (T::Owned, (usize, End)) {
    let mut owned = T::Owned::default();
    let mut at = 0;
    let mut ended = End::All;
    append::<T>(&mut owned, route.length_in::<T>(text), |out| {
        let (read, end) = route.run_to_end(&text[at..], out);
        at += read;
        ended = end;
        matches!(end, End::Full).then(|| route.length_in::<T>(&text[at..]))
    });
    (owned, (at, ended))
}

/// Appends what `run` writes to owned text, again and again while it says that so many more units are wanted.
#[cfg(feature = "alloc")]
fn append<T: Form>(
    owned: &mut T::Owned,
    wanted: usize,
    mut run: impl FnMut(&mut Output<'_>) -> Option<usize>,
) {
    // SAFETY: the length grows only by what a route has written, which is whole characters in this form; should
    // `run` or `reserve` panic, nothing partial is counted.
    let units = unsafe { T::units(owned) };
    units.reserve(wanted);
    loop {
        let mut out = Output::new(T::room(units.spare_capacity_mut()));
        let more = run(&mut out);
        let written = out.len() / size_of::<T::Unit>();
        let len = units.len() + written;
        // SAFETY: `out` began at the old length, in the spare capacity, and its first `written` units have been
        // written; so they are within the capacity, and initialised.
        unsafe { units.set_len(len) };
        match more {
            None => return,
            // A character more, so that there is progress: lengths do not count replacements. (Capacity is
            // doubled at least, so there are few turns.)
            Some(more) => units.reserve(more.saturating_add(CHARACTER)),
        }
    }
}

/// The most units that one character takes.
#[cfg(feature = "alloc")]
const CHARACTER: usize = 4;

//! Untrusted bytes into `&str`, or into an exact error.
//!
//! trust8 decides whether bytes are UTF-8, as [RFC 3629] defines it, with the widest vectors that
//! the CPU has, and says exactly what is wrong where they are not.
//!
//! ```
//! use trust8::{ErrorKind, from_utf8};
//!
//! assert_eq!(from_utf8(b"\x41\xE2\x89\xA2\xCE\x91\x2E"), Ok("A≢Α."));
//!
//! let error = from_utf8(b"/srv/\xC0\xAE\xC0\xAE/passwd").unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Overlong);
//! assert_eq!((error.valid_up_to(), error.error_len()), (5, Some(1)));
//! ```
//!
//! # What there is
//!
//! | | |
//! |---|---|
//! | [`from_utf8`], [`from_utf8_mut`], [`string_from_utf8`], [`is_utf8`] | the standard library's functions, faster, with an error that says why |
//! | [`Utf8Error`], [`ErrorKind`] | where, how long, and which rule of the RFC |
//! | `from_utf8_lossy`, `from_utf8_lossy_owned`, `lossy_into` | text with U+FFFD for what is none |
//! | [`utf8_chunks`], [`errors`] | what is text and what is not, in turn; every error there is |
//! | `par_from_utf8`, `par_inspect` | on all cores, with the feature `rayon` |
//! | [`Validator`], [`stream`] | the same for what arrives in pieces, refused at the first bad byte |
//! | [`io`], [`fs`] | readers and writers that let only UTF-8 through; `read_to_string` at the speed of reading |
//! | [`copy_utf8`] | validates and copies in one pass |
//! | [`transcode`] | UTF-8, UTF-16, UTF-32 and Latin-1 into each other, with exact errors or U+FFFD for them |
//! | `tokio` | with the feature of that name: an `AsyncRead` adapter and codecs that yield strings and lines |
//! | [`decode`], [`encode_scalar`] | characters one by one, with errors in between |
//! | [`dialect`] | CESU-8, Modified UTF-8, WTF-8, and UTF-8 as RFC 2279 had it: named, checked, converted |
//! | [`Bom`], [`strip_bom`], [`is_utf8_label`] | signatures and names of encodings |
//! | [`inspect`](inspect()), [`Summary`] | validates and counts characters, UTF-16 units and newlines in the same pass |
//! | [`count_chars`], [`utf16_len`], [`locate`] | counts of text that is valid already; line and column of a byte |
//! | [`columns`] | all strings of a column at once: Arrow's offsets and views, or slices |
//! | [`Kernel`] | one implementation for each instruction set, for tests and measurements |
//! | [`basic`], [`compat`] | the names and types of the crate simdutf8 |
//!
//! # Features
//!
//! - `std` (on by default) implies `alloc`: `io` and `fs`.
//! - `alloc`: `String` out of a `Vec`, with `string_from_utf8` and `FromUtf8Error`; lossy text; conversions
//!   between dialects.
//! - `rayon` implies `std`: `par_from_utf8` and `par_inspect`, on all cores.
//! - `memchr`: [`locate`] looks for newlines with the crate of that name.
//! - `tokio` implies `std`: the module of that name, with tokio and tokio-util.
//!
//! SIMD needs neither: without `std`, the CPU is asked all the same.
//!
//! [RFC 3629]: https://www.rfc-editor.org/rfc/rfc3629

#![cfg_attr(not(test), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod boundary;
mod error;
mod output;

mod kernel;
#[cfg(kernel_simd)]
mod simd;

#[cfg(feature = "dialect")]
pub mod dialect;
#[cfg(feature = "std")]
pub mod io;
mod repair;
mod simdutf8;
pub mod stream;
#[doc(hidden)]
pub mod testing;
mod text;
#[cfg(feature = "transcode")]
pub mod transcode;

pub use error::{ErrorKind, TooSmall, Utf8Error};
#[cfg(feature = "std")]
pub use io::fs;
#[cfg(feature = "tokio")]
pub use io::tokio;
pub use kernel::Kernel;
pub use repair::{Errors, Utf8Chunk, Utf8Chunks, errors, utf8_chunks};
#[cfg(feature = "alloc")]
pub use repair::{from_utf8_lossy, from_utf8_lossy_owned, lossy_into};
pub use simdutf8::{basic, compat};
pub use stream::Validator;
pub use text::bom::{Bom, Label, is_utf8_label, strip_bom};
pub use text::characters::{Decode, EncodeError, decode, encode_scalar};
pub use text::columns;
pub use text::copy::{CopyError, copy_utf8};
pub use text::inspect::{Summary, count_chars, inspect, utf16_len};
pub use text::locate::{Location, locate};
#[cfg(feature = "rayon")]
pub use text::parallel::{par_from_utf8, par_inspect};
#[cfg(feature = "alloc")]
pub use text::string::{FromUtf8Error, string_from_utf8};

/// Whether the bytes are UTF-8.
///
/// ```
/// assert!(trust8::is_utf8("Ελλάδα".as_bytes()));
/// assert!(!trust8::is_utf8(b"\xF5\x80\x80\x80"));
/// assert!(trust8::is_utf8(b""));
/// ```
#[inline]
#[must_use]
pub fn is_utf8(bytes: &[u8]) -> bool {
    kernel::validate(bytes).is_valid()
}

/// The bytes as text, if they are UTF-8.
///
/// What [`core::str::from_utf8`] does, with the same answer for every input.
///
/// # Errors
///
/// The first place at which they are not UTF-8.
///
/// ```
/// use trust8::{ErrorKind, from_utf8};
///
/// assert_eq!(from_utf8(b"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4"), Ok("한국어"));
///
/// let error = from_utf8(b"abc\xED\xA0\x80").unwrap_err();
/// assert_eq!((error.valid_up_to(), error.kind()), (3, ErrorKind::Surrogate));
/// ```
#[inline]
pub fn from_utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    kernel::text(bytes, kernel::validate(bytes))
}

/// The bytes as mutable text, if they are UTF-8.
///
/// # Errors
///
/// The first place at which they are not UTF-8.
///
/// ```
/// let mut bytes = *b"stra\xC3\x9Fe";
/// trust8::from_utf8_mut(&mut bytes).unwrap().make_ascii_uppercase();
/// assert_eq!(trust8::from_utf8(&bytes), Ok("STRAßE"));
/// assert!(trust8::from_utf8_mut(&mut [0x80]).is_err());
/// ```
#[inline]
pub fn from_utf8_mut(bytes: &mut [u8]) -> Result<&mut str, Utf8Error> {
    let verdict = kernel::validate(bytes);
    kernel::text_mut(bytes, verdict)
}

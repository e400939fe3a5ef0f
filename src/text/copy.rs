//! Validating and copying in one pass over memory.
//!
//! Text that is not in the cache is read twice where it is validated first and copied then, and
//! reading is what takes the time. Here a piece is validated, which brings it into the cache, and
//! copied from there:
//!
//! ```text
//! for each piece of 16 KiB, by the destination's address:
//!     validate it, as a stream: it may end inside a character
//!     copy it
//! ```
//!
//! The border between pieces is an aligned place of the destination, not the border of a
//! character: `memcpy` to a place that is not aligned costs a fifth more.
//!
//! Large destinations are written past the caches; see `simd/past_caches.rs`.

use core::fmt;
use core::mem::MaybeUninit;
use core::ptr;

use crate::error::{TooSmall, Utf8Error};
use crate::kernel::Kernel;
use crate::output::as_uninit;
use crate::stream::{StreamError, Validator};

/// Bytes that are validated, and then copied: four pages, which stay in the first-level cache.
const PIECE: usize = 16 << 10;

/// From this length on, what is written goes past the caches, as with most that `memcpy` is made of: few CPUs
/// have room for more in the caches of a core.
#[cfg(kernel_x86)]
const LARGE: usize = 16 << 20;

/// A cache line.
const LINE: usize = 64;

/// Copies text, validating it on the way: [`from_utf8`](crate::from_utf8) and `memcpy` in one pass.
///
/// For text that is not in the cache this takes hardly longer than the copy alone. The text is
/// written to the start of `dst`; what lies behind `src.len()` bytes is left as it was.
///
/// # Errors
///
/// - [`CopyError::TooSmall`] if `dst` is shorter than `src`. Nothing has been written.
/// - [`CopyError::Invalid`] if `src` is not UTF-8. The text before the error has been written: as
///   many bytes as [`valid_up_to`](Utf8Error::valid_up_to) says.
///
/// ```
/// use core::mem::MaybeUninit;
/// use trust8::{CopyError, copy_utf8};
///
/// let mut buffer = [MaybeUninit::uninit(); 16];
/// let text = copy_utf8(b"\xE2\x82\xAC 9.95", &mut buffer).unwrap();
/// text.make_ascii_lowercase();
/// assert_eq!(text, "€ 9.95");
///
/// let error = copy_utf8(b"abc\xFFdef", &mut buffer).unwrap_err();
/// assert_eq!(error.written(), 3);
/// let error = copy_utf8(b"too long for three", &mut buffer[..3]).unwrap_err();
/// assert!(matches!(error, CopyError::TooSmall(error) if error.needed == 18));
/// ```
///
/// Into the spare capacity of a `Vec`, or any other memory that is not initialised:
///
/// ```
/// let mut text = Vec::with_capacity(100);
/// let len = trust8::copy_utf8("κόσμε".as_bytes(), text.spare_capacity_mut()).unwrap().len();
/// // SAFETY: `copy_utf8` has written as many bytes.
/// unsafe { text.set_len(len) };
/// assert_eq!(text, "κόσμε".as_bytes());
/// ```
pub fn copy_utf8<'d>(src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> Result<&'d mut str, CopyError> {
    copy(src, dst, Validator::push)
}

/// [`copy_utf8`] with this kernel: for tests and measurements.
pub(crate) fn copy_utf8_with<'d>(
    kernel: &Kernel,
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
) -> Result<&'d mut str, CopyError> {
    copy(src, dst, |validator, piece| validator.push_with(kernel, piece))
}

#[inline(always)]
fn copy<'d>(
    src: &[u8],
    dst: &'d mut [MaybeUninit<u8>],
    push: impl Fn(&mut Validator, &[u8]) -> Result<(), StreamError>,
) -> Result<&'d mut str, CopyError> {
    let (needed, len) = (src.len(), dst.len());
    let Some(dst) = dst.get_mut(..needed) else { return Err(CopyError::TooSmall(TooSmall { needed, len })) };
    // No slice reaches beyond what a `usize` counts.
    let invalid = |error: StreamError| CopyError::Invalid(Utf8Error::at(src, error.valid_up_to() as usize));

    let mut validator = Validator::new();
    let mut begin = 0;
    let mut end = PIECE - dst.as_ptr().addr() % LINE;
    while begin < needed {
        end = end.min(needed);
        if let Err(error) = push(&mut validator, &src[begin..end]) {
            // The sequence may have begun in the piece before.
            let sound = begin..begin.max(error.valid_up_to() as usize);
            dst[sound.clone()].copy_from_slice(as_uninit(&src[sound]));
            return Err(invalid(error));
        }
        let (piece, next) = src[begin..].split_at(end - begin);
        write(piece, &mut dst[begin..end], next, needed);
        begin = end;
        end += PIECE;
    }
    validator.finish().map_err(invalid)?;

    let text = ptr::from_mut(dst) as *mut str;
    // SAFETY: the loop has written all of `dst`, piece by piece from 0 to `needed`, with bytes of `src`, and the
    // validator, which has seen the same pieces and their end, found them to be text; `text` has the address,
    // the length and the borrow of `dst`.
    Ok(unsafe { &mut *text })
}

/// Copies a piece of a text that has `all` bytes and goes on with `next`.
#[inline(always)]
#[cfg_attr(not(kernel_x86), expect(unused_variables, reason = "ordinary stores need not know"))]
fn write(piece: &[u8], dst: &mut [MaybeUninit<u8>], next: &[u8], all: usize) {
    #[cfg(kernel_x86)]
    if all >= LARGE {
        return crate::simd::nontemporal::copy(piece, dst, next);
    }
    dst.copy_from_slice(as_uninit(piece));
}

/// Why [`copy_utf8`] did not copy all.
///
/// ```
/// use trust8::{CopyError, ErrorKind, copy_utf8};
///
/// match copy_utf8(b"ab\xC0\x80", &mut [core::mem::MaybeUninit::uninit(); 4]) {
///     Err(CopyError::Invalid(error)) => assert_eq!(error.kind(), ErrorKind::Overlong),
///     other => panic!("{other:?}"),
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CopyError {
    /// The destination is shorter than the source. Nothing has been written.
    TooSmall(TooSmall),
    /// The source is not UTF-8. What comes before the error has been written.
    Invalid(Utf8Error),
}

impl CopyError {
    /// How many bytes of text have been written, to the start of the destination.
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 8];
    /// assert_eq!(trust8::copy_utf8(b"abc\xFF", &mut buffer).unwrap_err().written(), 3);
    /// assert_eq!(trust8::copy_utf8(b"abc", &mut buffer[..2]).unwrap_err().written(), 0);
    /// ```
    #[must_use]
    pub const fn written(&self) -> usize {
        match self {
            Self::TooSmall(_) => 0,
            Self::Invalid(error) => error.valid_up_to(),
        }
    }
}

impl fmt::Display for CopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall(error) => error.fmt(f),
            Self::Invalid(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CopyError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::TooSmall(error) => Some(error),
            Self::Invalid(error) => Some(error),
        }
    }
}

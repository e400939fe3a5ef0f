//! Validating and copying in one pass over memory.
//!
//! Validating a long text and then copying it reads it from memory twice, and reading takes most of
//! the time. Here each chunk is copied from the cache after it was validated:
//!
//! ```text
//! for each chunk of 16 KiB:
//!     validate it up to its last character boundary
//!     copy it
//! ```
//!
//! Chunks end at aligned addresses of the destination, not between characters: `memcpy` to an
//! unaligned address takes a fifth longer.
//!
//! Large destinations are written past the caches; see `simd/nontemporal.rs`.

use core::mem::MaybeUninit;
use core::ptr;

use crate::boundary::floor;
use crate::error::{CopyError, TooSmall, Utf8Error};
use crate::kernel::Kernel;
use crate::simd::as_uninit;

/// The length of a chunk: four pages, which stay in the first-level cache until they are copied.
const CHUNK_BYTES: usize = 16 << 10;

/// Texts of this length and above are written past the caches, as most implementations of `memcpy`
/// do: few CPUs have larger caches for one core.
#[cfg(trust8_x86)]
const PAST_CACHES_FROM_BYTES: usize = 16 << 20;

/// A cache line.
const LINE_BYTES: usize = 64;

/// Copies `src` to the start of `dst` and validates it: [`from_utf8`](crate::from_utf8) and
/// `memcpy` in one pass.
///
/// For text that is not in the cache, this takes hardly longer than the copy alone. The rest of
/// `dst`, after the first `src.len()` bytes, is unchanged.
///
/// # Errors
///
/// - [`CopyError::TooSmall`] if `dst` is shorter than `src`. Then nothing has been written.
/// - [`CopyError::Invalid`] if `src` is not UTF-8. Then the text before the error has been written:
///   [`valid_up_to`](Utf8Error::valid_up_to) bytes.
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
/// The destination need not be initialised. It may be the spare capacity of a `Vec`:
///
/// ```
/// let mut text = Vec::with_capacity(100);
/// let len = trust8::copy_utf8("κόσμε".as_bytes(), text.spare_capacity_mut()).unwrap().len();
/// // SAFETY: `copy_utf8` has written `len` bytes.
/// unsafe { text.set_len(len) };
/// assert_eq!(text, "κόσμε".as_bytes());
/// ```
#[inline]
pub fn copy_utf8<'d>(src: &[u8], dst: &'d mut [MaybeUninit<u8>]) -> Result<&'d mut str, CopyError> {
    Kernel::best().copy_utf8(src, dst)
}

impl Kernel {
    /// Does the same as [`copy_utf8`](crate::copy_utf8), with this kernel.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    pub fn copy_utf8<'d>(
        &self,
        src: &[u8],
        dst: &'d mut [MaybeUninit<u8>],
    ) -> Result<&'d mut str, CopyError> {
        let (needed, len) = (src.len(), dst.len());
        let Some(dst) = dst.get_mut(..needed) else {
            return Err(CopyError::TooSmall(TooSmall { needed, len }));
        };
        let (mut begin, mut valid) = (0, 0);
        let mut end = CHUNK_BYTES - dst.as_ptr().addr() % LINE_BYTES;
        while begin < needed {
            end = end.min(needed);
            // The check ends between characters, up to three bytes before the copy does.
            let part = valid..if end < needed { floor(src, end) } else { end };
            if let Err(error) = self.from_utf8(&src[part.clone()]) {
                let sound = begin..begin.max(valid + error.valid_up_to());
                dst[sound.clone()].copy_from_slice(as_uninit(&src[sound.clone()]));
                return Err(CopyError::Invalid(Utf8Error::at(src, valid + error.valid_up_to())));
            }
            valid = part.end;
            let (chunk, next) = src[begin..].split_at(end - begin);
            write(chunk, &mut dst[begin..end], next, needed);
            begin = end;
            end += CHUNK_BYTES;
        }

        let text = ptr::from_mut(dst) as *mut str;
        // SAFETY: the loop has written all of `dst`, chunk by chunk from 0 to `needed`, with the bytes of `src`. The parts of `src` that
        // it has checked are UTF-8; each begins where the one before it ends, and the last one ends at `needed`. `text` has the
        // address, the length and the borrow of `dst`.
        Ok(unsafe { &mut *text })
    }
}

/// Copies `chunk`, which `next` follows in a text of `text_len` bytes, to `dst`.
#[inline(always)]
#[cfg_attr(not(trust8_x86), expect(unused_variables, reason = "ordinary stores need not know what follows"))]
fn write(chunk: &[u8], dst: &mut [MaybeUninit<u8>], next: &[u8], text_len: usize) {
    #[cfg(trust8_x86)]
    if text_len >= PAST_CACHES_FROM_BYTES {
        return crate::simd::nontemporal::copy(chunk, dst, next);
    }
    dst.copy_from_slice(as_uninit(chunk));
}

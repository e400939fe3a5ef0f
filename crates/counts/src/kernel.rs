//! The functions of this crate, with a kernel of the caller's choice.

#![forbid(unsafe_code)]

use trust8::Kernel;
#[cfg(feature = "rayon")]
use trust8::Utf8Error;
use trust8::engine::AsKernel;

use crate::ascii;
use crate::counts::{CountChars, Utf16Len};
use crate::inspect::{self, Summary};
#[cfg(feature = "rayon")]
use crate::parallel;
use crate::part::{Judgement, Part};

/// The functions of this crate as methods of [`Kernel`]: for tests, measurements, and programs that
/// let their user choose.
///
/// ```
/// use trust8::Kernel;
/// use trust8_counts::KernelCounts;
///
/// for kernel in Kernel::available() {
///     assert_eq!(kernel.inspect("één".as_bytes()).chars(), 3);
///     assert_eq!((kernel.count_chars("één"), kernel.utf16_len("één")), (3, 3));
/// }
/// ```
pub trait KernelCounts: AsKernel {
    /// Does the same as [`ascii_up_to`](crate::ascii_up_to), with this kernel.
    #[inline]
    #[must_use]
    fn ascii_up_to(&self, bytes: &[u8]) -> usize {
        ascii::by(self.kernel(), bytes)
    }

    /// Does the same as [`inspect`](crate::inspect()), with this kernel.
    #[inline]
    #[must_use]
    fn inspect(&self, bytes: &[u8]) -> Summary {
        inspect::by(self.kernel(), bytes)
    }

    /// Does the same as [`count_chars`](crate::count_chars), with this kernel.
    #[inline]
    #[must_use]
    fn count_chars(&self, text: &str) -> usize {
        self.count_starts(text.as_bytes())
    }

    /// Does the same as [`count_starts`](crate::count_starts), with this kernel.
    #[inline]
    #[must_use]
    fn count_starts(&self, bytes: &[u8]) -> usize {
        self.kernel().run(CountChars, bytes, ())
    }

    /// Does the same as [`count_chars_lossy`](crate::count_chars_lossy), with this kernel.
    #[must_use]
    fn count_chars_lossy(&self, bytes: &[u8]) -> usize {
        inspect::count_sequences(self.kernel(), bytes)
    }

    /// Does the same as [`utf16_len`](crate::utf16_len), with this kernel.
    #[inline]
    #[must_use]
    fn utf16_len(&self, text: &str) -> usize {
        self.kernel().run(Utf16Len, text.as_bytes(), ())
    }

    /// Does the same as [`Part::of`], with this kernel.
    #[inline]
    #[must_use]
    fn part(&self, bytes: &[u8]) -> Part {
        Part(Judgement::of(self.kernel(), bytes))
    }

    /// Does the same as [`par_from_utf8`](crate::par_from_utf8), with this kernel, in chunks of
    /// about `chunk_len` bytes, or of one byte if it is 0.
    ///
    /// # Errors
    ///
    /// Returns the errors of that function.
    #[cfg(feature = "rayon")]
    fn par_from_utf8<'a>(&self, chunk_len: usize, bytes: &'a [u8]) -> Result<&'a str, Utf8Error> {
        parallel::from_utf8_by(self.kernel(), chunk_len, bytes)
    }

    /// Does the same as [`par_inspect`](crate::par_inspect), with this kernel, in chunks of about
    /// `chunk_len` bytes, or of one byte if it is 0.
    #[cfg(feature = "rayon")]
    #[must_use]
    fn par_inspect(&self, chunk_len: usize, bytes: &[u8]) -> Summary {
        parallel::inspect_by(self.kernel(), chunk_len, bytes)
    }
}

impl KernelCounts for Kernel {}

//! A validator you can hold: one for each instruction set that this CPU has.

use core::fmt;

use crate::transcode::{self, Convert, Length, Output, Routines};
use crate::verdict::Verdict;
use crate::{Utf8Error, dispatch, scalar};

/// A kernel's function.
///
/// # Safety
///
/// - The CPU must have the instruction set that the function was compiled for.
pub(crate) type Validate = unsafe fn(&[u8]) -> Verdict;

/// A kernel's function for a short piece of a stream, of at least one byte: whether it goes on well behind
/// these four bytes of a well-formed text; or fewer, with zeros before them, if those are the beginning of
/// a character. Another character may be cut off by the end.
///
/// # Safety
///
/// - The CPU must have the instruction set that the function was compiled for.
type GoesOn = unsafe fn([u8; 4], &[u8]) -> bool;

/// One implementation of the validator, for one instruction set that the CPU is known to have.
///
/// [`from_utf8`](crate::from_utf8) and [`is_utf8`](crate::is_utf8) use the best one; this type is
/// for tests, measurements, and programs that let their user choose. All kernels give the same answers.
///
/// ```
/// use trust8::Kernel;
///
/// for kernel in Kernel::available() {
///     assert_eq!(kernel.from_utf8(b"na\xC3\xAFve"), Ok("naïve"));
///     assert_eq!(kernel.from_utf8(b"na\xEFve").unwrap_err().valid_up_to(), 2);
/// }
/// ```
pub struct Kernel {
    name: &'static str,
    /// Private, and so are the arrays of kernels: who holds a kernel got it from `available`,
    /// which asked the CPU.
    validate: Validate,
    transcode: &'static Routines,
    goes_on: GoesOn,
    paths: &'static [Kernel],
}

impl Kernel {
    /// The kernels that this CPU can run, best first. The last one is always `"scalar"`.
    ///
    /// ```
    /// let names: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
    /// assert_eq!(names.last(), Some(&"scalar"));
    /// ```
    #[must_use]
    pub fn available() -> &'static [Self] {
        dispatch::available()
    }

    /// The kernel that [`from_utf8`](crate::from_utf8) uses.
    ///
    /// ```
    /// use trust8::Kernel;
    /// assert_eq!(Kernel::best().name(), Kernel::available()[0].name());
    /// ```
    #[must_use]
    pub fn best() -> &'static Self {
        &Self::available()[0]
    }

    /// The kernel of this name, if this CPU can run it: `"avx512"`, `"avx2"`, `"sse4.2"`, `"neon"`,
    /// `"simd128"` (WebAssembly) or `"scalar"`.
    ///
    /// ```
    /// use trust8::Kernel;
    /// assert!(Kernel::by_name("scalar").is_some());
    /// assert!(Kernel::by_name("abacus").is_none());
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::available().iter().find(|kernel| kernel.name == name)
    }

    /// The instruction set's name.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::by_name("scalar").unwrap().name(), "scalar");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// [`trust8::from_utf8`](crate::from_utf8) with this kernel.
    ///
    /// # Errors
    ///
    /// The first place at which `bytes` is not UTF-8.
    ///
    /// ```
    /// let kernel = trust8::Kernel::best();
    /// assert_eq!(kernel.from_utf8("日本語".as_bytes()), Ok("日本語"));
    /// ```
    #[inline]
    pub fn from_utf8<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, Utf8Error> {
        crate::text(bytes, self.verdict(bytes))
    }

    /// [`trust8::is_utf8`](crate::is_utf8) with this kernel.
    ///
    /// ```
    /// assert!(!trust8::Kernel::best().is_utf8(b"\xC0\x80"));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_utf8(&self, bytes: &[u8]) -> bool {
        self.verdict(bytes).is_valid()
    }

    /// The function, for `dispatch.rs` to keep.
    #[cfg(asks_the_cpu)]
    pub(crate) fn validate_fn(&self) -> Validate {
        self.validate
    }

    #[inline]
    pub(crate) fn verdict(&self, bytes: &[u8]) -> Verdict {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.validate)(bytes) }
    }

    /// Whether `bytes` is well-formed behind `before`; see [`GoesOn`].
    #[inline]
    pub(crate) fn goes_on(&self, before: [u8; 4], bytes: &[u8]) -> bool {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.goes_on)(before, bytes) }
    }

    /// Converts with the routine of this kernel that is chosen.
    #[inline]
    pub(crate) fn convert(
        &self,
        choose: impl FnOnce(&Routines) -> Convert,
        text: &[u8],
        out: &mut Output<'_>,
    ) -> usize {
        let convert = choose(self.transcode);
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { convert(text, out) }
    }

    /// How long a text would be.
    #[inline]
    pub(crate) fn length(&self, which: Length, text: &[u8]) -> usize {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.transcode.length)(which, text) }
    }

    /// Turns the bytes of each unit round.
    #[inline]
    pub(crate) fn swap(&self, unit: usize, bytes: &mut [u8]) {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.transcode.swap)(unit, bytes) }
    }

    /// The ways among which this kernel chooses by length and content, each as a kernel that takes
    /// it wherever it can: for tests, which must reach every way, and for measurements.
    #[doc(hidden)]
    #[must_use]
    pub fn paths(&self) -> &'static [Self] {
        self.paths
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name).finish()
    }
}

/// The kernels that are compiled in, best first. Only `dispatch.rs` hands out parts of this.
pub(crate) use table::*;

cfg_if::cfg_if! {
    if #[cfg(kernel_x86)] {
        mod table {
            use super::{Kernel, SCALAR, way};
            use crate::simd::units;
            use crate::simd::{avx2, sse42};
            use crate::sliced;

            const SSE42: Kernel = Kernel {
                name: "sse4.2",
                validate: sse42::validate,
                transcode: &units::sse42::ROUTINES,
                goes_on: sse42::goes_on,
                paths: &[way("short", sse42::short, sse42::goes_on), way("long", sse42::long, sse42::goes_on)],
            };
            const AVX2: Kernel = Kernel {
                name: "avx2",
                validate: avx2::validate,
                transcode: &units::sse42::ROUTINES_AVX2,
                goes_on: avx2::goes_on,
                paths: &[way("short", avx2::short, avx2::goes_on), way("long", avx2::long, avx2::goes_on)],
            };
            const AVX512: Kernel = Kernel {
                name: "avx512",
                validate: sliced::validate,
                transcode: &units::avx512::ROUTINES,
                goes_on: sliced::goes_on,
                paths: &[
                    way("blocks", sliced::medium, sliced::goes_on),
                    way("superblocks", sliced::long, sliced::goes_on),
                    way("streams", sliced::long_in_small_streams, sliced::goes_on),
                    way("without gfni", sliced::validate_without_gfni, sliced::goes_on),
                ],
            };
            #[cfg(asks_the_cpu)]
            const AVX512_WITHOUT_GFNI: Kernel = Kernel {
                name: "avx512",
                validate: sliced::validate_without_gfni,
                transcode: &units::avx512::ROUTINES,
                goes_on: sliced::goes_on,
                paths: &[way("blocks", sliced::medium, sliced::goes_on)],
            };
            pub(crate) static KERNELS: [Kernel; 4] = [AVX512, AVX2, SSE42, SCALAR];
            #[cfg(asks_the_cpu)]
            pub(crate) static KERNELS_WITHOUT_GFNI: [Kernel; 4] = [AVX512_WITHOUT_GFNI, AVX2, SSE42, SCALAR];
        }
    } else if #[cfg(kernel_neon)] {
        mod table {
            use super::{Kernel, SCALAR, way};
            use crate::simd::neon;
            use crate::simd::units;

            const NEON: Kernel = Kernel {
                name: "neon",
                validate: neon::validate,
                transcode: &units::neon::ROUTINES,
                goes_on: neon::goes_on,
                paths: &[way("short", neon::short, neon::goes_on), way("long", neon::long, neon::goes_on)],
            };
            pub(crate) static KERNELS: [Kernel; 2] = [NEON, SCALAR];
        }
    } else if #[cfg(kernel_wasm)] {
        mod table {
            use super::{Kernel, SCALAR, way};
            use crate::simd::wasm;

            const SIMD128: Kernel = Kernel {
                name: "simd128",
                validate: wasm::validate,
                transcode: &transcode::SCALAR,
                goes_on: wasm::goes_on,
                paths: &[way("short", wasm::short, wasm::goes_on), way("long", wasm::long, wasm::goes_on)],
            };
            pub(crate) static KERNELS: [Kernel; 2] = [SIMD128, SCALAR];
        }
    } else {
        mod table {
            pub(crate) static KERNELS: [super::Kernel; 1] = [super::SCALAR];
        }
    }
}

const SCALAR: Kernel = Kernel {
    name: "scalar",
    validate: scalar::validate,
    transcode: &transcode::SCALAR,
    goes_on: scalar::goes_on,
    paths: &[],
};

/// One of a kernel's ways.
#[cfg(kernel_simd)]
const fn way(name: &'static str, validate: Validate, goes_on: GoesOn) -> Kernel {
    Kernel { name, validate, transcode: &transcode::SCALAR, goes_on, paths: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The streaming tests see every wrong yes, but a wrong no costs time only: so here are both.
    #[test]
    fn pieces_of_text_go_on_wherever_they_are_cut() {
        let text =
            "a\u{E9}\u{65E5}\u{1F600}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}bc".repeat(12);
        let text = text.as_bytes();
        let mut pieces = 0;
        for kernel in Kernel::available() {
            for from in 0..100 {
                let mut before = [0; 4];
                let known = from.min(4);
                before[4 - known..].copy_from_slice(&text[from - known..from]);
                for to in from + 1..text.len() {
                    let piece = &text[from..to];
                    assert!(kernel.goes_on(before, piece), "{kernel:?}, behind {before:02X?}: {piece:02X?}");
                    pieces += 1;
                }
                // A wrong byte anywhere.
                for to in from + 1..from + 140 {
                    let mut piece = text[from..to].to_vec();
                    for at in [0, piece.len() / 3, piece.len() - 1] {
                        for wrong in [0xC0, 0xC1, 0xF5, 0xFF] {
                            let right = core::mem::replace(&mut piece[at], wrong);
                            assert!(
                                !kernel.goes_on(before, &piece),
                                "{kernel:?}, {before:02X?}: {piece:02X?}"
                            );
                            piece[at] = right;
                        }
                    }
                }
            }
        }
        assert!(pieces > 1000);
    }
}

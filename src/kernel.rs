//! A validator you can hold: one for each instruction set that this CPU has.

use core::fmt;

use crate::faults::Found;
#[cfg(feature = "alloc")]
use crate::faults::Replaced;
use crate::inspect::counts::{self, Counts};
use crate::transcode::{self, Convert, Length, Output, Routines};
use crate::verdict::Verdict;
use crate::{Summary, Utf8Error, dispatch, scalar};

/// A kernel's function.
///
/// # Safety
///
/// - The CPU must have the instruction set that the function was compiled for.
pub(crate) type Validate = unsafe fn(&[u8]) -> Verdict;

/// What a kernel is made of. Each may be called where the CPU has the instruction set that it was compiled
/// for.
#[derive(Clone, Copy)]
struct Functions {
    validate: Validate,
    transcode: &'static Routines,
    /// Of a piece of a stream, of at least one byte: whether it goes on well behind a text that ends with these four
    /// bytes, or with fewer, with zeros before them, if those are the beginning of a character; or with any ASCII, if these do.
    /// Another character may be cut off by the end. A long piece that is not between ASCII may be refused.
    goes_on: unsafe fn([u8; 4], &[u8]) -> bool,
    /// The next faults; see `faults.rs`.
    seek: unsafe fn(&[u8], usize) -> Found,
    /// Blocks with their ill-formed sequences replaced.
    #[cfg(feature = "alloc")]
    replace: unsafe fn(&[u8], usize, usize, &mut Output<'_>) -> Replaced,
    /// The verdict, and where that is 'valid' the counts.
    inspect: unsafe fn(&[u8]) -> (Verdict, Counts),
    /// The characters of valid text.
    count_chars: unsafe fn(&[u8]) -> usize,
    /// The UTF-16 units of valid text.
    utf16_len: unsafe fn(&[u8]) -> usize,
}

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
    functions: Functions,
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
    #[inline]
    #[must_use]
    pub fn best() -> &'static Self {
        dispatch::best()
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
        self.functions.validate
    }

    /// [`trust8::inspect`](crate::inspect()) with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().inspect("één".as_bytes()).chars(), 3);
    /// ```
    #[must_use]
    pub fn inspect(&self, bytes: &[u8]) -> Summary {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        let (verdict, counts) = unsafe { (self.functions.inspect)(bytes) };
        match verdict.suspicion() {
            None => Summary::new(None, bytes.len(), counts),
            Some(suspect) => self.inspect_before_error(bytes, suspect),
        }
    }

    /// What is valid is gone through again. Suspicions are errors, but should one be wrong, this is right.
    #[cold]
    fn inspect_before_error(&self, bytes: &[u8], suspect: usize) -> Summary {
        let error = scalar::judge(bytes, suspect).err();
        let valid = &bytes[..error.map_or(bytes.len(), |error| error.valid_up_to())];
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        let (verdict, counts) = unsafe { (self.functions.inspect)(valid) };
        let counts = if verdict.is_valid() { counts } else { counts::count(valid) };
        Summary::new(error, valid.len(), counts)
    }

    /// [`trust8::count_chars`](crate::count_chars) with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().count_chars("één"), 3);
    /// ```
    #[must_use]
    pub fn count_chars(&self, text: &str) -> usize {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.count_chars)(text.as_bytes()) }
    }

    /// [`trust8::utf16_len`](crate::utf16_len) with this kernel.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::best().utf16_len("één"), 3);
    /// ```
    #[must_use]
    pub fn utf16_len(&self, text: &str) -> usize {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.utf16_len)(text.as_bytes()) }
    }

    #[inline]
    pub(crate) fn verdict(&self, bytes: &[u8]) -> Verdict {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.validate)(bytes) }
    }

    /// Whether `bytes` is well-formed behind `before`; see [`Functions`].
    #[inline]
    pub(crate) fn goes_on(&self, before: [u8; 4], bytes: &[u8]) -> bool {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.goes_on)(before, bytes) }
    }

    /// The next block with an ill-formed sequence in it, or where a few blocks without one end.
    #[inline]
    pub(crate) fn seek(&self, bytes: &[u8], from: usize) -> Found {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.seek)(bytes, from) }
    }

    /// Blocks with their ill-formed sequences replaced; see `faults.rs`.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn replace(&self, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.replace)(bytes, at, done, out) }
    }

    /// Converts with the routine of this kernel that is chosen.
    #[inline]
    pub(crate) fn convert(
        &self,
        choose: impl FnOnce(&Routines) -> Convert,
        text: &[u8],
        out: &mut Output<'_>,
    ) -> usize {
        let convert = choose(self.functions.transcode);
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { convert(text, out) }
    }

    /// How long a text would be.
    #[inline]
    pub(crate) fn length(&self, which: Length, text: &[u8]) -> usize {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.transcode.length)(which, text) }
    }

    /// Turns the bytes of each unit round.
    #[inline]
    pub(crate) fn swap(&self, unit: usize, bytes: &mut [u8]) {
        // SAFETY: a kernel is only reachable through `available`, which asked the CPU.
        unsafe { (self.functions.transcode.swap)(unit, bytes) }
    }

    /// The ways among which this kernel chooses by length and content, each as a kernel that takes
    /// it wherever it can, but for a stream's chunks between ASCII: for tests, which must reach every way, and for
    /// measurements.
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
            use super::{Functions, Kernel, SCALAR, way};
            use crate::simd::units;
            use crate::simd::{avx2, sse42};
            use crate::sliced;

            const OF_SSE42: Functions = Functions {
                validate: sse42::validate,
                transcode: &units::sse42::ROUTINES,
                goes_on: sse42::goes_on,
                seek: sse42::seek,
                #[cfg(feature = "alloc")]
                replace: sse42::replace,
                inspect: sse42::inspect,
                count_chars: sse42::count_chars,
                utf16_len: sse42::utf16_len,
            };
            const SSE42: Kernel = Kernel {
                name: "sse4.2",
                functions: OF_SSE42,
                paths: &[
                    way("short", Functions { validate: sse42::short, ..OF_SSE42 }),
                    way("long", Functions { validate: sse42::long, ..OF_SSE42 }),
                ],
            };
            const OF_AVX2: Functions = Functions {
                validate: avx2::validate,
                transcode: &units::sse42::ROUTINES_AVX2,
                goes_on: avx2::goes_on,
                seek: avx2::seek,
                #[cfg(feature = "alloc")]
                replace: avx2::replace,
                inspect: avx2::inspect,
                count_chars: avx2::count_chars,
                utf16_len: avx2::utf16_len,
            };
            const AVX2: Kernel = Kernel {
                name: "avx2",
                functions: OF_AVX2,
                paths: &[
                    way("short", Functions { validate: avx2::short, ..OF_AVX2 }),
                    way("long", Functions { validate: avx2::long, ..OF_AVX2 }),
                ],
            };
            // What needs GFNI is added to this, so that nothing without it inherits any.
            const WITHOUT_GFNI: Functions = Functions {
                validate: sliced::validate_without_gfni,
                transcode: &units::avx512::ROUTINES_WITHOUT_GFNI,
                goes_on: sliced::goes_on_without_gfni,
                seek: sliced::seek,
                #[cfg(feature = "alloc")]
                replace: sliced::replace,
                inspect: sliced::inspect_medium,
                count_chars: sliced::count_chars,
                utf16_len: sliced::utf16_len,
            };
            const BLOCKS: Functions = Functions { validate: sliced::medium, ..WITHOUT_GFNI };
            const OF_AVX512: Functions = Functions {
                validate: sliced::validate,
                transcode: &units::avx512::ROUTINES,
                goes_on: sliced::goes_on,
                inspect: sliced::inspect,
                ..WITHOUT_GFNI
            };
            const SUPERBLOCKS: Functions =
                Functions { validate: sliced::long, inspect: sliced::inspect_long, ..OF_AVX512 };
            const STREAMS: Functions = Functions {
                validate: sliced::long_in_small_streams,
                inspect: sliced::inspect_long_in_small_streams,
                ..OF_AVX512
            };
            const AVX512: Kernel = Kernel {
                name: "avx512",
                functions: OF_AVX512,
                paths: &[
                    way("blocks", BLOCKS),
                    way("superblocks", SUPERBLOCKS),
                    way("streams", STREAMS),
                    way("without gfni", WITHOUT_GFNI),
                ],
            };
            #[cfg(asks_the_cpu)]
            const AVX512_WITHOUT_GFNI: Kernel =
                Kernel { name: "avx512", functions: WITHOUT_GFNI, paths: &[way("blocks", BLOCKS)] };
            pub(crate) static KERNELS: [Kernel; 4] = [AVX512, AVX2, SSE42, SCALAR];
            #[cfg(asks_the_cpu)]
            pub(crate) static KERNELS_WITHOUT_GFNI: [Kernel; 4] = [AVX512_WITHOUT_GFNI, AVX2, SSE42, SCALAR];
        }
    } else if #[cfg(kernel_neon)] {
        mod table {
            use super::{Functions, Kernel, SCALAR, way};
            use crate::simd::neon;
            use crate::simd::units;

            const OF_NEON: Functions = Functions {
                validate: neon::validate,
                transcode: &units::neon::ROUTINES,
                goes_on: neon::goes_on,
                seek: neon::seek,
                #[cfg(feature = "alloc")]
                replace: neon::replace,
                inspect: neon::inspect,
                count_chars: neon::count_chars,
                utf16_len: neon::utf16_len,
            };
            const NEON: Kernel = Kernel {
                name: "neon",
                functions: OF_NEON,
                paths: &[
                    way("short", Functions { validate: neon::short, ..OF_NEON }),
                    way("long", Functions { validate: neon::long, ..OF_NEON }),
                ],
            };
            pub(crate) static KERNELS: [Kernel; 2] = [NEON, SCALAR];
        }
    } else if #[cfg(kernel_wasm)] {
        mod table {
            use super::{Functions, Kernel, SCALAR, way};
            use crate::simd::{units, wasm};

            const OF_WASM: Functions = Functions {
                validate: wasm::validate,
                transcode: &units::wasm::ROUTINES,
                goes_on: wasm::goes_on,
                seek: wasm::seek,
                #[cfg(feature = "alloc")]
                replace: wasm::replace,
                inspect: wasm::inspect,
                count_chars: wasm::count_chars,
                utf16_len: wasm::utf16_len,
            };
            const SIMD128: Kernel = Kernel {
                name: "simd128",
                functions: OF_WASM,
                paths: &[
                    way("short", Functions { validate: wasm::short, ..OF_WASM }),
                    way("long", Functions { validate: wasm::long, ..OF_WASM }),
                ],
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
    functions: Functions {
        validate: scalar::validate,
        transcode: &transcode::SCALAR,
        goes_on: scalar::goes_on,
        seek: scalar::seek,
        #[cfg(feature = "alloc")]
        replace: scalar::replace,
        inspect: scalar::inspect,
        count_chars: counts::count_chars,
        utf16_len: counts::utf16_len,
    },
    paths: &[],
};

/// One of a kernel's ways.
#[cfg(kernel_simd)]
const fn way(name: &'static str, functions: Functions) -> Kernel {
    Kernel { name, functions, paths: &[] }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the CPU has no GFNI, no way of the kernel converts with it. (No machine that tests are run on is like that.)
    #[cfg(asks_the_cpu)]
    #[test]
    fn without_gfni_nothing_asks_for_it() {
        use core::ptr::{eq, fn_addr_eq};

        use crate::sliced;

        let kernel = &KERNELS_WITHOUT_GFNI[0];
        for way in core::iter::once(kernel).chain(kernel.paths) {
            let functions = way.functions;
            assert!(
                eq(functions.transcode, &raw const crate::simd::units::avx512::ROUTINES_WITHOUT_GFNI),
                "{way:?}"
            );
            // Those of the kernel that has it, which ask for it.
            let best = KERNELS[0].functions;
            assert!(!fn_addr_eq(functions.validate, best.validate), "{way:?}");
            assert!(!fn_addr_eq(functions.validate, sliced::long as Validate), "{way:?}");
            assert!(!fn_addr_eq(functions.validate, sliced::long_in_small_streams as Validate), "{way:?}");
            assert!(!fn_addr_eq(functions.goes_on, best.goes_on), "{way:?}");
            assert!(!fn_addr_eq(functions.inspect, best.inspect), "{way:?}");
        }
    }

    /// A long chunk takes a way of its own, between ASCII.
    #[test]
    fn long_pieces_between_ascii_go_on() {
        let middle = "\u{E9}\u{65E5}\u{1F600}".repeat(300);
        for kernel in Kernel::available() {
            for len in (0..40).chain(2600..2640) {
                let text = format!("{}{}{}.", "a".repeat(600), &middle[..9 * (len / 9)], "b".repeat(len % 9));
                for before in [*b"abcd", *b"\0\0\0\n", "\u{65E5}a".as_bytes().try_into().unwrap()] {
                    assert!(kernel.goes_on(before, text.as_bytes()), "{kernel:?}, {before:02X?}, {len}");
                }
                // Behind a lead, and with a wrong byte anywhere: also at the end, where it is no ASCII.
                assert!(!kernel.goes_on([0, 0, 0, 0xC3], text.as_bytes()), "{kernel:?}, {len}");
                for at in [0, 1, 255, 256, 511, 512, 599, text.len() / 2, text.len() - 2, text.len() - 1] {
                    let mut wrong = text.clone().into_bytes();
                    wrong[at] = 0xF5;
                    assert!(!kernel.goes_on(*b"abcd", &wrong), "{kernel:?}, {len}, {at}");
                }
            }
        }
    }

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

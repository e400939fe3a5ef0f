//! UTF-8 validation: one validator for each instruction set. Bytes in, a verdict out, and nothing
//! else.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | [`from_utf8`] and [`Kernel`], which are public; [`Engine`], the trait of the algorithms |
//! | `job.rs` | runs a job with a kernel |
//! | `detect.rs` | detects the CPU, and stores the choice |
//! | `verdict.rs` | a kernel's answer |
//! | `arrays.rs` | the vectors of the automaton, for the search of all faults and the packages |
//! | `automaton.rs` | the grammar byte by byte: the scalar kernel, which also finds the exact error |
//! | `lookup/` | blocks and three lookups, over any instruction set that implements `Simd` |
//! | `bitplanes/` | the AVX-512 algorithms |
//! | `on_reject.rs` | rejection callbacks |
//! | `counted.rs` | a kernel for unit tests, which counts its input |
//! | `ways.rs` | each path that a kernel chooses by length and content, for tests |
//!
//! DESIGN.md, "Glossary", has the nouns: block, superblock, run, piece, chunk.

mod arrays;
pub(crate) mod automaton;
#[cfg(trust8_avx512)]
pub(crate) mod bitplanes;
#[cfg(feature = "std")]
pub mod counted;
mod detect;
mod job;
#[cfg(trust8_simd)]
mod lookup;
pub(crate) mod on_reject;
mod verdict;
mod ways;

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};
use core::fmt;

use crate::boundary::{array_at, start_before};
use crate::error::Utf8Error;
use crate::names::{displayed_by_name, is_same_name};
use crate::simd::{Job, Token};
use job::{Isa, ValidateFn};

pub use automaton::{Automaton, judge};
#[cfg(trust8_avx512)]
pub(crate) use bitplanes::blocks::BlockChecker;
pub(crate) use job::EntryPoints;
pub use job::Portable;
#[cfg(trust8_simd)]
pub(crate) use lookup::check::Checker;
pub use on_reject::{OnNotContinued, OnRejected};
pub use verdict::Verdict;

/// A validation algorithm for an instruction set. The value is the token, which proves that the CPU
/// has the instructions.
///
/// Every method is inlined into a function that is compiled for the instruction set.
pub trait Engine: Token {
    /// From this length on, `on_reject.rs` validates in a separate function, which calls the
    /// closure. So shorter text saves no registers for it.
    const LONG_FROM_BYTES: usize;

    /// Returns *valid* if `bytes` is UTF-8, or else the suspect position, from which to look for
    /// the error. Short text is checked in this function, so that it saves no registers.
    ///
    /// `validate(b"ab\xFF")` may return a suspicion at 0, 1 or 2, but not 'valid'.
    fn validate(self, bytes: &[u8]) -> Verdict;

    /// Returns whether `piece` continues a text whose last four bytes are `before`.
    ///
    /// Only a character that the end of `before` cuts off matters; zeros, or any ASCII, may replace
    /// the bytes before it. The end of `piece` may also cut off a character, if its first bytes are
    /// well-formed: `piece_continues([0, 0, 0, 0xC3], b"\xA9t\xC3")` is true.
    ///
    /// `piece` has between one byte and 512 bytes.
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool;

    /// Returns a position at or before the end of the first ill-formed sequence, near it, or near
    /// the end of `bytes`. No other ill-formed sequence ends after `at` and before that position.
    ///
    /// At least four bytes before `at` are well-formed, except for a character that `at` cuts off.
    /// With vectors, it stops sooner after a fault than `validate`, and takes more time for valid
    /// text.
    fn sound_up_to(self, bytes: &[u8], at: usize) -> usize {
        let start = start_before(bytes, at);
        self.validate(&bytes[start..]).suspicion().map_or(bytes.len(), |suspect| start + suspect)
    }
}

/// [`Engine::validate`] as a job, and as a separate function for callers with their own loops.
pub struct Validate;

impl<E: Engine> Job<E, (), Verdict> for Validate {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], (): ()) -> Verdict {
        engine.validate(bytes)
    }
}

/// [`Engine::piece_continues`] as a job. It accepts a long piece only if the text before it and the
/// piece both end in ASCII. The caller cuts any other long piece.
pub struct Continues;

impl<E: Engine> Job<E, [u8; 4], bool> for Continues {
    #[inline(always)]
    fn run(engine: E, piece: &[u8], before: [u8; 4]) -> bool {
        if piece.len() <= SHORT_PIECE_BYTES {
            engine.piece_continues(before, piece)
        } else {
            long_piece_continues(engine, before, piece)
        }
    }
}

/// The longest piece of a stream that an engine checks uncut, together with the bytes before it.
/// Cutting a longer piece at whole characters costs little, and whole text has faster paths.
const SHORT_PIECE_BYTES: usize = 512;

#[inline(always)]
fn long_piece_continues<E: Engine>(engine: E, before: [u8; 4], piece: &[u8]) -> bool {
    let is_whole = before[3].is_ascii() && piece.last().is_some_and(u8::is_ascii);
    is_whole && engine.validate(piece).is_valid()
}

/// The prefetch distance in large text. 256 MiB of German, Russian and Hindi with AVX2 on Zen 5:
/// 33, 41 and 27 GB/s; with 4 KiB 30, 37 and 26; without prefetching 19, 20 and 15.
#[cfg(trust8_simd)]
pub(crate) const AHEAD_BYTES: usize = 8 << 10;
/// Text of this length does not fit into a second-level cache.
#[cfg(trust8_avx512)]
pub(crate) const PREFETCH_FROM_BYTES: usize = 4 << 20;

/// A validator for one instruction set of this CPU.
///
/// [`from_utf8`](crate::from_utf8) and [`is_utf8`](crate::is_utf8) use the best one. This type is
/// for tests, measurements, and programs that let their user choose. All kernels give the same
/// answers.
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
    /// The name of the kernel or of the way.
    name: &'static str,
    /// Private, like the arrays of kernels: only `detect` hands them out.
    isa: Isa,
    /// The function for whole texts is a field, not in a table, because every user of a kernel
    /// needs it.
    validate: ValidateFn,
}

impl Kernel {
    /// Returns the kernels that this CPU can run, best first. The last one is always `"scalar"`.
    ///
    /// ```
    /// let names: Vec<_> = trust8::Kernel::available().iter().map(|kernel| kernel.name()).collect();
    /// assert_eq!(names.last(), Some(&"scalar"));
    /// ```
    #[must_use]
    pub fn available() -> &'static [Self] {
        detect::available()
    }

    /// Returns the kernel that [`from_utf8`](crate::from_utf8) and all other functions use: the
    /// first of those that are [available](Self::available), unless the program has [chosen another
    /// one](Self::make_default).
    ///
    /// ```
    /// use trust8::Kernel;
    /// assert_eq!(Kernel::best().name(), Kernel::available()[0].name());
    /// ```
    #[inline]
    #[must_use]
    pub fn best() -> &'static Self {
        detect::best()
    }

    /// Returns the [best](Self::best) kernel if the CPU was already detected. Lets callers
    /// tail-call.
    #[inline(always)]
    pub(crate) fn if_chosen() -> Option<&'static Self> {
        detect::if_chosen()
    }

    /// Returns the kernel of this name, if this CPU can run it: `"avx512"`, `"avx2"`, `"sse4.2"`,
    /// `"neon"`, `"simd128"` (WebAssembly) or `"scalar"`. Upper and lower case, hyphens,
    /// underscores and spaces make no difference.
    ///
    /// ```
    /// use trust8::Kernel;
    /// assert!(Kernel::by_name("scalar").is_some());
    /// assert_eq!(Kernel::by_name("AVX-512").is_some(), Kernel::by_name("avx512").is_some());
    /// assert!(Kernel::by_name("abacus").is_none());
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        Self::available().iter().find(|kernel| is_same_name(kernel.name, name))
    }

    /// Makes this kernel the one that all functions use from now on, in all threads, and returns
    /// `true`.
    ///
    /// It is for programs whose tests or benchmarks go through all kernels. A library must not call
    /// it, because it affects the whole program. All kernels give the same answers, so only the
    /// time changes.
    ///
    /// If the target fixes the choice, as on AArch64, this changes nothing, and returns whether
    /// this kernel is the target's.
    ///
    /// ```
    /// use trust8::Kernel;
    ///
    /// let slowest = Kernel::by_name("scalar").unwrap();
    /// if slowest.make_default() {
    ///     assert_eq!(Kernel::best().name(), "scalar");
    /// }
    /// assert!(Kernel::available()[0].make_default());
    /// ```
    pub fn make_default(&'static self) -> bool {
        detect::make_default(self)
    }

    /// Returns the instruction set's name.
    ///
    /// ```
    /// assert_eq!(trust8::Kernel::by_name("scalar").unwrap().name(), "scalar");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Does the same as [`trust8::from_utf8`](crate::from_utf8), with this kernel.
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
        self.check(bytes).or_else(Rejected::text)
    }

    /// Does the same as [`trust8::is_utf8`](crate::is_utf8), with this kernel.
    ///
    /// ```
    /// assert!(!trust8::Kernel::best().is_utf8(b"\xC0\x80"));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_utf8(&self, bytes: &[u8]) -> bool {
        self.verdict(bytes).is_valid()
    }

    /// Returns `bytes` as text if this kernel finds them valid, or else the suspect bytes.
    #[doc(hidden)]
    #[inline]
    pub fn check<'a>(&self, bytes: &'a [u8]) -> Result<&'a str, Rejected<'a>> {
        bind(bytes, self.verdict(bytes))
    }

    /// Returns `bytes` as a string in the same memory if this kernel finds them valid, or else the
    /// bytes and the suspect position.
    #[cfg(feature = "alloc")]
    #[inline]
    pub(crate) fn check_owned(&self, bytes: Vec<u8>) -> Result<String, (Vec<u8>, usize)> {
        match self.verdict(&bytes).suspicion() {
            // SAFETY: the kernel found these bytes valid.
            None => Ok(unsafe { String::from_utf8_unchecked(bytes) }),
            Some(suspect) => Err((bytes, suspect)),
        }
    }

    #[inline]
    fn verdict(&self, bytes: &[u8]) -> Verdict {
        // SAFETY: a `Kernel`, or one of its ways, is only reachable through `detect`, which found
        // that the CPU has the instruction set.
        unsafe { (self.validate)(bytes, ()) }
    }
}

displayed_by_name!(Kernel);

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name).finish()
    }
}

/// Returns whether `bytes` is UTF-8.
///
/// ```
/// assert!(trust8::is_utf8("Ελλάδα".as_bytes()));
/// assert!(!trust8::is_utf8(b"\xF5\x80\x80\x80"));
/// assert!(trust8::is_utf8(b""));
/// ```
#[inline]
#[must_use]
pub fn is_utf8(bytes: &[u8]) -> bool {
    // SAFETY: the chosen function is that of a kernel which `detect` found the CPU to have.
    unsafe { detect::chosen()(bytes, ()) }.is_valid()
}

/// Returns `bytes` as text, if it is UTF-8.
///
/// The result is that of [`core::str::from_utf8`] for every input: the same text, or an error with
/// the same [`valid_up_to`](Utf8Error::valid_up_to) and [`error_len`](Utf8Error::error_len).
///
/// # Errors
///
/// Returns the first place at which `bytes` is not UTF-8, and why it is not.
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
    // SAFETY: the chosen function is that of a kernel which `detect` found the CPU to have.
    bind(bytes, unsafe { detect::chosen()(bytes, ()) }).or_else(Rejected::text)
}

/// Returns `bytes` as mutable text, if it is UTF-8.
///
/// # Errors
///
/// Returns the first place at which `bytes` is not UTF-8, and why it is not. The bytes are
/// unchanged.
///
/// ```
/// let mut bytes = *b"stra\xC3\x9Fe";
/// trust8::from_utf8_mut(&mut bytes).unwrap().make_ascii_uppercase();
/// assert_eq!(trust8::from_utf8(&bytes), Ok("STRAßE"));
/// assert!(trust8::from_utf8_mut(&mut [0x80]).is_err());
/// ```
#[inline]
pub fn from_utf8_mut(bytes: &mut [u8]) -> Result<&mut str, Utf8Error> {
    from_utf8(bytes)?;
    // SAFETY: the same bytes were just found to be text.
    Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) })
}

/// Returns `bytes` as text if the verdict on them is 'valid'.
///
/// Only this function and [`Rejected::text`] turn a verdict into a type. The verdict must be about
/// these bytes, so this function does not leave this folder.
#[inline(always)]
fn bind(bytes: &[u8], verdict: Verdict) -> Result<&str, Rejected<'_>> {
    match verdict.suspicion() {
        // SAFETY: a kernel found these bytes valid, or they are ASCII: all callers pass the verdict on `bytes`.
        None => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
        Some(suspect) => Err(Rejected { bytes, suspect }),
    }
}

/// Returns `bytes` as text if they are 8 to 32 bytes of ASCII.
#[inline(always)]
pub(crate) fn short_ascii(bytes: &[u8]) -> Option<&str> {
    bind(bytes, if is_short_ascii(bytes) { Verdict::VALID } else { Verdict::suspect(0) }).ok()
}

/// Returns whether `bytes` are 8 to 32 bytes of ASCII.
#[inline(always)]
pub fn is_short_ascii(bytes: &[u8]) -> bool {
    let n = bytes.len();
    let word = |at: usize| array_at(bytes, at).map_or(u64::MAX, |word| u64::from_ne_bytes(*word));
    // In up to 16 bytes, the first and the last word leave no gap. In up to 32, two other words fill the gap.
    let words = || word(0) | word(n - 8) | if n > 16 { word(8) | word(n - 16) } else { 0 };
    (8..=32).contains(&n) && words() & u64::from_ne_bytes([0x80; 8]) == 0
}

/// Bytes that a kernel does not find valid.
#[derive(Clone, Copy, Debug)]
pub struct Rejected<'a> {
    bytes: &'a [u8],
    suspect: usize,
}

impl<'a> Rejected<'a> {
    /// Returns where to look for the error: everything before the ill-formed sequence that ends
    /// there, or later, is well-formed.
    #[inline(always)]
    #[must_use]
    pub const fn suspect(self) -> usize {
        self.suspect
    }

    /// Returns the bytes as text if they are UTF-8 after all. If the kernel is correct, they are
    /// not.
    ///
    /// # Errors
    ///
    /// Returns the first place at which the bytes are not UTF-8, and why.
    #[inline(always)]
    pub fn text(self) -> Result<&'a str, Utf8Error> {
        automaton::judge(self.bytes, self.suspect)?;
        // SAFETY: the automaton has read all of these bytes, and found them valid.
        Ok(unsafe { core::str::from_utf8_unchecked(self.bytes) })
    }
}

/// Returns `Err(sound)` for a run that found a fault after `sound`.
///
/// This function makes its callers branch. Without it, the compiler selects one of the two results
/// without a branch, and then every load of the next run waits for the faults of this run.
#[cfg(trust8_simd)]
#[cold]
#[inline(never)]
pub(crate) fn faulty<T>(sound: usize) -> Result<T, usize> {
    Err(sound)
}

//! Bytes in, a verdict out: one validator for each instruction set, and what else can be asked of bytes at the same speed.
//!
//! | file | what it has |
//! |---|---|
//! | `mod.rs` | [`Kernel`], the validator you can hold; [`Engine`], the contract of what an algorithm does |
//! | `entries.rs` | the functions that are compiled for each instruction set, and the tables of them |
//! | `detect.rs` | asks the CPU, and keeps the choice |
//! | `verdict.rs` | what a kernel answers |
//! | `automaton.rs` | the grammar byte by byte: the scalar kernel, and the judge that finds the exact error |
//! | `lookup/` | blocks and three lookups, over any instruction set that implements `Simd` |
//! | `bitplanes/` | the AVX-512 algorithms |
//! | `search/` | where the first unit is that is not ASCII, or not well-formed |
//! | `sieve.rs` | the characters that a profile may forbid |
//! | `survey.rs` | from one ill-formed sequence to the next |
//! | `counts.rs` | what is counted of a text |
//! | `counted.rs` | a kernel for unit tests, which counts the bytes that it is given |
//! | `ways.rs` | each way that a kernel chooses by length and content, for tests |
//!
//! # Six nouns
//!
//! - *Vector*: the bytes of one register.
//! - *Block*: the bytes that are classified together: as ASCII, as two-byte characters, as anything.
//! - *Superblock*: the 488 new bytes that the bit planes take at a time.
//! - *Run*: blocks of one kind, one after the other.
//! - *Piece*: the part of a stream that one call brings.
//! - *Chunk*: the part of a text that is read before something else is done with it.

pub(crate) mod automaton;
#[cfg(kernel_avx512)]
pub(crate) mod bitplanes;
#[cfg(all(test, feature = "std", feature = "testing"))]
pub(crate) mod counted;
pub(crate) mod counts;
pub(crate) mod detect;
pub(crate) mod entries;
#[cfg(kernel_simd)]
pub(crate) mod lookup;
pub(crate) mod otherwise;
pub(crate) mod search;
pub(crate) mod sieve;
pub(crate) mod survey;
pub(crate) mod verdict;
#[cfg(feature = "testing")]
pub(crate) mod ways;

use core::fmt;
#[cfg(all(kernel_avx512, feature = "transcode"))]
use core::marker::PhantomData;

use crate::error::Utf8Error;
#[cfg(feature = "transcode")]
use crate::output::Output;
#[cfg(all(kernel_simd, feature = "transcode"))]
use crate::simd::convert::ConvertOps;
#[cfg(all(kernel_avx512, feature = "transcode"))]
use crate::simd::x86::{avx2::Avx2, avx512::Avx512};
#[cfg(kernel_simd)]
use crate::simd::{Routine, Token};
use counts::Counts;
use entries::{Isa, Validate};
use survey::Surveyor;
use verdict::Verdict;

/// What tells whether bytes are UTF-8.
pub(crate) trait Validates: Copy {
    /// Whether all that it is asked about is known to be valid.
    #[cfg(all(kernel_simd, feature = "transcode"))]
    const KNOWN: bool = false;

    /// Returns whether `bytes` is UTF-8, and if not, where to look for the error.
    ///
    /// `validate(b"ab\xFF")` may return `suspect(0)`, `suspect(1)` or `suspect(2)`, but not `VALID`.
    #[cfg_attr(
        not(kernel_simd),
        expect(dead_code, reason = "only algorithms with vectors validate inside of others")
    )]
    fn validate(self, bytes: &[u8]) -> Verdict;

    /// Returns whether `piece` continues a text whose last four bytes are `before`.
    ///
    /// Of `before` only the beginning of a character that its end cuts off counts: zeros, or any ASCII, may stand for
    /// what comes earlier. The end of `piece` may cut a character off as well, if what is there of it is well-formed:
    /// `continues([0, 0, 0, 0xC3], b"\xA9t\xC3")` is true.
    ///
    /// `piece` has between one byte and [`SHORT_PIECE`] bytes.
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool;
}

/// What has the classes of bytes from which all ill-formed sequences of a text follow.
pub(crate) trait Surveys: Copy {
    /// Loads the constants.
    fn surveyor(self) -> impl Surveyor;
}

/// What an algorithm can do with bytes. The value is the proof that the CPU has the instructions.
///
/// Every method is inlined into a door of `entries.rs`, which is compiled for the instruction set.
pub(crate) trait Engine: Validates + Surveys {
    /// Lengths from this one on are long, those below are short.
    const LONG: usize;

    /// Does what [`validate`](Validates::validate) does, for a short text. It is inlined into the door, so it must need few
    /// registers.
    fn validate_short(self, bytes: &[u8]) -> Verdict;

    /// Does the same for a long text, as a function of its own.
    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        self.validate_short(bytes)
    }

    /// Returns the verdict on `bytes`, and if that is `VALID`, what the text is made of.
    ///
    /// `inspect("é\n".as_bytes())` counts one continuation and one newline.
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts);

    /// Returns the number of characters of valid text, which is that of bytes that are no continuations: 1 for `"é"`.
    fn count_chars(self, text: &[u8]) -> usize;

    /// Returns the number of UTF-16 units of valid text: 2 for `"😀"`.
    fn utf16_len(self, text: &[u8]) -> usize;

    /// Converts `text` if it is a few vectors at most, and the pair has a way for that; otherwise converts nothing. Returns how many
    /// bytes it read: all, or none.
    #[cfg(feature = "transcode")]
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Converts the beginning of `text`, and returns how much of it, in bytes.
    #[cfg(feature = "transcode")]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Converts what fits of a block where `convert_long` has stopped before a block that does not fit. Returns how many bytes of it.
    #[cfg(feature = "transcode")]
    fn convert_part<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Returns the length that `M` stands for.
    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn measure<M: Measure>(self, text: &[u8]) -> usize {
        M::portable(text)
    }
}

/// An engine whose `validate` is a function of its own, for callers that have loops of their own around it.
#[cfg(kernel_simd)]
#[derive(Clone, Copy)]
pub(crate) struct Apart<E>(pub(crate) E);

#[cfg(kernel_simd)]
impl<E: Engine + Token> Validates for Apart<E> {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        self.0.apart::<Self>(bytes, 0)
    }

    #[inline(always)]
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        self.0.continues(before, piece)
    }
}

#[cfg(kernel_simd)]
impl<E: Engine> Surveys for Apart<E> {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        self.0.surveyor()
    }
}

#[cfg(kernel_simd)]
impl<E: Engine> Routine<E> for Apart<E> {
    type Output = Verdict;

    #[inline(always)]
    fn run(engine: E, bytes: &[u8], _: usize) -> Verdict {
        engine.validate(bytes)
    }
}

/// The longest piece of a stream that an engine checks as it is, cut or not, with what stands before it. It costs little to cut
/// whole characters out of a longer piece first, and whole text has faster ways.
pub(crate) const SHORT_PIECE: usize = 512;

/// Returns whether a piece that is not short is whole text if it is well-formed: what stands before it ends in ASCII, and so does
/// the piece. About any other long piece `continues` says no, and the caller cuts it.
#[inline(always)]
pub(crate) fn is_between_ascii(before: [u8; 4], piece: &[u8]) -> bool {
    before[3].is_ascii() && piece.last().is_some_and(u8::is_ascii)
}

/// How far ahead the loops prefetch in large text. 256 MiB of German, Russian and Hindi with AVX2 on Zen 5: 33, 41 and 27 GB/s; with 4 KiB 30, 37
/// and 26; without prefetches 19, 20 and 15.
#[cfg(kernel_simd)]
pub(crate) const AHEAD_BYTES: usize = 8 << 10;
/// Text of this length does not come from a second-level cache.
#[cfg(kernel_simd)]
pub(crate) const PREFETCH_FROM_BYTES: usize = 4 << 20;

/// A conversion from one encoding into another, written once for all instruction sets.
///
/// A conversion appends whole characters and nothing else. It stops at the latest before the first malformed sequence, at the
/// end of the text, or before the character that no longer fits, and may stop a few hundred bytes earlier.
#[cfg(feature = "transcode")]
pub(crate) trait Conversion {
    /// The most vectors of 64 bytes that a short text has. With shorter vectors it may have fewer.
    const SHORT: usize = 0;

    /// Converts a short text: all of it, or nothing. Returns how many bytes of it.
    #[cfg(kernel_simd)]
    #[inline(always)]
    fn short<S: ConvertOps>(_s: S, _text: &[u8], _out: &mut Output<'_>, _validator: impl Validates) -> usize {
        0
    }

    /// Converts the beginning of a text and returns how much of it, in bytes.
    #[cfg(kernel_simd)]
    fn long<S: ConvertOps>(
        s: S,
        text: &[u8],
        out: &mut Output<'_>,
        validator: impl Validates + Surveys,
    ) -> usize;

    /// The conversion whose `part` is called where `long` has stopped: this one, or one that converts other texts as well.
    type Part: Conversion;

    /// Converts what fits of the block at which `long` has stopped. Returns how many bytes of it.
    #[cfg(kernel_simd)]
    #[inline(always)]
    fn part<S: ConvertOps>(_s: S, _text: &[u8], _out: &mut Output<'_>, _validator: impl Validates) -> usize {
        0
    }

    /// Does what `long` does, without vector operations.
    fn portable(text: &[u8], out: &mut Output<'_>) -> usize;
}

/// The length of a text in another form.
#[cfg(feature = "transcode")]
pub(crate) trait Measure: Sized {
    /// The length, by loops that the compiler makes vectors of.
    fn portable(text: &[u8]) -> usize;

    /// The same with AVX-512: by a method of its own, or by the loops as they are compiled for AVX2, which are faster than those for
    /// AVX-512.
    #[cfg(kernel_avx512)]
    #[inline(always)]
    fn avx512(s: Avx512, text: &[u8]) -> usize {
        Avx2::on(s).apart::<Portable<Self>>(text, 0)
    }
}

/// The loops of a [`Measure`], as a function of its own.
#[cfg(all(kernel_avx512, feature = "transcode"))]
struct Portable<M>(PhantomData<M>);

#[cfg(all(kernel_avx512, feature = "transcode"))]
impl<S: Token, M: Measure> Routine<S> for Portable<M> {
    type Output = usize;

    #[inline(always)]
    fn run(_: S, text: &[u8], _: usize) -> usize {
        M::portable(text)
    }
}

/// Reverses the bytes of each unit of `unit` bytes: 2 or 4.
#[cfg(feature = "transcode")]
#[inline(always)]
pub(crate) fn swap_units(unit: usize, bytes: &mut [u8]) {
    if unit == 2 {
        for unit in bytes.as_chunks_mut::<2>().0 {
            unit.reverse();
        }
    } else if unit == 4 {
        for unit in bytes.as_chunks_mut::<4>().0 {
            unit.reverse();
        }
    }
}

/// One implementation of the validator, for one instruction set that the CPU is known to have.
///
/// [`from_utf8`](crate::from_utf8) and [`is_utf8`](crate::is_utf8) use the best one. This type is
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
    /// The kernel's name, or that of the way.
    name: &'static str,
    /// Private, and so are the arrays of kernels: who holds a kernel got it from `available`, which asked the CPU.
    isa: Isa,
    /// The function for whole texts stands here and not in a table: everybody who has a kernel wants it.
    validate: Validate,
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

    /// Returns the kernel that [`from_utf8`](crate::from_utf8) and all other functions use: the first of those that are
    /// [available](Self::available), unless the program has [chosen another one](Self::make_default).
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

    /// Returns the [best](Self::best) kernel, unless nobody has asked for it yet. So a caller can do without the code around a call
    /// that asks the CPU.
    #[inline(always)]
    pub(crate) fn if_chosen() -> Option<&'static Self> {
        detect::if_chosen()
    }

    /// Returns the kernel of this name, if this CPU can run it: `"avx512"`, `"avx2"`, `"sse4.2"`, `"neon"`,
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

    /// Makes this kernel the one that all functions use from now on, in all threads, and returns `true`.
    ///
    /// It is for programs whose tests or measurements go through all kernels. A library must not call it, because it changes
    /// what the whole program uses. All kernels give the same answers, so only the time changes.
    ///
    /// Where the target fixes the choice, such as on AArch64, this changes nothing, and returns whether this kernel is the
    /// target's.
    ///
    /// ```
    /// use trust8::Kernel;
    ///
    /// let slowest = Kernel::by_name("scalar").unwrap();
    /// if slowest.make_default() {
    ///     assert_eq!(Kernel::best().name(), "scalar");
    /// }
    /// Kernel::available()[0].make_default();
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

    /// Does what [`trust8::from_utf8`](crate::from_utf8) does, with this kernel.
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
        text(bytes, self.verdict(bytes))
    }

    /// Does what [`trust8::is_utf8`](crate::is_utf8) does, with this kernel.
    ///
    /// ```
    /// assert!(!trust8::Kernel::best().is_utf8(b"\xC0\x80"));
    /// ```
    #[inline]
    #[must_use]
    pub fn is_utf8(&self, bytes: &[u8]) -> bool {
        self.verdict(bytes).is_valid()
    }

    #[inline]
    pub(crate) fn verdict(&self, bytes: &[u8]) -> Verdict {
        // SAFETY: a `Kernel` is only reachable through `detect`, which found that the CPU has the instruction set.
        unsafe { (self.validate)(bytes) }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kernel").field(&self.name).finish()
    }
}

/// Returns the verdict of the best kernel.
pub(crate) use detect::validate;

/// Returns the text that a kernel found valid, or the exact error that its suspicion leads to.
#[inline(always)]
pub(crate) fn text(bytes: &[u8], verdict: Verdict) -> Result<&str, Utf8Error> {
    check(bytes, verdict)?;
    // SAFETY: the kernel found the bytes valid, or the automaton did.
    Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// The same of mutable bytes.
#[inline(always)]
pub(crate) fn text_mut(bytes: &mut [u8], verdict: Verdict) -> Result<&mut str, Utf8Error> {
    check(bytes, verdict)?;
    // SAFETY: the kernel found the bytes valid, or the automaton did.
    Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) })
}

/// Returns without an error only if the kernel, or the automaton after it, found all of `bytes` valid.
#[inline(always)]
fn check(bytes: &[u8], verdict: Verdict) -> Result<(), Utf8Error> {
    match verdict.suspicion() {
        None => Ok(()),
        Some(suspect) => automaton::judge(bytes, suspect),
    }
}

/// Returns `Err(sound)`, for a run that found a fault after `sound`.
///
/// This function makes its callers branch. Without it, the compiler selects one of the two results without a branch,
/// and then every load of the next run waits for the faults of this run.
#[cfg(kernel_simd)]
#[cold]
#[inline(never)]
fn faulty<T>(sound: usize) -> Result<T, usize> {
    Err(sound)
}

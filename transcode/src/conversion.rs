//! Conversions and measures as jobs: written once, and compiled for each instruction set.

use core::marker::PhantomData;

use trust8::engine::search::Searching;
#[cfg(trust8_simd)]
use trust8::engine::survey::Surveyor;
use trust8::engine::survey::Surveys;
use trust8::engine::{Automaton, Job, Output};
#[cfg(trust8_simd)]
use trust8::engine::{Engine, Validated};

use crate::measure::Measure;
#[cfg(trust8_simd)]
use crate::simd::ConvertOps;

/// The output counts as nearly full when at most this many bytes are left: the maximum output of
/// one block.
pub(crate) const NEARLY_FULL_BYTES: usize = 256;

/// UTF-8 validation, as conversions use it.
#[cfg(trust8_simd)]
pub(crate) trait Utf8Check: Copy {
    /// Whether the input is already known to be valid.
    const KNOWN: bool = false;

    /// Returns where to look for an error if `bytes` is invalid.
    fn suspicion(self, bytes: &[u8]) -> Option<usize>;

    /// See [`Engine::piece_continues`].
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool;
}

/// A validator that also provides the byte classes.
#[cfg(trust8_simd)]
pub(crate) trait Surveying: Utf8Check {
    fn surveyor(self) -> impl Surveyor;
}

/// The engine's own validation, inlined.
#[cfg(trust8_simd)]
#[derive(Clone, Copy)]
struct Inlined<E>(E);

#[cfg(trust8_simd)]
impl<E: Engine> Utf8Check for Inlined<E> {
    #[inline(always)]
    fn suspicion(self, bytes: &[u8]) -> Option<usize> {
        self.0.validate(bytes).suspicion()
    }

    #[inline(always)]
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        self.0.piece_continues(before, piece)
    }
}

/// The engine's validation as a separate function, for callers with loops.
#[cfg(trust8_simd)]
#[derive(Clone, Copy)]
struct Apart<E>(E);

#[cfg(trust8_simd)]
impl<E: Engine> Utf8Check for Apart<E> {
    #[inline(always)]
    fn suspicion(self, bytes: &[u8]) -> Option<usize> {
        self.0.apart(Validated, bytes, ()).suspicion()
    }

    #[inline(always)]
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        self.0.piece_continues(before, piece)
    }
}

#[cfg(trust8_simd)]
impl<E: Surveys> Surveying for Apart<E> {
    #[inline(always)]
    fn surveyor(self) -> impl Surveyor {
        self.0.surveyor()
    }
}

/// A conversion from one encoding into another, written once for all instruction sets.
///
/// A conversion appends only whole characters. It stops no later than the first malformed sequence,
/// the end of the text, or the first character that does not fit. It may stop a few hundred bytes
/// earlier.
pub(crate) trait Conversion {
    /// The maximum length of a short text, in vectors of 64 bytes. Shorter vectors may lower the
    /// maximum.
    const SHORT_VECTORS: usize = 0;

    /// Converts a short text, completely or not at all. Returns the number of bytes converted.
    #[cfg(trust8_simd)]
    #[inline(always)]
    fn short<S: ConvertOps>(_s: S, _text: &[u8], _out: &mut Output<'_>, _validator: impl Utf8Check) -> usize {
        0
    }

    /// Converts the start of a text and returns the number of bytes converted.
    #[cfg(trust8_simd)]
    fn long<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>, validator: impl Surveying) -> usize;

    /// The conversion whose `fill_rest` is called when `long` has stopped: this one, or one that
    /// accepts more texts.
    type Finisher: Conversion;

    /// Converts the part of a block that fits, after `long` has stopped. Returns the number of
    /// bytes converted.
    #[cfg(trust8_simd)]
    #[inline(always)]
    fn fill_rest<S: ConvertOps>(
        _s: S,
        _text: &[u8],
        _out: &mut Output<'_>,
        _validator: impl Utf8Check,
    ) -> usize {
        0
    }

    /// Like `long`, without vector operations.
    fn portable(text: &[u8], out: &mut Output<'_>) -> usize;
}

/// An engine that converts.
pub(crate) trait Converting: Searching + Surveys {
    /// Converts `text` if it is at most a few vectors long and the pair has a `short` function.
    /// Otherwise converts nothing. Returns the number of bytes read: all or none.
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Converts the start of `text` and returns the number of bytes converted.
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Converts the part that fits of a block, after `convert_long` has stopped because the block
    /// did not fit. Returns the number of bytes converted.
    fn fill_rest<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Returns the length that `M` measures.
    #[inline(always)]
    fn measure<M: Measure>(self, text: &[u8]) -> usize {
        M::portable(text)
    }
}

#[cfg(trust8_simd)]
impl<V: ConvertOps + Searching + Surveys> Converting for V {
    #[inline(always)]
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::short(self, text, out, Inlined(self))
    }

    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::long(self, text, out, Apart(self))
    }

    #[inline(always)]
    fn fill_rest<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::fill_rest(self, text, out, Apart(self))
    }

    #[inline(always)]
    fn measure<M: Measure>(self, text: &[u8]) -> usize {
        self.measured::<M>(text)
    }
}

impl Converting for Automaton {
    #[inline(always)]
    fn convert_short<C: Conversion>(self, _text: &[u8], _out: &mut Output<'_>) -> usize {
        0
    }

    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::portable(text, out)
    }

    #[inline(always)]
    fn fill_rest<C: Conversion>(self, _text: &[u8], _out: &mut Output<'_>) -> usize {
        0
    }
}

/// Converts the start of a text and returns the number of bytes converted; see [`Conversion`].
pub(crate) struct Convert<C>(PhantomData<C>);

impl<C> Convert<C> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

impl<C: Conversion, E: Converting> Job<E, &mut Output<'_>, usize> for Convert<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], out: &mut Output<'_>) -> usize {
        let read = engine.convert_short::<C>(text, out);
        if read == text.len() { read } else { engine.apart(LongConversion::<C>(PhantomData), text, out) }
    }
}

/// Like [`Convert`], for texts that are not short.
pub(crate) struct ConvertLong<C>(PhantomData<C>);

impl<C> ConvertLong<C> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

impl<C: Conversion, E: Converting> Job<E, &mut Output<'_>, usize> for ConvertLong<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], out: &mut Output<'_>) -> usize {
        engine.apart(LongConversion::<C>(PhantomData), text, out)
    }
}

/// The loop of both jobs, as a separate function: short texts need not spill registers for it, and
/// the program contains it once.
struct LongConversion<C>(PhantomData<C>);

impl<C: Conversion, E: Converting> Job<E, &mut Output<'_>, usize> for LongConversion<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], out: &mut Output<'_>) -> usize {
        let read = engine.convert_long::<C>(text, out);
        if read < text.len() && (1..=NEARLY_FULL_BYTES).contains(&out.left()) {
            return read + engine.apart(FillRest::<C::Finisher>(PhantomData), &text[read..], out);
        }
        read
    }
}

/// [`Converting::fill_rest`] as a separate function, so that it takes no registers from the
/// loops for long texts.
struct FillRest<C>(PhantomData<C>);

impl<C: Conversion, E: Converting> Job<E, &mut Output<'_>, usize> for FillRest<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], out: &mut Output<'_>) -> usize {
        engine.fill_rest::<C>(text, out)
    }
}

/// Returns the length that `M` measures.
pub(crate) struct Measured<M>(PhantomData<M>);

impl<M> Measured<M> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

impl<M: Measure, E: Converting> Job<E, (), usize> for Measured<M> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (): ()) -> usize {
        engine.measure::<M>(text)
    }
}

/// Reverses the bytes of each unit. The job takes the unit's size and the bytes, which it changes.
pub(crate) struct Swap;

impl<E> Job<E, (usize, &mut [u8]), ()> for Swap {
    #[inline(always)]
    fn run(_: E, _: &[u8], (unit, bytes): (usize, &mut [u8])) {
        swap_units(unit, bytes);
    }
}

/// Reverses the bytes of each unit of `unit` bytes: 2 or 4.
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

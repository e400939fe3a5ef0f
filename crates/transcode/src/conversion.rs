//! Conversions as jobs: written once, and compiled for each instruction set.

use core::marker::PhantomData;

#[cfg(trust8_simd)]
use trust8::engine::Validate;
#[cfg(trust8_simd)]
use trust8::engine::survey::Surveyor;
use trust8::engine::survey::Surveys;
use trust8::engine::{Automaton, Engine, Job, Output};
use trust8_counts::search::SearchOps;

#[cfg(trust8_simd)]
use crate::simd::ConvertOps;

/// The output counts as nearly full when at most this many bytes are left: the maximum output of
/// one block.
pub(crate) const NEARLY_FULL_BYTES: usize = 256;

/// The length of the longest vectors, in bytes.
const LONGEST_VECTOR_BYTES: usize = 64;

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

/// The engine's validation: a separate function if `APART`, for callers with loops, and otherwise
/// inlined.
#[cfg(trust8_simd)]
#[derive(Clone, Copy)]
struct Checked<E, const APART: bool>(E);

#[cfg(trust8_simd)]
impl<E: Engine, const APART: bool> Utf8Check for Checked<E, APART> {
    #[inline(always)]
    fn suspicion(self, bytes: &[u8]) -> Option<usize> {
        let verdict = if APART { self.0.apart(Validate, bytes, ()) } else { self.0.validate(bytes) };
        verdict.suspicion()
    }

    #[inline(always)]
    fn piece_continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        self.0.piece_continues(before, piece)
    }
}

#[cfg(trust8_simd)]
impl<E: Surveys, const APART: bool> Surveying for Checked<E, APART> {
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

    /// Converts a short text and returns whether it did. If not, its output does not count.
    #[cfg(trust8_simd)]
    #[inline(always)]
    fn short<S: ConvertOps>(_s: S, _text: &[u8], _out: &mut Output<'_>, _validator: impl Utf8Check) -> bool {
        false
    }

    /// Converts the start of a text and returns the number of bytes converted.
    #[cfg(trust8_simd)]
    fn long<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>, validator: impl Surveying) -> usize;

    /// Like `long`, without vector operations. The default converts nothing.
    #[inline(always)]
    fn portable(_text: &[u8], _out: &mut Output<'_>) -> usize {
        0
    }
}

/// An engine that converts.
pub(crate) trait Converting: Engine + SearchOps + Surveys {
    /// Converts a text of at most [`Conversion::SHORT_VECTORS`], or nothing. Returns whether it did.
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> bool;

    /// Converts the start of `text` and returns the number of bytes converted.
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize;
}

#[cfg(trust8_simd)]
impl<V: ConvertOps + Engine + SearchOps + Surveys> Converting for V {
    #[inline(always)]
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> bool {
        let mut fork = out.fork();
        let is_converted = C::short(self, text, fork.output(), Checked::<_, false>(self));
        if is_converted {
            fork.join();
        }
        is_converted
    }

    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut fork = out.fork();
        let read = C::long(self, text, fork.output(), Checked::<_, true>(self));
        fork.join();
        read
    }
}

impl Converting for Automaton {
    #[inline(always)]
    fn convert_short<C: Conversion>(self, _text: &[u8], _out: &mut Output<'_>) -> bool {
        false
    }

    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::portable(text, out)
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
        if text.len() <= LONGEST_VECTOR_BYTES * C::SHORT_VECTORS && engine.convert_short::<C>(text, out) {
            return text.len();
        }
        engine.apart(ConvertLong::<C>(PhantomData), text, out)
    }
}

/// The loop for texts that are not short, as a separate function: short texts need not spill
/// registers for it.
struct ConvertLong<C>(PhantomData<C>);

impl<C: Conversion, E: Converting> Job<E, &mut Output<'_>, usize> for ConvertLong<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], out: &mut Output<'_>) -> usize {
        engine.convert_long::<C>(text, out)
    }
}

/// Reverses the bytes of each unit. The job takes the unit's size, 2 or 4, and the bytes, which it
/// changes.
pub(crate) struct Swap;

impl<E> Job<E, (usize, &mut [u8]), ()> for Swap {
    #[inline(always)]
    fn run(_: E, _: &[u8], (unit, bytes): (usize, &mut [u8])) {
        if unit == 2 {
            bytes.as_chunks_mut::<2>().0.iter_mut().for_each(|unit| unit.reverse());
        } else {
            bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|unit| unit.reverse());
        }
    }
}

//! Conversions as jobs: written once, and compiled for each instruction set.

use core::marker::PhantomData;

use trust8::engine::{Automaton, Job, Output};

#[cfg(trust8_simd)]
use crate::simd::ConvertOps;

/// The output counts as nearly full when at most this many bytes are left: the maximum output of
/// one block.
pub(crate) const NEARLY_FULL_BYTES: usize = 256;

/// The length of the longest vectors, in bytes.
#[cfg(trust8_simd)]
const LONGEST_VECTOR_BYTES: usize = 64;

/// A conversion from one encoding into another, written once for all instruction sets.
///
/// A conversion appends only whole characters. It stops no later than the first malformed sequence,
/// the end of the text, or the first character that does not fit. It may stop a few hundred bytes
/// earlier.
pub(crate) trait Conversion {
    /// The maximum length of a short text, in vectors of 64 bytes. Shorter vectors may lower the
    /// maximum.
    #[cfg(trust8_simd)]
    const SHORT_VECTORS: usize = 0;

    /// Converts a short text and returns whether it did. If not, its output does not count.
    #[cfg(trust8_simd)]
    #[inline(always)]
    fn short<S: ConvertOps>(_s: S, _text: &[u8], _out: &mut Output<'_>) -> bool {
        false
    }

    /// Converts the start of a text and returns the number of bytes converted.
    #[cfg(trust8_simd)]
    fn long<S: ConvertOps>(s: S, text: &[u8], out: &mut Output<'_>) -> usize;

    /// Like `long`, without vector operations. The default converts nothing.
    #[inline(always)]
    fn portable(_text: &[u8], _out: &mut Output<'_>) -> usize {
        0
    }
}

/// Converts the start of a text and returns the number of bytes converted; see [`Conversion`].
pub(crate) struct Convert<C>(pub(crate) PhantomData<C>);

#[cfg(trust8_simd)]
impl<C: Conversion, S: ConvertOps> Job<S, &mut Output<'_>, usize> for Convert<C> {
    #[inline(always)]
    fn run(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
        if text.len() <= LONGEST_VECTOR_BYTES * C::SHORT_VECTORS {
            let mut fork = out.fork();
            if C::short(s, text, fork.output()) {
                fork.join();
                return text.len();
            }
        }
        s.apart(ConvertLong::<C>(PhantomData), text, out)
    }
}

impl<C: Conversion> Job<Automaton, &mut Output<'_>, usize> for Convert<C> {
    #[inline(always)]
    fn run(_: Automaton, text: &[u8], out: &mut Output<'_>) -> usize {
        C::portable(text, out)
    }
}

/// The loop for texts that are not short, as a separate function: short texts need not spill
/// registers for it.
#[cfg(trust8_simd)]
struct ConvertLong<C>(PhantomData<C>);

#[cfg(trust8_simd)]
impl<C: Conversion, S: ConvertOps> Job<S, &mut Output<'_>, usize> for ConvertLong<C> {
    #[inline(always)]
    fn run(s: S, text: &[u8], out: &mut Output<'_>) -> usize {
        let mut fork = out.fork();
        let read = C::long(s, text, fork.output());
        fork.join();
        read
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

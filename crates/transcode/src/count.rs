//! Counts of units, as loops that the compiler vectorises, or with AVX-512.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use trust8::engine::{Automaton, Job};
#[cfg(trust8_avx512)]
use trust8::engine::{Avx2, Avx512, Token};

/// The length of a text in another form.
pub(crate) trait Count: Sized {
    fn count(text: &[u8]) -> usize;

    /// The same with AVX-512. Compiled for AVX2, the loops are faster.
    #[cfg(trust8_avx512)]
    #[inline(always)]
    fn count_with_avx512(s: Avx512, text: &[u8]) -> usize {
        Avx2::on(s).apart(Counted::<Self>::JOB, text, ())
    }
}

/// An engine that counts.
pub(crate) trait Counts: Sized {
    /// Returns what `C` counts.
    #[inline(always)]
    fn count<C: Count>(self, text: &[u8]) -> usize {
        C::count(text)
    }
}

impl Counts for Automaton {}

/// Returns what `C` counts.
pub(crate) struct Counted<C>(PhantomData<C>);

impl<C> Counted<C> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

impl<C: Count, E: Counts> Job<E, (), usize> for Counted<C> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (): ()) -> usize {
        engine.count::<C>(text)
    }
}

//! Counts of units, as loops that the compiler vectorises, or with AVX-512.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use trust8::engine::Job;
#[cfg(trust8_avx512)]
use trust8::engine::{Avx2, Avx512, Token};

/// The length of a text in another form.
pub(crate) trait Count: Sized {
    fn count(text: &[u8]) -> usize;

    /// The same with AVX-512. Compiled for AVX2, the loops are faster.
    #[cfg(trust8_avx512)]
    #[inline(always)]
    fn count_with_avx512(s: Avx512, text: &[u8]) -> usize {
        Avx2::on(s).apart(Loop::<Self>::JOB, text, ())
    }
}

/// [`Count::count`] as a job.
pub(crate) struct Loop<C>(PhantomData<C>);

impl<C> Loop<C> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

impl<C: Count, E> Job<E, (), usize> for Loop<C> {
    #[inline(always)]
    fn run(_: E, text: &[u8], (): ()) -> usize {
        C::count(text)
    }
}

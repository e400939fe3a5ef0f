//! Counts of units, as loops that the compiler vectorises, or with AVX-512.

#![forbid(unsafe_code)]

#[cfg(trust8_avx512)]
use core::marker::PhantomData;

#[cfg(trust8_avx512)]
use trust8::engine::{Avx2, Avx512, Job, Token};

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
#[cfg(trust8_avx512)]
pub(crate) struct Loop<C>(PhantomData<C>);

#[cfg(trust8_avx512)]
impl<C> Loop<C> {
    pub(crate) const JOB: Self = Self(PhantomData);
}

#[cfg(trust8_avx512)]
impl<C: Count, E> Job<E, (), usize> for Loop<C> {
    #[inline(always)]
    fn run(_: E, text: &[u8], (): ()) -> usize {
        C::count(text)
    }
}

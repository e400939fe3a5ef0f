//! Counts of units, as loops that the compiler vectorises.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use trust8::engine::Job;

/// The length of a text in another form.
pub(crate) trait Count {
    fn count(text: &[u8]) -> usize;
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

//! The length of a text in another encoding.

#![forbid(unsafe_code)]

#[cfg(trust8_avx512)]
use core::marker::PhantomData;

#[cfg(trust8_avx512)]
use trust8::engine::{Avx2, Avx512, Job, Token};

/// The length of a text in another form.
pub(crate) trait Measure: Sized {
    /// The length, by loops that the compiler vectorises.
    fn portable(text: &[u8]) -> usize;

    /// Like `portable`, with AVX-512. Uses a special function, or the loops compiled for AVX2,
    /// which are faster than the same loops compiled for AVX-512.
    #[cfg(trust8_avx512)]
    #[inline(always)]
    fn avx512(s: Avx512, text: &[u8]) -> usize {
        Avx2::on(s).apart(PortableMeasure::<Self>(PhantomData), text, ())
    }
}

/// The loops of a [`Measure`], as a separate function.
#[cfg(trust8_avx512)]
struct PortableMeasure<M>(PhantomData<M>);

#[cfg(trust8_avx512)]
impl<T: Token, M: Measure> Job<T, (), usize> for PortableMeasure<M> {
    #[inline(always)]
    fn run(_: T, text: &[u8], (): ()) -> usize {
        M::portable(text)
    }
}

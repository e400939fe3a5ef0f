//! What trust8-profile imports of the library's module of this name.

#[cfg(trust8_avx512)]
pub(crate) use crate::simd::Avx512;
#[cfg(trust8_avx512)]
pub(crate) use crate::simd::x86::avx512;
pub(crate) use crate::simd::{Simd, Vectors};

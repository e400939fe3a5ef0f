//! The instruction sets of formulas, in the places where the library has its own.

#[path = "../../../../src/simd/mod.rs"]
#[expect(dead_code, reason = "operations that no proof needs, and what real instruction sets share")]
mod library;

pub(crate) mod asked;
pub(crate) mod symbolic;
pub(crate) mod traced;
pub(crate) mod x86 {
    //! The instruction sets of x86-64.

    pub(crate) mod avx2;
    pub(crate) mod avx512;
}

pub(crate) use library::{Job, Plain, Sealed, Simd, Token, Vectors};

pub(crate) use x86::avx2::Avx2;
pub(crate) use x86::avx512::Avx512;

//! AVX2 on formulas, for what the kernel for AVX-512 does with it.

use super::avx512::Avx512;
use crate::simd::symbolic::{Symbolic, X86};

pub(crate) type Avx2 = Symbolic<32, X86>;

impl Avx2 {
    pub(crate) fn on(_: Avx512) -> Self {
        Self
    }
}

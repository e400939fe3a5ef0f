//! Code that `tools/codegen/check.py --self-test` must refuse. Each function is wrong in one way.

#![crate_type = "lib"]

use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

type Function = fn(&[u8]) -> usize;

pub static FIRST: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());
pub static SECOND: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

/// It calls through two pointers.
#[unsafe(no_mangle)]
pub fn entry_two_pointers(bytes: &[u8]) -> usize {
    // SAFETY: none. This is compiled, never run.
    let [first, second] =
        [&FIRST, &SECOND].map(|f| unsafe { std::mem::transmute::<*mut (), Function>(f.load(Relaxed)) });
    first(bytes) + second(bytes)
}

/// The loop of a kernel is inlined here: the compiler turns it into vector code.
#[unsafe(no_mangle)]
pub fn entry_inlined_kernel(bytes: &[u8]) -> bool {
    bytes.iter().fold(0, |all, byte| all | byte) < 0x80
}

/// It has no vector code, but too many instructions.
#[unsafe(no_mangle)]
pub fn entry_long(bytes: &[u8; 40]) -> u64 {
    let mut state = 0_u64;
    for &byte in bytes {
        state = (state ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23);
    }
    state
}

/// It calls a function of another library.
#[unsafe(no_mangle)]
pub fn entry_calls_elsewhere(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

/// This function is compiled without the intrinsic's instruction set, so the intrinsic becomes a call.
#[cfg(target_arch = "x86_64")]
pub fn intrinsic_as_function(a: &[i64; 4]) -> [i64; 4] {
    use std::arch::x86_64::{__m256i, _mm256_shuffle_epi8};
    // SAFETY: none. This is compiled, never run.
    unsafe {
        let a = std::mem::transmute::<[i64; 4], __m256i>(*a);
        std::mem::transmute(_mm256_shuffle_epi8(a, a))
    }
}

/// This function is compiled without the intrinsic's instruction set, so the intrinsic becomes a call.
#[cfg(target_arch = "aarch64")]
pub fn intrinsic_as_function(a: &[u8; 16]) -> [u8; 16] {
    use std::arch::aarch64::{uint8x16_t, vaeseq_u8};
    // SAFETY: none. This is compiled, never run.
    unsafe {
        let a = std::mem::transmute::<[u8; 16], uint8x16_t>(*a);
        std::mem::transmute(vaeseq_u8(a, a))
    }
}

/// An instruction set with an operation that is not inlined.
pub mod simd {
    pub struct Set;

    impl Set {
        #[inline(never)]
        pub fn plus(&self, a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
            std::array::from_fn(|i| a[i].wrapping_add(b[i]))
        }
    }
}

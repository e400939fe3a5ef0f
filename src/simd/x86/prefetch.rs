//! Prefetches.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// Prefetches the line at `bytes[at]` into the first-level cache. `at` may be out of bounds.
#[inline(always)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    let line = bytes.as_ptr().wrapping_add(at);
    // SAFETY: SSE, which SSE2 includes, by build.rs. A prefetch is a hint: it neither faults nor
    // counts as an access.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
}

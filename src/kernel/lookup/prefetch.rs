//! Text that will be read soon, asked of the first-level cache while other text is checked.

#![forbid(unsafe_code)]

use crate::boundary::array_at;
use crate::simd::Simd;

/// One line in so many bytes is asked for: every second. The CPU brings the others by itself.
const DISTANCE: usize = 128;
/// A text of this length comes from the third-level cache. Loops that are fast enough for the second-level cache ask from there on.
pub(super) const FROM_THIRD_LEVEL: usize = 1 << 20;
/// A text of this length comes from memory. There requests hold up what is read, unless the CPU must be asked.
const FROM_MEMORY: usize = 32 << 20;

/// Returns whether it pays to ask for a text of `len` bytes.
#[inline(always)]
pub(super) fn pays<S: Simd>(s: S, len: usize) -> bool {
    len < FROM_MEMORY || s.must_be_asked()
}

/// Asks for `LEN` bytes at `at`, if there are as many. The loop is unrolled, as its length is known: if it were not, runs would take 3 %
/// longer.
#[inline(always)]
pub(super) fn ask_unrolled<S: Simd, const LEN: usize>(s: S, bytes: &[u8], at: usize) {
    if let Some(text) = array_at::<LEN>(bytes, at) {
        for k in 0..LEN / DISTANCE {
            s.prefetch(text, k * DISTANCE);
        }
    }
}

/// Asks for `len` bytes at `at`, in a loop. (One function for both took rare runs 5 % longer with SSE4.2.)
#[inline(always)]
pub(super) fn ask<S: Simd>(s: S, bytes: &[u8], at: usize, len: usize) {
    let mut line = at;
    while line < at + len {
        s.prefetch(bytes, line);
        line += DISTANCE;
    }
}

//! WebAssembly's SIMD: 16 bytes, in every module that is compiled with the feature `simd128`.
//!
//! An engine checks a module as a whole before any of it runs, and refuses it if it lacks the instructions.
//! So there is nothing to ask at run time, and the intrinsics are safe functions wherever the feature is
//! enabled for the whole target, which is when this file is compiled. Only loads, which take a pointer,
//! are not.

use core::arch::wasm32::*;

use super::{MOVE_DOWN, Simd, short_words};
use crate::faults::Found;
#[cfg(feature = "alloc")]
use crate::faults::Replaced;
use crate::inspect::{Counts, in_chunks};
use crate::lookup::{self, Run};
use crate::stream;
#[cfg(feature = "alloc")]
use crate::transcode::Output;
use crate::verdict::Verdict;

/// That there are the instructions. No proof is needed; see above.
#[derive(Clone, Copy)]
pub(crate) struct Simd128;

/// The kernel: decides by length.
pub(crate) fn validate(bytes: &[u8]) -> Verdict {
    if bytes.len() < lookup::LONG { lookup::short(Simd128, bytes) } else { long(bytes) }
}

/// The path for short input, whatever the length.
pub(crate) fn short(bytes: &[u8]) -> Verdict {
    lookup::short(Simd128, bytes)
}

/// The path for long input, out of line so that short input does not pay for its registers.
#[inline(never)]
pub(crate) fn long(bytes: &[u8]) -> Verdict {
    lookup::long(Simd128, bytes)
}

/// A piece of a stream.
pub(crate) fn goes_on(before: [u8; 4], bytes: &[u8]) -> bool {
    if !stream::is_short(bytes) {
        return stream::is_between_ascii(before, bytes) && validate(bytes).is_valid();
    }
    lookup::goes_on(Simd128, before, bytes)
}

/// `validate`, and what the text is made of.
pub(crate) fn inspect(bytes: &[u8]) -> (Verdict, Counts) {
    in_chunks(bytes, ascii, validate, count)
}

#[inline(never)]
fn ascii(bytes: &[u8]) -> (usize, usize) {
    lookup::ascii(Simd128, bytes)
}

#[inline(never)]
fn count(bytes: &[u8]) -> Counts {
    lookup::count(Simd128, bytes)
}

/// How many characters text has.
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    lookup::count_chars(Simd128, bytes)
}

/// How many UTF-16 units text has.
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    lookup::utf16_len(Simd128, bytes)
}

/// The way from fault to fault.
pub(crate) fn seek(bytes: &[u8], from: usize) -> Found {
    lookup::seek(Simd128, bytes, from)
}

/// The text behind a fault, with this and the next ones replaced.
#[cfg(feature = "alloc")]
pub(crate) fn replace(bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
    lookup::replace(Simd128, bytes, at, done, out)
}

// SAFETY: `v128` is integers side by side, with no padding.
unsafe impl Simd for Simd128 {
    type Vector = v128;
    const LANES: usize = 16;
    const ASCII_PAYS: usize = 16;

    #[inline(always)]
    fn splat(self, byte: u8) -> v128 {
        u8x16_splat(byte)
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> v128 {
        let from: &[u8] = &bytes[at..at + 16];
        // SAFETY: `from` has 16 bytes, and the load needs no alignment.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> v128 {
        let [low, high] = short_words(bytes);
        u64x2(low, high)
    }

    #[inline(always)]
    fn load_rest(self, bytes: &[u8]) -> v128 {
        let end = self.load(bytes, bytes.len() - 16);
        u8x16_swizzle(end, self.load(&MOVE_DOWN.0, 32 - bytes.len()))
    }

    #[inline(always)]
    fn ending_in(self, bytes: [u8; 4]) -> v128 {
        u32x4(0, 0, 0, u32::from_le_bytes(bytes))
    }

    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> v128 {
        self.load(entries, 0)
    }

    #[inline(always)]
    fn lookup(self, table: v128, indices: v128) -> v128 {
        u8x16_swizzle(table, indices)
    }

    #[inline(always)]
    fn earlier<const N: usize>(self, now: v128, before: v128) -> v128 {
        const { assert!(1 <= N && N <= 3) };
        // Sixteen bytes out of the 32 of `before` and `now`. Engines know these patterns: one instruction.
        match N {
            1 => u8x16_shuffle::<15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30>(before, now),
            2 => u8x16_shuffle::<14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29>(before, now),
            _ => u8x16_shuffle::<13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28>(before, now),
        }
    }

    #[inline(always)]
    fn high_nibbles(self, v: v128) -> v128 {
        u8x16_shr(v, 4)
    }

    #[inline(always)]
    fn low_nibbles(self, v: v128) -> v128 {
        self.and(v, self.splat(0x0F))
    }

    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn or(self, a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }

    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }

    #[inline(always)]
    fn max(self, a: v128, b: v128) -> v128 {
        u8x16_max(a, b)
    }

    #[inline(always)]
    fn min(self, a: v128, b: v128) -> v128 {
        u8x16_min(a, b)
    }

    #[inline(always)]
    fn minus(self, a: v128, b: v128) -> v128 {
        u8x16_sub_sat(a, b)
    }

    #[inline(always)]
    fn plus_signed(self, a: v128, b: v128) -> v128 {
        i8x16_add_sat(a, b)
    }

    #[inline(always)]
    fn minus_wrapping(self, a: v128, b: v128) -> v128 {
        u8x16_sub(a, b)
    }

    #[inline(always)]
    fn equal(self, a: v128, b: v128) -> v128 {
        u8x16_eq(a, b)
    }

    #[inline(always)]
    fn below_signed(self, a: v128, b: v128) -> v128 {
        i8x16_lt(a, b)
    }

    #[inline(always)]
    fn sum(self, v: v128) -> usize {
        // Pairs of bytes, pairs of those, and the four sums.
        let fours = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(v));
        let sum = u32x4_extract_lane::<0>(fours)
            + u32x4_extract_lane::<1>(fours)
            + u32x4_extract_lane::<2>(fours)
            + u32x4_extract_lane::<3>(fours);
        sum as usize
    }

    #[inline(always)]
    fn high_bits(self, v: v128) -> u64 {
        u64::from(u8x16_bitmask(v))
    }

    #[inline(always)]
    fn any_high(self, v: v128) -> bool {
        // Not `u8x16_bitmask(v) != 0`: that is one instruction on x86, but half a dozen on ARM.
        v128_any_true(self.and(v, self.splat(0x80)))
    }

    #[inline(always)]
    fn any(self, v: v128) -> bool {
        v128_any_true(v)
    }

    #[inline(never)]
    fn apart<R: Run>(self, bytes: &[u8], at: usize) -> Result<usize, usize> {
        R::run(self, bytes, at)
    }
}

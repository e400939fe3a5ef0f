//! NEON: 16 bytes, on every 64-bit ARM that is little-endian and has floating point, which is nearly all.

use core::arch::aarch64::*;

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

/// The proof that the CPU has NEON.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Neon {
    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// The kernel: decides by length.
#[target_feature(enable = "neon")]
pub(crate) fn validate(bytes: &[u8]) -> Verdict {
    if bytes.len() < lookup::LONG { lookup::short(Neon::new(), bytes) } else { long(bytes) }
}

/// The path for short input, whatever the length.
#[target_feature(enable = "neon")]
pub(crate) fn short(bytes: &[u8]) -> Verdict {
    lookup::short(Neon::new(), bytes)
}

/// The path for long input, out of line so that short input does not pay for its registers.
#[inline(never)]
#[target_feature(enable = "neon")]
pub(crate) fn long(bytes: &[u8]) -> Verdict {
    lookup::long(Neon::new(), bytes)
}

/// A piece of a stream.
#[target_feature(enable = "neon")]
pub(crate) fn goes_on(before: [u8; 4], bytes: &[u8]) -> bool {
    if !stream::is_short(bytes) {
        return stream::is_between_ascii(before, bytes) && validate(bytes).is_valid();
    }
    lookup::goes_on(Neon::new(), before, bytes)
}

/// The way from fault to fault.
#[target_feature(enable = "neon")]
pub(crate) fn seek(bytes: &[u8], from: usize) -> Found {
    lookup::seek(Neon::new(), bytes, from)
}

/// The text behind a fault, with this and the next ones replaced.
#[cfg(feature = "alloc")]
#[target_feature(enable = "neon")]
pub(crate) fn replace(bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
    lookup::replace(Neon::new(), bytes, at, done, out)
}

/// `validate`, and what the text is made of.
#[target_feature(enable = "neon")]
pub(crate) fn inspect(bytes: &[u8]) -> (Verdict, Counts) {
    in_chunks(bytes, |rest| ascii(rest), |chunk| validate(chunk), |chunk| count(chunk))
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn ascii(bytes: &[u8]) -> (usize, usize) {
    lookup::ascii(Neon::new(), bytes)
}

#[inline(never)]
#[target_feature(enable = "neon")]
fn count(bytes: &[u8]) -> Counts {
    lookup::count(Neon::new(), bytes)
}

/// How many characters text has.
#[target_feature(enable = "neon")]
pub(crate) fn count_chars(bytes: &[u8]) -> usize {
    lookup::count_chars(Neon::new(), bytes)
}

/// How many UTF-16 units text has.
#[target_feature(enable = "neon")]
pub(crate) fn utf16_len(bytes: &[u8]) -> usize {
    lookup::utf16_len(Neon::new(), bytes)
}

#[target_feature(enable = "neon")]
fn apart<R: Run>(bytes: &[u8], at: usize) -> Result<usize, usize> {
    R::run(Neon::new(), bytes, at)
}

/// Powers of two, for each half of a vector.
static POWERS: [u8; 16] = {
    let mut powers = [1; 16];
    let mut i = 0;
    while i < 16 {
        powers[i] = 1 << (i % 8);
        i += 1;
    }
    powers
};

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for NEON and was called on a CPU that has it.
// SAFETY: `uint8x16_t` is integers side by side, with no padding.
unsafe impl Simd for Neon {
    type Vector = uint8x16_t;
    const LANES: usize = 16;
    const ASCII_PAYS: usize = 16;

    #[inline(always)]
    fn splat(self, byte: u8) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vdupq_n_u8(byte) }
    }

    #[inline(always)]
    fn load(self, bytes: &[u8], at: usize) -> uint8x16_t {
        let from: &[u8] = &bytes[at..at + 16];
        // SAFETY: NEON, by `self`; `from` has 16 bytes, and the load needs no alignment.
        unsafe { vld1q_u8(from.as_ptr()) }
    }

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> uint8x16_t {
        let [low, high] = short_words(bytes);
        // SAFETY: NEON, by `self`.
        let low = unsafe { vcreate_u64(low) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vcreate_u64(high) };
        // SAFETY: NEON, by `self`.
        let words = unsafe { vcombine_u64(low, high) };
        // SAFETY: NEON, by `self`.
        unsafe { vreinterpretq_u8_u64(words) }
    }

    #[inline(always)]
    fn load_rest(self, bytes: &[u8]) -> uint8x16_t {
        let end = self.load(bytes, bytes.len() - 16);
        let indices = self.load(&MOVE_DOWN.0, 32 - bytes.len());
        // SAFETY: NEON, by `self`.
        unsafe { vqtbl1q_u8(end, indices) }
    }

    #[inline(always)]
    fn ending_in(self, bytes: [u8; 4]) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let zeros = unsafe { vdupq_n_u32(0) };
        // SAFETY: NEON, by `self`.
        let words = unsafe { vsetq_lane_u32::<3>(u32::from_le_bytes(bytes), zeros) };
        // SAFETY: NEON, by `self`.
        unsafe { vreinterpretq_u8_u32(words) }
    }

    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> uint8x16_t {
        self.load(entries, 0)
    }

    #[inline(always)]
    fn lookup(self, table: uint8x16_t, indices: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vqtbl1q_u8(table, indices) }
    }

    #[inline(always)]
    fn earlier<const N: usize>(self, now: uint8x16_t, before: uint8x16_t) -> uint8x16_t {
        const { assert!(1 <= N && N <= 3) };
        // EXT takes 16 bytes out of the 32 of `before` and `now`, from the given place on.
        match N {
            // SAFETY: NEON, by `self`.
            1 => unsafe { vextq_u8::<15>(before, now) },
            // SAFETY: NEON, by `self`.
            2 => unsafe { vextq_u8::<14>(before, now) },
            // SAFETY: NEON, by `self`.
            _ => unsafe { vextq_u8::<13>(before, now) },
        }
    }

    #[inline(always)]
    fn high_nibbles(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vshrq_n_u8::<4>(v) }
    }

    #[inline(always)]
    fn low_nibbles(self, v: uint8x16_t) -> uint8x16_t {
        self.and(v, self.splat(0x0F))
    }

    #[inline(always)]
    fn and(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vandq_u8(a, b) }
    }

    #[inline(always)]
    fn or(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vorrq_u8(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { veorq_u8(a, b) }
    }

    #[inline(always)]
    fn max(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vmaxq_u8(a, b) }
    }

    #[inline(always)]
    fn min(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vminq_u8(a, b) }
    }

    #[inline(always)]
    fn minus(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vqsubq_u8(a, b) }
    }

    #[inline(always)]
    fn plus_signed(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let a = unsafe { vreinterpretq_s8_u8(a) };
        // SAFETY: NEON, by `self`.
        let b = unsafe { vreinterpretq_s8_u8(b) };
        // SAFETY: NEON, by `self`.
        let sum = unsafe { vqaddq_s8(a, b) };
        // SAFETY: NEON, by `self`.
        unsafe { vreinterpretq_u8_s8(sum) }
    }

    #[inline(always)]
    fn high_bits(self, v: uint8x16_t) -> u64 {
        // There is no such operation; but a lane of ones, masked with the lane's number as a power of two, is the bit
        // where it belongs, and the sum of eight lanes is a byte of the result.
        let weights = self.load(&POWERS, 0);
        // SAFETY: NEON, by `self`.
        let signed = unsafe { vreinterpretq_s8_u8(v) };
        // SAFETY: NEON, by `self`.
        let ones = unsafe { vshrq_n_s8::<7>(signed) };
        // SAFETY: NEON, by `self`.
        let ones = unsafe { vreinterpretq_u8_s8(ones) };
        let bits = self.and(ones, weights);
        // SAFETY: NEON, by `self`.
        let low = unsafe { vget_low_u8(bits) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vget_high_u8(bits) };
        // SAFETY: NEON, by `self`. UADDV is the sum of all bytes, here without a carry.
        let low = unsafe { vaddv_u8(low) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vaddv_u8(high) };
        u64::from(low) | u64::from(high) << 8
    }

    #[inline(always)]
    fn minus_wrapping(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vsubq_u8(a, b) }
    }

    #[inline(always)]
    fn equal(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        unsafe { vceqq_u8(a, b) }
    }

    #[inline(always)]
    fn below_signed(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let a = unsafe { vreinterpretq_s8_u8(a) };
        // SAFETY: NEON, by `self`.
        let b = unsafe { vreinterpretq_s8_u8(b) };
        // SAFETY: NEON, by `self`.
        unsafe { vcltq_s8(a, b) }
    }

    #[inline(always)]
    fn sum(self, v: uint8x16_t) -> usize {
        // SAFETY: NEON, by `self`. UADDLV sums all bytes into 16 bits.
        let sum = unsafe { vaddlvq_u8(v) };
        usize::from(sum)
    }

    #[inline(always)]
    fn any_high(self, v: uint8x16_t) -> bool {
        // SAFETY: NEON, by `self`. UMAXV is the largest of all bytes.
        unsafe { vmaxvq_u8(v) >= 0x80 }
    }

    #[inline(always)]
    fn any(self, v: uint8x16_t) -> bool {
        // SAFETY: NEON, by `self`.
        unsafe { vmaxvq_u8(v) != 0 }
    }

    // Out of line here and not only below: where a function without the features calls one with them, as
    // here, the compiler (1.95) forgets the callee's `inline(never)`. What is left of this is a jump.
    #[inline(never)]
    fn apart<R: Run>(self, bytes: &[u8], at: usize) -> Result<usize, usize> {
        // SAFETY: `self` is the proof that the CPU has the features.
        unsafe { apart::<R>(bytes, at) }
    }
}

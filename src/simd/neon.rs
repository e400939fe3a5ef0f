//! NEON: vectors of 16 bytes, on every 64-bit Arm CPU with floating point, which is nearly all of
//! them.

use core::arch::aarch64::*;

use super::{Neon, Plain, Simd, Vectors, short_words};

/// In each half of a vector, the power of two of the lane's number.
static POWERS: [u8; 16] = {
    let mut powers = [1; 16];
    let mut i = 0;
    while i < 16 {
        powers[i] = 1 << (i % 8);
        i += 1;
    }
    powers
};

// SAFETY: it is sixteen integers side by side.
unsafe impl Plain for uint8x16_t {}

impl Neon {
    /// Returns, in each lane whose bit 7 is set in `v`, the lane's power of two, which is its bit
    /// in `high_bits`.
    #[inline(always)]
    fn weighted(self, v: uint8x16_t) -> uint8x16_t {
        // SAFETY: NEON, by `self`.
        let signed = unsafe { vreinterpretq_s8_u8(v) };
        // SAFETY: NEON, by `self`.
        let ones = unsafe { vcltzq_s8(signed) };
        self.and(ones, self.load(&POWERS, 0))
    }
}

// Each SAFETY comment below rests on this: `self` exists, so this code runs inside a function that
// is compiled for NEON, and was called on a CPU that has it.
impl Vectors for Neon {
    type Vector = uint8x16_t;
    const LANES: usize = 16;

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
    fn plus_signed_saturating(self, a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
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
        // No instruction does this. The sum of eight weighted lanes is one byte of the result.
        let bits = self.weighted(v);
        // SAFETY: NEON, by `self`.
        let low = unsafe { vget_low_u8(bits) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vget_high_u8(bits) };
        // SAFETY: NEON, by `self`. ADDV sums all bytes; here no bit carries.
        let low = unsafe { vaddv_u8(low) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vaddv_u8(high) };
        u64::from(low) | u64::from(high) << 8
    }

    #[inline(always)]
    fn any_high_bit(self, v: uint8x16_t) -> bool {
        // SAFETY: NEON, by `self`. UMAXV returns the largest byte.
        unsafe { vmaxvq_u8(v) >= 0x80 }
    }

    #[inline(always)]
    fn any(self, v: uint8x16_t) -> bool {
        // SAFETY: NEON, by `self`.
        unsafe { vmaxvq_u8(v) != 0 }
    }

    intrinsics! {
        // NEON.
        fn splat(byte: u8) -> uint8x16_t = vdupq_n_u8(byte);
        fn and(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vandq_u8(a, b);
        fn or(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vorrq_u8(a, b);
        fn max(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vmaxq_u8(a, b);
        fn min(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vminq_u8(a, b);
        fn minus_saturating(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vqsubq_u8(a, b);
    }
}

impl Simd for Neon {
    const ASCII_TEST_FROM: usize = 16;

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
    fn high_bits_of_64(self, bytes: &[u8], at: usize) -> u64 {
        let weighted = |k: usize| self.weighted(self.load(bytes, at + 16 * k));
        // ADDP adds neighbours: first lanes, then pairs, then fours.
        // SAFETY: NEON, by `self`.
        let low = unsafe { vpaddq_u8(weighted(0), weighted(1)) };
        // SAFETY: NEON, by `self`.
        let high = unsafe { vpaddq_u8(weighted(2), weighted(3)) };
        // SAFETY: NEON, by `self`.
        let fours = unsafe { vpaddq_u8(low, high) };
        // SAFETY: NEON, by `self`.
        let eights = unsafe { vpaddq_u8(fours, fours) };
        // SAFETY: NEON, by `self`.
        let eights = unsafe { vreinterpretq_u64_u8(eights) };
        // SAFETY: NEON, by `self`.
        unsafe { vgetq_lane_u64::<0>(eights) }
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

    intrinsics! {
        // NEON.
        fn lookup(table: uint8x16_t, indices: uint8x16_t) -> uint8x16_t =
            vqtbl1q_u8(table, indices);
        fn high_nibbles(v: uint8x16_t) -> uint8x16_t = vshrq_n_u8::<4>(v);
        fn xor(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = veorq_u8(a, b);
        fn minus_wrapping(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vsubq_u8(a, b);
        fn equal(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vceqq_u8(a, b);
        // UMAXP takes the larger of two neighbours.
        fn halve(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t = vpmaxq_u8(a, b);
    }
}

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
        self.and(self.negative(v), self.load(&POWERS, 0))
    }

    compiled! { Neon
        /// Returns FF where bit 7 is set, and 00 elsewhere.
        fn negative(v: uint8x16_t) -> uint8x16_t { vcltzq_s8(vreinterpretq_s8_u8(v)) }

        /// Returns the sum of the lower eight bytes, and that of the upper eight. None carries.
        fn sums_of_halves(v: uint8x16_t) -> [u8; 2] { [vaddv_u8(vget_low_u8(v)), vaddv_u8(vget_high_u8(v))] }

        /// Adds neighbours: first lanes, then pairs, then fours.
        fn sums_of_eights(vectors: [uint8x16_t; 4]) -> u64 {
            let [a, b, c, d] = vectors;
            let fours = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(fours, fours)))
        }
    }
}

impl Vectors for Neon {
    type Vector = uint8x16_t;
    const LANES: usize = 16;

    #[inline(always)]
    fn high_bits(self, v: uint8x16_t) -> u64 {
        // No instruction does this. The sum of eight weighted lanes is one byte of the result.
        u16::from_le_bytes(self.sums_of_halves(self.weighted(v))).into()
    }

    compiled! { Neon
        fn load_short(bytes: &[u8]) -> uint8x16_t {
            let [low, high] = short_words(bytes);
            vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(low), vcreate_u64(high)))
        }

        fn plus_signed_saturating(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vreinterpretq_u8_s8(vqaddq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b)))
        }

        fn any_high_bit(v: uint8x16_t) -> bool {
            // UMAXV returns the largest byte.
            vmaxvq_u8(v) >= 0x80
        }

        fn any(v: uint8x16_t) -> bool { vmaxvq_u8(v) != 0 }
        fn splat(byte: u8) -> uint8x16_t { vdupq_n_u8(byte) }
        fn and(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vandq_u8(a, b) }
        fn or(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vorrq_u8(a, b) }
        fn max(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vmaxq_u8(a, b) }
        fn min(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vminq_u8(a, b) }
        fn minus_saturating(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vqsubq_u8(a, b) }
    }
}

impl Simd for Neon {
    #[inline(always)]
    fn high_bits_of_64(self, bytes: &[u8], at: usize) -> u64 {
        let weighted = |k: usize| self.weighted(self.load(bytes, at + 16 * k));
        self.sums_of_eights([weighted(0), weighted(1), weighted(2), weighted(3)])
    }

    compiled! { Neon
        fn ending_in(bytes: [u8; 4]) -> uint8x16_t {
            let zeros = vdupq_n_u32(0);
            let words = vsetq_lane_u32::<3>(u32::from_le_bytes(bytes), zeros);
            vreinterpretq_u8_u32(words)
        }

        fn earlier<const N: usize>(now: uint8x16_t, before: uint8x16_t) -> uint8x16_t {
            const { assert!(1 <= N && N <= 3) };
            // EXT takes 16 bytes out of the 32 of `before` and `now`, from the given place on.
            match N {
                1 => vextq_u8::<15>(before, now),
                2 => vextq_u8::<14>(before, now),
                _ => vextq_u8::<13>(before, now),
            }
        }

        fn below_signed(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
            vcltq_s8(vreinterpretq_s8_u8(a), vreinterpretq_s8_u8(b))
        }

        fn sum(v: uint8x16_t) -> usize {
            // UADDLV sums all bytes into 16 bits.
            let sum = vaddlvq_u8(v);
            usize::from(sum)
        }
        fn lookup(table: uint8x16_t, indices: uint8x16_t) -> uint8x16_t { vqtbl1q_u8(table, indices) }
        fn nibbles_at<const BIT: i32>(v: uint8x16_t) -> uint8x16_t { vandq_u8(vshrq_n_u8::<BIT>(v), vdupq_n_u8(0x0F)) }
        fn xor(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { veorq_u8(a, b) }
        fn minus_wrapping(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vsubq_u8(a, b) }
        fn mean(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vrhaddq_u8(a, b) }
        fn equal(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vceqq_u8(a, b) }
        // UMAXP takes the larger of two neighbours.
        fn halve(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t { vpmaxq_u8(a, b) }
    }
}

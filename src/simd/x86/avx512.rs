//! AVX-512 with VBMI, VBMI2, VPOPCNTDQ and GFNI: vectors of 64 bytes, from Ice Lake (2019) and Zen
//! 4 (2022) on.
//!
//! This file has the operations; the algorithms are in `kernel/bitplanes/`.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::prefetch::prefetch;
use crate::simd::{Avx512, Plain, Vectors, read};

/// 64 bytes, or 512 bits.
pub type Vector = __m512i;

// SAFETY: it is integers side by side.
unsafe impl Plain for Vector {}

/// It is certainly in mapped memory, because it holds a pointer that the loader relocates.
#[repr(align(64))]
struct InMemory(#[expect(dead_code, reason = "it only has to be there")] &'static u8);

/// Dummy address for empty masked loads.
///
/// An empty slice may have an unmapped address. A fully masked load from there is allowed, but
/// takes 20 ns. An address on the stack is no better: the load would wait for a recent store to it.
static NOTHING: InMemory = InMemory(&0);

impl Vectors for Avx512 {
    type Vector = Vector;
    const LANES: usize = 64;

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> Vector {
        assert!(bytes.len() < 64);
        self.load_up_to_64(bytes)
    }

    compiled! { Avx512
        fn splat(byte: u8) -> Vector { _mm512_set1_epi8(byte as i8) }

        fn any(v: Vector) -> bool { _mm512_test_epi64_mask(v, v) != 0 }
        fn or(a: Vector, b: Vector) -> Vector { _mm512_or_si512(a, b) }
        fn and(a: Vector, b: Vector) -> Vector { _mm512_and_si512(a, b) }

        fn max(a: Vector, b: Vector) -> Vector { _mm512_max_epu8(a, b) }
        fn min(a: Vector, b: Vector) -> Vector { _mm512_min_epu8(a, b) }
        fn minus_saturating(a: Vector, b: Vector) -> Vector { _mm512_subs_epu8(a, b) }
        fn plus_signed_saturating(a: Vector, b: Vector) -> Vector { _mm512_adds_epi8(a, b) }
        fn high_bits(v: Vector) -> u64 { _mm512_movepi8_mask(v) }
    }
}

impl Avx512 {
    /// Returns the first four bytes of `v`, and `v` without them, with those four at the end.
    #[inline(always)]
    pub fn split_four(self, v: Vector) -> ([u8; 4], Vector) {
        // In a `compiled!` row, LLVM extracts each byte from the vector, which takes longer.
        (self.first_dword(v).to_le_bytes(), self.rotated_dwords(v))
    }

    /// Returns four times 16 bytes of the text, one from each position.
    ///
    /// It panics if this is out of bounds.
    #[inline(always)]
    pub fn load_by_sixteen(self, bytes: &[u8], places: [usize; 4]) -> Vector {
        let [a, b, c, d] = places;
        self.of_quarters(read(bytes, a), read(bytes, b), read(bytes, c), read(bytes, d))
    }

    /// Returns the first 64 bytes of `bytes`, with zeros after the last one.
    #[inline(always)]
    pub fn load_up_to_64(self, bytes: &[u8]) -> Vector {
        let from = if bytes.is_empty() { (&raw const NOTHING).cast() } else { bytes.as_ptr().cast() };
        let mask = if bytes.len() < 64 { (1 << bytes.len()) - 1 } else { u64::MAX };
        // SAFETY: AVX512BW, by `self`. The mask has ones only for bytes below `bytes.len()`, so none for `NOTHING`. A byte whose bit
        // in the mask is zero is not accessed.
        unsafe { _mm512_maskz_loadu_epi8(mask, from) }
    }

    /// Regroups the bytes of each lane of 16 bits of `a` and `b`. The first result has the low byte
    /// of `a` above the high byte of `b`, and the second the high byte of `a` above the low byte of
    /// `b`.
    #[inline(always)]
    pub fn regroup_8(self, a: Vector, b: Vector) -> (Vector, Vector) {
        (self.funnel_8_in_16(a, b), self.select(self.splat64(0xFF00_FF00_FF00_FF00), a, b))
    }

    /// Does the same as `regroup_8`, with halves of 16 bits in lanes of 32.
    #[inline(always)]
    pub fn regroup_16(self, a: Vector, b: Vector) -> (Vector, Vector) {
        (self.funnel_16_in_32(a, b), self.select(self.splat64(0xFFFF_0000_FFFF_0000), a, b))
    }

    /// Does the same as `regroup_8`, with halves of 32 bits in lanes of 64.
    #[inline(always)]
    pub fn regroup_32(self, a: Vector, b: Vector) -> (Vector, Vector) {
        (self.funnel_32_in_64(a, b), self.select(self.splat64(0xFFFF_FFFF_0000_0000), a, b))
    }

    /// Returns 1 in each byte, for [`count_where`](Self::count_where).
    ///
    /// The compiler must not know the value. It would turn a masked addition of known ones into two
    /// instructions: one that makes a vector of the mask, and one that subtracts it.
    #[inline(always)]
    pub fn opaque_ones(self) -> Vector {
        core::hint::black_box(self.splat(1))
    }

    /// Prefetches the line at `bytes[at]`. Does nothing if `at` is out of bounds.
    #[inline(always)]
    pub fn prefetch(self, bytes: &[u8], at: usize) {
        prefetch(bytes, at);
    }

    compiled! { Avx512
        fn of_quarters(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> Vector {
            let v = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(v, c), d)
        }

        fn funnel_8_in_16(a: Vector, b: Vector) -> Vector { _mm512_shldi_epi16::<8>(a, b) }
        fn funnel_16_in_32(a: Vector, b: Vector) -> Vector { _mm512_shldi_epi32::<16>(a, b) }
        fn funnel_32_in_64(a: Vector, b: Vector) -> Vector { _mm512_shldi_epi64::<32>(a, b) }

        /// Returns in each lane of 64 bits the sum of its eight bytes.
        // VPSADBW sums differences, here from zero.
        pub fn sums_of_bytes(bytes: Vector) -> Vector { _mm512_sad_epu8(bytes, _mm512_setzero_si512()) }

        /// Returns the first `len` bytes of `v` and then those of `more`.
        pub fn append(v: Vector, len: usize, more: Vector) -> Vector {
            let after = u64::MAX.checked_shl(len as u32).unwrap_or(0);
            _mm512_mask_expand_epi8(v, after, more)
        }

        fn first_dword(v: Vector) -> i32 { _mm_cvtsi128_si32(_mm512_castsi512_si128(v)) }
        fn rotated_dwords(v: Vector) -> Vector { _mm512_alignr_epi32::<1>(v, v) }

        /// Returns a vector whose last four bytes are `bytes`. The others are unspecified.
        pub fn ending_in(bytes: [u8; 4]) -> Vector {
            // The same four bytes in all lanes of 32 bits, which is one instruction.
            _mm512_set1_epi32(i32::from_le_bytes(bytes))
        }

        /// Returns the first `n` bytes of `v`, and zeros after them. `n` is below 64.
        pub fn first_bytes(v: Vector, n: usize) -> Vector {
            let mask = (1u64 << (n & 63)) - 1;
            _mm512_maskz_mov_epi8(mask, v)
        }

        /// Returns `lane` in each of the eight lanes of 64 bits.
        pub fn splat64(lane: u64) -> Vector { _mm512_set1_epi64(lane as i64) }

        /// Returns `lane` in each of the four lanes of 128 bits.
        pub fn splat128(lane: u128) -> Vector {
            let (low, high) = (lane as i64, (lane >> 64) as i64);
            _mm512_set4_epi64(high, low, high, low)
        }

        /// Returns `table[index & 63]` for each byte of `indices` that is at least `least`, and zero
        /// for the others.
        pub fn lookup_from(table: Vector, indices: Vector, least: Vector) -> Vector {
            let mask = _mm512_cmpge_epu8_mask(indices, least);
            _mm512_maskz_permutexvar_epi8(mask, indices, table)
        }

        /// Returns the bytes one, two and three positions before those of `now`. The end of `before`
        /// comes before `now`. The bytes two positions before are also shifted up by one bit, and those
        /// three positions before by two bits. (A bit that leaves the top of a byte becomes a lowest
        /// bit of the byte after it.)
        ///
        /// AVX-512 has no shift of bytes across a whole register. But VALIGNQ moves each lane of 64
        /// bits to the next lane, and a funnel shift (VPSHLDQ) takes the incoming bits from there.
        pub fn earlier_and_up(now: Vector, before: Vector) -> [Vector; 3] {
            let lanes = _mm512_alignr_epi64::<7>(now, before);
            let by1 = _mm512_shldi_epi64::<8>(now, lanes);
            let by2 = _mm512_shldi_epi64::<17>(now, lanes);
            let by3 = _mm512_shldi_epi64::<26>(now, lanes);
            [by1, by2, by3]
        }

        /// Returns the sum of all lanes of 64 bits.
        pub fn sum_of_lanes(lanes: Vector) -> u64 {
            let total = _mm512_reduce_add_epi64(lanes);
            total.cast_unsigned()
        }
        /// Returns planes of the text, separately for each group of eight bytes. Each byte of `planes`
        /// has a single one, which selects a plane: the same byte of the result gathers that bit of the
        /// group's eight bytes of `text`. The first byte's bit is the highest.
        ///
        /// GF2P8AFFINEQB multiplies a matrix of 8x8 bits by vectors of eight bits. Here the *text* is
        /// the matrix, and each vector has a single one, which picks a column of the matrix. So the
        /// instruction transposes.
        pub fn pick_planes(planes: Vector, text: Vector) -> Vector {
            _mm512_gf2p8affine_epi64_epi8::<0>(planes, text)
        }

        /// Returns the bytes of `v` for which `mask` has a one, packed together, and zeros after them.
        pub fn compress(v: Vector, mask: u64) -> Vector { _mm512_maskz_compress_epi8(mask, v) }

        /// Returns zeros.
        pub fn zero() -> Vector { _mm512_setzero_si512() }

        /// Returns a Boolean function of `a`, `b` and `c`, bit by bit. `TABLE` is its truth table; see
        /// `truth!`.
        pub fn ternary<const TABLE: i32>(a: Vector, b: Vector, c: Vector) -> Vector {
            _mm512_ternarylogic_epi64::<TABLE>(a, b, c)
        }

        /// Returns `a` without the bits of `b`.
        // VPANDNQ inverts its first operand.
        pub fn without(a: Vector, b: Vector) -> Vector { _mm512_andnot_si512(b, a) }

        /// Shifts each lane of 64 bits right by `N`.
        pub fn shift_right<const N: u32>(v: Vector) -> Vector { _mm512_srli_epi64::<N>(v) }

        /// Shifts each lane of 64 bits left by `N`.
        pub fn shift_left<const N: u32>(v: Vector) -> Vector { _mm512_slli_epi64::<N>(v) }

        /// Returns the bits of `a` where `mask` has ones, and those of `b` where it has zeros.
        ///
        /// (A blend with a mask register would also work. But moving a mask into such a register takes
        /// the port that shuffles and transpositions need.)
        // 0xCA is the truth table of `if mask { a } else { b }`.
        fn select(mask: Vector, a: Vector, b: Vector) -> Vector {
            _mm512_ternarylogic_epi64::<0xCA>(mask, a, b)
        }

        /// Returns `a + b` in each lane of 64 bits.
        pub fn plus64(a: Vector, b: Vector) -> Vector { _mm512_add_epi64(a, b) }

        /// Returns `table[index & 63]` for each byte of `indices`.
        // VPERMB uses the low six bits of an index.
        pub fn lookup(table: Vector, indices: Vector) -> Vector { _mm512_permutexvar_epi8(indices, table) }

        /// Shifts each lane of 16 bits right by four. The low bits of its upper byte become the high
        /// bits of its lower byte.
        pub fn shift_right_4_in_16(v: Vector) -> Vector { _mm512_srli_epi16::<4>(v) }

        /// Returns a one for each byte that is not zero. The first byte's is the lowest bit.
        pub fn not_zero(v: Vector) -> u64 { _mm512_test_epi8_mask(v, v) }

        /// Returns a one for each byte in which `a` and `b` have no bit in common. The first byte's is
        /// the lowest bit.
        pub fn disjoint(a: Vector, b: Vector) -> u64 { _mm512_testn_epi8_mask(a, b) }

        /// Returns a one for each byte of `a` that is below that of `b`, as signed numbers.
        pub fn below_signed(a: Vector, b: Vector) -> u64 { _mm512_cmplt_epi8_mask(a, b) }

        /// Returns a one for each byte of `a` that is at least that of `b`, as unsigned numbers.
        pub fn at_least(a: Vector, b: Vector) -> u64 { _mm512_cmpge_epu8_mask(a, b) }

        /// Returns a one for each byte of `a` that equals that of `b`.
        pub fn equal(a: Vector, b: Vector) -> u64 { _mm512_cmpeq_epi8_mask(a, b) }

        /// Adds one to each byte of `counts` for which `mask` has a one. `ones` are the
        /// [`opaque_ones`](Self::opaque_ones).
        pub fn count_where(counts: Vector, mask: u64, ones: Vector) -> Vector {
            _mm512_mask_add_epi8(counts, mask, counts, ones)
        }

        /// Returns `a + b` of bytes, modulo 256.
        pub fn plus(a: Vector, b: Vector) -> Vector { _mm512_add_epi8(a, b) }
    }
}

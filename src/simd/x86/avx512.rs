//! AVX-512 with VBMI, VBMI2, VPOPCNTDQ and GFNI: 64 bytes, from Ice Lake (2019) and Zen 4 (2022) on.
//!
//! The algorithms are in `kernel/bitplanes/`; these are the operations they are made of.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
#[cfg(feature = "alloc")]
use core::mem::MaybeUninit;

#[cfg(feature = "alloc")]
use crate::output::Output;
use crate::simd::{Routine, Token};

/// 64 bytes, or 512 bits.
pub(crate) type Vector = __m512i;

/// The proof that the CPU has AVX-512 F, BW, VL, VBMI, VBMI2 and VPOPCNTDQ, GFNI, and what came before those.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

// Each SAFETY below rests on this: `self` exists, so this code runs inside a function that is
// compiled for the features above and was called on a CPU that has them.
impl Avx512 {
    #[inline]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
    )]
    pub(crate) fn new() -> Self {
        Self(())
    }

    /// In each group of eight bytes: byte j of the result has the bits of the text's eight bytes that
    /// `planes`, in its byte j, has a one for; the bit of the first text byte on top.
    ///
    /// GF2P8AFFINEQB multiplies vectors of bits by an 8x8 matrix of bits. Used the other way round, with
    /// the *text* as the matrix, and for vectors bytes with a single one, it picks columns: it
    /// transposes.
    #[inline(always)]
    pub(crate) fn pick_planes(self, planes: Vector, text: Vector) -> Vector {
        // SAFETY: GFNI and AVX512F, by `self`.
        unsafe { _mm512_gf2p8affine_epi64_epi8::<0>(planes, text) }
    }

    /// For each lane of 64 bits, how many of them are set.
    #[inline(always)]
    pub(crate) fn count_ones(self, v: Vector) -> Vector {
        // SAFETY: AVX512VPOPCNTDQ, by `self`.
        unsafe { _mm512_popcnt_epi64(v) }
    }

    /// `bytes[at..at + 64]`. Panics where that is out of bounds; the callers' lengths are such that
    /// the compiler sees it never is.
    #[inline(always)]
    pub(crate) fn load(self, bytes: &[u8], at: usize) -> Vector {
        let from: &[u8] = &bytes[at..at + 64];
        // SAFETY: AVX512F, by `self`; `from` has 64 bytes, and the load needs no alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    /// `bytes`, fewer than 64, then zeros. (Of more, too few would be loaded: that there are fewer is the callers'
    /// duty, and what they call valid rests on it.)
    #[inline(always)]
    pub(crate) fn load_short(self, bytes: &[u8]) -> Vector {
        debug_assert!(bytes.len() < 64);
        let mask = (1u64 << (bytes.len() & 63)) - 1;
        // SAFETY: AVX512BW, by `self`; the mask has ones for bytes below `bytes.len()` only (and for
        // fewer of them, should there be 64 or more), and bytes whose bit is zero are not accessed.
        unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
    }

    /// Some bytes, and then these four.
    #[inline(always)]
    pub(crate) fn ending_in(self, bytes: [u8; 4]) -> Vector {
        // The same ones again and again: that is one instruction.
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi32(i32::from_le_bytes(bytes)) }
    }

    /// The first `n` bytes, then zeros; `n` is below 64.
    #[inline(always)]
    pub(crate) fn first(self, v: Vector, n: usize) -> Vector {
        let mask = (1u64 << (n & 63)) - 1;
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_maskz_mov_epi8(mask, v) }
    }

    #[inline(always)]
    pub(crate) fn zero(self) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_setzero_si512() }
    }

    /// `byte` in all 64 bytes.
    #[inline(always)]
    pub(crate) fn splat(self, byte: u8) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi8(byte as i8) }
    }

    /// `lane` in all eight lanes of 64 bits.
    #[inline(always)]
    pub(crate) fn splat64(self, lane: u64) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi64(lane as i64) }
    }

    /// A Boolean function of three, bit by bit. VPTERNLOGQ takes its truth table; see `truth!`.
    #[inline(always)]
    pub(crate) fn ternary<const TABLE: i32>(self, a: Vector, b: Vector, c: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_ternarylogic_epi64::<TABLE>(a, b, c) }
    }

    #[inline(always)]
    pub(crate) fn or(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_or_si512(a, b) }
    }

    #[inline(always)]
    pub(crate) fn and(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_and_si512(a, b) }
    }

    /// `b` without the bits of `a`.
    #[inline(always)]
    pub(crate) fn without(self, b: Vector, a: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_andnot_si512(a, b) }
    }

    /// The larger of each two bytes, as unsigned numbers.
    #[inline(always)]
    pub(crate) fn max(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_max_epu8(a, b) }
    }

    /// The smaller of each two bytes, as unsigned numbers.
    #[inline(always)]
    pub(crate) fn min(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_min_epu8(a, b) }
    }

    /// `a - b` byte by byte as unsigned numbers, and 0 where that would be negative.
    #[inline(always)]
    pub(crate) fn minus(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_subs_epu8(a, b) }
    }

    /// `a + b` byte by byte as signed numbers, and 127 where that would be more.
    #[inline(always)]
    pub(crate) fn plus_signed(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_adds_epi8(a, b) }
    }

    /// `table[index & 63]` for each byte.
    #[inline(always)]
    pub(crate) fn lookup(self, table: Vector, indices: Vector) -> Vector {
        // SAFETY: AVX512VBMI, by `self`. VPERMB looks at the low six bits of an index.
        unsafe { _mm512_permutexvar_epi8(indices, table) }
    }

    /// `table[index & 63]` for each byte that is at least `least`, and zero for the others.
    #[inline(always)]
    pub(crate) fn lookup_from(self, table: Vector, indices: Vector, least: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        let mask = unsafe { _mm512_cmpge_epu8_mask(indices, least) };
        // SAFETY: AVX512VBMI, by `self`.
        unsafe { _mm512_maskz_permutexvar_epi8(mask, indices, table) }
    }

    /// Each 16 bits of `v` by four to the right. Bits from the upper byte arrive in the lower one.
    #[inline(always)]
    pub(crate) fn shift_right_4_in_16(self, v: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_srli_epi16::<4>(v) }
    }

    /// Each lane of 64 bits by `N` to the right, zeros coming in.
    #[inline(always)]
    pub(crate) fn shift_right<const N: u32>(self, v: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_srli_epi64::<N>(v) }
    }

    /// Each lane of 64 bits by `N` to the left, zeros coming in.
    #[inline(always)]
    pub(crate) fn shift_left<const N: u32>(self, v: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_slli_epi64::<N>(v) }
    }

    /// What stands one, two and three bytes earlier, the end of `before` and then the beginning of `now`;
    /// and of that, two bytes earlier also one bit further up, three bytes earlier two bits. (Bits that
    /// leave a byte arrive in its neighbour's lowest.)
    ///
    /// There is no byte shift across a whole register. But `lanes` (VALIGNQ) has on the left of each
    /// lane of 64 bits the one before it, and a funnel shift (VPSHLDQ) takes its upper bits from there.
    #[inline(always)]
    pub(crate) fn earlier_and_up(self, now: Vector, before: Vector) -> [Vector; 3] {
        // SAFETY: AVX512F, by `self`.
        let lanes = unsafe { _mm512_alignr_epi64::<7>(now, before) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by1 = unsafe { _mm512_shldi_epi64::<8>(now, lanes) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by2 = unsafe { _mm512_shldi_epi64::<17>(now, lanes) };
        // SAFETY: AVX512VBMI2, by `self`.
        let by3 = unsafe { _mm512_shldi_epi64::<26>(now, lanes) };
        [by1, by2, by3]
    }

    /// `a` where `mask` has ones, `b` where it has zeros.
    ///
    /// (The blends that take a mask register would do as well, but moving their masks to and from such
    /// registers takes the port that shuffles and transpositions need.)
    #[inline(always)]
    fn select(self, mask: Vector, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`. 0xCA is the truth table of `if mask { a } else { b }`.
        unsafe { _mm512_ternarylogic_epi64::<0xCA>(mask, a, b) }
    }

    /// For each 16 bits of `a` and `b`: the low byte of `a` above the high one of `b`; and the high byte of
    /// `a` above the low one of `b`. Together: all four, sorted anew.
    #[inline(always)]
    pub(crate) fn regroup_8(self, a: Vector, b: Vector) -> (Vector, Vector) {
        // SAFETY: AVX512VBMI2, by `self`.
        let inner = unsafe { _mm512_shldi_epi16::<8>(a, b) };
        (inner, self.select(self.splat64(0xFF00_FF00_FF00_FF00), a, b))
    }

    /// The same with 16 bits of each 32.
    #[inline(always)]
    pub(crate) fn regroup_16(self, a: Vector, b: Vector) -> (Vector, Vector) {
        // SAFETY: AVX512VBMI2, by `self`.
        let inner = unsafe { _mm512_shldi_epi32::<16>(a, b) };
        (inner, self.select(self.splat64(0xFFFF_0000_FFFF_0000), a, b))
    }

    /// The same with 32 bits of each 64.
    #[inline(always)]
    pub(crate) fn regroup_32(self, a: Vector, b: Vector) -> (Vector, Vector) {
        // SAFETY: AVX512VBMI2, by `self`.
        let inner = unsafe { _mm512_shldi_epi64::<32>(a, b) };
        (inner, self.select(self.splat64(0xFFFF_FFFF_0000_0000), a, b))
    }

    /// Bit 7 of each byte, the first byte's as the lowest bit.
    #[inline(always)]
    pub(crate) fn high_bits(self, v: Vector) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_movepi8_mask(v) }
    }

    /// In which bytes `a` and `b` have no bit in common, the first byte's answer as the lowest bit.
    #[inline(always)]
    pub(crate) fn disjoint(self, a: Vector, b: Vector) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_testn_epi8_mask(a, b) }
    }

    /// A one for each byte of `a` that is below that of `b`, as signed numbers.
    #[inline(always)]
    pub(crate) fn below_signed(self, a: Vector, b: Vector) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_cmplt_epi8_mask(a, b) }
    }

    /// A one for each byte of `a` that is at least that of `b`, as unsigned numbers.
    #[inline(always)]
    pub(crate) fn at_least(self, a: Vector, b: Vector) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_cmpge_epu8_mask(a, b) }
    }

    /// A one for each byte of `a` that is that of `b`.
    #[inline(always)]
    pub(crate) fn equal(self, a: Vector, b: Vector) -> u64 {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_cmpeq_epi8_mask(a, b) }
    }

    /// A one in each byte, for [`count`](Self::count).
    ///
    /// The compiler is not to know: a masked addition of what it knows to be ones it makes into two
    /// instructions, one that makes a vector of the mask and one that subtracts it.
    #[inline(always)]
    pub(crate) fn ones(self) -> Vector {
        core::hint::black_box(self.splat(1))
    }

    /// `counts`, with one more in each byte for which `which` has a one.
    #[inline(always)]
    pub(crate) fn count(self, counts: Vector, which: u64, ones: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_mask_add_epi8(counts, which, counts, ones) }
    }

    /// In each lane of 64 bits, the sum of its eight bytes.
    #[inline(always)]
    pub(crate) fn sums(self, bytes: Vector) -> Vector {
        // SAFETY: AVX512BW, by `self`. VPSADBW sums differences, here from zero.
        unsafe { _mm512_sad_epu8(bytes, self.zero()) }
    }

    /// The sums of lanes of 64 bits.
    #[inline(always)]
    pub(crate) fn plus64(self, a: Vector, b: Vector) -> Vector {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_add_epi64(a, b) }
    }

    /// The sum of all lanes of 64 bits.
    #[inline(always)]
    pub(crate) fn total(self, lanes: Vector) -> u64 {
        // SAFETY: AVX512F, by `self`.
        let total = unsafe { _mm512_reduce_add_epi64(lanes) };
        total.cast_unsigned()
    }

    /// Appends the bytes, if there is room, and says whether all of them are ASCII: loaded once, looked at and stored.
    #[cfg(feature = "alloc")]
    #[inline(always)]
    pub(crate) fn put_and_ask(self, bytes: &[u8; 256], out: &mut Output<'_>) -> Option<bool> {
        let next = out.next_array::<256>()?;
        let mut all = self.zero();
        let mut at = 0;
        while at < 256 {
            let v = self.load(bytes, at);
            all = self.or(all, v);
            let to: &mut [MaybeUninit<u8>] = &mut next[at..at + 64];
            // SAFETY: AVX512F, by `self`; `to` has 64 bytes, and the store needs no alignment.
            unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), v) };
            at += 64;
        }
        // SAFETY: the loop has written 256 bytes.
        unsafe { out.advance(256) };
        Some(!self.any_high(all))
    }

    /// Whether any byte is 0x80 or above.
    #[inline(always)]
    pub(crate) fn any_high(self, v: Vector) -> bool {
        // SAFETY: AVX512BW, by `self`. VPMOVB2M gathers the bits 7.
        unsafe { _mm512_movepi8_mask(v) != 0 }
    }

    /// Whether any bit is set.
    #[inline(always)]
    pub(crate) fn any(self, v: Vector) -> bool {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_test_epi64_mask(v, v) != 0 }
    }

    /// Tells the cache that the line at `bytes[at]` will be wanted; where there is none, nothing happens.
    #[inline(always)]
    pub(crate) fn prefetch(self, bytes: &[u8], at: usize) {
        let line = bytes.as_ptr().wrapping_add(at);
        // SAFETY: SSE, by `self`. A prefetch is a hint: it neither faults nor counts as an access.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
    }
}

impl Token for Avx512 {
    // Out of line here and not only below: where a function without the features calls one with them, as here, the
    // compiler (1.95) forgets the callee's `inline(never)`. What is left of this is a jump.
    #[inline(never)]
    fn apart<R: Routine<Self>>(self, bytes: &[u8], at: usize) -> R::Output {
        // SAFETY: `self` is the proof that the CPU has the features.
        unsafe { apart::<R>(bytes, at) }
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn apart<R: Routine<Avx512>>(bytes: &[u8], at: usize) -> R::Output {
    R::run(Avx512::new(), bytes, at)
}

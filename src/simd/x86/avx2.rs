//! AVX2: vectors of 32 bytes, on Haswell (2013), Zen (2017) and most x86 CPUs after them.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::prefetch::prefetch;
#[cfg(trust8_avx512)]
use crate::simd::Avx512;
use crate::simd::{Avx2, Plain, Simd, Vectors, read, short_words};

// SAFETY: it is integers side by side.
unsafe impl Plain for __m256i {}

impl Avx2 {
    /// Returns the proof for a CPU that has [`Avx512`], whose features include all of these.
    #[cfg(trust8_avx512)]
    #[inline(always)]
    pub fn on(_: Avx512) -> Self {
        Self(())
    }

    /// Returns `bytes[from..]`, at most 32 bytes, and zeros after them. `bytes` has at least four
    /// bytes.
    ///
    /// VPMASKMOVD loads the whole dwords of `bytes[from..]`, and accesses nothing else. The one to
    /// three bytes after them are the upper part of the last dword of `bytes`. That dword is put
    /// into all lanes. A shift right in the lane after the whole dwords leaves these bytes, and a
    /// shift in all other lanes leaves nothing.
    #[inline(always)]
    fn load_masked(self, bytes: &[u8], from: usize) -> __m256i {
        let source = &bytes[from..];
        let len = source.len().min(32);
        let whole = self.load(&PARTS.whole, 32 - len / 4 * 4);
        // SAFETY: AVX2, by `self`. `whole` has ones in dword `i` only if `i` is below `source.len() / 4`, so the bytes from `4 * i`
        // to `4 * i + 3` are inside `source`. No byte of another dword is accessed.
        let loaded = unsafe { _mm256_maskload_epi32(source.as_ptr().cast(), whole) };
        let last = u32::from_le_bytes(*bytes.last_chunk().unwrap_or(&[0; 4]));
        self.or(loaded, self.shifted_dwords(last.cast_signed(), self.load(&PARTS.down[len], 0)))
    }

    compiled! { Avx2
        /// Returns `dword` in every lane of 32 bits, shifted right there by the number in `down`.
        fn shifted_dwords(dword: i32, down: __m256i) -> __m256i { _mm256_srlv_epi32(_mm256_set1_epi32(dword), down) }

        fn first_eight(bytes: u64) -> __m256i { _mm256_setr_epi64x(bytes.cast_signed(), 0, 0, 0) }

        fn in_both_halves(half: __m128i) -> __m256i { _mm256_broadcastsi128_si256(half) }
    }
}

/// How `load_masked` loads a certain number of bytes.
#[repr(align(64))]
struct Parts {
    /// The distances of the shift right, for each number of bytes: in the lane after the whole
    /// dwords, the number of bits of the last dword that are already loaded; in every other lane
    /// 32, which leaves nothing.
    down: [[u8; 32]; 33],
    /// Ones in the dwords that are whole. A load begins four bytes earlier for each of them.
    whole: [u8; 64],
}

/// A static, because other crates inline the loads: each would have a copy of a constant.
static PARTS: Parts = {
    let mut parts = Parts { down: [[0; 32]; 33], whole: [0; 64] };
    let mut at = 0;
    while at < 32 {
        parts.whole[at] = 0xFF;
        let mut len = 0;
        while len <= 32 {
            if at % 4 == 0 {
                parts.down[len][at] = if at == len / 4 * 4 { 8 * (4 - len % 4) as u8 } else { 32 };
            }
            len += 1;
        }
        at += 1;
    }
    parts
};

impl Vectors for Avx2 {
    type Vector = __m256i;
    const LANES: usize = 32;

    #[inline(always)]
    fn load_short(self, bytes: &[u8]) -> __m256i {
        assert!(bytes.len() < 32);
        if bytes.len() >= 4 {
            return self.load_masked(bytes, 0);
        }
        self.first_eight(short_words(bytes)[0])
    }

    compiled! { Avx2
        fn splat(byte: u8) -> __m256i { _mm256_set1_epi8(byte as i8) }

        fn high_bits(v: __m256i) -> u64 {
            let bits = _mm256_movemask_epi8(v);
            u64::from(bits.cast_unsigned())
        }

        fn any(v: __m256i) -> bool {
            // VPTEST sets ZF when `v & v` is zero.
            _mm256_testz_si256(v, v) == 0
        }
        fn and(a: __m256i, b: __m256i) -> __m256i { _mm256_and_si256(a, b) }
        fn or(a: __m256i, b: __m256i) -> __m256i { _mm256_or_si256(a, b) }
        fn max(a: __m256i, b: __m256i) -> __m256i { _mm256_max_epu8(a, b) }
        fn min(a: __m256i, b: __m256i) -> __m256i { _mm256_min_epu8(a, b) }
        fn minus_saturating(a: __m256i, b: __m256i) -> __m256i { _mm256_subs_epu8(a, b) }
        fn plus_signed_saturating(a: __m256i, b: __m256i) -> __m256i { _mm256_adds_epi8(a, b) }
    }
}

impl Simd for Avx2 {
    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        prefetch(bytes, at);
    }

    #[inline(always)]
    fn load_second(self, bytes: &[u8]) -> __m256i {
        self.load_masked(bytes, 32)
    }

    #[inline(always)]
    fn table(self, entries: &[u8; 16]) -> __m256i {
        self.in_both_halves(read(entries, 0))
    }

    compiled! { Avx2
        fn nibbles_at<const BIT: i32>(v: __m256i) -> __m256i {
            // There is no shift of bytes. A shift of 16 bits moves in bits of the neighbouring byte, and the mask removes them.
            _mm256_and_si256(_mm256_srli_epi16::<BIT>(v), _mm256_set1_epi8(0x0F))
        }

        fn sum(v: __m256i) -> usize {
            // VPSADBW sums the differences of eight bytes each, here from zero.
            let sums = _mm256_sad_epu8(v, _mm256_setzero_si256());
            let both = _mm_add_epi64(_mm256_extracti128_si256::<1>(sums), _mm256_castsi256_si128(sums));
            let all = _mm_add_epi64(both, _mm_unpackhi_epi64(both, both));
            // At most 32 * 255.
            _mm_cvtsi128_si32(all) as usize
        }

        fn ending_in(bytes: [u8; 4]) -> __m256i {
            _mm256_set_epi32(i32::from_le_bytes(bytes), 0, 0, 0, 0, 0, 0, 0)
        }

        fn earlier<const N: usize>(now: __m256i, before: __m256i) -> __m256i {
            // VPALIGNR works on each half separately. On the left of the lower half it needs the upper
            // half of `before`, and on the left of the upper half the lower half of `now`.
            let left = _mm256_permute2x128_si256::<0x21>(before, now);
            const { assert!(1 <= N && N <= 3) };
            match N {
                1 => _mm256_alignr_epi8::<15>(now, left),
                2 => _mm256_alignr_epi8::<14>(now, left),
                _ => _mm256_alignr_epi8::<13>(now, left),
            }
        }
        // VPSHUFB looks each half of `indices` up in the same half of `table`. Both halves of a table are the same.
        fn lookup(table: __m256i, indices: __m256i) -> __m256i { _mm256_shuffle_epi8(table, indices) }
        fn xor(a: __m256i, b: __m256i) -> __m256i { _mm256_xor_si256(a, b) }
        fn minus_wrapping(a: __m256i, b: __m256i) -> __m256i { _mm256_sub_epi8(a, b) }
        fn mean(a: __m256i, b: __m256i) -> __m256i { _mm256_avg_epu8(a, b) }
        // VPSIGNB negates.
        fn inverted(v: __m256i, signs: __m256i) -> __m256i { _mm256_sign_epi8(v, signs) }
        fn equal(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi8(a, b) }
        fn below_signed(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpgt_epi8(b, a) }
        // VPACKSSWB makes signed bytes of signed words. It saturates, so only zero becomes zero.
        fn halve(a: __m256i, b: __m256i) -> __m256i { _mm256_packs_epi16(a, b) }
    }
}

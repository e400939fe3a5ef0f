//! The operations of conversions with AVX2.
//!
//! A vector has two parts of 16 bytes. Most instructions that move bytes to other places move them
//! within a part.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use trust8::compiled;
use trust8::engine::{Avx2, Output, Simd, Vectors, read};

use super::{ConvertOps, Shuffle, ShuffleOps, WideLaneOps, put_all};

compiled! { Avx2 as argument:
    /// Returns the two parts of a vector.
    fn parts_of(v: __m256i) -> [__m128i; 2] { [_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v)] }

    /// Widens the bytes of a part to lanes of 32 bits.
    fn part_as_u32(part: __m128i) -> [__m256i; 2] {
        [_mm256_cvtepu8_epi32(part), _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(part, part))]
    }

    /// Restores the order after packing two vectors. Packing works within each part, so the 64-bit
    /// lanes of its result alternate between the two vectors. Zipping needs such lanes.
    fn reordered(packed: __m256i) -> __m256i {
        // The lanes are 0, 2, 1 and 3.
        _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
    }

    fn of_parts(low: __m128i, high: __m128i) -> __m256i { _mm256_set_m128i(high, low) }
    fn packed16(a: __m256i, b: __m256i) -> __m256i { _mm256_packus_epi16(a, b) }
    fn packed32(a: __m256i, b: __m256i) -> __m256i { _mm256_packus_epi32(a, b) }
    /// Keeps the signs.
    fn packed_signed16(v: __m256i) -> __m256i { _mm256_packs_epi16(v, v) }
}

/// Shuffles each part of a vector.
#[inline(always)]
fn shuffled(s: Avx2, v: __m256i, [first, second]: [&[u8; 16]; 2]) -> __m256i {
    s.lookup(v, of_parts(s, read(first, 0), read(second, 0)))
}

/// Shuffles the parts of vectors like [`ShuffleOps::put_shuffled`]. Also returns how many bytes of
/// each part to append.
// When optimising for size, LLVM would not inline a loop over an iterator.
#[inline(always)]
fn all_shuffled<const N: usize>(
    s: Avx2,
    mut vectors: [__m256i; N],
    part: impl Fn(usize) -> Shuffle,
) -> ([__m256i; N], [[usize; N]; 2]) {
    let (mut lens, mut i) = ([[0; N]; 2], 0);
    while i < N {
        let ((first, len), (second, len_of_second)) = (part(i), part(N + i));
        vectors[i] = shuffled(s, vectors[i], [first, second]);
        (lens[0][i], lens[1][i]) = (len, len_of_second);
        i += 1;
    }
    (vectors, lens)
}

impl WideLaneOps for Avx2 {
    type Mask16 = __m256i;
    type Mask32 = __m256i;

    #[inline(always)]
    fn narrowed16(self, a: __m256i, b: __m256i) -> __m256i {
        reordered(self, packed16(self, a, b))
    }

    #[inline(always)]
    fn narrowed32(self, a: __m256i, b: __m256i) -> __m256i {
        reordered(self, packed32(self, a, b))
    }

    compiled! { Avx2
        fn splat16(word: u16) -> __m256i { _mm256_set1_epi16(word.cast_signed()) }

        fn splat32(dword: u32) -> __m256i { _mm256_set1_epi32(dword.cast_signed()) }
        fn equal16(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi16(a, b) }
        fn equal32(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpeq_epi32(a, b) }
        fn above16(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpgt_epi16(a, b) }
        fn above32(a: __m256i, b: __m256i) -> __m256i { _mm256_cmpgt_epi32(a, b) }
        fn select16(mask: __m256i, yes: __m256i, no: __m256i) -> __m256i { _mm256_blendv_epi8(no, yes, mask) }
        fn select32(mask: __m256i, yes: __m256i, no: __m256i) -> __m256i { _mm256_blendv_epi8(no, yes, mask) }
        fn plus32(a: __m256i, b: __m256i) -> __m256i { _mm256_add_epi32(a, b) }
        fn left16<const N: i32>(v: __m256i) -> __m256i { _mm256_slli_epi16::<N>(v) }
        fn right16<const N: i32>(v: __m256i) -> __m256i { _mm256_srli_epi16::<N>(v) }
        fn left32<const N: i32>(v: __m256i) -> __m256i { _mm256_slli_epi32::<N>(v) }
        fn right32<const N: i32>(v: __m256i) -> __m256i { _mm256_srli_epi32::<N>(v) }
    }
}

impl ShuffleOps for Avx2 {
    #[inline(always)]
    fn for_zip(self, v: __m256i) -> __m256i {
        // One port moves lanes between parts and two ports zip, so this is faster than widening each
        // part with VPMOVZX.
        reordered(self, v)
    }

    #[inline(always)]
    fn widened8_twice(self, v: __m256i) -> [[__m256i; 2]; 2] {
        let [first, second] = parts_of(self, v);
        [part_as_u32(self, first), part_as_u32(self, second)]
    }

    #[inline(always)]
    fn load_every_twelve(self, bytes: &[u8], at: usize) -> __m256i {
        of_parts(self, read(bytes, at), read(bytes, at + 12))
    }

    #[inline(always)]
    fn highest16(self, v: __m256i) -> u64 {
        self.high_bits(packed_signed16(self, v))
    }

    #[inline(always)]
    fn put_shuffled<const N: usize>(
        self,
        vectors: [__m256i; N],
        part: impl Fn(usize) -> Shuffle,
        out: &mut Output<'_>,
    ) -> bool {
        let (vectors, lens) = all_shuffled(self, vectors, part);
        let (mut parts, mut i) = ([[parts_of(self, self.splat(0))[0]; N]; 2], 0);
        while i < N {
            [parts[0][i], parts[1][i]] = parts_of(self, vectors[i]);
            i += 1;
        }
        put_all(parts, lens, out)
    }

    #[inline(always)]
    fn put_shuffled_as_u32<const N: usize>(
        self,
        vectors: [__m256i; N],
        part: impl Fn(usize) -> Shuffle,
        out: &mut Output<'_>,
    ) -> bool {
        let (vectors, mut lens) = all_shuffled(self, vectors, part);
        let (mut parts, mut i) = ([vectors; 2], 0);
        while i < N {
            [parts[0][i], parts[1][i]] = self.widened16(vectors[i]);
            (lens[0][i], lens[1][i]) = (2 * lens[0][i], 2 * lens[1][i]);
            i += 1;
        }
        put_all(parts, lens, out)
    }

    compiled! { Avx2
        fn zip8(a: __m256i, b: __m256i) -> [__m256i; 2] {
            [_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b)]
        }
        fn zip16(a: __m256i, b: __m256i) -> [__m256i; 2] {
            [_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b)]
        }
    }
}

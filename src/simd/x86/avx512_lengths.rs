//! The length of a text in another form with AVX-512, by tables.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use super::avx512::Avx512;

/// By the upper six bits of a byte: the number of units that it counts for. A character counts at its first byte.
static UTF16_OF_UTF8: [u8; 64] = {
    let mut table = UTF32_OF_UTF8;
    let mut i = 0xF0 >> 2;
    while i < 64 {
        table[i] = 2;
        i += 1;
    }
    table
};
static UTF32_OF_UTF8: [u8; 64] = {
    let mut table = [1; 64];
    let mut i = 0x80 >> 2;
    while i < 0xC0 >> 2 {
        table[i] = 0;
        i += 1;
    }
    table
};

/// By the upper five bits of a unit, as words: the number of bytes that it becomes, less one if it is not ASCII.
static UTF8_OF_UTF16: [u8; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 32 {
        table[2 * i] = if i == 0 || i == 0xD800 >> 11 { 1 } else { 2 };
        i += 1;
    }
    table
};

// Each SAFETY comment below rests on this: `self` exists, so the code runs inside a function that is compiled for the
// features that `Avx512` stands for, and that was called on a CPU that has them.
impl Avx512 {
    /// Returns the number of UTF-16 units of a UTF-8 text. `portable` counts what is left at both ends.
    #[inline(always)]
    pub(crate) fn utf16_of_utf8(self, text: &[u8], portable: impl Fn(&[u8]) -> usize) -> usize {
        // The upper four bits would be enough to tell.
        self.sum_counts::<1>(text, &UTF16_OF_UTF8, portable)
    }

    /// Returns the number of characters of a UTF-8 text.
    #[inline(always)]
    pub(crate) fn utf32_of_utf8(self, text: &[u8], portable: impl Fn(&[u8]) -> usize) -> usize {
        self.sum_counts::<1>(text, &UTF32_OF_UTF8, portable)
    }

    /// Returns the number of UTF-8 bytes of a UTF-16 text.
    #[inline(always)]
    pub(crate) fn utf8_of_utf16(self, text: &[u8], portable: impl Fn(&[u8]) -> usize) -> usize {
        self.sum_counts::<2>(text, &UTF8_OF_UTF16, portable)
    }

    #[inline(always)]
    fn splat_words(self, word: i16) -> __m512i {
        // SAFETY: AVX512F, by `self`.
        unsafe { _mm512_set1_epi16(word) }
    }

    /// Returns the sum of what the units of a text count for. Loads are aligned, so that each is from one cache line.
    #[inline(always)]
    fn sum_counts<const UNIT: usize>(
        self,
        text: &[u8],
        table: &[u8; 64],
        portable: impl Fn(&[u8]) -> usize,
    ) -> usize {
        let table = self.load(table, 0);
        let head = text.as_ptr().align_offset(64).min(text.len());
        let (head, body) = text.split_at(head - head % UNIT);
        let (blocks, tail) = body.as_chunks::<256>();
        // A count is at most 3, so the sum of 4 vectors fits into bytes, and is widened at once.
        let mut sums = self.zero();
        for block in blocks {
            let mut four = self.zero();
            for i in 0..4 {
                let units = self.load(block, 64 * i);
                let counts = if UNIT == 1 { self.count8(units, table) } else { self.count16(units, table) };
                // SAFETY: AVX512BW, by `self`.
                four = unsafe { _mm512_add_epi8(four, counts) };
            }
            // SAFETY: AVX512BW, by `self`.
            let four = unsafe { _mm512_sad_epu8(four, self.zero()) };
            // SAFETY: AVX512F, by `self`.
            sums = unsafe { _mm512_add_epi64(sums, four) };
        }
        // SAFETY: AVX512F, by `self`.
        let sum = unsafe { _mm512_reduce_add_epi64(sums) };
        sum as usize + portable(head) + portable(tail)
    }

    /// Returns what each byte counts for, by a table for its upper six bits.
    #[inline(always)]
    fn count8(self, bytes: __m512i, table: __m512i) -> __m512i {
        // VPERMB looks at the low six bits of an index. The bits that come in from a neighbour are above those.
        // SAFETY: AVX512BW, by `self`.
        let indices = unsafe { _mm512_srli_epi16::<2>(bytes) };
        self.lookup(table, indices)
    }

    /// Returns what each word counts for, by a table for its upper five bits, and one more from 0x80 on.
    #[inline(always)]
    fn count16(self, words: __m512i, table: __m512i) -> __m512i {
        // SAFETY: AVX512BW, by `self`.
        let indices = unsafe { _mm512_srli_epi16::<11>(words) };
        // SAFETY: AVX512BW, by `self`.
        let counts = unsafe { _mm512_permutexvar_epi16(indices, table) };
        // SAFETY: AVX512BW, by `self`.
        let above = unsafe { _mm512_subs_epu16(words, self.splat_words(0x7F)) };
        // SAFETY: AVX512BW, by `self`.
        let above = unsafe { _mm512_min_epu16(above, self.splat_words(1)) };
        // SAFETY: AVX512BW, by `self`.
        unsafe { _mm512_add_epi16(counts, above) }
    }
}

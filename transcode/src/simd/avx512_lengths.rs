//! The length of a text in another form with AVX-512, by tables.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use trust8::engine::{Avx512, Vectors};

use super::ConvertOps;
use super::avx512::reordered;

/// By the upper five bits of a unit, as words: its length in bytes, less one if it is not ASCII.
static UTF8_OF_UTF16: [u8; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 32 {
        table[2 * i] = if i == 0 || i == 0xD800 >> 11 { 1 } else { 2 };
        i += 1;
    }
    table
};

// Each SAFETY comment below rests on this: `self` exists, so the code runs inside a function that
// is compiled for the features of `Avx512`, and that was called on a CPU that has them.
/// Returns the number of UTF-8 bytes of a UTF-16 text.
#[inline(always)]
pub(crate) fn utf8_of_utf16(s: Avx512, text: &[u8]) -> usize {
    let table = s.load(&UTF8_OF_UTF16, 0);
    let text = &text[..text.len() & !1];
    // Block loads are aligned, so that none crosses a cache line. In a short text, that would cost
    // more than it saves.
    let head = if text.len() < 1024 { 0 } else { text.as_ptr().align_offset(64) };
    let (head, body) = text.split_at(head - head % 2);
    let (blocks, tail) = body.as_chunks::<256>();
    let mut sums = s.zero();
    if !head.is_empty() {
        sums = add_sums(s, sums, count16(s, s.load_short(head), table));
    }
    // A unit counts at most 3, so the sum of 4 vectors fits into bytes and is widened only once.
    for block in blocks {
        let mut four = s.zero();
        for i in 0..4 {
            let counts = count16(s, s.load(block, 64 * i), table);
            // SAFETY: AVX512BW, by the token.
            four = unsafe { _mm512_add_epi8(four, counts) };
        }
        sums = add_sums(s, sums, four);
    }
    let (vectors, rest) = tail.as_chunks::<64>();
    for vector in vectors {
        sums = add_sums(s, sums, count16(s, s.load(vector, 0), table));
    }
    if !rest.is_empty() {
        sums = add_sums(s, sums, count16(s, s.load_short(rest), table));
    }
    // Each zero after the head and after the rest counts one.
    let zeros = |part: &[u8]| if part.is_empty() { 0 } else { 32 - part.len() / 2 };
    // SAFETY: AVX512F, by the token.
    let sum = unsafe { _mm512_reduce_add_epi64(sums) };
    sum as usize - zeros(head) - zeros(rest)
}

/// Returns the number of UTF-8 bytes of a UTF-16 text in which U+FFFD replaces each unpaired
/// surrogate. `SWAPPED` means that units are in the non-native byte order.
///
/// Each surrogate counts as the three bytes of U+FFFD, and a pair has two bytes less than that.
/// Pairs are counted only where there are surrogates.
#[inline(always)]
pub(crate) fn utf8_of_lossy_utf16<const SWAPPED: bool>(s: Avx512, text: &[u8]) -> usize {
    let (mut saved, mut pairs) = (s.zero(), Pairs::default());
    // Block loads are aligned, so that none crosses a cache line. In a short text, that would cost
    // more than it saves.
    let head = if text.len() < 1024 { 0 } else { text.as_ptr().align_offset(64) };
    let (head, body) = text.split_at(head - head % 2);
    let (blocks, tail) = body.as_chunks::<256>();
    if !head.is_empty() {
        let kinds = kinds::<SWAPPED>(s, s.load_short(head), s.zero());
        pairs.find(surrogates(s, kinds), head.len() / 2);
        saved = add_sums(s, saved, bytes_saved(s, kinds));
    }
    for block in blocks {
        let first = kinds::<SWAPPED>(s, s.load(block, 0), s.load(block, 64));
        let second = kinds::<SWAPPED>(s, s.load(block, 128), s.load(block, 192));
        if has_surrogate(s, first, second) {
            pairs.find(surrogates(s, first), 64);
            pairs.find(surrogates(s, second), 64);
        } else {
            pairs.open = 0;
        }
        // SAFETY: AVX512BW, by the token.
        let both = unsafe { _mm512_add_epi8(bytes_saved(s, first), bytes_saved(s, second)) };
        saved = add_sums(s, saved, both);
    }
    let (halves, rest) = tail.as_chunks::<128>();
    for half in halves {
        let kinds = kinds::<SWAPPED>(s, s.load(half, 0), s.load(half, 64));
        pairs.find(surrogates(s, kinds), 64);
        saved = add_sums(s, saved, bytes_saved(s, kinds));
    }
    if !rest.is_empty() {
        let (first, second) = match rest.split_first_chunk::<64>() {
            Some((first, second)) => (s.load(first, 0), s.load_short(second)),
            None => (s.load_short(rest), s.zero()),
        };
        let kinds = kinds::<SWAPPED>(s, first, second);
        pairs.find(surrogates(s, kinds), rest.len() / 2);
        saved = add_sums(s, saved, bytes_saved(s, kinds));
    }
    // The zeros after the head and after the rest saved two bytes each.
    let zeros = |part: &[u8]| if part.is_empty() { 0 } else { 64 - part.len() / 2 };
    // SAFETY: AVX512F, by the token.
    let saved = unsafe { _mm512_reduce_add_epi64(saved) } as usize - 2 * (zeros(head) + zeros(rest));
    text.len() / 2 * 3 - saved - 2 * pairs.count
}

/// Returns a byte for each of 64 units: its upper nine bits as a signed number, saturated. The
/// bytes have the order of [`_mm512_packs_epi16`].
///
/// Units below 0x80 become 00, those below 0x800 become 01 to 0F, high surrogates B0 to B7, and low
/// ones B8 to BF. No other units become these bytes.
#[inline(always)]
fn kinds<const SWAPPED: bool>(s: Avx512, first: __m512i, second: __m512i) -> __m512i {
    let first = if SWAPPED { s.reversed16(first) } else { first };
    let second = if SWAPPED { s.reversed16(second) } else { second };
    // SAFETY: AVX512BW, by the token.
    let first = unsafe { _mm512_srai_epi16::<7>(first) };
    // SAFETY: AVX512BW, by the token.
    let second = unsafe { _mm512_srai_epi16::<7>(second) };
    // SAFETY: AVX512BW, by the token.
    unsafe { _mm512_packs_epi16(first, second) }
}

/// Returns by how much the length of each unit is below three bytes.
#[inline(always)]
fn bytes_saved(s: Avx512, kinds: __m512i) -> __m512i {
    // Kinds from 10 on get the upper bit, for which VPSHUFB returns zero. The lower four bits stay.
    // SAFETY: AVX512BW, by the token.
    let indices = unsafe { _mm512_adds_epu8(kinds, s.splat(0x70)) };
    const SAVED: &[u8; 64] = &{
        let mut saved = [1; 64];
        let mut i = 0;
        while i < 64 {
            saved[i] = 2;
            i += 16;
        }
        saved
    };
    let table = s.load(SAVED, 0);
    // SAFETY: AVX512BW, by the token.
    unsafe { _mm512_shuffle_epi8(table, indices) }
}

#[inline(always)]
fn has_surrogate(s: Avx512, first: __m512i, second: __m512i) -> bool {
    // Only surrogates have a difference below 10.
    // SAFETY: AVX512BW, by the token.
    let first = unsafe { _mm512_sub_epi8(first, s.splat(0xB0)) };
    // SAFETY: AVX512BW, by the token.
    let second = unsafe { _mm512_sub_epi8(second, s.splat(0xB0)) };
    // SAFETY: AVX512BW, by the token.
    let least = unsafe { _mm512_min_epu8(first, second) };
    // SAFETY: AVX512BW, by the token.
    unsafe { _mm512_cmplt_epu8_mask(least, s.splat(0x10)) != 0 }
}

/// Returns the masks of high and of low surrogates, in text order.
#[inline(always)]
fn surrogates(s: Avx512, kinds: __m512i) -> (u64, u64) {
    // SAFETY: AVX512F, by the token.
    let kinds = unsafe { _mm512_and_si512(reordered(s, kinds), s.splat(0xF8)) };
    // SAFETY: AVX512BW, by the token.
    let high = unsafe { _mm512_cmpeq_epi8_mask(kinds, s.splat(0xB0)) };
    // SAFETY: AVX512BW, by the token.
    let low = unsafe { _mm512_cmpeq_epi8_mask(kinds, s.splat(0xB8)) };
    (high, low)
}

/// Adds the sum of each eight bytes.
#[inline(always)]
fn add_sums(s: Avx512, sums: __m512i, bytes: __m512i) -> __m512i {
    // SAFETY: AVX512BW, by the token.
    let bytes = unsafe { _mm512_sad_epu8(bytes, s.zero()) };
    // SAFETY: AVX512F, by the token.
    unsafe { _mm512_add_epi64(sums, bytes) }
}

#[inline(always)]
fn splat_words(_: Avx512, word: i16) -> __m512i {
    // SAFETY: AVX512F, by the token.
    unsafe { _mm512_set1_epi16(word) }
}

/// Returns the count of each word: a table entry for its upper five bits, plus one from 0x80 on.
#[inline(always)]
fn count16(s: Avx512, words: __m512i, table: __m512i) -> __m512i {
    // SAFETY: AVX512BW, by the token.
    let indices = unsafe { _mm512_srli_epi16::<11>(words) };
    // SAFETY: AVX512BW, by the token.
    let counts = unsafe { _mm512_permutexvar_epi16(indices, table) };
    // SAFETY: AVX512BW, by the token.
    let above = unsafe { _mm512_subs_epu16(words, splat_words(s, 0x7F)) };
    // SAFETY: AVX512BW, by the token.
    let above = unsafe { _mm512_min_epu16(above, splat_words(s, 1)) };
    // SAFETY: AVX512BW, by the token.
    unsafe { _mm512_add_epi16(counts, above) }
}

/// The surrogate pairs found so far.
#[derive(Default)]
struct Pairs {
    count: usize,
    /// One if the last unit was a high surrogate.
    open: u64,
}

impl Pairs {
    /// Counts the pairs that end in the next `n` units. `high` and `low` are the masks of high and
    /// low surrogates.
    #[inline(always)]
    fn find(&mut self, (high, low): (u64, u64), n: usize) {
        self.count += ((high << 1 | self.open) & low).count_ones() as usize;
        self.open = high >> (n - 1) & 1;
    }
}

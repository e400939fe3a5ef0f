//! The operations of conversions with AVX-512. Its instruction VPCOMPRESSB moves the kept bytes of
//! 64 to the front.

#[cfg(target_arch = "x86")]
use core::arch::x86::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

use trust8::compiled;
use trust8::engine::{Avx512, Output, Vectors};

use super::{ConvertOps, WideLaneOps, first_bits, put_all};
use crate::count::{Count, Counts};

/// How many bytes ahead of the stores a cache line is fetched.
const AHEAD_BYTES: usize = 1024;

/// For each 32-bit lane, the positions of a 16-bit unit in one vector and in a second one, starting
/// at unit `first`.
const fn with_one_before(first: u8) -> [u8; 64] {
    let mut places = [0; 64];
    let mut i = 0;
    while i < 16 {
        places[4 * i] = first + i as u8;
        places[4 * i + 2] = 32 + first + i as u8;
        i += 1;
    }
    places
}

compiled! { Avx512 as argument:
    /// Interleaves the bytes of two vectors: the first halves of both, and the second halves. Both come
    /// from [`for_interleaving`](ConvertOps::for_interleaving).
    fn interleaved(both: [__m512i; 2]) -> [__m512i; 2] {
        let [a, b] = both;
        [_mm512_unpacklo_epi8(a, b), _mm512_unpackhi_epi8(a, b)]
    }

    fn halves(v: __m512i) -> [__m256i; 2] { [_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v)] }

    /// Widens the bytes of half a vector to 32-bit lanes.
    fn half_as_u32(half: __m256i) -> [__m512i; 2] {
        let (first, second) = (_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
        [_mm512_cvtepu8_epi32(first), _mm512_cvtepu8_epi32(second)]
    }

    /// Restores the order after packing two vectors. Packing works within each 128 bits, so the 64-bit
    /// lanes of its result alternate between the two vectors.
    fn reordered(packed: __m512i) -> __m512i {
        let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
        _mm512_permutexvar_epi64(order, packed)
    }

    /// Returns UTF-16 characters in 32-bit lanes. `places` puts a unit of `before` and its successor in
    /// `now` into a lane. The latter is a low surrogate unless `single` has a one.
    fn joined(before: __m512i, now: __m512i, places: __m512i, single: u16) -> __m512i {
        let pairs = _mm512_permutex2var_epi16(before, places, now);
        // The number is 0x400 times what the high surrogate has, plus what the low one has, plus
        // 0x10000. As signed numbers, the halves are their ten bits minus 0x2800 and minus 0x2400.
        let sums = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_0400));
        let numbers = _mm512_add_epi32(sums, _mm512_set1_epi32(0x2800 * 0x400 + 0x2400 + 0x10000));
        _mm512_mask_srli_epi32::<16>(numbers, single, pairs)
    }

    fn first_half(v: __m512i) -> __m256i { _mm512_castsi512_si256(v) }
    fn widened8(half: __m256i) -> __m512i { _mm512_cvtepu8_epi16(half) }
    fn widened_half16(half: __m256i) -> __m512i { _mm512_cvtepu16_epi32(half) }
    fn packed16(a: __m512i, b: __m512i) -> __m512i { _mm512_packus_epi16(a, b) }
    fn packed32(a: __m512i, b: __m512i) -> __m512i { _mm512_packus_epi32(a, b) }
    fn lookup16(indices: __m512i, table: __m512i) -> __m512i { _mm512_permutexvar_epi16(indices, table) }
    fn lookup_where(mask: u64, indices: __m512i, table: __m512i) -> __m512i {
        _mm512_maskz_permutexvar_epi8(mask, indices, table)
    }
    /// Looks up within each 128 bits.
    fn shuffled(v: __m512i, order: __m512i) -> __m512i { _mm512_shuffle_epi8(v, order) }
    fn multishift(from: __m512i, v: __m512i) -> __m512i { _mm512_multishift_epi64_epi8(from, v) }
    fn not_equal16(a: __m512i, b: __m512i) -> u32 { _mm512_cmpneq_epi16_mask(a, b) }
    fn compress32(mask: u16, v: __m512i) -> __m512i { _mm512_maskz_compress_epi32(mask, v) }
}

/// Appends the first `n` of 32 units of 32 bits if they fit. `low` has their lower halves, and
/// `high` their third bytes.
#[inline(always)]
fn put_u32_of_low_half(
    s: Avx512,
    low: __m512i,
    high: Option<__m256i>,
    n: usize,
    out: &mut Output<'_>,
) -> bool {
    let [mut first, mut second] = s.widened16(low);
    if let Some(high) = high {
        let high = widened8(s, high);
        let [high_first, high_second] = s.widened16(high);
        first = s.or(first, s.left32::<16>(high_first));
        second = s.or(second, s.left32::<16>(high_second));
    }
    put(s, first, 4 * n, out) && (n <= 16 || put(s, second, 4 * (n - 16), out))
}

/// Appends the first `n` bytes of the vector, if they fit.
#[inline(always)]
fn put(s: Avx512, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
    let n = n.min(64);
    if let Some(next) = out.next_array::<64>() {
        s.store(v, next, 0);
        // SAFETY: the store has written 64 bytes, and `n` is no more.
        unsafe { out.advance(n) };
        return true;
    }
    let Some(next) = out.next_slice(n) else { return false };
    let mask = u64::MAX.checked_shr(64 - n as u32).unwrap_or(0);
    // SAFETY: AVX512BW, by the token; `next` has `n` bytes. The mask has ones for these, and no
    // other bytes are accessed.
    unsafe { _mm512_mask_storeu_epi8(next.as_mut_ptr().cast(), mask, v) };
    // SAFETY: the store has written `n` bytes.
    unsafe { out.advance(n) };
    true
}

/// Appends the first bytes of two vectors, with the counts in `lens`, if all of them fit.
#[inline(always)]
fn put_both(s: Avx512, [first, second]: [__m512i; 2], lens: [usize; 2], out: &mut Output<'_>) -> bool {
    if out.left() >= 128 {
        return put_all([[first, second]], [lens], out);
    }
    out.left() >= lens[0] + lens[1] && put(s, first, lens[0], out) && put(s, second, lens[1], out)
}

compiled! { Avx512 as argument:
    /// Returns the mask of 32 pairs of bytes in which the first byte is always kept. The second byte is
    /// kept if the lower 32 bits of `bits` have a one for it.
    #[cfg(target_arch = "x86_64")]
    fn with_seconds(bits: u64) -> u64 {
        let seconds = _pdep_u64(bits, 0xAAAA_AAAA_AAAA_AAAA);
        seconds | 0x5555_5555_5555_5555
    }

    /// The same, with the 32-bit PDEP.
    #[cfg(target_arch = "x86")]
    fn with_seconds(bits: u64) -> u64 {
        let low = _pdep_u32(bits as u32, 0xAAAA_AAAA);
        let high = _pdep_u32((bits >> 16) as u32, 0xAAAA_AAAA);
        u64::from(high) << 32 | u64::from(low) | 0x5555_5555_5555_5555
    }
}

/// Returns the number of UTF-8 bytes of UTF-16. `SWAPPED` means that units are in the non-native byte
/// order. If not `LOSSY`, surrogates are in pairs.
#[inline(always)]
pub(crate) fn utf8_of_utf16<const SWAPPED: bool, const LOSSY: bool>(s: Avx512, text: &[u8]) -> usize {
    // The length in bytes of a unit that is not ASCII, by its upper five bits. Half a pair has two. U+FFFD
    // has three, and to be noticed, it has one of them in the upper byte of the lane.
    const LENGTHS: [[u8; 64]; 2] = {
        let mut lengths = [[0; 64]; 2];
        let mut i = 0;
        while i < 64 {
            lengths[i % 2][i / 2 * 2] = if i < 2 || i / 2 == 0xD800 >> 11 { 2 } else { 3 };
            i += 1;
        }
        lengths[1][(0xD800 >> 10) + 1] = 1;
        lengths
    };
    let (lengths, ones) = (s.load(&LENGTHS[usize::from(LOSSY)], 0), s.splat16(1));
    let load = |bytes: &[u8]| match bytes.first_chunk::<64>() {
        Some(vector) => s.load(vector, 0),
        None => s.load_short(bytes),
    };
    let text = &text[..text.len() & !1];
    let (mut sums, mut pairs, mut open, mut at) = (s.zero(), 0, 0, 0);
    // Loads are aligned, so that none crosses a cache line. In a short text, that would cost more than
    // it saves.
    let mut end = if text.len() < 1024 { 0 } else { text.as_ptr().align_offset(64) & 62 };
    let mut missing = end.wrapping_neg() & 63;
    // A unit counts at most 3, so the sum of 4 vectors fits into bytes and is widened only once.
    loop {
        let mut counts = s.zero();
        let mut add = |units| {
            let units = if SWAPPED { s.reversed16(units) } else { units };
            let length = lookup16(s, s.right16::<11>(units), lengths);
            counts = s.plus32(counts, s.select16(s.above16(units, s.splat16(0x7F)), length, ones));
        };
        match text[at..end].first_chunk::<256>() {
            Some(four) => four.as_chunks::<64>().0.iter().for_each(|vector| add(s.load(vector, 0))),
            None => text[at..end].chunks(64).for_each(|vector| add(load(vector))),
        }
        if LOSSY && s.any(s.and(counts, s.splat16(0xFF00))) {
            let word = |word: u16| s.splat16(if SWAPPED { word.swap_bytes() } else { word });
            let are = |units, half| s.equal16(s.and(units, word(0xFC00)), word(half));
            for vector in text[at..end].chunks(64) {
                let units = load(vector);
                let (high, low) = (are(units, 0xD800), are(units, 0xDC00));
                pairs += ((high << 1 | open) & low).count_ones() as usize;
                open = high >> (vector.len() / 2 - 1);
            }
        } else {
            open = 0;
        }
        sums = s.plus64(sums, s.sums_of_bytes(counts));
        if end == text.len() {
            // Zeros instead of the missing bytes of a vector count one each.
            missing += (end - at).wrapping_neg() & 63;
            return s.sum_of_lanes(sums) as usize - missing / 2 - 2 * pairs;
        }
        (at, end) = (end, text.len().min(end + 256));
    }
}

impl WideLaneOps for Avx512 {
    type Mask16 = u32;
    type Mask32 = u16;

    compiled! { Avx512
        fn splat16(word: u16) -> __m512i { _mm512_set1_epi16(word.cast_signed()) }

        fn splat32(word: u32) -> __m512i { _mm512_set1_epi32(word.cast_signed()) }

        // The compiler turns the counts of shifts into immediates.
        fn left16<const N: i32>(v: __m512i) -> __m512i { _mm512_sll_epi16(v, _mm_cvtsi32_si128(N)) }

        fn right16<const N: i32>(v: __m512i) -> __m512i { _mm512_srl_epi16(v, _mm_cvtsi32_si128(N)) }

        fn left32<const N: i32>(v: __m512i) -> __m512i { _mm512_sll_epi32(v, _mm_cvtsi32_si128(N)) }

        fn right32<const N: i32>(v: __m512i) -> __m512i { _mm512_srl_epi32(v, _mm_cvtsi32_si128(N)) }
        fn equal16(a: __m512i, b: __m512i) -> u32 { _mm512_cmpeq_epi16_mask(a, b) }
        fn above16(a: __m512i, b: __m512i) -> u32 { _mm512_cmpgt_epu16_mask(a, b) }
        fn select16(mask: u32, yes: __m512i, no: __m512i) -> __m512i {
            _mm512_mask_blend_epi16(mask, no, yes)
        }

        fn equal32(a: __m512i, b: __m512i) -> u16 { _mm512_cmpeq_epi32_mask(a, b) }
        fn above32(a: __m512i, b: __m512i) -> u16 { _mm512_cmpgt_epu32_mask(a, b) }
        fn select32(mask: u16, yes: __m512i, no: __m512i) -> __m512i {
            _mm512_mask_blend_epi32(mask, no, yes)
        }
        fn plus32(a: __m512i, b: __m512i) -> __m512i { _mm512_add_epi32(a, b) }
    }

    #[inline(always)]
    fn narrowed16(self, a: __m512i, b: __m512i) -> __m512i {
        reordered(self, packed16(self, a, b))
    }

    #[inline(always)]
    fn narrowed32(self, a: __m512i, b: __m512i) -> __m512i {
        reordered(self, packed32(self, a, b))
    }
}

impl Counts for Avx512 {
    #[inline(always)]
    fn count<C: Count>(self, text: &[u8]) -> usize {
        C::count_with_avx512(self, text)
    }
}

impl ConvertOps for Avx512 {
    // Two loads of 32 bytes would save a shuffle. But the compiler sees that the bytes are already
    // in a register and extracts them two at a time.
    #[inline(always)]
    fn widened16(self, v: __m512i) -> [__m512i; 2] {
        let [first, second] = halves(self, v);
        [widened_half16(self, first), widened_half16(self, second)]
    }

    #[inline(always)]
    fn widened8(self, v: __m512i) -> [__m512i; 2] {
        let [first, second] = halves(self, v);
        [widened8(self, first), widened8(self, second)]
    }

    /// There is no branch on the lengths: it would be mispredicted if they vary.
    #[inline(always)]
    fn load_two(self, bytes: &[u8]) -> [__m512i; 2] {
        let (first, second) = bytes.split_at(bytes.len().min(64));
        // The memory after the text may be unmapped, or not committed yet. An empty masked load
        // from there is allowed but takes 20 ns.
        let second = if second.is_empty() { &first[..0] } else { second };
        // SAFETY: AVX512BW, by `self`. The mask has ones only for bytes of `first`. No others are
        // accessed.
        let a = unsafe { _mm512_maskz_loadu_epi8(first_bits(first.len()), first.as_ptr().cast()) };
        // SAFETY: AVX512BW, by `self`. The mask has ones only for bytes of `second`. No others are
        // accessed.
        let b = unsafe { _mm512_maskz_loadu_epi8(first_bits(second.len()), second.as_ptr().cast()) };
        [a, b]
    }

    #[inline(always)]
    fn load_threes(self, bytes: &[u8], at: usize) -> __m512i {
        const REVERSED: &[u8; 64] = &{
            let mut places = [0; 64];
            let mut i = 0;
            while i < 64 {
                places[i] = if i % 4 < 3 { (i / 4 * 3 + 2 - i % 4) as u8 } else { 0 };
                i += 1;
            }
            places
        };
        let (v, places) = (self.load(bytes, at), self.load(REVERSED, 0));
        // The mask has a zero for the fourth byte of each lane.
        lookup_where(self, 0x7777_7777_7777_7777, places, v)
    }

    #[inline(always)]
    fn reversed16(self, v: __m512i) -> __m512i {
        // VPSHUFB works within each 128 bits.
        const ORDER: &[u8; 64] = &{
            let mut order = [0; 64];
            let mut i = 0;
            while i < 64 {
                order[i] = (i % 16) as u8 ^ 1;
                i += 1;
            }
            order
        };
        let order = self.load(ORDER, 0);
        shuffled(self, v, order)
    }

    #[inline(always)]
    fn spread_sixes(self, v: __m512i) -> __m512i {
        // For each byte of the result, VPMULTISHIFTQB extracts eight bits out of 64, starting at
        // any bit.
        const FROM: u64 = u64::from_le_bytes([12, 6, 0, 24, 44, 38, 32, 56]);
        multishift(self, self.splat64(FROM), v)
    }

    #[inline(always)]
    fn matches_differ16(self, x: __m512i, a: u16, y: __m512i, b: u16) -> bool {
        self.equal16(x, self.splat16(a)) != self.equal16(y, self.splat16(b))
    }

    #[inline(always)]
    fn any_equal16_of_two(self, a: __m512i, b: __m512i, word: u16) -> bool {
        let word = self.splat16(word);
        self.equal16(a, word) | self.equal16(b, word) != 0
    }

    // Interleaving works within each 128 bits, on their lower or upper halves. So this moves the
    // first half of the vector to the lower halves.
    #[inline(always)]
    fn any_equal32(self, v: __m512i, dword: u32) -> bool {
        self.equal32(v, self.splat32(dword)) != 0
    }

    #[inline(always)]
    fn put_first(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        put(self, v, n, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_first_of_two(self, [first, second]: [__m512i; 2], n: usize, out: &mut Output<'_>) -> bool {
        let n = n.min(128);
        if let Some(next) = out.next_array::<128>() {
            self.store(first, next, 0);
            self.store(second, next, 64);
            // SAFETY: the stores have written 128 bytes, and `n` is no more.
            unsafe { out.advance(n) };
            return true;
        }
        out.left() >= n && put(self, first, n.min(64), out) && put(self, second, n.saturating_sub(64), out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_as_u32(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        let [first, second] = halves(self, v);
        let (first, second) = (half_as_u32(self, first), half_as_u32(self, second));
        out.left() >= 4 * n
            && self.put_first_of_two(first, (4 * n).min(2 * Self::LANES), out)
            && (n <= Self::LANES / 2 || self.put_first_of_two(second, 4 * n - 2 * Self::LANES, out))
    }

    #[inline(always)]
    fn prefetch_output(self, bytes: usize, out: &Output<'_>) {
        for line in 0..bytes / 64 {
            let line = out.ahead(AHEAD_BYTES + 64 * line).cast();
            // SAFETY: SSE, by `self`. A prefetch is a hint: it neither faults nor counts as an
            // access.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line) };
        }
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_as_u16(self, v: __m512i, n: usize, out: &mut Output<'_>) -> bool {
        self.put_first_of_two(self.widened8(v), 2 * n, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_u16_of_bytes(self, [low, high]: [__m512i; 2], keep: u64, out: &mut Output<'_>) -> bool {
        let n = 2 * keep.count_ones() as usize;
        let low = self.compress(low, keep);
        let high = self.compress(high, keep);
        if n <= 64 {
            let low = widened8(self, first_half(self, low));
            let high = widened8(self, first_half(self, high));
            return put(self, self.or(low, self.left16::<8>(high)), n, out);
        }
        let two = [self.for_interleaving(low), self.for_interleaving(high)];
        self.put_first_of_two(interleaved(self, two), n, out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_u32_of_bytes(
        self,
        low: __m512i,
        middle: __m512i,
        high: Option<__m512i>,
        keep: u64,
        out: &mut Output<'_>,
    ) -> bool {
        let n = keep.count_ones() as usize;
        if out.left() < 4 * n {
            return false;
        }
        let low = self.compress(low, keep);
        let middle = self.compress(middle, keep);
        let two = [self.for_interleaving(low), self.for_interleaving(middle)];
        let [words, words_second] = interleaved(self, two);
        let [high_first, high_second] = match high {
            Some(high) => {
                let [first, second] = halves(self, self.compress(high, keep));
                [Some(first), Some(second)]
            }
            None => [None; 2],
        };
        put_u32_of_low_half(self, words, high_first, n.min(32), out)
            && (n <= 32 || put_u32_of_low_half(self, words_second, high_second, n - 32, out))
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_utf16_as_u32(self, [before, now]: [__m512i; 2], n: usize, out: &mut Output<'_>) -> bool {
        let half = self.and(now, self.splat16(0xFC00));
        let ends = not_equal16(self, half, self.splat16(0xD800));
        let single = not_equal16(self, half, self.splat16(0xDC00));
        let keep = ends & first_bits(n) as u32;
        let first = joined(self, before, now, self.load(const { &with_one_before(0) }, 0), single as u16);
        let second =
            joined(self, before, now, self.load(const { &with_one_before(16) }, 0), (single >> 16) as u16);
        let (keep_first, keep_second) = (keep as u16, (keep >> 16) as u16);
        let first = compress32(self, keep_first, first);
        let second = compress32(self, keep_second, second);
        let lens = [4 * keep_first.count_ones() as usize, 4 * keep_second.count_ones() as usize];
        put_both(self, [first, second], lens, out)
    }

    #[inline(always)]
    fn put_interleaved(self, two: [__m512i; 2], with_second: u64, n: usize, out: &mut Output<'_>) -> bool {
        let [a, b] = interleaved(self, two);
        let keep_a = with_seconds(self, with_second) & first_bits(2 * n);
        let keep_b = with_seconds(self, with_second >> 32) & first_bits((2 * n).saturating_sub(64));
        let a = self.compress(a, keep_a);
        let b = self.compress(b, keep_b);
        put_both(self, [a, b], [keep_a.count_ones() as usize, keep_b.count_ones() as usize], out)
    }

    #[cfg_attr(trust8_optimised, inline(always))]
    fn put_kept_bytes(self, v: __m512i, keep: u64, out: &mut Output<'_>) -> bool {
        put(self, self.compress(v, keep), keep.count_ones() as usize, out)
    }

    compiled! { Avx512
        fn select_high(flags: __m512i, yes: __m512i, no: __m512i) -> __m512i {
            let mask = _mm512_movepi8_mask(flags);
            _mm512_mask_blend_epi8(mask, no, yes)
        }

        fn earlier(now: __m512i, before: __m512i) -> [__m512i; 3] {
            let lanes = _mm512_alignr_epi64::<7>(now, before);
            let by1 = _mm512_shldi_epi64::<8>(now, lanes);
            let by2 = _mm512_shldi_epi64::<16>(now, lanes);
            let by3 = _mm512_shldi_epi64::<24>(now, lanes);
            [by1, by2, by3]
        }

        fn with_high_bits(bits: u64) -> __m512i { _mm512_movm_epi8(bits) }

        fn for_interleaving(v: __m512i) -> __m512i {
            let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
            _mm512_permutexvar_epi64(order, v)
        }
    }
}

//! Finds characters that a profile may forbid, while text is validated.
//!
//! ```text
//! skip groups of four vectors that are ASCII without suspects
//! in the next 16 KiB, which are not ASCII: classify each byte of a group by itself; skip the group if none is suspect
//! otherwise: classify each byte with the two after it; return the first 64 bytes that have suspects, if there are any
//! ```
//!
//! The caller validates what is not ASCII, while it is in the first-level cache, and looks at each suspect. A test may suspect without
//! cause, and never misses a forbidden character of valid text. About other bytes it may say anything.
//!
//! 1. **A class is a bit of a byte.** A table of 16 entries says which classes have a nibble. A byte has the classes that the entries of
//!    both of its nibbles share; a sequence has those that its bytes share. So a class is a product of sets. The second test knows
//!    EF BC (punctuation in Chinese text) from EF BF, and E2 80 9C (a quotation mark) from E2 80 AE.
//! 2. **AVX-512 looks up six bits at a time** (VPERMB). So a class is a product of sets of bytes, and all classes fit into eight bits.
//! 3. **ASCII needs one lookup.** Of the 16-byte rows of ASCII, profiles forbid parts of the first two, and DEL. For each lower nibble a
//!    table has the byte at which the forbidden ones end: `end - byte` is small exactly for them, and a minimum collects it.
//! 4. **No test is repeated where it fails often.** After a suspect, the next groups take the second test without the first.

#![forbid(unsafe_code)]

use super::automaton::Automaton;
use super::search::Vectors;
use super::verdict::Verdict;
use super::{Kernel, entries};
use crate::boundary::floor;
#[cfg(kernel_simd)]
use crate::simd::Simd;
#[cfg(kernel_avx512)]
use crate::simd::x86::avx512::{self, Avx512};

/// The classes of a byte, by its upper and by its lower four bits.
#[derive(Clone, Copy)]
pub(crate) struct Nibbles {
    pub(crate) high: [u8; 16],
    pub(crate) low: [u8; 16],
}

impl Nibbles {
    /// No class has any byte.
    pub(crate) const NONE: Self = Self { high: [0; 16], low: [0; 16] };

    /// Returns these tables with `byte` in the classes of `classes`.
    pub(crate) const fn with(mut self, byte: u8, classes: u8) -> Self {
        self.high[(byte >> 4) as usize] |= classes;
        self.low[(byte & 15) as usize] |= classes;
        self
    }

    /// Returns these tables with all bytes in the classes of `classes`.
    pub(crate) const fn with_all(mut self, classes: u8) -> Self {
        let mut nibble = 0;
        while nibble < 16 {
            self.high[nibble] |= classes;
            self.low[nibble] |= classes;
            nibble += 1;
        }
        self
    }

    #[inline(always)]
    fn of(&self, byte: u8) -> u8 {
        self.high[usize::from(byte >> 4)] & self.low[usize::from(byte & 15)]
    }
}

/// The suspects among the bytes of ASCII, for text of which all is ASCII.
#[derive(Clone, Copy)]
pub(crate) struct Ascii {
    /// The number from which a byte with this lower nibble is subtracted, modulo 256. The difference is below [`WIDTH`](Self::WIDTH)
    /// exactly for suspects up to 1F.
    pub(crate) ends: [u8; 16],
    /// Bytes above this one are not ASCII, or suspect. It is zero where that does not describe the suspects: then no text passes.
    pub(crate) most: u8,
}

impl Ascii {
    /// 00..0F and 10..1F.
    pub(crate) const WIDTH: u8 = 0x11;
}

/// The classes of bytes, by their lower six bits.
#[cfg(kernel_avx512)]
#[derive(Clone, Copy)]
pub(crate) struct Sixes {
    /// What is added to a byte of ASCII to set bit 7 exactly in suspects.
    pub(crate) ascii: [u8; 64],
    /// Bit 0: the byte is suspect if it is 00..3F. Bit 1: if it is 40..7F. Bit 2: if it is C0..FF.
    pub(crate) one: [u8; 64],
    /// The classes of a first byte, and of the two after it.
    pub(crate) three: [[u8; 64]; 3],
}

/// What is suspect.
#[derive(Clone, Copy)]
pub(crate) struct Sieve {
    /// The classes of single bytes. Those of [`ASCII`](Self::ASCII) are suspect; the others are first bytes.
    pub(crate) one: Nibbles,
    /// The classes of three bytes, one after the other. A shorter character has a class with any bytes after it.
    pub(crate) three: [[Nibbles; 3]; Self::SETS],
    /// How many of these sets have classes.
    pub(crate) sets: usize,
    pub(crate) ascii: Ascii,
    #[cfg(kernel_avx512)]
    pub(crate) sixes: Sixes,
}

impl Sieve {
    /// The number of sets of eight classes.
    pub(crate) const SETS: usize = 2;

    /// The classes of bytes that are suspect whatever follows.
    pub(crate) const ASCII: u8 = 0x0F;
}

/// The suspects in 64 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Suspects {
    /// All before this place is ASCII, from where the search began. It may be before that.
    pub(crate) ascii_to: usize,
    /// Where the 64 bytes begin. Without suspects: where the search ended, which may be before the end of the text.
    pub(crate) at: usize,
    /// A one for each suspect, the first byte's as the lowest bit.
    pub(crate) bits: u64,
}

impl Suspects {
    /// Returns where the next search begins.
    #[inline(always)]
    pub(crate) const fn next(self) -> usize {
        if self.bits == 0 { self.at } else { self.at + BLOCK }
    }
}

/// The bytes whose suspects one word has.
pub(crate) const BLOCK: usize = 64;

/// The vectors that a test takes together.
const GROUP: usize = 4;

/// The longest group in bytes, and what is read after it.
const LONGEST_BYTES: usize = GROUP * 64 + AHEAD;

/// The bytes after a byte that decide about it.
const AHEAD: usize = 2;

/// Text that is not ASCII is searched and validated in chunks of this length, so that it stays in the first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// How many groups take the second test without the first one, at most.
const BUSY: u32 = 8;

/// From this length on, texts are searched by [`long`].
pub(crate) const LONG: usize = 2 * BLOCK;

/// The tests of an instruction set.
pub(crate) trait Sift: Vectors {
    /// Returns whether a group is ASCII without suspects. If so, this may still say no.
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool;

    /// Returns something other than zero for suspects: the first test.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// Does the same for a group, by the second test. It loads [`AHEAD`] bytes more.
    fn exact(self, group: &[u8], sieve: &Sieve) -> [Self::Vector; GROUP];
}

/// Returns the next suspects at `from` or after it.
#[inline(always)]
pub(crate) fn long<V: Sift>(
    v: V,
    text: &[u8],
    from: usize,
    sieve: &Sieve,
    short: impl Fn(&[u8], usize, &Sieve) -> Suspects,
) -> Suspects {
    let mut at = from;
    while let Some(group) = text.get(at..at + GROUP * V::LANES)
        && v.is_plain(group, sieve)
    {
        at += group.len();
    }
    let ascii_to = at;
    let end = at.saturating_add(CHUNK_BYTES);
    let (mut busy, mut failed) = (0, 0);
    while let Some(group) = text.get(at..at + GROUP * V::LANES + AHEAD) {
        if at >= end {
            return Suspects { ascii_to, at, bits: 0 };
        }
        if busy == 0 && !may_have_suspects(v, group, sieve) {
            failed = 0;
        } else {
            if busy == 0 {
                (busy, failed) = (failed, BUSY.min(2 * failed + 1));
            } else {
                busy -= 1;
            }
            if let Some((within, bits)) = suspects(v, group, sieve) {
                return Suspects { ascii_to, at: at + within, bits };
            }
        }
        at += GROUP * V::LANES;
    }
    let rest = short(text, at, sieve);
    if ascii_to < at { Suspects { ascii_to, ..rest } } else { rest }
}

#[inline(always)]
fn may_have_suspects<V: Sift>(v: V, group: &[u8], sieve: &Sieve) -> bool {
    let (mut all, mut i) = (v.splat(0), 0);
    while i < GROUP {
        all = v.or(all, v.classes(v.load(group, i * V::LANES), sieve));
        i += 1;
    }
    v.any(all)
}

/// Returns the place of the first block with suspects, and its suspects.
#[inline(always)]
fn suspects<V: Sift>(v: V, group: &[u8], sieve: &Sieve) -> Option<(usize, u64)> {
    let found = v.exact(group, sieve);
    if !v.any(v.or(v.or(found[0], found[1]), v.or(found[2], found[3]))) {
        return None;
    }
    let mut at = 0;
    while at < GROUP * V::LANES {
        let mut bits = 0;
        let mut within = 0;
        while within < BLOCK {
            bits |= v.not_zero(found[(at + within) / V::LANES]) << within;
            within += V::LANES;
        }
        if bits != 0 {
            return Some((at, bits));
        }
        at += BLOCK;
    }
    None
}

/// Does what [`long`] does, for a short text or the end of a long one.
#[inline(always)]
pub(crate) fn short<V: Sift>(v: V, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
    let (mut all, mut found, mut at) = (v.splat(0), v.splat(0), from);
    while text.len() - at >= V::LANES {
        let bytes = v.load(text, at);
        (all, found) = (v.or(all, bytes), v.or(found, v.classes(bytes, sieve)));
        at += V::LANES;
    }
    let last = v.load_short(&text[at..]);
    // The zeros after the text are not suspect.
    let within = (1u64 << (text.len() - at)) - 1;
    if !v.any(found) && v.not_zero(v.classes(last, sieve)) & within == 0 {
        let ascii_to = if v.any_high_bit(v.or(all, last)) { from } else { text.len() };
        return Suspects { ascii_to, at: text.len(), bits: 0 };
    }
    at = from;
    while at < text.len() {
        let rest = &text[at..text.len().min(at + GROUP * V::LANES + AHEAD)];
        let mut padded = [0; LONGEST_BYTES];
        padded[..rest.len()].copy_from_slice(rest);
        if let Some((within, bits)) = suspects(v, &padded[..GROUP * V::LANES + AHEAD], sieve) {
            let bits = bits & bits_below(rest.len() - within.min(rest.len()));
            if bits != 0 {
                return Suspects { ascii_to: from, at: at + within, bits };
            }
        }
        at += GROUP * V::LANES;
    }
    Suspects { ascii_to: from, at: text.len(), bits: 0 }
}

/// Returns a word with the lowest `n` bits, or all.
#[inline(always)]
fn bits_below(n: usize) -> u64 {
    if n < BLOCK { (1 << n) - 1 } else { u64::MAX }
}

#[cfg(kernel_simd)]
#[inline(always)]
fn classes<S: Simd>(s: S, nibbles: &Nibbles, bytes: S::Vector) -> S::Vector {
    let high = s.lookup(s.table(&nibbles.high), Simd::high_nibbles(s, bytes));
    Simd::and(s, high, s.lookup(s.table(&nibbles.low), Simd::low_nibbles(s, bytes)))
}

#[cfg(kernel_simd)]
impl<S: Simd> Sift for S {
    #[inline(always)]
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool {
        let s = self;
        let ends = s.table(&sieve.ascii.ends);
        let (mut least, mut most, mut i) = (Simd::splat(s, 0xFF), Simd::splat(s, 0), 0);
        while i < GROUP {
            let bytes = Simd::load(s, group, i * <S as Simd>::LANES);
            // On x86, a lookup takes the lower four bits of an index itself, and what is not ASCII ends this loop in any case.
            let low = if cfg!(kernel_x86) { bytes } else { Simd::low_nibbles(s, bytes) };
            let end = s.lookup(ends, low);
            least = Simd::min(s, least, s.minus_wrapping(end, bytes));
            most = Simd::max(s, most, bytes);
            i += 1;
        }
        let below = Simd::minus(s, Simd::splat(s, Ascii::WIDTH), least);
        let above = Simd::minus(s, most, Simd::splat(s, sieve.ascii.most));
        !Simd::any(s, Simd::or(s, below, above))
    }

    #[inline(always)]
    fn classes(self, bytes: S::Vector, sieve: &Sieve) -> S::Vector {
        classes(self, &sieve.one, bytes)
    }

    #[inline(always)]
    fn exact(self, group: &[u8], sieve: &Sieve) -> [S::Vector; GROUP] {
        let s = self;
        let ascii = Simd::splat(s, Sieve::ASCII);
        let (mut found, mut i) = ([ascii; GROUP], 0);
        while i < GROUP {
            found[i] = Simd::and(s, ascii, classes(s, &sieve.one, Simd::load(s, group, i * <S as Simd>::LANES)));
            i += 1;
        }
        // One set after the other, so that its tables stay in registers. Not a slice of the sets: in code that is optimised for size,
        // that is a call.
        let mut set = 0;
        while set < sieve.sets && set < Sieve::SETS {
            let [first, second, third] = &sieve.three[set];
            let mut i = 0;
            while i < GROUP {
                let at = i * <S as Simd>::LANES;
                let two = Simd::and(
                    s,
                    classes(s, first, Simd::load(s, group, at)),
                    classes(s, second, Simd::load(s, group, at + 1)),
                );
                let three = Simd::and(s, two, classes(s, third, Simd::load(s, group, at + 2)));
                found[i] = Simd::or(s, found[i], three);
                i += 1;
            }
            set += 1;
        }
        found
    }
}

#[cfg(kernel_avx512)]
impl Sift for Avx512 {
    #[inline(always)]
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool {
        let table = self.load(&sieve.sixes.ascii, 0);
        let (mut all, mut i) = (self.zero(), 0);
        while i < GROUP {
            let bytes = self.load(group, 64 * i);
            // FE is the truth table of `or`.
            all = self.ternary::<0xFE>(all, bytes, self.plus(bytes, self.lookup(table, bytes)));
            i += 1;
        }
        !self.any_high_bit(all)
    }

    #[inline(always)]
    fn classes(self, bytes: avx512::Vector, sieve: &Sieve) -> avx512::Vector {
        /// The bit of [`Sixes::one`] for the upper two bits of a byte, by its upper four bits.
        const UPPER: u128 = u128::from_le_bytes([1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 4, 4, 4, 4]);
        // The lookup takes six bits of an index. The upper two are not of this byte, and the table repeats itself.
        let upper = self.lookup(self.splat128(UPPER), self.shift_right_4_in_16(bytes));
        self.and(upper, self.lookup(self.load(&sieve.sixes.one, 0), bytes))
    }

    #[inline(always)]
    fn exact(self, group: &[u8], sieve: &Sieve) -> [avx512::Vector; GROUP] {
        let [first, second, third] = &sieve.sixes.three;
        let (first, second, third) = (self.load(first, 0), self.load(second, 0), self.load(third, 0));
        let (mut found, mut i) = ([self.zero(); GROUP], 0);
        while i < GROUP {
            let bytes = self.load(group, 64 * i);
            let one = self.lookup_from(first, bytes, self.splat(0xC0));
            let two = self.lookup(second, self.load(group, 64 * i + 1));
            let three = self.lookup(third, self.load(group, 64 * i + 2));
            let ascii = self.and(self.classes(bytes, sieve), self.splat(3));
            // 80 is the truth table of `and`.
            found[i] = self.or(ascii, self.ternary::<0x80>(one, two, three));
            i += 1;
        }
        found
    }
}

impl Sift for Automaton {
    #[inline(always)]
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        group.as_chunks::<8>().0.iter().all(|bytes| {
            let word = u64::from_ne_bytes(*bytes);
            // Bit 7 of a byte is set if the byte is below 20, above 7E, or after such a byte.
            let special = (word | word.wrapping_sub(0x20 * ONES) | word.wrapping_add(ONES)) & (0x80 * ONES);
            special == 0 && sieve.ascii.most > 0
                || bytes.iter().all(|&byte| byte.is_ascii() && sieve.one.of(byte) == 0)
        })
    }

    #[inline(always)]
    fn classes(self, bytes: [u8; 16], sieve: &Sieve) -> [u8; 16] {
        let mut classes = bytes;
        for byte in &mut classes {
            *byte = sieve.one.of(*byte);
        }
        classes
    }

    #[inline(always)]
    fn exact(self, group: &[u8], sieve: &Sieve) -> [[u8; 16]; GROUP] {
        let mut found = [[0; 16]; GROUP];
        for (found, bytes) in found.as_flattened_mut().iter_mut().zip(group.windows(1 + AHEAD)) {
            let class = sieve.one.of(bytes[0]);
            *found = class & Sieve::ASCII;
            if class > *found {
                for [first, second, third] in &sieve.three {
                    *found |= first.of(bytes[0]) & second.of(bytes[1]) & third.of(bytes[2]);
                }
            }
        }
        found
    }
}

/// Validates `bytes` from `valid` on, before which they are known to be valid, and calls `each` with the place of each suspect. The
/// character there is valid. Where `each` returns something, the walk ends.
///
/// Returns what `each` returned, or the verdict on all of `bytes`.
#[inline(always)]
pub(crate) fn walk<T>(
    kernel: &Kernel,
    bytes: &[u8],
    mut valid: usize,
    sieve: &Sieve,
    mut each: impl FnMut(usize) -> Option<T>,
) -> Result<Verdict, T> {
    let (mut text, mut verdict, mut at) = (bytes, Verdict::VALID, 0);
    loop {
        let suspects = entries::sift(kernel, text, at, sieve);
        valid = valid.max(suspects.ascii_to);
        let next = suspects.next();
        // The last suspect's character may end after the block.
        if next.min(text.len()) > valid {
            let chunk = if suspects.bits == 0 { next } else { next.max(valid + CHUNK_BYTES) };
            let end = floor(text, chunk + 4);
            if let Some(suspicion) = kernel.verdict(&text[valid..end]).suspicion() {
                // The error may depend on what comes after the chunk.
                match super::text(&text[valid..], Verdict::suspect(suspicion)) {
                    Ok(_) => valid = text.len(),
                    Err(error) => {
                        verdict = Verdict::suspect(valid + suspicion);
                        valid += error.valid_up_to();
                        text = &text[..valid];
                        continue;
                    }
                }
            } else {
                valid = end;
            }
        }
        let mut bits = suspects.bits;
        while bits != 0 {
            if let Some(found) = each(suspects.at + bits.trailing_zeros() as usize) {
                return Err(found);
            }
            bits &= bits - 1;
        }
        at = next;
        if at >= text.len() {
            return Ok(verdict);
        }
    }
}

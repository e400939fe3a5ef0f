//! Finds characters that a profile may forbid, while text is validated.
//!
//! ```text
//! skip groups of vectors that are ASCII without suspects
//! in the next 16 KiB, which are not ASCII: classify each byte of a group by itself; skip the group if none is suspect
//! otherwise, vector by vector: classify each byte with the two after it; return the suspects, if there are any
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

use crate::boundary::{array_at, floor};
use crate::error::Utf8Error;
use crate::kernel::{Automaton, Engine, Kernel};
use crate::simd::Job;
#[cfg(trust8_simd)]
use crate::simd::Simd;
#[cfg(trust8_avx512)]
use crate::simd::{Avx512, x86::avx512};
use crate::text::search::Vectors;

/// The classes of a byte, by its upper and by its lower four bits.
#[derive(Clone, Copy)]
pub(super) struct Nibbles {
    pub(super) high: [u8; 16],
    pub(super) low: [u8; 16],
}

impl Nibbles {
    /// No class has any byte.
    pub(super) const NONE: Self = Self { high: [0; 16], low: [0; 16] };

    /// Returns these tables with `byte` in the classes of `classes`.
    pub(super) const fn with(mut self, byte: u8, classes: u8) -> Self {
        self.high[(byte >> 4) as usize] |= classes;
        self.low[(byte & 15) as usize] |= classes;
        self
    }

    /// Returns these tables with all bytes in the classes of `classes`.
    pub(super) const fn with_all(mut self, classes: u8) -> Self {
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

/// The suspects among the bytes of text that is all ASCII.
#[derive(Clone, Copy)]
pub(super) struct Ascii {
    /// The number from which a byte with this lower nibble is subtracted, modulo 256. The difference is below [`WIDTH`](Self::WIDTH)
    /// exactly for suspects up to 1F.
    #[cfg_attr(not(trust8_simd), expect(dead_code, reason = "only vectors look it up"))]
    pub(super) ends: [u8; 16],
    /// Bytes above this one are not ASCII, or suspect. It is zero where that does not describe the suspects: then no text passes.
    pub(super) most: u8,
}

impl Ascii {
    /// 00..0F and 10..1F.
    #[cfg_attr(not(trust8_simd), expect(dead_code, reason = "only vectors use it"))]
    pub(super) const WIDTH: u8 = 0x11;
}

/// The classes of bytes, by their lower six bits.
#[cfg(trust8_avx512)]
#[derive(Clone, Copy)]
pub(super) struct Sixes {
    /// What is added to a byte of ASCII to set bit 7 exactly in suspects.
    pub(super) ascii: [u8; 64],
    /// Bit 0: the byte is suspect if it is 00..3F. Bit 1: if it is 40..7F. Bit 2: if it is C0..FF.
    pub(super) one: [u8; 64],
    /// The classes of a first byte, and of the two after it.
    pub(super) three: [[u8; 64]; 3],
}

/// What is suspect.
#[derive(Clone, Copy)]
pub(super) struct Sieve {
    /// The classes of single bytes. Those of [`ASCII`](Self::ASCII) are suspect; the others are first bytes.
    pub(super) one: Nibbles,
    /// The classes of three bytes, one after the other. A shorter character has a class with any bytes after it.
    pub(super) three: [[Nibbles; 3]; Self::SETS],
    /// How many of these sets have classes.
    pub(super) sets: usize,
    pub(super) ascii: Ascii,
    #[cfg(trust8_avx512)]
    pub(super) sixes: Sixes,
}

impl Sieve {
    /// The number of sets of eight classes.
    pub(super) const SETS: usize = 2;

    /// The classes of bytes that are suspect whatever follows.
    pub(super) const ASCII: u8 = 0x0F;
}

/// The suspects in the bytes of a vector.
#[derive(Clone, Copy)]
pub(super) struct Suspects {
    /// All before this place is ASCII, from where the search began. It may be before that.
    pub(super) ascii_to: usize,
    /// Where the vector begins.
    pub(super) at: usize,
    /// A one for each suspect, the first byte's as the lowest bit.
    pub(super) bits: u64,
    /// Where the next search begins: after the vector. Without suspects, this search has come so far.
    pub(super) next: usize,
}

impl Suspects {
    #[inline(always)]
    const fn none(ascii_to: usize, next: usize) -> Self {
        Self { ascii_to, at: next, bits: 0, next }
    }
}

/// The vectors that the first test takes together.
const GROUP: usize = 4;

/// The longest vector in bytes.
const LONGEST_BYTES: usize = 64;

/// The bytes after a byte that decide about it.
const AHEAD: usize = 2;

/// Text that is not ASCII is searched and validated in chunks of this length, so that it stays in the first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// How many groups take the second test without the first one, at most.
const BUSY: usize = 15;

/// From this length on, texts are searched by [`long`].
const LONG: usize = 2 * LONGEST_BYTES;

/// An engine that searches for suspects.
pub(super) trait Sifting: Engine {
    /// Returns the next suspects at `from` or after it.
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Suspects;
}

/// [`Sifting::sift`] as a job. It needs the place from which on, and what is suspect.
pub(super) struct Sift;

impl<E: Sifting> Job<E, (usize, &Sieve), Suspects> for Sift {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Suspects {
        engine.sift(text, from, sieve)
    }
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
        if text.len() < LONG {
            self.apart(Short, text, (from, sieve))
        } else {
            self.apart(Long, text, (from, sieve))
        }
    }
}

/// Without vectors, there is one function.
impl Sifting for Automaton {
    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
        scalar(text, from, sieve)
    }
}

/// The search in a short text, or in the end of a long one.
struct Short;

impl<E: Engine + Tests> Job<E, (usize, &Sieve), Suspects> for Short {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Suspects {
        short(engine, text, from, sieve)
    }
}

/// The search in a long text.
struct Long;

impl<E: Engine + Tests> Job<E, (usize, &Sieve), Suspects> for Long {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Suspects {
        long(engine, text, from, sieve)
    }
}

/// The search by the second test alone, in the vectors that begin before a place.
struct Exact;

impl<E: Engine + Tests> Job<E, (usize, usize, &Sieve), Suspects> for Exact {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, to, sieve): (usize, usize, &Sieve)) -> Suspects {
        exact(engine, text, from, to, sieve)
    }
}

/// The tests of an instruction set.
trait Tests: Vectors {
    /// The number of bytes that [`is_plain`](Self::is_plain) takes.
    const PLAIN: usize;

    /// Returns whether a group is ASCII without suspects. If so, this may still say no.
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool;

    /// Returns something other than zero for suspects: the first test.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// Does the same by the second test, given the bytes, those one place later, and those two places later.
    fn exact(self, bytes: [Self::Vector; 3], sieve: &Sieve) -> Self::Vector;
}

/// See [`Long`].
#[inline(always)]
fn long<V: Engine + Tests>(v: V, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
    let mut at = from;
    while let Some(group) = text.get(at..at + V::PLAIN)
        && v.is_plain(group, sieve)
    {
        at += V::PLAIN;
    }
    let (ascii_to, end) = (at, at.saturating_add(CHUNK_BYTES));
    let mut failed = 0;
    while let Some(group) = text.get(at..at + GROUP * V::LANES + AHEAD) {
        if at >= end {
            return Suspects::none(ascii_to, at);
        }
        if may_have_suspects(v, group, sieve) {
            failed = BUSY.min(2 * failed + 1);
            let suspects = v.apart(Exact, text, (at, at + failed * GROUP * V::LANES, sieve));
            if suspects.bits != 0 {
                return Suspects { ascii_to, ..suspects };
            }
            at = suspects.next;
        } else {
            failed = 0;
            at += GROUP * V::LANES;
        }
    }
    if at == text.len() {
        return Suspects::none(ascii_to, at);
    }
    let rest = v.apart(Short, text, (at, sieve));
    if ascii_to < at { Suspects { ascii_to, ..rest } } else { rest }
}

#[inline(always)]
fn may_have_suspects<V: Tests>(v: V, group: &[u8], sieve: &Sieve) -> bool {
    let (mut all, mut i) = (v.splat(0), 0);
    while i < GROUP {
        all = v.or(all, v.classes(v.load(group, i * V::LANES), sieve));
        i += 1;
    }
    v.any(all)
}

/// See [`Exact`].
#[inline(always)]
fn exact<V: Tests>(v: V, text: &[u8], from: usize, to: usize, sieve: &Sieve) -> Suspects {
    let mut at = from;
    while at < to.min(text.len()) {
        let bytes = if text.len() - at >= V::LANES + AHEAD {
            [v.load(text, at), v.load(text, at + 1), v.load(text, at + 2)]
        } else {
            let mut bytes = [v.splat(0); 3];
            for (i, bytes) in bytes.iter_mut().enumerate() {
                *bytes = load_rest(v, text, at + i);
            }
            bytes
        };
        let found = v.exact(bytes, sieve);
        if v.any(found) {
            let bits = v.not_zero(found) & bits_below(text.len() - at);
            if bits != 0 {
                return Suspects { ascii_to: from, at, bits, next: text.len().min(at + V::LANES) };
            }
        }
        at += V::LANES;
    }
    Suspects::none(from, at.min(text.len()))
}

/// Returns the bytes at `at`, and zeros if the text ends before the vector does.
#[inline(always)]
fn load_rest<V: Vectors>(v: V, text: &[u8], at: usize) -> V::Vector {
    let rest = text.get(at..).unwrap_or_default();
    if rest.len() < V::LANES { v.load_short(rest) } else { v.load(rest, 0) }
}

/// See [`Short`].
#[inline(always)]
fn short<V: Engine + Tests>(v: V, text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
    let (mut all, mut at) = (v.splat(0), from);
    while at < text.len() {
        let bytes = load_rest(v, text, at);
        all = v.or(all, bytes);
        // The zeros after the text are not suspect.
        if v.not_zero(v.classes(bytes, sieve)) & bits_below(text.len() - at) != 0 {
            return Suspects { ascii_to: from, ..v.apart(Exact, text, (at, text.len(), sieve)) };
        }
        at += V::LANES;
    }
    Suspects::none(if v.any_high_bit(all) { from } else { text.len() }, text.len())
}

/// Returns a word with the lowest `n` bits, or all.
#[inline(always)]
fn bits_below(n: usize) -> u64 {
    if n < 64 { (1 << n) - 1 } else { u64::MAX }
}

#[cfg(trust8_simd)]
#[inline(always)]
fn classes<S: Simd>(s: S, nibbles: &Nibbles, bytes: S::Vector) -> S::Vector {
    let high = s.lookup(s.table(&nibbles.high), Simd::high_nibbles(s, bytes));
    Simd::and(s, high, s.lookup(s.table(&nibbles.low), Simd::low_nibbles(s, bytes)))
}

#[cfg(trust8_simd)]
impl<S: Simd> Tests for S {
    const PLAIN: usize = 8 * <S as Simd>::LANES;

    #[inline(always)]
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool {
        let s = self;
        let ends = s.table(&sieve.ascii.ends);
        let (mut least, mut most, mut i) = (Simd::splat(s, 0xFF), Simd::splat(s, 0), 0);
        while i < Self::PLAIN / <S as Simd>::LANES {
            let bytes = Simd::load(s, group, i * <S as Simd>::LANES);
            // On x86, a lookup takes the lower four bits of an index itself, and what is not ASCII ends this loop in any case.
            let low = if cfg!(trust8_x86) { bytes } else { Simd::low_nibbles(s, bytes) };
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
    fn exact(self, bytes: [S::Vector; 3], sieve: &Sieve) -> S::Vector {
        let s = self;
        let mut found = Simd::and(s, Simd::splat(s, Sieve::ASCII), classes(s, &sieve.one, bytes[0]));
        // Not a slice of the sets: in code that is optimised for size, that is a call.
        let mut set = 0;
        while set < sieve.sets && set < Sieve::SETS {
            let [first, second, third] = &sieve.three[set];
            let two = Simd::and(s, classes(s, first, bytes[0]), classes(s, second, bytes[1]));
            found = Simd::or(s, found, Simd::and(s, two, classes(s, third, bytes[2])));
            set += 1;
        }
        found
    }
}

#[cfg(trust8_avx512)]
impl Tests for Avx512 {
    const PLAIN: usize = 256;

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
    fn exact(self, bytes: [avx512::Vector; 3], sieve: &Sieve) -> avx512::Vector {
        let [first, second, third] = &sieve.sixes.three;
        let one = self.lookup_from(self.load(first, 0), bytes[0], self.splat(0xC0));
        let two = self.lookup(self.load(second, 0), bytes[1]);
        let three = self.lookup(self.load(third, 0), bytes[2]);
        let ascii = self.and(self.classes(bytes[0], sieve), self.splat(3));
        // 80 is the truth table of `and`.
        self.or(ascii, self.ternary::<0x80>(one, two, three))
    }
}

/// Byte by byte. Of ASCII, eight bytes at a time.
fn scalar(text: &[u8], from: usize, sieve: &Sieve) -> Suspects {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let (mut at, mut ascii_to) = (from, None);
    let end = text.len().min(from.saturating_add(CHUNK_BYTES));
    while at < end {
        if let Some(bytes) = array_at(text, at) {
            let word = u64::from_ne_bytes(*bytes);
            // Bit 7 of a byte is set if the byte is below 20, above 7E, or after such a byte.
            let special = (word | word.wrapping_sub(0x20 * ONES) | word.wrapping_add(ONES)) & (0x80 * ONES);
            if special == 0 && sieve.ascii.most > 0 {
                at += bytes.len();
                continue;
            }
        }
        let byte = |i: usize| text.get(at + i).copied().unwrap_or(0);
        if !byte(0).is_ascii() && ascii_to.is_none() {
            ascii_to = Some(at);
        }
        let class = sieve.one.of(byte(0));
        let is_first = |[first, second, third]: &[Nibbles; 3]| {
            first.of(byte(0)) & second.of(byte(1)) & third.of(byte(2)) != 0
        };
        if class & Sieve::ASCII != 0 || class != 0 && sieve.three.iter().any(is_first) {
            return Suspects { ascii_to: ascii_to.unwrap_or(at), at, bits: 1, next: at + 1 };
        }
        at += 1;
    }
    at = at.min(text.len());
    Suspects::none(ascii_to.unwrap_or(at), at)
}

/// Validates text from `valid` on, before which it is known to be valid, and calls `each` with the place of each suspect. The
/// character there is valid. Where `each` returns something, the walk ends, and that is its error.
///
/// Otherwise it returns `bytes` as text, or the first place at which they are not.
#[inline(always)]
pub(super) fn walk<'a, T>(
    kernel: &Kernel,
    bytes: &'a [u8],
    mut valid: usize,
    sieve: &Sieve,
    mut each: impl FnMut(usize) -> Option<T>,
) -> Result<Result<&'a str, Utf8Error>, T> {
    let (mut text, mut error, mut at) = (bytes, None, 0);
    loop {
        let suspects = kernel.run(Sift, text, (at, sieve));
        valid = valid.max(suspects.ascii_to);
        // The last suspect's character may end after the vector.
        if suspects.next > valid {
            let chunk =
                if suspects.bits == 0 { suspects.next } else { suspects.next.max(valid + CHUNK_BYTES) };
            let end = floor(text, chunk + 4);
            match kernel.check(&text[valid..end]) {
                Ok(_) => valid = end,
                // The error may depend on what comes after the chunk.
                Err(_) => match kernel.from_utf8(&text[valid..]) {
                    Ok(_) => valid = text.len(),
                    Err(found) => {
                        let found = found.after(valid);
                        valid = found.valid_up_to();
                        text = &text[..valid];
                        error = Some(found);
                        continue;
                    }
                },
            }
        }
        let mut bits = suspects.bits;
        while bits != 0 {
            if let Some(found) = each(suspects.at + bits.trailing_zeros() as usize) {
                return Err(found);
            }
            bits &= bits - 1;
        }
        at = suspects.next;
        if at >= text.len() {
            return Ok(match error {
                Some(error) => Err(error),
                // SAFETY: without an error, `text` is all of `bytes`, and the search has come to its end. All before `valid` was found valid,
                // or is ASCII by the search, and wherever the search was after `valid`, the text up to there was found valid.
                None => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
            });
        }
    }
}

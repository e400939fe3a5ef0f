//! Finds characters that a profile may forbid, while text is validated.
//!
//! ```text
//! skip groups of vectors that are ASCII without suspects
//! in the next 16 KiB:
//!     classify each byte of a group by itself; skip the group if none is suspect
//!     otherwise, for some vectors: classify each byte with its neighbours; return the suspects, if there are any
//! ```
//!
//! The caller validates what is not ASCII, while it is in the first-level cache, and looks at each suspect. A test may suspect without
//! cause, and never misses a forbidden character of valid text. About other bytes it may say anything.
//!
//! 1. **A class is a bit of a byte.** A table of 16 entries says which classes have a nibble. A byte has the classes that the entries of
//!    both of its nibbles share; a sequence has those that its bytes share. So a class is a product of sets. The second test knows
//!    EF BC (punctuation in Chinese text) from EF BF, and E2 80 9C (a quotation mark) from E2 80 AE.
//! 2. **AVX-512 looks up six bits at a time** (VPERMB). So there a class is a product of sets of bytes.
//! 3. **ASCII needs one lookup.** Of the 16-byte rows of ASCII, profiles forbid parts of the first two, and DEL. For each lower nibble a
//!    table has the byte at which the forbidden ones end: `end - byte` is small exactly for them, and a minimum collects it. With AVX-512
//!    the table has what to add to a byte so that exactly the forbidden ones get bit 7.
//! 4. **No test is repeated where it fails often.** After a suspect group, the next vectors take the second test without the first.

#[cfg(trust8_simd)]
use super::lanes;
use super::lanes::{GROUP, Sieve};
use crate::boundary::{array_at, floor, is_inside};
use crate::error::Utf8Error;
use crate::kernel::{Automaton, Engine, Kernel};
use crate::simd::Job;
#[cfg(trust8_simd)]
use crate::simd::Simd;
#[cfg(trust8_avx512)]
use crate::simd::{Avx512, x86::avx512};
use crate::text::search::Vectors;

/// What a search has found.
#[derive(Clone, Copy)]
struct Sifted {
    /// All before this place is ASCII, from where the search began.
    ascii_to: usize,
    /// Where the vector with the suspects begins, and a one for each: a place inside the character.
    at: usize,
    bits: u64,
    /// Where the next search begins. All before it has been searched.
    next: usize,
}

/// Text that is not ASCII is searched and validated in chunks of this length, so that it stays in the first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// The number of vectors after a suspect group that take the second test.
const NEAR: usize = 32;

/// An engine that searches for suspects.
trait Sifting: Engine {
    /// Returns the first vector at `from` or after it that has suspects. `from` is zero, or where another search ended.
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted;
}

/// [`Sifting::sift`] as a job.
struct Sift;

impl<E: Sifting> Job<E, (usize, &Sieve), Sifted> for Sift {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Sifted {
        engine.sift(text, from, sieve)
    }
}

/// The tests of an instruction set.
trait Tests: Vectors {
    /// Returns whether a group is ASCII without suspects. If so, this may still say no.
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool;

    /// Returns something other than zero for suspects: the first test.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// Returns the bytes at `at`, which is before the end of the text, and a one for each suspect among them by the second test. After the
    /// text there are zeros.
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> (Self::Vector, u64);
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted {
        let v = self;
        let mut at = from;
        while let Some(group) = text.get(at..at + GROUP * E::LANES)
            && v.is_plain(group, sieve)
        {
            at += GROUP * E::LANES;
        }
        let (ascii_to, end, mut all) = (at, at + CHUNK_BYTES, v.splat(0));
        loop {
            // A character that began in the last vector takes the second test.
            if !is_inside(text, at) {
                while at < end
                    && let Some(group) = text.get(at..at + GROUP * E::LANES)
                    && !is_group_suspect(v, group, sieve)
                {
                    at += GROUP * E::LANES;
                }
            }
            for _ in 0..NEAR {
                let left = text.len().saturating_sub(at);
                if left == 0 || at >= end {
                    // Less than a group did not take the first test.
                    let is_ascii = text.len() - ascii_to < GROUP * E::LANES && !v.any_high_bit(all);
                    let next = at.min(text.len());
                    return Sifted {
                        ascii_to: if is_ascii { text.len() } else { ascii_to },
                        at,
                        bits: 0,
                        next,
                    };
                }
                let (bytes, bits) = v.exact(text, at, sieve);
                all = v.or(all, bytes);
                // The zeros after the text may be suspect.
                let bits = bits & !u64::MAX.unbounded_shl(left as u32);
                if bits != 0 {
                    return Sifted { ascii_to, at, bits, next: text.len().min(at + E::LANES) };
                }
                at += E::LANES;
            }
        }
    }
}

#[inline(always)]
fn is_group_suspect<V: Tests>(v: V, group: &[u8], sieve: &Sieve) -> bool {
    let (mut all, mut i) = (v.splat(0), 0);
    while i < GROUP {
        all = v.or(all, v.classes(v.load(group, i * V::LANES), sieve));
        i += 1;
    }
    v.any(all)
}

#[cfg(trust8_simd)]
impl<S: Simd> Tests for S {
    #[inline(always)]
    fn is_plain(self, group: &[u8], sieve: &Sieve) -> bool {
        // Where code is optimised for size, a closure around a load would be a separate function.
        let lanes = <S as Simd>::LANES;
        let four = [
            Simd::load(self, group, 0),
            Simd::load(self, group, lanes),
            Simd::load(self, group, 2 * lanes),
            Simd::load(self, group, 3 * lanes),
        ];
        !Simd::any(self, lanes::not_plain(self, four, sieve))
    }

    #[inline(always)]
    fn classes(self, bytes: S::Vector, sieve: &Sieve) -> S::Vector {
        lanes::first_test(self, bytes, sieve)
    }

    #[inline(always)]
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> (S::Vector, u64) {
        let s = self;
        let rest = text.get(at..).unwrap_or_default();
        let bytes =
            if rest.len() < <S as Simd>::LANES { Simd::load_short(s, rest) } else { Simd::load(s, rest, 0) };
        let before = match text.get(at.wrapping_sub(<S as Simd>::LANES)..at) {
            Some(before) => Simd::load(s, before, 0),
            None => Simd::splat(s, 0),
        };
        (bytes, s.not_zero(lanes::second_test(s, bytes, before, sieve)))
    }
}

#[cfg(trust8_avx512)]
impl Tests for Avx512 {
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
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> (avx512::Vector, u64) {
        let [a, b, c] = match text.get(at..at + 66) {
            Some(bytes) => [self.load(bytes, 0), self.load(bytes, 1), self.load(bytes, 2)],
            None => {
                let rest = text.get(at..).unwrap_or_default();
                let (second, third) = (rest.get(1..).unwrap_or_default(), rest.get(2..).unwrap_or_default());
                [self.load_up_to_64(rest), self.load_up_to_64(second), self.load_up_to_64(third)]
            }
        };
        let [first, second, third] = &sieve.sixes.three;
        let first = self.lookup_from(self.load(first, 0), a, self.splat(0xC0));
        let two = self.and(first, self.lookup(self.load(second, 0), b));
        let sums = self.plus(a, self.lookup(self.load(&sieve.sixes.ascii, 0), a));
        let ascii = self.high_bits(self.without(sums, a));
        (a, ascii | !self.disjoint(two, self.lookup(self.load(third, 0), c)))
    }
}

/// Byte by byte. Of ASCII, eight bytes at a time.
impl Sifting for Automaton {
    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        let mut at = from;
        while let Some(bytes) = array_at(text, at) {
            let word = u64::from_ne_bytes(*bytes);
            // Bit 7 of a byte is set if the byte is below 20, above 7E, or after such a byte.
            let special = (word | word.wrapping_sub(0x20 * ONES) | word.wrapping_add(ONES)) & (0x80 * ONES);
            if special != 0 || sieve.most == 0 {
                break;
            }
            at += bytes.len();
        }
        let ascii_to = at;
        let end = text.len().min(at + CHUNK_BYTES);
        let mut last = match text.get(at.wrapping_sub(2)..at) {
            Some(&[first, second]) => [first, second],
            _ => [0; 2],
        };
        while at < end
            && let Some(&byte) = text.get(at)
        {
            let two = sieve.two[0].of(last[1]) & sieve.two[1].of(byte);
            let three = sieve.three[0].of(last[0]) & sieve.three[1].of(last[1]) & sieve.three[2].of(byte);
            if two | three != 0 {
                return Sifted { ascii_to, at, bits: 1, next: at + 1 };
            }
            last = [last[1], byte];
            at += 1;
        }
        Sifted { ascii_to, at, bits: 0, next: at }
    }
}

/// A search for the suspects of valid text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspects {
    /// The vector of the suspects that have not been returned, and a one for each.
    at: usize,
    bits: u64,
    /// Where the search continues.
    next: usize,
}

impl Suspects {
    /// Returns the search at the start of a text.
    pub(super) const fn new() -> Self {
        Self { at: 0, bits: 0, next: 0 }
    }

    /// Returns a place inside the next suspect of the text.
    #[inline(always)]
    pub(super) fn next(&mut self, kernel: &Kernel, text: &[u8], sieve: &Sieve) -> Option<usize> {
        while self.bits == 0 {
            if self.next >= text.len() {
                return None;
            }
            let Sifted { at, bits, next, .. } = kernel.run(Sift, text, (self.next, sieve));
            *self = Self { at, bits, next };
        }
        Some(take_first(self.at, &mut self.bits))
    }
}

/// Takes the first suspect away, and returns its place.
#[inline(always)]
fn take_first(at: usize, bits: &mut u64) -> usize {
    let place = at + bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    place
}

/// Validates text, and calls `each` with valid text and a place inside each suspect of it. Where `each` returns something, the walk ends, and
/// that is its error.
///
/// Otherwise it returns `bytes` as text, or the first place at which they are not.
#[inline(always)]
pub(super) fn walk<'a, T>(
    kernel: &Kernel,
    bytes: &'a [u8],
    sieve: &Sieve,
    each: impl Fn(&[u8], usize) -> Option<T>,
) -> Result<Result<&'a str, Utf8Error>, T> {
    let (mut text, mut error, mut at, mut valid) = (bytes, None, 0, 0);
    loop {
        let mut sifted = kernel.run(Sift, text, (at, sieve));
        // All before `at` is valid.
        valid = valid.max(sifted.ascii_to);
        if sifted.next > valid {
            // The last suspect may end after the vector.
            let chunk =
                text.get(valid..floor(text, sifted.next.max(valid + CHUNK_BYTES) + 4)).unwrap_or_default();
            // The error of a chunk may depend on what comes after it.
            match kernel.check(chunk).or_else(|_| kernel.from_utf8(text.get(valid..).unwrap_or_default())) {
                Ok(chunk) => valid += chunk.len(),
                Err(found) => {
                    let found = found.after(valid);
                    text = text.get(..found.valid_up_to()).unwrap_or_default();
                    valid = text.len();
                    error = Some(found);
                    continue;
                }
            }
        }
        while sifted.bits != 0 {
            if let Some(found) = each(text, take_first(sifted.at, &mut sifted.bits)) {
                return Err(found);
            }
        }
        at = sifted.next;
        if at >= text.len() {
            return Ok(match error {
                Some(error) => Err(error),
                // SAFETY: without an error, `text` is all of `bytes`, and the search has come to its end. All before `valid` was found valid,
                // or is ASCII by the search, and the search never gets past `valid`.
                None => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
            });
        }
    }
}

//! Finds characters that a profile may forbid, during validation.
//!
//! ```text
//! skip groups of vectors that are ASCII without suspects; return if that is all of the text
//! for each 16 KiB:
//!     validate them
//!     classify each byte of a group by itself; skip the group if none is suspect
//!     otherwise, for some vectors: classify each byte with its neighbours; return the suspects, if there are any
//! ```
//!
//! A chunk is validated and searched while it is in the first-level cache. The caller checks each
//! suspect. A test may have false positives, but never misses a forbidden character of valid text.
//! For other bytes its result is arbitrary.
//!
//! 1. **A class is a bit of a byte.** A table of 16 entries maps a nibble to its classes. A byte
//!    has the classes that the entries of both its nibbles share; a sequence has those that its
//!    bytes share. So a class is a product of sets. The second test distinguishes EF BC
//!    (punctuation in Chinese text) from EF BF, and E2 80 9C (a quotation mark) from E2 80 AE.
//! 2. **AVX-512 looks up six bits at a time** (VPERMB). So a class there is a product of sets of
//!    bytes.
//! 3. **ASCII needs one lookup.** Profiles forbid parts of the first two 16-byte rows of ASCII, and
//!    DEL. For each lower nibble, a table has the byte at which the forbidden ones end: `end -
//!    byte` is small exactly for them, and a minimum collects it. With AVX-512, the table has the
//!    addend that sets bit 7 exactly in the forbidden ones.
//! 4. **Short ASCII takes one call**, which returns a number. A text shorter than a group is tested
//!    as one vector, or as a few that overlap at the end.
//! 5. **A test that often fails is not repeated.** A suspect group takes the second test. If the next
//!    group is suspect as well, twice as many vectors do without the first test, and so on.

use trust8::Kernel;
#[cfg(trust8_neon)]
use trust8::engine::Neon;
#[cfg(trust8_simd)]
use trust8::engine::Simd;
#[cfg(trust8_wasm)]
use trust8::engine::Simd128;
use trust8::engine::search::SearchOps;
use trust8::engine::{Automaton, Engine, Job, Rejected, Vectors, array_at, is_inside, judge};
#[cfg(trust8_x86)]
use trust8::engine::{Avx2, Sse42};
#[cfg(trust8_avx512)]
use trust8::engine::{Avx512, avx512};

use super::error::{Error, Forbidden};
#[cfg(trust8_simd)]
use super::lanes;
use super::lanes::Sieve;
#[cfg(trust8_simd)]
use super::plain::not_plain;
#[cfg(trust8_avx512)]
use super::plain::not_plain_512;

/// The number of vectors that are tested together.
const GROUP_VECTORS: usize = 4;

/// The result of a search, in two registers.
#[derive(Clone, Copy, Debug)]
struct Sifted {
    /// The start of the next search. Everything before it has been searched.
    next: usize,
    /// A one for each suspect among the last 64 bytes before `next`, at a position inside the
    /// character. The highest bit is for the last byte.
    bits: u64,
}

impl Sifted {
    /// Removes the first suspect and returns its position.
    #[inline(always)]
    fn take_first(&mut self) -> Option<usize> {
        let place = (self.next + self.bits.trailing_zeros() as usize).wrapping_sub(64);
        let is_any = self.bits != 0;
        self.bits &= self.bits.wrapping_sub(1);
        is_any.then_some(place)
    }
}

/// Non-ASCII text is searched and validated in chunks of this length, so that it stays in the
/// first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// The most vectors that take the second test before the first one is tried again.
const NEAR_VECTORS: usize = 32;

/// An engine that searches for suspects.
trait Sifting: Engine {
    /// Returns a position up to which everything after `from` is ASCII without suspects.
    fn plain(self, text: &[u8], from: usize, sieve: &Sieve) -> usize;

    /// Returns the first vector with suspects, at `from` or later.
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted;
}

/// [`Sifting::plain`] as a job.
struct Plain;

impl<E: Sifting> Job<E, (usize, &Sieve), usize> for Plain {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> usize {
        engine.plain(text, from, sieve)
    }
}

/// [`Sifting::sift`] as a job.
struct Sift;

impl<E: Sifting> Job<E, (usize, &Sieve), Sifted> for Sift {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Sifted {
        engine.sift(text, from, sieve)
    }
}

/// The tests, for an instruction set.
trait Tests: SearchOps {
    /// Returns true only if all bytes are ASCII without suspects. It may return false for such
    /// bytes too.
    fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool;

    /// Like `is_plain`, for fewer bytes than a vector has.
    fn is_short_plain(self, text: &[u8], sieve: &Sieve) -> bool;

    /// The first test: returns nonzero lanes for suspects.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// The second test: returns a one for each suspect among the bytes at `at`, which is before the
    /// end of the text.
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> u64;
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn plain(self, text: &[u8], from: usize, sieve: &Sieve) -> usize {
        let (v, n, len) = (self, text.len(), GROUP_VECTORS * E::LANES);
        if n < E::LANES {
            return if v.is_short_plain(text, sieve) { n } else { from };
        }
        let (mut at, last) = (from, n - E::LANES);
        while let Some(group) = text.get(at..at + len) {
            if !v.is_plain(vectors(v, group), sieve) {
                return at;
            }
            at += len - misaligned::<E>(group, 0);
        }
        while at < n {
            // The last vector overlaps the one before it.
            if !v.is_plain([v.load(text, at.min(last))], sieve) {
                return at;
            }
            at += E::LANES;
        }
        n
    }

    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted {
        // With AVX-512, the second test of twelve vectors costs less than a misprediction.
        let few = if E::LANES == 64 { 16 } else { GROUP_VECTORS };
        let (v, mut at, mut near_to, mut near) = (self, from, from, few);
        let end = text.len().min(from + CHUNK_BYTES);
        while at < end {
            // A character that began in the last vector takes the second test.
            if at >= near_to && !is_inside(text, at) {
                let start = at;
                while at < end
                    && let Some(group) = text.get(at..at + GROUP_VECTORS * E::LANES)
                    && !is_group_suspect(v, group, sieve)
                {
                    at += GROUP_VECTORS * E::LANES;
                }
                near = if at == start { NEAR_VECTORS.min(2 * near) } else { few };
                near_to = at + near * E::LANES;
                if at >= end {
                    break;
                }
            }
            let bits = v.exact(text, at, sieve);
            if bits != 0 {
                let next = text.len().min(at + E::LANES);
                return Sifted { next, bits: bits << (64 - (next - at)) };
            }
            at += E::LANES;
        }
        Sifted { next: text.len().min(at), bits: 0 }
    }
}

/// Returns the distance of `at` from the start of its cache line, if vectors are as long as a line. Otherwise returns zero:
/// fewer loads cross into the next line, and they cost less.
#[inline(always)]
fn misaligned<V: Vectors>(text: &[u8], at: usize) -> usize {
    if V::LANES == 64 { text.as_ptr().addr().wrapping_add(at) % 64 } else { 0 }
}

/// Returns the vectors of a group. When optimising for size, a closure around a load would be a
/// separate function.
#[inline(always)]
fn vectors<V: Vectors>(v: V, group: &[u8]) -> [V::Vector; GROUP_VECTORS] {
    [v.load(group, 0), v.load(group, V::LANES), v.load(group, 2 * V::LANES), v.load(group, 3 * V::LANES)]
}

#[inline(always)]
fn is_group_suspect<V: Tests>(v: V, group: &[u8], sieve: &Sieve) -> bool {
    let (mut all, mut i) = (v.splat(0), 0);
    while i < GROUP_VECTORS {
        all = v.or(all, v.classes(v.load(group, i * V::LANES), sieve));
        i += 1;
    }
    v.any(all)
}

/// Implements [`Tests`] for instruction sets with the library's trait of vectors.
#[cfg(trust8_simd)]
macro_rules! tests {
    ($($token:ident),+) => {$(
        impl Tests for $token {
            #[inline(always)]
            fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool {
                !self.any(not_plain(self, vectors, &sieve.plain))
            }

            #[inline(always)]
            fn is_short_plain(self, text: &[u8], sieve: &Sieve) -> bool {
                let found = not_plain(self, [self.load_short(text)], &sieve.plain);
                // The zeros after the text may be suspect.
                self.not_zero(found) & !(u64::MAX << text.len()) == 0
            }

            #[inline(always)]
            fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector {
                lanes::first_test(self, bytes, sieve)
            }

            #[inline(always)]
            fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> u64 {
                exact(self, text, at, sieve)
            }
        }
    )+};
}

#[cfg(trust8_x86)]
tests!(Avx2, Sse42);
#[cfg(trust8_neon)]
tests!(Neon);
#[cfg(trust8_wasm)]
tests!(Simd128);

#[cfg(trust8_simd)]
#[inline(always)]
fn exact<S: Simd>(s: S, text: &[u8], at: usize, sieve: &Sieve) -> u64 {
    let (three, within) = match text.get(at.wrapping_sub(2)..at + S::LANES) {
        Some(bytes) => ([s.load(bytes, 0), s.load(bytes, 1), s.load(bytes, 2)], u64::MAX),
        None => {
            // The start, or the end.
            let rest = text.get(at..).unwrap_or_default();
            let (bytes, within) = if rest.len() < S::LANES {
                // The zeros after the text may be suspect.
                (s.load_short(rest), !(u64::MAX << rest.len()))
            } else {
                (s.load(rest, 0), u64::MAX)
            };
            let before = match text.get(at.wrapping_sub(S::LANES)..at) {
                Some(before) => s.load(before, 0),
                None => s.splat(0),
            };
            ([s.earlier::<2>(bytes, before), s.earlier::<1>(bytes, before), bytes], within)
        }
    };
    s.not_zero(lanes::second_test(s, three, sieve)) & within
}

#[cfg(trust8_avx512)]
impl Tests for Avx512 {
    #[inline(always)]
    fn is_plain<const N: usize>(self, vectors: [avx512::Vector; N], sieve: &Sieve) -> bool {
        !self.any_high_bit(not_plain_512(self, vectors, &sieve.sixes.ascii))
    }

    #[inline(always)]
    fn is_short_plain(self, text: &[u8], sieve: &Sieve) -> bool {
        let found = not_plain_512(self, [self.load_short(text)], &sieve.sixes.ascii);
        // The zeros after the text may be suspect.
        self.high_bits(found) & !(u64::MAX << text.len()) == 0
    }

    #[inline(always)]
    fn classes(self, bytes: avx512::Vector, sieve: &Sieve) -> avx512::Vector {
        lanes::first_test_512(self, bytes, &sieve.sixes)
    }

    #[inline(always)]
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> u64 {
        let (three, within) = match text.get(at..at + 66) {
            Some(bytes) => ([self.load(bytes, 0), self.load(bytes, 1), self.load(bytes, 2)], u64::MAX),
            None => {
                let rest = text.get(at..).unwrap_or_default();
                let (second, third) = (rest.get(1..).unwrap_or_default(), rest.get(2..).unwrap_or_default());
                // The zeros after the text may be suspect.
                let within = u64::MAX >> (64 - rest.len().clamp(1, 64));
                ([self.load_up_to_64(rest), self.load_up_to_64(second), self.load_up_to_64(third)], within)
            }
        };
        let (ascii, longer) = lanes::second_test_512(self, three, &sieve.sixes);
        (self.high_bits(ascii) | !self.disjoint(longer[0], longer[1])) & within
    }
}

/// The first test alone, byte by byte. ASCII, eight bytes at a time.
impl Sifting for Automaton {
    #[inline(always)]
    fn plain(self, text: &[u8], from: usize, sieve: &Sieve) -> usize {
        const ONES: u64 = u64::from_ne_bytes([1; 8]);
        let mut at = from;
        // Where there are vectors, hardly any CPU comes here.
        while !cfg!(trust8_simd)
            && !sieve.plain.refuses_all()
            && let Some(bytes) = array_at(text, at)
        {
            let word = u64::from_ne_bytes(*bytes);
            // Sets bit 7 of a byte if the byte is below 20, above 7E, or follows such a byte.
            if (word | word.wrapping_sub(0x20 * ONES) | word.wrapping_add(ONES)) & (0x80 * ONES) != 0 {
                break;
            }
            at += bytes.len();
        }
        at
    }

    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted {
        let (mut at, end) = (from, text.len().min(from + CHUNK_BYTES));
        while at < end
            && let Some(&byte) = text.get(at)
        {
            if sieve.one.of(byte) != 0 {
                return Sifted { next: at + 1, bits: 1 << 63 };
            }
            at += 1;
        }
        Sifted { next: at, bits: 0 }
    }
}

/// A search for the suspects of valid text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspects(Sifted);

impl Suspects {
    /// Returns a search at the start of a text.
    pub(super) const fn new() -> Self {
        Self(Sifted { next: 0, bits: 0 })
    }

    /// Returns a position inside the next suspect of the text.
    #[inline(always)]
    pub(super) fn next(&mut self, kernel: &Kernel, text: &[u8], sieve: &Sieve) -> Option<usize> {
        while self.0.bits == 0 {
            self.0.next = end_of_plain(kernel, text, self.0.next, sieve);
            if self.0.next >= text.len() {
                return None;
            }
            self.0 = kernel.run(Sift, text, (self.0.next, sieve));
        }
        self.0.take_first()
    }
}

/// Returns a position before which all of `text` is ASCII without suspects.
///
/// It is compiled once and not inlined, so that its callers can be.
#[inline(never)]
fn end_of_plain(kernel: &Kernel, text: &[u8], from: usize, sieve: &Sieve) -> usize {
    kernel.run(Plain, text, (from, sieve))
}

/// Returns `bytes` as text if it is all ASCII without suspects, and otherwise the result of
/// [`end_of_plain`] as the error.
#[inline(always)]
pub(super) fn plain_text<'a>(kernel: &Kernel, bytes: &'a [u8], sieve: &Sieve) -> Result<&'a str, usize> {
    let plain_to = if bytes.first().is_some_and(|byte| !byte.is_ascii()) {
        0
    } else {
        end_of_plain(kernel, bytes, 0, sieve)
    };
    // SAFETY: the search found all of `bytes` to be ASCII.
    if plain_to == bytes.len() { Ok(unsafe { core::str::from_utf8_unchecked(bytes) }) } else { Err(plain_to) }
}

/// Validates text, and calls `each` with valid text and a position inside each suspect of it. If
/// `each` returns something, the search ends with that as its error. `plain_to` is what
/// [`plain_text`] returned.
#[inline(always)]
pub(super) fn walk<'a>(
    kernel: &Kernel,
    bytes: &'a [u8],
    sieve: &Sieve,
    plain_to: usize,
    each: impl Fn(&[u8], usize) -> Option<Forbidden>,
) -> Result<&'a str, Error> {
    // Everything before `at` has been searched, and everything before `valid` is valid.
    let (mut text, mut error, mut at, mut valid) = (bytes, None, plain_to, plain_to);
    while at < text.len() {
        if at >= valid {
            let mut end = text.len().min(at + CHUNK_BYTES);
            // Text that is not UTF-8 can have any number of continuations.
            while end > at && is_inside(text, end) {
                end -= 1;
            }
            match kernel.check(text.get(at..end).unwrap_or_default()) {
                Ok(chunk) if !chunk.is_empty() => valid = at + chunk.len(),
                rejected => {
                    error = judge(text, at + rejected.map_or_else(Rejected::suspect, str::len)).err();
                    let len = error.map_or(text.len(), |error| error.valid_up_to());
                    text = text.get(..len).unwrap_or_default();
                    valid = len;
                    continue;
                }
            }
        }
        let mut sifted = kernel.run(Sift, text.get(..valid).unwrap_or_default(), (at, sieve));
        at = sifted.next;
        if sifted.bits == 0 && at < text.len() {
            at = end_of_plain(kernel, text, at, sieve);
            valid = valid.max(at);
        }
        while let Some(place) = sifted.take_first() {
            if let Some(found) = each(text, place) {
                return Err(Error::Forbidden(found));
            }
        }
    }
    match error {
        Some(error) => Err(Error::NotUtf8(error)),
        // SAFETY: without an error, `text` is all of `bytes`, and the search has come to its end. It never gets past `valid`, and everything
        // before that was found valid, or is ASCII by the search.
        None => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
    }
}

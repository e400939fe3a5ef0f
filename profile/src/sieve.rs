//! Finds characters that a profile may forbid, during validation.
//!
//! ```text
//! a look:
//!     skip vectors that are ASCII without suspects
//!     classify each byte of the next vectors by itself; stop at a suspect, or after 16 KiB
//! return if the look came to the end, and the text is ASCII or valid
//! for each 16 KiB:
//!     validate them
//!     until their end:
//!         for some vectors, classify each byte with its neighbours; return the suspects
//!         look
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
//! 4. **Text that the look finds clean takes one call, or two if it is not ASCII.** Both return
//!    numbers in registers. Text shorter than a vector is tested as one. The last vectors of longer
//!    text overlap.
//! 5. **A test that often fails is not repeated.** After a suspect, many vectors take the second
//!    test without the first one.

use trust8::Kernel;
#[cfg(trust8_simd)]
use trust8::engine::Simd;
use trust8::engine::search::SearchOps;
use trust8::engine::{Automaton, Engine, Job, Vectors, array_at, is_inside, judge};
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

/// The least and the most bytes that take the second test before the first one is tried again.
const NEAR_BYTES: [usize; 2] = [256, 2048];

/// What a first look at a text skips.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skipped {
    /// Everything from the start of the look up to here is ASCII without suspects.
    plain_to: usize,
    /// No suspect begins before this position.
    clean_to: usize,
}

/// An engine that searches for suspects.
trait Sifting: Engine {
    /// Skips ASCII without suspects, and then text without suspects by the first test, but not much
    /// more than a chunk.
    fn skip(self, text: &[u8], from: usize, sieve: &Sieve) -> Skipped;

    /// Returns the first vector with suspects, at `from` or later, by the second test.
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted;
}

/// [`Sifting::skip`] as a job.
struct Skip;

impl<E: Sifting> Job<E, (usize, &Sieve), Skipped> for Skip {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Skipped {
        engine.skip(text, from, sieve)
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

    /// Like `is_plain`, for fewer bytes than a vector has. The second result is whether the first
    /// test finds no suspects.
    fn look_at_short(self, text: &[u8], sieve: &Sieve) -> [bool; 2];

    /// The first test: returns nonzero lanes for suspects.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// The second test: returns a one for each suspect among the bytes at `at`, which is before the
    /// end of the text.
    fn exact(self, text: &[u8], at: usize, sieve: &Sieve) -> u64;
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn skip(self, text: &[u8], from: usize, sieve: &Sieve) -> Skipped {
        let (v, n) = (self, text.len());
        if n < E::LANES {
            let [is_plain, is_clean] = v.look_at_short(text, sieve);
            return Skipped {
                plain_to: if is_plain { n } else { from },
                clean_to: if is_clean { n } else { from },
            };
        }
        let (plain_to, last) = (plain_to(v, text, from, sieve), n - E::LANES);
        if plain_to == n {
            return Skipped { plain_to, clean_to: n };
        }
        // A character that began before `plain_to` takes the second test.
        let end = if is_inside(text, plain_to) { plain_to } else { n.min(from + CHUNK_BYTES) };
        let mut at = plain_to;
        while at < end {
            // The last vectors overlap.
            let (a, b) = (v.load(text, at.min(last)), v.load(text, (at + E::LANES).min(last)));
            if v.any(v.or(v.classes(a, sieve), v.classes(b, sieve))) {
                break;
            }
            at += 2 * E::LANES;
        }
        Skipped { plain_to, clean_to: n.min(at) }
    }

    #[inline(always)]
    fn sift(self, text: &[u8], from: usize, sieve: &Sieve) -> Sifted {
        let (mut at, end) = (from, text.len().min(from + CHUNK_BYTES));
        while at < end {
            let bits = self.exact(text, at, sieve);
            if bits != 0 {
                let next = text.len().min(at + E::LANES);
                return Sifted { next, bits: bits << (64 - (next - at)) };
            }
            at += E::LANES;
        }
        Sifted { next: text.len().min(at), bits: 0 }
    }
}

/// Returns a position up to which everything after `from` is ASCII without suspects. The text is at
/// least a vector.
#[inline(always)]
fn plain_to<E: Tests>(v: E, text: &[u8], from: usize, sieve: &Sieve) -> usize {
    let (n, len) = (text.len(), GROUP_VECTORS * E::LANES);
    let (mut at, last) = (from, n - E::LANES);
    while let Some(group) = text.get(at..at + len) {
        if !v.is_plain(vectors(v, group), sieve) {
            return at;
        }
        at += len - misaligned::<E>(group);
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

/// Returns the distance of the text from the start of its cache line, if vectors are as long as a
/// line. Otherwise returns zero: fewer loads cross into the next line, and they cost less.
#[inline(always)]
fn misaligned<V: Vectors>(text: &[u8]) -> usize {
    if V::LANES == 64 { text.as_ptr().addr() % 64 } else { 0 }
}

/// Returns the vectors of a group. When optimising for size, a closure around a load would be a
/// separate function.
#[inline(always)]
fn vectors<V: Vectors>(v: V, group: &[u8]) -> [V::Vector; GROUP_VECTORS] {
    [v.load(group, 0), v.load(group, V::LANES), v.load(group, 2 * V::LANES), v.load(group, 3 * V::LANES)]
}

/// Implements [`Tests`] for the instruction sets with the library's trait of vectors: all except
/// AVX-512.
#[cfg(trust8_simd)]
macro_rules! tests {
    () => {};
    (avx512: $token:ident, $name:literal, $cfg:ident, $features:literal; $($others:tt)*) => {
        tests!($($others)*);
    };
    ($set:ident: $token:ident, $name:literal, $cfg:ident, $features:literal; $($others:tt)*) => {
        tests!($($others)*);

        #[cfg($cfg)]
        impl Tests for trust8::engine::$token {
            #[inline(always)]
            fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool {
                !self.any(not_plain(self, vectors, &sieve.plain))
            }

            #[inline(always)]
            fn look_at_short(self, text: &[u8], sieve: &Sieve) -> [bool; 2] {
                let bytes = self.load_short(text);
                // The zeros after the text may be suspect.
                let is_clean = |found| self.not_zero(found) & !(u64::MAX << text.len()) == 0;
                if is_clean(not_plain(self, [bytes], &sieve.plain)) {
                    return [true, true];
                }
                [false, is_clean(self.classes(bytes, sieve))]
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
    };
}
#[cfg(trust8_simd)]
instruction_sets!(tests);

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
    fn look_at_short(self, text: &[u8], sieve: &Sieve) -> [bool; 2] {
        let bytes = self.load_short(text);
        // The zeros after the text may be suspect.
        let within = !(u64::MAX << text.len());
        if self.high_bits(not_plain_512(self, [bytes], &sieve.sixes.ascii)) & within == 0 {
            return [true, true];
        }
        [false, self.not_zero(self.classes(bytes, sieve)) & within == 0]
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
    fn skip(self, text: &[u8], from: usize, sieve: &Sieve) -> Skipped {
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
        Skipped { plain_to: at, clean_to: at }
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
            let from = skip(kernel, text, self.0.next, sieve).clean_to;
            if from >= text.len() {
                return None;
            }
            let end = boundary(text, from, NEAR_BYTES[1]);
            self.0 = kernel.run(Sift, text.get(..end).unwrap_or_default(), (from, sieve));
        }
        self.0.take_first()
    }
}

/// Returns the last position at which a character begins, at most `len` bytes after `from`. If
/// there is none, returns `from + 1`: text that is not UTF-8 can have any number of continuations.
fn boundary(text: &[u8], from: usize, len: usize) -> usize {
    let mut end = text.len().min(from + len);
    while end > from + 1 && is_inside(text, end) {
        end -= 1;
    }
    end
}

/// Runs [`Skip`].
///
/// It is compiled once and not inlined, so that its callers can be.
#[inline(never)]
fn skip(kernel: &Kernel, text: &[u8], from: usize, sieve: &Sieve) -> Skipped {
    kernel.run(Skip, text, (from, sieve))
}

/// Returns `bytes` as text if it is valid and the first look at it finds no suspects. Otherwise
/// returns the look as the error.
#[inline(always)]
pub(super) fn clean_text<'a>(kernel: &Kernel, bytes: &'a [u8], sieve: &Sieve) -> Result<&'a str, Skipped> {
    let skipped = skip(kernel, bytes, 0, sieve);
    if skipped.plain_to == bytes.len() {
        // SAFETY: the search found all of `bytes` to be ASCII.
        return Ok(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    if skipped.clean_to == bytes.len() { kernel.check(bytes).or(Err(skipped)) } else { Err(skipped) }
}

/// Validates text, and calls `each` with valid text and a position inside each suspect of it. If
/// `each` returns something, the search ends with that as its error. `skipped` is what
/// [`clean_text`] returned.
#[inline(always)]
pub(super) fn walk<'a>(
    kernel: &Kernel,
    bytes: &'a [u8],
    sieve: &Sieve,
    skipped: Skipped,
    each: impl Fn(&[u8], usize) -> Option<Forbidden>,
) -> Result<&'a str, Error> {
    // Everything before `valid` is valid, and all suspects before `at` have been looked at.
    let (mut text, mut error, mut valid, mut at) = (bytes, None, skipped.plain_to, skipped.clean_to);
    let mut near = NEAR_BYTES[0];
    while valid.min(at) < text.len() {
        if at >= valid {
            let mut end = boundary(text, valid, CHUNK_BYTES);
            if let Err(rejected) = kernel.check(text.get(valid..end).unwrap_or_default()) {
                error = judge(text, valid + rejected.suspect()).err();
                end = error.map_or(text.len(), |error| error.valid_up_to());
                text = text.get(..end).unwrap_or_default();
            }
            valid = end;
            continue;
        }
        let end = boundary(text, at, near).min(valid);
        let mut sifted = kernel.run(Sift, text.get(..end).unwrap_or_default(), (at, sieve));
        at = sifted.next;
        while let Some(place) = sifted.take_first() {
            if let Some(found) = each(text, place) {
                return Err(Error::Forbidden(found));
            }
        }
        if at < text.len() {
            let skipped = skip(kernel, text, at, sieve);
            // Everything before `at` is valid.
            valid = valid.max(skipped.plain_to);
            near = if skipped.clean_to == at { NEAR_BYTES[1].min(2 * near) } else { NEAR_BYTES[0] };
            at = skipped.clean_to;
        }
    }
    match error {
        Some(error) => Err(Error::NotUtf8(error)),
        // SAFETY: without an error, `text` is all of `bytes`, and the loop ended with `valid` at
        // its end. Everything before `valid` was found valid, or is ASCII by the search.
        None => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
    }
}

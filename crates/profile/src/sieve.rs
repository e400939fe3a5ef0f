//! Finds characters that a profile may forbid, during validation.
//!
//! ```text
//! a search:
//!     skip vectors that are ASCII without suspects
//!     classify each byte of the next vectors by itself, and where one begins a suspect, the bytes with
//!         their neighbours; stop at a suspect, or after 16 KiB
//! until the end:
//!     search
//!     validate what was searched
//! ```
//!
//! A chunk is searched and validated while it is in the first-level cache. The caller checks each
//! suspect. A test may have false positives, but never misses a forbidden character of valid text.
//! For other bytes its result is arbitrary.
//!
//! 1. **A class is a bit of a byte.** A table of 16 entries maps four bits of a byte to its classes. A
//!    byte has the classes that the entries of both its halves share; a sequence has those that its
//!    bytes share. So a class is a product of sets. The second test distinguishes EF BC
//!    (punctuation in Chinese text) from EF BF, and E2 80 A6 (an ellipsis) from E2 80 AE.
//! 2. **AVX-512 looks up six bits at a time** (VPERMB). So a class there is a product of sets of
//!    bytes.
//! 3. **ASCII needs one lookup.** Profiles forbid parts of the first two 16-byte rows of ASCII, and
//!    DEL. For each lower nibble, a table has the byte at which the forbidden ones end: `end -
//!    byte` is small exactly for them, and a minimum collects it. With AVX-512, the table has the
//!    addend that sets bit 7 exactly in the forbidden ones.
//! 4. **Text without suspects takes one call, or two if it is not ASCII.** The second validates it.
//!    Both return numbers in registers. Text shorter than a vector is tested as one. The last
//!    vectors of longer text overlap.

use trust8::Kernel;
#[cfg(trust8_simd)]
use trust8::engine::Simd;
use trust8::engine::{Automaton, Engine, Job, Vectors, array_at, is_inside, judge};
#[cfg(trust8_avx512)]
use trust8::engine::{Avx512, avx512};
use trust8_counts::search::SearchOps;

use super::error::{Forbidden, ProfileError};
#[cfg(trust8_simd)]
use super::lanes;
use super::lanes::Sieve;
#[cfg(trust8_simd)]
use super::plain::not_plain;
#[cfg(trust8_avx512)]
use super::plain::not_plain_512;
use super::plain::{Count, not_ascii_or_nul};
use super::{Edges, Profile};

/// The number of vectors of ASCII that are tested together. With eight, AVX2 and SSE4.2 take 4 KiB
/// and more 7 to 14 % faster, and 200 bytes 13 to 19 % slower (Zen 4).
const GROUP_VECTORS: usize = 4;

/// Non-ASCII text is searched and validated in chunks of this length, so that it stays in the
/// first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// The result of a search, in two registers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skipped {
    /// Everything from the start of the search up to here is ASCII without suspects.
    plain_to: usize,
    /// The first forbidden character includes this position or comes after it. It is the length of
    /// the text if no suspect is left.
    clean_to: usize,
}

/// An engine that searches for suspects.
trait Sifting: Engine {
    /// Searches for the first suspect from `from` on, where a character begins. After ASCII without
    /// suspects, it searches not much more than a chunk.
    fn skip(self, text: &[u8], from: usize, sieve: &Sieve) -> Skipped;
}

/// [`Sifting::skip`] as a job.
struct Skip;

impl<E: Sifting> Job<E, (usize, &Sieve), Skipped> for Skip {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> Skipped {
        engine.skip(text, from, sieve)
    }
}

/// The tests, for an instruction set.
trait Tests: SearchOps {
    /// Returns true only if all bytes are ASCII without suspects. It may return false for such
    /// bytes too.
    fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool;

    /// Like `is_plain`, for fewer bytes than a vector has.
    fn is_plain_short(self, text: &[u8], sieve: &Sieve) -> bool;

    /// Loads a vector, with zeros after the end of the text.
    fn load_some(self, text: &[u8]) -> Self::Vector;

    /// The first test: returns nonzero lanes for what may begin a suspect.
    fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector;

    /// The second test: returns a one for each suspect, except among the first two bytes.
    fn exact(self, bytes: Self::Vector, sieve: &Sieve) -> u64;
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn skip(self, text: &[u8], from: usize, sieve: &Sieve) -> Skipped {
        let n = text.len();
        let plain_to = match n < E::LANES {
            true if self.is_plain_short(text, sieve) => n,
            true => from,
            false => plain_to(self, text, from, sieve),
        };
        if plain_to == n {
            return Skipped { plain_to, clean_to: n };
        }
        // It may cut off a character. Then the position that is returned is inside that.
        let text = text.get(..plain_to + CHUNK_BYTES).unwrap_or(text);
        Skipped { plain_to, clean_to: self.apart(Sift, text, (plain_to, sieve)) }
    }
}

/// Applies the first test to each vector, and the second one after it finds suspects. Returns a
/// position inside a suspect, or the end of the search.
///
/// It is compiled apart, so that the search in ASCII saves no registers for it. In one function,
/// 20 bytes of ASCII took 1.7 times as long with AVX2 (Zen 4).
struct Sift;

impl<E: Engine + Tests> Job<E, (usize, &Sieve), usize> for Sift {
    #[inline(always)]
    fn run(v: E, text: &[u8], (mut at, sieve): (usize, &Sieve)) -> usize {
        while at < text.len() {
            // The second test looks at two bytes before.
            let start = at.saturating_sub(2);
            let bytes = v.load_some(text.get(start..).unwrap_or_default());
            if v.any(v.classes(bytes, sieve)) {
                let bits = v.exact(bytes, sieve) & u64::MAX << (at - start);
                if bits != 0 {
                    // The zeros after a short text may be suspect.
                    return text.len().min(start + bits.trailing_zeros() as usize);
                }
            }
            at = start + E::LANES;
        }
        text.len()
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
    (avx512: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal; $($others:tt)*) => {
        tests!($($others)*);
    };
    ($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal; $($others:tt)*) => {
        tests!($($others)*);

        #[cfg($cfg)]
        impl Tests for trust8::engine::$token {
            #[inline(always)]
            fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool {
                !self.any(not_plain(self, vectors, &sieve.plain))
            }

            #[inline(always)]
            fn is_plain_short(self, text: &[u8], sieve: &Sieve) -> bool {
                // The zeros after the text may be suspect.
                self.not_zero(not_plain(self, [self.load_short(text)], &sieve.plain)) & !(u64::MAX << text.len()) == 0
            }

            #[inline(always)]
            fn load_some(self, text: &[u8]) -> Self::Vector {
                if text.len() < Self::LANES { self.load_short(text) } else { self.load(text, 0) }
            }

            #[inline(always)]
            fn classes(self, bytes: Self::Vector, sieve: &Sieve) -> Self::Vector {
                lanes::first_test(self, bytes, sieve)
            }

            #[inline(always)]
            fn exact(self, bytes: Self::Vector, sieve: &Sieve) -> u64 {
                let none = self.splat(0);
                let three = [self.earlier::<2>(bytes, none), self.earlier::<1>(bytes, none), bytes];
                self.not_zero(lanes::second_test(self, three, sieve))
            }
        }
    };
}
#[cfg(trust8_simd)]
trust8::instruction_sets!(tests);

#[cfg(trust8_avx512)]
impl Tests for Avx512 {
    #[inline(always)]
    fn is_plain<const N: usize>(self, vectors: [avx512::Vector; N], sieve: &Sieve) -> bool {
        !self.any_high_bit(not_plain_512(self, vectors, &sieve.sixes.ascii))
    }

    #[inline(always)]
    fn is_plain_short(self, text: &[u8], sieve: &Sieve) -> bool {
        // The zeros after the text may be suspect.
        self.high_bits(not_plain_512(self, [self.load_short(text)], &sieve.sixes.ascii))
            & !(u64::MAX << text.len())
            == 0
    }

    #[inline(always)]
    fn load_some(self, text: &[u8]) -> avx512::Vector {
        self.load_up_to_64(text)
    }

    #[inline(always)]
    fn classes(self, bytes: avx512::Vector, sieve: &Sieve) -> avx512::Vector {
        lanes::first_test_512(self, bytes, &sieve.sixes)
    }

    #[inline(always)]
    fn exact(self, bytes: avx512::Vector, sieve: &Sieve) -> u64 {
        let earlier = |bytes| self.earlier_and_up(bytes, self.zero())[0];
        let second = earlier(bytes);
        let three = [earlier(second), second, bytes];
        let (ascii, longer) = lanes::second_test_512(self, three, &sieve.sixes);
        self.high_bits(ascii) | self.not_zero(longer)
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
        let (plain_to, end) = (at, text.len().min(from + CHUNK_BYTES));
        while at < end && text.get(at).is_some_and(|&byte| sieve.one.of(byte) == 0) {
            at += 1;
        }
        Skipped { plain_to, clean_to: at }
    }
}

/// A search for the suspects of valid text: where it continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspects(usize);

impl Suspects {
    /// Returns a search at the start of a text.
    pub(super) const fn new() -> Self {
        Self(0)
    }

    /// Returns a position inside the next suspect of the text.
    #[inline(always)]
    pub(super) fn next(&mut self, kernel: &Kernel, text: &[u8], sieve: &Sieve) -> Option<usize> {
        let place = skip(kernel, text, self.0, sieve).clean_to;
        self.0 = end_of_character(text, place);
        (place < text.len()).then_some(place)
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

/// Returns where the character of valid text ends that includes the byte at `place`, but at most
/// the length.
#[inline(always)]
fn end_of_character(text: &[u8], place: usize) -> usize {
    let mut end = place + 1;
    while is_inside(text, end) {
        end += 1;
    }
    end.min(text.len())
}

/// Runs [`Skip`].
///
/// It is compiled once and not inlined, so that its callers can be.
#[inline(never)]
pub(super) fn skip(kernel: &Kernel, text: &[u8], from: usize, sieve: &Sieve) -> Skipped {
    kernel.run(Skip, text, (from, sieve))
}

/// Skips ASCII. With `NUL`, that is a suspect.
struct SkipAscii<const NUL: bool>;

impl<E: Engine + Vectors, const NUL: bool> Job<E, (), usize> for SkipAscii<NUL> {
    #[inline(always)]
    fn run(v: E, text: &[u8], (): ()) -> usize {
        let tested = |bytes| if NUL { not_ascii_or_nul(v, bytes) } else { bytes };
        let (mut at, len) = (0, GROUP_VECTORS * E::LANES);
        while let Some(group) = text.get(at..at + len) {
            let [a, b, c, d] = vectors(v, group).map(tested);
            if v.any_high_bit(v.or(v.or(a, b), v.or(c, d))) {
                return at;
            }
            at += len - misaligned::<E>(group);
        }
        // The last vector overlaps the one before it.
        let Some(last) = text.len().checked_sub(E::LANES) else { return 0 };
        while at < text.len() && !v.any_high_bit(tested(v.load(text, at.min(last)))) {
            at += E::LANES;
        }
        at.min(text.len())
    }
}

/// Runs [`SkipAscii`].
#[inline(never)]
fn skip_ascii<const NUL: bool>(kernel: &Kernel, bytes: &[u8]) -> usize {
    kernel.run(SkipAscii::<NUL>, bytes, ())
}

/// Returns `bytes` as text if it is valid and the first look at it finds no suspects. Otherwise
/// returns the look as the error.
#[inline(always)]
pub(super) fn clean_text<'a>(kernel: &Kernel, bytes: &'a [u8], sieve: &Sieve) -> Result<&'a str, Skipped> {
    let plain_to = match sieve.plain.count {
        Count::None => skip_ascii::<false>(kernel, bytes),
        Count::One => skip_ascii::<true>(kernel, bytes),
        Count::More => 0,
    };
    let skipped = skip(kernel, bytes, plain_to, sieve);
    if skipped.plain_to == bytes.len() {
        // SAFETY: the search found all of `bytes` to be ASCII.
        return Ok(unsafe { core::str::from_utf8_unchecked(bytes) });
    }
    if skipped.clean_to == bytes.len() { kernel.check(bytes).or(Err(skipped)) } else { Err(skipped) }
}

/// Returns what a profile forbids at a position inside a suspect of valid text, if anything.
pub(super) type Look = fn(&Profile, &[u8], usize, Edges) -> Option<Forbidden>;

/// Returns `bytes` as text if it is valid and `look` finds nothing: see [`search`]. `skipped` is what
/// [`clean_text`] returned.
#[inline(never)]
pub(super) fn walk<'a>(
    kernel: &Kernel,
    bytes: &'a [u8],
    profile: &Profile,
    skipped: Skipped,
    look: Look,
) -> Result<&'a str, ProfileError> {
    search(kernel, bytes, profile, skipped, Edges::WHOLE, look)?;
    // SAFETY: `skipped` begins at the start of `bytes`. So `search` has found all of it valid.
    Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// Validates the bytes after those that were `skipped`, and those from which that began on. Calls
/// `look` with text and a position inside each suspect of it. The text is valid up to the end of the
/// next character. If `look` returns something, the search ends with that as its error.
#[inline(always)]
pub(super) fn search(
    kernel: &Kernel,
    bytes: &[u8],
    profile: &Profile,
    skipped: Skipped,
    edges: Edges,
    look: Look,
) -> Result<(), ProfileError> {
    /// The most bytes from a position in a suspect to the end of the next character.
    const TWO_CHARACTERS_BYTES: usize = 8;
    // Everything before `valid` is valid, and no forbidden character begins before the one at `at`.
    let (mut text, mut error, mut valid, mut at) = (bytes, None, skipped.plain_to, skipped.clean_to);
    loop {
        while valid < at + TWO_CHARACTERS_BYTES && valid < text.len() {
            let mut end = boundary(text, valid, CHUNK_BYTES);
            if let Err(rejected) = kernel.check(text.get(valid..end).unwrap_or_default()) {
                error = judge(text, valid + rejected.suspect()).err();
                end = error.map_or(text.len(), |error| error.valid_up_to());
                text = text.get(..end).unwrap_or_default();
            }
            valid = end;
        }
        if at >= text.len() {
            break;
        }
        if let Some(found) = look(profile, text, at, edges) {
            return Err(ProfileError::Forbidden(found));
        }
        // The search continues inside what is valid: only ASCII that it finds may extend that.
        let next = end_of_character(text.get(..valid).unwrap_or_default(), at);
        let skipped = skip(kernel, text, next, &profile.sieve);
        valid = valid.max(skipped.plain_to);
        at = skipped.clean_to;
    }
    // Without an error, `text` is all of `bytes`, and the loop ended with `valid` at its end.
    // Everything before `valid` was found valid, or is ASCII by the search.
    error.map_or(Ok(()), |error| Err(ProfileError::NotUtf8(error)))
}

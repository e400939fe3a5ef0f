//! Finds characters that a profile may forbid, during validation.
//!
//! ```text
//! skip vectors that are ASCII without suspects
//! for each chunk:
//!     validate it
//!     set a bit for each suspect: where two bytes and then three may begin one in a vector, by all products
//!     judge the suspects
//! ```
//!
//! A chunk is searched and validated while it is in the first-level cache. The caller checks each
//! suspect. A test may have false positives, but never misses a forbidden character of valid text.
//! For other bytes its result is arbitrary.
//!
//! 1. **A class is a bit of a byte.** A table of 16 entries maps four bits of a byte to its classes. A
//!    byte has the classes that the entries of both its halves share; a sequence has those that its
//!    bytes share. So a class is a product of sets. The second test distinguishes EF BC
//!    (punctuation in Chinese text) from EF BF, and E2 80 A6 (an ellipsis) from E2 80 AE. A test between both already tells
//!    apart quotation marks, dashes and most emoji, with two lookups.
//! 2. **AVX-512 looks up six bits at a time** (VPERMB). So a class there is a product of sets of
//!    bytes.
//! 3. **ASCII needs one lookup.** Profiles forbid parts of the first two 16-byte rows of ASCII, and
//!    DEL. For each lower nibble, a table has the byte at which the forbidden ones end: `end -
//!    byte` is small exactly for them, and a minimum collects it. With AVX-512, the table has the
//!    addend that sets bit 7 exactly in the forbidden ones.
//! 4. **ASCII takes one call.** Text shorter than a vector is tested as one. The last vectors of longer
//!    text overlap. Other short text takes one more call if the first test suspects nothing.
//! 5. **An innocent suspect begins no new search.** The bits also tell which other suspects are near, so
//!    that rules about the context look at few characters.
//! 6. **Common ones are judged by ten bytes.** A joiner between letters of Persian or Hindi, and U+200B in
//!    Thai, take 3 to 5 ns (Granite Rapids), a style or joiner of an emoji 20 to 29 (Zen 3); what this does not know is judged
//!    by the rules.

use trust8::Kernel;
use trust8::engine::{Automaton, Engine, Job, Vectors, array_at, judge, start_before};
#[cfg(trust8_avx512)]
use trust8::engine::{Avx512, avx512};
use trust8_counts::search::SearchOps;

use super::context::{Near, WINDOW_BYTES, changes_rarely, without_one};
use super::error::{Forbidden, ProfileError};
#[cfg(trust8_simd)]
use super::lanes;
use super::lanes::{Nibbles, Sieve};
use super::plain::{Count, not_ascii_or_nul};
#[cfg(trust8_simd)]
use super::plain::{not_lines, not_plain};
#[cfg(trust8_avx512)]
use super::plain::{not_lines_512, not_plain_512};
use super::{Edges, Profile};

/// The number of vectors of ASCII that are tested together. With eight, AVX2 and SSE4.2 take 4 KiB
/// and more 7 to 14 % faster, and 200 bytes 13 to 19 % slower (Zen 4).
const GROUP_VECTORS: usize = 4;

/// Non-ASCII text is searched and validated in chunks of this length, so that it stays in the
/// first-level cache.
const CHUNK_BYTES: usize = 16 << 10;

/// The bytes for a word of bits.
const BLOCK_BYTES: usize = 64;

/// A block, and the two bytes after it.
const READ_BYTES: usize = BLOCK_BYTES + 2;

/// Text up to this length is first tested as a whole, because a search costs some 30 ns (Zen 3). In a program for x86-64, this
/// would take 200 bytes more for longer text with AVX-512.
const fn innocent_bytes(lanes: usize) -> usize {
    if lanes == 64 { 63 } else { 512 }
}

/// An engine that searches for suspects.
trait Sifting: Engine {
    /// Returns a position up to which everything after `from` is ASCII without suspects, or [`INNOCENT`]. With `LINES`, CR before LF is
    /// none, if that is allowed.
    fn skip<const LINES: bool>(self, text: &[u8], from: usize, sieve: &Sieve) -> usize;

    /// The tables for `suspects`.
    type Tables<'a>;
    fn tables(self, sieve: &Sieve) -> Self::Tables<'_>;

    /// Returns a one for each byte of a block that begins a suspect, or a mark before one.
    fn suspects(self, block: &[u8; READ_BYTES], tables: &Self::Tables<'_>) -> u64;
}

/// [`Sifting::skip`] as a job.
struct Skip<const LINES: bool>;

impl<E: Sifting, const LINES: bool> Job<E, (usize, &Sieve), usize> for Skip<LINES> {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (from, sieve): (usize, &Sieve)) -> usize {
        engine.skip::<LINES>(text, from, sieve)
    }
}

/// [`Sifting::suspects`] of blocks, from the first one on that has any, after the word of the block before. Returns the length of all
/// blocks, and how many have a word.
///
/// It is compiled apart, so that the search in ASCII saves no registers for it. In one function,
/// 20 bytes of ASCII took 1.7 times as long with AVX2 (Zen 4).
struct Sift;

impl<E: Sifting> Job<E, (&Sieve, &mut [u64; WORDS]), (usize, usize)> for Sift {
    #[inline(always)]
    fn run(engine: E, text: &[u8], (sieve, [_, words @ ..]): (&Sieve, &mut [u64; WORDS])) -> (usize, usize) {
        let (mut rest, mut count, tables) = (text, 0, engine.tables(sieve));
        while let Some(word) = words.get_mut(count)
            && let Some(block) = rest.first_chunk()
        {
            *word = engine.suspects(block, &tables);
            count += usize::from(count > 0 || *word != 0);
            rest = rest.get(BLOCK_BYTES..).unwrap_or_default();
        }
        (text.len() - rest.len(), count)
    }
}

/// What a search with `LINES` returns for a text of at most [`innocent_bytes`] that has no suspects, except its last byte, if it is
/// UTF-8.
const INNOCENT: usize = usize::MAX;

/// The tests, for an instruction set.
trait Tests: SearchOps {
    /// Returns true only if all bytes are ASCII without suspects. It may return false for such
    /// bytes too.
    fn is_plain<const N: usize>(self, vectors: [Self::Vector; N], sieve: &Sieve) -> bool;

    /// Like `is_plain`, for fewer bytes than a vector has. `short` are these bytes, and zeros.
    fn is_plain_short(self, short: Self::Vector, len: usize, sieve: &Sieve) -> bool;

    /// Returns the bytes of such a text, and those one position after them, both as many lanes later.
    fn pairs_short(self, short: Self::Vector, text: &[u8]) -> [Self::Vector; 2];
    const LATER: usize;

    /// Returns true only if a vector is ASCII without suspects, except CR before LF. There is one more byte.
    fn are_lines(self, bytes: &[u8], sieve: &Sieve) -> bool;

    /// The tables for both tests.
    type Loaded<'a>;
    fn loaded(self, sieve: &Sieve) -> Self::Loaded<'_>;

    /// The first test: returns nonzero lanes for what may begin a suspect. The second vector has the bytes one position after the first.
    fn classes(self, two: [Self::Vector; 2], tables: &Self::Loaded<'_>) -> Self::Vector;

    /// The test between both: returns fewer of the lanes that are not zero after the first one. `bytes` are a vector and two more.
    fn fewer(self, shown: Self::Vector, bytes: &[u8], tables: &Self::Loaded<'_>) -> Self::Vector;

    /// The second test: returns a one for each of those that begins a suspect, or a mark before one.
    fn exact(self, bytes: &[u8], tables: &Self::Loaded<'_>) -> u64;
}

impl<E: Engine + Tests> Sifting for E {
    #[inline(always)]
    fn skip<const LINES: bool>(self, text: &[u8], from: usize, sieve: &Sieve) -> usize {
        let (n, len) = (text.len(), GROUP_VECTORS * E::LANES);
        let (mut at, start) = (from, if n < E::LANES { self.load_short(text) } else { self.load(text, 0) });
        // With AVX-512, the test itself costs no more.
        let may_be_ascii = E::LANES == 64 || !self.any_high_bit(start);
        if n < E::LANES {
            if may_be_ascii && self.is_plain_short(start, n, sieve) {
                return n;
            }
        } else if may_be_ascii {
            while let Some(group) = text.get(at..at + len) {
                if !self.is_plain(vectors(self, group), sieve) {
                    break;
                }
                at += len - misaligned::<E>(group);
            }
            while at < n {
                let lines = if LINES { text.get(at..at + E::LANES + 1) } else { None };
                // The last vector overlaps the one before it.
                let last = || self.is_plain([self.load(text, at.min(n - E::LANES))], sieve);
                if !lines.map_or_else(last, |bytes| self.are_lines(bytes, sieve)) {
                    break;
                }
                at += E::LANES;
            }
        }
        if at >= n {
            return n;
        }
        if LINES && n <= innocent_bytes(E::LANES) && is_innocent(self, text, start, sieve) {
            INNOCENT
        } else {
            at
        }
    }

    type Tables<'a> = E::Loaded<'a>;

    #[inline(always)]
    fn tables(self, sieve: &Sieve) -> E::Loaded<'_> {
        self.loaded(sieve)
    }

    #[inline(always)]
    fn suspects(self, block: &[u8; READ_BYTES], tables: &E::Loaded<'_>) -> u64 {
        // Vectors of 16 bytes are tested in a loop: a program is smaller. With AVX2, that would save 190 bytes, and the
        // blocks with suspects everywhere take 1.7 times as long (Granite Rapids).
        let step = if E::LANES < 32 { core::hint::black_box(E::LANES) } else { E::LANES };
        let (mut bits, mut at) = (0, 0);
        while let Some(bytes) = block.get(at..at + E::LANES + 2) {
            let shown = self.classes([self.load(bytes, 0), self.load(bytes, 1)], tables);
            if self.any(shown) && self.any(self.fewer(shown, bytes, tables)) {
                bits |= self.exact(bytes, tables) << at;
            }
            at += step;
        }
        bits
    }
}

/// Returns whether a text surely has no suspects, except its last byte, if it is UTF-8. `start` is its first vector.
#[inline(always)]
fn is_innocent<E: Engine + Tests>(engine: E, text: &[u8], start: E::Vector, sieve: &Sieve) -> bool {
    let (n, tables) = (text.len(), engine.loaded(sieve));
    let is_short = n <= E::LANES;
    // The zeros around a short text may be suspect.
    let wanted = if is_short && n < 64 { !(u64::MAX << n) << E::LATER } else { u64::MAX };
    let last = if is_short { 0 } else { n - E::LANES - 1 };
    let first = if is_short { engine.pairs_short(start, text) } else { [start, engine.load(text, 1)] };
    let mut at = 0;
    loop {
        // With the first pair chosen in the loop, the test stands only once in a program.
        let pair = if at == 0 {
            first
        } else {
            let Some(bytes) = text.get(at..at + E::LANES + 1) else { return false };
            [engine.load(bytes, 0), engine.load(bytes, 1)]
        };
        if engine.not_zero(engine.classes(pair, &tables)) & wanted != 0 {
            return false;
        }
        if at == last {
            return true;
        }
        at = last.min(at + E::LANES);
    }
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
            fn is_plain_short(self, short: Self::Vector, len: usize, sieve: &Sieve) -> bool {
                // The zeros after the text may be suspect.
                self.not_zero(not_plain(self, [short], &sieve.plain)) & !(u64::MAX << len) == 0
            }

            #[inline(always)]
            fn pairs_short(self, short: Self::Vector, _: &[u8]) -> [Self::Vector; 2] {
                [trust8::engine::Simd::earlier::<1>(self, short, self.splat(0)), short]
            }

            const LATER: usize = 1;

            #[inline(always)]
            fn are_lines(self, bytes: &[u8], sieve: &Sieve) -> bool {
                !self.any(not_lines(self, self.load(bytes, 0), self.load(bytes, 1), &sieve.plain))
            }

            type Loaded<'a> = &'a Sieve;

            #[inline(always)]
            fn loaded(self, sieve: &Sieve) -> &Sieve {
                sieve
            }

            #[inline(always)]
            fn classes(self, two: [Self::Vector; 2], sieve: &&Sieve) -> Self::Vector {
                lanes::first_test(self, two, sieve)
            }

            #[inline(always)]
            fn fewer(self, shown: Self::Vector, bytes: &[u8], sieve: &&Sieve) -> Self::Vector {
                let three = [self.load(bytes, 0), self.load(bytes, 1), self.load(bytes, 2)];
                lanes::middle_test(self, shown, three, sieve)
            }

            #[inline(always)]
            fn exact(self, bytes: &[u8], sieve: &&Sieve) -> u64 {
                let three = [self.load(bytes, 0), self.load(bytes, 1), self.load(bytes, 2)];
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
    fn is_plain_short(self, short: avx512::Vector, len: usize, sieve: &Sieve) -> bool {
        // The zeros after the text may be suspect.
        self.high_bits(not_plain_512(self, [short], &sieve.sixes.ascii)) & !(u64::MAX << len) == 0
    }

    #[inline(always)]
    fn pairs_short(self, short: avx512::Vector, text: &[u8]) -> [avx512::Vector; 2] {
        [short, self.load_short(text.get(1..).unwrap_or_default())]
    }

    const LATER: usize = 0;

    #[inline(always)]
    fn are_lines(self, bytes: &[u8], sieve: &Sieve) -> bool {
        !self.any_high_bit(not_lines_512(self, self.load(bytes, 0), self.load(bytes, 1), &sieve.sixes.ascii))
    }

    type Loaded<'a> = lanes::Tables;

    #[inline(always)]
    fn loaded(self, sieve: &Sieve) -> lanes::Tables {
        lanes::Tables::new(self, &sieve.sixes)
    }

    #[inline(always)]
    fn classes(self, two: [avx512::Vector; 2], tables: &lanes::Tables) -> avx512::Vector {
        lanes::first_test_512(self, two, tables)
    }

    #[inline(always)]
    fn fewer(self, shown: avx512::Vector, _: &[u8], _: &lanes::Tables) -> avx512::Vector {
        shown
    }

    #[inline(always)]
    fn exact(self, bytes: &[u8], tables: &lanes::Tables) -> u64 {
        let three = [self.load(bytes, 0), self.load(bytes, 1), self.load(bytes, 2)];
        let (ascii, longer) = lanes::second_test_512(self, three, tables);
        self.high_bits(ascii) | self.not_zero(longer)
    }
}

/// The first test alone, byte by byte. ASCII, eight bytes at a time.
impl Sifting for Automaton {
    #[inline(always)]
    fn skip<const LINES: bool>(self, text: &[u8], from: usize, sieve: &Sieve) -> usize {
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

    type Tables<'a> = &'a Nibbles;

    #[inline(always)]
    fn tables(self, sieve: &Sieve) -> &Nibbles {
        &sieve.one
    }

    #[inline(always)]
    fn suspects(self, block: &[u8; READ_BYTES], one: &&Nibbles) -> u64 {
        // A program is smaller than with another order.
        (0..).zip(&block[..BLOCK_BYTES]).fold(0, |bits, (i, &byte)| bits | u64::from(one.of(byte) != 0) << i)
    }
}

/// A search for the suspects of valid text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspects {
    /// A bit for each suspect of some blocks, after those of the 64 bytes before.
    words: [u64; WORDS],
    /// Where the blocks begin, and where the search continues.
    base: usize,
    to: usize,
    /// Where the next block begins, and the bits of the one before that are left.
    next: usize,
    left: u64,
    /// The third byte of the last suspect if its first two are E2 80, that of U+200D if it is U+FE0F, or else 0.
    group: u8,
    /// Where the first suspect begins since which all have been of this group.
    since: usize,
}

/// One more than the blocks that are searched at once. With 64, 33 bytes of Russian take 1.4 times as long with AVX2.
const WORDS: usize = 8;

impl Suspects {
    /// Returns a search from a position on. `before` are the suspects in the 64 bytes before.
    pub(super) const fn new(base: usize, before: Near) -> Self {
        let mut words = [0; WORDS];
        words[0] = before;
        Self { words, base, to: base, next: base, left: 0, group: 0, since: 0 }
    }

    /// Returns the word of the block at a position, or the one before that.
    #[inline(always)]
    fn word(&self, at: usize, block: usize) -> u64 {
        self.words[((at - self.base) / BLOCK_BYTES + block) % WORDS]
    }

    /// Returns where the next suspect of the text begins.
    pub(super) fn next(&mut self, kernel: &Kernel, text: &[u8], sieve: &Sieve) -> Option<usize> {
        self.next_in::<true>(kernel, text, text.len(), sieve)
    }

    /// Returns where the next suspect begins, if that and the character after it are in the first `valid` bytes, which are valid. With
    /// `CONTEXT`, leaves out those that are surely at home.
    #[inline(never)]
    fn next_in<const CONTEXT: bool>(
        &mut self,
        kernel: &Kernel,
        text: &[u8],
        valid: usize,
        sieve: &Sieve,
    ) -> Option<usize> {
        loop {
            while self.left != 0 {
                let at = self.next - BLOCK_BYTES + self.left.trailing_zeros() as usize;
                self.left &= self.left - 1;
                // All suspects are in the text.
                let (before, rest) = text.split_at_checked(at)?;
                if rest.first_chunk() == Some(&sieve.line_end) {
                    continue;
                }
                if !CONTEXT {
                    return Some(at);
                }
                let near = self.near(at);
                if !self.is_common(before, rest, near, sieve)
                    && let Some(place) = sought(before, rest, near)
                {
                    return Some(place);
                }
            }
            if self.next >= self.to && !self.search(kernel, text, valid, sieve) {
                return None;
            }
            self.left = self.word(self.next, 1);
            self.next += BLOCK_BYTES;
        }
    }

    /// Returns whether a suspect is surely at home: one of few joiners between letters, one of few U+200B before a letter of a script
    /// without spaces, or a style or joiner of an emoji that mostly has it.
    #[inline(always)]
    fn is_common(&mut self, before: &[u8], rest: &[u8], near: Near, sieve: &Sieve) -> bool {
        let Some(&[lead, middle, kind]) = rest.first_chunk() else { return false };
        let group = match [lead, middle, kind] {
            _ if !sieve.knows_common => 0,
            // Colours of skin, narrow spaces and other marks for symbols, which some kernels take for suspects.
            [0xF0, 0x9F, ..=0xBE] | [0xE2, 0x80, 0xAF] | [0xE2, 0x83, 0x94..=0xBF] => return true,
            [0xE2, 0x80, _] => kind,
            // Emoji have both.
            EMOJI_STYLE => ZWJ,
            _ => 0,
        };
        if self.group != group {
            (self.group, self.since) = (group, before.len());
        }
        let Some(&[_, first, second, third]) = before.last_chunk() else { return false };
        // There are zeros after the text.
        let &[next, inner, last] = array_at(rest, 3).unwrap_or(&[0; 3]);
        let distance = before.len() - self.since;
        let are_same = distance >= BLOCK_BYTES || near << distance == 0;
        let are_two = || without_one(without_one(near)) == 0;
        // No letter of a script with joiners is above E0.
        if group == ZWJ && (lead == 0xEF || next > 0xE0) {
            return (are_same || are_two()) && is_in_emoji(before, lead == 0xEF, [next, inner, last], near);
        }
        // The suspects in the last 32 bytes and in the 32 before, without one of each. Rules allow at least as many as are removed.
        let halves = || [near >> 32, near & 0xFFFF_FFFF].map(without_one);
        let are_two_at_home = match group {
            // Thai, Lao, Khmer and Burmese: letters, and vowels that are written before them, after what is not ASCII, a space or a line
            // end. Suspects of other kinds are not near, so nothing else invisible is before.
            0x8B => {
                let end = match [next, inner] {
                    [0xE0, 0xB8 | 0xBA] | [0xE1, 0x9E] => 0xB0,
                    [0xE0, 0xB9 | 0xBB] => 0x85,
                    [0xE1, 0x80] => 0xAB,
                    _ => 0,
                };
                return third.cast_signed() <= 0x20
                    && are_same
                    && last < end
                    && halves().map(without_one).map(without_one) == [0; 2];
            }
            // Letters of cursive scripts, and of those of India. There, viramas take more. Some of U+0600 to U+061F are none, nor
            // is U+070F.
            0x8C | ZWJ => match [first, second, third] {
                _ if !matches!(next, b' ' | b','..=b'.' | 0xD7..=0xE0)
                    || matches!([next, inner], [0xD8, ..0xA0] | [0xDC, 0x8F]) =>
                {
                    return false;
                }
                [_, 0xD8, ..0xA0] | [_, 0xDC, 0x8F] => return false,
                [_, 0xD7..=0xDF, _] => true,
                [0xE0, 0xA4..=0xB7, 0x8D] if second % 2 == 1 => true,
                [0xE0, 0xA4..=0xB7, _] => false,
                _ => return false,
            },
            _ => return false,
        };
        let rest = if are_two_at_home { halves().map(without_one) } else { halves() };
        // Two of another kind are no alternation yet.
        rest == [0; 2] && (are_same || are_two())
    }

    /// Searches the next blocks. Returns whether there are any.
    fn search(&mut self, kernel: &Kernel, text: &[u8], valid: usize, sieve: &Sieve) -> bool {
        /// The most bytes from a suspect, or a mark before it, to the end of the next character.
        const TWO_CHARACTERS_BYTES: usize = 8;
        let is_end = valid == text.len();
        let end = if is_end { valid } else { valid.saturating_sub(TWO_CHARACTERS_BYTES) };
        // Without the minimum, the compiler would make the loop twice.
        let rest = text.get(self.to..end.min(text.len()));
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else { return false };
        let (mut padded, mut bytes) = ([b'a'; READ_BYTES], rest);
        if let Some(start) = padded.get_mut(..rest.len()).filter(|start| start.len() < READ_BYTES) {
            if !is_end {
                return false;
            }
            start.copy_from_slice(rest);
            bytes = &padded;
        }
        let before = self.word(self.to, 0);
        let (len, count) = kernel.run(Sift, bytes, (sieve, &mut self.words));
        self.words[0] = if count * BLOCK_BYTES == len { before } else { 0 };
        self.to += len;
        self.base = self.to - count * BLOCK_BYTES;
        self.next = self.base;
        true
    }

    /// Returns where suspects are before one that was found.
    #[inline(always)]
    pub(super) fn near(&self, at: usize) -> Near {
        const { assert!(WINDOW_BYTES == BLOCK_BYTES) };
        let bits = ((at - self.base) % BLOCK_BYTES) as u32;
        self.word(at, 0) >> bits | self.word(at, 1) << 1 << (63 - bits)
    }
}

/// Returns where the suspect begins that is found: after a mark, if that is the next one, and if there may be many on one letter. U+034F is
/// found by itself.
#[inline(always)]
fn sought(before: &[u8], rest: &[u8], near: Near) -> Option<usize> {
    let is_mark = |at| {
        let pair = array_at(rest, at).map_or(0, |&pair| u16::from_be_bytes(pair));
        pair & 0xFE00 == 0xCC00 && pair != 0xCD8F
    };
    if !is_mark(0) {
        return Some(before.len());
    }
    // At most six marks, each found with the next one, are before the first, after a letter, which no repair removes.
    let row = (!near & 0x5555_5555_5555_5555).leading_zeros() as usize;
    let letter = array_at(before, before.len().wrapping_sub(row + 1));
    let is_letter = matches!(letter, Some([_, b'A'..=b'Z' | b'a'..=b'z'] | [0xCE..=0xD1, _]));
    Some(before.len() + 2).filter(|_| !(row < 14 && is_letter) && is_mark(2))
}

const EMOJI_STYLE: [u8; 3] = *b"\xEF\xB8\x8F";
/// The last byte of U+200D.
const ZWJ: u8 = 0x8D;

/// For each second byte after E2, whether the characters are symbols that may be emoji. For each third byte after F0 9F, whether they may
/// be emoji, take a style, or be joined to one before.
static EMOJI: [u8; 64] = {
    let (mut blocks, mut i) = ([0; 64], 0);
    while i < 64 {
        blocks[i] = match 0x80 | i {
            0x84 | 0x87..=0x8F | 0x92..=0x93 | 0x97..=0x9E | 0xA4..=0xA5 | 0xAC..=0xAF => SYMBOL,
            0x86 | 0x96 => HALF,
            _ => 0,
        } | match 0x80 | i {
            0x80..=0xAB => PICTOGRAPH,
            _ => 0,
        } | match 0x80 | i {
            0x80..=0x8B | 0x8F | 0x93..=0x97 | 0x9B..=0xA3 => STYLED,
            _ => 0,
        } | match 0x80 | i {
            0x8C..=0x8E | 0x91..=0x97 | 0x9A..=0xA3 | 0xA6..=0xAB => JOINED,
            _ => 0,
        };
        i += 1;
    }
    blocks
};
const SYMBOL: u8 = 1;
/// Only those whose third byte is A0 or more.
const HALF: u8 = 16;
const PICTOGRAPH: u8 = 2;
const STYLED: u8 = 4;
const JOINED: u8 = 8;

/// Returns whether U+FE0F, or else U+200D, is surely at home between `before` and `after`. `near` are the suspects before it.
#[inline(never)]
fn is_in_emoji(before: &[u8], is_style: bool, [next, inner, last]: [u8; 3], near: Near) -> bool {
    let Some(&[zeroth, first, second, third]) = before.last_chunk() else { return false };
    let is_emoji = |leads: [u8; 2], supplementary: u8, [block, low]: [u8; 2]| {
        let wanted = match leads {
            [0xF0, 0x9F] => supplementary,
            [_, 0xE2] => SYMBOL | ((low & 0x20) / 2),
            _ => 0,
        };
        EMOJI[usize::from(block & 0x3F)] & wanted != 0
    };
    let is_after_emoji =
        is_emoji([zeroth, first], if is_style { STYLED } else { PICTOGRAPH }, [second, third]);
    // How often the emoji before may be followed by something else.
    let (is_at_home, most) = if is_style {
        let is_key = matches!(third, b'#' | b'*' | b'0'..=b'9');
        (is_after_emoji || is_key && [next, inner, last] == *b"\xE2\x83\xA3", 2)
    } else {
        let is_after_style = matches!([first, second, third], [0xEF, 0xB8, 0x8E | 0x8F]);
        let (leads, block) =
            if next == 0xE2 { ([0, next], [inner, last]) } else { ([next, inner], [last, 0]) };
        let is_before_emoji = is_emoji(leads, JOINED, block);
        ((is_after_emoji || is_after_style) && is_before_emoji, if is_after_style { 7 } else { 4 })
    };
    // Each suspect before is at most two changes.
    let rest = if is_style { near } else { near & near.wrapping_sub(1) };
    is_at_home && (rest == 0 || changes_rarely(before, if is_style { 0x8F_B8EF } else { 0x8D_80E2 }, most))
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

/// Returns `bytes` as text if it is ASCII without suspects. Otherwise returns up to where it is, as the error.
#[inline(always)]
pub(super) fn plain_text<'a, const CONTEXT: bool>(
    kernel: &Kernel,
    bytes: &'a [u8],
    sieve: &Sieve,
) -> Result<&'a str, usize> {
    let plain_to = match sieve.plain.count {
        Count::None => skip_ascii::<false>(kernel, bytes),
        Count::One => skip_ascii::<true>(kernel, bytes),
        Count::More => 0,
    };
    match kernel.run(Skip::<CONTEXT>, bytes, (plain_to, sieve)) {
        INNOCENT if bytes.last().is_some_and(|&last| sieve.one.of(last) == 0) => {
            kernel.check(bytes).map_err(|_| 0)
        }
        INNOCENT => Err(0),
        // SAFETY: the search found all of `bytes` to be ASCII.
        plain_to if plain_to == bytes.len() => Ok(unsafe { core::str::from_utf8_unchecked(bytes) }),
        plain_to => Err(plain_to),
    }
}

/// Returns `bytes` as text if it is valid and the profile forbids nothing in it. `plain_to` is what [`plain_text`] returned.
#[inline(always)]
pub(super) fn walk<'a, const CONTEXT: bool>(
    kernel: &Kernel,
    bytes: &'a [u8],
    profile: &Profile,
    plain_to: usize,
) -> Result<&'a str, ProfileError> {
    let look = |text: &[u8], at, suspects: &Suspects| match CONTEXT {
        true => profile.look(text, at, Edges::WHOLE, suspects.near(at)),
        false => profile.look_anywhere(text, at, Edges::WHOLE),
    };
    search::<CONTEXT>(kernel, bytes, &profile.sieve, (plain_to, Suspects::new(plain_to, 0)), look)?;
    // SAFETY: `search` found all valid after the first `plain_to` bytes, which are ASCII.
    Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// Validates the bytes after the first `valid` ones. Calls `look` with text and the position of each of the
/// suspects. The text is valid up to the end of the next character. If `look` returns something, the search
/// ends with that as its error.
#[inline(always)]
pub(super) fn search<const CONTEXT: bool>(
    kernel: &Kernel,
    bytes: &[u8],
    sieve: &Sieve,
    (mut valid, mut suspects): (usize, Suspects),
    look: impl Fn(&[u8], usize, &Suspects) -> Option<Forbidden>,
) -> Result<(), ProfileError> {
    let (mut text, mut error) = (bytes, None);
    loop {
        let mut end = match valid + CHUNK_BYTES {
            end if end < text.len() => start_before(text, end),
            _ => text.len(),
        };
        if let Err(rejected) = kernel.check(text.get(valid..end).unwrap_or(text)) {
            error = judge(text, valid + rejected.suspect()).err();
            end = error.map_or(text.len(), |error| error.valid_up_to());
            text = text.get(..end).unwrap_or(text);
        }
        valid = end;
        while let Some(at) = suspects.next_in::<CONTEXT>(kernel, text, valid, sieve) {
            if let Some(found) = look(text, at, &suspects) {
                return Err(ProfileError::Forbidden(found));
            }
        }
        if valid >= text.len() {
            break;
        }
    }
    // Without an error, `text` is all of `bytes`, and the loop ended with `valid` at its end.
    error.map_or(Ok(()), |error| Err(ProfileError::NotUtf8(error)))
}

//! Long input, by kind of text.
//!
//! ```text
//! check the first two blocks, with nothing before them; if they are ASCII, skip ASCII, and check the four blocks after it;
//!     in a short text, repeat that as long as nearly all is ASCII (none of this if ASCII is counted)
//! while there are eight blocks:
//!     at most a few words of eight bytes are not ASCII: a sparse run, which checks these words
//!     no byte is E0 or above, and no longer character reaches in: a run of two-byte characters, eight blocks at a time
//!     otherwise: a run of superblocks, in bit planes
//! check what is left by blocks
//! ```
//!
//! 1. **Runs grow.** Faults and kind are looked at after each run. The first run of a kind is eight blocks or one
//!    superblock, and each run after it is twice as long, up to a limit: the longer a kind has lasted, the likelier
//!    it goes on.
//! 2. **Alignment.** A sparse run and a run of two-byte characters go back to an aligned place, and so read fewer than
//!    64 bytes again. Superblocks are 488 bytes, so most of their loads are not aligned anyway.
//! 3. **Text that is larger than the caches needs help to arrive.** What helps differs between CPUs; see [`Memory`].

#![forbid(unsafe_code)]

use core::hint::black_box;

use super::blocks::{self, Checker};
use super::planes::{self, SUPERBLOCK};
use super::tally::{Nothing, Tally};
use super::{BLOCK, EIGHT_BLOCKS};
use crate::boundary::{CONTEXT, allows_two_byte, array_at, is_unfinished, with_context};
use crate::kernel::faulty;
use crate::kernel::verdict::Verdict;
use crate::simd::x86::avx512::{Avx512, Vector};
use crate::simd::x86::fetching::Fetching;
use crate::simd::{Routine, Token};

/// Eight blocks, the context before them, and the bytes after them that are checked with the last word.
type EightInContext = [u8; CONTEXT + EIGHT_BLOCKS + AFTER_WORD];
/// The number of places at which text that is larger than the caches is read in turn, unless it is read ahead; see [`Memory`].
const PLACES: usize = 4;
/// The number of superblocks at each place, so that all places together are 4 MiB.
pub(crate) const PER_PLACE: usize = (4 << 20) / PLACES / SUPERBLOCK;
/// A text of so many times the superblocks at all places is far larger than the caches, and nearly all of it comes from memory: 32 MiB.
const FAR_LARGER: usize = 8;
/// The words of eight blocks. A word has eight bytes.
const WORDS: usize = EIGHT_BLOCKS / 8;
/// A chunk of a sparse run is so many times eight blocks. The number of a word in it is a byte.
const GROUPS: usize = 4;
/// The bytes of a chunk of a sparse run. Where less is left, what the run prepares costs more than it gains.
const CHUNK: usize = GROUPS * EIGHT_BLOCKS;
/// A chunk, the context before it, and the bytes after it that are checked with its last word.
const CHUNK_IN_CONTEXT: usize = CONTEXT + CHUNK + AFTER_WORD;
/// The number of the word that each bit of [`WordSearch::others`] stands for: bit `8 * q + k` is word `q` of block `k`.
const NUMBERS: &[u8; 64] = &{
    let mut numbers = [0; 64];
    let mut i = 0;
    while i < 64 {
        numbers[i] = (i % 8 * 8 + i / 8) as u8;
        i += 1;
    }
    numbers
};
/// The bytes after a word that are checked with it. A character that begins in the word ends there, or is cut off.
const AFTER_WORD: usize = 16 - CONTEXT - 8;
/// A sparse run begins if no more places of a block are not ASCII in one of eight blocks. Three characters of three bytes take nine.
const FEW: u32 = 9;
/// A sparse run ends if more words of eight blocks are not ASCII, or more than `MANY_OF_TWO` of four times eight blocks and no longer
/// characters among them. To change between runs takes time too, so a run goes on for a while where it would not begin.
const MANY: usize = 20;
const MANY_OF_TWO: usize = 20;
/// Words are rare if two chunks have no more than so many, until more columns of a chunk have any than [`Tally::FEW_COLUMNS`].
const RARE: usize = 4;
/// In text of at most so many bytes, what a sparse run prepares costs more than the branches that skip ASCII between characters.
const WITHOUT_RUN: usize = 4096;
/// A sparse run also ends if more words of a chunk are not ASCII: as many as a register has bytes, in which they are listed.
const ROOM: usize = BLOCK;
/// All words of eight blocks have room.
const _: () = assert!(WORDS <= ROOM);

/// The words of a chunk that are not ASCII.
///
/// They are listed in a register. If the list were in memory, its stores and loads would come between loads of text, which takes up to a
/// fifth longer. How much would depend on where the stack is.
#[derive(Clone, Copy)]
struct Words {
    /// The number of each word in its chunk, and zeros after the last.
    numbers: Vector,
    count: usize,
}

/// Returns the verdict on two blocks or more. (Of less, it would be a suspicion.)
///
/// Text that is read at several places has `per_place` superblocks at each of them. Tests have few, and `AHEAD` lets them read ahead at one
/// place on any CPU.
#[inline(always)]
pub(super) fn validate<T: Tally, const AHEAD: bool>(
    s: Avx512,
    bytes: &[u8],
    per_place: usize,
    tally: &mut T,
) -> Verdict {
    let checker = Checker::new(s);
    let in_memory = bytes.len() >= FAR_LARGER * at_all_places(per_place);
    // For ASCII only. A sparse run decides by itself.
    let twice = in_memory && Fetching::here() != Fetching::Late;
    // The first two blocks are checked by themselves. So there is context before everything after them, and a fault in them, where
    // most text in another encoding has one, is reported early.
    let Some(start) = bytes.first_chunk::<{ 2 * BLOCK }>() else { return Verdict::suspect(0) };
    let (first, second) = (s.load(start, 0), s.load(start, BLOCK));
    // All before `at` is well-formed, except for a character that `at` cuts off.
    let mut at = 2 * BLOCK - bytes.as_ptr().addr() % BLOCK;
    tally.block(s, first);
    tally.block(s, second);
    if T::COUNTS {
        tally.take_back(s, &start[at..]);
    }
    if s.any_high_bit(s.or(first, second)) {
        let mut faults = checker.no_faults();
        let leads = checker.check(&mut faults, first, checker.no_leads());
        checker.check(&mut faults, second, leads);
        if checker.any(&faults) {
            return blocks::suspicion(s, start, 0);
        }
    } else if T::COUNTS {
        at = count_ascii(s, bytes, at, twice, tally);
    } else {
        // A text of ASCII, or a short one with few characters, does not need what a sparse run prepares. The four blocks that end the
        // ASCII are checked here. If ASCII follows them in a short text, it is skipped as well.
        let mut goes_on = true;
        while goes_on {
            at = skip_ascii(s, bytes, at, twice);
            let Some(four) = array_at::<{ 4 * BLOCK }>(bytes, at) else { break };
            let (mut faults, mut leads) = (checker.no_faults(), checker.no_leads());
            for k in 0..4 {
                leads = checker.check(&mut faults, s.load(four, k * BLOCK), leads);
            }
            goes_on = match array_at::<{ 4 * BLOCK }>(bytes, at + 4 * BLOCK) {
                Some(after) if bytes.len() <= WITHOUT_RUN => !s.any_high_bit(or_of_four(s, after, 0)),
                _ => false,
            };
            if goes_on {
                checker.check_end(&mut faults, leads);
            }
            if checker.any(&faults) {
                return blocks::suspicion(s, bytes, at);
            }
            at += 4 * BLOCK;
        }
    }

    let (mut dense, mut run, mut was_sparse) = (TextKind::Any, 0, false);
    let mut by_places = true;
    while let Some(eight) = with_context(bytes, at) {
        // Where a sparse run has ended, another one would not get far.
        let kind = TextKind::of(s, eight, !was_sparse);
        was_sparse = kind == TextKind::Sparse;
        if was_sparse && bytes.len() - at < CHUNK {
            break;
        }
        if !was_sparse {
            run = if kind == dense { (2 * run).clamp(1, T::LONGEST_RUN) } else { 1 };
            dense = kind;
        }
        let after = match kind {
            TextKind::Sparse if T::COUNTS => sparse_run::<T, AHEAD>(s, bytes, at, tally),
            TextKind::Sparse => s.apart::<SparseRun<AHEAD>>(bytes, at),
            _ if by_places
                && run == T::LONGEST_RUN
                && bytes.len() - at >= at_all_places(per_place)
                && kind.is_read_by_places(in_memory) =>
            {
                match planes_run_by_places::<T, AHEAD>(s, bytes, at, per_place, tally) {
                    Some(after) => Ok(after),
                    None => {
                        // There is a fault somewhere in what was read, or it ends there. Read it again in short runs.
                        by_places = false;
                        Ok(at)
                    }
                }
            }
            TextKind::TwoByte => two_byte_run(s, bytes, at, run, tally),
            TextKind::Any => planes_run(s, bytes, at, run, tally),
        };
        match after {
            Ok(after) => {
                if was_sparse && after - at >= CHUNK {
                    run /= 2;
                }
                at = after;
            }
            Err(sound) => return blocks::suspicion(s, bytes, sound),
        }
    }

    blocks::validate_from(checker, bytes, at, tally)
}

// A run checks the text from `at` on, where eight blocks of its kind begin. It returns where it stopped, or, as an
// error, a place shortly before a fault.

/// Checks a run of ASCII and a few words that are not ASCII. In the case of an error the place is at or before the fault.
///
/// ```text
/// repeat:
///     while words are few: list the words of a chunk, one by one, and check those of the chunk before
///     while words are rare: find the columns of a chunk that have words, and check the columns of the chunk before
/// ```
///
/// No branch depends on where in a chunk a character stands. A CPU would predict such a branch wrongly on text that it has not
/// seen before, and that takes as long as 300 bytes. Two chunks take turns: one is searched before the other is checked. So after a
/// wrong prediction of how much there is to check, the next one is there.
#[cfg_attr(optimised, inline(always))]
fn sparse_run<T: Tally, const AHEAD: bool>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    let end = at;
    let mut at = aligned_down(bytes, end).max(CONTEXT);
    if T::COUNTS {
        tally.take_back(s, &bytes[at..end]);
    }
    // A word of ASCII is not checked, but a character may be cut off before the first word.
    if with_context::<{ CONTEXT + 1 }>(bytes, at)
        .is_some_and(|first| is_unfinished(first) && first[CONTEXT].is_ascii())
    {
        return Err(at);
    }
    let memory = if AHEAD { Memory::Ahead } else { Memory::of(bytes.len()) };
    let sparse = Sparse { checker: Checker::new(s), word_search: WordSearch::new(s), memory };
    loop {
        let are_rare;
        (at, are_rare) = listed_run(s, &sparse, bytes, at, tally)?;
        if !are_rare {
            return Ok(at);
        }
        at = rare_run(s, &sparse, bytes, at, tally)?;
    }
}

/// What a sparse run needs all the time.
struct Sparse {
    checker: Checker,
    word_search: WordSearch,
    memory: Memory,
}

/// Checks words that are listed one by one, as long as they are few, and not rare. Returns where that ends, and whether they have become rare.
///
/// ```text
/// repeat:
///     list the words that are not ASCII, in four times eight blocks
///     check the words that were listed before, four at a time, wherever they are, each with its context and with the places after it;
///         or, if there are none in either list, and ASCII is counted, skip it
///     stop where words are not few any more, or rare
/// check the words of the last list
/// ```
#[inline(always)]
fn listed_run<T: Tally>(
    s: Avx512,
    sparse: &Sparse,
    bytes: &[u8],
    mut at: usize,
    tally: &mut T,
) -> Result<(usize, bool), usize> {
    let Sparse { checker, word_search, memory } = sparse;
    let mut newlines = 0;
    // The chunk that is listed and not yet checked.
    let (mut start, mut words) = (at, Words { numbers: s.zero(), count: 0 });
    let (mut goes_on, mut are_rare) = (true, false);
    while goes_on {
        let next_start = at;
        let next;
        // Two loops, so that text in a cache is not asked where it is.
        (at, next) = match *memory {
            Memory::Near => list_words::<T>(s, word_search, Memory::Near, bytes, at, &mut newlines),
            far => list_words::<T>(s, word_search, far, bytes, at, &mut newlines),
        };
        goes_on = at - next_start == CHUNK;
        if T::COUNTS && next.count == 0 && words.count == 0 {
            at = count_ascii(s, bytes, at, *memory == Memory::Twice, tally);
        } else if let Some(text) = with_context::<CHUNK_IN_CONTEXT>(bytes, start) {
            let (faults, largest) = check_words(s, checker, text, words, tally);
            if checker.any(&checker.of_words(faults)) {
                return faulty(start);
            }
            if words.count > MANY_OF_TWO && is_below_e0(s, largest) {
                goes_on = false;
            }
            // Text from memory comes no faster than its words are listed.
            if *memory == Memory::Near && goes_on && words.count + next.count <= RARE {
                (goes_on, are_rare) = (false, true);
            }
        } else if words.count > 0 {
            // Not reached: the loop goes on after whole chunks, and there are bytes after these. What is not checked counts as a fault.
            return faulty(start);
        }
        (start, words) = (next_start, next);
    }
    let text = bytes.get(start - CONTEXT..).unwrap_or_default();
    let (faults, _) = check_words(s, checker, text, words, tally);
    tally.add_newlines(newlines);
    if checker.any(&checker.of_words(faults)) { faulty(start) } else { Ok((at, are_rare)) }
}

/// Checks columns of words, as long as words are rare. Returns where that ends.
///
/// A column is one word of each of four blocks, one below the other. To search four blocks at once takes little longer than to search one. A
/// column takes as long to check as four listed words, even if only one word in it is not ASCII. So this is faster than a list where
/// a chunk has few words to check: twice as fast where it has one.
#[inline(always)]
fn rare_run<T: Tally>(
    s: Avx512,
    sparse: &Sparse,
    bytes: &[u8],
    mut at: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    let Sparse { checker, word_search, .. } = sparse;
    // The chunk that is searched and not yet checked, and its columns that have words.
    let (mut last, mut columns) = (None::<&[u8; CHUNK_IN_CONTEXT]>, 0_u64);
    loop {
        let next = with_context(bytes, at);
        let (next_columns, next_newlines) = match next {
            Some(chunk) => {
                let (all, newlines) = or_by_fours::<T>(s, chunk);
                (word_search.others(s, all), newlines)
            }
            None => (u64::MAX, 0),
        };
        let goes_on = next_columns.count_ones() <= T::FEW_COLUMNS;
        if let Some(chunk) = last
            && columns != 0
        {
            let mut faults = checker.no_faults();
            while columns != 0 {
                let bit = columns.trailing_zeros() as usize;
                columns &= columns - 1;
                // Bit `8 * q + k` is column `q` of blocks `4 * k` to `4 * k + 3`.
                let top = bit % 8 * (4 * BLOCK) + bit / 8 * 8;
                let column = s.load_by_sixteen(chunk, [top, top + BLOCK, top + 2 * BLOCK, top + 3 * BLOCK]);
                checker.check(&mut faults, column, checker.no_leads());
                tally.words(s, column, 4);
            }
            if checker.any(&checker.of_words(faults)) {
                return faulty(at - CHUNK);
            }
        }
        if !goes_on {
            return Ok(at);
        }
        (last, columns) = (next, next_columns);
        tally.add_newlines(next_newlines);
        at += CHUNK;
    }
}

/// Returns the bits of any of four blocks, for each four blocks of a chunk, and the number of newlines in the chunk.
#[inline(always)]
fn or_by_fours<T: Tally>(s: Avx512, chunk: &[u8; CHUNK_IN_CONTEXT]) -> ([Vector; 8], usize) {
    let (mut all, mut newlines) = ([s.zero(); 8], 0);
    let mut k = 0;
    while k < 8 {
        let at = CONTEXT + k * 4 * BLOCK;
        all[k] = or_of_four(s, chunk, at);
        all[k + 1] = or_of_four(s, chunk, at + 4 * BLOCK);
        newlines += T::newlines(s, load_eight(s, &chunk[at..]));
        k += 2;
    }
    (all, newlines)
}

/// Lists the words of the chunk from `at` on that are not ASCII. Returns the place after the blocks that it has looked at, and the
/// words.
#[inline(always)]
fn list_words<T: Tally>(
    s: Avx512,
    word_search: &WordSearch,
    memory: Memory,
    bytes: &[u8],
    at: usize,
    newlines: &mut usize,
) -> (usize, Words) {
    let end = bytes.len().min(at + CHUNK + AFTER_WORD);
    // If the compiler knew the length, it would write the loop four times. Then each load gets on by 2 KiB, which is too far for CPUs
    // that fetch what an instruction will load next: 135 GB/s of ASCII from the second-level cache in the place of 195 (family 26,
    // model 2).
    let mut left = black_box(bytes.get(at..end).unwrap_or_default());
    let len = left.len();
    // What the compiler knows about the first eight blocks makes it write them apart. Text from memory is waited for anyway.
    let first = |known: usize| if memory == Memory::Near { known } else { black_box(known) };
    let mut listed = Words { numbers: s.zero(), count: first(0) };
    let (mut numbers, mut most) = (s.load(NUMBERS, 0), first(WORDS));
    while let Some(eight) = left.first_chunk::<{ EIGHT_BLOCKS + AFTER_WORD }>() {
        memory.read_ahead(s, bytes, at + len - left.len());
        let blocks = load_eight(s, eight);
        let words = word_search.others(s, blocks);
        let count = words.count_ones() as usize;
        if count > most || listed.count + count > ROOM {
            break;
        }
        listed.numbers = s.append(listed.numbers, listed.count, s.compress(numbers, words));
        listed.count += count;
        // The first eight blocks of a chunk are taken as they are, so that each run gets on: at its start they may begin before those
        // that decided about it.
        most = MANY;
        numbers = s.plus(numbers, s.splat(WORDS as u8));
        *newlines += T::newlines(s, blocks);
        left = &left[EIGHT_BLOCKS..];
    }
    (at + len - left.len(), listed)
}

/// [`sparse_run`] without counts.
struct SparseRun<const AHEAD: bool>;

impl<const AHEAD: bool> Routine<Avx512> for SparseRun<AHEAD> {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], at: usize) -> Result<usize, usize> {
        sparse_run::<_, AHEAD>(s, bytes, at, &mut Nothing)
    }
}

/// Checks words of a chunk. Returns the faults, and the largest byte in each lane. `text` is the chunk with context.
#[inline(always)]
fn check_words<T: Tally>(
    s: Avx512,
    checker: &Checker,
    text: &[u8],
    words: Words,
    tally: &mut T,
) -> (blocks::FaultBits, Vector) {
    let (mut faults, mut largest) = (checker.no_faults(), s.zero());
    let (mut i, mut numbers) = (0, words.numbers);
    while i < words.count {
        // After the last number there are zeros, and the first word of a chunk may be checked again.
        let ([a, b, c, d], others) = s.split_four(numbers);
        let places = [usize::from(a) * 8, usize::from(b) * 8, usize::from(c) * 8, usize::from(d) * 8];
        let four = s.load_by_sixteen(text, places);
        checker.check(&mut faults, four, checker.no_leads());
        largest = s.max(largest, four);
        tally.words(s, four, words.count - i);
        numbers = others;
        i += 4;
    }
    (faults, largest)
}

/// Skips blocks of ASCII, and returns where they end. `twice` says that each line is read again.
///
/// Four blocks end nearer to what interrupts ASCII than eight. They are also faster when text comes from the second-level cache.
#[inline(always)]
fn skip_ascii(s: Avx512, bytes: &[u8], mut at: usize, twice: bool) -> usize {
    while let Some(four) = array_at::<{ 4 * BLOCK }>(bytes, at)
        && !s.any_high_bit(or_of_four(s, four, 0))
    {
        touch_if(twice, four);
        at += 4 * BLOCK;
    }
    at
}

/// Skips blocks of ASCII, counts them, and returns where they end.
#[inline(always)]
fn count_ascii<T: Tally>(s: Avx512, bytes: &[u8], at: usize, twice: bool, tally: &mut T) -> usize {
    let mut left = bytes.get(at..).unwrap_or_default();
    while let Some((eight, after)) = left.split_first_chunk() {
        let blocks = load_eight(s, eight);
        let [a, b, c, d, e, f, g, h] = blocks;
        let (abc, def) = (or_of_three(s, a, b, c), or_of_three(s, d, e, f));
        if s.any_high_bit(or_of_three(s, abc, def, s.or(g, h))) {
            break;
        }
        touch_if::<EIGHT_BLOCKS>(twice, eight);
        tally.ascii_blocks(s, blocks);
        left = after;
    }
    bytes.len() - left.len()
}

/// Reads a byte of each block again, if that is wanted.
#[inline(always)]
fn touch_if<const N: usize>(twice: bool, bytes: &[u8; N]) {
    if twice {
        let middles = bytes.iter().skip(BLOCK / 2).step_by(BLOCK);
        black_box(middles.fold(0, |all, byte| all | byte));
    }
}

/// What is done so that text is there when it is needed.
///
/// CPUs fetch text from memory before it is needed, but some of them not early enough; see [`Fetching`]. GB/s of 512 MiB, of 256 MiB on
/// Intel's; a loop that only reads has 27 on family 25, 41 on family 26, and 16 on Intel's:
///
/// | CPU | text | nothing | each line read twice | 8 KiB ahead | four places |
/// |---|---|---:|---:|---:|---:|
/// | AMD family 25, model 17 | a character in 1600 bytes | 23.0 | 26.7 | slower | |
/// | AMD family 26, model 2 | a character in 200 bytes | 17.8 | 21.3 | 35.5 | |
/// | AMD family 26, model 2 | Chinese | 27.1 | | 35.9 | 30.7 |
/// | Intel family 6, model 207 | ASCII | 16.2 | 14.4 | | |
/// | Intel family 6, model 207 | a character in 200 bytes | | 12.3 | 15.0 | |
/// | Intel family 6, model 207 | Chinese | | | 13.3 | 16.0 |
///
/// From a cache of the first or second level, all of this would take longer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Nothing is done: the text is in a cache, or the CPU fetches it in time.
    Near,
    /// A byte of each line is read again.
    Twice,
    /// The cache is asked for lines that come [`HOW_FAR`] bytes after those that are read, from 4 MiB on.
    Ahead,
}

/// How far ahead the cache is asked for text from memory, where that helps. With 4 KiB, or 16, it helps less.
const HOW_FAR: usize = 8 << 10;

impl Memory {
    /// Returns what to do for a text of `len` bytes.
    #[inline(always)]
    fn of(len: usize) -> Self {
        if len >= at_all_places(PER_PLACE) && Fetching::here() != Fetching::InTime {
            Self::Ahead
        } else if len >= FAR_LARGER * at_all_places(PER_PLACE) {
            Self::Twice
        } else {
            Self::Near
        }
    }

    /// Called before the eight blocks of a sparse run are read that begin at `at`. Requests for all of a chunk at once would hold up what
    /// is read.
    #[inline(always)]
    fn read_ahead(self, s: Avx512, bytes: &[u8], at: usize) {
        match self {
            Self::Near => {}
            Self::Twice => {
                if let Some(eight) = array_at::<EIGHT_BLOCKS>(bytes, at) {
                    touch_if(true, eight);
                }
            }
            Self::Ahead => prefetch_eight(s, bytes, at + HOW_FAR),
        }
    }
}

/// The search for words that are not ASCII. Its constants are made where a sparse run begins, so that other text does not wait for
/// them.
struct WordSearch {
    /// [`PICKS`] for each word of a block.
    picks: [Vector; 8],
}

/// For each of eight blocks, the lane with which `pick_planes` gathers the high bits of a word in one of its bytes.
const PICKS: &[u64; 8] = &{
    let mut picks = [0; 8];
    let mut k = 0;
    while k < 8 {
        picks[k] = 0x80 << (8 * k);
        k += 1;
    }
    picks
};

impl WordSearch {
    #[inline(always)]
    fn new(s: Avx512) -> Self {
        // If the compiler knew the numbers, it would keep whole vectors of them in the program: 900 bytes more.
        let (lanes, mut picks) = (black_box(PICKS), [s.zero(); 8]);
        let mut k = 0;
        while k < 8 {
            picks[k] = s.splat64(lanes[k]);
            k += 1;
        }
        Self { picks }
    }

    /// Returns the words of eight blocks that are not ASCII, a bit for each. [`NUMBERS`] says which.
    #[inline(always)]
    fn others(&self, s: Avx512, blocks: [Vector; 8]) -> u64 {
        let [a, b, c, d, e, f, g, h] = blocks;
        let [for_a, for_b, for_c, for_d, for_e, for_f, for_g, for_h] = self.picks;
        let abc = or_of_three(s, s.pick_planes(for_a, a), s.pick_planes(for_b, b), s.pick_planes(for_c, c));
        let def = or_of_three(s, s.pick_planes(for_d, d), s.pick_planes(for_e, e), s.pick_planes(for_f, f));
        let gh = s.or(s.pick_planes(for_g, g), s.pick_planes(for_h, h));
        s.not_zero(or_of_three(s, abc, def, gh))
    }
}

/// Returns the bits of any of three vectors.
///
/// If `others` were written with `or`, the compiler would test the vectors otherwise, and sparse runs would take 1.7 times as long.
#[inline(always)]
fn or_of_three(s: Avx512, a: Vector, b: Vector, c: Vector) -> Vector {
    s.ternary::<{ truth!(|a, b, c| a | b | c) }>(a, b, c)
}

/// Returns the first eight blocks of `bytes`.
#[inline(always)]
fn load_eight(s: Avx512, bytes: &[u8]) -> [Vector; 8] {
    let (a, b) = (s.load(bytes, 0), s.load(bytes, BLOCK));
    let (c, d) = (s.load(bytes, 2 * BLOCK), s.load(bytes, 3 * BLOCK));
    let (e, f) = (s.load(bytes, 4 * BLOCK), s.load(bytes, 5 * BLOCK));
    [a, b, c, d, e, f, s.load(bytes, 6 * BLOCK), s.load(bytes, 7 * BLOCK)]
}

#[inline(always)]
fn or_of_four(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    let (a, b) = (s.load(bytes, at), s.load(bytes, at + BLOCK));
    let (c, d) = (s.load(bytes, at + 2 * BLOCK), s.load(bytes, at + 3 * BLOCK));
    s.or(s.or(a, b), s.or(c, d))
}

#[inline(always)]
fn max_of_two(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    s.max(s.load(bytes, at), s.load(bytes, at + BLOCK))
}

/// Checks a run of ASCII and two-byte characters: eight blocks, at most `run` times. In the case of an error the
/// place is `at`.
///
/// The operations are those of `TwoByteFaults` in `lookup/check.rs`, which explains them, but for one: what is due is found with a doubling, which
/// moves bit 6 to bit 7, and not with a saturating subtraction. Intel's CPUs have two ports for vectors of 64 bytes, and only one of them
/// has saturating arithmetic, minimum and maximum.
#[cfg_attr(optimised, inline(always))]
fn two_byte_run<T: Tally>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    run: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    let sound = at;
    let mut at = at;
    let mut lengths = s.zero();
    let mut smallest = s.splat(0x7F);
    let mut counts = T::start_two_byte(s);
    for _ in 0..run {
        let Some(eight) = with_context::<{ CONTEXT + EIGHT_BLOCKS }>(bytes, at) else { break };
        // The check of eight blocks also finds out whether they are of this kind. If they are not, their faults are
        // dropped.
        let (mut next_lengths, mut next_smallest, mut largest) = (lengths, smallest, s.zero());
        let mut next_counts = counts;
        for k in 0..EIGHT_BLOCKS / (2 * BLOCK) {
            // Two blocks, so that their faults are gathered in one operation.
            let (mut wrong, mut i) = ([s.zero(); 2], 0);
            while i < 2 {
                let at = CONTEXT + (2 * k + i) * BLOCK;
                let (now, earlier1) = (s.load(eight, at), s.load(eight, at - 1));
                let moved = s.plus_signed(now, s.splat(0x40));
                wrong[i] = s.ternary::<{ truth!(|b7, b6, found| (b7 & b6) ^ found) }>(
                    earlier1,
                    s.plus(earlier1, earlier1),
                    moved,
                );
                next_smallest = s.min(next_smallest, moved);
                largest = s.max(largest, now);
                next_counts = tally.two_byte_block(s, next_counts, now);
                i += 1;
            }
            next_lengths = or_of_three(s, next_lengths, wrong[0], wrong[1]);
        }
        if !is_below_e0(s, largest) {
            break;
        }
        (lengths, smallest, counts) = (next_lengths, next_smallest, next_counts);
        let end = at + EIGHT_BLOCKS;
        at = aligned_down(bytes, end);
        if T::COUNTS {
            tally.take_back_two_byte(s, &bytes[at..end]);
        }
    }
    tally.end_two_byte(s, counts, bytes, sound, at);
    let overlong = s.minus(s.splat(2), smallest);
    let lengths = s.and(lengths, s.splat(0x80));
    if s.any(s.or(overlong, lengths)) { faulty(sound) } else { Ok(at) }
}

/// Checks a run of any text: at most `run` superblocks. In the case of an error the place is `at`.
#[cfg_attr(optimised, inline(always))]
fn planes_run<T: Tally>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    run: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    // The planes of the next superblock are made while this one is checked. Both are long chains of instructions that
    // wait for each other, and side by side they fill each other's gaps.
    let Some(first) = with_context(bytes, at) else { return Ok(at) };
    let mut planes = planes::planes(s, first);
    let (mut faults, mut counts) = (s.zero(), T::start_planes(s));
    let mut masks;
    let mut after = at + SUPERBLOCK;
    for _ in 1..run {
        let Some(next) = with_context(bytes, after) else { break };
        prefetch_eight(s, bytes, after + 1536);
        let next = planes::planes(s, next);
        (faults, masks) = planes::check(s, faults, planes);
        counts = T::superblock(s, counts, masks);
        planes = next;
        after += SUPERBLOCK;
    }
    (faults, masks) = planes::check(s, faults, planes);
    tally.end_planes(s, T::superblock(s, counts, masks), bytes, at, after);
    if s.any(faults) { faulty(at) } else { Ok(after) }
}

/// Checks a run of any text that is larger than the caches: `per_place` superblocks at each of several places, one
/// superblock of each in turn; or `per_place` superblocks at one place, where the cache is asked for text ahead. Returns where the run
/// ends, or `None` if there is a fault or the text is shorter.
#[cfg_attr(optimised, inline(always))]
fn planes_run_by_places<T: Tally, const AHEAD: bool>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    per_place: usize,
    tally: &mut T,
) -> Option<usize> {
    let (mut faults, mut counts) = (s.zero(), T::start_planes(s));
    let mut masks;
    // Tests have few superblocks at each place, and do on any CPU what `AHEAD` says. (To ask `Memory::of` here makes the compiler write the
    // runs of dense text otherwise, and they take 3 % longer.)
    let is_ahead = AHEAD || per_place == PER_PLACE && Fetching::here() == Fetching::Latest;
    let (places, ahead) = if is_ahead { (1, HOW_FAR) } else { (PLACES, 2048) };
    for i in 0..per_place {
        for place in 0..places {
            let from = at + (place * per_place + i) * SUPERBLOCK;
            prefetch_eight(s, bytes, from + ahead);
            let text = with_context(bytes, from)?;
            (faults, masks) = planes::check(s, faults, planes::planes(s, text));
            counts = T::superblock(s, counts, masks);
        }
        if i % T::LONGEST_RUN == 0 && s.any(faults) {
            return None;
        }
    }
    let after = at + places * per_place * SUPERBLOCK;
    tally.end_planes(s, counts, bytes, at, after);
    if s.any(faults) { None } else { Some(after) }
}

/// Asks the cache for the eight lines from `at` on. CPUs prefetch by themselves, but only within a page.
///
/// As long as text comes from a cache, how far ahead is best depends little on the CPU: 1.5 KiB, or 2 KiB when several places are read in
/// turn. For text from memory, see [`Memory`].
#[inline(always)]
fn prefetch_eight(s: Avx512, bytes: &[u8], at: usize) {
    for k in 0..EIGHT_BLOCKS / BLOCK {
        s.prefetch(bytes, at + k * BLOCK);
    }
}

/// What eight blocks are made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    /// ASCII, but for a few words.
    Sparse,
    /// ASCII and two-byte characters. No longer character reaches in.
    TwoByte,
    Any,
}

impl TextKind {
    /// Returns whether long text of this kind is read at several places in turn, or ahead. `in_memory` says that the whole text is far
    /// larger than the caches.
    ///
    /// Two-byte characters have a faster run of their own, as long as memory keeps up with it.
    const fn is_read_by_places(self, in_memory: bool) -> bool {
        match self {
            Self::Sparse => false,
            Self::TwoByte => in_memory,
            Self::Any => true,
        }
    }

    #[inline(always)]
    fn of(s: Avx512, eight: &EightInContext, may_be_sparse: bool) -> Self {
        let (a, b) = (max_of_two(s, eight, CONTEXT), max_of_two(s, eight, CONTEXT + 2 * BLOCK));
        let (c, d) = (max_of_two(s, eight, CONTEXT + 4 * BLOCK), max_of_two(s, eight, CONTEXT + 6 * BLOCK));
        let largest = s.max(s.max(a, b), s.max(c, d));
        if may_be_sparse && s.high_bits(largest).count_ones() <= FEW {
            Self::Sparse
        } else if is_below_e0(s, largest) && allows_two_byte(eight) {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

/// Returns the bytes that are read at all places in turn.
const fn at_all_places(per_place: usize) -> usize {
    PLACES * per_place * SUPERBLOCK
}

/// Returns the last place at or before `at` whose address is aligned. The bytes from there on are read again. In a
/// run they are of the run's kind.
#[inline(always)]
fn aligned_down(bytes: &[u8], at: usize) -> usize {
    at - (bytes.as_ptr().addr() + at) % BLOCK
}

/// Returns whether no byte is E0 or above.
#[inline(always)]
fn is_below_e0(s: Avx512, largest: Vector) -> bool {
    !s.any_high_bit(s.minus(largest, s.splat(0xE0 - 0x80)))
}

//! Long input, by kind of text.
//!
//! ```text
//! check the first two blocks, with nothing before them; if they are ASCII, skip ASCII, and check the four blocks after it,
//!     or all the rest by blocks if it is short
//! while there are eight blocks:
//!     at most a few words of eight bytes are not ASCII: a sparse run, which checks these words
//!     no byte is E0 or above, and no longer character reaches in: a run of two-byte characters, eight blocks at a time
//!     otherwise: a run of superblocks, in bit planes
//! check the rest by blocks
//! ```
//!
//! 1. **Runs grow.** Faults and kind are tested after each run. The first run of a kind is eight
//!    blocks or one superblock, and each run after it is twice as long, up to a limit: the longer a
//!    kind has lasted, the likelier it continues.
//! 2. **Alignment.** A sparse run and a run of two-byte characters go back to an aligned address,
//!    and so read fewer than 64 bytes again. Superblocks have 488 bytes, so most of their loads are
//!    unaligned anyway.
//! 3. **Prefetch.** Every run prefetches [`AHEAD_BYTES`] ahead in text that is larger than the second-level cache: hardware
//!    prefetchers stop at the end of a page.

#![forbid(unsafe_code)]

use core::hint::black_box;

use super::blocks::{self, BlockChecker};
use super::planes::{self, Picks, SUPERBLOCK_BYTES};
use super::{BLOCK_BYTES, GROUP_BYTES};
use crate::boundary::{CONTEXT, allows_two_byte, array_at, is_unfinished, with_context};
use crate::kernel::verdict::Verdict;
use crate::kernel::{AHEAD_BYTES, PREFETCH_FROM_BYTES, faulty};
use crate::simd::{Avx512, Job, Token, Vectors, x86::avx512::Vector};

/// Eight blocks, the context before them, and the bytes after them that are checked with the last word.
type EightInContext = [u8; CONTEXT + GROUP_BYTES + AFTER_WORD_BYTES];
/// The words of eight blocks. A word has eight bytes.
const WORDS: usize = GROUP_BYTES / 8;
/// A chunk of a sparse run is this many times eight blocks. The number of a word in it is a byte.
const CHUNK_GROUPS: usize = 4;
/// The bytes of a chunk of a sparse run. If less is left, the setup of the run costs more than it
/// gains.
const CHUNK_BYTES: usize = CHUNK_GROUPS * GROUP_BYTES;
/// The number of the word for each bit of [`WordSearch::others`]: bit `8 * q + k` is word `q` of
/// block `k`.
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
const AFTER_WORD_BYTES: usize = 16 - CONTEXT - 8;
/// A sparse run begins if at most this many positions of a block are not ASCII in any of eight
/// blocks. Three three-byte characters take nine.
const FEW_PLACES: u32 = 9;
/// A sparse run ends if more words of eight blocks are not ASCII, or more words of a chunk without
/// longer characters. Changing between runs takes time, so a run continues for a while in text
/// where it would not begin.
const MANY_WORDS: usize = 20;
/// A sparse run also ends if more words of a chunk are not ASCII. This is the capacity of the
/// in-register list.
const MOST_LISTED_WORDS: usize = BLOCK_BYTES;
/// The list has room for all words of eight blocks.
const _: () = assert!(WORDS <= MOST_LISTED_WORDS);
/// The longest run between two tests of the faults and the kind, in superblocks, or in groups of
/// eight blocks.
const LONGEST_RUN_GROUPS: usize = 16;

/// The words of a chunk that are not ASCII.
///
/// They are listed in a register. With a list in memory, its stores and loads between the loads of
/// text cost up to a fifth, depending on the address of the stack.
#[derive(Clone, Copy)]
struct Words {
    /// The number of each word in its chunk, and zeros after the last.
    numbers: Vector,
    count: usize,
}

/// The verdict on two blocks or more. (Less is checked by blocks.)
pub(crate) struct Superblocks;

impl Job<Avx512, (), Verdict> for Superblocks {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], (): ()) -> Verdict {
        let checker = BlockChecker::new(s);
        // The first two blocks are checked separately. So everything after them has context, and a
        // fault in them, where text in another encoding usually has one, is reported early.
        let Some(start) = bytes.first_chunk::<{ 2 * BLOCK_BYTES }>() else {
            return s.apart(blocks::CheckBlocks, bytes, 0);
        };
        let (first, second) = (s.load(start, 0), s.load(start, BLOCK_BYTES));
        // Everything before `at` is well-formed, except for a character that `at` cuts off.
        let mut at = 2 * BLOCK_BYTES - bytes.as_ptr().addr() % BLOCK_BYTES;
        if s.any_high_bit(s.or(first, second)) {
            let mut faults = checker.no_faults();
            let leads = checker.check(&mut faults, first, checker.no_leads());
            checker.check(&mut faults, second, leads);
            if checker.any(&faults) {
                return blocks::first_faulty_block(s, start, 0);
            }
        } else {
            // A text of ASCII does not need the setup of a sparse run, nor does a short rest. The four
            // blocks that end the ASCII are checked here.
            at = skip_four_ascii_blocks(s, bytes, at);
            if bytes.len() - at < CHUNK_BYTES {
                return s.apart(blocks::CheckBlocks, bytes, at);
            }
            if let Some(four) = array_at::<{ 4 * BLOCK_BYTES }>(bytes, at) {
                let (mut faults, mut leads) = (checker.no_faults(), checker.no_leads());
                // `black_box` keeps LLVM from unrolling the check four times.
                let mut left = black_box(four.as_slice());
                while let Some((block, after)) = left.split_first_chunk::<BLOCK_BYTES>() {
                    leads = checker.check(&mut faults, s.load(block, 0), leads);
                    left = after;
                }
                if checker.any(&faults) {
                    return blocks::first_faulty_block(s, bytes, at);
                }
                at += 4 * BLOCK_BYTES;
            }
        }

        let prefetches = bytes.len() >= PREFETCH_FROM_BYTES;
        let (mut dense, mut run, mut was_sparse) = (TextKind::Any, 0, false);
        while let Some(eight) = with_context(bytes, at) {
            // After a sparse run has ended, another one would not get far.
            let kind = TextKind::of(s, eight, !was_sparse);
            was_sparse = kind == TextKind::Sparse;
            if was_sparse && bytes.len() - at < CHUNK_BYTES {
                break;
            }
            if !was_sparse {
                run = if kind == dense { (2 * run).clamp(1, LONGEST_RUN_GROUPS) } else { 1 };
                dense = kind;
            }
            let after = match kind {
                TextKind::Sparse => s.apart(SparseRun, bytes, at),
                TextKind::TwoByte => two_byte_run(s, bytes, at, run, prefetches),
                TextKind::Any => planes_run(s, bytes, at, run, prefetches),
            };
            match after {
                Ok(after) => {
                    if was_sparse && after - at >= CHUNK_BYTES {
                        run /= 2;
                    }
                    at = after;
                }
                Err(sound) => return blocks::first_faulty_block(s, bytes, sound),
            }
        }

        s.apart(blocks::CheckBlocks, bytes, at)
    }
}

// A run checks the text from `at` on, where eight blocks of its kind begin. It returns where it
// stopped, or, as an error, a position shortly before a fault.

/// A run of ASCII and a few words that are not ASCII. After an error, the position is at or before
/// the fault.
///
/// ```text
/// repeat:
///     list the words that are not ASCII, in four times eight blocks
///     check the words that were listed before, four at a time, wherever they are, each with its context and with the places after it
///     stop when words are no longer few
/// check the words of the last list
/// ```
///
/// No branch depends on the position of a character in a chunk. In new text, such a branch would be
/// mispredicted, which takes as long as 300 bytes. Each chunk is listed before the previous one is
/// checked. So after a misprediction of the number of words to check, the next list is ready.
struct SparseRun;

impl Job<Avx512, usize, Result<usize, usize>> for SparseRun {
    #[inline(always)]
    fn run(s: Avx512, bytes: &[u8], at: usize) -> Result<usize, usize> {
        let mut at = aligned_down(bytes, at).max(CONTEXT);
        // Words of ASCII are not checked, but a character may be cut off before the first word.
        if with_context::<{ CONTEXT + 1 }>(bytes, at)
            .is_some_and(|first| is_unfinished(first) && first[CONTEXT].is_ascii())
        {
            return Err(at);
        }
        let (checker, word_search) = (BlockChecker::new(s), WordSearch::new(s));
        let prefetches = bytes.len() >= PREFETCH_FROM_BYTES;
        // The chunk that is listed but not yet checked.
        let (mut start, mut words) = (at, Words { numbers: s.zero(), count: 0 });
        let mut is_last = false;
        loop {
            let next_start = at;
            let mut next = Words { numbers: s.zero(), count: 0 };
            if !is_last {
                (at, next) = list_words(s, &word_search, bytes, at, prefetches);
            }
            let Some(text) = bytes.get(start - CONTEXT..) else { return faulty(0) };
            let (faults, largest) = check_words(s, &checker, text, words);
            if checker.any(&checker.of_words(faults)) {
                return faulty(start);
            }
            if is_last {
                return Ok(at);
            }
            is_last = at - next_start < CHUNK_BYTES || words.count > MANY_WORDS && are_below_e0(s, largest);
            (start, words) = (next_start, next);
        }
    }
}

/// Lists the words of the chunk from `at` on that are not ASCII. Returns the position after the
/// blocks that it has read, and the words.
#[inline(always)]
fn list_words(
    s: Avx512,
    word_search: &WordSearch,
    bytes: &[u8],
    at: usize,
    prefetches: bool,
) -> (usize, Words) {
    let end = bytes.len().min(at + CHUNK_BYTES + AFTER_WORD_BYTES);
    // `black_box` keeps LLVM from unrolling the loop four times. Then each load would advance by 2
    // KiB, too far for hardware prefetchers that follow an instruction: 135 GB/s of ASCII from the
    // second-level cache instead of 195 (Zen 5).
    let mut left = black_box(bytes.get(at..end).unwrap_or_default());
    let len = left.len();
    let mut listed = Words { numbers: s.zero(), count: 0 };
    let (mut numbers, mut most) = (s.load(NUMBERS, 0), WORDS);
    while let Some(eight) = left.first_chunk::<{ GROUP_BYTES + AFTER_WORD_BYTES }>() {
        if prefetches {
            prefetch_eight(s, bytes, at + len - left.len());
        }
        let words = word_search.others(s, load_eight(s, eight));
        let count = words.count_ones() as usize;
        if count > most || listed.count + count > MOST_LISTED_WORDS {
            break;
        }
        listed.numbers = s.append(listed.numbers, listed.count, s.compress(numbers, words));
        listed.count += count;
        // The first eight blocks of a chunk are always accepted, so that each run advances: at its
        // start they may begin before the blocks that selected it.
        most = MANY_WORDS;
        numbers = s.plus(numbers, s.splat(WORDS as u8));
        left = &left[GROUP_BYTES..];
    }
    (at + len - left.len(), listed)
}

/// Checks words of a chunk. Returns the faults, and the largest byte in each lane. `text` is the chunk with context.
#[inline(always)]
fn check_words(s: Avx512, checker: &BlockChecker, text: &[u8], words: Words) -> (blocks::FaultBits, Vector) {
    let (mut faults, mut largest) = (checker.no_faults(), s.zero());
    let (mut i, mut numbers) = (0, words.numbers);
    while i < words.count {
        // The numbers after the last are zeros, so the first word of a chunk may be checked again.
        let ([a, b, c, d], others) = s.split_four(numbers);
        let places = [usize::from(a) * 8, usize::from(b) * 8, usize::from(c) * 8, usize::from(d) * 8];
        let four = s.load_by_sixteen(text, places);
        checker.check(&mut faults, four, checker.no_leads());
        largest = s.max(largest, four);
        numbers = others;
        i += 4;
    }
    (faults, largest)
}

/// Skips blocks of ASCII, and returns their end.
///
/// Steps of four blocks end closer to the end of the ASCII than eight, and are faster when text
/// comes from the second-level cache.
#[inline(always)]
fn skip_four_ascii_blocks(s: Avx512, bytes: &[u8], mut at: usize) -> usize {
    while let Some(four) = array_at::<{ 4 * BLOCK_BYTES }>(bytes, at)
        && !s.any_high_bit(or_of_four(s, four, 0))
    {
        at += 4 * BLOCK_BYTES;
    }
    at
}

/// The search for words that are not ASCII. Its constants are loaded when a sparse run begins, so
/// that other text does not wait for them.
struct WordSearch {
    /// [`PICKS`] for each word of a block.
    picks: [Vector; 8],
}

/// For each of eight blocks, the lane with which `pick_planes` gathers the high bits of a word in one of its bytes.
const PICKS: &[u64; 8] = &[1 << 7, 1 << 15, 1 << 23, 1 << 31, 1 << 39, 1 << 47, 1 << 55, 1 << 63];

impl WordSearch {
    #[inline(always)]
    fn new(s: Avx512) -> Self {
        // `black_box` keeps LLVM from storing whole vectors of them in the program: 900 bytes more.
        let (lanes, mut picks) = (black_box(PICKS), [s.zero(); 8]);
        let mut k = 0;
        while k < 8 {
            picks[k] = s.splat64(lanes[k]);
            k += 1;
        }
        Self { picks }
    }

    /// Returns a bit for each word of eight blocks that is not ASCII. [`NUMBERS`] maps bits to
    /// words.
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
/// With `or`, the compiler would test the vectors differently, and sparse runs would take 1.7 times
/// as long.
#[inline(always)]
fn or_of_three(s: Avx512, a: Vector, b: Vector, c: Vector) -> Vector {
    s.ternary::<{ truth!(|a, b, c| a | b | c) }>(a, b, c)
}

/// Returns the first eight blocks of `bytes`.
#[inline(always)]
pub(crate) fn load_eight(s: Avx512, bytes: &[u8]) -> [Vector; 8] {
    let (a, b) = (s.load(bytes, 0), s.load(bytes, BLOCK_BYTES));
    let (c, d) = (s.load(bytes, 2 * BLOCK_BYTES), s.load(bytes, 3 * BLOCK_BYTES));
    let (e, f) = (s.load(bytes, 4 * BLOCK_BYTES), s.load(bytes, 5 * BLOCK_BYTES));
    [a, b, c, d, e, f, s.load(bytes, 6 * BLOCK_BYTES), s.load(bytes, 7 * BLOCK_BYTES)]
}

#[inline(always)]
fn or_of_four(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    let (a, b) = (s.load(bytes, at), s.load(bytes, at + BLOCK_BYTES));
    let (c, d) = (s.load(bytes, at + 2 * BLOCK_BYTES), s.load(bytes, at + 3 * BLOCK_BYTES));
    s.or(s.or(a, b), s.or(c, d))
}

#[inline(always)]
fn max_of_two(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    s.max(s.load(bytes, at), s.load(bytes, at + BLOCK_BYTES))
}

/// Checks a run of ASCII and two-byte characters: eight blocks, at most `run` times. After an
/// error, the position is `at`.
///
/// The operations are those of `not_two_byte` in `lookup/filter.rs`, which explains them, with one
/// difference: due continuations are found with a doubling, which moves bit 6 to bit 7, not with a
/// saturating subtraction. Intel's CPUs have two ports for vectors of 64 bytes, and only one of
/// them has saturating arithmetic, minimum and maximum.
#[cfg_attr(trust8_optimised, inline(always))]
fn two_byte_run(s: Avx512, bytes: &[u8], at: usize, run: usize, prefetches: bool) -> Result<usize, usize> {
    let sound = at;
    let mut at = at;
    let mut lengths = s.zero();
    let mut smallest = s.splat(0x7F);
    for _ in 0..run {
        let Some(eight) = with_context::<{ CONTEXT + GROUP_BYTES }>(bytes, at) else { break };
        if prefetches {
            prefetch_eight(s, bytes, at);
        }
        // The check of eight blocks also shows whether they are of this kind. If they are not,
        // their faults are dropped.
        let (mut next_lengths, mut next_smallest, mut largest) = (lengths, smallest, s.zero());
        for k in 0..GROUP_BYTES / (2 * BLOCK_BYTES) {
            // Two blocks, so that their faults are gathered in one operation.
            let (mut wrong, mut i) = ([s.zero(); 2], 0);
            while i < 2 {
                let at = CONTEXT + (2 * k + i) * BLOCK_BYTES;
                let (now, earlier1) = (s.load(eight, at), s.load(eight, at - 1));
                let moved = s.plus_signed_saturating(now, s.splat(0x40));
                wrong[i] = s.ternary::<{ truth!(|b7, b6, found| (b7 & b6) ^ found) }>(
                    earlier1,
                    s.plus(earlier1, earlier1),
                    moved,
                );
                next_smallest = s.min(next_smallest, moved);
                largest = s.max(largest, now);
                i += 1;
            }
            next_lengths = or_of_three(s, next_lengths, wrong[0], wrong[1]);
        }
        if !are_below_e0(s, largest) {
            break;
        }
        (lengths, smallest) = (next_lengths, next_smallest);
        at = aligned_down(bytes, at + GROUP_BYTES);
    }
    let overlong = s.minus_saturating(s.splat(2), smallest);
    let lengths = s.and(lengths, s.splat(0x80));
    if s.any(s.or(overlong, lengths)) { faulty(sound) } else { Ok(at) }
}

/// Checks a run of any text: at most `run` superblocks. After an error, the position is `at`.
#[cfg_attr(trust8_optimised, inline(always))]
fn planes_run(s: Avx512, bytes: &[u8], at: usize, run: usize, prefetches: bool) -> Result<usize, usize> {
    let (picks, mut faults, mut after) = (Picks::new(s), s.zero(), at);
    for _ in 0..run {
        let Some(text) = with_context(bytes, after) else { break };
        if prefetches {
            prefetch_eight(s, bytes, after);
        }
        faults = planes::check_planes(s, faults, planes::planes(s, picks, text));
        after += SUPERBLOCK_BYTES;
    }
    if s.any(faults) { faulty(at) } else { Ok(after) }
}

/// Prefetches eight lines, [`AHEAD_BYTES`] after `at`.
#[inline(always)]
fn prefetch_eight(s: Avx512, bytes: &[u8], at: usize) {
    // A prefetch of an unmapped address takes 20 times as long as a load.
    if let Some(eight) = array_at::<GROUP_BYTES>(bytes, at + AHEAD_BYTES) {
        for k in 0..GROUP_BYTES / BLOCK_BYTES {
            s.prefetch(eight, k * BLOCK_BYTES);
        }
    }
}

/// The kind of text in eight blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    /// ASCII, except for a few words.
    Sparse,
    /// ASCII and two-byte characters. No longer character reaches into them.
    TwoByte,
    Any,
}

impl TextKind {
    #[inline(always)]
    fn of(s: Avx512, eight: &EightInContext, may_be_sparse: bool) -> Self {
        let (a, b) = (max_of_two(s, eight, CONTEXT), max_of_two(s, eight, CONTEXT + 2 * BLOCK_BYTES));
        let (c, d) = (
            max_of_two(s, eight, CONTEXT + 4 * BLOCK_BYTES),
            max_of_two(s, eight, CONTEXT + 6 * BLOCK_BYTES),
        );
        let largest = s.max(s.max(a, b), s.max(c, d));
        if may_be_sparse && s.high_bits(largest).count_ones() <= FEW_PLACES {
            Self::Sparse
        } else if are_below_e0(s, largest) && allows_two_byte(eight) {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

/// Returns the last position at or before `at` whose address is aligned. The bytes from there on
/// are read again. In a run they are of the run's kind.
#[inline(always)]
fn aligned_down(bytes: &[u8], at: usize) -> usize {
    at - (bytes.as_ptr().addr() + at) % BLOCK_BYTES
}

/// Returns whether no byte is E0 or above.
#[inline(always)]
fn are_below_e0(s: Avx512, largest: Vector) -> bool {
    !s.any_high_bit(s.minus_saturating(largest, s.splat(0xE0 - 0x80)))
}

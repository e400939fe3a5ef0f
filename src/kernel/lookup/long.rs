//! Long input: the blocks that are not ASCII are checked. The loops differ in how they find these
//! blocks.

#![forbid(unsafe_code)]

use core::hint::black_box;

use super::ascii::{is_ascii_at, or_of};
use super::check::{BLOCK_BYTES, Checker};
use super::fault::find_fault;
use super::filter;
use super::short::TEST_VECTORS_EVERY_BYTES;
use crate::boundary::{CONTEXT, LARGEST_AT_END, LARGEST_BEFORE_TWO_BYTE, array_at, with_context};
use crate::kernel::verdict::Verdict;
use crate::kernel::{AHEAD_BYTES, faulty};
use crate::simd::{Job, Simd};

/// The least length of long input: the step in which ASCII is skipped.
pub(super) const LEAST_BYTES: usize = SKIPPED_BYTES;
/// From this length on, the blocks to check are listed. Shorter text has a branch for each block.
///
/// AVX2, Zen 5, ratio to simdutf8, tweets, German, French, Hindi of 512 to 1536 bytes: lists make
/// new text a tenth to a third faster (1.42, 1.59, 1.61, 1.45 instead of 1.30, 1.20, 1.23, 1.28),
/// and learned text of 1,000 bytes as much slower (0.82 instead of 1.14).
const LISTS_FROM_BYTES: usize = 1024;
/// The bytes at the start that are always checked, unless all of [`SKIPPED_BYTES`] is ASCII. So a
/// fault there, where text in another encoding usually has one, is reported early. With 64 bytes,
/// text of 300 bytes would not be faster.
const HEAD_BYTES: usize = 2 * BLOCK_BYTES;
/// The step in which ASCII is skipped. ASCII of 300 bytes takes half as long as with single blocks.
const SKIPPED_BYTES: usize = 4 * BLOCK_BYTES;
/// The most blocks of a chunk: one bit of a word for each. With 16 blocks, new text of 4 KiB takes a tenth longer.
const CHUNK_BLOCKS: usize = 64;
/// Returns the prefetch distance, given how many bytes are left. Near the end it is zero, because a
/// prefetch of an unmapped address takes 20 times as long as a load. Prefetching the current line
/// costs less than a branch, which would also make LLVM copy each loop.
///
/// Prefetching text in the second-level cache pays: 64 KiB of German and Italian with AVX2 on
/// Granite Rapids, 33.8 and 47.4 instead of 30.9 and 44.6 GB/s.
#[inline(always)]
fn ahead_bytes(left: usize) -> usize {
    (left / (2 * AHEAD_BYTES)).min(1) * AHEAD_BYTES
}

/// The verdict on input of at least [`LEAST_BYTES`] bytes. Shorter input is always suspect.
pub(super) struct CheckLong;

impl<S: Simd> Job<S, (), Verdict> for CheckLong {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], (): ()) -> Verdict {
        let n = bytes.len();
        let Some(start) = bytes.first_chunk::<LEAST_BYTES>() else { return Verdict::suspect(0) };
        let Some(end) = bytes.last_chunk::<{ CONTEXT + BLOCK_BYTES }>() else { return Verdict::suspect(0) };
        // From the second step on, vectors begin at aligned addresses, so no load of ASCII crosses into another cache line. Where
        // one step is left, that could make it two.
        let misaligned = if n > 2 * SKIPPED_BYTES { bytes.as_ptr().addr() % S::LANES } else { 0 };
        let (mut at, mut step) = (0, SKIPPED_BYTES - misaligned);
        // The last step overlaps the one before it.
        while is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at.min(n - SKIPPED_BYTES)) {
            if at >= n - SKIPPED_BYTES {
                return Verdict::VALID;
            }
            at += step;
            step = SKIPPED_BYTES;
        }
        if at == 0 {
            let checker = Checker::new(s);
            let (mut faults, mut before) = (checker.no_faults(), checker.ending_in([0; 4]));
            // `black_box` keeps LLVM from unrolling the check eight times. (Unrolled four times, for
            // vectors of 32 bytes, it is 3 % faster at 300 to 1000 bytes.)
            let mut left =
                if S::LANES == 16 { black_box(&start[..HEAD_BYTES]) } else { &start[..HEAD_BYTES] };
            while left.len() >= S::LANES {
                before = checker.check_after(&mut faults, s.load(left, 0), before);
                left = &left[S::LANES..];
            }
            if checker.any(&faults) {
                return find_fault(s, bytes, 0);
            }
            at = HEAD_BYTES - misaligned;
        }
        let checked = if n < LISTS_FROM_BYTES {
            s.apart(CheckEach, bytes, (at, 0))
        } else {
            s.apart(CheckListed, bytes, at)
        };
        if let Err(sound) = checked {
            return find_fault(s, bytes, sound);
        }
        // The last block overlaps the one before it. A branch on its content would often be mispredicted.
        let checker = Checker::new(s);
        let mut faults = checker.no_faults();
        checker.check_block(&mut faults, end);
        let last = s.load(end, CONTEXT + BLOCK_BYTES - S::LANES);
        checker.check_end(&mut faults, last, LARGEST_AT_END, false);
        if checker.any(&faults) { find_fault(s, bytes, n - BLOCK_BYTES) } else { Verdict::VALID }
    }
}

/// Checks all whole blocks from a position on, with a branch for each: is it ASCII?
///
/// The branch predictor learns these branches in text that is read again and again.
///
/// The job returns an error with a position before a fault. Less than a block is left at the
/// end. A character that reaches into it is no fault.
struct CheckEach;

impl<S: Simd> Job<S, (usize, usize), Result<(), usize>> for CheckEach {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], (mut at, ahead): (usize, usize)) -> Result<(), usize> {
        let checker = Checker::new(s);
        while let Some(block) = with_context::<{ CONTEXT + BLOCK_BYTES }>(bytes, at) {
            let [_, _, before, text @ ..] = block;
            // A character may reach in from the block before.
            if s.high_bits(or_of::<S, BLOCK_BYTES>(s, text)) | u64::from(before >> 7) != 0 {
                let mut faults = checker.no_faults();
                s.prefetch(block, ahead);
                checker.check_block(&mut faults, block);
                if checker.any(&faults) {
                    return faulty(at);
                }
            }
            at += BLOCK_BYTES;
        }
        Ok(())
    }
}

/// Does the same for dense text, with one test for faults in each row of blocks, and none for ASCII.
struct CheckRows;

impl<S: Simd> Job<S, (usize, usize), Result<(), usize>> for CheckRows {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], (mut at, ahead): (usize, usize)) -> Result<(), usize> {
        let checker = Checker::new(s);
        let mut before = checker.ending_in(array_at(bytes, at.wrapping_sub(4)).copied().unwrap_or_default());
        // `black_box` keeps LLVM from unrolling rows of short vectors: they would weigh 2 KiB more, and be no faster.
        let row = if S::LANES == 16 { black_box(TEST_VECTORS_EVERY_BYTES) } else { TEST_VECTORS_EVERY_BYTES };
        while with_context::<{ CONTEXT + BLOCK_BYTES }>(bytes, at).is_some() {
            let mut faults = checker.no_faults();
            for k in (0..row).step_by(BLOCK_BYTES) {
                if let Some(block) = with_context::<{ CONTEXT + BLOCK_BYTES }>(bytes, at + k) {
                    checker.check_all_after(&mut faults, block, &mut before);
                    s.prefetch(block, ahead);
                }
            }
            if checker.any(&faults) {
                return faulty(at);
            }
            at += TEST_VECTORS_EVERY_BYTES;
        }
        Ok(())
    }
}

/// How the blocks to check are found in a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockChoice {
    /// List the blocks that are not ASCII.
    NotAscii,
    /// List the blocks that are not well-formed text of one- and two-byte characters. Making this
    /// list takes three times as long.
    NotTwoByte,
    /// The same, and the last list was empty. So rows of such text are skipped before a list is made.
    TwoByte,
    /// Check all blocks, because nearly all must be checked.
    Dense,
}

/// Checks all whole blocks from a position on, in chunks: the blocks to check are listed without a
/// branch, and then checked.
///
/// The job promises the same as [`CheckEach`].
struct CheckListed;

impl<S: Simd> Job<S, usize, Result<(), usize>> for CheckListed {
    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<(), usize> {
        let checker = Checker::new(s);
        let mut search = BlockChoice::NotAscii;
        loop {
            if search != BlockChoice::Dense
                && let skipped = skip_ascii_after_ascii(s, bytes, at)
                && skipped > at
            {
                (at, search) = (skipped, BlockChoice::NotAscii);
            }
            // The text before each row is two-byte text. With short vectors, rows gain less than they weigh.
            while S::LANES > 16
                && search == BlockChoice::TwoByte
                && let Some(row) = with_context(bytes, at)
                && filter::is_two_byte(s, row, ahead_bytes(bytes.len() - at))
            {
                at += filter::ROW_BYTES;
            }
            let ahead = ahead_bytes(bytes.len() - at);
            let blocks = ((bytes.len() - at) / BLOCK_BYTES).min(CHUNK_BLOCKS);
            if blocks == 0 {
                return Ok(());
            }
            let after = at + blocks * BLOCK_BYTES;
            let Some(chunk) = bytes.get(at - CONTEXT..after) else { return faulty(0) };
            let (list, ends) = match search {
                BlockChoice::NotAscii => {
                    let list = filter::not_ascii(s, chunk, ahead);
                    let first = CONTEXT + list.trailing_zeros() as usize % CHUNK_BLOCKS * BLOCK_BYTES;
                    let count = list.count_ones() as usize;
                    // From half on, the two-byte check of all blocks takes less time than
                    // checking the listed blocks.
                    if 2 * count > blocks && filter::is_block_below_e0(s, chunk, first) {
                        search = BlockChoice::NotTwoByte;
                        continue;
                    }
                    if 8 * count > 7 * blocks {
                        search = BlockChoice::Dense;
                        continue;
                    }
                    (list, LARGEST_AT_END)
                }
                BlockChoice::NotTwoByte | BlockChoice::TwoByte => {
                    let (list, has_overlong) = filter::not_two_byte(s, chunk, ahead);
                    if has_overlong {
                        return faulty(at);
                    }
                    search = match list.count_ones() as usize {
                        0 if S::LANES > 16 => BlockChoice::TwoByte,
                        count if 5 * count > 2 * blocks => BlockChoice::NotAscii,
                        _ => BlockChoice::NotTwoByte,
                    };
                    (list, LARGEST_BEFORE_TWO_BYTE)
                }
                BlockChoice::Dense => {
                    let Some(dense) = bytes.get(..after) else { return faulty(0) };
                    // With rows, WebAssembly's module would be too large.
                    if S::RELOADS {
                        s.apart(CheckRows, dense, (at, ahead))?;
                    } else {
                        s.apart(CheckEach, dense, (at, ahead))?;
                    }
                    at = after;
                    if filter::is_block_below_e0(s, bytes, after - BLOCK_BYTES) {
                        search = BlockChoice::NotAscii;
                    }
                    continue;
                }
            };
            // `ends` are the largest bytes at the end of a listed block before one that is not
            // listed. The next chunk handles a character that reaches into it.
            let next = list >> 1 | 1 << (chunk.len() / BLOCK_BYTES - 1);
            let mut faults = checker.no_faults();
            let mut left = list;
            while left != 0 {
                let i = left.trailing_zeros() as usize;
                left &= left - 1;
                let Some(block) = array_at::<{ CONTEXT + BLOCK_BYTES }>(chunk, i * BLOCK_BYTES) else {
                    return faulty(at);
                };
                s.prefetch(block, ahead);
                checker.check_block(&mut faults, block);
                let last = s.load(block, CONTEXT + BLOCK_BYTES - S::LANES);
                checker.check_end(&mut faults, last, ends, next >> i & 1 != 0);
            }
            if checker.any(&faults) {
                return faulty(at);
            }
            at = after;
        }
    }
}

/// Returns the end of the ASCII at `at`, or a position shortly before it. If the byte before `at`
/// is not ASCII, the result is `at`.
#[inline(always)]
fn skip_ascii_after_ascii<S: Simd>(s: S, bytes: &[u8], mut at: usize) -> usize {
    if at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii) {
        while is_ascii_at::<S, SKIPPED_BYTES>(s, bytes, at) {
            at += SKIPPED_BYTES;
        }
    }
    at
}

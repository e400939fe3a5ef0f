//! Long input: two kinds of run take turns, and dense text is checked without a look at each block.

#![forbid(unsafe_code)]

use core::marker::PhantomData;

use super::ascii::{is_all_ascii, is_ascii_at};
use super::check::{BLOCK, BlockInContext, Check, Checker, TwoByteChecker};
use crate::boundary::{CONTEXT, is_unfinished, with_context};
use crate::kernel::verdict::Verdict;
use crate::simd::{Routine, Simd};

/// The least length of long input.
pub(super) const LEAST: usize = 2 * BLOCK;
/// The most that is checked before a look at the faults, and at the kind of text. It is so short that a fault is reported
/// soon, and so long that looking costs nothing.
const CHUNK: usize = 32 * BLOCK;
/// The first chunk, so that an early fault is reported early. Each later chunk is twice as long, up to `CHUNK`.
const FIRST_CHUNK: usize = BLOCK;
/// After this much ASCII, more is likely to follow. The faults are looked at, and then four blocks at a time are skipped.
///
/// Compilers unroll the loop over these blocks. For x86 half as many save 2 KB, and for WebAssembly they cost 1 KB.
const LONG_ASCII: usize = if cfg!(target_family = "wasm") { 16 * BLOCK } else { 8 * BLOCK };
/// After this many blocks in a row that are not ASCII, the text is dense. Dense text is checked this many blocks at a time.
const DENSE: usize = 16;
/// The length from which on a run of ASCII costs no more than a test whether all of a text is ASCII.
const LONGEST_ASCII_TEST: usize = 2048;
/// How far ahead of a block the cache is asked for text. Twice as far is no better.
const AHEAD: usize = 8 * BLOCK;

/// Returns the verdict on input of at least two blocks. Shorter input is suspect, whatever it is.
#[inline(always)]
pub(super) fn validate<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let n = bytes.len();
    if n < LEAST {
        return Verdict::suspect(0);
    }
    if n < LONGEST_ASCII_TEST && is_all_ascii(s, bytes) {
        return Verdict::VALID;
    }
    let checker = Checker::new(s);

    // The first two vectors have nothing before them that could be loaded.
    let two = s.or(s.load(bytes, 0), s.load(bytes, S::LANES));
    if s.any_high_bit(two) {
        let mut faults = checker.no_faults();
        let before = checker.check_after(&mut faults, s.load(bytes, 0), checker.before_start());
        checker.check_after(&mut faults, s.load(bytes, S::LANES), before);
        if checker.any(&faults) {
            return Verdict::suspect(0);
        }
    }

    // All before `at` is well-formed, except for a character that `at` cuts off. From here on, vectors begin at aligned
    // addresses. So a load of a vector of ASCII lies within a cache line.
    let mut at = 2 * S::LANES - bytes.as_ptr().addr() % S::LANES;
    while at + BLOCK <= n {
        let after = match s.apart::<Run<TwoByteChecker<S>>>(bytes, at) {
            Ok(after) if after + BLOCK <= n => s.apart::<Run<Checker<S>>>(bytes, after),
            after => after,
        };
        match after {
            Ok(after) => at = after,
            Err(sound) => return first_faulty_vector(checker, bytes, sound),
        }
    }

    // The last block ends with the input, and overlaps what is checked already. If it is ASCII, so is the byte before
    // `at`.
    if let Some(last) = with_context(bytes, n - BLOCK)
        && !is_ascii_at::<S, BLOCK>(s, last, CONTEXT)
    {
        let mut faults = checker.no_faults();
        checker.check_all(&mut faults, last);
        checker.check_end(&mut faults, s.load(last, CONTEXT + BLOCK - S::LANES));
        if checker.any(&faults) {
            return Verdict::suspect(at);
        }
    }
    Verdict::VALID
}

/// A run: blocks of ASCII are skipped, and all others are checked in the way `C`. Dense text ends it.
///
/// The routine begins at `at`, which is at least a vector after the start of `bytes`. It returns where it stopped, or, as
/// an error, a place before a fault. All before both places is well-formed, except for a character that they cut off.
struct Run<C>(PhantomData<C>);

impl<S: Simd, C: Check<S>> Routine<S> for Run<C> {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], at: usize) -> Result<usize, usize> {
        // What is left of the text, and the context before it.
        let mut left = bytes.get(at - CONTEXT..).unwrap_or_default();
        let place = |left: &[u8]| bytes.len() - left.len() + CONTEXT;
        if !left.first_chunk::<CONTEXT>().is_some_and(C::may_follow) {
            return Ok(at);
        }
        let check = C::new(s);
        let (mut chunk, mut unseen) = (FIRST_CHUNK, FIRST_CHUNK);
        // All before `sound` is well-formed, except for a character that `sound` cuts off. The faults are those after it.
        let (mut sound, mut faults) = (left, check.no_faults());
        // After a character that `at` cuts off, a first block of ASCII is no text to skip. It is checked.
        let mut is_ascii_next = !left.first_chunk::<CONTEXT>().is_some_and(is_unfinished);
        let end = 'run: loop {
            // Blocks of ASCII, up to one that is not.
            while is_ascii_next {
                for _ in 0..LONG_ASCII / BLOCK {
                    let Some(block) = left.first_chunk::<{ CONTEXT + BLOCK }>() else { break 'run left };
                    s.prefetch(left, AHEAD);
                    is_ascii_next = is_ascii_at::<S, BLOCK>(s, block, CONTEXT);
                    if !is_ascii_next {
                        break;
                    }
                    left = &left[BLOCK..];
                }
                if is_ascii_next {
                    if check.any(&faults) {
                        break 'run left;
                    }
                    left = skip_ascii(s, left);
                    sound = left;
                }
            }
            // Other blocks, up to one of ASCII.
            let Some(mut block) = left.first_chunk() else { break left };
            let mut largest = largest_of(s, block);
            let row = left;
            while !is_ascii_next {
                if !check.applies(largest) {
                    break 'run left;
                }
                check.check_block(&mut faults, block);
                left = &left[BLOCK..];
                unseen -= BLOCK;
                if unseen == 0 {
                    if check.any(&faults) || !check.suits(largest) {
                        break 'run left;
                    }
                    if row.len() - left.len() >= DENSE * BLOCK {
                        return s.apart::<Dense<C>>(bytes, place(left));
                    }
                    sound = left;
                    chunk = CHUNK.min(2 * chunk);
                    unseen = chunk;
                }
                let Some(next) = left.first_chunk() else { break 'run left };
                s.prefetch(left, AHEAD);
                largest = largest_of(s, next);
                is_ascii_next = !s.any_high_bit(largest);
                if is_ascii_next {
                    check.check_end(&mut faults, s.load(block, CONTEXT + BLOCK - S::LANES));
                    left = &left[BLOCK..];
                }
                block = next;
            }
        };
        if check.any(&faults) { faulty(place(sound)) } else { Ok(place(end)) }
    }
}

/// Dense text: all blocks are checked in the way `C`, ASCII or not.
///
/// The routine begins after a run, and promises what a run does. It stops where the next block is ASCII or suits another
/// check, and at the latest where fewer than `DENSE` blocks are left.
struct Dense<C>(PhantomData<C>);

impl<S: Simd, C: Check<S>> Routine<S> for Dense<C> {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let check = C::new(s);
        while let Some(blocks) = with_context::<{ CONTEXT + DENSE * BLOCK }>(bytes, at) {
            if !blocks.first_chunk().is_some_and(|first| check.suits(largest_of(s, first))) {
                break;
            }
            let mut faults = check.no_faults();
            let mut largest = s.splat(0);
            for k in 0..DENSE {
                let Some(block) = with_context(blocks, CONTEXT + k * BLOCK) else { break };
                s.prefetch(bytes, at + k * BLOCK + AHEAD);
                check.check_all(&mut faults, block);
                largest = s.max(largest, largest_of(s, block));
            }
            // If the check was not right for these blocks, what it found means nothing.
            if !check.applies(largest) {
                break;
            }
            if check.any(&faults) {
                return faulty(at);
            }
            at += DENSE * BLOCK;
        }
        Ok(at)
    }
}

/// Returns `text`, which begins with context, without the ASCII at its start, four blocks at a time.
#[inline(always)]
fn skip_ascii<S: Simd>(s: S, mut text: &[u8]) -> &[u8] {
    while let Some(blocks) = text.first_chunk::<{ CONTEXT + 4 * BLOCK }>()
        && is_ascii_at::<S, { 4 * BLOCK }>(s, blocks, CONTEXT)
    {
        text = &text[4 * BLOCK..];
    }
    text
}

/// Returns the largest byte in each lane of a block.
#[inline(always)]
fn largest_of<S: Simd>(s: S, block: &BlockInContext) -> S::Vector {
    let mut largest = s.load(block, CONTEXT);
    for k in 1..BLOCK / S::LANES {
        largest = s.max(largest, s.load(block, CONTEXT + k * S::LANES));
    }
    largest
}

/// Returns `Err(sound)`.
///
/// This function makes its callers branch. Without it, the compiler selects one of the two results without a branch,
/// and then every load of the next run waits for the faults of this run.
#[cold]
#[inline(never)]
fn faulty(sound: usize) -> Result<usize, usize> {
    Err(sound)
}

/// Returns as suspect the first vector from `sound` on that shows a fault.
///
/// All before `sound` is well-formed, except for a character that `sound` cuts off. `sound` is at least `CONTEXT`.
#[cold]
#[inline(always)]
fn first_faulty_vector<S: Simd>(checker: Checker<S>, bytes: &[u8], sound: usize) -> Verdict {
    let mut at = sound;
    while at + S::LANES <= bytes.len() {
        let mut faults = checker.no_faults();
        checker.check_at_without_panic(&mut faults, bytes, at);
        if checker.any(&faults) {
            break;
        }
        at += S::LANES;
    }
    Verdict::suspect(at)
}

//! The block algorithm: three kinds of block, each with the least work that decides it.
//!
//! ```text
//! check the start, up to an aligned address, with zeros before it
//! for each block of 128 bytes:
//!     m = the largest byte of the block
//!     m < 80: ASCII. The text before must not end inside a character.
//!     m < E0 and no longer character reaches in: two-byte characters, six operations a vector
//!     otherwise: three lookups, sixteen operations a vector
//! check the last, partial block, which may overlap the one before
//! ```
//!
//! Written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **No state between blocks.** The up to three bytes that a block needs to know of the one
//!    before it are loaded again, at one, two and three bytes' distance. Loads have ports of
//!    their own, while the shifts across registers that they replace compete with the lookups.
//! 2. **Faults are only gathered**, and looked at when a run ends, at the latest after a [`CHUNK`]. When
//!    there are some, the run is gone through again piece by piece to say which piece has the first.
//! 3. **Alignment.** Most loads then lie within a cache line.
//! 4. **Short input** (below [`LONG`] bytes) is checked with one branch at most on what the bytes are
//!    (ASCII or not, and that only from a certain length on), and with few on how many there are:
//!    both vary from call to call, and a branch that is predicted wrongly costs more than the check.

#![forbid(unsafe_code)]

mod check;
mod count;
mod tables;

use crate::border::{CONTEXT, ends_early, no_long_character_reaches_into, window};
#[cfg(feature = "alloc")]
use crate::faults::Replaced;
use crate::faults::{self, Found};
use crate::scalar;
use crate::simd::Simd;
#[cfg(feature = "alloc")]
use crate::transcode::Output;
use crate::verdict::Verdict;
use check::{Before, Checker, Faults, TwoByte};
pub(crate) use count::{ascii, count, count_chars, utf16_len};

/// Bytes that are looked at together to see of which kind they are.
const BLOCK: usize = 128;
/// A block and its context.
type Window = [u8; CONTEXT + BLOCK];
/// ASCII is skipped in larger steps.
const ASCII_STEP: usize = 256;
/// What interrupts ASCII is looked at in smaller ones.
const PIECE: usize = 64;
/// Pieces in a row, the last of them ASCII, that do not end a run of ASCII.
const LARGEST_ISLAND: usize = 4;
/// About the most that is read, unless it is ASCII, before a look at the faults: few enough that a fault is
/// reported without reading on for long, many enough that looking costs nothing.
const CHUNK: usize = 16 * BLOCK;
/// From this length on, alignment and kinds of block pay.
pub(crate) const LONG: usize = 513;
/// From this length on, skipping ASCII in runs costs no more than asking first whether all is ASCII.
const LONG_ASCII: usize = 2048;

/// The verdict on input of fewer than [`LONG`] bytes. (On longer input too; only slower.)
#[inline(always)]
pub(crate) fn short<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);
    let n = bytes.len();
    if n < 4 {
        return if scalar::is_tiny_text(bytes) { Verdict::VALID } else { Verdict::suspect(0) };
    } else if n < S::LANES {
        // Zeros follow, so a character that the end cuts off shows itself.
        checker.check_after(&mut faults, s.load_short(bytes), checker.start());
    } else if n >= S::ASCII_PAYS && is_all_ascii(s, bytes) {
        return Verdict::VALID;
    } else if n < S::LANES + CONTEXT {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), checker.start());
        // Zeros follow.
        checker.check_after(&mut faults, s.load_rest(bytes), before);
    } else if n <= 2 * S::LANES {
        checker.check_after(&mut faults, s.load(bytes, 0), checker.start());
        checker.check_in(&mut faults, bytes, n - S::LANES);
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
    } else {
        check_pairs(&checker, &mut faults, bytes, checker.start());
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
    }
    if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// Whether `bytes` is well-formed behind `before`, as far as it goes; see `Functions` in `kernel.rs`.
///
/// For short pieces of a stream.
#[inline(always)]
pub(crate) fn goes_on<S: Simd>(s: S, before: [u8; 4], bytes: &[u8]) -> bool {
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);
    let before = checker.behind(before);
    let n = bytes.len();
    if n < S::LANES {
        checker.check_after(&mut faults, s.load_short(bytes), before);
        faults = faults.in_the_first(s, n);
    } else if n <= 2 * S::LANES {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), before);
        let mut last = Faults::none(s);
        checker.check_after(&mut last, s.load_rest(bytes), before);
        faults = faults.and_those(s, last.in_the_first(s, n - S::LANES));
    } else {
        check_pairs(&checker, &mut faults, bytes, before);
    }
    // A byte that never appears shows with the one behind it, which the last one has not.
    !checker.any(&faults) && !matches!(bytes.last(), Some(0xC0 | 0xC1 | 0xF5..))
}

/// Checks more than two vectors of text in pairs of vectors; the last pair ends with the text and overlaps
/// what is checked already. A character that the end cuts off is no fault yet.
#[inline(always)]
fn check_pairs<S: Simd>(checker: &Checker<S>, faults: &mut Faults<S>, bytes: &[u8], before: Before<S>) {
    let (s, n) = (checker.s, bytes.len());
    let before = checker.check_after(faults, s.load(bytes, 0), before);
    checker.check_after(faults, s.load(bytes, S::LANES), before);
    let mut at = 2 * S::LANES;
    while at + 2 * S::LANES < n {
        checker.check_in(faults, bytes, at);
        checker.check_in(faults, bytes, at + S::LANES);
        at += 2 * S::LANES;
    }
    checker.check_in(faults, bytes, (n - 2 * S::LANES).max(CONTEXT));
    checker.check_in(faults, bytes, n - S::LANES);
}

/// Whether all bytes, at least `LANES`, are ASCII. The last loads overlap what comes before them.
#[inline(always)]
fn is_all_ascii<S: Simd>(s: S, bytes: &[u8]) -> bool {
    let n = bytes.len();
    if n <= 2 * S::LANES {
        return !s.any_high(s.or(s.load(bytes, 0), s.load(bytes, n - S::LANES)));
    }
    let mut at = 0;
    while at + 4 * S::LANES < n {
        if s.any_high(s.or(or_of_two(s, bytes, at), or_of_two(s, bytes, at + 2 * S::LANES))) {
            return false;
        }
        at += 4 * S::LANES;
    }
    // One to four vectors are left, or two of three or four are all there is.
    let last = n - 2 * S::LANES;
    !s.any_high(s.or(or_of_two(s, bytes, at.min(last)), or_of_two(s, bytes, last)))
}

#[inline(always)]
fn or_of_two<S: Simd>(s: S, bytes: &[u8], at: usize) -> S::Vector {
    match bytes.get(at..at + 2 * S::LANES) {
        Some(two) => s.or(s.load(two, 0), s.load(two, S::LANES)),
        // This does not happen; something that is not ASCII is cheaper to say than to panic.
        None => s.splat(0xFF),
    }
}

/// The verdict on input of at least [`LONG`] bytes. (Shorter input is handed on.)
#[inline(always)]
pub(crate) fn long<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    if bytes.len() < LONG {
        return short(s, bytes);
    }
    if bytes.len() < LONG_ASCII && is_all_ascii(s, bytes) {
        return Verdict::VALID;
    }
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);

    // The start: by vectors, up to the first aligned place behind the first vector.
    let mut at = S::LANES + bytes[S::LANES..].as_ptr().align_offset(64).min(63);
    if !is_ascii_at::<S, 128>(s, bytes, 0) {
        checker.check_after(&mut faults, s.load(bytes, 0), checker.start());
        let mut head = S::LANES;
        while head < at {
            checker.check_at(&mut faults, bytes, head);
            head += S::LANES;
        }
    }

    if checker.any(&faults) {
        return Verdict::suspect(0);
    }

    // All before `at` is well-formed, except for a character that `at` cuts off.
    while let Some(block) = window(bytes, at) {
        let after = match Kind::of(s, block) {
            Kind::Ascii if ends_early(block) => Err(at),
            Kind::Ascii => s.apart::<AsciiRun>(bytes, at),
            Kind::TwoByte => s.apart::<TwoByteRun>(bytes, at),
            Kind::Any => s.apart::<AnyRun>(bytes, at),
        };
        match after {
            Ok(after) => at = after,
            Err(sound) => return first_faulty_piece(checker, bytes, sound),
        }
    }

    // What is left, by vectors, the last of which ends with the input.
    let n = bytes.len();
    let ends_in_ascii = match window(bytes, n - BLOCK) {
        Some(end) => Kind::of(s, end) == Kind::Ascii && !ends_early(end),
        None => false,
    };
    if !ends_in_ascii {
        let mut faults = Faults::none(s);
        let mut place = at;
        while place + S::LANES < n {
            checker.check_at(&mut faults, bytes, place);
            place += S::LANES;
        }
        checker.check_at(&mut faults, bytes, n - S::LANES);
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
        if checker.any(&faults) {
            return Verdict::suspect(at);
        }
    }
    Verdict::VALID
}

/// The way from fault to fault.
#[inline(always)]
pub(crate) fn seek<S: Simd>(s: S, bytes: &[u8], from: usize) -> Found {
    faults::seek(Checker::new(s), bytes, from)
}

/// The text behind a fault, with this and the next ones replaced.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn replace<S: Simd>(s: S, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
    faults::replace(Checker::new(s), bytes, at, done, out)
}

/// What a block is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ascii,
    /// ASCII and characters of two bytes, and none that reaches in is longer.
    TwoByte,
    Any,
}

impl Kind {
    #[inline(always)]
    fn of<S: Simd>(s: S, block: &Window) -> Self {
        // Two at a time, so that half as many wait for each other.
        let mut even = s.load(block, CONTEXT);
        let mut odd = s.load(block, CONTEXT + S::LANES);
        for k in 1..BLOCK / S::LANES / 2 {
            even = s.max(even, s.load(block, CONTEXT + 2 * k * S::LANES));
            odd = s.max(odd, s.load(block, CONTEXT + (2 * k + 1) * S::LANES));
        }
        let largest = s.max(even, odd);
        if !s.any_high(largest) {
            Self::Ascii
        } else if !s.any_high(s.minus(largest, s.splat(0xE0 - 0x80))) && no_long_character_reaches_into(block)
        {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

/// A way through text of one kind.
///
/// Each instruction set compiles each run as a function of its own. Inlined into `long`, they compete
/// for registers, and a sum that lives in memory instead slows a loop down by two thirds.
pub(crate) trait Run {
    /// Checks the text from `at` on, where a block of this kind begins. Returns where it stopped; if
    /// there is a fault, a place shortly before it.
    fn run<S: Simd>(s: S, bytes: &[u8], at: usize) -> Result<usize, usize>;
}

/// Text that is mostly ASCII.
///
/// What stands alone in ASCII, a name or a dash, is checked vector by vector, and the run goes on
/// behind it.
struct AsciiRun;

impl Run for AsciiRun {
    #[inline(always)]
    fn run<S: Simd>(s: S, bytes: &[u8], at: usize) -> Result<usize, usize> {
        let checker = Checker::new(s);
        let start = at + BLOCK;
        let mut at = start;
        loop {
            while let Some(step) = bytes[at..].first_chunk::<ASCII_STEP>() {
                if !is_ascii(s, step) {
                    break;
                }
                at += ASCII_STEP;
            }
            if at == start {
                return Ok(at);
            }
            // To the first other character; what stands before its piece is ASCII.
            loop {
                let Some(piece) = bytes[at..].first_chunk::<PIECE>() else { return Ok(at) };
                if !is_ascii(s, piece) {
                    break;
                }
                at += PIECE;
            }
            // From there to the next piece of ASCII alone, which also shows what the one before lacks.
            let sound = at;
            let mut faults = Faults::none(s);
            let mut ascii = false;
            for _ in 0..LARGEST_ISLAND {
                let Some(piece) = window::<{ CONTEXT + PIECE }>(bytes, at) else { break };
                for k in 0..PIECE / S::LANES {
                    checker.check_at(&mut faults, piece, CONTEXT + k * S::LANES);
                }
                ascii = is_ascii_at::<S, PIECE>(s, bytes, at);
                at += PIECE;
                if ascii {
                    break;
                }
            }
            if checker.any(&faults) {
                return faulty(sound);
            }
            if !ascii {
                return Ok(at);
            }
        }
    }
}

/// Text without a byte of E0 or above, for a chunk.
///
/// ASCII does not end the run: text that mixes the two then takes the same branches all the time.
struct TwoByteRun;

impl Run for TwoByteRun {
    #[inline(always)]
    fn run<S: Simd>(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let mut sum = TwoByte::nothing(s);
        while at < end {
            let Some(block) = window::<{ CONTEXT + BLOCK }>(bytes, at) else { break };
            // Each block is checked before it is known to be of the kind, and forgotten if it is not.
            let mut next = sum;
            for k in 0..BLOCK / S::LANES {
                let place = CONTEXT + k * S::LANES;
                next.check(s, s.load(block, place), s.load(block, place - 1));
            }
            if !next.applies(s) {
                break;
            }
            sum = next;
            at += BLOCK;
        }
        if sum.any(s) { faulty(sound) } else { Ok(at) }
    }
}

/// Any text, until it becomes of another kind, and not much further than a chunk.
struct AnyRun;

impl Run for AnyRun {
    #[inline(always)]
    fn run<S: Simd>(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let checker = Checker::new(s);
        let mut faults = Faults::none(s);
        // One block, then two, then four: the longer the run, the likelier it goes on.
        let mut unseen = 1;
        'run: while at < end {
            for _ in 0..unseen {
                let Some(block) = window(bytes, at) else { break 'run };
                check_block(&checker, &mut faults, block);
                at += BLOCK;
            }
            unseen *= 2;
            if checker.any(&faults) {
                break;
            }
            match window(bytes, at) {
                Some(block) if Kind::of(s, block) == Kind::Any => {}
                _ => break,
            }
        }
        if checker.any(&faults) { faulty(sound) } else { Ok(at) }
    }
}

/// `Err(sound)`, by a branch. Without this the compiler selects between the two results without one, and
/// then every load of the next run waits for this run's sums.
#[cold]
#[inline(never)]
fn faulty(sound: usize) -> Result<usize, usize> {
    Err(sound)
}

#[inline(always)]
fn check_block<S: Simd>(checker: &Checker<S>, faults: &mut Faults<S>, block: &Window) {
    for k in 0..BLOCK / S::LANES {
        checker.check_at(faults, block, CONTEXT + k * S::LANES);
    }
}

/// Goes again through the text from `sound` on, piece by piece, to the first that shows a fault.
///
/// All before `sound`, which is not among the first three places, is well-formed, except for a character
/// that it cuts off.
#[cold]
#[inline(always)]
fn first_faulty_piece<S: Simd>(checker: Checker<S>, bytes: &[u8], sound: usize) -> Verdict {
    let mut at = sound;
    while let Some(piece) = window::<{ CONTEXT + PIECE }>(bytes, at) {
        let mut faults = Faults::none(checker.s);
        for k in 0..PIECE / S::LANES {
            checker.check_at(&mut faults, piece, CONTEXT + k * S::LANES);
        }
        if checker.any(&faults) {
            break;
        }
        at += PIECE;
    }
    Verdict::suspect(at)
}

/// Whether there are `N` bytes at `at`, and all of them are ASCII.
#[inline(always)]
fn is_ascii_at<S: Simd, const N: usize>(s: S, bytes: &[u8], at: usize) -> bool {
    match bytes[at..].first_chunk::<N>() {
        Some(bytes) => is_ascii(s, bytes),
        None => false,
    }
}

#[inline(always)]
fn is_ascii<S: Simd, const N: usize>(s: S, bytes: &[u8; N]) -> bool {
    let mut all = s.load(bytes, 0);
    for k in 1..N / S::LANES {
        all = s.or(all, s.load(bytes, k * S::LANES));
    }
    !s.any_high(all)
}

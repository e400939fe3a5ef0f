//! The block algorithm: three kinds of block, each with the least work that decides it.
//!
//! ```text
//! check the start, up to an aligned address
//! for each block of 128 bytes:
//!     m = the largest byte of the block
//!     m < 80: ASCII. The text before the block must not end inside a character.
//!     m < E0, and no longer character reaches in: two-byte characters, six operations a vector
//!     otherwise: any text, three lookups and sixteen operations a vector
//!     go on with blocks of the same kind, as long as they come
//! check the last, partial block, vector by vector; the last vector overlaps the one before it
//! ```
//!
//! The algorithm is written once for all instruction sets; see `simd/`. What makes it fast:
//!
//! 1. **No state between blocks.** A block needs up to three bytes of the text before it. These are loaded again:
//!    three more loads of each vector begin one, two and three bytes earlier. Loads have ports of their own, while
//!    the shifts across registers that they replace compete with the lookups.
//! 2. **Faults are gathered**, and looked at when a run of blocks ends, at the latest after a [`CHUNK`]. If there are
//!    any, a second pass over the run looks for the half block with the first fault.
//! 3. **Alignment.** With it, most loads lie within a cache line.
//! 4. **Short input** (below [`LONG`] bytes) has at most one branch on its content (all ASCII or not, and only from a
//!    certain length on), and few on its length. Both vary from call to call, and a branch that is predicted wrongly
//!    costs more than the check.
//!
//! The lookups are John Keiser's and Daniel Lemire's (arXiv 2010.03090, 2020; see `tables.rs`). What differs from
//! their algorithm:
//!
//! - It has two kinds of block, ASCII and anything. Here text of ASCII and two-byte characters is a third kind,
//!   without lookups.
//! - It shifts the bytes of the vector before into each vector. Here long input is loaded again (1). In short input,
//!   what a byte forbids is looked up before the shift and not after it; see [`Checker::check_after`].
//! - It gathers faults up to the end of the text. Here they are looked at after each run, because the exact error is
//!   wanted as well (2).
//! - Their code notes after each block whether its end cuts off a character, in case ASCII follows. Here a block of
//!   ASCII looks at the three bytes before it.

#![forbid(unsafe_code)]

mod check;
mod count;
mod tables;

#[cfg(feature = "transcode")]
use super::Conversion;
use super::automaton::is_tiny_text;
use super::counts::{self, Counts};
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Found};
use super::verdict::Verdict;
use super::{Apart, Engine, Validates};
use crate::boundary::{CONTEXT, allows_two_byte, array_at, is_unfinished, with_context};
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;
use crate::simd::{Routine, Simd};
use check::{Before, Checker, FaultBits, TwoByteFaults};

/// The bytes of a block.
const BLOCK: usize = 128;
/// A run of ASCII looks for what interrupts it, and a search for a fault looks for the fault, in half blocks.
const HALF_BLOCK: usize = BLOCK / 2;
/// A block, and the context before it.
type BlockInContext = [u8; CONTEXT + BLOCK];
/// A half block, and the context before it.
type HalfInContext = [u8; CONTEXT + HALF_BLOCK];
/// The longest interruption of a run of ASCII, in half blocks, including the half block of ASCII that ends it. A
/// longer one ends the run.
const LONGEST_INTERRUPTION: usize = 4;
/// About the most that is read before a look at the faults, unless it is ASCII. It is so short that a fault is
/// reported soon, and so long that looking costs nothing.
const CHUNK: usize = 16 * BLOCK;
/// The least length at which alignment and kinds of block pay.
const LONG: usize = 513;
/// The least length at which a run of ASCII costs no more than a test whether the whole text is ASCII.
const LONG_ASCII: usize = 2048;

impl<S: Simd> Validates for S {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < LONG { short(self, bytes) } else { self.apart::<Long>(bytes, 0) }
    }
}

impl<S: Simd> Engine for S {
    // No length is medium.
    const MEDIUM: usize = LONG;
    const LONG: usize = LONG;

    #[inline(always)]
    fn validate_short(self, bytes: &[u8]) -> Verdict {
        short(self, bytes)
    }

    #[inline(always)]
    fn validate_long(self, bytes: &[u8]) -> Verdict {
        long(self, bytes)
    }

    #[inline(always)]
    fn continues(self, before: [u8; 4], piece: &[u8]) -> bool {
        continues(self, before, piece)
    }

    #[inline(always)]
    fn seek(self, bytes: &[u8], from: usize) -> Found {
        survey::seek(Checker::new(self), bytes, from)
    }

    #[cfg(feature = "alloc")]
    #[inline(always)]
    fn replace(self, bytes: &[u8], at: usize, done: usize, out: &mut Output<'_>) -> Replaced {
        survey::replace(Checker::new(self), bytes, at, done, out)
    }

    #[inline(always)]
    fn inspect(self, bytes: &[u8]) -> (Verdict, Counts) {
        counts::in_chunks(
            bytes,
            |rest| self.apart::<Ascii>(rest, 0),
            |chunk| Apart(self).validate(chunk),
            |chunk| self.apart::<Count>(chunk, 0),
        )
    }

    #[inline(always)]
    fn count_chars(self, text: &[u8]) -> usize {
        count::count_chars(self, text)
    }

    #[inline(always)]
    fn utf16_len(self, text: &[u8]) -> usize {
        count::utf16_len(self, text)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_short<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::short(self.converter(), text, out, self)
    }

    #[cfg(feature = "transcode")]
    #[inline(always)]
    fn convert_long<C: Conversion>(self, text: &[u8], out: &mut Output<'_>) -> usize {
        C::long(self.converter(), text, out, Apart(self))
    }
}

/// The algorithm for short input, for any length.
pub(crate) struct Short;

impl<S: Simd> Routine<S> for Short {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        short(s, bytes)
    }
}

/// The algorithm for long input. It is a function of its own, so that short input does not pay for its registers.
pub(crate) struct Long;

impl<S: Simd> Routine<S> for Long {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        long(s, bytes)
    }
}

/// The length of the ASCII at the start of a text, and the number of its newlines.
struct Ascii;

impl<S: Simd> Routine<S> for Ascii {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> (usize, usize) {
        count::ascii(s, bytes)
    }
}

/// All counts of a valid text.
struct Count;

impl<S: Simd> Routine<S> for Count {
    type Output = Counts;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Counts {
        count::count(s, bytes)
    }
}

/// Returns the verdict on input of fewer than [`LONG`] bytes. (Longer input is right as well, but slower.)
#[inline(always)]
fn short<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    let mut faults = FaultBits::none(s);
    let n = bytes.len();
    if n < 4 {
        return if is_tiny_text(bytes) { Verdict::VALID } else { Verdict::suspect(0) };
    } else if n < S::LANES {
        // Zeros follow the text, so a character that the end cuts off lacks a continuation.
        checker.check_after(&mut faults, s.load_short(bytes), checker.before_start());
    } else if n >= S::ASCII_TEST_FROM && is_all_ascii(s, bytes) {
        return Verdict::VALID;
    } else if n < S::LANES + CONTEXT {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), checker.before_start());
        // Zeros follow the text here too.
        checker.check_after(&mut faults, s.load_second(bytes), before);
    } else if n <= 2 * S::LANES {
        checker.check_after(&mut faults, s.load(bytes, 0), checker.before_start());
        checker.check_at_without_panic(&mut faults, bytes, n - S::LANES);
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
    } else {
        check_by_two(&checker, &mut faults, bytes, checker.before_start());
        checker.check_end(&mut faults, s.load(bytes, n - S::LANES));
    }
    if checker.any(&faults) { Verdict::suspect(0) } else { Verdict::VALID }
}

/// Returns whether `bytes` continues a text whose last four bytes are `before`; see [`Engine::continues`].
#[inline(always)]
fn continues<S: Simd>(s: S, before: [u8; 4], bytes: &[u8]) -> bool {
    let checker = Checker::new(s);
    let mut faults = FaultBits::none(s);
    let before = checker.ending_in(before);
    let n = bytes.len();
    if n < S::LANES {
        checker.check_after(&mut faults, s.load_short(bytes), before);
        // The zeros after the text show faults of a character that is cut off. These do not count.
        faults = faults.first_lanes(s, n);
    } else if n <= 2 * S::LANES {
        let before = checker.check_after(&mut faults, s.load(bytes, 0), before);
        let mut last = FaultBits::none(s);
        checker.check_after(&mut last, s.load_second(bytes), before);
        faults = faults.or(s, last.first_lanes(s, n - S::LANES));
    } else {
        check_by_two(&checker, &mut faults, bytes, before);
    }
    // A byte that never appears in UTF-8 is a fault of the byte after it. The last byte has none after it.
    !checker.any(&faults) && !matches!(bytes.last(), Some(0xC0 | 0xC1 | 0xF5..))
}

/// Checks more than two vectors of text, two at a time. The last two end with the text, and overlap what is checked
/// already. A character that the end of the text cuts off is no fault.
#[inline(always)]
fn check_by_two<S: Simd>(checker: &Checker<S>, faults: &mut FaultBits<S>, bytes: &[u8], before: Before<S>) {
    let (s, n) = (checker.s, bytes.len());
    let before = checker.check_after(faults, s.load(bytes, 0), before);
    checker.check_after(faults, s.load(bytes, S::LANES), before);
    let mut at = 2 * S::LANES;
    while at + 2 * S::LANES < n {
        checker.check_at_without_panic(faults, bytes, at);
        checker.check_at_without_panic(faults, bytes, at + S::LANES);
        at += 2 * S::LANES;
    }
    checker.check_at_without_panic(faults, bytes, (n - 2 * S::LANES).max(CONTEXT));
    checker.check_at_without_panic(faults, bytes, n - S::LANES);
}

/// Returns whether all of `bytes` is ASCII. There are at least `LANES` bytes. The last loads overlap those before
/// them.
#[inline(always)]
fn is_all_ascii<S: Simd>(s: S, bytes: &[u8]) -> bool {
    let n = bytes.len();
    if n <= 2 * S::LANES {
        return !s.any_high_bit(s.or(s.load(bytes, 0), s.load(bytes, n - S::LANES)));
    }
    let mut at = 0;
    while at + 4 * S::LANES < n {
        if s.any_high_bit(s.or(or_of_two(s, bytes, at), or_of_two(s, bytes, at + 2 * S::LANES))) {
            return false;
        }
        at += 4 * S::LANES;
    }
    // One to four vectors are left. If the whole text is fewer than four, the two loads of two vectors overlap.
    let last = n - 2 * S::LANES;
    !s.any_high_bit(s.or(or_of_two(s, bytes, at.min(last)), or_of_two(s, bytes, last)))
}

#[inline(always)]
fn or_of_two<S: Simd>(s: S, bytes: &[u8], at: usize) -> S::Vector {
    match bytes.get(at..at + 2 * S::LANES) {
        Some(two) => s.or(s.load(two, 0), s.load(two, S::LANES)),
        // No caller asks for this. To return bytes that are not ASCII costs less than to panic.
        None => s.splat(0xFF),
    }
}

/// Returns the verdict on input of at least [`LONG`] bytes. (Shorter input goes to [`short`].)
#[inline(always)]
fn long<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    if bytes.len() < LONG {
        return short(s, bytes);
    }
    if bytes.len() < LONG_ASCII && is_all_ascii(s, bytes) {
        return Verdict::VALID;
    }
    let checker = Checker::new(s);
    let mut faults = FaultBits::none(s);

    // The start, vector by vector, up to the first aligned place after the first vector.
    let mut at = S::LANES + bytes[S::LANES..].as_ptr().align_offset(64).min(63);
    if !is_ascii_at::<S, 128>(s, bytes, 0) {
        checker.check_after(&mut faults, s.load(bytes, 0), checker.before_start());
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
    while let Some(block) = with_context(bytes, at) {
        let after = match TextKind::of(s, block) {
            TextKind::Ascii if is_unfinished(block) => Err(at),
            TextKind::Ascii => s.apart::<AsciiRun>(bytes, at),
            TextKind::TwoByte => s.apart::<TwoByteRun>(bytes, at),
            TextKind::Any => s.apart::<AnyRun>(bytes, at),
        };
        match after {
            Ok(after) => at = after,
            Err(sound) => return first_faulty_half(checker, bytes, sound),
        }
    }

    // What is left, vector by vector. The last vector ends with the input.
    let n = bytes.len();
    let ends_in_ascii = match with_context(bytes, n - BLOCK) {
        Some(end) => TextKind::of(s, end) == TextKind::Ascii && !is_unfinished(end),
        None => false,
    };
    if !ends_in_ascii {
        let mut faults = FaultBits::none(s);
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

/// What a block is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextKind {
    Ascii,
    /// ASCII and two-byte characters. No longer character reaches in.
    TwoByte,
    Any,
}

impl TextKind {
    #[inline(always)]
    fn of<S: Simd>(s: S, block: &BlockInContext) -> Self {
        // Two chains of operations that wait for each other are half as long as one.
        let mut even = s.load(block, CONTEXT);
        let mut odd = s.load(block, CONTEXT + S::LANES);
        for k in 1..BLOCK / S::LANES / 2 {
            even = s.max(even, s.load(block, CONTEXT + 2 * k * S::LANES));
            odd = s.max(odd, s.load(block, CONTEXT + (2 * k + 1) * S::LANES));
        }
        let largest = s.max(even, odd);
        if !s.any_high_bit(largest) {
            Self::Ascii
        } else if !s.any_high_bit(s.minus(largest, s.splat(0xE0 - 0x80))) && allows_two_byte(block) {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

// A run is a routine. It checks the text from `at` on, where a block of its kind begins. It returns where it stopped,
// or, as an error, a place shortly before a fault.

/// A run of text that is mostly ASCII.
///
/// ```text
/// skip ASCII, two blocks at a time
/// skip ASCII, half a block at a time
/// check half blocks, at most four, up to the first that is ASCII, and start again; if none is, stop
/// ```
///
/// So a name or a dash within ASCII does not end the run.
struct AsciiRun;

impl<S: Simd> Routine<S> for AsciiRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], at: usize) -> Result<usize, usize> {
        let checker = Checker::new(s);
        let start = at + BLOCK;
        let mut at = start;
        loop {
            while let Some(two_blocks) = array_at::<{ 2 * BLOCK }>(bytes, at) {
                if !is_ascii(s, two_blocks) {
                    break;
                }
                at += 2 * BLOCK;
            }
            if at == start {
                return Ok(at);
            }
            // On to the half block with the next character that is not ASCII. All before that half block is ASCII.
            loop {
                let Some(half) = array_at::<HALF_BLOCK>(bytes, at) else { return Ok(at) };
                if !is_ascii(s, half) {
                    break;
                }
                at += HALF_BLOCK;
            }
            // On to the next half block of ASCII. Its check also shows a character that the half block before it cuts
            // off.
            let sound = at;
            let mut faults = FaultBits::none(s);
            let mut ascii = false;
            for _ in 0..LONGEST_INTERRUPTION {
                let Some(half) = with_context(bytes, at) else { break };
                check_half(&checker, &mut faults, half);
                ascii = is_ascii_at::<S, HALF_BLOCK>(s, bytes, at);
                at += HALF_BLOCK;
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

/// A run of text of ASCII and two-byte characters, at most a chunk.
///
/// A block of ASCII does not end the run. So text that mixes both takes the same branches all the time.
struct TwoByteRun;

impl<S: Simd> Routine<S> for TwoByteRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let mut faults = TwoByteFaults::none(s);
        while at < end {
            let Some(block) = with_context::<{ CONTEXT + BLOCK }>(bytes, at) else { break };
            // The check of a block also finds out whether the block is of this kind. If it is not, its faults are
            // dropped.
            let mut next = faults;
            for k in 0..BLOCK / S::LANES {
                let place = CONTEXT + k * S::LANES;
                next.check(s, s.load(block, place), s.load(block, place - 1));
            }
            if !next.applies(s) {
                break;
            }
            faults = next;
            at += BLOCK;
        }
        if faults.any(s) { faulty(sound) } else { Ok(at) }
    }
}

/// A run of any text, up to a block of another kind, or not much longer than a chunk.
struct AnyRun;

impl<S: Simd> Routine<S> for AnyRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let checker = Checker::new(s);
        let mut faults = FaultBits::none(s);
        // The number of blocks before a look at the faults and the kind. It doubles each time: the longer a run has
        // been, the likelier it goes on.
        let mut unseen = 1;
        'run: while at < end {
            for _ in 0..unseen {
                let Some(block) = with_context(bytes, at) else { break 'run };
                check_block(&checker, &mut faults, block);
                at += BLOCK;
            }
            unseen *= 2;
            if checker.any(&faults) {
                break;
            }
            match with_context(bytes, at) {
                Some(block) if TextKind::of(s, block) == TextKind::Any => {}
                _ => break,
            }
        }
        if checker.any(&faults) { faulty(sound) } else { Ok(at) }
    }
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

#[inline(always)]
fn check_block<S: Simd>(checker: &Checker<S>, faults: &mut FaultBits<S>, block: &BlockInContext) {
    for k in 0..BLOCK / S::LANES {
        checker.check_at(faults, block, CONTEXT + k * S::LANES);
    }
}

#[inline(always)]
fn check_half<S: Simd>(checker: &Checker<S>, faults: &mut FaultBits<S>, half: &HalfInContext) {
    for k in 0..HALF_BLOCK / S::LANES {
        checker.check_at(faults, half, CONTEXT + k * S::LANES);
    }
}

/// Returns as suspect the first half block from `sound` on that shows a fault.
///
/// All before `sound` is well-formed, except for a character that `sound` cuts off. `sound` is at least `CONTEXT`.
#[cold]
#[inline(always)]
fn first_faulty_half<S: Simd>(checker: Checker<S>, bytes: &[u8], sound: usize) -> Verdict {
    let mut at = sound;
    while let Some(half) = with_context(bytes, at) {
        let mut faults = FaultBits::none(checker.s);
        check_half(&checker, &mut faults, half);
        if checker.any(&faults) {
            break;
        }
        at += HALF_BLOCK;
    }
    Verdict::suspect(at)
}

/// Returns whether there are `N` bytes at `at`, and all of them are ASCII.
#[inline(always)]
fn is_ascii_at<S: Simd, const N: usize>(s: S, bytes: &[u8], at: usize) -> bool {
    match array_at::<N>(bytes, at) {
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
    !s.any_high_bit(all)
}

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

#[cfg(feature = "transcode")]
use super::Conversion;
use super::automaton::is_tiny_text;
use super::counts::{self, Counts};
#[cfg(feature = "alloc")]
use super::survey::Replaced;
use super::survey::{self, Found};
use super::verdict::Verdict;
use super::{Apart, Engine, Validates};
use crate::boundary::{CONTEXT, allows_two_byte, is_unfinished, with_context};
#[cfg(any(feature = "alloc", feature = "transcode"))]
use crate::output::Output;
use crate::simd::{Routine, Simd};
use check::{Before, Checker, Faults, TwoByte};

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
const LONG: usize = 513;
/// From this length on, skipping ASCII in runs costs no more than asking first whether all is ASCII.
const LONG_ASCII: usize = 2048;

impl<S: Simd> Validates for S {
    #[inline(always)]
    fn validate(self, bytes: &[u8]) -> Verdict {
        if bytes.len() < LONG { short(self, bytes) } else { self.apart::<Long>(bytes, 0) }
    }
}

impl<S: Simd> Engine for S {
    #[inline(always)]
    fn continues_short(self, before: [u8; 4], piece: &[u8]) -> bool {
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

/// The way of short input, whatever the length.
pub(crate) struct Short;

impl<S: Simd> Routine<S> for Short {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        short(s, bytes)
    }
}

/// The way of long input, apart from short input, which then does not pay for its registers.
pub(crate) struct Long;

impl<S: Simd> Routine<S> for Long {
    type Output = Verdict;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Verdict {
        long(s, bytes)
    }
}

/// The ASCII at the start of a text, and its newlines.
struct Ascii;

impl<S: Simd> Routine<S> for Ascii {
    type Output = (usize, usize);

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> (usize, usize) {
        count::ascii(s, bytes)
    }
}

/// All that there is to count.
struct Count;

impl<S: Simd> Routine<S> for Count {
    type Output = Counts;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], _: usize) -> Counts {
        count::count(s, bytes)
    }
}

/// The verdict on input of fewer than [`LONG`] bytes. (On longer input too; only slower.)
#[inline(always)]
fn short<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    let checker = Checker::new(s);
    let mut faults = Faults::none(s);
    let n = bytes.len();
    if n < 4 {
        return if is_tiny_text(bytes) { Verdict::VALID } else { Verdict::suspect(0) };
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

/// Returns whether `bytes` continues a text whose last four bytes are `before`; see [`Engine::continues`].
#[inline(always)]
fn continues<S: Simd>(s: S, before: [u8; 4], bytes: &[u8]) -> bool {
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
fn long<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
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
    while let Some(block) = with_context(bytes, at) {
        let after = match Kind::of(s, block) {
            Kind::Ascii if is_unfinished(block) => Err(at),
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
    let ends_in_ascii = match with_context(bytes, n - BLOCK) {
        Some(end) => Kind::of(s, end) == Kind::Ascii && !is_unfinished(end),
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
        } else if !s.any_high(s.minus(largest, s.splat(0xE0 - 0x80))) && allows_two_byte(block) {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

// A way through text of one kind is a routine. It checks the text from `at` on, where a block of this kind begins, and
// returns where it stopped; if there is a fault, a place shortly before it.

/// Text that is mostly ASCII.
///
/// What stands alone in ASCII, a name or a dash, is checked vector by vector, and the run goes on
/// behind it.
struct AsciiRun;

impl<S: Simd> Routine<S> for AsciiRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], at: usize) -> Result<usize, usize> {
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
                let Some(piece) = with_context::<{ CONTEXT + PIECE }>(bytes, at) else { break };
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

impl<S: Simd> Routine<S> for TwoByteRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let mut sum = TwoByte::nothing(s);
        while at < end {
            let Some(block) = with_context::<{ CONTEXT + BLOCK }>(bytes, at) else { break };
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

impl<S: Simd> Routine<S> for AnyRun {
    type Output = Result<usize, usize>;

    #[inline(always)]
    fn run(s: S, bytes: &[u8], mut at: usize) -> Result<usize, usize> {
        let (sound, end) = (at, at + CHUNK);
        let checker = Checker::new(s);
        let mut faults = Faults::none(s);
        // One block, then two, then four: the longer the run, the likelier it goes on.
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
    while let Some(piece) = with_context::<{ CONTEXT + PIECE }>(bytes, at) {
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

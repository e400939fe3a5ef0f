//! Long input: runs of blocks of one kind.

#![forbid(unsafe_code)]

use super::ascii::{is_all_ascii, is_ascii, is_ascii_at};
use super::check::{Checker, FaultBits, TwoByteFaults};
use super::{LONG, short};
use crate::boundary::{CONTEXT, allows_two_byte, array_at, is_unfinished, with_context};
use crate::kernel::verdict::Verdict;
use crate::simd::{Routine, Simd};

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
/// The least length at which a run of ASCII costs no more than a test whether the whole text is ASCII.
const LONG_ASCII: usize = 2048;

/// Returns the verdict on input of at least [`LONG`] bytes. (Shorter input goes to [`short::validate`].)
#[inline(always)]
pub(super) fn validate<S: Simd>(s: S, bytes: &[u8]) -> Verdict {
    if bytes.len() < LONG {
        return short::validate(s, bytes);
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

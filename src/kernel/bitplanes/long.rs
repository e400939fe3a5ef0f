//! Long input: superblocks by kind.

#![forbid(unsafe_code)]

use super::blocks::{self, Checker};
use super::planes::{self, SUPERBLOCK};
use super::tally::Tally;
use crate::boundary::{CONTEXT, allows_two_byte, is_unfinished, with_context};
use crate::kernel::verdict::Verdict;
use crate::simd::x86::avx512::{Avx512, Vector};

/// Bytes that are looked at together to see of which kind they are: eight vectors.
const STRETCH: usize = 512;
/// A stretch and its context.
type Window = [u8; CONTEXT + STRETCH];
/// Places at which a region larger than the caches is read at once.
const STREAMS: usize = 4;
/// Superblocks of a stream, for regions of 4 MiB.
pub(crate) const STEPS: usize = (4 << 20) / STREAMS / SUPERBLOCK;
/// Blocks in a row, the last of them ASCII, that do not end a run of ASCII.
const LARGEST_ISLAND: usize = 4;

/// The verdict on any number of bytes.
///
/// Regions that are read as [`STREAMS`] have `STEPS` superblocks a stream; tests have small ones.
#[inline(always)]
pub(super) fn validate<const STEPS: usize, T: Tally>(s: Avx512, bytes: &[u8], tally: &mut T) -> Verdict {
    let checker = Checker::new(s);
    // The start is a block, so that everything behind it has context to be loaded.
    let Some(start) = bytes.first_chunk::<64>() else { return blocks::many(s, bytes, tally) };
    let start = s.load(start, 0);
    if s.any_high(start) {
        let mut faults = checker.no_faults();
        checker.check(&mut faults, start, checker.no_leads());
        if checker.any(&faults) {
            return Verdict::suspect(0);
        }
    }

    // All before `at` is well-formed, except for a character that `at` cuts off.
    let mut at = (64 - bytes.as_ptr().addr() % 64).max(CONTEXT);
    tally.block(s, start);
    tally.again(s, &bytes[at..64]);
    let (mut kind, mut run) = (Kind::Ascii, 1);
    let mut in_streams = true;
    while let Some(stretch) = with_context(bytes, at) {
        let before = kind;
        kind = Kind::of(s, stretch);
        run = if kind == before { (2 * run).min(T::LONGEST_RUN) } else { 1 };
        let after = match kind {
            Kind::Ascii if is_unfinished(stretch) => Err(at),
            Kind::Ascii => ascii_run(s, &checker, bytes, at, tally),
            _ if in_streams
                && run == T::LONGEST_RUN
                && bytes.len() - at >= kind.least_for_streams::<STEPS>() =>
            {
                match streams_run::<STEPS, T>(s, bytes, at, tally) {
                    Some(after) => Ok(after),
                    None => {
                        // There is a fault in the region; one after the other, to find the first.
                        in_streams = false;
                        Ok(at)
                    }
                }
            }
            Kind::TwoByte => two_byte_run(s, bytes, at, run, tally),
            Kind::Any => planes_run(s, bytes, at, run, tally),
        };
        match after {
            Ok(after) => at = after,
            Err(sound) => return blocks::first_faulty(checker, bytes, sound),
        }
    }

    blocks::rest(checker, bytes, at, tally)
}

/// From an ASCII stretch on, as far as the text is mostly ASCII. Returns where it stopped; if
/// there is a fault, a place shortly before it.
///
/// What stands alone in ASCII, a name or a dash, is checked by blocks, and the run goes on behind it.
#[inline(always)]
fn ascii_run<T: Tally>(
    s: Avx512,
    checker: &Checker,
    bytes: &[u8],
    at: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    let mut counts = T::no_ascii(s);
    tally.ascii(s, &mut counts, vectors(s, &bytes[at..]));
    let behind = at + STRETCH;
    let mut at = aligned_down(bytes, behind);
    tally.again(s, &bytes[at..behind]);
    let after = 'run: loop {
        if T::COUNTS {
            while let Some(step) = bytes[at..].first_chunk::<STRETCH>()
                && !s.any_high(s.or(or_of_four(s, step, 0), or_of_four(s, step, 256)))
            {
                tally.ascii(s, &mut counts, vectors(s, step));
                at += STRETCH;
            }
        } else {
            // Half the step, which is nearer to what interrupts ASCII, and out of the second-level cache faster: what
            // fetches ahead by the step ends with the page.
            while let Some(step) = bytes[at..].first_chunk::<{ STRETCH / 2 }>()
                && !s.any_high(or_of_four(s, step, 0))
            {
                at += STRETCH / 2;
            }
        }
        // To the block with the first other character; what stands before it is ASCII.
        let island = loop {
            let Some(block) = bytes[at..].first_chunk::<64>() else { break 'run Ok(at) };
            let now = s.load(block, 0);
            if s.any_high(now) {
                break now;
            }
            tally.more_ascii(s, &mut counts, now);
            at += 64;
        };
        // From there to the next block of ASCII.
        let sound = at;
        let mut faults = checker.no_faults();
        let (mut now, mut before) = (island, checker.no_leads());
        let mut ends_with_ascii = false;
        for _ in 1..LARGEST_ISLAND {
            before = checker.check(&mut faults, now, before);
            tally.block(s, now);
            at += 64;
            let Some(block) = bytes[at..].first_chunk::<64>() else { break };
            now = s.load(block, 0);
            ends_with_ascii = !s.any_high(now);
            if ends_with_ascii {
                checker.check_end(&mut faults, before);
                tally.more_ascii(s, &mut counts, now);
                at += 64;
                break;
            }
        }
        if checker.any(&faults) {
            break Err(sound);
        }
        if !ends_with_ascii {
            break Ok(at);
        }
    };
    tally.add_ascii(s, counts);
    after
}

/// The vectors of a stretch, which `bytes` begin with.
#[inline(always)]
fn vectors(s: Avx512, bytes: &[u8]) -> [Vector; STRETCH / 64] {
    let (a, b) = (s.load(bytes, 0), s.load(bytes, 64));
    let (c, d) = (s.load(bytes, 128), s.load(bytes, 192));
    let (e, f) = (s.load(bytes, 256), s.load(bytes, 320));
    [a, b, c, d, e, f, s.load(bytes, 384), s.load(bytes, 448)]
}

#[inline(always)]
fn or_of_four(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    let (a, b) = (s.load(bytes, at), s.load(bytes, at + 64));
    let (c, d) = (s.load(bytes, at + 128), s.load(bytes, at + 192));
    s.or(s.or(a, b), s.or(c, d))
}

#[inline(always)]
fn max_of_two(s: Avx512, bytes: &[u8], at: usize) -> Vector {
    s.max(s.load(bytes, at), s.load(bytes, at + 64))
}

/// From a stretch of two-byte characters and ASCII on, `run` of them or as many as there are. Returns
/// where it stopped; if there is a fault, `at`.
#[inline(always)]
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
    let mut counts = T::no_two_byte(s);
    for _ in 0..run {
        let Some(stretch) = with_context::<{ CONTEXT + STRETCH }>(bytes, at) else { break };
        // A stretch is checked before it is known to be of the kind, and forgotten if it is not.
        let (mut next_lengths, mut next_smallest, mut largest) = (lengths, smallest, s.zero());
        let mut next_counts = counts;
        for k in 0..STRETCH / 64 {
            let now = s.load(stretch, CONTEXT + 64 * k);
            let earlier1 = s.load(stretch, CONTEXT + 64 * k - 1);
            let moved = s.plus_signed(now, s.splat(0x40));
            let due = s.minus(earlier1, s.splat(0x40));
            next_lengths = s.ternary::<{ truth!(|a, b, c| a | (b ^ c)) }>(next_lengths, due, moved);
            next_smallest = s.min(next_smallest, moved);
            largest = s.max(largest, now);
            next_counts = tally.two_byte(s, next_counts, now);
        }
        if !is_below_e0(s, largest) {
            break;
        }
        (lengths, smallest, counts) = (next_lengths, next_smallest, next_counts);
        let behind = at + STRETCH;
        at = aligned_down(bytes, behind);
        tally.again_two_byte(s, &bytes[at..behind]);
    }
    tally.add_two_byte(s, counts, bytes, sound, at);
    let overlong = s.minus(s.splat(2), smallest);
    let lengths = s.and(lengths, s.splat(0x80));
    if s.any(s.or(overlong, lengths)) { Err(sound) } else { Ok(at) }
}

/// `run` superblocks of anything. Returns where it stopped; if there is a fault, `at`.
#[inline(always)]
fn planes_run<T: Tally>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    run: usize,
    tally: &mut T,
) -> Result<usize, usize> {
    // The planes of the next superblock are made while this one is checked: both are long chains of
    // instructions that wait for each other, and side by side they fill each other's gaps.
    let Some(first) = with_context(bytes, at) else { return Ok(at) };
    let mut planes = planes::planes(s, first);
    let (mut faults, mut counts) = (s.zero(), T::no_planes(s));
    let mut places;
    let mut after = at + SUPERBLOCK;
    for _ in 1..run {
        let Some(next) = with_context(bytes, after) else { break };
        prefetch(s, bytes, after + 1536);
        let next = planes::planes(s, next);
        (faults, places) = planes::check(s, faults, planes);
        counts = T::superblock(s, counts, places);
        planes = next;
        after += SUPERBLOCK;
    }
    (faults, places) = planes::check(s, faults, planes);
    tally.add_planes(s, T::superblock(s, counts, places), bytes, at, after);
    if s.any(faults) { Err(at) } else { Ok(after) }
}

/// A region of anything that is larger than the caches, read in several places at once: memory then has
/// more requests to work on. Returns where it ends, or `None` if there is a fault.
#[inline(always)]
fn streams_run<const STEPS: usize, T: Tally>(
    s: Avx512,
    bytes: &[u8],
    at: usize,
    tally: &mut T,
) -> Option<usize> {
    let (mut faults, mut counts) = (s.zero(), T::no_planes(s));
    let mut places;
    for step in 0..STEPS {
        for stream in 0..STREAMS {
            let place = at + (stream * STEPS + step) * SUPERBLOCK;
            prefetch(s, bytes, place + 2048);
            let text = with_context(bytes, place)?;
            (faults, places) = planes::check(s, faults, planes::planes(s, text));
            counts = T::superblock(s, counts, places);
        }
        if step % T::LONGEST_RUN == 0 && s.any(faults) {
            return None;
        }
    }
    let after = at + STREAMS * STEPS * SUPERBLOCK;
    tally.add_planes(s, counts, bytes, at, after);
    if s.any(faults) { None } else { Some(after) }
}

/// Asks memory for the lines of a stretch. CPUs do so by themselves, but only within a page.
///
/// How far ahead is best depends little on the CPU: 1.5 KiB, or 2 KiB with several streams.
#[inline(always)]
fn prefetch(s: Avx512, bytes: &[u8], at: usize) {
    for line in 0..STRETCH / 64 {
        s.prefetch(bytes, at + 64 * line);
    }
}

/// What a stretch is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ascii,
    /// ASCII and characters of two bytes, and none that reaches in is longer.
    TwoByte,
    Any,
}

impl Kind {
    /// The number of bytes from which on streams pay: where caches are too small, and for two-byte
    /// characters, whose own path is faster than planes as long as memory is, where they are by far.
    const fn least_for_streams<const STEPS: usize>(self) -> usize {
        let region = STREAMS * STEPS * SUPERBLOCK;
        match self {
            Self::Ascii => usize::MAX,
            Self::TwoByte => 8 * region,
            Self::Any => region,
        }
    }

    #[inline(always)]
    fn of(s: Avx512, stretch: &Window) -> Self {
        let (a, b) = (max_of_two(s, stretch, CONTEXT), max_of_two(s, stretch, CONTEXT + 128));
        let (c, d) = (max_of_two(s, stretch, CONTEXT + 256), max_of_two(s, stretch, CONTEXT + 384));
        let largest = s.max(s.max(a, b), s.max(c, d));
        if !s.any_high(largest) {
            Self::Ascii
        } else if is_below_e0(s, largest) && allows_two_byte(stretch) {
            Self::TwoByte
        } else {
            Self::Any
        }
    }
}

/// The last place at or before `at`, and behind the one 64 bytes before it, whose address is aligned.
/// What is read again because of this, in runs of a kind, is of that kind.
#[inline(always)]
fn aligned_down(bytes: &[u8], at: usize) -> usize {
    at - (bytes.as_ptr().addr() + at) % 64
}

/// Whether no byte is E0 or above.
#[inline(always)]
fn is_below_e0(s: Avx512, largest: Vector) -> bool {
    !s.any_high(s.minus(largest, s.splat(0xE0 - 0x80)))
}

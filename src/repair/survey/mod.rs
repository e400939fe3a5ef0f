//! Finds and replaces all ill-formed sequences of a text.
//!
//! A validator stops at the first ill-formed sequence. Code that replaces, lists or skips them must
//! continue after it. If they are close together, restarting a validator after each would take most
//! of the time. So there are two modes:
//!
//! ```text
//! near:  for each block of 64 bytes, which shares three bytes with the block before and three with the one after: make a map
//!        of two words. One has a bit for the first byte of each ill-formed sequence, the other for the bytes that continue a
//!        sequence.
//!        After a block that is not ASCII and has no ill-formed sequence: skip the text up to the next one, block by block.
//!        If there is none in 4 KiB: continue with 'far'.
//! far:   a kernel validates a chunk. If it is valid, the next chunk is twice as long.
//!        If not, the kernel validates what comes before its suspicion; continue with 'near'.
//! ```
//!
//! 1. **The map needs no automaton.** Whether a byte begins an ill-formed sequence depends only on
//!    the three bytes before it and the three after it. So a formula of a few masks decides for 64
//!    bytes at once, without a table or a branch; see `Map::of`. Its time does not depend on the
//!    number of ill-formed sequences.
//! 2. **No block waits for another.** A map reads the context again. (Blocks of 61
//!    to 64 bytes that begin at a sequence need no neighbours. But each must wait for the length of
//!    the one before, and they take 1.4 times as long.)
//! 3. **Chunks grow by doubling.** So the text that a kernel reads in vain after a fault is
//!    proportional to the valid text before it, and every input takes linear time.
//! 4. **Only 'valid' is trusted.** The text before a suspect position is validated again. So the
//!    soundness of this file rests on the verdict 'valid', on `Engine::sound_up_to`, which is a loop
//!    over blocks, and on the map, not on other positions.

#[cfg(trust8_simd)]
mod lookup;
mod marks;
#[cfg(trust8_avx512)]
mod planes;
mod words;

pub use crate::boundary::CONTEXT;
use crate::boundary::{self, array_at};
use crate::kernel::Engine;
use crate::output::Output;
use crate::simd::{Job, Vectors};
pub use marks::Marks;

/// The bytes of a map, one for each bit of a word: a block's own bytes, and their context on either side.
pub const BLOCK_BYTES: usize = 64;

/// A block's own bytes: those whose context is in the map.
pub const OWN_BYTES: usize = BLOCK_BYTES - 2 * CONTEXT;

/// A cache line.
pub const LINE_BYTES: usize = 64;

/// ASCII is skipped in groups of this length first, and then in cache lines.
pub const ASCII_GROUP_BYTES: usize = 4 * LINE_BYTES;

/// After this much text without a fault, a kernel validates chunks, which takes less time. With
/// 2 KiB, text with a fault every 3,000 bytes takes a sixth longer.
const LONGEST_RUN_BYTES: usize = 4096;

/// The first chunk that a kernel validates.
pub const FIRST_CHUNK_BYTES: usize = 512;

/// The longest chunk: short enough to be still in the cache when the caller copies it.
pub const LONGEST_CHUNK_BYTES: usize = 64 << 10;

/// The classes of 64 bytes. Each byte is a bit, the first byte the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes {
    /// 80 to FF: everything except ASCII.
    pub high: u64,
    /// C0 to FF: begins a sequence of two bytes or more.
    pub lead: u64,
    /// E0 to FF: begins a sequence of three bytes or more.
    pub lead3: u64,
    /// F0 to FF: begins a sequence of four bytes or more.
    pub lead4: u64,
    /// Allowed as the second byte of a character that begins with the byte before it. The bit is
    /// specified only for a continuation after a lead.
    pub allowed: u64,
}

/// The ill-formed sequences of a block and its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Map {
    /// The first byte of each ill-formed sequence.
    faults: u64,
    /// The bytes that continue a sequence, whether it is ill-formed or not.
    continued: u64,
}

impl Map {
    /// Returns the map of `bytes`.
    #[inline(always)]
    fn at<S: Surveyor>(s: S, bytes: &[u8; BLOCK_BYTES]) -> Self {
        let high = s.high(bytes);
        if high & high << 1 == 0 {
            // Each such byte is alone between ASCII, so it is ill-formed, whatever its value.
            return Self { faults: high, continued: 0 };
        }
        Self::of(s.classes(bytes))
    }

    /// Returns the map of bytes with these classes. It is correct for the bytes whose context is
    /// among them.
    ///
    /// A sequence is a character, the longest beginning of one (Unicode's 'maximal subpart'), or a
    /// single byte.
    #[inline(always)]
    fn of(classes: Classes) -> Self {
        let Classes { high, lead, lead3, lead4, allowed } = classes;
        let continuation = high & !lead;
        // The bytes that continue a sequence as its second, third and fourth byte.
        let second = lead << 1 & continuation & allowed;
        let third = (second & lead3 << 1) << 1 & continuation;
        let fourth = (third & lead4 << 2) << 1 & continuation;
        let continued = second | third | fourth;
        // The leads of two, three and four bytes with all their continuations.
        let whole = lead & !lead3 & second >> 1 | lead3 & !lead4 & third >> 2 | lead4 & fourth >> 3;
        Self { faults: high & !continued & !whole, continued }
    }
}

/// The operations of an instruction set for the map. It is not the engine, because with AVX-512 it
/// holds tables, which a job loads once. [`Set`](Self::Set) has the other operations.
pub trait Surveyor: Copy {
    /// The instruction set.
    type Set: Vectors;

    /// Returns the instruction set.
    fn set(self) -> Self::Set;

    /// Returns which bytes are not ASCII, the first byte as the lowest bit.
    fn high(self, bytes: &[u8; BLOCK_BYTES]) -> u64;

    /// Returns the classes of the bytes.
    fn classes(self, bytes: &[u8; BLOCK_BYTES]) -> Classes;

    /// Returns whether all bytes are ASCII.
    #[inline(always)]
    fn is_ascii(self, bytes: &[u8; ASCII_GROUP_BYTES]) -> bool {
        !any_high_bit(self.set(), bytes, 0, ASCII_GROUP_BYTES)
    }

    /// Appends the bytes to `out` and returns whether all of them are ASCII, or returns `None` if
    /// they do not fit. Each byte is loaded once for both.
    #[inline(always)]
    fn put_and_test_ascii(self, bytes: &[u8; ASCII_GROUP_BYTES], out: &mut Output<'_>) -> Option<bool> {
        let (s, next) = (self.set(), out.next_array::<ASCII_GROUP_BYTES>()?);
        let (mut all, mut at) = (s.splat(0), 0);
        while at < ASCII_GROUP_BYTES {
            let v = s.load(bytes, at);
            all = s.or(all, v);
            s.store(v, next, at);
            at += Self::Set::LANES;
        }
        // SAFETY: the loop has written all bytes of `next`.
        unsafe { out.advance(ASCII_GROUP_BYTES) };
        Some(!s.any_high_bit(all))
    }

    /// Returns how many parts of [`LINE_BYTES`] bytes are ASCII before the first one that is not.
    #[inline(always)]
    fn ascii_lines(self, bytes: &[u8; ASCII_GROUP_BYTES]) -> usize {
        let (mut others, mut line) = (1 << 4, 0);
        while line < 4 {
            let other = any_high_bit(self.set(), bytes, LINE_BYTES * line, LINE_BYTES * line + LINE_BYTES);
            others |= u32::from(other) << line;
            line += 1;
        }
        others.trailing_zeros() as usize
    }
}

/// Returns whether any byte of `bytes[from..to]` is not ASCII. The length is a multiple of 64.
#[inline(always)]
fn any_high_bit<V: Vectors>(v: V, bytes: &[u8; ASCII_GROUP_BYTES], from: usize, to: usize) -> bool {
    let mut all = v.load(bytes, from);
    let mut at = from + V::LANES;
    while at < to {
        all = v.or(all, v.load(bytes, at));
        at += V::LANES;
    }
    v.any_high_bit(all)
}

/// An engine whose tables give the classes of bytes. This is apart from [`Engine`], because
/// validation does not need it.
pub trait Surveys: Engine {
    /// Loads the tables.
    fn surveyor(self) -> impl Surveyor;
}

/// The result of [`Seek`]: a block and its ill-formed sequences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// Where the block begins. Everything from the start of the search to here is well-formed.
    pub start: usize,
    /// Where the block ends. If its last sequence is ill-formed, it may reach beyond. If the block
    /// has no ill-formed sequence, a sequence begins here.
    pub end: usize,
    /// The first bytes of the remaining ill-formed sequences. Each byte is a bit, the block's first
    /// byte the lowest.
    faults: u64,
    /// The bytes that continue a sequence, also those after the block.
    continued: u64,
}

impl Found {
    /// The initial state of a search: no block yet.
    pub const NONE: Self = Self::nothing(0);

    /// Returns an empty block at `at`: there is no fault up to there.
    #[inline(always)]
    pub const fn nothing(at: usize) -> Self {
        Self { start: at, end: at, faults: 0, continued: 0 }
    }

    /// Removes the next ill-formed sequence from the block. Returns its position in the block, and
    /// its length, 1 to 3.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(usize, usize)> {
        if self.faults == 0 {
            return None;
        }
        let at = self.faults.trailing_zeros();
        self.faults &= self.faults - 1;
        let continuations = (self.continued >> at >> 1).trailing_ones();
        Some((at as usize, 1 + continuations as usize))
    }

    /// Drops the ill-formed sequences that begin before `at`, a position in the text. Returns where
    /// the next one begins.
    #[inline(always)]
    pub fn first_from(&mut self, at: usize) -> Option<usize> {
        let passed = at.saturating_sub(self.start).min(BLOCK_BYTES);
        self.faults &= u64::MAX.checked_shl(passed as u32).unwrap_or(0);
        (self.faults != 0).then(|| self.start + self.faults.trailing_zeros() as usize)
    }

    /// Returns whether no ill-formed sequence is left.
    #[inline(always)]
    pub const fn is_sound(&self) -> bool {
        self.faults == 0
    }
}

/// Returns the next block with a fault in it, or an empty block after `LONGEST_RUN_BYTES` bytes
/// without one, or [`LONGEST_CHUNK_BYTES`] of ASCII. The job takes the start position.
///
/// Everything before that is well-formed, except for a character that it cuts off.
pub struct Seek;

impl<E: Surveys> Job<E, usize, Found> for Seek {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], from: usize) -> Found {
        let (s, mut at) = (engine.surveyor(), from);
        loop {
            let start = at;
            at = after_ascii(s, bytes, at);
            // Only after ASCII is a sequence known to begin at that distance.
            if at == bytes.len() || at - start >= LONGEST_CHUNK_BYTES {
                return Found::nothing(at);
            }
            let len = (bytes.len() - at).min(OWN_BYTES);
            // The last block has more context before it, and the first one none.
            let begin = at.saturating_sub(CONTEXT).min(bytes.len().saturating_sub(BLOCK_BYTES));
            let ends;
            // One map for both, because it is most of this function.
            let (block, before) = match array_at(bytes, begin) {
                Some(block) => (block, at - begin),
                None => {
                    ends = padded(bytes, at);
                    (&ends, CONTEXT)
                }
            };
            let map = Map::at(s, block);
            let faults = map.faults >> before & ((1 << len) - 1);
            if faults != 0 {
                return Found { start: at, end: at + len, faults, continued: map.continued >> before };
            }
            at += len;
            if map.continued != 0 && at < bytes.len() {
                let (end, is_far) = after_sound(engine, bytes, at, usize::MAX);
                if is_far {
                    return Found::nothing(end);
                }
                at = end;
            }
        }
    }
}

/// Returns a position from `at` on where no fault lies between the two, and whether it is
/// [`LONGEST_RUN_BYTES`] away: then a sequence begins there. At most `most` bytes are read. `at` is
/// the end of a block without a fault.
// Not inlined: `Seek` and `Replace` would each contain it.
#[inline(never)]
fn after_sound<E: Engine>(engine: E, bytes: &[u8], at: usize, most: usize) -> (usize, bool) {
    let run = &bytes[..bytes.len().min(at + most.min(LONGEST_RUN_BYTES))];
    // A character that the position cuts off may be a fault. The next block includes all of it.
    let end = engine.sound_up_to(run, at).saturating_sub(CONTEXT).max(at);
    let is_far = end + 2 * BLOCK_BYTES > at + LONGEST_RUN_BYTES;
    (if is_far { boundary::start_before(bytes, end) } else { end }, is_far)
}

/// The UTF-8 of U+FFFD, and a zero that the next byte overwrites: four bytes are one store.
pub const REPLACEMENT: [u8; 4] = *b"\xEF\xBF\xBD\0";

/// The output space that [`Replace`] needs for a block: three bytes of U+FFFD for each byte, and
/// the excess bytes of its copies. If there is space for this and for the rest of the text,
/// [`Replace`] writes something.
pub const BLOCK_OUTPUT_BYTES: usize = 3 * OWN_BYTES + BLOCK_BYTES;

/// The bytes that [`Replace`] reads from the start of a block on. If the text has fewer left, it
/// does nothing.
pub const BLOCK_TEXT_BYTES: usize = 2 * BLOCK_BYTES;

/// The result of [`Replace`].
#[derive(Clone, Copy)]
pub struct Replaced {
    /// Where the next block begins.
    pub at: usize,
    /// The text before this has been written. It may be after `at`, because a sequence may reach
    /// into the next block.
    pub done: usize,
    /// Whether there was no fault for long, so that a kernel should now validate chunks.
    pub far: bool,
}

/// Writes the text from a position on with its faults replaced. The job takes the position, the
/// position up to which the text has been written already, which lies in the first block, and the
/// output.
///
/// The job stops at the end of the output, shortly before the end of the text, and where no fault is
/// near. It copies ASCII while it tests it.
pub struct Replace;

impl<E: Surveys> Job<E, (usize, usize, &mut Output<'_>), Replaced> for Replace {
    #[inline(always)]
    fn run(engine: E, bytes: &[u8], (mut at, mut done, out): (usize, usize, &mut Output<'_>)) -> Replaced {
        let (s, mut far) = (engine.surveyor(), false);
        let mut fork = out.fork();
        let out = fork.output();
        while !far {
            if at == done {
                at = copy_ascii(s, bytes, at, out);
                done = at;
            }
            let begin = at.checked_sub(CONTEXT);
            let Some(with_context) = begin.and_then(|begin| array_at(bytes, begin)) else { break };
            let Some(text) = array_at::<BLOCK_TEXT_BYTES>(bytes, at) else { break };
            if out.left() < BLOCK_OUTPUT_BYTES {
                break;
            }
            // From here on everything fits.
            let map = Map::at(s, with_context);
            let mut block = Found {
                start: at,
                end: at + OWN_BYTES,
                faults: map.faults >> CONTEXT & ((1 << OWN_BYTES) - 1),
                continued: map.continued >> CONTEXT,
            };
            let is_sound = block.is_sound();
            let mut from = done - at;
            while let Some((fault, fault_len)) = block.pop() {
                copy_text(text, from, fault, out);
                out.put_first(&REPLACEMENT, REPLACEMENT.len() - 1);
                from = fault + fault_len;
            }
            let end = from.max(OWN_BYTES);
            copy_text(text, from, end, out);
            done = at + end;
            at += OWN_BYTES;
            if is_sound && map.continued != 0 {
                let (end, is_far) = after_sound(engine, bytes, at, out.left());
                if !bytes.get(at..end).is_some_and(|text| out.put(text)) {
                    break;
                }
                (at, done, far) = (end, end, is_far);
            }
        }
        fork.join();
        Replaced { at, done, far }
    }
}

/// Copies `text[from..to]`, which is no longer than a block. It always writes 64 bytes, so that
/// there is no branch on the length.
#[inline(always)]
fn copy_text(text: &[u8; BLOCK_TEXT_BYTES], from: usize, to: usize, out: &mut Output<'_>) {
    if let Some(bytes) = array_at::<BLOCK_BYTES>(text, from) {
        out.put_first(bytes, to - from);
    }
}

/// Copies the ASCII from `from` on, in groups of [`ASCII_GROUP_BYTES`] bytes and, after at least one of
/// them, in cache lines. Returns where it ends.
#[inline(always)]
fn copy_ascii<S: Surveyor>(s: S, bytes: &[u8], from: usize, out: &mut Output<'_>) -> usize {
    let mut at = from;
    while let Some(group) = array_at::<ASCII_GROUP_BYTES>(bytes, at)
        && let Some(is_ascii) = s.put_and_test_ascii(group, out)
    {
        let n = match is_ascii {
            // To an aligned address: a store that crosses cache lines takes twice as long.
            true => ASCII_GROUP_BYTES - (LINE_BYTES - out.bytes_to_line()) % LINE_BYTES,
            false if at > from => s.ascii_lines(group) * LINE_BYTES,
            false => 0,
        };
        out.retract(ASCII_GROUP_BYTES - n);
        at += n;
        if !is_ascii {
            break;
        }
    }
    at
}

/// Returns the block at `at` and its context, with zeros for missing bytes. A zero after a cut-off
/// character makes it an ill-formed sequence.
#[inline(never)]
pub fn padded(bytes: &[u8], at: usize) -> [u8; BLOCK_BYTES] {
    let mut padded = [0; BLOCK_BYTES];
    let begin = at.saturating_sub(CONTEXT);
    let end = bytes.len().min(at + OWN_BYTES + CONTEXT);
    padded[CONTEXT + begin - at..][..end - begin].copy_from_slice(&bytes[begin..end]);
    padded
}

/// Returns where the ASCII from `from` on ends, in groups of [`ASCII_GROUP_BYTES`] bytes and, after at
/// least one of them, in cache lines. It stops after [`LONGEST_CHUNK_BYTES`].
#[inline(always)]
fn after_ascii<S: Surveyor>(s: S, bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(group) = array_at::<ASCII_GROUP_BYTES>(bytes, at)
        && at < from + LONGEST_CHUNK_BYTES
    {
        if s.is_ascii(group) {
            // To an aligned address: a load that crosses cache lines takes twice as long.
            at += ASCII_GROUP_BYTES - group.as_ptr().addr() % LINE_BYTES;
        } else if at == from {
            break;
        } else {
            return at + s.ascii_lines(group) * LINE_BYTES;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    /// Copies ASCII: only ASCII, with another byte at each position, and without enough space.
    struct Puts;

    impl<E: Surveys> Job<E, (), ()> for Puts {
        fn run(engine: E, _: &[u8], (): ()) {
            let surveyor = engine.surveyor();
            let ascii: [u8; 256] = core::array::from_fn(|i| (i * 7 % 128) as u8);
            let others = (0..256).map(|at| {
                let mut text = ascii;
                text[at] |= 0x80;
                text
            });
            for text in others.chain([ascii]) {
                let mut room = [core::mem::MaybeUninit::uninit(); 6 + 3 * 256 - 1];
                let mut out = Output::new(&mut room);
                assert!(out.put(b"before"));
                assert_eq!(surveyor.put_and_test_ascii(&text, &mut out), Some(text.is_ascii()));
                assert_eq!(surveyor.put_and_test_ascii(&ascii, &mut out), Some(true));
                assert_eq!(
                    surveyor.put_and_test_ascii(&ascii, &mut out),
                    None,
                    "there is room for one byte less"
                );
                assert_eq!(out.finish(), [&b"before"[..], &text, &ascii].concat());
                assert_eq!(surveyor.is_ascii(&text), text.is_ascii());
                let lines = text.chunks(LINE_BYTES).take_while(|line| line.is_ascii()).count();
                assert_eq!(surveyor.ascii_lines(&text), lines);
            }
        }
    }

    #[test]
    fn ascii_is_copied_and_tested() {
        for kernel in Kernel::available() {
            kernel.run(Puts, &[], ());
        }
    }

    /// A caller may want only a few of the characters after a fault.
    #[test]
    fn a_search_goes_no_farther_than_a_chunk_of_ascii() {
        static TEXT: [u8; 3 * LONGEST_CHUNK_BYTES] = [b'a'; 3 * LONGEST_CHUNK_BYTES];
        for kernel in Kernel::available() {
            for from in [0, 1, 58, 100] {
                let found = kernel.run(Seek, &TEXT, from);
                assert!(found.is_sound() && found.start == found.end, "{kernel:?}, {from}: {found:?}");
                let gained = found.end - from;
                let most = LONGEST_CHUNK_BYTES + ASCII_GROUP_BYTES;
                assert!((LONGEST_CHUNK_BYTES..most).contains(&gained), "{kernel:?}, {from}: {gained}");
            }
        }
    }
}

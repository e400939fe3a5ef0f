//! Where the ill-formed sequences of a text are: all of them, one behind the other.
//!
//! A validator stops at the first one. What replaces them, lists them or steps over them must go on, and
//! where they stand close together it is of no use to start a validator anew behind each: the start is
//! most of what that would do. So there are two gaits:
//!
//! ```text
//! near:  for each block of 58 bytes, with the three before it and the three behind it: a map of two words.
//!        One has a bit for the first byte of each ill-formed sequence, the other for the bytes that continue one.
//!        A few blocks without any: go on below.
//! far:   a kernel validates a piece. Valid: the next piece is twice as long.
//!        Suspicious: the kernel validates what is before the suspicion; go on above.
//! ```
//!
//! 1. **The map needs no automaton.** Whether a byte begins an ill-formed sequence depends on the three
//!    bytes before it and the three behind it, and nothing else. So it is a formula of a few masks, for
//!    64 places at once, with neither a table nor a branch; see [`Map::of`]. How many sequences are ill-formed
//!    makes no difference to it.
//! 2. **No block waits for another.** What a map must know of its neighbours is read again. (Blocks of 61 to 64 bytes, each
//!    beginning where a sequence begins, need no neighbours; but each must wait for the length of the one
//!    before, and takes 1.4 times as long.)
//! 3. **Pieces grow by doubling**, so what a kernel reads in vain behind a fault is in proportion
//!    to what was sound before it: the whole is linear, for every input.
//! 4. **Only 'valid' is believed.** Where a kernel suspects something, what comes before is not taken for sound,
//!    but validated. So what rests on this file rests on a kernel's 'valid' and on the map, and not on places.

#![forbid(unsafe_code)]

use crate::boundary;
#[cfg(feature = "alloc")]
use crate::output::Output;

/// How far from a byte what stands there decides about it: a character has at most three bytes besides.
const CONTEXT: usize = 3;

/// What a map is made of: as many bytes as a word has bits.
pub(crate) const WINDOW: usize = 64;

/// The bytes of a window that have their context in it.
pub(crate) const BLOCK: usize = WINDOW - 2 * CONTEXT;

/// ASCII is skipped in larger steps, and then in windows.
const ASCII_STEP: usize = 4 * WINDOW;

/// So many blocks without a fault, and the kernel goes on.
const NEAR: usize = 8;

/// The piece that a kernel begins with.
pub(crate) const FIRST_PIECE: usize = 512;

/// The longest piece: short enough to be still in the cache for whoever copies it.
pub(crate) const LAST_PIECE: usize = 64 << 10;

/// What the bytes of a window are. Each is a bit, the first byte's the lowest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Classes {
    /// 80 to FF: all but ASCII.
    pub(crate) high: u64,
    /// C0 to FF: it begins a sequence of two bytes or more, or should.
    pub(crate) lead: u64,
    /// E0 to FF: of three or more.
    pub(crate) lead3: u64,
    /// F0 to FF: of four or more.
    pub(crate) lead4: u64,
    /// It may be the second byte of a character that begins with the one before it. Means something
    /// only where that one is a lead, and this one a continuation.
    pub(crate) allowed: u64,
}

/// The ill-formed sequences of a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Map {
    /// The first byte of each.
    faults: u64,
    /// The bytes that continue the sequence before them, be it ill-formed or not.
    continued: u64,
}

impl Map {
    /// The map of a window.
    #[inline(always)]
    fn at<S: Surveyor>(s: S, window: &[u8; WINDOW]) -> Self {
        let high = s.high(window);
        if high & high << 1 == 0 {
            // Each stands alone in ASCII, so it is ill-formed, whatever it is.
            return Self { faults: high, continued: 0 };
        }
        Self::of(s.classes(window))
    }

    /// The map of what its bytes are. It means something for a place that has its context in the window.
    ///
    /// A sequence is a character, or as much of the beginning of one as there is (Unicode's 'maximal
    /// subpart'), or else a single byte.
    #[inline(always)]
    fn of(classes: Classes) -> Self {
        let Classes { high, lead, lead3, lead4, allowed } = classes;
        let continuation = high & !lead;
        // Bytes that continue what was begun one, two, three bytes before them.
        let second = lead << 1 & continuation & allowed;
        let third = (second & lead3 << 1) << 1 & continuation;
        let fourth = (third & lead4 << 2) << 1 & continuation;
        let continued = second | third | fourth;
        // Leads of two, three, four bytes that all of these follow.
        let whole = lead & !lead3 & second >> 1 | lead3 & !lead4 & third >> 2 | lead4 & fourth >> 3;
        Self { faults: high & !continued & !whole, continued }
    }
}

/// An instruction set, for the map.
pub(crate) trait Surveyor: Copy {
    /// Which bytes are not ASCII, the first one's answer as the lowest bit.
    fn high(self, window: &[u8; WINDOW]) -> u64;

    /// What the bytes are.
    fn classes(self, window: &[u8; WINDOW]) -> Classes;

    /// Whether all are ASCII.
    fn is_ascii(self, bytes: &[u8; ASCII_STEP]) -> bool;

    /// Appends the bytes, if there is room, and says whether all of them are ASCII: loaded once, looked at and stored.
    #[cfg(feature = "alloc")]
    fn put_and_ask(self, bytes: &[u8; ASCII_STEP], out: &mut Output<'_>) -> Option<bool>;

    /// How many windows are ASCII, before the first that is not.
    fn ascii_windows(self, bytes: &[u8; ASCII_STEP]) -> usize;
}

/// A block, and what is before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    /// Where the block begins. From where the search began up to here, all is well-formed.
    pub(crate) start: usize,
    /// Where it ends. Its last sequence may reach beyond. If it has no ill-formed one, a sequence begins here.
    pub(crate) end: usize,
    /// The first bytes of its ill-formed sequences, as bits, the block's first byte the lowest.
    faults: u64,
    /// The bytes that continue a sequence, also those behind the block.
    continued: u64,
}

impl Found {
    /// Nothing searched yet.
    pub(crate) const NONE: Self = Self::nothing(0);

    /// No fault, up to here.
    #[inline(always)]
    pub(crate) const fn nothing(at: usize) -> Self {
        Self { start: at, end: at, faults: 0, continued: 0 }
    }

    /// Takes the next ill-formed sequence out: the place in the block, and the length, 1 to 3.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<(usize, usize)> {
        if self.faults == 0 {
            return None;
        }
        let at = self.faults.trailing_zeros();
        self.faults &= self.faults - 1;
        let continuations = (self.continued >> at >> 1).trailing_ones();
        Some((at as usize, 1 + continuations as usize))
    }

    #[inline(always)]
    pub(crate) const fn is_sound(&self) -> bool {
        self.faults == 0
    }
}

/// The next block with a fault in it, or, if there are [`NEAR`] blocks without one, where those end. All before `from` is
/// text; should it cut off a character, what is there of that is well-formed.
#[inline(always)]
pub(crate) fn seek<S: Surveyor>(s: S, bytes: &[u8], from: usize) -> Found {
    let mut at = from;
    for _ in 0..NEAR {
        at += ascii(s, &bytes[at..]);
        let len = (bytes.len() - at).min(BLOCK);
        let map = match at.checked_sub(CONTEXT).and_then(|begin| bytes[begin..].first_chunk::<WINDOW>()) {
            Some(window) => Map::at(s, window),
            None => Map::at(s, &at_an_end(bytes, at)),
        };
        let faults = map.faults >> CONTEXT & ((1 << len) - 1);
        if faults != 0 {
            return Found { start: at, end: at + len, faults, continued: map.continued >> CONTEXT };
        }
        at += len;
        if at == bytes.len() {
            return Found::nothing(at);
        }
    }
    Found::nothing(boundary::start_before(bytes, at))
}

/// The UTF-8 of U+FFFD, and a zero, which the next byte overwrites: four bytes are one store.
#[cfg(feature = "alloc")]
pub(crate) const REPLACEMENT: [u8; 4] = *b"\xEF\xBF\xBD\0";

/// The most that a block becomes, U+FFFD three bytes for each of its own, and what is copied behind it in vain. Where there
/// is room for as much and for what is left of the text, [`replace`] does something.
#[cfg(feature = "alloc")]
pub(crate) const MOST: usize = 3 * BLOCK + WINDOW;

/// What [`replace`] has done.
#[cfg(feature = "alloc")]
#[derive(Clone, Copy)]
pub(crate) struct Replaced {
    /// Where the next block begins.
    pub(crate) at: usize,
    /// The end of what is written, in the text; a sequence may have reached into the next block.
    pub(crate) done: usize,
    /// Whether faults are no longer near.
    pub(crate) far: bool,
}

/// What [`replace`] wants there to be from the start of a block on, or it leaves the block alone.
#[cfg(feature = "alloc")]
pub(crate) const REACH: usize = 2 * WINDOW;

/// Writes what is from `at` on, with its faults replaced. All before `done`, which is in the first block, is written.
/// It stops where the room ends, shortly before the text does, and where neither a fault nor ASCII is near.
///
/// ASCII is copied while it is looked at. Of other blocks every one is copied in the same way, with a fault or without: to
/// predict which ones have none costs more.
#[cfg(feature = "alloc")]
#[inline(always)]
pub(crate) fn replace<S: Surveyor>(
    s: S,
    bytes: &[u8],
    mut at: usize,
    mut done: usize,
    out: &mut Output<'_>,
) -> Replaced {
    let (mut sound, mut far) = (0, false);
    let mut fork = out.fork();
    let out = fork.output();
    loop {
        if at == done {
            at += copy_ascii(s, &bytes[at..], out);
            done = at;
        }
        let begin = at.checked_sub(CONTEXT);
        let Some(window) = begin.and_then(|begin| bytes[begin..].first_chunk::<WINDOW>()) else { break };
        let Some(text) = bytes[at..].first_chunk::<REACH>() else { break };
        if out.left() < MOST {
            break;
        }
        // From here on everything fits.
        let map = Map::at(s, window);
        let mut block = Found {
            start: at,
            end: at + BLOCK,
            faults: map.faults >> CONTEXT & ((1 << BLOCK) - 1),
            continued: map.continued >> CONTEXT,
        };
        sound = if block.is_sound() { sound + 1 } else { 0 };
        let mut from = done - at;
        while let Some((fault, fault_len)) = block.pop() {
            copy_run(text, from, fault, out);
            out.put_first(&REPLACEMENT, REPLACEMENT.len() - 1);
            from = fault + fault_len;
        }
        let end = from.max(BLOCK);
        copy_run(text, from, end, out);
        done = at + end;
        at += BLOCK;
        if sound == NEAR {
            far = true;
            break;
        }
    }
    fork.join();
    Replaced { at, done, far }
}

/// Copies a run of `text`, which is no longer than a block: always as much as that, without a branch on its length.
#[cfg(feature = "alloc")]
#[inline(always)]
fn copy_run(text: &[u8; REACH], from: usize, to: usize, out: &mut Output<'_>) {
    if let Some(run) = text[from..].first_chunk::<WINDOW>() {
        out.put_first(run, to - from);
    }
}

/// Copies ASCII from the start on: if a step or more, then also windows behind that. Returns how much it was.
#[cfg(feature = "alloc")]
#[inline(always)]
fn copy_ascii<S: Surveyor>(s: S, bytes: &[u8], out: &mut Output<'_>) -> usize {
    let mut at = 0;
    while let Some(step) = bytes[at..].first_chunk::<ASCII_STEP>()
        && let Some(is_ascii) = s.put_and_ask(step, out)
    {
        let n = match is_ascii {
            // To an aligned place: a store that crosses cache lines takes twice as long.
            true => ASCII_STEP - (WINDOW - out.bytes_to_line()) % WINDOW,
            false if at > 0 => s.ascii_windows(step) * WINDOW,
            false => 0,
        };
        out.retract(ASCII_STEP - n);
        at += n;
        if !is_ascii {
            break;
        }
    }
    at
}

/// The window of the block at `at`, with zeros for what is not there. So a character that the end cuts off shows itself.
#[inline(always)]
fn at_an_end(bytes: &[u8], at: usize) -> [u8; WINDOW] {
    let mut window = [0; WINDOW];
    let begin = at.saturating_sub(CONTEXT);
    let end = bytes.len().min(at + BLOCK + CONTEXT);
    window[CONTEXT + begin - at..][..end - begin].copy_from_slice(&bytes[begin..end]);
    window
}

/// How many bytes of ASCII there are at the start: if a step or more, then also in windows behind that; else 0.
#[inline(always)]
fn ascii<S: Surveyor>(s: S, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(step) = bytes[at..].first_chunk::<ASCII_STEP>()
        && at < LAST_PIECE
    {
        if s.is_ascii(step) {
            // To an aligned place: a load that crosses cache lines takes twice as long.
            at += ASCII_STEP - bytes[at..].as_ptr().addr() % WINDOW;
        } else if at == 0 {
            break;
        } else {
            return at + s.ascii_windows(step) * WINDOW;
        }
    }
    at
}

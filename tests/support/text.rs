//! Valid text of any length, and a place to put it at any alignment.

use std::ops::Range;

/// Units that are repeated to make text: characters of one length each, all lengths mixed, and mixtures as languages have
/// them.
pub const UNITS: [&str; 8] = [
    "a",
    "é",
    "日",
    "😀",
    // 37 bytes long, so that it meets the end of every block in every phase.
    "aé日😀bcöд語한😁!~üé",
    "The quick brown fox jumps over the lazy dog, and then some more of it: café. ",
    "Съешь же ещё этих мягких французских булок, да выпей чаю — 1 + 1 = 2",
    // The first and the last character of each length, and those next to the surrogates.
    "\0\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}",
];

/// A repeated unit, to fill text with.
pub struct Filler {
    text: String,
}

/// The length of the longest filler that a test asks for.
const LONGEST: usize = 96 * 1024;
static ASCII: [u8; LONGEST] = [b'.'; LONGEST];

impl Filler {
    /// Returns a filler for each of these units.
    pub fn of(units: Range<usize>) -> Vec<Self> {
        UNITS[units].iter().map(|unit| Self { text: unit.repeat(LONGEST / unit.len()) }).collect()
    }

    /// Returns the fillers whose characters have one, two, three and four bytes, and one with all of them.
    pub fn all() -> Vec<Self> {
        Self::of(0..5)
    }

    /// Returns `n` bytes, in two parts: ASCII where no character fits, and filler to the end.
    pub fn before(&self, n: usize) -> [&[u8]; 2] {
        let mut from = self.text.len() - n;
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let filled = &self.text.as_bytes()[from..];
        [&ASCII[..n - filled.len()], filled]
    }

    /// Returns `n` bytes, in two parts: filler from the start, and ASCII where no character fits.
    pub fn after(&self, n: usize) -> [&[u8]; 2] {
        let mut to = n;
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        let filled = &self.text.as_bytes()[..to];
        [filled, &ASCII[..n - filled.len()]]
    }

    /// Returns the first `n` bytes of the filler, which may end inside a character.
    pub fn cut(&self, n: usize) -> &[u8] {
        &self.text.as_bytes()[..n]
    }
}

/// Memory in which input lies at a chosen distance from a multiple of 64, between bytes that would
/// change the verdict if a kernel looked at them.
pub struct Place {
    memory: Vec<u8>,
    /// The index of the first multiple of 64.
    origin: usize,
}

/// How many bytes lie on each side of the input.
const MARGIN: usize = 128;

impl Place {
    /// Returns a place for input of up to `capacity` bytes.
    pub fn new(capacity: usize) -> Self {
        let memory = vec![0; capacity + 2 * MARGIN + 2 * 64];
        let origin = memory.as_ptr().align_offset(64);
        Self { memory, origin }
    }

    /// Puts the parts one after the other, `alignment` bytes after a multiple of 64.
    ///
    /// Every byte before them is the lead of a four-byte character, and every byte after them a continuation.
    pub fn put(&mut self, alignment: usize, parts: &[&[u8]]) -> &[u8] {
        let start = self.origin + MARGIN + alignment;
        let mut end = start;
        self.memory[start - MARGIN..start].fill(0xF1);
        for part in parts {
            self.memory[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        self.memory[end..end + MARGIN].fill(0x80);
        debug_assert_eq!((self.memory[start..].as_ptr().addr() - alignment) % 64, 0);
        &self.memory[start..end]
    }
}

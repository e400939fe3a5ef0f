//! Valid text of any length, and a place to put it at any alignment.

/// A script, or a mixture, to fill text with.
pub(crate) struct Filler {
    text: String,
}

/// Longer than any filled stretch of a test.
const LONGEST: usize = 96 * 1024;
static ASCII: [u8; LONGEST] = [b'.'; LONGEST];

impl Filler {
    /// ASCII, two, three and four bytes a character, and all of them mixed.
    pub(crate) fn all() -> Vec<Self> {
        // The mixture has a period of 37 bytes, so that it meets every seam in every phase.
        ["a", "é", "日", "😀", "aé日😀bcöд語한😁!~üé"]
            .map(|unit| Self { text: unit.repeat(LONGEST / unit.len()) })
            .into()
    }

    /// `n` bytes that end with filler; the first ones are ASCII where a character does not fit.
    pub(crate) fn before(&self, n: usize) -> [&[u8]; 2] {
        let mut from = self.text.len() - n;
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let filled = &self.text.as_bytes()[from..];
        [&ASCII[..n - filled.len()], filled]
    }

    /// `n` bytes that begin with filler; the last ones are ASCII where a character does not fit.
    pub(crate) fn behind(&self, n: usize) -> [&[u8]; 2] {
        let mut to = n;
        while !self.text.is_char_boundary(to) {
            to -= 1;
        }
        let filled = &self.text.as_bytes()[..to];
        [filled, &ASCII[..n - filled.len()]]
    }
}

/// Memory in which input lies at a chosen distance from a multiple of 64, between bytes that would
/// change the verdict if a kernel looked at them.
pub(crate) struct Place {
    memory: Vec<u8>,
    /// Of the first multiple of 64.
    origin: usize,
}

/// On both sides of the input.
const MARGIN: usize = 128;

impl Place {
    /// A place for input of up to `capacity` bytes.
    pub(crate) fn new(capacity: usize) -> Self {
        let memory = vec![0; capacity + 2 * MARGIN + 2 * 64];
        let origin = memory.as_ptr().align_offset(64);
        Self { memory, origin }
    }

    /// The parts, one behind the other, `alignment` bytes behind a multiple of 64.
    ///
    /// Before them stands the lead of a four-byte character, everywhere; behind them, continuations.
    pub(crate) fn put(&mut self, alignment: usize, parts: &[&[u8]]) -> &[u8] {
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

//! Random text, the same in each run.
//!
//! Proptest makes descriptions of texts (which passages, how long, which changes), not the bytes themselves: a failure
//! then shrinks to a short description even where the input must be long.

use proptest::prelude::*;
use proptest::sample::Index;

use super::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::scale;

/// Returns a configuration of proptest with the share of `natively` that the scale says, but at least `least` cases.
/// A failure is printed, and not written to a file.
pub fn cases(natively: u32, least: u32) -> ProptestConfig {
    config(scale::cases(natively, least))
}

/// Returns the same for `slow_scale`: up to scale 8, all cases.
pub fn slow_cases(natively: u32, least: u32) -> ProptestConfig {
    config(scale::slow_cases(natively, least))
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// A deterministic sequence of numbers (xorshift).
pub struct Random(u64);

impl Random {
    /// The seed is not zero, which would give zeros for ever.
    pub fn new(seed: u64) -> Self {
        assert_ne!(seed, 0);
        Self(seed)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The upper half is what is random about it.
        (((self.0 >> 32) * u64::from(n)) >> 32) as u32
    }

    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u32) as usize
    }

    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.index(choices.len())]
    }

    fn character(&mut self, from: u32, to: u32) -> char {
        // A surrogate is replaced by the last character before them.
        char::from_u32(from + self.below(to - from + 1)).unwrap_or('\u{D7FF}')
    }
}

/// What a passage of text is made of.
#[derive(Clone, Copy, Debug)]
pub enum Script {
    Ascii,
    TwoBytes,
    ThreeBytes,
    FourBytes,
    /// Mostly ASCII.
    Western,
    /// Two bytes, with spaces.
    Cyrillic,
    /// Three bytes, with ASCII.
    Markup,
    Boundary,
    Anything,
}

fn script() -> impl Strategy<Value = Script> {
    use Script::*;
    prop::sample::select(vec![
        Ascii, TwoBytes, ThreeBytes, FourBytes, Western, Cyrillic, Markup, Boundary, Anything,
    ])
}

impl Script {
    fn character(self, random: &mut Random) -> char {
        let dice = random.below(16);
        match self {
            Self::Ascii => random.character(0, 0x7F),
            Self::TwoBytes => random.character(0x80, 0x7FF),
            Self::ThreeBytes => random.character(0x800, 0xFFFF),
            Self::FourBytes => random.character(0x1_0000, 0x10_FFFF),
            Self::Western if dice == 0 => random.character(0xC0, 0xFF),
            Self::Western => random.character(0x20, 0x7E),
            Self::Cyrillic if dice < 3 => ' ',
            Self::Cyrillic => random.character(0x410, 0x44F),
            Self::Markup if dice < 6 => random.character(0x20, 0x7E),
            Self::Markup => random.character(0x4E00, 0x9FFF),
            Self::Boundary => random.one_of(&BOUNDARY_CHARACTERS),
            Self::Anything => {
                let (from, to) =
                    [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x1_0000, 0x10_FFFF)][dice as usize % 4];
                random.character(from, to)
            }
        }
    }
}

/// A passage of text in one script.
#[derive(Clone, Debug)]
pub struct Passage {
    pub script: Script,
    pub bytes: usize,
    pub seed: u64,
}

pub fn passage(bytes: impl Strategy<Value = usize>) -> impl Strategy<Value = Passage> {
    (script(), bytes, 1..=u64::MAX).prop_map(|(script, bytes, seed)| Passage { script, bytes, seed })
}

/// Returns valid text, with at most three bytes more than the passages ask for.
pub fn text(passages: &[Passage]) -> Vec<u8> {
    compose(passages, |_| false)
}

/// Returns the same, with about one character in 32 replaced by a newline.
pub fn lines(passages: &[Passage]) -> Vec<u8> {
    compose(passages, |random| random.below(32) == 0)
}

fn compose(passages: &[Passage], ends_line: impl Fn(&mut Random) -> bool) -> Vec<u8> {
    let mut text = String::new();
    for passage in passages {
        let mut random = Random::new(passage.seed);
        let end = text.len() + passage.bytes;
        while text.len() < end {
            let character = passage.script.character(&mut random);
            text.push(if ends_line(&mut random) { '\n' } else { character });
        }
    }
    text.into_bytes()
}

/// A way to spoil text, or perhaps not.
#[derive(Clone, Debug)]
pub enum Mutation {
    Set(Index, u8),
    FlipBit(Index, u8),
    Remove(Index),
    Insert(Index, u8),
    InsertMalformed(Index, Index),
    /// Puts a malformed sequence over what is there, so that nothing else moves.
    Overwrite(Index, Index),
    Repeat(Index),
    CutEnd(u8),
    CutStart(u8),
}

pub fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        2 => (at(), 0..8_u8).prop_map(|(at, bit)| Mutation::FlipBit(at, bit)),
        2 => at().prop_map(Mutation::Remove),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        2 => insertion(),
        2 => (at(), at()).prop_map(|(at, which)| Mutation::Overwrite(at, which)),
        1 => at().prop_map(Mutation::Repeat),
        1 => (1..=3_u8).prop_map(Mutation::CutEnd),
        1 => (1..=3_u8).prop_map(Mutation::CutStart),
    ]
}

/// A malformed sequence somewhere in the text.
pub fn insertion() -> impl Strategy<Value = Mutation> {
    (any::<Index>(), any::<Index>()).prop_map(|(at, which)| Mutation::InsertMalformed(at, which))
}

impl Mutation {
    pub fn apply(&self, bytes: &mut Vec<u8>) {
        let n = bytes.len();
        match self {
            Self::InsertMalformed(at, which) => {
                let at = at.index(n + 1);
                bytes.splice(at..at, MALFORMED[which.index(MALFORMED.len())].bytes.iter().copied());
            }
            _ if n == 0 => {}
            Self::Set(at, byte) => bytes[at.index(n)] = *byte,
            Self::FlipBit(at, bit) => bytes[at.index(n)] ^= 1 << bit,
            Self::Remove(at) => drop(bytes.remove(at.index(n))),
            Self::Insert(at, byte) => bytes.insert(at.index(n + 1), *byte),
            Self::Overwrite(at, which) => {
                let at = at.index(n);
                let malformed = MALFORMED[which.index(MALFORMED.len())].bytes;
                let len = malformed.len().min(n - at);
                bytes[at..at + len].copy_from_slice(&malformed[..len]);
            }
            Self::Repeat(at) => {
                let at = at.index(n);
                bytes.insert(at, bytes[at]);
            }
            Self::CutEnd(by) => bytes.truncate(n.saturating_sub(usize::from(*by))),
            Self::CutStart(by) => drop(bytes.drain(..n.min(usize::from(*by)))),
        }
    }
}

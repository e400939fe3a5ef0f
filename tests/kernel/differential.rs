//! Random input of many shapes: every kernel and path against the reference and `core::str`.
//!
//! Proptest makes descriptions of texts (which stretches, how long, which changes), not the bytes
//! themselves: a failure then shrinks to a short description even where the input must be long.

use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::text::Place;
use super::support::{check, scale};
use proptest::prelude::*;
use proptest::sample::Index;

/// So many cases natively, and the share of them that [`scale`] says.
fn cases(natively: u32) -> ProptestConfig {
    ProptestConfig {
        cases: (natively / scale() as u32).max(64),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Lengths around which kernels change what they do, and any up to 16 KiB.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0_usize..=70,
        3 => 120_usize..=140,
        2 => 250_usize..=260,
        2 => 480_usize..=520,
        2 => 560_usize..=660,
        2 => 1000_usize..=1100,
        1 => 0_usize..=16 * 1024,
    ]
}

/// What a stretch of text is made of.
#[derive(Clone, Copy, Debug)]
enum Script {
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

/// Random numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        // Xorshift; the upper half is what is random about it.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (((self.0 >> 32) * u64::from(n)) >> 32) as u32
    }

    fn character(&mut self, from: u32, to: u32) -> char {
        // A surrogate is replaced by the last character before them.
        char::from_u32(from + self.below(to - from + 1)).unwrap_or('\u{D7FF}')
    }
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
            Self::Boundary => BOUNDARY_CHARACTERS[random.below(10) as usize],
            Self::Anything => {
                let (from, to) =
                    [(0, 0x7F), (0x80, 0x7FF), (0x800, 0xFFFF), (0x1_0000, 0x10_FFFF)][dice as usize % 4];
                random.character(from, to)
            }
        }
    }
}

/// A stretch of text in one script.
#[derive(Clone, Debug)]
struct Stretch {
    script: Script,
    bytes: usize,
    seed: u64,
}

fn stretch(bytes: impl Strategy<Value = usize>) -> impl Strategy<Value = Stretch> {
    // A seed of 0 would give zeros for ever.
    (script(), bytes, 1..=u64::MAX).prop_map(|(script, bytes, seed)| Stretch { script, bytes, seed })
}

/// Valid text, with at most three bytes more than the stretches ask for.
fn text(stretches: &[Stretch]) -> Vec<u8> {
    let mut text = String::new();
    for stretch in stretches {
        let mut random = Random(stretch.seed);
        let end = text.len() + stretch.bytes;
        while text.len() < end {
            text.push(stretch.script.character(&mut random));
        }
    }
    text.into_bytes()
}

/// A way to spoil text, or perhaps not.
#[derive(Clone, Debug)]
enum Mutation {
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

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        2 => (at(), 0..8_u8).prop_map(|(at, bit)| Mutation::FlipBit(at, bit)),
        2 => at().prop_map(Mutation::Remove),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Insert(at, byte)),
        2 => (at(), at()).prop_map(|(at, which)| Mutation::InsertMalformed(at, which)),
        2 => (at(), at()).prop_map(|(at, which)| Mutation::Overwrite(at, which)),
        1 => at().prop_map(Mutation::Repeat),
        1 => (1..=3_u8).prop_map(Mutation::CutEnd),
        1 => (1..=3_u8).prop_map(Mutation::CutStart),
    ]
}

impl Mutation {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let n = bytes.len();
        match self {
            Self::Set(at, byte) => bytes[at.index(n)] = *byte,
            Self::FlipBit(at, bit) => bytes[at.index(n)] ^= 1 << bit,
            Self::Remove(at) => drop(bytes.remove(at.index(n))),
            Self::Insert(at, byte) => bytes.insert(at.index(n + 1), *byte),
            Self::InsertMalformed(at, which) => {
                let at = at.index(n + 1);
                bytes.splice(at..at, MALFORMED[which.index(MALFORMED.len())].bytes.iter().copied());
            }
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

/// Asserts that all agree on `bytes`, at the given alignment.
fn check_at(alignment: usize, bytes: &[u8]) {
    check(Place::new(bytes.len()).put(alignment, &[bytes]));
}

proptest! {
    #![proptest_config(cases(60_000))]

    #[test]
    fn arbitrary_bytes(bytes in lengths().prop_flat_map(|len| prop::collection::vec(any::<u8>(), len.min(300)))) {
        check(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(120_000))]

    /// Random bytes are wrong within the first few; behind valid text they are wrong elsewhere.
    #[test]
    fn arbitrary_bytes_inside_text(
        before in stretch(lengths()),
        bytes in prop::collection::vec(any::<u8>(), 0..=6),
        behind in stretch(lengths()),
        alignment in 0..64_usize,
    ) {
        check_at(alignment, &[text(&[before]), bytes, text(&[behind])].concat());
    }

    /// Bytes that stand at the edges of the grammar's ranges, which make well-formed text often and
    /// nearly well-formed text always.
    #[test]
    fn bytes_at_the_edges(
        before in stretch(lengths()),
        bytes in prop::collection::vec(prop::sample::select(vec![
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF7, 0xF8, 0xFF_u8,
        ]), 0..=8),
        alignment in 0..64_usize,
    ) {
        check_at(alignment, &[text(&[before]), bytes].concat());
    }

    #[test]
    fn text_with_mutations(
        stretches in prop::collection::vec(stretch(lengths()), 1..=3),
        mutations in prop::collection::vec(mutation(), 0..=3),
        alignment in 0..64_usize,
    ) {
        let mut bytes = text(&stretches);
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }

    #[test]
    fn boundary_characters_with_mutations(
        characters in lengths().prop_flat_map(|len| {
            prop::collection::vec(prop::sample::select(BOUNDARY_CHARACTERS.to_vec()), len.min(300))
        }),
        mutations in prop::collection::vec(mutation(), 0..=2),
        alignment in 0..64_usize,
    ) {
        let mut bytes = String::from_iter(characters).into_bytes();
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }
}

proptest! {
    #![proptest_config(cases(16_000))]

    /// Runs of 100 bytes to 68 KiB in one script each: superblocks in a row, steps over ASCII, chunks, and the
    /// changes between them.
    #[test]
    fn long_runs_with_mutations(
        stretches in prop::collection::vec(
            stretch(prop_oneof![4 => 100..=3000_usize, 3 => 2048..=10_000_usize, 1 => 10_000..=70_000_usize]),
            1..=4,
        ),
        mutations in prop::collection::vec(mutation(), 0..=3),
        alignment in 0..64_usize,
    ) {
        let mut bytes = text(&stretches);
        bytes.truncate(96 * 1024);
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }
}

proptest! {
    #![proptest_config(cases(24_000))]

    /// Long ASCII with short stretches of other text in it, which is what markup, code and logs are.
    #[test]
    fn islands_with_mutations(
        stretches in prop::collection::vec((0..=1500_usize, 1..=u64::MAX, stretch(1..=300_usize)), 1..=6),
        mutations in prop::collection::vec(mutation(), 0..=2),
        alignment in 0..64_usize,
    ) {
        let stretches: Vec<Stretch> = stretches
            .into_iter()
            .flat_map(|(bytes, seed, island)| [Stretch { script: Script::Ascii, bytes, seed }, island])
            .collect();
        let mut bytes = text(&stretches);
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }
}

/// That the descriptions make what their names say: a generator that went wrong would test little and
/// fail never.
#[test]
fn the_generators_make_what_they_say() {
    let of = |script, bytes| text(&[Stretch { script, bytes, seed: 12345 }]);
    let lengths = |script| {
        let text = String::from_utf8(of(script, 4096)).expect("valid text");
        assert!((4096..4096 + 4).contains(&text.len()));
        let mut lengths: Vec<_> = text.chars().map(char::len_utf8).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
    };
    assert_eq!(lengths(Script::Ascii), [1]);
    assert_eq!(lengths(Script::TwoBytes), [2]);
    assert_eq!(lengths(Script::ThreeBytes), [3]);
    assert_eq!(lengths(Script::FourBytes), [4]);
    assert_eq!(lengths(Script::Western), [1, 2]);
    assert_eq!(lengths(Script::Cyrillic), [1, 2]);
    assert_eq!(lengths(Script::Markup), [1, 3]);
    assert_eq!(lengths(Script::Boundary), [1, 2, 3, 4]);
    assert_eq!(lengths(Script::Anything), [1, 2, 3, 4]);
}

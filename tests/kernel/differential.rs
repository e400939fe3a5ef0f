//! Random input of many shapes, for every kernel and way, against the oracle and `core::str`.

use super::support::kernels::check;
use super::support::malformed::BOUNDARY_CHARACTERS;
use super::support::random::{Passage, Script, cases, mutation, passage, text};
use super::support::text::Place;
use proptest::prelude::*;

/// Lengths around which kernels choose another way, and any length up to 16 KiB.
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

/// Asserts that all agree on `bytes` at this alignment.
fn check_at(alignment: usize, bytes: &[u8]) {
    check(Place::new(bytes.len()).put(alignment, &[bytes]));
}

proptest! {
    #![proptest_config(cases(60_000, 64))]

    #[test]
    fn arbitrary_bytes(bytes in lengths().prop_flat_map(|len| prop::collection::vec(any::<u8>(), len.min(300)))) {
        check(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(120_000, 64))]

    /// Random bytes are wrong within the first few. After valid text, they are wrong elsewhere.
    #[test]
    fn arbitrary_bytes_inside_text(
        before in passage(lengths()),
        bytes in prop::collection::vec(any::<u8>(), 0..=6),
        after in passage(lengths()),
        alignment in 0..64_usize,
    ) {
        check_at(alignment, &[text(&[before]), bytes, text(&[after])].concat());
    }

    /// Bytes at the edges of the grammar's ranges often make well-formed text, and otherwise text that is nearly
    /// well-formed.
    #[test]
    fn bytes_at_the_edges(
        before in passage(lengths()),
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
        passages in prop::collection::vec(passage(lengths()), 1..=3),
        mutations in prop::collection::vec(mutation(), 0..=3),
        alignment in 0..64_usize,
    ) {
        let mut bytes = text(&passages);
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
    #![proptest_config(cases(16_000, 64))]

    /// Passages of 100 bytes to 68 KiB in one script each: runs of superblocks, runs of ASCII, and the changes between
    /// them.
    #[test]
    fn long_runs_with_mutations(
        passages in prop::collection::vec(
            passage(prop_oneof![4 => 100..=3000_usize, 3 => 2048..=10_000_usize, 1 => 10_000..=70_000_usize]),
            1..=4,
        ),
        mutations in prop::collection::vec(mutation(), 0..=3),
        alignment in 0..64_usize,
    ) {
        let mut bytes = text(&passages);
        bytes.truncate(96 * 1024);
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }
}

proptest! {
    #![proptest_config(cases(24_000, 64))]

    /// Long ASCII with short passages of other text in it, as in markup, code and logs.
    #[test]
    fn islands_with_mutations(
        passages in prop::collection::vec((0..=1500_usize, 1..=u64::MAX, passage(1..=300_usize)), 1..=6),
        mutations in prop::collection::vec(mutation(), 0..=2),
        alignment in 0..64_usize,
    ) {
        let passages: Vec<Passage> = passages
            .into_iter()
            .flat_map(|(bytes, seed, island)| [Passage { script: Script::Ascii, bytes, seed }, island])
            .collect();
        let mut bytes = text(&passages);
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        check_at(alignment, &bytes);
    }
}

/// Scripts make what their names say: a generator that went wrong would test little and never fail.
#[test]
fn the_generators_make_what_they_say() {
    let of = |script, bytes| text(&[Passage { script, bytes, seed: 12345 }]);
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

//! The lossy decoder has the text of the whole input, wherever the input is cut.

use std::cell::RefCell;

use super::cuts::{VALID, malformed};
use super::policies::repaired;
use super::support::kernels::{Way, ways};
use super::support::random::{self, cases, mutation, passage};
use super::support::scale::Thin;
use super::support::text::UNITS;
use proptest::prelude::*;
use trust8::Policy;
use trust8::stream::Decoder;

/// The policies of a stream.
const POLICIES: [Policy; 5] =
    [Policy::Replace, Policy::Java, Policy::Drop, Policy::Escape, Policy::Windows1252];

/// What a policy makes of a whole input.
struct Whole {
    policy: Policy,
    text: String,
    /// The number of ill-formed sequences.
    faults: u64,
}

impl Whole {
    fn of(bytes: &[u8]) -> [Self; 5] {
        let faults = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64;
        POLICIES.map(|policy| Self { policy, text: repaired(policy, bytes), faults })
    }

    /// Decodes the pieces, and compares.
    #[track_caller]
    fn check<'a>(&self, way: &Way, pieces: impl Iterator<Item = &'a [u8]> + Clone) {
        let context = || {
            let pieces: Vec<_> = pieces.clone().map(|piece| &piece[..piece.len().min(300)]).collect();
            format!("{}, {}: {pieces:02X?}", way.name, self.policy)
        };
        let mut decoder = Decoder::with_policy(self.policy).unwrap();
        let (mut text, mut folded) = (String::new(), String::new());
        for piece in pieces.clone() {
            let range = piece.as_ptr_range();
            folded.extend(way.kernel.push_lossy(&mut { decoder }, piece));
            for part in way.kernel.push_lossy(&mut decoder, piece) {
                assert!(!part.is_empty(), "{}", context());
                // What is longer than a character or a replacement was not copied.
                assert!(part.len() <= 4 || range.contains(&part.as_ptr()), "{}", context());
                text += part;
            }
        }
        assert_eq!(folded, text, "{}", context());
        text.extend(decoder.finish());
        assert_eq!(text, self.text, "{}", context());
        assert_eq!(decoder.replaced(), self.faults, "{}", context());
        assert_eq!(decoder.pending(), b"", "{}", context());
    }
}

/// Decodes the pieces with every policy on every kernel. A scaled-down run does this for some of the calls.
#[track_caller]
fn check<'a>(wholes: &[Whole], pieces: impl Iterator<Item = &'a [u8]> + Clone) {
    thread_local!(static THIN: RefCell<Thin> = RefCell::new(Thin::new()));
    for way in ways() {
        if THIN.with_borrow_mut(Thin::keep) {
            wholes.iter().for_each(|whole| whole.check(way, pieces.clone()));
        }
    }
}

/// Checks every cut in two, and pieces of many lengths.
#[track_caller]
fn check_every_cut(bytes: &[u8]) {
    let wholes = Whole::of(bytes);
    for at in 0..=bytes.len() {
        check(&wholes, [&bytes[..at], &bytes[at..]].into_iter());
    }
    for length in [1, 2, 3, 4, 5, 7, 8, 16, 33, 64] {
        check(&wholes, bytes.chunks(length));
    }
    check(&wholes, bytes.chunks(1).flat_map(|piece| [piece, &[]]));
}

#[test]
fn every_cut_of_every_text() {
    for unit in UNITS {
        check_every_cut(unit.as_bytes());
        check_every_cut(&unit.repeat(300 / unit.len() + 1).as_bytes()[..299]);
    }
    VALID.iter().for_each(|text| check_every_cut(text));
}

#[test]
fn every_cut_of_every_malformed_sequence_in_every_text() {
    for sequence in malformed() {
        check_every_cut(sequence);
        for unit in UNITS {
            check_every_cut(&[unit.as_bytes(), sequence, unit.as_bytes()].concat());
        }
    }
    // Two sequences, one next to the other.
    for first in malformed() {
        for second in malformed() {
            check_every_cut(&[first, second].concat());
        }
    }
}

/// A signature at the start of each input is removed if the decoder is told so, and no other U+FEFF.
#[test]
fn every_cut_in_three_of_a_signature() {
    const INPUTS: [&[u8]; 14] = [
        b"",
        b"\xEF",
        b"\xEF\xBB",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB\xBFa",
        b"\xEF\xBB\xBF\xEF\xBB\xBF",
        b"\xEF\xBB\xBF\xFF\xEF\xBB",
        b"\xEF\xBBa\xEF\xBB\xBF",
        b"\xEF\xEF\xBB\xBF",
        b"\xEF\xBB\xEF\xBB\xBF",
        b"a\xEF\xBB\xBF",
        b"\xFF\xEF\xBB\xBF",
        b"\xBF\xEF\xBB\xBF",
        b"\xF0\x9F\x98\x80\xEF\xBB\xBF",
    ];
    for (way, policy) in ways().iter().flat_map(|way| POLICIES.map(|policy| (way, policy))) {
        for (input, strips) in INPUTS.iter().flat_map(|input| [true, false].map(|strips| (*input, strips))) {
            let expected = repaired(policy, if strips { trust8::strip_bom(input) } else { input });
            let new = Decoder::with_policy(policy).unwrap().strip_bom(strips);
            assert!(format!("{new:?}").contains(&format!("strip_bom: {strips}")));
            for (first, second) in (0..=input.len()).flat_map(|end| (0..=end).map(move |at| (at, end))) {
                let mut decoder = new;
                for _ in 0..2 {
                    let mut text = String::new();
                    for piece in [&input[..first], &input[first..second], b"", &input[second..]] {
                        let (replaced, state) = decoder.parts();
                        decoder = Decoder::from_parts(replaced, state).unwrap();
                        text.extend(way.kernel.push_lossy(&mut decoder, piece));
                    }
                    text.extend(decoder.finish());
                    assert_eq!(text, expected, "{}, {policy}, {strips}: {input:02X?}", way.name);
                }
                assert!(decoder.pending().is_empty());
                decoder.reset();
                assert_eq!(decoder, new);
            }
        }
    }
}

#[test]
fn every_cut_in_three_of_surrogates() {
    let surrogates: [&[u8]; 12] = [
        b"\xED",
        b"\xED\xA0",
        b"\xED\xA0\x80",
        b"\xED\xA0\x80\x80",
        b"\xED\xBF\xBF\xBF",
        b"\xED\xA0\xED\xA0\x80",
        b"\xED\xED\xA0\xA0\xA0",
        b"\xED\xA0\xBD\xED\xB8\x80",
        b"\xED\x9F\x80\x80",
        b"\xED\x9F\xED\xA0",
        b"\xED\xA0a\x80",
        b"\xED\xA0\xC3\xA9\x80",
    ];
    for bytes in surrogates {
        for (before, after) in [("", ""), ("a", "b"), ("é", "日本語 and more of it, 😀")] {
            let bytes = [before.as_bytes(), bytes, after.as_bytes()].concat();
            let wholes = Whole::of(&bytes);
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    check(&wholes, [&bytes[..first], &bytes[first..second], &bytes[second..]].into_iter());
                }
            }
        }
    }
}

/// Bytes of every class around a cut.
#[test]
fn every_four_classes_of_bytes_at_a_border() {
    const CLASSES: [u8; 14] =
        [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF4];
    for number in 0..CLASSES.len().pow(4) {
        let [a, b, c, d]: [u8; 4] =
            core::array::from_fn(|i| CLASSES[number / CLASSES.len().pow(i as u32) % CLASSES.len()]);
        let bytes = [b'x', b'.', a, b, c, d, b'1', b'2'];
        let wholes = Whole::of(&bytes);
        for at in 3..6 {
            check(&wholes, [&bytes[..at], &bytes[at..]].into_iter());
        }
    }
}

#[test]
fn long_text_in_pieces_with_and_without_faults() {
    for unit in UNITS {
        let mut bytes = unit.repeat(20_000 / unit.len()).into_bytes();
        for faults in [&[][..], &[19_000], &[0, 1, 62, 300, 301, 302, 9000, 9100], &[5000, 15_000]] {
            for &at in faults {
                bytes[at] = 0xFF;
            }
            let wholes = Whole::of(&bytes);
            for length in [63, 64, 65, 255, 1000, 4096, 16_384] {
                check(&wholes, bytes.chunks(length));
            }
        }
        // Faults in each block.
        bytes.iter_mut().step_by(11).for_each(|byte| *byte = 0xE9);
        let wholes = Whole::of(&bytes);
        for length in [64, 1000, 20_000] {
            check(&wholes, bytes.chunks(length));
        }
    }
}

/// Short ASCII needs no kernel, and no byte may be overlooked.
#[test]
fn every_place_in_short_ascii() {
    for (length, other) in (0..=40).flat_map(|length| [0x80, 0xC3, 0xFF].map(|other| (length, other))) {
        for at in 0..length {
            let mut bytes = vec![b'a'; length];
            bytes[at] = other;
            check(&Whole::of(&bytes), [&bytes[..]].into_iter());
        }
    }
}

/// After ASCII, which is not cut, no continuation belongs to what came before it, not even to half a surrogate of Java.
#[test]
fn ascii_between_a_beginning_and_a_continuation() {
    for length in (7..=33).chain(255..=257) {
        let ascii = vec![b'a'; length];
        for before in [&b""[..], b"\xC3", b"\xED", b"\xED\xA0", b"\xE2\x82", b"\xF0\x9F\x98"] {
            let pieces = [before, &ascii, b"\x80"];
            check(&Whole::of(&pieces.concat()), pieces.into_iter());
        }
    }
}

/// Every byte, alone and after every beginning of a character.
#[test]
fn every_byte() {
    for byte in 0..=255 {
        for before in [&b""[..], b"\xC3", b"\xED", b"\xED\xA0", b"\xE2\x82", b"\xF0\x9F\x98"] {
            check_every_cut(&[before, &[byte]].concat());
        }
    }
}

proptest! {
    #![proptest_config(cases(500, 8))]

    #[test]
    fn any_text_cut_anywhere(
        passages in prop::collection::vec(passage(0_usize..400), 1..4),
        mutations in prop::collection::vec(mutation(), 0..8),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut bytes = random::text(&passages);
        mutations.iter().for_each(|mutation| mutation.apply(&mut bytes));
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        // Equal cuts stay, and make empty pieces.
        cuts.sort_unstable();
        check(&Whole::of(&bytes), cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]));
    }
}

#[test]
fn a_clean_piece_is_one_text_of_its_own_bytes() {
    let text = "Größe: 日本語 😀".repeat(2000);
    for way in ways() {
        let mut decoder = Decoder::new();
        let parts: Vec<_> = way.kernel.push_lossy(&mut decoder, text.as_bytes()).collect();
        assert_eq!(parts.len(), 1, "{}", way.name);
        assert_eq!((parts[0].as_ptr(), parts[0].len()), (text.as_ptr(), text.len()), "{}", way.name);
    }
}

#[test]
fn a_decoder_begins_anew_after_its_end() {
    for way in ways() {
        for policy in POLICIES {
            let mut decoder = Decoder::with_policy(policy).unwrap();
            for end in [&b"\xED"[..], b"\xED\xA0", b"\xF0\x9F\x98", b"a"] {
                way.kernel.push_lossy(&mut decoder, end).for_each(drop);
                decoder.finish().for_each(drop);
                // The continuation is a fault by itself, also for Java.
                let text: String = way.kernel.push_lossy(&mut decoder, b"\x80!").collect();
                assert_eq!(text, repaired(policy, b"\x80!"), "{} {policy} {end:02X?}", way.name);
                decoder.reset();
                assert_eq!(decoder, Decoder::with_policy(policy).unwrap());
            }
        }
    }
}

//! The counts of every kernel and way, against `core` on the same text.

use super::support::faulty::{in_lines, near_each_other};
use super::support::kernels::{kernels, ways};
use super::support::malformed::MALFORMED;
use super::support::random::{cases, insertion, lines, passage};
use super::support::scale::Thin;
use super::support::text::{Filler, Place};
use proptest::prelude::*;
use trust8_counts::{KernelCounts, Summary};

/// What `core::str` and iterators count.
#[derive(PartialEq, Debug)]
struct Model {
    error: Option<(usize, Option<usize>)>,
    is_ascii: bool,
    bytes: usize,
    chars: usize,
    utf16_len: usize,
    newlines: usize,
    by_len: [usize; 4],
}

impl Model {
    fn of(bytes: &[u8]) -> Self {
        let error = core::str::from_utf8(bytes).err();
        let valid = &bytes[..error.map_or(bytes.len(), |error| error.valid_up_to())];
        let text = core::str::from_utf8(valid).expect("what is before an error is valid");
        let mut by_len = [0; 4];
        text.chars().for_each(|char| by_len[char.len_utf8() - 1] += 1);
        Self {
            error: error.map(|error| (error.valid_up_to(), error.error_len())),
            is_ascii: bytes.is_ascii(),
            bytes: text.len(),
            chars: by_len.iter().sum(),
            utf16_len: text.chars().map(char::len_utf16).sum(),
            newlines: text.bytes().filter(|&byte| byte == b'\n').count(),
            by_len,
        }
    }

    fn from(summary: &Summary) -> Self {
        Self {
            error: summary.error().map(|error| (error.valid_up_to(), error.error_len())),
            is_ascii: summary.is_ascii(),
            bytes: summary.bytes(),
            chars: summary.chars(),
            utf16_len: summary.utf16_len(),
            newlines: summary.newlines(),
            by_len: summary.chars_by_len(),
        }
    }
}

/// Asserts that all kernels and ways count as the model does.
fn check(bytes: &[u8]) {
    let expected = Model::of(bytes);
    for way in ways() {
        let summary = way.kernel.inspect(bytes);
        let place = || (bytes.len(), bytes.as_ptr().addr() % 64);
        assert_eq!(Model::from(&summary), expected, "{}: length, alignment {:?}", way.name, place());
        assert_eq!(summary.error(), trust8::from_utf8(bytes).err(), "{}", way.name);
        assert_eq!(summary.is_valid(), expected.error.is_none());
        let starts = bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        assert_eq!(way.kernel.count_starts(bytes), starts, "{}: {:?}", way.name, place());
        if let Ok(text) = core::str::from_utf8(bytes) {
            assert_eq!(way.kernel.count_chars(text), expected.chars, "{}: {:?}", way.name, place());
            assert_eq!(way.kernel.utf16_len(text), expected.utf16_len, "{}: {:?}", way.name, place());
        }
    }
}

/// The fillers of other tests, with newlines.
fn texts(len: usize) -> Vec<String> {
    ["a\n", "é\nñ", "日\n本", "😀\n😁", "aé日😀bcö\nд語한😁!~üé", "\n", "é", "日本", "😀"]
        .map(|unit| unit.repeat(len / unit.len() + 1))
        .into()
}

#[test]
fn every_length_at_some_alignment() {
    let mut place = Place::new(2048);
    for text in texts(2000) {
        let mut thin = Thin::new();
        for len in 0..1700 {
            if text.is_char_boundary(len) && (len < 300 || thin.keep()) {
                check(place.put(len * 7 % 64, &[&text.as_bytes()[..len]]));
            }
        }
    }
}

/// Some cuts are inside characters: the text then begins with an error, or ends with one.
#[test]
fn every_cut() {
    let mut place = Place::new(2048);
    for text in texts(1200) {
        for (from, to) in [(1, 700), (0, 1099), (0, 1100), (0, 1101), (0, 577), (0, 66), (0, 130)] {
            for alignment in 0..4 {
                check(place.put(alignment * 21, &[&text.as_bytes()[from..to]]));
            }
        }
    }
}

#[test]
fn one_newline_and_one_character_of_each_length_at_every_place() {
    let mut place = Place::new(4096);
    let mut thin = Thin::new();
    for filler in Filler::all() {
        for at in 0..1600 {
            for what in ["\n", "é", "日", "😀", "\u{7FF}\n", "\u{40A}"] {
                if at < 130 || thin.keep() {
                    let [pad, before] = filler.before(at);
                    let [after, rest] = filler.after(1700 - at);
                    check(place.put(at % 64, &[pad, before, what.as_bytes(), after, rest]));
                }
            }
        }
    }
}

/// Bytes that look like a newline in some of their bits.
#[test]
fn no_other_byte_is_a_newline() {
    for byte in 0..0x80_u8 {
        for len in [1, 63, 64, 200, 600, 1024, 3000] {
            check(&vec![byte; len]);
        }
    }
    for char in ('\u{80}'..'\u{800}').step_by(7).chain(['\u{A000}', '\u{AA0A}', '\u{A0A0A}', '\u{10AA8A}']) {
        check(char.to_string().repeat(700).as_bytes());
    }
}

/// The counts end exactly where the text does.
#[test]
fn every_malformed_sequence_at_every_place() {
    let mut place = Place::new(4096);
    let mut thin = Thin::new();
    for (text, filler) in texts(1500).iter().zip(Filler::all().iter().cycle()) {
        for malformed in &MALFORMED {
            for at in (0..=1200).filter(|&at| text.is_char_boundary(at)) {
                // A fifth of them is enough: other tests try them all.
                if at % 5 == malformed.bytes.len() % 5 && thin.keep() {
                    let [after, rest] = filler.after(at % 150);
                    let before = &text.as_bytes()[..at];
                    check(place.put(at % 64, &[before, malformed.bytes, after, rest]));
                }
            }
        }
    }
}

/// Chunks of 8 KiB are validated and counted: a fault near a border, or a character across it.
#[test]
fn every_malformed_sequence_around_the_border_of_two_chunks() {
    let mut thin = Thin::new();
    for text in texts(3 << 13) {
        for border in [1 << 13, 2 << 13] {
            for malformed in &MALFORMED {
                for at in (border - 8..border + 8).filter(|&at| text.is_char_boundary(at)) {
                    for after in [&b""[..], "日\n😀x".as_bytes(), &text.as_bytes()[..300]] {
                        if thin.keep() {
                            check(&[&text.as_bytes()[..at], malformed.bytes, after].concat());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn nothing_is_nothing() {
    let empty = trust8_counts::inspect(b"");
    assert_eq!(empty, Summary::default());
    assert!(empty.is_ascii() && empty.is_valid());
    check(b"");
}

#[test]
fn the_functions_are_the_best_kernels() {
    for text in texts(5000) {
        assert_eq!(trust8_counts::inspect(text.as_bytes()), trust8::Kernel::best().inspect(text.as_bytes()));
        assert_eq!(trust8_counts::count_chars(&text), text.chars().count());
        assert_eq!(trust8_counts::utf16_len(&text), text.encode_utf16().count());
        assert_eq!(trust8_counts::count_starts(text.as_bytes()), text.chars().count());
        assert_eq!(trust8_counts::count_chars_lossy(text.as_bytes()), text.chars().count());
    }
}

fn check_lossy(bytes: &[u8]) {
    let characters = String::from_utf8_lossy(bytes).chars().count();
    for kernel in kernels() {
        assert_eq!(kernel.count_chars_lossy(bytes), characters, "{kernel:?}: {bytes:02X?}");
    }
}

#[test]
fn characters_around_every_malformed_sequence() {
    in_lines(check_lossy);
    check_lossy("line\r\nligne é\n行 二\n\n😀😀\n".as_bytes());
}

/// Ill-formed sequences at every distance from the positions where a search continues block by
/// block.
#[test]
fn characters_between_many_malformed_sequences() {
    near_each_other(check_lossy);
}

proptest! {
    #![proptest_config(cases(4000, 32))]

    #[test]
    fn random_text(
        passages in prop::collection::vec(passage(prop_oneof![0..200_usize, 300..3000_usize]), 1..=4),
        spoil in prop::option::of(insertion()),
        alignment in 0..64_usize,
    ) {
        let mut bytes = lines(&passages);
        if let Some(spoil) = spoil {
            spoil.apply(&mut bytes);
        }
        check(Place::new(bytes.len()).put(alignment, &[&bytes]));
    }

    #[test]
    fn characters_in_random_bytes(bytes in prop::collection::vec(prop::sample::select(vec![
        b'\n', b'a', 0x80, 0x8F, 0x90, 0xA0, 0xBF, 0xC2, 0xE0, 0xE6, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xFF,
    ]), 0..=24)) {
        check_lossy(&bytes);
    }
}

proptest! {
    #![proptest_config(cases(500, 32))]

    /// Long enough for runs of superblocks, and for several kinds of text in turn.
    #[test]
    fn long_random_text(
        passages in prop::collection::vec(
            passage(prop_oneof![1..=300_usize, 2000..=20_000_usize, 10_000..=60_000_usize]),
            1..=5,
        ),
        spoil in prop::option::of(insertion()),
        alignment in 0..64_usize,
    ) {
        let mut bytes = lines(&passages);
        if let Some(spoil) = spoil {
            spoil.apply(&mut bytes);
        }
        check(Place::new(bytes.len()).put(alignment, &[&bytes]));
    }
}

/// Kernels prefetch in text of 4 MiB and more.
#[test]
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn larger_than_the_caches() {
    for text in ["日本語\n", "日é😀a\n"] {
        let text = text.repeat((5 << 20) / text.len());
        let expected = Model::of(text.as_bytes());
        for kernel in super::support::kernels::kernels() {
            assert_eq!(Model::from(&kernel.inspect(text.as_bytes())), expected, "{}", kernel.name());
        }
    }
}

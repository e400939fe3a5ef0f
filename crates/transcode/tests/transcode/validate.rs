//! Whether text in each form is well-formed, ASCII, or in Latin-1, and where it stops being so,
//! with every kernel.

use super::between;
#[cfg(unix)]
use super::support::guarded::Guarded;
use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::random::cases;
use super::support::scale::Thin;
use proptest::prelude::*;
use trust8_transcode::Encoding::{Latin1, Utf8, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use trust8_transcode::KernelForms;
use trust8_transcode::{Chars, ConversionErrorKind, Str, Utf16, Utf32, is_ascii_in, validate};

/// What is to be said of a text: where it is malformed and why, where ASCII ends, and where Latin-1
/// ends.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Model {
    error: Option<(usize, ConversionErrorKind)>,
    ascii: usize,
    latin1: usize,
}

fn first(units: impl ExactSizeIterator<Item = u32>, limit: u32) -> usize {
    let len = units.len();
    units.enumerate().find(|(_, unit)| *unit >= limit).map_or(len, |(at, _)| at)
}

impl Model {
    fn of_utf16(units: &[u16]) -> Self {
        let mut at = 0;
        let mut error = None;
        for char in char::decode_utf16(units.iter().copied()) {
            match char {
                Ok(char) => at += char.len_utf16(),
                Err(lone) => {
                    let unit = lone.unpaired_surrogate();
                    let kind = if unit < 0xDC00 {
                        ConversionErrorKind::LoneHigh(unit)
                    } else {
                        ConversionErrorKind::LoneLow(unit)
                    };
                    error = Some((at, kind));
                    break;
                }
            }
        }
        let numbers = || units.iter().map(|&unit| u32::from(unit));
        Self { error, ascii: first(numbers(), 0x80), latin1: first(numbers(), 0x100) }
    }

    fn of_utf32(units: &[u32]) -> Self {
        let wrong = units.iter().position(|&unit| char::from_u32(unit).is_none());
        let kind = |unit: u32| {
            if unit > 0x10_FFFF {
                ConversionErrorKind::TooLarge(unit)
            } else {
                ConversionErrorKind::Surrogate(unit)
            }
        };
        let error = wrong.map(|at| (at, kind(units[at])));
        Self { error, ascii: first(units.iter().copied(), 0x80), latin1: first(units.iter().copied(), 0x100) }
    }

    /// Returns what is said of the same text in bytes.
    fn in_bytes(self, unit: usize) -> Self {
        let error = self.error.map(|(at, kind)| (at * unit, kind));
        Self { error, ascii: self.ascii * unit, latin1: self.latin1 * unit }
    }
}

/// Asserts that every kernel says of a text in this form what is expected.
macro_rules! check_form {
    ($form:expr, $text:expr, $expected:expr, $about:expr) => {
        for kernel in kernels() {
            let found = Model {
                error: trust8_transcode::validate(kernel.form($form), $text)
                    .err()
                    .map(|error| (error.valid_up_to(), error.kind())),
                ascii: trust8_transcode::ascii_up_to_in(kernel.form($form), $text),
                latin1: trust8_transcode::latin1_up_to(kernel.form($form), $text),
            };
            assert_eq!(found, $expected, "{kernel:?}, {:?}, {}", $form, $about());
        }
    };
}

fn check_utf16(units: &[u16]) {
    let about = || format!("{units:04X?}");
    let expected = Model::of_utf16(units);
    check_form!(Utf16, units, expected, about);
    let (little, big) = (bytes(units, u16::to_le_bytes), bytes(units, u16::to_be_bytes));
    for (form, bytes) in [(Utf16Le, little), (Utf16Be, big)] {
        // At an even address and at an odd one.
        check_form!(form, &bytes[..], expected.in_bytes(2), about);
        let odd = [&[0], &bytes[..]].concat();
        check_form!(form, &odd[1..], expected.in_bytes(2), about);
    }
}

fn check_utf32(units: &[u32]) {
    let about = || format!("{units:04X?}");
    let expected = Model::of_utf32(units);
    check_form!(Utf32, units, expected, about);
    let (little, big) = (bytes(units, u32::to_le_bytes), bytes(units, u32::to_be_bytes));
    check_form!(Utf32Le, &little[..], expected.in_bytes(4), about);
    check_form!(Utf32Be, &big[..], expected.in_bytes(4), about);
}

fn bytes<U: Copy, const N: usize>(units: &[U], bytes: fn(U) -> [u8; N]) -> Vec<u8> {
    units.iter().flat_map(|&unit| bytes(unit)).collect()
}

/// The numbers of units before what is of interest: around the lengths of vectors and blocks.
fn distances() -> impl Iterator<Item = usize> {
    (0..70).chain(120..136).chain(248..264).chain([380, 383, 384, 385, 500, 512, 640])
}

/// Parts of UTF-16, well-formed and not.
const PARTS: [&[u16]; 16] = [
    &[],
    &[0x7F],
    &[0x80],
    &[0xFF],
    &[0x100],
    &[0xD7FF, 0xE000],
    &[0xD800, 0xDC00],
    &[0xDBFF, 0xDFFF],
    &[0xD800],
    &[0xDBFF],
    &[0xDC00],
    &[0xDFFF],
    &[0xDC00, 0xD800],
    &[0xD800, 0xD800, 0xDC00],
    &[0xD800, 0xDC00, 0xDC00],
    &[0xD800, 0xE000],
];

#[test]
fn every_part_of_utf16_at_every_place() {
    let mut thin = Thin::new();
    for filler in [&[0x41][..], &[0x65E5], &[0xD83D, 0xDE00], &[0x65E5, 0xD83D, 0xDE00]] {
        for before in distances() {
            for part in PARTS {
                for after in [0, 1, 2, 40, 300] {
                    if before < 20 || thin.keep() {
                        check_utf16(&between(filler, before, part, after));
                    }
                }
            }
        }
    }
}

/// A pair is cut by the end of a vector, and one half of it is missing.
#[test]
fn every_cut_of_pairs() {
    let pairs: Vec<u16> = [0xD83D, 0xDE00].repeat(200);
    for from in 0..2 {
        for to in from..pairs.len() {
            check_utf16(&pairs[from..to]);
        }
    }
}

#[test]
fn every_limit_of_utf32_at_every_place() {
    const UNITS: [u32; 18] = [
        0x7F,
        0x80,
        0xFF,
        0x100,
        0xD7FF,
        0xD800,
        0xDBFF,
        0xDC00,
        0xDFFF,
        0xE000,
        0xFFFF,
        0x1_D800,
        0x10_FFFF,
        0x11_0000,
        0x11_D800,
        0x100_0000,
        0x8000_0000,
        0xFFFF_FFFF,
    ];
    let mut thin = Thin::new();
    for filler in [0x41, 0x65E5, 0x1_F600, 0x1_D900] {
        for before in distances() {
            for unit in UNITS {
                for after in [0, 1, 20, 150] {
                    if before < 20 || thin.keep() {
                        let units = [vec![filler; before], vec![unit], vec![filler; after]].concat();
                        check_utf32(&units);
                    }
                }
            }
        }
    }
}

/// The bytes end inside a unit.
#[test]
fn incomplete_units() {
    for len in [0, 1, 7, 8, 15, 16, 31, 32, 64, 100, 127, 128, 200] {
        for more in 1..4 {
            let text = [b"a\0\0\0".repeat(len), vec![0; more]].concat();
            let expected = Model {
                error: Some((4 * len, ConversionErrorKind::Incomplete)),
                ascii: 4 * len,
                latin1: 4 * len,
            };
            check_form!(Utf32Le, &text[..], expected, || len);
        }
        let text = [b"\0a".repeat(len), vec![0]].concat();
        let expected = Model {
            error: Some((2 * len, ConversionErrorKind::Incomplete)),
            ascii: 2 * len,
            latin1: 2 * len,
        };
        check_form!(Utf16Be, &text[..], expected, || len);
        // A high surrogate comes before it.
        let text = [&b"\0a".repeat(len)[..], b"\xD8\x3D\xDE"].concat();
        let expected = Model {
            error: Some((2 * len, ConversionErrorKind::LoneHigh(0xD83D))),
            ascii: 2 * len,
            latin1: 2 * len,
        };
        check_form!(Utf16Be, &text[..], expected, || len);
    }
}

/// The characters around the limits of ASCII, of Latin-1, and of the lengths in UTF-8.
const CHARACTERS: [char; 10] =
    ['a', '\u{7F}', '\u{80}', '\u{BF}', '\u{C0}', '\u{FF}', '\u{100}', '\u{7FF}', '\u{800}', '\u{10FFFF}'];

#[test]
fn utf8_up_to_any_character() {
    for filler in ["a", "é"] {
        for before in distances() {
            for character in CHARACTERS {
                for after in ["", "b", "éé€", &"x".repeat(300)] {
                    let text = format!("{}{character}{after}", filler.repeat(before));
                    let first = |limit: char| text.find(|char| char >= limit).unwrap_or(text.len());
                    let expected = Model { error: None, ascii: first('\u{80}'), latin1: first('\u{100}') };
                    check_form!(Str, &text[..], expected, || &text);
                    check_form!(Utf8, text.as_bytes(), expected, || &text);
                }
            }
        }
    }
}

/// In bytes that are not valid, Latin-1 ends at the first error at the latest.
#[test]
fn malformed_utf8() {
    for malformed in &MALFORMED {
        for before in ["", "a", "é", &"é".repeat(50), "€", &"ab".repeat(200)] {
            for after in ["", "a", "é", "€€"] {
                let text = [before.as_bytes(), malformed.bytes, after.as_bytes()].concat();
                let error = trust8::from_utf8(&text).err();
                let latin1 = before.find(|char| char >= '\u{100}').unwrap_or(before.len());
                let valid = error.map_or(text.len(), |error| error.valid_up_to());
                let rest = core::str::from_utf8(&text[before.len()..valid]).expect("valid");
                let latin1 = if latin1 < before.len() {
                    latin1
                } else {
                    latin1 + rest.find(|char| char >= '\u{100}').unwrap_or(rest.len())
                };
                let expected = Model {
                    error: error.map(|error| (error.valid_up_to(), ConversionErrorKind::Utf8(error.kind()))),
                    ascii: text.iter().position(|byte| !byte.is_ascii()).unwrap_or(text.len()),
                    latin1,
                };
                check_form!(Utf8, &text[..], expected, || format!("{text:02X?}"));
            }
        }
    }
}

/// Some forms have no malformed text.
#[test]
fn forms_that_are_always_valid() {
    for kernel in kernels() {
        assert_eq!(trust8_transcode::validate(kernel.form(Latin1), &[0xFF, 0x80]), Ok(()));
        assert_eq!(trust8_transcode::latin1_up_to(kernel.form(Latin1), &[0x41, 0xFF]), 2);
        assert_eq!(trust8_transcode::ascii_up_to_in(kernel.form(Latin1), &[0x41, 0xFF]), 1);
        assert_eq!(trust8_transcode::validate(kernel.form(Chars), &['a', '\u{10FFFF}']), Ok(()));
        assert_eq!(trust8_transcode::ascii_up_to_in(kernel.form(Chars), &['a', 'é', '€']), 1);
        assert_eq!(trust8_transcode::latin1_up_to(kernel.form(Chars), &['a', 'é', '€']), 2);
    }
}

/// The error is the one of a conversion.
#[test]
fn errors_say_what_those_of_conversions_say() {
    let error = validate(Utf16, &[0x41, 0xDC00]).unwrap_err();
    assert_eq!(Err(error), trust8_transcode::convert(Utf16, Str, &[0x41, 0xDC00]));
    let error = validate(Utf8, b"ab\xE2\x82").unwrap_err();
    assert_eq!(Err(error), trust8_transcode::convert(Utf8, Str, b"ab\xE2\x82"));
    let error = validate(Utf32, &[0xD800]).unwrap_err();
    assert_eq!(Err(error), trust8_transcode::convert(Utf32, Str, &[0xD800]));
    assert!(!is_ascii_in(Utf16Le, b"a\0b"));
}

#[test]
#[cfg(unix)]
fn no_unit_outside_is_read() {
    let mut memory = Guarded::new(4096);
    for len in (0..150).chain([255, 256, 257, 300]) {
        for last in [0x41, 0xD800, 0xDC00] {
            let mut units = vec![0x41_u16; len];
            if let Some(unit) = units.last_mut() {
                *unit = last;
            }
            let wide: Vec<u32> = units.iter().map(|&unit| unit.into()).collect();
            let (expected, expected32) = (Model::of_utf16(&units), Model::of_utf32(&wide));
            check_form!(Utf16, memory.copy(&units), expected, || len);
            check_form!(Utf32, memory.copy(&wide), expected32, || len);
        }
    }
}

proptest! {
    #![proptest_config(cases(4000, 32))]

    #[test]
    fn random_utf16(units in prop::collection::vec(prop::sample::select(vec![
        0x41, 0x7F, 0x80, 0xFF, 0x100, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFFFF,
    ]), 0..=40), before in 0..200_usize) {
        check_utf16(&[vec![0x42; before], units].concat());
    }

    #[test]
    fn random_pairs(pairs in prop::collection::vec(any::<bool>(), 0..=400), wrong in prop::option::of(0..400_usize)) {
        let mut units: Vec<u16> = pairs
            .iter()
            .flat_map(|&pair| if pair { vec![0xD83D, 0xDE00] } else { vec![0x65E5] })
            .collect();
        if let Some(wrong) = wrong && wrong < units.len() {
            units.remove(wrong);
        }
        check_utf16(&units);
    }

    #[test]
    fn random_utf32(units in prop::collection::vec(prop_oneof![
        8 => any::<char>().prop_map(u32::from),
        1 => 0xD700..0xE100_u32,
        1 => any::<u32>(),
    ], 0..=300)) {
        check_utf32(&units);
    }
}

/// Returns the place and length of each unpaired surrogate.
fn unpaired(units: &[u16]) -> Vec<(usize, Option<usize>)> {
    let (mut at, mut found) = (0, Vec::new());
    for char in char::decode_utf16(units.iter().copied()) {
        match char {
            Ok(char) => at += char.len_utf16(),
            Err(lone) => {
                let is_cut = at + 1 == units.len() && lone.unpaired_surrogate() < 0xDC00;
                found.push((at, (!is_cut).then_some(1)));
                at += 1;
            }
        }
    }
    found
}

/// All errors of every text of a few units, after texts of several lengths.
#[test]
fn all_errors() {
    const UNITS: [u16; 4] = [0x61, 0x20AC, 0xD83D, 0xDE00];
    let mut thin = Thin::new();
    for (number, before) in (0..1024_usize).flat_map(|number| [0, 1, 31, 70].map(|before| (number, before))) {
        if !thin.keep() {
            continue;
        }
        let mut units = vec![0x62; before];
        units.extend((0..5).map(|i| UNITS[number >> (2 * i) & 3]));
        let expected = unpaired(&units);
        let in_bytes: Vec<_> =
            expected.iter().map(|&(at, len)| (2 * at, len.map(|len: usize| 2 * len))).collect();
        let [le, be] = [u16::to_le_bytes, u16::to_be_bytes]
            .map(|to| units.iter().copied().flat_map(to).collect::<Vec<_>>());
        let numbers: Vec<u32> = units.iter().map(|&unit| unit.into()).collect();
        for kernel in kernels() {
            let place = |error: trust8_transcode::ConversionError| (error.valid_up_to(), error.error_len());
            assert!(
                trust8_transcode::errors_in(kernel.form(Utf16), &units)
                    .map(place)
                    .eq(expected.iter().copied()),
                "{units:X?}"
            );
            assert!(
                trust8_transcode::errors_in(kernel.form(Utf16Le), &le)
                    .map(place)
                    .eq(in_bytes.iter().copied()),
                "{units:X?}"
            );
            assert!(
                trust8_transcode::errors_in(kernel.form(Utf16Be), &be)
                    .map(place)
                    .eq(in_bytes.iter().copied()),
                "{units:X?}"
            );
            let mut errors = trust8_transcode::errors_in(kernel.form(Utf16), &units);
            for left in (0..=expected.len()).rev() {
                assert!(errors.size_hint().1.is_some_and(|most| (left..=units.len() * 2).contains(&most)));
                errors.next();
            }
            let wrong = (0..units.len()).filter(|&at| char::from_u32(numbers[at]).is_none());
            assert!(
                trust8_transcode::errors_in(kernel.form(Utf32), &numbers)
                    .map(place)
                    .eq(wrong.map(|at| (at, Some(1))))
            );
            // Half a unit at the end.
            let cut = trust8_transcode::errors_in(kernel.form(Utf32Le), b"a\0\0\0\0\0\0").map(place);
            assert!(cut.eq([(4, None)]));
            let utf8 = kernel.errors(&le).map(|error| (error.valid_up_to(), error.error_len()));
            assert!(trust8_transcode::errors_in(kernel.form(Utf8), &le).map(place).eq(utf8));
            assert_eq!(
                trust8_transcode::errors_in(kernel.form(Latin1), &le).count()
                    + trust8_transcode::errors_in(kernel.form(Str), "é").count(),
                0
            );
        }
    }
}

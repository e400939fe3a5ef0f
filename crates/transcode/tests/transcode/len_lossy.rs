//! The lengths of lossy conversions, with every kernel: those of what the conversions return.

use super::support::kernels::kernels;
use super::support::malformed::MALFORMED;
use super::support::random::{cases, insertion, lines, passage};
use proptest::prelude::*;
use trust8_transcode::KernelForms;
use trust8_transcode::{Chars, Encoding, Form, Str, Utf16, Utf32, convert_lossy};

/// Asserts that the length is that of the conversion into every form.
fn check<F: Form + Copy>(from: F, text: &F::Text, about: &dyn std::fmt::Debug) {
    for kernel in kernels() {
        for &to in Encoding::ALL {
            let expected = convert_lossy(from, to, text).len();
            assert_eq!(
                trust8_transcode::len_lossy(kernel.form(from), to, text),
                expected,
                "{kernel:?}, {to:?}: {about:02X?}"
            );
        }
        let expected = convert_lossy(from, Str, text).len();
        assert_eq!(
            trust8_transcode::len_lossy(kernel.form(from), Str, text),
            expected,
            "{kernel:?}: {about:02X?}"
        );
        let expected = convert_lossy(from, Utf16, text).len();
        assert_eq!(
            trust8_transcode::len_lossy(kernel.form(from), Utf16, text),
            expected,
            "{kernel:?}: {about:02X?}"
        );
        let expected = convert_lossy(from, Utf32, text).len();
        assert_eq!(
            trust8_transcode::len_lossy(kernel.form(from), Utf32, text),
            expected,
            "{kernel:?}: {about:02X?}"
        );
        let expected = convert_lossy(from, Chars, text).len();
        assert_eq!(
            trust8_transcode::len_lossy(kernel.form(from), Chars, text),
            expected,
            "{kernel:?}: {about:02X?}"
        );
    }
}

/// Bytes are text in any encoding, well-formed or not.
fn check_bytes(bytes: &[u8]) {
    for &from in Encoding::ALL {
        check(from, bytes, &bytes);
    }
}

#[test]
fn malformed_utf8() {
    for malformed in &MALFORMED {
        for before in ["", "a", "é€😀", &"日本😀".repeat(30)] {
            for after in ["", "a", "é€😀", &"é".repeat(60)] {
                check_bytes(&[before.as_bytes(), malformed.bytes, after.as_bytes()].concat());
            }
        }
        check_bytes(&malformed.bytes.repeat(100));
    }
}

#[test]
fn units_that_the_end_cuts_off() {
    for len in (0..12).chain([63, 64, 65, 127, 129]) {
        for tail in [&b"\xD8"[..], b"\xD8\x3D", b"\xD8\x3D\xDE", b"\x3D\xD8", b"\x3D\xD8\0", b"\xDC\0\xDC"] {
            check_bytes(&[&vec![0; len], tail].concat());
        }
    }
}

#[test]
fn valid_text() {
    for text in ["", "a", "é", "€ 5", "😀", "aé€😀", &"aé€😀".repeat(200)] {
        check(Str, text, &text);
        check(Utf16, &text.encode_utf16().collect::<Vec<_>>(), &text);
        check(Utf32, &text.chars().map(u32::from).collect::<Vec<_>>(), &text);
        check(Chars, &text.chars().collect::<Vec<_>>(), &text);
    }
}

#[test]
fn surrogates_at_each_place_of_a_long_text() {
    for (surrogates, len) in
        [(&[0xD83D_u16, 0xDE00][..], 4), (&[0xD83D], 3), (&[0xDE00], 3), (&[0xDBFF, 0xD800, 0xDFFF], 7)]
    {
        for place in 0..=600 {
            let mut units = vec![0x20AC; 600];
            units.splice(place..place, surrogates.iter().copied());
            let swapped: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            for kernel in kernels() {
                for skipped in 0..=place.min(3) {
                    let expected = 3 * (600 - skipped) + len;
                    assert_eq!(
                        trust8_transcode::len_lossy(kernel.form(Utf16), Str, &units[skipped..]),
                        expected,
                        "{kernel:?}, {place}"
                    );
                    let bytes = &swapped[2 * skipped..];
                    assert_eq!(
                        trust8_transcode::len_lossy(kernel.form(Encoding::Utf16Be), Str, bytes),
                        expected,
                        "{kernel:?}, {place}"
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1000, 32))]

    #[test]
    fn random_utf16(units in prop::collection::vec(prop::sample::select(vec![
        0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xD800, 0xD83D, 0xDBFF, 0xDC00, 0xDE00, 0xDFFF, 0xE000, 0xFFFF,
    ]), 0..=300)) {
        check(Utf16, &units, &units);
        let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        check(Encoding::Utf16Be, &bytes, &units);
    }

    #[test]
    fn random_utf32(units in prop::collection::vec(prop_oneof![
        4 => any::<char>().prop_map(u32::from),
        1 => prop::sample::select(vec![0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x1_0000, 0x10_FFFF, 0x11_0000, u32::MAX]),
        1 => 0xD800..0xE000_u32,
    ], 0..=200)) {
        check(Utf32, &units, &units);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(prop::sample::select(vec![
        b'a', 0x80, 0x90, 0xA0, 0xBF, 0xC2, 0xE0, 0xE6, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF,
    ]), 0..=300)) {
        check_bytes(&bytes);
    }

    #[test]
    fn random_text(
        passages in prop::collection::vec(passage(0..2000_usize), 1..=3),
        spoil in prop::collection::vec(insertion(), 0..=3),
    ) {
        let mut bytes = lines(&passages);
        for spoil in &spoil {
            spoil.apply(&mut bytes);
        }
        check(Encoding::Utf8, &bytes, &bytes.len());
    }
}

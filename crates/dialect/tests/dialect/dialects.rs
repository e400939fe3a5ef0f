//! The dialects RFC 2279, CESU-8, Modified UTF-8 and WTF-8: they are checked, decoded, converted
//! and told apart.

#![cfg(feature = "alloc")]

use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::time::Instant;

use super::reference::{self, Item};
use super::support::kernels::{kernels, ways};
use super::support::random::{Random, slow_cases};
use super::support::scale::{Thin, scale, slow_scale};
use proptest::prelude::*;
use trust8::Kernel;
use trust8_dialect::Dialect::{self, Cesu8, ModifiedUtf8, Rfc2279, Utf8, Wtf8};
use trust8_dialect::DialectErrorKind::{self as Kind, *};
use trust8_dialect::{KernelDialects, diagnose};

/// Asserts that all functions say with this kernel what the oracle says of the bytes.
fn check_with(kernel: &'static Kernel, name: &str, dialect: Dialect, bytes: &[u8]) {
    let expected = reference::decode(dialect, bytes);
    let context = || format!("{name}, {dialect}: {:02X?}", &bytes[..bytes.len().min(100)]);

    let seen = |item: Result<(usize, u32), trust8_dialect::DialectError>| -> Item {
        item.map_err(|error| {
            assert_eq!(error.dialect(), dialect);
            (error.valid_up_to(), error.error_len())
        })
    };
    let decoded: Vec<Item> = kernel.dialect(dialect).decode(bytes).map(seen).collect();
    assert_eq!(decoded, expected, "{}", context());
    let mut folded = Vec::new();
    kernel.dialect(dialect).decode(bytes).for_each(|item| folded.push(seen(item)));
    assert_eq!(folded, expected, "{}", context());

    let mut items = kernel.dialect(dialect).decode(bytes);
    for left in (0..=expected.len()).rev().take(4) {
        let (least, most) = items.size_hint();
        assert!(least <= left && left <= most.unwrap(), "{}", context());
        assert_eq!(items.next().is_some(), left > 0);
    }

    let fault = expected.iter().find_map(|item| item.err());
    let validated = kernel.dialect(dialect).validate(bytes);
    assert_eq!(
        validated.map_err(|error| (error.valid_up_to(), error.error_len())),
        fault.map_or(Ok(()), Err),
        "{}",
        context()
    );
    if let Err(error) = validated {
        assert_eq!(error.kind() == Incomplete, error.error_len().is_none());
        assert!(
            error.to_string().starts_with(&format!("invalid {dialect} at byte {}: ", error.valid_up_to()))
        );
    }

    // The first item that the conversion cannot express, with its value if it has one.
    let obstacle = expected.iter().find_map(|item| match *item {
        Ok((at, value)) if char::from_u32(value).is_none() => Some((at, Some(value))),
        Ok(_) => None,
        Err((at, _)) => Some((at, None)),
    });
    let text: String = expected
        .iter()
        .map(|item| item.ok().and_then(|(_, value)| char::from_u32(value)).unwrap_or('\u{FFFD}'))
        .collect();
    let converted = kernel.dialect(dialect).to_utf8(bytes);
    match (&converted, obstacle) {
        (Ok(converted), None) => {
            assert_eq!(**converted, text, "{}", context());
            let is_utf8 = text.as_bytes() == bytes;
            assert_eq!(matches!(converted, Cow::Borrowed(_)), is_utf8, "{}", context());
        }
        (Err(error), Some((at, value))) => {
            assert_eq!(error.valid_up_to(), at, "{}", context());
            assert_eq!(error.kind() == Inexpressible, value.is_some(), "{}", context());
            if value.is_some() {
                assert_eq!(error.code_point(), value, "{}", context());
                assert!(error.to_string().contains("that UTF-8 can't express: "), "{error}");
            }
        }
        _ => panic!("{converted:?} in place of {obstacle:?}: {}", context()),
    }
    assert_eq!(kernel.dialect(dialect).to_utf8_lossy(bytes), text, "{}", context());

    // Into a buffer, part by part.
    let rooms: &[usize] = if bytes.len() < 300 { &[4, 7, 100] } else { &[1000] };
    for &room in rooms {
        let mut buffer = vec![MaybeUninit::new(0); room];
        let mut convert = |lossy: bool| {
            let (mut at, mut filled) = (0, Vec::new());
            while at < bytes.len() {
                let progress = if lossy {
                    kernel.dialect(dialect).to_utf8_lossy_into(&bytes[at..], &mut buffer)
                } else {
                    match kernel.dialect(dialect).to_utf8_into(&bytes[at..], &mut buffer) {
                        Ok(progress) => progress,
                        Err(error) => {
                            assert_eq!(error.valid_up_to(), 0, "{}", context());
                            return (filled, Some((at, error.kind())));
                        }
                    }
                };
                assert!(progress.read > 0 && progress.written > 0, "no progress: {}", context());
                at += progress.read;
                // SAFETY: all of it was initialised above.
                filled.extend(buffer[..progress.written].iter().map(|byte| unsafe { byte.assume_init() }));
            }
            (filled, None)
        };
        assert_eq!(convert(true), (text.as_bytes().to_vec(), None), "{}", context());
        let (filled, stopped) = convert(false);
        match &converted {
            Ok(converted) => assert_eq!((&*filled, stopped), (converted.as_bytes(), None), "{}", context()),
            Err(error) => {
                assert_eq!(stopped, Some((error.valid_up_to(), error.kind())), "{}", context());
                assert!(text.as_bytes().starts_with(&filled), "{}", context());
            }
        }
    }
}

/// A text that begins with the last character was once copied: its first byte may begin a longer
/// sequence in RFC 2279.
#[test]
fn text_with_the_last_character_is_borrowed() {
    let text = "\u{10FFFF}\u{E9}".repeat(100);
    for kernel in kernels() {
        for dialect in [Utf8, Rfc2279, Wtf8] {
            let converted = kernel.dialect(dialect).to_utf8(text.as_bytes()).unwrap();
            assert!(matches!(converted, Cow::Borrowed(same) if same == text), "{kernel:?}, {dialect}");
            let lossy = kernel.dialect(dialect).to_utf8_lossy(text.as_bytes());
            assert!(matches!(lossy, Cow::Borrowed(same) if same == text), "{kernel:?}, {dialect}");
        }
    }
}

/// The same with the best kernel, in every dialect.
fn check(bytes: &[u8]) {
    for &dialect in Dialect::ALL {
        check_with(Kernel::best(), Kernel::best().name(), dialect, bytes);
    }
    check_diagnosis(bytes);
}

fn check_diagnosis(bytes: &[u8]) {
    let diagnosis = diagnose(bytes);
    for &dialect in Dialect::ALL {
        assert_eq!(diagnosis.check(dialect), dialect.validate(bytes), "{dialect} {bytes:02X?}");
        assert_eq!(
            diagnosis.conversion(dialect).err(),
            dialect.to_utf8(bytes).err(),
            "{dialect} {bytes:02X?}"
        );
        assert_eq!(
            diagnosis.accepted().any(|accepted| accepted == dialect),
            diagnosis.check(dialect).is_ok()
        );
    }
    assert_eq!(diagnosis.best(), diagnosis.accepted().next());
    let utf8 = trust8::from_utf8(bytes);
    assert_eq!(diagnosis.decided_at(), utf8.err().map(|error| error.valid_up_to()));
    assert_eq!(diagnosis.best() == Some(Utf8), utf8.is_ok());
    for kernel in kernels() {
        assert_eq!(kernel.diagnose(bytes), diagnosis);
    }
}

/// Asserts that the bytes decode to these values, and that the values are written as these bytes.
fn both_ways(dialect: Dialect, bytes: &[u8], values: &[u32]) {
    let decoded: Result<Vec<_>, _> = dialect.decode(bytes).map(|item| item.map(|(_, value)| value)).collect();
    assert_eq!(decoded.as_deref(), Ok(values), "{dialect} {bytes:02X?}");
    let mut written = Vec::new();
    for &value in values {
        written.extend_from_slice(dialect.encode(value, &mut [0; 6]).unwrap());
    }
    assert_eq!(written, bytes, "{dialect} {values:X?}");
    assert_eq!(dialect.validate(bytes), Ok(()));
}

fn refused(dialect: Dialect, bytes: &[u8], offset: usize, len: Option<usize>, kind: Kind) {
    let error = dialect.validate(bytes).expect_err("it is to be refused");
    assert_eq!(
        (error.valid_up_to(), error.error_len(), error.kind()),
        (offset, len, kind),
        "{dialect} {bytes:02X?}"
    );
}

/// RFC 2279 section 2: the table, with the first and the last value of each length.
#[test]
fn the_table_of_rfc_2279() {
    let rows: [(u32, &[u8], u32, &[u8]); 6] = [
        (0, b"\x00", 0x7F, b"\x7F"),
        (0x80, b"\xC2\x80", 0x7FF, b"\xDF\xBF"),
        (0x800, b"\xE0\xA0\x80", 0xFFFF, b"\xEF\xBF\xBF"),
        (0x1_0000, b"\xF0\x90\x80\x80", 0x1F_FFFF, b"\xF7\xBF\xBF\xBF"),
        (0x20_0000, b"\xF8\x88\x80\x80\x80", 0x3FF_FFFF, b"\xFB\xBF\xBF\xBF\xBF"),
        (0x400_0000, b"\xFC\x84\x80\x80\x80\x80", 0x7FFF_FFFF, b"\xFD\xBF\xBF\xBF\xBF\xBF"),
    ];
    for (first, first_octets, last, last_octets) in rows {
        both_ways(Rfc2279, first_octets, &[first]);
        both_ways(Rfc2279, last_octets, &[last]);
        both_ways(Rfc2279, &[first_octets, last_octets].concat(), &[first, last]);
        check(first_octets);
        check(last_octets);
    }
    for value in [0x8000_0000, u32::MAX] {
        assert_eq!(Rfc2279.encode(value, &mut [0; 6]), None);
    }
    // The one before the first of each length, in that length.
    for overlong in [
        &b"\xC1\xBF"[..],
        b"\xE0\x9F\xBF",
        b"\xF0\x8F\xBF\xBF",
        b"\xF8\x87\xBF\xBF\xBF",
        b"\xFC\x83\xBF\xBF\xBF\xBF",
    ] {
        refused(Rfc2279, overlong, 0, Some(1), Overlong);
    }
    refused(Rfc2279, b"\xFE\x83\xBF\xBF\xBF\xBF\xBF", 0, Some(1), InvalidByte);
    refused(Rfc2279, b"\xFF", 0, Some(1), InvalidByte);
}

/// RFC 3629 section 3: the table, in each dialect.
#[test]
fn the_table_of_rfc_3629() {
    for &dialect in Dialect::ALL {
        if dialect == ModifiedUtf8 {
            both_ways(dialect, b"\xC0\x80\x01\x7F", &[0, 1, 0x7F]);
        } else {
            both_ways(dialect, b"\x00\x01\x7F", &[0, 1, 0x7F]);
        }
        both_ways(dialect, b"\xC2\x80\xDF\xBF", &[0x80, 0x7FF]);
        both_ways(dialect, b"\xE0\xA0\x80\xED\x9F\xBF", &[0x800, 0xD7FF]);
        both_ways(dialect, b"\xEE\x80\x80\xEF\xBF\xBF", &[0xE000, 0xFFFF]);
        let last: &[u8] = match dialect {
            Utf8 | Rfc2279 | Wtf8 => b"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF",
            Cesu8 | ModifiedUtf8 => b"\xED\xA0\x80\xED\xB0\x80\xED\xAF\xBF\xED\xBF\xBF",
            _ => panic!("no table for {dialect}"),
        };
        both_ways(dialect, last, &[0x1_0000, 0x10_FFFF]);
    }
    for dialect in [Utf8, Cesu8, ModifiedUtf8] {
        for value in [0xD800, 0xDBFF, 0xDC00, 0xDFFF] {
            assert_eq!(dialect.encode(value, &mut [0; 6]), None, "{dialect}");
        }
    }
    for dialect in [Utf8, Cesu8, ModifiedUtf8, Wtf8] {
        for value in [0x11_0000, 0x1F_FFFF, 0x7FFF_FFFF, 0x8000_0000, u32::MAX] {
            assert_eq!(dialect.encode(value, &mut [0; 6]), None, "{dialect}");
        }
    }
}

/// RFC 2279 section 4 and RFC 3629 section 7.
#[test]
fn the_examples_of_the_rfcs() {
    for &dialect in Dialect::ALL {
        both_ways(dialect, b"\x41\xE2\x89\xA2\xCE\x91\x2E", &[0x41, 0x2262, 0x391, 0x2E]);
        both_ways(dialect, b"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4", &[0xD55C, 0xAD6D, 0xC5B4]);
        both_ways(dialect, b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", &[0x65E5, 0x672C, 0x8A9E]);
    }
    for dialect in [Utf8, Rfc2279, Wtf8] {
        both_ways(dialect, b"\xEF\xBB\xBF\xF0\xA3\x8E\xB4", &[0xFEFF, 0x233B4]);
        assert_eq!(dialect.to_utf8(b"\xF0\xA3\x8E\xB4").unwrap(), "\u{233B4}");
    }
    // Section 3 says that this is not UTF-8.
    for dialect in [Cesu8, ModifiedUtf8] {
        both_ways(dialect, b"\xED\xA1\x8C\xED\xBE\xB4", &[0x233B4]);
        assert_eq!(dialect.to_utf8(b"\xED\xA1\x8C\xED\xBE\xB4").unwrap(), "\u{233B4}");
    }
    refused(Utf8, b"\xED\xA1\x8C\xED\xBE\xB4", 0, Some(1), Surrogate);
    refused(Wtf8, b"\xED\xA1\x8C\xED\xBE\xB4", 0, Some(6), SurrogatePair);
    both_ways(Rfc2279, b"\xED\xA1\x8C\xED\xBE\xB4", &[0xD84C, 0xDFB4]);
}

/// RFC 3629 section 10, RFC 2279 section 6: no dialect takes a longer form for a shorter one.
#[test]
fn the_attacks_of_the_rfcs() {
    for &dialect in Dialect::ALL {
        for attack in [
            &b"\xC0\x80"[..],
            b"\xE0\x80\x80",
            b"\xF0\x80\x80\x80",
            b"\xF8\x80\x80\x80\x80",
            b"\xFC\x80\x80\x80\x80\x80",
            b"\xC0\xAE",
            b"\xE0\x80\xAE",
            b"\xF0\x80\x80\xAE",
            b"\xF8\x80\x80\x80\xAE",
            b"\xFC\x80\x80\x80\x80\xAE",
            b"\xC0\xAF",
            b"\xC1\x9C",
            b"\xE0\x81\x9C",
        ] {
            let path = [b"/", attack, b"./"].concat();
            if dialect == ModifiedUtf8 && attack == b"\xC0\x80" {
                assert_eq!(dialect.to_utf8(&path).unwrap(), "/\0./");
                continue;
            }
            let kind = if attack[0] >= 0xF8 && dialect != Rfc2279 { InvalidByte } else { Overlong };
            refused(dialect, &path, 1, Some(1), kind);
            assert!(dialect.to_utf8(&path).is_err());
            let lossy = dialect.to_utf8_lossy(&path);
            // Nothing is left but what stands around the sequence.
            assert_eq!(lossy.trim_matches(['/', '.']).trim_matches('\u{FFFD}'), "", "{lossy:?}");
            assert_eq!(lossy.matches(['/', '.']).count(), 3, "{lossy:?}");
        }
        // Modified UTF-8 does not have U+0000 in one byte.
        match dialect {
            ModifiedUtf8 => refused(dialect, b"a\x00b", 1, Some(1), Nul),
            _ => assert_eq!(dialect.validate(b"a\x00b"), Ok(())),
        }
    }
}

/// Bytes that follow three others; the kind, the length and the code point of their error; and its
/// message.
type Case = (Dialect, &'static [u8], Kind, Option<usize>, Option<u32>, &'static str);

/// An error names a sequence that another dialect has, and what it means there.
#[test]
fn errors_say_what_it_would_be() {
    #[rustfmt::skip]
    let cases: [Case; 22] = [
        (Cesu8, b"\xF0\x9F\x98\x80", FourBytes, Some(4), Some(0x1F600), "F0 9F 98 80 is U+1F600 in four bytes; expected two surrogates, ED A0 BD ED B8 80"),
        (Cesu8, b"\xF0\x9F\x98", FourBytes, Some(3), None, "F0 9F 98 begins a form of four bytes; expected two surrogates"),
        (Cesu8, b"\xED\xA0\xBD!", Surrogate, Some(3), Some(0xD83D), "ED A0 BD is U+D83D, half a surrogate pair without the other half"),
        (Cesu8, b"\xED\xB8\x80", Surrogate, Some(3), Some(0xDE00), "ED B8 80 is U+DE00, half a surrogate pair without the other half"),
        (Cesu8, b"\xED\xB8", Surrogate, Some(2), None, "ED B8 begins the second half of a surrogate pair; there is no first"),
        (Cesu8, b"\xED\xA0\xBD", Incomplete, None, None, "ED A0 BD begins a sequence of 6 bytes, and the input ends"),
        (Cesu8, b"\xED\xA0\xBD\xED\xB8", Incomplete, None, None, "ED A0 BD ED B8 begins a sequence of 6 bytes, and the input ends"),
        (Cesu8, b"\xED\xA0!", Truncated, Some(2), None, "ED A0 begins a sequence of 3 bytes, and 21 follows"),
        (Cesu8, b"\xF4\x90\x80\x80", TooLarge, Some(1), None, "F4 90 begins a character above U+10FFFF"),
        (Cesu8, b"\xF7", TooLarge, Some(1), None, "F7 begins a character above U+10FFFF"),
        (Cesu8, b"\xFC", InvalidByte, Some(1), None, "FC never appears there"),
        (Cesu8, b"\xC0\x80", Overlong, Some(1), None, "C0 begins an overlong form"),
        (ModifiedUtf8, b"\x00", Nul, Some(1), Some(0), "00 is U+0000 in one byte; expected C0 80"),
        (ModifiedUtf8, b"\xC0\x81", Overlong, Some(1), None, "C0 81 begins an overlong form"),
        (ModifiedUtf8, b"\xC0", Incomplete, None, None, "C0 begins a sequence of 2 bytes, and the input ends"),
        (ModifiedUtf8, b"\xC0a", Truncated, Some(1), None, "C0 begins a sequence of 2 bytes, and 61 follows"),
        (Wtf8, b"\xED\xA0\xBD\xED\xB8\x80", SurrogatePair, Some(6), Some(0x1F600), "ED A0 BD ED B8 80 is U+1F600 as a pair of surrogates; expected F0 9F 98 80"),
        (Wtf8, b"\x80", UnexpectedContinuation, Some(1), None, "80 is a continuation byte where a code point must begin"),
        (Wtf8, b"\xE0\x9F", Overlong, Some(1), None, "E0 9F begins an overlong form"),
        (Rfc2279, b"\xFC\x84\x80\x80\x80", Incomplete, None, None, "FC 84 80 80 80 begins a sequence of 6 bytes, and the input ends"),
        (Rfc2279, b"\xF9\x80\x80a", Truncated, Some(3), None, "F9 80 80 begins a sequence of 5 bytes, and 61 follows"),
        (Rfc2279, b"\xFC\x83", Overlong, Some(1), None, "FC 83 begins an overlong form"),
    ];
    for (dialect, bytes, kind, len, code_point, message) in cases {
        let text = [b"abc", bytes].concat();
        let error = dialect.validate(&text).unwrap_err();
        assert_eq!(
            (error.valid_up_to(), error.kind(), error.error_len()),
            (3, kind, len),
            "{dialect} {bytes:02X?}"
        );
        assert_eq!(error.code_point(), code_point, "{dialect} {bytes:02X?}");
        assert_eq!(error.to_string(), format!("invalid {dialect} at byte 3: {message}"));
        check(&text);
    }
}

/// In the dialect UTF-8, errors and messages are those of `from_utf8`.
#[test]
fn utf8_is_a_dialect_like_the_others() {
    for malformed in &super::support::malformed::MALFORMED {
        for before in ["", "text, текст, 文本 "] {
            let bytes = [before.as_bytes(), malformed.bytes].concat();
            let error = trust8::from_utf8(&bytes).unwrap_err();
            let same = Utf8.validate(&bytes).unwrap_err();
            assert_eq!((same.valid_up_to(), same.error_len()), (error.valid_up_to(), error.error_len()));
            assert_eq!(format!("{:?}", same.kind()), format!("{:?}", error.kind()));
            assert_eq!(same.to_string(), error.to_string());
            check(&bytes);
        }
    }
}

/// Every sequence that begins or ends a range, in every dialect, cut at every byte. The cut is at
/// the end of the input, or ASCII or another sequence follows.
#[test]
fn sequences_cut_at_every_byte() {
    let values = [
        0,
        0x7F,
        0x80,
        0x7FF,
        0x800,
        0xD7FF,
        0xD800,
        0xDBFF,
        0xDC00,
        0xDFFF,
        0xE000,
        0xFFFF,
        0x1_0000,
        0x1_F600,
        0x10_FFFF,
        0x11_0000,
        0x1F_FFFF,
        0x20_0000,
        0x3FF_FFFF,
        0x400_0000,
        0x7FFF_FFFF,
    ];
    let mut cut = 0;
    for &writer in Dialect::ALL {
        for value in values {
            let mut buffer = [0; 6];
            let Some(whole) = writer.encode(value, &mut buffer) else { continue };
            both_ways(writer, whole, &[value]);
            for len in 1..whole.len() {
                let begun = &whole[..len];
                // Half a pair may be a valid surrogate.
                if !(writer == Wtf8 || writer == Rfc2279) || len != 3 || whole[0] != 0xED {
                    let error = writer.validate(begun).unwrap_err();
                    assert_eq!(
                        (error.valid_up_to(), error.error_len(), error.kind()),
                        (0, None, Incomplete),
                        "{begun:02X?}"
                    );
                    let error = writer.validate(&[begun, b"a"].concat()).unwrap_err();
                    let lone = writer.encode(0x1_0000, &mut [0; 6]).unwrap().len() == 6 && len >= 3;
                    let kind = if lone { Surrogate } else { Truncated };
                    assert_eq!(
                        (error.valid_up_to(), error.error_len(), error.kind()),
                        (0, Some(if lone { 3 } else { len }), kind),
                        "{begun:02X?}"
                    );
                }
                for before in [
                    "",
                    "a",
                    "é",
                    "日本語",
                    "padding that is longer than the largest vector of any of the kernels here",
                ] {
                    for after in [&b""[..], b"a", whole, "日本語".as_bytes()] {
                        check(&[before.as_bytes(), begun, after].concat());
                        cut += 1;
                    }
                }
            }
        }
    }
    assert!(cut > 1000);
}

/// Every scalar value, one by one and as one text, through every dialect and back, with every
/// kernel. Where that is slow, one value in 17.
#[test]
fn all_scalar_values_through_every_dialect() {
    let step = if slow_scale() > 1 { 17 } else { 1 };
    let scalars = || ('\0'..=char::MAX).step_by(step);
    assert_eq!(scalars().count(), 1_112_064_usize.div_ceil(step));
    let all: String = scalars().collect();
    for &dialect in Dialect::ALL {
        let mut written = Vec::with_capacity(6 << 20);
        let mut buffer = [0; 6];
        for scalar in scalars() {
            let bytes = dialect.encode(scalar.into(), &mut buffer).unwrap();
            if matches!(dialect, Utf8 | Wtf8 | Rfc2279) {
                assert_eq!(bytes, scalar.encode_utf8(&mut [0; 4]).as_bytes());
            }
            let len = bytes.len();
            let mut decoded = dialect.decode(bytes);
            assert_eq!(decoded.next(), Some(Ok((0, scalar.into()))), "{dialect} {scalar:?}");
            assert_eq!(decoded.next(), None);
            written.extend_from_slice(&buffer[..len]);
        }
        assert_eq!(*dialect.from_utf8(&all), *written, "{dialect}");
        for way in ways() {
            assert_eq!(way.kernel.dialect(dialect).validate(&written), Ok(()), "{}", way.name);
            assert!(way.kernel.dialect(dialect).to_utf8(&written).unwrap() == all, "{} {dialect}", way.name);
            assert!(way.kernel.dialect(dialect).to_utf8_lossy(&written) == all, "{} {dialect}", way.name);
        }
        let mut scalars = scalars();
        dialect.decode(&written).for_each(|item| {
            assert_eq!(item.unwrap().1, u32::from(scalars.next().unwrap()));
        });
        assert_eq!(scalars.next(), None);
    }
}

/// All 2^31 values of RFC 2279, through `encode`, and 4096 at a time through `decode`:
///
/// `cargo test --release -p trust8-dialect --test dialect all_values_of_rfc_2279 -- --ignored`
#[test]
#[ignore = "all 2^31 values take minutes"]
fn all_values_of_rfc_2279() {
    const PIECE: u32 = 4096;
    let mut bytes = Vec::with_capacity(6 * PIECE as usize);
    let mut buffer = [0; 6];
    for piece in 0..(1 << 31) / PIECE {
        let first = piece * PIECE;
        bytes.clear();
        for value in first..first + PIECE {
            bytes.extend_from_slice(Rfc2279.encode(value, &mut buffer).unwrap());
        }
        let mut next = first;
        let mut offset = 0;
        Rfc2279.decode(&bytes).for_each(|item| {
            let (at, value) = item.unwrap();
            assert_eq!((at, value), (offset, next));
            // The table of section 2 once more.
            const LAST: [u32; 6] = [0x7F, 0x7FF, 0xFFFF, 0x1F_FFFF, 0x3FF_FFFF, 0x7FFF_FFFF];
            offset += 1 + LAST.iter().take_while(|&&last| value > last).count();
            next += 1;
        });
        assert_eq!((next, offset), (first + PIECE, bytes.len()));
    }
}

/// Bytes at the edges of what the dialects tell apart.
const EDGES: [u8; 20] = [
    0x00, 0x41, 0x7F, 0x80, 0x88, 0x8F, 0x90, 0x9F, 0xA0, 0xAF, 0xB0, 0xBF, 0xC0, 0xC2, 0xE0, 0xED, 0xF0,
    0xF4, 0xF8, 0xFD,
];

/// All strings of up to four such bytes.
#[test]
fn all_short_strings_of_edges() {
    let mut thin = Thin::new();
    let mut thin_three = Thin::where_slow();
    for len in 0..=4_u32 {
        for number in 0..EDGES.len().pow(len) {
            if len == 4 && !thin.keep() || len == 3 && !thin_three.keep() {
                continue;
            }
            let bytes: Vec<u8> =
                (0..len).map(|at| EDGES[number / EDGES.len().pow(at) % EDGES.len()]).collect();
            for &dialect in Dialect::ALL {
                check_with(Kernel::best(), "", dialect, &bytes);
            }
        }
    }
}

/// Sequences that one dialect has and another refuses, and sequences that none has.
const SEQUENCES: [&[u8]; 16] = [
    b"\xED\xA0\xBD\xED\xB8\x80",
    b"\xED\xA0\x80",
    b"\xED\xB0\x80",
    b"\xED\xB0\x80\xED\xA0\x80",
    b"\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80",
    b"\xC0\x80",
    b"\x00",
    b"\xF0\x9F\x98\x80",
    b"\xF4\x90\x80\x80",
    b"\xF8\x88\x80\x80\x80",
    b"\xFD\xBF\xBF\xBF\xBF\xBF",
    b"\xC0\xAF",
    b"\xFF",
    b"\x80",
    b"\xE2\x82",
    b"\xED\xA0",
];

const TEXTS: [&str; 6] =
    ["plain text. ", "Größe, déjà vu ", "Съешь ещё этих ", "敏捷的棕色，狐狸", "한국어 퐁당 ", "aé日"];

/// Each sequence at many distances from the start and from the end of each kind of text, with every
/// kernel.
#[test]
fn sequences_inside_text() {
    let mut thin = Thin::new();
    let mut thin_near = Thin::where_slow();
    let mut thin_blocks = Thin::to_one_in(4);
    for text in TEXTS {
        let long = text.repeat(2400 / text.len());
        for sequence in SEQUENCES {
            for before in (0..140_usize).chain(240..280).chain(500..530).chain(1000..1040).chain([1500, 2000])
            {
                let kept = match before {
                    1..=20 => thin_near.keep(),
                    _ => thin.keep() || before.is_multiple_of(64) && thin_blocks.keep(),
                };
                if !kept {
                    continue;
                }
                let Some(head) = long.get(..before) else { continue };
                for tail in [0, 1, 70, 1100] {
                    let tail = &long[..(0..=tail).rev().find(|&end| long.is_char_boundary(end)).unwrap_or(0)];
                    let bytes = [head.as_bytes(), sequence, tail.as_bytes()].concat();
                    let way = &ways()[(before + tail.len()) % ways().len()];
                    for &dialect in Dialect::ALL {
                        check_with(way.kernel, &way.name, dialect, &bytes);
                    }
                }
            }
        }
    }
}

/// Long text in which sequences come close together and far apart, with every kernel.
#[test]
fn many_sequences_in_long_text() {
    let mut numbers = Random::new(0x2545_F491_4F6C_DD1D);
    let mut random = |below: usize| numbers.index(below);
    for round in 0..(120 / scale()).max(15) {
        // The sequences of one dialect, or any.
        let allowed: &[&[u8]] = match round % 5 {
            0 => &SEQUENCES[..1],
            1 => &SEQUENCES[1..4],
            2 => &SEQUENCES[8..11],
            3 => &[b"\xC0\x80", b"\xED\xA0\xBD\xED\xB8\x80"],
            _ => &SEQUENCES,
        };
        let apart = [3, 40, 400, 4000, 30_000][random(5)];
        let size = if apart < 400 { 3000 } else { 40_000 };
        let mut bytes = Vec::new();
        while bytes.len() < size {
            let text = TEXTS[random(TEXTS.len())];
            let until = (bytes.len() + random(apart)).min(size);
            while bytes.len() < until {
                bytes.extend_from_slice(text.as_bytes());
            }
            bytes.extend_from_slice(allowed[random(allowed.len())]);
        }
        for (i, way) in ways().iter().enumerate() {
            for &dialect in Dialect::ALL {
                if (round % 3 == 0 && slow_scale() == 1) || (round + i) % 4 == 0 {
                    check_with(way.kernel, &way.name, dialect, &bytes);
                }
            }
        }
    }
}

/// Sequences of a dialect's own near each other, over more than two chunks of those that are
/// rewritten at once, with a fault at each of many places: so that chunks end before, in and after
/// sequences and faults.
#[test]
fn near_sequences_with_a_fault_anywhere() {
    const CHUNK: usize = 2048;
    let own: [&[u8]; 4] =
        [b"\xED\xA0\xBD\xED\xB8\x80", b"\xC0\x80", b"\xED\xB0\x80", b"\xFC\x84\x80\x80\x80\x80"];
    let faults: [&[u8]; 4] = [b"\xFF", b"\xED\xA0\x80", b"\xE2\x82", b"\x80"];
    let mut thin = Thin::new();
    let mut checked = 0;
    for (number, sequence) in own.into_iter().enumerate() {
        for letters in ["", "a", "\u{E9}ab", "\u{65E5}\u{672C}", "abcdefghijklmnopqrstuvwxyz"] {
            let unit = [sequence, letters.as_bytes()].concat();
            let valid = unit.repeat((2 * CHUNK + 300) / unit.len());
            let places =
                [0, CHUNK, 2 * CHUNK].into_iter().flat_map(|chunk| chunk.saturating_sub(9)..chunk + 9);
            for (i, at) in places.chain([valid.len()]).enumerate() {
                // Between two units; the first time, no fault.
                let at = at / unit.len() * unit.len();
                let fault = faults[(i + number) % faults.len()];
                let bytes = match i {
                    0 => valid.clone(),
                    _ => [&valid[..at], fault, &valid[at..]].concat(),
                };
                if !(thin.keep() || i == 0) {
                    continue;
                }
                let way = &ways()[(i + number) % ways().len()];
                for dialect in [Cesu8, ModifiedUtf8, Wtf8, Rfc2279] {
                    check_with(way.kernel, &way.name, dialect, &bytes);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 40);
}

/// Converts the beginning of a text. Returns how much of it.
type Convert<'a> = dyn FnMut(Dialect, &str) -> usize + 'a;

/// A conversion into a small buffer looks at no more of the input than fits. Otherwise it would
/// take quadratic time: per byte, 64 times as much for a text 64 times as long.
#[test]
fn small_buffers_take_linear_time() {
    if slow_scale() > 1 {
        // An emulator's time says little.
        return;
    }
    let text = "\u{65E5}a".repeat(512 << 10);
    let short = &text[..text.len() / 64];
    let mut buffer = [MaybeUninit::uninit(); 64];
    let mut to_utf8 =
        |dialect: Dialect, rest: &str| dialect.to_utf8_into(rest.as_bytes(), &mut buffer).unwrap().read;
    let mut buffer = [MaybeUninit::uninit(); 64];
    let mut from_utf8 = |dialect: Dialect, rest: &str| dialect.from_utf8_into(rest, &mut buffer).read;
    let ways: [&mut Convert<'_>; 2] = [&mut to_utf8, &mut from_utf8];
    for convert in ways {
        for dialect in [Cesu8, ModifiedUtf8, Wtf8, Rfc2279] {
            let mut time = |text: &str| {
                let (start, mut read) = (Instant::now(), 0);
                while read < text.len() {
                    read += convert(dialect, &text[read..]);
                }
                start.elapsed().as_secs_f64() / text.len() as f64
            };
            // Other programs make some rounds slow, but hardly all of them.
            let mut least = |text: &str| (0..4).map(|_| time(text)).fold(f64::MAX, f64::min);
            let (short, long) = (least(short), least(&text));
            assert!(long < 12.0 * short, "{dialect}: {short} and {long} seconds a byte");
        }
    }
}

#[test]
fn dialects_are_told_apart() {
    #[rustfmt::skip]
    let cases: [(&[u8], Option<Dialect>, &str); 9] = [
        (b"plain", Some(Utf8), "UTF-8"),
        (b"", Some(Utf8), "UTF-8"),
        (b"a\xED\xA0\xBD\xED\xB8\x80", Some(Cesu8), "CESU-8: at byte 1, ED A0 BD ED B8 80 is U+1F600 and not UTF-8 (Modified UTF-8, RFC 2279 accept all of it, too)"),
        (b"a\xED\xA0\xBD\xED\xB8\x80\0", Some(Cesu8), "CESU-8: at byte 1, ED A0 BD ED B8 80 is U+1F600 and not UTF-8 (RFC 2279 accepts all of it, too)"),
        (b"a\xC0\x80", Some(ModifiedUtf8), "Modified UTF-8: at byte 1, C0 80 is U+0000 and not UTF-8"),
        (b"a\xED\xA0\xBD\xF0\x9F\x98\x80", Some(Wtf8), "WTF-8: at byte 1, ED A0 BD is U+D83D and not UTF-8 (RFC 2279 accepts all of it, too)"),
        (b"a\xFC\x84\x80\x80\x80\x80", Some(Rfc2279), "RFC 2279: at byte 1, FC 84 80 80 80 80 is U+4000000 and not UTF-8"),
        // UTF-8 and CESU-8 mixed: only RFC 2279 accepts both, and its surrogates cannot be
        // converted.
        (b"\xF0\x9F\x98\x80\xED\xA0\xBD\xED\xB8\x80", Some(Rfc2279), "RFC 2279: at byte 4, ED A0 BD is U+D83D and not UTF-8"),
        (b"na\xEFve", None, "none of UTF-8, RFC 2279, CESU-8, Modified UTF-8, WTF-8"),
    ];
    for (bytes, best, message) in cases {
        let diagnosis = diagnose(bytes);
        assert_eq!(diagnosis.best(), best, "{bytes:02X?}");
        assert_eq!(diagnosis.to_string(), message);
        check_diagnosis(bytes);
    }
    assert_eq!(diagnose(cases[7].0).conversion(Rfc2279).unwrap_err().code_point(), Some(0xD83D));
}

#[test]
fn names() {
    let names = [
        (Utf8, "utf-8", "UTF-8"),
        (Rfc2279, "utf-8-rfc2279", "RFC 2279"),
        (Cesu8, "cesu-8", "CESU-8"),
        (ModifiedUtf8, "mutf-8", "Modified UTF-8"),
        (Wtf8, "wtf-8", "WTF-8"),
    ];
    assert!(Dialect::ALL.iter().copied().eq(names.map(|(dialect, ..)| dialect)));
    for (dialect, name, display) in names {
        assert_eq!((dialect.name(), &*dialect.to_string()), (name, display));
        for name in [name, display] {
            assert_eq!(Dialect::by_name(name), Some(dialect));
            assert_eq!(Dialect::by_name(&name.to_ascii_lowercase()), Some(dialect));
            assert_eq!(Dialect::by_name(&name.to_ascii_uppercase()), Some(dialect));
        }
    }
    for (name, dialect) in [
        ("rfc2279", Rfc2279),
        ("mutf-8", ModifiedUtf8),
        ("MUTF8", ModifiedUtf8),
        ("cesu8", Cesu8),
        ("wtf-8", Wtf8),
    ] {
        assert_eq!(Dialect::by_name(name), Some(dialect));
    }
    for name in ["", "utf", "utf-7", "utf-88", "latin-1"] {
        assert_eq!(Dialect::by_name(name), None);
    }
    assert_eq!(format!("[{:>8}]", Cesu8), "[  CESU-8]");
}

/// Returns bytes that often contain the sequences of a dialect.
fn nearly_text() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[ -~]{0,40}".prop_map(String::into_bytes),
        2 => "\\PC{0,20}".prop_map(String::into_bytes),
        3 => prop::sample::select(&SEQUENCES[..]).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..5),
        1 => prop::collection::vec(prop::sample::select(&EDGES[..]), 0..8),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(slow_cases(1000, 64))]

    #[test]
    fn any_bytes(bytes in nearly_text()) {
        check(&bytes);
    }

    #[test]
    fn any_text(text in prop::collection::vec(any::<char>(), 0..200)) {
        let text: String = text.into_iter().collect();
        for &dialect in Dialect::ALL {
            let bytes = dialect.from_utf8(&text);
            prop_assert_eq!(&*dialect.to_utf8(&bytes).unwrap(), text.as_str());
            let by_character: Vec<u8> =
                text.chars().flat_map(|c| dialect.encode(c.into(), &mut [0; 6]).unwrap().to_vec()).collect();
            prop_assert_eq!(&bytes[..], &by_character[..]);
            prop_assert_eq!(matches!(bytes, Cow::Borrowed(_)), *bytes == *text.as_bytes());
            // A small buffer has room for single characters only.
            for room in [6, 70, 900] {
                let mut buffer = vec![MaybeUninit::new(0); room];
                let (mut rest, mut filled) = (text.as_str(), Vec::new());
                while !rest.is_empty() {
                    let progress = dialect.from_utf8_into(rest, &mut buffer);
                    prop_assert!(progress.read > 0);
                    rest = &rest[progress.read..];
                    // SAFETY: all of it was initialised above.
                    filled.extend(buffer[..progress.written].iter().map(|byte| unsafe { byte.assume_init() }));
                }
                prop_assert_eq!(&*filled, &*bytes);
            }
        }
        for c in text.chars() {
            assert_eq!(Utf8.encode(c.into(), &mut [0; 6]).unwrap(), c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    #[test]
    fn as_the_crate_cesu8(bytes in nearly_text(), text in prop::collection::vec(any::<char>(), 0..60)) {
        let mut text: String = text.into_iter().collect();
        text.push('\0');
        prop_assert_eq!(Cesu8.from_utf8(&text), cesu8::to_cesu8(&text));
        prop_assert_eq!(ModifiedUtf8.from_utf8(&text), cesu8::to_java_cesu8(&text));
        // That crate passes all UTF-8 through, which is more than the dialects have.
        if std::str::from_utf8(&bytes).is_err() {
            prop_assert_eq!(Cesu8.to_utf8(&bytes).ok(), cesu8::from_cesu8(&bytes).ok());
            prop_assert_eq!(ModifiedUtf8.to_utf8(&bytes).ok(), cesu8::from_java_cesu8(&bytes).ok());
        }
    }

    #[test]
    fn as_the_crate_wtf8(units in prop::collection::vec(prop_oneof![any::<u16>(), 0xD700..0xE100_u16, 0x20..0x7F_u16], 0..80)) {
        let theirs = wtf8::Wtf8Buf::from_ill_formed_utf16(&units);
        let mut bytes = Vec::new();
        for unit in char::decode_utf16(units.iter().copied()) {
            let value = unit.map_or_else(|lone| lone.unpaired_surrogate().into(), u32::from);
            bytes.extend_from_slice(Wtf8.encode(value, &mut [0; 6]).unwrap());
        }
        prop_assert_eq!(bytes.len(), theirs.len());
        prop_assert!(Wtf8.validate(&bytes).is_ok());
        let values: Vec<u32> = Wtf8.decode(&bytes).map(|item| item.unwrap().1).collect();
        prop_assert_eq!(values, theirs.code_points().map(|code_point| code_point.to_u32()).collect::<Vec<_>>());
        let converted = Wtf8.to_utf8(&bytes).ok();
        prop_assert_eq!(converted.as_deref(), theirs.as_str());
        prop_assert_eq!(Wtf8.to_utf8_lossy(&bytes), theirs.to_string_lossy());
        // Back to UTF-16, nothing is lost.
        let mut back = Vec::new();
        for value in Wtf8.decode(&bytes).map(|item| item.unwrap().1) {
            match char::from_u32(value) {
                Some(character) => back.extend_from_slice(character.encode_utf16(&mut [0; 2])),
                None => back.push(value as u16),
            }
        }
        prop_assert_eq!(back, units);
    }
}

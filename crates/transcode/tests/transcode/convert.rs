//! Conversions between all pairs of forms, with every kernel, against `std` and `encoding_rs`.
//!
//! The oracle uses the standard library alone: `reference::decode` decodes a text in any form into
//! characters and the malformed sequences between them. Every answer follows from that.

#![cfg(feature = "alloc")]

use std::mem::MaybeUninit;

use super::support::kernels::{Way, kernels, ways};
use super::support::malformed::{BOUNDARY_CHARACTERS, MALFORMED};
use super::support::random::{cases, mutation, passage, text};
use super::support::scale::{Thin, scale};
use proptest::prelude::*;
use trust8::Kernel;
use trust8_transcode::KernelForms;
use trust8_transcode::{
    BufferError, Chars, ConversionErrorKind, Encoding, Str, Transcoder, TranscoderError, Utf16, Utf32,
};

use reference::{Item, decode, encode, encode_all, has};

/// What a text consists of, according to the standard library.
pub(super) mod reference {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Item {
        Char(char),
        /// A sequence that one U+FFFD replaces.
        Malformed(ConversionErrorKind),
    }

    /// Returns the items, each with the place where it begins.
    pub(crate) fn decode(from: Encoding, text: &[u8]) -> Vec<(usize, Item)> {
        match from {
            Encoding::Utf8 => utf8(text),
            Encoding::Latin1 => {
                text.iter().enumerate().map(|(at, &byte)| (at, Item::Char(byte.into()))).collect()
            }
            Encoding::Utf16Le => utf16(text, u16::from_le_bytes),
            Encoding::Utf16Be => utf16(text, u16::from_be_bytes),
            Encoding::Utf32Le => utf32(text, u32::from_le_bytes),
            Encoding::Utf32Be => utf32(text, u32::from_be_bytes),
            other => panic!("{} has no reference decoder", other.name()),
        }
    }

    fn utf8(text: &[u8]) -> Vec<(usize, Item)> {
        let mut items = Vec::new();
        let mut at = 0;
        for chunk in text.utf8_chunks() {
            items.extend(chunk.valid().char_indices().map(|(i, char)| (at + i, Item::Char(char))));
            at += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                // Other tests check the kind.
                let kind = trust8::from_utf8(&text[at..]).unwrap_err().kind();
                items.push((at, Item::Malformed(ConversionErrorKind::Utf8(kind))));
                at += chunk.invalid().len();
            }
        }
        items
    }

    fn utf16(text: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<(usize, Item)> {
        let (pairs, rest) = text.as_chunks::<2>();
        let mut items = Vec::new();
        let mut at = 0;
        for item in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
            match item {
                Ok(char) => {
                    items.push((at, Item::Char(char)));
                    at += 2 * char.len_utf16();
                }
                Err(error) => {
                    let unit = error.unpaired_surrogate();
                    let kind = if unit < 0xDC00 {
                        ConversionErrorKind::LoneHigh(unit)
                    } else {
                        ConversionErrorKind::LoneLow(unit)
                    };
                    items.push((at, Item::Malformed(kind)));
                    at += 2;
                }
            }
        }
        // To a decoder of bytes, a high surrogate and half a unit at the end are one sequence that
        // is cut off.
        let cut_pair = matches!(items.last(), Some((last, Item::Malformed(ConversionErrorKind::LoneHigh(_)))) if last + 2 == at);
        if !rest.is_empty() && !cut_pair {
            items.push((at, Item::Malformed(ConversionErrorKind::Incomplete)));
        }
        items
    }

    fn utf32(text: &[u8], unit: fn([u8; 4]) -> u32) -> Vec<(usize, Item)> {
        let (quads, rest) = text.as_chunks::<4>();
        let mut items: Vec<_> = quads
            .iter()
            .map(|quad| match char::from_u32(unit(*quad)) {
                Some(char) => Item::Char(char),
                None if unit(*quad) > 0x10_FFFF => {
                    Item::Malformed(ConversionErrorKind::TooLarge(unit(*quad)))
                }
                None => Item::Malformed(ConversionErrorKind::Surrogate(unit(*quad))),
            })
            .enumerate()
            .map(|(i, item)| (4 * i, item))
            .collect();
        if !rest.is_empty() {
            items.push((4 * quads.len(), Item::Malformed(ConversionErrorKind::Incomplete)));
        }
        items
    }

    /// Returns the character's bytes, or `None` if the encoding lacks the character.
    pub(crate) fn encode(to: Encoding, char: char) -> Option<Vec<u8>> {
        let units = |bytes: fn(u16) -> [u8; 2]| {
            char.encode_utf16(&mut [0; 2]).iter().flat_map(|&unit| bytes(unit)).collect()
        };
        Some(match to {
            Encoding::Utf8 => char.to_string().into_bytes(),
            Encoding::Utf16Le => units(u16::to_le_bytes),
            Encoding::Utf16Be => units(u16::to_be_bytes),
            Encoding::Utf32Le => u32::from(char).to_le_bytes().to_vec(),
            Encoding::Utf32Be => u32::from(char).to_be_bytes().to_vec(),
            Encoding::Latin1 => return u8::try_from(char).ok().map(|byte| vec![byte]),
            other => panic!("{} has no reference encoder", other.name()),
        })
    }

    /// Whether the encoding has the character.
    pub(crate) fn has(encoding: Encoding, char: char) -> bool {
        encode(encoding, char).is_some()
    }

    pub(crate) fn encode_all(to: Encoding, text: &str) -> Vec<u8> {
        text.chars().flat_map(|char| encode(to, char).expect("the encoding has all of these")).collect()
    }
}

/// The right answers about a text that is converted.
struct Expected {
    /// The bytes of all that comes before the first error.
    prefix: Vec<u8>,
    error: Option<(usize, ConversionErrorKind)>,
    lossy: Vec<u8>,
}

fn expected(to: Encoding, items: &[(usize, Item)]) -> Expected {
    let replacement = encode(to, '\u{FFFD}').or_else(|| encode(to, '?')).unwrap();
    let (mut prefix, mut error, mut lossy) = (Vec::new(), None, Vec::new());
    for &(at, item) in items {
        let result = match item {
            Item::Char(char) => encode(to, char).ok_or(ConversionErrorKind::Unmappable(char)),
            Item::Malformed(kind) => Err(kind),
        };
        match result {
            Ok(bytes) => {
                if error.is_none() {
                    prefix.extend(&bytes);
                }
                lossy.extend(bytes);
            }
            Err(kind) => {
                error = error.or(Some((at, kind)));
                lossy.extend(&replacement);
            }
        }
    }
    Expected { prefix, error, lossy }
}

/// The value of bytes after a buffer, which nobody may change.
const UNTOUCHED: u8 = 0xA5;

/// Calls `run` with a buffer of `len` units, and checks that the units after it stay the same.
fn with_buffer<U: Copy, R>(
    filler: U,
    len: usize,
    run: impl FnOnce(&mut [MaybeUninit<U>]) -> R,
    same: impl Fn(U) -> bool,
) -> R {
    let mut memory = vec![MaybeUninit::new(filler); len + 80];
    let result = run(&mut memory[..len]);
    for unit in &memory[len..] {
        // SAFETY: all of it was initialised above.
        assert!(same(unsafe { unit.assume_init() }), "something is written after the buffer");
    }
    result
}

/// Asserts that every function that converts into bytes gives the expected answer, with every
/// kernel.
fn check_bytes(from: Encoding, to: Encoding, text: &[u8]) {
    let items = decode(from, text);
    let expected = expected(to, &items);
    for kernel in kernels() {
        let context = || format!("{} to {}, {}, of {text:02X?}", from.name(), to.name(), kernel.name());
        let into = |len: usize| {
            with_buffer(
                UNTOUCHED,
                len,
                |buffer| {
                    trust8_transcode::convert_into(kernel.form(from), to, text, buffer)
                        .map(|bytes| bytes.to_vec())
                },
                |byte| byte == UNTOUCHED,
            )
        };
        match (trust8_transcode::convert(kernel.form(from), to, text), expected.error) {
            (Ok(bytes), None) => {
                assert_eq!(bytes, expected.prefix, "{}", context());
                let needed = bytes.len();
                assert_eq!(trust8_transcode::len(kernel.form(from), to, text), needed, "{}", context());
                assert_eq!(into(needed).as_ref(), Ok(&bytes), "{}", context());
                assert_eq!(into(needed + 77).as_ref(), Ok(&bytes), "{}", context());
                for len in [0, needed / 2, needed.saturating_sub(1)] {
                    if len < needed {
                        let error = BufferError::TooSmall(trust8::TooSmall { needed, len });
                        assert_eq!(into(len), Err(error), "{}", context());
                    }
                }
            }
            (Err(error), Some(wrong)) => {
                assert_eq!((error.valid_up_to(), error.kind()), wrong, "{}", context());
                let needed = expected.prefix.len();
                assert!(trust8_transcode::len(kernel.form(from), to, text) >= needed, "{}", context());
                for len in [needed, needed + 77] {
                    let invalid = BufferError::Invalid { error, written: needed };
                    assert_eq!(into(len), Err(invalid), "{}", context());
                }
                for len in [0, needed / 2] {
                    match into(len) {
                        Err(BufferError::Invalid { error: same, written }) => {
                            assert_eq!(same, error, "{}", context());
                            assert!(written <= len && len - written < 4, "{}", context());
                        }
                        other => panic!("{other:?}: {}", context()),
                    }
                }
            }
            (got, wrong) => panic!("{got:?} instead of {wrong:?}: {}", context()),
        }

        let lossy = trust8_transcode::convert_lossy(kernel.form(from), to, text);
        assert_eq!(lossy, expected.lossy, "{}", context());
        let into_lossy = |len: usize| {
            with_buffer(
                UNTOUCHED,
                len,
                |buffer| {
                    trust8_transcode::convert_into_lossy(kernel.form(from), to, text, buffer)
                        .map(|bytes| bytes.to_vec())
                },
                |byte| byte == UNTOUCHED,
            )
        };
        let needed = lossy.len();
        assert_eq!(into_lossy(needed), Ok(lossy), "{}", context());
        for len in [0, needed / 2, needed.saturating_sub(1)] {
            if len < needed {
                assert_eq!(
                    into_lossy(len),
                    Err(BufferError::TooSmall(trust8::TooSmall { needed, len })),
                    "{}",
                    context()
                );
            }
        }
    }
}

/// Checks the conversion into every encoding.
fn check(from: Encoding, text: &[u8]) {
    for &to in Encoding::ALL {
        check_bytes(from, to, text);
    }
}

/// Checks conversions of UTF-16 in units.
fn check_units(units: &[u16]) {
    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    for kernel in kernels() {
        match (trust8_transcode::convert(kernel.form(Utf16), Str, units), String::from_utf16(units)) {
            (Ok(text), Ok(std)) => {
                assert_eq!(text, std, "{}", kernel.name());
                assert_eq!(
                    trust8_transcode::convert(kernel.form(Str), Utf16, &text).unwrap(),
                    units,
                    "{}",
                    kernel.name()
                );
            }
            (Err(error), Err(_)) => {
                let of_bytes =
                    trust8_transcode::convert(kernel.form(Encoding::Utf16Le), Str, &bytes).unwrap_err();
                assert_eq!(
                    (2 * error.valid_up_to(), error.kind()),
                    (of_bytes.valid_up_to(), of_bytes.kind())
                );
            }
            (got, std) => panic!("{got:?} instead of {std:?} of {units:04X?}, {}", kernel.name()),
        }
        let lossy = trust8_transcode::convert_lossy(kernel.form(Utf16), Str, units);
        assert_eq!(lossy, String::from_utf16_lossy(units), "{} of {units:04X?}", kernel.name());
        let items = char::decode_utf16(units.iter().copied());
        let chars: Vec<char> = items.map(|item| item.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        assert_eq!(
            trust8_transcode::convert_lossy(kernel.form(Utf16), Chars, units),
            chars,
            "{} of {units:04X?}",
            kernel.name()
        );
    }
}

/// Repeats the characters of `text`, as many as fit into this number of bytes.
fn repeated(text: &str, bytes: usize) -> String {
    text.chars()
        .cycle()
        .scan(0, |len, char| {
            *len += char.len_utf8();
            (*len <= bytes).then_some(char)
        })
        .collect()
}

/// Texts of one kind each, and some that mix them.
const TEXTS: [&str; 9] = [
    "plain ASCII, and nothing else at all. ",
    "Größenwahn überall, naïve façades à côté ",
    "быстрая рыжая лиса ",
    "敏捷的棕色狐狸跳过了",
    "다람쥐 헌 쳇바퀴에 ",
    "😀🎉🦊🐕𝄞",
    "a😀é敏b",
    "ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII ASCII 狐",
    "\u{0}\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}",
];

/// Every scalar value, from every form into every other, in texts as long as there are values, and
/// alone.
#[test]
fn every_scalar_value_in_every_pair() {
    let all: Vec<char> = ('\0'..=char::MAX).collect();
    let step = match scale() {
        0..=8 => 1,
        9..=256 => 17,
        _ => 67,
    };
    let all: Vec<char> = all.into_iter().step_by(step).collect();
    let text: String = all.iter().collect();
    for &from in Encoding::ALL {
        for &to in Encoding::ALL {
            let text: String = text.chars().filter(|&char| has(from, char) && has(to, char)).collect();
            let (source, target) = (encode_all(from, &text), encode_all(to, &text));
            for kernel in kernels() {
                let result = trust8_transcode::convert(kernel.form(from), to, &source).unwrap();
                assert!(result == target, "{} to {}, {}", from.name(), to.name(), kernel.name());
                assert_eq!(trust8_transcode::len(kernel.form(from), to, &source), target.len());
            }
        }
    }
    // In units, and in types that are known to be valid.
    for kernel in kernels() {
        let utf16: Vec<u16> = text.encode_utf16().collect();
        assert!(trust8_transcode::convert(kernel.form(Str), Utf16, &text).unwrap() == utf16);
        assert!(trust8_transcode::convert(kernel.form(Utf16), Str, &utf16).unwrap() == text);
        let utf32: Vec<u32> = trust8_transcode::convert(kernel.form(Utf16), Utf32, &utf16).unwrap();
        assert!(utf32.iter().copied().eq(text.chars().map(u32::from)));
        assert!(trust8_transcode::convert(kernel.form(Utf32), Chars, &utf32).unwrap() == all);
        assert!(trust8_transcode::convert(kernel.form(Chars), Utf16, &all).unwrap() == utf16);
        assert!(trust8_transcode::convert(kernel.form(Str), Chars, &text).unwrap() == all);
        assert!(trust8_transcode::convert(kernel.form(Chars), Str, &all).unwrap() == text);
        assert_eq!(trust8_transcode::len(kernel.form(Str), Utf16, &text), utf16.len());
        assert_eq!(trust8_transcode::len(kernel.form(Chars), Str, &all), text.len());
    }
    for char in BOUNDARY_CHARACTERS {
        for &from in Encoding::ALL {
            if let Some(bytes) = encode(from, char) {
                check(from, &bytes);
            }
        }
    }
}

/// Valid text of every kind and length to 300, from and into every encoding.
#[test]
fn every_length_to_300() {
    let mut thin = Thin::new();
    for text in TEXTS {
        for len in 0..=300 {
            for &from in Encoding::ALL {
                let text = repeated(text, len);
                let encodable = text.chars().all(|char| has(from, char));
                if encodable && (len < 40 && scale() == 1 || len % 5 == 0 && thin.keep()) {
                    check(from, &encode_all(from, &text));
                }
            }
        }
    }
    for len in 0..=300 {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 7 + i / 50) as u8).collect();
        check(Encoding::Latin1, &bytes);
    }
}

/// An encoding may have its own search for what Latin-1 lacks.
#[test]
fn what_latin1_has_of_every_encoding() {
    for kernel in kernels() {
        for &encoding in Encoding::ALL {
            let chars = ('\0'..='\u{2FF}').chain(['\u{20AC}', '\u{D7FF}', '\u{FFFF}', '\u{1F600}']);
            for char in chars.filter(|&char| has(encoding, char)) {
                let text = encode_all(encoding, &format!("a{char}"));
                let expected = if char <= '\u{FF}' { text.len() } else { encode_all(encoding, "a").len() };
                let found = trust8_transcode::latin1_up_to(kernel.form(encoding), &text);
                assert_eq!(found, expected, "{kernel:?}, {encoding:?}, {char:?}");
            }
        }
    }
}

/// The length of text in every pair, for texts that begin at any address: kernels count the parts
/// before and after aligned vectors by themselves.
#[test]
fn lengths_at_every_address() {
    for &from in Encoding::ALL {
        let text: String =
            "a\u{E9}\u{20AC}\u{FFFD}b\u{1F600}".chars().filter(|&char| has(from, char)).collect();
        let parts: Vec<(char, Vec<u8>)> =
            text.chars().cycle().take(700).map(|char| (char, encode(from, char).unwrap())).collect();
        let lens = (0..=70).chain((71..=330).step_by(13)).chain(500..=540).chain(690..=700);
        for len in lens {
            let parts = &parts[..len];
            let bytes: Vec<u8> = parts.iter().flat_map(|part| part.1.iter().copied()).collect();
            let mut place = vec![0; bytes.len() + 64];
            let step = if scale() == 1 { 1 } else { 21 };
            for &to in Encoding::ALL {
                let needed: Option<usize> =
                    parts.iter().map(|part| encode(to, part.0).map(|unit| unit.len())).sum();
                let Some(needed) = needed else { continue };
                for offset in (0..64).step_by(step) {
                    let end = offset + bytes.len();
                    place[offset..end].copy_from_slice(&bytes);
                    for kernel in kernels() {
                        assert_eq!(
                            trust8_transcode::len(kernel.form(from), to, &place[offset..end]),
                            needed,
                            "{} characters at {offset}, {} to {}, {}",
                            len,
                            from.name(),
                            to.name(),
                            kernel.name()
                        );
                    }
                }
            }
        }
    }
}

/// Every malformed sequence of UTF-8 at every position to 600, in texts of several kinds.
#[test]
fn malformed_utf8_at_every_position() {
    let mut thin = Thin::new();
    // Characters of two bytes, in turn after 61 and 65 bytes of ASCII, so that they end at many
    // places of a block.
    let rare = format!("{}é{}ß", "a".repeat(61), "b".repeat(65));
    for filler in ["a", "é", "aé", &rare, "敏", "😀", "a😀é敏"] {
        for malformed in &MALFORMED {
            for before in 0..=600 {
                // All positions of each sequence, but each only in some of the fillers.
                if !thin.keep() || !(before + malformed.bytes.len() + filler.len()).is_multiple_of(5) {
                    continue;
                }
                let mut text = repeated(filler, before).into_bytes();
                text.extend(malformed.bytes);
                check_utf8_quickly(&text);
                text.extend(repeated(filler, before % 70 + 1).bytes());
                check_utf8_quickly(&text);
            }
        }
    }
}

/// A long text of characters of one and two bytes with a longer one here and there. Chunks of it
/// are validated, and what is between them is not; characters begin before these places and end
/// after them.
#[test]
fn longer_characters_in_text_of_two_bytes() {
    let mut thin = Thin::to_one_in(8);
    for filler in ["é", "éa", "éaßéßab"] {
        for shift in (0..130).filter(|_| thin.keep()) {
            for (longer, distance) in [("敏", 6000), ("😀", 900)] {
                let mut text = "a".repeat(shift) + &repeated(filler, shift / 2);
                while text.len() < 7000 {
                    text += longer;
                    text += &repeated(filler, distance);
                }
                let units: Vec<u16> = text.encode_utf16().collect();
                let big_endian: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                let numbers: Vec<u32> = text.chars().map(u32::from).collect();
                let bytes = text.as_bytes();
                for Way { name, kernel, .. } in ways() {
                    let about = (name, filler, shift, longer);
                    let converted = trust8_transcode::convert(kernel.form(Encoding::Utf8), Utf16, bytes);
                    assert!(converted.is_ok_and(|converted| converted == units), "{about:?}");
                    let to = Encoding::Utf16Be;
                    let converted = trust8_transcode::convert(kernel.form(Encoding::Utf8), to, bytes);
                    assert!(converted.is_ok_and(|converted| converted == big_endian), "{about:?}");
                    let converted = trust8_transcode::convert(kernel.form(Encoding::Utf8), Utf32, bytes);
                    assert!(converted.is_ok_and(|converted| converted == numbers), "{about:?}");
                }
            }
        }
    }
}

/// Checks the conversion into UTF-16, UTF-32 and UTF-8, without buffers of all lengths.
fn check_utf8_quickly(text: &[u8]) {
    let at = core::str::from_utf8(text).unwrap_err().valid_up_to();
    let lossy = String::from_utf8_lossy(text);
    for Way { name, kernel, .. } in ways() {
        let error = trust8_transcode::convert(kernel.form(Encoding::Utf8), Utf16, text).unwrap_err();
        assert_eq!(error.valid_up_to(), at, "{} of {text:02X?}", name);
        assert_eq!(error.utf8_error(), trust8::from_utf8(text).err());
        let units: Vec<u16> = lossy.encode_utf16().collect();
        assert_eq!(
            trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Utf16, text),
            units,
            "{}",
            name
        );
        assert_eq!(
            trust8_transcode::convert_lossy(kernel.form(Encoding::Utf8), Str, text),
            lossy,
            "{}",
            name
        );
        let error = trust8_transcode::convert(kernel.form(Encoding::Utf8), Utf32, text).unwrap_err();
        assert_eq!(error.valid_up_to(), at, "{} of {text:02X?}", name);
    }
}

/// Lone, swapped and doubled surrogates at every position to 600, in texts of several kinds.
#[test]
fn surrogates_at_every_position() {
    const WRONG: [&[u16]; 8] = [
        &[0xD800],
        &[0xDFFF],
        &[0xDBFF, 0x61],
        &[0xDC00, 0xD800],
        &[0xD83D, 0xD83D, 0xDE00],
        &[0xD83D, 0xDE00, 0xDE00],
        &[0xDE00, 0xD83D, 0xDE00, 0xD83D],
        &[0xD83D, 0xDE00],
    ];
    let mut thin = Thin::new();
    for filler in ["a", "é", "敏", "😀", "a😀é敏"] {
        let filler: Vec<u16> = filler.encode_utf16().collect();
        for wrong in WRONG {
            for before in 0..=600 {
                if !thin.keep() {
                    continue;
                }
                let after = before % 70;
                let mut units: Vec<u16> = filler.iter().copied().cycle().take(before).collect();
                units.extend(wrong);
                units.extend(filler.iter().cycle().take(after));
                check_units(&units);
                if before % 37 == 0 {
                    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                    check(Encoding::Utf16Be, &bytes);
                    check(Encoding::Utf16Le, &bytes);
                    check(Encoding::Utf16Be, &bytes[1..]);
                }
            }
        }
    }
}

/// Units of UTF-32 that are not characters, at every position to 100.
#[test]
fn malformed_utf32_at_every_position() {
    for wrong in [0xD800, 0xDFFF, 0x11_0000, 0xFFFF_FFFF, 0x1_D800, 0x8000_0041] {
        for before in 0..=100 {
            for filler in ['a', '敏', '😀'] {
                let mut units = vec![u32::from(filler); before];
                units.extend([wrong, 0x61, 0x62]);
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                if before % 7 == 0 {
                    check(Encoding::Utf32Le, &bytes);
                    check(Encoding::Utf32Be, &bytes);
                    check(Encoding::Utf32Le, &bytes[..bytes.len() - 3]);
                }
                for kernel in kernels() {
                    if char::from_u32(wrong).is_none() {
                        let error = trust8_transcode::convert(kernel.form(Utf32), Str, &units).unwrap_err();
                        assert_eq!(error.valid_up_to(), before, "{}", kernel.name());
                    }
                }
            }
        }
    }
}

/// The encodings that are converted into each other directly: those in the machine's byte order.
const DIRECT: [Encoding; 4] = if cfg!(target_endian = "big") {
    [Encoding::Utf8, Encoding::Utf16Be, Encoding::Utf32Be, Encoding::Latin1]
} else {
    [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf32Le, Encoding::Latin1]
};

/// One character among longer or shorter ones, at every position to 150, with many characters after
/// it or none. So it is in every lane, and on either side of every end of a vector.
#[test]
fn one_of_another_kind_at_every_position() {
    let kinds = ['a', 'é', 'ÿ', 'Ā', '敏', '\u{FFFF}', '😀', '\u{10FFFF}'];
    let mut thin = Thin::new();
    for filler in ['a', 'é', '敏', '😀'] {
        for other in kinds {
            for before in 0..=150 {
                for after in [0, 1, 15, 150 - before] {
                    if !thin.keep() {
                        continue;
                    }
                    let chars = [filler].repeat(before).into_iter().chain([other]);
                    let text: String = chars.chain([filler].repeat(after)).collect();
                    for from in DIRECT {
                        if !text.chars().all(|char| has(from, char)) {
                            continue;
                        }
                        let bytes = encode_all(from, &text);
                        for to in DIRECT {
                            check_bytes(from, to, &bytes);
                        }
                    }
                }
            }
        }
    }
}

/// Malformed sequences at every position to 150 of text that Latin-1 could express. The conversion
/// to Latin-1 validates the text in its own way.
#[test]
fn malformed_utf8_into_latin1_at_every_position() {
    let mut thin = Thin::new();
    for filler in ["a", "é", "aé"] {
        for malformed in &MALFORMED {
            for before in 0..=150 {
                if !thin.keep() {
                    continue;
                }
                let mut text = repeated(filler, before).into_bytes();
                text.extend(malformed.bytes);
                check_bytes(Encoding::Utf8, Encoding::Latin1, &text);
                text.extend(repeated(filler, 150 - before + 64).bytes());
                check_bytes(Encoding::Utf8, Encoding::Latin1, &text);
            }
        }
    }
    // Half a character before a long run of ASCII, which is not checked as closely.
    for half in [b"\xC3", b"\xA9"] {
        for before in 0..=300 {
            let text = [&b"a".repeat(before)[..], half, &b"a".repeat(300)].concat();
            for kernel in kernels() {
                let error = trust8_transcode::convert(kernel.form(Encoding::Utf8), Encoding::Latin1, &text)
                    .unwrap_err();
                assert_eq!(error.valid_up_to(), before, "{}", kernel.name());
                assert_eq!(error.utf8_error(), trust8::from_utf8(&text).err(), "{}", kernel.name());
            }
        }
    }
}

/// Units of UTF-32 that are not characters, at every position to 150, among characters of every
/// length.
#[test]
fn no_characters_at_every_position() {
    let mut thin = Thin::new();
    for filler in ['a', 'é', '敏', '😀'] {
        for wrong in [0xD800, 0xDFFF, 0x11_0000, 0x20_0000, 0x0100_0041, 0x8000_0041, u32::MAX] {
            for before in 0..=150 {
                if !thin.keep() {
                    continue;
                }
                let mut units = vec![u32::from(filler); before];
                units.push(wrong);
                units.extend([u32::from(filler)].repeat(before % 67));
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_ne_bytes()).collect();
                for to in DIRECT {
                    check_bytes(DIRECT[2], to, &bytes);
                }
            }
        }
    }
}

/// Lone and swapped halves of surrogate pairs, at every position to 150.
#[test]
fn lone_surrogates_at_every_position() {
    let mut thin = Thin::new();
    for filler in ['a', '敏', '😀'] {
        for wrong in [&[0xD800][..], &[0xDC00], &[0xDC00, 0xD800], &[0xD83D, 0xD83D, 0xDE00]] {
            for before in 0..=150 {
                if !thin.keep() {
                    continue;
                }
                let text: String = [filler].repeat(before).into_iter().collect();
                let units = text.encode_utf16().chain(wrong.iter().copied());
                let units = units.chain(text.encode_utf16().take(before % 67));
                let bytes: Vec<u8> = units.flat_map(u16::to_ne_bytes).collect();
                for to in DIRECT {
                    check_bytes(DIRECT[1], to, &bytes);
                }
            }
        }
    }
}

/// A character that Latin-1 lacks, at every position to 300.
#[test]
fn what_latin1_lacks() {
    for wrong in ['\u{100}', '€', '😀'] {
        for before in 0..=300 {
            let text: String = repeated("aé", before) + &wrong.to_string() + "after it";
            for kernel in kernels() {
                let error = trust8_transcode::convert(kernel.form(Str), Encoding::Latin1, &text).unwrap_err();
                assert_eq!(error.kind(), ConversionErrorKind::Unmappable(wrong), "{}", kernel.name());
                assert_eq!(&text[error.valid_up_to()..], format!("{wrong}after it"), "{}", kernel.name());
            }
            if before % 29 == 0 {
                for from in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Utf32Be] {
                    check_bytes(from, Encoding::Latin1, &encode_all(from, &text));
                }
            }
        }
    }
}

/// A text in two or three pieces, cut everywhere, is converted as the whole is.
#[test]
fn streams_cut_everywhere() {
    let texts: [&[u8]; 5] = [
        "aé€𝄞b".as_bytes(),
        b"a\xF0\x9F\x98\xE2\x82!\xC3\x80\x80\xF4\x90",
        b"\x3D\xD8\x00\xDE\x3D\xD8!\0\x00\xDC\x3D\xD8\x3D\xD8\x00\xDEz",
        b"\0\x3D\xD8\x3D\xD8",
        b"\x41\0\0\0\0\xD8\0\0\x00\xF6\x01\0\0\0\x11\0\x42\0",
    ];
    for text in texts {
        for &from in Encoding::ALL {
            let items = decode(from, text);
            for &to in Encoding::ALL {
                let expected = expected(to, &items);
                for a in 0..=text.len() {
                    for b in a..=text.len() {
                        let pieces = [&text[..a], &text[a..b], &text[b..]];
                        check_stream(from, to, &pieces, &expected, Kernel::best());
                    }
                }
                for kernel in kernels() {
                    let single: Vec<&[u8]> = text.chunks(1).collect();
                    check_stream(from, to, &single, &expected, kernel);
                }
            }
        }
    }
}

/// Long texts with a fault every 1 to 1000 characters, in every pair: whole, into buffers of every
/// kind of length, and in pieces through small buffers.
#[test]
fn faults_at_every_rate() {
    let mut thin = Thin::new();
    for filler in ["a", "é", "敏", "😀", "a😀é敏 some words"] {
        for rate in [1, 2, 3, 7, 20, 60, 200, 1000] {
            for &from in Encoding::ALL {
                if !thin.keep() {
                    continue;
                }
                let text = faulty(from, filler, rate);
                let items = decode(from, &text);
                for &to in Encoding::ALL {
                    check_bytes(from, to, &text);
                    let expected = expected(to, &items);
                    for kernel in kernels() {
                        check_lossy_stream(from, to, &text, &expected.lossy, kernel);
                    }
                }
            }
        }
    }
}

/// Returns some thousand characters of `filler`. About every `rate`-th of them is invalid in the
/// encoding.
fn faulty(from: Encoding, filler: &str, rate: usize) -> Vec<u8> {
    let wrong: &[&[u8]] = match from {
        Encoding::Utf8 => &[b"\xFF", b"\x80", b"\xE2\x82", b"\xF0\x9F\x98", b"\xED\xA0\x80", b"\xC3"],
        Encoding::Utf16Le => &[b"\x00\xD8", b"\x00\xDC", b"\x00\xDC\x00\xD8", b"\x00\xD8\x00\xD8\x00\xDC"],
        Encoding::Utf16Be => &[b"\xD8\x00", b"\xDC\x00", b"\xDC\x00\xD8\x00", b"\xD8\x00\xD8\x00\xDC\x00"],
        Encoding::Utf32Le => &[b"\x00\xD8\0\0", b"\0\0\x11\0", b"\xFF\xFF\xFF\xFF"],
        Encoding::Utf32Be => &[b"\0\0\xD8\x00", b"\0\x11\0\0", b"\xFF\xFF\xFF\xFF"],
        _ => &[b"\xFF", b"?"],
    };
    let chars =
        filler.chars().cycle().filter(|&char| has(from, char) || !filler.chars().any(|char| has(from, char)));
    let mut text = Vec::new();
    for (i, char) in chars.take(3 * rate.max(600)).enumerate() {
        if i % rate == rate / 2 {
            text.extend(wrong[i / rate % wrong.len()]);
        }
        text.extend(encode(from, char).unwrap_or_default());
    }
    text
}

/// Asserts that a lossy transcoder gives what is expected, in long pieces and through buffers of
/// several lengths.
fn check_lossy_stream(from: Encoding, to: Encoding, text: &[u8], expected: &[u8], kernel: &'static Kernel) {
    for room in [16, 61, 256, 700, 4000] {
        for piece in [1001, text.len().max(1)] {
            let mut transcoder = Transcoder::lossy(kernel.form(from), to);
            let pieces: Vec<&[u8]> = text.chunks(piece).collect();
            let mut bytes = Vec::new();
            through_buffer(&mut transcoder, &pieces, room, &mut bytes).unwrap();
            let pair = format!("{} to {}", from.name(), to.name());
            assert!(bytes == expected, "{pair}, {}, {room}, {piece}, {text:02X?}", kernel.name());
        }
    }
}

fn transcoder_of(
    kernel: &'static Kernel,
    from: Encoding,
    to: Encoding,
    lossy: bool,
) -> Transcoder<Encoding, Encoding> {
    if lossy { Transcoder::lossy(kernel.form(from), to) } else { Transcoder::new(kernel.form(from), to) }
}

fn check_stream(
    from: Encoding,
    to: Encoding,
    pieces: &[&[u8]],
    expected: &Expected,
    kernel: &'static Kernel,
) {
    let context = || format!("{} to {}, {} of {pieces:02X?}", from.name(), to.name(), kernel.name());
    for lossy in [false, true] {
        // Into a vector.
        let mut transcoder = transcoder_of(kernel, from, to, lossy);
        let mut bytes = Vec::new();
        let result = pieces.iter().try_for_each(|piece| transcoder.push(piece, &mut bytes));
        let result = result.and_then(|()| transcoder.finish(&mut bytes));
        let wrong = result.err().map(|error| (error.valid_up_to() as usize, error.kind()));
        let (prefix, error) =
            if lossy { (&expected.lossy, None) } else { (&expected.prefix, expected.error) };
        assert_eq!(&bytes, prefix, "{}", context());
        assert_eq!(wrong, error, "{}", context());
        if let Some((position, kind)) = error {
            let again = transcoder.push(b"", &mut bytes).unwrap_err();
            assert_eq!((again.valid_up_to() as usize, again.kind()), (position, kind), "{}", context());
        }

        // Through a small buffer.
        for room in [4, 5, 7] {
            let mut transcoder = transcoder_of(kernel, from, to, lossy);
            let mut bytes = Vec::new();
            let wrong = through_buffer(&mut transcoder, pieces, room, &mut bytes).err();
            let wrong = wrong.map(|error| (error.valid_up_to() as usize, error.kind()));
            assert_eq!((&bytes, wrong), (prefix, error), "{}", context());
        }

        // With another transcoder for each piece.
        let mut transcoder = transcoder_of(kernel, from, to, lossy);
        let mut bytes = Vec::new();
        let result = pieces.iter().try_for_each(|piece| {
            transcoder.push(piece, &mut bytes)?;
            let (position, pending) = (transcoder.position(), transcoder.pending());
            let fresh = transcoder_of(kernel, from, to, lossy);
            transcoder = fresh.resume(position, pending).expect("this is how a transcoder ends a piece");
            Ok(())
        });
        let result = result.and_then(|()| transcoder.finish(&mut bytes));
        let wrong = result.err().map(|error: TranscoderError| (error.valid_up_to() as usize, error.kind()));
        assert_eq!((&bytes, wrong), (prefix, error), "{}", context());
    }
}

fn through_buffer(
    transcoder: &mut Transcoder<Encoding, Encoding>,
    pieces: &[&[u8]],
    room: usize,
    bytes: &mut Vec<u8>,
) -> Result<(), trust8_transcode::TranscoderError> {
    let mut buffer = vec![MaybeUninit::new(UNTOUCHED); room];
    let take = |buffer: &[MaybeUninit<u8>], bytes: &mut Vec<u8>| {
        // SAFETY: all of it was initialised above.
        bytes.extend(buffer.iter().map(|byte| unsafe { byte.assume_init() }));
    };
    for piece in pieces {
        let mut rest = *piece;
        loop {
            let progress = transcoder.push_into(rest, &mut buffer)?;
            take(&buffer[..progress.written], bytes);
            rest = &rest[progress.read..];
            if rest.is_empty() {
                break;
            }
            assert!(progress.read > 0 || progress.written > 0, "no progress");
        }
    }
    let written = transcoder.finish_into(&mut buffer)?.expect("a buffer for a character");
    take(&buffer[..written], bytes);
    Ok(())
}

/// Compares lossy text with that of `encoding_rs`, which browsers use.
fn check_against_encoding_rs(bytes: &[u8]) {
    let all = [
        (Encoding::Utf8, encoding_rs::UTF_8),
        (Encoding::Utf16Le, encoding_rs::UTF_16LE),
        (Encoding::Utf16Be, encoding_rs::UTF_16BE),
    ];
    for (from, theirs) in all {
        let (text, malformed) = theirs.decode_without_bom_handling(bytes);
        for kernel in kernels() {
            let ours = trust8_transcode::convert_lossy(kernel.form(from), Str, bytes);
            assert_eq!(ours, text, "{}, {} of {bytes:02X?}", from.name(), kernel.name());
            let strict = trust8_transcode::convert(kernel.form(from), Str, bytes);
            assert_eq!(strict.is_err(), malformed, "{}, {} of {bytes:02X?}", from.name(), kernel.name());
        }
    }
}

/// Returns units, with surrogates among them.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => 0u16..0x80,
        2 => 0x80u16..0x800,
        4 => any::<u16>(),
        2 => 0xD800u16..0xDC00,
        2 => 0xDC00u16..0xE000,
    ];
    prop::collection::vec(unit, 0..200)
}

/// Returns bytes, with those of characters among them.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        6 => any::<char>().prop_map(|char| char.to_string().into_bytes()),
        4 => "[ -~]{0,80}".prop_map(String::into_bytes),
        2 => "[а-я]{0,40}".prop_map(String::into_bytes),
        2 => "[一-龥]{0,40}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Converts a text into buffers of these lengths in turn, and compares each step with what the
/// items say.
fn check_small_buffers(from: Encoding, to: Encoding, text: &[u8], rooms: &[usize]) {
    let items = decode(from, text);
    for (kernel, lossy) in kernels().iter().flat_map(|kernel| [(kernel, false), (kernel, true)]) {
        let (mut at, mut next) = (0, 0);
        for &room in rooms.iter().cycle().take(60) {
            let (mut expected, mut end, mut failed) = (Vec::new(), at, false);
            while let Some(&(_, item)) = items.get(next) {
                let bytes = match item {
                    Item::Char(char) => encode(to, char),
                    Item::Malformed(_) => None,
                };
                let replaced = || encode(to, '\u{FFFD}').or_else(|| encode(to, '?')).filter(|_| lossy);
                let Some(bytes) = bytes.or_else(replaced) else {
                    failed = true;
                    break;
                };
                if expected.len() + bytes.len() > room {
                    break;
                }
                expected.extend(bytes);
                next += 1;
                end = items.get(next).map_or(text.len(), |item| item.0);
            }
            let mut buffer = vec![MaybeUninit::uninit(); room];
            let (read, written, error) = if lossy {
                let progress =
                    trust8_transcode::convert_as_fits_lossy(kernel.form(from), to, &text[at..], &mut buffer);
                (progress.read, progress.written, false)
            } else {
                match trust8_transcode::convert_as_fits(kernel.form(from), to, &text[at..], &mut buffer) {
                    Ok(progress) => (progress.read, progress.written, false),
                    Err(BufferError::Invalid { error, written }) => (error.valid_up_to(), written, true),
                    Err(error) => panic!("{error}"),
                }
            };
            // SAFETY: these have been written.
            let got: Vec<u8> = buffer[..written].iter().map(|byte| unsafe { byte.assume_init() }).collect();
            let context =
                || format!("{} to {}, {room} from {at}, {lossy}, {kernel:?}", from.name(), to.name());
            assert_eq!((at + read, got, error), (end, expected, failed), "{}: {text:02X?}", context());
            if failed || end == text.len() {
                break;
            }
            at = end;
        }
    }
}

/// A buffer ends near a place where text of one kind meets a fault or text of another kind, and
/// that may lie anywhere in a block.
#[test]
fn borders_where_a_small_buffer_ends() {
    let mut thin = Thin::new();
    for before in ["a", "\u{E9}", "\u{65E5}", "\u{1F600}"] {
        for len in 0..140 / before.len() {
            for border in ["".as_bytes(), "\u{E9}".as_bytes(), "\u{65E5}".as_bytes(), b"\xA3", b"\xFF"] {
                for after in ["a", "\u{E9}", "\u{1F600}"] {
                    // Because of the fault, and what follows, the text is validated in parts.
                    let (before, after) = (before.repeat(len), after.repeat(140 / after.len()));
                    let end = [b"\xFF", &b"a".repeat(200)[..]].concat();
                    let text = [before.as_bytes(), border, after.as_bytes(), &end].concat();
                    for units in (len.saturating_sub(6)..len + 60).step_by(4).filter(|_| thin.keep()) {
                        check_small_buffers(Encoding::Utf8, Encoding::Utf16Le, &text, &[2 * units, 4000]);
                        check_small_buffers(Encoding::Utf8, Encoding::Utf32Le, &text, &[4 * units, 4000]);
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(30_000, 20))]

    /// A buffer ends anywhere, near faults as well.
    #[test]
    fn random_texts_into_small_buffers(
        passages in prop::collection::vec(passage(0..200_usize), 1..5),
        mutations in prop::collection::vec(mutation(), 0..4),
        pair in (0..2 * Encoding::ALL.len(), 0..Encoding::ALL.len()),
        rooms in prop::collection::vec(prop_oneof![0..80_usize, 80..700_usize], 1..4),
    ) {
        // Half of the texts are UTF-8, in which most can go wrong.
        let from = Encoding::ALL.get(pair.0).copied().unwrap_or(Encoding::Utf8);
        let mut text = text(&passages);
        if from != Encoding::Utf8 {
            text = String::from_utf8_lossy(&text).chars().filter_map(|char| encode(from, char)).flatten().collect();
        }
        for mutation in mutations {
            mutation.apply(&mut text);
        }
        check_small_buffers(from, Encoding::ALL[pair.1], &text, &rooms);
    }
}

proptest! {
    #![proptest_config(cases(2000, 20))]

    #[test]
    fn random_units(units in units()) {
        check_units(&units);
    }

    #[test]
    fn random_bytes(bytes in bytes()) {
        check_against_encoding_rs(&bytes);
        let text = String::from_utf8_lossy(&bytes);
        let units: Vec<u16> = text.encode_utf16().collect();
        check_units(&units);
        let of_units: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        check_against_encoding_rs(&of_units);
    }

    #[test]
    fn random_texts_in_every_pair(bytes in bytes(), cut in any::<prop::sample::Index>()) {
        let text = String::from_utf8_lossy(&bytes);
        for from in [Encoding::Utf16Le, Encoding::Utf32Be] {
            let mut encoded = encode_all(from, &text);
            encoded.truncate(cut.index(encoded.len() + 1));
            check(from, &encoded);
        }
        check(Encoding::Utf8, &bytes);
    }

    #[test]
    fn random_streams(bytes in bytes(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        for from in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf32Le] {
            let items = decode(from, &bytes);
            for &to in Encoding::ALL {
                for kernel in kernels() {
                    check_stream(from, to, &pieces, &expected(to, &items), kernel);
                }
            }
        }
    }
}

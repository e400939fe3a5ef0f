//! Mistakes that conversions made once, each with its story.

#![cfg(feature = "alloc")]

use core::mem::MaybeUninit;

use super::support::kernels::kernels;
use trust8_transcode::KernelForms;
use trust8_transcode::{BufferError, Chars, Encoding, Str, Utf16, Utf32, convert};

/// A `&str` is known to be valid, so its parts went to the vectors without a check. A conversion in
/// two steps takes 2 KiB at a time, which may end inside a character, and the vectors rely on whole
/// characters: wrong units came out, or an error. A reviewer found it. The tests converted long
/// text only into UTF-16, which takes one step.
#[test]
fn a_piece_of_a_str_that_ends_inside_a_character() {
    for kernel in kernels() {
        for character in ["é", "日", "😀"] {
            for (lead, len) in
                (0..4).flat_map(|lead| (2040..2060).chain(4090..4110).map(move |len| (lead, len)))
            {
                let mut text = "a".repeat(lead);
                while text.len() < len {
                    text.push_str(character);
                }
                let chars: Vec<char> = text.chars().collect();
                let units: Vec<u16> = text.encode_utf16().collect();
                let who = format!("{}, {lead} and then {character}, {len} bytes", kernel.name());
                assert_eq!(
                    trust8_transcode::convert(kernel.form(Str), Chars, &text),
                    Ok(chars.clone()),
                    "{who}"
                );
                assert_eq!(
                    trust8_transcode::convert(kernel.form(Str), Utf16, &text),
                    Ok(units.clone()),
                    "{who}"
                );
                let numbers: Vec<u32> = chars.iter().map(|&char| char.into()).collect();
                assert_eq!(trust8_transcode::convert(kernel.form(Str), Utf32, &text), Ok(numbers), "{who}");
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                assert_eq!(
                    trust8_transcode::convert(kernel.form(Str), Encoding::Utf16Be, &text),
                    Ok(bytes),
                    "{who}"
                );
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                assert_eq!(
                    trust8_transcode::convert(kernel.form(Str), Encoding::Utf16Le, &text),
                    Ok(bytes),
                    "{who}"
                );
                let latin: Vec<u8> = chars.iter().map(|&char| u8::try_from(char).unwrap_or(b'?')).collect();
                assert_eq!(
                    trust8_transcode::convert_lossy(kernel.form(Str), Encoding::Latin1, &text),
                    latin,
                    "{who}"
                );
            }
        }
    }
}

/// On big-endian machines, units of one byte were treated as if they had a byte order, and the
/// bytes of UTF-8 and Latin-1 were reversed in groups of four. A reviewer found it before a test
/// had run on such a machine.
#[test]
fn bytes_have_no_order() {
    assert_eq!(convert(Encoding::Utf8, Str, b"abcdefgh").as_deref(), Ok("abcdefgh"));
    assert_eq!(convert(Encoding::Latin1, Str, b"abcd\xE9fgh").as_deref(), Ok("abcdéfgh"));
    assert_eq!(convert(Str, Encoding::Latin1, "abcdéfgh").as_deref(), Ok(&b"abcd\xE9fgh"[..]));
}

/// `TooSmall` said too much of a long `&str`: the length was counted in pieces that ended anywhere,
/// and a character that a piece cut off was counted twice. A reviewer found it.
#[test]
fn the_length_that_a_long_str_needs() {
    for kernel in kernels() {
        for (lead, character) in (0..4).flat_map(|lead| ["é", "€", "😀"].map(|character| (lead, character)))
        {
            let text = "a".repeat(lead) + &character.repeat(3000);
            let units = text.encode_utf16().count();
            let who = format!("{}, {lead} and then {character}", kernel.name());
            for room in [0, 10, 100] {
                let mut buffer = vec![MaybeUninit::uninit(); room];
                match trust8_transcode::convert_into(kernel.form(Str), Utf16, &text, &mut buffer) {
                    Err(BufferError::TooSmall(error)) => assert_eq!(error.needed, units, "{who}, {room}"),
                    other => panic!("{who}, {room}: {other:?}"),
                }
            }
        }
    }
}

/// A conversion of as much as fits said that the buffer is full where the next unit is malformed:
/// the kernel had not been shown it. A reviewer found it.
#[test]
fn what_comes_after_all_that_fits_is_malformed() {
    for kernel in kernels() {
        let mut room = [MaybeUninit::uninit(); 1];
        let found = trust8_transcode::convert_as_fits(kernel.form(Utf16), Utf16, &[0x61, 0xDC00], &mut room);
        assert!(
            matches!(found, Err(BufferError::Invalid { written: 1, .. })),
            "{}: {found:?}",
            kernel.name()
        );
        let mut room = [MaybeUninit::uninit(); 1];
        let found =
            trust8_transcode::convert_as_fits(kernel.form(Encoding::Utf16Le), Utf16, b"a\0b", &mut room);
        assert!(
            matches!(found, Err(BufferError::Invalid { written: 1, .. })),
            "{}: {found:?}",
            kernel.name()
        );
    }
}

/// `resume` took bytes that no transcoder holds: parts of units from forms that are whole units,
/// and anything from a `&str`.
#[test]
fn pending_bytes_that_cannot_be() {
    use trust8_transcode::Transcoder;

    let resumes = |from: Encoding, pending| Transcoder::new(from, Str).resume(4, pending).is_some();
    assert!(resumes(Encoding::Utf8, b"\xF0\x9F\x98") && resumes(Encoding::Utf16Le, b"\x3D\xD8\x00"));
    assert!(!resumes(Encoding::Utf8, b"\xF0\x80") && !resumes(Encoding::Utf8, b"a"));
    assert!(!resumes(Encoding::Utf16Le, b"a\0") && !resumes(Encoding::Latin1, b"a"));

    let high = 0xD83D_u16.to_ne_bytes();
    assert!(Transcoder::new(Utf16, Str).resume(4, &high).is_some());
    assert!(Transcoder::new(Utf16, Str).resume(4, &high[..1]).is_none());
    assert!(Transcoder::new(Utf16, Str).resume(4, &[high[0], high[1], 0]).is_none());
    assert!(Transcoder::new(Utf32, Str).resume(4, &[0]).is_none());
    assert!(Transcoder::new(Chars, Utf16).resume(4, &[0]).is_none());
    assert!(Transcoder::new(Str, Utf16).resume(4, b"\xC3").is_none());
    assert!(Transcoder::new(Str, Utf16).resume(4, b"").is_some());
    let last = i64::MAX as u64;
    assert!(
        [last, last + 1].map(|at| Transcoder::new(Str, Utf16).resume(at, b"").is_some()) == [true, false]
    );

    // An error is no part of what it continues from.
    let mut failed = Transcoder::new(Encoding::Utf8, Str);
    failed.push(b"\xFF", &mut String::new()).unwrap_err();
    failed.resume(4, b"\xC3").unwrap().push(b"\xA9", &mut String::new()).unwrap();
}

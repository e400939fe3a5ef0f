//! Characters one by one, byte order marks and labels.

use super::support::kernels::ways;
use super::support::malformed::MALFORMED;
use super::support::random::slow_cases;
use super::support::scale::Thin;
use proptest::prelude::*;
use trust8::{Bom, Kernel, Utf8Error, decode, strip_bom};

/// Returns what std says: the characters of each valid chunk, and the place and the length of each invalid sequence.
fn expected(bytes: &[u8]) -> Vec<Result<(usize, char), (usize, usize)>> {
    let mut items = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        items.extend(chunk.valid().char_indices().map(|(index, character)| Ok((at + index, character))));
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            items.push(Err((at, chunk.invalid().len())));
            at += chunk.invalid().len();
        }
    }
    items
}

fn check_with(kernel: &'static Kernel, bytes: &[u8]) {
    let expected = expected(bytes);
    let seen = |item: Result<(usize, char), Utf8Error>| {
        item.map_err(|error| {
            let at = error.valid_up_to();
            // `from_utf8` says the same of the rest from there on.
            let alone = trust8::from_utf8(&bytes[at..]).unwrap_err();
            assert_eq!(
                (alone.valid_up_to(), alone.error_len(), alone.kind()),
                (0, error.error_len(), error.kind())
            );
            (at, error.error_len().unwrap_or(bytes.len() - at))
        })
    };
    assert_eq!(kernel.decode(bytes).map(seen).collect::<Vec<_>>(), expected, "{bytes:02X?}");
    let mut folded = Vec::new();
    kernel.decode(bytes).for_each(|item| folded.push(seen(item)));
    assert_eq!(folded, expected, "{bytes:02X?}");

    // After some items, a fold continues after `next`, and the hint still holds.
    let mut items = kernel.decode(bytes);
    for taken in 0..=expected.len().min(5) {
        let (least, most) = items.size_hint();
        let left = expected.len() - taken;
        assert!(least <= left && left <= most.unwrap(), "{least} {left} {most:?}");
        assert_eq!(items.clone().fold(0, |count, _| count + 1), left);
        if items.next().is_none() {
            assert_eq!((items.next(), left), (None, 0));
        }
    }
}

fn check(bytes: &[u8]) {
    for way in ways() {
        check_with(way.kernel, bytes);
    }
    let lossy: String =
        decode(bytes).map(|item| item.map_or('\u{FFFD}', |(_, character)| character)).collect();
    assert_eq!(lossy, String::from_utf8_lossy(bytes));
}

#[test]
fn malformed_sequences_in_text() {
    let mut thin = Thin::new();
    for text in ["text ", "Größe ", "текст ", "文本，"] {
        let long = text.repeat(700 / text.len());
        for malformed in &MALFORMED {
            for before in [0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257, 500, 600] {
                let Some(head) = long.get(..before).filter(|_| before < 20 || thin.keep() || before == 256)
                else {
                    continue;
                };
                check(&[head.as_bytes(), malformed.bytes].concat());
                check(&[head.as_bytes(), malformed.bytes, malformed.bytes, long.as_bytes()].concat());
            }
        }
    }
}

#[test]
fn all_bytes_two_by_two() {
    for first in 0..=0xFF_u8 {
        for second in 0..=0xFF {
            let kernel = ways()[usize::from(second) % ways().len()].kernel;
            check_with(kernel, &[first, second]);
            check_with(kernel, &[b'a', first, second, 0x80, 0x80, b'b']);
        }
    }
}

#[test]
fn every_number() {
    for character in '\0'..=char::MAX {
        assert!(decode(character.encode_utf8(&mut [0; 4]).as_bytes()).eq([Ok((0, character))]));
    }
}

proptest! {
    #![proptest_config(slow_cases(256, 32))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "\\PC{0,300}") {
        check(&bytes);
        check(&[text.as_bytes(), &bytes, text.as_bytes()].concat());
    }
}

/// RFC 3629 section 6: U+FEFF in each encoding.
#[test]
fn byte_order_marks() {
    let all = [Bom::Utf8, Bom::Utf16Le, Bom::Utf16Be, Bom::Utf32Le, Bom::Utf32Be];
    let utf16 = |swap: bool| {
        [0xFEFF_u16].map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() }).concat()
    };
    assert_eq!(Bom::Utf8.bytes(), "\u{FEFF}".as_bytes());
    assert_eq!(Bom::Utf16Le.bytes(), utf16(false));
    assert_eq!(Bom::Utf16Be.bytes(), utf16(true));
    assert_eq!(Bom::Utf32Le.bytes(), 0xFEFF_u32.to_le_bytes());
    assert_eq!(Bom::Utf32Be.bytes(), 0xFEFF_u32.to_be_bytes());
    for bom in all {
        let mark = bom.bytes();
        for text in [&b""[..], b"a", b"abc\xFF"] {
            assert_eq!(Bom::detect(&[mark, text].concat()), Some((bom, mark.len())), "{bom:?}");
            assert_eq!(Bom::detect(&[b"a", mark, text].concat()), None);
        }
        for len in 0..mark.len() {
            // The first half of UTF-32LE's mark is UTF-16LE's.
            let expected = (bom == Bom::Utf32Le && len >= 2).then_some((Bom::Utf16Le, 2));
            assert_eq!(Bom::detect(&mark[..len]), expected, "{bom:?}");
        }
        assert_eq!(bom.encoding() == "utf-8", bom == Bom::Utf8);
    }
    // Section 7's last example.
    assert_eq!(strip_bom(b"\xEF\xBB\xBF\xF0\xA3\x8E\xB4"), b"\xF0\xA3\x8E\xB4");
    // Only the first mark goes, only at the start, and no other sequence does.
    assert_eq!(strip_bom(b"\xEF\xBB\xBF\xEF\xBB\xBF"), b"\xEF\xBB\xBF");
    for other in [&b""[..], b"a\xEF\xBB\xBF", b"\xEF\xBB", b"\xFF\xFEa\0", b"\xEF\xBB\xBE"] {
        assert_eq!(strip_bom(other), other);
    }
}

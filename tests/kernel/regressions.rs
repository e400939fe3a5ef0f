//! Mistakes that were made once, each with its story.

use super::support::ways;

/// A run of ASCII checks what interrupts it by blocks, up to four of them, and goes on if the last is
/// ASCII again. After four that were not, the AVX-512 kernel looked at the *fifth*, which it had loaded but
/// not checked, found it ASCII, and went on, so that a character cut off at the end of the fourth went
/// unseen. A property test with islands in ASCII found it.
#[test]
fn an_island_as_large_as_can_be_that_ends_inside_a_character() {
    for blocks in 1..=9 {
        for cut in ["é", "日", "😀"].map(str::as_bytes) {
            for (kept, shift) in (1..cut.len()).flat_map(|kept| (0..64).map(move |shift| (kept, shift))) {
                let island = "é".repeat(blocks * 32);
                let mut text = vec![b'a'; 1024 + shift];
                text.extend_from_slice(&island.as_bytes()[..island.len() - kept / 2 * 2]);
                text.truncate(1024 + shift + blocks * 64 - kept);
                // An odd number of bytes is left before the cut character: no half 'é'.
                if kept % 2 == 1 {
                    text.pop();
                    text.push(b'a');
                }
                let valid_up_to = text.len();
                text.extend_from_slice(&cut[..kept]);
                assert_eq!(text.len() % 64, shift % 64);
                text.extend_from_slice(&[b'a'; 1024]);
                let expected = std::str::from_utf8(&text).unwrap_err();
                assert_eq!((expected.valid_up_to(), expected.error_len()), (valid_up_to, Some(kept)));
                for way in ways() {
                    let error = way.kernel.from_utf8(&text).expect_err(&way.name);
                    assert_eq!(error.valid_up_to(), valid_up_to, "{}", way.name);
                    assert_eq!(error.error_len(), Some(kept), "{}", way.name);
                    assert!(!way.kernel.is_utf8(&text), "{}", way.name);
                }
            }
        }
    }
}

/// What a `&str` holds is known to be valid, so its pieces went to the vectors without a look at them. But pieces of
/// 2 KiB, of which conversions in two steps are made, may end inside a character, and vectors take
/// for granted that they do not: wrong units came out, or an error, of a `&str`. A reviewer found it; the tests
/// had long text into UTF-16 alone, which takes one step.
#[cfg(feature = "alloc")]
#[test]
fn a_piece_of_a_str_that_ends_inside_a_character() {
    use trust8::Kernel;
    use trust8::transcode::{Chars, Encoding, Str, Utf16, Utf32};

    for kernel in Kernel::available() {
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
                    trust8::testing::transcode::convert(kernel, Str, Chars, &text),
                    Ok(chars.clone()),
                    "{who}"
                );
                assert_eq!(
                    trust8::testing::transcode::convert(kernel, Str, Utf16, &text),
                    Ok(units.clone()),
                    "{who}"
                );
                let numbers: Vec<u32> = chars.iter().map(|&char| char.into()).collect();
                assert_eq!(
                    trust8::testing::transcode::convert(kernel, Str, Utf32, &text),
                    Ok(numbers),
                    "{who}"
                );
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
                assert_eq!(
                    trust8::testing::transcode::convert(kernel, Str, Encoding::Utf16Be, &text),
                    Ok(bytes),
                    "{who}"
                );
                let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                assert_eq!(
                    trust8::testing::transcode::convert(kernel, Str, Encoding::Utf16Le, &text),
                    Ok(bytes),
                    "{who}"
                );
                let latin: Vec<u8> = chars.iter().map(|&char| u8::try_from(char).unwrap_or(b'?')).collect();
                assert_eq!(
                    trust8::testing::transcode::convert_lossy(kernel, Str, Encoding::Latin1, &text),
                    latin,
                    "{who}"
                );
            }
        }
    }
}

/// On big-endian machines units of one byte were taken for such as have an order, and UTF-8 and Latin-1 were turned round
/// in groups of four. A reviewer found it, before a test had run on such a machine.
#[cfg(feature = "alloc")]
#[test]
fn bytes_have_no_order() {
    use trust8::transcode::{Encoding, Str, convert};

    assert_eq!(convert(Encoding::Utf8, Str, b"abcdefgh").as_deref(), Ok("abcdefgh"));
    assert_eq!(convert(Encoding::Latin1, Str, b"abcd\xE9fgh").as_deref(), Ok("abcdéfgh"));
    assert_eq!(convert(Str, Encoding::Latin1, "abcdéfgh").as_deref(), Ok(&b"abcd\xE9fgh"[..]));
}

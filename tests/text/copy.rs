//! The fused copy writes the text, or its valid beginning with an error.

use std::mem::MaybeUninit;

use super::support::kernels::ways;
use super::support::random::cases;
use super::support::scale::Thin;
use proptest::prelude::*;
use trust8::{CopyError, copy_utf8};

/// A byte that no test copies.
const UNTOUCHED: u8 = 0xAA;

type Copy = Box<dyn for<'d> Fn(&[u8], &'d mut [MaybeUninit<u8>]) -> Result<&'d mut str, CopyError>>;

fn copies() -> Vec<(String, Copy)> {
    let mut copies: Vec<(String, Copy)> = vec![("dispatched".into(), Box::new(copy_utf8))];
    for way in ways() {
        copies.push((way.name.clone(), Box::new(|src, dst| way.kernel.copy_utf8(src, dst))));
    }
    copies
}

/// Copies to a place `offset` bytes after an aligned one. There is room for `room` bytes, and the copy must
/// not change the rest.
fn check(name: &str, copy: &Copy, src: &[u8], offset: usize, room: usize) {
    let mut memory = vec![UNTOUCHED; offset + 64 + room + 64];
    let begin = memory.as_ptr().addr().next_multiple_of(64) - memory.as_ptr().addr() + offset;
    let place = &raw mut memory[begin..begin + room];
    // SAFETY: the bytes are initialised and borrowed by nothing else, and `copy_utf8` only writes initialised ones.
    let place = unsafe { &mut *(place as *mut [MaybeUninit<u8>]) };
    let result = copy(src, place);
    let expected = std::str::from_utf8(src);
    let written = match (&result, expected) {
        (Err(CopyError::TooSmall(trust8::TooSmall { needed, len })), _) => {
            assert_eq!((*needed, *len), (src.len(), room), "{name}");
            assert!(room < src.len(), "{name}");
            0
        }
        (Ok(text), Ok(expected)) => {
            assert_eq!(**text, *expected, "{name}");
            assert_eq!(text.len(), src.len());
            src.len()
        }
        (Err(CopyError::Invalid(error)), Err(expected)) => {
            assert_eq!(error.valid_up_to(), expected.valid_up_to(), "{name}");
            assert_eq!(error.error_len(), expected.error_len(), "{name}");
            assert_eq!(Err(*error), trust8::from_utf8(src), "{name}");
            error.valid_up_to()
        }
        other => panic!("{name}: {other:?}"),
    };
    if let Err(error) = result {
        assert_eq!(error.written(), written, "{name}");
    }
    let too_small = room < src.len();
    assert_eq!(memory[begin..begin + written], src[..written], "{name}");
    let touched = if too_small { 0 } else { src.len() };
    assert!(memory[..begin].iter().all(|&byte| byte == UNTOUCHED), "{name}");
    assert!(memory[begin + touched..].iter().all(|&byte| byte == UNTOUCHED), "{name}");
}

#[test]
fn text_of_every_kind_and_length_to_every_alignment() {
    let mut thin = Thin::new();
    for (name, copy) in copies() {
        for text in ["ASCII only ", "\u{E9}t\u{E9} ", "\u{65E5}\u{672C}\u{8A9E}", "\u{1F600}\u{1F389}", ""] {
            let long = text.repeat(40_000 / text.len().max(1));
            // Some lengths are around the ends of the parts in which long text is copied.
            for length in (0..70).chain(8100..8200).chain([16_300, 16_384, 20_000, 39_000]) {
                let Some(src) = long.as_bytes().get(..length) else { continue };
                for offset in [0, 1, 31, 63] {
                    if !thin.keep() {
                        continue;
                    }
                    check(&name, &copy, src, offset, src.len());
                    check(&name, &copy, src, offset, src.len() + 5);
                }
            }
        }
    }
}

#[test]
fn errors_at_every_place_near_the_end_of_a_part() {
    let mut thin = Thin::new();
    for (name, copy) in copies() {
        for text in ["a", "\u{65E5}", "\u{1F600}"] {
            let long = text.repeat(16_600 / text.len());
            for at in (0..40).chain(8110..8200).chain(16_350..16_400) {
                if !thin.keep() {
                    continue;
                }
                let mut src = long.as_bytes().to_vec();
                src[at] = 0xFF;
                check(&name, &copy, &src, at % 64, src.len());
                src.truncate(at);
                check(&name, &copy, &src, at % 64, at);
                src.push(0xF0);
                check(&name, &copy, &src, 0, at + 1);
            }
        }
    }
}

#[test]
fn too_small_a_destination_is_left_alone() {
    for (name, copy) in copies() {
        let text = "\u{65E5}\u{672C}".repeat(5000);
        for room in [0, 1, 3, 8192, text.len() - 1] {
            check(&name, &copy, text.as_bytes(), 0, room);
            // This holds even if the text is not valid either.
            check(&name, &copy, &[b'a', 0xFF].repeat(room + 1), 0, room);
        }
    }
    let message = copy_utf8(b"abc", &mut [MaybeUninit::uninit(); 2]).unwrap_err().to_string();
    assert_eq!(message, "the buffer has a length of 2, and must have 3");
}

proptest! {
    #![proptest_config(cases(256, 12))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40), text in "\\PC{0,60}", spare in 0..3_usize) {
        for (name, copy) in copies() {
            check(&name, &copy, &bytes, 0, bytes.len() + spare);
            check(&name, &copy, text.as_bytes(), 7, text.len() + spare);
            check(&name, &copy, &[text.as_bytes(), &bytes].concat(), 1, text.len() + bytes.len());
        }
    }
}

/// A copy that is larger than the caches is written past them.
#[test]
fn many_megabytes() {
    const LEN: usize = (16 << 20) + 12_345;
    let mut text = "где\u{20AC}\u{1F600}, ".repeat(LEN / 16).into_bytes();
    text.truncate(LEN);
    while std::str::from_utf8(&text).is_err() {
        text.pop();
    }
    text.resize(LEN, b'.');
    for (turn, (name, copy)) in copies().iter().enumerate() {
        check(name, copy, &text, turn % 64, LEN + turn % 3);
        let at = [LEN - 1, 16 << 20, 5_000_000, 20_000][turn % 4];
        let right = std::mem::replace(&mut text[at], 0xFF);
        check(name, copy, &text, turn % 64, LEN);
        text[at] = right;
    }
}

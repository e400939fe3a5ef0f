//! A stream has the outcome of its whole text, wherever it is cut, and reports an error as early as possible.

use super::cuts::{Entry, Oracle, VALID, assert_same, check, entries, malformed};
use super::support::random::cases;
use super::support::scale::{Thin, slow_scale};
use proptest::prelude::*;
use trust8::{ErrorKind, Validator};

fn all_sequences() -> impl Iterator<Item = &'static [u8]> {
    VALID.iter().copied().chain(malformed())
}

/// Returns texts to put before and after a sequence: nothing, short text, characters, and text that is longer than a block.
fn surroundings() -> Vec<(String, String)> {
    let some = ["", "a", "\u{E9}", "\u{65E5}"];
    let mut all: Vec<_> =
        some.iter().flat_map(|a| some.iter().map(move |b| (a.to_string(), b.to_string()))).collect();
    for text in ["plain text, ", "r\u{E9}sum\u{E9} ", "\u{65E5}\u{672C}\u{8A9E}", "\u{1F600}"] {
        all.push((text.repeat(70 / text.len() + 1), text.repeat(70 / text.len() + 1)));
    }
    all
}

#[test]
fn only_the_beginning_of_a_character_can_be_pending() {
    let bytes: Vec<u8> = (0..=255).filter(|byte| byte % 16 < 2 || byte % 16 > 13 || *byte >= 0xC0).collect();
    let check = |pending: &[u8]| {
        let core = std::str::from_utf8(pending);
        let is_beginning =
            core.map_or_else(|e| e.valid_up_to() == 0 && e.error_len().is_none(), |_| pending.is_empty());
        let resumed = Validator::resume(7, pending);
        assert_eq!(resumed.is_some(), is_beginning, "{pending:02X?}");
        if let Some(resumed) = resumed {
            assert_eq!((resumed.valid_up_to(), resumed.pending()), (7, pending));
        }
    };
    check(b"");
    check(b"\xF0\x9F\x98\x80");
    check(b"\xF0\x9F\x98\x80\x80");
    for &a in &bytes {
        check(&[a]);
        for &b in &bytes {
            check(&[a, b]);
            for &c in &bytes {
                check(&[a, b, c]);
            }
        }
    }
    assert!(Validator::resume(i64::MAX as u64, b"\xC3").is_some());
    assert!(Validator::resume(i64::MAX as u64 + 1, b"").is_none());
}

#[test]
fn every_cut_in_two_of_every_sequence() {
    for entry in entries() {
        for sequence in all_sequences() {
            for (before, after) in surroundings() {
                let bytes = [before.as_bytes(), sequence, after.as_bytes()].concat();
                for at in 0..=bytes.len() {
                    check(entry, [&bytes[..at], &bytes[at..]].into_iter());
                }
            }
        }
    }
}

#[test]
fn every_cut_in_three_of_every_sequence() {
    for entry in entries() {
        for sequence in all_sequences() {
            for (before, after) in [("", ""), ("a", "bcdefgh"), ("\u{65E5}\u{672C}", "\u{1F600}\u{E9}")] {
                let bytes = [before.as_bytes(), sequence, after.as_bytes()].concat();
                for first in 0..=bytes.len() {
                    for second in first..=bytes.len() {
                        check(entry, [&bytes[..first], &bytes[first..second], &bytes[second..]].into_iter());
                    }
                }
            }
        }
    }
}

#[test]
fn every_piece_length_and_empty_pieces() {
    for entry in entries() {
        for sequence in all_sequences() {
            for (before, after) in surroundings() {
                let bytes = [before.as_bytes(), sequence, after.as_bytes()].concat();
                for length in [1, 2, 3, 4, 5, 7, 8, 13, 16, 31, 32, 33, 64] {
                    check(entry, bytes.chunks(length));
                }
                check(entry, bytes.chunks(1).flat_map(|piece| [piece, &[]]));
            }
        }
    }
}

/// Short ASCII is treated in its own way, which must not overlook a byte.
#[test]
fn every_place_in_short_ascii() {
    for entry in entries() {
        for length in 0..=80 {
            let mut bytes = vec![b'a'; length];
            check(entry, [b"\xC3", &bytes[..]].into_iter());
            check(entry, [&bytes[..], &bytes[..]].into_iter());
            for at in 0..length {
                for other in [0x7F, 0x80, 0xC3, 0xFF] {
                    bytes[at] = other;
                    check(entry, [&b"b"[..], &bytes].into_iter());
                }
                bytes[at] = b'a';
            }
        }
    }
}

/// All sequences of three bytes, cut at each place.
#[test]
fn every_last_byte_behind_every_beginning() {
    let outcome = |pieces: &[&[u8]], oracle: &mut Oracle| {
        let mut validator = Validator::new();
        let mut result = Ok(());
        for piece in pieces {
            oracle.read(piece);
            result = validator.push(piece);
        }
        (result, validator)
    };
    let mut thin = Thin::new();
    for a in 0..=255 {
        for b in 0..=255 {
            for c in 0..=255 {
                if !thin.keep() {
                    continue;
                }
                for pieces in [&[&[a][..], &[b, c]][..], &[&[a, b], &[c]], &[&[a], &[b], &[c]]] {
                    let mut oracle = Oracle::default();
                    let (result, validator) = outcome(pieces, &mut oracle);
                    assert_same(result, oracle.fault(), || format!("{pieces:02X?}"));
                    assert_same(validator.finish(), oracle.end(), || format!("{pieces:02X?}"));
                }
            }
        }
    }
}

/// Four bytes of every class, cut at each place, in pieces long enough for a validator to read the four bytes around the cut
/// as one word.
#[test]
fn every_four_classes_of_bytes_at_a_border() {
    const CLASSES: [u8; 14] =
        [0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2, 0xE0, 0xE1, 0xED, 0xF0, 0xF4];
    let kernels: Vec<Entry> = entries().filter(|entry| entry.is_whole()).collect();
    for a in CLASSES {
        for b in CLASSES {
            for c in CLASSES {
                for d in CLASSES {
                    let bytes = [b'x', b'y', b'z', b'.', a, b, c, d, b'1', b'2', b'3', b'4'];
                    for at in 5..8 {
                        for &entry in &kernels {
                            check(entry, [&bytes[..at], &bytes[at..]].into_iter());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn long_text_in_pieces_with_and_without_an_error() {
    for entry in entries() {
        for text in [
            "All ASCII. ",
            "\u{442}\u{435}\u{43A}\u{441}\u{442} ",
            "\u{6F22}\u{5B57}",
            "a\u{E9}\u{65E5}\u{1F600}",
        ] {
            let text = text.repeat(6000 / text.len());
            for length in [63, 64, 65, 100, 255, 256, 257, 1000, 1024, 4096] {
                check(entry, text.as_bytes().chunks(length));
                for at in [0, 1, 62, 255, 256, 1023, 1024, 4095, 4096, text.len() - 1] {
                    let mut bytes = text.as_bytes().to_vec();
                    bytes[at] = 0xFF;
                    check(entry, bytes.chunks(length));
                }
            }
        }
    }
}

fn arbitrary_bytes() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        4 => any::<char>().prop_map(|c| c.to_string().into_bytes()),
        3 => "[a-z \u{E9}\u{65E5}\u{1F600}]{0,40}".prop_map(String::into_bytes),
        1 => prop::sample::select(malformed().collect::<Vec<_>>()).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    let all = prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat());
    // Half of them are valid.
    (all, any::<bool>()).prop_map(|(bytes, repair)| {
        if repair { String::from_utf8_lossy(&bytes).into_owned().into_bytes() } else { bytes }
    })
}

proptest! {
    #![proptest_config(cases(2000, 12))]

    #[test]
    fn any_bytes_cut_anywhere(
        bytes in arbitrary_bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        // Equal cuts stay, and make empty pieces.
        cuts.sort_unstable();
        for entry in entries() {
            check(entry, cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]));
        }
    }
}

/// Random bytes with a random cut found these once: zeros, the smallest character of three bytes, and whole characters all around a byte that
/// never appears.
#[test]
fn what_random_bytes_found() {
    let around = "日😀日😀日aa 日😀a😀日 日éa日aé😀😀😀éé日".as_bytes();
    let after = "a😀日éaa日a日a日😀\0\0\0\0 ".as_bytes();
    let bytes = [around, b"\0\xFE", after, b"\xE0\xA0\x80"].concat();
    for entry in entries() {
        for at in 0..=bytes.len() {
            check(entry, [&bytes[..at], &bytes[at..]].into_iter());
        }
    }
}

/// A stream must be refused with the piece that makes the error certain: a piece later, the program would already have used
/// bytes that are not valid.
#[test]
fn the_byte_that_makes_it_certain_gives_the_error() {
    type Case<'a> = (&'a [&'a [u8]], u64, Option<usize>, ErrorKind);
    let cases: &[Case<'_>] = &[
        (&[b"\xF4", b"\x90"], 0, Some(1), ErrorKind::TooLarge),
        (&[b"\xE0", b"\x80"], 0, Some(1), ErrorKind::Overlong),
        (&[b"\xED", b"\xA0"], 0, Some(1), ErrorKind::Surrogate),
        (&[b"\xF0", b"\x8F"], 0, Some(1), ErrorKind::Overlong),
        (&[b"ab\xF0\x9F", b"\x98", b"c"], 2, Some(3), ErrorKind::Truncated),
        (&[b"ab\xC3", b"", b"c"], 2, Some(1), ErrorKind::Truncated),
        (&[b"ab", b"\xF5"], 2, Some(1), ErrorKind::TooLarge),
        (&[b"ab", b"\xC0"], 2, Some(1), ErrorKind::Overlong),
        (&[b"ab\xE2\x82\xAC", b"\x80"], 5, Some(1), ErrorKind::UnexpectedContinuation),
    ];
    for entry in entries() {
        for &(pieces, valid_up_to, error_len, kind) in cases {
            let mut validator = Validator::new();
            let (last, first) = pieces.split_last().unwrap();
            for piece in first {
                assert_eq!(entry.push(&mut validator, piece), Ok(()), "{entry:?} {pieces:02X?}");
            }
            let error = entry.push(&mut validator, last).unwrap_err();
            assert_eq!(
                (error.valid_up_to(), error.error_len(), error.kind()),
                (valid_up_to, error_len, kind)
            );
            // The error stays, whatever comes, also at the end.
            for more in [&b"\x80\x80"[..], b"", b"fine"] {
                assert_eq!(entry.push(&mut validator, more), Err(error));
            }
            assert_eq!((validator.finish(), validator.pending()), (Err(error), &[][..]));
            validator.reset();
            assert_eq!(entry.push(&mut validator, b"fine"), Ok(()));
            assert_eq!((validator.valid_up_to(), validator.finish()), (4, Ok(())));
        }
    }
}

#[test]
fn the_state_is_small_and_can_be_put_back() {
    assert!(size_of::<Validator>() <= 16);
    let mut validator = Validator::default();
    validator.push(b"abc\xF0\x9F").unwrap();
    let before = validator;
    assert!(validator.push(b"\xFF").is_err());
    validator = before;
    assert_eq!((validator.valid_up_to(), validator.pending()), (3, &b"\xF0\x9F"[..]));
    validator.push(b"\x98\x80").unwrap();
    assert_eq!((validator.valid_up_to(), validator.finish()), (7, Ok(())));
}

#[test]
fn validators_debug_and_messages_say_where_they_stand() {
    let mut validator = Validator::new();
    validator.push(b"abc\xE2\x82").unwrap();
    assert_eq!(format!("{validator:?}"), "Validator { valid_up_to: 3, pending: E2 82 }");
    let error = validator.push(b"?").unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid UTF-8 at byte 3: E2 82 begins a character of 3 bytes, and 3F follows; \
         expected a continuation byte (80 to BF)"
    );
    assert_eq!(error.to_string(), trust8::from_utf8(b"abc\xE2\x82?").unwrap_err().to_string());
    assert!(format!("{validator:?}").contains("bytes: E2 82 3F"), "{validator:?}");
}

/// Only the character at the cut is copied.
#[test]
fn decoded_text_borrows_from_the_piece() {
    for entry in entries() {
        let mut decoder = Validator::new();
        entry.decode(&mut decoder, b"\xE6\x97").unwrap();
        let piece = b"\xA5 is a day \xE6";
        let text = entry.decode(&mut decoder, piece).unwrap();
        assert_eq!((text.completed(), text.rest()), ("\u{65E5}", " is a day "));
        assert_eq!(text.rest().as_ptr(), piece[1..].as_ptr());
    }
}

/// Offsets do not wrap where a 32-bit `usize` would. Where four gigabytes of text take seconds, the validator has read most of them before.
#[test]
fn offsets_go_beyond_32_bits() {
    let before = if slow_scale() == 1 || cfg!(target_arch = "x86") { 0 } else { 4095 };
    let mut validator = Validator::resume(before << 20, b"").unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in before..4097 {
        validator.push(&zeros).unwrap();
    }
    validator.push(b"\xE2").unwrap();
    let error = validator.push(b"\xFF").unwrap_err();
    assert_eq!(error.valid_up_to(), 4097 << 20);
}

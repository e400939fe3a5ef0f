//! A text message of the WebSocket protocol (RFC 6455, section 8.1) is UTF-8 as a whole, but its frames may cut characters.
//! A server that finds a message invalid must fail the connection.
//!
//! The cases are those of section 6 of the Autobahn test suite, 'UTF-8 handling', with their numbers, from its public
//! description. Each is sent in the frames that the suite gives it, and then in one frame, in frames of one byte, and cut in
//! two at every place.

use super::cuts::{Entry, entries};
use trust8::Validator;
use trust8::stream::StreamError;

/// A message as a server receives it.
struct Message {
    entry: Entry,
    validator: Validator,
}

impl Message {
    fn frame(&mut self, payload: &[u8]) -> Result<(), StreamError> {
        self.entry.push(&mut self.validator, payload)
    }

    fn fin(self) -> Result<(), StreamError> {
        self.validator.finish()
    }
}

fn message(entry: Entry) -> Message {
    Message { entry, validator: Validator::new() }
}

fn receive<'a>(entry: Entry, frames: impl IntoIterator<Item = &'a [u8]>) -> Result<(), StreamError> {
    let mut message = message(entry);
    for frame in frames {
        message.frame(frame)?;
    }
    message.fin()
}

/// Returns the bytes of a payload as the suite writes it: `f4 90`.
fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<_> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

#[track_caller]
fn case(number: &str, payload: &[u8], valid: bool) {
    assert_eq!(std::str::from_utf8(payload).is_ok(), valid, "{number} is not what the suite says");
    for entry in entries() {
        let whole = receive(entry, [payload]);
        assert_eq!(whole.is_ok(), valid, "{number}, {entry:?}");
        assert_eq!(receive(entry, payload.chunks(1)), whole, "{number}, {entry:?}");
        for at in 0..=payload.len() {
            let (first, second) = payload.split_at(at);
            assert_eq!(receive(entry, [first, second]), whole, "{number}, {entry:?}, cut at {at}");
        }
    }
}

#[track_caller]
fn cases(section: &str, valid: bool, payloads: &[&str]) {
    for (i, payload) in payloads.iter().enumerate() {
        case(&format!("{section}.{}", i + 1), &hex(payload), valid);
    }
}

const KOSME: &str = "ce ba e1 bd b9 cf 83 ce bc ce b5";

#[test]
fn case_6_1_no_payload() {
    case("6.1.1", b"", true);
    for entry in entries() {
        assert_eq!(receive(entry, [&b""[..]; 3]), Ok(()), "6.1.2");
        assert_eq!(receive(entry, [b"", "middle frame payload".as_bytes(), b""]), Ok(()), "6.1.3");
    }
}

#[test]
fn case_6_2_valid_text() {
    let text = "Hello-\u{B5}@\u{DF}\u{F6}\u{E4}\u{FC}\u{E0}\u{E1}-UTF-8!!";
    case("6.2.1 and 6.2.3", text.as_bytes(), true);
    for entry in entries() {
        let (first, second) = text.split_at(text.find('\u{FC}').unwrap());
        assert_eq!(receive(entry, [first.as_bytes(), second.as_bytes()]), Ok(()), "6.2.2");
    }
    case("6.2.4", &hex(KOSME), true);
}

#[test]
fn case_6_3_a_surrogate_inside_text() {
    let payload = hex(&format!("{KOSME} ed a0 80 65 64 69 74 65 64"));
    case("6.3", &payload, false);
    for entry in entries() {
        // 6.3.2: frames of one byte. The second byte of the surrogate must fail the connection.
        let mut message = message(entry);
        for (i, byte) in payload.iter().enumerate() {
            assert_eq!(message.frame(&[*byte]).is_ok(), i < 12, "{entry:?}, byte {i}");
        }
    }
}

/// The frame with the bad byte is refused at once, before the message ends.
#[test]
fn case_6_4_fail_fast() {
    for entry in entries() {
        // 6.4.1: the character above U+10FFFF is a separate frame.
        let mut first = message(entry);
        assert_eq!(first.frame(&hex(KOSME)), Ok(()));
        assert_eq!(first.frame(&hex("f4 90 80 80")).unwrap_err().valid_up_to(), 11);
        assert!(first.frame(b"edited").is_err());

        // 6.4.2: cut after its first byte, which may still begin a valid character.
        let mut second = message(entry);
        assert_eq!(second.frame(&hex(&format!("{KOSME} f4"))), Ok(()));
        assert_eq!(second.frame(&hex("90")).unwrap_err().valid_up_to(), 11);
        assert!(second.frame(&hex("80 80 65 64 69 74 65 64")).is_err());

        // 6.4.3 and 6.4.4: the message is one frame, but its payload comes in parts.
        for parts in [[KOSME, "f4 90 80 80", "65 64 69 74 65 64"], [KOSME, "f4", "90"]] {
            let mut chopped = message(entry);
            let bad = parts.iter().position(|part| chopped.frame(&hex(part)).is_err());
            let expected = if parts[1] == "f4" { 2 } else { 1 };
            assert_eq!(bad, Some(expected), "{entry:?}, {parts:?}");
        }
    }
}

#[test]
fn case_6_5_valid_sequences() {
    cases(
        "6.5",
        true,
        &[
            "68 65 6c 6c 6f 24 77 6f 72 6c 64",
            "68 65 6c 6c 6f c2 a2 77 6f 72 6c 64",
            "68 65 6c 6c 6f e2 82 ac 77 6f 72 6c 64",
            "68 65 6c 6c 6f f0 a4 ad a2 77 6f 72 6c 64",
            KOSME,
        ],
    );
}

/// All beginnings of a text: valid where a character ends.
#[test]
fn case_6_6_prefixes() {
    let all = hex(KOSME);
    for length in 1..=all.len() {
        case(&format!("6.6.{length}"), &all[..length], [2, 5, 7, 9, 11].contains(&length));
    }
}

#[test]
fn cases_6_7_to_6_10_first_and_last_of_each_length() {
    cases("6.7", true, &["00", "c2 80", "e0 a0 80", "f0 90 80 80"]);
    cases("6.8", false, &["f8 88 80 80 80", "fc 84 80 80 80 80"]);
    cases("6.9", true, &["7f", "df bf", "ef bf bf", "f4 8f bf bf"]);
    cases("6.10", false, &["f7 bf bf bf", "fb bf bf bf bf", "fd bf bf bf bf bf"]);
}

#[test]
fn case_6_11_other_limits() {
    cases("6.11", true, &["ed 9f bf", "ee 80 80", "ef bf bd", "f4 8f bf bf"]);
    case("6.11.5", &hex("f4 90 80 80"), false);
}

#[test]
fn case_6_12_continuations_alone() {
    cases(
        "6.12",
        false,
        &["80", "bf", "80 bf", "80 bf 80", "80 bf 80 bf", "80 bf 80 bf 80", "80 bf 80 bf 80 bf"],
    );
    case("6.12.8", &(0x80..=0xBF).collect::<Vec<u8>>(), false);
}

#[test]
fn case_6_13_first_bytes_alone() {
    let ranges = [0xC0..=0xDF, 0xE0..=0xEF, 0xF0..=0xF7, 0xF8..=0xFB, 0xFC..=0xFD_u8];
    for (i, range) in ranges.into_iter().enumerate() {
        case(&format!("6.13.{}", i + 1), &range.flat_map(|first| [first, b' ']).collect::<Vec<u8>>(), false);
    }
}

const LAST_BYTE_MISSING: [&str; 10] = [
    "c0",
    "e0 80",
    "f0 80 80",
    "f8 80 80 80",
    "fc 80 80 80 80",
    "df",
    "ef bf",
    "f7 bf bf",
    "fb bf bf bf",
    "fd bf bf bf bf",
];

#[test]
fn cases_6_14_to_6_16_unfinished_and_impossible() {
    cases("6.14", false, &LAST_BYTE_MISSING);
    case("6.15.1", &hex(&LAST_BYTE_MISSING.concat()), false);
    cases("6.16", false, &["fe", "ff", "fe fe ff ff"]);
}

#[test]
fn cases_6_17_to_6_19_overlong() {
    cases("6.17", false, &["c0 af", "e0 80 af", "f0 80 80 af", "f8 80 80 80 af", "fc 80 80 80 80 af"]);
    cases("6.18", false, &["c1 bf", "e0 9f bf", "f0 8f bf bf", "f8 87 bf bf bf", "fc 83 bf bf bf bf"]);
    cases("6.19", false, &["c0 80", "e0 80 80", "f0 80 80 80", "f8 80 80 80 80", "fc 80 80 80 80 80"]);
}

#[test]
fn cases_6_20_and_6_21_surrogates() {
    cases(
        "6.20",
        false,
        &["ed a0 80", "ed ad bf", "ed ae 80", "ed af bf", "ed b0 80", "ed be 80", "ed bf bf"],
    );
    cases(
        "6.21",
        false,
        &[
            "ed a0 80 ed b0 80",
            "ed a0 80 ed bf bf",
            "ed ad bf ed b0 80",
            "ed ad bf ed bf bf",
            "ed ae 80 ed b0 80",
            "ed ae 80 ed bf bf",
            "ed af bf ed b0 80",
            "ed af bf ed bf bf",
        ],
    );
}

/// Noncharacters are valid: the last two code points of each plane.
#[test]
fn case_6_22_noncharacters() {
    let mut number = 0;
    for plane in 0..=0x10 {
        for last in [0xFFFE, 0xFFFF] {
            number += 1;
            let character = char::from_u32(plane << 16 | last).unwrap();
            case(&format!("6.22.{number}"), character.to_string().as_bytes(), true);
        }
    }
    assert_eq!(number, 34);
}

#[test]
fn case_6_23_specials() {
    cases(
        "6.23",
        true,
        &["ef bf b9", "ef bf ba", "ef bf bb", "ef bf bc", "ef bf bd", "ef bf be", "ef bf bf"],
    );
}

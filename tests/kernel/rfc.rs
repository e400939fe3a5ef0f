//! The examples, the tables and the attacks in RFC 3629, and in RFC 2279, which it replaced.

use super::support::kernels::{check, check_for, ways};
use super::support::oracle::Fault;
use trust8::ErrorKind::{self, InvalidByte, Overlong, Surrogate, TooLarge, UnexpectedContinuation};

/// Asserts that every kernel accepts the bytes, as exactly these characters.
#[track_caller]
fn accepted(bytes: &[u8], characters: &[u32]) {
    check(bytes);
    for way in ways() {
        let text = way.kernel.from_utf8(bytes).expect(&way.name);
        let numbers: Vec<u32> = text.chars().map(u32::from).collect();
        assert_eq!(numbers, characters, "{}", way.name);
    }
}

/// Asserts that every kernel refuses the bytes because of a sequence of `error_len` bytes at `at`.
#[track_caller]
fn refused(bytes: &[u8], at: usize, error_len: usize, kind: ErrorKind) {
    check(bytes);
    check_for(bytes, Some(Fault { valid_up_to: at, error_len: Some(error_len), kind }));
}

/// RFC 3629 section 7 and RFC 2279 section 4: A, not identical to, alpha, full stop.
#[test]
fn a_not_identical_to_alpha() {
    accepted(b"\x41\xE2\x89\xA2\xCE\x91\x2E", &[0x0041, 0x2262, 0x0391, 0x002E]);
}

/// The same sections: the Korean word for Korean.
#[test]
fn the_korean_language() {
    accepted(b"\xED\x95\x9C\xEA\xB5\xAD\xEC\x96\xB4", &[0xD55C, 0xAD6D, 0xC5B4]);
}

/// The same sections: the Japanese word for Japanese.
#[test]
fn the_japanese_language() {
    accepted(b"\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", &[0x65E5, 0x672C, 0x8A9E]);
}

/// RFC 3629 section 7: U+233B4 (the stump of a tree) after a byte order mark, which section 6 makes a character like others.
#[test]
fn the_stump_of_a_tree_behind_a_byte_order_mark() {
    accepted(b"\xEF\xBB\xBF\xF0\xA3\x8E\xB4", &[0xFEFF, 0x233B4]);
}

/// RFC 3629 section 6: a byte order mark within the text is a character, too. So are U+FFFE, which is the mark with its
/// bytes exchanged, and U+FFFF.
#[test]
fn the_byte_order_mark_anywhere() {
    accepted(b"a\xEF\xBB\xBFb", &[0x61, 0xFEFF, 0x62]);
    accepted(b"\xEF\xBF\xBE\xEF\xBF\xBF", &[0xFFFE, 0xFFFF]);
}

/// RFC 3629 section 3, the table: the first and the last value of each row, and those next to the surrogates.
#[test]
fn the_first_and_the_last_of_each_row() {
    accepted(b"\x00", &[0x00]);
    accepted(b"\x7F", &[0x7F]);
    accepted(b"\xC2\x80", &[0x80]);
    accepted(b"\xDF\xBF", &[0x7FF]);
    accepted(b"\xE0\xA0\x80", &[0x800]);
    accepted(b"\xED\x9F\xBF", &[0xD7FF]);
    accepted(b"\xEE\x80\x80", &[0xE000]);
    accepted(b"\xEF\xBF\xBF", &[0xFFFF]);
    accepted(b"\xF0\x90\x80\x80", &[0x1_0000]);
    accepted(b"\xF4\x8F\xBF\xBF", &[0x10_FFFF]);
}

/// One below the first and one above the last value of each row, in that row's form.
#[test]
fn just_outside_each_row() {
    refused(b"\xC1\xBF", 0, 1, Overlong); // 7F in two octets
    refused(b"\xE0\x9F\xBF", 0, 1, Overlong); // 7FF in three
    refused(b"\xED\xA0\x80", 0, 1, Surrogate); // D800
    refused(b"\xED\xBF\xBF", 0, 1, Surrogate); // DFFF
    refused(b"\xF0\x8F\xBF\xBF", 0, 1, Overlong); // FFFF in four
    refused(b"\xF4\x90\x80\x80", 0, 1, TooLarge); // 11 0000
}

/// RFC 3629 section 1: C0, C1 and F5 to FF never appear in UTF-8.
#[test]
fn octets_that_never_appear() {
    for octet in (0xC0..=0xC1).chain(0xF5..=0xFF) {
        let kind = match octet {
            0xC0 | 0xC1 => Overlong,
            0xF5..=0xF7 => TooLarge,
            _ => InvalidByte,
        };
        refused(&[octet], 0, 1, kind);
        refused(&[b'a', octet, 0x80, 0x80, 0x80, 0x80, 0x80], 1, 1, kind);
    }
}

/// RFC 3629 section 10 (RFC 2279 section 6): a parser that forbids 00 and then decodes C0 80 to it.
#[test]
fn nul_in_two_octets() {
    refused(b"\xC0\x80", 0, 1, Overlong);
    refused(b"\xE0\x80\x80", 0, 1, Overlong);
    refused(b"\xF0\x80\x80\x80", 0, 1, Overlong);
    accepted(b"\x00", &[0]);
}

/// The same section: "/../" with a dot in two octets. It passes a filter that looks for 2F 2E 2E 2F.
#[test]
fn slash_dot_dot_slash() {
    refused(b"\x2F\xC0\xAE\x2E\x2F", 1, 1, Overlong);
    refused(b"\x2F\xE0\x80\xAE\x2E\x2F", 1, 1, Overlong);
    refused(b"\x2F\xF0\x80\x80\xAE\x2E\x2F", 1, 1, Overlong);
    accepted(b"\x2F\x2E\x2E\x2F", &[0x2F, 0x2E, 0x2E, 0x2F]);
}

/// RFC 3629 section 3: ED A1 8C ED BE B4 does not encode U+233B4. (In CESU-8 it does.)
#[test]
fn a_surrogate_pair() {
    refused(b"\xED\xA1\x8C\xED\xBE\xB4", 0, 1, Surrogate);
    refused(b"\xED\xBE\xB4", 0, 1, Surrogate);
    accepted(b"\xF0\xA3\x8E\xB4", &[0x233B4]);
}

/// RFC 2279 section 2 had five octets for 20 0000 to 3FF FFFF, six for 400 0000 to 7FFF FFFF, and four up to
/// 1F FFFF; RFC 3629 has none of these (section 12).
#[test]
fn the_forms_that_rfc_2279_had() {
    refused(b"\xF8\x88\x80\x80\x80", 0, 1, InvalidByte);
    refused(b"\xFB\xBF\xBF\xBF\xBF", 0, 1, InvalidByte);
    refused(b"\xFC\x84\x80\x80\x80\x80", 0, 1, InvalidByte);
    refused(b"\xFD\xBF\xBF\xBF\xBF\xBF", 0, 1, InvalidByte);
    refused(b"\xF4\x90\x80\x80", 0, 1, TooLarge);
    refused(b"\xF7\xBF\xBF\xBF", 0, 1, TooLarge);
    // A dot in five and in six octets is overlong as well, but its first octet is wrong by itself.
    refused(b"\xF8\x80\x80\x80\xAE", 0, 1, InvalidByte);
    refused(b"\xFC\x80\x80\x80\x80\xAE", 0, 1, InvalidByte);
}

/// Not even RFC 2279 had a use for FE and FF, so no reader can take UTF-16's byte order marks for UTF-8.
#[test]
fn byte_order_marks_of_utf_16() {
    refused(b"\xFE\xFF", 0, 1, InvalidByte);
    refused(b"\xFF\xFEa\x00", 0, 1, InvalidByte);
}

/// RFC 3629 section 1: character boundaries can be found from any octet. Text whose beginning is cut off inside a character
/// begins with an octet that shows it.
#[test]
fn text_that_begins_inside_a_character() {
    let text = "日本語".as_bytes();
    refused(&text[1..], 0, 1, UnexpectedContinuation);
    refused(&text[2..], 0, 1, UnexpectedContinuation);
    accepted(&text[3..], &[0x672C, 0x8A9E]);
}

/// Section 4's grammar, production by production: the first and the last octet of each range, and their
/// neighbours outside.
#[test]
fn the_grammar_production_by_production() {
    // First octets; second octets; how many tails follow.
    let productions = [
        (0xC2..=0xDF, 0x80..=0xBF, 0),
        (0xE0..=0xE0, 0xA0..=0xBF, 1),
        (0xE1..=0xEC, 0x80..=0xBF, 1),
        (0xED..=0xED, 0x80..=0x9F, 1),
        (0xEE..=0xEF, 0x80..=0xBF, 1),
        (0xF0..=0xF0, 0x90..=0xBF, 2),
        (0xF1..=0xF3, 0x80..=0xBF, 2),
        (0xF4..=0xF4, 0x80..=0x8F, 2),
    ];
    for (first, second, tails) in productions {
        for first in [*first.start(), *first.end()] {
            for octet in 0x00..=0xFF_u8 {
                for tail in [0x80, 0xBF] {
                    let mut bytes = vec![first, octet];
                    bytes.resize(2 + tails, tail);
                    let is_character = second.contains(&octet);
                    check(&bytes);
                    for way in ways() {
                        assert_eq!(way.kernel.is_utf8(&bytes), is_character, "{}: {bytes:02X?}", way.name);
                    }
                }
            }
            for octet in [*second.start(), *second.end()] {
                for place in 2..2 + tails {
                    for no_tail in [0x00, 0x7F, 0xC0, 0xC2, 0xFF] {
                        let mut bytes = vec![first, octet];
                        bytes.resize(2 + tails, 0x80);
                        bytes[place] = no_tail;
                        refused(&bytes, 0, place, ErrorKind::Truncated);
                    }
                }
            }
        }
    }
}

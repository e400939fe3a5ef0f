//! What each policy makes of bytes that are not UTF-8, sequence by sequence.

use std::fmt::Write;

use encoding_rs::WINDOWS_1252;
use trust8::Policy;

/// Decodes as the JDK's `String` does, case by case: the number of available bytes decides, then which of
/// them are continuations. A sequence of three bytes is checked for being overlong at once, and for being a
/// surrogate last.
fn java(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut rest = bytes;
    while let &[first, ..] = rest {
        let is_tail = |at: usize| rest.get(at).is_some_and(|byte| (0x80..=0xBF).contains(byte));
        let second_is = |least: u8, most: u8| rest.get(1).is_some_and(|byte| (least..=most).contains(byte));
        // How many bytes belong together, and whether they are a character.
        let (taken, is_character) = match first {
            0x00..=0x7F => (1, true),
            0xC2..=0xDF => (1 + usize::from(is_tail(1)), is_tail(1)),
            0xE0..=0xEF => {
                let starts = if first == 0xE0 { second_is(0xA0, 0xBF) } else { is_tail(1) };
                let surrogate = first == 0xED && second_is(0xA0, 0xBF);
                match (starts, starts && is_tail(2)) {
                    (false, _) => (1, false),
                    (true, false) => (2, false),
                    (true, true) => (3, !surrogate),
                }
            }
            0xF0..=0xF4 => {
                let starts = match first {
                    0xF0 => second_is(0x90, 0xBF),
                    0xF4 => second_is(0x80, 0x8F),
                    _ => is_tail(1),
                };
                match (starts, is_tail(2), is_tail(3)) {
                    (false, ..) => (1, false),
                    (true, false, _) => (2, false),
                    (true, true, false) => (3, false),
                    (true, true, true) => (4, true),
                }
            }
            _ => (1, false),
        };
        text.push_str(if is_character { std::str::from_utf8(&rest[..taken]).unwrap() } else { "\u{FFFD}" });
        rest = &rest[taken..];
    }
    text
}

/// Returns the repaired text.
pub(crate) fn repaired(policy: Policy, bytes: &[u8]) -> String {
    let mut text = String::new();
    match policy {
        Policy::Replace => return String::from_utf8_lossy(bytes).into_owned(),
        Policy::Java => return java(bytes),
        Policy::Null => return text,
        _ => {}
    }
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        match policy {
            Policy::Escape => chunk.invalid().iter().for_each(|byte| write!(text, "\\x{byte:02X}").unwrap()),
            Policy::Windows1252 => {
                text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0)
            }
            _ => assert_eq!(policy, Policy::Drop),
        }
    }
    text
}

//! Makes bytes visible. Everything that could affect a terminal is escaped.

use std::sync::atomic::{AtomicU8, Ordering};

use trust8::boundary::is_continuation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::hex::digits;

/// Returns `bytes` as visible text. Control characters and other invisible characters are escaped
/// as in Rust, and invalid bytes as \xNN.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    push_visible(&mut text, bytes);
    String::from_utf8_lossy(&text).into_owned()
}

/// Appends `bytes` to `text` as `visible` returns them. Returns how many columns that takes on a
/// terminal.
///
/// A file can have millions of errors, so this has to be fast. What is known of a character is kept
/// in `SHAPES`.
pub(crate) fn push_visible(text: &mut Vec<u8>, bytes: &[u8]) -> usize {
    let start = text.len();
    let mut columns = 0;
    let mut is_sum = true;
    // Appending a few bytes at a time to a vector takes twice as long.
    let mut buffer = [0; 128];
    let mut filled = 0;
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        if filled + 4 > buffer.len() {
            text.extend_from_slice(&buffer[..filled]);
            filled = 0;
        }
        let (form, len) = FORMS[usize::from(first)];
        if len > 0 {
            buffer[filled..filled + 4].copy_from_slice(&form);
            filled += usize::from(len);
            columns += usize::from(len);
            rest = after;
            continue;
        }
        let Some(c) = first_character(rest) else {
            buffer[filled..filled + 4].copy_from_slice(&form);
            filled += 4;
            columns += 4;
            rest = after;
            continue;
        };
        let (character, after) = rest.split_at(c.len_utf8());
        rest = after;
        match Shape::of(c) {
            Shape::Escaped => {
                text.extend_from_slice(&buffer[..filled]);
                filled = 0;
                let escape: String = c.escape_debug().collect();
                text.extend_from_slice(escape.as_bytes());
                columns += escape.len();
                continue;
            }
            Shape::Columns(n) => columns += n,
            Shape::Plain => is_sum = false,
        }
        buffer[filled..filled + character.len()].copy_from_slice(character);
        filled += character.len();
    }
    text.extend_from_slice(&buffer[..filled]);
    if is_sum { columns } else { String::from_utf8_lossy(&text[start..]).width() }
}

/// How each byte is shown, and the length of that. The length is 0 for a byte that may begin a
/// character that is not in ASCII, which decides how it is shown, and for a control character.
const FORMS: [([u8; 4], u8); 256] = {
    let mut forms = [([0; 4], 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let [high, low] = digits(byte as u8);
        forms[byte] = match byte {
            0x20..=0x7E => ([byte as u8, 0, 0, 0], 1),
            0x00..=0x7F | 0xC2..=0xF4 => ([b'\\', b'x', high, low], 0),
            _ => ([b'\\', b'x', high, low], 4),
        };
        byte += 1;
    }
    forms
};

/// Returns the character that `bytes` begin with, if they begin with one.
fn first_character(bytes: &[u8]) -> Option<char> {
    let bits = |byte: u8| is_continuation(byte).then_some(u32::from(byte & 0x3F));
    let (least, value) = match *bytes {
        [a @ 0x00..=0x7F, ..] => (0, a.into()),
        [a @ 0xC0..=0xDF, b, ..] => (0x80, u32::from(a & 0x1F) << 6 | bits(b)?),
        [a @ 0xE0..=0xEF, b, c, ..] => (0x800, u32::from(a & 0xF) << 12 | bits(b)? << 6 | bits(c)?),
        [a @ 0xF0..=0xF7, b, c, d, ..] => {
            (0x1_0000, u32::from(a & 7) << 18 | bits(b)? << 12 | bits(c)? << 6 | bits(d)?)
        }
        _ => return None,
    };
    char::from_u32(value).filter(|_| value >= least)
}

/// How a character is shown.
#[derive(Clone, Copy)]
enum Shape {
    /// It is invisible, and is escaped.
    Escaped,
    /// As it is. How many columns it takes depends on the characters around it.
    Plain,
    /// As it is, in this number of columns.
    Columns(usize),
}

/// The shapes found so far, as numbers, of the characters below U+10000. 0 means not looked up yet.
static SHAPES: [AtomicU8; 1 << 16] = [const { AtomicU8::new(0) }; 1 << 16];

impl Shape {
    fn of(c: char) -> Self {
        let Some(kept) = SHAPES.get(c as usize) else { return Self::find(c) };
        match kept.load(Ordering::Relaxed) {
            1 => Self::Escaped,
            2 => Self::Plain,
            3 => Self::Columns(1),
            4 => Self::Columns(2),
            _ => {
                let shape = Self::find(c);
                let number = match shape {
                    Self::Escaped => 1,
                    Self::Columns(1) => 3,
                    Self::Columns(2) => 4,
                    Self::Columns(_) | Self::Plain => 2,
                };
                kept.store(number, Ordering::Relaxed);
                shape
            }
        }
    }

    fn find(c: char) -> Self {
        #[cfg(test)]
        tests::FOUND.set(tests::FOUND.get() + 1);
        // `escape_debug` also escapes quotation marks and backslashes. These are plain here,
        // because the result is not quoted.
        let is_plain = matches!(c, ' '..='~') || c.escape_debug().len() == 1;
        match c.width() {
            _ if !is_plain => Self::Escaped,
            Some(columns @ 1..=2) if stands_alone(c) => Self::Columns(columns),
            _ => Self::Plain,
        }
    }
}

/// Whether the width of `c` is the same next to any other character like it. This holds for letters
/// of Latin, Greek, Cyrillic, Chinese, Japanese and Korean. It does not hold for Arabic ligatures
/// and sequences of emoji.
fn stands_alone(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{A0}'..='\u{2FF}' | '\u{370}'..='\u{52F}' | '\u{3041}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// Appends `byte` to `text` as \xNN.
pub(crate) fn push_escaped(text: &mut Vec<u8>, byte: u8) {
    let [high, low] = digits(byte);
    text.extend_from_slice(&[b'\\', b'x', high, low]);
}

/// Whether `c` can do something to a terminal, end a line, or reorder the text around it.
pub(crate) fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Appends `text` to `line`, with the characters escaped that can do harm.
pub(crate) fn push_harmless(line: &mut String, text: &str) {
    for c in text.chars() {
        if is_harmful(c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
}

/// Writes the name of a file, so that it does no harm: it stays on its line, and does nothing to a
/// terminal.
///
/// On a terminal, the name is made visible. For programs it is unchanged, except that control
/// characters are escaped.
pub(crate) fn write_name(out: &mut Vec<u8>, name: &[u8], terminal: bool) {
    if terminal {
        push_visible(out, name);
        return;
    }
    if name.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        out.extend_from_slice(name);
        return;
    }
    for chunk in name.utf8_chunks() {
        let mut text = String::new();
        push_harmless(&mut text, chunk.valid());
        out.extend(text.as_bytes());
        out.extend(chunk.invalid());
    }
}

/// Returns the name of a file as a word for a shell, which is visible and means nothing else.
///
/// No quotation mark or backslash of the name is between quotation marks: fish takes backslashes there for escapes, and dash
/// ends `$'` at every quotation mark.
pub(crate) fn shell_word(name: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./,+@%:".contains(c);
    let visible = visible(name);
    let mut word = if name.starts_with(b"-") { "./".to_owned() } else { String::new() };
    if visible.as_bytes() != name {
        // Bash, ksh and zsh know this form of a quoted string. More digits after `\x` would mean another byte to ksh.
        word += "$'";
        for &byte in name {
            match byte {
                b' '..=b'~' if !matches!(byte, b'\'' | b'\\') => word.push(byte.into()),
                _ => word += &format!("\\{byte:03o}"),
            }
        }
        word.push('\'');
    } else if !name.is_empty() && visible.chars().all(is_plain) {
        word += &visible;
    } else {
        word.push('\'');
        for c in visible.chars() {
            match c {
                '\'' | '\\' => word.extend(['\'', '\\', c, '\'']),
                _ => word.push(c),
            }
        }
        word.push('\'');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// How often the shape of a character was found.
        pub(super) static FOUND: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    /// To find out how each character is shown took half of the time of a report.
    #[test]
    fn how_a_character_is_shown_is_found_once() {
        let before = FOUND.get();
        for _ in 0..1000 {
            push_visible(&mut Vec::new(), "größe 日本\t".as_bytes());
        }
        assert!(FOUND.get() - before <= 5);
    }

    #[test]
    fn visible_text_stays_and_the_rest_is_escaped() {
        assert_eq!(visible("naïve 日本 '\"\\".as_bytes()), "naïve 日本 '\"\\");
        assert_eq!(visible(b"a\tb\0c\x1B[31m\xC0\xAF"), "a\\tb\\0c\\u{1b}[31m\\xC0\\xAF");
        assert_eq!(visible("\u{202E}gpj.exe".as_bytes()), "\\u{202e}gpj.exe");
    }

    /// Whatever stands next to each other, the columns are those of the crate unicode-width, and
    /// the text is that of `Utf8Chunks`.
    #[test]
    fn columns_are_those_of_the_whole_text() {
        let mut all: Vec<u8> = Vec::new();
        for c in ('\0'..'\u{3000}').chain(('\u{3000}'..=char::MAX).step_by(13)) {
            let mut buffer = [0; 4];
            let alone = c.encode_utf8(&mut buffer).as_bytes();
            let mut text = Vec::new();
            for _ in 0..2 {
                text.clear();
                let columns = push_visible(&mut text, alone);
                assert_eq!(columns, String::from_utf8_lossy(&text).width(), "{c:?}");
            }
            if !text.starts_with(b"\\u") && u32::from(c) % 17 == 0 {
                all.extend(alone);
            }
        }
        let extra = "é語日本Ж\u{301}👩\u{200D}👩👍🏽\u{FE0F}لا🇩🇪<\u{338}각ﾊﾞ";
        for bytes in
            [&all, extra.as_bytes(), b"a\xE6\x97\xF0\x9F\x98b\xED\xA0\x80\xC0\xF4\x90\x80\x80\xE6\x97"]
        {
            for part in bytes.windows(9.min(bytes.len())) {
                let mut text = Vec::new();
                let columns = push_visible(&mut text, part);
                assert_eq!(columns, std::str::from_utf8(&text).unwrap().width(), "{part:X?}");
                let mut expected = String::new();
                for chunk in part.utf8_chunks() {
                    for c in chunk.valid().chars() {
                        if matches!(c, ' '..='~') {
                            expected.push(c)
                        } else {
                            expected.extend(c.escape_debug())
                        }
                    }
                    chunk.invalid().iter().for_each(|byte| expected += &format!("\\x{byte:02X}"));
                }
                assert_eq!(String::from_utf8_lossy(&text), expected);
            }
        }
    }

    #[test]
    fn names_stay_on_their_line() {
        let name = |name: &[u8]| {
            let mut out = Vec::new();
            write_name(&mut out, name, false);
            out
        };
        assert_eq!(name("naïve e\u{301} '\"\\".as_bytes()), "naïve e\u{301} '\"\\".as_bytes());
        assert_eq!(name(b"a\nb\x1B[2J\x7F\xC2\x9B\xE9"), b"a\\nb\\u{1b}[2J\\u{7f}\\u{9b}\xE9");
        assert_eq!(name("\u{202E}gpj.exe\u{2028}".as_bytes()), b"\\u{202e}gpj.exe\\u{2028}");
    }

    #[test]
    fn words_for_a_shell_are_quoted_if_need_be() {
        for (name, word) in [
            (&b"a/b-1.txt"[..], "a/b-1.txt"),
            ("日本".as_bytes(), "日本"),
            (b"", "''"),
            (b"two words; rm -rf ~", "'two words; rm -rf ~'"),
            (b"it's", r"'it'\''s'"),
            (b"-x", "./-x"),
            (b"- x", "./'- x'"),
            (b"a\nb'\\\xE9", r"$'a\012b\047\134\351'"),
            (br"a\'b", r"'a'\\''\''b'"),
            (b"=ls", "'=ls'"),
        ] {
            assert_eq!(shell_word(name), word);
        }
    }
}

//! Makes bytes visible. Everything that could affect a terminal is escaped.

use crate::hex::push_hex_digits;

/// Returns `bytes` as visible text. Control characters and other invisible characters are escaped as in Rust, and
/// invalid bytes as \xNN.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    push_visible(&mut text, bytes);
    String::from_utf8_lossy(&text).into_owned()
}

/// Appends `bytes` to `text` as `visible` returns them. (A file can have millions of errors, so this has to be fast.)
pub(crate) fn push_visible(text: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        let mut valid = chunk.valid();
        while !valid.is_empty() {
            // The result is not quoted, so quotation marks and backslashes stay as they are.
            let plain = valid.bytes().position(|byte| !matches!(byte, b' '..=b'~')).unwrap_or(valid.len());
            text.extend_from_slice(&valid.as_bytes()[..plain]);
            let mut rest = valid[plain..].chars();
            for c in rest.next().into_iter().flat_map(char::escape_debug) {
                text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            valid = rest.as_str();
        }
        chunk.invalid().iter().for_each(|byte| push_escaped(text, *byte));
    }
}

/// Appends `byte` to `text` as \xNN.
pub(crate) fn push_escaped(text: &mut Vec<u8>, byte: u8) {
    text.extend(b"\\x");
    push_hex_digits(text, byte);
}

/// Whether `c` can do something to a terminal, end a line, or reorder the text around it.
fn is_harmful(c: char) -> bool {
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

/// Writes the name of a file, so that it does no harm: it stays on its line, and does nothing to a terminal.
///
/// On a terminal, the name is made visible. For programs it is unchanged, except that control characters are escaped.
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
pub(crate) fn shell_word(name: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./,+@%:=".contains(c);
    let visible = visible(name);
    let mut word = if name.starts_with(b"-") { "./".to_owned() } else { String::new() };
    if visible.as_bytes() != name {
        // Bash, ksh and zsh know this form of a quoted string.
        word += "$'";
        for &byte in name {
            match byte {
                b'\'' | b'\\' => word.extend(['\\', byte.into()]),
                b' '..=b'~' => word.push(byte.into()),
                _ => word += &format!("\\x{byte:02X}"),
            }
        }
        word.push('\'');
    } else if !name.is_empty() && visible.chars().all(is_plain) {
        word += &visible;
    } else {
        word = format!("{word}'{}'", visible.replace('\'', r"'\''"));
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_stays_and_the_rest_is_escaped() {
        assert_eq!(visible("naïve 日本 '\"\\".as_bytes()), "naïve 日本 '\"\\");
        assert_eq!(visible(b"a\tb\0c\x1B[31m\xC0\xAF"), "a\\tb\\0c\\u{1b}[31m\\xC0\\xAF");
        assert_eq!(visible("\u{202E}gpj.exe".as_bytes()), "\\u{202e}gpj.exe");
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
            (b"a\nb'\\\xE9", r"$'a\x0Ab\'\\\xE9'"),
        ] {
            assert_eq!(shell_word(name), word);
        }
    }
}

//! Makes bytes visible. Everything that could affect a terminal is escaped.

use crate::hex::digits;

/// Returns `bytes` as visible text. Control characters and other invisible characters are escaped as in Rust, and
/// invalid bytes as \xNN.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // The result is not quoted, so quotation marks and backslashes stay as they are.
            if matches!(c, ' '..='~') {
                text.push(c);
            } else {
                text.extend(c.escape_debug());
            }
        }
        for &byte in chunk.invalid() {
            text.push_str("\\x");
            text.extend(digits(byte));
        }
    }
    text
}

/// Writes the name of a file: made visible on a terminal, and unchanged for programs.
pub(crate) fn write_name(out: &mut Vec<u8>, name: &[u8], terminal: bool) {
    if terminal {
        out.extend(visible(name).as_bytes());
    } else {
        out.extend(name);
    }
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
}

//! Bytes made visible: text as it is, and everything else escaped, so that it can do nothing to a terminal.

use crate::culprit::digits;

/// What can be seen stays; control characters and their like are escaped as Rust does it, and bytes that are not
/// text as \xNN.
pub(crate) fn visible(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            // Nothing is quoted here, so quotation marks and backslashes need no escaping.
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

/// A file's name: as it is, for programs; made visible on a terminal.
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
    fn text_stays_and_the_rest_is_escaped() {
        assert_eq!(visible("naïve 日本 '\"\\".as_bytes()), "naïve 日本 '\"\\");
        assert_eq!(visible(b"a\tb\0c\x1B[31m\xC0\xAF"), "a\\tb\\0c\\u{1b}[31m\\xC0\\xAF");
        assert_eq!(visible("\u{202E}gpj.exe".as_bytes()), "\\u{202e}gpj.exe");
    }
}

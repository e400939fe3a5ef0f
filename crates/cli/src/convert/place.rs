//! Where in the input a character is that the target lacks.

use encoding_rs::{GB18030, GBK, ISO_2022_JP};
use memchr::{memchr_iter, memrchr};
use trust8::Bom;
use trust8_transcode::Encoding;

use super::REPLACE;
use crate::charset::Charset;

/// The place of the next character.
pub(super) struct Place {
    pub(super) source: Charset,
    pub(super) line: u64,
    pub(super) column: u64,
    /// The offset in the input, if the length of what comes before is known.
    pub(super) offset: Option<u64>,
}

impl Place {
    /// Returns the place of the first character, after a byte order mark that is no part of the
    /// text.
    pub(super) fn start(source: Charset, mark: Option<Bom>) -> Self {
        let offset = match (source, mark) {
            // The mark of UTF-32 may be that of UTF-16, and a NUL.
            (Charset::Utf16, Some(Bom::Utf16Le | Bom::Utf16Be | Bom::Utf32Le)) => 2,
            (Charset::Utf32, Some(Bom::Utf32Le | Bom::Utf32Be)) => 4,
            _ => 0,
        };
        Self { source, line: 1, column: 1, offset: Some(offset) }
    }

    /// Moves over `text`.
    pub(super) fn pass(&mut self, text: &str) {
        self.line += memchr_iter(b'\n', text.as_bytes()).count() as u64;
        let last = match memrchr(b'\n', text.as_bytes()) {
            Some(at) => {
                self.column = 1;
                &text[at + 1..]
            }
            None => text,
        };
        self.column += last.chars().count() as u64;
        self.offset = self.offset.zip(len_in(self.source, text)).map(|(offset, len)| offset + len);
    }

    /// Returns the message for the character `c`, which is here.
    pub(super) fn lacking(&self, c: char, what: &str, target: &str) -> String {
        let byte = self.offset.map_or_else(String::new, |offset| format!(", byte {offset}"));
        let Self { line, column, .. } = self;
        format!("line {line}, column {column}{byte}: U+{:04X} {what} {target}{REPLACE}", u32::from(c))
    }
}

/// Returns how many bytes `text` is in `source`, if there is only one way to encode it.
fn len_in(source: Charset, text: &str) -> Option<u64> {
    let len = match (source, source.exact()) {
        (Charset::Utf16, _) | (_, Some(Encoding::Utf16Le | Encoding::Utf16Be)) => {
            2 * text.encode_utf16().count()
        }
        (Charset::Utf32, _) | (_, Some(Encoding::Utf32Le | Encoding::Utf32Be)) => 4 * text.chars().count(),
        (_, Some(Encoding::Latin1)) => text.chars().count(),
        (Charset::Johab, _) => text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum(),
        _ if source.is_single_byte() => text.chars().count(),
        (Charset::Encoding(encoding), _) if encoding == ISO_2022_JP => return None,
        (Charset::Encoding(encoding), _) => {
            let encoding = if encoding == GBK { GB18030 } else { encoding };
            let (bytes, _, is_lacking) = encoding.encode(text);
            // The euro sign is one byte in Microsoft's GBK, and two in the Chinese standard.
            if is_lacking || encoding == GB18030 && text.contains('€') {
                return None;
            }
            bytes.len()
        }
        (Charset::Dialect(dialect), _) => dialect.from_utf8(text).len(),
        _ => text.len(),
    };
    Some(len as u64)
}

//! For people: what the short form says, and below it the bytes, as text and in hexadecimal, with the culprit
//! marked.

use std::io::Write;

use trust8::Bom;
use unicode_width::UnicodeWidthStr;

use super::{End, Report, on_terminal};
use crate::args::When;
use crate::colors::Colors;
use crate::culprit::Hex;
use crate::fix::charset::dialect_label;
use crate::relatives::Fit;
use crate::scan::Finding;
use crate::visible::{visible, write_name};

/// How many bytes of text are shown on either side: with an average culprit, a line of 80.
const TEXT: usize = 28;
/// How many bytes in hexadecimal.
const HEX: usize = 8;

pub(crate) struct Human {
    colors: Colors,
    terminal: bool,
}

impl Report for Human {
    fn separator(&self) -> &'static [u8] {
        b"\n"
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        if earlier > 0 {
            out.push(b'\n');
        }
        let Finding { place, offset, culprit, before, after } = finding;
        let Colors { name: style, place: number, message, .. } = self.colors;
        // A vector takes everything.
        let _ = write!(out, "{style}");
        write_name(out, name, self.terminal);
        let _ = write!(out, "{style:#}:{number}{}:{}{number:#}: ", place.line, place.column);
        let _ = writeln!(out, "byte {offset}: {message}{culprit}{message:#}");
        let (text_before, text_after) = line_around(before, after);
        self.marked(out, "text", &visible(text_before), &visible(culprit.bytes), &visible(text_after));
        let hex = |bytes| Hex(bytes).to_string();
        let space = |text: String, ahead: bool| match (text.is_empty(), ahead) {
            (true, _) => text,
            (false, true) => format!(" {text}"),
            (false, false) => format!("{text} "),
        };
        let hex_before = space(hex(&before[before.len().saturating_sub(HEX)..]), false);
        let hex_after = space(hex(&after[..after.len().min(HEX)]), true);
        self.marked(out, "hex ", &hex_before, &hex(culprit.bytes), &hex_after);
    }

    fn tells_of_relatives(&self) -> bool {
        true
    }

    fn end(&self, out: &mut Vec<u8>, name: &[u8], end: &End) {
        let mut note = |what: String| {
            let Colors { hint, .. } = self.colors;
            let _ = writeln!(out, "    {hint}note{hint:#}  {what}");
        };
        let convert = |label: &str| format!("trust8 fix --from {label} {}", visible(name));
        match (end.mark, end.fits.first()) {
            (Some(mark @ (Bom::Utf16Le | Bom::Utf16Be)), _) => {
                let encoding = mark.encoding();
                note(format!("it seems to be {encoding}: {}", convert(&encoding.to_ascii_lowercase())));
            }
            (Some(mark @ (Bom::Utf32Le | Bom::Utf32Be)), _) => {
                note(format!("it seems to be {}", mark.encoding()))
            }
            (_, Some(Fit { dialect, convertible: true })) => {
                note(format!("all of it is {dialect}: {}", convert(dialect_label(*dialect))));
            }
            (_, Some(Fit { dialect, convertible: false })) => {
                note(format!("all of it is {dialect}, but UTF-8 has not all that is in it"));
            }
            _ => {}
        }
    }
}

impl Human {
    pub(crate) fn new(color: When) -> Self {
        Self { colors: Colors::new(color), terminal: on_terminal() }
    }

    /// Two lines: what there is, and a mark below the culprit.
    fn marked(&self, out: &mut Vec<u8>, title: &str, before: &str, culprit: &str, after: &str) {
        let Colors { dim, culprit: style, .. } = self.colors;
        let _ = writeln!(out, "    {dim}{title}{dim:#}  {before}{style}{culprit}{style:#}{after}");
        let blank = " ".repeat("    text  ".len() + before.width());
        let mark = "^".repeat(culprit.width());
        let _ = writeln!(out, "{blank}{style}{mark}{style:#}");
    }
}

/// Of the bytes on either side those that are on the same line, no more than `TEXT` of them, and no parts of
/// characters.
fn line_around<'a>(before: &'a [u8], after: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xBF);
    let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let mut start = line.max(before.len().saturating_sub(TEXT));
    // A character has no more than three of them.
    if start > line || line == 0 {
        start += before[start..].iter().take(3).take_while(|byte| is_continuation(byte)).count();
    }
    let mut end = after.iter().position(|&byte| byte == b'\n').unwrap_or(after.len());
    if end > TEXT {
        end = TEXT;
        while end > TEXT - 3 && is_continuation(&after[end]) {
            end -= 1;
        }
    }
    (&before[start..], &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_that_of_the_line_in_whole_characters() {
        let around = |before: &'static str, after: &'static str| {
            let (a, b) = line_around(before.as_bytes(), after.as_bytes());
            (std::str::from_utf8(a).unwrap(), std::str::from_utf8(b).unwrap())
        };
        assert_eq!(around("", ""), ("", ""));
        assert_eq!(around("one\ntwo", "three\nfour"), ("two", "three"));
        assert_eq!(around("one\n", "\nfour"), ("", ""));
        assert_eq!(
            around("日本語日本語日本語日本", "日本語日本語日本語日本"),
            ("語日本語日本語日本", "日本語日本語日本語")
        );
    }
}

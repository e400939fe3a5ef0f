//! Mojibake: text in UTF-8 that was decoded as windows-1252, and encoded as UTF-8 again. `Größe`
//! becomes `GrÃ¶ÃŸe`.
//!
//! The windows-1252 bytes of the characters are the original text. A line is mojibake only if this
//! holds without exception: as bytes of windows-1252, each group of its non-ASCII characters is
//! valid UTF-8, and the groups are not such as good text has too. So undoing it is exact: decoding
//! the result as windows-1252 again gives the line.
//!
//! The crate ftfy for Python does the same with statistics on more encodings. This one prefers to
//! miss a line.

use std::borrow::Cow;
use std::io::{self, Write};

use memchr::memchr;
use trust8::boundary::floor;
use trust8::engine::windows_1252;

/// Returns the byte of `c` in windows-1252, unless `c` is in ASCII.
fn byte(c: char) -> Option<u8> {
    match c {
        '\0'..='\x7F' => None,
        '\u{A0}'..='\u{FF}' => Some(c as u8),
        _ => (0x80..=0x9F).find(|&byte| windows_1252(byte) == c),
    }
}

/// Returns the text that `line` was before it became mojibake, or `None` if it is no mojibake.
///
/// `is_ascii` lines are never mojibake.
pub(crate) fn undo(line: &str) -> Option<String> {
    if line.is_ascii() {
        return None;
    }
    let mut text = String::with_capacity(line.len());
    let mut group = Vec::new();
    let mut is_certain = false;
    for c in line.chars().chain(['\n']) {
        match byte(c) {
            Some(byte) => group.push(byte),
            None => {
                if !group.is_empty() {
                    let original = std::str::from_utf8(&group).ok()?;
                    is_certain |= original.chars().any(is_certainly_mojibake);
                    text.push_str(original);
                    group.clear();
                }
                text.push(c);
            }
        }
    }
    text.pop();
    // It may have been decoded several times.
    is_certain.then(|| undo(&text).unwrap_or(text))
}

/// Whether the bytes of `c`, read as windows-1252, are characters that good text hardly ever has.
///
/// A character of two bytes becomes a capital letter, such as `Ã` or `É`, and a sign. Good text can
/// have that, such as `É…` or `Ñ»`, but not with most letters.
fn is_certainly_mojibake(c: char) -> bool {
    let mut buffer = [0; 4];
    match *c.encode_utf8(&mut buffer).as_bytes() {
        // `Â` or `Ã`, and a sign other than those that end a word: `Â°`, `Ã¼`.
        [0xC2 | 0xC3, last] => !is_end_of_word(last),
        [0xC4 | 0xC5 | 0xCE | 0xCF | 0xD0 | 0xD1, last] => !is_end_of_word(last) && !is_letter(last),
        // The bytes of U+0081, U+008D, U+008F, U+0090 and U+009D, which no good text has.
        [_, 0x81 | 0x8D | 0x8F | 0x90 | 0x9D] => true,
        // Hebrew letters, except `×£` and other sums of money.
        [0xD7, last] => last == 0x98,
        // Arabic letters, except `Ø®` and `90 Ø°`.
        [0xD8..=0xDB, last] => {
            !is_end_of_word(last) && !is_letter(last) && !matches!(last, 0xA9 | 0xAE | 0xB0)
        }
        [] | [_, _] => false,
        // `â„–`, `â†’`, `â•‘` and `â–‘`, which are `№`, `→`, `║` and `░`. No word ends with `â`.
        // All emoji begin with `ðŸ`.
        [0xE2, 0x84 | 0x86 | 0x95 | 0x96, _] | [0xF0, 0x9F, _, _] => true,
        // `â€™`, `æ—¥`. A small letter may come before two letters or signs that may end a word:
        // `ášš`, `é…»`.
        [_, ref after @ ..] => after.iter().any(|byte| !is_end_of_word(*byte) && !is_letter(*byte)),
    }
}

/// Whether the byte is a sign that may follow a word.
fn is_end_of_word(byte: u8) -> bool {
    matches!(byte, 0x82 | 0x84..=0x87 | 0x89 | 0x8B | 0x91..=0x97 | 0x99 | 0x9B | 0xA0 | 0xAB | 0xB7 | 0xBB)
}

/// Whether the byte is a letter or a number that may follow a letter.
fn is_letter(byte: u8) -> bool {
    matches!(
        byte,
        0x83 | 0x8A | 0x8C | 0x8E | 0x9A | 0x9C | 0x9E | 0x9F | 0xAA | 0xB2 | 0xB3 | 0xB5 | 0xB9 | 0xBA
    )
}

/// Counts the lines of `text` that are mojibake.
pub(crate) fn count(text: &str) -> u64 {
    text.lines().filter(|line| undo(line).is_some()).count() as u64
}

/// Undoes mojibake in what is written to it, which is valid UTF-8, and passes it on.
pub(super) struct Undo<'a> {
    out: &'a mut dyn Write,
    /// The beginning of a line that is not complete.
    line: Vec<u8>,
    /// How many lines were changed.
    pub(super) lines: u64,
}

/// A line that is longer than this is cut at a space, or else after any character in ASCII, or else
/// anywhere. So memory and time do not grow with it.
const LONGEST_BYTES: usize = 1 << 20;

impl<'a> Undo<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out, line: Vec::new(), lines: 0 }
    }

    /// Writes `line`, or the text that it was before it became mojibake.
    fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        let text = match trust8::from_utf8(line).ok().and_then(undo) {
            Some(text) => {
                self.lines += 1;
                Cow::Owned(text.into_bytes())
            }
            None => Cow::Borrowed(line),
        };
        self.out.write_all(&text)
    }

    /// Writes the last line. Call this at the end of the text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.write_line(&line)
    }
}

impl Write for Undo<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end + 1);
            rest = after;
            if self.line.is_empty() {
                self.write_line(line)?;
            } else {
                self.line.extend(line);
                self.finish()?;
            }
        }
        self.line.extend(rest);
        if self.line.len() > LONGEST_BYTES {
            let line = &self.line;
            let ascii = || line.iter().rposition(u8::is_ascii);
            let last =
                memchr::memrchr(b' ', &line[line.len() / 2..]).map(|at| line.len() / 2 + at).or_else(ascii);
            let end = last.map_or_else(|| floor(line, line.len() - 1), |at| at + 1);
            let after = self.line.split_off(end);
            self.finish()?;
            self.line = after;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;

    #[test]
    fn bytes_are_those_of_windows_1252() {
        for c in ('\0'..='\u{3000}').chain("日😀".chars()) {
            let text = c.to_string();
            let (bytes, _, unmappable) = WINDOWS_1252.encode(&text);
            let expected = (!unmappable && !c.is_ascii()).then(|| bytes[0]);
            assert_eq!(byte(c), expected, "{c:?}");
        }
    }

    /// A line without a space was kept as a whole, and searched again for each chunk of it.
    #[test]
    fn a_long_line_is_cut() {
        for (text, original) in [
            (mojibake("größe,ö"), Some("größe,ö")),
            (mojibake("größe, "), Some("größe, ")),
            ("x".to_owned(), Some("x")),
            ("日".to_owned(), Some("日")),
            // It may be cut inside a character of the original text. Then it stays as it is.
            (mojibake("日"), None),
        ] {
            let mut out = Vec::new();
            let mut undo = Undo::new(&mut out);
            let chunk = text.repeat((64 << 10) / text.len());
            for _ in 0..40 {
                undo.write_all(chunk.as_bytes()).unwrap();
                assert!(undo.line.len() <= LONGEST_BYTES, "{text}");
            }
            undo.finish().unwrap();
            if let Some(original) = original {
                assert!(out == chunk.replace(&text, original).repeat(40).as_bytes(), "{text}");
            }
        }
    }

    /// Returns `text` decoded once too often.
    fn mojibake(text: &str) -> String {
        WINDOWS_1252.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn mojibake_is_undone_exactly() {
        for text in [
            "Größe",
            "naïve café, 12 °C",
            "“quoted” – it’s",
            "Привет, мир",
            "Καλημέρα κόσμε",
            "مرحبا بالعالم",
            "שלום עולם",
            "日本語 テキスト",
            "😀",
            "🎠",
            "№ 5 → ░",
            "5 €, ½ £",
        ] {
            assert_eq!(undo(&mojibake(text)).as_deref(), Some(text), "{}", mojibake(text));
            // Twice.
            assert_eq!(undo(&mojibake(&mojibake(text))).as_deref(), Some(text));
        }
    }

    #[test]
    fn good_text_is_no_mojibake() {
        for text in [
            "",
            "plain",
            "Größe",
            "É…",
            "«SPASS» und Ñ»",
            "AMANHÃ…",
            "São Paulo",
            "“quoted” – it’s",
            "日本語",
            "Привет",
            "😀",
            "ÃO, ÉÈÊ",
            "Ã¶ and Größe on one line",
            "Ä“",
            // A Sámi name in the Public Suffix List. As bytes it is one letter of Ogham.
            "evenášši.no",
            "NESTLÉ®, BJÖRNØ®, 3×£5, 2×½",
            "«je l’ai aimé…»",
            "5 €",
            "\u{A0}» ",
            "Ð²² ",
            "12 °C ± 3 µm²",
        ] {
            assert_eq!(undo(text), None, "{text}");
        }
    }

    /// Twelve words of each language that `bench` has, as good text and decoded once too often.
    #[test]
    fn generated_text_is_good_and_its_mojibake_is_found() {
        for (language, text) in crate::bench::texts::generated(20_000) {
            let text = String::from_utf8(text).unwrap();
            let words: Vec<_> = text.split(' ').collect();
            let (mut lines, mut undone) = (0, 0);
            for line in words.chunks(12).map(|words| words.join(" ")).filter(|line| !line.is_ascii()) {
                assert_eq!(undo(&line), None);
                let found = undo(&mojibake(&line));
                lines += 1;
                undone += usize::from(found.is_some());
                assert!(found.is_none_or(|found| found == line), "{line}");
            }
            assert!(undone * 100 >= lines * 99, "{language}: {undone} of {lines}");
            assert_eq!(lines == 0, language == "ASCII");
        }
    }

    #[test]
    fn lines_are_undone_however_they_are_cut() {
        let text = format!("good Größe\n{}\nplain\r\n{}", mojibake("Größe\r"), mojibake("日本"));
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let mut out = Vec::new();
            let mut undo = Undo::new(&mut out);
            undo.write_all(&text.as_bytes()[..cut]).unwrap();
            undo.write_all(&text.as_bytes()[cut..]).unwrap();
            undo.finish().unwrap();
            assert_eq!(undo.lines, 2);
            assert_eq!(out, "good Größe\nGröße\r\nplain\r\n日本".as_bytes());
        }
        assert_eq!(count(&text), 2);
    }
}

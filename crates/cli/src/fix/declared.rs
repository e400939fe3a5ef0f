//! Finds what a text declares that it is in, while it is written, and corrects that.

use std::io::{self, Write};

use crate::guess::declared::{END_BYTES, START_BYTES, find};

/// Passes on the text that is written to it, and finds what it declares. Corrects that, if it should.
pub(super) struct Declarations<'a> {
    out: &'a mut dyn Write,
    corrects: bool,
    /// The start of the text, until it is long enough; then the last bytes. If declarations are
    /// corrected, these bytes have not been written yet.
    last: Vec<u8>,
    is_start: bool,
    /// The first name that is found.
    name: Option<String>,
}

impl<'a> Declarations<'a> {
    pub(super) fn new(out: &'a mut dyn Write, corrects: bool) -> Self {
        Self { out, corrects, last: Vec::new(), is_start: true, name: None }
    }

    /// Finds the declarations in the last bytes, and drops the first `done` of them.
    fn look(&mut self, done: usize, is_end: bool) -> io::Result<()> {
        let mut at = 0;
        // What was written at once may be long, and the search of a start takes quadratic time.
        let seen = if is_end { &self.last[..] } else { &self.last[..START_BYTES + END_BYTES] };
        for name in find(seen, self.is_start, is_end).into_iter().filter(|name| name.end <= done) {
            let old = &self.last[name.clone()];
            if self.corrects {
                let is_lower = !old.iter().any(u8::is_ascii_uppercase);
                self.out.write_all(&self.last[at..name.start])?;
                self.out.write_all(if is_lower { b"utf-8" } else { b"UTF-8" })?;
                at = name.end;
            }
            self.name.get_or_insert_with(|| String::from_utf8_lossy(old).into_owned());
        }
        if self.corrects {
            self.out.write_all(&self.last[at..done])?;
        }
        self.last.drain(..done);
        self.is_start = false;
        Ok(())
    }

    /// Writes the last bytes, and returns the name of the encoding that the text declared.
    pub(super) fn finish(mut self) -> io::Result<Option<String>> {
        self.look(self.last.len(), true)?;
        Ok(self.name)
    }
}

impl Write for Declarations<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.corrects {
            self.out.write_all(bytes)?;
        }
        let is_kept = self.corrects || self.is_start;
        self.last.extend(if is_kept { bytes } else { &bytes[bytes.len().saturating_sub(16 * END_BYTES)..] });
        if self.is_start && self.last.len() >= START_BYTES + END_BYTES {
            self.look(START_BYTES, false)?;
        }
        if !self.is_start && self.last.len() > 16 * END_BYTES {
            let done = self.last.len() - END_BYTES;
            if self.corrects {
                self.out.write_all(&self.last[..done])?;
            }
            self.last.drain(..done);
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

    /// Returns `text` as it is corrected, and the first name that is found.
    fn corrected(text: &str, step: usize) -> (String, Option<String>) {
        let mut out = Vec::new();
        let mut declarations = Declarations::new(&mut out, true);
        for piece in text.as_bytes().chunks(step) {
            declarations.write_all(piece).unwrap();
        }
        let name = declarations.finish().unwrap();
        (String::from_utf8(out).unwrap(), name)
    }

    #[test]
    fn declarations_are_found_where_formats_have_them() {
        for (text, name) in [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>\n<a/>", "ISO-8859-2"),
            ("\u{FEFF}<?xml version='1.0'\n encoding = 'latin1' ?>", "latin1"),
            ("#!/usr/bin/python\n# -*- coding: latin-1 -*-\n", "latin-1"),
            ("# This Python file uses the following encoding: koi8_r\n", "koi8_r"),
            (";; -*- mode: lisp; coding: iso-8859-15-unix; -*-\n", "iso-8859-15"),
            ("<html><head>\n<meta charset=windows-1251>", "windows-1251"),
            (
                "<!DOCTYPE html>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=koi8-r\">",
                "koi8-r",
            ),
            ("@charset \"Shift_JIS\";\n", "Shift_JIS"),
            ("# vim: set fileencoding=cp1250 :\n", "cp1250"),
            ("one\ntwo\n/* vim: ts=8:fenc=euc-jp:et */\n", "euc-jp"),
            ("# de\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=EUC-JP\\n\"\n", "EUC-JP"),
            (
                "From: a@b\nContent-Type: text/plain;\n\tcharset=\"iso-8859-1\"\nSubject: x\n\ntext\n",
                "iso-8859-1",
            ),
            ("Content-type: text/html; charset=big5\r\n\r\ntext\r\n", "big5"),
        ] {
            let new = if name.bytes().any(|byte| byte.is_ascii_uppercase()) { "UTF-8" } else { "utf-8" };
            for text in [text.to_owned(), text.to_owned() + &"x\n".repeat(9000)] {
                for step in [1, 7, 100_000] {
                    let expected = (text.replacen(name, new, 1), Some(name.to_owned()));
                    assert_eq!(corrected(&text, step), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_modeline_may_be_at_the_end_of_a_long_text() {
        let long = "Größe\n".repeat(9000);
        for (end, expected) in [
            ("// vim: set fenc=latin1:\n\n", "// vim: set fenc=utf-8:\n\n"),
            ("// vim: set fenc=latin1:\n1\n2\n3\n4\n5\n", "// vim: set fenc=latin1:\n1\n2\n3\n4\n5\n"),
        ] {
            for step in [1, 1000, 1_000_000] {
                assert!(corrected(&(long.clone() + end), step).0 == long.clone() + expected, "{end}");
            }
        }
    }

    /// The search took a minute, because each `<meta` was looked at up to the end of what was written at once.
    #[test]
    fn a_long_line_of_declarations_takes_no_time() {
        let text = "<meta charset=".repeat(1 << 16);
        let start = std::time::Instant::now();
        assert_eq!(corrected(&text, usize::MAX), (text, None));
        assert!(start.elapsed().as_secs() < 5);
    }

    #[test]
    fn the_same_words_elsewhere_are_text() {
        for text in [
            "<?xml version='1.0' encoding='utf-8'?>\n",
            "The encoding of this text is unknown.\n",
            "charset=latin1\n",
            "coding: latin-1\n",
            "\n\n# coding: latin-1\n",
            "# coding latin-1\n",
            "# coding: nonsense\n",
            "page = '<meta charset=latin1>'\n",
            "a { }\n@charset \"latin1\";\n",
            "send(\n\"Content-Type: text/plain; charset=latin1\\n\"\n",
            "title: a\ncontent-type: text/html; charset=latin1\n",
            "# de\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n",
            "# coding: ISO_8859-1:1987\n",
            "I like vim: fileencoding is an option\n",
        ] {
            assert_eq!(corrected(text, 3), (text.to_owned(), None), "{text}");
        }
    }
}

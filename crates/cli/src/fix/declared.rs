//! The encoding that a file says it is in: XML, HTML, CSS, Python, Vim and Emacs, and the headers of
//! mail and of gettext have a place for it near the start.

use crate::charset::Charset;

/// How many bytes of a file are looked at.
pub(super) const LONGEST: usize = 1024;

/// What comes before the name.
const BEFORE: [&[u8]; 3] = [b"encoding=", b"charset", b"coding"];

/// Returns the name of an encoding that the start of a file declares.
pub(super) fn name(start: &[u8]) -> Option<&str> {
    let start = &start[..start.len().min(LONGEST)];
    start.split(|byte| *byte == b'\n').find_map(|line| {
        let lower = line.to_ascii_lowercase();
        BEFORE.iter().find_map(|before| {
            let at = memchr::memmem::find(&lower, before)? + before.len();
            let rest = &line[at..];
            let skipped = rest.iter().position(|byte| !matches!(byte, b' ' | b':' | b'=' | b'"' | b'\''))?;
            // There is a sign between the word and the name.
            let is_declared = skipped > 0 || before.ends_with(b"=");
            let rest = &rest[skipped..];
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
            let len = rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len());
            let name = std::str::from_utf8(&rest[..len]).ok()?;
            (is_declared && charset(name).is_some()).then_some(name)
        })
    })
}

/// Returns the encoding with this name, if it is one that a file can declare.
pub(super) fn charset(name: &str) -> Option<Charset> {
    let is_long = name.len() >= 4;
    name.parse().ok().filter(|charset| is_long && *charset != Charset::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_where_formats_have_them() {
        for (start, expected) in [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-2\"?>\n", Some("ISO-8859-2")),
            ("#!/usr/bin/python\n# -*- coding: latin-1 -*-\n", Some("latin-1")),
            ("<html><head>\n<meta charset=windows-1251>", Some("windows-1251")),
            ("<meta http-equiv=\"Content-Type\" content=\"text/html; charset=koi8-r\">", Some("koi8-r")),
            ("@charset \"Shift_JIS\";\n", Some("Shift_JIS")),
            ("# vim: set fileencoding=cp1250 :\n", Some("cp1250")),
            ("\"Content-Type: text/plain; charset=EUC-JP\\n\"\n", Some("EUC-JP")),
            ("<?xml version='1.0' encoding='utf-8'?>\n", Some("utf-8")),
            ("The encoding of this text is unknown.\n", None),
            ("charset=nonsense\n", None),
            ("coding latin\n", None),
        ] {
            assert_eq!(name(start.as_bytes()), expected, "{start}");
        }
    }
}

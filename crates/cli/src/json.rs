//! Writes JSON, in which characters that can do harm to a terminal are escaped.

use std::borrow::Cow;
use std::io::Write;

use crate::hex::Hex;
use crate::report::push_decimal;
use crate::visible::is_harmful;

/// What can be written as JSON.
pub(crate) trait Json {
    fn push_to(&self, out: &mut Vec<u8>);
}

impl Json for str {
    fn push_to(&self, out: &mut Vec<u8>) {
        const PART_BYTES: usize = 64;
        out.push(b'"');
        // Without an early exit, the compiler vectorizes this.
        if self.bytes().fold(true, |is_printable, byte| is_printable & matches!(byte, b' '..=b'~')) {
            for part in self.as_bytes().chunks(PART_BYTES) {
                let mut escaped = [b'\\'; 2 * PART_BYTES];
                let mut len = 0;
                for &byte in part {
                    len += usize::from(matches!(byte, b'"' | b'\\'));
                    escaped[len] = byte;
                    len += 1;
                }
                out.extend_from_slice(&escaped[..len]);
            }
        } else {
            for c in self.chars() {
                // Writing to a vector never fails.
                let _ = match c {
                    '"' | '\\' | '\n' | '\r' | '\t' => write!(out, "{}", c.escape_default()),
                    c if is_harmful(c) => write!(out, "\\u{:04x}", u32::from(c)),
                    c => write!(out, "{c}"),
                };
            }
        }
        out.push(b'"');
    }
}

impl Json for String {
    fn push_to(&self, out: &mut Vec<u8>) {
        self.as_str().push_to(out);
    }
}

impl Json for u64 {
    fn push_to(&self, out: &mut Vec<u8>) {
        push_decimal(out, *self);
    }
}

impl Json for bool {
    fn push_to(&self, out: &mut Vec<u8>) {
        out.extend(if *self { &b"true"[..] } else { b"false" });
    }
}

/// For numbers that are finite.
impl Json for f64 {
    fn push_to(&self, out: &mut Vec<u8>) {
        let _ = write!(out, "{self:?}");
    }
}

impl<T: Json> Json for Option<T> {
    fn push_to(&self, out: &mut Vec<u8>) {
        match self {
            Some(value) => value.push_to(out),
            None => out.extend(b"null"),
        }
    }
}

impl<T: Json> Json for [T] {
    fn push_to(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (i, value) in self.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            value.push_to(out);
        }
        out.push(b']');
    }
}

impl<T: Json + ?Sized> Json for &T {
    fn push_to(&self, out: &mut Vec<u8>) {
        (**self).push_to(out);
    }
}

/// An object whose members are being written.
pub(crate) struct Object<'a>(pub(crate) &'a mut Vec<u8>);

/// Appends an object with the members that `members` writes.
pub(crate) fn push_object(out: &mut Vec<u8>, members: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    members(&mut Object(out));
    out.push(b'}');
}

impl Object<'_> {
    fn name(&mut self, name: &str) {
        if self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        name.push_to(self.0);
        self.0.push(b':');
    }

    pub(crate) fn member(&mut self, name: &str, value: impl Json) -> &mut Self {
        self.name(name);
        value.push_to(self.0);
        self
    }

    /// Leaves the member out if there is no value.
    pub(crate) fn optional(&mut self, name: &str, value: Option<impl Json>) -> &mut Self {
        if let Some(value) = value {
            self.member(name, value);
        }
        self
    }

    pub(crate) fn object(&mut self, name: &str, members: impl FnOnce(&mut Object<'_>)) -> &mut Self {
        self.name(name);
        push_object(self.0, members);
        self
    }

    /// Writes the name of a file. If it is not UTF-8, `path` has each invalid sequence replaced by
    /// U+FFFD, and `path_hex` has the bytes.
    pub(crate) fn path(&mut self, name: &[u8]) -> &mut Self {
        let path = String::from_utf8_lossy(name);
        let path_hex = matches!(path, Cow::Owned(_)).then(|| Hex(name).to_string());
        self.member("path", &*path).optional("path_hex", path_hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_numbers_are_read_as_they_were_and_do_no_harm() {
        for c in '\0'..='\u{3000}' {
            for text in [format!("a{c}\"\\"), format!("{c}\u{1F980}\"\n")] {
                let mut out = Vec::new();
                text.push_to(&mut out);
                assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
                assert!(!String::from_utf8(out).unwrap().contains(is_harmful));
            }
        }
        for number in [0.0, 2e-9, 0.25, 1e17] {
            let mut out = Vec::new();
            number.push_to(&mut out);
            assert_eq!(serde_json::from_slice::<f64>(&out).unwrap(), number);
        }
    }
}

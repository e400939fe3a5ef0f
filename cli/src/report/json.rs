//! For programs: one JSON document, or one object a line. README.md describes both; what is there stays.

use std::borrow::Cow;
use std::io;
use std::time::Duration;

use serde::Serialize;
use trust8::Bom;

use super::{End, Report};
use crate::culprit::Hex;
use crate::fix::charset::dialect_label;
use crate::relatives::Fit;
use crate::scan::Finding;
use crate::statistics::Totals;
use crate::visible::visible;

/// One document: `{"version":1,"files":[...],"summary":{...}}`.
pub(super) struct Document;

/// One object a line, each with a `type`.
pub(super) struct Lines;

/// A file's name. Where it is not text, what is not is replaced, and the bytes are told as well.
#[derive(Serialize)]
struct Path<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
}

impl<'a> Path<'a> {
    fn new(name: &'a [u8]) -> Self {
        let path = String::from_utf8_lossy(name);
        let path_hex = matches!(path, Cow::Owned(_)).then(|| Hex(name).to_string());
        Self { path, path_hex }
    }
}

#[derive(Serialize)]
struct Error<'a> {
    line: u64,
    column: u64,
    offset: u64,
    length: usize,
    kind: &'a str,
    rfc3629_section: u8,
    message: String,
    hex: String,
    context: Context,
}

#[derive(Serialize)]
struct Context {
    offset: u64,
    hex: String,
    text: String,
}

impl<'a> Error<'a> {
    fn new(finding: &Finding<'a>) -> Self {
        let Finding { place, offset, culprit, before, after } = finding;
        let around = [*before, culprit.bytes, *after].concat();
        Self {
            line: place.line,
            column: place.column,
            offset: *offset,
            length: culprit.bytes.len(),
            kind: culprit.keyword(),
            rfc3629_section: culprit.section(),
            message: culprit.to_string(),
            hex: Hex(culprit.bytes).to_string(),
            context: Context {
                offset: offset - before.len() as u64,
                hex: Hex(&around).to_string(),
                text: visible(&around),
            },
        }
    }
}

#[derive(Serialize)]
struct Invalid<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    status: &'static str,
}

/// What is known of an invalid file behind its errors.
#[derive(Serialize)]
struct Rest {
    byte_order_mark: Option<&'static str>,
    dialects: Vec<DialectThatFits>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

#[derive(Serialize)]
struct DialectThatFits {
    name: &'static str,
    convertible: bool,
}

impl Rest {
    fn new(end: &End) -> Self {
        let dialect =
            |fit: &Fit| DialectThatFits { name: dialect_label(fit.dialect), convertible: fit.convertible };
        Self {
            byte_order_mark: end.mark.map(Bom::encoding),
            dialects: end.fits.iter().map(dialect).collect(),
            unread: end.unread.clone(),
        }
    }
}

#[derive(Serialize)]
struct Unread<'a> {
    #[serde(flatten)]
    path: Path<'a>,
    status: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Summary {
    files: u64,
    valid: u64,
    invalid: u64,
    unread: u64,
    binary_skipped: u64,
    errors: u64,
    #[serde(flatten)]
    statistics: Option<Statistics>,
}

/// What `--stats` adds.
#[derive(Serialize)]
struct Statistics {
    bytes: u64,
    seconds: f64,
    characters: u64,
    characters_by_length: [u64; 4],
    newlines: u64,
}

impl Summary {
    fn new(totals: &Totals, time: Option<Duration>) -> Self {
        Self {
            files: totals.files(),
            valid: totals.valid,
            invalid: totals.invalid,
            unread: totals.unread,
            binary_skipped: totals.binary,
            errors: totals.errors,
            statistics: time.map(|time| Statistics {
                bytes: totals.bytes,
                seconds: time.as_secs_f64(),
                characters: totals.characters.total(),
                characters_by_length: totals.characters.by_len,
                newlines: totals.characters.newlines,
            }),
        }
    }
}

/// Writes a value. None of ours can fail, and neither can a vector.
fn put(out: &mut Vec<u8>, value: &impl Serialize) {
    let _ = serde_json::to_writer(out, value);
}

impl Report for Document {
    fn header(&self) -> &'static [u8] {
        b"{\"version\":1,\"files\":[\n"
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        if earlier == 0 {
            put(out, &Invalid { path: Path::new(name), status: "invalid" });
            // Into the object.
            out.pop();
            out.extend(b",\"errors\":[\n");
        } else {
            out.extend(b",\n");
        }
        put(out, &Error::new(finding));
    }

    fn tells_of_relatives(&self) -> bool {
        true
    }

    fn end(&self, out: &mut Vec<u8>, _: &[u8], end: &End) {
        out.extend(b"],");
        let from = out.len();
        put(out, &Rest::new(end));
        // Out of the object that it would be by itself.
        out.remove(from);
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        put(out, &Unread { path: Path::new(name), status: "unread", message: error.to_string() });
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = b"\n],\"summary\":".to_vec();
        put(&mut out, &Summary::new(totals, time));
        out.extend(b"}\n");
        out
    }

    fn has_footer(&self) -> bool {
        true
    }
}

#[derive(Serialize)]
struct Line<'a, T> {
    r#type: &'a str,
    #[serde(flatten)]
    content: T,
}

/// Two objects in one.
#[derive(Serialize)]
struct And<T, U> {
    #[serde(flatten)]
    content: T,
    #[serde(flatten)]
    rest: U,
}

fn line(out: &mut Vec<u8>, r#type: &str, content: impl Serialize) {
    put(out, &Line { r#type, content });
    out.push(b'\n');
}

impl Report for Lines {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        line(out, "error", And { content: Path::new(name), rest: Error::new(finding) });
    }

    fn tells_of_relatives(&self) -> bool {
        true
    }

    fn end(&self, out: &mut Vec<u8>, name: &[u8], end: &End) {
        let content = Invalid { path: Path::new(name), status: "invalid" };
        line(out, "file", And { content, rest: Rest::new(end) });
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        line(out, "file", Unread { path: Path::new(name), status: "unread", message: error.to_string() });
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = Vec::new();
        line(&mut out, "summary", Summary::new(totals, time));
        out
    }

    fn has_footer(&self) -> bool {
        true
    }
}

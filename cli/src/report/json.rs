//! Output for programs: one JSON document, or one JSON object per line.
//!
//! README.md describes both, and promises that members stay.

use std::borrow::Cow;
use std::io::{self, Write as _};
use std::time::Duration;

use serde::Serialize;
use trust8::Bom;

use super::human::{push_decimal, push_hex};
use super::{Conclusion, Report};
use crate::dialects::AcceptedBy;
use crate::hex::Hex;
use crate::scan::Finding;
use crate::statistics::Totals;
use crate::visible::{is_harmful, push_visible};

/// One document: `{"version":1,"files":[...],"summary":{...}}`.
pub(super) struct Document;

/// One object per line, each with a `type`.
pub(super) struct Lines;

/// The name of a file. If it is not UTF-8, `path` has each invalid sequence replaced by U+FFFD, and
/// `path_hex` has the bytes.
#[derive(Serialize)]
pub(crate) struct JsonPath<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_hex: Option<String>,
}

impl<'a> JsonPath<'a> {
    pub(crate) fn new(name: &'a [u8]) -> Self {
        let path = String::from_utf8_lossy(name);
        let path_hex = matches!(path, Cow::Owned(_)).then(|| Hex(name).to_string());
        Self { path, path_hex }
    }
}

/// Appends the members of an error, without the braces around them. (A file can have millions of
/// errors, and serde takes several times as long for structures in others.)
fn push_error(out: &mut Vec<u8>, finding: &Finding<'_>) {
    let Finding { location, offset, culprit, before, after } = finding;
    // Nearly all are shorter.
    out.reserve(1 << 10);
    for (name, number) in [
        ("\"line\":", location.line),
        (",\"column\":", location.column),
        (",\"offset\":", *offset),
        (",\"length\":", culprit.bytes.len() as u64),
    ] {
        out.extend_from_slice(name.as_bytes());
        push_decimal(out, number);
    }
    if culprit.count() > 1 {
        out.extend_from_slice(b",\"count\":");
        push_decimal(out, culprit.count());
    }
    out.extend_from_slice(b",\"kind\":\"");
    out.extend_from_slice(culprit.keyword().as_bytes());
    out.push(b'"');
    if let Some(section) = culprit.section() {
        out.extend_from_slice(b",\"rfc3629_section\":");
        push_decimal(out, section.into());
    }
    // What a profile forbids.
    if let Some(found) = culprit.forbidden() {
        push_member(out, ",\"class\":", found.class().name());
        push_member(out, ",\"character\":", &format!("U+{:04X}", u32::from(found.character())));
    }
    out.extend_from_slice(b",\"message\":");
    let message = out.len();
    // Writing to a vector never fails. Nearly all messages can stay as they are.
    let _ = write!(out, "\"{culprit}\"");
    if !is_plain(&out[message + 1..out.len() - 1]) {
        out.truncate(message);
        write_json(out, &culprit.to_string());
    }
    out.extend_from_slice(b",\"hex\":\"");
    push_hex(out, culprit.bytes);
    out.extend_from_slice(b"\",\"context\":{\"offset\":");
    push_decimal(out, offset - before.len() as u64);
    out.extend_from_slice(b",\"hex\":\"");
    let mut text = Vec::with_capacity(160);
    for (i, part) in [*before, culprit.bytes, *after].into_iter().filter(|part| !part.is_empty()).enumerate()
    {
        if i > 0 {
            out.push(b' ');
        }
        push_hex(out, part);
        push_visible(&mut text, part);
    }
    out.push(b'"');
    push_member(out, ",\"text\":", &trust8::from_utf8_lossy(&text));
    out.push(b'}');
}

/// Appends a member with a string. `name` has the punctuation before and after it.
fn push_member(out: &mut Vec<u8>, name: &str, value: &str) {
    const PART: usize = 64;
    out.extend_from_slice(name.as_bytes());
    if !value.bytes().fold(true, |is_printable, byte| is_printable & matches!(byte, b' '..=b'~')) {
        return write_json(out, value);
    }
    out.push(b'"');
    for part in value.as_bytes().chunks(PART) {
        let mut escaped = [b'\\'; 2 * PART];
        let mut len = 0;
        for &byte in part {
            len += usize::from(matches!(byte, b'"' | b'\\'));
            escaped[len] = byte;
            len += 1;
        }
        out.extend_from_slice(&escaped[..len]);
    }
    out.push(b'"');
}

/// Whether `text` needs no escapes in a JSON string.
fn is_plain(text: &[u8]) -> bool {
    // Without an early exit, the compiler vectorizes this.
    text.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'!' | b'#'..=b'[' | b']'..=b'~'))
}

#[derive(Serialize)]
struct Invalid<'a> {
    #[serde(flatten)]
    path: JsonPath<'a>,
    status: &'static str,
}

/// The members of an invalid file that come after its errors.
#[derive(Serialize)]
struct AfterErrors {
    byte_order_mark: Option<&'static str>,
    dialects: Vec<JsonDialect>,
    #[serde(skip_serializing_if = "Option::is_none")]
    likely_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

/// A dialect of UTF-8 that accepts all of a file.
#[derive(Serialize)]
pub(crate) struct JsonDialect {
    name: &'static str,
    convertible: bool,
}

impl JsonDialect {
    pub(crate) fn new(by: &AcceptedBy) -> Self {
        Self { name: by.dialect.name(), convertible: by.convertible }
    }
}

impl AfterErrors {
    fn new(conclusion: &Conclusion) -> Self {
        Self {
            byte_order_mark: conclusion.mark.map(Bom::encoding),
            dialects: conclusion.accepted_by.iter().map(JsonDialect::new).collect(),
            likely_from: conclusion.likely.map(|charset| charset.label()),
            unread: conclusion.unread.clone(),
        }
    }
}

#[derive(Serialize)]
struct Unread<'a> {
    #[serde(flatten)]
    path: JsonPath<'a>,
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
    binary_like_utf16: u64,
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
    lines: u64,
}

impl Summary {
    fn new(totals: &Totals, time: Option<Duration>) -> Self {
        Self {
            files: totals.files(),
            valid: totals.valid,
            invalid: totals.invalid,
            unread: totals.unread,
            binary_skipped: totals.binary,
            binary_like_utf16: totals.binary_utf16,
            errors: totals.errors,
            statistics: time.map(|time| Statistics {
                bytes: totals.bytes,
                seconds: time.as_secs_f64(),
                characters: totals.characters.total(),
                characters_by_length: totals.characters.by_len,
                newlines: totals.characters.newlines,
                lines: totals.lines(),
            }),
        }
    }
}

/// Writes `value` as JSON. None of the types here can fail, and writing to a vector never does.
pub(crate) fn write_json(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    let _ = value.serialize(&mut serde_json::Serializer::with_formatter(out, Harmless));
}

/// Escapes characters that can do harm to a terminal. serde_json itself escapes only those below
/// U+0020.
struct Harmless;

impl serde_json::ser::Formatter for Harmless {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.bytes().all(|byte| byte < 0x7F) {
            return out.write_all(fragment.as_bytes());
        }
        let mut rest = fragment;
        while let Some((at, harmful)) = rest.char_indices().find(|(_, c)| is_harmful(*c)) {
            write!(out, "{}\\u{:04x}", &rest[..at], u32::from(harmful))?;
            rest = &rest[at + harmful.len_utf8()..];
        }
        out.write_all(rest.as_bytes())
    }
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
            write_json(out, &Invalid { path: JsonPath::new(name), status: "invalid" });
            // Remove the closing brace, so that the errors become part of the object.
            out.pop();
            out.extend(b",\"errors\":[\n");
        } else {
            out.extend(b",\n");
        }
        out.push(b'{');
        push_error(out, finding);
        out.push(b'}');
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, _: &[u8], conclusion: &Conclusion) {
        out.extend(b"],");
        let brace = out.len();
        write_json(out, &AfterErrors::new(conclusion));
        // Remove the opening brace, because these are members of the object that is open already.
        out.remove(brace);
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        write_json(out, &Unread { path: JsonPath::new(name), status: "unread", message: error.to_string() });
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = b"\n],\"summary\":".to_vec();
        write_json(&mut out, &Summary::new(totals, time));
        out.extend(b"}\n");
        out
    }

    fn has_totals_in_footer(&self) -> bool {
        true
    }
}

#[derive(Serialize)]
struct Line<'a, T> {
    r#type: &'a str,
    #[serde(flatten)]
    content: T,
}

/// One object with the members of both.
#[derive(Serialize)]
struct Both<T, U> {
    #[serde(flatten)]
    first: T,
    #[serde(flatten)]
    second: U,
}

/// Writes an object with this `type` and the members of `content`, on a separate line.
pub(crate) fn write_line(out: &mut Vec<u8>, r#type: &str, content: impl Serialize) {
    write_json(out, &Line { r#type, content });
    out.push(b'\n');
}

impl Report for Lines {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        write_json(out, &Line { r#type: "error", content: JsonPath::new(name) });
        // Replace the closing brace, so that the members of the error become part of the object.
        out.pop();
        out.push(b',');
        push_error(out, finding);
        out.extend_from_slice(b"}\n");
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        let first = Invalid { path: JsonPath::new(name), status: "invalid" };
        write_line(out, "file", Both { first, second: AfterErrors::new(conclusion) });
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        write_line(
            out,
            "file",
            Unread { path: JsonPath::new(name), status: "unread", message: error.to_string() },
        );
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = Vec::new();
        write_line(&mut out, "summary", Summary::new(totals, time));
        out
    }

    fn has_totals_in_footer(&self) -> bool {
        true
    }
}

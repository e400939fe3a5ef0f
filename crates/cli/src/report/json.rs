//! Output for programs: one JSON document, or one JSON object per line.
//!
//! README.md describes both, and promises that members stay.

use std::io::{self, Write as _};
use std::time::Duration;

use trust8::Bom;

use super::human::push_hex;
use super::{Conclusion, Report, push_decimal};
use crate::fix::Mixed;
use crate::guess::dialects::AcceptedBy;
use crate::json::{Json, Object, push_object};
use crate::scan::Finding;
use crate::statistics::Totals;
use crate::visible::push_visible;

/// One document: `{"version":1,"files":[...],"summary":{...}}`.
pub(super) struct Document;

/// One object per line, each with a `type`.
pub(super) struct Lines;

/// Appends the members of an error, without the braces around them. (A file can have millions of
/// errors, so most members are not put together by `Object`.)
fn push_error(out: &mut Vec<u8>, finding: &Finding<'_>) {
    let Finding { location, offset, culprit, before, after } = finding;
    // Nearly all are shorter.
    out.reserve(1 << 10);
    for (name, number) in [
        ("\"line\":", location.line),
        (",\"column\":", location.column),
        (",\"offset\":", *offset),
        (",\"length\":", culprit.len()),
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
    if let Some(run) = culprit.forbidden() {
        let character = format!("U+{:04X}", u32::from(run.first.character()));
        Object(out)
            .member("class", run.first.class().name())
            .member("character", character)
            .optional("spelled", culprit.spelled());
    }
    out.extend_from_slice(b",\"message\":");
    let message = out.len();
    // Writing to a vector never fails. Nearly all messages can stay as they are.
    let _ = write!(out, "\"{culprit}\"");
    if !is_plain(&out[message + 1..out.len() - 1]) {
        out.truncate(message);
        culprit.to_string().push_to(out);
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
    out.extend_from_slice(b"\",\"text\":");
    trust8::from_utf8_lossy(&text).push_to(out);
    out.push(b'}');
}

/// Whether `text` needs no escapes in a JSON string.
fn is_plain(text: &[u8]) -> bool {
    // Without an early exit, the compiler vectorizes this.
    text.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'!' | b'#'..=b'[' | b']'..=b'~'))
}

/// The members of an invalid file that come before its errors.
fn invalid(object: &mut Object<'_>, name: &[u8]) {
    object.path(name).member("status", "invalid");
}

/// The members of an invalid file that come after its errors.
fn after_errors(object: &mut Object<'_>, conclusion: &Conclusion) {
    object
        .member("byte_order_mark", conclusion.mark.map(Bom::encoding))
        .member("dialects", &conclusion.accepted_by[..])
        .optional("likely_from", conclusion.likely.map(|charset| charset.label()))
        .optional("mixed", conclusion.mixed.as_ref())
        .optional("unread", conclusion.unread.as_ref());
}

impl Json for Mixed {
    fn push_to(&self, out: &mut Vec<u8>) {
        push_object(out, |object| {
            object
                .member("encoding", self.charset.label())
                .member("lines", &self.runs[..])
                .member("invalid_sequences", self.sequences)
                .member("other_invalid_sequences", self.others)
                .optional("cut", self.is_cut.then_some(true));
        });
    }
}

/// A run of lines, as its first and its last number.
impl Json for (u64, u64) {
    fn push_to(&self, out: &mut Vec<u8>) {
        [self.0, self.1][..].push_to(out);
    }
}

impl Json for AcceptedBy {
    fn push_to(&self, out: &mut Vec<u8>) {
        push_object(out, |object| {
            object.member("name", self.dialect.name()).member("convertible", self.convertible);
        });
    }
}

fn unread(object: &mut Object<'_>, name: &[u8], error: &io::Error) {
    object.path(name).member("status", "unread").member("message", error.to_string());
}

fn summary(object: &mut Object<'_>, totals: &Totals, time: Option<Duration>) {
    object
        .member("files", totals.files())
        .member("valid", totals.valid)
        .member("invalid", totals.invalid)
        .member("unread", totals.unread)
        .member("binary_skipped", totals.binary)
        .member("binary_like_utf16", totals.binary_utf16)
        .member("errors", totals.errors);
    if let Some(time) = time {
        object
            .member("bytes", totals.bytes)
            .member("seconds", time.as_secs_f64())
            .member("characters", totals.characters.total())
            .member("characters_by_length", &totals.characters.by_len[..])
            .member("newlines", totals.characters.newlines)
            .member("lines", totals.lines());
    }
}

impl Report for Document {
    fn header(&self) -> Vec<u8> {
        b"{\"version\":1,\"files\":[\n".to_vec()
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        if earlier == 0 {
            out.push(b'{');
            invalid(&mut Object(out), name);
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
        out.push(b']');
        after_errors(&mut Object(out), conclusion);
        out.push(b'}');
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        push_object(out, |object| unread(object, name, error));
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = b"\n],\"summary\":".to_vec();
        push_object(&mut out, |object| summary(object, totals, time));
        out.extend(b"}\n");
        out
    }

    fn has_totals_in_footer(&self) -> bool {
        true
    }
}

/// Writes an object with this `type` and other members, on a separate line.
pub(crate) fn push_line(out: &mut Vec<u8>, r#type: &str, members: impl FnOnce(&mut Object<'_>)) {
    push_object(out, |object| members(object.member("type", r#type)));
    out.push(b'\n');
}

impl Report for Lines {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        out.push(b'{');
        Object(out).member("type", "error").path(name);
        out.push(b',');
        push_error(out, finding);
        out.extend_from_slice(b"}\n");
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        push_line(out, "file", |object| {
            invalid(object, name);
            after_errors(object, conclusion);
        });
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        push_line(out, "file", |object| unread(object, name, error));
    }

    fn footer(&self, totals: &Totals, time: Option<Duration>) -> Vec<u8> {
        let mut out = Vec::new();
        push_line(&mut out, "summary", |object| summary(object, totals, time));
        out
    }

    fn has_totals_in_footer(&self) -> bool {
        true
    }
}

//! SARIF 2.1.0, OASIS's format for the findings of static analysis: one document.

use std::io;
use std::time::Duration;

use super::{Conclusion, Report};
use crate::hex::digits;
use crate::json::{Json, Object, push_object};
use crate::scan::Finding;
use crate::statistics::Totals;

pub(super) struct Sarif;

impl Report for Sarif {
    fn header(&self) -> &'static [u8] {
        concat!(
            r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":"#,
            r#"{"name":"trust8","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#""}},"columnKind":"unicodeCodePoints","results":["#,
            "\n"
        )
        .as_bytes()
    }

    fn separator(&self) -> &'static [u8] {
        b",\n"
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        let Finding { location, offset, culprit, .. } = finding;
        if earlier > 0 {
            out.extend(self.separator());
        }
        let region = |region: &mut Object<'_>| {
            region
                .member("startLine", location.line)
                .member("startColumn", location.column)
                .member("byteOffset", *offset)
                .member("byteLength", culprit.bytes.len() as u64);
        };
        let message = format!("byte {offset}: {culprit}");
        push_result(out, (culprit.keyword(), "error"), &message, &[Place { name, region: Some(&region) }]);
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        let Some(what) = conclusion.note(name) else { return };
        out.extend(self.separator());
        let lines = |run: (u64, u64)| {
            move |region: &mut Object<'_>| _ = region.member("startLine", run.0).member("endLine", run.1)
        };
        let regions: Vec<_> =
            conclusion.mixed.iter().flat_map(|mixed| &mixed.runs).map(|run| lines(*run)).collect();
        let mut places: Vec<_> = regions.iter().map(|region| Place { name, region: Some(region) }).collect();
        if places.is_empty() {
            places.push(Place { name, region: None });
        }
        let rule = if conclusion.other_mark(name).is_some() { "byte-order-mark" } else { "other-encoding" };
        push_result(out, (rule, "note"), &what, &places);
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        push_result(out, ("unread", "error"), &error.to_string(), &[Place { name, region: None }]);
    }

    fn footer(&self, _: &Totals, _: Option<Duration>) -> Vec<u8> {
        b"\n]}]}\n".to_vec()
    }
}

fn push_result(out: &mut Vec<u8>, (rule, level): (&str, &str), message: &str, places: &[Place<'_>]) {
    push_object(out, |result| {
        result
            .member("ruleId", rule)
            .member("level", level)
            .object("message", |object| _ = object.member("text", message))
            .member("locations", places);
    });
}

struct Place<'a> {
    name: &'a [u8],
    region: Option<&'a dyn Fn(&mut Object<'_>)>,
}

impl Json for Place<'_> {
    fn push_to(&self, out: &mut Vec<u8>) {
        push_object(out, |location| {
            location.object("physicalLocation", |place| {
                place.object("artifactLocation", |object| _ = object.member("uri", uri(self.name)));
                if let Some(region) = self.region {
                    place.object("region", region);
                }
            });
        });
    }
}

/// Returns the path `name` as a URI, relative unless the path is absolute.
fn uri(name: &[u8]) -> String {
    let mut uri = if name.starts_with(b"/") { "file://".to_owned() } else { String::new() };
    for &byte in name.strip_prefix(b"./").unwrap_or(name) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            b'\\' if cfg!(windows) => uri.push('/'),
            _ => {
                let [high, low] = digits(byte);
                uri.extend(['%', high.into(), low.into()]);
            }
        }
    }
    uri
}

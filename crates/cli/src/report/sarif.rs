//! SARIF 2.1.0, OASIS's format for the findings of static analysis: one document.

use std::io;
use std::time::Duration;

use trust8_profile::Class;

use super::{Conclusion, Report};
use crate::config::kinds;
use crate::culprit::MOJIBAKE;
use crate::hex::digits;
use crate::json::{Json, Object, push_object};
use crate::scan::Finding;
use crate::statistics::Totals;

pub(super) struct Sarif;

impl Report for Sarif {
    fn header(&self) -> Vec<u8> {
        let mut out = concat!(
            r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":"#,
            r#"{"name":"trust8","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#"","rules":"#
        )
        .as_bytes()
        .to_vec();
        rules()[..].push_to(&mut out);
        out.extend(b"}},\"columnKind\":\"unicodeCodePoints\",\"results\":[\n");
        out
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
                .member("byteLength", culprit.len());
        };
        let message = format!("byte {offset}: {culprit}");
        let rule = culprit.forbidden().map_or(culprit.keyword(), |run| run.first.class().name());
        push_result(out, (rule, "error"), &message, &[Place { name, region: Some(&region) }]);
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
        push_result(out, (OTHER_ENCODING, "note"), &what, &places);
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        push_result(out, (UNREAD, "error"), &error.to_string(), &[Place { name, region: None }]);
    }

    fn footer(&self, _: &Totals, _: Option<Duration>) -> Vec<u8> {
        b"\n]}]}\n".to_vec()
    }
}

const UNREAD: &str = "unread";
const OTHER_ENCODING: &str = "other-encoding";

/// A kind of findings, and what to know about it.
struct Rule {
    id: &'static str,
    description: String,
    help: String,
}

/// Returns the rules: a class of characters each, and the kinds of other findings.
fn rules() -> Vec<Rule> {
    let classes = Class::ALL.iter().map(|class| Rule {
        id: class.name(),
        description: format!("The character is {}.", class.reason()),
        help: format!(
            "The profile forbids characters of the class {0}. `trust8 fix --profile NAME --policy drop` removes them. \
             An exception for {0} in trust8.toml allows them in files that need them. docs/profiles.md describes the classes.",
            class.name()
        ),
    });
    let not_utf8 = kinds().map(|kind| Rule {
        id: kind,
        description: format!("The bytes are not UTF-8: {}.", kind.replace('-', " ")),
        help: "`trust8 inspect FILE` shows what the file seems to be. `trust8 fix --from ENCODING` converts it, and \
               `trust8 fix --replace` replaces what is not UTF-8 by U+FFFD."
            .to_owned(),
    });
    let others = [
        (
            MOJIBAKE,
            "The line was decoded as windows-1252 once too often.",
            "`trust8 fix --unmojibake` restores it.",
        ),
        (
            OTHER_ENCODING,
            "The file, or some of its lines, are in another encoding.",
            "The message has the command that converts them.",
        ),
        (UNREAD, "The file could not be read.", "Nothing is known of its contents."),
    ];
    let others = others.map(|(id, description, help)| Rule {
        id,
        description: description.to_owned(),
        help: help.to_owned(),
    });
    classes.chain(not_utf8).chain(others).collect()
}

impl Json for Rule {
    fn push_to(&self, out: &mut Vec<u8>) {
        push_object(out, |rule| {
            rule.member("id", self.id)
                .object("shortDescription", |object| _ = object.member("text", &self.description))
                .object("help", |object| _ = object.member("text", &self.help));
        });
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

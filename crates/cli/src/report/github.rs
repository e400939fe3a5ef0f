//! Commands of GitHub's workflows, which show each error next to its line.

use std::io::Write;

use super::{Conclusion, Report};
use crate::scan::Finding;
use crate::visible::visible;

pub(super) struct Github;

impl Report for Github {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        let Finding { location, offset, culprit, .. } = finding;
        let (line, column) = (location.line, location.column);
        let file = escaped(&visible(name), &[':', ',']);
        let message = escaped(&format!("byte {offset}: {culprit}"), &[]);
        // Writing to a vector never fails.
        let _ = writeln!(out, "::error file={file},line={line},col={column}::{message}");
    }

    fn shows_conclusions(&self) -> bool {
        true
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        if let Some(what) = conclusion.note(name) {
            let file = escaped(&visible(name), &[':', ',']);
            let run = conclusion.mixed.as_ref().and_then(|mixed| mixed.runs.first());
            let place = match run {
                Some((first, last)) => format!("line={first},endLine={last}"),
                None => "line=1,col=1".to_owned(),
            };
            let _ = writeln!(out, "::notice file={file},{place}::{}", escaped(&what, &[]));
        }
    }
}

/// Returns `text` with the characters escaped that would end a command or, with `more`, one of its
/// properties.
fn escaped(text: &str, more: &[char]) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        if matches!(character, '%' | '\r' | '\n') || more.contains(&character) {
            escaped.push_str(&format!("%{:02X}", u32::from(character)));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

//! JUnit XML, which most CI systems show as a test report: each file that is not UTF-8 is a test
//! that failed.

use std::io::{self, Write};
use std::time::Duration;

use super::{Conclusion, Report};
use crate::scan::Finding;
use crate::statistics::Totals;
use crate::visible::visible;

pub(super) struct Junit;

impl Report for Junit {
    fn header(&self) -> Vec<u8> {
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"trust8\">\n".to_vec()
    }

    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64) {
        let Finding { location, offset, culprit, .. } = finding;
        if earlier == 0 {
            begin(out, name);
        }
        let (line, column, kind) = (location.line, location.column, culprit.keyword());
        let message = escaped(&culprit.to_string());
        // Writing to a vector never fails.
        let _ = writeln!(
            out,
            "<failure type=\"{kind}\" message=\"{message}\">{}:{line}:{column}: byte {offset}: {message}</failure>",
            escaped(&visible(name))
        );
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        if let Some(what) = conclusion.other_mark(name) {
            let _ = writeln!(out, "<system-out>{}</system-out>", escaped(&what));
        }
        out.extend(b"</testcase>\n");
    }

    fn unread(&self, out: &mut Vec<u8>, name: &[u8], error: &io::Error) {
        begin(out, name);
        let _ = writeln!(out, "<error message=\"{}\"/>\n</testcase>", escaped(&error.to_string()));
    }

    fn footer(&self, _: &Totals, _: Option<Duration>) -> Vec<u8> {
        // Some systems treat a report without tests as an error.
        b"<testcase classname=\"trust8\" name=\"all other files\"/>\n</testsuite>\n</testsuites>\n".to_vec()
    }
}

/// Begins the test of a file.
fn begin(out: &mut Vec<u8>, name: &[u8]) {
    let _ = writeln!(out, "<testcase classname=\"trust8\" name=\"{}\">", escaped(&visible(name)));
}

/// Returns `text`, in which everything is visible, escaped for a value or for text between tags.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

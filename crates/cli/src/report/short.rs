//! One line per error, `path:line:column: message`. Editors and CI systems can jump to the place.

use std::io::Write;

use super::{Conclusion, Report};
use crate::scan::Finding;
use crate::visible::write_name;

pub(super) struct Short {
    pub(super) terminal: bool,
}

impl Report for Short {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        write_name(out, name, self.terminal);
        let Finding { location, offset, culprit, .. } = finding;
        // Writing to a vector never fails.
        let _ = writeln!(out, ":{}:{}: byte {offset}: {culprit}", location.line, location.column);
    }

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], conclusion: &Conclusion) {
        if let Some(what) = conclusion.other_mark(name) {
            write_name(out, name, self.terminal);
            let _ = writeln!(out, ":1:1: note: {what}");
        }
    }
}

//! One line for each error, `path:line:column: message`, which editors and CI systems know how to jump to.

use std::io::Write;

use super::Report;
use crate::scan::Finding;
use crate::visible::write_name;

pub(super) struct Short {
    pub(super) terminal: bool,
}

impl Report for Short {
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, _: u64) {
        write_name(out, name, self.terminal);
        let Finding { place, offset, culprit, .. } = finding;
        // A vector takes everything.
        let _ = writeln!(out, ":{}:{}: byte {offset}: {culprit}", place.line, place.column);
    }
}

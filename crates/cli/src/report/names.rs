//! The formats of `--list`, which is only names, and of `--quiet`, which is nothing.

use super::{Conclusion, Report};
use crate::scan::Finding;
use crate::visible::write_name;

/// Writes the names of invalid files.
pub(super) struct Names {
    /// Whether a NUL ends each name, instead of a line feed.
    pub(super) null: bool,
    pub(super) terminal: bool,
}

impl Report for Names {
    fn shows_errors(&self) -> bool {
        false
    }

    fn finding(&self, _: &mut Vec<u8>, _: &[u8], _: &Finding<'_>, _: u64) {}

    fn conclusion(&self, out: &mut Vec<u8>, name: &[u8], _: &Conclusion) {
        if self.null {
            out.extend(name);
            out.push(0);
        } else {
            write_name(out, name, self.terminal);
            out.push(b'\n');
        }
    }
}

/// Writes nothing.
pub(super) struct Quiet;

impl Report for Quiet {
    fn shows_errors(&self) -> bool {
        false
    }

    fn finding(&self, _: &mut Vec<u8>, _: &[u8], _: &Finding<'_>, _: u64) {}
}

//! Only names, or nothing at all.

use super::{End, Report};
use crate::scan::Finding;
use crate::visible::write_name;

/// The names of invalid files.
pub(super) struct Names {
    pub(super) null: bool,
    pub(super) terminal: bool,
}

impl Report for Names {
    fn tells_of_errors(&self) -> bool {
        false
    }

    fn finding(&self, _: &mut Vec<u8>, _: &[u8], _: &Finding<'_>, _: u64) {}

    fn end(&self, out: &mut Vec<u8>, name: &[u8], _: &End) {
        if self.null {
            out.extend(name);
            out.push(0);
        } else {
            write_name(out, name, self.terminal);
            out.push(b'\n');
        }
    }
}

/// The exit status says it.
pub(super) struct Silence;

impl Report for Silence {
    fn tells_of_errors(&self) -> bool {
        false
    }

    fn finding(&self, _: &mut Vec<u8>, _: &[u8], _: &Finding<'_>, _: u64) {}
}

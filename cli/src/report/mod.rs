//! How findings are told: one file for each form.

mod human;
mod json;
mod names;
mod short;

use std::io::{self, IsTerminal, stdout};
use std::time::Duration;

use trust8::Bom;

pub(crate) use human::Human;

use crate::args::{CheckArgs, Common, Format};
use crate::relatives::Fit;
use crate::scan::Finding;
use crate::statistics::Totals;

/// A form in which findings are told. All that it writes of one file ends up together; files come in their order.
pub(crate) trait Report: Sync {
    /// Before all files.
    fn header(&self) -> &'static [u8] {
        b""
    }

    /// Between two files that something is told of.
    fn separator(&self) -> &'static [u8] {
        b""
    }

    /// Whether errors are told of, one by one.
    fn tells_of_errors(&self) -> bool {
        true
    }

    /// An error; so many of the same file came before.
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64);

    /// Behind the errors of a file.
    fn end(&self, _out: &mut Vec<u8>, _name: &[u8], _end: &End) {}

    /// Whether it is told what a file may be in place of UTF-8. To find that out takes another look.
    fn tells_of_relatives(&self) -> bool {
        false
    }

    /// A file could not be read. (People are told on standard error, in any form.)
    fn unread(&self, _out: &mut Vec<u8>, _name: &[u8], _error: &io::Error) {}

    /// Behind all files; with the time it took if the totals were asked for.
    fn footer(&self, _totals: &Totals, _time: Option<Duration>) -> Vec<u8> {
        Vec::new()
    }

    /// Whether the footer has the totals.
    fn has_footer(&self) -> bool {
        false
    }
}

/// What is known at the end of a file that is not UTF-8.
#[derive(Default)]
pub(crate) struct End {
    /// What the file begins with, if it is a byte order mark.
    pub(crate) mark: Option<Bom>,
    /// The dialects that accept all of the file.
    pub(crate) fits: Vec<Fit>,
    /// Why not all of it could be read.
    pub(crate) unread: Option<String>,
}

/// The form that was asked for.
pub(crate) fn of(args: &CheckArgs, common: &Common) -> Box<dyn Report> {
    if args.quiet {
        return Box::new(names::Silence);
    }
    let terminal = on_terminal();
    if args.list {
        return Box::new(names::Names { null: args.null, terminal });
    }
    match args.format {
        Format::Human => Box::new(Human::new(common.color)),
        Format::Short => Box::new(short::Short { terminal }),
        Format::Json => Box::new(json::Document),
        Format::Jsonl => Box::new(json::Lines),
    }
}

/// Whether names are shown to somebody.
pub(crate) fn on_terminal() -> bool {
    stdout().is_terminal()
}

//! The output formats of `trust8 check`, one in each file.

mod github;
mod human;
mod json;
mod junit;
mod names;
mod sarif;
mod short;

use std::io::{self, IsTerminal, stdout};
use std::time::Duration;

use trust8::Bom;

pub(crate) use human::{Human, push_decimal};
pub(crate) use json::push_line as push_json_line;

use crate::args::{CheckArgs, CommonArgs, Format};
use crate::charset::Charset;
use crate::fix::Mixed;
use crate::guess::dialects::AcceptedBy;
use crate::scan::Finding;
use crate::source::Source;
use crate::statistics::Totals;
use crate::visible::shell_word;

/// An output format. What it writes for one file is not mixed with that of others, and files come
/// in their order.
pub(crate) trait Report: Sync {
    /// Returns what comes before all files.
    fn header(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Returns what comes between two files.
    fn separator(&self) -> &'static [u8] {
        b""
    }

    /// Whether single errors are shown.
    fn shows_errors(&self) -> bool {
        true
    }

    /// Writes an error, after `earlier` errors of the same file.
    fn finding(&self, out: &mut Vec<u8>, name: &[u8], finding: &Finding<'_>, earlier: u64);

    /// Writes what comes after the errors of a file.
    fn conclusion(&self, _out: &mut Vec<u8>, _name: &[u8], _conclusion: &Conclusion) {}

    /// Whether `conclusion` shows what the file may be instead of UTF-8. Finding that out takes
    /// another pass.
    fn shows_conclusions(&self) -> bool {
        false
    }

    /// Writes that a file could not be read. (With every format, standard error says so too.)
    fn unread(&self, _out: &mut Vec<u8>, _name: &[u8], _error: &io::Error) {}

    /// Returns what comes after all files. `time` is how long it took, if the user wants
    /// statistics.
    fn footer(&self, _totals: &Totals, _time: Option<Duration>) -> Vec<u8> {
        Vec::new()
    }

    /// Whether the footer has the totals.
    fn has_totals_in_footer(&self) -> bool {
        false
    }
}

/// What is known of an invalid file as a whole.
#[derive(Default)]
pub(crate) struct Conclusion {
    /// The byte order mark that the file begins with.
    pub(crate) mark: Option<Bom>,
    /// The dialects of UTF-8 that accept all of the file.
    pub(crate) accepted_by: Vec<AcceptedBy>,
    /// The encoding that all of the file seems to be in.
    pub(crate) likely: Option<Charset>,
    /// The lines that seem to be in another encoding, if the others are UTF-8.
    pub(crate) mixed: Option<Mixed>,
    /// Why the file could not be read to its end.
    pub(crate) unread: Option<String>,
}

impl Conclusion {
    /// Returns what to do with the file `name`, if it has the byte order mark of another encoding
    /// than UTF-8.
    fn other_mark(&self, name: &[u8]) -> Option<String> {
        let encoding = self.mark.filter(|mark| *mark != Bom::Utf8)?.encoding();
        Some(format!("it seems to be {encoding}: {}", fix(encoding, name)))
    }

    /// Returns what the file `name` seems to be, and what converts it.
    fn note(&self, name: &[u8]) -> Option<String> {
        if let Some(what) = self.other_mark(name) {
            return Some(what);
        }
        if let Some(AcceptedBy { dialect, convertible }) = self.accepted_by.first() {
            return Some(if *convertible {
                format!("all of it is valid {dialect}: {}", fix(dialect.name(), name))
            } else {
                format!("all of it is valid {dialect}, but UTF-8 cannot encode some of it")
            });
        }
        if let Some(mixed) = &self.mixed {
            const MOST: usize = 8;
            return Some(format!("{}, the others UTF-8: {}", mixed.describe(MOST), fix("auto", name)));
        }
        let label = self.likely?.label();
        Some(format!("it is probably {label}: {}", fix(&label, name)))
    }
}

/// Returns the command that converts the file `name`.
fn fix(encoding: &str, name: &[u8]) -> String {
    let word = if name == Source::StandardInput.name() { "-".to_owned() } else { shell_word(name) };
    format!("trust8 fix --from {encoding} {word}")
}

/// Returns the format that the command line asks for.
pub(crate) fn select(args: &CheckArgs, common: &CommonArgs) -> Box<dyn Report> {
    if args.quiet {
        return Box::new(names::Quiet);
    }
    let terminal = on_terminal();
    if args.list {
        return Box::new(names::Names { null: args.null, terminal });
    }
    match args.format() {
        Format::Human => Box::new(Human::new(common.color)),
        Format::Short => Box::new(short::Short { terminal }),
        Format::Github => Box::new(github::Github),
        Format::Sarif => Box::new(sarif::Sarif),
        Format::Junit => Box::new(junit::Junit),
        Format::Json => Box::new(json::Document),
        Format::Jsonl => Box::new(json::Lines),
    }
}

/// Whether the output goes to a terminal.
pub(crate) fn on_terminal() -> bool {
    stdout().is_terminal()
}

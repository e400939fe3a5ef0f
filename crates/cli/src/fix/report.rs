//! What `fix` says about each file, and at the end.

use std::io::{self, Write, stderr};

use super::Fix;
use super::guard::Look;
use super::repair::Sequences;
use super::transform::{Changes, Plan};
use crate::args::{FixArgs, Remedy};
use crate::charset::Charset;
use crate::json::Object;
use crate::outcome::Outcome;
use crate::report::push_json_line;
use crate::source::Source;

/// What happened to one file.
#[derive(Default)]
pub(super) struct FileReport {
    status: Status,
    /// The encoding that the file was converted from.
    from: Option<String>,
    /// The encoding that the invalid sequences were decoded in.
    invalid_as: Option<String>,
    /// Whether the encoding is a guess.
    guess: bool,
    /// How many invalid sequences were replaced, dropped, escaped or decoded.
    invalid_sequences: u64,
    /// How many lines in another encoding were decoded.
    decoded_lines: u64,
    /// How many invalid sequences were left alone.
    left_sequences: u64,
    /// How many lines of mojibake were undone.
    mojibake_lines: u64,
    byte_order_mark_removed: bool,
    /// How many characters were repaired that the profile forbids.
    forbidden_characters: Option<u64>,
    /// What could not be kept of the old file.
    lost: Vec<String>,
    /// The encoding that the file still says it is in.
    declared: Option<String>,
    /// The encoding that the file said it was in, before that was corrected.
    corrected: Option<String>,
    /// Why the file, or a part of it, was not fixed.
    message: Option<String>,
    /// Whether the message was printed as an error.
    is_error: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Status {
    Changed,
    #[default]
    Unchanged,
    Unconvertible,
    /// The file does not look like UTF-8 with errors.
    LeftAlone,
    Failed,
}

impl FileReport {
    /// `look` is what the file looks like.
    pub(super) fn new(changes: Changes, lost: Vec<String>, look: &Look, args: &FixArgs) -> Self {
        let Sequences { repaired, left, decoded, lines } = changes.sequences;
        let (from, invalid_as) = match changes.plan {
            Plan::From(charset) => (Some(charset.label()), None),
            Plan::InvalidAs(charset) if repaired > 0 => (None, Some(charset.label())),
            Plan::Lines(Some(others)) if decoded > 0 => (None, Some(others.charset.label())),
            _ => (None, None),
        };
        let is_changed = !changes.is_nothing();
        let declared =
            |corrected| changes.declared.clone().filter(|_| is_changed && changes.corrected == corrected);
        Self {
            status: match (changes.is_nothing(), left) {
                (false, _) => Status::Changed,
                (true, 0) => Status::Unchanged,
                (true, _) => Status::LeftAlone,
            },
            guess: args.invalid_as.is_none()
                && matches!(args.from, None | Some(Charset::Auto))
                && (from.is_some() || invalid_as.is_some()),
            from,
            invalid_as,
            invalid_sequences: repaired + decoded,
            left_sequences: left,
            decoded_lines: lines,
            mojibake_lines: changes.mojibake,
            byte_order_mark_removed: changes.mark,
            forbidden_characters: args.profile.map(|_| changes.forbidden),
            lost,
            declared: declared(false),
            corrected: declared(true),
            message: (left > 0).then(|| look.message(left)),
            is_error: false,
        }
    }

    /// Returns the report for a file that was passed on as it is, for the reason in `message`.
    pub(super) fn passed_on(message: String) -> Self {
        Self { status: Status::LeftAlone, message: Some(message), ..Self::default() }
    }

    /// Returns what was left alone, and why, unless an error says it.
    pub(super) fn left_alone(&self) -> Option<&str> {
        let is_left = matches!(self.status, Status::Changed | Status::LeftAlone);
        self.message.as_deref().filter(|_| is_left && !self.is_error)
    }

    pub(super) fn failed(message: String, outcome: Outcome, guarded: bool) -> Self {
        let status = match outcome {
            Outcome::SomeInvalid if guarded => Status::LeftAlone,
            Outcome::SomeInvalid => Status::Unconvertible,
            _ => Status::Failed,
        };
        Self { status, message: Some(message), is_error: true, ..Self::default() }
    }

    pub(super) fn is_changed(&self) -> bool {
        self.status == Status::Changed
    }

    fn json(&self, object: &mut Object<'_>) {
        let status = match self.status {
            Status::Changed => "changed",
            Status::Unchanged => "unchanged",
            Status::Unconvertible => "unconvertible",
            Status::LeftAlone => "left alone",
            Status::Failed => "failed",
        };
        object
            .member("status", status)
            .optional("from", self.from.as_ref())
            .optional("invalid_as", self.invalid_as.as_ref())
            .optional("guess", self.guess.then_some(true))
            .member("invalid_sequences", self.invalid_sequences)
            .optional("decoded_lines", (self.decoded_lines > 0).then_some(self.decoded_lines))
            .optional("left_sequences", (self.left_sequences > 0).then_some(self.left_sequences))
            .member("mojibake_lines", self.mojibake_lines)
            .member("byte_order_mark_removed", self.byte_order_mark_removed)
            .optional("forbidden_characters", self.forbidden_characters)
            .optional("lost", (!self.lost.is_empty()).then_some(&self.lost[..]))
            .optional("declared", self.declared.as_ref())
            .optional("corrected_declaration", self.corrected.as_ref())
            .optional("message", self.message.as_ref());
    }

    /// Returns what was done, for people.
    fn describe(&self, args: &FixArgs) -> String {
        let guess = if self.guess { " (a guess)" } else { "" };
        let mut text = match &self.from {
            Some(from) => format!("converted from {from}{guess}"),
            None => "repaired".to_owned(),
        };
        if self.invalid_sequences > 0 {
            let sequences = if self.invalid_sequences == 1 { "sequence" } else { "sequences" };
            let remedied = match (&self.invalid_as, args.remedy) {
                (Some(encoding), _) if self.decoded_lines > 0 => {
                    let lines = if self.decoded_lines == 1 { "line" } else { "lines" };
                    format!("in {} {lines} decoded as {encoding}{guess}", self.decoded_lines)
                }
                (Some(encoding), _) => format!("decoded as {encoding}{guess}"),
                (None, Some(Remedy::Drop)) => "dropped".to_owned(),
                (None, Some(Remedy::Escape)) => "escaped".to_owned(),
                (None, Some(Remedy::Replace) | None) => "replaced by U+FFFD".to_owned(),
            };
            text += &format!(", {} invalid {sequences} {remedied}", self.invalid_sequences);
        }
        if self.mojibake_lines > 0 {
            let lines = if self.mojibake_lines == 1 { "line" } else { "lines" };
            text += &format!(", mojibake undone in {} {lines}", self.mojibake_lines);
        }
        if let Some(declared) = &self.corrected {
            text += &format!(", declaration of {declared} corrected");
        }
        if self.byte_order_mark_removed {
            text += ", byte order mark removed";
        }
        if let Some(n) = self.forbidden_characters.filter(|&n| n > 0) {
            let characters = if n == 1 { "character" } else { "characters" };
            text += &format!(", {n} forbidden {characters}");
        }
        text
    }
}

/// How many files had each outcome.
#[derive(PartialEq, Eq, Default)]
pub(super) struct Summary {
    changed: u64,
    unchanged: u64,
    unconvertible: u64,
    left_alone: u64,
    failed: u64,
}

impl Summary {
    pub(super) fn add(&mut self, report: &FileReport) {
        *match report.status {
            Status::Changed => &mut self.changed,
            Status::Unchanged => &mut self.unchanged,
            Status::Unconvertible => &mut self.unconvertible,
            Status::LeftAlone => &mut self.left_alone,
            Status::Failed => &mut self.failed,
        } += 1;
    }
}

impl Fix<'_> {
    /// Reports what happened to a file. A guess may be wrong, so it is always reported, and so is
    /// what could not be kept.
    pub(super) fn report(&self, source: &Source, report: &FileReport, out: &mut dyn Write) -> io::Result<()> {
        let name = source.display();
        if let Some(message) = report.left_alone() {
            self.print(&format!("{name}: {message}"));
        }
        if self.args.json {
            return self.write_json(out, "file", |object| report.json(object.path(source.name())));
        }
        let is_wanted = self.speaks() || report.guess && !self.args.quiet || self.args.check;
        if report.is_changed() && !self.args.diff && is_wanted {
            let would = if self.args.check { "would be " } else { "" };
            self.print(&format!("{name}: {would}{}", report.describe(self.args)));
        }
        if let Some(declared) = report.declared.as_ref().filter(|_| !self.args.quiet) {
            self.print(&format!(
                "{name}: it still declares that it is {declared}; --declaration corrects that"
            ));
        }
        for lost in &report.lost {
            self.print(&format!("{name}: {lost}"));
        }
        Ok(())
    }

    /// Whether each file that is changed is reported, and at the end how many were.
    fn speaks(&self) -> bool {
        self.args.verbose || self.args.in_place && !self.args.is_dry() && !self.args.quiet
    }

    /// Reports how many files had each outcome, if the command line asks for that.
    pub(super) fn report_summary(&self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Summary { changed, unchanged, unconvertible, left_alone, failed } = summary;
        if self.args.json {
            return self.write_json(out, "summary", |object| {
                object
                    .member("changed", changed)
                    .member("unchanged", unchanged)
                    .member("unconvertible", unconvertible)
                    .member("left_alone", left_alone)
                    .member("failed", failed);
            });
        }
        if self.speaks() {
            let would = if self.args.is_dry() { "would be changed" } else { "changed" };
            self.print(&format!(
                "{changed} {would}, {unchanged} unchanged, {left_alone} left alone, {unconvertible} not convertible, {failed} failed"
            ));
        }
        Ok(())
    }

    /// Writes a line of JSON to standard output, or to standard error if the fixed text goes to
    /// standard output.
    fn write_json(
        &self,
        out: &mut dyn Write,
        r#type: &str,
        members: impl FnOnce(&mut Object<'_>),
    ) -> io::Result<()> {
        let mut line = Vec::new();
        push_json_line(&mut line, r#type, members);
        if self.prints_text() {
            let _ = self.validator.progress.suspend(|| stderr().lock().write_all(&line));
            return Ok(());
        }
        self.validator.progress.suspend(|| out.write_all(&line))
    }
}

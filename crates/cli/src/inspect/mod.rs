//! `trust8 inspect`: shows on one screen what a file is.
//!
//! `facts.rs` reads the file, `line_endings.rs` counts line endings, and `readings.rs` shows it in other encodings.

mod facts;
mod line_endings;
mod readings;

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use trust8::Bom;

use crate::args::{CommonArgs, InspectArgs, Selection};
use crate::colors::Colors;
use crate::guess::Guess;
use crate::guess::dialects::AcceptedBy;
use crate::hex::Hex;
use crate::json::{Json, push_object};
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::report::on_terminal;
use crate::source::Source;
use crate::statistics::grouped;
use crate::streams::StandardOutput;
use crate::visible::write_name;
use facts::Facts;
use readings::Reading;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs, common: &CommonArgs) -> ExitCode {
    let sources = match Selection::of_files(&args.paths, args.files_from.as_deref()) {
        Ok(sources) => sources,
        Err(error) => return Outcome::fail(&format!("inspect: {error}")),
    };
    let progress = Progress::start(!common.no_progress, {
        let sources = sources.clone();
        move || sources.iter().map(Source::len).sum()
    });
    let mut out = StandardOutput::new();
    let mut outcome = Outcome::AllValid;
    for (i, source) in sources.iter().enumerate() {
        let facts = match Facts::read(source, common, &progress) {
            Ok(facts) => facts,
            Err(error) => {
                progress.suspend(|| print_error(&format!("{}: {error}", source.display())));
                outcome = Outcome::SomeUnread;
                continue;
            }
        };
        if facts.errors > 0 {
            outcome = outcome.max(Outcome::SomeInvalid);
        }
        let text = match args.json {
            true => facts.json(source),
            false if i == 0 => facts.render(source, common),
            false => [b"\n", &*facts.render(source, common)].concat(),
        };
        let written = progress.suspend(|| out.write_all(&text));
        if written.is_err() {
            progress.finish();
            return outcome.with_output(written).into();
        }
    }
    progress.finish();
    outcome.into()
}

impl Facts {
    /// Returns what the command prints.
    fn render(&self, source: &Source, common: &CommonArgs) -> Vec<u8> {
        let colors = Colors::new(common.color);
        let Colors { name, dim, good, bad, hint, .. } = colors;
        let mut text = String::new();
        let mut row = |title: &str, what: String| {
            // Writing to a string never fails.
            let _ = writeln!(text, "  {dim}{title:<12}{dim:#}  {what}");
        };
        row(
            "UTF-8",
            match self.errors {
                0 if self.bytes == 0 => format!("{good}yes{good:#}: it is empty"),
                0 if self.is_ascii() => format!("{good}yes{good:#}: it is ASCII"),
                0 => format!("{good}yes{good:#}"),
                1 => format!("{bad}no{bad:#}: 1 error"),
                errors => format!("{bad}no{bad:#}: {} errors", grouped(errors)),
            },
        );
        row(
            "mark",
            match self.mark {
                None => "no byte order mark".to_owned(),
                Some(mark) => {
                    format!("{} byte order mark: {}", mark.encoding(), Hex(mark.bytes()))
                }
            },
        );
        let cut_off = if self.is_cut_off { "; the rest of the stream was not read" } else { "" };
        row("bytes", grouped(self.bytes) + cut_off);
        row("characters", grouped(self.characters.total()));
        let width = grouped(self.characters.total()).len();
        for (len, count) in (1..).zip(self.characters.by_len) {
            if count > 0 {
                let share = 100.0 * count as f64 / self.characters.total() as f64;
                let bytes = if len == 1 { "1 byte (ASCII)".to_owned() } else { format!("{len} bytes") };
                row("", format!("{:>width$}  {share:>5.1} %  of {bytes}", grouped(count)));
            }
        }
        let lone_cr = if self.line_endings.cr > 0 { "; a CR alone ends no line" } else { "" };
        row("lines", grouped(self.lines) + lone_cr);
        row("line endings", self.line_endings.describe());
        if self.has_nul {
            row("NUL", "yes, so it is binary, or UTF-16 or UTF-32".to_owned());
        }
        if let Some(likely) = self.likely() {
            row("likely", format!("{hint}{likely}{hint:#}"));
        }
        for (i, Reading { guess, excerpt }) in self.readings.iter().enumerate() {
            let encoding = match guess {
                Guess::From(charset) => charset.label(),
                Guess::Lines(Some(others)) => format!("with {}", others.charset.label()),
                Guess::Lines(None) | Guess::Unknown(_) => continue,
            };
            row(if i == 0 { "reads as" } else { "" }, format!("{encoding:<14}  {excerpt}"));
        }
        if self.mojibake > 0 {
            let lines = if self.mojibake == 1 {
                "1 line".to_owned()
            } else {
                format!("{} lines", grouped(self.mojibake))
            };
            let command = fix("--unmojibake");
            row(
                "mojibake",
                format!(
                    "{hint}in {lines} of a sample: UTF-8 that was decoded as windows-1252; {command}{hint:#}"
                ),
            );
        }
        let mut out = format!("{name}").into_bytes();
        write_name(&mut out, source.name(), on_terminal());
        let _ = writeln!(out, "{name:#}");
        out.extend(text.as_bytes());
        if self.errors > 0 {
            let first = if self.shows_all_errors { "all errors" } else { "the first errors" };
            let _ = writeln!(out, "\n{first}:");
            out.extend(&self.shown_errors);
        }
        out
    }

    /// Returns what the file may be instead of UTF-8, and how to convert it.
    fn likely(&self) -> Option<String> {
        let guess = self.guess.as_ref()?;
        let command = guess.options().map(|options| fix(&options));
        let command = command.map_or_else(String::new, |command| format!("; {command}"));
        Some(match (self.mark, self.accepted_by.first(), guess) {
            (Some(Bom::Utf16Le | Bom::Utf16Be | Bom::Utf32Le | Bom::Utf32Be), _, Guess::From(charset)) => {
                format!("{}{command}", charset.label())
            }
            (_, Some(AcceptedBy { dialect, convertible: true }), _) => {
                format!("{dialect}, in which all of it is valid{command}")
            }
            (_, Some(AcceptedBy { dialect, convertible: false }), _) => {
                format!("{dialect}, in which all of it is valid; UTF-8 cannot encode some of it")
            }
            (_, None, Guess::From(charset)) => {
                format!("{}, if it is text (a guess){command}", charset.label())
            }
            (_, None, Guess::Lines(None)) => "UTF-8 with damage".to_owned(),
            (_, None, Guess::Lines(Some(others))) => {
                let label = others.charset.label();
                format!("UTF-8 with some lines in {label} (a guess){command}")
            }
            (_, None, Guess::Unknown(why)) => format!("unknown: {why}"),
        })
    }

    /// Returns the facts as JSON, on one line.
    fn json(&self, source: &Source) -> Vec<u8> {
        let (from, invalid_as) = self.guess.as_ref().map_or((None, None), labels);
        let mut out = Vec::new();
        push_object(&mut out, |object| {
            object
                .path(source.name())
                .member("valid", self.errors == 0)
                .member("errors", self.errors)
                .member("byte_order_mark", self.mark.map(Bom::encoding))
                .member("bytes", self.bytes)
                .member("complete", !self.is_cut_off)
                .member("characters", self.characters.total())
                .member("characters_by_length", &self.characters.by_len[..])
                .member("lines", self.lines)
                .object("line_endings", |object| {
                    let endings = &self.line_endings;
                    object.member("lf", endings.lf).member("crlf", endings.crlf).member("cr", endings.cr);
                })
                .member("has_nul", self.has_nul)
                .member("dialects", &self.accepted_by[..])
                .member("likely_from", from)
                .member("likely_invalid_as", invalid_as)
                .member("readings", &self.readings[..])
                .member("mojibake_lines_in_sample", self.mojibake);
        });
        out.push(b'\n');
        out
    }
}

/// Returns what `--from` or `--invalid-as` takes for a guess.
fn labels(guess: &Guess) -> (Option<String>, Option<String>) {
    match guess {
        Guess::From(charset) => (Some(charset.label()), None),
        Guess::Lines(Some(others)) => (None, Some(others.charset.label())),
        Guess::Lines(None) | Guess::Unknown(_) => (None, None),
    }
}

impl Json for Reading {
    fn push_to(&self, out: &mut Vec<u8>) {
        let (from, invalid_as) = labels(&self.guess);
        push_object(out, |object| {
            object.optional("from", from).optional("invalid_as", invalid_as).member("excerpt", &self.excerpt);
        });
    }
}

/// Returns the command that fixes a file with `options`.
fn fix(options: &str) -> String {
    format!("trust8 fix {options}")
}

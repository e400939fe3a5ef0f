//! `trust8 fix`: repairs what is not UTF-8, or converts it.
//!
//! - `file.rs` decides what happens to one file, and `transform.rs` does it. `guard.rs` says what is
//!   left alone. `lines.rs` decodes the lines of a file that are not UTF-8, and `declared.rs` corrects
//!   what a file says it is.
//! - `repair.rs` replaces invalid sequences, drops, escapes or decodes them.
//! - `decode.rs` converts other encodings into UTF-8, and `mojibake.rs` undoes a double conversion.
//! - `report.rs` says what was done, `diff.rs` shows it, and `undo.rs` reverts it.

mod declared;
pub(crate) mod decode;
mod diff;
mod file;
mod forbidden;
pub(crate) mod guard;
mod lines;
pub(crate) mod mojibake;
mod repair;
mod report;
mod transform;
mod undo;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use trust8::Kernel;

use crate::args::{CommonArgs, FixArgs, Selection};
use crate::check::{read_config, total_bytes};
use crate::config::Config;
use crate::interrupt;
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::replace;
use crate::source::Source;
use crate::streams::StandardOutput;
use crate::validate::{Buffer, FileValidator};
use crate::walk::Walk;
pub(crate) use lines::Mixed;
use report::{FileReport, Summary};
pub(crate) use transform::fixed;

/// Why a file was not repaired or converted.
pub(crate) enum FileError {
    Read(io::Error),
    /// Standard output can't be written to.
    Write(io::Error),
    /// This file can't be written.
    Target(PathBuf, io::Error),
    /// The file is not valid in the encoding, or the encoding has something that the target can't
    /// encode.
    Unconvertible(String),
    /// The file does not look like UTF-8 with errors, and the command line does not say what it is.
    Guarded(String),
}

/// What a message says about sequences that are not valid in the encoding.
pub(crate) const HINT: &str = " (to continue, use --replace, --drop or --escape)";

impl FileError {
    /// Returns the error for output that goes to `path`.
    pub(crate) fn at(self, path: &Path) -> Self {
        match self {
            Self::Write(error) => Self::Target(path.to_owned(), error),
            other => other,
        }
    }

    /// Returns the message for `source`, and the outcome. `in_place` is whether the target is the
    /// source.
    pub(crate) fn describe(&self, source: &str, in_place: bool) -> (String, Outcome) {
        match self {
            Self::Read(error) => (format!("{source}: {error}"), Outcome::SomeUnread),
            Self::Write(error) => (format!("standard output: {error}"), Outcome::SomeUnread),
            Self::Target(path, error) => {
                let path = path.display();
                let message = if replace::is_busy(error) {
                    format!("{path}: left alone: {error}")
                } else if replace::has_displaced(error) {
                    format!("{path}: {error}")
                } else if in_place {
                    format!("{path}: could not be written, and is unchanged: {error}")
                } else {
                    format!("{path}: could not be written: {error}")
                };
                (message, Outcome::SomeUnread)
            }
            Self::Unconvertible(why) | Self::Guarded(why) => {
                (format!("{source}: {why}"), Outcome::SomeInvalid)
            }
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &FixArgs, common: &CommonArgs) -> ExitCode {
    let mut selection = match args.selection.resolve(args.undo) {
        Ok(selection) => selection,
        Err(error) => return Outcome::fail(&format!("fix: {error}")),
    };
    if let Err(error) = check_args(args, &selection) {
        return Outcome::fail(error);
    }
    selection.backup.clone_from(&args.backup);
    let walk = read_config(&selection).and_then(|config| {
        let walk = Walk::of(&selection, false)?.with_config(config.as_ref());
        Ok((config, walk))
    });
    let (config, walk) = match walk {
        Ok(found) => found,
        Err(error) => return Outcome::fail(&error),
    };
    if args.undo {
        return undo::run(args, walk);
    }
    let progress = Progress::start(!common.no_progress, {
        let selection = selection.clone();
        move || total_bytes(&selection)
    });
    interrupt::on_signal(replace::remove_unfinished);
    let walk = walk.reporting(args.verbose, &progress);
    let fix = Fix {
        args,
        common,
        config,
        base: walk.base().to_owned(),
        kernel: common.kernel(),
        validator: FileValidator::new(common.kernel(), common.threads(), progress.clone(), false),
    };
    let outcome = fix.fix_all(walk);
    progress.finish();
    outcome.into()
}

/// Checks what clap can't.
fn check_args(args: &FixArgs, selection: &Selection) -> Result<(), &'static str> {
    let paths = &selection.paths;
    let is_stdin = |path: &Path| Source::named(path) == Source::StandardInput;
    if (args.in_place || args.undo) && paths.iter().any(|path| is_stdin(path)) {
        Err("fix --in-place: standard input cannot be replaced")
    } else if args.output.is_some() && paths.len() != 1 {
        Err("fix --output: only one file can be given")
    } else if args.selection.tracked && !args.in_place && !args.undo && !args.is_dry() {
        Err("fix --tracked: files can only be fixed with --in-place")
    } else if !args.in_place
        && !args.undo
        && !args.is_dry()
        && paths.iter().any(|path| !is_stdin(path) && path.is_dir())
    {
        Err("fix: folders can only be fixed with --in-place")
    } else {
        Ok(())
    }
}

struct Fix<'a> {
    args: &'a FixArgs,
    common: &'a CommonArgs,
    config: Option<Arc<Config>>,
    /// The folder that the names of files are relative to.
    base: PathBuf,
    kernel: &'static Kernel,
    validator: FileValidator,
}

impl Fix<'_> {
    fn fix_all(&self, mut walk: Walk<'_>) -> Outcome {
        let mut out = BufWriter::new(StandardOutput::new());
        let mut buffer = Buffer::new();
        let mut outcome = Outcome::AllValid;
        let mut summary = Summary::default();
        for found in walk.by_ref() {
            let (source, result) = match found {
                Ok(entry) => {
                    let result = self.fix(&entry, &mut out, &mut buffer);
                    (entry.source, result)
                }
                Err(unreachable) => {
                    (Source::Path(unreachable.path), Err(FileError::Read(io::Error::other(unreachable.why))))
                }
            };
            let report = match result {
                Ok(report) => {
                    if report.left_alone().is_some() || self.args.is_dry() && report.is_changed() {
                        outcome = outcome.max(Outcome::SomeInvalid);
                    }
                    report
                }
                Err(FileError::Write(error)) => {
                    // Dropping `out` would try to write again.
                    let _ = out.into_parts();
                    return outcome.with_output(Err(error));
                }
                Err(error) => {
                    let (message, worse) = error.describe(&source.display().to_string(), self.args.in_place);
                    self.print(&message);
                    outcome = outcome.max(worse);
                    // The report has the path already.
                    let path = format!("{}: ", source.display());
                    let message = message.strip_prefix(&path).unwrap_or(&message).to_owned();
                    FileReport::failed(message, worse, matches!(error, FileError::Guarded(_)))
                }
            };
            summary.add(&report);
            if let Err(error) = self.report(&source, &report, &mut out) {
                let _ = mem::replace(&mut out, BufWriter::new(StandardOutput::new())).into_parts();
                // Files are repaired even if nobody reads about it any more.
                if !self.args.in_place || error.kind() != ErrorKind::BrokenPipe {
                    return outcome.with_output(Err(error));
                }
            }
        }
        let mut gaps = walk.notes();
        if summary == Summary::default() {
            gaps.push("no file was found".to_owned());
        }
        if !self.args.quiet {
            gaps.iter().for_each(|gap| self.print(gap));
        }
        if self.args.selection.require_files && !gaps.is_empty() {
            outcome = Outcome::SomeUnread;
        }
        let mut written = self.report_summary(&summary, &mut out);
        if written.is_ok() {
            written = out.flush();
        }
        let _ = out.into_parts();
        outcome.with_output(written)
    }

    /// Prints `message` on standard error.
    fn print(&self, message: &str) {
        self.validator.progress.suspend(|| print_error(message));
    }

    /// Whether the fixed text goes to standard output, so reports must go elsewhere.
    fn prints_text(&self) -> bool {
        let to_output = self.args.output.as_deref().is_none_or(|path| path.as_os_str() == "-");
        to_output && !self.args.in_place && !self.args.is_dry()
    }
}

/// Copies a stream that has to be read more than once into a temporary file, up to `limit` bytes.
pub(crate) fn copy_to_temporary_file(stream: impl io::Read, limit: u64) -> io::Result<File> {
    let failed = |error: io::Error| {
        let folder = std::env::temp_dir();
        io::Error::new(error.kind(), format!("it could not be stored in {}: {error}", folder.display()))
    };
    let mut file = tempfile::tempfile().map_err(failed)?;
    io::copy(&mut stream.take(limit), &mut file).map_err(failed)?;
    file.rewind()?;
    Ok(file)
}

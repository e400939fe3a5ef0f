//! `trust8 check`: reports what is not UTF-8 in all selected files, with several threads.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use trust8::Bom;
use trust8_profile::Profile;

use crate::args::{CheckArgs, CommonArgs, Selection};
use crate::config::{Config, is_expected};
use crate::dialects::accepting_dialects;
use crate::fix::Mixed;
use crate::guess::evidence::{Evidence, seems_utf16};
use crate::guess::{Guess, guess, mark};
use crate::lines::{Lines, Watched};
use crate::ordered_output::{OrderedOutput, Turn};
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::report::{Conclusion, Report, on_terminal};
use crate::scan::{Finding, Scanner};
use crate::source::{Opened, OutputFile, Source, read_at, readers};
use crate::statistics::{Totals, grouped};
use crate::streams::StandardOutput;
use crate::validate::{Buffer, FileStatus, FileValidator, is_binary_file, on_threads};
use crate::visible::write_name;
use crate::walk::{Entry, Unreachable, Walk};

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, common: &CommonArgs) -> ExitCode {
    let of_git = args.staged || args.selection.tracked;
    let resolved = if of_git { Ok(args.selection.clone()) } else { args.selection.resolve(true) };
    let selection = match resolved {
        Ok(selection) => selection,
        Err(error) => return Outcome::fail(&error),
    };
    let walk = read_config(&selection).and_then(|config| {
        let walk = Walk::of(&selection, args.staged)?.with_config(config.as_ref());
        Ok((config, walk))
    });
    let (config, walk) = match walk {
        Ok(found) => found,
        Err(error) => return Outcome::fail(&error),
    };
    if args.files || args.verbose {
        config.iter().flat_map(|config| config.describe()).for_each(|line| print_error(&line));
    }
    let in_folders = of_git || selection.paths.iter().any(|path| path.is_dir());
    let sums_up = in_folders && !args.quiet && (args.stats || stderr().is_terminal());
    let started = Instant::now();
    let progress = Progress::start(!common.no_progress && !args.quiet, {
        let selection = if of_git { Selection::default() } else { selection.clone() };
        move || total_bytes(&selection)
    });
    let walk = walk.reporting(args.verbose || args.files, &progress);
    if args.files {
        return list_files(args, walk);
    }
    let report = crate::report::select(args, common);
    let check = Check::new(args, common, &*report, &progress, Box::new(StandardOutput::new()));
    let check = check.with_config(config.as_deref(), walk.base().to_owned());
    let walk = Mutex::new((walk, 0));
    let mut utf16 = None;
    let (totals, written) = check.with_header_and_footer(started, args.stats, |check| {
        let totals = check.check_all(&walk);
        utf16 = check.utf16.lock().unwrap_or_else(PoisonError::into_inner).take();
        totals
    });
    progress.finish();
    let (walk, _) = walk.into_inner().unwrap_or_else(PoisonError::into_inner);
    let is_complete = report_gaps(&walk, &totals, utf16.as_deref(), args.quiet);
    if args.stats && !report.has_totals_in_footer() {
        let _ = write!(stderr(), "{}", totals.for_people(started.elapsed()));
    }
    if sums_up {
        let _ = writeln!(stderr(), "{}", totals.in_one_line(walk.left_out()));
    }
    let mut outcome = Outcome::of(&totals);
    if selection.require_files && !is_complete {
        outcome = Outcome::SomeUnread;
    }
    // If a pipe was closed by its reader, the exit code still tells what was found.
    outcome.with_output(written).into()
}

/// Reads the configuration file, unless the command line says not to.
pub(crate) fn read_config(selection: &Selection) -> Result<Option<Arc<Config>>, String> {
    if selection.no_config { Ok(None) } else { Config::find() }
}

/// Says on standard error what a user should know who believes that everything was checked. Returns
/// whether there is nothing of that kind. `utf16` is one of the files that look like UTF-16.
fn report_gaps(walk: &Walk<'_>, totals: &Totals, utf16: Option<&[u8]>, quiet: bool) -> bool {
    let mut gaps = walk.notes();
    if let Some(path) = utf16 {
        let path = String::from_utf8_lossy(path);
        gaps.push(match totals.binary_utf16 {
            1 => format!("{path} was skipped as binary, but looks like UTF-16; --binary checks it"),
            files => {
                let files = grouped(files);
                format!("{files} files such as {path} were skipped as binary, but look like UTF-16; --binary checks them")
            }
        });
    }
    if !quiet {
        gaps.iter().for_each(|gap| print_error(gap));
    }
    if totals.files() > 0 || totals.unread > 0 {
        return gaps.is_empty();
    }
    let mut why = Vec::new();
    if totals.binary > 0 {
        why.push(format!("{} skipped as binary", grouped(totals.binary)));
    }
    if walk.left_out() > 0 {
        why.push(format!("{} hidden, ignored or not selected (--files says why)", grouped(walk.left_out())));
    }
    let why = if why.is_empty() { "there is no file".to_owned() } else { why.join(", ") };
    print_error(&format!("nothing was checked: {why}"));
    false
}

/// Prints the names of the files that would be checked, and what is skipped.
fn list_files(args: &CheckArgs, mut walk: Walk<'_>) -> ExitCode {
    let mut out = io::BufWriter::new(StandardOutput::new());
    let mut totals = Totals::default();
    let mut utf16 = None;
    let mut written = Ok(());
    for found in walk.by_ref() {
        let path = match &found {
            Ok(entry) => entry.source.name().to_vec(),
            Err(unreachable) => unreachable.path.as_os_str().as_encoded_bytes().to_vec(),
        };
        match found
            .map_err(|unreachable| io::Error::other(unreachable.why))
            .and_then(|entry| skip(args, &entry))
        {
            Ok(None) => {
                totals.valid += 1;
                let end: &[u8] = if args.null { b"\0" } else { b"\n" };
                let line = if args.null { path } else { name_for_people(&path) };
                written = out.write_all(&line).and_then(|()| out.write_all(end));
                if written.is_err() {
                    break;
                }
            }
            Ok(Some(skipped)) => {
                let look = if skipped.binary_utf16 > 0 { "; it looks like UTF-16" } else { "" };
                print_error(&format!("{}: skipped: binary{look}", String::from_utf8_lossy(&path)));
                if skipped.binary_utf16 > 0 {
                    utf16.get_or_insert(path);
                }
                totals = totals + skipped;
            }
            Err(error) => {
                totals.unread += 1;
                print_error(&format!("{}: {error}", String::from_utf8_lossy(&path)));
            }
        }
    }
    let written = written.and_then(|()| out.flush());
    let _ = out.into_parts();
    let is_complete = report_gaps(&walk, &totals, utf16.as_deref(), false);
    let mut outcome = Outcome::of(&totals);
    if args.selection.require_files && !is_complete {
        outcome = Outcome::SomeUnread;
    }
    outcome.with_output(written).into()
}

/// Returns what a binary file that is skipped adds to the totals.
fn skip(args: &CheckArgs, entry: &Entry) -> io::Result<Option<Totals>> {
    match entry.open()? {
        Opened::Seekable { file, start }
            if args.selection.skips_binary(entry.named) && is_binary_file(&file, start)? =>
        {
            binary(&file, start).map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns a name as `--list` shows it.
fn name_for_people(name: &[u8]) -> Vec<u8> {
    let mut line = Vec::new();
    write_name(&mut line, name, on_terminal());
    line
}

/// Returns the number of bytes in all selected files, or `None` if a path on the command line is
/// neither a file nor a folder.
pub(crate) fn total_bytes(selection: &Selection) -> Option<u64> {
    let mut total = 0;
    for entry in Walk::of(selection, false).ok()?.flatten() {
        match entry.source.len() {
            Some(len) => total += len,
            None if entry.named => return None,
            None => {}
        }
    }
    Some(total)
}

/// Returns a hint if `name`, for which there is no file, is similar to the name of a command.
fn similar_command(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let command = crate::args::Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let similar = names
        .map(|command| (strsim::jaro_winkler(&name, command), command))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    similar.map_or_else(String::new, |(_, command)| format!("; did you mean the command {command}?"))
}

/// Returns the totals of a binary file, which is skipped.
fn binary(file: &File, start: u64) -> io::Result<Totals> {
    let binary_utf16 = u64::from(seems_utf16(readers(file, start))?);
    Ok(Totals { binary: 1, binary_utf16, ..Totals::default() })
}

/// Returns the byte order mark of UTF-16 or UTF-32 that a file begins with. It is at the first
/// error, or a few bytes before it.
fn other_mark(first: &Finding<'_>) -> Option<Bom> {
    let Finding { offset, culprit, before, after, .. } = first;
    let is_start = *offset == before.len() as u64;
    let start = [*before, culprit.bytes, *after].concat();
    is_start.then(|| Bom::detect(&start))?.map(|(mark, _)| mark)
}

/// Checks files and reports their errors.
pub(crate) struct Check<'a> {
    validator: FileValidator,
    report: &'a dyn Report,
    output: OrderedOutput,
    /// How many errors of each file to report.
    error_limit: u64,
    profile: Option<&'static Profile>,
    /// Whether to read files with errors to their end even after the last reported error, for the
    /// totals.
    to_the_end: bool,
    selection: &'a Selection,
    mojibake: bool,
    config: Option<&'a Config>,
    base: PathBuf,
    /// Whether to report what is skipped.
    verbose: bool,
    /// The first name of the binary files that look like UTF-16.
    utf16: Mutex<Option<Vec<u8>>>,
    /// Where the reports go.
    output_file: OutputFile,
}

impl<'a> Check<'a> {
    pub(crate) fn new(
        args: &'a CheckArgs,
        common: &CommonArgs,
        report: &'a dyn Report,
        progress: &Progress,
        out: Box<dyn Write + Send>,
    ) -> Self {
        Self {
            validator: FileValidator::new(common.kernel(), common.threads(), progress.clone(), args.stats),
            // If errors are not shown, one is enough to know that the file is invalid.
            error_limit: if report.shows_errors() { args.error_limit() } else { 1 },
            profile: args.profile,
            to_the_end: args.stats,
            selection: &args.selection,
            mojibake: args.mojibake,
            config: None,
            base: PathBuf::new(),
            verbose: args.verbose,
            utf16: Mutex::new(None),
            output_file: OutputFile::new(),
            output: OrderedOutput::new(out, progress.clone(), report.separator()),
            report,
        }
    }

    /// Adds the profile and the exceptions of the configuration file. Names are relative to `base`.
    fn with_config(mut self, config: Option<&'a Config>, base: PathBuf) -> Self {
        self.profile = self.profile.or(config.and_then(|config| config.profile));
        Self { config, base, ..self }
    }

    /// Returns the classes of findings that are expected in a file.
    fn expected(&self, source: &Source) -> Vec<&'a str> {
        self.config.map_or_else(Vec::new, |config| config.expected(source, &self.base))
    }

    /// Writes the header, calls `check`, and writes the footer.
    fn with_header_and_footer(
        self,
        started: Instant,
        stats: bool,
        check: impl FnOnce(&Self) -> Totals,
    ) -> (Totals, io::Result<()>) {
        self.output.write_outside_turns(&self.report.header());
        let totals = check(&self);
        let footer = self.report.footer(&totals, stats.then(|| started.elapsed()));
        self.output.write_outside_turns(&footer);
        (totals, self.output.finish())
    }

    /// Checks one input, and writes all that the command would write for it. `from` returns a
    /// reader that begins at an offset.
    pub(crate) fn check_input<R: Read>(self, entry: &Entry, from: impl Fn(u64) -> R) -> io::Result<()> {
        let stats = self.to_the_end;
        let (_, written) = self.with_header_and_footer(Instant::now(), stats, |check| {
            let conclude = |first_error| check.conclusion(&from, None, first_error);
            check.report_errors(entry, from(0), false, &mut check.output.turn(0), conclude)
        });
        written
    }

    /// Checks everything that `walk` finds, with all threads.
    fn check_all(&self, walk: &Mutex<(Walk<'_>, u64)>) -> Totals {
        let lock = || walk.lock().unwrap_or_else(PoisonError::into_inner);
        let threads = if lock().0.may_be_many() { self.validator.threads() } else { 1 };
        let work = |buffer: &mut Buffer| {
            let mut totals = Totals::default();
            while !self.output.has_failed() {
                // A separate statement, so that the lock is released before the file is checked.
                let next = {
                    let (walk, number) = &mut *lock();
                    *number += 1;
                    walk.next().map(|found| (found, *number - 1))
                };
                let Some((found, number)) = next else { break };
                let mut turn = self.output.turn(number);
                totals = totals + self.check(found, &mut turn, buffer);
            }
            totals
        };
        let totals = on_threads(threads, &mut Buffer::new(), work);
        totals.into_iter().fold(Totals::default(), |totals, more| totals + more)
    }

    /// Checks one file, or reports that it could not be found or read.
    fn check(&self, found: Result<Entry, Unreachable>, turn: &mut Turn<'_>, buffer: &mut Buffer) -> Totals {
        let (name, result) = match found {
            Ok(entry) => (entry.source.name().to_vec(), self.check_file(&entry, turn, buffer)),
            Err(Unreachable { path, why }) => {
                (path.as_os_str().as_encoded_bytes().to_vec(), Err(io::Error::other(why)))
            }
        };
        result.unwrap_or_else(|error| {
            self.report.unread(turn.out(), &name, &error);
            let hint =
                if error.kind() == io::ErrorKind::NotFound { similar_command(&name) } else { String::new() };
            turn.print_error(format!("{}: {error}{hint}", String::from_utf8_lossy(&name)));
            Totals { unread: 1, ..Totals::default() }
        })
    }

    fn check_file(&self, entry: &Entry, turn: &mut Turn<'_>, buffer: &mut Buffer) -> io::Result<Totals> {
        match entry.open()? {
            Opened::Seekable { file, start } => {
                let skip_binary = self.selection.skips_binary(entry.named);
                let from = readers(&file, start);
                let conclude = |first_error| {
                    self.conclusion(from, Some(file.metadata()?.len().saturating_sub(start)), first_error)
                };
                if self.profile.is_some() || self.mojibake {
                    if skip_binary && is_binary_file(&file, start)? {
                        return self.binary(entry, &file, start);
                    }
                    self.output_file.check_input(&file, start)?;
                    return Ok(self.report_errors(entry, from(0), false, turn, conclude));
                }
                match self.validator.validate(&file, start, skip_binary, buffer)? {
                    FileStatus::Valid { bytes, characters } => {
                        let mut last = [b'\n'];
                        if self.to_the_end && bytes > 0 {
                            read_at(&file, &mut last, start + bytes - 1)?;
                        }
                        let open_lines = u64::from(last != *b"\n");
                        Ok(Totals { valid: 1, bytes, characters, open_lines, ..Totals::default() })
                    }
                    FileStatus::Binary => self.binary(entry, &file, start),
                    FileStatus::Invalid { .. }
                        if !self.report.shows_errors()
                            && !self.to_the_end
                            && self.expected(&entry.source).is_empty() =>
                    {
                        self.report.conclusion(turn.out(), entry.source.name(), &Conclusion::default());
                        Ok(Totals { invalid: 1, ..Totals::default() })
                    }
                    FileStatus::Invalid { progress, .. } => {
                        self.output_file.check_input(&file, start)?;
                        self.validator.progress.take_back(progress);
                        Ok(self.report_errors(entry, from(0), false, turn, conclude))
                    }
                }
            }
            Opened::Stream(file) => {
                Ok(self.report_errors(entry, file, true, turn, |_| Ok(Conclusion::default())))
            }
        }
    }

    /// Returns the totals of a binary file, which is skipped.
    fn binary(&self, entry: &Entry, file: &File, start: u64) -> io::Result<Totals> {
        let totals = binary(file, start)?;
        let name = entry.source.name();
        if totals.binary_utf16 > 0 {
            let mut first = self.utf16.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_deref().is_none_or(|first| name < first) {
                *first = Some(name.to_owned());
            }
        }
        if self.verbose {
            let look = if totals.binary_utf16 > 0 { "; it looks like UTF-16" } else { "" };
            let message = format!("{}: skipped: binary{look}", entry.source.display());
            self.validator.progress.suspend(|| print_error(&message));
        }
        Ok(totals)
    }

    /// Reports the errors of one file. With `at_once`, each is written as soon as it is found.
    ///
    /// If there are errors, `conclude` is called with the offset of the first one, and returns what
    /// is known of the file as a whole.
    fn report_errors(
        &self,
        entry: &Entry,
        reader: impl Read,
        at_once: bool,
        turn: &mut Turn<'_>,
        conclude: impl FnOnce(u64) -> io::Result<Conclusion>,
    ) -> Totals {
        let name = entry.source.name();
        let progress = self.validator.progress.clone();
        let expected = self.expected(&entry.source);
        let lines = RefCell::new(Lines::default());
        let reader = Watched { reader, lines: self.mojibake.then_some(&lines) };
        let mut scanner =
            Scanner::new(self.validator.kernel, self.profile, reader, progress, self.to_the_end);
        let (mut found, mut errors) = (0, 0);
        // Reports mojibake before an offset.
        let report_lines = |turn: &mut Turn<'_>, found: &mut u64, errors: &mut u64, offset| {
            while let Some(mojibake) = lines.borrow_mut().next_before(offset) {
                let finding = mojibake.finding();
                if is_expected(&expected, &finding.culprit) {
                    continue;
                }
                if *found < self.error_limit {
                    self.report.finding(turn.out(), name, &finding, *found);
                    turn.write_through(false);
                }
                *found += 1;
                *errors += 1;
            }
        };
        let mut first_error = None;
        let mut may_be_other = false;
        let mut mark = None;
        let read = loop {
            // What was found in a pipe is written before waiting for more input.
            let before_reading = &mut || {
                let settled = lines.borrow().settled();
                report_lines(turn, &mut found, &mut errors, settled);
                turn.write_through(at_once);
            };
            match scanner.next_error(before_reading) {
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Some(finding)) => {
                    report_lines(turn, &mut found, &mut errors, finding.offset);
                    if is_expected(&expected, &finding.culprit) {
                        continue;
                    }
                    if finding.culprit.forbidden().is_none() && first_error.is_none() {
                        first_error = Some(finding.offset);
                        may_be_other = !finding.culprit.is_whole_sequence();
                        mark = other_mark(&finding);
                    }
                    if found < self.error_limit {
                        self.report.finding(turn.out(), name, &finding, found);
                        turn.write_through(false);
                    }
                    found += 1;
                    errors += finding.culprit.count();
                }
            }
            if self.output.has_failed() || found >= self.error_limit && !self.to_the_end {
                break Ok(());
            }
        };
        if found < self.error_limit || self.to_the_end {
            report_lines(turn, &mut found, &mut errors, u64::MAX);
        }
        let mut totals =
            Totals { errors, bytes: scanner.offset(), characters: scanner.characters(), ..Totals::default() };
        totals.open_lines = u64::from(scanner.is_inside_line());
        let conclusion = read.and_then(|()| first_error.map_or_else(|| Ok(Conclusion::default()), conclude));
        let conclusion = conclusion.map(|found| Conclusion {
            mark: found.mark.or(mark),
            likely: found.likely.filter(|_| may_be_other),
            ..found
        });
        if let Err(error) = &conclusion {
            totals.unread = 1;
            if errors == 0 {
                self.report.unread(turn.out(), name, error);
            }
        }
        if errors > 0 {
            totals.invalid = 1;
            let conclusion = match &conclusion {
                Ok(conclusion) => conclusion,
                Err(error) => &Conclusion { unread: Some(error.to_string()), ..Conclusion::default() },
            };
            self.report.conclusion(turn.out(), name, conclusion);
        } else if conclusion.is_ok() {
            // The file may have changed since the first pass. Now it is valid.
            totals.valid = 1;
        }
        if let Err(error) = conclusion {
            turn.print_error(format!("{}: {error}", entry.source.display()));
        }
        totals
    }

    /// Finds out what a file that is not UTF-8 may be instead.
    ///
    /// An encoding is guessed only if the length of the file is known.
    fn conclusion<R: Read>(
        &self,
        from: impl Fn(u64) -> R,
        len: Option<u64>,
        first_error: u64,
    ) -> io::Result<Conclusion> {
        if !self.report.shows_conclusions() {
            return Ok(Conclusion::default());
        }
        let mark = mark(&from)?;
        let accepted_by = accepting_dialects(&from, first_error)?;
        let mut conclusion = Conclusion { mark, ..Conclusion::default() };
        if let Some(len) = len {
            match guess(mark, &accepted_by, &Evidence::gather(&from, len, first_error)?) {
                Guess::From(charset) => conclusion.likely = Some(charset),
                Guess::Lines(Some(others)) => {
                    let mixed = Mixed::find(&others, from(0))?;
                    conclusion.mixed = Some(mixed).filter(|mixed| !mixed.runs.is_empty());
                }
                Guess::Lines(None) | Guess::Unknown(_) => {}
            }
        }
        Ok(Conclusion { accepted_by, ..conclusion })
    }
}

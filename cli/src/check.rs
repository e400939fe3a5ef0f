//! `trust8 check`: goes through all that was named, with several threads, and says what is not UTF-8.

use std::io::{self, Read, Write, stderr, stdout};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use trust8::Bom;

use crate::args::{CheckArgs, Common, Selection};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::read::{Buffer, Look, Reader};
use crate::relatives::fitting;
use crate::report::{End, Report};
use crate::scan::{FileFrom, Scanner};
use crate::source::Opened;
use crate::statistics::Totals;
use crate::turns::{Output, Turn};
use crate::walk::{Entry, Unreachable, Walk};

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, common: &Common) -> ExitCode {
    let walk = match Walk::new(&args.selection) {
        Ok(walk) => walk,
        Err(error) => return Outcome::trouble(&error),
    };
    let started = Instant::now();
    let progress = Progress::start(!common.no_progress && !args.quiet, {
        let selection = args.selection.clone();
        move || total(&selection)
    });
    interrupt::before_the_end({
        let progress = progress.clone();
        move || progress.finish()
    });
    let report = crate::report::of(args, common);
    let check = Check::new(args, common, &*report, &progress, Box::new(stdout()));
    let (totals, written) = check.told(started, args.stats, |check| check.all(walk));
    progress.finish();
    if args.stats && !report.has_footer() {
        let _ = write!(stderr(), "{}", totals.for_people(started.elapsed()));
    }
    let outcome = Outcome::of(&totals);
    match written {
        Ok(()) => outcome.into(),
        // Whoever read the findings has seen enough. Findings were on their way, so they are told so.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => outcome.into(),
        Err(error) => Outcome::trouble(&format!("standard output: {error}")),
    }
}

/// How many bytes there are, if all that was named are files and folders.
pub(crate) fn total(selection: &Selection) -> Option<u64> {
    let mut total = 0;
    for entry in Walk::new(selection).ok()?.flatten() {
        match entry.source.len() {
            Some(len) => total += len,
            None if entry.named => return None,
            None => {}
        }
    }
    Some(total)
}

/// What the command line asks for, and what it takes to do it.
pub(crate) struct Check<'a> {
    reader: Reader,
    report: &'a dyn Report,
    output: Output,
    /// How many errors of a file are told of.
    limit: u64,
    /// Files with errors are read on behind the last of these, for the totals.
    to_the_end: bool,
    /// Binary files in folders are looked at.
    binary: bool,
}

impl<'a> Check<'a> {
    pub(crate) fn new(
        args: &CheckArgs,
        common: &Common,
        report: &'a dyn Report,
        progress: &Progress,
        out: Box<dyn Write + Send>,
    ) -> Self {
        Self {
            reader: Reader::new(common.kernel(), common.threads(), progress.clone(), args.stats),
            // Only what is shown is looked for.
            limit: if report.tells_of_errors() { args.limit() } else { 1 },
            to_the_end: args.stats,
            binary: args.selection.binary,
            output: Output::new(out, progress.clone(), report.separator()),
            report,
        }
    }

    /// Does what there is to do, and tells what belongs before and behind it.
    fn told(
        self,
        started: Instant,
        stats: bool,
        all: impl FnOnce(&Self) -> Totals,
    ) -> (Totals, io::Result<()>) {
        self.output.around(self.report.header());
        let totals = all(&self);
        self.output.around(&self.report.footer(&totals, stats.then(|| started.elapsed())));
        (totals, self.output.finish())
    }

    /// All that is told of one input, whatever it is read from. `from` reads it from any place on.
    pub(crate) fn only<R: Read>(self, entry: &Entry, from: impl Fn(u64) -> R) -> io::Result<()> {
        let stats = self.to_the_end;
        let (_, written) = self.told(Instant::now(), stats, |check| {
            let end = |error| check.relatives(&from, error);
            check.errors(entry, from(0), false, &mut check.output.turn(0), end)
        });
        written
    }

    /// Looks at everything, with as many threads as there are.
    fn all(&self, walk: Walk<'_>) -> Totals {
        let helpers = if walk.may_be_many() { self.reader.threads() - 1 } else { 0 };
        let walk = Mutex::new(walk.zip(0..));
        let work = || {
            let mut buffer = Buffer::new();
            let mut totals = Totals::default();
            while !self.output.has_failed() {
                // In a statement of its own: the lock is to be gone while a file is looked at.
                let next = walk.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((found, number)) = next else { break };
                let mut turn = self.output.turn(number);
                totals = totals + self.one(found, &mut turn, &mut buffer);
            }
            totals
        };
        thread::scope(|scope| {
            let helpers: Vec<_> = (0..helpers)
                // Those that can't be started are not needed either.
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let totals = work();
            helpers.into_iter().fold(totals, |totals, helper| match helper.join() {
                Ok(more) => totals + more,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })
    }

    /// Looks at one file, or tells that one could not be found.
    fn one(&self, found: Result<Entry, Unreachable>, turn: &mut Turn<'_>, buffer: &mut Buffer) -> Totals {
        let (name, result) = match found {
            Ok(entry) => (entry.source.name().to_vec(), self.file(&entry, turn, buffer)),
            Err(Unreachable { path, why }) => {
                (path.as_os_str().as_encoded_bytes().to_vec(), Err(io::Error::other(why)))
            }
        };
        result.unwrap_or_else(|error| {
            self.report.unread(turn.out(), &name, &error);
            turn.complain(format!("{}: {error}", String::from_utf8_lossy(&name)));
            Totals { unread: 1, ..Totals::default() }
        })
    }

    fn file(&self, entry: &Entry, turn: &mut Turn<'_>, buffer: &mut Buffer) -> io::Result<Totals> {
        let opened = if entry.named { entry.source.open()? } else { entry.source.open_file()? };
        match opened {
            Opened::Seekable { file, start } => {
                match self.reader.look(&file, start, !entry.named && !self.binary, buffer)? {
                    Look::Valid { bytes, characters } => {
                        Ok(Totals { valid: 1, bytes, characters, ..Totals::default() })
                    }
                    Look::Binary => Ok(Totals { binary: 1, ..Totals::default() }),
                    Look::Invalid { .. } if !self.report.tells_of_errors() && !self.to_the_end => {
                        self.report.end(turn.out(), entry.source.name(), &End::default());
                        Ok(Totals { invalid: 1, ..Totals::default() })
                    }
                    Look::Invalid { told } => {
                        self.reader.progress.take_back(told);
                        let from = |skip| FileFrom { file: &file, at: start + skip };
                        Ok(self.errors(entry, from(0), false, turn, |error| self.relatives(from, error)))
                    }
                }
            }
            Opened::Stream(file) => Ok(self.errors(entry, file, true, turn, |_| Ok(End::default()))),
        }
    }

    /// Tells of the errors of one file. With `at_once`, as soon as they are found. `end` says what is known of the
    /// file as a whole, whose first error is where it is told.
    fn errors(
        &self,
        entry: &Entry,
        reader: impl Read,
        at_once: bool,
        turn: &mut Turn<'_>,
        end: impl FnOnce(u64) -> io::Result<End>,
    ) -> Totals {
        let name = entry.source.name();
        let progress = self.reader.progress.clone();
        let mut scanner = Scanner::new(self.reader.kernel, reader, progress, self.to_the_end);
        let mut errors = 0;
        let mut first = 0;
        let read = loop {
            match scanner.next() {
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
                Ok(Some(finding)) => {
                    if errors == 0 {
                        first = finding.offset;
                    }
                    if errors < self.limit {
                        self.report.finding(turn.out(), name, &finding, errors);
                        turn.pass_on(at_once);
                    }
                    errors += 1;
                }
            }
            if self.output.has_failed() || errors == self.limit && !self.to_the_end {
                break Ok(());
            }
        };
        let mut totals =
            Totals { errors, bytes: scanner.offset(), characters: scanner.characters(), ..Totals::default() };
        let end = read.and_then(|()| if errors > 0 { end(first) } else { Ok(End::default()) });
        if let Err(error) = &end {
            totals.unread = 1;
            if errors == 0 {
                self.report.unread(turn.out(), name, error);
            }
        }
        if errors > 0 {
            totals.invalid = 1;
            let end = match &end {
                Ok(end) => end,
                Err(error) => &End { unread: Some(error.to_string()), ..End::default() },
            };
            self.report.end(turn.out(), name, end);
        } else if end.is_ok() {
            // It was another one at the first look, perhaps; this one is UTF-8.
            totals.valid = 1;
        }
        if let Err(error) = end {
            turn.complain(format!("{}: {error}", entry.source.display()));
        }
        totals
    }

    /// What a file may be in place of UTF-8.
    fn relatives<R: Read>(&self, from: impl Fn(u64) -> R, error: u64) -> io::Result<End> {
        if !self.report.tells_of_relatives() {
            return Ok(End::default());
        }
        let mut first = Vec::new();
        from(0).take(4).read_to_end(&mut first)?;
        let mark = Bom::detect(&first).map(|(mark, _)| mark);
        Ok(End { mark, fits: fitting(self.reader.kernel, from, error)?, unread: None })
    }
}

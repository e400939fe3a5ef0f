//! What happens to one file.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read, Write, stdout};

use encoding_rs::ISO_2022_JP;
use memchr::{memchr, memchr2};

use super::guard::{Look, Refused, Watch, unlikely};
use super::lines::lines_end;
use super::repair::{Sequences, Treatment, copy, repair};
use super::report::FileReport;
use super::transform::{Changes, Plan, any_chunk, plan, transform, transform_by, write};
use super::{FileError, Fix, copy_to_temporary_file, diff};
use crate::charset::Charset;
use crate::colors::Colors;
use crate::config::is_expected;
use crate::guess::evidence::Evidence;
use crate::guess::{guess_valid, seems_to_be};
use crate::lines::{Lines, Watched};
use crate::progress::Progress;
use crate::replace::{self, Original, identity};
use crate::scan::{Finding, Scanner};
use crate::source::{self, CHUNK_BYTES, FileFrom, Opened, Source, readers};
use crate::target::Target;
use crate::validate::{Buffer, FileStatus};
use crate::walk::Entry;

impl Fix<'_> {
    /// Fixes one file.
    pub(super) fn fix(
        &self,
        entry: &Entry,
        out: &mut dyn Write,
        buffer: &mut Buffer,
    ) -> Result<FileReport, FileError> {
        let args = self.args;
        let target =
            || Target::of(&entry.source, entry.folder.as_ref(), args.output.as_deref(), args.in_place);
        // If the text turns out to be one that is left alone, these leave its beginning alone, too.
        let is_stored = args.from.is_some()
            || args.diff
            || args.declaration
            || (args.strip_bom || args.unmojibake) && args.invalid_as.is_none() && args.remedy.is_none();
        let opened = if args.in_place { entry.open_regular() } else { entry.open() };
        let (file, start) = match opened.map_err(FileError::Read)? {
            Opened::Seekable { file, start } => (file, start),
            // A repair reads its input only once, so nothing needs to be stored.
            Opened::Stream(stream) if !is_stored => {
                return match (args.invalid_as, args.remedy) {
                    (None, None) => self.fix_stream(stream, target(), out),
                    (None, Some(_)) => self.write(Plan::Repair, stream, target(), None, &Look::UTF8, out),
                    (Some(charset), _) => {
                        self.write(Plan::InvalidAs(charset), stream, target(), None, &Look::UTF8, out)
                    }
                };
            }
            Opened::Stream(stream) => (copy_to_temporary_file(stream, u64::MAX).map_err(FileError::Read)?, 0),
        };
        // This is before the first read.
        let original = matches!(entry.source, Source::Path(_)).then(|| Original::new(&file)).transpose();
        let original = original.map_err(FileError::Read)?;
        if !args.is_dry() {
            target().check_input(&file, start).map_err(FileError::Read)?;
        }
        let progress = &self.validator.progress;
        progress.phase("checking");
        let skip_binary = args.selection.skips_binary(entry.named);
        let status = self.validator.validate(&file, start, skip_binary, buffer).map_err(FileError::Read)?;
        let from = readers(&file, start);
        let mut look = Look::UTF8;
        let known = if let FileStatus::Valid { bytes, .. } = status { Some(bytes) } else { None };
        let mut plan = match status {
            FileStatus::Binary => return Ok(FileReport::default()),
            _ if self.replaces(&file) && self.is_expected(&entry.source, from(0))? => {
                self.clean_up(entry);
                return Ok(FileReport::default());
            }
            FileStatus::Valid { bytes: 0, .. } => Plan::Copy,
            FileStatus::Valid { .. } => self.plan_for_valid(&file, start)?,
            FileStatus::Invalid { before, progress: added } => {
                progress.take_back(added);
                progress.phase("guessing");
                let len = file.metadata().map_err(FileError::Read)?.len().saturating_sub(start);
                let (plan, found) = plan(args, from, len, before - start)?;
                look = found;
                if plan == Plan::Leave {
                    return self.leave(&file, start, target(), &look, out);
                }
                plan
            }
        };
        // Nothing tells which encoding text in ASCII is in.
        let is_other = || any_chunk(from(0), |bytes| !bytes.is_ascii()).map_err(FileError::Read);
        if plan == Plan::Copy && args.declaration && is_other()? {
            plan = Plan::Declare;
        }
        let changes_valid = args.strip_bom || args.unmojibake || args.profile.is_some();
        if plan == Plan::Copy && !changes_valid && (args.in_place || args.is_dry()) {
            self.clean_up(entry);
            return Ok(FileReport::default());
        }
        progress.phase(if plan == Plan::Copy { "copying" } else { "converting" });
        if args.diff {
            return self.diff(&entry.source, plan, from(0), &file, &look, out);
        }
        if matches!(plan, Plan::Copy | Plan::Declare | Plan::Lines(_)) && self.replaces(&file) {
            // The file is replaced only if something changes.
            let changes = self.transform(plan, from(0), &mut io::sink())?;
            if changes.is_nothing() {
                self.clean_up(entry);
                return Ok(FileReport::new(changes, Vec::new(), &look, args));
            }
        }
        // Windows does not replace a file that is open. This reader closes it before that.
        let reader = Known { reader: FileFrom { file, at: start }, rest: known };
        self.write(plan, reader, target(), original, &look, out)
    }

    /// Fixes a stream that can be read only once. Its lines are passed on as they come, until one is not
    /// valid. Then the rest is stored, to find out what it is.
    fn fix_stream(
        &self,
        mut stream: File,
        target: Target,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        let (args, progress) = (self.args, &self.validator.progress);
        let mut look = Look::UTF8;
        let mut done = Plan::Copy;
        let mut fix = |out: &mut dyn Write| {
            let (context, rest) = pass_valid(&mut stream, progress, out)?;
            if rest.is_empty() {
                return Ok(Sequences::default());
            }
            let skip = context.len() as u64;
            let all = Cursor::new([context, rest].concat()).chain(&mut stream);
            let file = copy_to_temporary_file(all, u64::MAX).map_err(FileError::Read)?;
            let from = readers(&file, 0);
            let len = file.metadata().map_err(FileError::Read)?.len();
            let (plan, found) = plan(args, from, len, skip)?;
            look = found;
            done = plan;
            write(args, self.kernel, plan, &mut from(skip), progress, out)
        };
        if args.is_dry() {
            let changes = transform_by(args, false, &mut io::sink(), &mut fix)?;
            return Ok(FileReport::new(Changes { plan: done, ..changes }, Vec::new(), &look, args));
        }
        let (changes, lost) = target.write(None, args.backup.as_deref(), progress, out, |out| {
            transform_by(args, false, out, &mut fix)
        })?;
        Ok(FileReport::new(Changes { plan: done, ..changes }, lost, &look, args))
    }

    /// Whether the configuration expects all that is wrong in the file. Fails if it expects a part: a
    /// repair would change that as well.
    fn is_expected(&self, source: &Source, reader: impl Read) -> Result<bool, FileError> {
        let config = self.config.as_ref();
        let classes = config.map_or_else(Vec::new, |config| config.expected(source, &self.base));
        if classes.is_empty() {
            return Ok(false);
        }
        let (expected, others) = (Cell::new(false), Cell::new(false));
        let found = |finding: &Finding<'_>| {
            if is_expected(&classes, &finding.culprit) { &expected } else { &others }.set(true)
        };
        let lines = RefCell::new(Lines::default());
        let find_mojibake = || {
            while let Some(mojibake) = lines.borrow_mut().next_before(u64::MAX) {
                found(&mojibake.finding());
            }
        };
        let reader = Watched { reader, lines: self.args.unmojibake.then_some(&lines) };
        let mut scanner = Scanner::new(self.kernel, self.args.profile, reader, Progress::none(), false);
        while let Some(finding) = scanner.next_error(&mut || find_mojibake()).map_err(FileError::Read)? {
            found(&finding);
        }
        find_mojibake();
        if expected.get() && others.get() {
            let why = "left alone: trust8.toml expects some of what is wrong in it; --no-config repairs all";
            return Err(FileError::Guarded(why.to_owned()));
        }
        Ok(expected.get())
    }

    /// Whether `file` itself would be replaced.
    fn replaces(&self, file: &File) -> bool {
        let is_output = || {
            let output = self.args.output.as_ref()?.metadata().ok()?;
            Some(identity(&output)? == identity(&file.metadata().ok()?)?)
        };
        self.args.in_place || self.args.is_dry() || is_output() == Some(true)
    }

    /// Leaves a file alone that does not look like UTF-8. If the result goes elsewhere, that is a
    /// copy of the file. Counts what would be replaced in it.
    fn leave(
        &self,
        file: &File,
        start: u64,
        target: Target,
        look: &Look,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        let from = readers(file, start);
        let keep = Treatment::remedy(None);
        let found = repair(self.kernel, &mut from(0), &keep, &Progress::none(), &mut io::sink())?;
        let message = look.message(found.left);
        if self.replaces(file) {
            return Err(FileError::Guarded(message));
        }
        let progress = &self.validator.progress;
        target.write(None, None, progress, out, |out| copy(&mut from(0), progress, out))?;
        Ok(FileReport::passed_on(message))
    }

    /// Writes what `plan` makes of `reader` to `out`. If the encoding is a guess, fails if the file
    /// turns out to be binary.
    fn transform(&self, plan: Plan, reader: impl Read, out: &mut dyn Write) -> Result<Changes, FileError> {
        let refused = match plan {
            _ if self.args.from != Some(Charset::Auto) => Refused::Nothing,
            Plan::From(charset) => Refused::in_guessed(charset),
            Plan::Lines(Some(_)) => Refused::Nul,
            _ => Refused::Nothing,
        };
        let mut watch = Watch::new(reader, refused);
        let changes = transform(self.args, self.kernel, plan, &mut watch, &self.validator.progress, out);
        changes.map_err(unlikely)
    }

    /// Removes what a killed run has left of a file that needs no change now. If this fails, no
    /// harm is done.
    fn clean_up(&self, entry: &Entry) {
        if let (true, Source::Path(path)) = (self.args.in_place, &entry.source) {
            let _ = replace::remove_leftover(path, entry.folder.as_deref());
        }
    }

    /// Writes the fixed text of `reader` to `target`, or nowhere with `--check`.
    fn write(
        &self,
        plan: Plan,
        reader: impl Read,
        target: Target,
        original: Option<Original>,
        look: &Look,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        let args = self.args;
        let progress = &self.validator.progress;
        if args.is_dry() {
            let changes = self.transform(plan, reader, &mut io::sink())?;
            return Ok(FileReport::new(changes, Vec::new(), look, args));
        }
        let backup = args.backup.as_deref();
        let (changes, lost) =
            target.write(original, backup, progress, out, |out| self.transform(plan, reader, out))?;
        Ok(FileReport::new(changes, lost, look, args))
    }

    /// Shows what would change.
    fn diff(
        &self,
        source: &Source,
        plan: Plan,
        mut reader: FileFrom<&File>,
        file: &File,
        look: &Look,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        if file.metadata().map_err(FileError::Read)?.len() > diff::LONGEST_BYTES {
            let report = self.write(plan, reader, Target::StandardOutput, None, look, out)?;
            if report.is_changed() {
                self.print(&format!("{}: is too long to show the difference", source.display()));
            }
            return Ok(report);
        }
        let mut old = Vec::new();
        reader.read_to_end(&mut old).map_err(FileError::Read)?;
        let mut new = Vec::new();
        let progress = &self.validator.progress;
        let changes = self.transform(plan, &old[..], &mut new)?;
        if old != new {
            let colors = Colors::new(self.common.color);
            progress
                .suspend(|| diff::write(out, source.name(), &old, &new, &colors, stdout().is_terminal()))
                .map_err(FileError::Write)?;
        }
        Ok(FileReport::new(changes, Vec::new(), look, self.args))
    }

    /// Returns the plan for a file that is UTF-8 already, and not empty. It is not changed, unless
    /// the user is certain that it is something else.
    fn plan_for_valid(&self, file: &File, start: u64) -> Result<Plan, FileError> {
        let from = readers(file, start);
        let is_other = || any_chunk(from(0), |bytes| !bytes.is_ascii()).map_err(FileError::Read);
        match self.args.from {
            Some(_) if self.args.force => {
                let len = file.metadata().map_err(FileError::Read)?.len().saturating_sub(start);
                Ok(match plan(self.args, from, len, 0)?.0 {
                    // As this encoding, it is the same text.
                    Plan::From(charset) if charset.has_ascii() && !is_other()? => Plan::Copy,
                    plan => plan,
                })
            }
            // Text in UTF-16 and in ISO-2022-JP can be UTF-8 as well.
            Some(Charset::Auto) => {
                let mut first = vec![0; CHUNK_BYTES];
                let n = source::read(&mut from(0), &mut first).map_err(FileError::Read)?;
                if memchr2(0, 0x1B, &first[..n]).is_none() {
                    return Ok(Plan::Copy);
                }
                let len = file.metadata().map_err(FileError::Read)?.len().saturating_sub(start);
                match guess_valid(&Evidence::gather(from, len, 0).map_err(FileError::Read)?) {
                    None => Ok(Plan::Copy),
                    Some(charset) => Err(FileError::Unconvertible(seems_to_be(charset))),
                }
            }
            Some(charset) if !charset.has_ascii() => {
                let escape = if charset == Charset::Encoding(ISO_2022_JP) { 0x1B } else { 0 };
                if any_chunk(from(0), |bytes| memchr(escape, bytes).is_some()).map_err(FileError::Read)? {
                    return Ok(Plan::From(charset));
                }
                let name = charset.label();
                let why =
                    format!("it is valid UTF-8, and hardly {name}; to convert it nevertheless, use --force");
                Err(FileError::Unconvertible(why))
            }
            _ => Ok(Plan::Copy),
        }
    }
}

/// Reads a file that may be known to be valid. What another program appends from then on is not.
struct Known {
    reader: FileFrom<File>,
    /// How many bytes are still to be read, if the file was valid.
    rest: Option<u64>,
}

impl Read for Known {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(rest) = &mut self.rest else { return self.reader.read(buffer) };
        let n = self.reader.by_ref().take(*rest).read(buffer)?;
        *rest -= n as u64;
        if n == 0 && *rest > 0 && !buffer.is_empty() {
            return Err(io::Error::other("another program has shortened it while it was copied"));
        }
        Ok(n)
    }
}

/// Passes lines on until one is not valid. Returns the last valid lines, which tell what the text is,
/// and what was read but not passed on: nothing at the end of the stream.
fn pass_valid(
    stream: &mut File,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<(Vec<u8>, Vec<u8>), FileError> {
    const CONTEXT_BYTES: usize = 64 << 10;
    let (mut context, mut bytes, mut chunk) = (Vec::new(), Vec::new(), vec![0; CHUNK_BYTES]);
    loop {
        let n = source::read(stream, &mut chunk).map_err(FileError::Read)?;
        bytes.extend(&chunk[..n]);
        let end = lines_end(&bytes, CHUNK_BYTES, n == 0);
        if !trust8::is_utf8(&bytes[..end]) || n == 0 && end == 0 {
            return Ok((context, bytes));
        }
        out.write_all(&bytes[..end]).map_err(FileError::Write)?;
        progress.add(end as u64);
        context.extend(bytes.drain(..end));
        context.drain(..context.len().saturating_sub(CONTEXT_BYTES));
        if n == 0 {
            return Ok((context, Vec::new()));
        }
    }
}

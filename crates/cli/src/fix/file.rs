//! What happens to one file.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write, stdout};

use encoding_rs::ISO_2022_JP;
use memchr::{memchr, memchr2};

use super::evidence::Evidence;
use super::guard::{Look, Refused, Unlikely, Watch};
use super::guess::{guess_valid, seems_to_be};
use super::repair::{Treatment, copy, repair};
use super::report::FileReport;
use super::transform::{Changes, Plan, plan, transform};
use super::{FileError, Fix, copy_to_temporary_file, diff};
use crate::charset::Charset;
use crate::colors::Colors;
use crate::progress::Progress;
use crate::replace::{self, Original, identity};
use crate::source::{self, CHUNK, FileFrom, Opened, Source, readers};
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
        let opened = if args.in_place { entry.open_regular() } else { entry.open() };
        let (file, start) = match opened.map_err(FileError::Read)? {
            Opened::Seekable { file, start } => (file, start),
            // A repair reads its input only once, so nothing needs to be stored.
            Opened::Stream(stream) if args.from.is_none() && !args.diff => {
                let plan = args.invalid_as.map_or(Plan::Repair, Plan::InvalidAs);
                return self.write(plan, stream, target(), None, &Look::UTF8, out);
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
        let plan = match status {
            FileStatus::Binary => return Ok(FileReport::unchanged()),
            FileStatus::Valid { bytes, .. } => {
                if bytes > 0 {
                    self.plan_for_valid(&file, start)?
                } else {
                    Plan::Copy
                }
            }
            FileStatus::Invalid { before, progress: added } => {
                progress.take_back(added);
                progress.phase("guessing");
                let len = file.metadata().map_err(FileError::Read)?.len().saturating_sub(start);
                if args.is_plain() {
                    look = Look::find(from, len, before - start).map_err(FileError::Read)?;
                    if !look.is_utf8() {
                        return self.leave(&file, start, target(), &look, out);
                    }
                }
                plan(args, from, len, before - start)?
            }
        };
        let changes_valid = args.strip_bom || args.unmojibake || args.profile.is_some();
        if plan == Plan::Copy && !changes_valid && (args.in_place || args.is_dry()) {
            self.clean_up(entry);
            return Ok(FileReport::unchanged());
        }
        progress.phase(if plan == Plan::Copy { "copying" } else { "converting" });
        if args.diff {
            return self.diff(&entry.source, plan, from(0), &file, &look, out);
        }
        if (plan == Plan::Copy || args.is_plain()) && self.replaces(&file) {
            // The file is replaced only if something changes.
            let changes =
                transform(args, self.kernel, plan, &mut from(0), &Progress::none(), &mut io::sink())?;
            if changes.is_nothing() {
                self.clean_up(entry);
                return Ok(FileReport::new(changes, Vec::new(), &look, args));
            }
        }
        // Windows does not replace a file that is open. This reader closes it before that.
        let reader = FileFrom { file, at: start };
        self.write(plan, reader, target(), original, &look, out)
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
            Plan::From(Charset::Encoding(encoding)) if encoding.is_ascii_compatible() => Refused::Controls,
            Plan::InvalidAs(_) => Refused::Nul,
            _ => Refused::Nothing,
        };
        let mut watch = Watch::new(reader, refused);
        let changes = transform(self.args, self.kernel, plan, &mut watch, &self.validator.progress, out);
        changes.map_err(|error| match error {
            FileError::Read(error) if error.get_ref().is_some_and(|it| it.is::<Unlikely>()) => {
                FileError::Unconvertible(error.to_string())
            }
            other => other,
        })
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
        if file.metadata().map_err(FileError::Read)?.len() > diff::LONGEST {
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
        match self.args.from {
            Some(charset) if self.args.force => {
                let len = file.metadata().map_err(FileError::Read)?.len().saturating_sub(start);
                if charset == Charset::Auto { plan(self.args, from, len, 0) } else { Ok(Plan::From(charset)) }
            }
            // Text in UTF-16 and in ISO-2022-JP can be UTF-8 as well.
            Some(Charset::Auto) => {
                let mut first = vec![0; CHUNK];
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
                if contains(from(0), escape).map_err(FileError::Read)? {
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

/// Whether `reader` yields `byte` anywhere.
fn contains(mut reader: impl Read, byte: u8) -> io::Result<bool> {
    let mut bytes = vec![0; CHUNK];
    loop {
        match source::read(&mut reader, &mut bytes)? {
            0 => return Ok(false),
            n if memchr(byte, &bytes[..n]).is_some() => return Ok(true),
            _ => {}
        }
    }
}

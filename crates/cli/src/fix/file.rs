//! What happens to one file.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write, stdout};

use encoding_rs::ISO_2022_JP;
use memchr::{memchr, memchr2};

use super::evidence::Evidence;
use super::guard::{Look, Watch};
use super::guess::{guess_valid, seems_to_be};
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
        let target = || Target::of(&entry.source, args.output.as_deref(), args.in_place);
        let opened = if args.in_place { entry.open_regular() } else { entry.open() };
        let (file, start) = match opened.map_err(FileError::Read)? {
            Opened::Seekable { file, start } => (file, start),
            // A repair reads its input only once, so nothing needs to be stored.
            Opened::Stream(stream) if args.from.is_none() && !args.diff => {
                let plan = args.invalid_as.map_or(Plan::Repair, Plan::InvalidAs);
                return self.write(plan, stream, target(), None, false, out);
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
        let mut guarded = false;
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
                guarded = self.is_guarded(&file);
                if guarded {
                    let look = Look::find(from, len, before - start).map_err(FileError::Read)?;
                    if let Some(look) = look {
                        return Err(self.guarded(&look, &mut from(0)));
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
            return self.diff(&entry.source, plan, from(0), &file, guarded, out);
        }
        if plan == Plan::Copy && args.in_place {
            // The file is replaced only if something changes.
            let changes =
                transform(args, self.kernel, plan, &mut from(0), &Progress::none(), &mut io::sink())?;
            if changes.is_nothing() {
                self.clean_up(entry);
                return Ok(FileReport::unchanged());
            }
        }
        // Windows does not replace a file that is open. This reader closes it before that.
        let reader = FileFrom { file, at: start };
        self.write(plan, reader, target(), original, guarded, out)
    }

    /// Whether a file that does not look like UTF-8 with errors is left alone: if `file` itself
    /// would be replaced, and the command line does not say how.
    fn is_guarded(&self, file: &File) -> bool {
        let args = self.args;
        let is_output = || {
            let output = args.output.as_ref()?.metadata().ok()?;
            Some(identity(&output)? == identity(&file.metadata().ok()?)?)
        };
        let is_replaced = args.in_place || args.is_dry() || is_output() == Some(true);
        is_replaced && args.from.is_none() && args.invalid_as.is_none() && args.remedy.is_none()
    }

    /// Returns the error for a file that is left alone, after counting what would be replaced in
    /// it.
    fn guarded(&self, look: &Look, reader: &mut dyn Read) -> FileError {
        match transform(self.args, self.kernel, Plan::Repair, reader, &Progress::none(), &mut io::sink()) {
            Ok(changes) => FileError::Guarded(look.message(changes.invalid)),
            Err(error) => error,
        }
    }

    /// Writes what `plan` makes of `reader` to `out`. Fails if that is `guarded`, and `reader`
    /// turns out to be binary.
    fn transform(
        &self,
        plan: Plan,
        reader: impl Read,
        guarded: bool,
        out: &mut dyn Write,
    ) -> Result<Changes, FileError> {
        let mut watch = Watch::new(reader, guarded);
        let changes = transform(self.args, self.kernel, plan, &mut watch, &self.validator.progress, out)?;
        match watch.look() {
            Some(look) => Err(FileError::Guarded(look.message(changes.invalid))),
            None => Ok(changes),
        }
    }

    /// Removes what a killed run has left of a file that needs no change now. If this fails, no
    /// harm is done.
    fn clean_up(&self, entry: &Entry) {
        if let (true, Source::Path(path)) = (self.args.in_place, &entry.source) {
            let _ = replace::remove_leftover(path);
        }
    }

    /// Writes the fixed text of `reader` to `target`, or nowhere with `--check`.
    fn write(
        &self,
        plan: Plan,
        reader: impl Read,
        target: Target,
        original: Option<Original>,
        guarded: bool,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        let args = self.args;
        let progress = &self.validator.progress;
        if args.is_dry() {
            let changes = self.transform(plan, reader, guarded, &mut io::sink())?;
            return Ok(FileReport::new(changes, Vec::new(), args));
        }
        let backup = args.backup.as_deref();
        let (changes, lost) = target
            .write(original, backup, progress, out, |out| self.transform(plan, reader, guarded, out))?;
        Ok(FileReport::new(changes, lost, args))
    }

    /// Shows what would change.
    fn diff(
        &self,
        source: &Source,
        plan: Plan,
        mut reader: FileFrom<&File>,
        file: &File,
        guarded: bool,
        out: &mut dyn Write,
    ) -> Result<FileReport, FileError> {
        if file.metadata().map_err(FileError::Read)?.len() > diff::LONGEST {
            let report = self.write(plan, reader, Target::StandardOutput, None, guarded, out)?;
            if report.is_changed() {
                self.print(&format!("{}: is too long to show the difference", source.display()));
            }
            return Ok(report);
        }
        let mut old = Vec::new();
        reader.read_to_end(&mut old).map_err(FileError::Read)?;
        let mut new = Vec::new();
        let progress = &self.validator.progress;
        let changes = self.transform(plan, &old[..], guarded, &mut new)?;
        if old != new {
            let colors = Colors::new(self.common.color);
            progress
                .suspend(|| diff::write(out, source.name(), &old, &new, &colors, stdout().is_terminal()))
                .map_err(FileError::Write)?;
        }
        Ok(FileReport::new(changes, Vec::new(), self.args))
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

//! `trust8 fix`: repairs what is not UTF-8, or converts it.
//!
//! - `charset.rs` has the values of `--from`, and `guess.rs` guesses for `--from auto`.
//! - `repair.rs` replaces invalid sequences, leaves them out or escapes them.
//! - `decode.rs` converts other encodings into UTF-8.

pub(crate) mod charset;
mod decode;
mod guess;
mod repair;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use trust8::Kernel;

use crate::args::{CommonArgs, FixArgs, Remedy};
use crate::atomic_file::{self, AtomicFile};
use crate::check::total_bytes;
use crate::interrupt;
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::source::{FileFrom, Opened, Source};
use crate::validate::{Buffer, FileStatus, FileValidator};
use crate::walk::{Entry, Walk};
use charset::Charset;
pub(crate) use guess::guess_encoding;

/// Why a file was not repaired or converted.
pub(crate) enum FileError {
    Read(io::Error),
    Write(io::Error),
    /// The file is not valid in the encoding, or the encoding has something that the target can't encode.
    Unconvertible(String),
}

/// Runs the command.
pub(crate) fn run(args: &FixArgs, common: &CommonArgs) -> ExitCode {
    if let Err(error) = check_args(args) {
        return Outcome::fail(error);
    }
    let walk = match Walk::new(&args.selection) {
        Ok(walk) => walk,
        Err(error) => return Outcome::fail(&error),
    };
    let progress = Progress::start(!common.no_progress, {
        let selection = args.selection.clone();
        move || total_bytes(&selection)
    });
    interrupt::on_signal({
        let progress = progress.clone();
        move || progress.finish()
    });
    interrupt::on_signal(atomic_file::remove_unfinished);
    let fix = Fix {
        args,
        kernel: common.kernel(),
        validator: FileValidator::new(common.kernel(), common.threads(), progress.clone(), false),
    };
    let outcome = fix.fix_all(walk);
    progress.finish();
    outcome.into()
}

/// Checks what clap can't.
fn check_args(args: &FixArgs) -> Result<(), &'static str> {
    let paths = &args.selection.paths;
    let is_stdin = |path: &Path| Source::named(path) == Source::StandardInput;
    if args.in_place && (paths.is_empty() || paths.iter().any(|path| is_stdin(path))) {
        Err("fix --in-place: standard input cannot be replaced")
    } else if args.output.is_some() && paths.len() > 1 {
        Err("fix --output: only one file can be given")
    } else if !args.in_place && paths.iter().any(|path| !is_stdin(path) && path.is_dir()) {
        Err("fix: folders can only be fixed with --in-place")
    } else {
        Ok(())
    }
}

struct Fix<'a> {
    args: &'a FixArgs,
    kernel: &'static Kernel,
    validator: FileValidator,
}

/// What was changed in a file.
struct Changes {
    /// The encoding that it was converted from.
    from: Option<Charset>,
    /// How many invalid sequences were replaced, left out or escaped.
    invalid: u64,
}

impl Fix<'_> {
    fn fix_all(&self, walk: Walk<'_>) -> Outcome {
        let mut out = BufWriter::new(stdout().lock());
        let mut buffer = Buffer::new();
        let mut outcome = Outcome::AllValid;
        for found in walk {
            let (name, result) = match found {
                Ok(entry) => (entry.source.display().to_string(), self.fix(&entry, &mut out, &mut buffer)),
                Err(unreachable) => (
                    unreachable.path.display().to_string(),
                    Err(FileError::Read(io::Error::other(unreachable.why))),
                ),
            };
            let (message, worse) = match result {
                Ok(None) => continue,
                Ok(Some(changes)) => {
                    self.report(&name, &changes);
                    continue;
                }
                Err(FileError::Read(error)) => (format!("{name}: {error}"), Outcome::SomeUnread),
                Err(FileError::Write(error)) if self.to_stdout() => {
                    // Writing again would fail again. A reader that closed the pipe has seen what it needs.
                    let _ = out.into_parts();
                    if error.kind() != io::ErrorKind::BrokenPipe {
                        self.print(&format!("standard output: {error}"));
                        outcome = Outcome::SomeUnread;
                    }
                    return outcome;
                }
                Err(FileError::Write(error)) => {
                    (format!("{name}: could not be written, and is unchanged: {error}"), Outcome::SomeUnread)
                }
                Err(FileError::Unconvertible(why)) => (format!("{name}: {why}"), Outcome::SomeInvalid),
            };
            self.print(&message);
            outcome = outcome.max(worse);
        }
        match out.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.print(&format!("standard output: {error}"));
                outcome = Outcome::SomeUnread;
            }
            _ => {}
        }
        let _ = out.into_parts();
        outcome
    }

    fn to_stdout(&self) -> bool {
        !self.args.in_place && self.args.output.is_none()
    }

    /// Prints `message` on standard error.
    fn print(&self, message: &str) {
        self.validator.progress.suspend(|| print_error(message));
    }

    /// Reports the changes with --verbose. A guess may be wrong, so it is always reported.
    fn report(&self, name: &str, changes: &Changes) {
        let guessed = self.args.from == Some(Charset::Auto);
        if !self.args.verbose && !guessed {
            return;
        }
        let mut message = match changes.from {
            Some(from) if guessed => format!("{name}: converted from {} (a guess)", from.label()),
            Some(from) => format!("{name}: converted from {}", from.label()),
            None => format!("{name}: repaired"),
        };
        if changes.invalid > 0 {
            let sequences = if changes.invalid == 1 { "sequence" } else { "sequences" };
            let remedied = match self.args.remedy().unwrap_or(Remedy::Replace) {
                Remedy::Replace => "replaced by U+FFFD",
                Remedy::Skip => "left out",
                Remedy::Escape => "escaped",
            };
            message += &format!(", {} invalid {sequences} {remedied}", changes.invalid);
        }
        self.print(&message);
    }

    /// Fixes one file. Returns `None` if there was nothing to fix.
    fn fix(
        &self,
        entry: &Entry,
        out: &mut impl Write,
        buffer: &mut Buffer,
    ) -> Result<Option<Changes>, FileError> {
        let opened = if entry.named { entry.source.open() } else { entry.source.open_found() };
        let (file, start) = match opened.map_err(FileError::Read)? {
            Opened::Seekable { file, start } => (file, start),
            Opened::Stream(_) if self.args.in_place => {
                return Err(FileError::Read(io::Error::other(
                    "not a regular file, so it cannot be repaired in place",
                )));
            }
            // A repair reads its input only once, so nothing needs to be stored.
            Opened::Stream(stream) if self.args.from.is_none() => {
                return self.write_to_target(&entry.source, out, |out| {
                    let remedy = self.args.remedy();
                    let progress = &self.validator.progress;
                    let invalid = write_fixed(self.kernel, None, stream, remedy, progress, out)?;
                    Ok((invalid > 0).then_some(Changes { from: None, invalid }))
                });
            }
            Opened::Stream(stream) => (copy_to_temporary_file(stream).map_err(FileError::Read)?, 0),
        };
        let skip_binary = !entry.named && !self.args.selection.binary;
        let status = self.validator.validate(&file, start, skip_binary, buffer).map_err(FileError::Read)?;
        let is_valid = matches!(status, FileStatus::Valid { .. });
        if status == FileStatus::Binary || is_valid && !self.args.force && self.args.in_place {
            return Ok(None);
        }
        let from = |skip| FileFrom { file: &file, at: start + skip };
        let reader = || from(0);
        if is_valid && !self.args.force {
            return self.write_to_target(&entry.source, out, |out| {
                repair::copy(reader(), out)?;
                Ok(None)
            });
        }
        let charset = source_charset(self.kernel, self.args.from, from)?;
        self.write_to_target(&entry.source, out, |out| {
            let remedy = self.args.remedy();
            let invalid = write_fixed(self.kernel, charset, reader(), remedy, &Progress::none(), out)?;
            Ok(Some(Changes { from: charset, invalid }))
        })
    }

    /// Calls `write` with standard output, or with a new file that replaces the target if `write` succeeds.
    fn write_to_target<T>(
        &self,
        source: &Source,
        out: &mut impl Write,
        write: impl FnOnce(&mut dyn Write) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let target = match (&self.args.output, source) {
            (Some(path), _) => path,
            (None, Source::Path(path)) if self.args.in_place => path,
            _ => return write(out),
        };
        if self.args.output.is_some() && atomic_file::is_special(target) {
            // A device or a pipe can be written to, but not replaced.
            let mut file = File::options().write(true).open(target).map_err(FileError::Write)?;
            return write(&mut file);
        }
        let mut file = AtomicFile::create(target).map_err(FileError::Write)?;
        let result = write(&mut file)?;
        file.commit(self.args.backup.as_deref()).map_err(FileError::Write)?;
        Ok(result)
    }
}

/// Returns what to convert from: `charset`, or a guess if that is `auto`.
pub(crate) fn source_charset<R: io::Read>(
    kernel: &'static Kernel,
    charset: Option<Charset>,
    from: impl Fn(u64) -> R,
) -> Result<Option<Charset>, FileError> {
    match charset {
        Some(Charset::Auto) => guess::guess(kernel, from).map(Some),
        charset => Ok(charset),
    }
}

/// Writes the text of `reader` to `out`: converted from `charset`, or without one, repaired. Returns how many sequences
/// were invalid.
pub(crate) fn write_fixed(
    kernel: &'static Kernel,
    charset: Option<Charset>,
    reader: impl io::Read,
    remedy: Option<Remedy>,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    match charset {
        Some(charset) => decode::decode(kernel, charset, reader, remedy, out),
        None => repair::repair(kernel, reader, remedy.unwrap_or(Remedy::Replace), progress, out),
    }
}

/// Copies a stream that has to be read more than once into a temporary file.
pub(crate) fn copy_to_temporary_file(mut stream: impl io::Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut stream, &mut file)?;
    file.rewind()?;
    Ok(file)
}

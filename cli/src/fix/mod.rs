//! `trust8 fix`: repairs what is not UTF-8, or converts it.
//!
//! - `charset.rs`: what `--from` can name.
//! - `repair.rs`: invalid sequences replaced, left out or escaped.
//! - `convert.rs`: from other encodings; and which one, where it is to be guessed.
//! - `replacement.rs`: the new file in the old one's place, in one step.

pub(crate) mod charset;
mod convert;
mod repair;
pub(crate) mod replacement;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use trust8::Kernel;

use crate::args::{Common, FixArgs, Remedy};
use crate::check::total;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::read::{Buffer, Look, Reader};
use crate::scan::FileFrom;
use crate::source::{Opened, Source};
use crate::turns::complain;
use crate::walk::{Entry, Walk};
use charset::Charset;
pub(crate) use convert::guess_encoding;
use replacement::Replacement;

/// Why a file was not repaired.
pub(crate) enum Trouble {
    Reading(io::Error),
    Writing(io::Error),
    /// It is not what `--from` says, or UTF-8 has nothing for what it says.
    Unconvertible(String),
}

/// Runs the command.
pub(crate) fn run(args: &FixArgs, common: &Common) -> ExitCode {
    if let Err(what) = possible(args) {
        return Outcome::trouble(what);
    }
    let walk = match Walk::new(&args.selection) {
        Ok(walk) => walk,
        Err(error) => return Outcome::trouble(&error),
    };
    let progress = Progress::start(!common.no_progress, {
        let selection = args.selection.clone();
        move || total(&selection)
    });
    interrupt::before_the_end({
        let progress = progress.clone();
        move || progress.finish()
    });
    interrupt::before_the_end(replacement::remove_all);
    let fix = Fix {
        args,
        kernel: common.kernel(),
        reader: Reader::new(common.kernel(), common.threads(), progress.clone(), false),
    };
    let outcome = fix.all(walk);
    progress.finish();
    outcome.into()
}

/// What the command line's grammar can't say.
fn possible(args: &FixArgs) -> Result<(), &'static str> {
    let paths = &args.selection.paths;
    let is_stdin = |path: &Path| Source::named(path) == Source::StandardInput;
    if args.in_place && (paths.is_empty() || paths.iter().any(|path| is_stdin(path))) {
        Err("fix --in-place: standard input has no place")
    } else if args.output.is_some() && paths.len() > 1 {
        Err("fix --output: for one file only")
    } else if !args.in_place && paths.iter().any(|path| !is_stdin(path) && path.is_dir()) {
        Err("fix: folders only with --in-place")
    } else {
        Ok(())
    }
}

struct Fix<'a> {
    args: &'a FixArgs,
    kernel: &'static Kernel,
    reader: Reader,
}

/// What has been done to a file, for who wants to know.
struct Done {
    /// The encoding that it was converted from.
    from: Option<Charset>,
    /// How many sequences were replaced, left out or escaped.
    remedied: u64,
}

impl Fix<'_> {
    fn all(&self, walk: Walk<'_>) -> Outcome {
        let mut out = BufWriter::new(stdout().lock());
        let mut buffer = Buffer::new();
        let mut outcome = Outcome::AllValid;
        for found in walk {
            let (name, result) = match found {
                Ok(entry) => (entry.source.display().to_string(), self.one(&entry, &mut out, &mut buffer)),
                Err(unreachable) => (
                    unreachable.path.display().to_string(),
                    Err(Trouble::Reading(io::Error::other(unreachable.why))),
                ),
            };
            let (what, worse) = match result {
                Ok(None) => continue,
                Ok(Some(done)) => {
                    self.tell(&name, &done);
                    continue;
                }
                Err(Trouble::Reading(error)) => (format!("{name}: {error}"), Outcome::SomeUnread),
                Err(Trouble::Writing(error)) if self.to_stdout() => {
                    // Who reads it has seen enough, or nothing more can be written anyway.
                    let _ = out.into_parts();
                    if error.kind() != io::ErrorKind::BrokenPipe {
                        self.say(&format!("standard output: {error}"));
                        outcome = Outcome::SomeUnread;
                    }
                    return outcome;
                }
                Err(Trouble::Writing(error)) => {
                    (format!("{name}: could not be written, and is as it was: {error}"), Outcome::SomeUnread)
                }
                Err(Trouble::Unconvertible(why)) => (format!("{name}: {why}"), Outcome::SomeInvalid),
            };
            self.say(&what);
            outcome = outcome.max(worse);
        }
        match out.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.say(&format!("standard output: {error}"));
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

    fn say(&self, what: &str) {
        self.reader.progress.aside(|| complain(what));
    }

    /// A guess may be wrong, so it is told of in any case.
    fn tell(&self, name: &str, done: &Done) {
        let guessed = self.args.from == Some(Charset::Auto);
        if !self.args.verbose && !guessed {
            return;
        }
        let mut what = match done.from {
            Some(from) if guessed => format!("{name}: converted from {} (a guess)", from.label()),
            Some(from) => format!("{name}: converted from {}", from.label()),
            None => format!("{name}: repaired"),
        };
        if done.remedied > 0 {
            let sequences = if done.remedied == 1 { "sequence" } else { "sequences" };
            let remedied = match self.args.remedy().unwrap_or(Remedy::Replace) {
                Remedy::Replace => "replaced by U+FFFD",
                Remedy::Skip => "left out",
                Remedy::Escape => "escaped",
            };
            what += &format!(", {} invalid {sequences} {remedied}", done.remedied);
        }
        self.say(&what);
    }

    /// Repairs one file, if there is anything to repair.
    fn one(&self, entry: &Entry, out: &mut impl Write, buffer: &mut Buffer) -> Result<Option<Done>, Trouble> {
        let opened = if entry.named { entry.source.open() } else { entry.source.open_file() };
        let (file, start) = match opened.map_err(Trouble::Reading)? {
            Opened::Seekable { file, start } => (file, start),
            Opened::Stream(_) if self.args.in_place => {
                return Err(Trouble::Reading(io::Error::other(
                    "no file that could be repaired in its place",
                )));
            }
            // What needs no second look goes through at once.
            Opened::Stream(stream) if self.args.from.is_none() => {
                return self.write_to_target(&entry.source, out, |out| {
                    let remedy = self.args.remedy();
                    let remedied = remedied(self.kernel, None, stream, remedy, &self.reader.progress, out)?;
                    Ok((remedied > 0).then_some(Done { from: None, remedied }))
                });
            }
            Opened::Stream(stream) => (spooled(stream).map_err(Trouble::Reading)?, 0),
        };
        let skip_binary = !entry.named && !self.args.selection.binary;
        let look = self.reader.look(&file, start, skip_binary, buffer).map_err(Trouble::Reading)?;
        let valid = matches!(look, Look::Valid { .. });
        if look == Look::Binary || valid && !self.args.force && self.args.in_place {
            return Ok(None);
        }
        let from = |skip| FileFrom { file: &file, at: start + skip };
        let reader = || from(0);
        if valid && !self.args.force {
            return self.write_to_target(&entry.source, out, |out| {
                repair::copy(reader(), out)?;
                Ok(None)
            });
        }
        let charset = settled(self.kernel, self.args.from, from)?;
        self.write_to_target(&entry.source, out, |out| {
            let remedy = self.args.remedy();
            let remedied = remedied(self.kernel, charset, reader(), remedy, &Progress::none(), out)?;
            Ok(Some(Done { from: charset, remedied }))
        })
    }

    /// Has something written to where it belongs: to standard output, or into the place of a file, where it
    /// appears only if all went well.
    fn write_to_target<T>(
        &self,
        source: &Source,
        out: &mut impl Write,
        write: impl FnOnce(&mut dyn Write) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let target = match (&self.args.output, source) {
            (Some(path), _) => path,
            (None, Source::Path(path)) if self.args.in_place => path,
            _ => return write(out),
        };
        if self.args.output.is_some() && replacement::is_no_file(target) {
            // A device, a pipe: nothing to put a file in the place of.
            let mut file = File::options().write(true).open(target).map_err(Trouble::Writing)?;
            return write(&mut file);
        }
        let mut replacement = Replacement::of(target).map_err(Trouble::Writing)?;
        let result = write(&mut replacement)?;
        replacement.commit(self.args.backup.as_deref()).map_err(Trouble::Writing)?;
        Ok(result)
    }
}

/// What a file is taken for: what `--from` says, or with `auto`, what it seems to be.
pub(crate) fn settled<R: io::Read>(
    kernel: &'static Kernel,
    charset: Option<Charset>,
    from: impl Fn(u64) -> R,
) -> Result<Option<Charset>, Trouble> {
    match charset {
        Some(Charset::Auto) => convert::guess(kernel, from).map(Some),
        charset => Ok(charset),
    }
}

/// Writes what is read, converted, or where nothing is named to convert it from, repaired. Says how many sequences
/// the remedy was for.
pub(crate) fn remedied(
    kernel: &'static Kernel,
    charset: Option<Charset>,
    reader: impl io::Read,
    remedy: Option<Remedy>,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<u64, Trouble> {
    match charset {
        Some(charset) => convert::convert(kernel, charset, reader, remedy, out),
        None => repair::repair(kernel, reader, remedy.unwrap_or(Remedy::Replace), progress, out),
    }
}

/// All of a stream in a file, for what has to be read more than once.
pub(crate) fn spooled(mut stream: impl io::Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(&mut stream, &mut file)?;
    file.rewind()?;
    Ok(file)
}

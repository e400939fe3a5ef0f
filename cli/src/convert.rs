//! `trust8 convert`: converts text from one encoding into another, as a stream.

use std::fs::File;
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use trust8::Kernel;
use trust8::transcode::{Encoding, Transcoder, TranscoderError};

use crate::args::{CommonArgs, suffix};
use crate::atomic_file::{self, AtomicFile};
use crate::fix::FileError;
use crate::interrupt;
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::source::{self, CHUNK, Opened, Source};

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Files; `-`, or no file at all, means standard input
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// The encoding of the input: utf-8, utf-16le, utf-16be, utf-32le, utf-32be or latin1
    ///
    /// Here latin1 is ISO-8859-1, in which every byte is a character. For what browsers call latin1, and for all other
    /// encodings, use `trust8 fix --from`.
    #[arg(long, value_name = "ENCODING", default_value = "utf-8", value_parser = encoding)]
    from: Encoding,

    /// The encoding of the output: one of the same
    ///
    /// A byte order mark is a character like any other: it is converted, and none is added.
    #[arg(long, value_name = "ENCODING", value_parser = encoding, required_unless_present = "generate")]
    to: Option<Encoding>,

    /// Replace what can't be converted by U+FFFD (by `?` in latin1, which has no U+FFFD)
    #[arg(long)]
    replace: bool,

    /// Write to this file, which is replaced in one step at the end
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place")]
    output: Option<PathBuf>,

    /// Replace each file by its converted text, in one step
    #[arg(long, short = 'i')]
    in_place: bool,

    /// With --in-place, keep each old file under its name with SUFFIX appended (by default, ~)
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "~",
          requires = "in_place", value_parser = suffix)]
    backup: Option<String>,
}

/// Returns the encoding called `name`, or an error that lists the names of all.
fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::by_name(name)
        .ok_or_else(|| format!("expected one of {}", Encoding::ALL.map(Encoding::name).join(", ")))
}

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, common: &CommonArgs) -> ExitCode {
    // clap requires --to, except with --generate, which `lib.rs` has dealt with.
    let Some(to) = args.to else { return Outcome::fail("convert: --to is missing") };
    let sources: Vec<_> = if args.paths.is_empty() {
        vec![Source::StandardInput]
    } else {
        args.paths.iter().map(|path| Source::named(path)).collect()
    };
    if args.in_place && sources.contains(&Source::StandardInput) {
        return Outcome::fail("convert --in-place: standard input cannot be replaced");
    }
    if args.output.is_some() && sources.len() > 1 {
        return Outcome::fail("convert --output: only one file can be given");
    }
    let progress = Progress::start(!common.no_progress, {
        let sources = sources.clone();
        move || sources.iter().map(Source::len).sum()
    });
    interrupt::on_signal({
        let progress = progress.clone();
        move || progress.finish()
    });
    interrupt::on_signal(atomic_file::remove_unfinished);
    let convert = Convert { args, to, kernel: common.kernel(), progress };
    let outcome = convert.convert_all(&sources);
    convert.progress.finish();
    outcome.into()
}

struct Convert<'a> {
    args: &'a ConvertArgs,
    to: Encoding,
    kernel: &'static Kernel,
    progress: Progress,
}

impl Convert<'_> {
    fn convert_all(&self, sources: &[Source]) -> Outcome {
        let mut out = BufWriter::with_capacity(CHUNK, stdout().lock());
        let mut outcome = Outcome::AllValid;
        for source in sources {
            let result = match self.target(source) {
                None => self.convert(source, &mut out),
                Some(target) => self.convert_into_file(source, target),
            };
            let (message, worse) = match result {
                Ok(()) => continue,
                Err(FileError::Read(error)) => {
                    (format!("{}: {error}", source.display()), Outcome::SomeUnread)
                }
                Err(FileError::Unconvertible(why)) => {
                    (format!("{}: {why}", source.display()), Outcome::SomeInvalid)
                }
                Err(FileError::Write(error)) => match self.target(source) {
                    Some(target) => {
                        let message = format!("{}: could not be written: {error}", target.display());
                        (message, Outcome::SomeUnread)
                    }
                    None => return self.output_failed(out, outcome, &error),
                },
            };
            self.progress.suspend(|| print_error(&message));
            outcome = outcome.max(worse);
        }
        match out.flush() {
            Ok(()) => outcome,
            Err(error) => self.output_failed(out, outcome, &error),
        }
    }

    /// Reports that standard output can't be written to. A reader that closed the pipe has seen what it needs.
    fn output_failed(&self, out: BufWriter<impl Write>, outcome: Outcome, error: &io::Error) -> Outcome {
        // Dropping `out` would try to write again.
        let _ = out.into_parts();
        if error.kind() == io::ErrorKind::BrokenPipe {
            return outcome;
        }
        self.progress.suspend(|| print_error(&format!("standard output: {error}")));
        Outcome::SomeUnread
    }

    /// Returns the file to write, or `None` for standard output.
    fn target<'a>(&'a self, source: &'a Source) -> Option<&'a Path> {
        match (&self.args.output, source) {
            (Some(path), _) => Some(path),
            (None, Source::Path(path)) if self.args.in_place => Some(path),
            _ => None,
        }
    }

    /// Converts `source` into the file `target`, which is replaced only if everything could be converted.
    fn convert_into_file(&self, source: &Source, target: &Path) -> Result<(), FileError> {
        if atomic_file::is_special(target) {
            if self.args.in_place {
                return Err(FileError::Read(io::Error::other(
                    "not a regular file, so it cannot be converted in place",
                )));
            }
            // A device or a pipe can be written to, but not replaced.
            let mut file = File::options().write(true).open(target).map_err(FileError::Write)?;
            return self.convert(source, &mut file);
        }
        // If the source can't be opened, no file is created.
        let opened = source.open().map_err(FileError::Read)?;
        let mut file = AtomicFile::create(target).map_err(FileError::Write)?;
        self.convert_stream(opened, &mut file)?;
        file.commit(self.args.backup.as_deref()).map_err(FileError::Write)
    }

    fn convert(&self, source: &Source, out: &mut impl Write) -> Result<(), FileError> {
        self.convert_stream(source.open().map_err(FileError::Read)?, out)
    }

    fn convert_stream(&self, opened: Opened, out: &mut impl Write) -> Result<(), FileError> {
        let (Opened::Seekable { mut file, .. } | Opened::Stream(mut file)) = opened;
        let ConvertArgs { from, replace, .. } = *self.args;
        let mut transcoder = Transcoder::with_kernel(self.kernel, from, self.to, replace);
        let mut bytes = vec![0; CHUNK];
        let mut text = Vec::new();
        loop {
            let n = source::read(&mut file, &mut bytes).map_err(FileError::Read)?;
            let result = match n {
                0 => transcoder.finish(&mut text),
                _ => transcoder.push(&bytes[..n], &mut text),
            };
            // `text` has what comes before an error.
            out.write_all(&text).map_err(FileError::Write)?;
            text.clear();
            result.map_err(|error| unconvertible(&error))?;
            self.progress.add(n as u64);
            if n == 0 {
                return Ok(());
            }
        }
    }
}

fn unconvertible(error: &TranscoderError) -> FileError {
    FileError::Unconvertible(format!("{error} (to continue, use --replace)"))
}

//! `trust8 convert`: text from one encoding into another, as it streams by.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use trust8::Kernel;
use trust8::transcode::{Encoding, StreamError, Transcoder};

use crate::args::{Common, suffix};
use crate::fix::Trouble;
use crate::fix::replacement::{self, Replacement};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::read::CHUNK;
use crate::source::{Opened, Source};
use crate::turns::complain;

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Files; `-` or none: standard input
    #[arg(value_name = "FILE")]
    paths: Vec<PathBuf>,

    /// What they are in: utf-8, utf-16le, utf-16be, utf-32le, utf-32be or latin1
    ///
    /// latin1 is ISO-8859-1, in which every byte is a character. For what browsers call that, and for all other
    /// encodings, there is `trust8 fix --from`.
    #[arg(long, value_name = "ENCODING", default_value = "utf-8", value_parser = encoding)]
    from: Encoding,

    /// What they are to be in: one of the same
    ///
    /// A byte order mark is a character like any other: it is kept, and none is added.
    #[arg(long, value_name = "ENCODING", value_parser = encoding, required_unless_present = "generate")]
    to: Option<Encoding>,

    /// Put U+FFFD in place of what can't be converted, and `?` into latin1, which has not got that
    #[arg(long)]
    replace: bool,

    /// Write to this file, which is replaced at the end, in one step
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "in_place")]
    output: Option<PathBuf>,

    /// Write each file's converted text in its place, in one step
    #[arg(long, short = 'i')]
    in_place: bool,

    /// With --in-place, keep the old file under its name with this behind it
    #[arg(long, value_name = "SUFFIX", num_args = 0..=1, require_equals = true, default_missing_value = "~",
          requires = "in_place", value_parser = suffix)]
    backup: Option<String>,
}

/// The encoding of that name, or a message with the names that would do.
fn encoding(name: &str) -> Result<Encoding, String> {
    Encoding::by_name(name).ok_or_else(|| Encoding::ALL.map(Encoding::name).join(", ") + " are known")
}

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, common: &Common) -> ExitCode {
    // Only with --generate, which has been seen to.
    let Some(to) = args.to else { return Outcome::trouble("convert: --to is missing") };
    let sources: Vec<_> = if args.paths.is_empty() {
        vec![Source::StandardInput]
    } else {
        args.paths.iter().map(|path| Source::named(path)).collect()
    };
    if args.in_place && sources.contains(&Source::StandardInput) {
        return Outcome::trouble("convert --in-place: standard input has no place");
    }
    if args.output.is_some() && sources.len() > 1 {
        return Outcome::trouble("convert --output: for one file only");
    }
    let progress = Progress::start(!common.no_progress, {
        let sources = sources.clone();
        move || sources.iter().map(Source::len).sum()
    });
    interrupt::before_the_end({
        let progress = progress.clone();
        move || progress.finish()
    });
    interrupt::before_the_end(replacement::remove_all);
    let convert = Convert { args, to, kernel: common.kernel(), progress };
    let outcome = convert.all(&sources);
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
    fn all(&self, sources: &[Source]) -> Outcome {
        let mut out = BufWriter::with_capacity(CHUNK, stdout().lock());
        let mut outcome = Outcome::AllValid;
        for source in sources {
            let result = match self.target(source) {
                None => self.one(source, &mut out),
                Some(target) => self.replaced(source, target),
            };
            let (what, worse) = match result {
                Ok(()) => continue,
                Err(Trouble::Reading(error)) => {
                    (format!("{}: {error}", source.display()), Outcome::SomeUnread)
                }
                Err(Trouble::Unconvertible(why)) => {
                    (format!("{}: {why}", source.display()), Outcome::SomeInvalid)
                }
                Err(Trouble::Writing(error)) => match self.target(source) {
                    Some(target) => {
                        let what = format!("{}: could not be written: {error}", target.display());
                        (what, Outcome::SomeUnread)
                    }
                    None => return self.output_failed(out, outcome, &error),
                },
            };
            self.progress.aside(|| complain(&what));
            outcome = outcome.max(worse);
        }
        match out.flush() {
            Ok(()) => outcome,
            Err(error) => self.output_failed(out, outcome, &error),
        }
    }

    /// Who reads it has seen enough, or nothing more can be written anyway.
    fn output_failed(&self, out: BufWriter<impl Write>, outcome: Outcome, error: &io::Error) -> Outcome {
        // Without another attempt.
        let _ = out.into_parts();
        if error.kind() == io::ErrorKind::BrokenPipe {
            return outcome;
        }
        self.progress.aside(|| complain(&format!("standard output: {error}")));
        Outcome::SomeUnread
    }

    /// The file to write, if that is not standard output.
    fn target<'a>(&'a self, source: &'a Source) -> Option<&'a Path> {
        match (&self.args.output, source) {
            (Some(path), _) => Some(path),
            (None, Source::Path(path)) if self.args.in_place => Some(path),
            _ => None,
        }
    }

    /// Into the place of a file, where it appears only if all went well.
    fn replaced(&self, source: &Source, target: &Path) -> Result<(), Trouble> {
        if replacement::is_no_file(target) {
            if self.args.in_place {
                return Err(Trouble::Reading(io::Error::other(
                    "no file that could be converted in its place",
                )));
            }
            // A device, a pipe: nothing to put a file in the place of.
            let mut file = File::options().write(true).open(target).map_err(Trouble::Writing)?;
            return self.one(source, &mut file);
        }
        // Before anything is made: it may not be there, or not readable.
        let opened = source.open().map_err(Trouble::Reading)?;
        let mut replacement = Replacement::of(target).map_err(Trouble::Writing)?;
        self.stream(opened, &mut replacement)?;
        replacement.commit(self.args.backup.as_deref()).map_err(Trouble::Writing)
    }

    fn one(&self, source: &Source, out: &mut impl Write) -> Result<(), Trouble> {
        self.stream(source.open().map_err(Trouble::Reading)?, out)
    }

    fn stream(&self, opened: Opened, out: &mut impl Write) -> Result<(), Trouble> {
        let (Opened::Seekable { mut file, .. } | Opened::Stream(mut file)) = opened;
        let ConvertArgs { from, replace, .. } = *self.args;
        let mut transcoder = Transcoder::with_kernel(self.kernel, from, self.to, replace);
        let mut bytes = vec![0; CHUNK];
        let mut text = Vec::new();
        loop {
            let n = match file.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                n => n.map_err(Trouble::Reading)?,
            };
            let result = match n {
                0 => transcoder.finish(&mut text),
                _ => transcoder.push(&bytes[..n], &mut text),
            };
            // What comes before an error is there.
            out.write_all(&text).map_err(Trouble::Writing)?;
            text.clear();
            result.map_err(|error| unconvertible(&error))?;
            self.progress.add(n as u64);
            if n == 0 {
                return Ok(());
            }
        }
    }
}

fn unconvertible(error: &StreamError) -> Trouble {
    Trouble::Unconvertible(format!("{error} (--replace would go on)"))
}

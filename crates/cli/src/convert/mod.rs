//! `trust8 convert`: converts text from one encoding into another, as a stream.
//!
//! This is not a part of `fix`, because the two differ in what they do with a file that is UTF-8
//! already: `fix` makes UTF-8, and leaves it alone; `convert` does what it is told.

mod encode;
mod place;

use std::cell::Cell;
use std::io::{self, BufWriter, Read as _, Write};
use std::process::ExitCode;

use memchr::{memchr_iter, memrchr};
use trust8::{Bom, Kernel};
use trust8_transcode::{ConversionErrorKind, Encoding, KernelForms, Transcoder, TranscoderError};

use crate::args::{CommonArgs, ConvertArgs, Remedy, Selection};
use crate::charset::{Charset, LATIN1_EXACT};
use crate::dialects::accepting_dialects;
use crate::fix::decode::decode;
use crate::fix::guard::{Refused, Watch, unlikely};
use crate::fix::{FileError, HINT, copy_to_temporary_file};
use crate::guess::evidence::Evidence;
use crate::guess::{Guess, guess, guess_valid, mark, seems_to_be};
use crate::interrupt;
use crate::outcome::{Outcome, print_error};
use crate::progress::Progress;
use crate::replace::{self, Original};
use crate::source::{self, CHUNK_BYTES, FileFrom, Opened, Source, aligned_buffer, readers};
use crate::streams::StandardOutput;
use crate::target::Target;
use encode::Encode;
use place::Place;

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs, common: &CommonArgs) -> ExitCode {
    // clap requires --to, except with --generate, which `lib.rs` has dealt with.
    let Some(to) = args.to else { return Outcome::fail("convert: --to is missing") };
    let sources = match Selection::of_files(&args.paths, args.files_from.as_deref()) {
        Ok(sources) => sources,
        Err(error) => return Outcome::fail(&format!("convert: {error}")),
    };
    if args.in_place && sources.contains(&Source::StandardInput) {
        return Outcome::fail("convert --in-place: standard input cannot be replaced");
    }
    if args.output.is_some() && sources.len() != 1 {
        return Outcome::fail("convert --output: only one file can be given");
    }
    let progress = Progress::start(!common.no_progress, {
        let sources = sources.clone();
        move || sources.iter().map(Source::len).sum()
    });
    progress.phase("converting");
    interrupt::on_signal(replace::remove_unfinished);
    let convert = Convert { args, to, kernel: common.kernel(), progress, is_marked: Cell::new(false) };
    let outcome = convert.convert_all(&sources);
    convert.progress.finish();
    outcome.into()
}

struct Convert<'a> {
    args: &'a ConvertArgs,
    to: Charset,
    kernel: &'static Kernel,
    progress: Progress,
    /// Whether standard output has a byte order mark.
    is_marked: Cell<bool>,
}

impl Convert<'_> {
    fn convert_all(&self, sources: &[Source]) -> Outcome {
        let mut out = BufWriter::with_capacity(CHUNK_BYTES, StandardOutput::new());
        let mut outcome = Outcome::AllValid;
        for source in sources {
            match self.convert(source, &mut out) {
                Ok(lost) => {
                    for lost in lost {
                        self.print(&format!("{}: {lost}", source.display()));
                    }
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
                }
            }
        }
        let written = out.flush();
        let _ = out.into_parts();
        outcome.with_output(written)
    }

    /// Prints `message` on standard error.
    fn print(&self, message: &str) {
        self.progress.suspend(|| print_error(message));
    }

    /// Converts one file. If it is replaced, returns which attributes of the old one could not be
    /// kept.
    fn convert(&self, source: &Source, out: &mut dyn Write) -> Result<Vec<String>, FileError> {
        let args = self.args;
        let target = Target::of(source, None, args.output.as_deref(), args.in_place);
        let is_new = !matches!(target, Target::StandardOutput);
        // If the source can't be opened, no file is created.
        let opened = if args.in_place { source.open_regular(None) } else { source.open() };
        let mut opened = opened.map_err(FileError::Read)?;
        if let Opened::Stream(stream) = opened {
            opened = match args.from {
                // A guess reads parts of the input twice.
                Charset::Auto => {
                    let file = copy_to_temporary_file(stream, u64::MAX).map_err(FileError::Read)?;
                    Opened::Seekable { file, start: 0 }
                }
                _ => Opened::Stream(stream),
            };
        }
        let original = match (&opened, source) {
            (Opened::Seekable { file, .. }, Source::Path(_)) => Some(Original::new(file)),
            _ => None,
        };
        let original = original.transpose().map_err(FileError::Read)?;
        if let Opened::Seekable { file, start } = &opened {
            target.check_input(file, *start).map_err(FileError::Read)?;
        }
        let from = match (&opened, args.from) {
            (Opened::Seekable { file, start }, Charset::Auto) => guessed(file, *start)?,
            (_, from) => from,
        };
        let backup = args.backup.as_deref();
        let refused = match args.from {
            Charset::Auto => Refused::in_guessed(from),
            _ => Refused::Nothing,
        };
        // What goes to standard output is one text.
        self.is_marked.set(self.is_marked.get() && !is_new);
        let ((), lost) = target.write(original, backup, &self.progress, out, |out| match opened {
            Opened::Seekable { file, start } => {
                let reader = FileFrom { file: &file, at: start };
                self.convert_text(from, Watch::new(reader, refused), out).map_err(unlikely)
            }
            Opened::Stream(stream) => self.convert_text(from, stream, out),
        })?;
        if args.from == Charset::Auto {
            self.print(&format!("{}: converted from {} (a guess)", source.display(), from.label()));
        }
        Ok(lost)
    }

    fn convert_text(
        &self,
        from: Charset,
        mut reader: impl io::Read,
        out: &mut dyn Write,
    ) -> Result<(), FileError> {
        if let (Some(from), Some(to)) = (from.exact(), self.to.exact()) {
            return self.transcode(from, to, &mut reader, out);
        }
        let mut first = Vec::new();
        reader.by_ref().take(4).read_to_end(&mut first).map_err(FileError::Read)?;
        let place = Place::start(from, Bom::detect(&first).map(|(mark, _)| mark));
        let mut reader = first.chain(reader);
        let mut encode = Encode::new(self.to, self.args.replace, place, &self.is_marked, out);
        let remedy = self.args.replace.then_some(Remedy::Replace);
        // For `decode`, a byte order mark is no part of the text.
        let result = match from.exact() {
            Some(from) => self.transcode(from, Encoding::Utf8, &mut reader, &mut encode),
            None => decode(from, &mut reader, remedy, &self.progress, &mut encode).map(drop),
        };
        let result = result.and_then(|()| encode.finish().map_err(FileError::Write));
        match (encode.error, result) {
            (Some(why), _) => Err(FileError::Unconvertible(why)),
            (None, Err(FileError::Unconvertible(why))) => {
                Err(FileError::Unconvertible(why.replace(HINT, REPLACE)))
            }
            (None, result) => result,
        }
    }

    /// Converts directly, with the library.
    fn transcode(
        &self,
        from: Encoding,
        to: Encoding,
        reader: &mut impl io::Read,
        out: &mut dyn Write,
    ) -> Result<(), FileError> {
        let mut steps = Steps::new(self.kernel, from, to, self.args.replace);
        let (mut buffer, start) = aligned_buffer(0);
        let bytes = &mut buffer[start..][..CHUNK_BYTES];
        let mut text = Vec::new();
        // If the target lacks characters, it is Latin-1, in which every byte is one.
        let (mut line, mut column, mut characters) = (1, 1, 0);
        loop {
            let n = source::read(reader, bytes).map_err(FileError::Read)?;
            let result = match n {
                0 => steps.finish(&mut text),
                _ => steps.push(&bytes[..n], &mut text),
            };
            // `text` has what comes before an error.
            out.write_all(&text).map_err(FileError::Write)?;
            if to == Encoding::Latin1 {
                line += memchr_iter(b'\n', &text).count() as u64;
                let after = memrchr(b'\n', &text).map_or(0, |at| at + 1);
                column = text.len() as u64 - after as u64 + if after > 0 { 1 } else { column };
                characters += text.len() as u64;
            }
            text.clear();
            result.map_err(|error| {
                FileError::Unconvertible(match error.kind() {
                    ConversionErrorKind::Unmappable(c) => {
                        let offset = match from {
                            Encoding::Utf8 => error.valid_up_to(),
                            Encoding::Utf16Le | Encoding::Utf16Be => 2 * characters,
                            _ => 4 * characters,
                        };
                        let source = Charset::Auto;
                        let place = Place { line, column, offset: Some(offset), source };
                        place.lacking(c, "is not in", LATIN1_EXACT)
                    }
                    _ => format!("{error}{REPLACE}"),
                })
            })?;
            self.progress.add(n as u64);
            if n == 0 {
                return Ok(());
            }
        }
    }
}

/// Returns what `file` seems to be encoded in.
fn guessed(file: &std::fs::File, start: u64) -> Result<Charset, FileError> {
    let from = readers(file, start);
    let read = || -> io::Result<Option<Guess>> {
        let len = file.metadata()?.len().saturating_sub(start);
        if decode(Charset::Utf8, &mut from(0), None, &Progress::none(), &mut io::sink()).is_ok() {
            return Ok(
                guess_valid(&Evidence::gather(from, len, 0)?).map(|it| Guess::Unknown(seems_to_be(it)))
            );
        }
        let (mark, accepted) = (mark(from)?, accepting_dialects(from, 0)?);
        Ok(Some(match (mark, guess(mark, &accepted, &Evidence::gather(from, len, 0)?)) {
            // These read the mark, which is no part of the text.
            (Some(Bom::Utf16Le | Bom::Utf16Be), Guess::From(_)) => Guess::From(Charset::Utf16),
            (Some(Bom::Utf32Le | Bom::Utf32Be), Guess::From(_)) => Guess::From(Charset::Utf32),
            (_, guess) => guess,
        }))
    };
    match read().map_err(FileError::Read)? {
        None => Ok(Charset::Utf8),
        Some(Guess::From(charset)) => Ok(charset),
        Some(Guess::Lines(_)) => Err(FileError::Unconvertible(
            "it is UTF-8 with some that is not; repair it first, with trust8 fix --from auto".to_owned(),
        )),
        Some(Guess::Unknown(why)) => Err(FileError::Unconvertible(why)),
    }
}

const REPLACE: &str = " (to continue, use --replace)";

/// A conversion between two of the library's encodings. If neither is UTF-8, the text becomes UTF-8
/// in between: with the other direct conversions, the command takes a tenth longer to compile.
struct Steps {
    first: Transcoder<Encoding, Encoding>,
    second: Option<Transcoder<Encoding, Encoding>>,
    /// What the first step has written.
    utf8: Vec<u8>,
}

impl Steps {
    fn new(kernel: &'static Kernel, from: Encoding, to: Encoding, lossy: bool) -> Self {
        let step = |from, to| {
            let from = kernel.form(from);
            if lossy { Transcoder::lossy(from, to) } else { Transcoder::new(from, to) }
        };
        let (first, second) = if from == Encoding::Utf8 || to == Encoding::Utf8 {
            (step(from, to), None)
        } else {
            (step(from, Encoding::Utf8), Some(step(Encoding::Utf8, to)))
        };
        Self { first, second, utf8: Vec::new() }
    }

    /// Appends what `bytes` become to `text`.
    fn push(&mut self, bytes: &[u8], text: &mut Vec<u8>) -> Result<(), TranscoderError> {
        let Some(second) = &mut self.second else { return self.first.push(bytes, text) };
        self.utf8.clear();
        let result = self.first.push(bytes, &mut self.utf8);
        // An error of the second step is in what comes before that of the first.
        second.push(&self.utf8, text).and(result)
    }

    fn finish(&mut self, text: &mut Vec<u8>) -> Result<(), TranscoderError> {
        let Some(second) = &mut self.second else { return self.first.finish(text) };
        self.utf8.clear();
        let result = self.first.finish(&mut self.utf8);
        second.push(&self.utf8, text).and(result)
    }
}

//! `trust8 inspect`: shows on one screen what a file is.

use std::fmt::Write as _;
use std::io::{self, Read, Write, stdout};
use std::process::ExitCode;

use memchr::memchr_iter;
use trust8::Bom;

use crate::args::{CommonArgs, InspectArgs};
use crate::colors::Colors;
use crate::dialects::{AcceptedBy, accepting_dialects};
use crate::fix::charset::Charset;
use crate::fix::{copy_to_temporary_file, guess_encoding};
use crate::hex::Hex;
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::report::{Human, Report};
use crate::scan::Scanner;
use crate::source::{CHUNK, FileFrom, Opened, Source};
use crate::statistics::{Characters, grouped};

/// How many errors to show. With everything above them they fill a screen of 24 lines.
const SHOWN_ERRORS: u64 = 2;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs, common: &CommonArgs) -> ExitCode {
    let source = Source::named(&args.file);
    let progress = Progress::start(!common.no_progress, {
        let source = source.clone();
        move || source.len()
    });
    interrupt::on_signal({
        let progress = progress.clone();
        move || progress.finish()
    });
    let screen = Screen::read(&source, common, &progress);
    progress.finish();
    let (text, valid) = match screen {
        Ok(screen) => (screen.render(&source, common), screen.errors == 0),
        Err(error) => return Outcome::fail(&format!("{}: {error}", source.display())),
    };
    match stdout().lock().write_all(&text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Outcome::fail(&format!("standard output: {error}"))
        }
        _ if valid => Outcome::AllValid.into(),
        _ => Outcome::SomeInvalid.into(),
    }
}

/// What is known of the file.
struct Screen {
    bytes: u64,
    characters: Characters,
    errors: u64,
    /// The first errors, as `check` shows them.
    shown_errors: Vec<u8>,
    mark: Option<Bom>,
    has_nul: bool,
    line_endings: LineEndings,
    /// The dialects of UTF-8 that accept the file, if it is not UTF-8.
    accepted_by: Vec<AcceptedBy>,
    guess: Option<Charset>,
}

/// The number of line endings of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct LineEndings {
    lf: u64,
    crlf: u64,
    cr: u64,
    /// Whether the last byte so far was a carriage return, which a line feed may still follow.
    pending_cr: bool,
    /// Whether the last byte so far did not end a line.
    unterminated: bool,
}

impl LineEndings {
    /// Counts the line endings of the next `bytes`.
    fn push(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        if self.pending_cr {
            match bytes[0] {
                b'\n' => self.crlf += 1,
                _ => self.cr += 1,
            }
        }
        for at in memchr_iter(b'\r', bytes) {
            match bytes.get(at + 1) {
                Some(b'\n') => self.crlf += 1,
                Some(_) => self.cr += 1,
                None => {}
            }
        }
        // This also counts the line feeds of CR LF, which `finish` subtracts.
        self.lf += memchr_iter(b'\n', bytes).count() as u64;
        self.pending_cr = last == b'\r';
        self.unterminated = !matches!(last, b'\n' | b'\r');
    }

    /// Returns the counts at the end of the input.
    fn finish(mut self) -> Self {
        self.cr += u64::from(std::mem::take(&mut self.pending_cr));
        self.lf -= self.crlf;
        self
    }

    fn describe(self) -> String {
        let kinds: Vec<_> = [(self.lf, "LF"), (self.crlf, "CR LF"), (self.cr, "CR")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{} {name}", grouped(count)))
            .collect();
        let mut description = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
        if self.unterminated {
            description += "; the last line has none";
        }
        description
    }
}

impl Screen {
    /// Reads the whole input, several times.
    fn read(source: &Source, common: &CommonArgs, progress: &Progress) -> io::Result<Self> {
        let (file, start) = match source.open()? {
            Opened::Seekable { file, start } => (file, start),
            Opened::Stream(stream) => (copy_to_temporary_file(stream)?, 0),
        };
        let kernel = common.kernel();
        let from = |skip| FileFrom { file: &file, at: start + skip };
        let reader = || from(0);

        let mut first = Vec::new();
        reader().take(4).read_to_end(&mut first)?;

        let mut endings = LineEndings::default();
        let mut has_nul = false;
        let mut bytes = vec![0; CHUNK];
        let mut whole = reader();
        loop {
            let n = whole.read(&mut bytes)?;
            if n == 0 {
                break;
            }
            endings.push(&bytes[..n]);
            has_nul |= memchr::memchr(0, &bytes[..n]).is_some();
        }

        let report = Human::new(common.color);
        let mut scanner = Scanner::new(kernel, reader(), progress.clone(), true);
        let mut errors = 0;
        let mut first_error = 0;
        let mut shown_errors = Vec::new();
        while let Some(finding) = scanner.next()? {
            if errors == 0 {
                first_error = finding.offset;
            }
            if errors < SHOWN_ERRORS {
                report.finding(&mut shown_errors, source.name(), &finding, errors);
            }
            errors += 1;
        }
        let (bytes, characters) = (scanner.offset(), scanner.characters());
        let mark = Bom::detect(&first).map(|(mark, _)| mark);
        let (accepted_by, guess) = if errors == 0 {
            (Vec::new(), None)
        } else {
            let guess = guess_encoding(reader())?;
            (accepting_dialects(kernel, from, first_error)?, Some(Charset::Encoding(guess)))
        };
        let line_endings = endings.finish();
        Ok(Self { bytes, characters, errors, shown_errors, mark, has_nul, line_endings, accepted_by, guess })
    }

    /// Returns what the command prints.
    fn render(&self, source: &Source, common: &CommonArgs) -> Vec<u8> {
        let colors = Colors::new(common.color);
        let Colors { name, dim, good, bad, hint, .. } = colors;
        let mut text = String::new();
        let mut row = |title: &str, what: String| {
            // Writing to a string never fails.
            let _ = writeln!(text, "  {dim}{title:<12}{dim:#}  {what}");
        };
        let [one, two, three, four] = self.characters.by_len;
        let ascii = self.errors == 0 && two + three + four == 0;
        row(
            "UTF-8",
            match self.errors {
                0 if self.bytes == 0 => format!("{good}yes{good:#}: it is empty"),
                0 if ascii => format!("{good}yes{good:#}: it is ASCII"),
                0 => format!("{good}yes{good:#}"),
                1 => format!("{bad}no{bad:#}: 1 error"),
                errors => format!("{bad}no{bad:#}: {} errors", grouped(errors)),
            },
        );
        row(
            "mark",
            match self.mark {
                None => "no byte order mark".to_owned(),
                Some(mark) => {
                    format!("{} byte order mark: {}", mark.encoding(), Hex(mark.bytes()))
                }
            },
        );
        row("bytes", grouped(self.bytes));
        row("characters", grouped(self.characters.total()));
        let width = grouped(self.characters.total()).len();
        for (len, count) in [(1, one), (2, two), (3, three), (4, four)] {
            if count > 0 {
                let share = 100.0 * count as f64 / self.characters.total() as f64;
                let bytes = if len == 1 { "1 byte (ASCII)".to_owned() } else { format!("{len} bytes") };
                row("", format!("{:>width$}  {share:>5.1} %  of {bytes}", grouped(count)));
            }
        }
        let LineEndings { lf, crlf, cr, unterminated, .. } = self.line_endings;
        let lines = lf + crlf + cr + u64::from(unterminated);
        row("lines", grouped(lines));
        row("line endings", self.line_endings.describe());
        if self.has_nul {
            row("NUL", "yes, so it is binary, or UTF-16 or UTF-32".to_owned());
        }
        if self.errors > 0 {
            row("likely", format!("{hint}{}{hint:#}", self.likely()));
        }
        let mut out = format!("{name}").into_bytes();
        crate::visible::write_name(&mut out, source.name(), crate::report::on_terminal());
        let _ = writeln!(out, "{name:#}");
        out.extend(text.as_bytes());
        if self.errors > 0 {
            let first = if self.errors > SHOWN_ERRORS { "the first errors" } else { "all errors" };
            let _ = writeln!(out, "\n{first}:");
            out.extend(&self.shown_errors);
        }
        out
    }

    /// Returns what the file may be instead of UTF-8, and how to convert it.
    fn likely(&self) -> String {
        let fix = |label: &str| format!("trust8 fix --from {label}");
        match (self.mark, self.accepted_by.first(), &self.guess) {
            (Some(mark @ (Bom::Utf16Le | Bom::Utf16Be)), ..) => {
                format!("{}; {}", mark.encoding(), fix(mark.encoding()))
            }
            (Some(mark @ (Bom::Utf32Le | Bom::Utf32Be)), ..) => mark.encoding().to_owned(),
            (_, Some(AcceptedBy { dialect, convertible: true }), _) => {
                format!("{dialect}, in which all of it is valid; {}", fix(dialect.name()))
            }
            (_, Some(AcceptedBy { dialect, convertible: false }), _) => {
                format!("{dialect}, in which all of it is valid; UTF-8 cannot encode some of it")
            }
            (_, None, Some(guess)) => {
                format!("{}, if it is text (a guess); {}", guess.label(), fix(&guess.label()))
            }
            (_, None, None) => "unknown".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_counted_however_the_input_is_cut() {
        let text = b"a\nb\r\nc\rd\r\r\n\n\r";
        let expected = LineEndings { lf: 2, crlf: 2, cr: 3, pending_cr: false, unterminated: false };
        for cut in 0..=text.len() {
            let mut endings = LineEndings::default();
            endings.push(&text[..cut]);
            endings.push(&text[cut..]);
            assert_eq!(endings.finish(), expected, "{cut}");
        }
        let mut endings = LineEndings::default();
        text.iter().for_each(|byte| endings.push(&[*byte]));
        assert_eq!(endings.finish(), expected);
        assert_eq!(expected.describe(), "2 LF, 2 CR LF, 3 CR");
        let mut endings = LineEndings::default();
        endings.push(b"no end");
        assert_eq!(endings.finish().describe(), "none; the last line has none");
        assert_eq!(LineEndings::default().describe(), "none");
    }
}

//! `trust8 inspect`: what a file is, on one screen.

use std::fmt::Write as _;
use std::io::{self, Read, Write, stdout};
use std::process::ExitCode;

use memchr::memchr_iter;
use trust8::Bom;

use crate::args::{Common, InspectArgs};
use crate::colors::Colors;
use crate::fix::charset::{Charset, dialect_label};
use crate::fix::{guess_encoding, spooled};
use crate::interrupt;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::read::CHUNK;
use crate::relatives::{Fit, fitting};
use crate::report::{Human, Report};
use crate::scan::{FileFrom, Scanner};
use crate::source::{Opened, Source};
use crate::statistics::{Characters, grouped};

/// How many errors are shown: with what stands above them they fill a screen of 24 lines.
const ERRORS: u64 = 2;

/// Runs the command.
pub(crate) fn run(args: &InspectArgs, common: &Common) -> ExitCode {
    let source = Source::named(&args.file);
    let progress = Progress::start(!common.no_progress, {
        let source = source.clone();
        move || source.len()
    });
    interrupt::before_the_end({
        let progress = progress.clone();
        move || progress.finish()
    });
    let screen = Screen::of(&source, common, &progress);
    progress.finish();
    let (text, valid) = match screen {
        Ok(screen) => (screen.text(&source, common), screen.errors == 0),
        Err(error) => return Outcome::trouble(&format!("{}: {error}", source.display())),
    };
    match stdout().lock().write_all(&text) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Outcome::trouble(&format!("standard output: {error}"))
        }
        _ if valid => Outcome::AllValid.into(),
        _ => Outcome::SomeInvalid.into(),
    }
}

/// What there is to show.
struct Screen {
    bytes: u64,
    characters: Characters,
    errors: u64,
    /// The first of them, as `check` tells of them.
    told: Vec<u8>,
    mark: Option<Bom>,
    nul: bool,
    endings: Endings,
    /// If it is not UTF-8.
    fits: Vec<Fit>,
    guess: Option<Charset>,
}

/// How lines end.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Endings {
    lf: u64,
    crlf: u64,
    cr: u64,
    /// What came last was a carriage return, of which it is not known yet what it is.
    open: bool,
    /// What came last was no end of a line.
    unended: bool,
}

impl Endings {
    fn take(&mut self, bytes: &[u8]) {
        let Some(&last) = bytes.last() else { return };
        if self.open {
            match bytes[0] {
                b'\n' => self.crlf += 1,
                _ => self.cr += 1,
            }
        }
        let after = |at: usize| bytes.get(at + 1);
        for at in memchr_iter(b'\r', bytes) {
            match after(at) {
                Some(b'\n') => self.crlf += 1,
                Some(_) => self.cr += 1,
                None => {}
            }
        }
        // All line feeds; those of CR LF are taken away at the end.
        self.lf += memchr_iter(b'\n', bytes).count() as u64;
        self.open = last == b'\r';
        self.unended = !matches!(last, b'\n' | b'\r');
    }

    fn finish(mut self) -> Self {
        self.cr += u64::from(std::mem::take(&mut self.open));
        self.lf -= self.crlf;
        self
    }

    fn words(self) -> String {
        let kinds: Vec<_> = [(self.lf, "LF"), (self.crlf, "CR LF"), (self.cr, "CR")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{} {name}", grouped(count)))
            .collect();
        let mut words = if kinds.is_empty() { "none".to_owned() } else { kinds.join(", ") };
        if self.unended {
            words += "; the last line has none";
        }
        words
    }
}

impl Screen {
    fn of(source: &Source, common: &Common, progress: &Progress) -> io::Result<Self> {
        let (file, start) = match source.open()? {
            Opened::Seekable { file, start } => (file, start),
            Opened::Stream(stream) => (spooled(stream)?, 0),
        };
        let kernel = common.kernel();
        let from = |skip| FileFrom { file: &file, at: start + skip };
        let reader = || from(0);

        let mut first = Vec::new();
        reader().take(4).read_to_end(&mut first)?;

        let mut endings = Endings::default();
        let mut nul = false;
        let mut bytes = vec![0; CHUNK];
        let mut ending = reader();
        loop {
            let n = ending.read(&mut bytes)?;
            if n == 0 {
                break;
            }
            endings.take(&bytes[..n]);
            nul |= memchr::memchr(0, &bytes[..n]).is_some();
        }

        let report = Human::new(common.color);
        let mut scanner = Scanner::new(kernel, reader(), progress.clone(), true);
        let mut errors = 0;
        let mut first_error = 0;
        let mut told = Vec::new();
        while let Some(finding) = scanner.next()? {
            if errors == 0 {
                first_error = finding.offset;
            }
            if errors < ERRORS {
                report.finding(&mut told, source.name(), &finding, errors);
            }
            errors += 1;
        }
        let (bytes, characters) = (scanner.offset(), scanner.characters());
        let mark = Bom::detect(&first).map(|(mark, _)| mark);
        let (fits, guess) = if errors == 0 {
            (Vec::new(), None)
        } else {
            let guess = guess_encoding(reader())?;
            (fitting(kernel, from, first_error)?, Some(Charset::Encoding(guess)))
        };
        Ok(Self { bytes, characters, errors, told, mark, nul, endings: endings.finish(), fits, guess })
    }

    fn text(&self, source: &Source, common: &Common) -> Vec<u8> {
        let colors = Colors::new(common.color);
        let Colors { name, dim, good, culprit, hint, .. } = colors;
        let mut text = String::new();
        let mut row = |title: &str, what: String| {
            // A string takes everything.
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
                1 => format!("{culprit}no{culprit:#}: 1 error"),
                errors => format!("{culprit}no{culprit:#}: {} errors", grouped(errors)),
            },
        );
        row(
            "mark",
            match self.mark {
                None => "no byte order mark".to_owned(),
                Some(mark) => {
                    format!("byte order mark of {}: {}", mark.encoding(), crate::culprit::Hex(mark.bytes()))
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
        let lines = self.endings.lf + self.endings.crlf + self.endings.cr + u64::from(self.endings.unended);
        row("lines", grouped(lines));
        row("line ends", self.endings.words());
        if self.nul {
            row("NUL", "there are some: a binary file, or UTF-16 or UTF-32".to_owned());
        }
        if self.errors > 0 {
            row("likely", format!("{hint}{}{hint:#}", self.likely()));
        }
        let mut out = format!("{name}").into_bytes();
        crate::visible::write_name(&mut out, source.name(), crate::report::on_terminal());
        let _ = writeln!(out, "{name:#}");
        out.extend(text.as_bytes());
        if self.errors > 0 {
            let first = if self.errors > ERRORS { "the first errors" } else { "all errors" };
            let _ = writeln!(out, "\n{first}:");
            out.extend(&self.told);
        }
        out
    }

    /// What it may be in place of UTF-8, and how to convert it.
    fn likely(&self) -> String {
        let convert = |label: &str| format!("trust8 fix --from {label}");
        match (self.mark, self.fits.first(), &self.guess) {
            (Some(mark @ (Bom::Utf16Le | Bom::Utf16Be)), ..) => {
                format!("{}; {}", mark.encoding(), convert(&mark.encoding().to_ascii_lowercase()))
            }
            (Some(mark @ (Bom::Utf32Le | Bom::Utf32Be)), ..) => mark.encoding().to_owned(),
            (_, Some(Fit { dialect, convertible: true }), _) => {
                format!("{dialect}, which accepts all of it; {}", convert(dialect_label(*dialect)))
            }
            (_, Some(Fit { dialect, convertible: false }), _) => {
                format!("{dialect}, which accepts all of it; UTF-8 has not all that is in it")
            }
            (_, None, Some(guess)) => {
                format!("{}, if it is text (a guess); {}", guess.label(), convert(&guess.label()))
            }
            (_, None, None) => "nothing known".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_counted_however_the_input_is_cut() {
        let text = b"a\nb\r\nc\rd\r\r\n\n\r";
        let expected = Endings { lf: 2, crlf: 2, cr: 3, open: false, unended: false };
        for cut in 0..=text.len() {
            let mut endings = Endings::default();
            endings.take(&text[..cut]);
            endings.take(&text[cut..]);
            assert_eq!(endings.finish(), expected, "{cut}");
        }
        let mut endings = Endings::default();
        text.iter().for_each(|byte| endings.take(&[*byte]));
        assert_eq!(endings.finish(), expected);
        assert_eq!(expected.words(), "2 LF, 2 CR LF, 3 CR");
        let mut endings = Endings::default();
        endings.take(b"no end");
        assert_eq!(endings.finish().words(), "none; the last line has none");
        assert_eq!(Endings::default().words(), "none");
    }
}

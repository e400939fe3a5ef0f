//! What is known of a file. It is read once, and a sample of it a second time.

use std::io::{self, Read};

use trust8::Bom;

use super::line_endings::LineEndings;
use super::readings::{Reading, readings};
use crate::args::CommonArgs;
use crate::dialects::accepting_dialects;
use crate::fix::{copy_to_temporary_file, mojibake};
use crate::guess::dialects::AcceptedBy;
use crate::guess::evidence::Evidence;
use crate::guess::{Guess, guess, guess_valid, mark};
use crate::progress::Progress;
use crate::report::{Human, Report, on_terminal};
use crate::scan::Scanner;
use crate::source::{Opened, Source, readers};
use crate::statistics::Characters;

/// How many errors and readings to show. With everything else they fill a screen of 24 lines.
const SHOWN_ERRORS: u64 = 2;
const READINGS: usize = 3;

/// How many columns an excerpt has. The terminal has a title and the name of an encoding before it.
fn excerpt_width() -> usize {
    let width = terminal_size::terminal_size().filter(|_| on_terminal()).map_or(80, |(width, _)| width.0);
    usize::from(width).saturating_sub(32).max(10)
}

/// A stream has to be stored, because it is read a second time. Of a longer one, only the beginning
/// is read.
const LONGEST_STREAM_BYTES: u64 = 1 << 30;

pub(super) struct Facts {
    pub(super) bytes: u64,
    pub(super) characters: Characters,
    pub(super) errors: u64,
    /// The first errors, as `check` shows them.
    pub(super) shown_errors: Vec<u8>,
    pub(super) shows_all_errors: bool,
    pub(super) mark: Option<Bom>,
    pub(super) has_nul: bool,
    pub(super) line_endings: LineEndings,
    /// The number of lines. A line ends with a line feed, or with the end of the file.
    pub(super) lines: u64,
    /// The dialects of UTF-8 that accept the file, if it is not UTF-8.
    pub(super) accepted_by: Vec<AcceptedBy>,
    /// What the file seems to be, if it is not UTF-8, or is UTF-8 and seems to be UTF-16 as well.
    pub(super) guess: Option<Guess>,
    /// How a file that is not UTF-8 reads in the encoding that it seems to be in, and in others.
    pub(super) readings: Vec<Reading>,
    /// How many lines of a sample are mojibake.
    pub(super) mojibake: u64,
    /// Whether this is only the beginning of a stream.
    pub(super) is_cut_off: bool,
}

impl Facts {
    pub(super) fn read(source: &Source, common: &CommonArgs, progress: &Progress) -> io::Result<Self> {
        let (file, start, is_cut_off) = match source.open()? {
            Opened::Seekable { file, start } => (file, start, false),
            Opened::Stream(stream) => {
                progress.phase("storing");
                let file = copy_to_temporary_file(stream, LONGEST_STREAM_BYTES)?;
                let is_cut_off = file.metadata()?.len() == LONGEST_STREAM_BYTES;
                (file, 0, is_cut_off)
            }
        };
        let from = readers(&file, start);

        progress.phase("reading");
        let report = Human::new(common.color);
        let mut tap = Tap { reader: from(0), endings: LineEndings::default(), has_nul: false };
        let mut scanner = Scanner::new(common.kernel(), None, &mut tap, progress.clone(), true);
        let (mut found, mut errors) = (0, 0);
        let mut first_error = 0;
        let mut shown_errors = Vec::new();
        while let Some(finding) = scanner.next()? {
            if errors == 0 {
                first_error = finding.offset;
            }
            if found < SHOWN_ERRORS {
                report.finding(&mut shown_errors, source.name(), &finding, found);
            }
            found += 1;
            errors += finding.culprit.count();
        }
        let (bytes, characters) = (scanner.offset(), scanner.characters());
        let lines = characters.newlines + u64::from(scanner.is_inside_line());
        drop(scanner);

        progress.phase("guessing");
        let mark = mark(from)?;
        let mut facts = Self {
            bytes,
            characters,
            errors,
            shows_all_errors: found <= SHOWN_ERRORS,
            shown_errors,
            mark,
            has_nul: tap.has_nul,
            line_endings: tap.endings.finish(),
            lines,
            accepted_by: Vec::new(),
            guess: None,
            readings: Vec::new(),
            mojibake: 0,
            is_cut_off,
        };
        if errors > 0 {
            facts.accepted_by = accepting_dialects(from, first_error)?;
            let evidence = Evidence::gather(from, bytes, first_error)?;
            let guess = guess(mark, &facts.accepted_by, &evidence);
            facts.readings = readings(&guess, &evidence, READINGS, excerpt_width());
            facts.guess = Some(guess);
        } else {
            let evidence = Evidence::gather(from, bytes, 0)?;
            facts.guess = guess_valid(&evidence).map(Guess::From);
            let texts = evidence.pieces().filter_map(|piece| trust8::from_utf8(piece).ok());
            facts.mojibake = texts.map(mojibake::count).sum();
        }
        Ok(facts)
    }

    pub(super) fn is_ascii(&self) -> bool {
        let [_, two, three, four] = self.characters.by_len;
        self.errors == 0 && two + three + four == 0
    }
}

/// Counts line endings in what is read through it, while that is in the CPU's cache.
struct Tap<R> {
    reader: R,
    endings: LineEndings,
    has_nul: bool,
}

impl<R: Read> Read for Tap<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.endings.push(&buffer[..n]);
        self.has_nul = self.has_nul || memchr::memchr(0, &buffer[..n]).is_some();
        Ok(n)
    }
}

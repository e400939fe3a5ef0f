//! Transforms the text of one file.

use std::io::{self, Read, Write};

use memchr::memchr;
use trust8::Kernel;

use super::FileError;
use super::declared::Declarations;
use super::decode::decode;
use super::forbidden::Allow;
use super::guard::Look;
use super::lines::fix_lines;
use super::mojibake::Undo;
use super::repair::{Sequences, Treatment, copy, repair};
use crate::args::FixArgs;
use crate::charset::Charset;
use crate::guess::Guess;
use crate::guess::lines::Others;
use crate::progress::Progress;
use crate::segments::{Segment, Segments};
use crate::source::{self, CHUNK_BYTES};

/// How to transform a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Plan {
    /// The file is valid, so it is copied.
    Copy,
    /// The file is valid, and only what it declares is corrected.
    Declare,
    /// Invalid sequences are replaced, dropped or escaped.
    Repair,
    /// The file is not UTF-8, and is left alone.
    Leave,
    /// Invalid sequences are decoded in this encoding.
    InvalidAs(Charset),
    /// Lines that are not UTF-8 are decoded in this encoding, if they are in it. What is still invalid
    /// stays if there is no remedy.
    Lines(Option<Others>),
    /// The whole file is decoded.
    From(Charset),
}

/// What was changed in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Changes {
    pub(super) plan: Plan,
    /// How many sequences were invalid.
    pub(super) sequences: Sequences,
    /// How many lines of mojibake were undone.
    pub(super) mojibake: u64,
    /// Whether the byte order mark was removed.
    pub(super) mark: bool,
    /// How many characters were repaired that the profile forbids.
    pub(super) forbidden: u64,
    /// The encoding other than UTF-8 that the text declared.
    pub(super) declared: Option<String>,
    /// Whether it declares UTF-8 now.
    pub(super) corrected: bool,
}

impl Changes {
    /// Whether the text is the same as before.
    pub(super) fn is_nothing(&self) -> bool {
        !matches!(self.plan, Plan::From(_))
            && self.sequences.repaired == 0
            && self.sequences.decoded == 0
            && self.mojibake == 0
            && !self.mark
            && self.forbidden == 0
            && !self.corrected
    }
}

/// Returns the plan for a file that is not UTF-8, and what it looks like. `from` returns a reader that
/// begins at an offset. The file has `len` bytes, and the first error is at `first_error` or after
/// it.
pub(super) fn plan<R: Read>(
    args: &FixArgs,
    from: impl Fn(u64) -> R,
    len: u64,
    first_error: u64,
) -> Result<(Plan, Look), FileError> {
    let plan = match (args.from, args.invalid_as, args.remedy) {
        (Some(charset), ..) if charset != Charset::Auto => Plan::From(charset),
        (None, Some(encoding), _) => Plan::InvalidAs(encoding),
        (None, None, Some(_)) => Plan::Repair,
        _ => {
            let first_error = exactly(&from, first_error).map_err(FileError::Read)?;
            let has_nul = || any_chunk(from(0), |bytes| memchr(0, bytes).is_some());
            let (guess, mut look) = Look::find(&from, len, first_error).map_err(FileError::Read)?;
            let plan = match guess {
                // Without an option, what may be binary is not decoded either.
                Guess::Lines(Some(others))
                    if args.is_plain() && (!others.is_certain || has_nul().map_err(FileError::Read)?) =>
                {
                    let (progress, sink) = (Progress::none(), &mut io::sink());
                    let found = fix_lines(Kernel::best(), &mut from(0), Some(others), None, &progress, sink)?;
                    look.decodable = Some(found.decoded);
                    Plan::Lines(None)
                }
                // The rest is in no line of another encoding.
                Guess::Lines(others) => {
                    look.decodable = Some(0);
                    Plan::Lines(others)
                }
                _ if args.is_plain() => Plan::Leave,
                Guess::From(charset) => Plan::From(charset),
                Guess::Unknown(why) => return Err(FileError::Unconvertible(why)),
            };
            return Ok((plan, look));
        }
    };
    Ok((plan, Look::UTF8))
}

/// Whether `is` holds for any chunk of `reader`.
pub(super) fn any_chunk(mut reader: impl Read, is: impl Fn(&[u8]) -> bool) -> io::Result<bool> {
    let mut bytes = vec![0; CHUNK_BYTES];
    loop {
        match source::read(&mut reader, &mut bytes)? {
            0 => return Ok(false),
            n if is(&bytes[..n]) => return Ok(true),
            _ => {}
        }
    }
}

/// Returns the offset of the first error, which is at `first_error` or after it.
fn exactly<R: Read>(from: impl Fn(u64) -> R, first_error: u64) -> io::Result<u64> {
    let mut segments = Segments::new(Kernel::best(), None, from(first_error));
    while let Some(segment) = segments.next()? {
        if let Segment::Invalid { offset, .. } = segment {
            return Ok(first_error + offset);
        }
    }
    Ok(first_error)
}

/// Writes what `plan` and the other options make of `reader` to `out`.
pub(super) fn transform(
    args: &FixArgs,
    kernel: &'static Kernel,
    plan: Plan,
    reader: &mut dyn Read,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<Changes, FileError> {
    // Such lines may keep their damage. Once the file is UTF-8, another run corrects what it declares.
    let corrects = args.declaration && !matches!(plan, Plan::Copy | Plan::Lines(_));
    let mut changes =
        transform_by(args, corrects, out, &mut |out| write(args, kernel, plan, reader, progress, out))?;
    changes.plan = plan;
    Ok(changes)
}

/// Lets `write` write the text of a file, and writes what the options after that make of it to `out`.
/// `corrects` is whether to correct what the text declares.
pub(super) fn transform_by(
    args: &FixArgs,
    corrects: bool,
    out: &mut dyn Write,
    write: &mut dyn FnMut(&mut dyn Write) -> Result<Sequences, FileError>,
) -> Result<Changes, FileError> {
    let mut declarations = Declarations::new(out, corrects);
    let mut allow = Allow::new(&mut declarations, args.profile, args.policy);
    let mut strip = StripMark { out: &mut allow, active: args.strip_bom, at_start: true, removed: false };
    let (sequences, mojibake) = if args.unmojibake {
        let mut undo = Undo::new(&mut strip);
        let sequences = write(&mut undo)?;
        undo.finish().map_err(FileError::Write)?;
        (sequences, undo.lines)
    } else {
        (write(&mut strip)?, 0)
    };
    let mark = strip.removed;
    allow.finish().map_err(FileError::Write)?;
    let forbidden = allow.forbidden;
    let declared = declarations.finish().map_err(FileError::Write)?;
    let corrected = corrects && declared.is_some();
    Ok(Changes { plan: Plan::Copy, sequences, mojibake, mark, forbidden, declared, corrected })
}

/// Writes what `plan` makes of `reader` to `out`.
pub(super) fn write(
    args: &FixArgs,
    kernel: &'static Kernel,
    plan: Plan,
    reader: &mut dyn Read,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<Sequences, FileError> {
    let remedy = args.remedy;
    match plan {
        // A copy may be cut inside a character.
        Plan::Copy | Plan::Declare if args.profile.is_none() => {
            copy(reader, progress, out).map(|()| Sequences::default())
        }
        Plan::Copy | Plan::Declare | Plan::Repair | Plan::Leave => {
            repair(kernel, reader, &Treatment::remedy(remedy), progress, out)
        }
        Plan::InvalidAs(charset) => {
            repair(kernel, reader, &Treatment::decode(charset, remedy), progress, out)
        }
        Plan::Lines(others) => fix_lines(kernel, reader, others, remedy, progress, out),
        Plan::From(charset) => {
            let repaired = decode(charset, reader, remedy, progress, out)?;
            Ok(Sequences { repaired, ..Sequences::default() })
        }
    }
}

/// Passes on what is written to it, without the byte order mark if `active` is true.
struct StripMark<'a> {
    out: &'a mut dyn Write,
    active: bool,
    at_start: bool,
    removed: bool,
}

impl Write for StripMark<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const MARK: &[u8] = "\u{FEFF}".as_bytes();
        let mut text = bytes;
        // Text is written in whole characters.
        if self.active && self.at_start && !bytes.is_empty() {
            self.at_start = false;
            if let Some(rest) = bytes.strip_prefix(MARK) {
                self.removed = true;
                text = rest;
            }
        }
        self.out.write_all(text)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns what the command makes of an input that is not UTF-8, and how many sequences it
/// repaired. `from` returns a reader that begins at an offset.
pub(crate) fn fixed<R: Read>(
    args: &FixArgs,
    kernel: &'static Kernel,
    from: impl Fn(u64) -> R,
) -> Result<(Vec<u8>, u64), FileError> {
    let len = io::copy(&mut from(0), &mut io::sink()).map_err(FileError::Read)?;
    let (plan, _) = plan(args, &from, len, 0)?;
    let mut out = Vec::new();
    let changes = transform(args, kernel, plan, &mut from(0), &Progress::none(), &mut out)?;
    Ok((out, changes.sequences.repaired))
}

//! Transforms the text of one file.

use std::io::{self, Read, Write};

use encoding_rs::Encoding;
use trust8::Kernel;

use super::FileError;
use super::decode::decode;
use super::evidence::Evidence;
use super::forbidden::Allow;
use super::guess::{self, Guess};
use super::mojibake::Undo;
use super::repair::{Sequences, Treatment, copy, repair};
use crate::args::FixArgs;
use crate::charset::Charset;
use crate::dialects::accepting_dialects;
use crate::progress::Progress;

/// How to transform a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Plan {
    /// The file is valid, so it is copied.
    Copy,
    /// Invalid sequences are replaced, dropped or escaped, or stay if there is no remedy.
    Repair,
    /// Invalid sequences are decoded in this encoding.
    InvalidAs(&'static Encoding),
    /// The whole file is decoded.
    From(Charset),
}

/// What was changed in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
}

impl Changes {
    /// Whether the text is the same as before.
    pub(super) fn is_nothing(&self) -> bool {
        !matches!(self.plan, Plan::From(_))
            && self.sequences.repaired == 0
            && self.mojibake == 0
            && !self.mark
            && self.forbidden == 0
    }
}

/// Returns the plan for a file that is not UTF-8, and whether it is a guess. `from` returns a
/// reader that begins at an offset. The file has `len` bytes, and the first error is at
/// `first_error` or after it.
pub(super) fn plan<R: Read>(
    args: &FixArgs,
    from: impl Fn(u64) -> R,
    len: u64,
    first_error: u64,
) -> Result<Plan, FileError> {
    match (args.from, args.invalid_as) {
        (Some(Charset::Auto), _) => {
            let read = || -> io::Result<Guess> {
                let mark = guess::mark(&from)?;
                let accepted = accepting_dialects(&from, first_error)?;
                Ok(guess::guess(mark, &accepted, &Evidence::gather(&from, len, first_error)?))
            };
            match read().map_err(FileError::Read)? {
                Guess::From(charset) => Ok(Plan::From(charset)),
                Guess::InvalidAs(encoding) => Ok(Plan::InvalidAs(encoding)),
                Guess::Unknown(why) => Err(FileError::Unconvertible(why)),
            }
        }
        (Some(charset), _) => Ok(Plan::From(charset)),
        (None, Some(encoding)) => Ok(Plan::InvalidAs(encoding)),
        (None, None) => Ok(Plan::Repair),
    }
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
    let mut allow = Allow::new(out, args.profile, args.policy);
    let mut strip = StripMark { out: &mut allow, active: args.strip_bom, at_start: true, removed: false };
    let (sequences, mojibake) = if args.unmojibake {
        let mut undo = Undo::new(&mut strip);
        let sequences = write(args, kernel, plan, reader, progress, &mut undo)?;
        undo.finish().map_err(FileError::Write)?;
        (sequences, undo.lines)
    } else {
        (write(args, kernel, plan, reader, progress, &mut strip)?, 0)
    };
    let mark = strip.removed;
    Ok(Changes { plan, sequences, mojibake, mark, forbidden: allow.forbidden })
}

/// Writes what `plan` makes of `reader` to `out`.
fn write(
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
        Plan::Copy if args.profile.is_none() => copy(reader, progress, out).map(|()| Sequences::default()),
        Plan::Copy | Plan::Repair => repair(kernel, reader, &Treatment::remedy(remedy), progress, out),
        Plan::InvalidAs(encoding) => {
            repair(kernel, reader, &Treatment::decode(encoding, remedy), progress, out)
        }
        Plan::From(charset) => {
            let repaired = decode(charset, reader, remedy, progress, out)?;
            Ok(Sequences { repaired, left: 0 })
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
    let plan = plan(args, &from, len, 0)?;
    let mut out = Vec::new();
    let changes = transform(args, kernel, plan, &mut from(0), &Progress::none(), &mut out)?;
    Ok((out, changes.sequences.repaired))
}

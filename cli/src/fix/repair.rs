//! Repairs UTF-8: replaces invalid sequences, leaves them out or escapes them, and copies everything else.

use std::io::{Read, Write};

use trust8::Kernel;

use super::FileError;
use crate::args::Remedy;
use crate::progress::Progress;
use crate::segments::{Segment, Segments};
use crate::source::CHUNK;

/// Writes the repaired text of `reader` to `out`. Returns how many sequences were invalid, counted as browsers do.
pub(super) fn repair(
    kernel: &'static Kernel,
    reader: impl Read,
    remedy: Remedy,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<u64, FileError> {
    let mut segments = Segments::new(kernel, reader);
    let mut invalid = 0;
    while let Some(segment) = segments.next().map_err(FileError::Read)? {
        match segment {
            Segment::Valid(text) => {
                out.write_all(text).map_err(FileError::Write)?;
                progress.add(text.len() as u64);
            }
            Segment::Invalid { error, rest, .. } => {
                let len = error.error_len().unwrap_or(rest.len());
                apply(remedy, &rest[..len], out)?;
                invalid += 1;
                segments.skip(len);
            }
        }
    }
    Ok(invalid)
}

/// Writes what `remedy` makes of one invalid sequence.
pub(super) fn apply(remedy: Remedy, sequence: &[u8], out: &mut dyn Write) -> Result<(), FileError> {
    match remedy {
        Remedy::Replace => out.write_all("\u{FFFD}".as_bytes()),
        Remedy::Skip => Ok(()),
        Remedy::Escape => sequence.iter().try_for_each(|byte| write!(out, "\\x{byte:02X}")),
    }
    .map_err(FileError::Write)
}

/// Copies `reader` to `out`.
pub(super) fn copy(mut reader: impl Read, out: &mut dyn Write) -> Result<(), FileError> {
    let mut bytes = vec![0; CHUNK];
    loop {
        match reader.read(&mut bytes).map_err(FileError::Read)? {
            0 => return Ok(()),
            n => out.write_all(&bytes[..n]).map_err(FileError::Write)?,
        }
    }
}

//! Repairs UTF-8: replaces invalid sequences, leaves them out, escapes or decodes them, and copies
//! everything else.

use std::io::{Read, Write};

use trust8::Kernel;

use super::{FileError, HINT};
use crate::args::Remedy;
use crate::charset::Charset;
use crate::hex::Hex;
use crate::progress::Progress;
use crate::segments::{Segment, Segments};
use crate::source::{self, CHUNK_BYTES, aligned_buffer};
use crate::visible::push_escaped;

/// What to do with invalid sequences.
pub(crate) struct Treatment {
    /// The characters of the bytes in an encoding, if the sequences are to be decoded.
    characters: Option<Box<[Option<char>; 256]>>,
    /// What to do with bytes that are no characters. Without a remedy, they are an error if the
    /// others are decoded, and else they stay.
    remedy: Option<Remedy>,
}

/// How many sequences were invalid, counted as browsers do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Sequences {
    /// Those that were replaced, dropped, escaped or decoded.
    pub(crate) repaired: u64,
    /// Those that are as they were.
    pub(crate) left: u64,
    /// Those in lines of another encoding, which were decoded.
    pub(crate) decoded: u64,
    /// How many lines these are.
    pub(crate) lines: u64,
}

impl Treatment {
    /// Applies `remedy` to every sequence. Without one, they stay.
    pub(crate) fn remedy(remedy: Option<Remedy>) -> Self {
        Self { characters: None, remedy }
    }

    /// Whether nothing changes.
    fn is_nothing(&self) -> bool {
        self.characters.is_none() && self.remedy.is_none()
    }

    /// Decodes every byte in `charset`, in which each byte is a character. Applies `remedy` to
    /// bytes that are not.
    pub(crate) fn decode(charset: Charset, remedy: Option<Remedy>) -> Self {
        let character = |byte: usize| charset.character(byte as u8);
        Self { characters: Some(Box::new(std::array::from_fn(character))), remedy }
    }

    /// Writes the repair of an invalid sequence at `offset`.
    fn apply(&self, offset: u64, sequence: &[u8], out: &mut dyn Write) -> Result<(), FileError> {
        let Some(characters) = &self.characters else {
            return match self.remedy {
                Some(remedy) => apply(remedy, sequence, out),
                None => out.write_all(sequence).map_err(FileError::Write),
            };
        };
        for (byte, at) in sequence.iter().zip(offset..) {
            match (characters[usize::from(*byte)], self.remedy) {
                (Some(c), _) => {
                    out.write_all(c.encode_utf8(&mut [0; 4]).as_bytes()).map_err(FileError::Write)?;
                }
                (None, Some(remedy)) => apply(remedy, &[*byte], out)?,
                (None, None) => {
                    let hex = Hex(std::slice::from_ref(byte)).to_string();
                    let why = format!("byte {at}: {hex} is no character in the encoding{HINT}");
                    return Err(FileError::Unconvertible(why));
                }
            }
        }
        Ok(())
    }
}

/// Writes the repaired text of `reader` to `out`.
pub(super) fn repair(
    kernel: &'static Kernel,
    reader: &mut dyn Read,
    treatment: &Treatment,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<Sequences, FileError> {
    let mut segments = Segments::new(kernel, None, reader);
    let mut invalid = 0;
    while let Some(segment) = segments.next().map_err(FileError::Read)? {
        match segment {
            Segment::Reading => {}
            Segment::Valid(text) => {
                out.write_all(text).map_err(FileError::Write)?;
                progress.add(text.len() as u64);
            }
            Segment::Invalid { offset, error, rest, .. } => {
                let len = error.error_len().unwrap_or(rest.len());
                treatment.apply(offset, &rest[..len], out)?;
                progress.add(len as u64);
                invalid += 1;
                segments.skip(len);
            }
        }
    }
    Ok(if treatment.is_nothing() {
        Sequences { left: invalid, ..Sequences::default() }
    } else {
        Sequences { repaired: invalid, ..Sequences::default() }
    })
}

/// Writes what `remedy` makes of one invalid sequence.
pub(super) fn apply(remedy: Remedy, sequence: &[u8], out: &mut dyn Write) -> Result<(), FileError> {
    match remedy {
        Remedy::Replace => out.write_all("\u{FFFD}".as_bytes()),
        Remedy::Drop => Ok(()),
        Remedy::Escape => {
            let mut text = Vec::new();
            sequence.iter().for_each(|byte| push_escaped(&mut text, *byte));
            out.write_all(&text)
        }
    }
    .map_err(FileError::Write)
}

/// Copies `reader` to `out`.
pub(super) fn copy(
    mut reader: &mut dyn Read,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<(), FileError> {
    let (mut buffer, start) = aligned_buffer(0);
    let bytes = &mut buffer[start..][..CHUNK_BYTES];
    loop {
        match source::read(&mut reader, bytes).map_err(FileError::Read)? {
            0 => return Ok(()),
            n => {
                out.write_all(&bytes[..n]).map_err(FileError::Write)?;
                progress.add(n as u64);
            }
        }
    }
}

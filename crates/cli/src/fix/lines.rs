//! The lines of a file that are in another encoding than UTF-8, as `guess/lines.rs` tells them: which ones they are, and their text.

use std::io::{self, BufRead, BufReader, Read, Write};

use memchr::memrchr;
use trust8::Kernel;
use trust8::boundary::whole_len;

use super::FileError;
use super::repair::{Sequences, Treatment, repair};
use crate::args::Remedy;
use crate::charset::Charset;
use crate::guess::lines::Others;
use crate::progress::Progress;
use crate::source::{self, CHUNK_BYTES};

/// The lines of a file that are in another encoding than UTF-8.
pub(crate) struct Mixed {
    pub(crate) charset: Charset,
    /// The first and the last number of each run of such lines.
    pub(crate) runs: Vec<(u64, u64)>,
    /// How many sequences are invalid in them.
    pub(crate) sequences: u64,
    /// How many sequences are invalid in the other lines: damage.
    pub(crate) others: u64,
    /// Whether there may be more after the last one, which were not looked for.
    pub(crate) is_cut: bool,
}

/// How many runs are looked for.
const MOST_RUNS: usize = 1000;

impl Mixed {
    /// Finds the lines that are in the encoding of `others`.
    pub(crate) fn find(others: &Others, reader: impl Read) -> io::Result<Self> {
        let charset = others.charset;
        let mut mixed = Self { charset, runs: Vec::new(), sequences: 0, others: 0, is_cut: false };
        let mut reader = BufReader::with_capacity(CHUNK_BYTES, reader);
        let (mut line, mut number, mut is_rest_of_line) = (Vec::new(), 1, false);
        loop {
            line.clear();
            if (&mut reader).take(LONGEST_BYTES as u64 + 1).read_until(b'\n', &mut line)? == 0 {
                return Ok(mixed);
            }
            let is_whole = !is_rest_of_line && line.len() <= LONGEST_BYTES;
            if is_whole && others.text(&line).is_some() {
                let is_full = mixed.runs.len() == MOST_RUNS;
                match mixed.runs.last_mut() {
                    Some((_, last)) if *last + 1 == number => *last = number,
                    _ if is_full => {
                        mixed.is_cut = true;
                        return Ok(mixed);
                    }
                    _ => mixed.runs.push((number, number)),
                }
                mixed.sequences += invalid_in(&line);
            } else {
                mixed.others += invalid_in(&line);
            }
            is_rest_of_line = !line.ends_with(b"\n");
            number += u64::from(!is_rest_of_line);
        }
    }

    /// Says which lines these are: at most `most` runs of them.
    pub(crate) fn describe(&self, most: usize) -> String {
        let mut runs: Vec<_> = self
            .runs
            .iter()
            .take(most)
            .map(|(first, last)| match last - first {
                0 => first.to_string(),
                1 => format!("{first}, {last}"),
                _ => format!("{first} to {last}"),
            })
            .collect();
        let more = self.runs.len() - runs.len();
        if more > 0 || self.is_cut {
            runs.push("others".to_owned());
        }
        let last = runs.pop().unwrap_or_default();
        let is_one = runs.is_empty() && matches!(self.runs[..], [(first, last)] if first == last);
        let (lines, seem) = if is_one { ("line", "seems") } else { ("lines", "seem") };
        let and = if runs.is_empty() { "" } else { " and " };
        let label = self.charset.label();
        format!("{lines} {}{and}{last} {seem} to be {label}", runs.join(", "))
    }
}

/// A line that is longer than this is not decoded.
const LONGEST_BYTES: usize = 1 << 20;

/// Writes the text of `reader` to `out`, with the lines decoded that are in another encoding. Applies
/// `remedy` to what is still invalid. Without one, it stays.
pub(super) fn fix_lines(
    kernel: &'static Kernel,
    mut reader: &mut dyn Read,
    others: Option<Others>,
    remedy: Option<Remedy>,
    progress: &Progress,
    out: &mut dyn Write,
) -> Result<Sequences, FileError> {
    let mut sequences = Sequences::default();
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; CHUNK_BYTES]);
    let mut is_rest_of_line = false;
    loop {
        let n = source::read(&mut reader, &mut chunk).map_err(FileError::Read)?;
        progress.add(n as u64);
        bytes.extend(&chunk[..n]);
        let end = lines_end(&bytes, LONGEST_BYTES, n == 0);
        let lines = &bytes[..end];
        if trust8::is_utf8(lines) {
            out.write_all(lines).map_err(FileError::Write)?;
        } else {
            for line in lines.split_inclusive(|byte| *byte == b'\n') {
                let is_whole = !std::mem::take(&mut is_rest_of_line) && line.len() <= LONGEST_BYTES;
                match others.filter(|_| is_whole).and_then(|others| others.text(line)) {
                    Some(text) => {
                        sequences.decoded += invalid_in(line);
                        sequences.lines += 1;
                        out.write_all(text.as_bytes()).map_err(FileError::Write)?;
                    }
                    None => {
                        let treatment = Treatment::remedy(remedy);
                        let found = repair(kernel, &mut &*line, &treatment, &Progress::none(), out)?;
                        sequences.repaired += found.repaired;
                        sequences.left += found.left;
                    }
                }
            }
        }
        is_rest_of_line = end > 0 && bytes[end - 1] != b'\n';
        bytes.drain(..end);
        if n == 0 {
            return Ok(sequences);
        }
    }
}

/// Returns where the whole lines of what was read end. At the end of the input, that is all; and a line
/// that is longer than `longest` is cut, so that memory does not grow with it.
pub(super) fn lines_end(bytes: &[u8], longest: usize, is_all: bool) -> usize {
    match memrchr(b'\n', bytes) {
        _ if is_all => bytes.len(),
        Some(at) => at + 1,
        None if bytes.len() > longest => whole_len(bytes),
        None => 0,
    }
}

/// Returns how many sequences are invalid in `line`.
fn invalid_in(line: &[u8]) -> u64 {
    line.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() as u64
}

//! Finds mojibake in what is read, for `check --mojibake`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read};

use memchr::memchr;
use trust8::boundary::floor;

use crate::culprit::Culprit;
use crate::fix::mojibake::undo;
use crate::guess::evidence::skip_continuations;
use crate::location::Location;
use crate::scan::Finding;
use crate::segments::CONTEXT_BYTES;

/// Only the first bytes of a longer line are examined.
const LONGEST_BYTES: usize = 1 << 20;

/// How many bytes of mojibake are shown.
const SHOWN_BYTES: usize = 48;

/// The lines that were read.
#[derive(Default)]
pub(crate) struct Lines {
    /// The beginning of a line that is not complete.
    line: Vec<u8>,
    /// How many lines were complete.
    number: u64,
    /// The offset of the line.
    offset: u64,
    /// How many bytes of the line were not kept.
    dropped: u64,
    /// How many bytes were read.
    read: u64,
    found: VecDeque<Mojibake>,
}

/// The first mojibake of a line.
pub(crate) struct Mojibake {
    location: Location,
    offset: u64,
    bytes: Vec<u8>,
    /// What the bytes were before.
    was: String,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Mojibake {
    pub(crate) fn finding(&self) -> Finding<'_> {
        Finding {
            location: self.location,
            offset: self.offset,
            culprit: Culprit::mojibake(&self.bytes, &self.was),
            before: &self.before,
            after: &self.after,
        }
    }
}

impl Lines {
    /// Returns the next mojibake before `offset`.
    pub(crate) fn next_before(&mut self, offset: u64) -> Option<Mojibake> {
        if self.found.front()?.offset < offset { self.found.pop_front() } else { None }
    }

    /// Returns the offset before which all errors are known when more is read. The scanner keeps a
    /// few bytes to show what is after an error.
    pub(crate) fn settled(&self) -> u64 {
        self.read.saturating_sub(32 * CONTEXT_BYTES as u64)
    }

    fn push(&mut self, mut bytes: &[u8]) {
        self.read += bytes.len() as u64;
        while let Some(end) = memchr(b'\n', bytes) {
            self.add(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.add(bytes);
    }

    fn add(&mut self, bytes: &[u8]) {
        let room = LONGEST_BYTES - self.line.len();
        let kept = bytes.len().min(room);
        self.line.extend_from_slice(&bytes[..kept]);
        self.dropped += (bytes.len() - kept) as u64;
    }

    fn end_line(&mut self) {
        self.number += 1;
        let whole = floor(&self.line, self.line.len());
        let line = &self.line[..whole];
        if let Some((start, end)) = find(line) {
            let before = &line[start.saturating_sub(CONTEXT_BYTES)..start];
            let after = &line[end..];
            self.found.push_back(Mojibake {
                location: Location {
                    line: self.number,
                    column: 1 + String::from_utf8_lossy(&line[..start]).chars().count() as u64,
                },
                offset: self.offset + start as u64,
                was: undo(&String::from_utf8_lossy(&line[start..end])).unwrap_or_default(),
                bytes: line[start..end].to_owned(),
                before: if start > CONTEXT_BYTES { skip_continuations(before) } else { before }.to_owned(),
                after: after[..floor(after, CONTEXT_BYTES)].to_owned(),
            });
        }
        self.offset += self.line.len() as u64 + self.dropped + 1;
        self.dropped = 0;
        self.line.clear();
    }
}

/// Returns the start and the end of the first mojibake of a line.
fn find(line: &[u8]) -> Option<(usize, usize)> {
    if line.is_ascii() {
        return None;
    }
    let line = trust8::from_utf8(line).ok()?;
    undo(line)?;
    let mut start = 0;
    while let Some(at) = line[start..].find(|c: char| !c.is_ascii()) {
        start += at;
        let len = line[start..].find(|c: char| c.is_ascii()).unwrap_or(line.len() - start);
        let group = &line[start..][..len];
        if undo(group).is_some() {
            let ends =
                group.char_indices().map(|(at, _)| at).filter(|at| (1..=SHOWN_BYTES).contains(at)).rev();
            let shown = ends.chain([len]).find(|&end| len <= SHOWN_BYTES || undo(&group[..end]).is_some());
            let shown = if len <= SHOWN_BYTES { len } else { shown.unwrap_or(len) };
            return Some((start, start + shown));
        }
        start += len;
    }
    None
}

/// Passes on what it reads, and looks at the lines if there are `lines`.
pub(crate) struct Watched<'l, R> {
    pub(crate) reader: R,
    pub(crate) lines: Option<&'l RefCell<Lines>>,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        if let Some(lines) = self.lines {
            let mut lines = lines.borrow_mut();
            lines.push(&buffer[..n]);
            if n == 0 && !buffer.is_empty() {
                lines.end_line();
            }
        }
        Ok(n)
    }
}

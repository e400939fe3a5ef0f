//! Counts and errors of a file in pieces. Unlike a `Validator`, a survey continues after an error.

use trust8::{ErrorKind, Utf8Error, utf8_chunks};
use trust8_counts::{Summary, count_chars, inspect};

use crate::memory::{both, place};
use crate::pack;

/// The parts of a file in which errors are counted, for a map of them.
const BINS: usize = 512;

/// The state after the bytes so far. JavaScript sets all of it to 0, except for `total`, and reads it as an
/// array.
#[repr(C)]
pub struct Survey {
    /// The length of the file.
    total: f64,
    /// The number of bytes so far: a multiple of whole characters and errors.
    bytes: f64,
    by_len: [f64; 4],
    newlines: f64,
    /// The number of characters and errors since the last newline.
    column: f64,
    by_kind: [f64; ErrorKind::ALL.len()],
    bins: [f64; BINS],
}

/// An error: offset, line, column, and what [`pack`] returns.
type Found = [f64; 5];

impl Survey {
    fn add_text(&mut self, text: &str, summary: &Summary) {
        for (sum, more) in self.by_len.iter_mut().zip(summary.chars_by_len()) {
            *sum += more as f64;
        }
        self.bytes += text.len() as f64;
        match text.as_bytes().iter().rposition(|&byte| summary.newlines() > 0 && byte == b'\n') {
            Some(last) => self.column = count_chars(&text[last + 1..]) as f64,
            None => self.column += summary.chars() as f64,
        }
        self.newlines += summary.newlines() as f64;
    }

    fn add_error(&mut self, error: &Utf8Error) -> Found {
        let [packed, bytes] = pack(error.kind(), error.error_len(), error.bytes());
        let found = [self.bytes, self.newlines + 1.0, self.column + 1.0, packed, bytes];
        self.by_kind[error.kind() as usize - 1] += 1.0;
        self.bins[((self.bytes * BINS as f64 / self.total) as usize).min(BINS - 1)] += 1.0;
        self.column += 1.0;
        self.bytes += error.error_len().unwrap_or(error.bytes().len()) as f64;
        found
    }
}

/// Adds a piece that begins where `bytes` of the survey ends, and writes the errors in it to `found` as far as they fit. Returns
/// how many were written. If the piece ends inside a character and is not the last one, these bytes are left to the next piece.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn survey(
    survey: *mut Survey,
    at: *const u8,
    len: usize,
    is_last: bool,
    found: *mut Found,
    capacity: usize,
) -> usize {
    // SAFETY: the caller keeps the promises of `memory`.
    let survey = unsafe { place(survey) };
    // SAFETY: as above.
    let (bytes, found) = unsafe { both(at, len, found, capacity) };
    let mut found = found.iter_mut();
    // Most pieces are valid, and need only this pass.
    let summary = inspect(bytes);
    let valid = summary.bytes();
    if let Some(text) = utf8_chunks(&bytes[..valid]).next() {
        survey.add_text(text.valid(), &summary);
    }
    for chunk in utf8_chunks(&bytes[valid..]) {
        if !chunk.valid().is_empty() {
            survey.add_text(chunk.valid(), &inspect(chunk.valid().as_bytes()));
        }
        let Some(error) = chunk.error() else { break };
        if error.kind() == ErrorKind::Incomplete && !is_last {
            break;
        }
        let error = survey.add_error(&error);
        if let Some(slot) = found.next() {
            *slot = error;
        }
    }
    capacity - found.len()
}

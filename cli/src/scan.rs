//! The second look, at files that are not UTF-8, and the only one at what can be read only once: each error
//! with its line, its column and what surrounds it.

use std::fs::File;
use std::io::{self, Read};

use trust8::Kernel;

use crate::culprit::Culprit;
use crate::place::Place;
use crate::progress::Progress;
use crate::read::read_at;
use crate::statistics::Characters;
use crate::window::{CONTEXT, View, Window};

/// An error, and where it is.
pub(crate) struct Finding<'a> {
    pub(crate) place: Place,
    /// In bytes, from the start.
    pub(crate) offset: u64,
    pub(crate) culprit: Culprit<'a>,
    /// What comes before it: up to `CONTEXT` bytes, and no part of a character for that.
    pub(crate) before: &'a [u8],
    /// What follows it, likewise.
    pub(crate) after: &'a [u8],
}

/// Goes through an input from error to error.
pub(crate) struct Scanner<R> {
    window: Window<R>,
    kernel: &'static Kernel,
    progress: Progress,
    place: Place,
    /// Bytes of the last finding, and as how many characters they count.
    passed: Option<(usize, u64)>,
    /// If they are counted.
    characters: Option<Characters>,
}

impl<R: Read> Scanner<R> {
    pub(crate) fn new(kernel: &'static Kernel, reader: R, progress: Progress, counting: bool) -> Self {
        Self {
            window: Window::new(kernel, reader),
            kernel,
            progress,
            place: Place::START,
            passed: None,
            characters: counting.then(Characters::default),
        }
    }

    /// The next error. `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Finding<'_>>> {
        if let Some((bytes, characters)) = self.passed.take() {
            self.window.skip(bytes);
            self.place.pass_invalid(characters);
        }
        while let Some(View::Text(text)) = self.window.look()? {
            self.place.pass(self.kernel, text);
            self.progress.add(text.len() as u64);
            if let Some(characters) = &mut self.characters {
                // It has no error.
                let _ = characters.count(self.kernel, text);
            }
        }
        // It is still in the window.
        let Some(View::Invalid { offset, error, before, rest }) = self.window.look()? else {
            return Ok(None);
        };
        let culprit = Culprit::new(&error, rest);
        self.passed = Some((culprit.bytes.len(), culprit.replacements()));
        let after = beginning(&rest[culprit.bytes.len()..]);
        Ok(Some(Finding { place: self.place, offset, culprit, before: end(before), after }))
    }

    /// How many bytes have been seen.
    pub(crate) fn offset(&self) -> u64 {
        self.window.offset()
    }

    pub(crate) fn characters(&self) -> Characters {
        self.characters.unwrap_or_default()
    }
}

/// The last bytes that are shown, without the end of a character that begins before them.
fn end(before: &[u8]) -> &[u8] {
    let shown = &before[before.len().saturating_sub(CONTEXT)..];
    let cut = shown.iter().take(3).take_while(|byte| matches!(byte, 0x80..=0xBF)).count();
    if shown.len() == CONTEXT { &shown[cut..] } else { shown }
}

/// The first bytes that are shown, without the beginning of a character that ends behind them.
fn beginning(after: &[u8]) -> &[u8] {
    let is_whole = |len: &usize| !matches!(after[*len], 0x80..=0xBF);
    match after.len() {
        ..=CONTEXT => after,
        // No character has more than three continuations.
        _ => &after[..(CONTEXT - 3..=CONTEXT).rev().find(is_whole).unwrap_or(CONTEXT)],
    }
}

/// Reads a file from some place on, whatever its cursor.
pub(crate) struct FileFrom<'a> {
    pub(crate) file: &'a File,
    pub(crate) at: u64,
}

impl Read for FileFrom<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = read_at(self.file, buffer, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_an_error_is_cut_between_characters() {
        for left in 0..40 {
            for right in 0..40 {
                let input = ["日".repeat(left).as_bytes(), b"\xFF", "é😀".repeat(right).as_bytes()].concat();
                let mut scanner = Scanner::new(Kernel::best(), &input[..], Progress::none(), false);
                let finding = scanner.next().unwrap().unwrap();
                assert_eq!(finding.before.len(), (3 * left).min(30));
                assert_eq!(finding.after.len(), (6 * right).min(32));
                assert!(
                    std::str::from_utf8(finding.before).is_ok() && std::str::from_utf8(finding.after).is_ok()
                );
                assert!(scanner.next().unwrap().is_none());
            }
        }
    }
}

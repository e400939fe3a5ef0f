//! The second pass, over files that are not UTF-8: each error with its line, its column and the
//! bytes around it.
//!
//! For input that can be read only once this is the only pass.

use std::io::{self, Read};

use trust8::Kernel;
use trust8::boundary::floor;
use trust8_profile::{Forbidden, Profile, ProfileError};

use crate::culprit::{Culprit, Run};
use crate::guess::evidence::skip_continuations;
use crate::location::Location;
use crate::progress::Progress;
use crate::segments::{CONTEXT_BYTES, Segment, Segments};
use crate::statistics::Characters;

/// An error, and where it is.
pub(crate) struct Finding<'a> {
    pub(crate) location: Location,
    /// The number of bytes of the input before the error.
    pub(crate) offset: u64,
    pub(crate) culprit: Culprit<'a>,
    /// At most `CONTEXT_BYTES` bytes before the error. They don't begin inside a character.
    pub(crate) before: &'a [u8],
    /// At most `CONTEXT_BYTES` bytes after the error. They don't end inside a character, unless the input
    /// does.
    pub(crate) after: &'a [u8],
}

/// Finds the errors of an input, one by one.
pub(crate) struct Scanner<R> {
    segments: Segments<R>,
    kernel: &'static Kernel,
    progress: Progress,
    location: Location,
    /// The length of the previous finding in bytes, and how many U+FFFD would replace it.
    previous: Option<(usize, u64)>,
    /// The characters of the last run of forbidden ones, and what came before it.
    run: Vec<u8>,
    before: Vec<u8>,
    /// `None` if characters are not counted.
    characters: Option<Characters>,
    /// Whether the last byte so far is a line feed.
    ends_line: bool,
}

/// How many bytes of a run of forbidden characters are kept.
const LONGEST_RUN_BYTES: usize = 4096;

impl<R: Read> Scanner<R> {
    pub(crate) fn new(
        kernel: &'static Kernel,
        profile: Option<&'static Profile>,
        reader: R,
        progress: Progress,
        counting: bool,
    ) -> Self {
        Self {
            segments: Segments::new(kernel, profile, reader),
            kernel,
            progress,
            location: Location::START,
            previous: None,
            run: Vec::new(),
            before: Vec::new(),
            characters: counting.then(Characters::default),
            ends_line: false,
        }
    }

    /// Returns the next error, or `None` at the end of the input.
    pub(crate) fn next(&mut self) -> io::Result<Option<Finding<'_>>> {
        self.next_error(&mut || {})
    }

    /// Does the same, and calls `before_reading` before each time that it reads from the input,
    /// which can take long if that is a pipe.
    pub(crate) fn next_error(&mut self, before_reading: &mut dyn FnMut()) -> io::Result<Option<Finding<'_>>> {
        if let Some((bytes, replacements)) = self.previous.take() {
            self.segments.skip(bytes);
            self.location.pass_invalid(replacements);
        }
        let forbidden = loop {
            match self.segments.next()? {
                None => return Ok(None),
                Some(Segment::Reading) => before_reading(),
                Some(Segment::Valid(text)) => {
                    self.progress.add(text.len() as u64);
                    self.ends_line = text.last() == Some(&b'\n');
                    match &mut self.characters {
                        None => self.location.pass(self.kernel, text),
                        Some(characters) => {
                            let lines = characters.newlines;
                            // The text is valid, so this can't fail.
                            let _ = characters.count(self.kernel, text);
                            self.location.pass_counted(self.kernel, text, characters.newlines - lines);
                        }
                    }
                }
                Some(Segment::Invalid { offset, error: ProfileError::Forbidden(found), before, .. }) => {
                    self.before.clear();
                    self.before.extend_from_slice(last_bytes(before));
                    break Some((found, offset));
                }
                Some(Segment::Invalid { .. }) => break None,
            }
        };
        if let Some((found, offset)) = forbidden {
            return Ok(Some(self.run_from(found, offset, before_reading)));
        }
        // An invalid segment is returned again until it is skipped.
        let Some(Segment::Invalid { offset, error: ProfileError::NotUtf8(error), before, rest }) =
            self.segments.next()?
        else {
            return Ok(None);
        };
        let culprit = Culprit::not_utf8(&error, rest);
        self.ends_line = false;
        self.previous = Some((culprit.bytes.len(), culprit.replacements()));
        let after = first_bytes(&rest[culprit.bytes.len()..]);
        Ok(Some(Finding { location: self.location, offset, culprit, before: last_bytes(before), after }))
    }

    /// Returns the run of forbidden characters that begins with `first`, which is the next character.
    fn run_from(&mut self, first: Forbidden, offset: u64, before_reading: &mut dyn FnMut()) -> Finding<'_> {
        let location = self.location;
        let mut run = Run::new(first);
        self.run.clear();
        let mut last = first;
        loop {
            let character = last.character();
            run.add(&last);
            if self.run.len() < LONGEST_RUN_BYTES {
                self.run.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            self.segments.skip(character.len_utf8());
            self.ends_line = character == '\n';
            if self.ends_line {
                self.location.pass(self.kernel, b"\n");
            } else {
                self.location.pass_invalid(1);
            }
            match self.segments.forbidden_next(before_reading) {
                Some(next) if last.class().joins(next.class()) => last = next,
                _ => break,
            }
        }
        let after = first_bytes(self.segments.unseen());
        Finding {
            location,
            offset,
            culprit: Culprit::forbidden_run(run, &self.run),
            before: &self.before,
            after,
        }
    }

    /// Whether what has been scanned ends inside a line.
    pub(crate) fn is_inside_line(&self) -> bool {
        self.offset() > 0 && !self.ends_line
    }

    /// Returns how many bytes have been scanned.
    pub(crate) fn offset(&self) -> u64 {
        self.segments.offset()
    }

    pub(crate) fn characters(&self) -> Characters {
        self.characters.unwrap_or_default()
    }
}

/// Returns the last `CONTEXT_BYTES` bytes of `before`, without the end of a character that begins before
/// them.
fn last_bytes(before: &[u8]) -> &[u8] {
    match before.len().checked_sub(CONTEXT_BYTES) {
        None => before,
        Some(start) => skip_continuations(&before[start..]),
    }
}

/// Returns the first `CONTEXT_BYTES` bytes of `after`, without the beginning of a character that ends
/// after them.
fn first_bytes(after: &[u8]) -> &[u8] {
    &after[..floor(after, CONTEXT_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_around_an_error_are_whole_characters() {
        for left in 0..40 {
            for right in 0..40 {
                let input = ["日".repeat(left).as_bytes(), b"\xFF", "é😀".repeat(right).as_bytes()].concat();
                let mut scanner = Scanner::new(Kernel::best(), None, &input[..], Progress::none(), false);
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

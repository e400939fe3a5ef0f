//! Splits any input into valid text and errors, and shows the bytes around each error.
//!
//! Memory does not grow with the input. To show what surrounds an error, some bytes before it are
//! kept, and some after it are read ahead.

use std::io::{self, Read};

use trust8::Kernel;
use trust8_profile::{Forbidden, Profile, ProfileError};

use crate::source::{self, CHUNK_BYTES, aligned_buffer};

/// How many bytes are shown before and after an error, if the input has that many.
pub(crate) const CONTEXT_BYTES: usize = 32;

/// How many bytes of the text before are kept. A profile may need them.
const KEPT_BYTES: usize = 64;

/// Splits what a reader yields into segments.
pub(crate) struct Segments<R> {
    reader: R,
    kernel: &'static Kernel,
    profile: Option<&'static Profile>,
    bytes: Box<[u8]>,
    /// Where the input is read to. What was read before is kept just before it.
    start: usize,
    /// The first byte that is kept.
    kept: usize,
    /// The segments that were returned end here, and the bytes after it are still to be returned.
    at: usize,
    /// The end of what was read.
    filled: usize,
    /// The offset in the input that corresponds to `at`.
    offset: u64,
    ended: bool,
    /// The error of a read whose caller did not need the bytes.
    failed: Option<io::Error>,
    /// Whether `Segment::Reading` has been returned for the next read.
    announced: bool,
}

/// A part of the input.
pub(crate) enum Segment<'a> {
    /// Nothing: more of the input is read next, which can take long if it is a pipe.
    Reading,
    /// Valid text.
    Valid(&'a [u8]),
    /// An error at the start of `rest`, after `before`.
    Invalid { offset: u64, error: ProfileError, before: &'a [u8], rest: &'a [u8] },
}

impl<R: Read> Segments<R> {
    pub(crate) fn new(kernel: &'static Kernel, profile: Option<&'static Profile>, reader: R) -> Self {
        // An error with `CONTEXT_BYTES` bytes before it is kept until there are `2 * CONTEXT_BYTES` bytes from
        // it on.
        let (bytes, start) = aligned_buffer(KEPT_BYTES + 2 * CONTEXT_BYTES);
        Self {
            reader,
            kernel,
            profile,
            bytes,
            start,
            kept: start,
            at: start,
            filled: start,
            offset: 0,
            ended: false,
            failed: None,
            announced: false,
        }
    }

    /// Returns the offset in the input after the last segment.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next segment, or `None` at the end of the input. An error is returned again
    /// until `skip` passes it.
    pub(crate) fn next(&mut self) -> io::Result<Option<Segment<'_>>> {
        loop {
            let unseen = &self.bytes[self.at..self.filled];
            if unseen.is_empty() && self.ended {
                return Ok(None);
            }
            let (valid, error) = self.judge(unseen);
            if valid > 0 {
                let at = self.at;
                self.skip(valid);
                return Ok(Some(Segment::Valid(&self.bytes[at..self.at])));
            }
            // Here is an error, or no byte at all. With more bytes, the error may turn out to be
            // the beginning of a character; and if not, they show what follows it.
            match error {
                Some(error) if self.ended || unseen.len() >= 2 * CONTEXT_BYTES => {
                    let before = &self.bytes[self.kept.max(self.at - CONTEXT_BYTES)..self.at];
                    let rest = &self.bytes[self.at..self.filled];
                    return Ok(Some(Segment::Invalid { offset: self.offset, error, before, rest }));
                }
                _ if std::mem::take(&mut self.announced) => self.read()?,
                _ => {
                    self.announced = true;
                    return Ok(Some(Segment::Reading));
                }
            }
        }
    }

    /// Returns how much of `unseen` is valid, and the error after that. What a profile forbids may
    /// depend on the bytes before and after it.
    fn judge(&self, unseen: &[u8]) -> (usize, Option<ProfileError>) {
        let error = match self.profile {
            None => self.kernel.from_utf8(unseen).err().map(ProfileError::from),
            Some(profile) => {
                let before = self.at - self.kept;
                let is_start = self.offset == before as u64;
                let all = &self.bytes[self.kept..self.filled];
                let error = profile.error_from(self.kernel, all, before, [is_start, self.ended]);
                return (error.map_or(unseen.len(), |error| error.valid_up_to() - before), error);
            }
        };
        (error.map_or(unseen.len(), |error| error.valid_up_to()), error)
    }

    /// Returns the forbidden character that comes next, if one does. Calls `before_reading` before each
    /// time that it reads. What can't be read is an error of the next call that needs it.
    pub(crate) fn forbidden_next(&mut self, before_reading: &mut dyn FnMut()) -> Option<Forbidden> {
        while !self.ended && self.failed.is_none() && self.filled - self.at < CONTEXT_BYTES {
            before_reading();
            self.failed = self.read().err();
        }
        let (profile, before) = (self.profile?, self.at - self.kept);
        let end = self.filled.min(self.at + CONTEXT_BYTES);
        let edges = [self.offset == before as u64, self.ended && end == self.filled];
        match profile.error_from(self.kernel, &self.bytes[self.kept..end], before, edges) {
            Some(ProfileError::Forbidden(found)) if found.offset() == before as u64 => Some(found),
            _ => None,
        }
    }

    /// Returns the bytes that were read and not passed yet.
    pub(crate) fn unseen(&self) -> &[u8] {
        &self.bytes[self.at..self.filled]
    }

    /// Passes the next `n` bytes of an error.
    pub(crate) fn skip(&mut self, n: usize) {
        self.at += n;
        self.offset += n as u64;
        debug_assert!(self.at <= self.filled);
    }

    /// Reads more bytes. Moves those still to be returned, and `KEPT_BYTES` bytes before them, to just
    /// before `start`.
    fn read(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        let kept = self.kept.max(self.at - KEPT_BYTES);
        // These are fewer than KEPT_BYTES + 2 * CONTEXT_BYTES bytes, so there is room.
        self.kept = self.start - (self.filled - kept);
        self.bytes.copy_within(kept..self.filled, self.kept);
        self.at = self.kept + (self.at - kept);
        self.filled = self.start;
        let n = source::read(&mut self.reader, &mut self.bytes[self.start..][..CHUNK_BYTES])?;
        self.filled = self.start + n;
        self.ended = n == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Yields `bytes`, at most `limit` of them at a time.
    struct Limited<'a> {
        bytes: &'a [u8],
        limit: usize,
    }

    impl Read for Limited<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.limit.min(self.bytes.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.bytes[..n]);
            self.bytes = &self.bytes[n..];
            Ok(n)
        }
    }

    /// However the input is cut, the segments are those that the standard library finds in the
    /// whole.
    #[test]
    fn segments_are_those_of_the_standard_library() {
        let mut input = "aé日😀".repeat(30_000).into_bytes();
        let mut at = 3;
        for (i, byte) in [0xFF, 0xC0, 0xED, 0x80, 0xF4, 0xE2, 0xF0].into_iter().cycle().take(200).enumerate()
        {
            input[at] = byte;
            at += i * i % 977 + 1;
        }
        input.extend(b"\xF0\x9F\x98");
        let mut expected = Vec::new();
        let mut offset = 0;
        for chunk in input.utf8_chunks() {
            offset += chunk.valid().len();
            if !chunk.invalid().is_empty() {
                expected.push((offset as u64, chunk.invalid().to_vec()));
            }
            offset += chunk.invalid().len();
        }
        for kernel in Kernel::available() {
            for limit in [1, 2, 3, 7, 64, 1000, CHUNK_BYTES, usize::MAX] {
                let mut segments = Segments::new(kernel, None, Limited { bytes: &input, limit });
                let mut seen = Vec::new();
                let mut text: Vec<u8> = Vec::new();
                while let Some(segment) = segments.next().unwrap() {
                    match segment {
                        Segment::Reading => {}
                        Segment::Valid(bytes) => text.extend(bytes),
                        Segment::Invalid { offset, error, before, rest } => {
                            let at = offset as usize;
                            assert_eq!(
                                before,
                                &input[at.saturating_sub(CONTEXT_BYTES).max(at - before.len())..at]
                            );
                            assert!(before.len() >= CONTEXT_BYTES.min(at));
                            assert_eq!(rest, &input[at..at + rest.len()]);
                            assert!(rest.len() >= (2 * CONTEXT_BYTES).min(input.len() - at));
                            let len = error.error_len().unwrap_or(rest.len());
                            seen.push((offset, rest[..len].to_vec()));
                            text.extend(&rest[..len]);
                            segments.skip(len);
                        }
                    }
                }
                assert_eq!(segments.offset(), input.len() as u64);
                assert!(text == input && seen == expected, "{} {limit}", kernel.name());
            }
        }
    }

    /// What was read before an error is passed on once, and then the error, even if it does not come again.
    #[test]
    fn an_error_after_a_forbidden_character_is_not_lost() {
        struct Fails(u8);
        impl Read for Fails {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 => "ab\u{202E}cd".as_bytes().read(buffer),
                    2 => Err(io::ErrorKind::Other.into()),
                    _ => b"later".as_slice().read(buffer),
                }
            }
        }
        let mut segments = Segments::new(Kernel::best(), Some(&Profile::SOURCE_CODE), Fails(0));
        let mut text = Vec::new();
        loop {
            match segments.next() {
                Ok(Some(Segment::Reading)) => {}
                Ok(Some(Segment::Valid(bytes))) => text.extend(bytes),
                Ok(Some(Segment::Invalid { .. })) => {
                    segments.skip(3);
                    assert!(segments.forbidden_next(&mut || ()).is_none());
                }
                Ok(None) => panic!("the error is lost: {text:?}"),
                Err(_) => break,
            }
        }
        assert!(b"abcd".starts_with(&text) && text.len() >= 2, "{text:?}");
    }
}

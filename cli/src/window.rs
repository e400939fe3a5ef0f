//! A window that slides over whatever can be read: text and what is not text, in turn, with the bytes around.
//!
//! Memory does not grow with the input. What is not text is shown together with what comes before it and
//! behind it, as far as there is any, which is why some bytes are kept, and some read ahead.

use std::io::{self, Read};

use trust8::{Kernel, Utf8Error};

use crate::read::CHUNK;

/// How many bytes before and behind what is not text can be seen, if the input has them.
pub(crate) const CONTEXT: usize = 32;

/// Sees a reader as text and what is not text.
pub(crate) struct Window<R> {
    reader: R,
    kernel: &'static Kernel,
    bytes: Box<[u8]>,
    /// Before it lies what has been seen, behind it what has not.
    at: usize,
    /// Bytes behind it are no input.
    filled: usize,
    /// Where in the input `at` is.
    offset: u64,
    ended: bool,
}

/// What there is to see.
pub(crate) enum View<'a> {
    /// Some text: whole characters.
    Text(&'a [u8]),
    /// An error at the first byte of `rest`. It is seen again until it is skipped.
    Invalid { offset: u64, error: Utf8Error, before: &'a [u8], rest: &'a [u8] },
}

impl<R: Read> Window<R> {
    pub(crate) fn new(kernel: &'static Kernel, reader: R) -> Self {
        let bytes = vec![0; 2 * CONTEXT + CHUNK].into_boxed_slice();
        Self { reader, kernel, bytes, at: 0, filled: 0, offset: 0, ended: false }
    }

    /// How many bytes have been seen.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next text, which then has been seen, or the next error. `None` at the end.
    pub(crate) fn look(&mut self) -> io::Result<Option<View<'_>>> {
        loop {
            let unseen = &self.bytes[self.at..self.filled];
            if unseen.is_empty() && self.ended {
                return Ok(None);
            }
            let verdict = self.kernel.from_utf8(unseen).map(str::len);
            let text = verdict.unwrap_or_else(|error| error.valid_up_to());
            if text > 0 {
                let at = self.at;
                self.skip(text);
                return Ok(Some(View::Text(&self.bytes[at..self.at])));
            }
            // An error, or nothing at all. More bytes can make a character of what seems one, or
            // show what surrounds it.
            match verdict {
                Err(error) if self.ended || unseen.len() >= 2 * CONTEXT => {
                    let before = &self.bytes[self.at.saturating_sub(CONTEXT)..self.at];
                    let rest = &self.bytes[self.at..self.filled];
                    return Ok(Some(View::Invalid { offset: self.offset, error, before, rest }));
                }
                _ => self.read()?,
            }
        }
    }

    /// Goes on by `n` bytes, which have been seen.
    pub(crate) fn skip(&mut self, n: usize) {
        self.at += n;
        self.offset += n as u64;
        debug_assert!(self.at <= self.filled);
    }

    /// Reads on, behind some of what has been seen and all that has not.
    fn read(&mut self) -> io::Result<()> {
        let kept = self.at.saturating_sub(CONTEXT);
        self.bytes.copy_within(kept..self.filled, 0);
        self.at -= kept;
        self.filled -= kept;
        // At most 3 * CONTEXT - 1 bytes lie there now, so there is room.
        let n = loop {
            match self.reader.read(&mut self.bytes[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.filled += n;
        self.ended = n == 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out so many bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.1.min(self.0.len()).min(buffer.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    /// However the input comes, what is seen is what the standard library sees in all of it at once.
    #[test]
    fn it_shows_what_the_standard_library_finds() {
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
            for drop in [1, 2, 3, 7, 64, 1000, CHUNK, usize::MAX] {
                let mut window = Window::new(kernel, Drops(&input, drop));
                let mut seen = Vec::new();
                let mut text: Vec<u8> = Vec::new();
                while let Some(view) = window.look().unwrap() {
                    match view {
                        View::Text(bytes) => text.extend(bytes),
                        View::Invalid { offset, error, before, rest } => {
                            let at = offset as usize;
                            assert_eq!(before, &input[at.saturating_sub(CONTEXT).max(at - before.len())..at]);
                            assert!(before.len() >= CONTEXT.min(at));
                            assert_eq!(rest, &input[at..at + rest.len()]);
                            assert!(rest.len() >= (2 * CONTEXT).min(input.len() - at));
                            let len = error.error_len().unwrap_or(rest.len());
                            seen.push((offset, rest[..len].to_vec()));
                            text.extend(&rest[..len]);
                            window.skip(len);
                        }
                    }
                }
                assert_eq!(window.offset(), input.len() as u64);
                assert!(text == input && seen == expected, "{} {drop}", kernel.name());
            }
        }
    }
}

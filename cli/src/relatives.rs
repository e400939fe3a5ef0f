//! UTF-8's relatives in files of any size: which of them accept a file that is not UTF-8.

use std::io::{self, Read};

use trust8::Kernel;
use trust8::dialect::Dialect;
use trust8::testing;

use crate::read::CHUNK;

/// Hands out a reader's bytes in chunks that no sequence of any dialect is cut by.
///
/// That takes more than whole sequences: a pair of surrogates is one in CESU-8, and two in a row are none in
/// WTF-8, so a pair is not cut either.
pub(crate) struct Chunks<R> {
    reader: R,
    bytes: Box<[u8]>,
    /// Handed out already.
    given: usize,
    filled: usize,
    ended: bool,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::of_size(reader, CHUNK)
    }

    pub(crate) fn of_size(reader: R, size: usize) -> Self {
        Self { reader, bytes: vec![0; size].into_boxed_slice(), given: 0, filled: 0, ended: false }
    }

    /// The next chunk, which is not empty. `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.bytes.copy_within(self.given..self.filled, 0);
        self.filled -= self.given;
        self.given = 0;
        while !self.ended && self.filled < self.bytes.len() {
            match self.reader.read(&mut self.bytes[self.filled..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(0) => self.ended = true,
                Ok(n) => self.filled += n,
            }
        }
        let bytes = &self.bytes[..self.filled];
        self.given = if self.ended { bytes.len() } else { last_border(bytes) };
        Ok((self.given > 0).then(|| &self.bytes[..self.given]))
    }
}

/// The last place behind the start where neither a sequence nor a pair is cut. Where there is none, it is no
/// text in any dialect, and may be cut anywhere.
fn last_border(bytes: &[u8]) -> usize {
    let is_border = |at: usize| match (bytes[at], bytes.get(at + 1)) {
        (0x80..=0xBF, _) => false,
        // The second half of a pair, perhaps.
        (0xED, None | Some(0xB0..=0xBF)) => !matches!(bytes[..at], [.., 0xED, 0xA0..=0xAF, _]),
        _ => true,
    };
    (1..bytes.len()).rev().find(|&at| is_border(at)).unwrap_or(bytes.len())
}

/// A dialect that accepts all of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fit {
    pub(crate) dialect: Dialect,
    /// UTF-8 can express all that is in it.
    pub(crate) convertible: bool,
}

/// The dialects that accept all of a file, the one to prefer first; UTF-8 itself is not among them. `from` reads it
/// from any place on, and at `error`, or behind it, it is not UTF-8 for the first time.
///
/// What lies there is asked about first: for most files that decides it at once.
pub(crate) fn fitting<R: Read>(
    kernel: &'static Kernel,
    from: impl Fn(u64) -> R,
    error: u64,
) -> io::Result<Vec<Fit>> {
    let fits = fitting_chunks(kernel, Chunks::new(from(error)))?;
    if fits.is_empty() || error == 0 { Ok(fits) } else { fitting_chunks(kernel, Chunks::new(from(0))) }
}

fn fitting_chunks(kernel: &'static Kernel, mut chunks: Chunks<impl Read>) -> io::Result<Vec<Fit>> {
    // In the order in which the library prefers them.
    let mut fits: Vec<_> = testing::dialect::diagnose(kernel, b"")
        .accepted()
        .filter(|dialect| *dialect != Dialect::Utf8)
        .map(|dialect| Fit { dialect, convertible: true })
        .collect();
    while !fits.is_empty()
        && let Some(chunk) = chunks.next()?
    {
        let diagnosis = testing::dialect::diagnose(kernel, chunk);
        fits.retain(|fit| diagnosis.check(fit.dialect).is_ok());
        for fit in &mut fits {
            fit.convertible &= diagnosis.conversion(fit.dialect).is_ok();
        }
    }
    Ok(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However it is cut, a file fits what it fits as a whole.
    #[test]
    fn pieces_fit_what_the_whole_fits() {
        let texts: [&[u8]; 9] = [
            b"a\xED\xA0\xBD\xED\xB8\x80b",
            b"\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80",
            b"a\xC0\x80\xED\xA0\xBD\xED\xB8\x80b\xE2\x82\xAC",
            b"\xED\xA0\xBD\xED\xA0\xBD\xED\xA0\xBD\xED\xA0\xBD",
            b"\xED\xB8\x80\xED\xB8\x80\xED\xB8\x80\xED\xB8\x80",
            b"\xED\x9F\xBF\xED\xB8\x80\xEE\x80\x80\xED\xB8\x80",
            b"\xF0\x9F\x98\x80\xED\xA0\xBD\xF0\x9F\x98\x80",
            b"a\xFC\x84\x80\x80\x80\x80b\xF8\x88\x80\x80\x80\xED\xA0\xBD\xED\xB8\x80",
            b"a\xED\xA0\xBD\xED\xB8\x80\xE9t\xE9",
        ];
        let kernel = Kernel::best();
        let mut fitting_any = 0;
        for text in texts {
            for repeat in 1..5 {
                let bytes = text.repeat(repeat);
                let diagnosis = testing::dialect::diagnose(kernel, &bytes);
                let expected: Vec<_> = diagnosis
                    .accepted()
                    .map(|dialect| Fit { dialect, convertible: diagnosis.conversion(dialect).is_ok() })
                    .collect();
                for size in 9..bytes.len() + 2 {
                    let mut chunks = Chunks::of_size(&bytes[..], size);
                    let mut together: Vec<u8> = Vec::new();
                    while let Some(chunk) = chunks.next().unwrap() {
                        together.extend(chunk);
                    }
                    assert_eq!(together, bytes);
                    let fits = fitting_chunks(kernel, Chunks::of_size(&bytes[..], size)).unwrap();
                    assert_eq!(fits, expected, "{bytes:X?} in chunks of {size}");
                    fitting_any += fits.len();
                }
            }
        }
        assert!(fitting_any > 100);
    }
}

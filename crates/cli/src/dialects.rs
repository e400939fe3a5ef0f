//! The dialects of UTF-8 that accept a file which is not UTF-8. The file may have any size.

use std::io::{self, Read};

use crate::guess::dialects::{AcceptedBy, Accepting, last_cut};
use crate::source::{self, CHUNK_BYTES};

/// Reads chunks that cut no sequence of any dialect.
///
/// Whole sequences are not enough: a pair of surrogates is one character in CESU-8, and WTF-8
/// allows either surrogate alone but not the pair. So a pair is not cut either.
pub(crate) struct DialectChunks<R> {
    reader: R,
    bytes: Box<[u8]>,
    /// The end of the chunk that was returned last.
    returned: usize,
    filled: usize,
    ended: bool,
}

impl<R: Read> DialectChunks<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self::of_size(reader, CHUNK_BYTES)
    }

    /// `size` is the length of the longest chunk, at least 9.
    pub(crate) fn of_size(reader: R, size: usize) -> Self {
        Self { reader, bytes: vec![0; size].into_boxed_slice(), returned: 0, filled: 0, ended: false }
    }

    /// Returns the next chunk, which is not empty, or `None` at the end of the input.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.bytes.copy_within(self.returned..self.filled, 0);
        self.filled -= self.returned;
        self.returned = 0;
        while !self.ended && self.filled < self.bytes.len() {
            let n = source::read(&mut self.reader, &mut self.bytes[self.filled..])?;
            self.ended = n == 0;
            self.filled += n;
        }
        let bytes = &self.bytes[..self.filled];
        self.returned = if self.ended { bytes.len() } else { last_cut(bytes) };
        Ok((self.returned > 0).then(|| &self.bytes[..self.returned]))
    }
}

/// Returns the dialects other than UTF-8 that accept all of a file, the preferred one first.
///
/// `from` returns a reader that begins at an offset. The first error of UTF-8 is at the offset
/// `error` or after it. The part from there on is tried first, because in most files no dialect
/// accepts it.
pub(crate) fn accepting_dialects<R: Read>(
    from: impl Fn(u64) -> R,
    error: u64,
) -> io::Result<Vec<AcceptedBy>> {
    let accepted = accepted_by(DialectChunks::new(from(error)))?;
    if accepted.is_empty() || error == 0 {
        return Ok(accepted);
    }
    accepted_by(DialectChunks::new(from(0)))
}

fn accepted_by(mut chunks: DialectChunks<impl Read>) -> io::Result<Vec<AcceptedBy>> {
    let mut accepting = Accepting::new();
    while !accepting.dialects().is_empty()
        && let Some(chunk) = chunks.next()?
    {
        accepting.push(chunk);
    }
    Ok(accepting.dialects().to_vec())
}

#[cfg(test)]
mod tests {
    use trust8_dialect::{Dialect, diagnose};

    use super::*;

    /// However a file is cut into chunks, the dialects that accept it are those that accept the
    /// whole.
    #[test]
    fn chunks_agree_with_the_whole_file() {
        let texts: [&[u8]; 11] = [
            b"a\xED\xA0\xBD\xED\xB8\x80b",
            b"\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80\xED\xA0\xBD\xED\xB8\x80",
            b"a\xC0\x80\xED\xA0\xBD\xED\xB8\x80b\xE2\x82\xAC",
            b"\xED\xA0\xBD\xED\xA0\xBD\xED\xA0\xBD\xED\xA0\xBD",
            b"\xED\xB8\x80\xED\xB8\x80\xED\xB8\x80\xED\xB8\x80",
            b"\xED\x9F\xBF\xED\xB8\x80\xEE\x80\x80\xED\xB8\x80",
            b"\xF0\x9F\x98\x80\xED\xA0\xBD\xF0\x9F\x98\x80",
            b"a\xFC\x84\x80\x80\x80\x80b\xF8\x88\x80\x80\x80\xED\xA0\xBD\xED\xB8\x80",
            b"a\xED\xA0\xBD\xED\xB8\x80\xE9t\xE9",
            b"\x02\x01\xC0\xC3\0\0\xED\xE6\xB8\x80\xED\xA0\xBD\xED\xE6",
            b"ab\xED\xA0\xBD\xED\xB8c\xED\xA0\xBD\xEDd\xED\xA0e\xEDf",
        ];
        let mut found = 0;
        for text in texts {
            for repeat in 1..5 {
                let bytes = text.repeat(repeat);
                let diagnosis = diagnose(&bytes);
                let expected: Vec<_> = diagnosis
                    .accepted()
                    .map(|dialect| AcceptedBy { dialect, convertible: diagnosis.conversion(dialect).is_ok() })
                    .collect();
                for size in 9..bytes.len() + 2 {
                    let mut chunks = DialectChunks::of_size(&bytes[..], size);
                    let mut together: Vec<u8> = Vec::new();
                    let mut lossy = [const { String::new() }; Dialect::ALL.len()];
                    while let Some(chunk) = chunks.next().unwrap() {
                        together.extend(chunk);
                        for (text, dialect) in lossy.iter_mut().zip(Dialect::ALL) {
                            text.push_str(&dialect.to_utf8_lossy(chunk));
                        }
                    }
                    assert_eq!(together, bytes);
                    for (text, dialect) in lossy.iter().zip(Dialect::ALL) {
                        assert_eq!(*text, dialect.to_utf8_lossy(&bytes), "{bytes:X?} in chunks of {size}");
                    }
                    let accepted = accepted_by(DialectChunks::of_size(&bytes[..], size)).unwrap();
                    assert_eq!(accepted, expected, "{bytes:X?} in chunks of {size}");
                    found += accepted.len();
                }
            }
        }
        assert!(found > 100);
    }
}

//! Reading to the end of something into a `String`, validated while it is still in the cache.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use std::io::{self, Read};

use crate::stream::Validator;

/// Bytes that are read and then validated: what stays in the second-level cache in between.
///
/// Smaller chunks cost more calls of the system, because [`Read::read_to_end`] begins each with a
/// small one.
const CHUNK: usize = 256 << 10;

/// Reads to the end and appends what was read to `string`.
///
/// What [`Read::read_to_string`] does, faster: each chunk is validated while it is still in the
/// cache. Reads that are interrupted are repeated.
///
/// # Errors
///
/// - The reader's.
/// - [`io::ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if what it reads
///   is not UTF-8; its offset counts from where the reader stood. No more is read then.
///
/// After either, `string` is as it was.
///
/// ```
/// use trust8::io::read_to_string;
/// use trust8::stream::StreamError;
///
/// let mut string = String::from("1: ");
/// assert_eq!(read_to_string(&b"\xC3\xA9t\xC3\xA9"[..], &mut string)?, 5);
/// assert_eq!(string, "1: été");
///
/// let error = read_to_string(&b"\xE9t\xE9"[..], &mut string).unwrap_err();
/// assert_eq!(string, "1: été");
/// assert_eq!(error.downcast::<StreamError>().unwrap().error_len(), Some(1));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn read_to_string(mut reader: impl Read, string: &mut String) -> io::Result<usize> {
    append(&mut reader, string)
}

fn append(reader: &mut dyn Read, string: &mut String) -> io::Result<usize> {
    let mut appending = Appending::to(string);
    let mut validator = Validator::new();
    loop {
        let begin = appending.bytes.len();
        // `Take` puts the bytes straight into the spare capacity, which need not be filled first, and
        // shows the reader nothing else.
        let n = (&mut *reader).take(CHUNK as u64).read_to_end(&mut appending.bytes)?;
        validator.push(&appending.bytes[begin..])?;
        if n < CHUNK {
            validator.finish()?;
            let read = validator.valid_up_to() as usize;
            appending.text += read;
            return Ok(read);
        }
    }
}

/// A string's bytes, while something is appended to them that may not be text. The string gets
/// back as many as are text, whatever happens: after an error, and after a panic.
struct Appending<'a> {
    /// Empty meanwhile.
    string: &'a mut String,
    bytes: Vec<u8>,
    /// How many of them, from the first one on, are text.
    text: usize,
}

impl<'a> Appending<'a> {
    fn to(string: &'a mut String) -> Self {
        let bytes = mem::take(string).into_bytes();
        let text = bytes.len();
        Self { string, bytes, text }
    }
}

impl Drop for Appending<'_> {
    fn drop(&mut self) {
        let mut bytes = mem::take(&mut self.bytes);
        bytes.truncate(self.text);
        // SAFETY: the first `text` bytes are those that came out of a `String`, and behind them those
        // that `append` read and found valid from there to the end. In between, `bytes` was only
        // appended to: by `Take`, which shows the reader nothing but spare capacity, so that no reader,
        // however wrong, can change what is there.
        *self.string = unsafe { String::from_utf8_unchecked(bytes) };
    }
}

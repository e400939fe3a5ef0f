//! Reading to the end of a reader into a `String`. Each chunk is validated while it is still in the cache.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use std::io::{self, Read};

use crate::stream::Validator;

/// How many bytes are read before they are validated: as many as stay in the second-level cache until then.
///
/// Smaller chunks cost more system calls, because [`Read::read_to_end`] begins with a small read.
const CHUNK: usize = 256 << 10;

/// Reads to the end of `reader`, appends the text to `string`, and returns its length in bytes.
///
/// This does what [`Read::read_to_string`] does, faster: each chunk is validated while it is still in the cache. A read that is
/// interrupted is repeated.
///
/// # Errors
///
/// - The errors of `reader`.
/// - [`io::ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the bytes are not UTF-8. Its position
///   counts from where `reader` stood. No more is read then.
///
/// After any error, `string` is unchanged.
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
        // `Take` puts the bytes straight into the spare capacity, which need not be initialised, and shows the reader nothing
        // else.
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

/// The bytes of a string, while bytes are appended to them that may not be text. The string gets back those that are text,
/// whatever happens: also after an error, and after a panic.
struct Appending<'a> {
    /// Empty until it gets its bytes back.
    string: &'a mut String,
    bytes: Vec<u8>,
    /// How many bytes, from the first one on, are text.
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
        // SAFETY: the first bytes came out of a `String`, and the rest, up to `text`, was read by `append`, which found it valid
        // as a whole. Since then, `bytes` was only appended to, by `Take`. It shows the reader nothing but spare capacity, so no
        // reader, however wrong, can change the bytes before that.
        *self.string = unsafe { String::from_utf8_unchecked(bytes) };
    }
}

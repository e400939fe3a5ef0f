//! Reads to the end of a reader into a `String`. Each chunk is validated while it is still in the
//! cache.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use std::io::{self, Read};

use super::intake::read_too_much;
use crate::boundary::whole_len;
use crate::error::Utf8Error;
use crate::stream::StreamError;
use crate::{from_utf8, is_utf8};

/// The number of bytes to read before validating them. They stay in the second-level cache until
/// then.
const CHUNK_BYTES: usize = 256 << 10;

/// The size of the read that looks for the end of the input, so that an exactly full string need
/// not grow.
const PROBE_BYTES: usize = 32;

/// Reads to the end of `reader`, appends the text to `string`, and returns its length in bytes.
///
/// Like [`Read::read_to_string`], but faster: each chunk is validated while it is still in the
/// cache. An interrupted read is repeated.
///
/// # Errors
///
/// - The errors of `reader`.
/// - [`io::ErrorKind::InvalidData`] with a [`StreamError`](crate::stream::StreamError) if the bytes
///   are not UTF-8. Its position counts from the initial position of `reader`. Nothing more is read
///   then.
/// - [`io::ErrorKind::Other`] if `reader` claims to have read more bytes than it was asked for.
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
    let begin = appending.text;
    let full = appending.bytes.capacity();
    // The bytes before this are text.
    let mut valid = begin;
    loop {
        let is_end = read_chunk(reader, &mut appending.bytes, full)?;
        let rest = &appending.bytes[valid..];
        let checked = if is_end { from_utf8(rest).map(str::len) } else { text_len(rest) };
        valid += checked.map_err(|error| {
            StreamError::new((valid - begin + error.valid_up_to()) as u64, error.sequence)
        })?;
        if is_end {
            appending.text = valid;
            return Ok(valid - begin);
        }
    }
}

/// Returns how many bytes at the start of `bytes` are text, if more bytes may follow. A kernel has
/// found exactly these valid, and the others begin a character.
///
/// # Errors
///
/// Returns the first place at which `bytes` are not UTF-8, whatever follows.
fn text_len(bytes: &[u8]) -> Result<usize, Utf8Error> {
    let (text, cut) = bytes.split_at(whole_len(bytes));
    let may_follow = |cut| from_utf8(cut).is_err_and(|error| error.error_len().is_none());
    if is_utf8(text) && (cut.is_empty() || may_follow(cut)) {
        return Ok(text.len());
    }
    from_utf8(bytes).map(str::len)
}

/// Appends to `bytes` until their capacity is used up, a chunk is read, or the input ends. Returns
/// whether it ended.
///
/// The reader sees only a slice of the end of `bytes`, or memory on the stack. `full` is the
/// initial capacity of `bytes`.
fn read_chunk(reader: &mut dyn Read, bytes: &mut Vec<u8>, full: usize) -> io::Result<bool> {
    if bytes.len() == bytes.capacity() {
        if bytes.len() == full {
            // Often the string is exactly as long as the input.
            let mut probe = [0; PROBE_BYTES];
            let n = read_some(reader, &mut probe)?;
            if n == 0 {
                return Ok(true);
            }
            bytes.try_reserve(2 * PROBE_BYTES)?;
            bytes.extend_from_slice(&probe[..n]);
        } else {
            bytes.try_reserve(PROBE_BYTES)?;
        }
    }
    // Each byte is cleared once, no matter how few bytes the reader returns at a time.
    let mut at = bytes.len();
    let end = bytes.capacity().min(at + CHUNK_BYTES);
    bytes.resize(end, 0);
    while at < end {
        match read_some(reader, &mut bytes[at..])? {
            0 => {
                bytes.truncate(at);
                return Ok(true);
            }
            n => at += n,
        }
    }
    Ok(false)
}

/// Reads into `room`, retrying after an interrupt, and returns the number of bytes read.
fn read_some(reader: &mut dyn Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(room) {
            Ok(n) if n > room.len() => return Err(read_too_much()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The bytes of a string, to which bytes are appended that may not be text. The string always gets
/// back the part that is text, even after an error or a panic.
struct Appending<'a> {
    /// Empty until it gets its bytes back.
    string: &'a mut String,
    bytes: Vec<u8>,
    /// The length of the text at the start of the bytes.
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
        // SAFETY: the first bytes came out of a `String`. `append` sets `text` only after kernels
        // found all bytes up to there valid, in parts that each begin where the one before it ends.
        // No reader, however wrong, can change bytes that were read before: it gets a slice of
        // those after them.
        *self.string = unsafe { String::from_utf8_unchecked(bytes) };
    }
}

//! Repairs bytes with one of several policies for ill-formed sequences.

use trust8::{ErrorKind, utf8_chunks};

use crate::memory::{both, input, place};

/// The longest replacement of a byte of an ill-formed sequence: `\xFF`.
const LONGEST_BYTES: usize = 4;

struct Output<'a> {
    out: &'a mut [u8],
    len: usize,
}

impl Output<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.out[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }
}

/// Repairs `len` bytes at `at`; `out` has four times their length. `policy` is the replacement of an
/// ill-formed sequence:
///
/// - 0: one U+FFFD, as in browsers and in `String::from_utf8_lossy`
/// - 1: nothing
/// - 2: `\xHH` for each byte
/// - 3: for each byte, the character that `table` has for it: code points for 80 to FF
/// - 4: as in the JDK, one U+FFFD, also for the two or three bytes of a surrogate
///
/// Writes to `progress` how many bytes were read and written, and how many ill-formed sequences were read. If the piece ends inside a character, or with policy 4 inside a
/// surrogate, and is not the last one, these bytes are not read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn repair(
    policy: u32,
    table: *const u32,
    at: *const u8,
    len: usize,
    is_last: bool,
    out: *mut u8,
    progress: *mut [u32; 3],
) {
    // SAFETY: the caller keeps the promises of `memory`.
    let table = unsafe { input(table, 128) };
    // SAFETY: as above.
    let (bytes, out) = unsafe { both(at, len, out, len * LONGEST_BYTES) };
    let bytes = match bytes {
        [before @ .., 0xED, 0xA0..=0xBF] if policy == 4 && !is_last => before,
        _ => bytes,
    };
    let mut out = Output { out, len: 0 };
    let (mut read, mut replaced, mut in_surrogate) = (0, 0, 0);
    for chunk in utf8_chunks(bytes) {
        out.put(chunk.valid().as_bytes());
        read = chunk.invalid_offset();
        if chunk.kind() == Some(ErrorKind::Incomplete) && !is_last {
            break;
        }
        read += chunk.invalid().len();
        replaced += u32::from(!chunk.invalid().is_empty());
        match policy {
            0 if !chunk.invalid().is_empty() => out.put("\u{FFFD}".as_bytes()),
            4 => match chunk.invalid() {
                [] => {}
                [0x80..=0xBF] if in_surrogate > 0 && chunk.valid().is_empty() => in_surrogate -= 1,
                invalid => {
                    in_surrogate = if invalid == [0xED] { 2 } else { 0 };
                    out.put("\u{FFFD}".as_bytes());
                }
            },
            2 => chunk.invalid().iter().for_each(|&byte| {
                let digit = |nibble| b"0123456789ABCDEF"[usize::from(nibble)];
                out.put(&[b'\\', b'x', digit(byte >> 4), digit(byte & 0xF)]);
            }),
            3 => chunk.invalid().iter().for_each(|&byte| {
                let c =
                    char::from_u32(table[usize::from(byte & 0x7F)]).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.put(c.encode_utf8(&mut [0; 4]).as_bytes());
            }),
            _ => {}
        }
    }
    // SAFETY: as above.
    *unsafe { place(progress) } = [read as u32, out.len as u32, replaced];
}

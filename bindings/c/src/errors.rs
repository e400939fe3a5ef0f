//! # Errors
//!
//! A kind is the number of a rule. Kinds 1 to 7 are the rules of UTF-8 (RFC 3629). Other encodings
//! share these rules or have their own. A number never changes its meaning, and later versions may
//! add numbers.

use core::ffi::{CStr, c_char, c_void};
use core::fmt::{self, Write};
use core::ptr;

use trust8_profile::Class;

use crate::memory;

/// There is no error.
pub const TRUST8_NO_ERROR: u8 = 0;
/// A continuation byte, 80 to BF, where a character must begin.
pub const TRUST8_UNEXPECTED_CONTINUATION: u8 = 1;
/// A byte that never appears: F8 to FF.
pub const TRUST8_INVALID_BYTE: u8 = 2;
/// A character in more bytes than it needs, such as C0 AF.
pub const TRUST8_OVERLONG: u8 = 3;
/// A surrogate, U+D800 to U+DFFF, which is not a character.
pub const TRUST8_SURROGATE: u8 = 4;
/// A character above U+10FFFF.
pub const TRUST8_TOO_LARGE: u8 = 5;
/// A character that another one interrupts.
pub const TRUST8_TRUNCATED: u8 = 6;
/// The input ends inside a character, so more input might complete it.
pub const TRUST8_INCOMPLETE: u8 = 7;
/// UTF-16: the first half of a surrogate pair without the second one.
pub const TRUST8_LONE_HIGH_SURROGATE: u8 = 8;
/// UTF-16: the second half of a surrogate pair without the first one.
pub const TRUST8_LONE_LOW_SURROGATE: u8 = 9;
/// The target encoding lacks the character.
pub const TRUST8_UNMAPPABLE: u8 = 10;
/// WTF-8: a surrogate pair as two sequences of three bytes.
pub const TRUST8_SURROGATE_PAIR: u8 = 11;
/// CESU-8 and Modified UTF-8: a sequence of four bytes.
pub const TRUST8_FOUR_BYTES: u8 = 12;
/// Modified UTF-8: a byte 00.
pub const TRUST8_NUL: u8 = 13;
/// A code point that UTF-8 can't express.
pub const TRUST8_INEXPRESSIBLE: u8 = 14;
/// A character that the profile forbids.
pub const TRUST8_FORBIDDEN: u8 = 16;
/// Columns: an offset is negative.
pub const TRUST8_NEGATIVE_OFFSET: u8 = 32;
/// Columns: an offset is smaller than the previous one.
pub const TRUST8_DECREASING_OFFSET: u8 = 33;
/// Columns: an offset is beyond the end of the values.
pub const TRUST8_OFFSET_OUT_OF_RANGE: u8 = 34;
/// Columns: a view holds a string, and its bytes after the string are not zero.
pub const TRUST8_NON_ZERO_PADDING: u8 = 35;
/// Columns: a view names a buffer that does not exist.
pub const TRUST8_NO_SUCH_BUFFER: u8 = 36;
/// Columns: a view reaches beyond the end of its buffer.
pub const TRUST8_VIEW_OUT_OF_RANGE: u8 = 37;
/// Columns: the first four bytes of a string differ from those in its view.
pub const TRUST8_WRONG_PREFIX: u8 = 38;
/// Columns: the validity bitmap has no bit for a row.
pub const TRUST8_SHORT_VALIDITY: u8 = 39;
/// The output is too small.
pub const TRUST8_TOO_SMALL: u8 = 64;
/// The arguments are not what the function takes.
pub const TRUST8_MISUSE: u8 = 255;

/// Returned by size_t functions in place of TRUST8_MISUSE: SIZE_MAX.
pub const TRUST8_NONE: usize = usize::MAX;

/// The first error of an input.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct trust8_error {
    /// The number of valid bytes from the start of the input or stream. The ill-formed sequence
    /// begins there.
    pub valid_up_to: u64,
    /// The length of the ill-formed sequence. One U+FFFD replaces it, and the text continues after
    /// it. It is 0 if the input ends inside a character, and if there is no sequence.
    pub error_len: u8,
    /// The broken rule: TRUST8_NO_ERROR (0) or another kind.
    pub kind: u8,
    /// The number of bytes in `bytes`.
    pub bytes_len: u8,
    /// Zero.
    pub reserved: u8,
    /// The bytes that prove an error of UTF-8: the sequence, and the next byte if it decides.
    pub bytes: [u8; 4],
}

impl trust8_error {
    /// Returns an error of this kind at a position, without a sequence.
    pub(crate) const fn at(valid_up_to: u64, kind: u8) -> Self {
        Self { valid_up_to, error_len: 0, kind, bytes_len: 0, reserved: 0, bytes: [0; 4] }
    }

    pub(crate) const MISUSE: Self = Self::at(0, TRUST8_MISUSE);

    #[inline(always)]
    pub(crate) fn new(valid_up_to: u64, kind: u8, error_len: Option<usize>, seen: &[u8]) -> Self {
        // A loop over the bytes would be slower.
        let bytes = match *seen {
            [] => [0; 4],
            [a] => [a, 0, 0, 0],
            [a, b] => [a, b, 0, 0],
            [a, b, c] => [a, b, c, 0],
            [a, b, c, d, ..] => [a, b, c, d],
        };
        // No sequence has more than six bytes, and no more than four are kept.
        let error_len = error_len.unwrap_or(0) as u8;
        Self { valid_up_to, error_len, kind, bytes_len: seen.len().min(4) as u8, reserved: 0, bytes }
    }

    /// Returns the struct as two words, to compare it with another one.
    pub(crate) const fn words(&self) -> [u64; 2] {
        let [a, b, c, d] = self.bytes;
        let fields = [self.error_len, self.kind, self.bytes_len, self.reserved, a, b, c, d];
        [self.valid_up_to, u64::from_ne_bytes(fields)]
    }

    /// Returns the bytes, or as many as fit.
    pub(crate) fn seen(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.bytes_len)).unwrap_or(&self.bytes)
    }
}

/// Reports a misuse of the arguments, and returns `false`.
///
/// # Safety
///
/// - The same as for [`memory::put`].
#[cold]
#[inline(never)]
pub(crate) unsafe fn misuse(error: *mut trust8_error) -> bool {
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, trust8_error::MISUSE) };
    false
}

impl From<trust8::Utf8Error> for trust8_error {
    #[inline]
    fn from(error: trust8::Utf8Error) -> Self {
        Self::new(error.valid_up_to() as u64, error.kind().code(), error.error_len(), error.bytes())
    }
}

/// Returns the kind's name, such as "overlong", or "unknown".
#[unsafe(no_mangle)]
pub extern "C" fn trust8_kind_name(kind: u8) -> *const c_char {
    name(kind).as_ptr()
}

fn name(kind: u8) -> &'static CStr {
    match kind {
        TRUST8_NO_ERROR => c"no-error",
        TRUST8_UNEXPECTED_CONTINUATION => c"unexpected-continuation",
        TRUST8_INVALID_BYTE => c"invalid-byte",
        TRUST8_OVERLONG => c"overlong",
        TRUST8_SURROGATE => c"surrogate",
        TRUST8_TOO_LARGE => c"too-large",
        TRUST8_TRUNCATED => c"truncated",
        TRUST8_INCOMPLETE => c"incomplete",
        TRUST8_LONE_HIGH_SURROGATE => c"lone-high-surrogate",
        TRUST8_LONE_LOW_SURROGATE => c"lone-low-surrogate",
        TRUST8_UNMAPPABLE => c"unmappable",
        TRUST8_SURROGATE_PAIR => c"surrogate-pair",
        TRUST8_FOUR_BYTES => c"four-bytes",
        TRUST8_NUL => c"nul",
        TRUST8_INEXPRESSIBLE => c"inexpressible",
        TRUST8_FORBIDDEN => c"forbidden",
        TRUST8_NEGATIVE_OFFSET => c"negative-offset",
        TRUST8_DECREASING_OFFSET => c"decreasing-offset",
        TRUST8_OFFSET_OUT_OF_RANGE => c"offset-out-of-range",
        TRUST8_NON_ZERO_PADDING => c"non-zero-padding",
        TRUST8_NO_SUCH_BUFFER => c"no-such-buffer",
        TRUST8_VIEW_OUT_OF_RANGE => c"view-out-of-range",
        TRUST8_WRONG_PREFIX => c"wrong-prefix",
        TRUST8_SHORT_VALIDITY => c"short-validity",
        TRUST8_TOO_SMALL => c"too-small",
        TRUST8_MISUSE => c"misuse",
        _ => c"unknown",
    }
}

/// Writes a message for people to `buf`, such as "line 2, column 4: invalid UTF-8 at byte 12: FF
/// never appears in UTF-8; ...".
///
/// The message is ASCII. As with snprintf, it is truncated to fit, and it is terminated unless
/// `cap` is 0. The result is the length of the whole message without the terminator. If `data` is
/// the input that gave the error, the message begins with the line and the column. It may be NULL:
/// the message of a stream has only the byte. NULL with another length than 0, or one above
/// PTRDIFF_MAX, gives a message too, though the result is TRUST8_NONE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_explain(
    error: *const trust8_error,
    data: *const c_void,
    len: usize,
    buf: *mut c_char,
    cap: usize,
) -> usize {
    // The struct is read before the message is written, so they may overlap.
    // SAFETY: the caller vouches for the struct.
    let error = unsafe { memory::take(error) };
    // SAFETY: the caller vouches for the memory.
    let is_misuse = unsafe { memory::bytes(data, len) }.is_none();
    // Who looks only at the message finds one.
    let (data, len, error) = if is_misuse { (ptr::null(), 0, None) } else { (data, len, error) };
    // SAFETY: the caller vouches for the memory, and that the two do not overlap, or this is seen.
    let Some((data, room)) = (unsafe { memory::both(data, len, buf.cast(), cap) }) else {
        return TRUST8_NONE;
    };
    let mut message = Message { room, len: 0 };
    // A `Message` accepts everything.
    let _ = explain(&error.unwrap_or(trust8_error::MISUSE), data, &mut message);
    let whole = message.terminate();
    if is_misuse { TRUST8_NONE } else { whole }
}

fn explain(error: &trust8_error, data: &[u8], message: &mut Message<'_>) -> fmt::Result {
    if error.kind == TRUST8_NO_ERROR {
        return message.write_str("no error");
    }
    if error.kind == TRUST8_MISUSE {
        return message.write_str("misuse: the arguments are not what the function takes");
    }
    if !data.is_empty() {
        let place = trust8::locate(data, usize::try_from(error.valid_up_to).unwrap_or(usize::MAX));
        write!(message, "line {}, column {}: ", place.line, place.column)?;
    }
    match trust8::from_utf8(error.seen()) {
        Ok(character) if error.kind == TRUST8_FORBIDDEN => {
            let character = character.chars().next().unwrap_or_default();
            let number = u32::from(character);
            // A class that depends on the characters around it is not known here.
            let reason = Class::of(character).map_or("forbidden there", Class::reason);
            write!(message, "forbidden character at byte {}: U+{number:04X} is ", error.valid_up_to)?;
            message.write_str(reason)
        }
        Err(of_bytes) if of_bytes.kind().code() == error.kind => {
            write!(message, "invalid UTF-8 at byte {}: {}", error.valid_up_to, of_bytes.reason())
        }
        _ => {
            write!(message, "invalid text at byte {}: ", error.valid_up_to)?;
            message.write_str(trust8::from_utf8(name(error.kind).to_bytes()).unwrap_or_default())
        }
    }
}

/// A message in the caller's memory. The last byte is for the terminator.
struct Message<'a> {
    room: &'a mut [core::mem::MaybeUninit<u8>],
    /// The length of the whole message, even if it does not fit.
    len: usize,
}

impl Message<'_> {
    /// Writes the terminator, and returns the length of the whole message.
    fn terminate(self) -> usize {
        let end = self.len.min(self.room.len().saturating_sub(1));
        if let Some(byte) = self.room.get_mut(end) {
            byte.write(0);
        }
        self.len
    }
}

impl Write for Message<'_> {
    #[inline(never)]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.room.get_mut(self.len..).unwrap_or_default();
        for (place, byte) in room.iter_mut().zip(text.bytes()) {
            place.write(byte);
        }
        self.len += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use trust8_columns::{ColumnErrorKind, validate_offsets};
    use trust8_dialect::DialectErrorKind as OfDialect;
    use trust8_transcode::ConversionErrorKind as OfConversion;

    use super::name;

    /// Asserts that C has the library's name for the library's number.
    fn same(code: u8, expected: &str) {
        assert_eq!(name(code).to_str(), Ok(expected));
    }

    #[test]
    fn kinds_have_the_names_and_numbers_of_the_library() {
        for kind in trust8::ErrorKind::ALL {
            same(kind.code(), kind.name());
        }
        for kind in [
            OfConversion::LoneHigh(0),
            OfConversion::LoneLow(0),
            OfConversion::Surrogate(0),
            OfConversion::TooLarge(0),
            OfConversion::Unmappable(' '),
            OfConversion::Incomplete,
        ] {
            same(kind.code(), kind.name());
        }
        for kind in [
            OfDialect::UnexpectedContinuation,
            OfDialect::InvalidByte,
            OfDialect::Overlong,
            OfDialect::Surrogate,
            OfDialect::SurrogatePair,
            OfDialect::TooLarge,
            OfDialect::FourBytes,
            OfDialect::Nul,
            OfDialect::Truncated,
            OfDialect::Incomplete,
            OfDialect::Inexpressible,
        ] {
            same(kind.code(), kind.name());
        }
        let not_utf8 = validate_offsets(b"\xFF", &[0, 1]).unwrap_err().kind();
        for kind in [
            not_utf8,
            ColumnErrorKind::NegativeOffset { offset: 0 },
            ColumnErrorKind::DecreasingOffset { from: 0, to: 0 },
            ColumnErrorKind::OffsetOutOfRange { offset: 0, values_len: 0 },
            ColumnErrorKind::NonZeroPadding { len: 0 },
            ColumnErrorKind::NoSuchBuffer { buffer: 0, buffers: 0 },
            ColumnErrorKind::ViewOutOfRange { buffer: 0, offset: 0, len: 0, buffer_len: 0 },
            ColumnErrorKind::WrongPrefix { prefix: [0; 4], actual: [0; 4] },
            ColumnErrorKind::ShortValidity { rows: 0 },
        ] {
            same(kind.code(), kind.name());
        }
    }

    #[test]
    fn numbers_without_a_meaning_are_unknown() {
        for code in [15, 31, 63, 65, 254] {
            same(code, "unknown");
        }
    }
}

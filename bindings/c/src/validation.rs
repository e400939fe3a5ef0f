//! # Validation in other encodings

use core::ffi::c_void;

use trust8_transcode::Encoding;

use crate::encodings::{Number, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_RFC2279, TRUST8_UTF8, TRUST8_WTF8};
use crate::errors::{TRUST8_INCOMPLETE, TRUST8_NO_ERROR, trust8_error};
use crate::{conversions, memory};

/// Returns whether the bytes are well-formed in this encoding. If they are not, `error` is the
/// first error. In UTF-16 and UTF-32 its length is that of the wrong unit, and trust8_explain finds
/// no lines: give it NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_validate_as(
    encoding: u32,
    data: *const c_void,
    len: usize,
    error: *mut trust8_error,
) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    let answer = match (Number::new(encoding), bytes) {
        (Some(number), Some(bytes)) => found(number, bytes),
        _ => trust8_error::MISUSE,
    };
    // SAFETY: the caller vouches for the memory.
    unsafe { memory::put(error, answer) };
    answer.kind == TRUST8_NO_ERROR
}

/// Returns the set of UTF-8 and its relatives in which the bytes are well-formed: bit n is set for
/// the encoding n. A misuse has no bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_diagnose(data: *const c_void, len: usize) -> u32 {
    // SAFETY: the caller vouches for the memory.
    let Some(bytes) = (unsafe { memory::bytes(data, len) }) else { return 0 };
    let relatives = [TRUST8_UTF8, TRUST8_RFC2279, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_WTF8];
    let accepts = |number: &u32| {
        Number::new(*number).is_some_and(|number| found(number, bytes).kind == TRUST8_NO_ERROR)
    };
    relatives.into_iter().filter(accepts).fold(0, |set, number| set | 1 << number)
}

/// Returns whether all bytes are ASCII.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trust8_is_ascii(data: *const c_void, len: usize) -> bool {
    // SAFETY: the caller vouches for the memory.
    let bytes = unsafe { memory::bytes(data, len) };
    bytes.is_some_and(<[u8]>::is_ascii)
}

/// Returns the first error of text in an encoding, or its end.
fn found(number: Number, bytes: &[u8]) -> trust8_error {
    let found = match number {
        Number::Encoding(Encoding::Utf8) => trust8::from_utf8(bytes).err().map(trust8_error::from),
        Number::Encoding(encoding) => {
            let (valid_up_to, kind) = conversions::validate(encoding, bytes);
            let unit = match encoding {
                _ if matches!(kind, TRUST8_NO_ERROR | TRUST8_INCOMPLETE) => None,
                Encoding::Utf16Le | Encoding::Utf16Be => Some(2),
                _ => Some(4),
            };
            return trust8_error::new(valid_up_to as u64, kind, unit, &[]);
        }
        Number::Dialect(dialect) => dialect.validate(bytes).err().map(|error| {
            trust8_error::new(error.valid_up_to() as u64, error.kind().code(), error.error_len(), &[])
        }),
    };
    found.unwrap_or(trust8_error::at(bytes.len() as u64, TRUST8_NO_ERROR))
}

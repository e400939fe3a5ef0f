//! The exported functions, called from Rust as C calls them: small inputs, for Miri, which runs no C.
//!
//! Each block has its size to the byte, and none is initialised that need not be. So Miri sees a read or a write outside of it, a
//! read of what was never written, and a reference that something else invalidates.

use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr::null_mut;

use crate::columns::*;
use crate::conversions::*;
use crate::counts::*;
use crate::encodings::*;
use crate::errors::*;
use crate::lossy::*;
use crate::slices::*;
use crate::streams::*;

/// Returns memory that is not initialised.
fn block(len: usize) -> Box<[MaybeUninit<u8>]> {
    Box::new_uninit_slice(len)
}

/// Returns the first bytes of a block, which a function has written.
fn written(block: &[MaybeUninit<u8>], len: usize) -> Vec<u8> {
    // SAFETY: the caller says that they are initialised, and Miri checks it.
    block[..len].iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

/// Calls a function with memory for a struct that it fills, and returns what it has filled in and what it has returned.
fn filled<T: Copy, R>(call: impl FnOnce(*mut T) -> R) -> (T, R) {
    let mut answer = MaybeUninit::<T>::uninit();
    let result = call(answer.as_mut_ptr());
    // SAFETY: every function fills every struct. Miri checks it.
    (unsafe { answer.assume_init() }, result)
}

/// The texts that all functions are tried with, and where each is wrong and why.
const TEXTS: [(&[u8], u64, u8); 8] = [
    (b"", 0, TRUST8_NO_ERROR),
    (b"plain", 5, TRUST8_NO_ERROR),
    (
        "na\u{EF}ve \u{20AC} \u{1F600} \u{65E5}\u{672C}\u{8A9E} and more than 32 bytes of it".as_bytes(),
        54,
        TRUST8_NO_ERROR,
    ),
    (b"a\xC0\x80", 1, TRUST8_OVERLONG),
    (b"ab\xE2\x82", 2, TRUST8_INCOMPLETE),
    (b"\xF0\x9F\x98!", 0, TRUST8_TRUNCATED),
    (b"0123456789012345678901234567890123456789\x80", 40, TRUST8_UNEXPECTED_CONTINUATION),
    (b"abc\xFF", 3, TRUST8_INVALID_BYTE),
];

#[test]
fn texts() {
    for (text, valid_up_to, kind) in TEXTS {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        // SAFETY: the pointers come from references.
        assert_eq!(unsafe { trust8_is_utf8(data, len) }, kind == TRUST8_NO_ERROR);
        // SAFETY: the same.
        let (error, valid) = filled(|error| unsafe { trust8_validate(data, len, error) });
        assert_eq!((error.valid_up_to, error.kind), (valid_up_to, kind));
        assert_eq!(valid, kind == TRUST8_NO_ERROR);
        // SAFETY: the same.
        let (summary, _) = filled(|summary| unsafe { trust8_inspect(data, len, summary) });
        assert_eq!((summary.bytes, summary.error.words()), (valid_up_to, error.words()));
        // SAFETY: the same.
        let (place, _) = filled(|place| unsafe { trust8_locate(data, len, valid_up_to, place) });
        assert_eq!(place.byte_column, valid_up_to + 1);

        let expected = String::from_utf8_lossy(text);
        // SAFETY: the same.
        let needed = unsafe { trust8_lossy_len(data, len) };
        let mut out = block(needed);
        // SAFETY: the same.
        let lossy = unsafe { trust8_lossy(data, len, out.as_mut_ptr().cast(), needed) };
        assert_eq!(written(&out, lossy), expected.as_bytes());

        for cap in [0, 1, 30, 200] {
            let mut message = block(cap);
            let out: *mut c_char = message.as_mut_ptr().cast();
            // SAFETY: the same.
            let whole = unsafe { trust8_explain(&error, data, len, out, cap) };
            if cap > 0 {
                let end = whole.min(cap - 1);
                assert_eq!(written(&message, end + 1)[end], 0);
            }
        }
    }
}

#[test]
fn streams() {
    for (text, valid_up_to, kind) in TEXTS {
        for size in [1, 2, 3, 4, 7, 64] {
            // SAFETY: the pointers come from references.
            let (mut state, ()) = filled(|state| unsafe { trust8_validator_init(state) });
            for piece in text.chunks(size) {
                // An allocation that ends with the piece.
                let piece = Box::<[u8]>::from(piece);
                let mut copy = state;
                // SAFETY: the same.
                let blind = unsafe {
                    trust8_validator_push(&mut copy, piece.as_ptr().cast(), piece.len(), null_mut())
                };
                let push = |error| {
                    // SAFETY: the same.
                    unsafe { trust8_validator_push(&mut state, piece.as_ptr().cast(), piece.len(), error) }
                };
                let (error, valid) = filled(push);
                assert_eq!((copy.state, blind), (state.state, valid));
                assert_eq!(error.kind == TRUST8_NO_ERROR, valid);
            }
            // SAFETY: the same.
            let (error, valid) = filled(|error| unsafe { trust8_validator_finish(&state, error) });
            assert_eq!((error.valid_up_to, error.kind), (valid_up_to, kind), "{text:02X?}, {size}");
            assert_eq!(valid, kind == TRUST8_NO_ERROR);
        }
    }
}

#[test]
fn conversions() {
    for (text, _, kind) in TEXTS {
        for (to, flags) in [(TRUST8_UTF16, 0), (TRUST8_UTF32, TRUST8_LOSSY), (TRUST8_CESU8, TRUST8_LOSSY)] {
            let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
            // SAFETY: the pointers come from references.
            let needed = unsafe { trust8_convert_len(TRUST8_UTF8, to, flags, data, len) };
            let mut out = block(needed);
            let room: *mut c_void = out.as_mut_ptr().cast();
            let convert =
                // SAFETY: the same.
                |done| unsafe { trust8_convert(TRUST8_UTF8, to, flags, data, len, room, needed, done) };
            let (done, all) = filled(convert);
            assert_eq!(all, flags == TRUST8_LOSSY || kind == TRUST8_NO_ERROR);
            let whole = written(&out, done.written as usize);

            // The same in pieces, if there is a converter.
            let (mut state, exists) =
                // SAFETY: the same.
                filled(|state| unsafe { trust8_converter_init(state, TRUST8_UTF8, to, flags) });
            if !exists {
                continue;
            }
            let mut parts = Vec::new();
            for piece in text.chunks(3) {
                let piece = Box::<[u8]>::from(piece);
                let mut at = 0;
                loop {
                    let mut out = block(5);
                    let rest = &piece[at..];
                    let push = |done| {
                        let (from, to) = (rest.as_ptr().cast(), out.as_mut_ptr().cast());
                        // SAFETY: the same.
                        unsafe { trust8_converter_push(&mut state, from, rest.len(), to, 5, done) }
                    };
                    let (done, _) = filled(push);
                    at += done.read as usize;
                    parts.extend(written(&out, done.written as usize));
                    if done.kind != TRUST8_TOO_SMALL {
                        break;
                    }
                }
            }
            let mut out = block(4);
            let finish =
                // SAFETY: the same.
                |done| unsafe { trust8_converter_finish(&mut state, out.as_mut_ptr().cast(), 4, done) };
            let (done, all_of_it) = filled(finish);
            parts.extend(written(&out, done.written as usize));
            assert_eq!((parts, all_of_it), (whole, all), "{text:02X?} to {to}");
        }
    }
}

#[test]
fn columns() {
    let values = b"Oslo\xFFTroms\xC3\xB8";
    let offsets = [0, 4, 5, 12];
    let count = offsets.len();
    let mut bits = block(1);
    let mut error = MaybeUninit::<trust8_column_error>::uninit();
    let mark = |invalid| {
        let (values, bits) = (values.as_ptr().cast(), bits.as_mut_ptr().cast());
        // SAFETY: the pointers come from references.
        unsafe {
            trust8_invalid_rows32(
                values,
                12,
                offsets.as_ptr(),
                count,
                core::ptr::null(),
                0,
                bits,
                1,
                invalid,
                error.as_mut_ptr(),
            )
        }
    };
    let (invalid, sound) = filled::<usize, _>(mark);
    assert!(sound && invalid == 1 && written(&bits, 1) == [0b010]);
    // SAFETY: the same.
    let check = |error| unsafe {
        trust8_validate_offsets32(values.as_ptr().cast(), 12, offsets.as_ptr(), count, error)
    };
    let (error, sound) = filled::<trust8_column_error, _>(check);
    assert!(!sound && error.row == 1 && error.error.kind == TRUST8_INVALID_BYTE);
}

/// An answer in the output, in the input, or in the state was written while a reference to that memory was in use.
#[test]
fn answers_that_are_not_apart() {
    let mut memory = [0_u64; 16];
    let place: *mut u64 = memory.as_mut_ptr();
    let text = b"text".as_ptr().cast::<c_void>();
    for at in [0, 8, 104] {
        let answer = place.wrapping_byte_add(at).cast::<trust8_conversion>();
        // SAFETY: all of it is in `memory`.
        assert!(!unsafe { trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, text, 4, place.cast(), 128, answer) });
        // SAFETY: the same.
        assert_eq!(unsafe { answer.read() }.kind, TRUST8_MISUSE);
        // SAFETY: the same.
        assert!(!unsafe {
            trust8_convert(TRUST8_LATIN1, TRUST8_UTF8, 0, place.cast(), 128, null_mut(), 0, answer)
        });
        // SAFETY: the same.
        let (mut state, _) =
            filled(|state| unsafe { trust8_converter_init(state, TRUST8_UTF8, TRUST8_UTF16, 0) });
        // SAFETY: the same.
        assert!(!unsafe { trust8_converter_push(&mut state, text, 4, place.cast(), 128, answer) });
        // SAFETY: the same.
        assert!(!unsafe { trust8_converter_finish(&mut state, place.cast(), 128, answer) });
        // SAFETY: the same.
        assert_eq!(unsafe { answer.read() }.kind, TRUST8_MISUSE);
    }
    let state = place.cast::<trust8_validator>();
    for piece in [1, 4] {
        // SAFETY: the same.
        unsafe { trust8_validator_init(state) };
        // SAFETY: the same.
        assert!(!unsafe { trust8_validator_push(state, text, piece, state.cast()) });
    }
    // The error may lie where its message goes.
    let error = place.cast::<trust8_error>();
    // SAFETY: the same.
    assert!(!unsafe { trust8_validate(b"\xFF".as_ptr().cast(), 1, error) });
    // SAFETY: the same.
    let len = unsafe { trust8_explain(error, core::ptr::null(), 0, place.cast(), 128) };
    // SAFETY: the same.
    let message = unsafe { core::slice::from_raw_parts(place.cast::<u8>(), 21) };
    assert!(len > 21 && message == b"invalid UTF-8 at byte");
}

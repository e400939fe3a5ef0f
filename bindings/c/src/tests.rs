//! All exported functions, called from Rust as C calls them: small inputs, for Miri, which runs no
//! C. Each is called with valid input, with invalid input, and with a misuse, as far as its
//! parameters allow.
//!
//! Each block has its size to the byte, and none is initialised that need not be. So Miri sees a
//! read or a write outside of it, a read of what was never written, and a reference that something
//! else invalidates.

use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};

use crate::columns::*;
use crate::conversions::*;
use crate::counts::*;
use crate::encodings::*;
use crate::errors::*;
use crate::kernels::*;
use crate::lossy::*;
use crate::profiles::*;
use crate::slices::*;
use crate::streams::*;
use crate::validation::*;
use crate::{TRUST8_ABI, trust8_abi, trust8_version};

#[path = "../../../crates/cli/src/guess/common.rs"]
mod common;

/// A call of an exported function, or a read of what one has written.
macro_rules! c {
    ($call:expr) => {
        // SAFETY: the pointers come from references, or are a misuse that trust8.h says is
        // detected.
        unsafe { $call }
    };
}

/// Returns memory that is not initialised.
fn block(len: usize) -> Box<[MaybeUninit<u8>]> {
    Box::new_uninit_slice(len)
}

/// Returns the first bytes of a block, which a function has written.
fn written(block: &[MaybeUninit<u8>], len: usize) -> Vec<u8> {
    // SAFETY: the caller says that they are initialised, and Miri checks it.
    block[..len].iter().map(|byte| unsafe { byte.assume_init() }).collect()
}

/// Calls a function with memory for a struct that it fills, and returns what it has filled in and
/// what it has returned.
fn filled<T: Copy, R>(call: impl FnOnce(*mut T) -> R) -> (T, R) {
    let mut answer = MaybeUninit::<T>::uninit();
    let result = call(answer.as_mut_ptr());
    // SAFETY: every function fills every struct. Miri checks it.
    (unsafe { answer.assume_init() }, result)
}

/// Returns a string of the library.
fn string(start: *const c_char) -> &'static str {
    assert!(!start.is_null());
    // SAFETY: the library's strings are constants with a terminator. Miri checks it.
    unsafe { CStr::from_ptr(start) }.to_str().unwrap()
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

/// What can be no text: NULL with a length, and a length above PTRDIFF_MAX.
const MISUSES: [(*const c_void, usize); 2] = [(null(), 1), (b"text".as_ptr().cast(), usize::MAX)];

#[test]
#[cfg_attr(miri, ignore = "it reads source and calls no function")]
fn every_exported_function_is_called_here() {
    let here = include_str!("tests.rs");
    let mut functions = 0;
    for declared in
        include_str!("../include/trust8.h").lines().filter(|line| !line.starts_with([' ', '/', '#']))
    {
        let Some((before, _)) = declared.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap();
        let is_called = ['(', ',', ')'].iter().any(|after| here.contains(&format!("{name}{after}")));
        assert!(is_called, "{name} is never called");
        functions += 1;
    }
    assert!(functions > 40, "{functions} functions in the header");
}

#[test]
fn texts() {
    for (text, valid_up_to, kind) in TEXTS {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        let valid = kind == TRUST8_NO_ERROR;
        assert_eq!(c!(trust8_is_utf8(data, len)), valid);
        let (error, result) = filled(|error| c!(trust8_validate(data, len, error)));
        assert_eq!((error.valid_up_to, error.kind, result), (valid_up_to, kind, valid));
        let (summary, result) = filled(|summary| c!(trust8_inspect(data, len, summary)));
        assert_eq!((summary.bytes, summary.error.words(), result), (valid_up_to, error.words(), valid));
        let (place, _) = filled(|place| c!(trust8_locate(data, len, valid_up_to, place)));
        assert_eq!(place.byte_column, valid_up_to + 1);

        let of_valid = |count: u64| if valid { count as usize } else { TRUST8_NONE };
        assert_eq!(c!(trust8_count_chars(data, len)), of_valid(summary.chars));
        assert_eq!(c!(trust8_utf16_len(data, len)), of_valid(summary.utf16_len));
        assert_eq!(c!(trust8_is_ascii(data, len)), text.is_ascii());
        let ascii = text.iter().take_while(|byte| byte.is_ascii()).count();
        assert_eq!(c!(trust8_ascii_up_to(data, len)), ascii);
        let starts = text.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        assert_eq!(c!(trust8_count_starts(data, len)), starts);
        assert_eq!(c!(trust8_detect(data, len)), if valid { TRUST8_UTF8 } else { 0 });
        let (same, _) = filled(|error| c!(trust8_profile_validate(TRUST8_PROFILE_XML, data, len, error)));
        assert_eq!(same.words(), error.words());
        let (same, _) = filled(|error| c!(trust8_validate_as(TRUST8_UTF8, data, len, error)));
        assert_eq!(same.words(), error.words());
        let set = c!(trust8_diagnose(data, len));
        for encoding in [TRUST8_UTF8, TRUST8_RFC2279, TRUST8_CESU8, TRUST8_MUTF8, TRUST8_WTF8] {
            let accepted = c!(trust8_validate_as(encoding, data, len, null_mut()));
            assert_eq!(set & 1 << encoding != 0, accepted);
        }

        // Answers that the caller does not need.
        assert_eq!(c!(trust8_validate(data, len, null_mut())), valid);
        assert_eq!(c!(trust8_inspect(data, len, null_mut())), valid);
        assert_eq!(c!(trust8_profile_validate(TRUST8_PROFILE_XML, data, len, null_mut())), valid);
        assert!(c!(trust8_locate(data, len, 0, null_mut())));

        for cap in [0, 1, 30, 200] {
            let mut message = block(cap);
            let whole = c!(trust8_explain(&error, data, len, message.as_mut_ptr().cast(), cap));
            if cap > 0 {
                let end = whole.min(cap - 1);
                assert_eq!(written(&message, end + 1)[end], 0);
            }
        }
    }
}

#[test]
fn other_encodings() {
    for (text, valid_up_to, kind) in
        [(&b"a\0"[..], 2, TRUST8_NO_ERROR), (b"a\0\x00\xDCb\0", 2, TRUST8_LONE_LOW_SURROGATE)]
    {
        let check = |error| c!(trust8_validate_as(TRUST8_UTF16LE, text.as_ptr().cast(), text.len(), error));
        let (error, valid) = filled::<trust8_error, _>(check);
        assert_eq!((error.valid_up_to, error.kind, valid), (valid_up_to, kind, kind == TRUST8_NO_ERROR));
    }
}

#[test]
fn the_next_error() {
    for text in TEXTS.iter().map(|(text, ..)| *text).chain([&b"\xFFa\xC0\xAFb\xE2\x82"[..]]) {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        let mut at = 0;
        let mut found = Vec::new();
        loop {
            let (error, more) =
                filled::<trust8_error, _>(|error| c!(trust8_next_error(data, len, &mut at, error)));
            if !more {
                assert_eq!((error.valid_up_to, error.kind, at), (len as u64, TRUST8_NO_ERROR, len));
                break;
            }
            found.push((error.valid_up_to as usize, error.kind, error.error_len));
        }
        let expected: Vec<_> = trust8::errors(text)
            .map(|error| (error.valid_up_to(), error.kind().code(), error.error_len().unwrap_or(0) as u8))
            .collect();
        assert_eq!(found, expected, "{text:02X?}");
        let mut after = len + 1;
        let (error, more) =
            filled::<trust8_error, _>(|error| c!(trust8_next_error(data, len, &mut after, error)));
        assert!(!more && error.kind == TRUST8_MISUSE && after == len + 1);
        assert!(!c!(trust8_next_error(data, len, null_mut(), null_mut())));
    }
}

#[test]
fn encodings_without_a_mark() {
    type Encode = fn(char) -> Vec<u8>;
    fn units(c: char, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| bytes(*unit)).collect()
    }
    let encodings: [(u32, Encode); 5] = [
        (TRUST8_UTF8, |c| c.encode_utf8(&mut [0; 4]).as_bytes().to_vec()),
        (TRUST8_UTF16LE, |c| units(c, u16::to_le_bytes)),
        (TRUST8_UTF16BE, |c| units(c, u16::to_be_bytes)),
        (TRUST8_UTF32LE, |c| u32::from(c).to_le_bytes().to_vec()),
        (TRUST8_UTF32BE, |c| u32::from(c).to_be_bytes().to_vec()),
    ];
    let texts = [
        "hello",
        "plain text\r\n",
        "Größe: 12 €",
        "Съешь ещё",
        "Съешь",
        "日本語のテキスト。",
        "한국어 텍스트",
        "😀 ok",
    ];
    let detect = |bytes: &[u8]| c!(trust8_detect(bytes.as_ptr().cast(), bytes.len()));
    for (number, encode) in encodings {
        for text in texts {
            let bytes: Vec<u8> = text.chars().flat_map(encode).collect();
            assert_eq!(detect(&bytes), number, "{text}");
            let marked = [encode('\u{FEFF}'), bytes].concat();
            assert_eq!(detect(&marked), number, "{text} with a mark");
        }
    }
    // All pairs of bytes but one would be common characters of UTF-16BE.
    assert_eq!(detect(b"application\x01parameterslongerstill"), TRUST8_UTF8);
    for other in [
        &b"a\0b"[..],
        b"\x7FELF\x02\x01\x01\0\0\0\0\0\0\0\0\0",
        b"Gr\xFC\xDFe aus M\xFCnchen!",
        b"\x01\0\x02\0",
    ] {
        assert_eq!(detect(other), 0, "{other:02X?}");
    }
}

#[test]
fn forbidden_characters() {
    let text = "a\u{202E}b";
    let check =
        |error| c!(trust8_profile_validate(TRUST8_PROFILE_SOURCE, text.as_ptr().cast(), text.len(), error));
    let (error, valid) = filled::<trust8_error, _>(check);
    assert!(!valid && error.valid_up_to == 1 && error.kind == TRUST8_FORBIDDEN);
    let list =
        |runs| c!(trust8_profile_runs(TRUST8_PROFILE_SOURCE, text.as_ptr().cast(), text.len(), runs, 1));
    let (run, count) = filled::<trust8_run, _>(list);
    assert_eq!((count, run.offset, run.len, run.characters), (1, 1, 3, 1));
    // The class of the marks depends on their number. The message once said U+0000.
    let text = format!("a{}", "\u{301}".repeat(20));
    let check =
        |error| c!(trust8_profile_validate(TRUST8_PROFILE_SOURCE, text.as_ptr().cast(), text.len(), error));
    let (error, _) = filled::<trust8_error, _>(check);
    let mut message = block(100);
    let len = c!(trust8_explain(&error, null(), 0, message.as_mut_ptr().cast(), 100));
    assert_eq!(written(&message, len), b"forbidden character at byte 17: U+0301 is forbidden there");
}

#[test]
fn repairs() {
    for (text, _, _) in TEXTS {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        let expected = String::from_utf8_lossy(text);
        let needed = c!(trust8_lossy_len(data, len));
        let mut out = block(needed);
        let lossy = c!(trust8_lossy(data, len, out.as_mut_ptr().cast(), needed));
        assert_eq!(written(&out, lossy), expected.as_bytes());
        for policy in [TRUST8_REPLACE, TRUST8_JAVA, TRUST8_DROP, TRUST8_ESCAPE, TRUST8_WINDOWS_1252] {
            let needed = c!(trust8_repair_len(policy, data, len));
            let mut out = block(needed);
            assert_eq!(c!(trust8_repair(policy, data, len, out.as_mut_ptr().cast(), needed)), needed);
            let repaired = String::from_utf8(written(&out, needed)).unwrap();
            assert!(policy != TRUST8_REPLACE || repaired == expected);
            if let Some(less) = needed.checked_sub(1) {
                let mut out = block(less);
                let out: *mut c_void = out.as_mut_ptr().cast();
                assert_eq!(c!(trust8_repair(policy, data, len, out, less)), TRUST8_NONE);
            }
        }
    }
}

#[test]
fn streams() {
    for (text, valid_up_to, kind) in TEXTS {
        for size in [1, 2, 3, 4, 7, 64] {
            let (mut state, ()) = filled(|state| c!(trust8_validator_init(state)));
            for piece in text.chunks(size) {
                // An allocation that ends with the piece.
                let piece = Box::<[u8]>::from(piece);
                let (data, len) = (piece.as_ptr().cast(), piece.len());
                let mut copy = state;
                let blind = c!(trust8_validator_push(&mut copy, data, len, null_mut()));
                let (error, valid) = filled(|error| c!(trust8_validator_push(&mut state, data, len, error)));
                assert_eq!((copy.state, blind), (state.state, valid));
                assert_eq!(error.kind == TRUST8_NO_ERROR, valid);
            }
            let (error, valid) = filled(|error| c!(trust8_validator_finish(&state, error)));
            assert_eq!((error.valid_up_to, error.kind), (valid_up_to, kind), "{text:02X?}, {size}");
            assert_eq!(valid, kind == TRUST8_NO_ERROR);
        }
    }
}

#[test]
fn decoders() {
    const POLICIES: [u32; 5] = [TRUST8_REPLACE, TRUST8_JAVA, TRUST8_DROP, TRUST8_ESCAPE, TRUST8_WINDOWS_1252];
    for (i, (text, _, kind)) in TEXTS.into_iter().enumerate() {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        for (policy, size) in POLICIES.into_iter().flat_map(|policy| [1, 3, 64].map(|size| (policy, size))) {
            // Policies differ in what they write. For Miri, which is slow, all but one have one size for each text.
            if cfg!(miri) && policy != TRUST8_REPLACE && size != [1, 3, 64][(i + policy as usize) % 3] {
                continue;
            }
            let mut whole = block(c!(trust8_repair_len(policy, data, len)));
            let room = whole.as_mut_ptr().cast();
            let repaired = c!(trust8_repair(policy, data, len, room, whole.len()));

            let (mut decoder, begins) = filled(|decoder| c!(trust8_decoder_init(decoder, policy)));
            assert!(begins);
            let mut all = Vec::new();
            for piece in text.chunks(size) {
                let mut out = block(4 * piece.len() + 12);
                let (data, room) = (piece.as_ptr().cast(), out.as_mut_ptr().cast());
                let done = c!(trust8_decoder_push(&mut decoder, data, piece.len(), room, out.len()));
                all.extend(written(&out, done));
            }
            let mut out = block(12);
            let done = c!(trust8_decoder_finish(&mut decoder, out.as_mut_ptr().cast(), out.len()));
            all.extend(written(&out, done));
            assert_eq!(all, written(&whole, repaired), "{policy}, {text:02X?} in pieces of {size}");
            let replaced = c!(trust8_decoder_replaced(&decoder));
            assert_eq!(replaced == 0, kind == TRUST8_NO_ERROR, "{policy}, {text:02X?}: {replaced}");
        }
    }
    let (mut decoder, begins) =
        filled(|decoder| c!(trust8_decoder_init(decoder, TRUST8_DROP | TRUST8_STRIP_BOM)));
    assert!(begins);
    let mut out = block(24);
    let done = c!(trust8_decoder_push(
        &mut decoder,
        b"\xEF\xBB\xBFab".as_ptr().cast(),
        5,
        out.as_mut_ptr().cast(),
        24
    ));
    assert_eq!(written(&out, done), b"ab");
    let (mut decoder, begins) = filled(|decoder| c!(trust8_decoder_init(decoder, 99)));
    assert!(!begins);
    assert_eq!(c!(trust8_decoder_finish(&mut decoder, null_mut(), 0)), TRUST8_NONE);
    assert_eq!(c!(trust8_decoder_replaced(&decoder)), u64::MAX);
    let (mut decoder, _) = filled(|decoder| c!(trust8_decoder_init(decoder, TRUST8_REPLACE)));
    let (data, len) = (b"text".as_ptr().cast(), 4);
    assert_eq!(c!(trust8_decoder_push(&mut decoder, data, len, null_mut(), 0)), TRUST8_NONE);
}

#[test]
fn conversions() {
    for (text, _, kind) in TEXTS {
        for (to, flags) in [(TRUST8_UTF16, 0), (TRUST8_UTF32, TRUST8_LOSSY), (TRUST8_CESU8, TRUST8_LOSSY)] {
            let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
            let needed = c!(trust8_convert_len(TRUST8_UTF8, to, flags, data, len));
            let mut out = block(needed);
            let room: *mut c_void = out.as_mut_ptr().cast();
            let convert = |done| c!(trust8_convert(TRUST8_UTF8, to, flags, data, len, room, needed, done));
            let (done, all) = filled(convert);
            assert_eq!(all, flags == TRUST8_LOSSY || kind == TRUST8_NO_ERROR);
            let whole = written(&out, done.written as usize);
            if kind == TRUST8_NO_ERROR {
                let flags = flags | TRUST8_VALID;
                let mut out = block(needed);
                let room: *mut c_void = out.as_mut_ptr().cast();
                let convert =
                    |done| c!(trust8_convert(TRUST8_UTF8, to, flags, data, len, room, needed, done));
                let (done, all) = filled(convert);
                assert!(all && written(&out, done.written as usize) == whole);
            }

            // The same in pieces, if there is a converter.
            let (mut state, exists) =
                filled(|state| c!(trust8_converter_init(state, TRUST8_UTF8, to, flags)));
            if !exists {
                continue;
            }
            let mut parts = Vec::new();
            for piece in text.chunks(3) {
                let piece = Box::<[u8]>::from(piece);
                let mut at = 0;
                loop {
                    let mut out = block(5);
                    let (rest, to) = (&piece[at..], out.as_mut_ptr().cast());
                    let push = |done| {
                        c!(trust8_converter_push(&mut state, rest.as_ptr().cast(), rest.len(), to, 5, done))
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
            let finish = |done| c!(trust8_converter_finish(&mut state, out.as_mut_ptr().cast(), 4, done));
            let (done, all_of_it) = filled(finish);
            parts.extend(written(&out, done.written as usize));
            assert_eq!((parts, all_of_it), (whole, all), "{text:02X?} to {to}");
        }
    }
}

/// Each part once validated all of the text after it: 16 MiB took seconds.
#[test]
#[cfg_attr(miri, ignore = "it measures time")]
fn the_parts_of_a_conversion_take_linear_time() {
    let text = vec![b'x'; 4 << 20];
    let (data, len) = (text.as_ptr().cast(), text.len());
    let begin = std::time::Instant::now();
    assert!(c!(trust8_is_utf8(data, len)));
    let once = begin.elapsed();
    assert_eq!(c!(trust8_convert_len(TRUST8_UTF8, TRUST8_CESU8, 0, data, len)), len);
    assert!(begin.elapsed() < 200 * once, "{:?} for {once:?}", begin.elapsed());
}

/// An error is the same, wherever the output ends near it.
#[test]
fn conversions_to_relatives_that_just_fit() {
    for text in [
        &b"ab\xE2\x82\xF0\x9F\x98\x80zzzzzzzz"[..],
        b"\xF0\x9F\x98\xF0\x9F\x98\x80zzzzzzzz",
        b"ab\xF0\x9F",
        b"\xFFabcdefghi",
    ] {
        let (data, len) = (text.as_ptr().cast::<c_void>(), text.len());
        let expected = trust8::from_utf8(text).unwrap_err();
        for cap in 0..len {
            let mut out = block(cap);
            let room: *mut c_void = out.as_mut_ptr().cast();
            let (done, _) =
                filled(|done| c!(trust8_convert(TRUST8_UTF8, TRUST8_WTF8, 0, data, len, room, cap, done)));
            let at = expected.valid_up_to();
            let kind = if cap < at { TRUST8_TOO_SMALL } else { expected.kind().code() };
            assert_eq!((done.read, done.kind), (at.min(cap) as u64, kind), "{text:02X?}, {cap}");
        }
    }
}

type ValidateOffsets<O> =
    unsafe extern "C" fn(*const c_void, usize, *const O, usize, *mut trust8_column_error) -> bool;
type InvalidRows<O> = unsafe extern "C" fn(
    *const c_void,
    usize,
    *const O,
    usize,
    *const u8,
    usize,
    *mut u8,
    usize,
    *mut usize,
    *mut trust8_column_error,
) -> bool;

#[test]
fn columns_of_offsets() {
    by_offsets::<i32>(trust8_validate_offsets32, trust8_invalid_rows32);
    by_offsets::<i64>(trust8_validate_offsets64, trust8_invalid_rows64);
}

fn by_offsets<O: From<u8> + Copy>(validate: ValidateOffsets<O>, mark: InvalidRows<O>) {
    let values = b"Oslo\xFFTroms\xC3\xB8";
    let (data, len) = (values.as_ptr().cast(), values.len());
    for (offsets, row, kind) in [
        (&[][..], 0, TRUST8_NO_ERROR),
        (&[0, 4, 4], 0, TRUST8_NO_ERROR),
        (&[0, 4, 5, 12], 1, TRUST8_INVALID_BYTE),
        (&[0, 4, 3], 1, TRUST8_DECREASING_OFFSET),
        (&[0, 13], 0, TRUST8_OFFSET_OUT_OF_RANGE),
    ] {
        let offsets: Vec<O> = offsets.iter().map(|offset| O::from(*offset)).collect();
        let (first, count) = (offsets.as_ptr(), offsets.len());
        let (error, sound) = filled(|error| c!(validate(data, len, first, count, error)));
        assert_eq!((error.row, error.error.kind, sound), (row, kind, kind == TRUST8_NO_ERROR));

        // All rows, and then all but the second.
        let nulls = [0b101_u8];
        for (validity, marks) in [(null(), 0b010), (nulls.as_ptr(), 0)] {
            let marks = if kind == TRUST8_INVALID_BYTE { marks } else { 0 };
            let bytes = count.saturating_sub(1).div_ceil(8);
            let mut bits = block(bytes);
            let bitmap: *mut u8 = bits.as_mut_ptr().cast();
            let mark = |to, error| c!(mark(data, len, first, count, validity, 0, bitmap, bytes, to, error));
            let (error, (invalid, sound)) = filled(|error| filled::<usize, _>(|to| mark(to, error)));
            assert_eq!(sound, matches!(kind, TRUST8_NO_ERROR | TRUST8_INVALID_BYTE));
            assert_eq!(error.error.kind, if sound { TRUST8_NO_ERROR } else { kind });
            assert_eq!(invalid, usize::from(marks != 0));
            assert!(!sound || written(&bits, bytes) == vec![marks; bytes]);
        }
    }

    let offsets = [O::from(0), O::from(4), O::from(5)];
    let (first, askew) = (offsets.as_ptr(), offsets.as_ptr().wrapping_byte_add(1));
    let mut bits = [0_u8; 16];
    let inside: *mut u8 = bits.as_mut_ptr();
    for (data, len, first, bitmap, bytes, kind) in [
        (data, len, askew, inside, 1, TRUST8_MISUSE),
        (null(), len, first, inside, 1, TRUST8_MISUSE),
        (data, usize::MAX, first, inside, 1, TRUST8_MISUSE),
        // A bitmap that is not there, that is too small, and in which the values lie.
        (data, len, first, null_mut(), 1, TRUST8_MISUSE),
        (data, len, first, inside, 0, TRUST8_TOO_SMALL),
        (inside.cast_const().cast(), 5, first, inside, 1, TRUST8_MISUSE),
    ] {
        let (error, sound) =
            filled(|error| c!(mark(data, len, first, 3, null(), 0, bitmap, bytes, null_mut(), error)));
        assert_eq!((error.error.kind, sound), (kind, false));
    }
    let (error, sound) = filled(|error| c!(validate(data, len, askew, 2, error)));
    assert_eq!((error.error.kind, sound), (TRUST8_MISUSE, false));
    for (data, len) in MISUSES {
        assert!(!c!(validate(data, len, first, 3, null_mut())));
    }
}

/// Returns a view of a text in a buffer, or one with the text in itself.
fn view(text: &[u8], buffer: u32) -> u128 {
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    if text.len() <= 12 {
        view[4..][..text.len()].copy_from_slice(text);
    } else {
        view[4..8].copy_from_slice(&text[..4]);
        view[8..12].copy_from_slice(&buffer.to_le_bytes());
    }
    u128::from_le_bytes(view)
}

#[test]
fn columns_of_views() {
    let long = b"more than twelve";
    let wrong = b"more than \xC0\xAF twelve";
    let buffers =
        [long.as_slice(), wrong].map(|text| trust8_slice { data: text.as_ptr().cast(), len: text.len() });
    let (array, count) = (buffers.as_ptr(), buffers.len());
    let check = |views: &[u128], error| {
        c!(trust8_validate_views(views.as_ptr().cast(), views.len(), array, count, error))
    };
    let mark = |views: &[u128], bits: &mut [MaybeUninit<u8>], to, error| {
        let (views, rows, bytes) = (views.as_ptr().cast(), views.len(), bits.len());
        let bitmap = bits.as_mut_ptr().cast();
        c!(trust8_invalid_rows_views(views, rows, array, count, null(), 0, bitmap, bytes, to, error))
    };
    for (views, row, kind) in [
        (&[][..], 0, TRUST8_NO_ERROR),
        (&[view(b"short", 0), view(long, 0)], 0, TRUST8_NO_ERROR),
        (&[view(long, 0), view(wrong, 1)], 1, TRUST8_INVALID_BYTE),
        (&[view(b"\xFF", 0)], 0, TRUST8_INVALID_BYTE),
        (&[view(long, 2)], 0, TRUST8_NO_SUCH_BUFFER),
        (&[view(wrong, 0)], 0, TRUST8_VIEW_OUT_OF_RANGE),
    ] {
        let (error, sound) = filled(|error| check(views, error));
        let kind = if kind == TRUST8_INVALID_BYTE { error.error.kind } else { kind };
        assert_eq!((error.row, error.error.kind, sound), (row, kind, kind == TRUST8_NO_ERROR));
        let is_utf8_error = matches!(kind, TRUST8_UNEXPECTED_CONTINUATION..=TRUST8_INCOMPLETE);
        let mut bits = block(1);
        let (_, (invalid, sound)) =
            filled(|error| filled::<usize, _>(|to| mark(views, &mut bits, to, error)));
        assert_eq!((invalid, sound), (is_utf8_error.into(), is_utf8_error || kind == TRUST8_NO_ERROR));
    }

    // A buffer that can't be one, no buffers at their address, no views at theirs, and no memory
    // for the bitmap.
    let views = [view(long, 0)];
    let first = views.as_ptr().cast::<c_void>();
    let mut bits = [0_u8];
    let inside: *mut u8 = bits.as_mut_ptr();
    let hostile = MISUSES.map(|(data, len)| trust8_slice { data, len });
    for (views, array, bitmap) in [
        (first, hostile.as_ptr(), inside),
        (first, null(), inside),
        (null(), array, inside),
        (first, array, null_mut()),
        (first.wrapping_byte_add(8), array, inside),
    ] {
        let mark = |error| {
            c!(trust8_invalid_rows_views(views, 1, array, 2, null(), 0, bitmap, 1, null_mut(), error))
        };
        let (error, sound) = filled::<trust8_column_error, _>(mark);
        assert_eq!((error.error.kind, sound), (TRUST8_MISUSE, false));
    }
    for (views, array) in [(first, hostile.as_ptr()), (first, null()), (null(), array)] {
        let (error, sound) = filled(|error| c!(trust8_validate_views(views, 1, array, 2, error)));
        assert_eq!((error.error.kind, sound), (TRUST8_MISUSE, false));
    }
}

#[test]
fn names_and_numbers() {
    assert_eq!(trust8_abi(), TRUST8_ABI);
    assert_eq!(string(trust8_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(string(trust8_kind_name(TRUST8_OVERLONG)), "overlong");
    assert_eq!(string(trust8_kind_name(200)), "unknown");
    assert_eq!(string(trust8_encoding_name(TRUST8_WTF8)), "wtf-8");
    assert_eq!(string(trust8_class_name(0)), "nul");
    assert!(trust8_encoding_name(9).is_null() && trust8_class_name(200).is_null());
    assert_eq!((trust8_class_of(0x202E), trust8_class_of(0x11_0000)), (11, 255));

    assert_eq!(c!(trust8_encoding_by_name(c"UTF-16LE".as_ptr())), TRUST8_UTF16LE);
    assert_eq!(c!(trust8_profile_by_name(c"xml".as_ptr())), TRUST8_PROFILE_XML);
    for wrong in [null(), c"".as_ptr(), c"no such name".as_ptr(), c"\xFF".as_ptr()] {
        assert_eq!(c!(trust8_encoding_by_name(wrong)), 0);
        assert_eq!(c!(trust8_profile_by_name(wrong)), u64::MAX);
        assert!(!c!(trust8_kernel_use(wrong)));
    }
}

#[test]
fn kernels() {
    let count = trust8_kernel_count();
    let best = trust8_kernel_current();
    for index in (0..count).rev() {
        let name = trust8_kernel_name(index);
        let used = c!(trust8_kernel_use(name));
        assert_eq!(used, string(trust8_kernel_current()) == string(name));
        for (text, _, kind) in TEXTS {
            assert_eq!(c!(trust8_is_utf8(text.as_ptr().cast(), text.len())), kind == TRUST8_NO_ERROR);
        }
    }
    assert!(c!(trust8_kernel_use(best)));
    assert!(trust8_kernel_name(count).is_null() && trust8_kernel_name(usize::MAX).is_null());
}

#[test]
fn inputs_that_are_a_misuse() {
    for (data, len) in MISUSES {
        assert!(!c!(trust8_is_utf8(data, len)) && !c!(trust8_is_ascii(data, len)));
        assert_eq!((c!(trust8_diagnose(data, len)), c!(trust8_detect(data, len))), (0, 0));
        let sizes = [
            c!(trust8_count_chars(data, len)),
            c!(trust8_utf16_len(data, len)),
            c!(trust8_count_starts(data, len)),
            c!(trust8_ascii_up_to(data, len)),
            c!(trust8_lossy_len(data, len)),
            c!(trust8_lossy(data, len, null_mut(), 0)),
            c!(trust8_repair_len(TRUST8_DROP, data, len)),
            c!(trust8_repair(TRUST8_DROP, data, len, null_mut(), 0)),
            c!(trust8_convert_len(TRUST8_UTF8, TRUST8_UTF16, 0, data, len)),
            c!(trust8_explain(null(), data, len, null_mut(), 0)),
        ];
        assert_eq!(sizes, [TRUST8_NONE; 10]);

        let (mut validator, ()) = filled(|validator| c!(trust8_validator_init(validator)));
        let errors: [(trust8_error, bool); 4] = [
            filled(|error| c!(trust8_validate(data, len, error))),
            filled(|error| c!(trust8_validate_as(TRUST8_UTF16, data, len, error))),
            filled(|error| c!(trust8_profile_validate(TRUST8_PROFILE_XML, data, len, error))),
            filled(|error| c!(trust8_validator_push(&mut validator, data, len, error))),
        ];
        assert_eq!(errors.map(|(error, valid)| (error.kind, valid)), [(TRUST8_MISUSE, false); 4]);
        let (summary, valid) = filled(|summary| c!(trust8_inspect(data, len, summary)));
        assert_eq!((summary.error.kind, summary.bytes, valid), (TRUST8_MISUSE, 0, false));
        let (place, found) = filled(|place| c!(trust8_locate(data, len, 0, place)));
        assert_eq!((place.line, found), (0, false));

        let (mut converter, _) =
            filled(|converter| c!(trust8_converter_init(converter, TRUST8_UTF8, TRUST8_UTF16, 0)));
        let done: [(trust8_conversion, bool); 2] = [
            filled(|done| c!(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, data, len, null_mut(), 0, done))),
            filled(|done| c!(trust8_converter_push(&mut converter, data, len, null_mut(), 0, done))),
        ];
        assert_eq!(done.map(|(done, all)| (done.kind, all)), [(TRUST8_MISUSE, false); 2]);
    }
}

#[test]
fn outputs_that_are_a_misuse() {
    let mut memory = [b'a'; 16];
    let place: *mut c_void = memory.as_mut_ptr().cast();
    // No memory, memory of an impossible size, and the last byte of the input.
    for (out, cap) in
        [(null_mut(), 8), (place.wrapping_byte_add(8), usize::MAX), (place.wrapping_byte_add(7), 8)]
    {
        let sizes = [
            c!(trust8_lossy(place, 8, out, cap)),
            c!(trust8_repair(TRUST8_DROP, place, 8, out, cap)),
            c!(trust8_explain(null(), place, 8, out.cast(), cap)),
        ];
        assert_eq!(sizes, [TRUST8_NONE; 3]);
        let (mut converter, _) =
            filled(|converter| c!(trust8_converter_init(converter, TRUST8_UTF8, TRUST8_UTF16, 0)));
        let done: [(trust8_conversion, bool); 2] = [
            filled(|done| c!(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, place, 8, out, cap, done))),
            filled(|done| c!(trust8_converter_push(&mut converter, place, 8, out, cap, done))),
        ];
        assert_eq!(done.map(|(done, all)| (done.kind, all)), [(TRUST8_MISUSE, false); 2]);
    }
    let (mut converter, _) =
        filled(|converter| c!(trust8_converter_init(converter, TRUST8_UTF8, TRUST8_UTF16, 0)));
    let (done, all) = filled(|done| c!(trust8_converter_finish(&mut converter, null_mut(), 8, done)));
    assert_eq!((done.kind, all), (TRUST8_MISUSE, false));
}

#[test]
fn numbers_that_are_a_misuse() {
    let text = b"text".as_ptr().cast::<c_void>();
    assert_eq!(c!(trust8_repair_len(0, text, 4)), TRUST8_NONE);
    assert_eq!(c!(trust8_repair(6, text, 4, null_mut(), 0)), TRUST8_NONE);
    for check in [
        |error| c!(trust8_validate_as(9, b"text".as_ptr().cast(), 4, error)),
        |error| c!(trust8_profile_validate(1 << 63, b"text".as_ptr().cast(), 4, error)),
    ] {
        let (error, valid) = filled::<trust8_error, bool>(check);
        assert_eq!((error.kind, valid), (TRUST8_MISUSE, false));
    }
    for (from, to, flags) in
        [(0, 1, 0), (TRUST8_UTF8, 9, 0), (TRUST8_UTF8, TRUST8_UTF16, 4), (TRUST8_CESU8, TRUST8_WTF8, 0)]
    {
        assert_eq!(c!(trust8_convert_len(from, to, flags, text, 4)), TRUST8_NONE);
        let (mut converter, exists) =
            filled(|converter| c!(trust8_converter_init(converter, from, to, flags)));
        assert!(!exists);
        let done: [(trust8_conversion, bool); 3] = [
            filled(|done| c!(trust8_convert(from, to, flags, text, 4, null_mut(), 0, done))),
            filled(|done| c!(trust8_converter_push(&mut converter, text, 4, null_mut(), 0, done))),
            filled(|done| c!(trust8_converter_finish(&mut converter, null_mut(), 0, done))),
        ];
        assert_eq!(done.map(|(done, all)| (done.kind, all)), [(TRUST8_MISUSE, false); 3]);
    }
}

/// No state, and states that no function has written.
#[test]
fn states_that_are_a_misuse() {
    let text = b"text".as_ptr().cast::<c_void>();
    let mut validator = trust8_validator { state: [0; 2] };
    let mut converter = trust8_converter {
        position: 0,
        from: TRUST8_UTF8,
        to: TRUST8_UTF16,
        flags: 0,
        value: 1,
        kind: 0,
        pending_len: 5,
        reserved: [0; 2],
        pending: [0; 4],
    };
    c!(trust8_validator_init(null_mut()));
    assert!(!c!(trust8_converter_init(null_mut(), TRUST8_UTF8, TRUST8_UTF16, 0)));
    for (validator, converter) in [(null_mut(), null_mut()), (&raw mut validator, &raw mut converter)] {
        let errors: [(trust8_error, bool); 2] = [
            filled(|error| c!(trust8_validator_finish(validator, error))),
            filled(|error| c!(trust8_validator_push(validator, text, 4, error))),
        ];
        assert_eq!(errors.map(|(error, valid)| (error.kind, valid)), [(TRUST8_MISUSE, false); 2]);
        let done: [(trust8_conversion, bool); 2] = [
            filled(|done| c!(trust8_converter_push(converter, text, 4, null_mut(), 0, done))),
            filled(|done| c!(trust8_converter_finish(converter, null_mut(), 0, done))),
        ];
        assert_eq!(done.map(|(done, all)| (done.kind, all)), [(TRUST8_MISUSE, false); 2]);
    }
}

/// An answer in the output, in the input, or in the state was written while a reference to that
/// memory was in use.
#[test]
fn answers_that_are_not_apart() {
    let mut memory = [0_u64; 16];
    let place: *mut u64 = memory.as_mut_ptr();
    let text = b"text".as_ptr().cast::<c_void>();
    for at in [0, 8, 104] {
        let answer = place.wrapping_byte_add(at).cast::<trust8_conversion>();
        let kind = || c!(answer.read()).kind;
        assert!(!c!(trust8_convert(TRUST8_UTF8, TRUST8_UTF16, 0, text, 4, place.cast(), 128, answer)));
        assert_eq!(kind(), TRUST8_MISUSE);
        assert!(!c!(trust8_convert(TRUST8_LATIN1, TRUST8_UTF8, 0, place.cast(), 128, null_mut(), 0, answer)));
        let (mut state, _) = filled(|state| c!(trust8_converter_init(state, TRUST8_UTF8, TRUST8_UTF16, 0)));
        assert!(!c!(trust8_converter_push(&mut state, text, 4, place.cast(), 128, answer)));
        assert!(!c!(trust8_converter_finish(&mut state, place.cast(), 128, answer)));
        assert_eq!(kind(), TRUST8_MISUSE);
    }
    let state = place.cast::<trust8_validator>();
    for piece in [1, 4] {
        c!(trust8_validator_init(state));
        assert!(!c!(trust8_validator_push(state, text, piece, state.cast())));
    }
    // The error may lie where its message goes.
    let error = place.cast::<trust8_error>();
    assert!(!c!(trust8_validate(b"\xFF".as_ptr().cast(), 1, error)));
    let len = c!(trust8_explain(error, null(), 0, place.cast(), 128));
    let message = c!(core::slice::from_raw_parts(place.cast::<u8>(), 21));
    assert!(len > 21 && message == b"invalid UTF-8 at byte");
}

/// `trust8_detect` and the command agree on the characters that are common.
#[test]
fn characters_are_common_as_for_the_command() {
    // A step for Miri, which is slow.
    for c in ('\0'..=char::MAX).step_by(if cfg!(miri) { 1021 } else { 1 }) {
        assert_eq!(is_common(c), common::is_common_in_utf16(c), "{c:?}");
    }
}

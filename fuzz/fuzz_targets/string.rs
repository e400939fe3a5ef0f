//! The functions around the kernels, against the standard library's functions of the same name: the same verdict, the same
//! place, and the same bytes back, in the same allocation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use trust8::{basic, compat};
use trust8_fuzz::input;

fuzz_target!(|data: &[u8]| {
    let Some(mut input) = input::build(data) else { return };
    string(&input);
    error(&input);
    drop_in(&input);
    mutable(&mut input);
});

fn string(bytes: &[u8]) {
    let vec = bytes.to_vec();
    let allocation = vec.as_ptr();
    match (trust8::string_from_utf8(vec), core::str::from_utf8(bytes)) {
        (Ok(string), Ok(text)) => {
            assert_eq!(string, text);
            assert_eq!(string.as_ptr(), allocation);
        }
        (Err(error), Err(std)) => {
            assert_eq!(error.utf8_error().valid_up_to(), std.valid_up_to());
            assert_eq!(error.utf8_error().error_len(), std.error_len());
            assert_eq!(Err(error.utf8_error()), trust8::from_utf8(bytes));
            assert_eq!(error.as_bytes(), bytes);
            let vec = error.into_bytes();
            assert_eq!(vec, bytes);
            assert_eq!(vec.as_ptr(), allocation);
        }
        (got, std) => panic!("string_from_utf8 says {got:?}, std {std:?}"),
    }
}

/// The error as std's type, and its message.
fn error(bytes: &[u8]) {
    if let Err(error) = trust8::from_utf8(bytes) {
        assert_eq!(Err(error.to_std(bytes)), core::str::from_utf8(bytes));
        let message = error.to_string();
        let start =
            format!("invalid UTF-8 at byte {}: {:02X} ", error.valid_up_to(), bytes[error.valid_up_to()]);
        assert!(message.starts_with(&start), "{message}");
        assert!(message.contains("; expected "), "{message}");
    }
}

fn drop_in(bytes: &[u8]) {
    let std = core::str::from_utf8(bytes);
    assert_eq!(basic::from_utf8(bytes), std.map_err(|_| basic::Utf8Error));
    match (compat::from_utf8(bytes), std) {
        (Ok(text), Ok(std)) => assert_eq!(text, std),
        (Err(error), Err(std)) => {
            assert_eq!((error.valid_up_to(), error.error_len()), (std.valid_up_to(), std.error_len()));
            assert_eq!(error.to_string(), std.to_string());
        }
        (got, std) => panic!("compat::from_utf8 says {got:?}, std {std:?}"),
    }
}

/// Mutable text is the bytes themselves. An error leaves them as they were.
fn mutable(bytes: &mut [u8]) {
    let before = bytes.to_vec();
    let error = trust8::from_utf8(&before).err();
    assert_eq!(basic::from_utf8_mut(bytes).is_err(), error.is_some());
    assert_eq!(compat::from_utf8_mut(bytes).err(), compat::from_utf8(&before).err());
    assert_eq!(trust8::from_utf8_mut(bytes).err(), error);
    assert_eq!(bytes, before);

    if let Ok(text) = trust8::from_utf8_mut(bytes) {
        text.make_ascii_uppercase();
    }
    let expected = if error.is_none() { before.to_ascii_uppercase() } else { before };
    assert_eq!(bytes, expected);
}

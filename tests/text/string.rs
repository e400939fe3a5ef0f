//! `string_from_utf8` and the error that gives the bytes back.

#![cfg(feature = "alloc")]

use std::error::Error;

use super::support::kernels::fault_of;
use super::support::malformed::MALFORMED;
use trust8::{FromUtf8Error, from_utf8, string_from_utf8};

#[test]
fn strings_take_over_the_allocation() {
    for len in [1, 64, 300, 5000] {
        let mut bytes = Vec::with_capacity(len + 17);
        bytes.resize(len, b'a');
        let (pointer, capacity) = (bytes.as_ptr(), bytes.capacity());
        let string = string_from_utf8(bytes).unwrap();
        assert_eq!((string.as_ptr(), string.capacity(), string.len()), (pointer, capacity, len));
    }
    assert_eq!(string_from_utf8(Vec::new()).unwrap(), "");
}

#[test]
fn errors_give_the_allocation_back() {
    for malformed in &MALFORMED {
        let mut bytes = Vec::with_capacity(100);
        bytes.extend_from_slice(b"before ");
        bytes.extend_from_slice(malformed.bytes);
        let (pointer, copy) = (bytes.as_ptr(), bytes.clone());
        let error = string_from_utf8(bytes).map(String::into_bytes).unwrap_err();
        assert_eq!(error.as_bytes(), copy);
        assert_eq!(fault_of(&error.utf8_error()), malformed.fault_at_end(7));
        let bytes = error.into_bytes();
        assert_eq!((bytes.as_ptr(), bytes.capacity()), (pointer, 100));
        assert_eq!(bytes, copy);
    }
}

#[test]
fn the_error_has_no_source_that_repeats_it() {
    const fn is_an_error<T: Error + Send + Sync + 'static>() {}
    is_an_error::<FromUtf8Error>();
    let error = string_from_utf8(b"ab\xC0".to_vec()).map(String::into_bytes).unwrap_err();
    assert_eq!(error.clone(), error);
    assert_eq!(error.to_string(), from_utf8(b"ab\xC0").map(str::len).unwrap_err().to_string());
    assert!(format!("{error:?}").starts_with("FromUtf8Error"));
    // Its message is that of `utf8_error`. With that as its source, a report of all sources had it twice.
    assert!(error.source().is_none());
}

//! What errors and policies promise besides the row.

use std::error::Error;

use trust8_columns::{validate_offsets, validate_slices};

/// A report of an error and all its sources has each message once.
#[test]
fn a_message_is_not_repeated_by_a_source() {
    let error = validate_offsets(b"abc\xFF", &[0, 4]).unwrap_err();
    let in_row = trust8::from_utf8(b"abc\xFF").map(str::as_bytes).unwrap_err();
    assert!(error.to_string().contains(&in_row.to_string()));
    assert!(error.source().is_none());
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{json, to_value};

    let error = validate_slices([b"ok", b"\xFF!"]).unwrap_err();
    let message = trust8::from_utf8(b"\xFF").map(str::as_bytes).unwrap_err().to_string();
    assert_eq!(to_value(error).unwrap(), json!({ "row": 1, "kind": "invalid-byte", "message": message }));
}

//! What errors and policies promise besides the row.

use std::error::Error;

use trust8_columns::validate_offsets;

/// A report of an error and all its sources has each message once.
#[test]
fn a_message_is_not_repeated_by_a_source() {
    let error = validate_offsets(b"abc\xFF", &[0, 4]).unwrap_err();
    let in_row = trust8::from_utf8(b"abc\xFF").map(str::as_bytes).unwrap_err();
    assert!(error.to_string().contains(&in_row.to_string()));
    assert!(error.source().is_none());
    #[cfg(feature = "std")]
    {
        let carrier = std::io::Error::from(error);
        assert_eq!(carrier.kind(), std::io::ErrorKind::InvalidData);
        assert_eq!(carrier.downcast::<trust8_columns::ColumnError>().unwrap(), error);
    }
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{json, to_value};
    use trust8_columns::validate_slices;

    let error = validate_slices([b"ok", b"a\xFF"]).unwrap_err();
    let message = trust8::from_utf8(b"a\xFF").map(str::as_bytes).unwrap_err().to_string();
    let expected = json!({ "row": 1, "offset": 1, "kind": "invalid-byte", "message": message });
    assert_eq!(to_value(error).unwrap(), expected);
    let error = validate_offsets(b"", &[0, 1]).unwrap_err();
    assert_eq!(to_value(error).unwrap()["offset"], json!(null));
}

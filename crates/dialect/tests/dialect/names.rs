//! Names that must not meet those of the library, and names in reports.

/// A name that both globs bring can't be used.
#[test]
fn globs_do_not_clash() {
    use trust8::*;
    use trust8_dialect::*;

    let of_utf8: Utf8Error = from_utf8(b"a\xFF").unwrap_err();
    let of_cesu8: DialectError = Dialect::Cesu8.to_utf8(b"a\xFF").unwrap_err();
    assert_eq!(of_utf8.valid_up_to(), of_cesu8.valid_up_to());
}

#[cfg(feature = "serde")]
#[test]
fn reports_are_serialised() {
    use serde_json::{from_str, json, to_value};
    use trust8_dialect::Dialect;

    let error = Dialect::Cesu8.validate(b"ab\xC0\x80").unwrap_err();
    let expected =
        json!({ "valid_up_to": 2, "error_len": 1, "kind": "overlong", "message": error.to_string() });
    assert_eq!(to_value(error).unwrap(), expected);
    assert_eq!(to_value(error.kind()).unwrap(), json!("overlong"));
    assert_eq!(format!("{:>10}", error.kind()), "  overlong");
    for dialect in Dialect::ALL {
        assert_eq!(from_str::<Dialect>(&to_value(dialect).unwrap().to_string()).unwrap(), *dialect);
    }
}

//! Counts and errors, serialised with the crate `serde`.

use serde_json::{json, to_value};
use trust8_counts::{Part, inspect};

#[test]
fn reports_are_serialised() {
    let bytes = b"ab\ncaf\xE9!";
    let counts = to_value(inspect("né".as_bytes())).unwrap();
    assert_eq!(
        (&counts["error"], &counts["chars"], &counts["chars_by_len"]),
        (&json!(null), &json!(2), &json!([1, 1, 0, 0]))
    );
    let mut placed = to_value(trust8::from_utf8(bytes).map(str::as_bytes).unwrap_err()).unwrap();
    (placed["line"], placed["column"]) = (json!(2), json!(4));
    assert_eq!(to_value(Part::of(bytes).finish().unwrap_err()).unwrap(), placed);
}

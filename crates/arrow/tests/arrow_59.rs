//! The same functions for the major version of arrow before the newest, which DataFusion still
//! uses.

#![cfg(feature = "arrow-59")]

use arrow_array_59::cast::AsArray;
use arrow_array_59::{Array, ArrayRef, BinaryArray, BinaryViewArray, RecordBatch};
use arrow_schema_59::ArrowError;
use trust8_arrow::Policy;
use trust8_arrow::arrow_59::{as_utf8, batch_errors, check, errors, is_valid, repair, repair_batch};

#[test]
fn arrays_of_arrow_59() {
    let rows = [Some(&b"caf\xC3\xA9"[..]), None, Some(b"Ren\xE9")];
    let arrays: [ArrayRef; 2] = [
        std::sync::Arc::new(BinaryArray::from_iter(rows)),
        std::sync::Arc::new(BinaryViewArray::from_iter(rows)),
    ];
    for array in arrays {
        let error: ArrowError = as_utf8(&array).unwrap_err().into();
        assert!(error.to_string().contains("row 2: invalid UTF-8 at byte 3: E9 "), "{error}");
        assert_eq!(is_valid(&array).unwrap().iter().collect::<Vec<_>>(), [Some(true), None, Some(false)]);
        assert_eq!(errors(&array).unwrap().num_rows(), 1);
        let batch = RecordBatch::try_from_iter([("name", array.clone())]).unwrap();
        assert_eq!(batch_errors(&batch, Some(&["name"])).unwrap().num_rows(), 1);
        let repaired = repair_batch(&batch, Some(&["name"]), Policy::Windows1252).unwrap();
        check(&repaired).unwrap();
        let text = repair(&array, Policy::Windows1252).unwrap();
        assert_eq!(&text, repaired.column(0));
        let last =
            text.as_string_opt::<i32>().map_or_else(|| text.as_string_view().value(2), |text| text.value(2));
        assert_eq!((last, text.is_null(1)), ("René", true));
    }
}

/// Features are additive: a program can get `arrow-59` from one of its dependencies, and the default
/// feature from another.
#[cfg(feature = "arrow-60")]
#[test]
fn both_versions() {
    let new = arrow_array::BinaryArray::from_vec(vec![b"caf\xE9"]);
    let error = as_utf8(&BinaryArray::from_vec(vec![b"caf\xE9"])).unwrap_err();
    assert_eq!(trust8_arrow::as_utf8(&new).unwrap_err(), error);
    assert_eq!(trust8_arrow::arrow_60::as_utf8(&new).unwrap_err(), error);
    let message = arrow_schema::ArrowError::from(error.clone()).to_string();
    assert_eq!(ArrowError::from(error).to_string(), message);
}

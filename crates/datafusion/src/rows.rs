//! The rows of arrays of bytes and of dictionaries: whether they are UTF-8, their errors, and their text.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, LargeBinaryArray, StructArray, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{TakeOptions, cast, take};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, UInt64Type};
use datafusion::common::{DataFusionError, Result, exec_datafusion_err};
use trust8::Utf8Error;
use trust8_arrow::{Reason, RowError, arrow_59};
use trust8_columns::Policy;
use trust8_profile::Profile;

/// The treatment of rows that are not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plan {
    /// The first of them is an error.
    Refuse,
    /// They are repaired, and characters that the profile forbids are replaced.
    Repair(Policy),
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn layout_error(error: RowError) -> DataFusionError {
    exec_datafusion_err!("the array is not as its type says: {error}")
}

/// Returns for each row of `array` what `of` returns for its value. Rows that share a value share its answer.
fn of_values(array: &dyn Array, of: impl Fn(&dyn Array) -> Result<ArrayRef>) -> Result<ArrayRef> {
    match array.as_any_dictionary_opt().filter(|dictionary| dictionary.values().len() <= array.len()) {
        Some(dictionary) => {
            let answers = of(dictionary.values())?;
            // Where there is nothing to tell, that is told faster of all rows at once.
            if answers.null_count() == answers.len() {
                return of(array);
            }
            Ok(take(&answers, dictionary.keys(), Some(TakeOptions { check_bounds: true }))?)
        }
        None => of(array),
    }
}

/// Returns for each row whether it is UTF-8.
pub(crate) fn is_valid(array: &dyn Array) -> Result<ArrayRef> {
    of_values(array, |array| Ok(Arc::new(arrow_59::is_valid(array).map_err(layout_error)?)))
}

/// Returns the fields of the result of [`errors`].
pub(crate) fn error_fields() -> Fields {
    // Reading a field of a struct ignores the struct's nulls. So all fields have them too.
    [
        ("offset", DataType::Int64),
        ("length", DataType::Int64),
        ("kind", DataType::Utf8View),
        ("message", DataType::Utf8View),
    ]
    .into_iter()
    .map(|(name, data_type)| Field::new(name, data_type, true))
    .collect()
}

/// Returns the error of each row, or null for rows that are UTF-8 without a character that the profile
/// forbids.
pub(crate) fn errors(array: &dyn Array, profile: &Profile) -> Result<ArrayRef> {
    of_values(array, |array| errors_of_rows(array, profile))
}

fn errors_of_rows(array: &dyn Array, profile: &Profile) -> Result<ArrayRef> {
    let found = arrow_59::errors_in(array, profile).map_err(layout_error)?;
    if found.num_rows() == 0 {
        return Ok(new_null_array(&DataType::Struct(error_fields()), array.len()));
    }
    let mut errors = vec![None; array.len()];
    for (error, &row) in found["row"].as_primitive::<UInt64Type>().values().iter().enumerate() {
        errors[row as usize].get_or_insert(error as u64);
    }
    let errors = UInt64Array::from(errors);
    let column = |field: &FieldRef| take(&cast(&found[&**field.name()], field.data_type())?, &errors, None);
    let columns = error_fields().iter().map(column).collect::<Result<_, _>>()?;
    Ok(Arc::new(StructArray::try_new(error_fields(), columns, errors.nulls().cloned())?))
}

/// Returns the type of the result of [`text`] for an array.
pub(crate) fn text_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::LargeBinary | DataType::LargeUtf8 => DataType::LargeUtf8,
        DataType::BinaryView | DataType::Utf8View => DataType::Utf8View,
        _ => DataType::Utf8,
    }
}

/// Returns an array of bytes or text as text. The bytes are not copied if no row needs a repair.
pub(crate) fn text(array: &ArrayRef, plan: Plan, profile: &Profile) -> Result<ArrayRef> {
    let Plan::Repair(policy) = plan else {
        return arrow_59::as_utf8(array).map_err(|error| match error.reason() {
            Reason::NotUtf8(reason) => refusal(array, error.row(), &reason),
            _ => layout_error(error),
        });
    };
    let text = arrow_59::repair_in(array, policy, profile).map_err(layout_error)?;
    Ok(match text.as_any_dictionary_opt() {
        // Few functions expect nulls among the values of a dictionary.
        Some(dictionary) if policy == Policy::Null => take(dictionary.values(), dictionary.keys(), None)?,
        _ => text,
    })
}

/// The most bytes of a value in an error.
const SHOWN_BYTES: usize = 64;

/// Returns the error for a row that is not UTF-8. It has Spark's name, and shows the bytes as Spark does.
fn refusal(array: &dyn Array, row: usize, error: &Utf8Error) -> DataFusionError {
    let bytes = value(array, row);
    // The shown bytes include the ill-formed sequence.
    let start =
        if bytes.len() <= SHOWN_BYTES { 0 } else { error.valid_up_to().saturating_sub(SHOWN_BYTES / 2) };
    let end = bytes.len().min(start + SHOWN_BYTES);
    let mut shown = String::with_capacity(4 * SHOWN_BYTES + 6);
    if start > 0 {
        shown.push_str("...");
    }
    for byte in &bytes[start..end] {
        write!(shown, "\\x{byte:02X}").expect("a string takes any text");
    }
    if end < bytes.len() {
        shown.push_str("...");
    }
    exec_datafusion_err!(
        "[INVALID_UTF8_STRING] Invalid UTF8 byte sequence found in string: {shown} ({error})"
    )
}

/// Returns the bytes of a row, which was found in the array before.
fn value(array: &dyn Array, row: usize) -> Vec<u8> {
    match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().value(row).to_vec(),
        DataType::LargeBinary => array.as_binary::<i64>().value(row).to_vec(),
        DataType::BinaryView => array.as_binary_view().value(row).to_vec(),
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().value(row).to_vec(),
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            value(dictionary.values(), dictionary.normalized_keys()[row])
        }
        // Values that claim to be text must be read as bytes.
        DataType::Utf8 => BinaryArray::from(array.as_string::<i32>().clone()).value(row).to_vec(),
        DataType::LargeUtf8 => LargeBinaryArray::from(array.as_string::<i64>().clone()).value(row).to_vec(),
        _ => array.as_string_view().clone().to_binary_view().value(row).to_vec(),
    }
}

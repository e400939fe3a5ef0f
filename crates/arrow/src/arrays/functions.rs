//! The functions of the crate, for the arrays of one version of arrow.

#![forbid(unsafe_code)]

use std::cell::Cell;
use std::sync::Arc;

use trust8_columns::Policy;
use trust8_profile::Profile;

use super::arrow_array::builder::{LargeStringBuilder, UInt64Builder};
use super::arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use super::arrow_buffer::BooleanBufferBuilder;
use super::arrow_schema::{ArrowError, Field, Schema};
use super::leaf::{Claim, Leaf, Plan, claim};
use super::mask::{all_nulls, check_rows, check_slices};
use super::nested::{
    Enough, Found, Search, convert, field_for, find, is_bytes_of_extension, is_text, refused_rows, sort,
};
use crate::error::{Reason, RowError};

/// Returns an array as text, if all of its rows are UTF-8. The crate's page lists the types of
/// arrays.
///
/// # Errors
///
/// Returns the first row that is not UTF-8, or that has a wrong offset or view.
///
/// ```
/// use arrow_array::{BinaryArray, StringArray, cast::AsArray};
/// use trust8_arrow::as_utf8;
///
/// let bytes = BinaryArray::from_opt_vec(vec![Some(b"caf\xC3\xA9"), None]);
/// let text = as_utf8(&bytes).unwrap();
/// assert_eq!(text.as_string::<i32>(), &StringArray::from(vec![Some("café"), None]));
/// // The values are those of the array itself.
/// assert_eq!(text.as_string::<i32>().values().as_ptr(), bytes.values().as_ptr());
/// ```
pub fn as_utf8(array: &dyn Array) -> Result<ArrayRef, RowError> {
    as_utf8_in(array, &Profile::SCALARS)
}

/// Returns an array as text, if all of its rows are UTF-8 without a character that the profile
/// forbids.
///
/// # Errors
///
/// Returns the first row that is refused, or that has a wrong offset or view.
///
/// ```
/// use arrow_array::BinaryArray;
/// use trust8_profile::Profile;
///
/// let bytes = BinaryArray::from_vec(vec![b"Merlot", b"Ros\0"]);
/// assert_eq!(trust8_arrow::as_utf8_in(&bytes, &Profile::POSTGRES).unwrap_err().row(), 1);
/// ```
pub fn as_utf8_in(array: &dyn Array, profile: &Profile) -> Result<ArrayRef, RowError> {
    match converted(array, Plan::new(None, false, profile), "") {
        Ok(text) => Ok(text),
        // In a nested array, the first error found need not be in the first row.
        Err(RowError { reason: Reason::NotUtf8(_) | Reason::Forbidden(_), .. })
            if claim(array.data_type()) == Claim::Other =>
        {
            Err(first(array, false, profile, "")?
                .unwrap_or_else(|| RowError::shape(0, "", "the array changed while it was read")))
        }
        Err(error) => Err(error),
    }
}

/// Returns an array as text, with the rows that are not UTF-8 repaired.
///
/// If a `policy` makes a row null, its field becomes nullable. The keys of a map can't be null, so
/// they get U+FFFD then.
///
/// # Errors
///
/// Returns the first row that has a wrong offset or view, or at which the text becomes too long for
/// its offsets.
///
/// ```
/// use arrow_array::{BinaryViewArray, StringViewArray, cast::AsArray};
/// use trust8_arrow::{Policy, repair};
///
/// let bytes = BinaryViewArray::from_iter_values([&b"clean"[..], b"not \xFF clean"]);
/// let text = repair(&bytes, Policy::Escape).unwrap();
/// assert_eq!(text.as_string_view(), &StringViewArray::from_iter_values(["clean", r"not \xFF clean"]));
/// ```
pub fn repair(array: &dyn Array, policy: Policy) -> Result<ArrayRef, RowError> {
    repair_in(array, policy, &Profile::SCALARS)
}

/// Returns an array as text, with repaired rows where they are not UTF-8 or have a character that
/// the profile forbids.
///
/// `Drop` drops such a character, `Escape` writes it as `\u{202E}`, `Null` makes the row null, and
/// the other policies write U+FFFD.
///
/// # Errors
///
/// Returns the errors of [`repair`].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray};
/// use trust8_columns::Policy;
/// use trust8_profile::Profile;
///
/// let text = trust8_arrow::repair_in(&StringArray::from(vec!["Ros\0"]), Policy::Escape, &Profile::POSTGRES).unwrap();
/// assert_eq!(text.as_string::<i32>().value(0), r"Ros\u{0}");
/// ```
pub fn repair_in(array: &dyn Array, policy: Policy, profile: &Profile) -> Result<ArrayRef, RowError> {
    converted(array, Plan::new(Some(policy), false, profile), "")
}

/// Returns an array with its text repaired at any depth, as [`repair_in`] does. Bytes stay bytes.
///
/// # Errors
///
/// Returns the errors of [`repair`].
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, BinaryArray, StringArray, StructArray, cast::AsArray};
/// use trust8_columns::Policy;
/// use trust8_profile::Profile;
///
/// let bytes = BinaryArray::from_vec(vec![b"\xFF"]);
/// let (offsets, values, nulls) = bytes.clone().into_parts();
/// // SAFETY: none. Somebody else has built this array.
/// let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
/// let row = StructArray::try_from(vec![("name", Arc::new(lie) as ArrayRef), ("raw", Arc::new(bytes.clone()))]).unwrap();
/// let repaired = trust8_arrow::repair_text(&row, Policy::Escape, &Profile::SCALARS).unwrap();
/// assert_eq!(repaired.as_struct()["name"].as_string::<i32>().value(0), r"\xFF");
/// assert_eq!(repaired.as_struct()["raw"].as_binary(), &bytes);
/// ```
pub fn repair_text(array: &dyn Array, policy: Policy, profile: &Profile) -> Result<ArrayRef, RowError> {
    converted(array, Plan::new(Some(policy), true, profile), "")
}

/// Returns for each row whether it is UTF-8, or null if the row or its value in a dictionary or in
/// runs is null. A nested row is UTF-8 if everything in it is.
///
/// # Errors
///
/// Returns the first row that has a wrong offset or view.
///
/// ```
/// use arrow_array::{BinaryArray, BooleanArray};
///
/// let bytes = BinaryArray::from_opt_vec(vec![Some(b"ok"), None, Some(b"\xFF")]);
/// assert_eq!(trust8_arrow::is_valid(&bytes).unwrap(), BooleanArray::from(vec![Some(true), None, Some(false)]));
/// ```
pub fn is_valid(array: &dyn Array) -> Result<BooleanArray, RowError> {
    is_valid_in(array, &Profile::SCALARS)
}

/// Returns for each row whether it is UTF-8 without a character that the profile forbids, as
/// [`is_valid`] does.
///
/// # Errors
///
/// Returns the errors of [`is_valid`].
///
/// ```
/// use arrow_array::{BooleanArray, StringArray};
/// use trust8_profile::Profile;
///
/// let valid = trust8_arrow::is_valid_in(&StringArray::from(vec!["Merlot", "Ros\0"]), &Profile::POSTGRES).unwrap();
/// assert_eq!(valid, BooleanArray::from(vec![true, false]));
/// ```
pub fn is_valid_in(array: &dyn Array, profile: &Profile) -> Result<BooleanArray, RowError> {
    check_slices(array, "")?;
    check_rows(array.len(), "")?;
    if claim(array.data_type()) != Claim::Other && profile.bits() == 0 {
        return Ok(BooleanArray::new(!&Leaf::of(array, None, "")?.invalid()?, all_nulls(array)?));
    }
    let mut valid = BooleanBufferBuilder::new(array.len());
    valid.append_n(array.len(), true);
    let search = Search { profile, claims: false, enough: Enough::EachRow, shared: &Cell::new(0) };
    refused_rows(array, search, |row| valid.set_bit(row, false))?;
    Ok(BooleanArray::new(valid.finish(), all_nulls(array)?))
}

/// Returns a table of all values that are not UTF-8, in the order of the rows.
///
/// | column | type | content |
/// |---|---|---|
/// | `row` | `UInt64` | the row, from 0 |
/// | `path` | `LargeUtf8` | the path to the value inside the row: see [`RowError::path`] |
/// | `offset` | `UInt64` | where in the value the ill-formed sequence begins |
/// | `length` | `UInt64` | its length, or null if the value ends inside a character |
/// | `kind` | `LargeUtf8` | the name of the kind of error: see [`trust8::ErrorKind::name`] |
/// | `message` | `LargeUtf8` | the message of the error |
///
/// # Errors
///
/// Returns the first row that has a wrong offset or view.
///
/// ```
/// use arrow_array::{BinaryArray, cast::AsArray, types::UInt64Type};
///
/// let errors = trust8_arrow::errors(&BinaryArray::from_vec(vec![b"ok", b"caf\xE9", b"\xC0\xAF"])).unwrap();
/// assert_eq!(errors["row"].as_primitive::<UInt64Type>().values(), &[1, 2]);
/// assert_eq!(errors["offset"].as_primitive::<UInt64Type>().values(), &[3, 0]);
/// assert_eq!(errors["kind"].as_string::<i64>().value(1), "overlong");
/// ```
pub fn errors(array: &dyn Array) -> Result<RecordBatch, RowError> {
    errors_in(array, &Profile::SCALARS)
}

/// Returns the same table of all values that are not UTF-8 or have a character that the profile
/// forbids. The `kind` of such a character is the name of its [class](trust8_profile::Class::name). The `length`
/// is that of the whole [run](trust8_profile::ProfileErrors::runs), and the message says how many characters it has.
///
/// # Errors
///
/// Returns the errors of [`errors`].
///
/// ```
/// use arrow_array::{StringArray, cast::AsArray, types::UInt64Type};
/// use trust8_profile::Profile;
///
/// let errors = trust8_arrow::errors_in(&StringArray::from(vec!["Merlot", "Ros\0\0"]), &Profile::POSTGRES).unwrap();
/// assert_eq!(errors["kind"].as_string::<i64>().value(0), "nul");
/// assert_eq!(errors["length"].as_primitive::<UInt64Type>().value(0), 2);
/// assert!(errors["message"].as_string::<i64>().value(0).ends_with(", the first of 2 up to byte 5"));
/// ```
pub fn errors_in(array: &dyn Array, profile: &Profile) -> Result<RecordBatch, RowError> {
    Ok(table(found(array, false, profile, Enough::All, "")?))
}

/// Returns the table of [`errors_in`] for the values that claim to be UTF-8, which [`check`]
/// checks.
///
/// # Errors
///
/// Returns the errors of [`errors`].
///
/// ```
/// use arrow_array::BinaryArray;
/// use trust8_profile::Profile;
///
/// let errors = trust8_arrow::text_errors(&BinaryArray::from_vec(vec![b"\xFF"]), &Profile::SCALARS).unwrap();
/// assert_eq!(errors.num_rows(), 0);
/// ```
pub fn text_errors(array: &dyn Array, profile: &Profile) -> Result<RecordBatch, RowError> {
    Ok(table(found(array, true, profile, Enough::All, "")?))
}

/// Checks that all values of an array are UTF-8 without a character that the profile forbids. If
/// `claims` is true, only values that claim to be UTF-8 count.
///
/// # Errors
///
/// Returns the first row that is refused, or that has a wrong offset or view.
///
/// ```
/// use arrow_array::StringArray;
/// use trust8_profile::Profile;
///
/// let array = StringArray::from(vec!["Merlot", "Ros\0"]);
/// assert_eq!(trust8_arrow::check_array(&array, &Profile::POSTGRES, true).unwrap_err().row(), 1);
/// ```
pub fn check_array(array: &dyn Array, profile: &Profile, claims: bool) -> Result<(), RowError> {
    first(array, claims, profile, "")?.map_or(Ok(()), Err)
}

/// Returns the batch with some columns as text, in which rows that are not UTF-8 are repaired.
/// These are the columns named in `columns`, or with `None` the columns of text that contain no
/// binary values.
///
/// # Errors
///
/// Returns an error if the batch lacks a column, or if one has bytes of an extension type.
/// Otherwise, the errors are those of [`repair`], with a path that begins with the name of the
/// column.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{BinaryArray, RecordBatch, cast::AsArray};
/// use trust8_arrow::{Policy, repair_batch};
///
/// let bytes = Arc::new(BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]));
/// let batch = RecordBatch::try_from_iter([("name", bytes.clone() as _), ("image", bytes as _)]).unwrap();
/// let repaired = repair_batch(&batch, Some(&["name"]), Policy::Windows1252).unwrap();
/// assert_eq!(repaired["name"].as_string::<i32>().value(1), "René");
/// assert_eq!(&repaired["image"], &batch["image"]);
/// ```
pub fn repair_batch(
    batch: &RecordBatch,
    columns: Option<&[&str]>,
    policy: Policy,
) -> Result<RecordBatch, RowError> {
    let schema = batch.schema_ref();
    let (mut fields, mut arrays) = (schema.fields().to_vec(), batch.columns().to_vec());
    let plan = Plan::new(Some(policy), false, &Profile::SCALARS);
    for chosen in chosen(batch, columns)? {
        let field = &mut fields[chosen];
        arrays[chosen] = converted(&arrays[chosen], plan, field.name())?;
        *field = field_for(field, &arrays[chosen], plan);
    }
    let schema = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(schema, arrays, &options)
        .map_err(|_| RowError::shape(0, "", "the batch is not as its schema says"))
}

/// Returns the table of [`errors`] for these columns of a batch, chosen as for [`repair_batch`].
/// Each path begins with the name of the column.
///
/// # Errors
///
/// The same as for [`repair_batch`].
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{BinaryArray, RecordBatch, cast::AsArray};
///
/// let names = Arc::new(BinaryArray::from_vec(vec![b"Ana", b"Ren\xE9"]));
/// let batch = RecordBatch::try_from_iter([("name", names as _)]).unwrap();
/// let errors = trust8_arrow::batch_errors(&batch, Some(&["name"])).unwrap();
/// assert_eq!(errors["path"].as_string::<i64>().value(0), "name");
/// ```
pub fn batch_errors(batch: &RecordBatch, columns: Option<&[&str]>) -> Result<RecordBatch, RowError> {
    let (mut all, shared) = (Vec::new(), Cell::new(0));
    let search = Search { profile: &Profile::SCALARS, claims: false, enough: Enough::All, shared: &shared };
    for chosen in chosen(batch, columns)? {
        find(batch.column(chosen), None, search, batch.schema_ref().field(chosen).name(), &mut all)?;
    }
    sort(&mut all);
    Ok(table(all))
}

/// Returns the numbers of the selected columns: those that are named, or else those of text.
fn chosen(batch: &RecordBatch, columns: Option<&[&str]>) -> Result<Vec<usize>, RowError> {
    let fields = batch.schema_ref().fields();
    let lacks = |name: &&&str| fields.iter().all(|field| field.name() != **name);
    if let Some(name) = columns.unwrap_or_default().iter().find(lacks) {
        return Err(RowError::shape(0, name, "the batch has no column of this name"));
    }
    let is_chosen = |field: &Field| match columns {
        Some(names) => names.contains(&field.name().as_str()),
        None => is_text(field.data_type()),
    };
    let chosen = (0..fields.len()).filter(|&column| is_chosen(&fields[column]));
    if let Some(column) = chosen.clone().find(|&column| is_bytes_of_extension(&fields[column])) {
        let what = "the column is of an extension type, whose bytes are no text";
        return Err(RowError::shape(0, fields[column].name(), what));
    }
    Ok(chosen.collect())
}

/// Returns the table of [`errors`].
fn table(found: Vec<Found>) -> RecordBatch {
    let [mut rows, mut offsets, mut lengths] = [(); 3].map(|()| UInt64Builder::new());
    // The messages of some ten million rows are too long for offsets of 32 bits.
    let [mut paths, mut kinds, mut messages] = [(); 3].map(|()| LargeStringBuilder::new());
    for Found { row, path, error, run } in found {
        rows.append_value(row as u64);
        paths.append_value(path);
        offsets.append_value(error.valid_up_to() as u64);
        let len = run.map_or_else(|| error.error_len(), |run| Some(run.range().len()));
        lengths.append_option(len.map(|len| len as u64));
        let reason = Reason::from(error);
        kinds.append_value(reason.name());
        messages.append_value(run.map_or_else(|| reason.to_string(), |run| run.to_string()));
    }
    let columns: [(&str, ArrayRef); 6] = [
        ("row", Arc::new(rows.finish())),
        ("path", Arc::new(paths.finish())),
        ("offset", Arc::new(offsets.finish())),
        ("length", Arc::new(lengths.finish())),
        ("kind", Arc::new(kinds.finish())),
        ("message", Arc::new(messages.finish())),
    ];
    let fields =
        columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), *name == "length"));
    let schema = Schema::new(fields.collect::<Vec<_>>());
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(schema), columns).expect("columns of one length, as the schema says")
}

/// Checks that all text in a batch is UTF-8: `Utf8`, `LargeUtf8` and `Utf8View`, at any depth. A
/// [`Checker`](super::Checker) checks all other columns as well.
///
/// Such a batch comes from readers that were told to skip validation, and from other languages.
///
/// # Errors
///
/// Returns the first row that is not UTF-8, or that has a wrong offset or view.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{BinaryArray, RecordBatch, StringArray};
///
/// let bytes = BinaryArray::from_vec(vec![b"ok", b"\xFF"]);
/// let (offsets, values, nulls) = bytes.clone().into_parts();
/// // SAFETY: none. That is the point: somebody else has built this array.
/// let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
/// let batch = RecordBatch::try_from_iter([("name", Arc::new(lie) as _), ("raw", Arc::new(bytes) as _)]).unwrap();
/// let error = trust8_arrow::check(&batch).unwrap_err();
/// assert_eq!((error.row(), error.path()), (1, "name"));
/// ```
pub fn check(batch: &RecordBatch) -> Result<(), RowError> {
    let mut earliest: Option<RowError> = None;
    for (column, field) in batch.columns().iter().zip(batch.schema_ref().fields()) {
        if let Some(error) = first(column, true, &Profile::SCALARS, field.name())?
            && earliest.as_ref().is_none_or(|earliest| error.row < earliest.row)
        {
            earliest = Some(error);
        }
    }
    earliest.map_or(Ok(()), Err)
}

pub(crate) fn converted(array: &dyn Array, plan: Plan<'_>, path: &str) -> Result<ArrayRef, RowError> {
    match convert(array, None, plan, path)? {
        Some(text) => Ok(text),
        None => {
            check_slices(array, path)?;
            Ok(array.slice(0, array.len()))
        }
    }
}

fn found(
    array: &dyn Array,
    claims: bool,
    profile: &Profile,
    enough: Enough,
    path: &str,
) -> Result<Vec<Found>, RowError> {
    let mut all = Vec::new();
    find(array, None, Search { profile, claims, enough, shared: &Cell::new(0) }, path, &mut all)?;
    sort(&mut all);
    Ok(all)
}

/// Returns the first value that is refused.
pub(crate) fn first(
    array: &dyn Array,
    claims: bool,
    profile: &Profile,
    path: &str,
) -> Result<Option<RowError>, RowError> {
    let first = found(array, claims, profile, Enough::First, path)?.into_iter().next();
    Ok(first.map(|Found { row, path, error, .. }| RowError::new(row, &path, error.into())))
}

/// ```
/// use arrow_array::{ArrayRef, BinaryArray};
/// use arrow_schema::ArrowError;
///
/// fn text(bytes: &BinaryArray) -> Result<ArrayRef, ArrowError> {
///     Ok(trust8_arrow::as_utf8(bytes)?)
/// }
/// let error = text(&BinaryArray::from_vec(vec![b"\xFF"])).unwrap_err();
/// assert!(error.to_string().contains("row 0: invalid UTF-8"));
/// ```
impl From<RowError> for ArrowError {
    fn from(error: RowError) -> Self {
        Self::ExternalError(Box::new(error))
    }
}

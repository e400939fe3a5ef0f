//! Arrays inside arrays: what is converted or found there, and the rows of the whole that it belongs to.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListArray, MapArray, OffsetSizeTrait, RunArray, StructArray,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use trust8::Utf8Error;
use trust8::columns::Policy;

use crate::error::RowError;
use crate::leaf::{Claim, Leaf, Plan, claim};
use crate::mask::{check_offsets, each_run, items, keys, len, mask, reached};

/// Returns whether an array of this type has bytes somewhere.
fn has_bytes(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => has_bytes(field.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_bytes(field.data_type())),
        DataType::Dictionary(_, values) => has_bytes(values),
        DataType::RunEndEncoded(_, values) => has_bytes(values.data_type()),
        other => claim(other) != Claim::Other,
    }
}

/// Returns the field for an array that took the place of its array.
fn field_for(field: &Field, array: &dyn Array) -> FieldRef {
    // A repair can make nulls, also among values that rows share.
    let shared = match array.data_type() {
        DataType::Dictionary(..) => array.as_any_dictionary().values().null_count(),
        _ => 0,
    };
    let nullable = field.is_nullable() || array.null_count() + shared > 0;
    Arc::new(field.clone().with_data_type(array.data_type().clone()).with_nullable(nullable))
}

/// Converts an array that is part of another one.
fn convert_part(
    array: &ArrayRef,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<ArrayRef, RowError> {
    Ok(convert(array, live, plan, path)?.unwrap_or_else(|| array.clone()))
}

/// Returns the array with text in the place of bytes, or `None` if it has no bytes. Of its rows, those that are not in `live`
/// are out of reach.
pub(crate) fn convert(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<Option<ArrayRef>, RowError> {
    if !has_bytes(array.data_type()) {
        return Ok(None);
    }
    let converted: Result<ArrayRef, RowError> = match array.data_type() {
        DataType::Struct(_) => Ok(Arc::new(convert_struct(array.as_struct(), live, plan, path)?)),
        DataType::List(_) => convert_list(array.as_list::<i32>(), live, plan, path),
        DataType::LargeList(_) => convert_list(array.as_list::<i64>(), live, plan, path),
        DataType::FixedSizeList(field, size) => {
            let list = array.as_fixed_size_list();
            let rows = reached(list.len(), list.nulls(), live, path)?;
            let size_len = size.as_usize();
            check_items(list, path)?;
            let items = rows.map(|rows| rows.expand(size_len));
            let values = convert_part(list.values(), items.as_ref(), plan, &format!("{path}[]"))?;
            let (field, nulls) = (field_for(field, &values), list.nulls().cloned());
            // SAFETY: the list is as it was, with items of another type and the same number.
            Ok(Arc::new(unsafe {
                FixedSizeListArray::new_unchecked(field, *size, values, nulls, list.len())
            }))
        }
        DataType::Map(field, ordered) => {
            let map = array.as_map();
            check_offsets(map.offsets().inner(), len(map.entries()), path)?;
            let rows = reached(map.len(), map.nulls(), live, path)?;
            let entries = items(map.offsets(), len(map.entries()), rows.as_ref());
            let entries = convert_entries(map.entries(), entries.as_ref(), plan, path)?;
            let field = Arc::new(field.as_ref().clone().with_data_type(entries.data_type().clone()));
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            // SAFETY: the map is as it was, with keys and values of other types and the same number.
            Ok(Arc::new(unsafe { MapArray::new_unchecked(field, offsets, entries, nulls, *ordered) }))
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let used = |rows: Option<&NullBuffer>| {
                mask(len(dictionary.values()), |each| keys(dictionary.keys(), rows, each))
            };
            let values = convert_shared(dictionary.values(), plan, path, || {
                Ok(used(reached(dictionary.len(), dictionary.keys().nulls(), live, path)?.as_ref()))
            })?;
            Ok(dictionary.with_values(values))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => convert_runs::<Int16Type>(array, live, plan, path),
            DataType::Int32 => convert_runs::<Int32Type>(array, live, plan, path),
            _ => convert_runs::<Int64Type>(array, live, plan, path),
        },
        _ => Leaf::of(array, live, path)?.text(plan),
    };
    converted.map(Some)
}

/// Checks that a list has as many items as its rows need.
fn check_items(list: &FixedSizeListArray, path: &str) -> Result<(), RowError> {
    let size = usize::try_from(list.value_length()).ok();
    match size.and_then(|size| size.checked_mul(list.len())) {
        Some(items) if items == len(list.values()) => Ok(()),
        _ => Err(RowError::shape(0, path, "the list does not have the items that its type says")),
    }
}

/// Checks that a field has as many rows as its struct.
fn check_len(column: &dyn Array, array: &StructArray, path: &str) -> Result<(), RowError> {
    match len(column) == array.len() {
        true => Ok(()),
        false => Err(RowError::shape(0, path, "the field and its struct differ in length")),
    }
}

/// Converts values that rows share. If all of them are UTF-8, nobody asks which are used.
fn convert_shared(
    values: &ArrayRef,
    plan: Plan,
    path: &str,
    used: impl FnOnce() -> Result<NullBuffer, RowError>,
) -> Result<ArrayRef, RowError> {
    match convert_part(values, None, Plan::Refuse, path) {
        Ok(values) => Ok(values),
        Err(_) => convert_part(values, Some(&used()?), plan, path),
    }
}

fn convert_runs<R: RunEndIndexType>(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<ArrayRef, RowError> {
    let runs = array.as_run::<R>();
    let values = convert_shared(runs.values(), plan, path, || {
        let rows = reached(runs.len(), None, live, path)?;
        Ok(mask(len(runs.values()), |each| each_run(array, rows.as_ref(), each)))
    })?;
    let DataType::RunEndEncoded(ends, field) = array.data_type() else { unreachable!("an array of runs") };
    let data_type = DataType::RunEndEncoded(ends.clone(), field_for(field, &values));
    // SAFETY: the runs are as they were, with values of another type and the same number.
    Ok(Arc::new(unsafe { RunArray::<R>::new_unchecked(data_type, runs.run_ends().clone(), values) }))
}

fn convert_list<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<ArrayRef, RowError> {
    check_offsets(list.offsets().inner(), len(list.values()), path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let reached_items = items(list.offsets(), len(list.values()), rows.as_ref());
    let values = convert_part(list.values(), reached_items.as_ref(), plan, &format!("{path}[]"))?;
    let (DataType::List(field) | DataType::LargeList(field)) = list.data_type() else {
        unreachable!("a list")
    };
    let (field, nulls) = (field_for(field, &values), list.nulls().cloned());
    // SAFETY: the list is as it was, with items of another type and the same number.
    Ok(Arc::new(unsafe { GenericListArray::new_unchecked(field, list.offsets().clone(), values, nulls) }))
}

fn convert_struct(
    array: &StructArray,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<StructArray, RowError> {
    let plans = array.fields().iter().map(|field| (plan, format!("{path}.{}", field.name())));
    convert_fields(array, live, plans.collect(), path)
}

/// Converts the entries of a map. Its keys can't be null, so they are repaired with U+FFFD then.
fn convert_entries(
    entries: &StructArray,
    live: Option<&NullBuffer>,
    plan: Plan,
    path: &str,
) -> Result<StructArray, RowError> {
    if entries.num_columns() != 2 {
        return Err(RowError::shape(0, path, "the map does not have keys and values"));
    }
    let keys = match plan {
        Plan::Repair(Policy::Null) => Plan::Repair(Policy::Replace),
        other => other,
    };
    convert_fields(entries, live, vec![(keys, format!("{path}.key")), (plan, format!("{path}.value"))], path)
}

fn convert_fields(
    array: &StructArray,
    live: Option<&NullBuffer>,
    plans: Vec<(Plan, String)>,
    path: &str,
) -> Result<StructArray, RowError> {
    let rows = reached(array.len(), array.nulls(), live, path)?;
    let mut columns = Vec::with_capacity(plans.len());
    for (column, (plan, path)) in array.columns().iter().zip(&plans) {
        check_len(column, array, path)?;
        columns.push(convert_part(column, rows.as_ref(), *plan, path)?);
    }
    let fields: Fields =
        array.fields().iter().zip(&columns).map(|(field, column)| field_for(field, column)).collect();
    let nulls = array.nulls().cloned();
    // SAFETY: the struct is as it was, with fields of other types and the same length.
    Ok(unsafe { StructArray::new_unchecked_with_length(fields, columns, nulls, array.len()) })
}

/// A value that is not UTF-8, and its row.
pub(crate) struct Found {
    pub(crate) row: usize,
    pub(crate) path: Arc<str>,
    pub(crate) error: Utf8Error,
}

/// Appends the values of an array that are not UTF-8 to `found`, in the order of its rows where it is not nested.
///
/// If `claims` is true, only arrays count that claim to be UTF-8.
pub(crate) fn find(
    array: &dyn Array,
    live: Option<&NullBuffer>,
    claims: bool,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    if !has_bytes(array.data_type()) {
        return Ok(());
    }
    match array.data_type() {
        DataType::Struct(fields) => {
            let rows = reached(array.len(), array.nulls(), live, path)?;
            for (column, field) in array.as_struct().columns().iter().zip(fields) {
                check_len(column, array.as_struct(), path)?;
                find(column, rows.as_ref(), claims, &format!("{path}.{}", field.name()), found)?;
            }
        }
        DataType::List(_) => find_items(array.as_list::<i32>(), live, claims, path, found)?,
        DataType::LargeList(_) => find_items(array.as_list::<i64>(), live, claims, path, found)?,
        DataType::FixedSizeList(_, size) => {
            check_items(array.as_fixed_size_list(), path)?;
            let size = size.as_usize();
            let items = reached(array.len(), array.nulls(), live, path)?.map(|rows| rows.expand(size));
            let start = found.len();
            find(array.as_fixed_size_list().values(), items.as_ref(), claims, &format!("{path}[]"), found)?;
            found[start..].iter_mut().for_each(|found| found.row /= size.max(1));
        }
        DataType::Map(..) => {
            let map = array.as_map();
            check_offsets(map.offsets().inner(), len(map.entries()), path)?;
            let rows = reached(map.len(), map.nulls(), live, path)?;
            let entries = items(map.offsets(), len(map.entries()), rows.as_ref());
            let start = found.len();
            map.entries().columns().iter().try_for_each(|column| check_len(column, map.entries(), path))?;
            for (column, name) in map.entries().columns().iter().zip(["key", "value"]) {
                find(column, entries.as_ref(), claims, &format!("{path}.{name}"), found)?;
            }
            rows_of_items(map.offsets(), &mut found[start..]);
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let rows = reached(dictionary.len(), dictionary.keys().nulls(), live, path)?;
            let used = || mask(len(dictionary.values()), |each| keys(dictionary.keys(), rows.as_ref(), each));
            let each = |each: &mut dyn FnMut(usize, usize)| keys(dictionary.keys(), rows.as_ref(), each);
            find_shared(dictionary.values(), used, each, claims, path, found)?;
        }
        DataType::RunEndEncoded(..) => {
            let rows = reached(array.len(), None, live, path)?;
            let values = match array.as_run_opt::<Int32Type>() {
                Some(runs) => runs.values(),
                None => match array.as_run_opt::<Int16Type>() {
                    Some(runs) => runs.values(),
                    None => array.as_run::<Int64Type>().values(),
                },
            };
            let used = || mask(len(values), |each| each_run(array, rows.as_ref(), each));
            find_shared(values, used, |each| each_run(array, rows.as_ref(), each), claims, path, found)?;
        }
        data_type if claims && claim(data_type) == Claim::Bytes => {}
        _ => {
            let path: Arc<str> = path.into();
            Leaf::of(array, live, &path)?
                .errors(&mut |row, error| found.push(Found { row, path: path.clone(), error }))?;
        }
    }
    Ok(())
}

fn find_items<O: OffsetSizeTrait>(
    list: &GenericListArray<O>,
    live: Option<&NullBuffer>,
    claims: bool,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    check_offsets(list.offsets().inner(), len(list.values()), path)?;
    let rows = reached(list.len(), list.nulls(), live, path)?;
    let items = items(list.offsets(), len(list.values()), rows.as_ref());
    let start = found.len();
    find(list.values(), items.as_ref(), claims, &format!("{path}[]"), found)?;
    rows_of_items(list.offsets(), &mut found[start..]);
    Ok(())
}

/// Replaces the numbers of items by those of the rows that they are in.
fn rows_of_items<O: OffsetSizeTrait>(offsets: &[O], found: &mut [Found]) {
    for found in found {
        found.row = offsets.partition_point(|offset| offset.as_usize() <= found.row) - 1;
    }
}

/// Finds values that rows share, and names each row that has one. `each` calls a function with every row and its value.
fn find_shared(
    values: &ArrayRef,
    used: impl FnOnce() -> NullBuffer,
    each: impl FnOnce(&mut dyn FnMut(usize, usize)),
    claims: bool,
    path: &str,
    found: &mut Vec<Found>,
) -> Result<(), RowError> {
    let mut bad = Vec::new();
    match find(values, None, claims, path, &mut bad) {
        Ok(()) if bad.is_empty() => return Ok(()),
        _ => bad.clear(),
    }
    find(values, Some(&used()), claims, path, &mut bad)?;
    bad.sort_by_key(|found| found.row);
    each(&mut |row, value| {
        let first = bad.partition_point(|found| found.row < value);
        for same in bad[first..].iter().take_while(|found| found.row == value) {
            found.push(Found { row, path: same.path.clone(), error: same.error });
        }
    });
    Ok(())
}

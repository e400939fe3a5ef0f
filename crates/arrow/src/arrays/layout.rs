//! Checks all that arrow relies on when it reads an array, except for the text: offsets, views, keys,
//! run ends, the lengths and types of children, and nulls where none may be.
//!
//! Arrow checks this when it builds an array from parts, and again by `validate_full`; but it trusts
//! arrays that come by the C data interface, or from a reader that was told to skip validation.
//! `validate_full` must not be called for these: it panics at some of them.

#![forbid(unsafe_code)]

use super::arrow_array::Array;
use super::arrow_array::cast::AsArray;
use super::arrow_array::types::{Int16Type, Int32Type, Int64Type};
use super::arrow_buffer::NullBuffer;
use super::arrow_schema::{DataType, Field};
use super::known::Known;
use super::leaf::{Claim, Leaf, claim};
use super::mask::{
    check_claim, check_items, check_len, check_list_view, check_offsets, check_rows, check_shared,
    check_union, len, reached, shared_values,
};
use crate::error::RowError;

/// The greatest depth of a nested array. Each level takes part of the stack, here and in arrow.
const MOST_LEVELS: usize = 64;

/// Checks an array, but not its text. `path` leads to it. Without `claims`, all bytes of the array become text.
pub(crate) fn check_layout(
    array: &dyn Array,
    claims: bool,
    known: &Known,
    path: &str,
) -> Result<(), RowError> {
    if !claims && claim(array.data_type()) == Claim::Bytes {
        // The conversion checks what this would, in one pass with the text.
        return Ok(());
    }
    check_level(array, known, 0, path)
}

fn check_level(array: &dyn Array, known: &Known, level: usize, path: &str) -> Result<(), RowError> {
    if level == MOST_LEVELS {
        return Err(RowError::shape(0, path, "the array has more than 64 levels"));
    }
    let part = |array: &dyn Array, field: &Field, path: &str| {
        check_part(array, field.data_type(), known, level, path)
    };
    let data_type = array.data_type();
    match data_type {
        _ if claim(data_type) != Claim::Other => {
            // This checks the nulls. A conversion checks text.
            let leaf = Leaf::of(array, None, path)?;
            return if claim(data_type) == Claim::Bytes { leaf.check_layout() } else { Ok(()) };
        }
        DataType::List(field) => {
            let list = array.as_list::<i32>();
            check_offsets(list.offsets().inner(), len(list.values()), path)?;
            check_claim(list.values(), path)?;
            part(list.values(), field, &format!("{path}[]"))?;
            check_no_nulls(list.values(), field, None, path)?;
        }
        DataType::LargeList(field) => {
            let list = array.as_list::<i64>();
            check_offsets(list.offsets().inner(), len(list.values()), path)?;
            check_claim(list.values(), path)?;
            part(list.values(), field, &format!("{path}[]"))?;
            check_no_nulls(list.values(), field, None, path)?;
        }
        DataType::ListView(field) => {
            let list = array.as_list_view::<i32>();
            check_list_view(list, path)?;
            part(list.values(), field, &format!("{path}[]"))?;
        }
        DataType::LargeListView(field) => {
            let list = array.as_list_view::<i64>();
            check_list_view(list, path)?;
            part(list.values(), field, &format!("{path}[]"))?;
        }
        DataType::FixedSizeList(field, size) => {
            let list = array.as_fixed_size_list();
            check_items(list, path)?;
            part(list.values(), field, &format!("{path}[]"))?;
            check_nulls(array, path)?;
            // Items of a null list may be null.
            let nulls = array.nulls().filter(|_| !field.is_nullable() && list.values().nulls().is_some());
            let items = nulls.map(|nulls| nulls.expand(usize::try_from(*size).unwrap_or(0)));
            check_no_nulls(list.values(), field, items.as_ref(), path)?;
        }
        DataType::Map(field, _) => {
            let map = array.as_map();
            check_offsets(map.offsets().inner(), len(map.entries()), path)?;
            if map.entries().num_columns() != 2 {
                return Err(RowError::shape(0, path, "the map does not have keys and values"));
            }
            part(map.entries(), field, path)?;
            check_no_nulls(map.entries(), field, None, path)?;
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            if columns.len() != fields.len() {
                return Err(RowError::shape(0, path, "the struct does not have the fields of its type"));
            }
            check_nulls(array, path)?;
            for (column, field) in columns.iter().zip(fields) {
                let path = format!("{path}.{}", field.name());
                check_len(column, array.len(), &path)?;
                part(column, field, &path)?;
                check_no_nulls(column, field, array.nulls(), &path)?;
            }
        }
        DataType::Dictionary(_, data_type) => {
            check_shared(array, path)?;
            let values = shared_values(array, path)?;
            if values.data_type() != &**data_type || known.get(path, values).is_none() {
                check_part(values, data_type, known, level, path)?;
            }
        }
        DataType::RunEndEncoded(ends, values) => {
            let is_as_its_type = match ends.data_type() {
                DataType::Int16 => array.as_run_opt::<Int16Type>().is_some(),
                DataType::Int32 => array.as_run_opt::<Int32Type>().is_some(),
                DataType::Int64 => array.as_run_opt::<Int64Type>().is_some(),
                _ => false,
            };
            if !is_as_its_type {
                return Err(RowError::shape(0, path, "the runs do not end as their type says"));
            }
            check_shared(array, path)?;
            part(shared_values(array, path)?, values, path)?;
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            check_union(union, path)?;
            for (id, field) in fields.iter() {
                part(union.child(id), field, &format!("{path}.{}", field.name()))?;
            }
        }
        // The memory of numbers is checked when arrow builds the array.
        _ => {}
    }
    check_nulls(array, path)
}

/// Checks an array that is part of another one, whose type says what it is.
fn check_part(
    array: &dyn Array,
    data_type: &DataType,
    known: &Known,
    level: usize,
    path: &str,
) -> Result<(), RowError> {
    if array.data_type() != data_type {
        return Err(RowError::shape(0, path, "the array is not of the type that the one around it names"));
    }
    check_level(array, known, level + 1, path)
}

/// Checks that the validity bitmap has a bit for each row, and as many nulls as it says.
fn check_nulls(array: &dyn Array, path: &str) -> Result<(), RowError> {
    reached(len(array), array.nulls(), None, path).map(drop)
}

/// Checks that a field that may not be null is null at most where the rows around it are.
fn check_no_nulls(
    array: &dyn Array,
    field: &Field,
    around: Option<&NullBuffer>,
    path: &str,
) -> Result<(), RowError> {
    let Some(nulls) = array.nulls().filter(|nulls| !field.is_nullable() && nulls.null_count() > 0) else {
        return Ok(());
    };
    check_rows(nulls.len(), path)?;
    if around.is_some_and(|around| around.len() == nulls.len() && around.contains(nulls)) {
        return Ok(());
    }
    let row =
        (0..nulls.len()).find(|&row| nulls.is_null(row) && around.is_none_or(|around| around.is_valid(row)));
    Err(RowError::shape(row.unwrap_or(0), path, "the field is null, and its type says that it is not"))
}

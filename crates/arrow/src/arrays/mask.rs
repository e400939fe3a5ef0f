//! Finds the values inside an array that some row reaches. Unreachable values are ignored, like
//! values under a null.

#![forbid(unsafe_code)]

use std::num::Wrapping;
use std::ops::{BitOr, ControlFlow, Range, Sub};

use super::arrow_array::cast::AsArray;
use super::arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, RunEndIndexType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use super::arrow_array::{
    Array, ArrayRef, FixedSizeListArray, GenericListViewArray, OffsetSizeTrait, RunArray, UnionArray,
};
use super::arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, NullBuffer};
use super::arrow_schema::{DataType, UnionMode};
use crate::error::RowError;

/// Returns how many offsets an array has, if its type has any.
fn offsets(array: &dyn Array) -> Option<usize> {
    Some(match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().offsets().inner().len(),
        DataType::LargeBinary => array.as_binary::<i64>().offsets().inner().len(),
        DataType::Utf8 => array.as_string::<i32>().offsets().inner().len(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().inner().len(),
        DataType::List(_) => array.as_list::<i32>().offsets().inner().len(),
        DataType::LargeList(_) => array.as_list::<i64>().offsets().inner().len(),
        DataType::Map(..) => array.as_map().offsets().inner().len(),
        _ => return None,
    })
}

/// Returns the length of an array. Without offsets it is zero; arrow's own `len` would panic.
pub(crate) fn len(array: &dyn Array) -> usize {
    offsets(array).map_or_else(|| array.len(), |offsets| offsets.saturating_sub(1))
}

/// Returns the rows that are neither null nor unreachable, or `None` if these are all.
pub(crate) fn reached(
    len: usize,
    nulls: Option<&NullBuffer>,
    live: Option<&NullBuffer>,
    path: &str,
) -> Result<Option<NullBuffer>, RowError> {
    if nulls.is_some_and(|nulls| nulls.len() != len) {
        return Err(RowError::shape(0, path, "the validity bitmap and the array differ in length"));
    }
    if nulls.is_some_and(|nulls| nulls.inner().count_set_bits() + nulls.null_count() != len) {
        return Err(RowError::shape(0, path, "the number of nulls is not that of the validity bitmap"));
    }
    if live.is_some_and(|live| live.len() != len) {
        return Err(RowError::shape(0, path, "the array and the one around it differ in length"));
    }
    Ok(NullBuffer::union(nulls, live).filter(|nulls| nulls.null_count() > 0))
}

/// Checks the offsets of a list whose items are `items`.
pub(crate) fn check_offsets<O: OffsetSizeTrait>(
    offsets: &[O],
    items: usize,
    path: &str,
) -> Result<(), RowError> {
    let ends = [offsets.first(), offsets.last()].map(|end| end.and_then(|end| end.to_usize()));
    let [Some(_), Some(last)] = ends else {
        return Err(RowError::shape(0, path, "the list has no offsets, or one that is negative"));
    };
    match offsets.windows(2).position(|pair| pair[0] > pair[1]) {
        Some(row) => Err(RowError::shape(row, path, "an offset of the list is followed by a smaller one")),
        None if last > items => {
            let row = offsets[1..].iter().position(|end| end.as_usize() > items).unwrap_or(0);
            Err(RowError::shape(row, path, "the list ends beyond its items"))
        }
        None => Ok(()),
    }
}

/// The most rows of an array for which a mask or offsets are made.
///
/// Runs, and values without bytes, can claim any number of rows without using memory. An array
/// whose rows have bytes can't.
const MOST_ROWS: usize = 1 << 32;

/// Checks that a mask, or offsets, can be made for this number of rows.
pub(crate) fn check_rows(rows: usize, path: &str) -> Result<(), RowError> {
    match rows <= MOST_ROWS {
        true => Ok(()),
        false => Err(RowError::shape(0, path, "the array claims more than 2^32 rows")),
    }
}

/// Returns the items of a list that its rows reach.
pub(crate) fn items<O: OffsetSizeTrait>(
    offsets: &[O],
    items: usize,
    rows: Option<&NullBuffer>,
    path: &str,
) -> Result<Option<NullBuffer>, RowError> {
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    if rows.is_none() && first == 0 && last == items {
        return Ok(None);
    }
    check_rows(items, path)?;
    let mut bits = BooleanBufferBuilder::new(items);
    bits.append_n(first, false);
    for (row, pair) in offsets.windows(2).enumerate() {
        bits.append_n(pair[1].as_usize() - pair[0].as_usize(), rows.is_none_or(|rows| rows.is_valid(row)));
    }
    bits.append_n(items - last, false);
    Ok(Some(NullBuffer::new(bits.finish())))
}

/// Returns the items of the rows that are reached. Each row has `size` items.
pub(crate) fn fixed_items(
    rows: Option<NullBuffer>,
    size: usize,
    path: &str,
) -> Result<Option<NullBuffer>, RowError> {
    let Some(rows) = rows else { return Ok(None) };
    check_rows(rows.len().saturating_mul(size), path)?;
    Ok(Some(rows.expand(size)))
}

/// Calls `each` with rows of a dictionary, or of an array of runs, that share a value, and with the
/// number of the value, until `each` breaks. The rows come in their order. There may be no value
/// with that number.
pub(crate) fn shared(array: &dyn Array, mut each: impl FnMut(Range<usize>, usize) -> ControlFlow<()>) {
    // `each` breaks without a result.
    let _ = match array.data_type() {
        DataType::Dictionary(..) => keys(array.as_any_dictionary().keys(), &mut each),
        _ => match (array.as_run_opt(), array.as_run_opt(), array.as_run_opt()) {
            (Some(array), ..) => runs::<Int16Type>(array, &mut each),
            (_, Some(array), _) => runs::<Int32Type>(array, &mut each),
            (.., Some(array)) => runs::<Int64Type>(array, &mut each),
            _ => ControlFlow::Continue(()),
        },
    };
}

fn keys(keys: &dyn Array, each: &mut impl FnMut(Range<usize>, usize) -> ControlFlow<()>) -> ControlFlow<()> {
    fn typed<K: ArrowDictionaryKeyType>(
        keys: &dyn Array,
        each: &mut impl FnMut(Range<usize>, usize) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut keys = keys.as_primitive::<K>().values().iter().enumerate();
        // A negative key is no key.
        keys.try_for_each(|(row, key)| each(row..row + 1, key.to_usize().unwrap_or(usize::MAX)))
    }
    match keys.data_type() {
        DataType::Int8 => typed::<Int8Type>(keys, each),
        DataType::Int16 => typed::<Int16Type>(keys, each),
        DataType::Int32 => typed::<Int32Type>(keys, each),
        DataType::Int64 => typed::<Int64Type>(keys, each),
        DataType::UInt8 => typed::<UInt8Type>(keys, each),
        DataType::UInt16 => typed::<UInt16Type>(keys, each),
        DataType::UInt32 => typed::<UInt32Type>(keys, each),
        DataType::UInt64 => typed::<UInt64Type>(keys, each),
        _ => ControlFlow::Continue(()),
    }
}

fn runs<R: RunEndIndexType>(
    array: &RunArray<R>,
    each: &mut impl FnMut(Range<usize>, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let ends = array.run_ends();
    let (offset, len) = (ends.offset(), ends.len());
    let mut row = 0;
    for (run, end) in ends.inner().iter().enumerate() {
        // Runs whose ends do not increase have no rows.
        let end = end.to_usize().unwrap_or(0).saturating_sub(offset).min(len);
        if row < end {
            each(row..end, run)?;
            row = end;
        }
    }
    ControlFlow::Continue(())
}

/// Returns whether every key is less than `values`, also those of null rows. The answer `false` may be wrong.
fn are_below(keys: &dyn Array, values: usize) -> bool {
    fn typed<K: ArrowDictionaryKeyType, S: Copy + Default + Ord + TryFrom<usize>>(
        keys: &dyn Array,
        values: usize,
        max: S,
        signed: impl Fn(K::Native) -> S,
    ) -> bool
    where
        Wrapping<S>: BitOr<Output = Wrapping<S>> + Sub<Output = Wrapping<S>>,
    {
        let Some(last) = values.checked_sub(1) else { return false };
        let (zero, last) = (Wrapping(S::default()), Wrapping(S::try_from(last).unwrap_or(max)));
        // Negative keys set the highest bit, and so do differences to greater keys. SSE2 has no maximum of 32 bits.
        let keys = keys.as_primitive::<K>().values().iter().map(|&key| Wrapping(signed(key)));
        keys.fold(zero, |any, key| any | key | (last - key)) >= zero
    }
    match keys.data_type() {
        DataType::Int8 => typed::<Int8Type, _>(keys, values, i8::MAX, |key| key),
        DataType::Int16 => typed::<Int16Type, _>(keys, values, i16::MAX, |key| key),
        DataType::Int32 => typed::<Int32Type, _>(keys, values, i32::MAX, |key| key),
        DataType::Int64 => typed::<Int64Type, _>(keys, values, i64::MAX, |key| key),
        DataType::UInt8 => typed::<UInt8Type, _>(keys, values, i16::MAX, i16::from),
        DataType::UInt16 => typed::<UInt16Type, _>(keys, values, i32::MAX, i32::from),
        DataType::UInt32 => typed::<UInt32Type, _>(keys, values, i32::MAX, u32::cast_signed),
        DataType::UInt64 => typed::<UInt64Type, _>(keys, values, i64::MAX, u64::cast_signed),
        _ => false,
    }
}

/// Returns the rows of `range` that are reached.
pub(crate) fn rows_in(range: Range<usize>, rows: Option<&NullBuffer>) -> impl Iterator<Item = usize> {
    range.filter(move |&row| rows.is_none_or(|rows| rows.is_valid(row)))
}

/// Returns the mask of the `len` values of a dictionary, or of an array of runs, that some of
/// `rows` have.
pub(crate) fn used(
    array: &dyn Array,
    rows: Option<&NullBuffer>,
    len: usize,
    path: &str,
) -> Result<NullBuffer, RowError> {
    check_rows(len, path)?;
    let mut bits = BooleanBufferBuilder::new(len);
    bits.append_n(len, false);
    shared(array, |range, value| {
        if value < len && rows_in(range, rows).next().is_some() {
            bits.set_bit(value, true);
        }
        ControlFlow::Continue(())
    });
    Ok(NullBuffer::new(bits.finish()))
}

/// Checks that each row of a dictionary, or of an array of runs, has one of its values, or is null.
pub(crate) fn check_shared(array: &dyn Array, path: &str) -> Result<(), RowError> {
    fn check_ends<R: RunEndIndexType>(array: &RunArray<R>, path: &str) -> Result<(), RowError> {
        let ends = array.run_ends();
        if ends.inner().len() != len(array.values()) {
            return Err(RowError::shape(0, path, "the numbers of runs and of their values differ"));
        }
        let mut before = 0;
        for end in ends.inner().iter() {
            match end.to_usize() {
                Some(end) if end > before => before = end,
                _ => return Err(RowError::shape(0, path, "a run does not end after the run before it")),
            }
        }
        match ends.offset().checked_add(ends.len()) {
            Some(rows) if rows <= before || ends.is_empty() => Ok(()),
            _ => Err(RowError::shape(before.saturating_sub(ends.offset()), path, "the row is in no run")),
        }
    }
    if let Some(array) = array.as_run_opt::<Int16Type>() {
        return check_ends(array, path);
    }
    if let Some(array) = array.as_run_opt::<Int32Type>() {
        return check_ends(array, path);
    }
    if let Some(array) = array.as_run_opt::<Int64Type>() {
        return check_ends(array, path);
    }
    reached(array.len(), array.nulls(), None, path)?;
    let values = len(shared_values(array, path)?);
    if are_below(array.as_any_dictionary().keys(), values) {
        return Ok(());
    }
    let mut wrong = None;
    shared(array, |rows, value| {
        if value < values || rows_in(rows.clone(), array.nulls()).next().is_none() {
            return ControlFlow::Continue(());
        }
        wrong = Some(rows.start);
        ControlFlow::Break(())
    });
    wrong.map_or(Ok(()), |row| Err(RowError::shape(row, path, "the key is that of no value")))
}

/// Returns the values of a dictionary or of an array of runs.
pub(crate) fn shared_values<'a>(array: &'a dyn Array, path: &str) -> Result<&'a ArrayRef, RowError> {
    match array.data_type() {
        DataType::Dictionary(..) => return Ok(array.as_any_dictionary().values()),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => array.as_run_opt::<Int16Type>().map(RunArray::values),
            DataType::Int32 => array.as_run_opt::<Int32Type>().map(RunArray::values),
            _ => array.as_run_opt::<Int64Type>().map(RunArray::values),
        },
        _ => None,
    }
    .ok_or_else(|| RowError::shape(0, path, "the runs do not end as their type says"))
}

/// Checks the invariants that arrow relies on when it slices an array.
pub(crate) fn check_slices(array: &dyn Array, path: &str) -> Result<(), RowError> {
    if offsets(array) == Some(0) {
        return Err(RowError::shape(0, path, "the array has no offsets"));
    }
    reached(array.len(), array.nulls(), None, path)?;
    match array.data_type() {
        DataType::FixedSizeList(..) => {
            let list = array.as_fixed_size_list();
            check_items(list, path)?;
            check_slices(list.values(), path)
        }
        DataType::Struct(_) => array.as_struct().columns().iter().try_for_each(|column| {
            check_len(column, array.len(), path)?;
            check_slices(column, path)
        }),
        DataType::Dictionary(..) | DataType::RunEndEncoded(..) => {
            check_shared(array, path)?;
            check_slices(shared_values(array, path)?, path)
        }
        DataType::ListView(_) => check_list_view(array.as_list_view::<i32>(), path),
        DataType::LargeListView(_) => check_list_view(array.as_list_view::<i64>(), path),
        DataType::Union(fields, UnionMode::Sparse) => fields.iter().try_for_each(|(id, _)| {
            let child = array.as_union().child(id);
            check_len(child, array.len(), path)?;
            check_slices(child, path)
        }),
        _ => Ok(()),
    }
}

/// Returns which rows are null, also by the value that they share. `check_slices` has found nothing
/// wrong with the array.
pub(crate) fn all_nulls(array: &dyn Array) -> Result<Option<NullBuffer>, RowError> {
    /// Checks that a mask can be made for the values that rows share.
    fn check_values(array: &dyn Array) -> Result<(), RowError> {
        if !matches!(array.data_type(), DataType::Dictionary(..) | DataType::RunEndEncoded(..)) {
            return Ok(());
        }
        let values = shared_values(array, "")?;
        check_rows(len(values), "")?;
        check_values(values)
    }
    fn has_union(data_type: &DataType) -> bool {
        match data_type {
            DataType::Dictionary(_, values) => has_union(values),
            DataType::RunEndEncoded(_, values) => has_union(values.data_type()),
            other => matches!(other, DataType::Union(..)),
        }
    }
    // Arrow panics if a union names a child that it does not have.
    if has_union(array.data_type()) {
        return Ok(array.nulls().cloned());
    }
    check_values(array)?;
    Ok(array.logical_nulls())
}

/// Checks that an array does not have more rows than its contents, before a mask is made for them.
pub(crate) fn check_claim(array: &dyn Array, path: &str) -> Result<(), RowError> {
    match array.data_type() {
        DataType::FixedSizeList(..) => {
            check_items(array.as_fixed_size_list(), path)?;
            check_claim(array.as_fixed_size_list().values(), path)
        }
        DataType::Struct(_) => {
            array.as_struct().columns().iter().try_for_each(|column| check_len(column, array.len(), path))
        }
        _ => Ok(()),
    }
}

/// Checks the offsets and sizes of a list view.
pub(crate) fn check_list_view<O: OffsetSizeTrait>(
    list: &GenericListViewArray<O>,
    path: &str,
) -> Result<(), RowError> {
    let (offsets, sizes, items) = (list.offsets(), list.sizes(), len(list.values()));
    if offsets.len() != sizes.len() {
        return Err(RowError::shape(0, path, "the list has other numbers of offsets and of sizes"));
    }
    let is_wrong = |(offset, size): (&O, &O)| {
        let end = offset.to_usize().zip(size.to_usize()).and_then(|(offset, size)| offset.checked_add(size));
        end.is_none_or(|end| end > items)
    };
    let rows = || offsets.iter().zip(sizes.iter());
    // The loop has no branch for each row.
    if !rows().fold(false, |any, row| any | is_wrong(row)) {
        return Ok(());
    }
    let row = rows().position(is_wrong).unwrap_or(0);
    Err(RowError::shape(row, path, "the list ends beyond its items, or has a negative offset or size"))
}

/// Checks that each row of a union has a value.
pub(crate) fn check_union(union: &UnionArray, path: &str) -> Result<(), RowError> {
    let DataType::Union(fields, _) = union.data_type() else { unreachable!("a union") };
    // How many values each field has, and none where there is no field.
    let mut lens = [0; 256];
    for (id, _) in fields.iter() {
        let values = len(union.child(id));
        lens[usize::from(id as u8)] = values;
        if union.offsets().is_none() {
            check_len(union.child(id), union.len(), path)?;
        }
    }
    let len_of = |id: i8| lens[usize::from(id as u8)];
    let ids = union.type_ids();
    let wrong = match union.offsets() {
        // Each field has a value for each row.
        None => ids.iter().position(|&id| len_of(id) == 0),
        Some(offsets) if offsets.len() != ids.len() => Some(0),
        // A negative offset becomes a large one.
        Some(offsets) => {
            ids.iter().zip(offsets.iter()).position(|(&id, &offset)| offset as u32 as usize >= len_of(id))
        }
    };
    wrong.map_or(Ok(()), |row| Err(RowError::shape(row, path, "the union has no value for the row")))
}

/// Checks that a list has as many items as its rows need.
pub(crate) fn check_items(list: &FixedSizeListArray, path: &str) -> Result<(), RowError> {
    let size = usize::try_from(list.value_length()).ok();
    match size.and_then(|size| size.checked_mul(list.len())) {
        Some(items) if items == len(list.values()) => Ok(()),
        _ => Err(RowError::shape(0, path, "the list does not have the items that its type says")),
    }
}

/// Checks that a field has as many rows as the array that it is a field of.
pub(crate) fn check_len(column: &dyn Array, rows: usize, path: &str) -> Result<(), RowError> {
    match len(column) == rows {
        true => Ok(()),
        false => Err(RowError::shape(0, path, "the field and its struct differ in length")),
    }
}

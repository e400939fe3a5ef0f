//! Which values inside an array some row can reach. What no row reaches is ignored, like what lies under a null.

#![forbid(unsafe_code)]

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array, ArrowPrimitiveType, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, NullBuffer, RunEndBuffer};
use arrow_schema::DataType;

use crate::error::RowError;

/// Returns the length of an array. One without offsets has none, and arrow's own `len` panics then.
pub(crate) fn len(array: &dyn Array) -> usize {
    let offsets = match array.data_type() {
        DataType::Binary => array.as_binary::<i32>().offsets().inner().len(),
        DataType::LargeBinary => array.as_binary::<i64>().offsets().inner().len(),
        DataType::Utf8 => array.as_string::<i32>().offsets().inner().len(),
        DataType::LargeUtf8 => array.as_string::<i64>().offsets().inner().len(),
        DataType::List(_) => array.as_list::<i32>().offsets().inner().len(),
        DataType::LargeList(_) => array.as_list::<i64>().offsets().inner().len(),
        DataType::Map(..) => array.as_map().offsets().inner().len(),
        _ => array.len() + 1,
    };
    offsets.saturating_sub(1)
}

/// Returns the rows that are neither null nor out of reach, or `None` if these are all.
pub(crate) fn reached(
    len: usize,
    nulls: Option<&NullBuffer>,
    live: Option<&NullBuffer>,
    path: &str,
) -> Result<Option<NullBuffer>, RowError> {
    if nulls.is_some_and(|nulls| nulls.len() != len) {
        return Err(RowError::shape(0, path, "the validity bitmap and the array differ in length"));
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

/// Returns the items of a list that its rows reach.
pub(crate) fn items<O: OffsetSizeTrait>(
    offsets: &[O],
    items: usize,
    rows: Option<&NullBuffer>,
) -> Option<NullBuffer> {
    let (first, last) = (offsets[0].as_usize(), offsets[offsets.len() - 1].as_usize());
    if rows.is_none() && first == 0 && last == items {
        return None;
    }
    let mut bits = BooleanBufferBuilder::new(items);
    bits.append_n(first, false);
    for (row, pair) in offsets.windows(2).enumerate() {
        bits.append_n(pair[1].as_usize() - pair[0].as_usize(), rows.is_none_or(|rows| rows.is_valid(row)));
    }
    bits.append_n(items - last, false);
    Some(NullBuffer::new(bits.finish()))
}

/// Calls `each` with every row of a dictionary that is reached, and its key. A key below 0 is no key.
pub(crate) fn keys(keys: &dyn Array, rows: Option<&NullBuffer>, mut each: impl FnMut(usize, usize)) {
    fn typed<K: ArrowDictionaryKeyType>(
        keys: &dyn Array,
        rows: Option<&NullBuffer>,
        each: &mut impl FnMut(usize, usize),
    ) {
        for (row, key) in keys.as_primitive::<K>().values().iter().enumerate() {
            if rows.is_none_or(|rows| rows.is_valid(row)) {
                each(row, key.to_usize().unwrap_or(usize::MAX));
            }
        }
    }
    match keys.data_type() {
        DataType::Int8 => typed::<Int8Type>(keys, rows, &mut each),
        DataType::Int16 => typed::<Int16Type>(keys, rows, &mut each),
        DataType::Int32 => typed::<Int32Type>(keys, rows, &mut each),
        DataType::Int64 => typed::<Int64Type>(keys, rows, &mut each),
        DataType::UInt8 => typed::<UInt8Type>(keys, rows, &mut each),
        DataType::UInt16 => typed::<UInt16Type>(keys, rows, &mut each),
        DataType::UInt32 => typed::<UInt32Type>(keys, rows, &mut each),
        DataType::UInt64 => typed::<UInt64Type>(keys, rows, &mut each),
        _ => {}
    }
}

/// Calls `each` with every row of an array of runs that is reached, and the number of its run.
pub(crate) fn runs<E: ArrowNativeType>(
    ends: &RunEndBuffer<E>,
    rows: Option<&NullBuffer>,
    mut each: impl FnMut(usize, usize),
) {
    let (offset, len) = (ends.offset(), ends.len());
    let mut row = 0;
    for (run, end) in ends.inner().iter().enumerate() {
        // Ends that do not increase have no rows.
        let end = end.to_usize().unwrap_or(0).saturating_sub(offset).min(len);
        for row in row..end {
            if rows.is_none_or(|rows| rows.is_valid(row)) {
                each(row, run);
            }
        }
        row = row.max(end);
    }
}

/// Returns the mask of `len` values of which some are reached.
pub(crate) fn mask(len: usize, each: impl FnOnce(&mut dyn FnMut(usize, usize))) -> NullBuffer {
    let mut bits = BooleanBufferBuilder::new(len);
    bits.append_n(len, false);
    each(&mut |_, value| {
        if value < len {
            bits.set_bit(value, true);
        }
    });
    NullBuffer::new(bits.finish())
}

/// Calls `each` with every row of an array of runs that is reached, and the number of its run.
pub(crate) fn each_run(array: &dyn Array, rows: Option<&NullBuffer>, each: impl FnMut(usize, usize)) {
    fn typed<R: arrow_array::types::RunEndIndexType + ArrowPrimitiveType>(
        array: &dyn Array,
        rows: Option<&NullBuffer>,
        each: impl FnMut(usize, usize),
    ) {
        if let Some(array) = array.as_run_opt::<R>() {
            runs(array.run_ends(), rows, each);
        }
    }
    if let DataType::RunEndEncoded(ends, _) = array.data_type() {
        match ends.data_type() {
            DataType::Int16 => typed::<Int16Type>(array, rows, each),
            DataType::Int32 => typed::<Int32Type>(array, rows, each),
            _ => typed::<Int64Type>(array, rows, each),
        }
    }
}

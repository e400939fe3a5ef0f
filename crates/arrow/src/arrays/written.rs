//! Writes out dictionaries of text, as text or as views of it.

#![forbid(unsafe_code)]

use super::arrow_array::builder::make_view;
use super::arrow_array::cast::AsArray;
use super::arrow_array::{Array, ArrayRef, downcast_integer_array, new_null_array};
use super::arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use super::arrow_schema::DataType;
use super::leaf::{text, view_text};

/// Most strings are not longer. Copies of one width have no loop; what is too much is cut off again.
const WIDTH: usize = 32;

/// Returns an array of the type `new`, if that is text or views and the dictionary has `Utf8` values. Others are returned as they are.
/// Of text, it has the rows that `limit` bytes have room for, and at least one. The dictionary has been checked.
pub(crate) fn written_out(dictionary: &ArrayRef, new: &DataType, limit: usize) -> ArrayRef {
    let values = dictionary.as_any_dictionary().values().as_string_opt::<i32>();
    let Some(values) = values.filter(|_| matches!(new, DataType::Utf8 | DataType::Utf8View)) else {
        return dictionary.clone();
    };
    if values.is_empty() {
        return new_null_array(new, dictionary.len());
    }
    // Keys under nulls name some value. Arrow's own function for this is slow where arrow is hardly optimised.
    let (keys, last) = (dictionary.as_any_dictionary().keys(), values.len() - 1);
    let keys: Vec<usize> = downcast_integer_array!(
        keys => keys.values().iter().map(|key| key.as_usize().min(last)).collect(),
        _ => return dictionary.clone()
    );
    let nulls = dictionary.logical_nulls();
    let (starts, bytes) = (values.value_offsets(), values.value_data());
    if *new == DataType::Utf8View {
        let view = |key: usize| make_view(values.value(key).as_bytes(), 0, starts[key] as u32);
        let views = if keys.len() < values.len() {
            keys.iter().map(|&key| view(key)).collect()
        } else {
            let table: Vec<u128> = (0..values.len()).map(view).collect();
            keys.iter().map(|&key| table[key]).collect()
        };
        return view_text(views, [values.values().clone()].into(), nulls);
    }

    let (mut end, mut ends) = (0_i32, Vec::with_capacity(keys.len() + 1));
    ends.push(end);
    for (row, &key) in keys.iter().enumerate() {
        let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let len = if is_null { 0 } else { starts[key + 1] - starts[key] };
        let to = end.saturating_add(len);
        if to as usize > limit && row > 0 {
            break;
        }
        end = to;
        ends.push(end);
    }
    let nulls = nulls.map(|nulls| nulls.slice(0, ends.len() - 1));
    let mut written = Vec::with_capacity(end as usize + WIDTH);
    for (&key, ends) in keys.iter().zip(ends.windows(2)) {
        let (from, to, len) = (starts[key] as usize, ends[1] as usize, (ends[1] - ends[0]) as usize);
        match bytes[from..].first_chunk::<WIDTH>() {
            Some(bytes) if len <= WIDTH => written.extend_from_slice(bytes),
            _ => written.extend_from_slice(&bytes[from..from + len]),
        }
        written.truncate(to);
    }
    text(OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(written), nulls)
}

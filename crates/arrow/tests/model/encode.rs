//! Values as arrays, with all that the format leaves open chosen at random, and back.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, UInt16Type};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray, FixedSizeListArray,
    GenericBinaryArray, GenericListArray, GenericListViewArray, GenericStringArray, Int8Array, Int16Array,
    Int32Array, MapArray, OffsetSizeTrait, RunArray, StringViewArray, StructArray, UInt16Array, UnionArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields, UnionFields};

use crate::value::{Layout, ListLayout, Part, Random, Type, Value};

/// Returns an array of these values: a slice of a longer one.
pub(crate) fn encode(data_type: &Type, rows: &[Value], random: &mut Random) -> ArrayRef {
    let [before, after] = [(); 2].map(|()| if random.one_in(2) { random.below(3) } else { 0 });
    let mut any = |count| (0..count).map(|_| data_type.value(random, true)).collect::<Vec<_>>();
    let all = [any(before), rows.to_vec(), any(after)].concat();
    whole(data_type, &all, random).slice(before, rows.len())
}

/// Returns the same for a field, whose other rows may not be null.
fn encode_part(part: &Part, rows: &[Value], random: &mut Random) -> ArrayRef {
    let [before, after] = [(); 2].map(|()| if random.one_in(3) { random.below(3) } else { 0 });
    let mut any = |count| (0..count).map(|_| part.value(random)).collect::<Vec<_>>();
    let all = [any(before), rows.to_vec(), any(after)].concat();
    whole(&part.data_type, &all, random).slice(before, rows.len())
}

fn field(part: &Part, array: &dyn Array) -> FieldRef {
    let field = Field::new(part.name, array.data_type().clone(), part.is_nullable);
    let metadata = HashMap::from([("ARROW:extension:name".to_owned(), "test".to_owned())]);
    Arc::new(if part.is_extension { field.with_metadata(metadata) } else { field })
}

fn nulls(rows: &[Value], random: &mut Random) -> Option<NullBuffer> {
    let nulls = NullBuffer::from_iter(rows.iter().map(|value| *value != Value::Null));
    (nulls.null_count() > 0 || random.one_in(4)).then_some(nulls)
}

fn bytes_of(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Bytes(bytes) | Value::Text(bytes) => Some(bytes),
        _ => None,
    }
}

/// Returns offsets and values, with other bytes before, after, and under nulls.
fn with_offsets<O: OffsetSizeTrait>(rows: &[Value], random: &mut Random) -> (OffsetBuffer<O>, Buffer) {
    let mut values = random.bytes();
    let mut offsets = vec![O::usize_as(values.len())];
    for value in rows {
        let bytes = bytes_of(value).map_or_else(|| random.bytes(), <[u8]>::to_vec);
        values.extend(bytes);
        offsets.push(O::usize_as(values.len()));
    }
    values.extend(random.bytes());
    (OffsetBuffer::new(offsets.into()), Buffer::from_vec(values))
}

/// Returns views, and lets some overlap. If `any` is true, there are any views under nulls.
fn with_views(rows: &[Value], any: bool, random: &mut Random) -> (ScalarBuffer<u128>, Vec<Buffer>) {
    let mut buffers = [(); 3].map(|()| random.bytes());
    let views = rows.iter().map(|value| {
        let under_null = random.bytes();
        let bytes = bytes_of(value);
        if bytes.is_none() && any {
            return u128::from(random.next()) << 64 | u128::from(random.next());
        }
        let bytes = bytes.unwrap_or(&under_null);
        let number = random.below(3);
        let buffer = &mut buffers[number];
        let there = buffer.windows(bytes.len().max(1)).position(|window| window == bytes);
        let at = there.filter(|_| !random.one_in(4)).unwrap_or_else(|| {
            // The end of the buffer may be the start of the string.
            let same = (0..=bytes.len()).rev().find(|&len| buffer.ends_with(&bytes[..len])).unwrap_or(0);
            buffer.extend_from_slice(&bytes[same..]);
            buffer.len() - bytes.len()
        });
        make_view(bytes, number as u32, at as u32)
    });
    let views: Vec<u128> = views.collect();
    (views.into(), buffers.map(Buffer::from_vec).into())
}

fn of_text(layout: Layout, rows: &[Value], random: &mut Random) -> ArrayRef {
    let nulls = nulls(rows, random);
    match layout {
        Layout::Narrow => {
            let (offsets, values) = with_offsets::<i32>(rows, random);
            // SAFETY: none. The rows need not be UTF-8.
            Arc::new(unsafe { GenericStringArray::new_unchecked(offsets, values, nulls) })
        }
        Layout::Wide => {
            let (offsets, values) = with_offsets::<i64>(rows, random);
            // SAFETY: none. The rows need not be UTF-8.
            Arc::new(unsafe { GenericStringArray::new_unchecked(offsets, values, nulls) })
        }
        Layout::View => {
            let (views, buffers) = with_views(rows, true, random);
            // SAFETY: none. The rows need not be UTF-8.
            Arc::new(unsafe { StringViewArray::new_unchecked(views, buffers.into(), nulls) })
        }
    }
}

fn of_bytes(layout: Layout, rows: &[Value], random: &mut Random) -> ArrayRef {
    let nulls = nulls(rows, random);
    match layout {
        Layout::Narrow => {
            let (offsets, values) = with_offsets::<i32>(rows, random);
            Arc::new(GenericBinaryArray::new(offsets, values, nulls))
        }
        Layout::Wide => {
            let (offsets, values) = with_offsets::<i64>(rows, random);
            Arc::new(GenericBinaryArray::new(offsets, values, nulls))
        }
        Layout::View => {
            let (views, buffers) = with_views(rows, false, random);
            Arc::new(BinaryViewArray::new(views, buffers, nulls))
        }
    }
}

fn of_list<O: OffsetSizeTrait>(item: &Part, rows: &[Value], random: &mut Random) -> ArrayRef {
    let nulls = nulls(rows, random);
    let others = |random: &mut Random| (0..random.below(3)).map(|_| item.value(random)).collect::<Vec<_>>();
    let mut items = others(random);
    let mut offsets = vec![O::usize_as(items.len())];
    for value in rows {
        match value {
            Value::List(values) => items.extend_from_slice(values),
            _ => items.extend(others(random)),
        }
        offsets.push(O::usize_as(items.len()));
    }
    items.extend(others(random));
    let values = encode_part(item, &items, random);
    Arc::new(GenericListArray::new(field(item, &values), OffsetBuffer::new(offsets.into()), values, nulls))
}

fn of_list_view<O: OffsetSizeTrait>(item: &Part, rows: &[Value], random: &mut Random) -> ArrayRef {
    let nulls = nulls(rows, random);
    let mut items: Vec<Value> = (0..random.below(3)).map(|_| item.value(random)).collect();
    // Rows are placed in another order.
    let mut order: Vec<usize> = (0..rows.len()).collect();
    for at in 1..order.len() {
        order.swap(at, random.below(at + 1));
    }
    let mut ranges = vec![(0, 0); rows.len()];
    for row in order {
        let Value::List(values) = &rows[row] else {
            let start = random.below(items.len() + 1);
            ranges[row] = (start, random.below(items.len() - start + 1));
            continue;
        };
        let there = items.windows(values.len().max(1)).position(|window| window == values);
        let start = there.filter(|_| !random.one_in(4)).unwrap_or_else(|| {
            items.extend_from_slice(values);
            items.len() - values.len()
        });
        ranges[row] = (start, values.len());
    }
    let [offsets, sizes]: [Vec<O>; 2] = [
        ranges.iter().map(|range| O::usize_as(range.0)).collect(),
        ranges.iter().map(|range| O::usize_as(range.1)).collect(),
    ];
    let values = encode_part(item, &items, random);
    Arc::new(GenericListViewArray::new(field(item, &values), offsets.into(), sizes.into(), values, nulls))
}

fn whole(data_type: &Type, rows: &[Value], random: &mut Random) -> ArrayRef {
    match data_type {
        Type::Int => {
            let nulls = nulls(rows, random);
            let numbers = rows.iter().map(|value| if let Value::Int(number) = value { *number } else { 77 });
            Arc::new(Int32Array::new(numbers.collect(), nulls))
        }
        Type::Text(layout) => of_text(*layout, rows, random),
        Type::Bytes(layout) => of_bytes(*layout, rows, random),
        Type::FixedBytes(width) => {
            let nulls = nulls(rows, random);
            let mut values = Vec::new();
            for value in rows {
                let mut bytes = bytes_of(value).map_or_else(|| random.bytes(), <[u8]>::to_vec);
                bytes.resize(*width, 0xFF);
                values.extend(bytes);
            }
            let data = arrow_data::ArrayData::builder(DataType::FixedSizeBinary(*width as i32));
            let data = data.len(rows.len()).add_buffer(Buffer::from_vec(values)).nulls(nulls);
            Arc::new(FixedSizeBinaryArray::from(data.build().unwrap()))
        }
        Type::List(ListLayout::Narrow, item) => of_list::<i32>(item, rows, random),
        Type::List(ListLayout::Wide, item) => of_list::<i64>(item, rows, random),
        Type::List(ListLayout::View, item) => of_list_view::<i32>(item, rows, random),
        Type::List(ListLayout::WideView, item) => of_list_view::<i64>(item, rows, random),
        Type::List(ListLayout::Fixed(size), item) => {
            let nulls = nulls(rows, random);
            let mut items = Vec::new();
            for value in rows {
                match value {
                    Value::List(values) => items.extend_from_slice(values),
                    // Items of a null list may be null.
                    _ => items.extend((0..*size).map(|_| item.data_type.value(random, true))),
                }
            }
            let values = encode_part(item, &items, random);
            let field = field(item, &values);
            let list =
                FixedSizeListArray::try_new_with_length(field, *size as i32, values, nulls, rows.len());
            Arc::new(list.unwrap())
        }
        Type::Struct(parts) => {
            let nulls = nulls(rows, random);
            let columns: Vec<ArrayRef> = parts
                .iter()
                .enumerate()
                .map(|(at, part)| {
                    let of = |value: &Value| match value {
                        Value::Struct(values) => values[at].clone(),
                        _ => part.data_type.value(random, true),
                    };
                    let values: Vec<Value> = rows.iter().map(of).collect();
                    encode_part(part, &values, random)
                })
                .collect();
            let fields: Fields =
                parts.iter().zip(&columns).map(|(part, column)| field(part, column)).collect();
            Arc::new(StructArray::new(fields, columns, nulls))
        }
        Type::Map(key, value) => {
            let nulls = nulls(rows, random);
            let others = |random: &mut Random| {
                (0..random.below(2)).map(|_| (key.value(random), value.value(random))).collect::<Vec<_>>()
            };
            let mut entries = others(random);
            let mut offsets = vec![entries.len() as i32];
            for value in rows {
                match value {
                    Value::Map(values) => entries.extend_from_slice(values),
                    _ => entries.extend(others(random)),
                }
                offsets.push(entries.len() as i32);
            }
            entries.extend(others(random));
            let (keys, values): (Vec<Value>, Vec<Value>) = entries.into_iter().unzip();
            let [keys, values] = [(key, keys), (value, values)].map(|(part, rows)| {
                let array = encode_part(part, &rows, random);
                (field(part, &array), array)
            });
            let entries = StructArray::from(vec![keys, values]);
            let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
            Arc::new(MapArray::new(field, OffsetBuffer::new(offsets.into()), entries, nulls, false))
        }
        Type::Union(is_dense, parts) => {
            let of = |value: &Value| {
                let Value::Union(id, value) = value else { unreachable!("a union has no nulls") };
                (*id, (**value).clone())
            };
            let rows: Vec<(i8, Value)> = rows.iter().map(of).collect();
            let mut offsets = vec![0; rows.len()];
            let mut children = Vec::new();
            for (id, part) in parts {
                let mut values: Vec<Value> = Vec::new();
                if *is_dense {
                    values.extend((0..random.below(3)).map(|_| part.value(random)));
                }
                for (row, (chosen, value)) in rows.iter().enumerate().rev() {
                    if !is_dense {
                        values.push(if chosen == id { value.clone() } else { part.value(random) });
                    } else if chosen == id {
                        let there =
                            values.iter().position(|known| known == value).filter(|_| random.one_in(2));
                        offsets[row] = there.unwrap_or(values.len()) as i32;
                        if there.is_none() {
                            values.push(value.clone());
                        }
                    }
                }
                if !is_dense {
                    values.reverse();
                }
                children.push(encode_part(part, &values, random));
            }
            let fields = parts.iter().zip(&children).map(|((id, part), child)| (*id, field(part, child)));
            let fields: UnionFields = fields.collect();
            let ids: Vec<i8> = rows.iter().map(|(id, _)| *id).collect();
            let offsets = is_dense.then(|| offsets.into());
            Arc::new(UnionArray::try_new(fields, ids.into(), offsets, children).unwrap())
        }
        Type::Dictionary(is_wide, values) => of_dictionary(*is_wide, values, rows, random),
        Type::Runs(values) => {
            let (mut ends, mut items): (Vec<i32>, Vec<Value>) = Default::default();
            for (row, value) in rows.iter().enumerate() {
                if items.last() == Some(value) && !random.one_in(3) {
                    *ends.last_mut().unwrap() = row as i32 + 1;
                } else {
                    ends.push(row as i32 + 1);
                    items.push(value.clone());
                }
            }
            let values = encode(values, &items, random);
            if random.one_in(2) {
                return Arc::new(RunArray::<Int32Type>::try_new(&ends.into(), &values).unwrap());
            }
            let ends = ends.iter().map(|&end| end as i16).collect::<Int16Array>();
            Arc::new(RunArray::<Int16Type>::try_new(&ends, &values).unwrap())
        }
    }
}

fn of_dictionary(is_wide: bool, values: &Type, rows: &[Value], random: &mut Random) -> ArrayRef {
    let has_nulls = !matches!(values.plain(), Type::Union(..));
    let mut items: Vec<Value> = (0..random.below(3)).map(|_| values.value(random, true)).collect();
    let keys: Vec<Option<i8>> = rows
        .iter()
        .map(|value| {
            if *value == Value::Null && (!has_nulls || random.one_in(2)) {
                return None;
            }
            let there = items.iter().position(|known| known == value).filter(|_| !random.one_in(4));
            if there.is_none() {
                items.push(value.clone());
            }
            Some(there.unwrap_or(items.len() - 1) as i8)
        })
        .collect();
    items.extend((0..random.below(2)).map(|_| values.value(random, true)));
    let values = encode(values, &items, random);
    // Keys under nulls may be any.
    let numbers = keys.iter().map(|key| key.unwrap_or([0, -1, 100][random.below(3)]));
    let nulls = Some(NullBuffer::from_iter(keys.iter().map(Option::is_some)));
    if is_wide {
        let keys = UInt16Array::new(numbers.map(|key| key as u16).collect(), nulls);
        return Arc::new(DictionaryArray::<UInt16Type>::new(keys, values));
    }
    let keys = Int8Array::new(numbers.collect(), nulls);
    Arc::new(DictionaryArray::<Int8Type>::new(keys, values))
}

/// Builds an array and all inside it once more, as arrow lets anybody build them: it checks the nulls of fields.
pub(crate) fn rebuild(array: &dyn Array) {
    fn list<O: OffsetSizeTrait>(array: &GenericListArray<O>) {
        let (field, offsets, values, nulls) = array.clone().into_parts();
        rebuild(&values);
        GenericListArray::new(field, offsets, values, nulls);
    }
    fn list_view<O: OffsetSizeTrait>(array: &GenericListViewArray<O>) {
        let (field, offsets, sizes, values, nulls) = array.clone().into_parts();
        rebuild(&values);
        GenericListViewArray::new(field, offsets, sizes, values, nulls);
    }
    match array.data_type() {
        DataType::List(_) => list(array.as_list::<i32>()),
        DataType::LargeList(_) => list(array.as_list::<i64>()),
        DataType::ListView(_) => list_view(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => list_view(array.as_list_view::<i64>()),
        DataType::FixedSizeList(field, size) => {
            let (values, nulls) = (array.as_fixed_size_list().values().clone(), array.nulls().cloned());
            rebuild(&values);
            let list =
                FixedSizeListArray::try_new_with_length(field.clone(), *size, values, nulls, array.len());
            list.unwrap();
        }
        DataType::Struct(_) => {
            let (fields, columns, nulls) = array.as_struct().clone().into_parts();
            columns.iter().for_each(|column| rebuild(column));
            StructArray::try_new_with_length(fields, columns, nulls, array.len()).unwrap();
        }
        DataType::Map(..) => {
            let (field, offsets, entries, nulls, is_sorted) = array.as_map().clone().into_parts();
            rebuild(&entries);
            MapArray::new(field, offsets, entries, nulls, is_sorted);
        }
        DataType::Union(..) => {
            let (fields, ids, offsets, children) = array.as_union().clone().into_parts();
            children.iter().for_each(|child| rebuild(child));
            UnionArray::try_new(fields, ids, offsets, children).unwrap();
        }
        DataType::Dictionary(..) => rebuild(array.as_any_dictionary().values()),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => rebuild(array.as_run::<Int16Type>().values()),
            _ => rebuild(array.as_run::<Int32Type>().values()),
        },
        _ => {}
    }
}

/// Returns a value of an array.
pub(crate) fn decode(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    let list = |items: &ArrayRef| Value::List((0..items.len()).map(|row| decode(items, row)).collect());
    let raw = |values: &[u8], start: usize, end: usize| values[start..end].to_vec();
    match array.data_type() {
        DataType::Int32 => Value::Int(array.as_primitive::<Int32Type>().value(row)),
        DataType::Utf8 => {
            let array = array.as_string::<i32>();
            let ends = array.value_offsets();
            Value::Text(raw(array.value_data(), ends[row] as usize, ends[row + 1] as usize))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>();
            let ends = array.value_offsets();
            Value::Text(raw(array.value_data(), ends[row] as usize, ends[row + 1] as usize))
        }
        DataType::Utf8View => {
            Value::Text(array.as_string_view().clone().to_binary_view().value(row).to_vec())
        }
        DataType::Binary => Value::Bytes(array.as_binary::<i32>().value(row).to_vec()),
        DataType::LargeBinary => Value::Bytes(array.as_binary::<i64>().value(row).to_vec()),
        DataType::BinaryView => Value::Bytes(array.as_binary_view().value(row).to_vec()),
        DataType::FixedSizeBinary(_) => Value::Bytes(array.as_fixed_size_binary().value(row).to_vec()),
        DataType::List(_) => list(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(&array.as_list::<i64>().value(row)),
        DataType::ListView(_) => list(&array.as_list_view::<i32>().value(row)),
        DataType::LargeListView(_) => list(&array.as_list_view::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(&array.as_fixed_size_list().value(row)),
        DataType::Struct(_) => {
            Value::Struct(array.as_struct().columns().iter().map(|column| decode(column, row)).collect())
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(row);
            let entry = |row| (decode(entries.column(0), row), decode(entries.column(1), row));
            Value::Map((0..entries.len()).map(entry).collect())
        }
        DataType::Union(..) => {
            let array = array.as_union();
            Value::Union(array.type_id(row), Box::new(decode(&array.value(row), 0)))
        }
        DataType::Dictionary(..) => {
            let array = array.as_any_dictionary();
            decode(array.values(), array.normalized_keys()[row])
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => {
                let array = array.as_run::<Int16Type>();
                decode(array.values(), array.get_physical_index(row))
            }
            _ => {
                let array = array.as_run::<Int32Type>();
                decode(array.values(), array.get_physical_index(row))
            }
        },
        other => unreachable!("{other}"),
    }
}

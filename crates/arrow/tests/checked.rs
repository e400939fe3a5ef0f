//! Data from outside: what a checker refuses, what it repairs, and that it copies nothing else.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a list of arrays, each of which is built without checks"
)]

use std::collections::HashMap;
use std::sync::Arc;
#[cfg(feature = "stream")]
use std::{
    pin::Pin,
    task::{Context, Poll, Waker},
};

use arrow_array::cast::AsArray;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
#[cfg(feature = "stream")]
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, FixedSizeListArray,
    GenericListViewArray, Int8Array, Int32Array, LargeStringArray, ListArray, MapArray, RecordBatch,
    RecordBatchIterator, RecordBatchReader, RunArray, StringArray, StringViewArray, StructArray, UnionArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, RunEndBuffer, ScalarBuffer};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, UnionFields};
#[cfg(feature = "stream")]
use futures_core::Stream;
#[cfg(feature = "stream")]
use trust8_arrow::CheckedStream;
use trust8_arrow::{CheckedReader, Checker, Policy, Reason, RowError};

#[expect(dead_code, reason = "its `main` has no stranger")]
#[path = "../examples/ingest.rs"]
mod ingest;

/// Returns rows that claim to be text.
fn text(rows: &[&[u8]]) -> StringArray {
    let (offsets, values, nulls) = BinaryArray::from_iter_values(rows).into_parts();
    // SAFETY: none. Data from outside breaks rules, and only what checks it may read it.
    unsafe { StringArray::new_unchecked(offsets, values, nulls) }
}

fn views(rows: &[&[u8]]) -> StringViewArray {
    let (views, buffers, nulls) = BinaryViewArray::from_iter_values(rows).into_parts();
    // SAFETY: none, as above.
    unsafe { StringViewArray::new_unchecked(views, buffers, nulls) }
}

fn unchecked(offsets: &[i32]) -> OffsetBuffer<i32> {
    // SAFETY: none, as above.
    unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets.to_vec())) }
}

fn batch(column: ArrayRef) -> RecordBatch {
    let field = Field::new("column", column.data_type().clone(), true);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
}

fn item(data_type: &DataType) -> Arc<Field> {
    Arc::new(Field::new_list_field(data_type.clone(), true))
}

/// Returns an array of each kind around the rows "ok", "caf\xE9", "ok", in which row 1 is the bad
/// one; and the path to it.
fn around(values: &ArrayRef) -> Vec<(ArrayRef, &'static str)> {
    let field = item(values.data_type());
    let fields = Fields::from(vec![Field::new("name", values.data_type().clone(), true)]);
    let keys: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let entries = Fields::from(vec![
        Field::new("keys", DataType::Int32, false),
        Field::new("v", values.data_type().clone(), true),
    ]);
    let entries = StructArray::new(entries, vec![keys, values.clone()], None);
    let entry = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let union = |offsets| {
        let fields = [(3, fields[0].clone()), (5, Arc::new(Field::new("number", DataType::Int32, true)))];
        let fields: UnionFields = fields.into_iter().collect();
        let numbers = Arc::new(Int32Array::from(vec![0; 3]));
        UnionArray::try_new(fields, vec![3, 3, 3].into(), offsets, vec![values.clone(), numbers]).unwrap()
    };
    let each = OffsetBuffer::<i32>::from_lengths([1; 3]);
    let ends = RunEndBuffer::new(vec![1, 2, 3].into(), 0, 3);
    let runs =
        DataType::RunEndEncoded(Arc::new(Field::new("run_ends", DataType::Int32, false)), field.clone());
    vec![
        (values.clone(), ""),
        (Arc::new(StructArray::new(fields.clone(), vec![values.clone()], None)), ".name"),
        (Arc::new(ListArray::new(field.clone(), each.clone(), values.clone(), None)), "[]"),
        (Arc::new(FixedSizeListArray::new(field.clone(), 1, values.clone(), None)), "[]"),
        (
            Arc::new(GenericListViewArray::<i64>::new(
                field.clone(),
                vec![2, 0, 0].into(),
                vec![1, 2, 1].into(),
                values.clone(),
                None,
            )),
            "[]",
        ),
        (Arc::new(MapArray::new(entry, each, entries, None, false)), ".value"),
        (Arc::new(DictionaryArray::<Int8Type>::new(Int8Array::from(vec![2, 1, 0]), values.clone())), ""),
        // SAFETY: the runs are as their type says.
        (Arc::new(unsafe { RunArray::<Int32Type>::new_unchecked(runs, ends, values.clone()) }), ""),
        (Arc::new(union(None)), ".name"),
        (Arc::new(union(Some(vec![0, 1, 2].into()))), ".name"),
    ]
}

#[test]
fn bad_text_is_refused_repaired_or_masked_at_any_depth() {
    let rows = [&b"ok"[..], b"caf\xE9, and more", b"ok"];
    let wide = {
        let (offsets, values, _) = arrow_array::LargeBinaryArray::from_iter_values(rows).into_parts();
        // SAFETY: none, as above.
        unsafe { LargeStringArray::new_unchecked(offsets, values, None) }
    };
    let leaves: [ArrayRef; 3] = [Arc::new(text(&rows)), Arc::new(views(&rows)), Arc::new(wide)];
    for (array, path) in leaves.iter().flat_map(around) {
        let error = Checker::refuse().array(&array).unwrap_err();
        assert_eq!((error.row(), error.path()), (1, path), "{}", array.data_type());
        assert_eq!((error.offset(), error.kind()), (Some(3), "truncated"));
        assert!(matches!(error.reason(), Reason::NotUtf8(_)));
        for (policy, expected) in [
            (Policy::Replace, Some("caf\u{FFFD}, and more")),
            (Policy::Java, Some("caf\u{FFFD}, and more")),
            (Policy::Drop, Some("caf, and more")),
            (Policy::Null, None),
            (Policy::Escape, Some(r"caf\xE9, and more")),
            (Policy::Windows1252, Some("café, and more")),
        ] {
            let checker = Checker::mask(policy, "is_utf8");
            let column = batch(array.clone());
            let repaired = checker.batch(&column).unwrap();
            assert_eq!(repaired.schema(), checker.schema(column.schema_ref()));
            assert_eq!(repaired["is_utf8"].as_boolean(), &BooleanArray::from(vec![true, false, true]));
            let repaired = repaired.column(0).to_data();
            repaired.validate_full().unwrap();
            assert_eq!(Checker::repair(policy).array(&array).unwrap().to_data(), repaired);
            assert_eq!(texts(&repaired), [Some("ok"), expected, Some("ok")]);
        }
    }
}

/// Returns the rows of the only text in an array.
fn texts(data: &arrow_data::ArrayData) -> Vec<Option<&'static str>> {
    let array = arrow_array::make_array(data.clone());
    let rows: Vec<Option<String>> = match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(|row| row.map(str::to_owned)).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(|row| row.map(str::to_owned)).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(|row| row.map(str::to_owned)).collect(),
        _ => return data.child_data().iter().map(texts).find(|rows| !rows.is_empty()).unwrap_or_default(),
    };
    rows.into_iter().map(|row| row.map(|row| &*row.leak())).collect()
}

/// Valid as a whole, and yet no row is.
#[test]
fn a_character_that_two_rows_share_is_refused() {
    let cut = text(&["caf\u{E9}".as_bytes().split_at(4).0, "caf\u{E9}".as_bytes().split_at(4).1]);
    assert_eq!(std::str::from_utf8(cut.values()), Ok("caf\u{E9}"));
    let error = Checker::refuse().array(&cut).unwrap_err();
    assert_eq!((error.row(), error.offset(), error.kind()), (0, Some(3), "incomplete"));
    let repaired = Checker::repair(Policy::Replace).array(&cut).unwrap();
    assert_eq!(repaired.as_string::<i32>(), &StringArray::from(vec!["caf\u{FFFD}", "\u{FFFD}"]));
    // The cut may be under a null, where no row shows it.
    let (offsets, values, _) = cut.into_parts();
    let nulls = NullBuffer::from(vec![false, false]);
    // SAFETY: none, as above.
    let cut = unsafe { StringArray::new_unchecked(offsets, values, Some(nulls)) };
    Checker::refuse().array(&cut).unwrap().to_data().validate_full().unwrap();
}

/// A wrong layout is refused under each policy, in columns of all types.
#[test]
fn a_wrong_layout_is_refused() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let number = item(&DataType::Int32);
    let not_null = Arc::new(Field::new_list_field(DataType::Int32, false));
    let some_null: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), None, Some(3)]));
    let values = Buffer::from_slice_ref(b"more than twelve bytes");
    let view =
        |prefix: &[u8; 4], offset: u128| 13 | u128::from(u32::from_le_bytes(*prefix)) << 32 | offset << 96;
    let union = |ids: Vec<i8>, offsets: Option<Vec<i32>>| {
        let fields: UnionFields =
            [(1, Arc::new(Field::new("a", DataType::Int32, true)))].into_iter().collect();
        // SAFETY: none, as above.
        unsafe {
            UnionArray::new_unchecked(fields, ids.into(), offsets.map(Into::into), vec![numbers.clone()])
        }
    };
    let miscounted = {
        let bits = BooleanBuffer::from(vec![true, false, true]);
        // SAFETY: none, as above.
        let nulls = unsafe { NullBuffer::new_unchecked(bits, 2) };
        Int32Array::new(vec![1, 2, 3].into(), Some(nulls))
    };
    let run_field = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let run_type = DataType::RunEndEncoded(run_field, number.clone());
    // SAFETY: none, as above.
    let arrays: Vec<(&str, ArrayRef)> = unsafe {
        let list_view = |offsets: Vec<i32>, sizes: Vec<i32>| {
            let (offsets, sizes) = (offsets.into(), sizes.into());
            GenericListViewArray::<i32>::new_unchecked(number.clone(), offsets, sizes, numbers.clone(), None)
        };
        let ends = RunEndBuffer::new_unchecked(vec![1, 1, 3].into(), 0, 3);
        let fields = Fields::from(vec![Field::new("a", DataType::Int32, false)]);
        vec![
            ("offset", Arc::new(BinaryArray::new_unchecked(unchecked(&[0, 5, 4]), values.clone(), None))),
            ("end", Arc::new(BinaryArray::new_unchecked(unchecked(&[0, 5, 99]), values.clone(), None))),
            (
                "prefix",
                Arc::new(BinaryViewArray::new_unchecked(
                    vec![view(b"less", 0)].into(),
                    vec![values.clone()].into(),
                    None,
                )),
            ),
            (
                "view",
                Arc::new(BinaryViewArray::new_unchecked(
                    vec![view(b"byte", 17)].into(),
                    vec![values.clone()].into(),
                    None,
                )),
            ),
            (
                "list",
                Arc::new(ListArray::new_unchecked(number.clone(), unchecked(&[0, 4]), numbers.clone(), None)),
            ),
            ("list view", Arc::new(list_view(vec![0, 2], vec![1, 2]))),
            ("negative", Arc::new(list_view(vec![0, -1], vec![1, 2]))),
            ("sizes", Arc::new(list_view(vec![0, 1], vec![1]))),
            (
                "key",
                Arc::new(DictionaryArray::<Int8Type>::new_unchecked(
                    Int8Array::from(vec![0, 3]),
                    numbers.clone(),
                )),
            ),
            (
                "-key",
                Arc::new(DictionaryArray::<Int8Type>::new_unchecked(
                    Int8Array::from(vec![0, -1]),
                    numbers.clone(),
                )),
            ),
            ("runs", Arc::new(RunArray::<Int32Type>::new_unchecked(run_type, ends, numbers.clone()))),
            ("id", Arc::new(union(vec![1, 2, 1], None))),
            ("-id", Arc::new(union(vec![1, -2, 1], None))),
            ("union", Arc::new(union(vec![1, 1], Some(vec![0, 3])))),
            ("-union", Arc::new(union(vec![1, 1], Some(vec![0, -1])))),
            ("nulls", Arc::new(miscounted)),
            (
                "null item",
                Arc::new(ListArray::new_unchecked(not_null, unchecked(&[0, 3]), some_null.clone(), None)),
            ),
            ("null field", Arc::new(StructArray::new_unchecked(fields, vec![some_null], None))),
            (
                "type",
                Arc::new(ListArray::new_unchecked(
                    item(&DataType::Utf8),
                    unchecked(&[0, 3]),
                    numbers.clone(),
                    None,
                )),
            ),
        ]
    };
    for (name, array) in arrays {
        let nested = FixedSizeListArray::new(item(array.data_type()), 1, array.clone(), None);
        let policies = Policy::ALL.iter().map(|&policy| Checker::repair(policy));
        for checker in policies.chain([Checker::refuse(), Checker::mask(Policy::Null, "mask")]) {
            let error = checker.array(&array).expect_err(name);
            assert!(matches!(error.reason(), Reason::Layout(_) | Reason::Shape(_)), "{name}: {error}");
            assert_eq!(error.offset(), None);
            assert_eq!(checker.array(&nested).expect_err(name).path(), format!("[]{}", error.path()));
            assert!(checker.batch(&batch(array.clone())).is_err());
        }
    }
}

/// Keys under a null, text that no row reaches, and what lies outside a slice may be anything.
#[test]
fn what_no_row_has_is_no_error() {
    let keys = Int8Array::new(vec![0, 100].into(), Some(NullBuffer::from(vec![true, false])));
    let values: ArrayRef = Arc::new(text(&[b"ok", b"\xFF"]));
    // SAFETY: none, as above.
    let dictionary = unsafe { DictionaryArray::<Int8Type>::new_unchecked(keys, values.clone()) };
    let list = ListArray::new(item(&DataType::Utf8), OffsetBuffer::from_lengths([1]), values.clone(), None);
    let list_view = GenericListViewArray::<i32>::new(
        item(&DataType::Utf8),
        vec![0, 0].into(),
        vec![1, 0].into(),
        values.clone(),
        None,
    );
    let arrays: [ArrayRef; 4] =
        [Arc::new(dictionary), Arc::new(list), Arc::new(list_view), values.slice(0, 1)];
    for array in arrays {
        let checked = Checker::refuse().array(&array).unwrap();
        checked.to_data().validate_full().unwrap();
        assert_eq!(checked.len(), array.len());
    }
}

#[test]
fn clean_arrays_are_not_copied() {
    let rows: ArrayRef = Arc::new(StringArray::from(vec!["one", "tw\u{F6}", "three"]));
    let views: ArrayRef = Arc::new(views(&[b"one", "tw\u{F6}".as_bytes(), b"three"]));
    let dictionary: ArrayRef =
        Arc::new(DictionaryArray::<Int32Type>::new(Int32Array::from(vec![2, 0]), rows.clone()));
    for column in [rows.clone(), rows.slice(1, 2), views, dictionary] {
        for checker in [Checker::refuse(), Checker::repair(Policy::Null), Checker::mask(Policy::Drop, "mask")]
        {
            let checked = checker.batch(&batch(column.clone())).unwrap();
            assert!(Arc::ptr_eq(checked.column(0), &column), "{} {checker:?}", column.data_type());
        }
    }
    for (array, _) in around(&rows) {
        let checked = Checker::refuse().array(&array).unwrap();
        assert_eq!(&checked, &array);
        let buffers = |array: &ArrayRef| {
            let data = array.to_data();
            data.buffers().iter().map(Buffer::as_ptr).collect::<Vec<_>>()
        };
        assert_eq!(buffers(&checked), buffers(&array), "{}", array.data_type());
    }
}

#[test]
fn bytes_of_an_extension_type_stay_bytes_and_text_beside_them_is_checked() {
    let fields = Fields::from(vec![
        Field::new("id", DataType::Binary, true),
        Field::new("name", DataType::Utf8, true),
    ]);
    let columns: Vec<ArrayRef> =
        vec![Arc::new(BinaryArray::from_vec(vec![b"\xFF"])), Arc::new(text(&[b"\xFE"]))];
    let array: ArrayRef = Arc::new(StructArray::new(fields, columns.clone(), None));
    let extension = HashMap::from([("ARROW:extension:name".to_owned(), "a.b".to_owned())]);
    let field = Field::new("both", array.data_type().clone(), true).with_metadata(extension);
    let batch = RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap();
    assert_eq!(Checker::refuse().batch(&batch).unwrap_err().path(), "both.name");
    let repaired = Checker::repair(Policy::Escape).batch(&batch).unwrap();
    assert_eq!(repaired.schema(), batch.schema());
    assert_eq!(&repaired["both"].as_struct()["id"], &columns[0]);
    assert_eq!(repaired["both"].as_struct()["name"].as_string::<i32>().value(0), r"\xFE");
}

#[test]
fn the_first_row_of_all_columns_is_named() {
    let late: ArrayRef = Arc::new(text(&[b"a", b"b", b"\xFF"]));
    let early: ArrayRef = Arc::new(views(&[b"a", b"\xFF", b"\xFF"]));
    let batch = RecordBatch::try_from_iter([("late", late), ("early", early)]).unwrap();
    let error = Checker::refuse().batch(&batch).unwrap_err();
    assert_eq!((error.row(), error.path()), (1, "early"));
}

/// Text is counted from the start of the reader. The layout is that of a batch.
#[test]
fn errors_name_rows_of_the_reader() {
    let rows = || Arc::new(text(&[b"ok", b"caf\xE9"])) as ArrayRef;
    let (_, values, _) = text(&[b"ok", b"ok"]).into_parts();
    // SAFETY: none, as above.
    let wrong: ArrayRef =
        Arc::new(unsafe { StringArray::new_unchecked(unchecked(&[0, 2, 1]), values, None) });
    let batches = [rows(), rows(), wrong].map(|column| Ok(batch(column)));
    let schema = batches[0].as_ref().map(RecordBatch::schema).unwrap();
    let reader = CheckedReader::new(RecordBatchIterator::new(batches, schema.clone()), Checker::refuse());
    assert_eq!(reader.schema(), schema);
    let errors: Vec<String> = reader.map(|batch| row_error(batch.unwrap_err()).to_string()).collect();
    assert!(errors[0].starts_with("row 1, column: invalid UTF-8 at byte 3: E9 "), "{errors:?}");
    assert!(errors[1].starts_with("row 3, column: invalid UTF-8 at byte 3: E9 "), "{errors:?}");
    assert!(errors[2].starts_with("batch 2, row 1, column: "), "{errors:?}");
}

/// Readers use one dictionary for many batches. Its text is checked once, its keys in each batch; and another dictionary is
/// another one, even where the old one was.
#[test]
fn dictionaries_of_many_batches() {
    let clean: ArrayRef = Arc::new(StringArray::from(vec!["Ana", "Zo\u{EB}", "Eve"]));
    let other: ArrayRef = Arc::new(text(&[b"Ana", b"Zo\xEB", b"Eve"]));
    let with = |keys: &[i32], values: &ArrayRef| {
        let keys = Int32Array::from(keys.to_vec());
        // SAFETY: none, as above.
        batch(Arc::new(unsafe { DictionaryArray::<Int32Type>::new_unchecked(keys, values.clone()) }))
    };
    // The same memory in another array, and a part of it.
    let again = || arrow_array::make_array(clean.to_data());
    // The same offsets, and less text at the same address.
    let strings = clean.as_string::<i32>();
    let cut = strings.values().slice_with_length(0, 4);
    // SAFETY: none, as above.
    let short: ArrayRef =
        Arc::new(unsafe { StringArray::new_unchecked(strings.offsets().clone(), cut, None) });
    let batches = [
        with(&[0, 1, 2], &clean),
        with(&[2, 1], &again()),
        with(&[2], &clean.slice(1, 2)),
        with(&[0, 3], &clean),
        with(&[0, 2], &other),
        with(&[0, 1], &other),
        with(&[1, 1], &clean),
        with(&[1, 1], &short),
    ];
    let schema = batches[0].schema();
    let reader = |checker| {
        let batches = batches.clone().map(Ok);
        CheckedReader::new(RecordBatchIterator::new(batches, schema.clone()), checker)
    };
    let errors: Vec<_> = reader(Checker::refuse())
        .map(|batch| batch.err().map(|error| row_error(error).to_string()))
        .collect();
    let starts = [
        None,
        None,
        Some("batch 2, row 0"),
        Some("batch 3, row 1"),
        None,
        Some("row 11, column: "),
        None,
        Some(""),
    ];
    for (error, start) in errors.iter().zip(starts) {
        assert_eq!(error.is_some(), start.is_some(), "{errors:?}");
        assert!(error.iter().zip(start).all(|(error, start)| error.starts_with(start)), "{errors:?}");
    }
    let repaired: Vec<_> = reader(Checker::mask(Policy::Windows1252, "mask")).map(Result::ok).collect();
    let last = repaired[5].as_ref().unwrap();
    let values = last["column"].as_dictionary::<Int32Type>().values().as_string::<i32>();
    assert_eq!((values.value(1), last["mask"].as_boolean().value(1)), ("Zo\u{EB}", false));
    assert!(repaired[6].as_ref().unwrap()["mask"].as_boolean().value(0));
}

/// The same for the buffers of views.
#[test]
fn buffers_of_many_batches() {
    let text = "thirteen: 日本語😀 and some more".as_bytes();
    let buffers: Vec<Arc<[Buffer]>> = [text, b"thirteen: \xE6\x97 and some more of this text", text]
        .map(|buffer| Arc::from([Buffer::from(buffer), Buffer::from(b"another buffer for views".as_slice())]))
        .into();
    let view = |buffers: &[Buffer], number: u32, from: usize, len: usize| {
        let prefix = buffers[number as usize].get(from..from + 4).unwrap_or(b"none");
        let prefix = u32::from_le_bytes(prefix.try_into().unwrap());
        let words = [len as u32, prefix, number, from as u32];
        words.iter().rev().fold(0, |view, &word| view << 32 | u128::from(word))
    };
    let inline = |bytes: &[u8]| {
        let view = bytes.iter().rev().fold(0, |view, &byte| view << 8 | u128::from(byte));
        view << 32 | bytes.len() as u128
    };
    let kinds: Vec<(u128, bool)> = vec![
        (view(&buffers[0], 0, 0, 13), true),
        (view(&buffers[0], 0, 13, 20), true),
        (view(&buffers[0], 0, 0, text.len()), true),
        (view(&buffers[0], 1, 0, 24), true),
        (inline("Zo\u{EB}".as_bytes()), true),
        (0, true),
        (view(&buffers[0], 0, 0, 14), false),
        (view(&buffers[0], 0, 11, 15), false),
        (view(&buffers[0], 0, 0, text.len() + 1), false),
        (view(&buffers[0], 0, text.len() + 1, 13), false),
        (view(&buffers[0], 1, 12, 13), false),
        (view(&buffers[0], 1, 0, 13) | 1 << 65, false),
        (view(&buffers[0], 0, 0, 13) ^ 1 << 40, false),
        (inline(b"Zo\xEB"), false),
        (inline(b"Zo") | 1 << 90, false),
    ];
    // Each kind in the first batch of a buffer, in the second one, which reads all of it, and later.
    for before in 0..4 {
        for &(kind, is_right) in &kinds {
            let mut batches = vec![(vec![kinds[0].0, kinds[3].0], 0); before];
            batches.extend([
                (vec![kinds[1].0, kind], 0),
                (vec![kinds[4].0], 0),
                (vec![kinds[0].0, kinds[3].0], 2),
            ]);
            // Another buffer, in which the same view is right, and whose other part is not UTF-8.
            let mut expected: Vec<bool> = vec![true; before];
            expected.extend([is_right, true, true]);
            let bad = view(&buffers[1], 0, 0, 13);
            batches.extend([(vec![bad], 1), (vec![view(&buffers[1], 0, 13, 20)], 1), (vec![bad], 1)]);
            expected.extend([false, true, false]);
            let batches: Vec<_> = batches
                .into_iter()
                .map(|(views, at)| {
                    // SAFETY: none, as above.
                    let array = unsafe {
                        StringViewArray::new_unchecked(ScalarBuffer::from(views), buffers[at].clone(), None)
                    };
                    Ok(batch(Arc::new(array)))
                })
                .collect();
            let schema = batches[0].as_ref().map(RecordBatch::schema).unwrap();
            let reader = CheckedReader::new(RecordBatchIterator::new(batches, schema), Checker::refuse());
            let found: Vec<bool> = reader.map(|batch| batch.is_ok()).collect();
            assert_eq!(found, expected, "{before} {kind:032X}");
        }
    }
}

/// Views that were right are known as long as batches have the same buffers. Each bit of them counts, and each batch gets the answer that
/// a checker without a memory gives.
#[test]
fn views_that_come_again() {
    let text = "thirteen: 日本語😀 and some more; another buffer for views".as_bytes();
    let buffers = |text: &[u8]| -> Arc<[Buffer]> { Arc::from([Buffer::from(text)]) };
    let array = |views: &[u128], buffers: &Arc<[Buffer]>| {
        // SAFETY: none, as above.
        let array = unsafe {
            StringViewArray::new_unchecked(ScalarBuffer::from(views.to_vec()), buffers.clone(), None)
        };
        batch(Arc::new(array))
    };
    let long = |text: &[u8], from: usize, len: usize| {
        let prefix = u32::from_le_bytes(text[from..from + 4].try_into().unwrap());
        u128::from(len as u32) | u128::from(prefix) << 32 | u128::from(from as u32) << 96
    };
    let inline = u128::from_le_bytes(*b"\x0C\0\0\0Zo\xC3\xAB, inline");
    let right = [long(text, 36, 20), long(text, 0, 13), long(text, 10, 20), inline, 0];
    let same = buffers(text);
    assert!(Checker::refuse().batch(&array(&right, &same)).is_ok());
    // The same place in other text, and less text: the right views are wrong there.
    let (other, short) = (buffers(&text.to_ascii_uppercase()), Arc::from([same[0].slice_with_length(0, 40)]));
    for before in 0..4 {
        let changed = right.iter().flat_map(|view| (0..128).map(move |bit| view ^ 1 << bit));
        // An overlapping view, and two that are cut inside a character.
        for view in changed.chain([long(text, 4, 30), long(text, 4, 17), long(text, 11, 20)]) {
            let mut batches = vec![array(&right, &same); before];
            batches.extend([0; 2].map(|_| array(&[right[0], view, right[1]], &same)));
            batches.extend([array(&[right[0], view], &other), array(&[view], &same), array(&right, &short)]);
            batches.extend([array(&[view], &same), array(&right, &same), array(&right[..2], &other)]);
            let expected: Vec<_> = batches.iter().map(|batch| Checker::refuse().batch(batch).ok()).collect();
            let schema = batches[0].schema();
            let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
            let found: Vec<_> = CheckedReader::new(reader, Checker::refuse()).map(Result::ok).collect();
            assert_eq!(found, expected, "{before} {view:032X}");
        }
    }
}

/// While views are known, nobody can write to their buffers, or get their memory.
#[test]
fn buffers_of_known_views_stay_alive() {
    let arrays = [
        StringViewArray::from(vec!["a string of some length", "", "another long string"]),
        StringViewArray::from(vec!["a string of some length"]),
    ];
    let [first, second] = arrays.map(|array| batch(Arc::new(array)));
    let (schema, buffer) = (first.schema(), first["column"].as_string_view().data_buffers()[0].clone());
    let batches = [first.clone(), first, second].map(Ok);
    let mut reader = CheckedReader::new(RecordBatchIterator::new(batches, schema), Checker::refuse());
    drop([reader.next(), reader.next()].map(|batch| batch.unwrap().unwrap()));
    let buffer = buffer.into_mutable().expect_err("the reader has the buffer");
    reader.next().unwrap().unwrap();
    assert!(buffer.into_mutable().is_ok());
}

/// A producer that writes each batch's dictionary or text into memory that it has given away before.
#[test]
fn memory_that_is_refilled_is_read_again() {
    let mut memory = b"thirteen bytes".to_vec();
    let start = std::ptr::NonNull::new(memory.as_mut_ptr()).unwrap();
    let owner = Arc::new(());
    // SAFETY: the memory lives until the end of the test.
    let buffer = unsafe { Buffer::from_custom_allocation(start, memory.len(), owner) };
    let strings = {
        // SAFETY: the offsets are those of one row.
        let array = unsafe { StringArray::new_unchecked(unchecked(&[0, 14]), buffer.clone(), None) };
        // SAFETY: the key is that of the row.
        unsafe { DictionaryArray::<Int32Type>::new_unchecked(Int32Array::from(vec![0, 0]), Arc::new(array)) }
    };
    let views = [b"\x0D\0\0\0hirt\0\0\0\0\x01\0\0\0", b"\x0E\0\0\0thir\0\0\0\0\0\0\0\0"];
    let views = ScalarBuffer::from(views.map(|view| u128::from_le_bytes(*view)).to_vec());
    // SAFETY: the views are those of the buffer.
    let views = unsafe { StringViewArray::new_unchecked(views, Arc::from([buffer]), None) };
    for column in [Arc::new(strings) as ArrayRef, Arc::new(views)] {
        let batch = batch(column);
        let stream = || {
            let reader = RecordBatchIterator::new([(); 5].map(|()| Ok(batch.clone())), batch.schema());
            FFI_ArrowArrayStream::new(Box::new(reader))
        };
        let mut reader = Checker::refuse().import_stream(stream()).unwrap();
        #[cfg(feature = "stream")]
        let mut polled = {
            let batches = Polled(RecordBatchStreamReader::try_new(stream()).unwrap());
            CheckedStream::new(batches, batch.schema(), Checker::refuse()).forgetful()
        };
        for byte in [b' ', 0xE9, b' ', b' ', 0xE9] {
            // SAFETY: the byte is in the memory, and nobody reads it at the moment.
            unsafe { start.add(8).write(byte) };
            assert_eq!(reader.next().unwrap().is_ok(), byte == b' ');
            #[cfg(feature = "stream")]
            {
                let next = Pin::new(&mut polled).poll_next(&mut Context::from_waker(Waker::noop()));
                assert!(matches!(next, Poll::Ready(Some(next)) if next.is_ok() == (byte == b' ')));
            }
        }
    }
}

/// A stream of what a reader reads.
#[cfg(feature = "stream")]
struct Polled(RecordBatchStreamReader);

#[cfg(feature = "stream")]
impl Stream for Polled {
    type Item = Result<RecordBatch, ArrowError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.next())
    }
}

fn row_error(error: ArrowError) -> RowError {
    let ArrowError::ExternalError(error) = error else { panic!("{error}") };
    *error.downcast().unwrap()
}

/// Returns the column that a reader returns for these rows, if its schema says that they are of the type `new`.
fn read_as(array: ArrayRef, new: DataType, checker: Checker) -> Result<ArrayRef, RowError> {
    let (batch, schema) = (batch(array), Arc::new(Schema::new(vec![Field::new("column", new, true)])));
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    let mut reader = CheckedReader::new(reader, checker).with_schema(schema);
    let (schema, read) = (reader.schema(), reader.next().unwrap().map_err(row_error)?);
    assert_eq!(read.schema(), schema);
    read.column(0).to_data().validate_full().unwrap();
    Ok(read.column(0).clone())
}

#[test]
fn bytes_become_text_where_the_schema_says_so() {
    let bytes = BinaryArray::from_iter_values([&b"ok"[..], b"caf\xE9, and more", b"ok"]);
    let views = BinaryViewArray::from_iter_values([&b"ok"[..], b"caf\xE9, and more", b"ok"]);
    let leaves: [ArrayRef; 2] = [Arc::new(bytes), Arc::new(views)];
    for (array, path) in leaves.iter().flat_map(around) {
        let text = trust8_arrow::repair(&array, Policy::Windows1252).unwrap();
        let new = text.data_type();
        let error = read_as(array.clone(), new.clone(), Checker::refuse()).unwrap_err();
        assert_eq!((error.row(), error.path()), (1, &*format!("column{path}")), "{new}");
        let read = |policy| read_as(array.clone(), new.clone(), Checker::mask(policy, "is_utf8")).unwrap();
        assert_eq!(read(Policy::Windows1252).to_data(), text.to_data());
        assert_eq!(texts(&read(Policy::Null).to_data())[1], None);
        let column = batch(array.clone());
        let schema = Arc::new(Schema::new(vec![Field::new("column", new.clone(), true)]));
        let reader = RecordBatchIterator::new([Ok(column.clone())], column.schema());
        let masked = Checker::mask(Policy::Java, "is_utf8")
            .reader(reader)
            .with_schema(schema)
            .next()
            .unwrap()
            .unwrap();
        assert_eq!(masked["is_utf8"].as_boolean(), &BooleanArray::from(vec![true, false, true]));
        // Without the schema, bytes are bytes.
        assert_eq!(&Checker::refuse().array(&array).unwrap(), &array);
    }
    let clean = BinaryArray::from_iter_values([&b"ok"[..], "Zoë".as_bytes()]);
    let text = read_as(Arc::new(clean.clone()), DataType::Utf8, Checker::refuse()).unwrap();
    assert_eq!(text.as_string::<i32>().values().as_ptr(), clean.values().as_ptr());
    // SAFETY: none, as above.
    let wrong = unsafe { BinaryArray::new_unchecked(unchecked(&[0, 3, 2]), clean.values().clone(), None) };
    for checker in [Checker::refuse(), Checker::repair(Policy::Drop)] {
        let error = read_as(Arc::new(wrong.clone()), DataType::Utf8, checker).unwrap_err();
        assert!(matches!((error.row(), error.reason()), (1, Reason::Layout(_))), "{error}");
    }
    for other in [DataType::LargeUtf8, DataType::Int32, DataType::Utf8View] {
        assert!(read_as(Arc::new(clean.clone()), other, Checker::refuse()).is_err());
    }
}

#[test]
fn dictionaries_are_written_out_where_the_schema_says_so() {
    let long = "a street that is longer than 32 bytes: Жуковского".as_bytes();
    let rows = [Some(&b"ok"[..]), Some(long), None, Some(b"caf\xE9"), Some("Zoë, 東京".as_bytes())];
    let bytes: ArrayRef = Arc::new(BinaryArray::from_iter(rows));
    // Under a null, a key may be that of no value.
    let keys = ScalarBuffer::from(vec![4, 1, 0, -9, 2, 1, 100]);
    let nulls = NullBuffer::from(vec![true, true, true, false, true, true, false]);
    for values in [trust8_arrow::repair(&bytes, Policy::Windows1252).unwrap(), bytes] {
        let is_bad = *values.data_type() == DataType::Binary;
        let array = |row, is_last| {
            let (mut keys, mut nulls) = (keys.to_vec(), nulls.clone());
            if is_last {
                keys.push(row);
                nulls = [nulls.iter().collect::<Vec<_>>(), vec![true]].concat().into();
            }
            let keys = Int32Array::new(keys.into(), Some(nulls));
            // SAFETY: none, as above.
            unsafe { DictionaryArray::<Int32Type>::new_unchecked(keys, values.clone()) }
        };
        for new in [DataType::Utf8, DataType::Utf8View] {
            let read =
                |array: DictionaryArray<Int32Type>, checker| read_as(Arc::new(array), new.clone(), checker);
            let [long, last] = [1, 4].map(|row| std::str::from_utf8(rows[row].unwrap()).unwrap());
            let expected = [Some(last), Some(long), Some("ok"), None, None, Some(long), None];
            let read_rows = |array| texts(&read(array, Checker::refuse()).unwrap().to_data());
            assert_eq!(read_rows(array(0, false)), expected);
            assert_eq!(read_rows(array(0, false).slice(1, 3)), expected[1..4]);
            assert_eq!(read_rows(array(0, false).slice(3, 1)), [None]);
            assert_eq!(read_rows(array(0, false).slice(3, 0)), []);
            let bad = array(3, true);
            let error = read(bad.clone(), Checker::refuse());
            assert_eq!(error.map_err(|error| error.row()).err(), is_bad.then_some(7));
            let repaired = read(bad, Checker::repair(Policy::Windows1252)).unwrap();
            assert_eq!(texts(&repaired.to_data())[7], Some("café"));
            assert!(read(array(5, true), Checker::repair(Policy::Drop)).is_err());
        }
    }
    // The values are a part of an array. A null row has no text.
    let values =
        StringArray::from(vec!["not a value", "a value of more than twelve bytes", "ok"]).slice(1, 2);
    let keys = Int8Array::from(vec![Some(0), None, Some(1)]);
    let part: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys, Arc::new(values)));
    let expected = [Some("a value of more than twelve bytes"), None, Some("ok")];
    for new in [DataType::Utf8, DataType::Utf8View] {
        for part in [part.clone(), part.slice(0, 1)] {
            let read = read_as(part.clone(), new.clone(), Checker::refuse()).unwrap();
            assert_eq!(texts(&read.to_data()), expected[..part.len()]);
            let bytes = read.as_string_opt::<i32>().map_or(0, |text| text.values().len());
            assert!(bytes <= 35, "{bytes}");
        }
    }
    let empty = DictionaryArray::<Int8Type>::new(Int8Array::new_null(2), Arc::new(text(&[])));
    assert_eq!(read_as(Arc::new(empty), DataType::Utf8, Checker::refuse()).unwrap().null_count(), 2);
}

/// The rows of a small dictionary can be longer than text and memory can be: a reader writes out some at a time.
#[test]
fn a_long_dictionary_is_written_out_in_parts() {
    let values = StringArray::from(vec!["x".repeat(1 << 20), String::new(), "y".repeat(1 << 27)]);
    let keys = [vec![0; 100], vec![2, 1, 2], vec![1; 50]].concat();
    let array: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(keys.into(), Arc::new(values)));
    let rows: ArrayRef = Arc::new(Int32Array::from_iter_values(0..array.len() as i32));
    let bad: ArrayRef =
        Arc::new(DictionaryArray::<Int8Type>::new(vec![0, 1].into(), Arc::new(text(&[b"ok", b"\xFF"]))));
    let whole =
        RecordBatch::try_from_iter([("a", array.clone()), ("b", array.clone()), ("row", rows)]).unwrap();
    let number: ArrayRef = Arc::new(Int32Array::from(vec![0, 0]));
    let last = RecordBatch::try_from_iter([("a", bad.clone()), ("b", bad), ("row", number)]).unwrap();
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let fields = [field("a", DataType::Utf8), field("b", DataType::Utf8), field("row", DataType::Int32)];
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let reader = || RecordBatchIterator::new([Ok(whole.clone()), Ok(last.clone())], whole.schema());
    let mut read = CheckedReader::new(reader(), Checker::refuse()).with_schema(schema.clone());
    #[cfg(feature = "stream")]
    let mut polled = {
        let stream = FFI_ArrowArrayStream::new(Box::new(reader()));
        let batches = Polled(RecordBatchStreamReader::try_new(stream).unwrap());
        CheckedStream::new(batches, whole.schema(), Checker::refuse()).with_schema(schema)
    };
    let (mut seen, mut parts) = (0, 0);
    while seen < array.len() {
        let part = read.next().unwrap().unwrap();
        #[cfg(feature = "stream")]
        {
            let next = Pin::new(&mut polled).poll_next(&mut Context::from_waker(Waker::noop()));
            assert!(matches!(next, Poll::Ready(Some(Ok(next))) if next == part));
        }
        let [a, b] = [0, 1].map(|column| part.column(column).as_string::<i32>());
        assert!(a.len() == 1 || a.values().len() + b.values().len() <= 1 << 26);
        assert!(
            a == b
                && a.iter().flatten().zip(seen..).all(|(text, row)| {
                    let (len, byte) = match row {
                        0..100 => (1 << 20, b'x'),
                        100 | 102 => (1 << 27, b'y'),
                        _ => (0, 0),
                    };
                    text.len() == len && text.bytes().next().is_none_or(|first| first == byte)
                })
        );
        let numbers = part.column(2).as_primitive::<arrow_array::types::Int32Type>().values();
        assert!(numbers.iter().copied().eq(seen as i32..(seen + part.num_rows()) as i32));
        (seen, parts) = (seen + part.num_rows(), parts + 1);
    }
    // 32, 32, 32, 4, 1, 1, 1 and 50 rows.
    assert_eq!((seen, parts), (array.len(), 8));
    assert_eq!(row_error(read.next().unwrap().unwrap_err()).row(), array.len() + 1);
    assert!(read.next().is_none());
    let views = read_as(array, DataType::Utf8View, Checker::refuse()).unwrap();
    assert_eq!(views.as_string_view().data_buffers()[0].len(), (1 << 20) + (1 << 27));
}

/// What a reader knows of a column is forgotten when a batch has other columns, or it would fill the memory.
#[test]
fn batches_of_ever_new_schemas_are_forgotten() {
    let array = |_| DictionaryArray::<Int8Type>::new(vec![0].into(), Arc::new(text(&[b"ok"])));
    let arrays: Vec<_> = (0..3).map(array).collect();
    let batches: Vec<_> = arrays
        .iter()
        .enumerate()
        .map(|(number, array)| {
            let name = format!("column {}", number.max(1));
            Ok(RecordBatch::try_from_iter([(name, Arc::new(array.clone()) as ArrayRef)]).unwrap())
        })
        .collect();
    let schema = batches[0].as_ref().unwrap().schema();
    let mut reader = CheckedReader::new(RecordBatchIterator::new(batches, schema), Checker::refuse());
    let held = || arrays.iter().map(|array| Arc::strong_count(array.values()) - 1).collect::<Vec<_>>();
    assert_eq!(held(), [1; 3]);
    drop(reader.next());
    // The reader holds the values twice: as they came, and as they were returned.
    assert_eq!(held(), [2, 1, 1]);
    drop(reader.next());
    assert_eq!(held(), [0, 2, 1]);
    drop(reader.next());
    assert_eq!(held(), [0, 0, 2]);
}

/// Batches that do not have the schema of their reader are refused.
#[test]
fn a_batch_of_another_schema_is_refused() {
    let numbers = batch(Arc::new(Int32Array::from(vec![1])));
    let reader = RecordBatchIterator::new([Ok(numbers)], batch(Arc::new(text(&[]))).schema());
    let mut reader = CheckedReader::new(reader, Checker::repair(Policy::Null));
    assert!(matches!(row_error(reader.next().unwrap().unwrap_err()).reason(), Reason::Shape(_)));
}

/// Columns of a schema are those of its names.
#[test]
fn columns_are_not_renamed() {
    let [ana, secret] = [&b"Ana"[..], b"secret"].map(|row| Arc::new(text(&[row])) as ArrayRef);
    let batch = RecordBatch::try_from_iter([("name", ana.clone()), ("password", secret)]).unwrap();
    let names = |names: &[&str]| {
        let fields = names.iter().map(|name| Field::new(*name, DataType::Utf8, true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    };
    for checker in [Checker::refuse(), Checker::mask(Policy::Drop, "is_utf8")] {
        for other in [&["password", "name"][..], &["name"], &["name", "password", "is_utf8"]] {
            let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
            let mut reader = CheckedReader::new(reader, checker.clone()).with_schema(names(other));
            let error = row_error(reader.next().unwrap().unwrap_err());
            assert_eq!(error.to_string(), "batch 0, row 0: the batch is not as its schema says");
        }
        let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
        let mut reader = CheckedReader::new(reader, checker).with_schema(names(&["name", "password"]));
        assert_eq!(reader.next().unwrap().unwrap().column(0), &ana);
    }
}

/// A stranger's column of the mask's name would be taken for the mask.
#[test]
fn a_mask_does_not_get_the_name_of_a_column() {
    let columns =
        [("name", Arc::new(text(&[b"\xFF"])) as ArrayRef), ("ok", Arc::new(BooleanArray::from(vec![true])))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let masked = |name: &str| Checker::mask(Policy::Drop, name).batch(&batch);
    let error = masked("ok").unwrap_err();
    assert_eq!(error.to_string(), "row 0, ok: the batch has a column of the mask's name");
    assert!(!masked("is_utf8").unwrap()["is_utf8"].as_boolean().value(0));
    let reader = RecordBatchIterator::new([Ok(batch.clone())], batch.schema());
    assert!(Checker::mask(Policy::Drop, "ok").reader(reader).next().unwrap().is_err());
}

#[test]
fn a_mask_is_not_made_for_rows_that_have_no_memory() {
    let batch = batch(Arc::new(arrow_array::NullArray::new(1 << 45)));
    assert!(Checker::mask(Policy::Drop, "mask").batch(&batch).is_err());
    assert_eq!(Checker::repair(Policy::Drop).batch(&batch).unwrap(), batch);
}

#[test]
fn streams_and_arrays_of_the_c_interface() {
    let bad = batch(Arc::new(text(&[b"ok", b"caf\xE9"])));
    let stream = || {
        let reader = RecordBatchIterator::new([Ok(bad.clone()), Ok(bad.clone())], bad.schema());
        FFI_ArrowArrayStream::new(Box::new(reader))
    };
    let rows =
        Checker::refuse().import_stream(stream()).unwrap().map(|batch| row_error(batch.unwrap_err()).row());
    assert_eq!(rows.collect::<Vec<_>>(), [1, 3]);
    for batch in Checker::repair(Policy::Windows1252).import_stream(stream()).unwrap() {
        assert_eq!(batch.unwrap()["column"].as_string::<i32>().value(1), "café");
    }
    assert!(Checker::refuse().import_stream(FFI_ArrowArrayStream::empty()).is_err());
}

#[test]
fn the_example_ingests_what_a_stranger_sends() {
    let batches = [batch(Arc::new(text(&[b"ok", b"caf\xE9"]))), batch(Arc::new(text(&[b"Zo\xEB"])))];
    let reader = RecordBatchIterator::new(batches.clone().map(Ok), batches[0].schema());
    let mut bad = Vec::new();
    let clean = ingest::ingest(reader, batches[0].schema(), |row| bad.push(row)).unwrap();
    assert_eq!(bad, [1, 2]);
    assert_eq!(clean[1]["column"].as_string::<i32>().value(0), "Zo\u{EB}");
    let (_, values, _) = text(&[b"ok", b"ok"]).into_parts();
    // SAFETY: none, as above.
    let wrong = unsafe { StringArray::new_unchecked(unchecked(&[0, 2, 1]), values, None) };
    let reader = RecordBatchIterator::new([Ok(batch(Arc::new(wrong)))], batches[0].schema());
    assert!(ingest::ingest(reader, batches[0].schema(), |_| ()).is_err());
}

/// Arrow panics at an array that does not have the children of its type.
#[test]
fn an_import_that_panics_is_an_error() {
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let field = |name: &str| Arc::new(Field::new(name, DataType::Int32, true));
    let array = StructArray::new(Fields::from(vec![field("a")]), vec![numbers], None);
    let schema = DataType::Struct(Fields::from(vec![field("a"), field("b")]));
    let schema = FFI_ArrowSchema::try_from(&schema).unwrap();
    // SAFETY: all buffers are as long as the rows say.
    let error = unsafe { Checker::refuse().import_array(FFI_ArrowArray::new(&array.to_data()), &schema) };
    assert!(matches!(error, Err(ArrowError::CDataInterface(_))));
}

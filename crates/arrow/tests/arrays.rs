//! Arrays of bytes and arrays inside arrays, against arrow's own validation and a loop over the
//! rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BinaryDictionaryBuilder, ListBuilder, MapBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int16Type, Int32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray,
    FixedSizeListArray, Int16Array, Int32Array, LargeBinaryArray, LargeListArray, ListArray, ListViewArray,
    MapArray, RecordBatch, RunArray, StringArray, StringViewArray, StructArray, make_array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};
use trust8_arrow::{Reason, as_utf8, check, errors, is_valid, repair, repair_in};
use trust8_columns::Policy;
use trust8_profile::Profile;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

type Rows = Vec<Option<Vec<u8>>>;

fn random_rows(random: &mut Random, bad_one_in: usize) -> Rows {
    let texts = ["", "a", "é", "日本", "😀", "twelve bytes", "more than twelve, é"];
    (0..random.below(200))
        .map(|_| {
            let mut bytes = texts[random.below(7)].repeat(random.below(3)).into_bytes();
            if random.below(bad_one_in) == 0 {
                let bad: &[u8] =
                    [&b"\xFF"[..], b"\xE2\x82", b"\xED\xA0\x80", b"\xF0\x9F\x98", b"\x80"][random.below(5)];
                let at = random.below(bytes.len() + 1);
                bytes.splice(at..at, bad.iter().copied());
            }
            (random.below(5) > 0).then_some(bytes)
        })
        .collect()
}

/// Returns an array with these bytes under its nulls as well.
fn over_garbage(rows: &Rows) -> BinaryArray {
    let under = |row: &Option<Vec<u8>>| row.clone().unwrap_or_else(|| b"\xE2\x82\xFF".to_vec());
    let all = BinaryArray::from_iter_values(rows.iter().map(under));
    let (offsets, values, _) = all.into_parts();
    BinaryArray::new(offsets, values, Some(NullBuffer::from_iter(rows.iter().map(Option::is_some))))
}

/// Returns the text of each row, after arrow has validated all of it.
fn texts(array: &dyn Array) -> Vec<Option<String>> {
    array.to_data().validate_full().expect("arrow finds nothing wrong");
    let own = |text: Option<&str>| text.map(str::to_owned);
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().map(own).collect(),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().map(own).collect(),
        DataType::Utf8View => array.as_string_view().iter().map(own).collect(),
        other => panic!("{other} is no text"),
    }
}

fn check_leaf(array: &dyn Array, rows: &Rows) {
    let bad = |row: &Option<Vec<u8>>| row.as_ref().is_some_and(|bytes| std::str::from_utf8(bytes).is_err());
    let first = rows.iter().position(bad);
    match as_utf8(array) {
        Ok(text) => {
            assert_eq!(first, None);
            let expected: Vec<_> =
                rows.iter().map(|row| row.clone().map(|row| String::from_utf8(row).unwrap())).collect();
            assert_eq!(texts(&text), expected);
        }
        Err(error) => {
            assert_eq!(Some(error.row()), first);
            let Reason::NotUtf8(in_row) = error.reason() else { panic!("{error}") };
            let std = std::str::from_utf8(rows[error.row()].as_ref().unwrap()).unwrap_err();
            assert_eq!((in_row.valid_up_to(), in_row.error_len()), (std.valid_up_to(), std.error_len()));
        }
    }
    let valid: Vec<_> =
        rows.iter().map(|row| row.as_ref().map(|bytes| std::str::from_utf8(bytes).is_ok())).collect();
    assert_eq!(is_valid(array).unwrap().iter().collect::<Vec<_>>(), valid);
    let table = errors(array).unwrap();
    let found = table["row"].as_primitive::<UInt64Type>().values().iter().map(|&row| row as usize);
    assert!(found.eq((0..rows.len()).filter(|&row| bad(&rows[row]))));
    for (i, &row) in table["row"].as_primitive::<UInt64Type>().values().iter().enumerate() {
        let bytes = rows[row as usize].as_ref().unwrap();
        let std = std::str::from_utf8(bytes).unwrap_err();
        assert_eq!(table["offset"].as_primitive::<UInt64Type>().value(i) as usize, std.valid_up_to());
        let length = &table["length"].as_primitive::<UInt64Type>();
        assert_eq!(length.is_valid(i).then(|| length.value(i) as usize), std.error_len());
        let ours = trust8::from_utf8(bytes).unwrap_err();
        assert_eq!(table["kind"].as_string::<i64>().value(i), ours.kind().name());
        assert_eq!(table["message"].as_string::<i64>().value(i), ours.to_string());
    }
    for &policy in Policy::ALL {
        let expected: Vec<Option<String>> = rows
            .iter()
            .map(|row| match policy {
                Policy::Null if bad(row) => None,
                _ => row.as_ref().map(|bytes| text_of(policy, bytes)),
            })
            .collect();
        assert_eq!(texts(&repair(array, policy).unwrap()), expected, "{policy:?}");
    }
}

/// What the library makes of one row.
fn text_of(policy: Policy, bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let offsets = [0, bytes.len() as i64];
    let column = trust8_columns::Offsets::new(bytes, &offsets, None).unwrap();
    match trust8_columns::repair(column, policy).unwrap() {
        trust8_columns::Repaired::Owned(rows) => String::from_utf8(rows.values).unwrap(),
        trust8_columns::Repaired::Borrowed(_) => unreachable!("the row is not UTF-8"),
    }
}

#[test]
fn rows_of_bytes_in_every_type_and_slice() {
    let mut random = Random(7);
    for case in 0..60 {
        let rows = random_rows(&mut random, [1000, 20, 2][case % 3]);
        let options = || rows.iter().map(Option::as_deref);
        let arrays: [ArrayRef; 4] = [
            Arc::new(options().collect::<BinaryArray>()),
            Arc::new(options().collect::<LargeBinaryArray>()),
            Arc::new(options().collect::<BinaryViewArray>()),
            Arc::new(over_garbage(&rows)),
        ];
        for array in arrays {
            check_leaf(&array, &rows);
            let from = random.below(rows.len() + 1);
            let len = random.below(rows.len() - from + 1);
            check_leaf(&array.slice(from, len), &rows[from..from + len].to_vec());
        }
    }
}

#[test]
fn rows_of_one_size() {
    let mut random = Random(9);
    for width in [1, 2, 3, 5, 16] {
        let rows: Rows = (0..150)
            .map(|_| {
                let mut bytes =
                    "aé日😀abcdefghijk".bytes().cycle().skip(random.below(3)).take(width).collect::<Vec<_>>();
                if random.below(4) == 0 {
                    bytes[random.below(width)] = 0xFF;
                }
                (random.below(5) > 0).then_some(bytes)
            })
            .collect();
        let array =
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.iter().cloned(), width as i32).unwrap();
        check_leaf(&array, &rows);
        check_leaf(&array.slice(37, 90), &rows[37..127].to_vec());
        // Over garbage.
        let values: Vec<u8> =
            rows.iter().flat_map(|row| row.clone().unwrap_or_else(|| vec![0xE2; width])).collect();
        let nulls = NullBuffer::from_iter(rows.iter().map(Option::is_some));
        check_leaf(&FixedSizeBinaryArray::new(width as i32, values.into(), Some(nulls)), &rows);
    }
}

/// arrow's conversion succeeds exactly if ours does, as far as arrow ignores nulls.
#[test]
fn arrow_agrees() {
    let mut random = Random(11);
    for _ in 0..200 {
        let rows = random_rows(&mut random, 60);
        let array: BinaryArray = rows.iter().map(Option::as_deref).collect();
        match (StringArray::try_from_binary(array.clone()), as_utf8(&array)) {
            (Ok(theirs), Ok(ours)) => assert_eq!(ours.as_string::<i32>(), &theirs),
            (theirs, ours) => assert!(theirs.is_err() && ours.is_err(), "{rows:?}"),
        }
    }
}

#[test]
fn clean_arrays_are_not_copied() {
    let bytes = BinaryArray::from_vec(vec![b"one", "zwéi".as_bytes(), b"more than twelve bytes"]);
    let text = as_utf8(&bytes).unwrap();
    assert_eq!(text.as_string::<i32>().values().as_ptr(), bytes.values().as_ptr());
    assert_eq!(text.as_string::<i32>().offsets().as_ptr(), bytes.offsets().as_ptr());
    let repaired = repair(&bytes, Policy::Null).unwrap();
    assert_eq!(repaired.as_string::<i32>().values().as_ptr(), bytes.values().as_ptr());
    let views = BinaryViewArray::from_iter_values(bytes.iter().flatten());
    let text = as_utf8(&views).unwrap();
    assert_eq!(text.as_string_view().views().as_ptr(), views.views().as_ptr());
    assert_eq!(text.as_string_view().data_buffers()[0].as_ptr(), views.data_buffers()[0].as_ptr());
    // A dirty array of views keeps the buffers of its clean rows.
    let views = BinaryViewArray::from_iter_values([&b"\xFF"[..], b"more than twelve bytes"]);
    let text = repair(&views, Policy::Drop).unwrap();
    assert_eq!(text.as_string_view().data_buffers()[0].as_ptr(), views.data_buffers()[0].as_ptr());
    // Other arrays stay as they are.
    let numbers = Int32Array::from(vec![1, 2, 3]);
    assert_eq!(as_utf8(&numbers).unwrap().as_primitive::<Int32Type>(), &numbers);
}

/// Values before and after a slice are not text, and arrow wants all values to be.
#[test]
fn slices_of_dirty_arrays() {
    let all = BinaryArray::from_vec(vec![b"\xFF", b"one", b"two", b"\x80"]);
    assert_eq!(texts(&as_utf8(&all.slice(1, 2)).unwrap()), [Some("one".to_owned()), Some("two".to_owned())]);
    assert_eq!(as_utf8(&all.slice(1, 3)).unwrap_err().row(), 2);
}

fn dirty() -> BinaryArray {
    BinaryArray::from_opt_vec(vec![
        Some(b"a"),
        Some(b"\xFF"),
        None,
        Some("é".as_bytes()),
        Some(b"x\xC3"),
        Some(b"end"),
    ])
}

fn rows_and_paths(array: &dyn Array) -> Vec<(u64, String)> {
    let table = errors(array).unwrap();
    let rows = table["row"].as_primitive::<UInt64Type>().values().to_vec();
    rows.into_iter()
        .zip(table["path"].as_string::<i64>().iter().map(|path| path.unwrap().to_owned()))
        .collect()
}

fn check_nested(array: &dyn Array, expected: &[(u64, &str)], ok: &dyn Array, shown: &str) {
    let owned: Vec<_> = expected.iter().map(|&(row, path)| (row, path.to_owned())).collect();
    assert_eq!(rows_and_paths(array), owned);
    let error = as_utf8(array).unwrap_err();
    assert_eq!((error.row() as u64, error.path()), expected[0]);
    let valid = is_valid(array).unwrap();
    assert!((0..array.len()).all(|row| valid.value(row) != expected.iter().any(|bad| bad.0 == row as u64)));
    for &policy in Policy::ALL {
        let repaired = repair(array, policy).unwrap();
        repaired.to_data().validate_full().expect("arrow finds nothing wrong");
        assert_eq!((repaired.len(), repaired.nulls()), (array.len(), array.nulls()));
        assert!(errors(&repaired).unwrap().num_rows() == 0);
        if policy == Policy::Drop {
            assert_eq!(
                format!("{repaired:?}").split_whitespace().collect::<String>(),
                shown.split_whitespace().collect::<String>()
            );
        }
    }
    let text = as_utf8(ok).unwrap();
    text.to_data().validate_full().expect("arrow finds nothing wrong");
    assert_eq!(text.len(), ok.len());
}

fn list_of(values: BinaryArray, offsets: Vec<i32>, nulls: Option<NullBuffer>) -> ListArray {
    let field = Arc::new(Field::new_list_field(DataType::Binary, true));
    ListArray::new(field, OffsetBuffer::new(offsets.into()), Arc::new(values), nulls)
}

#[test]
fn lists() {
    let list = list_of(dirty(), vec![0, 1, 4, 4, 6], None);
    let shown = "ListArray [ StringArray [\"a\",], StringArray [\"\", null, \"é\",], StringArray [], StringArray [\"x\", \"end\",],]";
    check_nested(&list, &[(1, "[]"), (3, "[]")], &list.slice(0, 1), shown);
    // A null list over bad items, and items before and after a slice.
    let nulls = NullBuffer::from(vec![true, false, true, false]);
    as_utf8(&list_of(dirty(), vec![0, 1, 4, 4, 6], Some(nulls))).unwrap().to_data().validate_full().unwrap();
    assert_eq!(as_utf8(&list.slice(1, 3)).unwrap_err().row(), 0);
    let large = LargeListArray::new(
        Arc::new(Field::new_list_field(DataType::Binary, true)),
        OffsetBuffer::new(vec![0_i64, 1, 4, 4, 6].into()),
        Arc::new(dirty()),
        None,
    );
    let shown = shown.replace("ListArray [ S", "LargeListArray [ S");
    check_nested(&large, &[(1, "[]"), (3, "[]")], &large.slice(2, 1), &shown);
    let fixed = FixedSizeListArray::new(
        Arc::new(Field::new_list_field(DataType::Binary, true)),
        2,
        Arc::new(dirty()),
        None,
    );
    let shown = "FixedSizeListArray<2> [ StringArray [\"a\",\"\",], StringArray [null, \"é\",], StringArray [\"x\", \"end\",],]";
    check_nested(&fixed, &[(0, "[]"), (2, "[]")], &fixed.slice(1, 1), shown);
    let field = Arc::new(Field::new_list_field(DataType::Binary, true));
    let nulls = Some(NullBuffer::from(vec![false, true, false]));
    let hidden = FixedSizeListArray::new(field, 2, Arc::new(dirty()), nulls);
    as_utf8(&hidden).unwrap().to_data().validate_full().unwrap();
    // Lists of lists.
    let inner: ArrayRef = Arc::new(list);
    let field = Arc::new(Field::new_list_field(inner.data_type().clone(), true));
    let outer = ListArray::new(field, OffsetBuffer::new(vec![0, 3, 4].into()), inner, None);
    assert_eq!(rows_and_paths(&outer), [(0, "[][]".to_owned()), (1, "[][]".to_owned())]);
}

#[test]
fn structs_and_maps() {
    let other: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"\x80", b"b", b"c", b"d", b"e", b"\xFE"]));
    let number: ArrayRef = Arc::new(Int32Array::from(vec![1; 6]));
    let fields = || {
        let field =
            |name: &str, array: &ArrayRef, nullable| Field::new(name, array.data_type().clone(), nullable);
        let dirty: ArrayRef = Arc::new(dirty());
        vec![
            (Arc::new(field("one", &dirty, true)), dirty),
            (Arc::new(field("n", &number, false)), number.clone()),
            (Arc::new(field("two", &other, false)), other.clone()),
        ]
    };
    let array = StructArray::from(fields());
    let expected = [(0, ".two"), (1, ".one"), (4, ".one"), (5, ".two")];
    assert_eq!(rows_and_paths(&array), expected.map(|(row, path)| (row, path.to_owned())));
    assert_eq!(
        (as_utf8(&array).unwrap_err().row(), as_utf8(&array).unwrap_err().path().to_owned()),
        (0, ".two".to_owned())
    );
    for &policy in Policy::ALL {
        repair(&array, policy).unwrap().to_data().validate_full().unwrap();
    }
    let nulled = repair(&array, Policy::Null).unwrap();
    assert!(nulled.as_struct().fields()[2].is_nullable() && nulled.as_struct().column(2).is_null(0));
    // Under a null struct, fields may be anything.
    let (names, columns, _) = array.into_parts();
    let nulls = NullBuffer::from(vec![false, false, true, true, false, false]);
    let hidden = StructArray::new(names, columns, Some(nulls));
    as_utf8(&hidden).unwrap().to_data().validate_full().unwrap();

    let mut builder = MapBuilder::new(None, BinaryBuilder::new(), BinaryBuilder::new());
    for (keys, values) in
        [(&[&b"k"[..]][..], &[&b"v"[..]][..]), (&[b"\xFF", b"q"], &[b"v", b"w"]), (&[b"z"], &[b"\xC0"])]
    {
        keys.iter().for_each(|key| builder.keys().append_value(key));
        values.iter().for_each(|value| builder.values().append_value(value));
        builder.append(true).unwrap();
    }
    let map: MapArray = builder.finish();
    assert_eq!(rows_and_paths(&map), [(1, ".key".to_owned()), (2, ".value".to_owned())]);
    for &policy in Policy::ALL {
        repair(&map, policy).unwrap().to_data().validate_full().unwrap();
    }
    assert_eq!(repair(&map, Policy::Null).unwrap().as_map().keys().as_string::<i32>().value(1), "\u{FFFD}");
    as_utf8(&map.slice(0, 1)).unwrap().to_data().validate_full().unwrap();
}

#[test]
fn dictionaries_and_runs() {
    let mut builder = BinaryDictionaryBuilder::<Int8Type>::new();
    for value in [&b"a"[..], b"\xFF", b"a", b"b", b"\xFF"] {
        builder.append(value).unwrap();
    }
    let dictionary = builder.finish();
    assert_eq!(rows_and_paths(&dictionary), [(1, String::new()), (4, String::new())]);
    for &policy in Policy::ALL {
        let text = repair(&dictionary, policy).unwrap();
        text.to_data().validate_full().unwrap();
        assert_eq!(text.as_dictionary::<Int8Type>().keys(), dictionary.keys());
    }
    // No row of the slice names the bad value.
    let text = as_utf8(&dictionary.slice(2, 2)).unwrap();
    text.to_data().validate_full().unwrap();
    let text = text.as_dictionary::<Int8Type>().downcast_dict::<StringArray>().unwrap();
    assert_eq!(text.into_iter().collect::<Vec<_>>(), [Some("a"), Some("b")]);

    let values = BinaryArray::from_vec(vec![b"a", b"\xFF", b"b"]);
    let runs = RunArray::try_new(&Int16Array::from(vec![2, 5, 6]), &values).unwrap();
    assert_eq!(rows_and_paths(&runs), [2, 3, 4].map(|row| (row, String::new())));
    for &policy in Policy::ALL {
        repair(&runs, policy).unwrap().to_data().validate_full().unwrap();
    }
    assert_eq!(rows_and_paths(&runs.slice(3, 3)), [0, 1].map(|row| (row, String::new())));
    for clean in [runs.slice(0, 2), runs.slice(5, 1)] {
        let text = as_utf8(&clean).unwrap();
        assert_eq!(
            (text.len(), text.as_run::<Int16Type>().values().data_type()),
            (clean.len(), &DataType::Utf8)
        );
    }
    // Inside a list, with values that no row reaches.
    let inner: ArrayRef = Arc::new(runs);
    let field = Arc::new(Field::new_list_field(inner.data_type().clone(), true));
    let list = ListArray::new(field, OffsetBuffer::new(vec![0, 2, 4, 6].into()), inner, None);
    assert_eq!(rows_and_paths(&list), [1, 1, 2].map(|row| (row, "[]".to_owned())));
    assert!(as_utf8(&list.slice(0, 1)).is_ok());
}

#[test]
fn lists_of_builders() {
    let mut builder = ListBuilder::new(BinaryBuilder::new());
    for row in 0..300_u32 {
        for item in 0..row % 4 {
            builder.values().append_value(if row * item == 598 { &b"\xFF"[..] } else { b"ok" });
        }
        builder.append(row % 7 > 0);
    }
    let list = builder.finish();
    assert_eq!(rows_and_paths(&list), [(299, "[]".to_owned())]);
    as_utf8(&list.slice(0, 299)).unwrap().to_data().validate_full().unwrap();
}

#[test]
fn batches_that_lie() {
    let (offsets, values, nulls) = dirty().into_parts();
    // SAFETY: none. The test is about text that lies, and does not read it.
    let lie = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
    let views =
        BinaryViewArray::from_iter_values([&b"a"[..], b"b", b"\xFF and more than twelve", b"", b"", b""]);
    let (views, buffers, nulls) = views.into_parts();
    // SAFETY: likewise.
    let views = unsafe { StringViewArray::new_unchecked(views, buffers, nulls) };
    let raw: ArrayRef = Arc::new(dirty());
    let list: ArrayRef = {
        let field = Arc::new(Field::new_list_field(DataType::Utf8View, true));
        Arc::new(ListArray::new(
            field,
            OffsetBuffer::new(vec![0, 3, 3, 3, 6, 6, 6].into()),
            Arc::new(views.clone()),
            None,
        ))
    };
    let batch = |columns: Vec<(&str, ArrayRef)>| RecordBatch::try_from_iter(columns).unwrap();
    assert_eq!(check(&batch(vec![("raw", raw.clone())])), Ok(()));
    let error = check(&batch(vec![("raw", raw.clone()), ("views", Arc::new(views)), ("lie", Arc::new(lie))]))
        .unwrap_err();
    assert_eq!((error.row(), error.path()), (1, "lie"));
    let error = check(&batch(vec![("raw", raw), ("list", list)])).unwrap_err();
    assert_eq!((error.row(), error.path()), (0, "list[]"));
    assert!(error.to_string().starts_with("row 0, list[]: invalid UTF-8 at byte 0: FF "), "{error}");
}

#[test]
fn dictionary_keys_that_are_null() {
    let keys = arrow_array::Int8Array::from(vec![Some(0), None, Some(1)]);
    let values = BinaryArray::from_vec(vec![b"a", b"b", b"\xFF"]);
    let array = DictionaryArray::new(keys, Arc::new(values));
    as_utf8(&array).unwrap().to_data().validate_full().unwrap();
    assert_eq!(is_valid(&array).unwrap().iter().collect::<Vec<_>>(), [Some(true), None, Some(true)]);
}

/// Nulls that a repair makes among values that rows share show in the field.
#[test]
fn fields_of_shared_values_become_nullable() {
    let values = BinaryArray::from_vec(vec![b"a", b"\xFF"]);
    let runs: ArrayRef = Arc::new(RunArray::try_new(&Int32Array::from(vec![1, 3]), &values).unwrap());
    let dictionary: ArrayRef =
        Arc::new(DictionaryArray::new(arrow_array::Int8Array::from(vec![1, 0, 1]), Arc::new(values)));
    for shared in [runs, dictionary] {
        let field = Field::new("field", shared.data_type().clone(), false);
        let array = StructArray::new(vec![field].into(), vec![shared], None);
        let repaired = repair(&array, Policy::Null).unwrap();
        assert!(repaired.as_struct().fields()[0].is_nullable(), "{}", repaired.data_type());
        let (fields, columns, nulls) = repaired.as_struct().clone().into_parts();
        StructArray::try_new(fields, columns, nulls).unwrap();
        let kept = repair(&array, Policy::Drop).unwrap();
        assert!(!kept.as_struct().fields()[0].is_nullable(), "{}", kept.data_type());
    }
}

/// A field that has nulls where no row reaches them stays as it is: under a null, or among a dictionary's values without a key. Arrow
/// refuses the keys of a map otherwise.
#[test]
fn fields_without_new_nulls_stay_as_they_are() {
    let values = BinaryArray::from_opt_vec(vec![Some(b"a"), None, Some(b"\xFF")]);
    let keys: ArrayRef =
        Arc::new(DictionaryArray::new(arrow_array::Int8Array::from(vec![0, 2]), Arc::new(values.clone())));
    let field = |name: &str, array: &ArrayRef| Field::new(name, array.data_type().clone(), false);
    let entries = StructArray::new(
        vec![field("key", &keys), field("value", &keys)].into(),
        vec![keys.clone(), keys],
        None,
    );
    let entries_field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let map = MapArray::new(entries_field, OffsetBuffer::from_lengths([2]), entries, None, false);
    for &policy in Policy::ALL {
        let repaired = repair(&map, policy).unwrap().as_map().clone();
        let nullable = repaired.entries().fields().iter().map(|field| field.is_nullable());
        assert_eq!(nullable.collect::<Vec<_>>(), [false, policy == Policy::Null], "{policy:?}");
        let (field, offsets, entries, nulls, is_sorted) = repaired.into_parts();
        MapArray::try_new(field, offsets, entries, nulls, is_sorted).unwrap();
    }

    let columns: [ArrayRef; 2] =
        [Arc::new(values.slice(0, 2)), Arc::new(Int32Array::from(vec![Some(1), None]))];
    let fields = vec![field("name", &columns[0]), field("number", &columns[1])];
    let nulls = Some(NullBuffer::from(vec![true, false]));
    let text = as_utf8(&StructArray::new(fields.into(), columns.to_vec(), nulls)).unwrap();
    assert!(text.as_struct().fields().iter().all(|field| !field.is_nullable()), "{}", text.data_type());

    let item = Arc::new(field("item", &columns[0]));
    // SAFETY: as the format has it, no row reaches the null. Arrow refuses it in the values, too.
    let views = unsafe {
        ListViewArray::new_unchecked(item, vec![0].into(), vec![1].into(), columns[0].clone(), None)
    };
    for text in [as_utf8(&views).unwrap(), repair(&views, Policy::Drop).unwrap()] {
        let text = text.as_list_view::<i32>().value(0);
        assert_eq!(text.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a")]);
    }
}

/// The nulls of a union are those of its values, so its field becomes nullable with them.
#[test]
fn fields_of_unions_become_nullable() {
    use arrow_array::UnionArray;
    use arrow_schema::UnionFields;

    let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"a", b"\xFF"]).into_parts();
    // SAFETY: none. Only what validates it may read it.
    let lie: ArrayRef = Arc::new(unsafe { StringArray::new_unchecked(offsets, values, nulls) });
    let fields = UnionFields::try_new([0], [Field::new("text", DataType::Utf8, false)]).unwrap();
    let union: ArrayRef = Arc::new(UnionArray::try_new(fields, vec![0, 0].into(), None, vec![lie]).unwrap());
    let field = Field::new("union", union.data_type().clone(), false);
    let array = StructArray::new(vec![field].into(), vec![union], None);
    let checked = trust8_arrow::Checker::repair(Policy::Null).array(&array).unwrap();
    for repaired in [repair(&array, Policy::Null).unwrap(), checked] {
        let (fields, columns, nulls) = repaired.as_struct().clone().into_parts();
        assert_eq!(columns[0].logical_null_count(), 1);
        StructArray::try_new(fields, columns, nulls).unwrap();
    }
}

/// A row is null if the value that it shares with others is.
#[test]
fn nulls_that_rows_share() {
    use arrow_array::NullArray;

    let values = BinaryArray::from_opt_vec(vec![Some(b"a"), None, Some(b"\xFF")]);
    let dictionary: DictionaryArray<Int32Type> = DictionaryArray::new(
        Int32Array::from(vec![Some(1), Some(0), None, Some(2)]),
        Arc::new(values.clone()),
    );
    let expected = [None, Some(true), None, Some(false)];
    assert_eq!(is_valid(&dictionary).unwrap(), BooleanArray::from(expected.to_vec()));
    let runs = RunArray::try_new(&Int32Array::from(vec![1, 3, 4]), &values).unwrap();
    let expected = [Some(true), None, None, Some(false)];
    assert_eq!(is_valid(&runs).unwrap(), BooleanArray::from(expected.to_vec()));
    assert_eq!(is_valid(&runs.slice(1, 3)).unwrap(), BooleanArray::from(expected[1..].to_vec()));
    assert_eq!(is_valid(&NullArray::new(2)).unwrap(), BooleanArray::from(vec![None, None]));
}

/// Rows of a list view may come in any order and share items, and rows of a union have one field.
#[test]
fn unions_and_list_views() {
    use arrow_array::{ListViewArray, UnionArray};
    use arrow_schema::UnionFields;

    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"\xFE"]));
    let numbers: ArrayRef = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let field = |name: &str, array: &ArrayRef| Arc::new(Field::new(name, array.data_type().clone(), true));
    let offsets = vec![1, 0, 0, 2];
    let nulls = NullBuffer::from(vec![true, true, true, false]);
    let list = |values: &ArrayRef| {
        let sizes = vec![1, 2, 1, 1].into();
        ListViewArray::new(
            field("item", values),
            offsets.clone().into(),
            sizes,
            values.clone(),
            Some(nulls.clone()),
        )
    };
    let union = |values: &ArrayRef, offsets: Option<Vec<i32>>| {
        let fields =
            UnionFields::try_new([2, 0], [field("bytes", values), field("number", &numbers)]).unwrap();
        let children = vec![values.clone(), numbers.clone()];
        UnionArray::try_new(fields, vec![2, 0, 2].into(), offsets.map(Into::into), children).unwrap()
    };
    for (array, bad, path) in [
        (Arc::new(list(&values)) as ArrayRef, vec![0, 1], "[]"),
        (Arc::new(union(&values, None)), vec![2], ".bytes"),
        (Arc::new(union(&values, Some(vec![1, 1, 1]))), vec![0, 2], ".bytes"),
    ] {
        let found = errors(&array).unwrap();
        assert_eq!(found["row"].as_primitive::<UInt64Type>().values(), &bad[..]);
        assert_eq!(found["path"].as_string::<i64>().value(0), path);
        let valid = is_valid(&array).unwrap();
        let rows = (0..array.len()).filter(|&row| valid.is_valid(row) && !valid.value(row));
        assert_eq!(rows.map(|row| row as u64).collect::<Vec<_>>(), bad);
        let error = as_utf8(&array).unwrap_err();
        assert_eq!((error.row() as u64, error.path()), (bad[0], path));
        let batch = RecordBatch::try_from_iter([("column", array.clone())]).unwrap();
        assert!(check(&batch).is_ok(), "nothing in it claims to be text");
        let repaired = repair(&array, Policy::Escape).unwrap();
        assert!(as_utf8(&repaired).is_ok());
        repaired.to_data().validate_full().unwrap();
    }
    let repaired = repair(&list(&values), Policy::Escape).unwrap();
    // No row has the last value.
    let expected: ArrayRef = Arc::new(StringArray::from(vec!["a", r"\xFF", ""]));
    assert_eq!(repaired.as_list_view::<i32>(), &list(&expected));
}

/// The bytes of a UUID are no text to be.
#[test]
fn extension_types() {
    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF"]));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
    let named = |name: &str, array: &ArrayRef| {
        let metadata = HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
        Arc::new(Field::new(name, array.data_type().clone(), true).with_metadata(metadata))
    };
    let plain = Arc::new(Field::new("plain", DataType::Binary, true));
    let of = |fields: Vec<(Arc<Field>, ArrayRef)>| Arc::new(StructArray::from(fields)) as ArrayRef;
    let array = of(vec![(named("id", &bytes), bytes.clone()), (named("json", &text), text)]);
    assert_eq!(as_utf8(&array).unwrap().data_type(), array.data_type());
    assert_eq!(errors(&array).unwrap().num_rows(), 0);
    let list = ListArray::new(named("item", &bytes), OffsetBuffer::from_lengths([2]), bytes.clone(), None);
    assert_eq!(repair(&list, Policy::Drop).unwrap().data_type(), list.data_type());
    assert_eq!(is_valid(&list).unwrap(), BooleanArray::from(vec![true]));
    let array = of(vec![(named("id", &bytes), bytes.clone()), (plain, bytes.clone())]);
    let repaired = repair(&array, Policy::Drop).unwrap();
    let types = repaired.as_struct().fields().iter().map(|field| field.data_type().clone());
    assert_eq!(types.collect::<Vec<_>>(), [DataType::Binary, DataType::Utf8]);
    assert_eq!(errors(&array).unwrap().num_rows(), 1);

    // Text beside the bytes is text.
    let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"a", b"\xFF"]).into_parts();
    // SAFETY: none. Only what validates it may read it.
    let lie: ArrayRef = Arc::new(unsafe { StringArray::new_unchecked(offsets, values, nulls) });
    let text = Arc::new(Field::new("text", DataType::Utf8, true));
    let both = of(vec![(text, lie), (Arc::new(Field::new("plain", DataType::Binary, true)), bytes)]);
    let item = || named("item", &both);
    let one = || OffsetBuffer::from_lengths([1, 1]);
    let ends = Int32Array::from(vec![1, 2]);
    let runs_field = Arc::new(Field::new("run_ends", DataType::Int32, false));
    let runs = DataType::RunEndEncoded(runs_field, item());
    let runs = ArrayData::builder(runs).len(2).child_data(vec![ends.to_data(), both.to_data()]).build();
    let entries = StructArray::from(vec![
        (Arc::new(Field::new("key", DataType::Int32, false)), Arc::new(ends) as ArrayRef),
        (named("value", &both), both.clone()),
    ]);
    let entries_field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    for array in [
        of(vec![(item(), both.clone())]),
        Arc::new(ListArray::new(item(), one(), both.clone(), None)),
        Arc::new(FixedSizeListArray::new(item(), 1, both.clone(), None)),
        Arc::new(MapArray::new(entries_field, one(), entries, None, false)),
        make_array(runs.unwrap()),
    ] {
        let data_type = array.data_type();
        assert_eq!(is_valid(&array).unwrap(), BooleanArray::from(vec![true, false]), "{data_type}");
        assert_eq!((errors(&array).unwrap().num_rows(), as_utf8(&array).is_err()), (1, true), "{data_type}");
        let repaired = repair(&array, Policy::Drop).unwrap();
        assert_eq!((errors(&repaired).unwrap().num_rows(), repaired.data_type()), (0, data_type));
    }
}

#[test]
fn columns_of_a_batch() {
    use arrow_schema::Schema;
    use trust8_arrow::{batch_errors, repair_batch};

    let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF"]));
    let (offsets, values, nulls) = BinaryArray::from_vec(vec![b"\xFE", b"b"]).into_parts();
    // SAFETY: none. Only what validates it may read it.
    let lie: ArrayRef = Arc::new(unsafe { StringArray::new_unchecked(offsets, values, nulls) });
    let metadata = HashMap::from([("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())]);
    let fields = vec![
        Field::new("image", DataType::Binary, false),
        Field::new("id", DataType::Binary, false).with_metadata(metadata.clone()),
        Field::new("name", DataType::Utf8, false),
    ];
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let batch = RecordBatch::try_new(schema, vec![bytes.clone(), bytes.clone(), lie]).unwrap();
    let rows = |columns| {
        let table = batch_errors(&batch, columns).unwrap();
        let paths = table["path"].as_string::<i64>().iter().map(|path| path.unwrap().to_owned());
        let rows = table["row"].as_primitive::<arrow_array::types::UInt64Type>().values();
        rows.iter().copied().zip(paths).collect::<Vec<_>>()
    };
    // Without names it is the text, and nothing else.
    assert_eq!(rows(None), [(0, "name".to_owned())]);
    assert_eq!(rows(Some(&["image", "name"])), [(0, "name".to_owned()), (1, "image".to_owned())]);
    assert_eq!(rows(Some(&[])), []);
    let text = repair_batch(&batch, None, Policy::Null).unwrap();
    check(&text).unwrap();
    assert_eq!(text.schema().metadata(), batch.schema().metadata());
    assert!(text.schema().field(2).is_nullable() && text["name"].is_null(0));
    assert_eq!((&text["image"], &text["id"]), (&batch["image"], &batch["id"]));
    let named = repair_batch(&batch, Some(&["image"]), Policy::Drop).unwrap();
    assert_eq!(named["image"].as_string::<i32>(), &StringArray::from(vec!["a", ""]));
    // A report of all sources had the reason twice.
    assert!(std::error::Error::source(&check(&named).unwrap_err()).is_none());
    for (name, what) in [("id", "extension type"), ("names", "no column of this name")] {
        let errors = [
            repair_batch(&batch, Some(&["image", name]), Policy::Drop).unwrap_err(),
            batch_errors(&batch, Some(&["image", name])).unwrap_err(),
        ];
        errors
            .iter()
            .for_each(|error| assert!(error.path() == name && error.to_string().contains(what), "{error}"));
    }
}

#[test]
fn profiles_repair_views_as_they_repair_offsets() {
    let rows = [
        Some("fine"),
        None,
        Some("\0"),
        Some("a long row that is fine"),
        Some("\0 in a long row"),
        Some("a\0b"),
    ];
    let (offsets, views) = (StringArray::from_iter(rows), StringViewArray::from_iter(rows));
    for policy in Policy::ALL {
        let [one, other] = [&offsets as &dyn Array, &views]
            .map(|array| texts(&repair_in(array, *policy, &Profile::POSTGRES).unwrap()));
        assert_eq!(one, other, "{policy}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn errors_go_into_reports() {
    let error = as_utf8(&BinaryArray::from_vec(vec![b"ok", b"caf\xE9"])).unwrap_err();
    let expected = serde_json::json!({
        "row": 1, "path": "", "offset": 3, "kind": "incomplete", "message": error.reason().to_string(),
    });
    assert_eq!(serde_json::to_value(error).unwrap(), expected);
}

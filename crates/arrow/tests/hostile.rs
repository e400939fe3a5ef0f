//! Arrays that arrow lets be built without checks, and that no reader should trust: errors and no
//! panic.

#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a list of arrays, each of which is built without checks"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::builder::make_view;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeListArray, Int8Array,
    Int32Array, LargeBinaryArray, ListArray, MapArray, NullArray, PrimitiveArray, RecordBatch, RunArray,
    StringArray, StringViewArray, StructArray, make_array,
};
use arrow_buffer::{
    ArrowNativeType, BooleanBufferBuilder, Buffer, NullBuffer, OffsetBuffer, RunEndBuffer, ScalarBuffer,
};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields};
use trust8_arrow::{Checker, Reason, as_utf8, check, errors, is_valid, is_valid_in, repair, repair_in};
use trust8_columns::Policy;
use trust8_profile::Profile;

/// Calls everything, and returns the error of `as_utf8`. Where that has none, what it returns can
/// be read.
fn call_all(array: &ArrayRef) -> Option<Reason> {
    let result = as_utf8(array);
    let _ = errors(array).map(|table| table.num_rows());
    let _ = is_valid(array).map(|valid| valid.len());
    for policy in
        [Policy::Replace, Policy::Java, Policy::Drop, Policy::Null, Policy::Escape, Policy::Windows1252]
    {
        if let Ok(text) = repair(array, policy) {
            read(&text);
        }
    }
    let field = Field::new("column", array.data_type().clone(), true);
    let schema = Arc::new(arrow_schema::Schema::new(vec![field]));
    // A batch asks for lengths, and that panics in arrow itself if there are no offsets.
    if let Ok(Ok(batch)) =
        catch_unwind(AssertUnwindSafe(|| RecordBatch::try_new(schema, vec![array.clone()])))
    {
        let _ = check(&batch);
    }
    match result {
        Ok(text) => {
            read(&text);
            None
        }
        Err(error) => {
            let _ = (error.to_string(), error.row(), error.path().to_owned());
            Some(error.reason())
        }
    }
}

/// Reads all text, as far as it lies directly in the array.
fn read(array: &dyn Array) {
    let texts: Vec<&str> = match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_any().downcast_ref::<StringArray>().unwrap();
            (0..array.len()).map(|row| array.value(row)).collect()
        }
        DataType::Utf8View => {
            let array = array.as_any().downcast_ref::<StringViewArray>().unwrap();
            (0..array.len()).map(|row| array.value(row)).collect()
        }
        _ => return,
    };
    texts.iter().for_each(|text| assert!(std::str::from_utf8(text.as_bytes()).is_ok()));
}

fn unchecked<O: ArrowNativeType>(offsets: &[O]) -> OffsetBuffer<O> {
    // SAFETY: none. What these tests build breaks every rule, and only what checks it may read it.
    unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets.to_vec())) }
}

#[test]
fn offsets() {
    let values = Buffer::from_slice_ref(b"a\xFFbcd");
    let cases: [&[i32]; 9] = [
        &[],
        &[0, 9],
        &[-1, 2],
        &[0, 3, 2],
        &[i32::MAX, i32::MIN],
        &[3, 2, 1],
        &[0, i32::MAX, 5],
        &[5, 5, 6],
        &[i32::MIN; 3],
    ];
    for offsets in cases {
        let wide: Vec<i64> = offsets.iter().map(|&offset| i64::from(offset) << 20).collect();
        // SAFETY: as above.
        let array: ArrayRef =
            Arc::new(unsafe { BinaryArray::new_unchecked(unchecked(offsets), values.clone(), None) });
        assert!(matches!(call_all(&array), Some(Reason::Layout(_) | Reason::Shape(_))), "{offsets:?}");
        // SAFETY: as above.
        let text: ArrayRef =
            Arc::new(unsafe { StringArray::new_unchecked(unchecked(offsets), values.clone(), None) });
        assert!(call_all(&text).is_some(), "{offsets:?}");
        // SAFETY: as above.
        let array: ArrayRef =
            Arc::new(unsafe { LargeBinaryArray::new_unchecked(unchecked(&wide), values.clone(), None) });
        assert!(call_all(&array).is_some(), "{offsets:?}");
        // Inside other arrays, and as the offsets of a list.
        for inner in [array, text] {
            let field = Arc::new(Field::new_list_field(inner.data_type().clone(), true));
            for list in [offsets, &[0, 1, 1]] {
                let offsets = unchecked(list);
                // SAFETY: as above.
                let list: ArrayRef = Arc::new(unsafe {
                    ListArray::new_unchecked(field.clone(), offsets, inner.clone(), None)
                });
                assert!(call_all(&list).is_some());
            }
            let fields = Fields::from(vec![Field::new("field", inner.data_type().clone(), true)]);
            // SAFETY: as above.
            let array = unsafe { StructArray::new_unchecked_with_length(fields, vec![inner], None, 1) };
            assert!(call_all(&(Arc::new(array) as ArrayRef)).is_some());
        }
        let inner: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF"]));
        let field = Arc::new(Field::new_list_field(DataType::Binary, true));
        // SAFETY: as above.
        let list = unsafe { ListArray::new_unchecked(field, unchecked(offsets), inner, None) };
        assert!(call_all(&(Arc::new(list) as ArrayRef)).is_some(), "{offsets:?}");
    }
}

#[test]
fn views() {
    let view = |len: u32, prefix: u32, buffer: u32, offset: u32| {
        u128::from(len) | u128::from(prefix) << 32 | u128::from(buffer) << 64 | u128::from(offset) << 96
    };
    let prefix = u32::from_le_bytes(*b"more");
    let buffers: Arc<[Buffer]> = vec![Buffer::from_slice_ref(b"more than twelve \xFF")].into();
    for bad in [
        view(5, 0, 0, 1),
        view(13, prefix, 1, 0),
        view(13, prefix, u32::MAX, u32::MAX),
        view(u32::MAX, prefix, 0, 0),
        view(13, prefix + 1, 0, 0),
        view(13, prefix, 0, 9),
        u128::MAX,
    ] {
        let views = ScalarBuffer::from(vec![0, bad, view(16, prefix, 0, 0)]);
        // SAFETY: none, as above.
        let array = unsafe { BinaryViewArray::new_unchecked(views.clone(), buffers.clone(), None) };
        assert!(matches!(call_all(&(Arc::new(array) as ArrayRef)), Some(Reason::Layout(_))), "{bad:032X}");
        // Under a null it may be anything.
        let nulls = NullBuffer::from(vec![true, false, true]);
        // SAFETY: none, as above.
        let array = unsafe { StringViewArray::new_unchecked(views, buffers.clone(), Some(nulls)) };
        assert_eq!(call_all(&(Arc::new(array) as ArrayRef)), None, "{bad:032X}");
    }
}

#[test]
fn validity_of_another_length() {
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"b", b"c"]));
    let (offsets, bytes, _) = BinaryArray::from_vec(vec![b"a", b"\xFF"]).into_parts();
    let field = Arc::new(Field::new_list_field(DataType::Binary, true));
    let fields = Fields::from(vec![Field::new("field", DataType::Binary, true)]);
    // SAFETY: none, as above.
    let arrays: [ArrayRef; 4] = unsafe {
        [
            Arc::new(BinaryArray::new_unchecked(offsets, bytes, nulls())),
            Arc::new(ListArray::new_unchecked(field.clone(), unchecked(&[0, 1, 4]), values.clone(), nulls())),
            Arc::new(FixedSizeListArray::new_unchecked(field, 2, values.clone(), nulls(), 2)),
            Arc::new(StructArray::new_unchecked_with_length(fields, vec![values], nulls(), 4)),
        ]
    };
    for array in arrays {
        assert!(matches!(call_all(&array), Some(Reason::Shape(_))), "{}", array.data_type());
    }
}

#[test]
fn children_of_another_length() {
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"b", b"c"]));
    let field = Arc::new(Field::new_list_field(DataType::Binary, true));
    let fields = |names: &[&str]| {
        names.iter().map(|name| Field::new(*name, DataType::Binary, false)).collect::<Fields>()
    };
    let map = |names: &[&str], len: usize, offsets: &[i32]| {
        let columns = names.iter().map(|_| values.clone()).collect();
        // SAFETY: none, as above.
        let entries = unsafe { StructArray::new_unchecked_with_length(fields(names), columns, None, len) };
        let field = Arc::new(Field::new("entries", DataType::Struct(fields(names)), false));
        // SAFETY: none, as above.
        Arc::new(unsafe { MapArray::new_unchecked(field, unchecked(offsets), entries, None, false) })
            as ArrayRef
    };
    // SAFETY: none, as above.
    let lists: [ArrayRef; 3] = unsafe {
        [
            Arc::new(FixedSizeListArray::new_unchecked(field.clone(), 2, values.clone(), None, 1)),
            Arc::new(FixedSizeListArray::new_unchecked(field, 2, values.clone(), None, 3)),
            Arc::new(StructArray::new_unchecked_with_length(fields(&["f"]), vec![values.clone()], None, 2)),
        ]
    };
    let maps = [
        map(&["k"], 4, &[0, 4]),
        map(&["k", "v"], 3, &[0, 3]),
        map(&["k", "v"], 9, &[0, 9]),
        map(&["k", "v"], 4, &[0, 5]),
    ];
    for array in lists.into_iter().chain(maps) {
        assert!(matches!(call_all(&array), Some(Reason::Shape(_))), "{}", array.data_type());
    }
}

/// Keys around the last value, and around the border between those with the highest bit and those without.
#[test]
fn keys_of_each_type() {
    fn check<K: ArrowDictionaryKeyType>(values: usize, good: &[K::Native], bad: &[K::Native]) {
        let values: ArrayRef = Arc::new(StringArray::from(vec![""; values]));
        let is_refused = |keys: &[K::Native]| {
            let keys = PrimitiveArray::<K>::new(keys.to_vec().into(), None);
            // SAFETY: none, as is usual with data from outside.
            let array = unsafe { DictionaryArray::<K>::new_unchecked(keys, values.clone()) };
            Checker::refuse().array(&array).is_err()
        };
        assert!(!is_refused(good), "{:?} {good:?}", K::DATA_TYPE);
        for &key in bad {
            for at in 0..20 {
                let mut keys = vec![good[0]; 20];
                keys[at] = key;
                assert!(is_refused(&keys), "{:?} {key:?}", K::DATA_TYPE);
            }
        }
    }
    check::<Int8Type>(100, &[0, 99], &[100, i8::MAX, i8::MIN, -1]);
    check::<Int8Type>(300, &[0, i8::MAX], &[i8::MIN, -1]);
    check::<Int16Type>(100, &[0, 99], &[100, i16::MAX, i16::MIN, -1]);
    check::<Int32Type>(100, &[0, 99], &[100, i32::MAX, i32::MIN, -1]);
    check::<Int64Type>(100, &[0, 99], &[100, i64::MAX, i64::MIN, -1]);
    check::<UInt8Type>(200, &[0, 127, 128, 199], &[200, u8::MAX]);
    check::<UInt8Type>(300, &[0, u8::MAX], &[]);
    check::<UInt16Type>(40_000, &[0, 39_999], &[40_000, u16::MAX]);
    check::<UInt32Type>(100, &[0, 99], &[100, 1 << 31, u32::MAX]);
    check::<UInt64Type>(100, &[0, 99], &[100, 1 << 63, u64::MAX]);
}

#[test]
fn keys_and_run_ends() {
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"b"]));
    for keys in [vec![0, 1, -1], vec![0, 100, 2], vec![-128; 3], vec![]] {
        // SAFETY: none, as above.
        let array = unsafe {
            DictionaryArray::<Int8Type>::new_unchecked(Int8Array::from(keys.clone()), values.clone())
        };
        let error = call_all(&(Arc::new(array) as ArrayRef));
        assert_eq!(error.is_some(), !keys.is_empty(), "{keys:?}");
    }
    for data_ends in [
        vec![1, 2, 3],
        vec![3, 2, 1],
        vec![-1, -5, 2],
        vec![i32::MAX; 3],
        vec![0, 0, 0],
        vec![1],
        vec![],
        vec![1, 2, 3, 4],
    ] {
        for (offset, len) in [(0, 3), (2, 1), (0, 0), (1, 500)] {
            // SAFETY: none, as above.
            let ends =
                unsafe { RunEndBuffer::new_unchecked(ScalarBuffer::from(data_ends.clone()), offset, len) };
            let types = [DataType::Int32, DataType::Binary]
                .map(|data_type| Arc::new(Field::new("field", data_type, true)));
            let [run, value] = types;
            let data_type = DataType::RunEndEncoded(run, value);
            // SAFETY: none, as above.
            let array = unsafe { RunArray::<Int32Type>::new_unchecked(data_type, ends, values.clone()) };
            let is_sound = data_ends == [1, 2, 3] && offset + len <= 3;
            let has_fault = offset <= 1 && len > 0;
            let error = call_all(&(Arc::new(array) as ArrayRef));
            assert_eq!(error.is_none(), is_sound && !has_fault, "{data_ends:?}, {offset}, {len}");
        }
    }
}

/// Arrays without bytes are returned as they are, and must be looked at before arrow slices them.
#[test]
fn arrays_without_bytes() {
    let numbers: ArrayRef = Arc::new(Int8Array::from(vec![1, 2, 3, 4]));
    let field = Arc::new(Field::new_list_field(DataType::Int8, true));
    let fields = Fields::from(vec![Field::new("field", DataType::Int8, true)]);
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    // SAFETY: none, as above.
    let fixed = unsafe { FixedSizeListArray::new_unchecked(field.clone(), 2, numbers.clone(), None, 3) };
    let nested = Fields::from(vec![Field::new("field", fixed.data_type().clone(), true)]);
    // SAFETY: none, as above.
    let arrays: [ArrayRef; 7] = unsafe {
        [
            Arc::new(StructArray::new_unchecked_with_length(
                fields.clone(),
                vec![numbers.clone()],
                nulls(),
                4,
            )),
            Arc::new(StructArray::new_unchecked_with_length(fields, vec![numbers.clone()], None, 5)),
            Arc::new(ListArray::new_unchecked(field.clone(), unchecked(&[]), numbers.clone(), None)),
            Arc::new(ListArray::new_unchecked(
                field.clone(),
                unchecked(&[0, 1, 4]),
                numbers.clone(),
                nulls(),
            )),
            Arc::new(FixedSizeListArray::new_unchecked(field, -2, numbers, None, 2)),
            Arc::new(StructArray::new_unchecked_with_length(nested, vec![Arc::new(fixed.clone())], None, 3)),
            Arc::new(fixed),
        ]
    };
    for (case, array) in arrays.into_iter().enumerate() {
        assert!(matches!(call_all(&array), Some(Reason::Shape(_))), "{case}: {}", array.data_type());
        assert!(is_valid(&array).is_err(), "{case}: {}", array.data_type());
    }
}

/// The type of an array of runs may name another type of ends than the array has.
#[test]
fn runs_with_another_type_of_ends() {
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF"]));
    // SAFETY: none, as above.
    let ends = unsafe { RunEndBuffer::new_unchecked(ScalarBuffer::from(vec![1, 2]), 0, 2) };
    for claimed in [DataType::Int16, DataType::Int64, DataType::Utf8] {
        let [run, value] =
            [claimed, DataType::Binary].map(|data_type| Arc::new(Field::new("field", data_type, true)));
        let data_type = DataType::RunEndEncoded(run, value);
        // SAFETY: none, as above.
        let array = unsafe { RunArray::<Int32Type>::new_unchecked(data_type, ends.clone(), values.clone()) };
        assert!(matches!(call_all(&(Arc::new(array) as ArrayRef)), Some(Reason::Shape(_))));
    }
}

/// A few bytes can claim a million million rows. Nothing that asks for the first bad row, or for
/// text, may visit each of them.
#[test]
fn runs_of_many_rows() {
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"\xFE"]));
    let ends = |offset, len| {
        let ends = ScalarBuffer::from(vec![1_i64 << 40, 3 << 40, 4 << 40]);
        // SAFETY: none, as above.
        unsafe { RunEndBuffer::new_unchecked(ends, offset, len) }
    };
    let [run, value] =
        [DataType::Int64, DataType::Binary].map(|data_type| Arc::new(Field::new("field", data_type, true)));
    let data_type = DataType::RunEndEncoded(run, value);
    let of = |offset, len| {
        let ends = ends(offset, len);
        // SAFETY: none, as above.
        unsafe { RunArray::<Int64Type>::new_unchecked(data_type.clone(), ends, values.clone()) }
    };
    let error = as_utf8(&of(5, 3 << 40)).unwrap_err();
    assert_eq!(error.row(), (1 << 40) - 5);
    assert!(as_utf8(&of(5, 1000)).is_ok());
    assert!(matches!(errors(&of(5, 3 << 40)).unwrap_err().reason(), Reason::Shape(_)));
    assert!(is_valid(&of(5, 3 << 40)).is_err());
    for policy in [Policy::Replace, Policy::Null] {
        assert_eq!(repair(&of(5, 3 << 40), policy).unwrap().len(), 3 << 40);
    }
}

/// Each row of this dictionary is the same list of bad items. Their errors would need a hundred
/// thousand times the memory of the array.
#[test]
fn rows_that_share_a_long_list() {
    let items: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"\xFF"; 100_000]));
    let field = Arc::new(Field::new_list_field(DataType::Binary, true));
    let list = ListArray::new(field, OffsetBuffer::from_lengths([100_000]), items, None);
    let of = |rows| DictionaryArray::new(Int32Array::from(vec![0; rows]), Arc::new(list.clone()));
    assert_eq!(errors(&of(3)).unwrap().num_rows(), 300_000);
    for many in [200, 100_000] {
        assert!(matches!(errors(&of(many)).unwrap_err().reason(), Reason::Shape(_)));
        assert_eq!(is_valid(&of(many)).unwrap().false_count(), many);
        assert_eq!(as_utf8(&of(many)).unwrap_err().row(), 0);
        assert!(as_utf8(&repair(&of(many), Policy::Replace).unwrap()).is_ok());
        // A row of a struct needs no more than one value either.
        let field = Field::new("field", of(many).data_type().clone(), true);
        let array = StructArray::new(vec![field].into(), vec![Arc::new(of(many))], None);
        assert_eq!(is_valid(&array).unwrap().false_count(), many);
    }
}

/// Only rows that are reached count, and only values that rows share.
#[test]
fn a_run_of_many_rows() {
    let rows = (1 << 24) + 1;
    let value = BinaryArray::from_vec(vec![b"\xFF"]);
    let run = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![rows as i32]), &value).unwrap();
    assert!(matches!(errors(&run).unwrap_err().reason(), Reason::Shape(_)));
    assert_eq!(is_valid(&run).unwrap().false_count(), rows);
    let mut valid = BooleanBufferBuilder::new(rows);
    valid.append_n(rows, false);
    valid.set_bit(7, true);
    let field = Field::new("field", run.data_type().clone(), true);
    let nulls = Some(NullBuffer::new(valid.finish()));
    let array = StructArray::new(vec![field].into(), vec![Arc::new(run)], nulls);
    assert_eq!(errors(&array).unwrap().num_rows(), 1);
    assert_eq!(is_valid(&array).unwrap().false_count(), 1);
}

/// A hundred thousand views name 100 GB of one buffer. A character that the profile forbids must not
/// make all of them a copy.
#[test]
fn views_that_overlap_and_a_profile() {
    let text = "a".repeat(1 << 20);
    let long = make_view(text.as_bytes(), 0, 0);
    let mut views = vec![long; 100_000];
    views[7] = make_view(b"\0", 0, 0);
    let buffers = [Buffer::from_vec(text.into_bytes())];
    // SAFETY: the views are those of text. (Arrow's own check would read the buffer for each.)
    let array = unsafe { StringViewArray::new_unchecked(views.into(), buffers.into(), None) };
    for policy in [Policy::Replace, Policy::Escape, Policy::Drop, Policy::Null] {
        let repaired = repair_in(&array, policy, &Profile::POSTGRES).unwrap();
        let repaired = repaired.as_string_view();
        assert_eq!((repaired.views()[6], repaired.views()[8]), (long, long));
        assert_eq!((repaired.is_null(7), repaired.value(7).contains('\0')), (policy == Policy::Null, false));
        assert!(is_valid_in(repaired, &Profile::POSTGRES).unwrap().iter().all(|valid| valid != Some(false)));
    }
}

/// Each of them was copied, up to 2 GiB.
#[test]
fn equal_views_share_their_repaired_row() {
    let text = [&"a".repeat(1 << 20)[..], "\0"].concat();
    let view = make_view(text.as_bytes(), 0, 0);
    for bytes in [text.as_bytes(), &[&[b'a'; 1 << 20][..], b"\xFF"].concat()] {
        let (views, buffers) = (vec![view; 3000], [Buffer::from_slice_ref(bytes)]);
        // SAFETY: none, as above.
        let array = unsafe { StringViewArray::new_unchecked(views.into(), buffers.into(), None) };
        for policy in [Policy::Replace, Policy::Escape, Policy::Drop] {
            let repaired = repair_in(&array, policy, &Profile::POSTGRES).unwrap();
            let repaired = repaired.as_string_view();
            assert!(repaired.views().iter().all(|view| *view == repaired.views()[0]));
            assert!(repaired.data_buffers()[1].capacity() <= 2 << 20);
            assert!(
                is_valid_in(repaired, &Profile::POSTGRES).unwrap().iter().all(|valid| valid == Some(true))
            );
        }
    }
}

/// The length of a list in a list is only a number until its items have been counted.
#[test]
fn a_list_of_lists_that_claim_many_rows() {
    let values: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"a", b"\xFF", b"b"]));
    for (size, rows) in [(1, usize::MAX / 2), (1, 1 << 40), (0, usize::MAX / 2), (2, usize::MAX / 2)] {
        let field = Arc::new(Field::new_list_field(DataType::Binary, true));
        // SAFETY: none, as above.
        let inner = unsafe { FixedSizeListArray::new_unchecked(field, size, values.clone(), None, rows) };
        let field = Arc::new(Field::new_list_field(inner.data_type().clone(), true));
        // SAFETY: none, as above.
        let list = unsafe { ListArray::new_unchecked(field, unchecked(&[0, 1, 2]), Arc::new(inner), None) };
        assert!(matches!(call_all(&(Arc::new(list) as ArrayRef)), Some(Reason::Shape(_))), "{size}");
    }
}

#[test]
fn rows_without_bytes_that_are_too_many() {
    for len in [1 << 25, 1 << 40, 1 << 45, isize::MAX as usize] {
        let data = ArrayData::builder(DataType::FixedSizeBinary(0)).len(len).add_buffer(Buffer::from(b""));
        // SAFETY: none is needed: these rows have no bytes.
        let array = make_array(unsafe { data.build_unchecked() });
        assert!(matches!(call_all(&array), Some(Reason::Shape(_))), "{len}");
        let nothing: ArrayRef = Arc::new(NullArray::new(len));
        assert!(as_utf8(&nothing).is_ok() && is_valid(&nothing).is_err() == (len > 1 << 32));
        let key = Int8Array::from(vec![0]);
        let shared: ArrayRef = Arc::new(DictionaryArray::<Int8Type>::new(key, nothing));
        assert!(is_valid(&shared).is_err() == (len > 1 << 32));
    }
}

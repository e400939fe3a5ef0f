//! Arrays of all kinds, sound ones and such as arrow lets be built without checks, with arrow's
//! full validation as the oracle. The fuzz target `arrays` chooses them too.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader, StringArray, StringViewArray,
    make_array, new_empty_array,
};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Fields, Schema, UnionFields, UnionMode};
use trust8_arrow::{CheckedReader, Checker, as_utf8, errors, is_valid, repair};
use trust8_columns::Policy;

/// What an array is made of, choice by choice.
pub struct Choices<'a> {
    next: Box<dyn FnMut() -> u64 + 'a>,
    /// One choice in this many is a lie, or none if it is 0.
    lies: usize,
}

impl<'a> Choices<'a> {
    /// `next` returns any numbers. If they are 0, the array is small and no lie.
    pub fn new(next: impl FnMut() -> u64 + 'a, lies: usize) -> Self {
        Self { next: Box::new(next), lies }
    }

    fn below(&mut self, limit: usize) -> usize {
        ((self.next)() % limit as u64) as usize
    }

    fn lies(&mut self) -> bool {
        self.lies != 0 && self.below(self.lies) == self.lies - 1
    }

    /// Returns a number, or another one if it is to be a lie.
    fn or_lie(&mut self, truth: usize) -> usize {
        if !self.lies() {
            return truth;
        }
        const LIES: [usize; 8] = [0, 1, 7, 100, 1 << 16, 1 << 40, usize::MAX / 2, usize::MAX / 16];
        match self.below(10) {
            0 => truth.wrapping_add(1),
            1 => truth.saturating_sub(1),
            lie => LIES[lie - 2],
        }
    }

    fn data_type(&mut self, depth: usize) -> DataType {
        let field = |data_type| Arc::new(Field::new("item", data_type, true));
        let kinds = if depth == 0 { 10 } else { 21 };
        match self.below(kinds) {
            0 => DataType::Binary,
            1 => DataType::Utf8,
            2 => DataType::LargeBinary,
            3 => DataType::LargeUtf8,
            4 => DataType::BinaryView,
            5 => DataType::Utf8View,
            6 => DataType::FixedSizeBinary(self.below(4) as i32),
            7 => DataType::Int32,
            8 => DataType::Boolean,
            9 => DataType::Null,
            10 => DataType::List(field(self.data_type(depth - 1))),
            11 => DataType::LargeList(field(self.data_type(depth - 1))),
            12 | 13 => DataType::FixedSizeList(field(self.data_type(depth - 1)), self.below(3) as i32),
            14 => DataType::Struct(self.fields(depth)),
            15 => {
                let keys = Field::new("key", DataType::Binary, false);
                let values = Field::new("value", self.data_type(depth - 1), true);
                let entries = DataType::Struct(Fields::from(vec![keys, values]));
                DataType::Map(Arc::new(Field::new("entries", entries, false)), false)
            }
            16 => DataType::Dictionary(Box::new(DataType::Int8), Box::new(self.data_type(depth - 1))),
            17 => {
                let ends = Arc::new(Field::new("run_ends", DataType::Int32, false));
                DataType::RunEndEncoded(ends, field(self.data_type(depth - 1)))
            }
            18 => DataType::ListView(field(self.data_type(depth - 1))),
            19 => DataType::LargeListView(field(self.data_type(depth - 1))),
            _ => {
                let mode = [UnionMode::Sparse, UnionMode::Dense][self.below(2)];
                let fields = self.fields(depth);
                let ids = 0..fields.len() as i8;
                DataType::Union(UnionFields::try_new(ids, fields.iter().cloned()).unwrap(), mode)
            }
        }
    }

    fn fields(&mut self, depth: usize) -> Fields {
        let names = ["a", "b", "c"].iter().take(1 + self.below(2));
        names.map(|name| Field::new(*name, self.data_type(depth - 1), self.below(4) != 0)).collect()
    }

    fn values(&mut self, len: usize, is_text: bool) -> Vec<u8> {
        let bad = if is_text { self.lies() } else { self.below(4) == 3 };
        let alphabet: &[u8] = if bad { b"ab\xC3\xA9\xFF" } else { b"abc" };
        (0..len).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    /// Returns offsets of `len` rows, and how many items they need.
    fn offsets<O: ArrowNativeType>(&mut self, len: usize) -> (Buffer, usize) {
        let mut end = self.below(3);
        let mut offsets = vec![O::usize_as(end)];
        for _ in 0..len {
            end += self.below(4);
            let end = self.or_lie(end);
            offsets.push(O::usize_as(end));
        }
        (Buffer::from_vec(offsets), end + self.below(3))
    }

    fn numbers<O: ArrowNativeType>(
        &mut self,
        len: usize,
        mut each: impl FnMut(&mut Self, usize) -> usize,
    ) -> Buffer {
        let numbers = (0..len).map(|row| {
            let truth = each(self, row);
            O::usize_as(self.or_lie(truth))
        });
        Buffer::from_vec(numbers.collect::<Vec<_>>())
    }

    fn array(&mut self, data_type: &DataType, len: usize) -> ArrayData {
        let mut builder = ArrayData::builder(data_type.clone());
        let is_text = matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
        let mut claimed = len;
        builder = match data_type {
            DataType::Binary | DataType::Utf8 => {
                let (offsets, items) = self.offsets::<i32>(len);
                builder.add_buffer(offsets).add_buffer(Buffer::from_vec(self.values(items, is_text)))
            }
            DataType::LargeBinary | DataType::LargeUtf8 => {
                let (offsets, items) = self.offsets::<i64>(len);
                builder.add_buffer(offsets).add_buffer(Buffer::from_vec(self.values(items, is_text)))
            }
            DataType::BinaryView | DataType::Utf8View => {
                let values = self.values(40, is_text);
                let views = (0..len).map(|_| {
                    let (at, long) = (self.below(20), self.below(20));
                    let row = &values[at..at + long];
                    let mut view = [0; 16];
                    view[..4].copy_from_slice(&(self.or_lie(long) as u32).to_le_bytes());
                    if long <= 12 {
                        view[4..4 + long].copy_from_slice(row);
                    } else {
                        view[4..8].copy_from_slice(&row[..4]);
                        view[8..12].copy_from_slice(&(self.or_lie(0) as u32).to_le_bytes());
                        view[12..].copy_from_slice(&(self.or_lie(at) as u32).to_le_bytes());
                    }
                    u128::from_le_bytes(view)
                });
                let views = Buffer::from_vec(views.collect::<Vec<_>>());
                builder.add_buffer(views).add_buffer(Buffer::from_vec(values))
            }
            DataType::FixedSizeBinary(width) => {
                // Without a width there is no memory that could contradict the length.
                claimed = if *width == 0 { self.or_lie(len) } else { len };
                builder.add_buffer(Buffer::from_vec(self.values(len * *width as usize, false)))
            }
            DataType::Int32 => builder.add_buffer(self.numbers::<i32>(len, |_, row| row)),
            DataType::Boolean => builder.add_buffer(Buffer::from_vec(vec![0xA5_u8; len.div_ceil(8)])),
            DataType::Null => {
                claimed = self.or_lie(len);
                builder
            }
            DataType::List(item) | DataType::Map(item, _) => {
                let (offsets, items) = self.offsets::<i32>(len);
                builder.add_buffer(offsets).add_child_data(self.array(item.data_type(), items))
            }
            DataType::LargeList(item) => {
                let (offsets, items) = self.offsets::<i64>(len);
                builder.add_buffer(offsets).add_child_data(self.array(item.data_type(), items))
            }
            DataType::ListView(item) => {
                let offsets = self.numbers::<i32>(len, |choices, _| choices.below(5));
                let sizes = self.numbers::<i32>(len, |choices, _| choices.below(5));
                let child = self.array(item.data_type(), 9);
                builder.add_buffer(offsets).add_buffer(sizes).add_child_data(child)
            }
            DataType::LargeListView(item) => {
                let offsets = self.numbers::<i64>(len, |choices, _| choices.below(5));
                let sizes = self.numbers::<i64>(len, |choices, _| choices.below(5));
                let child = self.array(item.data_type(), 9);
                builder.add_buffer(offsets).add_buffer(sizes).add_child_data(child)
            }
            DataType::FixedSizeList(item, size) => {
                claimed = self.or_lie(len);
                builder.add_child_data(self.array(item.data_type(), len * *size as usize))
            }
            DataType::Struct(fields) => {
                let children = fields.iter().map(|field| {
                    let rows = if self.lies() { len + 1 } else { len };
                    let child = self.array(field.data_type(), rows);
                    if field.is_nullable() || self.lies() {
                        return child;
                    }
                    // SAFETY: as above: the child is as it was, without nulls.
                    unsafe { child.into_builder().nulls(None).build_unchecked() }
                });
                builder.child_data(children.collect())
            }
            DataType::Dictionary(_, values) => {
                let count = 1 + self.below(3);
                let keys = self.numbers::<i8>(len, |choices, _| choices.below(count));
                builder.add_buffer(keys).add_child_data(self.array(values, count))
            }
            DataType::RunEndEncoded(_, values) => {
                let runs = len.div_ceil(2);
                let ends = self.numbers::<i32>(runs, |_, run| (2 * run + 2).max(1));
                let ends = ArrayData::builder(DataType::Int32).len(runs).add_buffer(ends);
                // SAFETY: numbers have nothing that could be wrong.
                let ends = unsafe { ends.build_unchecked() };
                claimed = self.or_lie(len);
                let runs = if self.lies() { runs + 1 } else { runs };
                builder.add_child_data(ends).add_child_data(self.array(values.data_type(), runs))
            }
            DataType::Union(fields, mode) => {
                let count = fields.len();
                builder = builder.add_buffer(self.numbers::<i8>(len, |choices, _| choices.below(count)));
                let rows = if *mode == UnionMode::Dense { 3 } else { len };
                if *mode == UnionMode::Dense {
                    builder = builder.add_buffer(self.numbers::<i32>(len, |choices, _| choices.below(rows)));
                }
                let children = fields.iter().map(|(_, field)| self.array(field.data_type(), rows));
                builder.child_data(children.collect())
            }
            other => unreachable!("{other}"),
        };
        let layout = arrow_data::layout(data_type);
        // What is in a map is not null.
        let is_entries = matches!(data_type, DataType::Struct(fields) if !fields[0].is_nullable());
        if layout.can_contain_null_mask && !is_entries && self.below(3) == 0 {
            let bits = if self.lies() { len + 9 } else { claimed.min(1000) };
            if bits == claimed || self.lies != 0 {
                let valid = BooleanBuffer::from_iter((0..bits).map(|_| self.below(4) != 0));
                let count = bits - valid.count_set_bits();
                let count = if self.lies() { count + 1 } else { count };
                // SAFETY: as above: a C interface, too, has a count that may be wrong.
                builder = builder.nulls(Some(unsafe { NullBuffer::new_unchecked(valid, count) }));
            }
        }
        // SAFETY: none. What this test builds breaks rules, and only what checks it may read it.
        unsafe { builder.len(claimed).build_unchecked() }
    }
}

/// Checks all text in an array, however deep it lies.
fn check_text(data: &ArrayData) {
    match data.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => data.validate_full().unwrap(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            panic!("bytes are left in an array of text")
        }
        _ => data.child_data().iter().for_each(check_text),
    }
}

const POLICIES: [Policy; 6] =
    [Policy::Replace, Policy::Java, Policy::Drop, Policy::Null, Policy::Escape, Policy::Windows1252];

/// Whatever an array is, a checker refuses it, or returns what arrow calls sound. A sound array
/// comes out as it was.
fn call_checkers(array: &ArrayRef, is_sound: bool) {
    let repairs = POLICIES.iter().map(|&policy| Checker::repair(policy));
    for checker in repairs.clone().chain([Checker::refuse()]) {
        let checked = checker.array(array);
        if is_sound {
            let checked = checked.as_ref().expect("the array is sound");
            assert_eq!(checked, &checked.slice(0, checked.len()));
            assert_eq!(checked.len(), array.len());
        }
        if let Ok(checked) = checked {
            checked.to_data().validate_full().unwrap();
        }
    }
    let schema = Arc::new(Schema::new(vec![Field::new("column", array.data_type().clone(), true)]));
    let Ok(batch) = RecordBatch::try_new(schema.clone(), vec![array.clone()]) else { return };
    let masks = POLICIES.iter().map(|&policy| Checker::mask(policy, "is_utf8"));
    for checker in masks.chain(repairs).chain([Checker::refuse()]) {
        let has_mask = checker.schema(&schema).fields().len() == 2;
        // What a reader remembers of a batch does not change the answer for the next one.
        let batches = [(); 2].map(|()| Ok(batch.clone()));
        let reader = CheckedReader::new(RecordBatchIterator::new(batches, schema.clone()), checker);
        let schema = reader.schema();
        let answers: Vec<_> = reader.map(Result::ok).collect();
        assert_eq!(answers[0], answers[1]);
        let Some(checked) = &answers[0] else {
            assert!(!is_sound || batch.num_rows() > 1000);
            continue;
        };
        assert_eq!(checked.schema(), schema);
        checked.columns().iter().for_each(|column| column.to_data().validate_full().unwrap());
        if is_sound {
            assert_eq!(checked.column(0).len(), array.len());
            assert!(!has_mask || checked.column(1).as_boolean().false_count() == 0);
        }
    }
}

/// A reader that makes text of bytes and of dictionaries refuses an array, or returns what arrow calls sound: text as `as_utf8` returns it.
fn call_with_text(array: &ArrayRef, is_sound: bool) {
    let schema = |data_type| Arc::new(Schema::new(vec![Field::new("column", data_type, true)]));
    let Ok(batch) = RecordBatch::try_new(schema(array.data_type().clone()), vec![array.clone()]) else {
        return;
    };
    let text = as_utf8(&new_empty_array(array.data_type())).unwrap().data_type().clone();
    let mut types = vec![text.clone()];
    if matches!(&text, DataType::Dictionary(_, values) if **values == DataType::Utf8) {
        types.extend([DataType::Utf8, DataType::Utf8View]);
    }
    let (text_of_it, repaired) = (as_utf8(array), repair(array, Policy::Java));
    let policies = [(None, &text_of_it), (Some(Policy::Java), &repaired), (Some(Policy::Null), &repaired)];
    for (data_type, (policy, expected)) in types.iter().flat_map(|new| policies.map(|policy| (new, policy))) {
        let batches = RecordBatchIterator::new([(); 2].map(|()| Ok(batch.clone())), batch.schema());
        let reader = CheckedReader::new(batches, policy.map_or_else(Checker::refuse, Checker::repair));
        let reader = reader.with_schema(schema(data_type.clone()));
        let schema = reader.schema();
        let answers: Vec<_> = reader.map(Result::ok).collect();
        assert_eq!(answers[0], answers[1]);
        let Some(checked) = &answers[0] else {
            assert!(!is_sound || expected.is_err(), "{} as {data_type}", array.data_type());
            continue;
        };
        assert_eq!(checked.schema(), schema);
        let checked = checked.column(0);
        check_text(&checked.to_data());
        checked.to_data().validate_full().unwrap();
        if policy.is_some() || !is_sound {
            continue;
        }
        let expected = expected.as_ref().expect("the reader has not refused it");
        if *data_type == text {
            assert_eq!(checked.to_data(), expected.to_data());
            continue;
        }
        let rows = expected.as_dictionary::<Int8Type>().downcast_dict::<StringArray>().unwrap();
        match checked.as_string_view_opt() {
            Some(views) => assert!(rows.into_iter().eq(views)),
            None => assert!(rows.into_iter().eq(checked.as_string::<i32>())),
        }
    }
}

/// A reader of batches with the same buffers, and views that are changed in each second one, gives the answers of a checker that remembers
/// nothing.
fn change_views(array: &StringViewArray, choices: &mut Choices<'_>) {
    let batches: Vec<RecordBatch> = (0..6)
        .map(|number| {
            let (mut views, buffers) = (array.views().to_vec(), array.data_buffers().to_vec());
            if number % 2 == 1 && !views.is_empty() {
                let row = choices.below(views.len());
                views[row] =
                    views[choices.below(views.len())] ^ (choices.below(2) as u128) << choices.below(128);
            }
            // SAFETY: none. Data from outside breaks rules, and only what checks it may read it.
            let array = unsafe { StringViewArray::new_unchecked(views.into(), buffers.into(), None) };
            RecordBatch::try_from_iter_with_nullable([("column", Arc::new(array) as ArrayRef, true)]).unwrap()
        })
        .collect();
    let expected: Vec<_> = batches.iter().map(|batch| Checker::refuse().batch(batch).ok()).collect();
    let schema = batches[0].schema();
    let reader = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
    let found: Vec<_> = CheckedReader::new(reader, Checker::refuse()).map(Result::ok).collect();
    assert_eq!(found, expected);
}

/// Calls everything. `is_sound` is what arrow says of the array.
fn call_all(array: &ArrayRef, is_sound: bool) {
    let (valid, found, text) = (is_valid(array), errors(array), as_utf8(array));
    assert!(valid.is_err() || found.is_ok());
    if let (Ok(text), Ok(valid)) = (&text, &valid) {
        check_text(&text.to_data());
        assert_eq!(found.as_ref().map(RecordBatch::num_rows), Ok(0));
        assert!(valid.iter().all(|row| row != Some(false)));
    }
    let repaired = POLICIES.map(|policy| repair(array, policy));
    for text in repaired.iter().flatten() {
        check_text(&text.to_data());
    }
    let schema = Schema::new(vec![Field::new("column", array.data_type().clone(), true)]);
    if let Ok(batch) = RecordBatch::try_new(Arc::new(schema), vec![array.clone()]) {
        let _ = trust8_arrow::check(&batch);
    }
    call_checkers(array, is_sound);
    call_with_text(array, is_sound);
    let (Ok(valid), true) = (valid, is_sound) else { return };
    assert_eq!(valid.len(), array.len());
    assert_eq!(text.is_ok(), found.unwrap().num_rows() == 0);
    for text in repaired.iter().chain([&text]).filter(|text| is_sound && text.is_ok()).flatten() {
        text.to_data().validate_full().unwrap();
        assert_eq!(text.len(), array.len());
    }
    assert!(repaired.iter().all(Result::is_ok));
}

/// Returns the greatest number of rows that an array or something inside it claims. Rows without
/// bytes can be too many.
fn most_rows(data: &ArrayData) -> usize {
    data.child_data().iter().map(most_rows).fold(data.len(), usize::max)
}

/// Builds an array and calls everything with it. Returns whether arrow calls it sound, or `None` if
/// arrow panics: `attempt` calls its argument, and catches that.
pub fn check(
    choices: &mut Choices<'_>,
    attempt: impl FnOnce(&dyn Fn() -> (bool, ArrayRef)) -> Option<(bool, ArrayRef)>,
) -> Option<bool> {
    let data_type = choices.data_type(3);
    let len = choices.below(7);
    let data = choices.array(&data_type, len);
    let (is_sound, array) = attempt(&|| {
        let array = make_array(data.clone());
        let _ = array.to_data();
        (data.validate_full().is_ok(), array)
    })?;
    let is_small = most_rows(&data) < 1000;
    if is_sound && is_small {
        assert!(is_valid(&array).is_ok(), "{data_type}");
        if array.len() > 1 {
            call_all(&array.slice(1, array.len() - 1), true);
        }
    }
    call_all(&array, is_sound && is_small);
    if let Some(array) = array.as_string_view_opt() {
        change_views(array, choices);
    }
    Some(is_sound)
}

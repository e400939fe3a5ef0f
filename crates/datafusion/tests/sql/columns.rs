//! Random columns of every type, in slices and batches, against a loop over the rows.

use std::sync::Arc;

use datafusion::arrow::array::builder::make_view;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray,
    FixedSizeBinaryArray, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray,
    StringViewArray,
};
use datafusion::arrow::buffer::{Buffer, NullBuffer, ScalarBuffer};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Int8Type, Int64Type};
use datafusion::datasource::MemTable;
use trust8_columns::{Offsets, Policy, Repaired, repair};

type Rows = Vec<Option<Vec<u8>>>;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn rows(&mut self, bad_one_in: usize) -> Rows {
        let texts = ["", "a", "é", "日本", "😀", "twelve bytes", "more than twelve, é"];
        (0..1 + self.below(150))
            .map(|_| {
                let mut bytes = texts[self.below(7)].repeat(self.below(3)).into_bytes();
                if self.below(bad_one_in) == 0 {
                    let bad: [&[u8]; 5] = [b"\xFF", b"\xE2\x82", b"\xED\xA0\x80", b"\xF0\x9F\x98", b"\x80"];
                    let at = self.below(bytes.len() + 1);
                    bytes.splice(at..at, bad[self.below(5)].iter().copied());
                }
                (self.below(5) > 0).then_some(bytes)
            })
            .collect()
    }
}

fn is_bad(row: &Option<Vec<u8>>) -> bool {
    row.as_ref().is_some_and(|bytes| std::str::from_utf8(bytes).is_err())
}

/// Returns the rows with bytes under the nulls that are not UTF-8.
fn over_garbage(rows: &Rows) -> BinaryArray {
    let under = |row: &Option<Vec<u8>>| row.clone().unwrap_or_else(|| b"\xE2\x82\xFF".to_vec());
    let (offsets, values, _) = BinaryArray::from_iter_values(rows.iter().map(under)).into_parts();
    BinaryArray::new(offsets, values, Some(NullBuffer::from_iter(rows.iter().map(Option::is_some))))
}

/// Returns the rows as text that lies: nobody has validated it.
fn lies(rows: &Rows) -> Vec<ArrayRef> {
    let options = || rows.iter().map(Option::as_deref);
    let (offsets, values, nulls) = options().collect::<BinaryArray>().into_parts();
    // SAFETY: none. The test is about text that lies, and reads it as bytes.
    let narrow = unsafe { StringArray::new_unchecked(offsets, values, nulls) };
    let (offsets, values, nulls) = options().collect::<LargeBinaryArray>().into_parts();
    // SAFETY: likewise.
    let wide = unsafe { LargeStringArray::new_unchecked(offsets, values, nulls) };
    let (views, buffers, nulls) = options().collect::<BinaryViewArray>().into_parts();
    // SAFETY: likewise.
    let views = unsafe { StringViewArray::new_unchecked(views, buffers, nulls) };
    vec![Arc::new(narrow), Arc::new(wide), Arc::new(views)]
}

/// Returns the rows as arrays of all types that can have them.
fn arrays(rows: &Rows) -> Vec<ArrayRef> {
    let options = || rows.iter().map(Option::as_deref);
    let dictionary = {
        // The values are in another order, some more than once, and a bad one has no key.
        let values: Vec<&[u8]> = [&b"\xFF unused"[..]]
            .into_iter()
            .chain(rows.iter().rev().map(|row| row.as_deref().unwrap_or(b"\xFF")))
            .collect();
        let keys = (0..rows.len()).map(|row| rows[row].is_some().then_some((rows.len() - row) as i64));
        DictionaryArray::<Int64Type>::new(keys.collect(), Arc::new(BinaryArray::from_vec(values)))
    };
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(options().collect::<BinaryArray>()),
        Arc::new(options().collect::<LargeBinaryArray>()),
        Arc::new(options().collect::<BinaryViewArray>()),
        Arc::new(over_garbage(rows)),
        Arc::new(dictionary),
    ];
    arrays.extend(lies(rows));
    arrays
}

/// Returns what a policy makes of a row.
fn repaired(policy: Policy, row: &Option<Vec<u8>>) -> Option<String> {
    let bytes = row.as_deref()?;
    let offsets = [0, bytes.len() as i64];
    match repair(Offsets::new(bytes, &offsets, None).expect("good offsets"), policy).expect("a short row") {
        Repaired::Borrowed(_) => Some(String::from_utf8(bytes.to_vec()).expect("a row that is UTF-8")),
        Repaired::Owned(_) if policy == Policy::Null => None,
        Repaired::Owned(rows) => Some(String::from_utf8(rows.values).expect("text")),
    }
}

/// Returns a text column as rows, after arrow has validated all of it.
fn texts(column: &ArrayRef) -> Vec<Option<String>> {
    column.to_data().validate_full().expect("arrow finds nothing wrong");
    let text = cast(column, &DataType::LargeUtf8).expect("text");
    text.as_string::<i64>().iter().map(|text| text.map(str::to_owned)).collect()
}

/// Evaluates expressions over a table, and returns one batch.
fn select(batches: &[RecordBatch], expressions: &str) -> datafusion::error::Result<RecordBatch> {
    let context = super::context();
    let table = MemTable::try_new(batches[0].schema(), vec![batches.to_vec()])?;
    context.register_table("t", Arc::new(table))?;
    let rows = super::run(&context, &format!("SELECT {expressions} FROM t"))?;
    Ok(concat_batches(rows[0].schema_ref(), &rows)?)
}

/// Checks all functions over a table whose batches have `rows`.
fn check(batches: &[RecordBatch], rows: &Rows) {
    let what = batches[0].schema().field(0).data_type().clone();
    let names = Policy::ALL.iter().map(|policy| policy.name());
    let calls = names.map(|name| format!("make_valid_utf8(c, '{name}') AS {}", name.replace('-', "_")));
    let sql = format!(
        "is_valid_utf8(c) AS valid, try_validate_utf8(c) AS try, make_valid_utf8(c) AS made, utf8_error(c) AS error, {}",
        calls.collect::<Vec<_>>().join(", ")
    );
    let result = select(batches, &sql).unwrap();
    let valid: Vec<_> = rows.iter().map(|row| row.as_ref().map(|_| !is_bad(row))).collect();
    assert_eq!(result["valid"].as_boolean().iter().collect::<Vec<_>>(), valid, "{what}");
    let expected = |policy| rows.iter().map(|row| repaired(policy, row)).collect::<Vec<_>>();
    assert_eq!(texts(&result["try"]), expected(Policy::Null), "{what}");
    assert_eq!(texts(&result["made"]), expected(Policy::Replace), "{what}");
    for &policy in Policy::ALL {
        let name = policy.name();
        assert_eq!(texts(&result[&*name.replace('-', "_")]), expected(policy), "{what}, {name}");
    }
    let errors = result["error"].as_struct();
    errors.to_data().validate_full().expect("arrow finds nothing wrong");
    let column = |name: &str| errors.column_by_name(name).expect("a field");
    for (row, bytes) in rows.iter().enumerate() {
        let error = bytes.as_deref().and_then(|bytes| trust8::from_utf8(bytes).err());
        let number = |name: &str| {
            let numbers: &Int64Array = column(name).as_primitive();
            numbers.is_valid(row).then(|| numbers.value(row) as usize)
        };
        let text = |name: &str| {
            let texts = column(name).as_string_view();
            texts.is_valid(row).then(|| texts.value(row).to_owned())
        };
        assert_eq!(errors.is_valid(row), error.is_some());
        assert_eq!(number("offset"), error.map(|error| error.valid_up_to()), "{what}");
        assert_eq!(number("length"), error.and_then(|error| error.error_len()), "{what}");
        assert_eq!(text("kind").as_deref(), error.map(|error| error.kind().name()), "{what}");
        assert_eq!(text("message"), error.map(|error| error.to_string()), "{what}");
    }
    match (select(batches, "validate_utf8(c) AS c"), rows.iter().find(|row| is_bad(row))) {
        (Ok(result), None) => assert_eq!(texts(&result["c"]), expected(Policy::Drop), "{what}"),
        (Err(error), Some(_)) => assert!(error.to_string().contains("[INVALID_UTF8_STRING] "), "{error}"),
        (result, bad) => panic!("{what}: {bad:?}, but {result:?}"),
    }
}

fn batch(array: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("c", array, true)]).expect("a batch")
}

#[test]
fn columns_of_every_type() {
    let mut random = Random(5);
    for case in 0..6 {
        let rows = random.rows([1000, 20, 2][case % 3]);
        for array in arrays(&rows) {
            let (from, cut) = (random.below(rows.len()), random.below(rows.len() + 1));
            // The whole array, then a part of it, cut in two.
            let batches = [
                batch(array.clone()),
                batch(array.slice(from, rows.len() - from)),
                batch(array.slice(0, cut)),
            ];
            let all: Rows = rows.iter().chain(&rows[from..]).chain(&rows[..cut]).cloned().collect();
            check(&batches, &all);
        }
    }
}

#[test]
fn columns_of_one_size() {
    let mut random = Random(6);
    for width in [1, 3, 16] {
        let rows: Rows = (0..100)
            .map(|_| {
                let text = "aé日😀abcdefghijk".bytes().cycle().skip(random.below(3));
                let mut bytes = text.take(width).collect::<Vec<_>>();
                if random.below(4) == 0 {
                    bytes[random.below(width)] = 0xFF;
                }
                (random.below(5) > 0).then_some(bytes)
            })
            .collect();
        let array =
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(rows.iter().cloned(), width as i32).unwrap();
        let all: Rows = rows.iter().chain(&rows[7..50]).cloned().collect();
        check(&[batch(Arc::new(array.clone())), batch(Arc::new(array.slice(7, 43)))], &all);
    }
}

/// What is clean is not copied, also not by the engine.
#[test]
fn clean_columns_are_not_copied() {
    let bytes = BinaryArray::from_vec(vec!["zwölf".as_bytes(), b"more than twelve bytes"]);
    let views = BinaryViewArray::from_iter_values(bytes.iter().flatten());
    for call in
        ["make_valid_utf8(c)", "validate_utf8(c)", "try_validate_utf8(c)", "make_valid_utf8(c, 'null')"]
    {
        let result = select(&[batch(Arc::new(bytes.clone()))], call).unwrap();
        assert_eq!(result.column(0).as_string::<i32>().values().as_ptr(), bytes.values().as_ptr(), "{call}");
        let result = select(&[batch(Arc::new(views.clone()))], call).unwrap();
        let text = result.column(0).as_string_view();
        assert_eq!(text.data_buffers()[0].as_ptr(), views.data_buffers()[0].as_ptr(), "{call}");
    }
}

/// Views that overlap can name more text than any memory has. Only those with a character that the
/// profile forbids are written, and equal ones once. If these are too many, that is an error, and does
/// not end the process.
#[test]
fn views_that_overlap_are_not_copied_without_end() {
    let of = |text: String, views| {
        let buffers = [Buffer::from_vec(text.into_bytes())];
        // SAFETY: the views are those of text. (Arrow's own check would read the buffer for each.)
        batch(Arc::new(unsafe { StringViewArray::new_unchecked(ScalarBuffer::from(views), buffers, None) }))
    };
    let text = "a".repeat(1 << 20);
    let long = make_view(text.as_bytes(), 0, 0);
    let mut views = vec![long; 8000];
    views[0] = make_view(b"\0", 0, 0);
    let many = of(text, views);
    for (policy, repaired) in [("escape", Some(r"\u{0}")), ("drop", Some("")), ("null", None)] {
        let call = format!("make_valid_utf8(c, '{policy}', 'postgres') AS c");
        let result = select(std::slice::from_ref(&many), &call).unwrap();
        let result = result["c"].as_string_view();
        assert_eq!((result.is_valid(0).then(|| result.value(0)), result.views()[7999]), (repaired, long));
    }
    let text = "\0".to_owned() + &"a".repeat(1 << 20);
    let view = |row: usize| make_view(&text.as_bytes()[..text.len() - row], 0, 0);
    let call = "make_valid_utf8(c, 'escape', 'postgres') AS c";
    let result = select(&[of(text.clone(), vec![view(0); 8000])], call).unwrap();
    let result = result["c"].as_string_view();
    assert_eq!(result.value(7999)[..6], *r"\u{0}a");
    assert!(result.data_buffers().iter().map(Buffer::len).sum::<usize>() < 4 << 20);
    let error = select(&[of(text.clone(), (0..8000).map(view).collect())], call).unwrap_err();
    assert!(error.to_string().contains("the repaired rows up to this one"), "{error}");
}

/// A bad value that no row has does not fail the query, and is not in the text either.
#[test]
fn unused_values_of_a_dictionary() {
    let values = BinaryArray::from_vec(vec![b"\xFF", b"a", b"b\x80"]);
    let of = |keys: Vec<Option<i8>>| {
        batch(Arc::new(DictionaryArray::<Int8Type>::new(keys.into(), Arc::new(values.clone()))))
    };
    let result = select(&[of(vec![Some(1), None, Some(1)])], "validate_utf8(c) AS c").unwrap();
    assert_eq!(texts(&result["c"]), [Some("a"), None, Some("a")].map(|text| text.map(str::to_owned)));
    let error = select(&[of(vec![Some(1), None, Some(2)])], "validate_utf8(c) AS c").unwrap_err();
    assert!(error.to_string().contains(r"\x62\x80 ("), "{error}");

    let result =
        select(&[of(vec![Some(1), None, Some(2)])], "is_valid_utf8(c) AS valid, utf8_error(c) AS error");
    let result = result.unwrap();
    assert_eq!(result["valid"].as_boolean(), &BooleanArray::from(vec![Some(true), None, Some(false)]));
    let errors = result["error"].as_struct();
    assert_eq!([0, 1, 2].map(|row| errors.is_valid(row)), [false, false, true]);
    for function in ["is_valid_utf8(c)", "utf8_error(c)"] {
        // SAFETY: none. No value has this key.
        let lie = unsafe {
            DictionaryArray::<Int8Type>::new_unchecked(vec![1, 3, 2].into(), Arc::new(values.clone()))
        };
        select(&[batch(Arc::new(lie))], function).unwrap_err();
    }
}

/// trust8-arrow takes the arrays of this DataFusion, and they agree.
#[test]
fn arrays_of_trust8_arrow() {
    use trust8_arrow::{Policy, arrow_59};

    let context = crate::context();
    let sql = "SELECT column1 AS bytes, make_valid_utf8(column1, 'escape') AS text FROM (VALUES (X'61FF'), (NULL), (X'62'))";
    for batch in crate::run(&context, sql).unwrap() {
        let text = arrow_59::repair(&batch["bytes"], Policy::Escape).unwrap();
        assert_eq!(&text, &batch["text"]);
        arrow_59::check(&batch).unwrap();
    }
}

//! Random nested arrays beside a slow model that follows the documentation value by value.
//!
//! Values are made first, and then arrays that have them: slices, with bytes under nulls, values that no row has, offsets that do not
//! begin at 0, views that share and overlap, dictionaries with nulls and copies, runs that are cut.

mod encode;
mod value;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator};
use arrow_schema::{Field, Schema};
use trust8_arrow::{
    CheckedReader, Checker, Policy, RowError, as_utf8_in, check_array, errors_in, is_valid_in, repair_in,
    repair_text, text_errors,
};
use trust8_profile::Profile;

use encode::{decode, encode, rebuild};
use value::{Bad, Random, Type, Value, bad_values, repaired};

/// Returns the rows of a table of errors.
fn bad_in(table: &RecordBatch) -> Vec<Bad> {
    let numbers = |name: &str| table[name].as_primitive::<UInt64Type>().clone();
    let (rows, offsets, lengths) = (numbers("row"), numbers("offset"), numbers("length"));
    let (paths, kinds) = (table["path"].as_string::<i64>(), table["kind"].as_string::<i64>());
    let found = (0..table.num_rows()).map(|at| Bad {
        row: rows.value(at) as usize,
        path: paths.value(at).to_owned(),
        offset: offsets.value(at) as usize,
        len: lengths.is_valid(at).then(|| lengths.value(at) as usize),
        is_forbidden: kinds.value(at) == "nul",
    });
    let found: Vec<Bad> = found.collect();
    assert!(found.is_sorted_by_key(|bad| bad.row));
    found
}

fn sorted(mut bad: Vec<Bad>) -> Vec<Bad> {
    bad.sort();
    bad
}

fn values(array: &dyn Array) -> Vec<Value> {
    array.to_data().validate_full().unwrap();
    rebuild(array);
    (0..array.len()).map(|row| decode(array, row)).collect()
}

fn check_refusal(error: &RowError, bad: &[Bad]) {
    let first = bad.iter().map(|bad| bad.row).min();
    assert_eq!(Some(error.row()), first, "{error}");
    assert!(bad.iter().any(|bad| {
        bad.row == error.row() && bad.path == error.path() && Some(bad.offset) == error.offset()
    }));
}

fn check(data_type: &Type, rows: &[Value], array: &ArrayRef) {
    for profile in [&Profile::SCALARS, &Profile::POSTGRES] {
        let forbids = profile == &Profile::POSTGRES;
        for claims in [false, true] {
            let bad = sorted(bad_values(data_type, rows, claims, forbids));
            let table = if claims { text_errors(array, profile) } else { errors_in(array, profile) };
            assert_eq!(sorted(bad_in(&table.unwrap())), bad);
            match check_array(array, profile, claims) {
                Ok(()) => assert_eq!(bad, []),
                Err(error) => check_refusal(&error, &bad),
            }
            for &policy in Policy::ALL {
                let expected = repaired(data_type, rows, claims, Some(policy), forbids);
                let found = match claims {
                    true => repair_text(array, policy, profile),
                    false => repair_in(array, policy, profile),
                };
                assert_eq!(values(&found.unwrap()), expected, "{policy:?}");
            }
        }
        let bad = bad_values(data_type, rows, false, forbids);
        match as_utf8_in(array, profile) {
            Ok(text) => {
                assert_eq!(bad, []);
                assert_eq!(values(&text), repaired(data_type, rows, false, None, forbids));
            }
            Err(error) => check_refusal(&error, &bad),
        }
        let is_union = matches!(data_type.plain(), Type::Union(..));
        let valid = rows.iter().enumerate().map(|(row, value)| {
            let is_null = *value == Value::Null && !is_union;
            (!is_null).then(|| bad.iter().all(|bad| bad.row != row))
        });
        let found = is_valid_in(array, profile).unwrap();
        if !is_union {
            assert_eq!(found.iter().collect::<Vec<_>>(), valid.collect::<Vec<_>>());
        }
        check_checkers(data_type, rows, array, profile);
    }
}

fn check_checkers(data_type: &Type, rows: &[Value], array: &ArrayRef, profile: &Profile) {
    let forbids = profile == &Profile::POSTGRES;
    let bad = bad_values(data_type, rows, true, forbids);
    let valid: Vec<_> = (0..rows.len()).map(|row| Some(bad.iter().all(|bad| bad.row != row))).collect();
    match Checker::refuse().with_profile(*profile).array(array) {
        Ok(checked) => {
            assert_eq!(bad, []);
            assert_eq!(values(&checked), rows);
        }
        Err(error) => check_refusal(&error, &bad),
    }
    let schema = Schema::new(vec![Field::new("a", array.data_type().clone(), true)]).into();
    let batch = RecordBatch::try_new(schema, vec![array.clone()]).unwrap();
    for &policy in Policy::ALL {
        let expected = repaired(data_type, rows, true, Some(policy), forbids);
        let checker = Checker::mask(policy, "mask").with_profile(*profile);
        let reader = RecordBatchIterator::new([Ok(batch.clone()), Ok(batch.clone())], batch.schema());
        let reader = CheckedReader::new(reader, checker);
        for checked in reader {
            let checked = checked.unwrap();
            assert_eq!(values(checked.column(0)), expected, "{policy:?}");
            assert_eq!(checked["mask"].as_boolean().iter().collect::<Vec<_>>(), valid);
        }
    }
}

#[test]
fn arrays_have_the_answers_of_the_model() {
    let scale = std::env::var("TRUST8_TEST_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(8_u64);
    let from = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    for seed in from.map_or(0..16_000 / scale, |from: u64| from..from + 1) {
        let mut random = Random(seed);
        let data_type = Type::random(&mut random, 3);
        let rows = random.below(6);
        let rows: Vec<Value> = (0..rows).map(|_| data_type.value(&mut random, true)).collect();
        let array = encode(&data_type, &rows, &mut random);
        let decoded: Vec<Value> = (0..array.len()).map(|row| decode(&array, row)).collect();
        assert_eq!(decoded, rows, "the test's own array, seed {seed}");
        let result =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&data_type, &rows, &array)));
        assert!(result.is_ok(), "seed {seed}: {data_type:?}\n{rows:?}");
    }
}

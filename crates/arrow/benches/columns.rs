//! Measures columns with clean and with bad rows against what arrow and engines do about them.
//!
//! ```text
//! taskset -c 1 cargo bench -p trust8-arrow --bench columns              writes to docs/data/
//! taskset -c 1 cargo bench -p trust8-arrow --bench columns -- --quick   a quick look, printed
//! ```
//!
//! The contestants of a line take turns in one process, and the fastest round of each counts. All
//! answers are checked. In `cargo test` everything runs once, on a few rows.

mod common;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, StringArray};
use common::{dirty_rows, file, row};
use trust8_arrow::{as_utf8, repair};
use trust8_columns::{Offsets, Policy, invalid_rows};

/// The mean lengths of rows, and how many rows there are of each.
const LENGTHS: [(f64, usize); 4] = [(3.5, 200_000), (15.0, 60_000), (60.0, 16_000), (1000.0, 1_000)];

/// One row in this many is bad.
const RATES: [(&str, usize); 3] = [("0.1 %", 1000), ("1 %", 100), ("all", 1)];

fn column(mean: f64, count: usize, ascii: bool, bad_one_in: Option<usize>) -> BinaryArray {
    BinaryArray::from_iter_values(dirty_rows(mean, count, ascii, bad_one_in))
}

fn rows(array: &BinaryArray) -> impl Iterator<Item = &[u8]> {
    array.offsets().windows(2).map(|pair| &array.values()[pair[0] as usize..pair[1] as usize])
}

/// Validates each row with std, and decodes it with replacements if it is bad, as engines do it
/// that go row by row.
fn row_by_row(array: &BinaryArray) -> StringArray {
    let mut builder = StringBuilder::with_capacity(array.len(), array.values().len());
    for row in rows(array) {
        match std::str::from_utf8(row) {
            Ok(text) => builder.append_value(text),
            Err(_) => builder.append_value(String::from_utf8_lossy(row)),
        }
    }
    builder.finish()
}

type Work<'a> = Box<dyn Fn() -> usize + 'a>;

/// Returns the nanoseconds of each contestant's fastest round. All must return `answer`.
fn race(contestants: &[(&str, Work<'_>)], answer: usize, time: Duration) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contestants.len()];
    let (start, mut round) = (Instant::now(), 0);
    while round < 1 || time > Duration::ZERO && (round < 9 || start.elapsed() < time) {
        for turn in 0..contestants.len() {
            let i = (turn + round) % contestants.len();
            let begin = Instant::now();
            let found = (contestants[i].1)();
            best[i] = best[i].min(begin.elapsed().as_nanos() as f64);
            assert_eq!(found, answer, "{}", contestants[i].0);
        }
        round += 1;
    }
    best
}

/// The lowest ratio of each target, and where it was measured.
#[derive(Default)]
struct Targets(BTreeMap<String, (f64, f64, String)>);

impl Targets {
    fn at_least(&mut self, what: &str, wanted: f64, measured: f64, place: &str) {
        let lowest = self.0.entry(what.to_owned()).or_insert((wanted, f64::INFINITY, String::new()));
        if measured < lowest.1 {
            (lowest.1, lowest.2) = (measured, place.to_owned());
        }
    }
}

fn clean(csv: &mut String, targets: &mut Targets, scale: usize, time: Duration) {
    let heads = [
        "mean length",
        "text",
        "trust8",
        "as_utf8",
        "arrow",
        "simdutf8, whole",
        "simdutf8 a row",
        "std a row",
        "std a row / trust8",
        "best simdutf8 / trust8",
    ];
    for (mean, count) in LENGTHS {
        for ascii in [true, false] {
            let array = column(mean, count / scale + 1, ascii, None);
            let (values, offsets) = (array.values().as_slice(), array.offsets().inner());
            let contestants: [(&str, Work<'_>); 6] = [
                (
                    "trust8",
                    Box::new(|| {
                        let column =
                            Offsets::new(black_box(values), black_box(offsets), None).expect("good offsets");
                        column_len(&array) - invalid_rows(column).count()
                    }),
                ),
                ("as_utf8", Box::new(|| as_utf8(black_box(&array)).expect("clean rows").len())),
                (
                    "arrow",
                    Box::new(|| {
                        StringArray::try_from_binary(black_box(array.clone())).expect("clean rows").len()
                    }),
                ),
                (
                    "simdutf8, whole",
                    Box::new(|| {
                        let text = simdutf8::basic::from_utf8(black_box(values)).expect("clean rows");
                        black_box(offsets).iter().filter(|&&at| text.is_char_boundary(at as usize)).count()
                            - 1
                    }),
                ),
                (
                    "simdutf8 a row",
                    Box::new(|| {
                        rows(black_box(&array)).filter(|row| simdutf8::basic::from_utf8(row).is_ok()).count()
                    }),
                ),
                (
                    "std a row",
                    Box::new(|| {
                        rows(black_box(&array)).filter(|row| std::str::from_utf8(row).is_ok()).count()
                    }),
                ),
            ];
            let nanos = race(&contestants, array.len(), time);
            let (std, simdutf8) = (nanos[5] / nanos[0], nanos[3].min(nanos[4]) / nanos[0]);
            let text = if ascii { "ASCII" } else { "not ASCII" };
            let place = format!("{mean} bytes, {text}");
            if !ascii {
                targets.at_least("clean and not ASCII, against std a row", 10.0, std, &place);
            }
            targets.at_least("clean, against any way with simdutf8", 1.0, simdutf8, &place);
            let cells = nanos.iter().map(|nanos| format!("{:.2}", nanos / array.len() as f64));
            let ratios = [std, simdutf8].map(|ratio| format!("{ratio:.2}"));
            let cells: Vec<_> =
                [mean.to_string(), text.to_owned()].into_iter().chain(cells).chain(ratios).collect();
            row(csv, "Clean columns", 2, &heads, &cells);
        }
    }
}

fn column_len(array: &BinaryArray) -> usize {
    array.len()
}

fn dirty(csv: &mut String, targets: &mut Targets, scale: usize, time: Duration) {
    let heads = [
        "mean length",
        "text",
        "bad rows",
        "find",
        "std a row",
        "std / find",
        "repair",
        "row by row",
        "copy",
        "row by row / repair",
        "row by row / copy",
    ];
    for (mean, count) in LENGTHS {
        for ascii in [true, false] {
            for (name, rate) in RATES {
                let array = column(mean, count / scale + 1, ascii, Some(rate));
                let (values, offsets) = (array.values().as_slice(), array.offsets().inner());
                let bad = rows(&array).filter(|row| std::str::from_utf8(row).is_err()).count();
                let find: [(&str, Work<'_>); 2] = [
                    (
                        "find",
                        Box::new(|| {
                            let column = Offsets::new(black_box(values), black_box(offsets), None)
                                .expect("good offsets");
                            invalid_rows(column)
                                .bitmap(&mut vec![0; array.len().div_ceil(8)])
                                .expect("a bit for each row")
                        }),
                    ),
                    (
                        "std a row",
                        Box::new(|| {
                            rows(black_box(&array)).filter(|row| std::str::from_utf8(row).is_err()).count()
                        }),
                    ),
                ];
                let expected = row_by_row(&array);
                assert_eq!(
                    repair(&array, Policy::Replace).expect("good offsets").as_string::<i32>(),
                    &expected
                );
                let fix: [(&str, Work<'_>); 2] = [
                    (
                        "repair",
                        Box::new(|| {
                            let text = repair(black_box(&array), Policy::Replace).expect("good offsets");
                            text.as_string::<i32>().values().len()
                        }),
                    ),
                    ("row by row", Box::new(|| row_by_row(black_box(&array)).values().len())),
                ];
                let copy: [(&str, Work<'_>); 1] = [(
                    "copy",
                    Box::new(|| {
                        let copies = black_box((black_box(values).to_vec(), black_box(offsets).to_vec()));
                        copies.0.len()
                    }),
                )];
                let found = race(&find, bad, time);
                let fixed = race(&fix, expected.values().len(), time);
                let copied = race(&copy, values.len(), time)[0];
                let text = if ascii { "ASCII" } else { "not ASCII" };
                let (ratio, place) = (fixed[1] / fixed[0], format!("{mean} bytes, {text}"));
                match name {
                    "1 %" => targets.at_least("1 % bad, repair against row by row", 5.0, ratio, &place),
                    "all" => targets.at_least("all bad, repair against row by row", 2.0, ratio, &place),
                    _ => {}
                }
                let ns = |nanos: f64| format!("{:.2}", nanos / array.len() as f64);
                let cells = [
                    mean.to_string(),
                    text.to_owned(),
                    name.to_owned(),
                    ns(found[0]),
                    ns(found[1]),
                    format!("{:.2}", found[1] / found[0]),
                    ns(fixed[0]),
                    ns(fixed[1]),
                    ns(copied),
                    format!("{ratio:.2}"),
                    format!("{:.2}", fixed[1] / copied),
                ];
                row(csv, "Columns with bad rows", 3, &heads, &cells);
            }
        }
    }
}

fn main() {
    let asked = |what: &str| env::args().any(|argument| argument == what);
    let (measuring, quick) = (asked("--bench"), asked("--quick"));
    let scale = if measuring { 1 } else { 100 };
    let time = match (measuring, quick) {
        (false, _) => Duration::ZERO,
        (true, true) => Duration::from_millis(60),
        (true, false) => Duration::from_millis(700),
    };
    let (mut body, mut csv, mut targets) = (String::new(), String::new(), Targets::default());
    clean(&mut body, &mut targets, scale, time);
    dirty(&mut body, &mut targets, scale, time);
    let notes = format!(
        "# all: ns a row. Offsets have 32 bits. Rows are between empty and twice the mean length; there are {}. A bad row has one byte of \
         ISO-8859-1.\n\
         # Targets: the lowest ratio of speeds\n\
         # Clean columns: `trust8` is invalid_rows, which finds none, and `as_utf8` the conversion of the array. `arrow` is \
         StringArray::try_from_binary. `simdutf8, whole` validates all values at once, and then looks at the byte at each offset. The last \
         columns call from_utf8 for each row.\n\
         # Columns with bad rows: `find` makes a bitmap of the bad rows, and `std a row` counts them with a loop over from_utf8. `repair` \
         makes an array with U+FFFD. `row by row` makes the same array as engines do: it validates each row with std, appends it to a \
         builder, and decodes it with from_utf8_lossy if it is bad. `copy` only copies the values and the offsets.\n",
        LENGTHS.map(|(mean, count)| format!("{count} of {mean}")).join(", "),
    );
    for (what, (wanted, measured, place)) in &targets.0 {
        let met = if measured >= wanted { "yes" } else { "no" };
        let cells =
            [what.clone(), format!("≥ {wanted}"), format!("{measured:.2}"), met.to_owned(), place.clone()];
        row(&mut csv, "Targets", 1, &["target", "wanted", "measured", "met", "where"], &cells);
    }
    csv.push_str(&body);
    let csv = file("taskset -c 1 cargo bench -p trust8-arrow --bench columns", &notes, &csv);
    if measuring && !quick {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/data/columns.csv");
        fs::write(path, csv).expect("docs/data/columns.csv");
    } else {
        print!("{csv}");
    }
}

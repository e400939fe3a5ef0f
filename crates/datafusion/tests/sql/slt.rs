//! Runs files in the format of sqllogictest, as far as these tests need it.
//!
//! A record ends with an empty line. Lines that begin with `#` are comments.
//!
//! ```text
//! statement ok                   the statement succeeds
//! statement error TEXT           it fails, and its message contains TEXT
//! query TYPES [rowsort]          its rows are the lines after `----`; TYPES has a letter for each column
//! ```
//!
//! `$FILES` is the folder with the files of `files.rs`. The cells of a row are separated by spaces, and neighbouring spaces count as one. `NULL` is a null, and `(empty)` empty text.

use std::fs;
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::prelude::SessionContext;

/// Returns the rows as lines.
fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::new().with_null("NULL");
    let mut lines = Vec::new();
    for batch in batches {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).expect("a type that can be shown"))
            .collect();
        for row in 0..batch.num_rows() {
            let cells = columns.iter().map(|column| match column.value(row).to_string() {
                empty if empty.is_empty() => "(empty)".to_owned(),
                cell => cell,
            });
            lines.push(one_space(&cells.collect::<Vec<_>>().join(" ")));
        }
    }
    lines
}

fn one_space(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs a record. Its first line says what it is.
fn check(context: &SessionContext, record: &[&str]) -> Result<(), String> {
    let (head, body) = (record[0], record[1..].join("\n"));
    if head == "statement ok" {
        return super::run(context, &body).map(drop).map_err(|error| error.to_string());
    }
    if let Some(text) = head.strip_prefix("statement error ") {
        return match super::run(context, &body) {
            Ok(batches) => Err(format!("it succeeds: {:?}", lines(&batches))),
            Err(error) if error.to_string().contains(text) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
    }
    let words: Vec<_> = head.split_whitespace().collect();
    let (types, is_sorted) = match words[..] {
        ["query", types] => (types, false),
        ["query", types, "rowsort"] => (types, true),
        _ => return Err(format!("no such record: {head}")),
    };
    let (sql, expected) = body.split_once("\n----").ok_or("a query has a line `----`")?;
    let batches = super::run(context, sql).map_err(|error| error.to_string())?;
    if let Some(batch) = batches.first()
        && batch.num_columns() != types.len()
    {
        return Err(format!("{} columns, and {types} says {}", batch.num_columns(), types.len()));
    }
    let mut rows = lines(&batches);
    let mut expected: Vec<_> = expected.lines().skip(1).map(one_space).collect();
    if is_sorted {
        rows.sort();
        expected.sort();
    }
    match rows == expected {
        true => Ok(()),
        false => Err(format!("it returns\n{}", rows.join("\n"))),
    }
}

/// Runs all records of a file. Returns how many there are, and what is wrong with those that fail.
fn check_file(path: &Path) -> (usize, Vec<String>) {
    let context = super::context();
    let files = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    super::files::write(&files);
    let text = fs::read_to_string(path).expect("a file").replace("$FILES", &files.to_string_lossy());
    let lines: Vec<_> = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).collect();
    let (mut count, mut failures) = (0, Vec::new());
    for record in lines.split(|(_, line)| line.is_empty()).filter(|record| !record.is_empty()) {
        let only_lines: Vec<_> = record.iter().map(|&(_, line)| line).collect();
        if let Err(problem) = check(&context, &only_lines) {
            let (name, line) = (path.display(), record[0].0 + 1);
            failures.push(format!("{name}:{line}: {}\n{problem}", only_lines.join("\n")));
        }
        count += 1;
    }
    (count, failures)
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slt");
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in &paths {
        let (records, failed) = check_file(path);
        assert!(records > 3, "{}: {records} records", path.display());
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(paths.len() >= 5);
}

/// A runner that lets everything pass would be worse than none.
#[test]
fn the_runner_objects() {
    let context = super::context();
    let fails = |record: &[&str]| check(&context, record).unwrap_err();
    assert!(fails(&["query I", "SELECT 1", "----", "2"]).starts_with("it returns\n1"));
    assert!(fails(&["query II", "SELECT 1", "----", "1"]).starts_with("1 columns"));
    assert!(fails(&["query I", "SELECT 1", "----"]).starts_with("it returns"));
    assert!(fails(&["query I", "SELECT no_such_column", "----"]).contains("no_such_column"));
    assert!(fails(&["statement ok", "SELECT no_such_column"]).contains("no_such_column"));
    assert!(fails(&["statement error of another kind", "SELECT no_such_column"]).contains("no_such_column"));
    assert!(fails(&["statement error anything", "SELECT 1"]).starts_with("it succeeds"));
    assert!(fails(&["unknown", "SELECT 1"]).starts_with("no such record"));
    assert_eq!(
        check(&context, &["query IT rowsort", "VALUES (2, NULL), (1, '')", "----", "1  (empty)", "2 NULL"]),
        Ok(())
    );
}

//! Functions of [DataFusion](https://datafusion.apache.org) for columns that may not be UTF-8.
//! [trust8](https://docs.rs/trust8) finds bad rows as fast as if a batch were one long text, explains them,
//! and repairs them.
//!
//! | function | returns |
//! |---|---|
//! | `is_valid_utf8(col)` | whether the value is UTF-8 |
//! | `make_valid_utf8(col)` | text, with each ill-formed sequence replaced by U+FFFD |
//! | `make_valid_utf8(col, policy)` | text, with bad values repaired according to the policy |
//! | `validate_utf8(col)` | text; a value that is not UTF-8 fails the query |
//! | `try_validate_utf8(col)` | text; a value that is not UTF-8 becomes null |
//! | `make_valid_utf8(col, policy, profile)` | the same without the characters that the profile forbids |
//! | `utf8_error(col)` | the error of the value, or null if it is UTF-8 |
//! | `utf8_profile_error(col, profile)` | the same, also for a character that the profile forbids |
//!
//! The names, the nulls and the error `INVALID_UTF8_STRING` of `is_valid_utf8`, `make_valid_utf8(col)`,
//! `validate_utf8` and `try_validate_utf8` are those of Spark 4.
//!
//! ```
//! use datafusion::prelude::SessionContext;
//!
//! async fn names() -> datafusion::error::Result<()> {
//!     let context = SessionContext::new();
//!     trust8_datafusion::register(&context);
//!     let rows = context.sql("SELECT make_valid_utf8(X'52656EE9', 'windows-1252') AS name").await?.collect().await?;
//!     datafusion::assert_batches_eq!(["+------+", "| name |", "+------+", "| René |", "+------+"], &rows);
//!     Ok(())
//! }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(names()).unwrap();
//! ```
//!
//! # Columns
//!
//! A column is `Binary`, `LargeBinary`, `BinaryView`, `FixedSizeBinary`, `Utf8`, `LargeUtf8` or `Utf8View`,
//! or a dictionary of one of these. Text keeps the width of its offsets, or its views: `LargeBinary` becomes
//! `LargeUtf8`. A clean column is not copied. Columns of text are checked like those of bytes, because a
//! reader that skips validation may have filled them. Numbers, booleans, dates and times are cast to text
//! first.
//!
//! A null stays null, and the bytes under it are ignored.
//!
//! # Policies
//!
//! The policy is a literal, in upper or lower case.
//!
//! | policy | each ill-formed sequence |
//! |---|---|
//! | `'replace'` | becomes U+FFFD, as in Spark, in the WHATWG encoding standard and in Rust |
//! | `'java'` | becomes U+FFFD, as in Java's `new String(bytes, UTF_8)`, which has fewer of them for surrogates |
//! | `'drop'` | is left out |
//! | `'null'` | makes the whole value null |
//! | `'escape'` | becomes `\xNN` for each byte |
//! | `'windows-1252'` | becomes the windows-1252 characters of its bytes |
//!
//! # Profiles
//!
//! A profile is a set of characters that a text must not have: `'xml'`, `'assignables'`, `'i-json'`,
//! `'postgres'`, `'terminal'`, `'source'`, `'prompt'`, `'file-name'`, or `'scalars'`, which forbids none.
//! Upper and lower case are the same. [`trust8_profile`] describes them. The policy also applies to
//! forbidden characters: `'drop'` leaves them out, `'null'` makes the value null, `'escape'` writes `\u{1B}`,
//! and all others write U+FFFD.
//!
//! # Errors as values
//!
//! `utf8_error` returns a struct, so `utf8_error(col)['offset']` is a number. Without DataFusion's feature
//! `nested_expressions`, write `get_field(utf8_error(col), 'offset')`.
//!
//! | field | type | content |
//! |---|---|---|
//! | `offset` | `Int64` | where in the value the ill-formed sequence begins |
//! | `length` | `Int64` | its length, or null if the value ends inside a character; that of all forbidden characters in a row |
//! | `kind` | `Utf8View` | the name of the kind of error: see [`trust8::ErrorKind::name`] and [`trust8_profile::Class::name`] |
//! | `message` | `Utf8View` | the message of the error |
//!
//! # Untrusted tables
//!
//! DataFusion trusts the arrays of a table. [`CheckedTable`] checks those of any [`TableProvider`]
//! while they are scanned, and [`CheckedExec`] those of any plan.
//!
//! [`register`] also adds a format `CHECKED_X` for each format X that the context has, so SQL can do the same. The bytes of CSV and
//! JSON are decoded before they are read, from any encoding of the WHATWG:
//!
//! ```sql
//! CREATE EXTERNAL TABLE a STORED AS CHECKED_PARQUET LOCATION 'a.parquet' OPTIONS ('policy' 'replace');
//! CREATE EXTERNAL TABLE b STORED AS CHECKED_CSV LOCATION 'b.csv' OPTIONS ('encoding' 'windows-1252');
//! CREATE EXTERNAL TABLE c STORED AS CHECKED_JSON LOCATION 'c.json' OPTIONS ('policy' 'replace');
//! ```
//!
//! Without a policy, a file that is not in its encoding fails the query. A file that is decoded is read in one piece, and must not
//! be compressed.
//!
//! With the feature `parquet`, which is on by default, the text of Parquet files is read as bytes, which are checked and repaired,
//! nested ones too. Conditions see the repaired text, so statistics and bloom filters skip nothing. A column with both text and bytes
//! inside and an encrypted file stay as they are: the reader of Parquet refuses text in them that is not UTF-8. That of Arrow does so
//! everywhere, and its files take no policy.
//!
//! [`TableProvider`]: datafusion::catalog::TableProvider

mod checked;
mod files;
mod function;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

use std::sync::Arc;

use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::SessionContext;

use function::{Function, Task};

pub use checked::{CheckedExec, CheckedTable};
pub use trust8_columns::Policy;

/// Registers all functions with `context`, and a checked format for each of its formats. They replace functions and formats that
/// have the same names.
///
/// ```
/// use datafusion::prelude::SessionContext;
///
/// let context = SessionContext::new();
/// trust8_datafusion::register(&context);
/// assert!(context.state().scalar_functions().contains_key("utf8_error"));
/// ```
pub fn register(context: &SessionContext) {
    for function in functions() {
        context.register_udf(Arc::unwrap_or_clone(function));
    }
    files::register_formats(context);
}

/// Returns all functions, for a registry that is not a [`SessionContext`], and for expressions that are built without SQL.
///
/// ```
/// use datafusion::prelude::col;
///
/// let functions = trust8_datafusion::functions();
/// let names: Vec<_> = functions.iter().map(|function| function.name()).collect();
/// assert_eq!(names[..2], ["is_valid_utf8", "make_valid_utf8"]);
/// assert_eq!(names[2..], ["validate_utf8", "try_validate_utf8", "utf8_error", "utf8_profile_error"]);
/// assert_eq!(functions[0].call(vec![col("name")]).to_string(), "is_valid_utf8(name)");
/// ```
#[must_use]
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    Task::ALL.into_iter().map(|task| Arc::new(Function::new(task).into())).collect()
}

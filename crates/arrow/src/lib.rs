//! Validates, explains and repairs Arrow columns that may not be UTF-8, with
//! [trust8](https://docs.rs/trust8).
//!
//! Arrow's own conversion of binary data to text validates it with the standard library, and one
//! bad row fails the array. This crate finds bad rows as fast as if an array were one long text,
//! explains each, and can repair all of them.
//!
//! | I have | I want | use |
//! |---|---|---|
//! | bytes | text, or the first bad row | [`as_utf8`] |
//! | bytes | text, whatever the rows are | [`repair`] |
//! | bytes | which rows are bad | [`is_valid`] |
//! | bytes | their errors, as a table | [`errors`] |
//! | a batch | the same for its columns | [`repair_batch`], [`batch_errors`] |
//! | text | the same, and no harmful characters | [`as_utf8_in`], [`repair_in`], [`is_valid_in`], [`errors_in`] |
//! | a batch that was not validated | proof that its text is UTF-8 | [`check`] |
//! | untrusted arrays or batches: from IPC, Parquet, Flight | valid ones, or an error | [`Checker`] |
//! | a reader or stream of such batches | a reader of valid ones | [`CheckedReader`], `CheckedStream` |
//! | arrays or streams by the C data interface | the same | `Checker::import_array`, `import_stream` |
//!
//! ```
//! use arrow_array::{Array, BinaryArray, StringArray, cast::AsArray};
//! use trust8_arrow::{Policy, as_utf8, errors, repair};
//!
//! let names = BinaryArray::from_opt_vec(vec![Some(b"Ana"), None, Some(b"Ren\xE9"), Some("Zoë".as_bytes())]);
//! assert_eq!(as_utf8(&names).unwrap_err().row(), 2);
//!
//! let repaired = repair(&names, Policy::Windows1252).unwrap();
//! assert_eq!(repaired.as_string::<i32>(), &StringArray::from(vec![Some("Ana"), None, Some("René"), Some("Zoë")]));
//! assert_eq!(errors(&names).unwrap().num_rows(), 1);
//! ```
//!
//! # Which arrays
//!
//! `Binary`, `LargeBinary`, `BinaryView` and `FixedSizeBinary` become `Utf8`, `LargeUtf8`,
//! `Utf8View` and `Utf8`. The values of dictionaries and run-end encoded arrays are converted, and
//! so is everything inside lists, list views, maps, structs and unions, at any depth. Text inside
//! these is also validated. All other arrays are unchanged, and so are fields of an extension type that is stored as bytes,
//! such as a UUID.
//!
//! Values under a null, and values that no row reaches, are ignored: an item of a null list, a
//! dictionary value without a key, bytes outside a slice. A clean array is not copied, except for
//! the offsets of a slice.
//!
//! Arrow lets arrays be built without checks, so this crate checks their offsets, views and
//! lengths. Wrong ones are errors, not panics. A [`Checker`] checks those of all other arrays as
//! well, such as the keys of a dictionary of numbers.
//!
//! # Features
//!
//! `ffi` is for the C data interface, and `stream` for `futures_core::Stream`: see the table above. `serde` is for errors in reports.
//!
//! # Versions of arrow
//!
//! The functions above take arrays of arrow 60. They need the feature `arrow-60`, which is the
//! default, and are also in `trust8_arrow::arrow_60`. The feature `arrow-59` adds the same functions
//! for arrow 59, in `trust8_arrow::arrow_59`. With `default-features = false` and `arrow-59` they
//! are only there: the root of the crate has no functions.

#[cfg(not(any(feature = "arrow-59", feature = "arrow-60")))]
compile_error!("trust8-arrow needs one of its features: arrow-60 (the default) or arrow-59");

mod error;

pub use error::{Reason, RowError, policy_for_forbidden};
pub use trust8_columns::Policy;

#[cfg(feature = "arrow-60")]
#[doc(inline)]
pub use arrow_60::*;

// The links of this page.
#[cfg(all(doc, not(feature = "arrow-60")))]
use arrow_59::*;

// Both modules are compiled from the files in arrays/, which find the crates of arrow in `super`.

/// The functions for arrays of arrow 60.
#[cfg(feature = "arrow-60")]
#[path = "arrays"]
pub mod arrow_60 {
    mod checked;
    mod functions;
    #[cfg(feature = "ffi")]
    mod import;
    mod known;
    mod layout;
    mod leaf;
    mod mask;
    mod nested;
    #[cfg(feature = "stream")]
    mod stream;
    mod written;

    use ::{arrow_array, arrow_buffer, arrow_schema};
    #[cfg(feature = "ffi")]
    use arrow_array::ffi_stream::RecordBatchStreamReader as StreamReader;
    pub use checked::*;
    pub use functions::*;
    #[cfg(feature = "ffi")]
    pub use import::ImportedStream;
    #[cfg(feature = "stream")]
    pub use stream::CheckedStream;
}

/// The functions for arrays of arrow 59. The examples show arrow 60.
#[cfg(feature = "arrow-59")]
#[cfg_attr(feature = "arrow-60", expect(clippy::duplicate_mod, reason = "compiled for each version"))]
#[path = "arrays"]
pub mod arrow_59 {
    mod checked;
    mod functions;
    #[cfg(feature = "ffi")]
    mod import;
    mod known;
    mod layout;
    mod leaf;
    mod mask;
    mod nested;
    #[cfg(feature = "stream")]
    mod stream;
    mod written;

    #[cfg(feature = "ffi")]
    use arrow_array::ffi_stream::ArrowArrayStreamReader as StreamReader;
    pub use checked::*;
    pub use functions::*;
    #[cfg(feature = "ffi")]
    pub use import::ImportedStream;
    #[cfg(feature = "stream")]
    pub use stream::CheckedStream;
    use {arrow_array_59 as arrow_array, arrow_buffer_59 as arrow_buffer, arrow_schema_59 as arrow_schema};
}

//! This package has tests only: see `tests/`. Its documentation has the examples of documents.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/cookbook.md")]
struct Documents;

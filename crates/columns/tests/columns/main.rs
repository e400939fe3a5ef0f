//! Tests of `trust8_columns`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod dirty_columns;
mod errors;
mod length_prefixed;
#[cfg(feature = "alloc")]
#[path = "../../../../tests/support/policies.rs"]
mod policies;
mod repaired_columns;
mod valid_columns;

//! Tests of functions on valid text: counts, lines and columns, Arrow columns, copies.

#[path = "../support/mod.rs"]
mod support;

mod ascii;
mod characters;
mod columns;
mod copy;
mod dirty_columns;
mod inspect;
#[cfg(feature = "rayon")]
mod parallel;
mod part;
#[cfg(feature = "alloc")]
#[path = "../support/policies.rs"]
mod policies;
mod repaired_columns;
mod string;

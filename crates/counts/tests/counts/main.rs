//! Tests of `trust8_counts`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod ascii;
#[cfg(unix)]
mod guard_pages;
mod inspect;
#[cfg(feature = "rayon")]
mod parallel;
mod part;
#[cfg(feature = "serde")]
mod reports;

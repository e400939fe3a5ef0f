//! Tests of `trust8_profile`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod names;
mod part;
mod profiles;
#[cfg(feature = "std")]
mod writer;

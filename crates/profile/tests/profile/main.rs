//! Tests of `trust8_profile`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod context;
#[cfg(feature = "alloc")]
mod found;
mod names;
mod oracle;
mod part;
mod profiles;
mod runs;
#[cfg(feature = "std")]
mod writer;

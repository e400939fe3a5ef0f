//! Tests of `trust8::io`, `trust8::fs` and `trust8::tokio`.

#[path = "../support/mod.rs"]
mod support;

mod sync;
#[cfg(feature = "tokio")]
mod tokio;

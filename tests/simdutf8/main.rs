//! Tests of `trust8::basic` and `trust8::compat`, which replace the crate simdutf8.

#[path = "../support/mod.rs"]
mod support;

mod port;

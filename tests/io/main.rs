//! Tests of `trust8::io` and `trust8::fs`.

#[path = "../support/mod.rs"]
mod support;

mod sync;

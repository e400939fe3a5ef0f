//! Tests of `trust8::dialect`.

#[path = "../support/mod.rs"]
mod support;

mod dialects;

//! Tests of `trust8_dialect`.

#[path = "../support/mod.rs"]
mod support;

mod dialects;

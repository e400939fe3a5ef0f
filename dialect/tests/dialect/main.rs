//! Tests of `trust8_dialect`.

#[path = "../../../tests/support/mod.rs"]
mod support;

mod dialects;
mod reference;

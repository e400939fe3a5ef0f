//! Tests of `trust8_dialect`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod dialects;
mod names;
#[expect(unreachable_pub, reason = "fuzz/ has this file as well")]
mod reference;

//! Tests of `trust8::transcode`.

#[path = "../support/mod.rs"]
mod support;

mod convert;
mod guard_pages;
mod latin1;
mod partial;
mod regressions;
mod validate;
mod well_formed;

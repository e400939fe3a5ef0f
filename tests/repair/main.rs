//! Tests of lossy text and of lists of errors.

#[path = "../support/mod.rs"]
mod support;

mod lossy;

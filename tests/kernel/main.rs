//! Tests of the kernels and of what the public functions make of their answers.

#[path = "../support/mod.rs"]
mod support;

mod api;
mod borders;
mod differential;
mod exhaustive;
mod guard_pages;
mod heap;
mod kernels;
mod positions;
mod regressions;
mod rfc;

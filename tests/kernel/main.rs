//! Tests of the kernels, and of the public functions on top of them.

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

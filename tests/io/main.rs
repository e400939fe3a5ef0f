//! Tests of `trust8::io` and `trust8::fs`.

#[cfg(feature = "std")]
#[path = "../support/policies.rs"]
mod policies;
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "std")]
mod lines;
#[cfg(feature = "std")]
mod lossy;
mod sync;

//! The names and types of the crate simdutf8.

pub mod basic;
pub mod compat;

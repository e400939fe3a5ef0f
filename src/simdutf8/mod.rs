//! The names and types of the crate simdutf8.

#![forbid(unsafe_code)]

pub mod basic;
pub mod compat;

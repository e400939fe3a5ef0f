//! The modules of the crate simdutf8, with its names and types.

#![forbid(unsafe_code)]

pub mod basic;
pub mod compat;

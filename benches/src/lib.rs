//! The texts that all benchmarks measure on.

pub mod random;
pub mod texts;
pub mod vocabulary;

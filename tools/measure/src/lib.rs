//! What the benches share: the texts, the contestants, the measurement of time, and the reports.
//!
//! Each bench but `criterion`, which is for a closer look, writes what it measured to docs/data/. README.md says how to run them.
//!
//! The inputs come from three modules. `texts` generates long texts in many languages, `short_strings` generates
//! many short strings of varying lengths, and `vocabulary` has the words that the texts are made of.

pub mod contestants;
pub mod machine;
pub mod measure;
pub mod random;
mod read_loop;
pub mod report;
pub mod short_strings;
pub mod targets;
pub mod texts;
mod vocabulary;

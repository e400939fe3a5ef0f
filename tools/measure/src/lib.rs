//! What the benches share: the texts, the contestants, the measurement of time, and the reports.
//!
//! Each bench writes what it measured to docs/data/. README.md says how to run them. `texts` generates long texts in many languages, and
//! `short_strings` generates many short strings of varying lengths.

pub mod contestants;
pub mod machine;
pub mod measure;
pub mod read_loop;
pub mod report;
pub mod short_strings;

pub use trust8_benches::{random, texts};

//! trust8 measured beside the other validators: texts, contestants, the way time is taken, and reports.
//!
//! All benches use it: `compare` writes the project's own comparison, others a page each about one thing, and `criterion` is
//! for looking closer.
//! README.md says how to run them.

pub mod contestants;
pub mod machine;
pub mod measure;
mod memory;
pub mod random;
pub mod report;
pub mod strings;
pub mod targets;
pub mod texts;
mod words;

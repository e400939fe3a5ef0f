//! The built command, end to end: what it prints, where, and its exit code.
//!
//! One program of all files, because linking takes longer than most of the tests:
//!
//! - `check.rs`, `convert.rs`, `fix.rs`, `others.rs`: the commands.
//! - `conditions.rs`: what goes wrong around them.
//! - `terminal.rs`: colours and the progress bar. `screenshot.rs`: the picture in the README.

mod check;
mod conditions;
mod convert;
mod fix;
mod folder;
mod others;
#[cfg(unix)]
mod screenshot;
#[cfg(target_os = "linux")]
mod terminal;

//! Tests the built command from its arguments to its output and exit code.
//!
//! All files are one program, because linking takes longer than most of the tests:
//!
//! - `check.rs`, `convert.rs`, `fix.rs` and `others.rs` test the commands.
//! - `conditions.rs` tests what can go wrong around them.
//! - `terminal.rs` tests colours and the progress bar. `screenshot.rs` tests the picture in the README.

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

//! Tests the built command from its arguments to its output and exit code.
//!
//! All files are one program, because linking takes longer than most of the tests:
//!
//! - `check.rs`, `convert.rs`, `fix.rs` and `others.rs` test the commands.
//! - `configured.rs` tests the configuration file.
//! - `conditions.rs` tests what can go wrong around them. `access.rs` and `races.rs` test how files
//!   are replaced: who may do what with them, and what other programs do at the same time.
//! - `hostile.rs` tests folders into which other users have put what is to harm.
//! - `safety.rs` tests that nothing is destroyed or overlooked that the user did not name, and that
//!   files are restored.
//! - `ci.rs` tests what CI systems and hooks use, `git.rs` files that Git knows, and `silence.rs` that
//!   a run says so if it has done nothing.
//! - `guesses.rs` tests how encodings are named and guessed. `usage.rs` tests what else the command
//!   line has.
//! - `terminal.rs` tests colours and the progress bar. `screenshot.rs` tests the picture in the
//!   README.

#[cfg(target_os = "linux")]
mod access;
mod check;
mod ci;
mod conditions;
mod configured;
mod convert;
mod fix;
mod folder;
#[cfg(unix)]
mod git;
mod guesses;
#[cfg(target_os = "linux")]
mod hostile;
mod others;
mod profiles;
#[cfg(target_os = "linux")]
mod races;
mod safety;
#[cfg(unix)]
mod screenshot;
mod silence;
#[cfg(target_os = "linux")]
mod terminal;
mod usage;

//! The command `trust8`. `lib.rs` says what its files are.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    trust8_cli::run()
}

//! The command `trust8`. `lib.rs` lists its modules.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    trust8_cli::run()
}

//! The command `trust8`: reports which files are not UTF-8, where and why; repairs and converts
//! them; and shows what a file is and which kernels this computer can run.
//!
//! This crate is a library only so that the fuzz target and the Python package can call it. It is
//! **not an API**: anything in it may change with any version. Rust programs should use the crate
//! `trust8`.
//!
//! Findings go to standard output, and errors of reading or writing to standard error. All files
//! are checked, whatever happens to the ones before them. The modules:
//!
//! - `args/` is the command line. `generate.rs` makes manual pages and completions from it.
//! - `walk/` turns paths into files, and `git.rs` asks Git for its files. `source.rs` opens and reads
//!   them.
//! - `validate.rs` is the first pass over a file: it only says whether the file is valid, and has
//!   to be fast. `scan.rs` is the second pass: it finds each error. It uses `segments.rs` to split
//!   the input into valid text and errors, `location.rs` for lines and columns, and `culprit.rs`
//!   and `mistake.rs` for the message. `dialects.rs` finds the dialects of UTF-8 that accept the file.
//! - `config.rs` reads `trust8.toml`, and `lines.rs` finds mojibake for `check --mojibake`.
//! - `check.rs` is the command `check`. `report/` has its output formats. `ordered_output.rs` keeps
//!   the output of several threads in the order of the files.
//! - `fix/`, `convert/`, `inspect/`, `encodings.rs`, `kernels.rs` and `bench/` are the other
//!   commands. `charset.rs` has the names of encodings. `target.rs` is where a result goes, and
//!   `replace/` replaces a file in one step.
//! - `streams.rs` has the standard streams. `progress.rs`, `interrupt.rs` and `colors.rs` deal with
//!   the terminal. `visible.rs` and `hex.rs` show bytes. `json.rs` writes JSON.
//! - `guess/` guesses what a file is. The web page has it too.
//! - `statistics.rs` has the totals, and `outcome.rs` the exit code.
//! - `main.rs` calls `run`. `probes.rs` is what the fuzz target calls.

// Only `streams.rs` has unsafe code: a function that runs before Rust's runtime.
#![deny(unsafe_code)]

mod args;
mod bench;
mod charset;
mod check;
mod colors;
mod config;
mod convert;
mod culprit;
mod dialects;
mod encodings;
mod fix;
mod generate;
mod git;
#[doc(hidden)]
pub mod guess;
mod hex;
mod hidden;
mod inspect;
mod interrupt;
mod json;
mod kernels;
mod lines;
mod location;
mod mistake;
mod ordered_output;
mod outcome;
#[doc(hidden)]
pub mod probes;
mod progress;
mod replace;
mod report;
mod scan;
mod segments;
mod source;

mod statistics;
mod streams;
mod target;
mod validate;
mod visible;
mod walk;

use std::ffi::OsString;
use std::process::ExitCode;

use args::{Cli, Command};

/// Runs the command with the arguments that the program was started with.
pub fn run() -> ExitCode {
    run_with(std::env::args_os())
}

/// Runs the command with `words`, which begin with the name of the program.
pub fn run_with(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Cli { command, check, common } = match Cli::from_words(words) {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    if let Some(what) = common.generate {
        return generate::run(what, command.as_ref());
    }
    match command {
        None => check::run(&check, &common),
        Some(Command::Check(check)) => check::run(&check, &common),
        Some(Command::Fix(fix)) => fix::run(&fix, &common),
        Some(Command::Convert(convert)) => convert::run(&convert, &common),
        Some(Command::Inspect(inspect)) => inspect::run(&inspect, &common),
        Some(Command::Encodings) => encodings::run(&common),
        Some(Command::Kernels) => kernels::run(&common),
        Some(Command::Bench(bench)) => bench::run(&bench, &common),
    }
}

//! The command `trust8`: says of each file whether it is UTF-8, and where and why it is not; repairs it; and shows
//! what a file or this computer is made of.
//!
//! It is a library only so that the fuzzer reaches it, and **not an API**: with any version all of it may change. To
//! call from Rust there is the crate `trust8`.
//!
//! What is found goes to standard output, what could not be read to standard error. All files are looked at,
//! whatever happens to the ones before. The files of this folder:
//!
//! - `args.rs`: the command line. `generate.rs`: manual pages and completions from it.
//! - `walk.rs`: from paths to files. `source.rs`: what a name stands for, opened.
//! - `read.rs`: the first look, which has to be fast. `window.rs`, `scan.rs`: the second one, at errors;
//!   `place.rs`, `culprit.rs`: where and what they are; `relatives.rs`: which dialect of UTF-8 fits.
//! - `check.rs`, `report/`: the command that tells of them, in several forms. `turns.rs`: in the order of the files,
//!   whichever thread is done first.
//! - `fix/`, `convert.rs`, `inspect.rs`, `kernels.rs`, `bench/`: the other commands.
//! - `progress.rs`, `interrupt.rs`, `colors.rs`, `visible.rs`: how to treat a terminal, and who sits at it.
//! - `statistics.rs`, `outcome.rs`: the numbers at the end, and the exit code.
//! - `main.rs`: calls `run`. `probes.rs`: what the fuzzer calls.

#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod colors;
mod convert;
mod culprit;
mod fix;
mod generate;
mod inspect;
mod interrupt;
mod kernels;
mod outcome;
mod place;
#[doc(hidden)]
pub mod probes;
mod progress;
mod read;
mod relatives;
mod report;
mod scan;
mod source;
mod statistics;
mod turns;
mod visible;
mod walk;
mod window;

use std::process::ExitCode;

use args::{Cli, Command};

/// The command, as it was started.
pub fn run() -> ExitCode {
    let Cli { command, check, common } = Cli::of_this_program();
    if let Some(what) = common.generate {
        return generate::run(what, command.as_ref());
    }
    match command {
        None => check::run(&check, &common),
        Some(Command::Check(check)) => check::run(&check, &common),
        Some(Command::Fix(fix)) => fix::run(&fix, &common),
        Some(Command::Convert(convert)) => convert::run(&convert, &common),
        Some(Command::Inspect(inspect)) => inspect::run(&inspect, &common),
        Some(Command::Kernels) => kernels::run(&common),
        Some(Command::Bench(bench)) => bench::run(&bench, &common),
    }
}

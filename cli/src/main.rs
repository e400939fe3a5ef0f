//! The command `trust8`: says of each file whether it is UTF-8, and where and why it is not.
//!
//! ```text
//! trust8 [--kernel NAME] [PATH...]
//! ```
//!
//! Findings go to standard output, one line each; what could not be read goes to standard error. All
//! files are checked, whatever happens to the ones before. The files of this folder:
//!
//! - `args.rs`: the command line.
//! - `source.rs`: where bytes come from.
//! - `finding.rs`: an error in a source, with its line and column, and how it is printed.

#![forbid(unsafe_code)]

mod args;
mod finding;
mod source;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use trust8::Kernel;

use args::Args;
use finding::Finding;

fn main() -> ExitCode {
    let args = Args::parse();
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut outcome = Outcome::AllValid;
    let written = check(&args, &mut out, &mut outcome).and_then(|()| out.flush());
    match written {
        Ok(()) => {}
        // Whoever read the findings has seen enough. A finding was on its way, so they are told so.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => {
            complain(&mut outcome, format_args!("standard output: {error}"));
        }
    }
    // What a failed write left in the buffer is not to be written when the buffer goes.
    let _ = out.into_parts();
    ExitCode::from(outcome as u8)
}

/// What the exit code says. The larger wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    AllValid = 0,
    SomeInvalid = 1,
    SomeUnread = 2,
}

/// Checks all sources. Only a failure to write ends it early.
fn check(args: &Args, out: &mut impl Write, outcome: &mut Outcome) -> io::Result<()> {
    let kernel = args.kernel.unwrap_or_else(Kernel::best);
    // One allocation serves all files.
    let mut bytes = Vec::new();
    for source in args.sources() {
        if let Err(error) = source.read(&mut bytes) {
            // In the order of the files, also where both go to one terminal.
            out.flush()?;
            complain(outcome, format_args!("{}: {error}", source.display()));
        } else if let Err(error) = kernel.from_utf8(&bytes) {
            *outcome = (*outcome).max(Outcome::SomeInvalid);
            Finding::new(&source, &bytes, error).write(out)?;
        }
    }
    Ok(())
}

/// Tells the user that something could not be read or written.
fn complain(outcome: &mut Outcome, what: std::fmt::Arguments<'_>) {
    *outcome = Outcome::SomeUnread;
    // With standard error gone as well, the exit code is all that is left to say it with.
    let _ = writeln!(io::stderr().lock(), "trust8: {what}");
}

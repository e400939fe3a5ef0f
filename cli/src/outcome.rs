//! The exit code, and what is printed just before it.

use std::io::{self, Write, stderr, stdout};
use std::process::ExitCode;

use crate::statistics::Totals;

/// What the exit code says. Of two outcomes, the larger one is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Outcome {
    AllValid = 0,
    SomeInvalid = 1,
    SomeUnread = 2,
}

impl Outcome {
    pub(crate) fn of(totals: &Totals) -> Self {
        if totals.unread > 0 {
            Self::SomeUnread
        } else if totals.invalid > 0 {
            Self::SomeInvalid
        } else {
            Self::AllValid
        }
    }

    /// Prints `error`, and returns the exit code of a program that can't go on.
    pub(crate) fn fail(error: &str) -> ExitCode {
        print_error(error);
        Self::SomeUnread.into()
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome as u8)
    }
}

/// Prints `error` on standard error.
pub(crate) fn print_error(error: &str) {
    // If standard error is closed too, only the exit code can still report the error.
    let _ = writeln!(stderr().lock(), "trust8: {error}");
}

/// Prints `bytes`, which are the whole output of a command, and returns its exit code.
pub(crate) fn print_output(bytes: &[u8]) -> ExitCode {
    match stdout().lock().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Outcome::fail(&format!("standard output: {error}"))
        }
        // A reader that closes the pipe has seen what it needs.
        _ => Outcome::AllValid.into(),
    }
}

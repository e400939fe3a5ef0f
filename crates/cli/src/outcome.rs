//! The exit code, and what is printed just before it.

use std::io::{self, ErrorKind, Write, stderr};
use std::process::ExitCode;

use crate::statistics::Totals;
use crate::streams::StandardOutput;
use crate::visible::push_harmless;

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

    /// Returns this outcome if `written` is no error. An error is printed, except that of a closed
    /// pipe: its reader has seen enough.
    pub(crate) fn with_output(self, written: io::Result<()>) -> Self {
        match written {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                print_error(&format!("standard output: {error}"));
                Self::SomeUnread
            }
            _ => self,
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome as u8)
    }
}

/// Prints `error` on standard error. It may have names of files in it, so control characters are
/// escaped.
pub(crate) fn print_error(error: &str) {
    let mut line = String::from("trust8: ");
    push_harmless(&mut line, error);
    line.push('\n');
    // If standard error is closed too, only the exit code can still report the error.
    let _ = stderr().lock().write_all(line.as_bytes());
}

/// Prints `bytes`, which are the whole output of a command, and returns its exit code.
pub(crate) fn print_output(bytes: &[u8]) -> ExitCode {
    Outcome::AllValid.with_output(StandardOutput::new().write_all(bytes)).into()
}

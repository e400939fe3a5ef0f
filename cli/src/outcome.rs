//! What the exit code says.

use std::io::{self, Write, stdout};
use std::process::ExitCode;

use crate::statistics::Totals;
use crate::turns::complain;

/// The larger one wins.
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

    /// Tells what has gone wrong, which is the end.
    pub(crate) fn trouble(what: &str) -> ExitCode {
        complain(what);
        Self::SomeUnread.into()
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(outcome as u8)
    }
}

/// Writes all that a command has to say.
pub(crate) fn write_out(bytes: &[u8]) -> ExitCode {
    match stdout().lock().write_all(bytes) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Outcome::trouble(&format!("standard output: {error}"))
        }
        // Whoever reads it may have seen enough.
        _ => Outcome::AllValid.into(),
    }
}

//! `python -m trust8`, in wheels.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use pyo3::prelude::*;

exports!(check;);

/// Run the command's `check` with these arguments, and return its exit code.
#[pyfunction]
#[pyo3(name = "_check")]
pub(crate) fn check(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let words = ["trust8".into(), "check".into()].into_iter().chain(arguments);
    let code = py.detach(|| {
        let code = trust8_cli::run_with(words);
        // A Rust program does this on exit, and ignores errors too.
        let _ = std::io::stdout().flush();
        code
    });
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(u8::MAX)
}

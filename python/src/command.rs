//! `python -m trust8`, and what the command says of a mistake.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Run the command's `check` with these arguments, and return its exit code.
#[pyfunction]
#[pyo3(name = "_check")]
pub(crate) fn check(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let words = ["trust8".into(), "check".into()].into_iter().chain(arguments);
    let code = py.detach(|| {
        let code = trust8_cli::run_with(words);
        // A Rust program does this at its end, and an error is as silent there.
        let _ = std::io::stdout().flush();
        code
    });
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(u8::MAX)
}

/// Return the length of the mistake at the start of `data` and the command's message about it, or None if there is none.
///
/// `data` has six bytes, or what is left of the text.
#[pyfunction]
#[pyo3(name = "_mistake", signature = (data, /))]
pub(crate) fn mistake(data: &[u8]) -> Option<(usize, String)> {
    trust8_cli::mistake(data)
}

//! `python -m trust8`, and the command's messages about mistakes.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use pyo3::prelude::*;
use pyo3::types::PyString;

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

/// Undo mojibake: UTF-8 that was read as windows-1252, as in ``GrÃ¶ÃŸe`` for ``Größe``.
///
/// A line changes only if all of it is certainly mojibake, as with the command's ``fix
/// --unmojibake``. Text without mojibake stays unchanged.
///
/// >>> import trust8
/// >>> trust8.fix_mojibake('Gr\u00c3\u00b6\u00c3\u0178e') == 'Gr\u00f6\u00dfe'
/// True
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn fix_mojibake<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let py = text.py();
    // Text with surrogates was decoded by another codec.
    let Ok(whole) = text.to_str() else { return Ok(text.clone()) };
    let mut fixed = String::new();
    let mut is_changed = false;
    for line in whole.split_inclusive('\n') {
        match trust8_cli::undo_mojibake(line) {
            Some(original) => {
                is_changed = true;
                fixed.push_str(&original);
            }
            None => fixed.push_str(line),
        }
        py.check_signals()?;
    }
    Ok(if is_changed { PyString::new(py, &fixed) } else { text.clone() })
}

/// Return the length of the mistake at the start of `data` and the command's message about it, or
/// None if there is none.
///
/// `data` has six bytes, or the rest of the text if it is shorter.
#[pyfunction]
#[pyo3(name = "_mistake", signature = (data, /))]
pub(crate) fn mistake(data: &[u8]) -> Option<(usize, String)> {
    trust8_cli::mistake(data)
}

//! What is wrong with some bytes, as exceptions.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use trust8::{ErrorKind, Utf8Error, Validator};

use crate::input::{Input, unlocked_if_long};

/// Returns whether the bytes are UTF-8.
pub(crate) fn is_valid(input: &Input<'_>, py: Python<'_>) -> PyResult<bool> {
    let mut validator = Validator::new();
    input.pieces(py, |piece| match validator.push(piece) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })?;
    Ok(validator.finish().is_ok())
}

/// Check that `data` is UTF-8.
///
/// If it is not, this raises `Utf8Error` for the first place. `data` is any object with the buffer protocol.
///
/// >>> import trust8
/// >>> trust8.validate(b'caf\xc3\xa9')
/// >>> try:
/// ...     trust8.validate(b'caf\xe9 au lait')
/// ... except UnicodeDecodeError as error:
/// ...     print(error.start, error.end, error.reason)
/// ...     print(error.kind)
/// ...     print(error.explanation)
/// 3 4 invalid continuation byte
/// truncated
/// E9 begins a character of 3 bytes, and 20 follows; expected a continuation byte (80 to BF)
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn validate(data: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = data.py();
    let input = Input::of(data)?;
    if is_valid(&input, py)? {
        return Ok(());
    }
    // Memory that changes may be UTF-8 by now. That is as good an answer.
    let bytes = input.bytes(py)?;
    let all = bytes.as_bytes();
    let Some(error) = trust8::from_utf8(all).err() else { return Ok(()) };
    let start = error.valid_up_to();
    let end = error.error_len().map_or(all.len(), |len| start + len);
    Err(PyErr::from_value(new_error(py, &bytes, start, end, reason(&error))?))
}

/// Return an iterator over all errors in `data`, each as a `Utf8Error`.
///
/// After an error the search goes on after the bytes that one U+FFFD replaces. `data` is any object with the buffer protocol.
/// Memory that can change is copied first.
///
/// >>> import trust8
/// >>> for error in trust8.errors(b'one\xff two\xc0\xaf'):
/// ...     print(error.start, error.kind)
/// 3 invalid-byte
/// 8 overlong
/// 9 unexpected-continuation
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn errors(data: &Bound<'_, PyAny>) -> PyResult<Errors> {
    let bytes = Input::of(data)?.bytes(data.py())?;
    Ok(Errors { bytes: bytes.unbind(), at: 0, from: 0, found: Vec::new().into_iter() })
}

/// An iterator over all errors in some bytes: see `errors`.
#[pyclass(module = "trust8")]
pub(crate) struct Errors {
    bytes: Py<PyBytes>,
    /// Where the search goes on.
    at: usize,
    /// Where the last search began, from which errors count.
    from: usize,
    /// Errors that were found and not returned yet.
    found: std::vec::IntoIter<Utf8Error>,
}

#[pymethods]
impl Errors {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        /// How many errors are found at once, because to begin a search has its cost.
        const MANY: usize = 256;
        let bytes = self.bytes.bind(py);
        let all = bytes.as_bytes();
        if self.found.len() == 0 {
            py.check_signals()?;
            let rest = &all[self.at..];
            let find = || trust8::errors(rest).take(MANY).collect::<Vec<_>>();
            let found = unlocked_if_long(py, rest.len(), find);
            let Some(last) = found.last() else {
                self.at = all.len();
                return Ok(None);
            };
            self.from = self.at;
            self.at += last.error_len().map_or(rest.len(), |len| last.valid_up_to() + len);
            self.found = found.into_iter();
        }
        let Some(error) = self.found.next() else { return Ok(None) };
        let start = self.from + error.valid_up_to();
        let end = error.error_len().map_or(all.len(), |len| start + len);
        new_error(py, bytes, start, end, reason(&error)).map(Some)
    }
}

/// Returns the reason that the interpreter's own codec gives.
pub(crate) fn reason(error: &Utf8Error) -> &'static str {
    // The first byte alone is wrong, or what follows it.
    match (error.kind(), error.bytes()) {
        (ErrorKind::Incomplete, _) => "unexpected end of data",
        (_, [0xC2..=0xF4, ..]) => "invalid continuation byte",
        _ => "invalid start byte",
    }
}

/// Makes a `Utf8Error`.
pub(crate) fn new_error<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    start: usize,
    end: usize,
    reason: &str,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "trust8._exceptions", "Utf8Error")?.call1(("utf-8", bytes, start, end, reason))
}

/// Return the kind and the explanation of the error at `start`, or None if a character begins there.
#[pyfunction]
#[pyo3(name = "_describe", signature = (data, start, /))]
pub(crate) fn describe(data: &Bound<'_, PyBytes>, start: usize) -> Option<(&'static str, String)> {
    // An ill-formed sequence has at most three bytes, and the byte after it may prove the error.
    let rest = data.as_bytes().get(start..)?;
    let error = trust8::from_utf8(&rest[..rest.len().min(4)]).err()?;
    (error.valid_up_to() == 0).then(|| (error.kind().name(), error.reason().to_string()))
}

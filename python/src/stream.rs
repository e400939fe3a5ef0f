//! Text that arrives in pieces.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use trust8::stream::StreamError;

use crate::input::Input;

/// Validates text that arrives in pieces, which may end inside a character.
///
/// A validator belongs to one thread at a time.
///
/// >>> import trust8
/// >>> validator = trust8.Validator()
/// >>> validator.push(b'caf\xc3')
/// >>> validator.position, validator.pending
/// (3, b'\xc3')
/// >>> validator.push(b'\xa9')
/// >>> validator.finish()
#[pyclass(frozen, module = "trust8")]
pub(crate) struct Validator(Mutex<trust8::Validator>);

impl Validator {
    /// Returns the validator, unless another thread is using it.
    fn lock(&self) -> PyResult<MutexGuard<'_, trust8::Validator>> {
        self.0.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is using this validator; use one validator for each thread",
            )
        })
    }
}

#[pymethods]
impl Validator {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(trust8::Validator::new()))
    }

    /// Validate the next piece. Raise `StreamError` as soon as an error is certain, and in every
    /// later call.
    #[pyo3(signature = (data, /))]
    fn push(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        let mut guard = self.lock()?;
        let validator = &mut *guard;
        let mut result = Ok(());
        // An empty piece still reports an earlier error.
        result = result.and(validator.push(b""));
        Input::of(data)?.pieces(py, |piece| match validator.push(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                result = Err(error);
                ControlFlow::Break(())
            }
        })?;
        result.map_err(|error| raised(py, &error))
    }

    /// End the text. Raise `StreamError` if it ends inside a character, or if there was an error.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        self.lock()?.finish().map_err(|error| raised(py, &error))
    }

    /// Reset the validator to its initial state.
    fn reset(&self) -> PyResult<()> {
        self.lock()?.reset();
        Ok(())
    }

    /// The number of bytes, from the start of the text, that are known to be whole characters.
    #[getter]
    fn position(&self) -> PyResult<u64> {
        Ok(self.lock()?.valid_up_to())
    }

    /// The last bytes so far, if they begin an incomplete character.
    #[getter]
    fn pending<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.lock()?.pending()))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<trust8.Validator position={} pending={}>", self.position()?, self.pending(py)?.repr()?))
    }
}

/// Returns the exception for an error of a stream.
fn raised(py: Python<'_>, error: &StreamError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let arguments = (error.valid_up_to(), error.error_len(), error.kind().name(), error.to_string());
    let raised =
        CLASS.import(py, "trust8._exceptions", "StreamError").and_then(|class| class.call1(arguments));
    match raised {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

//! Text that arrives in pieces.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};
use trust8_profile::{Profile, ProfileStreamError, ProfileValidator};

use crate::input::Input;
use crate::profile::profile_of;

exports!(; Validator);

/// Validates text that arrives in pieces, which may end inside a character.
///
/// A validator belongs to one thread at a time. With a `profile`, a forbidden character is an error
/// as well: see `validate`.
///
/// >>> import trust8
/// >>> validator = trust8.Validator()
/// >>> validator.push(b'caf\xc3')
/// >>> validator.position, validator.pending
/// (3, b'\xc3')
/// >>> validator.push(b'\xa9')
/// >>> validator.finish()
#[pyclass(frozen, module = "trust8")]
pub(crate) struct Validator {
    profile: Profile,
    state: Mutex<State>,
}

/// The state of a stream: whether the profile forbids anything decides which.
enum State {
    Utf8(trust8::Validator),
    Profile(Box<ProfileValidator>),
}

impl State {
    fn new(profile: Profile) -> Self {
        if profile == Profile::SCALARS {
            Self::Utf8(trust8::Validator::new())
        } else {
            Self::Profile(Box::new(ProfileValidator::new(profile)))
        }
    }

    fn push(&mut self, piece: &[u8]) -> Result<(), ProfileStreamError> {
        match self {
            Self::Utf8(validator) => Ok(validator.push(piece)?),
            Self::Profile(validator) => validator.push(piece),
        }
    }

    fn finish(&self) -> Result<(), ProfileStreamError> {
        match self {
            Self::Utf8(validator) => Ok(validator.finish()?),
            Self::Profile(validator) => validator.finish(),
        }
    }

    fn position(&self) -> u64 {
        match self {
            Self::Utf8(validator) => validator.valid_up_to(),
            Self::Profile(validator) => validator.valid_up_to(),
        }
    }

    fn pending(&self) -> &[u8] {
        match self {
            Self::Utf8(validator) => validator.pending(),
            Self::Profile(validator) => validator.pending(),
        }
    }
}

impl Validator {
    /// Returns the validator, unless another thread is using it.
    fn lock(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|_| {
            PyRuntimeError::new_err(
                "another thread is using this validator; use one validator for each thread",
            )
        })
    }
}

#[pymethods]
impl Validator {
    #[new]
    #[pyo3(signature = (*, profile = None))]
    fn new(profile: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let profile = profile_of(profile)?;
        Ok(Self { profile, state: Mutex::new(State::new(profile)) })
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
        *self.lock()? = State::new(self.profile);
        Ok(())
    }

    /// The number of bytes, from the start of the text, that are known to be whole characters (and
    /// allowed).
    #[getter]
    fn position(&self) -> PyResult<u64> {
        Ok(self.lock()?.position())
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
fn raised(py: Python<'_>, error: &ProfileStreamError) -> PyErr {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (position, length, kind) = match error {
        ProfileStreamError::NotUtf8(error) => (error.valid_up_to(), error.error_len(), error.kind().name()),
        ProfileStreamError::Forbidden(found) => {
            (found.offset(), Some(found.character().len_utf8()), found.class().name())
        }
    };
    let arguments = (position, length, kind, error.to_string());
    let raised =
        CLASS.import(py, "trust8._exceptions", "StreamError").and_then(|class| class.call1(arguments));
    match raised {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

//! Parts of a text that are judged separately and then joined.

use std::ops::ControlFlow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyType};

use crate::input::Input;

exports!(; Part);

/// The judgement on a part of a text: whether it is UTF-8, its counts, and its first error.
///
/// A text may be cut anywhere, even inside a character. Each part is judged separately, in any
/// order and on any machine, and the judgements are joined in the order of the text. The result
/// does not depend on the cuts: it is that of one pass over the whole. A judgement has 64 bytes,
/// and can be pickled. ``Part()`` is the part of no bytes.
///
/// >>> from trust8 import Part
/// >>> left, right = Part.of(b'na\xc3'), Part.of(b'\xafve\n')
/// >>> left.then(right).finish()
/// Tally(bytes=7, chars=6, utf16_len=6, newlines=1, chars_by_len=(5, 1, 0, 0))
/// >>> try:
/// ...     left.finish()
/// ... except ValueError as error:
/// ...     print(error.position, error.line, error.column, error.kind)
/// 2 1 3 incomplete
#[pyclass(frozen, eq, module = "trust8")]
#[derive(PartialEq)]
pub(crate) struct Part(trust8_counts::Part);

#[pymethods]
impl Part {
    #[new]
    fn new() -> Self {
        Self(trust8_counts::Part::default())
    }

    /// Judge `data`, which may begin and end inside a character. It is any object with the buffer protocol.
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn of(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut whole = trust8_counts::Part::default();
        Input::of(data)?.pieces(data.py(), |piece| {
            whole = whole.then(&trust8_counts::Part::of(piece));
            ControlFlow::Continue(())
        })?;
        Ok(Self(whole))
    }

    /// Return the judgement on this part followed by the next one, as one part.
    #[pyo3(signature = (next, /))]
    fn then(&self, next: &Self) -> Self {
        Self(self.0.then(&next.0))
    }

    /// Return the counts of the text, if this part is the whole text and is UTF-8. Otherwise, raise
    /// `PartError`.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        match self.0.finish() {
            Ok(whole) => tally(py, &whole),
            Err(error) => {
                let class = CLASS.import(py, "trust8._exceptions", "PartError")?;
                let arguments = (
                    error.valid_up_to(),
                    error.error_len(),
                    error.kind().name(),
                    error.to_string(),
                    error.line(),
                    error.column(),
                    tally(py, &error.before())?,
                );
                Err(PyErr::from_value(class.call1(arguments)?))
            }
        }
    }

    /// Whether the part has an error, regardless of its neighbours.
    #[getter]
    fn has_failed(&self) -> bool {
        self.0.has_failed()
    }

    /// Return the judgement as 64 bytes, which are the same on all machines.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    /// Return the judgement from the bytes of `to_bytes`. Raise ValueError if they are not those of
    /// a judgement.
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = Input::of(data)?.bytes(data.py())?;
        let part = bytes.as_bytes().try_into().ok().and_then(trust8_counts::Part::from_bytes);
        part.map(Self)
            .ok_or_else(|| PyValueError::new_err("these bytes are not a judgement on a part of a text"))
    }

    /// The number of bytes.
    fn __len__(&self) -> usize {
        usize::try_from(self.0.len()).unwrap_or(usize::MAX)
    }

    /// A part is always true, even the part of no bytes.
    fn __bool__(&self) -> bool {
        true
    }

    fn __hash__(&self) -> u64 {
        let numbers = self.0.to_bytes();
        numbers.as_chunks::<8>().0.iter().fold(0, |hash, number| {
            (hash ^ u64::from_le_bytes(*number)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        })
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((this.get_type().getattr("from_bytes")?, (this.get().to_bytes(this.py()),)))
    }

    fn __repr__(&self) -> String {
        let failed = if self.0.has_failed() { "True" } else { "False" };
        format!("<trust8.Part bytes={} has_failed={failed}>", self.0.len())
    }
}

/// Makes a `Tally`, which is a named tuple.
fn tally<'py>(py: Python<'py>, tally: &trust8_counts::Tally) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let [one, two, three, four] = tally.chars_by_len();
    let lengths = (one, two, three, four);
    let arguments = (tally.bytes(), tally.chars(), tally.utf16_len(), tally.newlines(), lengths);
    CLASS.import(py, "trust8._exceptions", "Tally")?.call1(arguments)
}

//! Counts what some bytes contain, and finds out which relative of UTF-8 they are.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use trust8_counts::Part;

use crate::input::{Input, answering_signals};

exports!(inspect, diagnose; Summary, Diagnosis);

/// The result of `inspect`.
///
/// If the bytes are not UTF-8, the counts are those of the valid text before the first error.
#[pyclass(frozen, eq, hash, module = "trust8")]
#[derive(PartialEq, Hash)]
pub(crate) struct Summary {
    start: Option<u64>,
    bytes: u64,
    chars: u64,
    utf16_len: u64,
    newlines: u64,
    chars_by_len: [u64; 4],
}

impl Summary {
    fn of(tally: &trust8_counts::Tally, start: Option<u64>) -> Self {
        Self {
            start,
            bytes: tally.bytes(),
            chars: tally.chars(),
            utf16_len: tally.utf16_len(),
            newlines: tally.newlines(),
            chars_by_len: tally.chars_by_len(),
        }
    }
}

/// The pickled form of a `Summary`.
type Numbers = (Option<u64>, u64, u64, u64, u64, [u64; 4]);

#[pymethods]
impl Summary {
    #[staticmethod]
    fn _restored(numbers: Numbers) -> Self {
        let (start, bytes, chars, utf16_len, newlines, chars_by_len) = numbers;
        Self { start, bytes, chars, utf16_len, newlines, chars_by_len }
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Numbers,))> {
        let it = this.get();
        let numbers = (it.start, it.bytes, it.chars, it.utf16_len, it.newlines, it.chars_by_len);
        Ok((this.get_type().getattr("_restored")?, (numbers,)))
    }

    /// Whether all bytes are UTF-8.
    #[getter]
    fn valid(&self) -> bool {
        self.start.is_none()
    }

    /// The position of the first error, or None.
    #[getter]
    fn error_start(&self) -> Option<u64> {
        self.start
    }

    /// The number of bytes that were counted: all, or those before the first error.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of characters, which is the length of the string.
    #[getter]
    fn chars(&self) -> u64 {
        self.chars
    }

    /// The number of 16-bit units in UTF-16.
    #[getter]
    fn utf16_len(&self) -> u64 {
        self.utf16_len
    }

    /// The number of line feeds.
    #[getter]
    fn newlines(&self) -> u64 {
        self.newlines
    }

    /// The numbers of characters with one, two, three and four bytes.
    #[getter]
    fn chars_by_len(&self) -> (u64, u64, u64, u64) {
        let [one, two, three, four] = self.chars_by_len;
        (one, two, three, four)
    }

    /// Whether all bytes are ASCII.
    #[getter]
    fn is_ascii(&self) -> bool {
        self.valid() && self.bytes == self.chars
    }

    fn __repr__(&self) -> String {
        let Self { start, bytes, chars, newlines, .. } = self;
        let error = start.map_or("None".to_owned(), |start| start.to_string());
        format!("<trust8.Summary error_start={error} bytes={bytes} chars={chars} newlines={newlines}>")
    }
}

/// Validate `data`, and count its characters, UTF-16 units and line feeds in the same pass.
///
/// `data` is any object with the buffer protocol.
///
/// >>> import trust8
/// >>> summary = trust8.inspect('Grüße,\n世界\n'.encode())
/// >>> summary.valid, summary.bytes, summary.chars, summary.newlines
/// (True, 16, 10, 2)
/// >>> trust8.inspect(b'caf\xe9').error_start
/// 3
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn inspect(data: &Bound<'_, PyAny>) -> PyResult<Summary> {
    let mut whole = Part::default();
    Input::of(data)?.pieces(data.py(), |piece| {
        whole = whole.then(&Part::of(piece));
        if whole.has_failed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(match whole.finish() {
        Ok(tally) => Summary::of(&tally, None),
        Err(error) => Summary::of(&error.before(), Some(error.valid_up_to())),
    })
}

/// Which relatives of UTF-8 accept some bytes: see `diagnose`.
#[pyclass(frozen, eq, hash, module = "trust8")]
#[derive(PartialEq, Hash)]
pub(crate) struct Diagnosis {
    best: Option<String>,
    accepted: Vec<String>,
    decided_at: Option<usize>,
    message: String,
}

/// The pickled form of a `Diagnosis`.
type Found = (Option<String>, Vec<String>, Option<usize>, String);

#[pymethods]
impl Diagnosis {
    #[staticmethod]
    fn _restored(found: Found) -> Self {
        let (best, accepted, decided_at, message) = found;
        Self { best, accepted, decided_at, message }
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Found,))> {
        let it = this.get();
        let found = (it.best.clone(), it.accepted.clone(), it.decided_at, it.message.clone());
        Ok((this.get_type().getattr("_restored")?, (found,)))
    }

    /// The name of the most likely dialect, or None: 'utf-8', 'cesu-8', 'mutf-8', 'wtf-8' or
    /// 'utf-8-rfc2279'.
    #[getter]
    fn best(&self) -> Option<&str> {
        self.best.as_deref()
    }

    /// The names of all dialects that accept the bytes, the best one first.
    #[getter]
    fn accepted(&self) -> Vec<String> {
        self.accepted.clone()
    }

    /// The first place at which the bytes are not UTF-8, or None.
    #[getter]
    fn decided_at(&self) -> Option<usize> {
        self.decided_at
    }

    fn __str__(&self) -> String {
        self.message.clone()
    }

    fn __repr__(&self) -> String {
        format!("<trust8.Diagnosis: {}>", self.message)
    }
}

/// Find out which relatives of UTF-8 accept all of `data`: UTF-8, CESU-8, Modified UTF-8, WTF-8, and the UTF-8 of RFC 2279.
///
/// `data` is any object with the buffer protocol. Memory that can change is copied first.
///
/// >>> import trust8
/// >>> diagnosis = trust8.diagnose(b'Smile: \xed\xa0\xbd\xed\xb8\x80')
/// >>> diagnosis.best
/// 'cesu-8'
/// >>> print(diagnosis)
/// CESU-8: at byte 7, ED A0 BD ED B8 80 is U+1F600 and not UTF-8 (Modified UTF-8, RFC 2279 accept all of it, too)
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn diagnose(data: &Bound<'_, PyAny>) -> PyResult<Diagnosis> {
    let py = data.py();
    let bytes = PyBackedBytes::from(Input::of(data)?.bytes(py)?);
    let found = answering_signals(py, bytes.len(), move || trust8_dialect::diagnose(&bytes))?;
    Ok(Diagnosis {
        best: found.best().map(|dialect| dialect.name().to_owned()),
        accepted: found.accepted().map(|dialect| dialect.name().to_owned()).collect(),
        decided_at: found.decided_at(),
        message: found.to_string(),
    })
}

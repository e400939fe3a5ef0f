//! What some bytes are made of, and which relative of UTF-8 they are.

use std::ops::ControlFlow;

use pyo3::prelude::*;
use trust8::Part;
use trust8_dialect::Dialect;

use crate::input::{Input, unlocked_if_long};

/// What `inspect` has found out.
///
/// If the bytes are not UTF-8, the counts are those of the valid text before the first error.
#[pyclass(frozen, eq, module = "trust8")]
#[derive(PartialEq)]
pub(crate) struct Summary {
    tally: trust8::Tally,
    start: Option<u64>,
}

#[pymethods]
impl Summary {
    /// Whether all bytes are UTF-8.
    #[getter]
    fn valid(&self) -> bool {
        self.start.is_none()
    }

    /// Where the first error is, or None.
    #[getter]
    fn error_start(&self) -> Option<u64> {
        self.start
    }

    /// How many bytes the counts are of: all, or those before the first error.
    #[getter]
    fn bytes(&self) -> u64 {
        self.tally.bytes()
    }

    /// The number of characters, which is the length of the string.
    #[getter]
    fn chars(&self) -> u64 {
        self.tally.chars()
    }

    /// The number of 16-bit units in UTF-16.
    #[getter]
    fn utf16_len(&self) -> u64 {
        self.tally.utf16_len()
    }

    /// The number of line feeds.
    #[getter]
    fn newlines(&self) -> u64 {
        self.tally.newlines()
    }

    /// How many characters have one, two, three and four bytes.
    #[getter]
    fn chars_by_len(&self) -> (u64, u64, u64, u64) {
        let [one, two, three, four] = self.tally.chars_by_len();
        (one, two, three, four)
    }

    /// Whether all bytes are ASCII.
    #[getter]
    fn is_ascii(&self) -> bool {
        self.valid() && self.tally.bytes() == self.tally.chars()
    }

    fn __repr__(&self) -> String {
        let Self { tally, start } = self;
        let error = start.map_or("None".to_owned(), |start| start.to_string());
        format!(
            "<trust8.Summary error_start={error} bytes={} chars={} newlines={}>",
            tally.bytes(),
            tally.chars(),
            tally.newlines()
        )
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
        Ok(tally) => Summary { tally, start: None },
        Err(error) => Summary { tally: error.before(), start: Some(error.valid_up_to()) },
    })
}

/// Which relatives of UTF-8 accept some bytes: see `diagnose`.
#[pyclass(frozen, module = "trust8")]
pub(crate) struct Diagnosis(trust8_dialect::Diagnosis);

#[pymethods]
impl Diagnosis {
    /// The name of the dialect that the bytes are most likely in, or None: 'utf-8', 'cesu-8', 'mutf-8', 'wtf-8' or
    /// 'utf-8-rfc2279'.
    #[getter]
    fn best(&self) -> Option<&'static str> {
        self.0.best().map(Dialect::name)
    }

    /// The names of all dialects that accept the bytes, the best one first.
    #[getter]
    fn accepted(&self) -> Vec<&'static str> {
        self.0.accepted().map(Dialect::name).collect()
    }

    /// The first place at which the bytes are not UTF-8, or None.
    #[getter]
    fn decided_at(&self) -> Option<usize> {
        self.0.decided_at()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<trust8.Diagnosis: {}>", self.0)
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
    let bytes = Input::of(data)?.bytes(py)?;
    let bytes = bytes.as_bytes();
    Ok(Diagnosis(unlocked_if_long(py, bytes.len(), || trust8_dialect::diagnose(bytes))))
}

//! Encoding.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::text;

/// Encodes a string. Only surrogates lead to a call of an error handler.
pub(crate) fn encode<'py>(
    text: &Bound<'py, PyString>,
    errors: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    if let Some(bytes) = text::encoded(py, text)? {
        return Ok(bytes);
    }
    let method = intern!(py, "encode");
    let strict = intern!(py, "strict").as_any();
    // The interpreter's own encoder has all handlers.
    let bytes = py.get_type::<PyString>().call_method1(method, (text, "utf-8", errors.unwrap_or(strict)))?;
    Ok(bytes.cast_into()?)
}

//! Encoding.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::text;

/// Encode a string as UTF-8.
///
/// The result is that of ``text.encode('utf-8', errors)``. A handler of errors is called for surrogates only.
///
/// >>> import trust8
/// >>> trust8.encode('caf\u00e9')
/// b'caf\xc3\xa9'
#[pyfunction]
#[pyo3(signature = (text, /, errors = None))]
pub(crate) fn encode<'py>(
    text: &Bound<'py, PyString>,
    errors: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = text.py();
    if let Some(bytes) = text::encoded(py, text)? {
        return Ok(bytes);
    }
    let method = intern!(py, "encode");
    // The interpreter's own encoder has all handlers.
    let bytes = py
        .get_type::<PyString>()
        .call_method1(method, (text, "utf-8", errors.map_or(intern!(py, "strict"), |errors| errors)))?;
    Ok(bytes.cast_into()?)
}

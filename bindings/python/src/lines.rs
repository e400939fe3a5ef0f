//! The lines of a text, as a list of strings.

#![forbid(unsafe_code)]

use memchr::memchr2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::decode;
use crate::input::{Input, is_true};
use crate::text::{self, Counts};

exports!(decode_lines;);

/// Decode UTF-8, and return its lines.
///
/// The lines are those of ``data.splitlines(keepends)``: they end with ``\n``, ``\r`` or ``\r\n``.
/// The whole text is validated once, and the position of an error is that in the whole text.
/// `errors` is as for `decode`.
///
/// >>> import trust8
/// >>> trust8.decode_lines(b'one\ntwo\r\nthree')
/// ['one', 'two', 'three']
#[pyfunction]
#[pyo3(signature = (data, errors = "strict", *, keepends = false))]
pub(crate) fn decode_lines<'py>(
    data: &Bound<'py, PyAny>,
    errors: &str,
    #[pyo3(from_py_with = is_true)] keepends: bool,
) -> PyResult<Bound<'py, PyList>> {
    let py = data.py();
    let bytes = Input::of(data)?.bytes(py)?;
    let is_valid = Counts::of(py, bytes.as_bytes())?.is_valid();
    if !is_valid && errors == "strict" {
        decode::decode(bytes.as_any(), errors, true)?;
    }
    let lines = PyList::empty(py);
    let mut rest = bytes.as_bytes();
    let mut number = 0_u32;
    while !rest.is_empty() {
        let (line, end) = match memchr2(b'\n', b'\r', rest) {
            Some(at) if rest[at..].starts_with(b"\r\n") => (at, at + 2),
            Some(at) => (at, at + 1),
            None => (rest.len(), rest.len()),
        };
        let line = &rest[..if keepends { end } else { line }];
        lines.append(string(py, line, if is_valid { "strict" } else { errors })?)?;
        rest = &rest[end..];
        number = number.wrapping_add(1);
        if number.is_multiple_of(1 << 16) {
            py.check_signals()?;
        }
    }
    Ok(lines)
}

/// Decodes a line.
fn string<'py>(py: Python<'py>, line: &[u8], errors: &str) -> PyResult<Bound<'py, PyString>> {
    if let Some(string) = decode::ascii(py, line)? {
        return Ok(string);
    }
    let counts = Counts::of(py, line)?;
    if counts.is_valid() {
        return text::of_valid(py, &counts);
    }
    let line = PyBytes::new(py, line);
    Ok(decode::decode(line.as_any(), errors, true)?.0)
}

//! The lines of a text, as a list of strings.

#![forbid(unsafe_code)]

use memchr::memchr2;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

use crate::decode;
use crate::input::{Input, PIECE_BYTES, is_true};
use crate::text::{self, Counts};

exports!(decode_lines;);

/// Decode UTF-8, and return its lines.
///
/// The lines are those of ``data.splitlines(keepends)``: they end with ``\n``, ``\r`` or ``\r\n``.
/// The whole text is validated once, and the position of an error is that in the whole text.
/// `errors` is as for `decode`, except that a handler that has to be called sees only the line.
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
    let mut work = 0;
    while !rest.is_empty() {
        let (line, end) = match memchr2(b'\n', b'\r', rest) {
            Some(at) if rest[at..].starts_with(b"\r\n") => (at, at + 2),
            Some(at) => (at, at + 1),
            None => (rest.len(), rest.len()),
        };
        let line = &rest[..if keepends { end } else { line }];
        let start = bytes.as_bytes().len() - rest.len();
        lines.append(string(&bytes, start, line, if is_valid { "strict" } else { errors })?)?;
        rest = &rest[end..];
        // Signals are handled between pieces. Each line has its cost, too.
        work += end + LINE_COST_BYTES;
        if work >= PIECE_BYTES {
            work = 0;
            py.check_signals()?;
        }
    }
    Ok(lines)
}

/// The cost of a line, as the number of bytes that could be decoded in the same time.
const LINE_COST_BYTES: usize = 128;

/// Decodes a line, which begins at `start` of `bytes`.
fn string<'py>(
    bytes: &Bound<'py, PyBytes>,
    start: usize,
    line: &[u8],
    errors: &str,
) -> PyResult<Bound<'py, PyString>> {
    let py = bytes.py();
    if let Some(string) = decode::ascii(py, line)? {
        return Ok(string);
    }
    let counts = Counts::of(py, line)?;
    if counts.is_valid() {
        return text::of_valid(py, &counts);
    }
    let line = PyBytes::new(py, line);
    let decoded = decode::decode(line.as_any(), errors, true);
    Ok(decoded.map_err(|error| in_whole(bytes, start, &line, error))?.0)
}

/// Returns the error of a line that a handler refuses as one of `bytes`, and any other exception unchanged, also one of another class.
#[cold]
fn in_whole(bytes: &Bound<'_, PyBytes>, start: usize, line: &Bound<'_, PyBytes>, error: PyErr) -> PyErr {
    let value = error.value(bytes.py());
    let is_of_line = value.getattr("object").is_ok_and(|object| object.is(line));
    let at = value.getattr("start").and_then(|at| at.extract::<usize>());
    match at {
        Ok(at) if is_of_line && at < line.as_bytes().len() => {
            let in_whole = decode::invalid(bytes.py(), bytes, start + at);
            let is_alike = |whole: &PyErr| whole.get_type(bytes.py()).is(error.get_type(bytes.py()));
            in_whole.ok().filter(is_alike).unwrap_or(error)
        }
        _ => error,
    }
}

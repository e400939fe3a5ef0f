//! Creates strings with functions that are stable across versions of Python.
//!
//! `PyUnicode_FromStringAndSize` decodes UTF-8 itself, so a text is read by two decoders. It only
//! gets valid text.

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;
use std::ptr::NonNull;

use super::{Counts, Decoded, Instead};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};

/// Returns the text before the first error as a string.
pub(crate) fn of_valid<'py>(py: Python<'py>, counts: &Counts<'_>) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, &counts.all[..counts.valid])
}

/// Returns `None`: only the interpreter creates strings here.
#[inline]
pub(crate) fn ascii(_: Python<'_>, _: &[u8]) -> Option<NonNull<ffi::PyObject>> {
    None
}

/// Returns `None`, for the same reason.
#[inline]
pub(crate) fn quick_bytes(_: &Borrowed<'_, '_, PyAny>) -> Option<*mut ffi::PyObject> {
    None
}

/// Returns `None`, for the same reason.
pub(crate) fn ascii_in_pieces<'py>(
    _: Python<'py>,
    _: usize,
    _: impl FnMut(usize, &mut [MaybeUninit<u8>]) -> bool,
) -> PyResult<Option<Bound<'py, PyString>>> {
    Ok(None)
}

/// Returns `None`, for the same reason.
pub(crate) fn ascii_without_faults<'py>(_: Python<'py>, _: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    Ok(None)
}

/// Returns bytes as a string, with each ill-formed sequence replaced according to `instead`.
pub(crate) fn faulty<'py>(py: Python<'py>, before: &Counts<'_>, instead: Instead) -> PyResult<Decoded<'py>> {
    let bytes = PyBytes::new(py, before.all);
    let text = bytes.call_method1(intern!(py, "decode"), ("utf-8", instead.name()))?;
    Ok(Decoded::Text(text.cast_into()?))
}

/// Returns `None`: there is only `faulty`.
pub(crate) fn short<'py>(_: Python<'py>, _: &[u8], _: Instead) -> PyResult<Option<Decoded<'py>>> {
    Ok(None)
}

/// A string made from several texts.
pub(crate) struct Builder<'py> {
    parts: Bound<'py, PyList>,
}

impl<'py> Builder<'py> {
    pub(crate) fn new(py: Python<'py>, _: usize) -> PyResult<Self> {
        Ok(Self { parts: PyList::empty(py) })
    }

    /// Appends a text.
    pub(crate) fn push_str(&mut self, text: &str) -> PyResult<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.parts.append(PyString::from_bytes(self.parts.py(), text.as_bytes())?)
    }

    /// Appends a character, or a surrogate, since a `str` may have those too.
    pub(crate) fn push_code_point(&mut self, code_point: u32) -> PyResult<()> {
        let py = self.parts.py();
        self.parts.append(py.import("builtins")?.call_method1(intern!(py, "chr"), (code_point,))?)
    }

    /// Appends a string.
    pub(crate) fn push_string(&mut self, string: &Bound<'py, PyString>) -> PyResult<()> {
        self.parts.append(string)
    }

    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyString>> {
        let py = self.parts.py();
        Ok(PyString::new(py, "").call_method1(intern!(py, "join"), (self.parts,))?.cast_into()?)
    }
}

/// Returns the string in UTF-8, or `None` if it has a surrogate.
pub(crate) fn encoded<'py>(
    py: Python<'py>,
    string: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    Ok(string.to_str().ok().map(|text| PyBytes::new(py, text.as_bytes())))
}

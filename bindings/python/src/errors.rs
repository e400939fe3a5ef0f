//! Exceptions for invalid bytes.

use std::ops::ControlFlow;

use pyo3::exceptions::PyRuntimeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyType};
use trust8::boundary::floor;
use trust8::{ErrorKind, Utf8Error, Validator};
use trust8_profile::{self as profile, Profile};

use crate::decode::invalid;
use crate::input::{Input, LONG_BYTES, PIECE_BYTES, is_true, unlocked_if_long};
use crate::profile::{first, profile_of, refused};
use crate::text::Counts;

exports!(validate, errors, describe; Errors);

/// Returns whether the bytes are UTF-8 without a character that the profile forbids.
pub(crate) fn is_valid(input: &Input<'_>, profile: &Profile, py: Python<'_>) -> PyResult<bool> {
    if profile.bits() != 0 {
        // Contiguous text is read once.
        if let Input::Bytes(bytes) = input
            && bytes.as_bytes().len() < LONG_BYTES
        {
            return Ok(profile.is_valid(bytes.as_bytes()));
        }
        let mut validator = profile::ProfileValidator::new(*profile);
        input.pieces(py, |piece| match validator.push(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        })?;
        return Ok(validator.finish().is_ok());
    }
    let mut validator = Validator::new();
    input.pieces(py, |piece| match validator.push(piece) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })?;
    Ok(validator.finish().is_ok())
}

/// Check that `data` is UTF-8.
///
/// Raise `Utf8Error` for the first error. `data` is any object with the buffer protocol.
///
/// A `profile` also forbids characters. It is a preset ('xml', 'assignables', 'i-json', 'postgres',
/// 'terminal', 'source', 'prompt', 'file-name'), a class of characters, such as 'bidi-control', or
/// a list of both. If a forbidden character comes first, this raises `ProfileError`.
/// `docs/profiles.md` in the repository has all names.
///
/// >>> import trust8
/// >>> trust8.validate(b'caf\xc3\xa9')
/// >>> try:
/// ...     trust8.validate(b'caf\xe9 au lait')
/// ... except UnicodeDecodeError as error:
/// ...     print(error.start, error.end, error.reason)
/// ...     print(error.kind)
/// ...     print(error.explanation)
/// 3 4 invalid continuation byte
/// truncated
/// E9 begins a character of 3 bytes, and 20 follows; expected a continuation byte (80 to BF)
/// >>> try:
/// ...     trust8.validate(b'user=\x1b[2J', profile='terminal')
/// ... except trust8.ProfileError as error:
/// ...     print(error.start, error.kind)
/// ...     print(error.explanation)
/// 5 c0-control
/// U+001B is a control that terminals may take for a command
#[pyfunction]
#[pyo3(signature = (data, /, *, profile = None))]
pub(crate) fn validate(data: &Bound<'_, PyAny>, profile: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let py = data.py();
    let profile = profile_of(profile)?;
    let input = Input::of(data)?;
    if is_valid(&input, &profile, py)? {
        return Ok(());
    }
    // Changing memory may be UTF-8 by now, which is an equally valid answer.
    let bytes = input.bytes(py)?;
    if profile.bits() != 0 {
        let first = Errors::of(bytes, profile, false).next(py)?;
        return first.map_or(Ok(()), |error| Err(PyErr::from_value(error)));
    }
    let counts = Counts::of(py, bytes.as_bytes())?;
    if counts.is_valid() { Ok(()) } else { Err(invalid(py, &bytes, counts.valid())?) }
}

/// Return an iterator over all errors in `data`, each as a `Utf8Error`.
///
/// The search continues after the bytes that one U+FFFD would replace. With a `profile`, each forbidden character is a `ProfileError`:
/// see `validate`. With `runs`, those that follow each other are one error: 400 variation selectors in a row are one finding. `data` is any
/// object with the buffer protocol. Memory that can change is copied first.
///
/// >>> import trust8
/// >>> for error in trust8.errors(b'one\xff two\xc0\xaf'):
/// ...     print(error.start, error.kind)
/// 3 invalid-byte
/// 8 overlong
/// 9 unexpected-continuation
/// >>> for error in trust8.errors('x\u200b\u200b\u200d'.encode(), profile='source', runs=True):
/// ...     print(error.start, error.end, len(error.character), error.kind)
/// 1 10 3 stray-space
#[pyfunction]
#[pyo3(signature = (data, /, *, profile = None, runs = false))]
pub(crate) fn errors(
    data: &Bound<'_, PyAny>,
    profile: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = is_true)] runs: bool,
) -> PyResult<Errors> {
    let profile = profile_of(profile)?;
    let bytes = Input::of(data)?.bytes(data.py())?;
    Ok(Errors::of(bytes, profile, runs))
}

/// An iterator over all errors in some bytes: see `errors`.
#[pyclass(module = "trust8")]
pub(crate) struct Errors {
    bytes: Py<PyBytes>,
    /// The characters that are errors too.
    profile: Profile,
    /// Whether forbidden characters that follow each other are one error.
    runs: bool,
    /// Where the search continues.
    at: usize,
    /// The start of the last search, to which its positions are relative.
    from: usize,
    /// Errors that were found but not returned yet.
    found: std::vec::IntoIter<Utf8Error>,
}

#[pymethods]
impl Errors {
    fn __iter__<'py>(this: &Bound<'py, Self>) -> Bound<'py, Self> {
        this.clone()
    }

    fn __next__<'py>(this: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let busy = |_| PyRuntimeError::new_err("another thread is using this iterator");
        this.try_borrow_mut().map_err(busy)?.next(this.py())
    }
}

impl Errors {
    fn of(bytes: Bound<'_, PyBytes>, profile: Profile, runs: bool) -> Self {
        Self { bytes: bytes.unbind(), profile, runs, at: 0, from: 0, found: Vec::new().into_iter() }
    }

    fn next<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        /// The number of errors to find at a time, because starting a search has its cost.
        const MANY_ERRORS: usize = 256;
        let bytes = self.bytes.bind(py);
        let all = bytes.as_bytes();
        // Signals are handled between pieces.
        let end_of_piece =
            |at| if all.len() - at > PIECE_BYTES { floor(all, at + PIECE_BYTES) } else { all.len() };
        while self.profile.bits() != 0 {
            py.check_signals()?;
            let end = end_of_piece(self.at);
            let find = || first(&self.profile, all, self.at, end);
            match unlocked_if_long(py, end - self.at, find) {
                Some(mut place) => {
                    let mut is_over = !self.runs;
                    while !is_over {
                        let end = all.len().min(place.end + PIECE_BYTES);
                        is_over =
                            unlocked_if_long(py, end - place.end, || place.extend(&self.profile, all, end));
                        py.check_signals()?;
                    }
                    self.at = place.end;
                    return refused(py, bytes, place).map(Some);
                }
                None if end == all.len() => return Ok(None),
                None => self.at = end,
            }
        }
        while self.found.len() == 0 {
            py.check_signals()?;
            let piece = &all[self.at..end_of_piece(self.at)];
            let find = || trust8::errors(piece).take(MANY_ERRORS).collect::<Vec<_>>();
            let mut found = unlocked_if_long(py, piece.len(), find);
            let is_last = self.at + piece.len() == all.len();
            // The next piece begins with a sequence that only the end of this one makes incomplete.
            let cut = found.pop_if(|error| error.error_len().is_none() && !is_last);
            self.from = self.at;
            self.at += match (cut, found.last()) {
                (Some(cut), _) => cut.valid_up_to(),
                (None, Some(last)) if found.len() == MANY_ERRORS => {
                    last.error_len().map_or(piece.len(), |len| last.valid_up_to() + len)
                }
                _ => piece.len(),
            };
            if found.is_empty() && is_last {
                return Ok(None);
            }
            self.found = found.into_iter();
        }
        let Some(error) = self.found.next() else { return Ok(None) };
        let start = self.from + error.valid_up_to();
        let end = error.error_len().map_or(all.len(), |len| start + len);
        new_error(py, bytes, start, end, reason(&error)).map(Some)
    }
}

const START: &str = "invalid start byte";
const CONTINUATION: &str = "invalid continuation byte";
const END: &str = "unexpected end of data";

/// Returns the reason that the interpreter's own codec gives.
pub(crate) fn reason(error: &Utf8Error) -> &'static str {
    // Either the first byte alone is wrong, or what follows it.
    match (error.kind(), error.bytes()) {
        (ErrorKind::Incomplete, _) => END,
        (_, [0xC2..=0xF4, ..]) => CONTINUATION,
        _ => START,
    }
}

/// Makes a `Utf8Error`.
pub(crate) fn new_error<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    start: usize,
    end: usize,
    reason: &str,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    // Most exceptions need no new strings.
    let reason = match reason {
        START => intern!(py, START).clone(),
        CONTINUATION => intern!(py, CONTINUATION).clone(),
        END => intern!(py, END).clone(),
        other => PyString::new(py, other),
    };
    let arguments = (intern!(py, "utf-8"), bytes, start, end, reason);
    CLASS.import(py, "trust8._exceptions", "Utf8Error")?.call1(arguments)
}

/// Return the kind and the explanation of the error at `start`, or None if a character begins
/// there.
#[pyfunction]
#[pyo3(name = "_describe", signature = (data, start, /))]
pub(crate) fn describe(data: &Bound<'_, PyBytes>, start: usize) -> Option<(&'static str, String)> {
    // An ill-formed sequence has at most three bytes, and the next byte may prove the error.
    let rest = data.as_bytes().get(start..)?;
    let error = trust8::from_utf8(&rest[..rest.len().min(4)]).err()?;
    (error.valid_up_to() == 0).then(|| (error.kind().name(), error.reason().to_string()))
}

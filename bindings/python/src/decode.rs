//! Decoding with error handlers, like the interpreter's own codec.
//!
//! ```text
//! count and validate; if all is valid, make the string
//! a handler that is built in: decode in one pass (`text/faulty.rs`), or raise the error
//! another handler, for each error: append the valid text before it, and what the handler makes of it
//! ```
//!
//! Like the interpreter, this does not look up `ignore`, `replace` and `surrogateescape`. All other handlers are looked up, even
//! `strict`.

use std::ffi::{CStr, CString};

use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyUnicodeDecodeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyCFunction, PyString, PyTuple};
use trust8::boundary::floor;
use trust8::{ErrorKind, Utf8Error, utf8_chunks};
use trust8_columns::Policy;
use trust8_profile::Profile;

use crate::calls::handler_name;
use crate::errors::{is_valid, new_error, reason};
use crate::input::{Input, PIECE_BYTES, is_true, unlocked_if_long};
use crate::profile::{first, refused};
use crate::repair::repaired_bytes;
use crate::text::{self, Builder, Counts, Decoded, Instead};

exports!(utf_8_decode;);

/// Decode UTF-8, like `codecs.utf_8_decode`, and return the text and the number of bytes decoded.
///
/// Unless `final` is true, an incomplete character at the end is left for the next call.
///
/// >>> import trust8
/// >>> trust8.utf_8_decode(b'5 \xe2\x82')
/// ('5 ', 2)
#[pyfunction]
#[pyo3(signature = (data, errors = None, r#final = false, /))]
pub(crate) fn utf_8_decode<'py>(
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = is_true)] r#final: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    if let Some(errors) = errors
        && !errors.is_instance_of::<PyString>()
    {
        let message =
            format!("utf_8_decode() argument 2 must be str or None, not {}", errors.get_type().name()?);
        return Err(PyTypeError::new_err(message));
    }
    decode(data, errors.map_or(Ok("strict"), handler_name)?, r#final)
}

/// Decodes, and returns the number of bytes decoded: all, or those before an incomplete character
/// if the input is not final.
pub(crate) fn decode<'py>(
    data: &Bound<'py, PyAny>,
    handler: &str,
    is_final: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = data.py();
    let input = Input::of(data)?;
    if let Some(string) = input.ascii(py)? {
        let len = string.len()?;
        return Ok((string, len));
    }
    let input = input.bytes(py)?;
    let all = input.as_bytes();
    let bytes = if is_final { all } else { &all[..all.len() - unfinished(all)] };
    if let Some(string) = ascii(py, bytes)? {
        return Ok((string, bytes.len()));
    }
    let counts = Counts::of(py, bytes)?;
    if counts.is_valid() {
        return Ok((text::of_valid(py, &counts)?, bytes.len()));
    }
    match finish(py, &input, &counts, handler)? {
        Some(string) => Ok((string, bytes.len())),
        None => with_handler(py, input, handler, is_final),
    }
}

/// Decodes text in which forbidden characters of the profile are errors too.
pub(crate) fn decode_in<'py>(
    data: &Bound<'py, PyAny>,
    handler: &str,
    profile: &Profile,
) -> PyResult<Bound<'py, PyString>> {
    let py = data.py();
    let mut input = Input::of(data)?.bytes(py)?;
    if is_valid(&Input::Bytes(input.clone()), profile, py)? {
        return Ok(decode(&input, "strict", true)?.0);
    }
    if handler == "trust8.windows-1252" {
        // It leaves forbidden characters as they are, and reads five bytes as controls.
        let repaired = repaired_bytes(input, Policy::Windows1252, *profile)?;
        return Ok(decode(&repaired, "strict", true)?.0);
    }
    let mut out = Builder::new(py, input.as_bytes().len())?;
    let mut at = 0;
    while at < input.as_bytes().len() {
        let all = input.as_bytes();
        // Signals are handled between pieces.
        let end = if all.len() - at > PIECE_BYTES { floor(all, at + PIECE_BYTES) } else { all.len() };
        let place = unlocked_if_long(py, end - at, || first(profile, all, at, end));
        let valid = &all[at..place.map_or(end, |place| place.start)];
        out.push_str(trust8::from_utf8(valid).map_err(|_| misjudged())?)?;
        at += valid.len();
        let Some(place) = place else {
            py.check_signals()?;
            continue;
        };
        match handler {
            "ignore" => at = place.end,
            "replace" => {
                out.push_code_point(0xFFFD)?;
                at = place.end;
            }
            _ => {
                let called = registered(py, &CString::new(handler)?)?;
                let exception = refused(py, &input, place)?.cast_into::<PyUnicodeDecodeError>()?;
                let replacement;
                (replacement, at) = ask(py, &mut input, &called, &exception)?;
                out.push_string(&replacement)?;
            }
        }
        py.check_signals()?;
    }
    out.finish()
}

#[cold]
pub(crate) fn misjudged() -> PyErr {
    PyRuntimeError::new_err("trust8 has found an error where there is none")
}

/// Returns ASCII as a string, or `None` if the bytes are not ASCII or long.
pub(crate) fn ascii<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    let Some(string) = text::ascii(py, bytes) else { return Ok(None) };
    // SAFETY: the string belongs to this function.
    Ok(Some(unsafe { Bound::from_owned_ptr(py, string.as_ptr()) }.cast_into()?))
}

/// Decodes bytes that are shorter than `LONG_BYTES`, or returns `None` if that needs a handler that is not
/// built in.
#[inline]
pub(crate) fn quick<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    all: &[u8],
    handler: &str,
) -> PyResult<Option<Bound<'py, PyString>>> {
    // Up to this length, validating costs less than looking up a handler.
    const LOOKED_UP_BYTES: usize = 256;
    let named = Instead::by_name(handler);
    if named.is_none() && handler != "strict" && handler.contains('\0') {
        return Ok(None);
    }
    let found = match named {
        Some(Instead::Ignore) if all.len() > text::SHORT_BYTES => text::ascii_without_faults(py, all)?,
        _ => ascii(py, all)?,
    };
    if found.is_some() {
        return Ok(found);
    }
    let known = match named {
        Some(instead) if !instead.is_looked_up() => named,
        // Valid text needs no handler.
        Some(_) if all.len() <= LOOKED_UP_BYTES && !trust8::is_utf8(all) => {
            match Known::by_name(py, handler)? {
                Some(Known::Instead(instead)) => Some(instead),
                _ => return Ok(None),
            }
        }
        _ => None,
    };
    if let Some(instead) = known {
        match text::short(py, all, instead)? {
            Some(Decoded::Text(text)) => return Ok(Some(text)),
            Some(Decoded::Refused(at)) => return Err(invalid(py, bytes, at)?),
            None => (),
        }
    }
    match valid(py, all)? {
        Ok(text) => Ok(Some(text)),
        Err(counts) => finish(py, bytes, &counts, handler),
    }
}

/// Decodes bytes that are shorter than `LONG_BYTES` and are not ASCII. If there is an error, returns the counts
/// up to it.
#[inline]
pub(crate) fn valid<'py, 'a>(
    py: Python<'py>,
    bytes: &'a [u8],
) -> PyResult<Result<Bound<'py, PyString>, Counts<'a>>> {
    // Up to this length, decoding character by character is faster than calling the library.
    const BY_CHARACTER_BYTES: usize = 20;
    if bytes.len() <= BY_CHARACTER_BYTES
        && let Some(Decoded::Text(text)) = text::short(py, bytes, Instead::Strict)?
    {
        return Ok(Ok(text));
    }
    let counts = Counts::of(py, bytes)?;
    Ok(if counts.is_valid() { Ok(text::of_valid(py, &counts)?) } else { Err(counts) })
}

/// Decodes bytes that are shorter than `LONG_BYTES`, or returns `None` if they are not UTF-8.
#[inline]
pub(crate) fn ascii_or_valid<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
    match ascii(py, bytes)? {
        None => Ok(valid(py, bytes)?.ok()),
        text => Ok(text),
    }
}

/// Decodes invalid bytes, or returns `None` if that needs a handler that is not built in.
pub(crate) fn finish<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    counts: &Counts<'_>,
    handler: &str,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let at = match Known::by_name(py, handler)? {
        Some(Known::Strict) => counts.valid(),
        Some(Known::Instead(instead)) => match text::faulty(py, counts, instead)? {
            Decoded::Text(text) => return Ok(Some(text)),
            Decoded::Refused(at) => at,
        },
        None => return Ok(None),
    };
    Err(invalid(py, bytes, at)?)
}

/// An error handler that needs no call.
enum Known {
    Strict,
    Instead(Instead),
}

impl Known {
    /// Returns the handler with this name, unless it was replaced by another registration.
    #[inline]
    fn by_name(py: Python<'_>, name: &str) -> PyResult<Option<Self>> {
        let known = match name {
            "strict" => Self::Strict,
            _ => match Instead::by_name(name) {
                None => return Ok(None),
                Some(known) if !known.is_looked_up() => return Ok(Some(Self::Instead(known))),
                // The interpreter's own decoder makes the strings and calls handlers.
                Some(_) if cfg!(feature = "abi3") => return Ok(None),
                Some(Instead::Windows1252) => return Ok(Some(Self::Instead(Instead::Windows1252))),
                Some(known) => Self::Instead(known),
            },
        };
        static BUILT_IN: PyOnceLock<[Py<PyAny>; 3]> = PyOnceLock::new();
        let built_in = BUILT_IN.get_or_try_init(py, || {
            let codecs = py.import("codecs")?;
            // The module lacks a name for this one.
            let passes = registered(py, c"surrogatepass")?;
            let passes =
                if passes.is_instance_of::<PyCFunction>() { passes } else { py.None().into_bound(py) };
            Ok::<_, PyErr>([
                codecs.getattr("strict_errors")?.unbind(),
                codecs.getattr("backslashreplace_errors")?.unbind(),
                passes.unbind(),
            ])
        })?;
        let (wanted, name) = match known {
            Self::Strict => (&built_in[0], c"strict"),
            Self::Instead(Instead::BackslashReplace) => (&built_in[1], c"backslashreplace"),
            Self::Instead(_) => (&built_in[2], c"surrogatepass"),
        };
        Ok(registered(py, name)?.is(wanted).then_some(known))
    }
}

/// Returns the error handler that is registered under this name.
fn registered<'py>(py: Python<'py>, name: &CStr) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the interpreter is held, and the name ends with a zero.
    let handler = unsafe { ffi::PyCodec_LookupError(name.as_ptr()) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, handler) }
}

/// Returns the exception for the ill-formed sequence at `at`.
#[cold]
pub(crate) fn invalid(py: Python<'_>, input: &Bound<'_, PyBytes>, at: usize) -> PyResult<PyErr> {
    let all = input.as_bytes();
    let rest = &all[at..];
    let Some(error) = trust8::from_utf8(&rest[..rest.len().min(4)]).err() else {
        return Err(misjudged());
    };
    let end = error.error_len().map_or(all.len(), |len| at + len);
    Ok(PyErr::from_value(new_error(py, input, at, end, reason(&error))?))
}

/// Returns the length of the incomplete character at the end of the bytes: 0 to 3 bytes.
///
/// Like the interpreter, this waits for the third byte of a surrogate, so that `surrogatepass` gets
/// all of it.
pub(crate) fn unfinished(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    let lead = last.iter().rposition(|byte| !trust8::boundary::is_continuation(*byte));
    let Some(rest) = lead.map(|lead| &last[lead..]) else { return 0 };
    match trust8::from_utf8(rest) {
        Err(error) if is_unfinished(&error, rest.len()) => rest.len(),
        _ => 0,
    }
}

/// Returns whether more input may remove the error, which begins `rest` bytes before the end.
fn is_unfinished(error: &Utf8Error, rest: usize) -> bool {
    match error.kind() {
        ErrorKind::Incomplete => true,
        ErrorKind::Surrogate => rest == 2,
        _ => false,
    }
}

/// Decodes, and calls the registered handler with this name for each ill-formed sequence.
fn with_handler<'py>(
    py: Python<'py>,
    mut input: Bound<'py, PyBytes>,
    name: &str,
    is_final: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let len = input.as_bytes().len();
    let mut out = Builder::new(py, len)?;
    let mut handler = Handler::new(name);
    let mut at = 0;
    loop {
        let rest = &input.as_bytes()[at..];
        // Signals are handled between pieces.
        let piece = &rest[..rest.len().min(PIECE_BYTES)];
        let Some(chunk) = utf8_chunks(piece).next() else { break };
        out.push_str(chunk.valid())?;
        at += chunk.valid().len();
        let error = chunk.error();
        if piece.len() < rest.len() && error.is_none_or(|error| error.kind() == ErrorKind::Incomplete) {
            py.check_signals()?;
            continue;
        }
        let Some(error) = error else { break };
        if !is_final && is_unfinished(&error, rest.len() - chunk.valid().len()) {
            break;
        }
        let end = at + chunk.invalid().len();
        let replacement;
        (replacement, at) = handler.call(
            py,
            &mut input,
            at,
            end,
            reason(&error),
            |bytes, start, end, reason| match name {
                // These two only encode, and their message has the name of the class.
                "namereplace" | "xmlcharrefreplace" => {
                    py.get_type::<PyUnicodeDecodeError>().call1(("utf-8", bytes, start, end, reason))
                }
                _ => new_error(py, bytes, start, end, reason),
            },
        )?;
        out.push_string(&replacement)?;
        py.check_signals()?;
    }
    // Like the interpreter, this counts the original bytes, even if a handler has replaced them.
    Ok((out.finish()?, if is_final { len } else { at }))
}

/// An error handler that is registered in `codecs`.
pub(crate) struct Handler<'a, 'py> {
    name: &'a str,
    /// The handler, and the exception that it gets. Like the interpreter, this creates one
    /// exception and updates it.
    called: Option<(Bound<'py, PyAny>, Bound<'py, PyUnicodeDecodeError>)>,
}

impl<'a, 'py> Handler<'a, 'py> {
    pub(crate) fn new(name: &'a str) -> Self {
        Self { name, called: None }
    }

    /// Calls the handler for an error, and returns its text and the position at which to continue.
    /// The handler may put other bytes into the exception; they become the input.
    pub(crate) fn call(
        &mut self,
        py: Python<'py>,
        input: &mut Bound<'py, PyBytes>,
        start: usize,
        end: usize,
        reason: &str,
        new_error: impl FnOnce(&Bound<'py, PyBytes>, usize, usize, &str) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let (handler, exception) = match &self.called {
            Some((handler, exception)) => {
                exception.setattr(intern!(py, "start"), start)?;
                exception.setattr(intern!(py, "end"), end)?;
                exception.setattr(intern!(py, "reason"), reason)?;
                (handler, exception)
            }
            None => {
                let handler = registered(py, &CString::new(self.name)?)?;
                // The class is an attribute of a Python module, and anybody can replace it.
                let exception = new_error(input, start, end, reason)?.cast_into::<PyUnicodeDecodeError>()?;
                let called = self.called.insert((handler, exception));
                (&called.0, &called.1)
            }
        };
        ask(py, input, handler, exception)
    }
}

/// Calls a handler, and returns its text and the position at which to continue.
fn ask<'py>(
    py: Python<'py>,
    input: &mut Bound<'py, PyBytes>,
    handler: &Bound<'py, PyAny>,
    exception: &Bound<'py, PyUnicodeDecodeError>,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let (replacement, position) = answer(&handler.call1((exception,))?)?;
    // SAFETY: the exception is a `UnicodeDecodeError`, and the interpreter is held.
    let object = unsafe { ffi::PyUnicodeDecodeError_GetObject(exception.as_ptr()) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    *input = unsafe { Bound::from_owned_ptr_or_err(py, object) }?.cast_into()?;
    let len = input.as_bytes().len();
    let absolute = if position < 0 { position.checked_add_unsigned(len) } else { Some(position) };
    match absolute.and_then(|position| usize::try_from(position).ok()) {
        Some(absolute) if absolute <= len => Ok((replacement, absolute)),
        _ => {
            let shown = absolute.unwrap_or(position);
            Err(PyIndexError::new_err(format!("position {shown} from error handler out of bounds")))
        }
    }
}

/// Extracts the result of a handler: the text, and the position at which to continue.
fn answer<'py>(answer: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyString>, isize)> {
    const WANTED: &str = "decoding error handler must return (str, int) tuple";
    let wrong = || PyTypeError::new_err(WANTED);
    let tuple = answer.cast::<PyTuple>().map_err(|_| wrong())?;
    if tuple.len() != 2 {
        return Err(wrong());
    }
    let text = tuple.get_item(0)?.cast_into::<PyString>().map_err(|_| wrong())?;
    let position = tuple.get_item(1)?;
    // SAFETY: the pointer is that of an object, and the interpreter is held.
    let number = unsafe { ffi::PyNumber_Index(position.as_ptr()) };
    // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
    let number = unsafe { Bound::from_owned_ptr_or_err(position.py(), number) }?;
    // SAFETY: the object is an integer, and the interpreter is held.
    let number = unsafe { ffi::PyLong_AsSsize_t(number.as_ptr()) };
    match PyErr::take(position.py()) {
        Some(error) if number == -1 => Err(error),
        _ => Ok((text, number)),
    }
}

//! `is_utf8`, `decode` and `encode`, as called by the interpreter.
//!
//! For a short string, the call overhead is most of the cost. If the argument is a short `bytes`
//! object, these functions answer without PyO3. Everything else goes through PyO3.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use pyo3::exceptions::{PyLookupError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use trust8::engine::is_same_name;

use crate::input::{Input, LONG_BYTES, with_short_copy};
use crate::profile::profile_of;
use crate::{decode, encode, errors, text};

const IS_UTF8: &CStr = c"is_utf8(data, /, *, profile=None)
--

Return whether `data` is UTF-8.

With a `profile`, the text must also be free of the characters that the profile forbids: see `validate`. `data` is any object with
the buffer protocol.

>>> import trust8
>>> trust8.is_utf8(b'caf\\xc3\\xa9')
True
>>> trust8.is_utf8(b'caf\\xe9')
False
";

const DECODE: &CStr = c"decode(data, errors='strict', *, encoding='utf-8', profile=None)
--

Decode UTF-8.

The result is that of ``bytes(data).decode('utf-8', errors)``. Where that raises `UnicodeDecodeError`, this raises its subclass
`trust8.Utf8Error`. With a `profile`, a forbidden character is an error as well and goes to the same handler: see `validate`.

>>> import trust8
>>> trust8.decode(b'caf\\xc3\\xa9') == 'caf\\u00e9'
True
>>> trust8.decode(b'caf\\0', 'replace', profile='postgres')
'caf\\ufffd'
>>> trust8.decode(b'caf\\xe9', 'backslashreplace')
'caf\\\\xe9'
";

const ENCODE: &CStr = c"encode(text, /, errors=None)
--

Encode a string as UTF-8.

The result is that of ``text.encode('utf-8', errors)``. Only surrogates are errors.

>>> import trust8
>>> trust8.encode('caf\\u00e9')
b'caf\\xc3\\xa9'
";

/// The definitions of the functions. The interpreter keeps pointers to them.
struct Definitions([ffi::PyMethodDef; 4]);

// SAFETY: the interpreter only reads them.
unsafe impl Sync for Definitions {}

static DEFINITIONS: Definitions = Definitions([
    ffi::PyMethodDef {
        ml_name: c"is_utf8".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: is_utf8 },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: IS_UTF8.as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"decode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: decode },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: DECODE.as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"encode".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: encode },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: ENCODE.as_ptr(),
    },
    ffi::PyMethodDef {
        ml_name: c"_panic_quickly".as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: panic_quickly },
        ml_flags: ffi::METH_O,
        ml_doc: c"Panics like `_panic`, in a function that is called like `is_utf8`.".as_ptr(),
    },
]);

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let name = PyString::new(module.py(), "trust8");
    for definition in &DEFINITIONS.0 {
        let definition = ptr::from_ref(definition).cast_mut();
        // SAFETY: the definition lives forever, and the other arguments are objects.
        let function = unsafe { ffi::PyCFunction_NewEx(definition, ptr::null_mut(), name.as_ptr()) };
        // SAFETY: what the function returns is an object that belongs to the caller, or null with an exception set.
        let function = unsafe { Bound::from_owned_ptr_or_err(module.py(), function) }?;
        module.add(function.getattr("__name__")?.cast::<PyString>()?, &function)?;
    }
    Ok(())
}

/// Returns the argument if it is a short `bytes` object.
///
/// # Safety
///
/// - `data` is an object that lives as long as `'a`, and the interpreter is held.
#[inline]
unsafe fn quick<'a>(data: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // The stable interface has no macros.
    #[cfg(not(feature = "abi3"))]
    use ffi::Py_SIZE as PyBytes_Size;
    #[cfg(feature = "abi3")]
    use ffi::{PyBytes_AsString, PyBytes_Size};
    // SAFETY: the caller vouches for the object.
    if unsafe { ffi::PyBytes_CheckExact(data) } == 0 {
        return None;
    }
    // SAFETY: the object is a `bytes` object.
    let len = unsafe { PyBytes_Size(data) }.cast_unsigned();
    #[cfg(feature = "abi3")]
    // SAFETY: the object is a `bytes` object.
    let start = unsafe { PyBytes_AsString(data) };
    #[cfg(not(feature = "abi3"))]
    // SAFETY: the object is a `bytes` object. A reference to this field would reach only one byte.
    let start = unsafe { &raw const (*data.cast::<ffi::PyBytesObject>()).ob_sval };
    // SAFETY: the object has `len` bytes there, and they never change.
    (len < LONG_BYTES).then(|| unsafe { std::slice::from_raw_parts(start.cast(), len) })
}

/// Returns the only argument of a call if it is a short `bytes` object.
///
/// # Safety
///
/// - `arguments` has `count` objects, which live as long as `'a`, and the interpreter is held.
#[inline]
unsafe fn only_argument<'a>(
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> Option<&'a [u8]> {
    if count != 1 || !names.is_null() {
        return None;
    }
    // SAFETY: there is one argument.
    let data = unsafe { *arguments };
    // SAFETY: the caller vouches for the object.
    unsafe { quick(data) }
}

unsafe extern "C" fn is_utf8(
    _: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: the interpreter passes `count` arguments, which live during the call.
        let valid = match unsafe { only_argument(arguments, count, names) } {
            Some(bytes) => trust8::is_utf8(bytes),
            // SAFETY: the interpreter passes `count` arguments, followed by the named ones.
            None => attached(py, |py| unsafe { is_utf8_any(py, arguments, count, names) })?,
        };
        // SAFETY: the interpreter is held.
        Ok(unsafe { ffi::PyBool_FromLong(valid.into()) })
    })
}

/// # Safety
///
/// - `arguments` has `count` objects and, after them, one for each name in `names`, which is a tuple or null.
unsafe fn is_utf8_any(
    py: Python<'_>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<bool> {
    // SAFETY: the caller vouches for the arguments.
    let found = unsafe { arguments_of(py, "is_utf8", 1, ["", "profile"], arguments, count, names) };
    let [data, profile] = found?;
    let Some(data) = data else {
        return Err(PyTypeError::new_err("is_utf8() missing 1 required positional argument: 'data'"));
    };
    errors::is_valid(&Input::of(&data)?, &profile_of(profile.as_deref())?, py)
}

unsafe extern "C" fn decode(
    _: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: the interpreter passes `count` arguments, which live during the call.
        if let Some(bytes) = unsafe { only_argument(arguments, count, names) } {
            if let Some(string) = text::ascii(py, bytes) {
                return Ok(string.as_ptr());
            }
            let counts = match decode::valid(py, bytes)? {
                Ok(text) => return Ok(text.into_ptr()),
                Err(counts) => counts,
            };
            // SAFETY: there is one argument.
            let data = unsafe { *arguments };
            // SAFETY: it is an object, which lives during the call.
            let data = unsafe { Borrowed::from_ptr(py, data) };
            if let Some(text) = decode::finish(py, &*data.cast::<PyBytes>()?, &counts, "strict")? {
                return Ok(text.into_ptr());
            }
        } else if count == 1 && names.is_null() {
            // SAFETY: there is one argument.
            let data = unsafe { *arguments };
            // SAFETY: it is an object, which lives during the call.
            let data = unsafe { Borrowed::from_ptr(py, data) };
            let text = with_short_copy(&data, |bytes| decode::ascii_or_valid(py, bytes));
            if let Some(text) = text? {
                return Ok(text.into_ptr());
            }
        }
        // SAFETY: the interpreter passes `count` arguments, followed by the named ones.
        if let Some((data, bytes, handler)) = unsafe { quick_arguments(py, arguments, count, names) }
            && let Some(string) = decode::quick(py, &data, bytes, handler)?
        {
            return Ok(string.into_ptr());
        }
        // SAFETY: the same.
        attached(py, |py| unsafe { decode_any(py, arguments, count, names) })
    })
}

unsafe extern "C" fn encode(
    _: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        if count == 1 && names.is_null() {
            // SAFETY: there is one argument.
            let text = unsafe { *arguments };
            // SAFETY: it is an object, which lives during the call.
            let text = unsafe { Borrowed::from_ptr(py, text) };
            if let Some(bytes) = text::quick_bytes(&text) {
                return if bytes.is_null() { Err(PyErr::fetch(py)) } else { Ok(bytes) };
            }
            if let Ok(text) = text.cast::<PyString>() {
                return Ok(encode::encode(&text, None)?.into_ptr());
            }
        }
        // SAFETY: the interpreter passes `count` arguments, followed by the named ones.
        attached(py, |py| unsafe { encode_any(py, arguments, count, names) })
    })
}

/// # Safety
///
/// - `arguments` has `count` objects and, after them, one for each name in `names`, which is a tuple or null.
unsafe fn encode_any(
    py: Python<'_>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller vouches for the arguments.
    let found = unsafe { arguments_of(py, "encode", 2, ["", "errors"], arguments, count, names) };
    let [text, errors] = found?;
    let Some(text) = text else {
        return Err(PyTypeError::new_err("encode() missing 1 required positional argument: 'text'"));
    };
    let text = text.cast::<PyString>().map_err(|_| wrong_type("encode() argument 'text'", &text))?;
    let errors = errors.filter(|errors| !errors.is_none());
    if let Some(errors) = &errors
        && !errors.is_instance_of::<PyString>()
    {
        return Err(wrong_type("encode() argument 'errors'", errors));
    }
    Ok(encode::encode(&text, errors.as_deref())?.into_ptr())
}

/// Assigns the arguments of a call to the names in `known`. The first `positional` of them may be
/// passed by position. An argument with an empty name can only be passed by position.
///
/// # Safety
///
/// - `arguments` has `count` objects and, after them, one for each name in `names`, which is a tuple or null.
#[inline]
unsafe fn arguments_of<'a, const N: usize>(
    py: Python<'a>,
    function: &str,
    positional: usize,
    known: [&str; N],
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<[Option<Borrowed<'a, 'a, PyAny>>; N]> {
    let count = count.cast_unsigned();
    let argument = |i: usize| {
        // SAFETY: the caller vouches for the arguments, and `i` is less than their number.
        let place = unsafe { arguments.add(i) };
        // SAFETY: the same.
        let argument = unsafe { *place };
        // SAFETY: it is an object, which lives during the call.
        unsafe { Borrowed::from_ptr(py, argument) }
    };
    if count > positional {
        let message =
            format!("{function}() takes at most {positional} positional arguments but {count} were given");
        return Err(PyTypeError::new_err(message));
    }
    let mut found = [const { None }; N];
    for (i, place) in found.iter_mut().enumerate().take(count) {
        *place = Some(argument(i));
    }
    // SAFETY: `names` is an object or null.
    let names = unsafe { Bound::from_borrowed_ptr_or_opt(py, names) };
    let names = names.map(|names| names.cast_into::<PyTuple>()).transpose()?;
    for (i, name) in names.iter().flatten().enumerate() {
        let name = name.cast_into::<PyString>()?;
        let name = name.to_string_lossy();
        let Some(place) = known.iter().position(|known| !known.is_empty() && *known == name) else {
            let message = format!("{function}() got an unexpected keyword argument '{name}'");
            return Err(PyTypeError::new_err(message));
        };
        if found[place].replace(argument(count + i)).is_some() {
            let message = format!("{function}() got multiple values for argument '{name}'");
            return Err(PyTypeError::new_err(message));
        }
    }
    Ok(found)
}

/// Returns the `TypeError` for an argument that is not a string.
#[cold]
fn wrong_type(argument: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let name = match value.is_none() {
        true => Ok("None".to_owned()),
        false => value.get_type().name().map(|name| name.to_string()),
    };
    match name {
        Ok(name) => PyTypeError::new_err(format!("{argument} must be str, not {name}")),
        Err(error) => error,
    }
}

/// Returns the bytes and the name of the error handler. Returns `None` unless the first argument is
/// a short `bytes` object and there is no other argument than the handler.
///
/// # Safety
///
/// - `arguments` has `count` objects and, after them, one for each name in `names`, which is a tuple or null.
#[inline]
unsafe fn quick_arguments<'a>(
    py: Python<'a>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> Option<(Borrowed<'a, 'a, PyBytes>, &'a [u8], &'a str)> {
    let has_handler = match (count, names.is_null()) {
        (1, true) => false,
        (2, true) => true,
        (1, false) => {
            // SAFETY: `names` is a tuple.
            if unsafe { ffi::PyTuple_Size(names) } != 1 {
                return None;
            }
            // SAFETY: the tuple has one object.
            let name = unsafe { ffi::PyTuple_GetItem(names, 0) };
            // SAFETY: the tuple lives during the call.
            if unsafe { str_of(py, name) } != Some("errors") {
                return None;
            }
            true
        }
        _ => return None,
    };
    // SAFETY: there is a first argument.
    let data = unsafe { *arguments };
    // SAFETY: it is an object, which lives during the call.
    let bytes = unsafe { quick(data) }?;
    // SAFETY: the same.
    let data = unsafe { Borrowed::from_ptr(py, data) };
    let data = data.cast::<PyBytes>().ok()?;
    if !has_handler {
        return Some((data, bytes, "strict"));
    }
    // SAFETY: there is a second argument, by its place or by its name.
    let place = unsafe { arguments.add(1) };
    // SAFETY: the same.
    let handler = unsafe { *place };
    // SAFETY: it is an object, which lives during the call.
    Some((data, bytes, unsafe { str_of(py, handler) }?))
}

/// Returns the text of a `str` object without surrogates.
///
/// # Safety
///
/// - `object` is an object that lives as long as `'a`.
#[inline]
unsafe fn str_of<'a>(py: Python<'a>, object: *mut ffi::PyObject) -> Option<&'a str> {
    // SAFETY: the caller vouches for the object.
    let object = unsafe { Borrowed::from_ptr(py, object) };
    // SAFETY: the string keeps its text in UTF-8 as long as it lives.
    object.cast::<PyString>().ok()?.to_str().ok().map(|text| unsafe { &*ptr::from_ref(text) })
}

/// # Safety
///
/// - `arguments` has `count` objects and, after them, one for each name in `names`, which is a tuple or null.
unsafe fn decode_any(
    py: Python<'_>,
    arguments: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller vouches for the arguments.
    let found = unsafe {
        arguments_of(py, "decode", 2, ["data", "errors", "encoding", "profile"], arguments, count, names)
    };
    let [data, handler, encoding, profile] = found?;
    let Some(data) = data else {
        return Err(PyTypeError::new_err("decode() missing 1 required positional argument: 'data'"));
    };
    if let Some(encoding) = encoding {
        let encoding =
            encoding.cast::<PyString>().map_err(|_| wrong_type("decode() argument 'encoding'", &encoding))?;
        let name = encoding.to_str()?;
        if !["utf-8", "u8", "trust8-utf-8"].iter().any(|known| is_same_name(known, name)) {
            return Err(PyLookupError::new_err(format!("decode() decodes 'utf-8', not '{name}'")));
        }
    }
    let name = match &handler {
        None => "strict",
        Some(handler) => handler_name(handler)?,
    };
    let profile = profile_of(profile.as_deref())?;
    let string = match profile.bits() {
        0 => decode::decode(&data, name, true)?.0,
        _ => decode::decode_in(&data, name, &profile)?,
    };
    Ok(string.into_ptr())
}

/// Returns the name of an error handler.
pub(crate) fn handler_name<'a>(handler: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let Ok(name) = handler.cast::<PyString>() else {
        return Err(wrong_type("decode() argument 'errors'", handler));
    };
    let name = name.to_str()?;
    match name.contains('\0') {
        true => Err(PyValueError::new_err("embedded null character")),
        false => Ok(name),
    }
}

/// Runs the body of a function that the interpreter called, and turns errors and panics into
/// exceptions.
#[inline]
fn guarded(body: impl FnOnce(Python<'_>) -> PyResult<*mut ffi::PyObject>) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls, so it is held.
    let py = unsafe { Python::assume_attached() };
    let error = match catch_unwind(AssertUnwindSafe(|| body(py))) {
        Ok(Ok(object)) => return object,
        Ok(Err(error)) => error,
        Err(payload) => {
            let said = payload.downcast_ref::<String>().map(String::as_str);
            let said = said.or(payload.downcast_ref::<&str>().copied()).unwrap_or("trust8 has panicked");
            PanicException::new_err(said.to_owned())
        }
    };
    // This drops objects.
    attached(py, |py| error.restore(py));
    ptr::null_mut()
}

/// Runs `body` attached by PyO3, which then releases dropped objects immediately. Otherwise, it keeps them until somebody attaches.
#[cold]
#[inline(never)]
fn attached<T>(_: Python<'_>, body: impl FnOnce(Python<'_>) -> T) -> T {
    // SAFETY: the interpreter is held. `Python::attach` would panic when it calls `__del__` at exit.
    unsafe { Python::attach_unchecked(body) }
}

unsafe extern "C" fn panic_quickly(_: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    guarded(|py| {
        provoked();
        Ok(py.None().into_ptr())
    })
}

/// Panics, for a test.
pub(crate) fn provoked() {
    panic!("a test has provoked this panic");
}

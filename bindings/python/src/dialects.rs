//! The relatives of UTF-8, as codecs.

use std::borrow::Cow;

use pyo3::exceptions::{PyLookupError, PyUnicodeDecodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use trust8::ErrorKind;
use trust8::boundary::floor;
use trust8_dialect::{Dialect, DialectError};

use crate::calls::handler_name;
use crate::decode::{Handler, misjudged};
use crate::input::{self, Input, is_true, unlocked_if_long};
use crate::profile::listed;
use crate::text::{self, Builder, Counts};

exports!(dialect_decode, dialect_encode;);

/// The number of bytes to convert at a time after the first error. It limits the cost of an error.
const PIECE_BYTES: usize = 4 << 10;

/// The length of the longest ill-formed sequence: a surrogate pair.
const LONGEST_BYTES: usize = 6;

fn dialect(name: &str) -> PyResult<Dialect> {
    Dialect::by_name(name).ok_or_else(|| {
        let names = listed(Dialect::ALL.iter().map(|known| known.name()));
        PyLookupError::new_err(format!("unknown dialect '{name}'; the dialects are {names}"))
    })
}

/// Decode a dialect, and return the text and the number of bytes decoded.
///
/// A `str` can have lone surrogates. WTF-8 has them by definition, and Java writes them in Modified
/// UTF-8, so these two decode them. In CESU-8, the handler 'surrogatepass' decodes them.
#[pyfunction]
#[pyo3(name = "_dialect_decode", signature = (name, data, errors, r#final, /))]
pub(crate) fn dialect_decode<'py>(
    name: &str,
    data: &Bound<'py, PyAny>,
    errors: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = is_true)] r#final: bool,
) -> PyResult<(Bound<'py, PyString>, usize)> {
    let py = data.py();
    let dialect = dialect(name)?;
    let mut input = Input::of(data)?.bytes(py)?;
    let bytes = input.as_bytes();
    if let Some(text) = to_utf8(py, dialect, bytes)? {
        return Ok((text::of_valid(py, &Counts::of(py, &text)?)?, bytes.len()));
    }
    let handler_name = errors.map_or(Ok("strict"), handler_name)?;
    let passes = matches!(dialect, Dialect::Wtf8 | Dialect::ModifiedUtf8) || handler_name == "surrogatepass";
    let mut handler = Handler::new(handler_name);
    let len = bytes.len();
    let mut out = Builder::new(py, len)?;
    let mut at = 0;
    while at < input.as_bytes().len() {
        let all = input.as_bytes();
        let end = all.len().min(at + PIECE_BYTES);
        let (rest, goes_on) = (&all[at..end], end < all.len());
        let error = match dialect.to_utf8(rest) {
            Ok(text) => {
                out.push_str(&text)?;
                at += rest.len();
                py.check_signals()?;
                continue;
            }
            Err(error) => error,
        };
        let (valid, invalid) = rest.split_at(error.valid_up_to());
        // The text before the first error has none.
        out.push_str(&dialect.to_utf8_lossy(valid))?;
        at += valid.len();
        if goes_on && invalid.len() < LONGEST_BYTES {
            // The next piece begins here and includes everything that follows. There was text
            // before, since a piece is much longer.
            continue;
        }
        if !r#final && is_unfinished(dialect, &error, invalid) {
            break;
        }
        if passes && let Some(surrogate) = lone_surrogate(dialect, invalid) {
            out.push_code_point(surrogate)?;
            at += 3;
            continue;
        }
        let end = error.error_len().map_or(input.as_bytes().len(), |len| at + len);
        let message = error.to_string();
        let reason = message.split_once(": ").map_or(&*message, |(_, reason)| reason);
        let replacement;
        (replacement, at) = handler.call(py, &mut input, at, end, reason, |bytes, start, end, reason| {
            py.get_type::<PyUnicodeDecodeError>().call1((name, bytes, start, end, reason))
        })?;
        out.push_string(&replacement)?;
        py.check_signals()?;
    }
    // A handler may have exchanged the bytes, and the original ones are what was decoded.
    Ok((out.finish()?, if r#final { len } else { at }))
}

/// Converts bytes to UTF-8, or returns `None` if there is an error.
fn to_utf8<'a>(py: Python<'_>, dialect: Dialect, bytes: &'a [u8]) -> PyResult<Option<Cow<'a, [u8]>>> {
    let (mut at, mut changed) = (0, None::<Vec<u8>>);
    // Signals are handled between pieces.
    while at < bytes.len() {
        let mut end = floor(bytes, at + input::PIECE_BYTES);
        if let ([_, .., 0xED, 0xA0..=0xAF, _], [0xED, ..]) = bytes[at..].split_at(end - at) {
            // No pair of surrogates is cut.
            end -= 3;
        }
        let piece = &bytes[at..end];
        match (unlocked_if_long(py, piece.len(), || dialect.to_utf8(piece)), &mut changed) {
            (Err(_), _) => return Ok(None),
            (Ok(Cow::Borrowed(_)), None) => (),
            (Ok(text), Some(changed)) => changed.extend_from_slice(text.as_bytes()),
            (Ok(text), None) if at == 0 => changed = Some(text.into_owned().into_bytes()),
            (Ok(text), None) => changed = Some([&bytes[..at], text.as_bytes()].concat()),
        }
        at = end;
        py.check_signals()?;
    }
    Ok(Some(changed.map_or(Cow::Borrowed(bytes), Cow::Owned)))
}

/// Returns whether further input may complete the sequence of an error.
fn is_unfinished(dialect: Dialect, error: &DialectError, invalid: &[u8]) -> bool {
    match invalid {
        // A character of four bytes is one error in the dialects that have pairs instead.
        [0xF0..=0xF4, ..] if matches!(dialect, Dialect::Cesu8 | Dialect::ModifiedUtf8) => {
            let character = &invalid[..invalid.len().min(4)];
            trust8::from_utf8(character).is_err_and(|error| error.kind() == ErrorKind::Incomplete)
        }
        // The first half of a pair is a lone surrogate only if no second half follows.
        [0xED, 0xA0..=0xAF, 0x80..=0xBF] => true,
        [0xED, 0xA0..=0xAF, 0x80..=0xBF, 0xED] => true,
        [0xED, 0xA0..=0xAF, 0x80..=0xBF, 0xED, 0xB0..=0xBF] => true,
        // A surrogate is read as a whole.
        [0xED, 0xA0..=0xBF] => true,
        _ => error.error_len().is_none(),
    }
}

/// Returns the surrogate at the start of the bytes, if it is not part of a pair.
fn lone_surrogate(dialect: Dialect, bytes: &[u8]) -> Option<u32> {
    let surrogate = |bytes: &[u8]| match bytes {
        &[0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F))
        }
        _ => None,
    };
    let first = surrogate(bytes)?;
    // All dialects except WTF-8 have pairs, so a surrogate that they refuse is lone.
    let is_pair = dialect == Dialect::Wtf8
        && first < 0xDC00
        && surrogate(&bytes[3..]).is_some_and(|second| second >= 0xDC00);
    (!is_pair).then_some(first)
}

/// Encode in a dialect. Return None if the text has surrogates that may not be written.
#[pyfunction]
#[pyo3(name = "_dialect_encode", signature = (name, text, surrogates, /))]
pub(crate) fn dialect_encode<'py>(
    name: &str,
    text: &Bound<'py, PyString>,
    surrogates: bool,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = text.py();
    let dialect = dialect(name)?;
    if let Some(utf8) = text::encoded(py, text)? {
        let all = trust8::from_utf8(utf8.as_bytes()).map_err(|_| misjudged())?;
        let (mut at, mut changed) = (0, None::<Vec<u8>>);
        // Signals are handled between pieces.
        while at < all.len() {
            let end = floor(all.as_bytes(), all.len().min(at + input::PIECE_BYTES));
            let piece = &all[at..end];
            match unlocked_if_long(py, piece.len(), || dialect.from_utf8(piece)) {
                Cow::Borrowed(_) if changed.is_none() => (),
                converted => {
                    changed.get_or_insert_with(|| all.as_bytes()[..at].to_vec()).extend_from_slice(&converted)
                }
            }
            at = end;
            py.check_signals()?;
        }
        return Ok(Some(match changed {
            Some(bytes) => PyBytes::new(py, &bytes),
            None => utf8,
        }));
    }
    if !surrogates {
        return Ok(None);
    }
    // A subclass may have another method of this name.
    let units = py.get_type::<PyString>().call_method1("encode", (text, "utf-16-le", "surrogatepass"))?;
    let units = units.cast_into::<PyBytes>()?;
    let units = units.as_bytes().as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
    let (mut bytes, mut buffer) = (Vec::new(), [0; 6]);
    for (number, item) in char::decode_utf16(units).enumerate() {
        if number % input::PIECE_BYTES == 0 {
            py.check_signals()?;
        }
        // Each dialect can express all characters, and writes surrogates in the same way.
        let (dialect, value) = match item {
            Ok(character) => (dialect, character.into()),
            Err(lone) => (Dialect::Wtf8, lone.unpaired_surrogate().into()),
        };
        bytes.extend_from_slice(dialect.encode(value, &mut buffer).unwrap_or_default());
    }
    Ok(Some(PyBytes::new(py, &bytes)))
}

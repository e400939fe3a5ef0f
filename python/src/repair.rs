//! Bytes that are made UTF-8.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trust8::boundary::is_continuation;
use trust8::columns::{ColumnError, Offsets, Policy, Repaired};
use trust8::profile;
use trust8_arrow::policy_for_forbidden;

use crate::input::{Input, PIECE, unlocked_if_long};
use crate::profile::profile_of;

/// Returns the policy of this name.
pub(crate) fn policy(name: &str) -> PyResult<Policy> {
    // The names that the codecs' handlers have.
    let plain = name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    let alias = match &*plain {
        "ignore" => Some(Policy::Drop),
        "backslashreplace" => Some(Policy::Escape),
        "cp1252" | "windows1252" | "trust8.windows1252" => Some(Policy::Windows1252),
        _ => None,
    };
    alias.or_else(|| Policy::by_name(name)).ok_or_else(|| {
        let names =
            Policy::ALL.iter().map(|known| format!("'{}'", known.name())).collect::<Vec<_>>().join(", ");
        PyValueError::new_err(format!("unknown policy '{name}'; the policies are {names}"))
    })
}

/// Return `data` as UTF-8, with each ill-formed sequence repaired.
///
/// | policy | an ill-formed sequence becomes |
/// |---|---|
/// | ``'replace'`` | U+FFFD, as in web browsers and in ``bytes.decode`` |
/// | ``'java'`` | U+FFFD, as in Java, where a surrogate becomes one and not three |
/// | ``'drop'`` | nothing |
/// | ``'escape'`` | ``\xNN`` for each byte |
/// | ``'windows-1252'`` | what each byte is in windows-1252 |
///
/// The names of the codecs' handlers are known as well: ``'ignore'``, ``'backslashreplace'`` (here with upper-case digits) and
/// ``'cp1252'``.
///
/// With a `profile`, each character that it forbids is repaired as well: 'drop' drops it, 'escape' writes it as ``\u{202E}``, the other
/// policies write U+FFFD. See `validate`.
///
/// A `bytes` object that is UTF-8 is returned as it is. `data` is any object with the buffer protocol.
///
/// >>> import trust8
/// >>> trust8.repair(b'caf\xe9').decode()
/// 'caf\ufffd'
/// >>> trust8.repair(b'caf\xe9', 'windows-1252') == 'caf\u00e9'.encode()
/// True
#[pyfunction]
#[pyo3(signature = (data, /, policy = "replace", *, profile = None))]
pub(crate) fn repair<'py>(
    data: &Bound<'py, PyAny>,
    policy: &str,
    profile: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = data.py();
    let policy = self::policy(policy)?;
    let profile = profile_of(profile)?;
    if policy == Policy::Null {
        return Err(PyValueError::new_err("the policy 'null' is for columns, whose rows can be null"));
    }
    let input = Input::of(data)?.bytes(py)?;
    let bytes = input.as_bytes();
    let repaired = if profile.bits() == 0 {
        in_pieces(py, bytes, policy)?
    } else {
        unlocked_if_long(py, bytes.len(), || {
            let repaired = one(bytes, policy)?;
            // The text is UTF-8 now, so nothing of it is lost.
            let text = trust8::from_utf8_lossy(repaired.as_deref().unwrap_or(bytes));
            let policy = policy_for_forbidden(policy).unwrap_or(profile::Policy::Replace);
            Ok::<_, ColumnError>(match profile.repair(&text, policy) {
                Cow::Borrowed(_) => repaired,
                Cow::Owned(text) => Some(text.into_bytes()),
            })
        })
        .map_err(|error| too_long(&error))?
    };
    Ok(repaired.map_or(input.clone(), |repaired| PyBytes::new(py, &repaired)))
}

/// Returns a text repaired, or `None` if it is UTF-8.
fn one(bytes: &[u8], policy: Policy) -> Result<Option<Vec<u8>>, ColumnError> {
    // It is a column of one row. A longer slice than `i64::MAX` does not exist.
    let ends = [0, bytes.len() as i64];
    Ok(match trust8::columns::repair(Offsets::new(bytes, &ends, None)?, policy)? {
        Repaired::Borrowed(_) => None,
        Repaired::Owned(rows) => Some(rows.values),
    })
}

/// Does what `one` does, and answers signals.
fn in_pieces(py: Python<'_>, bytes: &[u8], policy: Policy) -> PyResult<Option<Vec<u8>>> {
    let (mut at, mut all) = (0, None::<Vec<u8>>);
    while at < bytes.len() {
        let end = cut(bytes, at.saturating_add(PIECE));
        let piece = &bytes[at..end];
        let repaired = unlocked_if_long(py, piece.len(), || one(piece, policy));
        match (&mut all, repaired.map_err(|error| too_long(&error))?) {
            (None, None) => {}
            (None, Some(repaired)) if at == 0 => all = Some(repaired),
            (None, Some(repaired)) => all = Some([&bytes[..at], &repaired].concat()),
            (Some(all), repaired) => all.extend_from_slice(repaired.as_deref().unwrap_or(piece)),
        }
        at = end;
        py.check_signals()?;
    }
    Ok(all)
}

/// Returns the end of the bytes, or a place at or before `at` where nothing is cut that a policy repairs as one.
fn cut(bytes: &[u8], at: usize) -> usize {
    // More continuations than this are not part of a sequence.
    const LONGEST: usize = 8;
    if at >= bytes.len() {
        return bytes.len();
    }
    let start = (at - LONGEST..=at).rev().find(|&place| !is_continuation(bytes[place]));
    start.unwrap_or(at)
}

fn too_long(error: &ColumnError) -> PyErr {
    PyOverflowError::new_err(error.to_string())
}

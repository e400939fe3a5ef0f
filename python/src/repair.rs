//! Bytes that are made UTF-8.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use trust8::columns::{Offsets, Policy, Repaired};
use trust8::profile;
use trust8_arrow::policy_for_forbidden;

use crate::input::{Input, unlocked_if_long};
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
    let ends = [0, i64::try_from(bytes.len()).map_err(PyOverflowError::new_err)?];
    // A text is a column of one row.
    let repair = || {
        let repaired = match trust8::columns::repair(Offsets::new(bytes, &ends, None)?, policy)? {
            Repaired::Borrowed(_) => None,
            Repaired::Owned(rows) => Some(rows.values),
        };
        if profile.bits() == 0 {
            return Ok(repaired);
        }
        // The text is UTF-8 now, so nothing of it is lost.
        let text = trust8::from_utf8_lossy(repaired.as_deref().unwrap_or(bytes));
        let policy = policy_for_forbidden(policy).unwrap_or(profile::Policy::Replace);
        Ok(match profile.repair(&text, policy) {
            Cow::Borrowed(_) => repaired,
            Cow::Owned(text) => Some(text.into_bytes()),
        })
    };
    let repaired = unlocked_if_long(py, bytes.len(), repair);
    match repaired {
        Ok(None) => Ok(input),
        Ok(Some(values)) => Ok(PyBytes::new(py, &values)),
        Err(error) => {
            let error: trust8::columns::ColumnError = error;
            Err(PyOverflowError::new_err(error.to_string()))
        }
    }
}

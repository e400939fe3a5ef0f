//! Repairs bytes, so that they are UTF-8.

use std::borrow::Cow;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use trust8::engine::is_same_name;
use trust8_arrow::policy_for_forbidden;
use trust8_columns::Policy;
use trust8_profile::{self as profile, Profile};

use crate::input::{Input, answering_signals};
use crate::profile::{listed, profile_of};

exports!(repair;);

/// Returns the policy with this name. The names of the codecs' handlers are accepted too.
pub(crate) fn policy(name: &str) -> PyResult<Policy> {
    const HANDLERS: [(&str, Policy); 4] = [
        ("ignore", Policy::Drop),
        ("backslashreplace", Policy::Escape),
        ("cp1252", Policy::Windows1252),
        ("trust8.windows-1252", Policy::Windows1252),
    ];
    let handler = HANDLERS.iter().find(|handler| is_same_name(handler.0, name)).map(|handler| handler.1);
    handler.or_else(|| Policy::by_name(name)).ok_or_else(|| {
        let names = listed(Policy::ALL.iter().map(|known| known.name()));
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
/// The names of the codecs' handlers are accepted too: ``'ignore'``, ``'backslashreplace'`` (here
/// with upper-case digits) and ``'cp1252'``.
///
/// With a `profile`, the characters that it forbids are repaired too. 'drop' drops them, 'escape'
/// writes them as ``\u{202E}``, and the other policies write U+FFFD. See `validate`.
///
/// A `bytes` object that is UTF-8 is returned unchanged. `data` is any object with the buffer
/// protocol.
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
    repaired_bytes(Input::of(data)?.bytes(py)?, policy, profile)
}

/// Does the same for a `bytes` object. Signals are handled.
pub(crate) fn repaired_bytes(
    input: Bound<'_, PyBytes>,
    policy: Policy,
    profile: Profile,
) -> PyResult<Bound<'_, PyBytes>> {
    let py = input.py();
    let bytes = PyBackedBytes::from(input.clone());
    let repaired = answering_signals(py, bytes.len(), move || repaired(&bytes, policy, &profile))?;
    Ok(repaired.map_or(input, |repaired| PyBytes::new(py, &repaired)))
}

/// Returns the repaired text, or `None` if it needs no repair.
fn repaired(bytes: &[u8], policy: Policy, profile: &Profile) -> Option<Vec<u8>> {
    let well_formed = one(bytes, policy);
    if profile.bits() == 0 {
        return well_formed;
    }
    // The text is UTF-8 now, so this replaces nothing.
    let text = trust8::from_utf8_lossy(well_formed.as_deref().unwrap_or(bytes));
    let policy = policy_for_forbidden(policy).unwrap_or(profile::ProfilePolicy::Replace);
    match profile.repair(&text, policy) {
        Cow::Borrowed(_) => well_formed,
        Cow::Owned(text) => Some(text.into_bytes()),
    }
}

/// Returns a text with its ill-formed sequences repaired, or `None` if it is UTF-8.
fn one(bytes: &[u8], policy: Policy) -> Option<Vec<u8>> {
    // `Policy::Null` repairs no text that is not UTF-8. No caller passes it.
    match policy.repair(bytes).unwrap_or_else(|| trust8::from_utf8_lossy(bytes)) {
        Cow::Owned(text) => Some(text.into_bytes()),
        Cow::Borrowed(_) => None,
    }
}

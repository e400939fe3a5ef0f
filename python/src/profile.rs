//! Profiles: what a text must not have, although it is UTF-8.

#![forbid(unsafe_code)]

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use trust8::profile::{Class, Profile};

/// Returns the profile of an argument: the name of a preset or of a class, or several of them, or none.
pub(crate) fn profile_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Profile> {
    let Some(given) = given else { return Ok(Profile::SCALARS) };
    if let Ok(name) = given.cast::<PyString>() {
        return named(name.to_str()?);
    }
    let names = given.try_iter().map_err(|_| {
        let kind = given.get_type();
        PyTypeError::new_err(format!("profile must be a name or several names, not {kind}"))
    })?;
    names.into_iter().try_fold(Profile::new(), |profile, name| {
        let more = named(name?.cast::<PyString>()?.to_str()?)?;
        Ok(Profile::from_bits(profile.bits() | more.bits()))
    })
}

fn named(name: &str) -> PyResult<Profile> {
    Profile::by_name(name).or_else(|| Class::by_name(name).map(|class| Profile::new().forbid(class))).ok_or_else(
        || {
            let quoted = |names: Vec<&str>| names.join("', '");
            let presets = quoted(Profile::PRESETS.iter().map(|preset| preset.0).collect());
            let classes = quoted(Class::ALL.iter().map(|class| class.name()).collect());
            PyValueError::new_err(format!(
                "unknown profile '{name}'; the profiles are '{presets}', and the classes of characters '{classes}'"
            ))
        },
    )
}

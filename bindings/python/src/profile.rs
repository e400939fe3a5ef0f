//! Profiles: sets of forbidden characters.

#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyType};
use trust8::Kernel;
use trust8::engine::is_same_name;
use trust8_profile::{Class, Forbidden, Profile, ProfileError};

use crate::decode::invalid;

exports!(class_at;);

/// Returns the profile of an argument: the name of a preset or of a class, or several names, or
/// none.
pub(crate) fn profile_of(given: Option<&Bound<'_, PyAny>>) -> PyResult<Profile> {
    let Some(given) = given.filter(|given| !given.is_none()) else { return Ok(Profile::SCALARS) };
    if let Ok(name) = given.cast::<PyString>() {
        return Ok(known(bits(name.to_str()?)?));
    }
    let wrong = |given: &Bound<'_, PyAny>| match given.get_type().name() {
        Ok(kind) => PyTypeError::new_err(format!("profile must be a name or several names, not '{kind}'")),
        Err(error) => error,
    };
    let mut all = 0;
    let names = given.try_iter().map_err(|error| match error.is_instance_of::<PyTypeError>(given.py()) {
        true => wrong(given),
        false => error,
    });
    for name in names? {
        let name = name?;
        all |= bits(name.cast::<PyString>().map_err(|_| wrong(&name))?.to_str()?)?;
    }
    Ok(known(all))
}

/// Returns the profile with these bits. Building its tables takes up to a millisecond, so they are
/// cached.
fn known(bits: u64) -> Profile {
    const MOST_PROFILES: usize = 64;
    static KEPT: Mutex<Vec<Profile>> = Mutex::new(Vec::new());
    let preset = Profile::PRESETS.iter().map(|preset| &preset.1).find(|preset| preset.bits() == bits);
    if let Some(preset) = preset {
        return *preset;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(profile) = kept.iter().find(|profile| profile.bits() == bits) {
        return *profile;
    }
    if kept.len() == MOST_PROFILES {
        kept.clear();
    }
    let profile = Profile::from_bits(bits);
    kept.push(profile);
    profile
}

/// The position of a refusal.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The forbidden character, unless the bytes are not UTF-8.
    pub(crate) forbidden: Option<Forbidden>,
}

impl Place {
    /// Adds the forbidden characters that follow and begin before `end`, as [`trust8_profile::ProfileErrors::runs`] joins them. Returns
    /// whether the run is over.
    pub(crate) fn extend(&mut self, profile: &Profile, text: &[u8], end: usize) -> bool {
        let Some(mut last) = self.forbidden.map(|found| found.class()) else { return true };
        while self.end < end {
            let next = first(profile, text, self.end, self.end + 1);
            let Some((place, class)) = next.and_then(|next| Some((next, next.forbidden?.class()))) else {
                return true;
            };
            if !last.joins(class) {
                return true;
            }
            (self.end, last) = (place.end, class);
        }
        self.end == text.len()
    }
}

/// Returns the first refusal of `text` from `at` on, that begins before `end`. A character or a fault
/// begins at `at`.
pub(crate) fn first(profile: &Profile, text: &[u8], at: usize, end: usize) -> Option<Place> {
    /// A character at the end may depend on the next one. Both end at most eight bytes later.
    const MORE: usize = 8;
    let text = &text[..text.len().min(end + MORE)];
    let error = profile.error_from(Kernel::best(), text, at, [true; 2])?;
    let start = error.valid_up_to();
    let forbidden = match error {
        ProfileError::NotUtf8(_) => None,
        ProfileError::Forbidden(found) => Some(found),
    };
    let end_of_error = error.error_len().map_or(text.len(), |len| start + len);
    (start < end).then_some(Place { start, end: end_of_error, forbidden })
}

/// Makes the exception for a refusal.
pub(crate) fn refused<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    place: Place,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match place.forbidden {
        None => Ok(invalid(py, bytes, place.start)?.into_value(py).into_bound(py).into_any()),
        Some(found) => {
            let reason = format!("U+{:04X} is {}", u32::from(found.character()), found.class().reason());
            let arguments = ("utf-8", bytes, place.start, place.end, reason);
            CLASS.import(py, "trust8._exceptions", "ProfileError")?.call1(arguments)
        }
    }
}

/// Return the name of the class of the character at `start`, by the reason to forbid it, or None if it
/// has none or no character is there.
#[pyfunction]
#[pyo3(name = "_class_at", signature = (data, start, reason, /))]
pub(crate) fn class_at(data: &Bound<'_, PyBytes>, start: usize, reason: &str) -> Option<&'static str> {
    let text = data.as_bytes().get(start..)?;
    let text = trust8::utf8_chunks(&text[..text.len().min(4)]).next()?.valid();
    let character = text.chars().next()?;
    // Classes that depend on the context have different reasons.
    let by_context = &Class::ALL[usize::from(Class::StrayJoiner.code())..];
    let by_context = by_context.iter().copied().find(|class| reason.ends_with(class.reason()));
    Some(by_context.or_else(|| Class::of(character))?.name())
}

/// Returns the bits of a preset or a class.
fn bits(name: &str) -> PyResult<u64> {
    let preset = Profile::PRESETS.iter().find(|preset| is_same_name(preset.0, name));
    if let Some((_, preset)) = preset {
        return Ok(preset.bits());
    }
    if let Some(class) = Class::ALL.iter().find(|class| is_same_name(class.name(), name)) {
        return Ok(1 << class.code());
    }
    let presets = listed(Profile::PRESETS.iter().map(|preset| preset.0));
    let classes = listed(Class::ALL.iter().map(|class| class.name()));
    Err(PyValueError::new_err(format!(
        "unknown profile '{name}'; the profiles are {presets}, and the classes of characters {classes}"
    )))
}

/// Returns names in quotes, for the message about an unknown one.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

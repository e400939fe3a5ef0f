//! Profiles: sets of forbidden characters.

#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyType};
use trust8::engine::is_same_name;
use trust8_profile::{Class, Error, Profile};

use crate::decode::invalid;

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
    for name in given.try_iter().map_err(|_| wrong(given))? {
        let name = name?;
        all |= bits(name.cast::<PyString>().map_err(|_| wrong(&name))?.to_str()?)?;
    }
    Ok(known(all))
}

/// Returns the profile with these bits. Building its tables takes up to a millisecond, so they are
/// cached.
fn known(bits: u32) -> Profile {
    const MOST: usize = 64;
    static KEPT: Mutex<Vec<Profile>> = Mutex::new(Vec::new());
    let preset = Profile::PRESETS.iter().map(|preset| &preset.1).find(|preset| preset.bits() == bits);
    if let Some(preset) = preset {
        return *preset;
    }
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(profile) = kept.iter().find(|profile| profile.bits() == bits) {
        return *profile;
    }
    if kept.len() == MOST {
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
    pub(crate) forbidden: Option<char>,
}

/// Returns the first refusal from `at` on. A character or a fault begins there.
pub(crate) fn first(profile: &Profile, text: &[u8], at: usize) -> Option<Place> {
    const MARK: char = '\u{FEFF}';
    let rest = &text[at..];
    // This U+FEFF is not at the start of the text.
    if at > 0 && profile.forbids(Class::ByteOrderMark) && rest.starts_with("\u{FEFF}".as_bytes()) {
        return Some(Place { start: at, end: at + MARK.len_utf8(), forbidden: Some(MARK) });
    }
    let error = profile.from_utf8(rest).err()?;
    let start = at + error.valid_up_to();
    let end = error.error_len().map_or(text.len(), |len| start + len);
    let forbidden = match error {
        Error::NotUtf8(_) => None,
        Error::Forbidden(found) => Some(found.character()),
    };
    Some(Place { start, end, forbidden })
}

/// Makes the exception for a refusal.
pub(crate) fn refused<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyBytes>,
    place: Place,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    match place.forbidden.and_then(|character| Some((character, Class::of(character)?))) {
        None => Ok(invalid(py, bytes, place.start)?.into_value(py).into_bound(py).into_any()),
        Some((character, class)) => {
            let reason = format!("U+{:04X} is {}", u32::from(character), class.reason());
            let arguments = ("utf-8", bytes, place.start, place.end, reason);
            CLASS.import(py, "trust8._exceptions", "ProfileError")?.call1(arguments)
        }
    }
}

/// Return the name of the class of the character at `start`, or None if it has none or no character
/// is there.
#[pyfunction]
#[pyo3(name = "_class_at", signature = (data, start, /))]
pub(crate) fn class_at(data: &Bound<'_, PyBytes>, start: usize) -> Option<&'static str> {
    let text = data.as_bytes().get(start..)?;
    let text = trust8::utf8_chunks(&text[..text.len().min(4)]).next()?.valid();
    Some(Class::of(text.chars().next()?)?.name())
}

/// Returns the bits of a preset or a class.
fn bits(name: &str) -> PyResult<u32> {
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

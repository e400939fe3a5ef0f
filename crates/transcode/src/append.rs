//! Conversions that append their result to a caller's `Vec` or `String`.

use super::error::ConversionError;
use super::form::Form;
use super::route::{End, Route};
use crate::Source;
use trust8::engine::Output;

/// Converts text and appends it to a `Vec`, or to a `String`.
///
/// # Errors
///
/// The first place at which the text is malformed or has a character that the target encoding
/// lacks. Everything before it has been appended.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, append};
///
/// let mut text = "> ".to_owned();
/// append(Latin1, Str, b"na\xEFve", &mut text).unwrap();
/// assert_eq!(append(Utf8, Str, b", caf\xE9", &mut text).unwrap_err().valid_up_to(), 5);
/// assert_eq!(text, "> naïve, caf");
/// ```
#[inline]
pub fn append<F: Form, T: Form>(
    from: impl Source<F>,
    to: T,
    text: &F::Text,
    owned: &mut T::Owned,
) -> Result<(), ConversionError> {
    match append_converted::<T>(Route::of(from, to, false), F::form_bytes(text), owned) {
        (_, End::All | End::Full) => Ok(()),
        (at, End::Malformed(fault) | End::Cut(fault)) => {
            let unit = size_of::<F::Unit>();
            Err(ConversionError { valid_up_to: at / unit, fault, unit: unit as u8 })
        }
    }
}

/// Appends converted text. Returns how many bytes of the text it converted, and why it stopped.
pub(super) fn append_converted<T: Form>(route: Route, text: &[u8], owned: &mut T::Owned) -> (usize, End) {
    let mut at = 0;
    let mut ended = End::All;
    append_written::<T>(owned, route.length_in::<T>(text).saturating_add(route.slack(text)), |out| {
        let (read, end) = route.run_to_end(&text[at..], out);
        at += read;
        ended = end;
        matches!(end, End::Full).then(|| route.length_in::<T>(&text[at..]) + route.slack(&text[at..]))
    });
    (at, ended)
}

/// Appends what `run` writes. Runs it again while it returns a number of units that it still needs.
pub(super) fn append_written<T: Form>(
    owned: &mut T::Owned,
    wanted: usize,
    mut run: impl FnMut(&mut Output<'_>) -> Option<usize>,
) {
    // SAFETY: the length grows only by what a route has written, which is whole characters in this
    // form. If `run` or `reserve` panics, nothing is counted that was written in part.
    let units = unsafe { T::form_units(owned) };
    units.reserve(wanted);
    loop {
        let mut out = Output::new(T::form_room(units.spare_capacity_mut()));
        let more = run(&mut out);
        let written = out.len() / size_of::<T::Unit>();
        let len = units.len() + written;
        // SAFETY: `out` began at the old length, in the spare capacity, and its first `written`
        // units have been written. So they are within the capacity and initialised.
        unsafe { units.set_len(len) };
        match more {
            None => return,
            // At least one more character, which guarantees progress: lengths do not count
            // replacements. The capacity at least doubles, so this happens rarely.
            Some(more) => units.reserve(more.saturating_add(CHARACTER_UNITS)),
        }
    }
}

/// The maximum number of units in a character, in any form.
pub(super) const CHARACTER_UNITS: usize = 4;

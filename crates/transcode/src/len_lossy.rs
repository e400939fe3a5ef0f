//! The output length of a lossy conversion.

#![forbid(unsafe_code)]

use super::encodings::Family;
use super::form::Form;
use super::lengths;
use super::route::Route;
use crate::Source;
use trust8::engine::count_lossy;
use trust8::engine::survey::Found;
use trust8_counts::{KernelCounts, Utf16Len};

/// Returns the number of units that the text has in another form, with what can't be converted
/// replaced.
///
/// This is always the length of what [`convert_lossy`](super::convert_lossy) returns.
///
/// ```
/// use trust8_transcode::{Encoding::*, Str, Utf16, Utf32, len_lossy};
///
/// assert_eq!(len_lossy(Utf8, Utf16, b"a\xFF\xF0\x9D\x84\x9E"), 4);
/// assert_eq!(len_lossy(Utf16, Str, &[0x41, 0xD83D, 0x42]), 5);
/// assert_eq!(len_lossy(Utf32, Utf16, &[0x110000, 0x1D11E]), 3);
/// assert_eq!(len_lossy(Str, Latin1, "5 €"), 3);
/// ```
#[inline]
#[must_use]
pub fn len_lossy<F: Form, T: Form>(from: impl Source<F>, to: T, text: &F::Text) -> usize {
    let route = Route::of(from, to, true);
    // A length that does not fit into a `usize` does not fit into memory either.
    units(&route, F::form_bytes(text)).saturating_mul(route.to.family.unit() / size_of::<T::Unit>())
}

/// Returns the number of units of the target.
#[inline(always)]
fn units(route: &Route, text: &[u8]) -> usize {
    let Route { kernel, from, to, .. } = *route;
    if from.known_valid {
        return route.length(text);
    }
    let unit = from.family.unit();
    let (text, cut) = text.split_at(text.len() / unit * unit);
    let units = match (from.family, to.family) {
        (Family::Utf8, Family::Utf8) => kernel.lossy_len(text),
        (Family::Utf8, Family::Utf16) => {
            count_lossy(kernel, text, |text| kernel.run(Utf16Len, text, ()), Found::utf16_len)
        }
        (Family::Utf8, Family::Utf32 | Family::Latin1) => kernel.count_chars_lossy(text),
        _ => lengths::units(kernel, from, to, true, text),
    };
    // One character replaces a unit that the end cuts off, and a high surrogate before it.
    let is_replaced = !cut.is_empty() && from.whole(text).len() == text.len();
    units + usize::from(is_replaced) * to.family.replacement_units()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encodings::{Encoding, Layout};
    use crate::scalar;
    use trust8::Kernel;

    /// The kernels count what the conversion character by character counts, which is all that a new
    /// encoding has.
    #[test]
    fn lengths_are_those_of_single_characters() {
        const UNITS: [u32; 9] = [0x41, 0xE9, 0x20AC, 0xD83D, 0xDE00, 0x1F600, 0xDC00, 0x11_0000, 0xFFFF_FFFF];
        let mut texts = vec![b"a\xC3\xA9\xFF\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xA0\x80\xF0\x9F".repeat(80)];
        for swap in [false, true] {
            let sixteen = UNITS.map(|unit| if swap { (unit as u16).swap_bytes() } else { unit as u16 });
            texts.push(sixteen.map(u16::to_ne_bytes).as_flattened().repeat(80));
            let thirty_two = UNITS.map(|unit| if swap { unit.swap_bytes() } else { unit });
            texts.push(thirty_two.map(u32::to_ne_bytes).as_flattened().repeat(80));
        }
        for kernel in Kernel::available() {
            let layouts = || Encoding::ALL.iter().map(|encoding| encoding.layout());
            for (from, to) in layouts().flat_map(|from| layouts().map(move |to: Layout| (from, to))) {
                let route = Route { kernel, from, to, lossy: true };
                for text in texts.iter().flat_map(|text| (0..30).map(|cut| &text[cut / 3..text.len() - cut]))
                {
                    assert_eq!(
                        units(&route, text),
                        scalar::length(from, to, text),
                        "{from:?} {to:?} {text:02X?}"
                    );
                }
            }
        }
    }
}

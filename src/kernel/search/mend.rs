//! UTF-16 in which each unpaired surrogate is replaced where it stands: a search that replaces what it finds, and continues.

#![forbid(unsafe_code)]

use super::{LONG, NotUtf16, Sought, Vectors, is_block_suspected, unit_at};

/// What is sought.
type Unpaired = NotUtf16<false>;

/// Replaces each unpaired surrogate by U+FFFD. The text is in whole units.
#[inline(always)]
pub(crate) fn mend<V: Vectors>(v: V, text: &mut [u8]) {
    let (mut at, mut pending) = (0, 0);
    while let Some(block) = text[at..].first_chunk() {
        let end = at + LONG;
        if pending != 0 || is_block_suspected::<Unpaired, V>(v, block) {
            mend_vectors(v, text, &mut at, end, &mut pending);
        }
        at = end;
    }
    let end = text.len();
    mend_vectors(v, text, &mut at, end, &mut pending);
    // The zeros after the text show whether it ends with a high surrogate.
    let places = Unpaired::places(v, v.load_short(&text[at..]), &mut pending);
    replace(text, at, places);
}

/// Does what `mend` does, for the whole vectors from `at` on that are before `end`, and moves `at` to what is left.
#[inline(always)]
fn mend_vectors<V: Vectors>(v: V, text: &mut [u8], at: &mut usize, end: usize, pending: &mut u64) {
    while end - *at >= V::LANES {
        let places = Unpaired::places(v, v.load(text, *at), pending);
        if places != 0 {
            replace(text, *at, places);
        }
        *at += V::LANES;
    }
}

/// Replaces each unit that the ones of `places` stand for, which [`Sought::places`] has returned for the vector at `at`.
#[inline(always)]
fn replace(text: &mut [u8], at: usize, mut places: u64) {
    while places != 0 {
        let place = Unpaired::place(text, at + unit_at::<Unpaired>(places));
        if let Some(unit) = text[place..].first_chunk_mut() {
            *unit = 0xFFFD_u16.to_ne_bytes();
        }
        places &= places - 1;
    }
}

//! Replaces each unpaired surrogate in UTF-16 in place: a search that replaces each match and
//! continues.
//!
//! The compiler vectorises the loops over units.

#![forbid(unsafe_code)]

use trust8::engine::Job;
use trust8::engine::search::{LONG_BYTES as LONG, SearchOps, Searching, Sought, is_block_suspected, unit_at};

use super::NotUtf16;

/// The search target.
type Unpaired = NotUtf16<false>;

/// [`mend`] as a job. The job takes the text separately, because it changes the text.
pub(crate) struct Mend;

impl<E: Searching> Job<E, &mut [u8], ()> for Mend {
    #[inline(always)]
    fn run(engine: E, _: &[u8], text: &mut [u8]) {
        mend(engine, text);
    }
}

/// Replaces each unpaired surrogate by U+FFFD. The text has whole units.
#[inline(always)]
fn mend<V: SearchOps>(v: V, text: &mut [u8]) {
    let (mut at, mut pending) = (0, 0);
    if text.len() >= V::LANES + LONG + 2 {
        // A block has a unit before it and one after it.
        mend_vectors(v, text, &mut at, V::LANES, &mut pending);
        // The next unit decides whether the last unit of the first vector is half a pair.
        if let Some(with_neighbours) = text[at - 4..].first_chunk_mut::<6>() {
            let mended = mended_block::<6, 1>(with_neighbours);
            with_neighbours[2..4].copy_from_slice(&mended[0]);
        }
        while let Some(with_neighbours) = text[at - 2..].first_chunk_mut() {
            mend_block(v, with_neighbours);
            at += LONG;
        }
        // Only the pending state of this vector is new.
        pending = 0;
        <Unpaired as Sought<V>>::places(v, v.load(text, at - V::LANES), &mut pending);
    }
    let end = text.len();
    mend_vectors(v, text, &mut at, end, &mut pending);
    // The zeros after the text show whether it ends with a high surrogate.
    let places = <Unpaired as Sought<V>>::places(v, v.load_short(&text[at..]), &mut pending);
    replace::<V>(text, at, places);
}

/// Like `mend`, for a block between two neighbouring units.
#[inline(always)]
fn mend_block<V: SearchOps>(v: V, with_neighbours: &mut [u8; LONG + 4]) {
    let Some(block) = with_neighbours[2..].first_chunk() else { return };
    if is_block_suspected::<Unpaired, V>(v, block) && !is_block_paired(v, with_neighbours) {
        let mended = mended_block::<{ LONG + 4 }, { LONG / 2 }>(with_neighbours);
        with_neighbours[2..LONG + 2].copy_from_slice(mended.as_flattened());
    }
}

/// Returns whether a block has no unpaired surrogate. The answer may also be no if only the unit
/// after the block is unpaired.
///
/// The previous unit may just have been written as part of a vector. A vector load that begins with
/// it would stall on that store.
#[inline(always)]
fn is_block_paired<V: SearchOps>(v: V, with_neighbours: &[u8; LONG + 4]) -> bool {
    let ([before, first, .., last, after], _) = with_neighbours.as_chunks::<2>() else { return false };
    if V::LANES < 64 {
        return follows::<false>(*before, *first)
            && with_neighbours.last_chunk().is_none_or(is_paired::<false, { LONG + 2 }>);
    }
    // If comparisons yield bits, this costs less than loading the same vector again one unit later.
    // The second byte of a unit tells whether it is a surrogate.
    let mut pending = u64::from(half::<false>(*before) == 0xD800) << 1;
    let (mut places, mut at) = (0, 2);
    while at < LONG + 2 {
        places |= <Unpaired as Sought<V>>::places(v, v.load(with_neighbours, at), &mut pending);
        at += V::LANES;
    }
    places == 0 && follows::<false>(*last, *after)
}

/// Like `mend`, for the whole vectors from `at` to `end`. Moves `at` to the remainder.
#[inline(always)]
fn mend_vectors<V: SearchOps>(v: V, text: &mut [u8], at: &mut usize, end: usize, pending: &mut u64) {
    while end - *at >= V::LANES {
        let places = <Unpaired as Sought<V>>::places(v, v.load(text, *at), pending);
        if places != 0 {
            replace::<V>(text, *at, places);
        }
        *at += V::LANES;
    }
}

/// Replaces the units for which `places` has a one. `places` is what [`Sought::places`] returned
/// for the vector at `at`.
#[inline(always)]
fn replace<V: SearchOps>(text: &mut [u8], at: usize, mut places: u64) {
    while places != 0 {
        let place = <Unpaired as Sought<V>>::place(text, at + unit_at::<Unpaired, V>(places));
        if let Some(unit) = text[place..].first_chunk_mut() {
            *unit = 0xFFFD_u16.to_ne_bytes();
        }
        places &= places - 1;
    }
}

/// Returns whether the units, without the first one, are low surrogates exactly where they follow
/// high ones. `SWAPPED` means that units are in the non-native byte order.
#[inline(always)]
pub(crate) fn is_paired<const SWAPPED: bool, const BYTES: usize>(with_before: &[u8; BYTES]) -> bool {
    let units = with_before.as_chunks::<2>().0;
    let mut wrong = false;
    for (before, unit) in units.iter().zip(&units[1..]) {
        wrong |= !follows::<SWAPPED>(*before, *unit);
    }
    !wrong
}

/// Returns whether a unit is a low surrogate exactly if the previous unit is a high one.
#[inline(always)]
fn follows<const SWAPPED: bool>(before: [u8; 2], unit: [u8; 2]) -> bool {
    let low = half::<SWAPPED>(unit) == order::<SWAPPED>(0xDC00);
    low == (half::<SWAPPED>(before) == order::<SWAPPED>(0xD800))
}

/// Converts a unit between its representation in memory and the machine's byte order, in either
/// direction: reverses its bytes or returns it unchanged.
#[inline(always)]
pub(crate) const fn order<const SWAPPED: bool>(unit: u16) -> u16 {
    if SWAPPED { unit.swap_bytes() } else { unit }
}

/// Returns the bits of a unit, as in memory, that tell which half of a surrogate pair it is.
#[inline(always)]
pub(crate) fn half<const SWAPPED: bool>(unit: [u8; 2]) -> u16 {
    u16::from_ne_bytes(unit) & order::<SWAPPED>(0xFC00)
}

/// Returns a block of UTF-16 with each unpaired surrogate replaced. `WITH_NEIGHBOURS` is the length
/// of the block plus the units before and after it, in bytes.
#[inline(always)]
pub(crate) fn mended_block<const WITH_NEIGHBOURS: usize, const UNITS: usize>(
    with_neighbours: &[u8; WITH_NEIGHBOURS],
) -> [[u8; 2]; UNITS] {
    const { assert!(WITH_NEIGHBOURS == 2 * UNITS + 4) };
    let units = with_neighbours.as_chunks::<2>().0.iter().map(|unit| u16::from_ne_bytes(*unit));
    let mut copy = [[0; 2]; UNITS];
    let with_neighbours = units.clone().zip(units.clone().skip(1)).zip(units.skip(2));
    for (copy, ((before, unit), after)) in copy.iter_mut().zip(with_neighbours) {
        *copy = unless_unpaired(before, unit, after).to_ne_bytes();
    }
    copy
}

/// Returns the unit, or U+FFFD if it is an unpaired surrogate.
#[inline(always)]
pub(crate) fn unless_unpaired(before: u16, unit: u16, after: u16) -> u16 {
    let wrong_high = (unit & 0xFC00 == 0xD800) & (after & 0xFC00 != 0xDC00);
    let wrong_low = (unit & 0xFC00 == 0xDC00) & (before & 0xFC00 != 0xD800);
    if wrong_high | wrong_low { 0xFFFD } else { unit }
}

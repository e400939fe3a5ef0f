//! Mistakes that a proof must find.
//!
//! A mutant is the library's code with one mistake: at one place of its source, one bit of a constant, of a table or of a truth
//! table is inverted, or a shift is longer by one. If a proof holds for a mutant all the same, the mutant is no mistake: it gives
//! the same answer for all bytes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::Location;

/// A place in the source: its file, line and column.
pub(crate) type Place = (&'static str, u32, u32);

#[derive(Default)]
struct State {
    /// The places that were reached, with the number of mistakes that can be made there.
    places: BTreeMap<Place, usize>,
    mistake: Option<(Place, usize)>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Returns which of `variants` mistakes the operation at this place of the source has to make.
#[track_caller]
fn mistake(variants: usize) -> Option<usize> {
    let location = Location::caller();
    let place = (location.file(), location.line(), location.column());
    STATE.with_borrow_mut(|state| {
        state.places.insert(place, variants);
        state.mistake.filter(|&(at, _)| at == place).map(|(_, variant)| variant)
    })
}

/// Returns the constant of an operation.
#[track_caller]
pub(crate) fn of_bytes<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    if let Some(bit) = mistake(8 * N) {
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    bytes
}

/// Returns the truth table of an operation.
#[track_caller]
pub(crate) fn of_truth(table: i32) -> i32 {
    mistake(8).map_or(table, |row| table ^ 1 << row)
}

/// Returns the distance of a shift.
#[track_caller]
pub(crate) fn of_shift(n: u32) -> u32 {
    mistake(1).map_or(n, |_| n + 1)
}

/// What the mutants at one place showed.
pub(crate) struct Findings {
    pub(crate) place: Place,
    pub(crate) variants: usize,
    /// Whether the proof failed for one of the mutants.
    pub(crate) is_found: bool,
}

/// Runs a proof on the mutants at each place of the source that it reaches, until it fails for one. `proof` returns whether it holds.
pub(crate) fn findings(proof: impl Fn() -> bool) -> Vec<Findings> {
    let holds = |mistake| {
        STATE.with_borrow_mut(|state| state.mistake = mistake);
        // A mistake may also make an assertion of an operation fail.
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&proof));
        STATE.with_borrow_mut(|state| state.mistake = None);
        result.unwrap_or(false)
    };
    STATE.with_borrow_mut(|state| state.places.clear());
    assert!(holds(None), "the proof fails without a mistake");
    let places = STATE.with_borrow(|state| state.places.clone());
    // A panic of a mutant is no message for the user.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let findings = places.into_iter().map(|(place, variants)| {
        let is_found = (0..variants).any(|variant| !holds(Some((place, variant))));
        Findings { place, variants, is_found }
    });
    let findings = findings.collect();
    std::panic::set_hook(hook);
    findings
}

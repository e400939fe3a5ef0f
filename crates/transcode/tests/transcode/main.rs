//! Tests of `trust8_transcode`.

#[path = "../../../../tests/support/mod.rs"]
mod support;

mod append;
mod convert;
mod guard_pages;
mod latin1;
mod len_lossy;
mod names;
mod partial;
mod regressions;
mod validate;
mod well_formed;

/// Returns a part of a text between fillers: as many whole ones as fit into these numbers of units.
fn between(filler: &[u16], before: usize, part: &[u16], after: usize) -> Vec<u16> {
    let fillers = |units: usize| filler.repeat(units / filler.len());
    [&fillers(before), part, &fillers(after)].concat()
}

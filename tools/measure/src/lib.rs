//! What the benches share: the texts, the contestants, the measurement of time, and the reports.
//!
//! Each bench writes what it measured to docs/data/. README.md says how to run them. `texts` generates long texts in many languages, and
//! `short_strings` generates many short strings of varying lengths.

pub mod contestants;
pub mod machine;
pub mod measure;
pub mod read_loop;
pub mod report;
pub mod short_strings;

pub use trust8_benches::{random, texts};

/// Replaces units by wrong ones at random distances: one, and then one in `every` on average.
pub fn spoil<U: Copy>(units: &mut [U], wrong: &[U], every: usize) {
    let mut random = random::Random::named("spoiled");
    let mut at = random.below(every.min(units.len()));
    while let Some(unit) = units.get_mut(at) {
        *unit = *random.pick(wrong);
        at += random.between(1, 2 * every - 1);
    }
}

/// What spoils UTF-8: bytes that are not ASCII.
pub const WRONG: [u8; 5] = [0xFF, 0xE9, 0x80, 0xFC, 0xC3];

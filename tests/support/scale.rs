//! How many of the inputs to test: all of them, or fewer where an emulator runs the tests.
//!
//! `TRUST8_TEST_SCALE=8` means about an eighth. The default is 8 on x86, where the tests run on the CPU itself, and 16
//! elsewhere; 1 is everything. Every kind of input is still tested.

use std::env;
use std::sync::OnceLock;

/// Returns the scale: where inputs are plentiful, one in this many is tested.
pub fn scale() -> usize {
    static SCALE: OnceLock<usize> = OnceLock::new();
    *SCALE.get_or_init(|| match env::var("TRUST8_TEST_SCALE") {
        Ok(text) => match text.parse() {
            Ok(scale @ 1..) => scale,
            _ => panic!("TRUST8_TEST_SCALE is a whole number from 1 on, not '{text}'"),
        },
        Err(_) if cfg!(any(target_arch = "x86", target_arch = "x86_64")) => 8,
        Err(_) => 16,
    })
}

/// Returns the scale of sets of inputs that a CPU itself goes through in seconds: an eighth of `scale`, but at least 1.
///
/// Such a set is tested whole up to scale 8, and in part where an emulator or a sanitizer makes everything slower.
pub fn slow_scale() -> usize {
    scale().div_ceil(8)
}

/// Returns how many random cases to try: `natively`, divided by the scale, but at least `least`.
pub fn cases(natively: u32, least: u32) -> u32 {
    share(natively, scale(), least)
}

/// Returns the same for `slow_scale`.
pub fn slow_cases(natively: u32, least: u32) -> u32 {
    share(natively, slow_scale(), least)
}

fn share(natively: u32, scale: usize, least: u32) -> u32 {
    (natively / u32::try_from(scale).unwrap_or(u32::MAX)).max(least)
}

/// Decides which inputs a scaled-down run tests. The choice is irregular, so that it never leaves out all inputs of a
/// kind because of the order in which loops make them.
pub struct Thin {
    state: u32,
    /// One input in this many is tested.
    scale: usize,
}

impl Thin {
    pub fn new() -> Self {
        Self { state: 1, scale: scale() }
    }

    /// Thins out a set of inputs by `slow_scale`.
    pub fn where_slow() -> Self {
        Self { state: 1, scale: slow_scale() }
    }

    /// Thins out a small set of slow inputs: one in at most `most` is tested.
    pub fn to_one_in(most: usize) -> Self {
        Self { state: 1, scale: slow_scale().min(most) }
    }

    /// Returns whether the next input is to be tested.
    pub fn keep(&mut self) -> bool {
        // A linear congruential generator; its upper bits are good enough.
        self.state = self.state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((self.state >> 16) as usize).is_multiple_of(self.scale)
    }
}

//! How many of the inputs to test: all of them, or fewer where an emulator runs the tests.
//!
//! `TRUST8_TEST_SCALE=8` means about an eighth. The default is everything (1) on x86, whose tests run on the
//! CPU itself, and 16 elsewhere. Every kind of input stays.

#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::env;
use std::sync::OnceLock;

/// One input in so many is to be tested, where inputs are plentiful.
pub(crate) fn scale() -> usize {
    static SCALE: OnceLock<usize> = OnceLock::new();
    *SCALE.get_or_init(|| match env::var("TRUST8_TEST_SCALE") {
        Ok(text) => match text.parse() {
            Ok(scale @ 1..) => scale,
            _ => panic!("TRUST8_TEST_SCALE is a whole number from 1 on, not '{text}'"),
        },
        Err(_) if cfg!(any(target_arch = "x86", target_arch = "x86_64")) => 1,
        Err(_) => 16,
    })
}

/// So many random cases of `natively`, a dozen at least.
pub(crate) fn cases(natively: u32) -> u32 {
    (natively / u32::try_from(scale()).unwrap_or(u32::MAX)).max(12)
}

/// Decides which inputs a scaled-down run tests: an irregular one in [`scale`], so that no pattern of the
/// loops around it is left out as a whole.
pub(crate) struct Thin(u32);

impl Thin {
    pub(crate) const fn new() -> Self {
        Self(1)
    }

    /// Whether the next input is to be tested.
    pub(crate) fn keep(&mut self) -> bool {
        // A linear congruential generator, of which the upper bits are good enough.
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((self.0 >> 16) as usize).is_multiple_of(scale())
    }
}

//! What the fuzz targets share: the tests' oracles, kernels and inputs, and how the fuzzer's bytes become an input.

pub mod input;
pub mod source;

#[path = "../../crates/arrow/tests/random/arrays.rs"]
pub mod arrays;
#[path = "../../crates/dialect/tests/dialect/reference.rs"]
pub mod dialects;
#[path = "../../tests/support/kernels.rs"]
pub mod kernels;
#[path = "../../tests/support/malformed.rs"]
pub mod malformed;
#[path = "../../tests/support/oracle.rs"]
pub mod oracle;
#[path = "../../tests/support/places.rs"]
pub mod places;
#[path = "../../tests/support/policies.rs"]
mod policies;
#[path = "../../tests/support/required.rs"]
mod required;
#[path = "../../tests/support/text.rs"]
pub mod text;

/// Returns what a policy makes of a whole text.
pub fn repaired(policy: trust8::Policy, bytes: &[u8]) -> String {
    policies::repaired(policy, bytes)
}

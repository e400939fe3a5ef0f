//! Shared by all tests and fuzz targets: the oracle, the inputs (`malformed`, `text`, `random`), and the
//! kernels to test with their ways (`kernels`).
//!
//! Two environment variables change what a run tests: `TRUST8_REQUIRE_KERNELS` (see `required`) and `TRUST8_TEST_SCALE`
//! (see `scale`).

#![expect(
    dead_code,
    unreachable_pub,
    reason = "each test program uses its own part of this; fuzz/ has most of the files"
)]

pub mod faulty;
pub mod guarded;
pub mod kernels;
pub mod malformed;
pub mod oracle;
pub mod places;
pub mod random;
pub mod required;
pub mod scale;
pub mod text;

//! The tests of the library, and of the packages for columns, counts, conversions, dialects, profiles and tokio, as one program.
//!
//! `cargo test` makes a program of each folder of tests, and does not make this one. Where the tests run on another
//! machine, most of their time goes into compiling and linking; this links once:
//!
//! ```text
//! cargo test -p trust8-tests-all --test all --target s390x-unknown-linux-gnu
//! ```
//!
//! `.ci/run lint` fails when a folder is missing here, or a file in its `main.rs`.

#[path = "../../../crates/columns/tests/columns/main.rs"]
mod columns;
#[path = "../../../crates/counts/tests/counts/main.rs"]
mod counts;
#[cfg(feature = "alloc")]
#[path = "../../../crates/dialect/tests/dialect/main.rs"]
mod dialect;
#[path = "../../../tests/examples.rs"]
mod examples;
#[path = "../../../tests/io/main.rs"]
mod io;
#[path = "../../../tests/kernel/main.rs"]
mod kernel;
#[path = "../../../crates/profile/tests/profile/main.rs"]
mod profile;
#[path = "../../../tests/repair/main.rs"]
mod repair;
#[path = "../../../tests/simdutf8/main.rs"]
mod simdutf8;
#[path = "stack.rs"]
mod stack;
#[path = "../../../tests/stream/main.rs"]
mod stream;
#[path = "../../../tests/text/main.rs"]
mod text;
#[cfg(feature = "tokio")]
#[path = "../../../crates/tokio/tests/tokio/main.rs"]
mod tokio;
#[cfg(feature = "alloc")]
#[path = "../../../crates/transcode/tests/transcode/main.rs"]
mod transcode;

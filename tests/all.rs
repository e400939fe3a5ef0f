//! The tests of all rooms as one program.
//!
//! `cargo test` makes a program of each room, and does not make this one. Where the tests run on another
//! machine, most of their time goes into compiling and linking; this links once:
//!
//! ```text
//! cargo test --all-features --test all --target s390x-unknown-linux-gnu
//! ```
//!
//! `.ci/run lint` fails when a room is missing here, or a file in the `main.rs` of its room.

#[path = "dialect/main.rs"]
mod dialect;
#[path = "examples.rs"]
mod examples;
#[path = "io/main.rs"]
mod io;
#[path = "kernel/main.rs"]
mod kernel;
#[path = "repair/main.rs"]
mod repair;
#[path = "simdutf8/main.rs"]
mod simdutf8;
#[path = "stack.rs"]
mod stack;
#[path = "stream/main.rs"]
mod stream;
#[path = "text/main.rs"]
mod text;
#[path = "transcode/main.rs"]
mod transcode;

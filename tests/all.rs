//! All test files as one program.
//!
//! `cargo test` makes a program of each file, and does not make this one. Where the tests run on another
//! machine, most of their time goes into compiling and linking; this links once:
//!
//! ```text
//! cargo test --test all --target s390x-unknown-linux-gnu
//! ```
//!
//! `.ci/run` fails when a file is missing here.

#[path = "api.rs"]
mod api;
#[path = "borders.rs"]
mod borders;
#[path = "characters.rs"]
mod characters;
#[path = "columns.rs"]
mod columns;
#[path = "copy.rs"]
mod copy;
#[path = "dialects.rs"]
mod dialects;
#[path = "differential.rs"]
mod differential;
#[path = "exhaustive.rs"]
mod exhaustive;
#[path = "guard_pages.rs"]
mod guard_pages;
#[path = "heap.rs"]
mod heap;
#[path = "inspect.rs"]
mod inspect;
#[path = "kernels.rs"]
mod kernels;
#[path = "lossy.rs"]
mod lossy;
#[cfg(feature = "rayon")]
#[path = "parallel.rs"]
mod parallel;
#[path = "positions.rs"]
mod positions;
#[path = "regressions.rs"]
mod regressions;
#[path = "rfc.rs"]
mod rfc;
#[path = "simdutf8_port.rs"]
mod simdutf8_port;
#[path = "stack.rs"]
mod stack;
#[path = "streaming.rs"]
mod streaming;
#[path = "streaming_io.rs"]
mod streaming_io;
#[cfg(feature = "tokio")]
#[path = "tokio.rs"]
mod tokio;
#[path = "transcode.rs"]
mod transcode;
#[path = "transcode_guards.rs"]
mod transcode_guards;
#[path = "websocket.rs"]
mod websocket;

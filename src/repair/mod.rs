//! Bytes that are not all text: with each fault replaced, in chunks, or fault by fault.

pub(crate) mod chunks;
pub(crate) mod faults;
#[cfg(feature = "alloc")]
pub(crate) mod lossy;

pub use chunks::{Errors, Utf8Chunk, Utf8Chunks, errors, utf8_chunks};
#[cfg(feature = "alloc")]
pub use lossy::{from_utf8_lossy, from_utf8_lossy_owned, lossy_into};

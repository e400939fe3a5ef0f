//! Bytes that are not all UTF-8: text with replacements, chunks of valid text, and a list of all
//! errors.

pub(crate) mod chunks;
pub(crate) mod copy;
pub(crate) mod faults;
#[cfg(feature = "alloc")]
pub(crate) mod lossy;
pub(crate) mod replacer;
pub(crate) mod sequences;
pub mod survey;

pub use chunks::{Errors, Utf8Chunk, Utf8Chunks, errors, utf8_chunks};
pub use copy::{copy_utf8_lossy, lossy_len};
#[cfg(feature = "alloc")]
pub use lossy::{from_utf8_lossy, from_utf8_lossy_owned, lossy_into};

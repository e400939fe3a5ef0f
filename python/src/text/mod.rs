//! The interpreter's strings.
//!
//! A `str` has one, two or four bytes for each character, all alike, and as few as its widest character allows. `direct.rs`
//! makes the object with the right width and converts the text into its memory. `stable.rs` does the same with the functions
//! that stay the same in all versions of Python; those take UTF-8 and decode it once more.

#[cfg(not(feature = "abi3"))]
mod direct;
#[cfg(feature = "abi3")]
mod stable;

#[cfg(not(feature = "abi3"))]
use direct as made;
#[cfg(feature = "abi3")]
use stable as made;

pub(crate) use made::{Builder, ascii, encoded, lossy, of_valid};

//! Search targets in UTF-8, UTF-16 and UTF-32.
//!
//! | file | contents |
//! |---|---|
//! | `questions.rs` | the search targets |
//! | `units32.rs` | operations on units of 32 bits |
//! | `mend.rs` | replaces unpaired surrogates in place |

mod mend;
mod questions;
mod units32;

pub(crate) use mend::{Mend, half, is_paired, mended_block, order, unless_unpaired};
pub(crate) use questions::{AboveLatin1, NotUtf16, NotUtf32, Outside};
pub(crate) use units32::Units32;
#[cfg(trust8_simd)]
pub(crate) use units32::reversed_places;

//! Counts of UTF-8: how many characters, UTF-16 units and lines a text has, counted while
//! what was validated is in the cache; and where its ASCII ends.
//!
//! [`inspect`](inspect()) validates and counts. [`Part`] does the same for a part of a
//! text that may begin and end inside a character: parts are judged on any machine, and joined. With
//! the feature `rayon`, `par_from_utf8` and `par_inspect` use all cores.
//!
//! ```
//! use trust8_counts::{Part, count_chars, inspect};
//!
//! let counts = inspect("Grüße,\n世界 🌍\n".as_bytes());
//! assert_eq!((counts.chars(), counts.utf16_len(), counts.newlines()), (12, 13, 2));
//! assert_eq!(count_chars("naïve 🐈"), 7);
//!
//! // A part may end inside a character.
//! let whole = Part::of(b"n\xC3").then(&Part::of(b"\xA9e\xFF"));
//! assert_eq!(whole.finish().unwrap_err().valid_up_to(), 4);
//! ```
//!
//! # Features
//!
//! | feature | on by default | brings |
//! |---|---|---|
//! | `std` | yes | nothing here; the same feature of trust8 |
//! | `rayon` | no | `par_from_utf8` and `par_inspect`, which use all cores; implies `std` |
//! | `serde` | no | `Serialize` for counts and errors |

#![cfg_attr(not(test), no_std)]

#[cfg(feature = "std")]
extern crate std;

mod ascii;
mod counts;
mod inspect;
mod kernel;
#[cfg(feature = "rayon")]
mod parallel;
mod part;
// For the packages with searches of their kinds of text.
#[doc(hidden)]
pub mod search;
#[cfg(feature = "serde")]
mod serialize;

/// An instruction set with [`Simd`](trust8::engine::Simd): any but AVX-512.
#[cfg(trust8_simd)]
#[doc(hidden)]
pub trait SimdSet: trust8::engine::Simd {}

/// Implements [`SimdSet`] for each that is compiled.
#[cfg(trust8_simd)]
macro_rules! simd_sets {
    () => {};
    (avx512: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal; $($others:tt)*) => {
        simd_sets!($($others)*);
    };
    ($set:ident: $token:ident, $name:literal, $cfg:ident, $features:tt, $target:tt, $about:literal; $($others:tt)*) => {
        #[cfg($cfg)]
        impl SimdSet for trust8::engine::$token {}
        simd_sets!($($others)*);
    };
}
#[cfg(trust8_simd)]
trust8::instruction_sets!(simd_sets);

pub use ascii::{ascii_up_to, is_ascii};
pub use inspect::{Summary, count_chars, count_chars_lossy, count_starts, inspect, utf16_len};
pub use kernel::KernelCounts;
#[cfg(feature = "rayon")]
pub use parallel::{par_from_utf8, par_inspect};
pub use part::{Part, PartError, Tally};

/// For trust8-transcode.
#[doc(hidden)]
pub use counts::{CountChars, Utf16Len, sum};

//! trust8 under the name of simdutf8.
//!
//! When `[patch.crates-io]` replaces simdutf8 with this package, all crates that depend on simdutf8 call trust8. It
//! has the names, the features and the answers of simdutf8 0.1.5. README says how to patch, and what is different.
//!
//! ```
//! let error = simdutf8::compat::from_utf8(b"I \xE2\x9D\xA4\xEF\xB8 UTF-8!").unwrap_err();
//! assert_eq!((error.valid_up_to(), error.error_len()), (5, Some(2)));
//! assert!(simdutf8::basic::from_utf8("I ❤️ UTF-8!".as_bytes()).is_ok());
//! ```

#![no_std]

pub mod basic;
pub mod compat;
#[cfg(feature = "public_imp")]
mod isa;
#[cfg(feature = "public_imp")]
mod stream;

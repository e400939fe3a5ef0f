//! Functions on top of validation: counts, copies, decoding, columns, and validation on all cores.

pub(crate) mod ascii;
pub(crate) mod bom;
pub(crate) mod characters;
pub mod columns;
pub(crate) mod copy;
pub mod counts;
pub(crate) mod inspect;
pub(crate) mod locate;
#[cfg(feature = "rayon")]
pub(crate) mod parallel;
pub(crate) mod part;
#[cfg(feature = "alloc")]
pub(crate) mod policy;
pub mod search;
#[cfg(feature = "alloc")]
pub(crate) mod string;

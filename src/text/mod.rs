//! Functions on top of validation: lines and columns, copies, strings, single characters.

pub(crate) mod bom;
pub(crate) mod characters;
pub(crate) mod copy;
pub(crate) mod locate;
#[cfg(feature = "alloc")]
pub(crate) mod policy;
#[cfg(feature = "alloc")]
pub(crate) mod string;

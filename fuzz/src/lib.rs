//! What the fuzz targets share: how the fuzzer's bytes become an input, in what pieces it comes, and what is right.

pub mod input;
pub mod reference;
pub mod source;

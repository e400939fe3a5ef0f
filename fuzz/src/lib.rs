//! What the fuzz targets share: how the fuzzer's bytes become an input, and what is right.

pub mod input;
pub mod reference;

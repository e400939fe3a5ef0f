//! Drives crates that validate with simdutf8; see `tests/drive.rs`.

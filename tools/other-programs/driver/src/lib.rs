//! This package has only tests: see `tests/drive.rs`.

//! This package has tests only: see `tests/`.

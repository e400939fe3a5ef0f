//! The programs in `examples/`, compiled into a test: each of them has a test of its own at its end, which runs here.

#[path = "../examples/utf16_ffi.rs"]
mod utf16_ffi;

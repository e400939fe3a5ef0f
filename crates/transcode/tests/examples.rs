//! The programs in `examples/`, compiled into a test: each has its own test at its end, which runs
//! here.

#[path = "../examples/utf16_ffi.rs"]
mod utf16_ffi;

//! The programs in `examples/`, compiled into a test: each of them ends with a test, which runs
//! here.

#[expect(dead_code, reason = "its `main` reads the arguments of the command line")]
#[path = "../examples/checked_name.rs"]
mod checked_name;
#[cfg(feature = "alloc")]
#[expect(dead_code, reason = "its `main` reads standard input")]
#[path = "../examples/log_field.rs"]
mod log_field;

//! The program in `examples/`, compiled into a test: it ends with a test, which runs here.

#[path = "../examples/string_column.rs"]
mod string_column;

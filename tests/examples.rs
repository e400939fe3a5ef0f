//! The programs in `examples/`, compiled into a test: each of them ends with a test, which runs
//! here. (`cargo test` compiles the programs themselves, but would not run them.)

#[cfg(feature = "alloc")]
#[expect(dead_code, reason = "its `main` reads standard input")]
#[path = "../examples/lossy_log.rs"]
mod lossy_log;
// WebAssembly has no folder for temporary files.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
#[expect(dead_code, reason = "its `main` reads the arguments of the command line")]
#[path = "../examples/log_shipper.rs"]
mod log_shipper;
// WebAssembly has no sockets.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
#[path = "../examples/stream_socket.rs"]
mod stream_socket;
// WebAssembly has no folder for temporary files.
#[cfg(not(target_family = "wasm"))]
#[expect(dead_code, reason = "its `main` reads the arguments of the command line")]
#[path = "../examples/validate_file.rs"]
mod validate_file;

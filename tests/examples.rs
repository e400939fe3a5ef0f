//! The programs in `examples/`, compiled into a test: they end with tests, which run here, or are tested here. (`cargo test` compiles
//! the programs themselves, but would not run them.)

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

/// A log that grows inside a character, inside a line, and after a line in ISO-8859-1.
#[cfg(all(feature = "std", not(target_family = "wasm")))]
#[test]
fn a_growing_log_arrives_as_a_whole() {
    use std::fs::File;
    use std::io::{BufReader, Write};

    use log_shipper::{open, ship};

    let path = std::env::temp_dir().join(format!("trust8-log-shipper-{}", std::process::id()));
    let mut log = File::create(&path).unwrap();
    let (mut lines, mut shipped) = (open(BufReader::new(File::open(&path).unwrap())), Vec::new());
    let parts = [&b"one\ncaf\xC3"[..], b"\xA9 two\ncaf\xE9 th", b"ree\n\xE6\x97", b"\xA5\r\n"];
    let expected = [
        "one\n",
        "one\ncafé two\n",
        "one\ncafé two\ncaf\\xE9 three\n",
        "one\ncafé two\ncaf\\xE9 three\n日\n",
    ];
    for (part, expected) in parts.into_iter().zip(expected) {
        log.write_all(part).unwrap();
        ship(&mut lines, &mut shipped).unwrap();
        assert_eq!(String::from_utf8_lossy(&shipped), expected);
    }
    assert_eq!(lines.bad_lines(), 1);
    std::fs::remove_file(path).unwrap();
}

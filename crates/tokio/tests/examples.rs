//! The programs in `examples/`, compiled into a test, and what they do.

#![cfg(not(target_family = "wasm"))]

#[path = "../examples/chat_server.rs"]
mod chat_server;

/// The server's own client gets whole characters in every chunk.
#[test]
fn every_chunk_is_text() {
    chat_server::main().unwrap();
}

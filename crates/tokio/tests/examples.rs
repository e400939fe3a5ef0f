//! The programs in `examples/`, compiled into a test: each of them ends with a test, which runs
//! here.

#![cfg(not(target_family = "wasm"))]

#[expect(dead_code, reason = "its `main` waits for connections")]
#[path = "../examples/chat_server.rs"]
mod chat_server;

//! The programs in `examples/`, compiled into a test, and what they do.

#![cfg(not(target_family = "wasm"))]

#[expect(dead_code, reason = "its `main` waits for connections")]
#[path = "../examples/chat_server.rs"]
mod chat_server;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A client on the same machine gets whole characters in every chunk.
#[tokio::test]
async fn every_chunk_is_text() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(chat_server::serve(listener));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let chunks: Vec<&str> = body.split("\r\n").skip(1).step_by(2).collect();
    assert_eq!(chunks, ["Gr", "üße ", "👋", "! ", "\u{FFFD}", ""]);
}

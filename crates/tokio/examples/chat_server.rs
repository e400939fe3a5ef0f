//! Streams the answer of a language model to a browser. A token may end inside a character, or have bytes that are not
//! UTF-8; the browser gets whole characters, each as soon as it is complete.
//!
//! ```sh
//! cargo run -p trust8-tokio --example chat_server    # then: curl -N http://127.0.0.1:8080
//! ```

#![forbid(unsafe_code)]

use std::io;

use futures_util::{Stream, StreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::bytes::Bytes;
use trust8_tokio::TextStream;

/// Returns the tokens of a model. The third token ends inside an emoji, and the last one is cut off.
fn tokens() -> impl Stream<Item = io::Result<Bytes>> + Unpin {
    stream::iter([&b"Gr\xC3"[..], b"\xBC\xC3\x9Fe ", b"\xF0\x9F", b"\x91\x8B", b"! \xE2\x82"])
        .map(|token| Ok(Bytes::from_static(token)))
}

/// Answers a request with the text of the tokens, chunk by chunk. A framework takes the stream as it is: in axum,
/// `Body::from_stream(TextStream::lossy(tokens()).into_bytes())`.
async fn answer(mut connection: TcpStream) -> io::Result<()> {
    let mut request = [0; 4096];
    let _ = connection.read(&mut request).await?;
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";
    connection.write_all(head.as_bytes()).await?;
    let mut texts = TextStream::lossy(tokens());
    while let Some(text) = texts.next().await {
        let text = text?;
        connection.write_all(format!("{:X}\r\n{text}\r\n", text.len()).as_bytes()).await?;
    }
    connection.write_all(b"0\r\n\r\n").await
}

async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        let (connection, _) = listener.accept().await?;
        tokio::spawn(answer(connection));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    serve(TcpListener::bind("127.0.0.1:8080").await?).await
}

/// A client on the same machine gets whole characters in every chunk.
#[tokio::test]
async fn every_chunk_is_text() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener));
    let mut client = TcpStream::connect(address).await.unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let chunks: Vec<&str> = body.split("\r\n").skip(1).step_by(2).collect();
    assert_eq!(chunks, ["Gr", "üße ", "👋", "! ", "\u{FFFD}", ""]);
}

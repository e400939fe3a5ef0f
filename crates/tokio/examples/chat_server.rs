//! Streams the answer of a language model with hyper, to itself. A token may end inside a character, or have bytes that
//! are not UTF-8; the client gets whole characters, each as soon as it is complete.
//!
//! ```sh
//! cargo run -p trust8-tokio --example chat_server
//! ```

#![forbid(unsafe_code)]

use futures_util::{Stream, TryStreamExt, stream};
use hyper::body::{Body, Bytes, Frame};
use hyper::{http, http::Response, server::conn::http1, service::service_fn};
use std::{error::Error, io};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trust8_tokio::TextStream;

/// Returns the tokens of a model. The third token ends inside an emoji, and the last one is cut off.
fn tokens() -> impl Stream<Item = io::Result<Bytes>> + Unpin {
    let tokens = [&b"Gr\xC3"[..], b"\xBC\xC3\x9Fe ", b"\xF0\x9F", b"\x91\x8B", b"! \xE2\x82"];
    stream::iter(tokens.map(|token| Ok(Bytes::from_static(token))))
}

/// Answers a request with the text of the tokens, frame by frame. In axum, `Body::from_stream(texts)` is the body.
async fn answer<R>(_: R) -> http::Result<Response<impl Body<Data = Bytes, Error: Error + Send + Sync>>> {
    let texts = TextStream::lossy(tokens()).into_bytes();
    let response = Response::builder().header("Content-Type", "text/plain; charset=utf-8");
    response.body(http_body_util::StreamBody::new(texts.map_ok(Frame::data)))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let mut client = TcpStream::connect(listener.local_addr()?).await?;
    let connection = hyper_util::rt::TokioIo::new(listener.accept().await?.0);
    tokio::spawn(http1::Builder::new().serve_connection(connection, service_fn(answer)));
    client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
    let mut response = String::new();
    client.read_to_string(&mut response).await?;
    let lines = response.split("\r\n").skip_while(|line| !line.is_empty());
    assert_eq!(lines.skip(2).step_by(2).collect::<Vec<_>>(), ["Gr", "üße ", "👋", "! ", "\u{FFFD}", ""]);
    Ok(())
}

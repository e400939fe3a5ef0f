//! Streams the answer of a language model to a browser. A token may end inside a character, or have bytes that are not
//! UTF-8; the browser gets whole characters, each as soon as it is complete.
//!
//! ```sh
//! cargo run -p trust8-tokio --example chat_server    # then: curl -N http://127.0.0.1:8080
//! ```

#![forbid(unsafe_code)]

use futures_util::{Stream, StreamExt, stream};
use tokio::io::{self, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::bytes::Bytes;
use trust8_tokio::TextStream;

const HEAD: &str =
    "HTTP/1.1 200\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Returns the tokens of a model. The third token ends inside an emoji, and the last one is cut off.
fn tokens() -> impl Stream<Item = io::Result<Bytes>> + Unpin {
    let tokens = [&b"Gr\xC3"[..], b"\xBC\xC3\x9Fe ", b"\xF0\x9F", b"\x91\x8B", b"! \xE2\x82"];
    stream::iter(tokens.map(|token| Ok(Bytes::from_static(token))))
}

/// Answers a request with the text of the tokens, chunk by chunk. A framework takes the stream as it is: in axum,
/// `Body::from_stream(TextStream::lossy(tokens()).into_bytes())`.
async fn answer(mut connection: TcpStream) -> io::Result<()> {
    let _ = connection.read(&mut [0; 4096]).await?;
    connection.write_all(HEAD.as_bytes()).await?;
    let mut texts = TextStream::lossy(tokens());
    while let Some(text) = texts.next().await.transpose()? {
        connection.write_all(format!("{:X}\r\n{text}\r\n", text.len()).as_bytes()).await?;
    }
    connection.write_all(b"0\r\n\r\n").await
}

pub(crate) async fn serve(listener: TcpListener) -> io::Result<()> {
    loop {
        tokio::spawn(answer(listener.accept().await?.0));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    serve(TcpListener::bind("127.0.0.1:8080").await?).await
}

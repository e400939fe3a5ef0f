//! Reads text from a connection, and hangs up at the first wrong byte.
//!
//! For servers. The network cuts text anywhere, often inside a character. The program processes each piece
//! when it arrives, copies nothing, and keeps at most the bytes of one character.
//!
//! ```sh
//! cargo run --release --example stream_socket
//! ```

#![forbid(unsafe_code)]

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

use trust8::Validator;

/// Hands all text of a connection to `take`, piece by piece, and returns its length in bytes.
///
/// # Errors
///
/// An [`io::ErrorKind::InvalidData`] with the place in the stream if the text is not UTF-8, or ends inside a character; and
/// every error of the connection.
fn receive(mut connection: impl Read, mut take: impl FnMut(&str)) -> io::Result<u64> {
    let mut decoder = Validator::new();
    let mut buffer = [0; 16 << 10];
    loop {
        let len = connection.read(&mut buffer)?;
        if len == 0 {
            break;
        }
        // First the character that began in an earlier piece, if any; then the text in the buffer.
        for text in &decoder.decode(&buffer[..len])? {
            take(text);
        }
    }
    let len = decoder.valid_up_to();
    decoder.finish()?;
    Ok(len)
}

/// Sends the bytes over a connection on this machine, a few at a time, and returns what the server made of them.
fn exchange(bytes: &[u8]) -> io::Result<(String, io::Result<u64>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::scope(|scope| {
        scope.spawn(move || -> io::Result<()> {
            let mut client = TcpStream::connect(address)?;
            client.set_nodelay(true)?;
            for piece in bytes.chunks(4) {
                client.write_all(piece)?;
            }
            client.shutdown(Shutdown::Write)
        });
        let (connection, _) = listener.accept()?;
        let mut text = String::new();
        let outcome = receive(connection, |piece| text.push_str(piece));
        Ok((text, outcome))
    })
}

fn main() -> io::Result<()> {
    let (text, outcome) = exchange("Grüße aus Köln, 東京 und Ελλάδα".as_bytes())?;
    println!("{text:?}, {} bytes", outcome?);

    let (_, outcome) = exchange(b"half a pair of surrogates: \xED\xA0\x80, and more text")?;
    let error = outcome.expect_err("surrogates are not allowed in UTF-8");
    println!("hung up: {error}");
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    Ok(())
}

/// Sends text over a new connection, and cuts it at each byte.
#[test]
fn text_arrives_whole_however_it_is_cut() {
    main().unwrap();
    for len in 1..8 {
        let pieces = "añ€😀".as_bytes().chunks(len);
        let mut text = String::new();
        let reader =
            pieces.fold(Box::new(io::empty()) as Box<dyn Read>, |all, piece| Box::new(all.chain(piece)));
        assert_eq!(receive(reader, |piece| text.push_str(piece)).unwrap(), 10);
        assert_eq!(text, "añ€😀");
    }
    let cut_off = receive(&b"caf\xC3"[..], |_| {}).unwrap_err();
    assert_eq!(cut_off.kind(), io::ErrorKind::InvalidData);
}

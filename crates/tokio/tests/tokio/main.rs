//! The adapter and the codecs for tokio, over real connections that deliver one byte at a time.

#![cfg(not(target_family = "wasm"))]

mod lossy;
#[cfg(feature = "profile")]
mod writer;

use std::error::Error;
use std::future::Future;
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{Decoder, Encoder, Framed, FramedRead};
use trust8::stream::StreamError;
use trust8_tokio::{CodecError, LinesCodec, TextCodec, Utf8Reader};

/// No test here waits for anything but bytes that have been sent.
async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("waits for what never comes")
}

/// Gives one byte for each read, and counts the reads. The sender sends one byte at a time as well,
/// but the system may join some before they are read.
struct OneByOne<R> {
    inner: R,
    reads: usize,
}

impl<R: AsyncRead + Unpin> AsyncRead for OneByOne<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut one = ReadBuf::new(&mut byte);
        std::task::ready!(Pin::new(&mut self.inner).poll_read(cx, &mut one))?;
        self.reads += one.filled().len();
        buf.put_slice(one.filled());
        Poll::Ready(Ok(()))
    }
}

/// Returns the receiving end of a loopback connection. The bytes arrive one by one. After them
/// comes nothing, or the end if `close` is set.
async fn connection(bytes: &[u8], close: bool) -> OneByOne<TcpStream> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let bytes = bytes.to_vec();
    tokio::spawn(async move {
        let mut sender = TcpStream::connect(address).await.unwrap();
        sender.set_nodelay(true).unwrap();
        for byte in bytes {
            if sender.write_all(&[byte]).await.is_err() {
                // The receiver has refused the remaining bytes.
                return;
            }
            tokio::task::yield_now().await;
        }
        if !close {
            // The connection stays open without further bytes, longer than any test waits.
            tokio::time::sleep(Duration::from_secs(3600)).await;
        }
    });
    let (inner, _) = listener.accept().await.unwrap();
    OneByOne { inner, reads: 0 }
}

/// Text with a character of each length and every kind of line end.
fn text() -> String {
    "plain\nd\u{E9}j\u{E0} vu\r\n\u{65E5}\u{672C}\u{8A9E}\n\n\u{1F600}\r\nwithout an end \u{20AC}".to_owned()
}

#[track_caller]
fn stream_error(error: io::Error) -> StreamError {
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    error.downcast().expect("it carries the error")
}

#[tokio::test]
async fn the_reader_passes_text_through() {
    let text = text();
    for capacity in [0, 4, 16, 4096] {
        let mut reader = Utf8Reader::with_capacity(capacity, connection(text.as_bytes(), true).await);
        let mut read = Vec::new();
        in_time(reader.read_to_end(&mut read)).await.unwrap();
        assert_eq!(read, text.as_bytes());
        assert_eq!(reader.get_ref().reads, text.len());
        assert_eq!(reader.valid_up_to(), text.len() as u64);
    }
}

#[tokio::test]
async fn a_signature_at_the_start_goes_if_asked() {
    let text = text();
    for signatures in 0..3 {
        let input = "\u{FEFF}".repeat(signatures) + &text;
        for strip in [false, true] {
            let expected = if strip { input.strip_prefix('\u{FEFF}').unwrap_or(&input) } else { &input };
            // Bytes are read one by one through the buffer, and past it.
            for capacity in [0, 4, 16 << 10] {
                let inner = connection(input.as_bytes(), true).await;
                let mut reader = Utf8Reader::with_capacity(capacity, inner).strip_bom(strip);
                let mut read = Vec::with_capacity(1 << 16);
                in_time(async { while reader.read_buf(&mut read).await.unwrap() > 0 {} }).await;
                assert_eq!(read, expected.as_bytes());
                assert_eq!(reader.stripped_bom(), strip && signatures > 0);
                assert_eq!(reader.valid_up_to(), input.len() as u64);
            }
        }
    }
}

#[tokio::test]
async fn the_reader_hands_out_strings_and_lines() {
    let text = text();
    let mut reader = Utf8Reader::new(connection(text.as_bytes(), true).await);
    let mut read = String::new();
    loop {
        let piece = in_time(reader.fill_str()).await.unwrap();
        if piece.is_empty() {
            break;
        }
        // The connection delivers single bytes, so each string is a character.
        assert_eq!(piece.chars().count(), 1);
        read.push_str(piece);
        let n = piece.len();
        reader.consume(n);
    }
    assert_eq!(read, text);

    let mut reader = Utf8Reader::new(connection(text.as_bytes(), true).await);
    for line in text.split_inclusive('\n') {
        let mut read = String::new();
        assert_eq!(in_time(reader.read_line(&mut read)).await.unwrap(), line.len());
        assert_eq!(read, line);
    }
    assert_eq!(in_time(reader.read_line(&mut String::new())).await.unwrap(), 0);

    // tokio's own helpers work on the reader.
    let reader = Utf8Reader::new(connection(text.as_bytes(), true).await);
    let mut lines = AsyncBufReadExt::lines(reader);
    for line in text.lines() {
        assert_eq!(in_time(lines.next_line()).await.unwrap().as_deref(), Some(line));
    }
    assert_eq!(in_time(lines.next_line()).await.unwrap(), None);
}

/// An error is reported as soon as it is certain, even if the connection stays open and no further
/// byte comes.
#[tokio::test]
async fn an_error_does_not_wait_for_more() {
    let cases: [(&[u8], u64, Option<usize>); 5] = [
        (b"ab\xF4\x90", 2, Some(1)),
        (b"ab\xED\xA0", 2, Some(1)),
        (b"\xE2\x82\xACab\xC0", 5, Some(1)),
        (b"a\xF0\x9F\x98a", 1, Some(3)),
        (b"caf\xE9 ", 3, Some(1)),
    ];
    for (bytes, valid_up_to, error_len) in cases {
        let mut reader = Utf8Reader::new(connection(bytes, false).await);
        let mut read = Vec::new();
        let error = stream_error(in_time(reader.read_to_end(&mut read)).await.unwrap_err());
        assert_eq!((error.valid_up_to(), error.error_len()), (valid_up_to, error_len));
        assert_eq!(read, bytes[..valid_up_to as usize]);
        // The error stays.
        assert_eq!(stream_error(in_time(reader.fill_str()).await.unwrap_err()), error);

        let mut frames = FramedRead::new(connection(bytes, false).await, TextCodec::new());
        let mut read = String::new();
        let error = loop {
            match in_time(frames.next()).await.unwrap() {
                Ok(piece) => read += &piece,
                Err(error) => break error,
            }
        };
        assert_eq!(error.valid_up_to(), Some(valid_up_to), "{error}");
        assert_eq!(read.as_bytes(), &bytes[..valid_up_to as usize]);

        let mut lines = FramedRead::new(connection(bytes, false).await, LinesCodec::new());
        match in_time(lines.next()).await.unwrap().unwrap_err() {
            CodecError::Utf8(error) => {
                assert_eq!((error.valid_up_to(), error.error_len()), (valid_up_to, error_len))
            }
            other => panic!("{other}"),
        }
    }
}

#[tokio::test]
async fn an_end_inside_a_character() {
    let bytes = b"abc\nd\xF0\x9F\x98";
    let mut reader = Utf8Reader::new(connection(bytes, true).await);
    let error = stream_error(in_time(reader.read_to_end(&mut Vec::new())).await.unwrap_err());
    assert_eq!((error.valid_up_to(), error.error_len()), (5, None));
    assert_eq!(reader.pending(), b"\xF0\x9F\x98");

    let mut lines = FramedRead::new(connection(bytes, true).await, LinesCodec::new());
    assert_eq!(in_time(lines.next()).await.unwrap().unwrap(), "abc");
    assert_eq!(in_time(lines.next()).await.unwrap().unwrap_err().valid_up_to(), Some(5));

    let frames = FramedRead::new(connection(bytes, true).await, TextCodec::new());
    let frames: Vec<_> = in_time(frames.collect()).await;
    let (last, first) = frames.split_last().unwrap();
    assert_eq!(first.iter().map(|text| text.as_deref().unwrap()).collect::<String>(), "abc\nd");
    assert_eq!(last.as_ref().unwrap_err().valid_up_to(), Some(5));
}

#[tokio::test]
async fn the_codecs_yield_strings_and_lines() {
    let text = text();
    let frames = FramedRead::new(connection(text.as_bytes(), true).await, TextCodec::new());
    let frames: Vec<_> = in_time(frames.map(Result::unwrap).collect()).await;
    assert_eq!(frames.concat(), text);
    assert_eq!(frames.len(), text.chars().count());

    let lines = FramedRead::new(connection(text.as_bytes(), true).await, LinesCodec::new());
    let lines: Vec<_> = in_time(lines.map(Result::unwrap).collect()).await;
    assert_eq!(lines, text.lines().collect::<Vec<_>>());
}

#[tokio::test]
async fn both_ways_on_one_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let echo = tokio::spawn(async move {
        let mut lines = Framed::new(listener.accept().await.unwrap().0, LinesCodec::with_max_length(40));
        while let Some(line) = lines.next().await {
            lines.send(line.unwrap().to_uppercase()).await.unwrap();
        }
    });
    let mut lines = Framed::new(TcpStream::connect(address).await.unwrap(), LinesCodec::new());
    for (line, answer) in [("stra\u{DF}e", "STRASSE"), ("", ""), ("\u{E9}t\u{E9}", "\u{C9}T\u{C9}")] {
        lines.send(line).await.unwrap();
        assert_eq!(in_time(lines.next()).await.unwrap().unwrap(), answer);
    }
    drop(lines);
    in_time(echo).await.unwrap();
}

#[tokio::test]
async fn a_line_that_is_too_long() {
    let bytes = "short\nmuch too long a line\nok\r\n12345678\r\n123456789\r\n".as_bytes();
    let mut lines = FramedRead::new(connection(bytes, true).await, LinesCodec::with_max_length(8));
    let mut all = Vec::new();
    // After an error, the frames end once and then go on.
    let mut ends = 0;
    while ends < 2 {
        match in_time(lines.next()).await {
            Some(Ok(line)) => {
                all.push(line);
                ends = 0;
            }
            Some(Err(CodecError::TooLong { valid_up_to, max_length })) => {
                all.push(format!("{max_length}, at {valid_up_to}"));
                ends = 0;
            }
            Some(Err(other)) => panic!("{other}"),
            None => ends += 1,
        }
    }
    assert_eq!(all, ["short", "8, at 6", "ok", "12345678", "8, at 41"]);
}

#[cfg(feature = "serde")]
#[test]
fn errors_go_into_reports() {
    use serde_json::{json, to_value};
    use trust8_tokio::TextStreamError;

    let error = CodecError::TooLong { valid_up_to: 7, max_length: 2 };
    assert_eq!(to_value(&error).unwrap(), json!({ "valid_up_to": 7, "message": error.to_string() }));
    let error = TextStreamError::Inner(io::Error::other("closed"));
    assert_eq!(to_value(&error).unwrap(), json!({ "valid_up_to": null, "message": "closed" }));
}

/// A report of all sources had each message twice.
#[test]
fn errors_of_codecs_say_nothing_twice() {
    let errors: [CodecError; 3] = [
        io::Error::other("inner").into(),
        io::Error::from(io::ErrorKind::TimedOut).into(),
        LinesCodec::new().decode(&mut BytesMut::from(&b"\xFF\n"[..])).unwrap_err(),
    ];
    for error in errors {
        assert!(error.source().is_none(), "{error}");
    }
}

/// A line that is too long is refused with the first byte too many, not at its end.
#[tokio::test]
async fn a_line_that_is_too_long_does_not_wait_for_its_end() {
    let mut lines =
        FramedRead::new(connection(b"ok\n123456789", false).await, LinesCodec::with_max_length(8));
    assert_eq!(in_time(lines.next()).await.unwrap().unwrap(), "ok");
    assert_eq!(in_time(lines.next()).await.unwrap().unwrap_err().valid_up_to(), Some(3));
}

/// The frames are the same, whatever the buffer holds when the decoder is called.
#[test]
fn codecs_do_not_depend_on_how_the_buffer_fills() {
    let whole = text();
    let broken = [whole.as_bytes(), b"\n\xE2\x82 never seen"].concat();
    for bytes in [whole.as_bytes(), &broken] {
        for step in 1..=bytes.len() {
            let mut lines = Vec::new();
            let mut codec = LinesCodec::new();
            let mut buffer = BytesMut::new();
            let mut error = None;
            for chunk in bytes.chunks(step) {
                buffer.extend_from_slice(chunk);
                while error.is_none() {
                    match codec.decode(&mut buffer) {
                        Ok(Some(line)) => lines.push(line),
                        Ok(None) => break,
                        Err(stop) => error = Some(stop),
                    }
                }
            }
            while error.is_none() {
                match codec.decode_eof(&mut buffer) {
                    Ok(Some(line)) => lines.push(line),
                    Ok(None) => break,
                    Err(stop) => error = Some(stop),
                }
            }
            assert_eq!(lines, whole.lines().collect::<Vec<_>>(), "step {step}");
            let expected = std::str::from_utf8(bytes).err().map(|error| error.valid_up_to() as u64);
            assert_eq!(error.and_then(|error| error.valid_up_to()), expected, "step {step}");

            for max_length in [4, 5, 16, usize::MAX] {
                let mut text = String::new();
                let mut codec = TextCodec::with_max_length(max_length);
                let mut buffer = BytesMut::new();
                let mut chunks = bytes.chunks(step);
                let error = loop {
                    let result = match chunks.next() {
                        Some(chunk) => {
                            buffer.extend_from_slice(chunk);
                            codec.decode(&mut buffer)
                        }
                        None => codec.decode_eof(&mut buffer),
                    };
                    match result {
                        Ok(Some(piece)) => {
                            assert!(piece.len() <= max_length && !piece.is_empty());
                            text += &piece;
                        }
                        Ok(None) if buffer.is_empty() => break None,
                        Ok(None) => {}
                        Err(error) => break Some(error),
                    }
                };
                assert_eq!(text.as_bytes(), &bytes[..expected.map_or(bytes.len(), |at| at as usize)]);
                assert_eq!(error.and_then(|error| error.valid_up_to()), expected, "step {step}");
            }
        }
    }
}

/// If the owner of a buffer changes it between two calls, the text is still valid.
#[test]
fn a_buffer_that_is_changed_in_between_is_validated_again() {
    let mut codec = LinesCodec::new();
    let mut buffer = BytesMut::from("some text");
    assert!(codec.decode(&mut buffer).unwrap().is_none());
    buffer[3] = 0xFF;
    buffer.extend_from_slice(b"\n");
    assert_eq!(codec.decode(&mut buffer).unwrap_err().valid_up_to(), Some(3));

    let mut codec = LinesCodec::new();
    let mut buffer = BytesMut::from("some text");
    assert!(codec.decode(&mut buffer).unwrap().is_none());
    buffer.clear();
    assert!(codec.decode(&mut buffer).unwrap().is_none());
    buffer.extend_from_slice(b"\n\n");
    let _ = codec.decode(&mut buffer);
}

#[test]
fn what_is_encoded_is_decoded() {
    let mut buffer = BytesMut::new();
    LinesCodec::new().encode("a\u{E9}", &mut buffer).unwrap();
    LinesCodec::new().encode(String::from("b"), &mut buffer).unwrap();
    assert_eq!(buffer, "a\u{E9}\nb\n");
    TextCodec::new().encode("c", &mut buffer).unwrap();
    assert_eq!(TextCodec::new().decode(&mut buffer).unwrap().unwrap(), "a\u{E9}\nb\nc");
}

/// Bytes, then an error, then more bytes.
struct Broken<'a>(&'a [u8], Vec<io::ErrorKind>, &'a [u8]);

impl AsyncRead for Broken<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.0.is_empty() {
            if let Some(kind) = self.1.pop() {
                return Poll::Ready(Err(kind.into()));
            }
            self.0 = std::mem::take(&mut self.2);
        }
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

#[tokio::test]
async fn an_error_of_the_reader_inside_loses_nothing() {
    for size in [1, 3, 5, 100, 40_000] {
        let errors = vec![io::ErrorKind::TimedOut, io::ErrorKind::Interrupted];
        let mut reader = Utf8Reader::new(Broken(b"ab\xE2\x82", errors, b"\xACcd\x80"));
        let mut read = Vec::new();
        let mut failures = 0;
        let error = loop {
            let mut buf = vec![0; size];
            match reader.read(&mut buf).await {
                Ok(n) => read.extend_from_slice(&buf[..n]),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => break stream_error(error),
                Err(_) => {
                    failures += 1;
                    assert_eq!((reader.valid_up_to(), reader.pending()), (2, &b"\xE2\x82"[..]));
                }
            }
        };
        assert_eq!((failures, read.as_slice()), (2, "ab\u{20AC}cd".as_bytes()));
        assert_eq!(error.valid_up_to(), 7);
    }
}

/// The inner reader ends inside a character, and could go on later. The error has been reported, so
/// it stays.
#[tokio::test]
async fn an_end_inside_a_character_is_final() {
    /// Each of the parts ends like a file.
    struct Parts(Vec<&'static [u8]>);

    impl AsyncRead for Parts {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            buf.put_slice(self.0.pop().unwrap_or_default());
            Poll::Ready(Ok(()))
        }
    }

    for size in [3, 40_000] {
        let mut reader = Utf8Reader::new(Parts(vec![b"\xACc", b"", b"ab\xE2\x82"]));
        let mut buf = vec![0; size];
        assert_eq!(reader.read(&mut buf).await.unwrap(), 2);
        for _ in 0..3 {
            let results = [
                reader.read(&mut buf).await.map(|_| ()),
                reader.read(&mut []).await.map(|_| ()),
                reader.fill_str().await.map(|_| ()),
                reader.read_line(&mut String::new()).await.map(|_| ()),
                AsyncBufReadExt::fill_buf(&mut reader).await.map(|_| ()),
            ];
            for result in results {
                let error = stream_error(result.unwrap_err());
                assert_eq!((error.valid_up_to(), error.error_len()), (2, None));
            }
        }
        assert_eq!(reader.pending(), b"\xE2\x82");
    }
}

/// At the end, a reader may have more later, such as a file that grows. Each call asks it once.
#[tokio::test]
async fn the_end_is_read_once_for_each_call() {
    struct Growing(Vec<Poll<io::Result<&'static [u8]>>>);

    impl AsyncRead for Growing {
        fn poll_read(
            mut self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let next = self.0.pop().expect("a read too many");
            if next.is_pending() {
                cx.waker().wake_by_ref();
            }
            next.map_ok(|bytes| buf.put_slice(bytes))
        }
    }

    let text = |bytes: &'static [u8]| Poll::Ready(Ok(bytes));
    let end = || text(b"");
    let blocked = || Poll::Ready(Err(io::ErrorKind::WouldBlock.into()));
    let reads = vec![text(b"\xAC"), end(), text(b"ab\n\xE2\x82")];
    let mut reader = Utf8Reader::new(Growing(reads));
    assert_eq!(in_time(reader.fill_str()).await.unwrap(), "ab\n");
    reader.consume(3);
    assert_eq!(stream_error(in_time(reader.fill_str()).await.unwrap_err()).valid_up_to(), 3);

    let reads = vec![end(), text(b"c"), blocked(), Poll::Pending, end(), text(b"ab\n")];
    let mut reader = Utf8Reader::new(Growing(reads));
    for expected in ["ab\n", ""] {
        assert_eq!(in_time(reader.fill_str()).await.unwrap(), expected);
        reader.consume(3);
    }
    // The reader is not ready, and wakes the task. Its own error of this kind is passed on.
    assert_eq!(in_time(reader.fill_str()).await.unwrap_err().kind(), io::ErrorKind::WouldBlock);
    for expected in ["c", ""] {
        assert_eq!(in_time(reader.fill_str()).await.unwrap(), expected);
        reader.consume(1);
    }
}

/// Such a reader fills its own buffer instead of the one that it was given.
#[tokio::test]
async fn a_reader_that_claims_too_much_is_an_error_that_stays() {
    struct Liar;

    static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

    impl AsyncRead for Liar {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            let memory = Box::leak(vec![0; 100_000].into_boxed_slice());
            // Memory whose address is known somewhere is no leak to a sanitizer.
            KEPT.lock().unwrap().push(memory.as_ptr().addr());
            let mut other = ReadBuf::new(memory);
            other.set_filled(100_000);
            *buf = other;
            Poll::Ready(Ok(()))
        }
    }

    for size in [3, 40_000] {
        let mut reader = Utf8Reader::new(Liar);
        let mut buf = vec![0; size];
        for _ in 0..3 {
            assert_eq!(reader.read(&mut buf).await.unwrap_err().kind(), io::ErrorKind::Other);
            assert_eq!(reader.fill_str().await.unwrap_err().kind(), io::ErrorKind::Other);
        }
        assert_eq!(reader.valid_up_to(), 0);
    }
}

/// The trait counts bytes, so a caller can consume half a character through it.
#[tokio::test]
async fn half_a_character_consumed() {
    let mut reader = Utf8Reader::new("\u{65E5}!".as_bytes());
    assert_eq!(reader.fill_str().await.unwrap(), "\u{65E5}!");
    Pin::new(&mut reader).consume(1);
    assert_eq!(reader.fill_str().await.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    Pin::new(&mut reader).consume(2);
    assert_eq!(reader.fill_str().await.unwrap(), "!");
}

/// A reader of few bytes, for which the whole of a large buffer was cleared each time.
#[tokio::test]
async fn memory_is_not_initialised_for_a_reader_that_needs_little() {
    let mut memory = [MaybeUninit::uninit(); 100_000];
    let mut reader = Utf8Reader::new(&b"a few bytes"[..]);
    let mut buf = ReadBuf::uninit(&mut memory);
    std::future::poll_fn(|cx| Pin::new(&mut reader).poll_read(cx, &mut buf)).await.unwrap();
    assert_eq!(buf.filled(), b"a few bytes");
    assert_eq!(buf.initialized().len(), buf.filled().len());
}

/// The codec continues after any number of lines that are too long. `FramedRead` does too, up to
/// the end of the input.
#[tokio::test]
async fn lines_after_lines_that_are_too_long() {
    let bytes = b"too long\ntoo long\nok\ntoo long\ntoo long\nok\nlast";
    let mut codec = LinesCodec::with_max_length(4);
    let mut buffer = BytesMut::from(&bytes[..]);
    let mut lines = Vec::new();
    loop {
        match codec.decode_eof(&mut buffer) {
            Ok(None) => break,
            Ok(Some(line)) => lines.push(line),
            Err(error) => lines.push(error.valid_up_to().unwrap().to_string()),
        }
    }
    assert_eq!(lines, ["0", "9", "ok", "21", "30", "ok", "last"]);
}

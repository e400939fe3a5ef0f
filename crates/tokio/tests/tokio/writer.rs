//! The writer with a profile, around a writer that takes little and is seldom ready.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use trust8_profile::{Profile, ProfileStreamError};
use trust8_tokio::ProfileWriter;

use super::in_time;

/// Takes one byte at a time, and is not ready at every other call.
#[derive(Default)]
struct Slow {
    taken: Vec<u8>,
    flushed: usize,
    is_shut: bool,
    was_ready: bool,
}

impl Slow {
    fn poll(&mut self, cx: &Context<'_>) -> Poll<()> {
        self.was_ready = !self.was_ready;
        if self.was_ready {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

impl AsyncWrite for Slow {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        std::task::ready!(self.poll(cx));
        let n = buf.len().min(1);
        self.taken.extend_from_slice(&buf[..n]);
        Poll::Ready(Ok(n))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        std::task::ready!(self.poll(cx));
        self.flushed = self.taken.len();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        std::task::ready!(self.poll(cx));
        self.is_shut = true;
        Poll::Ready(Ok(()))
    }
}

const CASES: [(&[u8], usize, bool); 7] = [
    ("日é\u{1F600}fine".as_bytes(), 13, true),
    ("日é\u{1F600}\u{202E}more".as_bytes(), 9, false),
    ("é\u{9B}".as_bytes(), 2, false),
    (b"\x1B", 0, false),
    (b"ab\x1B[m\xFF", 2, false),
    (b"ab\xFF\x1B", 2, false),
    (b"ab\xE2\x80", 2, false),
];

/// What comes before a forbidden character comes through, and nothing of it, wherever the text is
/// cut.
#[tokio::test]
async fn a_profile_refuses_characters_in_a_slow_writer() {
    for (bytes, allowed, is_fine) in CASES {
        for cut in 0..=bytes.len() {
            let mut writer = ProfileWriter::new(Slow::default(), Profile::TERMINAL);
            let result = in_time(async {
                writer.write_all(&bytes[..cut]).await?;
                writer.flush().await?;
                // Whole characters do not wait for more.
                let whole = bytes[..cut].utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
                assert_eq!((writer.get_ref().taken.len(), writer.get_ref().flushed), (whole, whole));
                writer.write_all(&bytes[cut..]).await?;
                writer.shutdown().await
            })
            .await;
            assert_eq!(result.is_ok(), is_fine, "{bytes:02X?}, {cut}");
            if let Err(error) = result {
                let error = error.downcast::<ProfileStreamError>().expect("it carries the error");
                let is_forbidden =
                    matches!(error, ProfileStreamError::Forbidden(found) if found.offset() == allowed as u64);
                assert_eq!(is_forbidden, bytes[allowed] != 0xFF && !bytes.ends_with(b"\xE2\x80"), "{error}");
                // The error stays.
                assert!(in_time(writer.shutdown()).await.is_err());
                if is_forbidden {
                    assert!(in_time(writer.write(b"a")).await.is_err());
                }
            }
            assert_eq!(writer.get_ref().is_shut, is_fine);
            assert_eq!(writer.get_ref().flushed, allowed, "{bytes:02X?}, {cut}");
            assert_eq!(writer.into_inner().taken, bytes[..allowed], "{bytes:02X?}, {cut}");
        }
    }
}

/// Bytes of a write that was given up are not written, and all accepted ones are, in order.
#[tokio::test]
async fn writes_that_are_given_up() {
    let text = "日é\u{1F600}fine ".repeat(20);
    for pieces in 1..9 {
        let mut writer = ProfileWriter::new(Slow::default(), Profile::TERMINAL);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let piece = &rest[..rest.len().min(pieces)];
            // Polled once; half of the time the inner writer is not ready.
            tokio::select! {
                biased;
                n = writer.write(piece) => rest = &rest[n.expect("it is text")..],
                () = std::future::ready(()) => {}
            }
        }
        in_time(writer.shutdown()).await.expect("it is text");
        assert_eq!(writer.into_inner().taken, text.as_bytes(), "{pieces}");
    }
}

/// A text that continues after a shutdown was given up is checked to its end.
#[tokio::test]
async fn a_shutdown_that_is_given_up() {
    for polls in 0..8 {
        let mut writer = ProfileWriter::new(Slow::default(), Profile::TERMINAL);
        in_time(writer.write_all(b"text")).await.expect("it is text");
        for _ in 0..polls {
            tokio::select! {
                biased;
                result = writer.shutdown() => result.expect("it is text"),
                () = std::future::ready(()) => {}
            }
        }
        in_time(writer.write_all(b"\xC3")).await.expect("it is the start of a character");
        assert!(in_time(writer.shutdown()).await.is_err(), "{polls}");
    }
}

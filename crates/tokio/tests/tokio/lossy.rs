//! What continues after bytes that are not UTF-8: the lossy reader, the codec for every line, and the text of a stream.

use std::io;
use std::pin::pin;

use futures_util::{StreamExt, stream};
use tokio::io::AsyncReadExt;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder as _, FramedRead};
use trust8::Policy;
use trust8::io::TextLines;
use trust8::stream::Decoder;
use trust8_tokio::{
    CodecError, EveryLine, LineError, LinesCodec, LossyReader, OnBadLine, TextStream, TextStreamError,
    Utf8Reader,
};

use super::{connection, in_time};

const TEXTS: [&[u8]; 12] = [
    b"",
    b"plain text",
    "größer 日本語 😀".as_bytes(),
    b"\xFF",
    b"a\xE2\x82",
    b"\xF0\x9F\x98!",
    b"caf\xE9 au lait\n",
    b"one\r\ntw\xF6\n\xED\xA0\x80\nthree",
    "日本\n\n\n語".as_bytes(),
    b"\xC3\n\xA9\n\r\n\r",
    b"long line after long line\nshort\n\xFF is not",
    b"\xED\xA0\xBD\xED\xB8\x80\n",
];

#[tokio::test(flavor = "current_thread")]
async fn the_lossy_reader_over_a_connection() {
    for bytes in TEXTS {
        let mut reader = LossyReader::new(connection(bytes, true).await);
        let mut text = String::new();
        in_time(reader.read_to_string(&mut text)).await.unwrap();
        assert_eq!(text, String::from_utf8_lossy(bytes));
        assert_eq!(reader.decoder().replaced(), trust8::errors(bytes).count() as u64);

        let mut reader = LossyReader::new(connection(bytes, true).await);
        let mut lines = String::new();
        while in_time(reader.read_line(&mut lines)).await.unwrap() > 0 {}
        assert_eq!(lines, text);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn readers_follow_a_growing_input() {
    let text = "größer 日本語 😀";
    for at in 0..=text.len() {
        let (first, second) = text.as_bytes().split_at(at);
        let (mut strict, mut strict_text) = (Utf8Reader::new(first).follow(true), String::new());
        let (mut lossy, mut lossy_text) = (LossyReader::new(first).follow(true), String::new());
        for part in [second, b""] {
            in_time(strict.read_to_string(&mut strict_text)).await.unwrap();
            in_time(lossy.read_to_string(&mut lossy_text)).await.unwrap();
            (*strict.get_mut(), *lossy.get_mut()) = (part, part);
        }
        assert_eq!([strict_text, lossy_text], [text, text], "{at}");
    }
}

/// The frames are the lines of the blocking iterator, however the buffer fills.
#[test]
fn every_line_however_the_buffer_fills() {
    let ways = [OnBadLine::Refuse, OnBadLine::Skip].into_iter();
    for on_bad_line in ways.chain(Policy::ALL.iter().map(|&policy| OnBadLine::Repair(policy))) {
        for bytes in TEXTS {
            for max_length in [0, 3, 9, usize::MAX] {
                let debug = |line: Result<String, LineError>| format!("{line:?}");
                let lines = TextLines::new(bytes).on_bad_line(on_bad_line).max_length(max_length);
                let expected: Vec<_> = lines.map(debug).collect();
                for piece in [1, 2, 3, 7, 100] {
                    let mut codec = EveryLine::new().on_bad_line(on_bad_line).max_length(max_length);
                    let (mut buffer, mut found) = (BytesMut::new(), Vec::new());
                    for piece in bytes.chunks(piece) {
                        buffer.extend_from_slice(piece);
                        while let Some(line) = codec.decode(&mut buffer).unwrap() {
                            found.push(debug(line));
                        }
                    }
                    while let Some(line) = codec.decode_eof(&mut buffer).unwrap() {
                        found.push(debug(line));
                    }
                    assert_eq!(found, expected, "{bytes:02X?} in pieces of {piece}");
                }
            }
        }
    }
}

/// The tail of a log, cut anywhere, once became two lines.
#[tokio::test(flavor = "current_thread")]
async fn every_line_of_a_growing_input() {
    for (bytes, max_length) in TEXTS.iter().flat_map(|&bytes| [0, 5, usize::MAX].map(|most| (bytes, most))) {
        let debug = |line: Result<String, LineError>| format!("{line:?}");
        let lines = TextLines::new(bytes).max_length(max_length).follow(true);
        let expected: Vec<_> = lines.map(debug).collect();
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            let codec = EveryLine::new().max_length(max_length).follow(true);
            let (mut frames, mut found) = (FramedRead::new(first, codec), Vec::new());
            for part in [second, b""] {
                while let Some(line) = frames.next().await {
                    found.push(debug(line.unwrap()));
                }
                *frames.get_mut() = part;
            }
            assert_eq!(found, expected, "{bytes:02X?} {at}");
        }
    }
}

/// The first line of another input is not skipped with a long line that ended the one before.
#[test]
fn a_line_that_is_skipped_ends_with_its_input() {
    let mut buffer = BytesMut::from("longer");
    let mut every = EveryLine::new().max_length(3);
    assert!(matches!(every.decode(&mut buffer), Ok(Some(Err(LineError::TooLong { .. })))));
    assert!(every.decode(&mut buffer).unwrap().is_none() && every.decode_eof(&mut buffer).unwrap().is_none());
    assert_eq!(every.decode(&mut BytesMut::from("one\n")).unwrap().unwrap().unwrap(), "one");

    let mut buffer = BytesMut::from("longer");
    let mut lines = LinesCodec::with_max_length(3);
    assert!(matches!(lines.decode(&mut buffer), Err(CodecError::TooLong { .. })));
    assert!(lines.decode(&mut buffer).unwrap().is_none() && lines.decode_eof(&mut buffer).unwrap().is_none());
    assert_eq!(lines.decode(&mut BytesMut::from("one\n")).unwrap().unwrap(), "one");
}

#[tokio::test]
async fn what_reads_nothing_waits_for_nothing() {
    let (near, _far) = tokio::io::duplex(8);
    assert_eq!(in_time(LossyReader::new(near).read(&mut [])).await.unwrap(), 0);
    let (near, _far) = tokio::io::duplex(8);
    assert_eq!(in_time(Utf8Reader::new(near).read(&mut [])).await.unwrap(), 0);
}

#[tokio::test(flavor = "current_thread")]
async fn a_framed_reader_does_not_end_at_a_bad_line() {
    let bytes = b"one\n\xFF\n\xFE\nmuch too long\nalso too long\ntwo";
    let lines = FramedRead::new(connection(bytes, true).await, EveryLine::new().max_length(5));
    let lines: Vec<_> = in_time(lines.map(|line| line.unwrap().ok()).collect()).await;
    assert_eq!(lines, [Some("one".to_owned()), None, None, None, None, Some("two".to_owned())]);
}

async fn collect<T>(
    texts: impl futures_util::Stream<Item = Result<T, TextStreamError<io::Error>>>,
    mut take: impl FnMut(T),
) -> Option<TextStreamError<io::Error>> {
    let mut texts = pin!(texts);
    let mut failed = None;
    while let Some(text) = texts.next().await {
        assert!(failed.is_none(), "nothing follows an error");
        match text {
            Ok(text) => take(text),
            Err(error) => failed = Some(error),
        }
    }
    failed
}

#[tokio::test(flavor = "current_thread")]
async fn the_text_of_a_stream_cut_anywhere() {
    for bytes in TEXTS {
        for at in 0..=bytes.len() {
            let (first, second) = bytes.split_at(at);
            let pieces =
                || stream::iter([first, b"", second].map(|piece| io::Result::Ok(Bytes::from_static(piece))));
            for policy in [Policy::Replace, Policy::Java, Policy::Drop, Policy::Escape, Policy::Windows1252] {
                let lossy = || TextStream::with_decoder(Decoder::with_policy(policy).unwrap(), pieces());
                let expected = policy.repair(bytes).unwrap();
                let mut text = String::new();
                assert!(
                    collect(lossy(), |part| {
                        assert!(!part.is_empty());
                        text += &part;
                    })
                    .await
                    .is_none()
                );
                assert_eq!(text, expected, "{policy}");
                let mut text = Vec::new();
                let failed = collect(lossy().into_bytes(), |part| {
                    assert!(!part.is_empty() && std::str::from_utf8(&part).is_ok());
                    text.extend_from_slice(&part);
                });
                assert!(failed.await.is_none());
                assert_eq!(text, expected.as_bytes(), "{policy}");
            }

            let (mut text, error) = (String::new(), std::str::from_utf8(bytes).err());
            let failed = collect(TextStream::new(pieces()), |part| text += &part).await;
            assert_eq!(text.len(), error.map_or(bytes.len(), |error| error.valid_up_to()));
            assert!(bytes.starts_with(text.as_bytes()));
            match (failed, error) {
                (None, None) => {}
                (Some(TextStreamError::Utf8(ours)), Some(error)) => {
                    assert_eq!(
                        (ours.valid_up_to(), ours.error_len()),
                        (error.valid_up_to() as u64, error.error_len())
                    );
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test(flavor = "current_thread")]
async fn an_error_of_the_inner_stream_changes_nothing() {
    let pieces = [Ok(&b"a\xC3"[..]), Err(io::Error::other("once")), Ok(b"\xA9b")];
    let mut texts = TextStream::new(stream::iter(pieces));
    assert_eq!(texts.next().await.unwrap().unwrap(), "a");
    assert!(matches!(texts.next().await.unwrap(), Err(TextStreamError::Inner(_))));
    assert_eq!(texts.next().await.unwrap().unwrap(), "éb");
    assert!(texts.next().await.is_none());
}

#[tokio::test(flavor = "current_thread")]
async fn clean_bytes_are_not_copied() {
    let piece = Bytes::from("größer".repeat(1000));
    for texts in [TextStream::new, TextStream::lossy] {
        let mut texts =
            texts(stream::iter([io::Result::Ok(piece.slice(..100)), Ok(piece.slice(100..))])).into_bytes();
        let mut at = 0;
        while let Some(text) = texts.next().await {
            let text = text.unwrap();
            assert_eq!(text.as_ptr(), piece[at..].as_ptr());
            at += text.len();
        }
        assert_eq!(at, piece.len());
    }
}
